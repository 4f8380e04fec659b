// The message of this thread's last failing call.
#ifndef STRATA_RUNTIME_ERROR_H
#define STRATA_RUNTIME_ERROR_H

#include "runtime/base/status.h" // the codes only: the runtime does not link the compiler's base

// Keeps a printf-style message for this thread, or none where there is no memory for it; returns |code|.
int strata_rt_fail(strata_status_code_t code, const char *format, ...) STRATA_PRINTF(2, 3);
const char *strata_rt_message(void); // "": there is none

// Between these two the statuses of what is called need not be looked at: only the first error counts and keeps its
// message, which is that of |status| unless it is STRATA_OK. End returns its code. For cleaning up; they do not nest.
void strata_rt_cleanup_begin(int status);
int strata_rt_cleanup_end(void);

#endif
