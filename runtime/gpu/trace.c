// An event behind each launch, and one where a stream begins, or goes on behind others: a launch's time is that since
// the one in front of it on its stream.
#include "runtime/gpu/trace.h"

#include "runtime/library/error.h"
#include "runtime/library/loop.h"

#include <stdlib.h>

typedef struct {
  void *event;   // recorded after the launch, or where a stream begins
  bool is_begin; // the latter
  size_t before; // the mark in front of it on its stream
  size_t place;
  uint32_t pick;
  unsigned threads;
} mark_t;

typedef struct {
  const strata_rt_call_t *call;
  mark_t *marks;
  size_t n_marks, capacity;
  size_t last[STRATA_RT_MAX_SIDE_STREAMS + 1]; // mark of each stream
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
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", strata_rt_program_name());
  recorder->marks = marks;
  int status = STRATA_OK;
  for (; recorder->capacity < n && !status; recorder->capacity += !status) {
    marks[recorder->capacity] = (mark_t){0};
    status = strata_rt_driver()->create_event(STRATA_RT_TIMING, &marks[recorder->capacity].event);
  }
  return status;
}

static int record_mark(recorder_t *recorder, uint32_t number, void *stream, mark_t **out_mark) {
  int status = recorder->n_marks < recorder->capacity ? STRATA_OK : reserve(recorder, 2 * recorder->capacity);
  if (status)
    return status;
  mark_t *mark = &recorder->marks[recorder->n_marks];
  *mark = (mark_t){.event = mark->event, .before = recorder->last[number]};
  recorder->last[number] = recorder->n_marks++;
  *out_mark = mark;
  return strata_rt_driver()->record_event(mark->event, stream);
}

static int record_begin(uint32_t number, void *stream, void *user) {
  mark_t *mark;
  int status = record_mark(user, number, stream, &mark);
  if (!status)
    mark->is_begin = true;
  return status;
}

// Without lanes all launches are on the call's own stream.
static int record(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch, size_t place, void *stream,
                  void *user) {
  recorder_t *recorder = user;
  mark_t *mark;
  int status = record_mark(recorder, stream == recorder->call->stream ? 0 : launch->stream, stream, &mark);
  if (status)
    return status;
  mark->place = place;
  mark->threads = threads_of(instance, launch, recorder->call->values, &mark->pick);
  return STRATA_OK;
}

static int report(const recorder_t *recorder) {
  strata_rt_tracer_t tracer = strata_rt_tracer();
  int status = STRATA_OK;
  for (size_t i = 1; i < recorder->n_marks && !status; i++) {
    float milliseconds;
    const mark_t *after = &recorder->marks[i], *before = &recorder->marks[after->before];
    if (after->is_begin)
      continue;
    status = strata_rt_driver()->elapsed(before->event, after->event, &milliseconds);
    if (!status)
      strata_rt_tracer_tell(&tracer, after->place, after->pick, after->threads, (uint64_t)(milliseconds * 1e6f));
  }
  return status;
}

static int run_recorded(strata_rt_instance_t *instance, recorder_t *recorder) {
  const strata_rt_listener_t listener = {record_begin, record, recorder};
  int status = record_begin(0, recorder->call->stream, recorder);
  if (!status)
    status = strata_rt_enqueue_main(instance, recorder->call, &listener);
  return status ? status : report(recorder);
}

int strata_rt_run_traced(strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  const strata_rt_list_t *list = &instance->variant->main;
  bool is_capturing;
  int status = strata_rt_driver()->is_capturing(call->stream, &is_capturing);
  if (status || is_capturing)
    return status ? status : strata_rt_enqueue_main(instance, call, NULL);
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
