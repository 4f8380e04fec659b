// The work of the calls, for CUDA and HIP alike. The lock is held.
#include "test/support/driver/api.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SHARED = 48 * 1024 }; // of a block, without asking on CUDA

static const struct {
  int code;
  const char *cuda, *hip;
} errors[] = {
    {OK, "CUDA_SUCCESS", "hipSuccess"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "hipErrorInvalidValue"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "hipErrorNotInitialized"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "hipErrorNoDevice"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "hipErrorInvalidDevice"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "hipErrorInvalidImage"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "hipErrorInvalidContext"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "hipErrorNoBinaryForGpu"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "hipErrorInvalidHandle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "hipErrorNotFound"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "hipErrorNotReady"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "hipErrorLaunchFailure"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "hipErrorStreamCaptureUnsupported"},
    {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "hipErrorStreamCaptureInvalidated"},
    {CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "hipErrorStreamCaptureUnmatched"},
    {CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "hipErrorStreamCaptureUnjoined"},
    {CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "hipErrorStreamCaptureIsolation"},
};

const char *api_error_name(int error, bool is_hip) {
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (errors[i].code == error)
      return is_hip ? errors[i].hip : errors[i].cuda;
  return NULL;
}

int api_init(void) {
  settings.is_initialised = settings.n_devices > 0;
  return settings.n_devices > 0 ? OK : NO_DEVICE;
}

int api_device(int device) { return device >= 0 && device < settings.n_devices ? OK : INVALID_DEVICE; }

//===-- Memory ---------------------------------------------------------------------------------------------------===//

int api_allocate(void **out, size_t size, bool is_host) {
  context_t *context = context_current();
  if (!context || !size)
    return fault(context ? INVALID_VALUE : INVALID_CONTEXT, context ? "no bytes" : "no current context");
  memory_t *memory = memory_create(context, size, MEMORY_ALIGNMENT, is_host);
  *out = memory ? memory->base : NULL;
  return memory ? OK : OUT_OF_MEMORY;
}

int api_free(void *address) {
  memory_t *memory = memory_find(address, 0);
  if (!memory || memory->base != address)
    return fault(INVALID_VALUE, "%p was not allocated", address);
  if (memory->object.context != context_current())
    return fault(INVALID_VALUE, "%p is memory of another context", address);
  int result = context_flush(memory->object.context);
  memory_destroy(memory);
  return result;
}

int api_copy(void *dst, const void *src, size_t size, bool dst_on_device, bool src_on_device, void *handle) {
  stream_t *stream;
  int result = stream_find(handle, context_current(), &stream);
  return result == OK ? copy(dst, src, size, dst_on_device, src_on_device, stream) : result;
}

int api_set(void *dst, int value, size_t size, void *handle) {
  stream_t *stream;
  operation_t operation = {.kind = SET, .dst = dst, .size = size, .value = value};
  int result = stream_find(handle, context_current(), &stream);
  if (result == OK && !memory_find(dst, size))
    result = fault(INVALID_VALUE, "%zu bytes at %p are not in device memory", size, dst);
  return result == OK ? stream_append(stream, &operation, NULL) : result;
}

//===-- Code -----------------------------------------------------------------------------------------------------===//

int api_load_module(void **out, const void *data) {
  image_t image;
  if (!context_current())
    return fault(INVALID_CONTEXT, "no current context");
  int result = image_load(data, &image);
  if (result != OK)
    return result;
  if (!image_runs_here(&image)) {
    image_unload(&image);
    return NO_BINARY_FOR_GPU;
  }
  module_t *module = object_create(MODULE, sizeof *module, context_current());
  module->image = image;
  *out = module;
  return OK;
}

int api_unload_module(void *handle) {
  module_t *module = object_find(MODULE, handle);
  if (!module || module->object.context != context_current())
    return fault(INVALID_HANDLE, "%p is no module of this context", handle);
  int result = context_flush(module->object.context);
  for (object_t *object = object_first(FUNCTION), *next; object; object = next) {
    next = object->next;
    if (((function_t *)object)->module != module)
      continue;
    free(((function_t *)object)->name);
    object_destroy(object);
  }
  image_unload(&module->image);
  object_destroy(module);
  return result;
}

int api_get_function(void **out, void *handle, const char *name, bool is_hip) {
  kernel_info_t info;
  module_t *module = object_find(MODULE, handle);
  if (!module)
    return fault(INVALID_HANDLE, "%p is no module", handle);
  if (!image_find_kernel(&module->image, name, &info))
    return NOT_FOUND;
  function_t *function = object_create(FUNCTION, sizeof *function, module->object.context);
  function->module = module;
  function->name = strdup(name);
  function->info = info;
  function->max_dynamic_shared = is_hip ? shared_limit(&module->image) : DEFAULT_SHARED;
  *out = function;
  return OK;
}

int api_launch(void *handle, const shape_t *shape, void *stream_handle, void **params, void **extra, bool is_hip) {
  stream_t *stream;
  function_t *function = object_find(FUNCTION, handle);
  int result = stream_find(stream_handle, context_current(), &stream);
  if (!function)
    return fault(INVALID_HANDLE, "%p is no kernel", handle);
  return result == OK ? launch(function, shape, stream, params, extra, is_hip) : result;
}

//===-- Streams and graphs ---------------------------------------------------------------------------------------===//

int api_create_stream(void **out, bool is_blocking) {
  if (!context_current())
    return fault(INVALID_CONTEXT, "no current context");
  stream_t *stream = object_create(STREAM, sizeof *stream, context_current());
  stream->is_blocking = is_blocking;
  *out = stream;
  return OK;
}

int api_destroy_stream(void *handle) {
  stream_t *stream = object_find(STREAM, handle);
  if (!stream || stream == stream->object.context->default_stream)
    return fault(INVALID_HANDLE, "%p is no stream", handle);
  stream_destroy(stream);
  return OK;
}

int api_synchronize_stream(void *handle) {
  stream_t *stream;
  int result = stream_find(handle, context_current(), &stream);
  if (result == OK && stream == stream->object.context->default_stream)
    return context_flush(stream->object.context);
  return result == OK ? stream_flush(stream) : result;
}

int api_synchronize(void) {
  context_t *context = context_current();
  return context ? context_flush(context) : fault(INVALID_CONTEXT, "no current context");
}

int api_is_capturing(void *handle, int *out) {
  stream_t *stream;
  int result = stream_find(handle, context_current(), &stream);
  if (result == OK)
    *out = stream->capture != NULL;
  return result;
}

int api_capture_id(void *handle, int *out_status, uint64_t *out_id) {
  stream_t *stream;
  int result = stream_find(handle, context_current(), &stream);
  if (result != OK)
    return result;
  *out_status = stream->capture != NULL;
  *out_id = stream->capture ? stream->capture->id : 0;
  return OK;
}

int api_begin_capture(void *handle) {
  stream_t *stream = object_find(STREAM, handle);
  return stream && !stream->capture ? capture_begin(stream) : INVALID_VALUE;
}

int api_end_capture(void *handle, void **out_graph) {
  graph_t *graph = NULL;
  stream_t *stream = object_find(STREAM, handle);
  int result = stream && stream->capture ? capture_end(stream, &graph) : INVALID_VALUE;
  *out_graph = graph;
  return result;
}

int api_copy_graph(void *handle, void **out_graph) {
  const graph_t *graph = object_find(GRAPH, handle);
  *out_graph = graph ? graph_copy(graph) : NULL;
  return graph ? OK : fault(INVALID_HANDLE, "%p is no graph", handle);
}

int api_destroy_graph(void *handle) {
  graph_t *graph = object_find(GRAPH, handle);
  if (!graph)
    return fault(INVALID_HANDLE, "%p is no graph", handle);
  queue_clear(&graph->operations);
  object_destroy(graph);
  return OK;
}

int api_launch_graph(void *handle, void *stream_handle) {
  stream_t *stream;
  const graph_t *graph = object_find(GRAPH, handle);
  int result = stream_find(stream_handle, context_current(), &stream);
  if (!graph)
    return fault(INVALID_HANDLE, "%p is no graph", handle);
  return result == OK ? graph_run(graph, stream) : result;
}

//===-- Events ---------------------------------------------------------------------------------------------------===//

int api_create_event(void **out) {
  if (!context_current())
    return fault(INVALID_CONTEXT, "no current context");
  *out = object_create(EVENT, sizeof(event_t), context_current());
  return OK;
}

int api_destroy_event(void *handle) {
  event_t *event = object_find(EVENT, handle);
  if (!event)
    return fault(INVALID_HANDLE, "%p is no event", handle);
  mark_release(event->mark);
  places_clear(&event->front);
  object_destroy(event);
  return OK;
}

int api_record_event(void *handle, void *stream_handle) {
  stream_t *stream;
  const void *own;
  event_t *event = object_find(EVENT, handle);
  int result = stream_find(stream_handle, context_current(), &stream);
  if (!event)
    return fault(INVALID_HANDLE, "%p is no event", handle);
  if (result != OK)
    return result;
  mark_release(event->mark);
  event->mark = NULL;
  event->call = call_marked(&own);
  event->n_appended = stream->n_appended;
  event->stream = stream;
  event->capture = stream->capture;
  if (stream->capture) {
    capture_record(stream, event);
    return OK;
  }
  event->mark = calloc(1, sizeof *event->mark);
  if (!event->mark)
    abort();
  *event->mark = (mark_t){.n_users = 1, .stream = stream};
  return stream_append(stream, &(operation_t){.kind = RECORD, .mark = event->mark}, NULL);
}

int api_synchronize_event(void *handle) {
  event_t *event = object_find(EVENT, handle);
  if (!event)
    return fault(INVALID_HANDLE, "%p is no event", handle);
  if (event->capture)
    return fault(CAPTURE_UNSUPPORTED, "%p was recorded in a capture", handle);
  return event->mark ? stream_reach(event->mark) : OK;
}

// Forks a stream from the marked call's, or joins it: what may be enqueued where, and what must be joined.
static int mark_order(stream_t *stream, const event_t *event, const void *handle) {
  const void *own;
  uint64_t call = call_marked(&own);
  if (!call)
    return OK;
  if (handle == own && event->stream && event->n_appended == event->stream->n_appended)
    event->stream->is_joined = true;
  if (handle == own)
    return OK;
  if (event->call != call)
    return fault(INVALID_VALUE, "a stream that is not the call's waits for what is not the call's");
  stream->call = call;
  stream->is_joined = false;
  return OK;
}

int api_await_event(void *stream_handle, void *handle) {
  stream_t *stream;
  event_t *event = object_find(EVENT, handle);
  int result = stream_find(stream_handle, context_current(), &stream);
  if (!event)
    return fault(INVALID_HANDLE, "%p is no event", handle);
  if (result == OK)
    result = mark_order(stream, event, stream_handle);
  if (result != OK)
    return result;
  if (event->capture || stream->capture)
    return capture_await(stream, event);
  return event->mark ? stream_append(stream, &(operation_t){.kind = AWAIT, .mark = event->mark}, NULL) : OK;
}

int api_elapsed(float *out, void *begin, void *end) {
  event_t *first = object_find(EVENT, begin), *last = object_find(EVENT, end);
  if (!first || !last)
    return fault(INVALID_HANDLE, "no event");
  if (!first->mark || !last->mark)
    return INVALID_HANDLE;
  if (!first->mark->is_reached || !last->mark->is_reached)
    return NOT_READY;
  *out = (float)((last->mark->time - first->mark->time) * 1e3);
  return OK;
}
