// An event before each launch and one after the last: a launch's time is that between two neighbours.
#include "runtime/gpu/trace.h"

#include "runtime/library/error.h"

#include <stdlib.h>

static int enqueue_all(const strata_rt_instance_t *instance, void *const *tensors, char *pool, void *stream,
                       void *const *events) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  const strata_rt_list_t *list = &instance->variant->main;
  int status = events ? driver->record_event(events[0], stream) : STRATA_OK;
  for (uint64_t i = 0; i < list->n_launches && !status; i++) {
    status = strata_rt_enqueue(instance, list, i, tensors, pool, stream);
    if (!status && events)
      status = driver->record_event(events[i + 1], stream);
  }
  return status;
}

static unsigned threads_of(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch) {
  if (launch->kernel == STRATA_RT_COPY)
    return 0;
  const strata_rt_kernel_t *kernel = &instance->variant->kernels[launch->kernel];
  return kernel->blocks * kernel->threads;
}

static int report(const strata_rt_instance_t *instance, void *const *events) {
  const strata_rt_list_t *list = &instance->variant->main;
  strata_rt_tracer_t tracer = strata_rt_tracer();
  int status = STRATA_OK;
  for (uint64_t i = 0; i < list->n_launches && !status; i++) {
    float milliseconds;
    status = strata_rt_driver()->elapsed(events[i], events[i + 1], &milliseconds);
    if (!status)
      tracer.function(tracer.user, i, threads_of(instance, &list->launches[i]), (uint64_t)(milliseconds * 1e6f));
  }
  return status;
}

int strata_rt_run_traced(const strata_rt_instance_t *instance, void *const *tensors, char *pool, void *stream) {
  uint64_t n = instance->variant->main.n_launches + 1;
  bool is_capturing;
  int status = strata_rt_driver()->is_capturing(stream, &is_capturing);
  if (status || is_capturing)
    return status ? status : enqueue_all(instance, tensors, pool, stream, NULL);
  void **events = calloc(n, sizeof *events);
  if (!events)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", strata_rt_program.library->name);
  for (uint64_t i = 0; i < n && !status; i++)
    status = strata_rt_driver()->create_event(&events[i]);
  if (!status)
    status = enqueue_all(instance, tensors, pool, stream, events);
  if (!status)
    status = report(instance, events);
  strata_rt_cleanup_begin(status);
  for (uint64_t i = 0; i < n; i++)
    if (events[i])
      strata_rt_driver()->destroy_event(events[i]);
  free(events);
  return strata_rt_cleanup_end();
}
