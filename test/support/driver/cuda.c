// The exported half of libcuda.so.1: what emitted libraries and programs of the tests call.
#include "test/support/driver/api.h"
#include "test/support/driver/map.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" // the symbols are all that callers know

typedef struct { // CUlaunchAttribute
  int id, unused;
  union {
    char size[64];
    unsigned cluster[3];
  } value;
} attribute_t;

typedef struct { // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void *stream;
  attribute_t *attributes;
  unsigned n_attributes;
} config_t;

enum { MAJOR = 75, MINOR = 76, MAX_DYNAMIC_SHARED = 8, CLUSTER = 4, PROGRAMMATIC = 6 };
enum { OVERLAP_VERSION = 12030 }; // of the first driver that captures what is launched so

//===-- Devices and contexts -------------------------------------------------------------------------------------===//

EXPORT int cuInit(unsigned flags){CALL(QUERY, NULL, flags ? INVALID_VALUE : api_init())}

EXPORT int cuGetErrorName(int error, const char **out) {
  *out = api_error_name(error, false);
  return *out ? OK : INVALID_VALUE;
}

static int set_int(int *out, int value) { return *out = value, OK; }

EXPORT int cuDriverGetVersion(int *out){CALL(QUERY, NULL, set_int(out, settings.version))} EXPORT
    int cuDeviceGetCount(int *out) {
  CALL(QUERY, NULL, set_int(out, settings.n_devices))
}

static int device_get(int *out, int ordinal) {
  *out = ordinal;
  return settings.is_initialised ? api_device(ordinal) : fault(NOT_INITIALIZED, "before cuInit");
}
EXPORT int cuDeviceGet(int *out, int ordinal){CALL(QUERY, NULL, device_get(out, ordinal))}

EXPORT int cuDeviceGetName(char *out, int size, int device) {
  (void)device;
  const char *name = getenv("STRATA_TEST_DRIVER_NAME");
  CALL(QUERY, NULL, (strncpy(out, name ? name : "test device", (size_t)size), OK))
}

static int device_attribute(int *out, int attribute, int device) {
  switch (attribute) {
  case MAJOR:
    *out = (int)settings.arch / 10;
    return api_device(device);
  case MINOR:
    *out = (int)settings.arch % 10;
    return api_device(device);
  case 16: // multiprocessors
    *out = 4;
    return api_device(device);
  default:
    return fault(INVALID_VALUE, "attribute %d", attribute);
  }
}
EXPORT int cuDeviceGetAttribute(int *out, int attribute, int device) {
  CALL(QUERY, NULL, device_attribute(out, attribute, device))
}

static int primary_retain(void **out, int device) {
  int result = api_device(device);
  if (result != OK)
    return result;
  context_t *context = primary_context(device);
  context->references++;
  *out = context;
  return OK;
}
EXPORT int cuDevicePrimaryCtxRetain(void **out, int device) { CALL(QUERY, NULL, primary_retain(out, device)) }

static int primary_release(int device) {
  context_t *context = primary_context(device);
  if (api_device(device) != OK || !context->references)
    return fault(INVALID_CONTEXT, "released more often than retained");
  if (--context->references == 0)
    context_destroy(context);
  return OK;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { CALL(LEAVE, NULL, primary_release(device)) }

static int context_create(void **out, int device) {
  int result = api_device(device);
  if (result != OK)
    return result;
  context_t *context = object_create(CONTEXT, sizeof *context, NULL);
  context->device = device;
  *out = context;
  return context_push(context) ? OK : INVALID_CONTEXT;
}
EXPORT int cuCtxCreate_v2(void **out, unsigned flags, int device) {
  (void)flags;
  CALL(CHANGE, NULL, context_create(out, device))
}

static int destroy_context(void *handle) {
  context_t *context = object_find(CONTEXT, handle);
  if (!context || context->is_primary)
    return fault(INVALID_CONTEXT, "%p is no context that was created", handle);
  if (context_current() == context)
    context_pop();
  context_flush(context);
  context_destroy(context);
  return OK;
}
EXPORT int cuCtxDestroy_v2(void *context){CALL(RELEASE, NULL, destroy_context(context))}

EXPORT int cuCtxGetCurrent(void **out) {
  CALL(QUERY, NULL, (*out = context_current(), OK))
}

static int push(void *context) {
  if (!object_find(CONTEXT, context))
    return INVALID_CONTEXT;
  return context_push(context) ? OK : INVALID_CONTEXT;
}
EXPORT int cuCtxPushCurrent_v2(void *context) { CALL(QUERY, NULL, push(context)) }

static int pop(void **out) {
  void *popped = context_pop();
  if (out)
    *out = popped;
  return popped ? OK : fault(INVALID_CONTEXT, "nothing was pushed");
}
EXPORT int cuCtxPopCurrent_v2(void **out) { CALL(LEAVE, NULL, pop(out)) }

static int set_current(void *context) {
  context_pop();
  return context ? push(context) : OK;
}
EXPORT int cuCtxSetCurrent(void *context) { CALL(QUERY, NULL, set_current(context)) }

static int current_device(int *out) {
  if (!context_current())
    return fault(INVALID_CONTEXT, "no current context");
  *out = context_current()->device;
  return OK;
}
EXPORT int cuCtxGetDevice(int *out){CALL(QUERY, NULL, current_device(out))} EXPORT
    int cuCtxSynchronize(void){CALL(WAIT, NULL, api_synchronize())}

//===-- Code -----------------------------------------------------------------------------------------------------===//

EXPORT int cuModuleLoadData(void **out, const void *image){CALL(CHANGE, NULL, api_load_module(out, image))} EXPORT
    int cuModuleUnload(void *module){CALL(RELEASE, NULL, api_unload_module(module))} EXPORT
    int cuModuleGetFunction(void **out, void *module, const char *name){
        CALL(CHANGE, NULL, api_get_function(out, module, name, false))} EXPORT int cuFuncLoad(void *function) {
  CALL(CHANGE, NULL, object_find(FUNCTION, function) ? OK : fault(INVALID_HANDLE, "%p is no kernel", function))
}

static int set_function_attribute(void *handle, int attribute, int value) {
  function_t *function = object_find(FUNCTION, handle);
  if (!function || attribute != MAX_DYNAMIC_SHARED)
    return fault(INVALID_VALUE, "attribute %d of %p", attribute, handle);
  uint32_t limit = shared_limit(&function->module->image);
  if (value < 0 || (uint32_t)value > limit)
    return fault(INVALID_VALUE, "%d bytes of shared memory, at most %u", value, limit);
  function->max_dynamic_shared = (uint32_t)value;
  return OK;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  CALL(CHANGE, NULL, set_function_attribute(function, attribute, value))
}

static int launch_config(const config_t *config, void *function, void **params, void **extra) {
  shape_t shape = {.shared = config->shared, .cluster = 1};
  memcpy(shape.grid, config->grid, sizeof shape.grid);
  memcpy(shape.block, config->block, sizeof shape.block);
  for (unsigned i = 0; i < config->n_attributes; i++)
    if (config->attributes[i].id == CLUSTER)
      shape.cluster = config->attributes[i].value.cluster[0];
    else if (config->attributes[i].id != PROGRAMMATIC || settings.version < OVERLAP_VERSION)
      return fault(INVALID_VALUE, "launch attribute %d", config->attributes[i].id);
  if (!shape.cluster)
    return fault(INVALID_VALUE, "a cluster of no blocks");
  return api_launch(function, &shape, config->stream, params, extra, false);
}
EXPORT int cuLaunchKernelEx(const config_t *config, void *function, void **params,
                            void **extra){CALL(ENQUEUE, config->stream, launch_config(config, function, params, extra))}

EXPORT int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *sizes,
                                  const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                  int swizzle, int promotion, int fill) {
  const tiled_t tiled = {type, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill};
  CALL(QUERY, NULL, map_encode(&tiled, out))
}

EXPORT int cuTensorMapEncodeIm2col(void *out, int type, unsigned rank, void *address, const uint64_t *sizes,
                                   const uint64_t *strides, const int *lower, const int *upper, unsigned channels,
                                   unsigned pixels, const uint32_t *steps, int interleave, int swizzle, int promotion,
                                   int fill) {
  const tiled_t tiled = {type, rank, address, sizes, strides, NULL, steps, interleave, swizzle, promotion, fill};
  const window_t window = {lower, upper, channels, pixels};
  CALL(QUERY, NULL, map_encode_window(&tiled, &window, out))
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

static void *at(uint64_t address) { return (void *)(uintptr_t)address; }

static int allocate(uint64_t *out, size_t size) {
  void *memory = NULL;
  int result = api_allocate(&memory, size, false);
  *out = (uintptr_t)memory;
  return result;
}
EXPORT int cuMemAlloc_v2(uint64_t *out, size_t size){CALL(CHANGE, NULL, allocate(out, size))} EXPORT
    int cuMemFree_v2(uint64_t memory){CALL(RELEASE, NULL, api_free(at(memory)))} EXPORT
    int cuMemAllocHost_v2(void **out, size_t size){CALL(CHANGE, NULL, api_allocate(out, size, true))} EXPORT
    int cuMemFreeHost(void *memory) {
  CALL(RELEASE, NULL, api_free(memory))
}

static int memory_info(size_t *out_free, size_t *out_total) {
  *out_free = *out_total = (size_t)16 << 30;
  return OK;
}
EXPORT int cuMemGetInfo_v2(size_t *out_free, size_t *out_total){CALL(QUERY, NULL, memory_info(out_free, out_total))}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t size, void *stream){
    CALL(ENQUEUE, stream, api_copy(at(dst), src, size, true, false, stream))} EXPORT
    int cuMemcpyDtoHAsync_v2(void *dst, uint64_t src, size_t size, void *stream){
        CALL(ENQUEUE, stream, api_copy(dst, at(src), size, false, true, stream))} EXPORT
    int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t size, void *stream){
        CALL(ENQUEUE, stream, api_copy(at(dst), at(src), size, true, true, stream))} EXPORT
    int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t size, void *stream) {
  CALL(ENQUEUE, stream, api_set(at(dst), value, size, stream))
}

static int and_wait(int result) { return result == OK ? api_synchronize_stream(NULL) : result; }

EXPORT int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t size){
    CALL(WAIT, NULL, and_wait(api_copy(at(dst), src, size, true, false, NULL)))} EXPORT
    int cuMemcpyDtoH_v2(void *dst, uint64_t src,
                        size_t size){CALL(WAIT, NULL, and_wait(api_copy(dst, at(src), size, false, true, NULL)))} EXPORT
    int cuMemsetD8_v2(uint64_t dst, unsigned char value, size_t size) {
  CALL(WAIT, NULL, and_wait(api_set(at(dst), value, size, NULL)))
}

//===-- Streams, graphs, events ----------------------------------------------------------------------------------===//

static int stream_context(void *handle, void **out) {
  stream_t *stream;
  int result = stream_find(handle, context_current(), &stream);
  *out = result == OK ? stream->object.context : NULL;
  return result;
}
EXPORT int cuStreamGetCtx(void *stream, void **out){CALL(QUERY, NULL, stream_context(stream, out))} EXPORT
    int cuStreamCreate(void **out, unsigned flags){CALL(CHANGE, NULL, api_create_stream(out, flags == 0))} EXPORT
    int cuStreamDestroy_v2(void *stream){CALL(RELEASE, NULL, api_destroy_stream(stream))} EXPORT
    int cuStreamSynchronize(void *stream){CALL(WAIT, NULL, api_synchronize_stream(stream))} EXPORT
    int cuStreamIsCapturing(void *stream, int *out){CALL(QUERY, NULL, api_is_capturing(stream, out))} EXPORT
    int cuStreamWaitEvent(void *stream, void *event,
                          unsigned flags){CALL(ORDER, stream, flags ? INVALID_VALUE : api_await_event(stream, event))}

EXPORT int cuStreamGetCaptureInfo(void *stream, int *out_status, uint64_t *out_id){
    CALL(QUERY, NULL, api_capture_id(stream, out_status, out_id))} EXPORT
    int cuStreamBeginCapture_v2(void *stream, int mode) {
  (void)mode;
  CALL(QUERY, NULL, api_begin_capture(stream))
}
EXPORT int cuStreamEndCapture(void *stream, void **out){CALL(QUERY, NULL, api_end_capture(stream, out))} EXPORT
    int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags) {
  (void)flags;
  CALL(CHANGE, NULL, api_copy_graph(graph, out))
}
EXPORT int cuGraphLaunch(void *graph, void *stream){CALL(ENQUEUE, stream, api_launch_graph(graph, stream))} EXPORT
    int cuGraphExecDestroy(void *graph){CALL(RELEASE, NULL, api_destroy_graph(graph))} EXPORT
    int cuGraphDestroy(void *graph){CALL(RELEASE, NULL, api_destroy_graph(graph))}

EXPORT int cuEventCreate(void **out, unsigned flags) {
  (void)flags;
  CALL(CHANGE, NULL, api_create_event(out))
}
EXPORT int cuEventDestroy_v2(void *event){CALL(RELEASE, NULL, api_destroy_event(event))} EXPORT
    int cuEventRecord(void *event, void *stream){CALL(ENQUEUE, stream, api_record_event(event, stream))} EXPORT
    int cuEventSynchronize(void *event){CALL(WAIT, NULL, api_synchronize_event(event))} EXPORT
    int cuEventElapsedTime(float *out, void *begin, void *end) {
  CALL(QUERY, NULL, api_elapsed(out, begin, end))
}
