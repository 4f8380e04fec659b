// Contexts, streams and the work on them. Work waits in its stream until somebody waits for it, and is then carried out
// in some order that streams and events allow; work of the default stream and of the blocking ones keeps its order.
#include "test/support/driver/early.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

long n_executed;

//===-- Contexts -------------------------------------------------------------------------------------------------===//

enum { MAX_DEPTH = 64 };
static __thread struct {
  context_t *stack[MAX_DEPTH];
  int depth;
} thread;

context_t *context_current(void) { return thread.depth ? thread.stack[thread.depth - 1] : NULL; }

bool context_push(context_t *context) {
  if (thread.depth == MAX_DEPTH)
    return false;
  thread.stack[thread.depth++] = context;
  return true;
}

context_t *context_pop(void) { return thread.depth ? thread.stack[--thread.depth] : NULL; }

context_t *primary_context(int device) {
  for (object_t *object = object_first(CONTEXT); object; object = object->next) {
    context_t *context = (context_t *)object;
    if (context->is_primary && context->device == device)
      return context;
  }
  context_t *context = object_create(CONTEXT, sizeof *context, NULL);
  context->device = device;
  context->is_primary = true;
  return context;
}

static void object_release(object_t *object) {
  switch (object->kind) {
  case MEMORY:
    memory_destroy((memory_t *)object);
    return;
  case STREAM:
    queue_clear(&((stream_t *)object)->queue);
    places_clear(&((stream_t *)object)->front);
    break;
  case EVENT:
    places_clear(&((event_t *)object)->front);
    mark_release(((event_t *)object)->mark);
    break;
  case MODULE:
    image_unload(&((module_t *)object)->image);
    break;
  case FUNCTION:
    free(((function_t *)object)->name);
    break;
  case GRAPH:
    queue_clear(&((graph_t *)object)->operations);
    break;
  case CONTEXT:
  case N_KINDS:
    break;
  }
  object_destroy(object);
}

void context_destroy(context_t *context) {
  for (int kind = MODULE; kind < N_KINDS; kind++)
    for (object_t *object = object_first((object_kind_t)kind), *next; object; object = next) {
      next = object->next;
      if (object->context == context)
        object_release(object);
    }
  object_destroy(context);
}

//===-- Carrying out work ----------------------------------------------------------------------------------------===//

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool carry_out_launch(const operation_t *operation) {
  if (operation->function->module->image.kind == IMAGE_HSACO)
    return execute_code(operation->function, &operation->shape, operation->params, operation->n_params);
  if (operation->function->module->image.kind != IMAGE_EMULATED)
    return true;
  void **buffers = malloc((operation->n_params + 1) * sizeof *buffers);
  if (!buffers)
    abort();
  split_params(operation->params, operation->n_params, buffers);
  bool ok = execute(operation->function, &operation->shape, buffers);
  free(buffers);
  return ok;
}

static int carry_out(const operation_t *operation, context_t *context) {
  switch (operation->kind) {
  case LAUNCH:
    n_executed++;
    if (!carry_out_launch(operation))
      context->error = LAUNCH_FAILED;
    return context->error;
  case COPY:
    n_executed++;
    memmove(operation->dst, operation->src, operation->size);
    early_renew(operation->dst, operation->size);
    return OK;
  case SET:
    memset(operation->dst, operation->value, operation->size);
    early_renew(operation->dst, operation->size);
    return OK;
  case RECORD:
    operation->mark->time = now();
    operation->mark->is_reached = true;
    return OK;
  case AWAIT:
    return OK;
  }
  return OK;
}

void mark_release(mark_t *mark) {
  if (mark && --mark->n_users == 0)
    free(mark);
}

static void operation_free(operation_t *operation) {
  mark_release(operation->mark);
  places_clear(&operation->behind);
  free(operation->params);
  free(operation);
}

void queue_clear(queue_t *queue) {
  for (operation_t *operation = queue->head, *next; operation; operation = next) {
    next = operation->next;
    operation_free(operation);
  }
  *queue = (queue_t){0};
}

operation_t *queue_append(queue_t *queue, const operation_t *operation, void *const *params) {
  operation_t *copied = malloc(sizeof *copied);
  if (!copied)
    abort();
  *copied = *operation;
  copied->next = NULL;
  copied->params = NULL;
  copied->behind = (places_t){0};
  if (copied->mark)
    copied->mark->n_users++;
  if (operation->n_params) {
    copied->params = malloc(operation->n_params * sizeof *params);
    if (!copied->params)
      abort();
    memcpy(copied->params, params, operation->n_params * sizeof *params);
  }
  if (queue->tail)
    queue->tail->next = copied;
  else
    queue->head = copied;
  queue->tail = copied;
  return copied;
}

//===-- Order ----------------------------------------------------------------------------------------------------===//

uint64_t order_seed;
bool is_prompt;

size_t random_below(size_t n) {
  order_seed ^= order_seed << 13;
  order_seed ^= order_seed >> 7;
  order_seed ^= order_seed << 17;
  return (size_t)(order_seed % n);
}

static bool is_ready(const stream_t *stream) {
  const operation_t *next = stream->queue.head;
  return next && (next->kind != AWAIT || next->mark->is_reached);
}

static void step(stream_t *stream) {
  operation_t *operation = stream->queue.head;
  stream->queue.head = operation->next;
  if (!operation->next)
    stream->queue.tail = NULL;
  carry_out(operation, stream->object.context);
  operation_free(operation);
}

// One of the context's streams whose next operation awaits nothing: there is one, as each awaits what was there before.
static stream_t *any_ready(const context_t *context) {
  stream_t *chosen = NULL;
  size_t n = 0;
  for (object_t *object = object_first(STREAM); object; object = object->next)
    if (object->context == context && is_ready((stream_t *)object) && random_below(++n) == 0)
      chosen = (stream_t *)object;
  return chosen;
}

// One step of some stream on the way to the next one of |stream|.
static void step_towards(stream_t *stream) {
  const operation_t *next = stream->queue.head;
  if (order_seed)
    step(any_ready(stream->object.context));
  else if (is_ready(stream))
    step(stream);
  else
    stream_reach(next->mark);
}

int stream_flush(stream_t *stream) {
  while (stream->queue.head && !stream->object.context->error)
    step_towards(stream);
  return stream->object.context->error;
}

int stream_reach(const mark_t *mark) {
  stream_t *stream = mark->stream;
  if (!stream)
    return OK;
  while (!mark->is_reached && !stream->object.context->error)
    step_towards(stream);
  return mark->is_reached ? OK : stream->object.context->error;
}

// Work on the default stream comes after all earlier work on blocking streams, and before all later work there.
static void flush_others(stream_t *stream) {
  stream_t *default_stream = stream->object.context->default_stream;
  if (stream != default_stream && stream->is_blocking && default_stream)
    stream_flush(default_stream);
  for (object_t *object = object_first(STREAM); object && stream == default_stream; object = object->next)
    if (object->context == stream->object.context && ((stream_t *)object)->is_blocking)
      stream_flush((stream_t *)object);
}

int context_flush(context_t *context) {
  for (object_t *object = object_first(STREAM); object; object = object->next)
    if (object->context == context)
      stream_flush((stream_t *)object);
  return context->error;
}

//===-- Streams --------------------------------------------------------------------------------------------------===//

int stream_find(void *handle, context_t *context, stream_t **out_stream) {
  if ((uintptr_t)handle <= 2 && context && !context->default_stream) {
    context->default_stream = object_create(STREAM, sizeof *context->default_stream, context);
    context->default_stream->is_blocking = true;
  }
  if ((uintptr_t)handle <= 2) {
    *out_stream = context ? context->default_stream : NULL;
    return context ? OK : INVALID_CONTEXT;
  }
  *out_stream = object_find(STREAM, handle);
  return *out_stream ? OK : fault(INVALID_HANDLE, "%p is no stream", handle);
}

void stream_destroy(stream_t *stream) {
  stream_flush(stream);
  queue_clear(&stream->queue);
  places_clear(&stream->front);
  for (object_t *object = object_first(EVENT); object; object = object->next) {
    event_t *event = (event_t *)object;
    event->stream = event->stream == stream ? NULL : event->stream;
    if (event->mark && event->mark->stream == stream)
      event->mark->stream = NULL;
  }
  object_destroy(stream);
}

bool any_capture(const context_t *context) {
  for (object_t *object = object_first(STREAM); object; object = object->next)
    if (object->context == context && ((stream_t *)object)->capture)
      return true;
  return false;
}

int stream_append(stream_t *stream, const operation_t *operation, void *const *params) {
  context_t *context = stream->object.context;
  if (operation->kind < RECORD) {
    stream->n_appended++;
    stream->is_joined = false;
  }
  if (stream->capture) {
    capture_append(stream, operation, params);
    return OK;
  }
  if (stream->is_blocking && any_capture(context) && stream == context->default_stream)
    return fault(CAPTURE_UNSUPPORTED, "the default stream is used during a capture");
  if (context->error)
    return context->error;
  flush_others(stream);
  queue_append(&stream->queue, operation, params);
  return is_prompt ? stream_flush(stream) : OK;
}
