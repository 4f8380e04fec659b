// The times of a library's kernels, by its trace, and of whole calls, by the clock.
#include "tools/profile.h"

#include "passes/target.h"
#include "tools/peaks.h"
#include "tools/profile_trace.h"

#include <string.h>

typedef struct {
  size_t kernel, launch;
  unsigned threads;
  uint64_t nanoseconds;
} traced_launch_t;

typedef struct {
  strata_arena_t *arena;
  const strata_library_t *library;
  const int64_t *dims; // of the call; NULL: they do not vary
  STRATA_VECTOR(traced_launch_t) launches;
  double *seconds;     // a kernel
  uint64_t *calls;     // a kernel
  unsigned threads;    // most that took part in a launch
  const char *product; // that the GPU is, as its driver says; "": not known
} trace_t;

// The kernel of a launch, or that of its variants which takes the sizes of the call.
static size_t kernel_of(const strata_library_t *library, const int64_t *dims, size_t launch) {
  size_t kernel = library->launches[launch];
  bool has_picks = STRATA_LIBRARY_HAS(library, picks) && library->picks;
  int64_t pick = 0;
  return has_picks && dims && strata_session_dim(library, library->picks[launch], dims, &pick) ? kernel + (size_t)pick
                                                                                               : kernel;
}

static void trace_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  trace_t *trace = user;
  size_t kernel = kernel_of(trace->library, trace->dims, launch);
  trace->seconds[kernel] += 1e-9 * (double)nanoseconds;
  trace->calls[kernel]++;
  *strata_vector_push(trace->arena, &trace->launches) = (traced_launch_t){kernel, launch, threads, nanoseconds};
  if (threads > trace->threads)
    trace->threads = threads;
}

// What the compiler expected of a launch, in nanoseconds; 0: it is not known.
static uint64_t predicted_of(const strata_library_t *library, size_t kernel) {
  return STRATA_LIBRARY_HAS(library, predicted) && library->predicted ? library->predicted[kernel] : 0;
}

static uint32_t stream_of(const strata_library_t *library, size_t launch) {
  return STRATA_LIBRARY_HAS(library, streams) && library->streams ? library->streams[launch] : 0;
}

//===-- The roofline ---------------------------------------------------------------------------------------------===//

// What the library's device does at best in a second; zeros where nobody knows.
typedef struct {
  char text[160];
  double memory, caches; // bytes
  double operations;
  double largest_cached; // bytes of a call, for which |caches| counts
} roofline_t;

static roofline_t roofline_of_gpu(const strata_gpu_device_t *device) {
  roofline_t roofline = {
      .memory = (double)device->bandwidth, .caches = (double)device->bandwidth, .operations = (double)device->products};
  snprintf(roofline.text, sizeof roofline.text,
           "roofline of %s: %.0f GB/s, products of 16-bit operands at %.0f TFLOP/s",
           device->card ? device->card : device->name, 1e-9 * roofline.memory, 1e-12 * roofline.operations);
  return roofline;
}

static roofline_t roofline_of_host(unsigned threads) {
  strata_peaks_t peaks = strata_measure_peaks(threads);
  roofline_t roofline = {.memory = peaks.memory,
                         .caches = peaks.caches,
                         .operations = peaks.operations,
                         .largest_cached = (double)peaks.largest_cached};
  if (peaks.memory <= 0 || peaks.caches <= 0 || peaks.operations <= 0)
    return (roofline_t){0};
  snprintf(roofline.text, sizeof roofline.text,
           "roofline of this machine, measured with %u threads: %.0f GB/s, in caches %.0f GB/s, %.0f GFLOP/s of f32",
           peaks.threads, 1e-9 * peaks.memory, 1e-9 * peaks.caches, 1e-9 * peaks.operations);
  return roofline;
}

const strata_gpu_device_t *strata_profile_device(const strata_library_t *library, const char *product) {
  const strata_gpu_device_t *card = strata_gpu_device_find(product);
  for (size_t i = 0; card && i < library->n_devices; i++)
    if (strcmp(library->devices[i], card->name) == 0)
      return card;
  return library->n_devices > 0 ? strata_gpu_device_find(library->devices[0]) : NULL;
}

static roofline_t find_roofline(const strata_library_t *library, const trace_t *trace) {
  if (strcmp(library->target, "cpu") == 0)
    return trace ? roofline_of_host(trace->threads) : (roofline_t){0};
  const strata_gpu_device_t *device = strata_profile_device(library, trace ? trace->product : "");
  return device ? roofline_of_gpu(device) : (roofline_t){0};
}

// The seconds that a call that moves and computes so much needs at least.
static double least_seconds(const roofline_t *roofline, double bytes, double flops) {
  double bandwidth = bytes <= roofline->largest_cached ? roofline->caches : roofline->memory;
  double moving = bytes / bandwidth, computing = flops / roofline->operations;
  return moving > computing ? moving : computing;
}

//===-- The table ------------------------------------------------------------------------------------------------===//

// Of one kernel, or of all.
typedef struct {
  double seconds, predicted; // 0: not known
  double bytes, flops;
  double least; // of the seconds, what the roofline asks for; 0: not known
} rates_t;

static void print_rates(const rates_t *r, bool has_predictions, FILE *file) {
  if (r->seconds <= 0)
    fprintf(file, " %10s %8s %9s", "-", "-", "-");
  else
    fprintf(file, " %10.3f %8.1f %9.1f", 1e3 * r->seconds, 1e-9 * r->bytes / r->seconds, 1e-9 * r->flops / r->seconds);
  if (has_predictions && r->predicted > 0)
    fprintf(file, " %10.3f", 1e3 * r->predicted);
  else if (has_predictions)
    fprintf(file, " %10s", "-");
  if (r->seconds > 0 && r->least > 0)
    fprintf(file, " %10.0f %%", 100 * r->least / r->seconds);
  else
    fprintf(file, " %12s", "");
}

static void print_row(const char *name, uint64_t calls, const char *tasks, double bytes, double flops, FILE *file) {
  fprintf(file, "%-24s %6llu %8s %11.3f %11.3f", name, (unsigned long long)calls, tasks, 1e-6 * bytes, 1e-6 * flops);
}

static const char *nodes_of(const strata_profile_names_t *names, const char *kernel) {
  for (size_t i = 0; names && i < names->n_origins; i++)
    if (strcmp(names->origins[i].kernel, kernel) == 0)
      return names->origins[i].nodes;
  return "";
}

// Those of a run, or, if nothing was run, those that are known before.
static uint64_t count_calls(const strata_library_t *library, const trace_t *trace, size_t kernel) {
  uint64_t calls = 0;
  if (trace)
    return trace->calls[kernel];
  for (size_t i = 0; i < library->n_launches; i++)
    calls += library->launches[i] == kernel;
  return calls;
}

static bool has_predictions(const strata_library_t *library) {
  for (size_t k = 0; k < library->n_kernels; k++)
    if (predicted_of(library, k))
      return true;
  return false;
}

static void print_titles(bool has_roofline, bool has_predictions, bool has_nodes, FILE *file) {
  fprintf(file, "%-24s %6s %8s %11s %11s %10s %8s %9s", "kernel", "calls", "tasks", "MB", "MFLOP", "ms", "GB/s",
          "GFLOP/s");
  if (has_predictions)
    fprintf(file, " %10s", "predicted");
  fprintf(file, " %12s%s\n", has_roofline ? "of roofline" : "", has_nodes ? "  nodes" : "");
}

static rates_t rates_of(const strata_library_t *library, const trace_t *trace, const roofline_t *roofline, size_t k,
                        uint64_t calls) {
  const strata_kernel_info_t *kernel = library->kernels[k];
  double least = roofline->memory > 0 ? least_seconds(roofline, (double)kernel->bytes, (double)kernel->flops) : 0;
  return (rates_t){.seconds = trace ? trace->seconds[k] : 0,
                   .predicted = 1e-9 * (double)(calls * predicted_of(library, k)),
                   .bytes = (double)(calls * kernel->bytes),
                   .flops = (double)(calls * kernel->flops),
                   .least = (double)calls * least};
}

static void add_rates(rates_t *all, const rates_t *rates) {
  all->seconds += rates->seconds;
  all->predicted += rates->predicted;
  all->bytes += rates->bytes;
  all->flops += rates->flops;
  all->least += rates->least;
}

// |trace|: times of a call; NULL: nothing was run.
static void print_kernels(const strata_library_t *library, const strata_profile_names_t *names, const trace_t *trace,
                          FILE *file) {
  const roofline_t roofline = find_roofline(library, trace);
  bool predicts = has_predictions(library);
  rates_t all = {0};
  uint64_t all_calls = 0;
  print_titles(roofline.memory > 0, predicts, names != NULL, file);
  for (size_t k = 0; k < library->n_kernels; k++) {
    const strata_kernel_info_t *kernel = library->kernels[k];
    uint64_t calls = count_calls(library, trace, k);
    if (calls == 0) // of the preparation only, or of a loop without iterations
      continue;
    rates_t rates = rates_of(library, trace, &roofline, k, calls);
    char tasks[24];
    snprintf(tasks, sizeof tasks, "%llu", (unsigned long long)kernel->tasks);
    print_row(kernel->name, calls, tasks, rates.bytes, rates.flops, file);
    print_rates(&rates, predicts, file);
    const char *nodes = nodes_of(names, kernel->name);
    if (names && names->tell && rates.seconds > 0)
      names->tell(names->user, kernel->name, rates.seconds / (double)calls);
    fprintf(file, "%s%s\n", *nodes ? "  " : "", nodes);
    all_calls += calls;
    add_rates(&all, &rates);
  }
  print_row("all kernels", all_calls, "", all.bytes, all.flops, file);
  print_rates(&all, predicts, file);
  fputc('\n', file);
  if (*roofline.text)
    fprintf(file, "%s\n", roofline.text);
}

void strata_print_kernels_without_times(const strata_library_t *library, const strata_profile_names_t *names,
                                        const char *why, FILE *file) {
  print_kernels(library, names, NULL, file);
  fprintf(file, "nothing was run and timed: %s\n", why);
}

//===-- Profiles -------------------------------------------------------------------------------------------------===//

// "" where the GPU cannot be asked.
static const char *find_product(strata_arena_t *arena, const strata_library_t *library) {
  strata_device_names_t names = {.product = ""};
  if (strcmp(library->target, "cpu") != 0)
    strata_status_free(strata_device_find_names(arena, library->target, &names));
  return names.product;
}

static strata_status_t trace_call(strata_arena_t *arena, strata_session_t *session, trace_t *out_trace) {
  const strata_library_t *library = session->library;
  *out_trace = (trace_t){
      .arena = arena,
      .library = library,
      .dims = session->dims,
      .product = find_product(arena, library),
      .seconds = strata_arena_array(arena, double, library->n_kernels + 1),
      .calls = strata_arena_array(arena, uint64_t, library->n_kernels + 1),
  };
  library->set_trace(trace_launch, out_trace);
  strata_status_t status = strata_session_run(session, NULL);
  library->set_trace(NULL, NULL);
  return status;
}

strata_profile_names_t strata_names_of(strata_arena_t *arena, const strata_library_t *library) {
  strata_profile_names_t names = {0};
  if (!STRATA_LIBRARY_HAS(library, nodes))
    return names; // of an older version
  strata_kernel_origins_t *origins = strata_arena_array(arena, strata_kernel_origins_t, library->n_kernels + 1);
  for (size_t i = 0; i < library->n_kernels && library->nodes; i++)
    origins[i] = (strata_kernel_origins_t){.kernel = library->kernels[i]->name, .nodes = library->nodes[i]};
  names.origins = origins;
  names.n_origins = library->nodes ? library->n_kernels : 0;
  return names;
}

static strata_status_t write_trace(strata_arena_t *arena, const strata_profile_names_t *names, const trace_t *trace,
                                   const char *path) {
  const strata_library_t *library = trace->library;
  strata_profile_event_t *events = strata_arena_array(arena, strata_profile_event_t, trace->launches.count + 1);
  for (size_t i = 0; i < trace->launches.count; i++) {
    const traced_launch_t *launch = &trace->launches.data[i];
    const strata_kernel_info_t *kernel = library->kernels[launch->kernel];
    events[i] = (strata_profile_event_t){.kernel = kernel->name,
                                         .nodes = nodes_of(names, kernel->name),
                                         .nanoseconds = launch->nanoseconds,
                                         .bytes = kernel->bytes,
                                         .flops = kernel->flops,
                                         .predicted = predicted_of(library, launch->kernel),
                                         .threads = launch->threads,
                                         .stream = stream_of(library, launch->launch)};
  }
  return strata_profile_trace_write(path, library->name, trace->launches.count, events);
}

strata_status_t strata_profile_kernels(strata_arena_t *arena, strata_session_t *session,
                                       const strata_profile_names_t *names, FILE *file, const char *trace_path) {
  trace_t trace;
  STRATA_TRY(trace_call(arena, session, &trace));
  if (file)
    print_kernels(session->library, names, &trace, file);
  return trace_path ? write_trace(arena, names, &trace, trace_path) : NULL;
}

// The first calls find cold caches, a low clock and threads that sleep.
static strata_status_t warm_up(strata_session_t *session) {
  enum { MAX_CALLS = 10 };
  const double enough = 0.05; // seconds
  double seconds = 0, all = 0;
  for (int i = 0; i < MAX_CALLS && all < enough; i++) {
    STRATA_TRY(strata_session_run(session, &seconds));
    all += seconds;
  }
  return NULL;
}

strata_status_t strata_profile(strata_arena_t *arena, strata_session_t *session, const strata_profile_names_t *names,
                               int n_runs, FILE *file, const char *trace_path) {
  trace_t trace;
  STRATA_TRY(warm_up(session));
  STRATA_TRY(trace_call(arena, session, &trace));
  strata_times_t times;
  STRATA_TRY(strata_time_runs(arena, session, &(strata_timing_t){.n_runs = n_runs}, &times));
  print_kernels(session->library, names, &trace, file);
  fprintf(file, "whole call: %.3f ms", 1e3 * strata_times_median(&times));
  if (n_runs > 1)
    fprintf(file, " (median of %d, %.3f to %.3f)", n_runs, 1e3 * times.seconds[0], 1e3 * times.seconds[n_runs - 1]);
  if (strcmp(session->library->target, "cpu") == 0)
    fprintf(file, ", %u thread%s", trace.threads, trace.threads == 1 ? "" : "s");
  fputc('\n', file);
  return trace_path ? write_trace(arena, names, &trace, trace_path) : NULL;
}
