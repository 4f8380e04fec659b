// Runs a session's library and prints where its time goes.
#ifndef STRATA_TOOLS_PROFILE_H
#define STRATA_TOOLS_PROFILE_H

#include "tools/session.h"

#include <stdio.h>

// Calls the library once to warm up, once more to time each kernel, and |n_runs| times for the time of a whole call.
// |bandwidth|: bytes a second that the device's memory can move, which kernels are compared with; 0: unknown.
STRATA_MUST_CHECK strata_status_t strata_profile(strata_arena_t *arena, strata_session_t *session, int n_runs,
                                                 double bandwidth, FILE *file);

// The smallest, middle and largest of the seconds of |n_runs| calls.
typedef struct {
  double min, median, max;
} strata_times_t;
STRATA_MUST_CHECK strata_status_t strata_time_runs(strata_arena_t *arena, strata_session_t *session, int n_runs,
                                                   strata_times_t *out_times);

#endif
