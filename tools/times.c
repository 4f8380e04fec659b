// See times.h.
#include "tools/times.h"

#include "runtime/base/arena.h"
#include "tools/clock.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static strata_status_t warm_up(strata_session_t *session, double seconds) {
  for (double start = strata_now(); strata_now() - start < seconds;)
    STRATA_TRY(strata_session_run(session, NULL));
  return NULL;
}

strata_status_t strata_time_runs(strata_arena_t *arena, strata_session_t *session, const strata_timing_t *timing,
                                 strata_times_t *out_times) {
  STRATA_VECTOR(double) seconds = {0};
  STRATA_TRY(warm_up(session, 1e-3 * timing->warm_up));
  double start = strata_now();
  do {
    STRATA_TRY(strata_session_run(session, strata_vector_push(arena, &seconds)));
  } while (seconds.count < (size_t)timing->n_runs || strata_now() - start < timing->duration);
  *out_times = (strata_times_t){.n_runs = (int)seconds.count, .seconds = seconds.data, .all = strata_now() - start};
  qsort(seconds.data, seconds.count, sizeof *seconds.data, compare_doubles);
  return NULL;
}

double strata_times_median(const strata_times_t *times) { return times->seconds[times->n_runs / 2]; }

double strata_times_mean(const strata_times_t *times) {
  double sum = 0;
  for (int i = 0; i < times->n_runs; i++)
    sum += times->seconds[i];
  return sum / times->n_runs;
}

double strata_times_percentile(const strata_times_t *times, double percent) {
  int number = (int)ceil(percent / 100 * times->n_runs);
  return times->seconds[number > 0 ? number - 1 : 0];
}
