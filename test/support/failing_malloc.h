// Allocations that fail: failing_malloc.c says how to make them in another program.
#ifndef STRATA_TEST_SUPPORT_FAILING_MALLOC_H
#define STRATA_TEST_SUPPORT_FAILING_MALLOC_H

#include <stdbool.h>

// Counts only allocations by the code of files with |name| in their names, and keeps what of theirs is alive.
void strata_test_allocations_of(const char *name);
int strata_test_live_allocations(void); // of that
// The |n|-th one from now on fails, and with |all| all after it; 0: none does.
void strata_test_fail_allocation(long n, bool all);
long strata_test_failed_allocations(void); // since then

#endif
