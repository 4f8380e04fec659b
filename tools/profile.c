// The times of a library's kernels, by its trace, and of whole calls, by the clock.
#include "tools/profile.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const strata_library_t *library;
  double *seconds; // a kernel
  unsigned *calls;
  unsigned threads; // most that took part in a launch
} trace_t;

static void trace_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  trace_t *trace = user;
  uint32_t kernel = trace->library->launches[launch];
  trace->seconds[kernel] += 1e-9 * (double)nanoseconds;
  trace->calls[kernel]++;
  if (threads > trace->threads)
    trace->threads = threads;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

strata_status_t strata_time_runs(strata_arena_t *arena, strata_session_t *session, int n_runs,
                                 strata_times_t *out_times) {
  double *seconds = strata_arena_array(arena, double, n_runs);
  for (int i = 0; i < n_runs; i++)
    STRATA_TRY(strata_session_run(session, &seconds[i]));
  qsort(seconds, (size_t)n_runs, sizeof *seconds, compare_doubles);
  *out_times = (strata_times_t){seconds[0], seconds[n_runs / 2], seconds[n_runs - 1]};
  return NULL;
}

static void print_kernels(const trace_t *trace, double bandwidth, FILE *file) {
  double total = 0;
  fprintf(file, "%-24s %6s %8s %10s %8s %8s%s\n", "kernel", "calls", "tasks", "ms", "GB/s", "GFLOP/s",
          bandwidth > 0 ? "  of memory's" : "");
  for (size_t k = 0; k < trace->library->n_kernels; k++) {
    const strata_kernel_info_t *kernel = trace->library->kernels[k];
    double seconds = trace->seconds[k], calls = trace->calls[k];
    double rate = seconds > 0 ? 1e-9 * calls / seconds : 0;
    fprintf(file, "%-24s %6u %8llu %10.3f %8.1f %8.1f", kernel->name, trace->calls[k],
            (unsigned long long)kernel->tasks, 1e3 * seconds, rate * (double)kernel->bytes,
            rate * (double)kernel->flops);
    if (bandwidth > 0)
      fprintf(file, " %11.0f %%", 1e11 * rate * (double)kernel->bytes / bandwidth);
    fputc('\n', file);
    total += seconds;
  }
  fprintf(file, "%-24s %6zu %8s %10.3f\n", "all kernels", trace->library->n_launches, "", 1e3 * total);
}

strata_status_t strata_profile(strata_arena_t *arena, strata_session_t *session, int n_runs, double bandwidth,
                               FILE *file) {
  const strata_library_t *library = session->library;
  trace_t trace = {
      .library = library,
      .seconds = strata_arena_array(arena, double, library->n_kernels + 1),
      .calls = strata_arena_array(arena, unsigned, library->n_kernels + 1),
  };
  STRATA_TRY(strata_session_run(session, NULL));
  library->set_trace(trace_launch, &trace);
  STRATA_TRY(strata_session_run(session, NULL));
  library->set_trace(NULL, NULL);
  strata_times_t times;
  STRATA_TRY(strata_time_runs(arena, session, n_runs, &times));
  print_kernels(&trace, bandwidth, file);
  fprintf(file, "whole call: %.3f ms", 1e3 * times.median);
  if (n_runs > 1)
    fprintf(file, " (median of %d, %.3f to %.3f)", n_runs, 1e3 * times.min, 1e3 * times.max);
  if (strcmp(library->target, "cpu") == 0)
    fprintf(file, ", %u thread%s", trace.threads, trace.threads == 1 ? "" : "s");
  fputc('\n', file);
  return NULL;
}
