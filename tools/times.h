// The times of a session's calls, one after the other.
#ifndef STRATA_TOOLS_TIMES_H
#define STRATA_TOOLS_TIMES_H

#include "tools/session.h"

typedef struct {
  int warm_up;     // milliseconds of calls in front that are not counted
  int n_runs;      // calls at least, 1 or more ...
  double duration; // ... and seconds at least
} strata_timing_t;

typedef struct {
  int n_runs;
  const double *seconds; // of each call, in ascending order
  double all;            // from the first call's begin to the last one's end
} strata_times_t;

STRATA_MUST_CHECK strata_status_t strata_time_runs(strata_arena_t *arena, strata_session_t *session,
                                                   const strata_timing_t *timing, strata_times_t *out_times);
double strata_times_median(const strata_times_t *times);
double strata_times_mean(const strata_times_t *times);
// The least time that |percent| of the calls, from above 0 to 100, do not exceed.
double strata_times_percentile(const strata_times_t *times, double percent);

#endif
