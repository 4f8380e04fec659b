// An event before each launch and one after the last: a launch's time is that between two neighbours.
#include "runtime/gpu/trace.h"

#include "runtime/library/error.h"

#include <stdlib.h>

typedef struct {
  void *event; // recorded after the launch; the first before all
  unsigned threads;
} mark_t;

typedef struct {
  void *stream;
  mark_t *marks;
  size_t n_launches;
} recorder_t;

static unsigned threads_of(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch) {
  if (launch->kernel == STRATA_RT_COPY)
    return 0;
  const strata_rt_kernel_t *kernel = &instance->variant->kernels[launch->kernel];
  return kernel->blocks * kernel->threads;
}

static int record(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch, void *user) {
  recorder_t *recorder = user;
  mark_t *mark = &recorder->marks[++recorder->n_launches];
  mark->threads = threads_of(instance, launch);
  return strata_rt_driver()->record_event(mark->event, recorder->stream);
}

static int report(const recorder_t *recorder) {
  strata_rt_tracer_t tracer = strata_rt_tracer();
  int status = STRATA_OK;
  for (size_t i = 0; i < recorder->n_launches && !status; i++) {
    float milliseconds;
    const mark_t *before = &recorder->marks[i], *after = before + 1;
    status = strata_rt_driver()->elapsed(before->event, after->event, &milliseconds);
    if (!status)
      tracer.function(tracer.user, i, after->threads, (uint64_t)(milliseconds * 1e6f));
  }
  return status;
}

// Launches that a call makes, of |count| from |first| on.
static size_t count_launches(const strata_rt_list_t *list, uint64_t first, uint64_t count) {
  size_t n = 0;
  for (uint64_t i = first; i < first + count; i++) {
    const strata_rt_launch_t *launch = &list->launches[i];
    const strata_rt_loop_t *loop = launch->kernel == STRATA_RT_LOOP ? &list->loops[launch->size] : NULL;
    n += loop ? loop->count * count_launches(list, loop->first_launch, loop->n_launches) : 1;
  }
  return n;
}

static int run_recorded(const strata_rt_instance_t *instance, void *const *tensors, char *pool, recorder_t *recorder) {
  int status = strata_rt_driver()->record_event(recorder->marks[0].event, recorder->stream);
  if (!status)
    status = strata_rt_enqueue_main(instance, tensors, pool, recorder->stream, record, recorder);
  return status ? status : report(recorder);
}

int strata_rt_run_traced(const strata_rt_instance_t *instance, void *const *tensors, char *pool, void *stream) {
  const strata_rt_list_t *list = &instance->variant->main;
  bool is_capturing;
  int status = strata_rt_driver()->is_capturing(stream, &is_capturing);
  if (status || is_capturing)
    return status ? status : strata_rt_enqueue_main(instance, tensors, pool, stream, NULL, NULL);
  size_t n = count_launches(list, 0, list->n_launches) + 1;
  recorder_t recorder = {.stream = stream, .marks = calloc(n, sizeof *recorder.marks)};
  if (!recorder.marks)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", strata_rt_program.library->name);
  for (size_t i = 0; i < n && !status; i++)
    status = strata_rt_driver()->create_event(&recorder.marks[i].event);
  if (!status)
    status = run_recorded(instance, tensors, pool, &recorder);
  strata_rt_cleanup_begin(status);
  for (size_t i = 0; i < n; i++)
    if (recorder.marks[i].event)
      strata_rt_driver()->destroy_event(recorder.marks[i].event);
  free(recorder.marks);
  return strata_rt_cleanup_end();
}
