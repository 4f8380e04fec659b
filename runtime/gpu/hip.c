// The HIP runtime API behind runtime/gpu/driver.h: what cuda.c says, with a device in the place of a context. A thread
// always has a current device, the first one if it never chose.
#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_MEMORY = 2 };          // hipError_t
enum { HOST_COHERENT = 0x40000000 }; // flags of hipHostMalloc

// The keys of a launch's extra parameters.
#define PARAM_BUFFER ((void *)1)
#define PARAM_SIZE ((void *)2)
#define PARAM_END ((void *)3)

#define FUNCTION(is_needed, name, symbol, parameters) int(*name) parameters;
static struct {
#include "runtime/gpu/hip.def"
} hip;

#define FUNCTION(is_needed, name, symbol, parameters) {symbol, is_needed},
static const strata_rt_symbol_t symbols[] = {
#include "runtime/gpu/hip.def"
};
enum { N_SYMBOLS = sizeof symbols / sizeof symbols[0] };
_Static_assert(sizeof hip == N_SYMBOLS * sizeof(void *), "the struct is the table");

static _Atomic bool is_open;

//===-- Errors ---------------------------------------------------------------------------------------------------===//

static int check(const char *call, int result) {
  if (result == 0)
    return STRATA_OK;
  const char *(*error_name)(int) = NULL; // the one function that does not return an error
  memcpy(&error_name, &hip.error_name, sizeof error_name);
  const char *name = error_name(result);
  return strata_rt_fail(result == OUT_OF_MEMORY ? STRATA_OUT_OF_MEMORY : STRATA_DEVICE, "%s: %s: %s (%d)",
                        strata_rt_program_name(), call, name ? name : "an unknown error", result);
}

static int hip_open(void) {
  if (atomic_load(&is_open))
    return STRATA_OK;
  // ROCm's of 7 to 5, and the plain name of packages that bring their own copy.
  static const char *const names[] = STRATA_RT_HIP_FILES;
  int status = strata_rt_symbols("STRATA_HIP_DRIVER", names, symbols, N_SYMBOLS, &hip);
  if (!status)
    status = check("hipInit", hip.init(0));
  atomic_store(&is_open, !status);
  return status;
}

//===-- Devices --------------------------------------------------------------------------------------------------===//

// No context is NULL.
static void *context_of(int device) { return (void *)(intptr_t)(device + 1); }
static int device_of(const void *context) { return (int)(intptr_t)context - 1; }

static int hip_enter(void *stream, strata_rt_scope_t *scope) {
  *scope = (strata_rt_scope_t){0};
  int current = 0, of_stream = 0;
  int status = check("hipGetDevice", hip.get_device(&current));
  if (!status && (uintptr_t)stream > 2 && hip.stream_get_device) // NULL, legacy, per thread; early ROCm 5 cannot say
    status = check("hipStreamGetDevice", hip.stream_get_device(stream, &of_stream));
  else
    of_stream = current;
  if (status)
    return status;
  if (current != of_stream)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: the stream belongs to another device than the current one",
                          strata_rt_program_name());
  scope->context = context_of(current);
  return STRATA_OK;
}

static void hip_leave(strata_rt_scope_t *scope) {
  if (scope->is_pushed)
    check("hipSetDevice", hip.set_device(device_of(scope->kept)));
}

static int hip_push(void *context, strata_rt_scope_t *scope) {
  int current = 0;
  int status = check("hipGetDevice", hip.get_device(&current));
  if (!status)
    status = check("hipSetDevice", hip.set_device(device_of(context)));
  *scope = (strata_rt_scope_t){.context = context, .kept = context_of(current), .is_pushed = !status};
  return status;
}

// Devices stay.
static int hip_keep(const strata_rt_scope_t *scope, void **out_kept) {
  (void)scope;
  *out_kept = NULL;
  return STRATA_OK;
}

static void hip_release(void *kept) { (void)kept; }

// The properties are a struct that every version of HIP extends, ROCm 5's under a name of its own; all of them begin
// with the name, and spell the architecture in it, "gfx942:...".
enum { PROPERTIES_BYTES = 8192 };

static int get_properties(char *properties) {
  int device, status = check("hipGetDevice", hip.get_device(&device));
  memset(properties, 0, PROPERTIES_BYTES);
  if (status)
    return status;
  int (*get)(void *, int) = hip.get_properties ? hip.get_properties : hip.get_properties_5;
  return get ? check("hipGetDeviceProperties", get(properties, device))
             : strata_rt_fail(STRATA_DEVICE, "%s: the driver has no hipGetDeviceProperties", strata_rt_program_name());
}

static int hip_get_arch(uint32_t *out_arch) {
  static const char prefix[] = "gfx";
  char properties[PROPERTIES_BYTES];
  int status = get_properties(properties);
  if (status)
    return status;
  for (size_t i = 0; i + 16 < sizeof properties; i++)
    if (memcmp(properties + i, prefix, 3) == 0) {
      *out_arch = (uint32_t)strtoul(properties + i + 3, NULL, 16);
      return STRATA_OK;
    }
  return strata_rt_fail(STRATA_DEVICE, "%s: hipGetDeviceProperties: no architecture", strata_rt_program_name());
}

static int hip_get_name(char *out, size_t capacity) {
  char properties[PROPERTIES_BYTES];
  int status = get_properties(properties);
  snprintf(out, capacity, "%s", status ? "" : properties);
  return status;
}

static void hip_print_arch(uint32_t arch, char *out, size_t capacity) { snprintf(out, capacity, "gfx%x", arch); }

static int hip_synchronize(void) { return check("hipDeviceSynchronize", hip.synchronize()); }

//===-- Code -----------------------------------------------------------------------------------------------------===//

static int hip_load_module(const void *image, void **out_module) {
  return check("hipModuleLoadData", hip.module_load(out_module, image));
}

static int hip_unload_module(void *module) { return check("hipModuleUnload", hip.module_unload(module)); }

static int hip_get_function(void *module, const strata_rt_kernel_t *kernel, void **out_function) {
  if (kernel->n_maps)
    return strata_rt_fail(STRATA_DEVICE, "%s: kernel %s needs tensor maps, which HIP does not have",
                          strata_rt_program_name(), kernel->name);
  return check("hipModuleGetFunction", hip.module_get_function(out_function, module, kernel->name));
}

static int hip_launch(const strata_rt_function_t *function, void **buffers, uint32_t n_buffers, const int64_t *values,
                      void *stream, bool is_first) {
  (void)is_first; // nothing begins early
  const strata_rt_kernel_t *shape = function->shape;
  size_t size = n_buffers * sizeof *buffers;
  void *extra[] = {PARAM_BUFFER, buffers, PARAM_SIZE, &size, PARAM_END};
  unsigned blocks = (unsigned)strata_rt_number(shape->blocks, values);
  return blocks ? check("hipModuleLaunchKernel", hip.launch(function->function, blocks, 1, 1, shape->threads, 1, 1,
                                                            shape->shared, stream, NULL, extra))
                : STRATA_OK;
}

//===-- Memory, streams, events ----------------------------------------------------------------------------------===//

static int hip_allocate(size_t size, void **out_memory) { return check("hipMalloc", hip.mem_alloc(out_memory, size)); }
static int hip_free(void *memory) { return check("hipFree", hip.mem_free(memory)); }

// Coherent: what a kernel stores is seen before it ends.
static int hip_allocate_host(size_t size, void **out_memory) {
  *out_memory = NULL;
  return hip.mem_alloc_host && hip.mem_free_host
             ? check("hipHostMalloc", hip.mem_alloc_host(out_memory, size, HOST_COHERENT))
             : STRATA_OK;
}

static int hip_free_host(void *memory) { return check("hipHostFree", hip.mem_free_host(memory)); }

static int hip_upload(void *dst, const void *src, size_t size, void *stream) {
  return check("hipMemcpyHtoDAsync", hip.copy_to_device(dst, src, size, stream));
}

static int hip_download(void *dst, const void *src, size_t size, void *stream) {
  return check("hipMemcpyDtoHAsync", hip.copy_to_host(dst, src, size, stream));
}

static int hip_copy(void *dst, const void *src, size_t size, void *stream) {
  return check("hipMemcpyDtoDAsync", hip.copy_on_device(dst, src, size, stream));
}

static int hip_create_stream(strata_rt_stream_kind_t kind, void **out_stream) {
  enum { NON_BLOCKING = 1 };
  return check("hipStreamCreateWithFlags", hip.stream_create(out_stream, kind == STRATA_RT_ALONE ? NON_BLOCKING : 0));
}

static int hip_destroy_stream(void *stream) { return check("hipStreamDestroy", hip.stream_destroy(stream)); }
static int hip_synchronize_stream(void *stream) {
  return check("hipStreamSynchronize", hip.stream_synchronize(stream));
}

static int hip_is_capturing(void *stream, bool *out_is_capturing) {
  int capture = 0;
  int status = check("hipStreamIsCapturing", hip.stream_is_capturing(stream, &capture));
  *out_is_capturing = capture != 0;
  return status;
}

// A driver that does not tell captures apart gives all of them the id 0.
static int hip_find_capture(void *stream, strata_rt_capture_t *out_capture) {
  int capture = 0;
  *out_capture = (strata_rt_capture_t){0};
  if (!hip.stream_get_capture)
    return hip_is_capturing(stream, &out_capture->is_on);
  int status = check("hipStreamGetCaptureInfo", hip.stream_get_capture(stream, &capture, &out_capture->id));
  out_capture->is_on = capture != 0;
  return status;
}

static int hip_create_event(strata_rt_event_kind_t kind, void **out_event) {
  enum { DISABLE_TIMING = 2 };
  return check("hipEventCreateWithFlags", hip.event_create(out_event, kind == STRATA_RT_ORDERING ? DISABLE_TIMING : 0));
}

static int hip_await_event(void *event, void *stream) {
  return check("hipStreamWaitEvent", hip.stream_wait_event(stream, event, 0));
}

static int hip_destroy_event(void *event) { return check("hipEventDestroy", hip.event_destroy(event)); }
static int hip_record_event(void *event, void *stream) {
  return check("hipEventRecord", hip.event_record(event, stream));
}

static int hip_elapsed(void *begin, void *end, float *out_milliseconds) {
  int status = check("hipEventSynchronize", hip.event_synchronize(end));
  return status ? status : check("hipEventElapsedTime", hip.event_elapsed(out_milliseconds, begin, end));
}

const strata_rt_driver_t strata_rt_hip = {
    .open = hip_open,
    .enter = hip_enter,
    .leave = hip_leave,
    .push = hip_push,
    .keep = hip_keep,
    .release = hip_release,
    .get_arch = hip_get_arch,
    .print_arch = hip_print_arch,
    .get_name = hip_get_name,
    .load_module = hip_load_module,
    .unload_module = hip_unload_module,
    .get_function = hip_get_function,
    .allocate = hip_allocate,
    .free = hip_free,
    .allocate_host = hip_allocate_host,
    .free_host = hip_free_host,
    .synchronize = hip_synchronize,
    .upload = hip_upload,
    .download = hip_download,
    .copy = hip_copy,
    .launch = hip_launch,
    .create_stream = hip_create_stream,
    .destroy_stream = hip_destroy_stream,
    .synchronize_stream = hip_synchronize_stream,
    .is_capturing = hip_is_capturing,
    .find_capture = hip_find_capture,
    .create_event = hip_create_event,
    .destroy_event = hip_destroy_event,
    .record_event = hip_record_event,
    .await_event = hip_await_event,
    .elapsed = hip_elapsed,
};
