// An event before each launch and one after the last: a launch's time is that between two neighbours.
#include "runtime/gpu/trace.h"

#include "runtime/library/error.h"
#include "runtime/library/loop.h"

#include <stdlib.h>

typedef struct {
  void *event; // recorded after the launch; the first before all
  size_t place;
  uint32_t pick;
  unsigned threads;
} mark_t;

typedef struct {
  const strata_rt_call_t *call;
  mark_t *marks;
  size_t n_marks, capacity;
} recorder_t;

static unsigned threads_of(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch,
                           const int64_t *values, uint32_t *out_pick) {
  launch = strata_rt_picked(&instance->variant->main, launch, values, out_pick);
  if (launch->kernel == STRATA_RT_COPY)
    return 0;
  const strata_rt_kernel_t *kernel = &instance->variant->kernels[launch->kernel];
  return (unsigned)strata_rt_number(kernel->blocks, values) * kernel->threads;
}

// Room for |n| marks, with their events: nobody knows how many launches an open loop makes.
static int reserve(recorder_t *recorder, size_t n) {
  mark_t *marks = realloc(recorder->marks, n * sizeof *marks);
  if (!marks)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", strata_rt_program.library->name);
  recorder->marks = marks;
  int status = STRATA_OK;
  for (; recorder->capacity < n && !status; recorder->capacity += !status) {
    marks[recorder->capacity] = (mark_t){0};
    status = strata_rt_driver()->create_event(&marks[recorder->capacity].event);
  }
  return status;
}

static int record_mark(recorder_t *recorder, size_t place, uint32_t pick, unsigned threads) {
  int status = recorder->n_marks < recorder->capacity ? STRATA_OK : reserve(recorder, 2 * recorder->capacity);
  if (status)
    return status;
  mark_t *mark = &recorder->marks[recorder->n_marks++];
  mark->place = place;
  mark->pick = pick;
  mark->threads = threads;
  return strata_rt_driver()->record_event(mark->event, recorder->call->stream);
}

static int record(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch, size_t place, void *user) {
  recorder_t *recorder = user;
  uint32_t pick;
  unsigned threads = threads_of(instance, launch, recorder->call->values, &pick);
  return record_mark(recorder, place, pick, threads);
}

static int report(const recorder_t *recorder) {
  strata_rt_tracer_t tracer = strata_rt_tracer();
  int status = STRATA_OK;
  for (size_t i = 1; i < recorder->n_marks && !status; i++) {
    float milliseconds;
    const mark_t *after = &recorder->marks[i], *before = after - 1;
    status = strata_rt_driver()->elapsed(before->event, after->event, &milliseconds);
    if (!status)
      strata_rt_tracer_tell(&tracer, after->place, after->pick, after->threads, (uint64_t)(milliseconds * 1e6f));
  }
  return status;
}

static int run_recorded(const strata_rt_instance_t *instance, recorder_t *recorder) {
  int status = record_mark(recorder, 0, 0, 0);
  if (!status)
    status = strata_rt_enqueue_main(instance, recorder->call, record, recorder);
  return status ? status : report(recorder);
}

int strata_rt_run_traced(const strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  const strata_rt_list_t *list = &instance->variant->main;
  bool is_capturing;
  int status = strata_rt_driver()->is_capturing(call->stream, &is_capturing);
  if (status || is_capturing)
    return status ? status : strata_rt_enqueue_main(instance, call, NULL, NULL);
  recorder_t recorder = {.call = call};
  status = reserve(&recorder, strata_rt_count_launches(list, 0, list->n_launches) + 1);
  if (!status)
    status = run_recorded(instance, &recorder);
  strata_rt_cleanup_begin(status);
  for (size_t i = 0; i < recorder.capacity; i++)
    strata_rt_driver()->destroy_event(recorder.marks[i].event);
  free(recorder.marks);
  return strata_rt_cleanup_end();
}
