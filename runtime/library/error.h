// The message of this thread's last failing call.
#ifndef STRATA_RUNTIME_ERROR_H
#define STRATA_RUNTIME_ERROR_H

#include "runtime/base/status.h" // the codes only: the runtime does not link the compiler's base

// Keeps a printf-style message for this thread; returns |code|.
int strata_rt_fail(strata_status_code_t code, const char *format, ...) STRATA_PRINTF(2, 3);
const char *strata_rt_message(void);

#endif
