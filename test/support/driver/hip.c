// The exported half of libamdhip64.so. A device's context is made when it is first used, and stays.
#include "test/support/driver/api.h"

#include <stdio.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" // the symbols are all that callers know

static __thread int device;

// HIP's calls need no initialisation and no context: the device's own is current.
static int use_device(void) {
  int result = api_init();
  if (result == OK)
    result = api_device(device);
  if (result != OK)
    return result;
  context_t *context = primary_context(device);
  if (context_current() == context)
    return OK;
  context_pop();
  return context_push(context) ? OK : INVALID_CONTEXT;
}

#define HIP(class_, stream, work) CALL(class_, stream, use_device() == OK ? (work) : use_device())

EXPORT int hipInit(unsigned flags){HIP(QUERY, NULL, flags ? INVALID_VALUE : OK)} EXPORT const
    char *hipGetErrorName(int error) {
  return api_error_name(error, true);
}
EXPORT int hipGetDevice(int *out) { HIP(QUERY, NULL, (*out = device, OK)) }

static int set_device(int chosen) {
  int result = api_device(chosen);
  device = result == OK ? chosen : device;
  return result == OK ? use_device() : result;
}
EXPORT int hipGetDeviceCount(int *out){CALL(QUERY, NULL, (*out = settings.n_devices, OK))} EXPORT
    int hipSetDevice(int chosen){HIP(QUERY, NULL, set_device(chosen))}

// The architecture is somewhere behind the name.
EXPORT int hipGetDevicePropertiesR0600(void *out, int of){
    HIP(QUERY, NULL,
        (snprintf((char *)out + 1160, 256, "gfx%x:sramecc+:xnack-", settings.arch), api_device(of)))} EXPORT
    int hipDeviceSynchronize(void){HIP(WAIT, NULL, api_synchronize())}

EXPORT int hipModuleLoadData(void **out, const void *image){HIP(CHANGE, NULL, api_load_module(out, image))} EXPORT
    int hipModuleUnload(void *module){HIP(RELEASE, NULL, api_unload_module(module))} EXPORT
    int hipModuleGetFunction(void **out, void *module,
                             const char *name){HIP(CHANGE, NULL, api_get_function(out, module, name, true))} EXPORT
    int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **params,
                              void **extra) {
  shape_t shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, 1};
  HIP(ENQUEUE, stream, api_launch(function, &shape, stream, params, extra, true))
}

EXPORT int hipMalloc(void **out, size_t size){HIP(CHANGE, NULL, api_allocate(out, size, false))} EXPORT
    int hipFree(void *memory){HIP(RELEASE, NULL, api_free(memory))} EXPORT
    int hipHostMalloc(void **out, size_t size, unsigned flags){
        (void)flags; HIP(CHANGE, NULL, api_allocate(out, size, true))} EXPORT
    int hipHostFree(void *memory){HIP(RELEASE, NULL, api_free(memory))} EXPORT
    int hipMemcpyHtoDAsync(void *dst, const void *src, size_t size,
                           void *stream){HIP(ENQUEUE, stream, api_copy(dst, src, size, true, false, stream))} EXPORT
    int hipMemcpyDtoHAsync(void *dst, const void *src, size_t size,
                           void *stream){HIP(ENQUEUE, stream, api_copy(dst, src, size, false, true, stream))} EXPORT
    int hipMemcpyDtoDAsync(void *dst, const void *src, size_t size, void *stream) {
  HIP(ENQUEUE, stream, api_copy(dst, src, size, true, true, stream))
}

static int stream_device(void *handle, int *out) {
  stream_t *stream;
  int result = stream_find(handle, context_current(), &stream);
  *out = result == OK ? stream->object.context->device : -1;
  return result;
}
EXPORT int hipStreamGetDevice(void *stream, int *out){HIP(QUERY, NULL, stream_device(stream, out))} EXPORT
    int hipStreamCreate(void **out){HIP(CHANGE, NULL, api_create_stream(out, true))} EXPORT
    int hipStreamCreateWithFlags(void **out,
                                 unsigned flags){HIP(CHANGE, NULL, api_create_stream(out, flags == 0))} EXPORT
    int hipStreamGetCaptureInfo(void *stream, int *out_status,
                                uint64_t *out_id){HIP(QUERY, NULL, api_capture_id(stream, out_status, out_id))} EXPORT
    int hipStreamWaitEvent(void *stream, void *event, unsigned flags){
        HIP(ORDER, stream, flags ? INVALID_VALUE : api_await_event(stream, event))} EXPORT
    int hipEventCreateWithFlags(void **out, unsigned flags){
        HIP(CHANGE, NULL, flags & ~2u ? INVALID_VALUE : api_create_event(out))} EXPORT
    int hipStreamDestroy(void *stream){HIP(RELEASE, NULL, api_destroy_stream(stream))} EXPORT
    int hipStreamSynchronize(void *stream){HIP(WAIT, NULL, api_synchronize_stream(stream))} EXPORT
    int hipStreamIsCapturing(void *stream, int *out){HIP(QUERY, NULL, api_is_capturing(stream, out))}

EXPORT int hipStreamBeginCapture(void *stream, int mode) {
  (void)mode;
  HIP(QUERY, NULL, api_begin_capture(stream))
}
EXPORT int hipStreamEndCapture(void *stream, void **out){HIP(QUERY, NULL, api_end_capture(stream, out))} EXPORT
    int hipGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags){
        HIP(CHANGE, NULL, flags ? INVALID_VALUE : api_copy_graph(graph, out))} EXPORT
    int hipGraphLaunch(void *graph, void *stream){HIP(ENQUEUE, stream, api_launch_graph(graph, stream))} EXPORT
    int hipGraphExecDestroy(void *graph){HIP(RELEASE, NULL, api_destroy_graph(graph))} EXPORT
    int hipGraphDestroy(void *graph){HIP(RELEASE, NULL, api_destroy_graph(graph))}

EXPORT int hipEventCreate(void **out){HIP(CHANGE, NULL, api_create_event(out))} EXPORT
    int hipEventDestroy(void *event){HIP(RELEASE, NULL, api_destroy_event(event))} EXPORT
    int hipEventRecord(void *event, void *stream){HIP(ENQUEUE, stream, api_record_event(event, stream))} EXPORT
    int hipEventSynchronize(void *event){HIP(WAIT, NULL, api_synchronize_event(event))} EXPORT
    int hipEventElapsedTime(float *out, void *begin, void *end) {
  HIP(QUERY, NULL, api_elapsed(out, begin, end))
}
