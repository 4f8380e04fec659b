// The times of a library's kernels, by its trace, and of whole calls, by the clock.
#include "tools/profile.h"

#include "passes/target.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const strata_library_t *library;
  double *seconds;  // a kernel
  unsigned threads; // most that took part in a launch
} trace_t;

static void trace_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  trace_t *trace = user;
  uint32_t kernel = trace->library->launches[launch];
  trace->seconds[kernel] += 1e-9 * (double)nanoseconds;
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

//===-- The table ------------------------------------------------------------------------------------------------===//

// The GPU that the library's kernels are for; NULL on the cpu.
static const strata_gpu_device_t *device_of(const strata_library_t *library) {
  bool is_gpu = strcmp(library->target, "cpu") != 0 && library->n_devices > 0;
  return is_gpu ? strata_gpu_device_find(library->devices[0]) : NULL;
}

// The seconds that a device needs at least.
static double least_seconds(const strata_gpu_device_t *device, double bytes, double flops) {
  double moving = bytes / (double)device->bandwidth, computing = flops / (double)device->products;
  return moving > computing ? moving : computing;
}

static void print_rates(const strata_gpu_device_t *device, double seconds, double bytes, double flops, FILE *file) {
  if (seconds <= 0) {
    fprintf(file, " %10s %8s %9s", "-", "-", "-");
    return;
  }
  fprintf(file, " %10.3f %8.1f %9.1f", 1e3 * seconds, 1e-9 * bytes / seconds, 1e-9 * flops / seconds);
  if (device)
    fprintf(file, " %10.0f %%", 100 * least_seconds(device, bytes, flops) / seconds);
}

static void print_row(const char *name, uint64_t calls, const char *tasks, double bytes, double flops, FILE *file) {
  fprintf(file, "%-24s %6llu %8s %11.3f %11.3f", name, (unsigned long long)calls, tasks, 1e-6 * bytes, 1e-6 * flops);
}

// |trace|: times of a call; NULL: nothing was run.
static void print_kernels(const strata_library_t *library, const trace_t *trace, FILE *file) {
  const strata_gpu_device_t *device = device_of(library);
  double all_seconds = 0, all_bytes = 0, all_flops = 0;
  fprintf(file, "%-24s %6s %8s %11s %11s %10s %8s %9s%s\n", "kernel", "calls", "tasks", "MB", "MFLOP", "ms", "GB/s",
          "GFLOP/s", device ? "  of roofline" : "");
  for (size_t k = 0; k < library->n_kernels; k++) {
    const strata_kernel_info_t *kernel = library->kernels[k];
    uint64_t calls = 0;
    for (size_t i = 0; i < library->n_launches; i++)
      calls += library->launches[i] == k;
    if (calls == 0) // of the preparation only
      continue;
    double bytes = (double)(calls * kernel->bytes), flops = (double)(calls * kernel->flops);
    double seconds = trace ? trace->seconds[k] : 0;
    char tasks[24];
    snprintf(tasks, sizeof tasks, "%llu", (unsigned long long)kernel->tasks);
    print_row(kernel->name, calls, tasks, bytes, flops, file);
    print_rates(device, seconds, bytes, flops, file);
    fputc('\n', file);
    all_seconds += seconds, all_bytes += bytes, all_flops += flops;
  }
  print_row("all kernels", library->n_launches, "", all_bytes, all_flops, file);
  print_rates(device, all_seconds, all_bytes, all_flops, file);
  fputc('\n', file);
  if (device)
    fprintf(file, "roofline of %s: %.0f GB/s, products of 16-bit operands at %.0f TFLOP/s\n", device->name,
            1e-9 * (double)device->bandwidth, 1e-12 * (double)device->products);
}

void strata_print_kernels_without_times(const strata_library_t *library, const char *why, FILE *file) {
  print_kernels(library, NULL, file);
  fprintf(file, "nothing was run and timed: %s\n", why);
}

//===-- Profiles -------------------------------------------------------------------------------------------------===//

static strata_status_t trace_call(strata_arena_t *arena, strata_session_t *session, trace_t *out_trace) {
  const strata_library_t *library = session->library;
  *out_trace = (trace_t){
      .library = library,
      .seconds = strata_arena_array(arena, double, library->n_kernels + 1),
  };
  library->set_trace(trace_launch, out_trace);
  strata_status_t status = strata_session_run(session, NULL);
  library->set_trace(NULL, NULL);
  return status;
}

strata_status_t strata_profile_kernels(strata_arena_t *arena, strata_session_t *session, FILE *file) {
  trace_t trace;
  STRATA_TRY(trace_call(arena, session, &trace));
  print_kernels(session->library, &trace, file);
  return NULL;
}

strata_status_t strata_profile(strata_arena_t *arena, strata_session_t *session, int n_runs, FILE *file) {
  trace_t trace;
  STRATA_TRY(strata_session_run(session, NULL));
  STRATA_TRY(trace_call(arena, session, &trace));
  strata_times_t times;
  STRATA_TRY(strata_time_runs(arena, session, n_runs, &times));
  print_kernels(session->library, &trace, file);
  fprintf(file, "whole call: %.3f ms", 1e3 * times.median);
  if (n_runs > 1)
    fprintf(file, " (median of %d, %.3f to %.3f)", n_runs, 1e3 * times.min, 1e3 * times.max);
  if (strcmp(session->library->target, "cpu") == 0)
    fprintf(file, ", %u thread%s", trace.threads, trace.threads == 1 ? "" : "s");
  fputc('\n', file);
  return NULL;
}
