// One tracer a library.
#include "runtime/library/trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  _Atomic(strata_trace_t) function;
  void *user;
} tracer;

static void print_picked(const strata_library_t *library, size_t launch, uint32_t pick, unsigned threads,
                         uint64_t nanoseconds) {
  size_t index = library->launches[launch] + pick;
  const strata_kernel_info_t *kernel = library->kernels[index < library->n_kernels ? index : library->n_kernels - 1];
  char tasks[24] = "so many"; // as the sizes of the call say
  if (kernel->tasks || !library->n_dims)
    snprintf(tasks, sizeof tasks, "%llu", (unsigned long long)kernel->tasks);
  fprintf(stderr, "strata: %s: launch %zu: %s, %s tasks on %u threads, %.1f us\n", library->name, launch, kernel->name,
          tasks, threads, (double)nanoseconds / 1e3);
}

static void print_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  print_picked(user, launch, 0, threads, nanoseconds);
}

void strata_rt_tracer_tell(const strata_rt_tracer_t *told, size_t launch, uint32_t pick, unsigned threads,
                           uint64_t nanoseconds) {
  if (told->function == print_launch)
    print_picked(told->user, launch, pick, threads, nanoseconds);
  else
    told->function(told->user, launch, threads, nanoseconds);
}

void strata_rt_tracer_set(const strata_library_t *library, strata_trace_t trace, void *user) {
  const char *value = trace ? NULL : getenv("STRATA_TRACE");
  bool prints = value && *value && *value != '0';
  tracer.user = prints ? (void *)(uintptr_t)library : user;
  atomic_store(&tracer.function, prints ? print_launch : trace);
}

void strata_rt_tracer_init(const strata_library_t *library) {
  if (!atomic_load(&tracer.function))
    strata_rt_tracer_set(library, NULL, NULL);
}

strata_rt_tracer_t strata_rt_tracer(void) {
  strata_trace_t function = atomic_load_explicit(&tracer.function, memory_order_acquire);
  return (strata_rt_tracer_t){function, tracer.user};
}
