// Runs a session's library and prints where its time goes.
#ifndef STRATA_TOOLS_PROFILE_H
#define STRATA_TOOLS_PROFILE_H

#include "tools/session.h"

#include <stdio.h>

// Calls the library once to warm up, once more to time each kernel, and |n_runs| times for the time of a whole call.
// Kernels are compared with the roofline of the device that the library is for, where it is known.
STRATA_MUST_CHECK strata_status_t strata_profile(strata_arena_t *arena, strata_session_t *session, int n_runs,
                                                 FILE *file);

// Calls it with its inputs as they are and prints a row for each kernel, the times of one call among them.
STRATA_MUST_CHECK strata_status_t strata_profile_kernels(strata_arena_t *arena, strata_session_t *session, FILE *file);

// The same rows without times, of a library that cannot be run here, and |why|.
void strata_print_kernels_without_times(const strata_library_t *library, const char *why, FILE *file);

// The smallest, middle and largest of the seconds of |n_runs| calls.
typedef struct {
  double min, median, max;
} strata_times_t;
STRATA_MUST_CHECK strata_status_t strata_time_runs(strata_arena_t *arena, strata_session_t *session, int n_runs,
                                                   strata_times_t *out_times);

#endif
