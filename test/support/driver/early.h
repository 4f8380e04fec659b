// What kernels read before they wait for the launches in front of theirs. These may not have ended then, so that no
// kernel of any call may write it: each is watched from the first time on that it is read so. Copies may write it.
#ifndef STRATA_TEST_SUPPORT_DRIVER_EARLY_H
#define STRATA_TEST_SUPPORT_DRIVER_EARLY_H

#include "test/support/driver/driver.h"

#pragma GCC visibility push(hidden)

void early_reset(void);                            // a block begins
void early_note(const void *memory, size_t size);  // the running thread has a part of it copied
bool early_check(const function_t *function);      // the kernel has ended; false after a fault: it wrote some
void early_renew(const void *memory, size_t size); // a copy may have written it
void early_forget(const void *memory, size_t size);

#pragma GCC visibility pop

#endif
