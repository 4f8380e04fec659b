// The CUDA driver API behind runtime/gpu/driver.h. No header of CUDA's is used: what is needed of the API is declared
// here and in cuda.def, as documented in the CUDA Driver API reference; none of it has changed since CUDA 11.8 (tensor
// maps: 12.0).
#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"

#include <stdatomic.h>
#include <stdio.h>

enum { OUT_OF_MEMORY = 2, DEINITIALIZED = 4, INVALID_CONTEXT = 201, CONTEXT_IS_DESTROYED = 709 }; // CUresult
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };                                              // CUdevice_attribute
enum { FUNCTION_MAX_DYNAMIC_SHARED = 8 };             // CUfunction_attribute
enum { LAUNCH_CLUSTER = 4, LAUNCH_PROGRAMMATIC = 6 }; // CUlaunchAttributeID
enum { OVERLAP_VERSION = 12030 };            // of the first driver that captures launches which overlap into graphs
enum { DEFAULT_SHARED = 48 * 1024 };         // what needs no asking
enum { MAP_SIZE = 128, MAP_ALIGNMENT = 64 }; // CUtensorMap
enum { NO_INTERLEAVE = 0, FILL_ZERO = 0 };   // CUtensorMapInterleave, CUtensorMapFloatOOBfill
enum { PROMOTE_128 = 2, PROMOTE_256 = 3 };   // CUtensorMapL2promotion
enum { SECTOR_BYTES = 32 };                  // of the second-level cache

// The keys of a launch's extra parameters.
#define PARAM_END ((void *)0)
#define PARAM_BUFFER ((void *)1)
#define PARAM_SIZE ((void *)2)

// NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD belong to whatever context is current.
static bool is_default_stream(const void *stream) { return (uintptr_t)stream <= 2; }

typedef struct { // CUlaunchAttribute
  int id, unused;
  union {
    char size[64];
    unsigned cluster[3];
    int programmatic;
  } value;
} launch_attribute_t;

typedef struct { // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void *stream;
  launch_attribute_t *attributes;
  unsigned n_attributes;
} launch_config_t;

typedef struct { // CUtensorMap
  _Alignas(MAP_ALIGNMENT) char bytes[MAP_SIZE];
} encoded_map_t;

#define FUNCTION(is_needed, name, symbol, parameters) int(*name) parameters;
static struct {
#include "runtime/gpu/cuda.def"
} cuda;

#define FUNCTION(is_needed, name, symbol, parameters) {symbol, is_needed},
static const strata_rt_symbol_t symbols[] = {
#include "runtime/gpu/cuda.def"
};
enum { N_SYMBOLS = sizeof symbols / sizeof symbols[0] };
_Static_assert(sizeof cuda == N_SYMBOLS * sizeof(void *), "the struct is the table");

static _Atomic bool is_open;
static _Atomic int driver_version; // 1000 * major + 10 * minor of CUDA's

//===-- Errors ---------------------------------------------------------------------------------------------------===//

static int check(const char *call, int result) {
  if (result == 0)
    return STRATA_OK;
  const char *name = NULL;
  if (cuda.error_name(result, &name) != 0 || !name)
    name = "an unknown error";
  return strata_rt_fail(result == OUT_OF_MEMORY ? STRATA_OUT_OF_MEMORY : STRATA_DEVICE, "%s: %s: %s (%d)",
                        strata_rt_program_name(), call, name, result);
}

static int cuda_open(void) {
  if (atomic_load(&is_open))
    return STRATA_OK;
  static const char *const names[] = STRATA_RT_CUDA_FILES;
  int status = strata_rt_symbols("STRATA_CUDA_DRIVER", names, symbols, N_SYMBOLS, &cuda);
  if (!status)
    status = check("cuInit", cuda.init(0));
  int version = 0;
  if (!status)
    status = check("cuDriverGetVersion", cuda.driver_version(&version));
  atomic_store(&driver_version, version);
  atomic_store(&is_open, !status);
  return status;
}

//===-- Contexts -------------------------------------------------------------------------------------------------===//

static int cuda_push(void *context, strata_rt_scope_t *scope) {
  int result = cuda.ctx_push(context);
  bool is_gone = result == DEINITIALIZED || result == INVALID_CONTEXT || result == CONTEXT_IS_DESTROYED;
  *scope = (strata_rt_scope_t){.context = is_gone ? NULL : context, .is_pushed = result == 0};
  return check("cuCtxPushCurrent", result);
}

static void *kept_device(int device) { return (void *)(intptr_t)(device + 1); }

static void cuda_release(void *kept) {
  if (kept)
    check("cuDevicePrimaryCtxRelease", cuda.primary_release((int)(intptr_t)kept - 1));
}

// A thread that never chose a device works on the first.
static int enter_default(strata_rt_scope_t *scope) {
  int device;
  void *context;
  int status = check("cuDeviceGet", cuda.device_get(&device, 0));
  if (!status)
    status = check("cuDevicePrimaryCtxRetain", cuda.primary_retain(&context, device));
  if (status)
    return status;
  status = cuda_push(context, scope);
  scope->kept = kept_device(device);
  strata_rt_cleanup_begin(status);
  if (status)
    cuda_release(scope->kept);
  return strata_rt_cleanup_end();
}

static int cuda_enter(void *stream, strata_rt_scope_t *scope) {
  *scope = (strata_rt_scope_t){0};
  void *current = NULL, *of_stream = NULL;
  int status = check("cuCtxGetCurrent", cuda.ctx_get_current(&current));
  if (!status && !is_default_stream(stream))
    status = check("cuStreamGetCtx", cuda.stream_get_ctx(stream, &of_stream));
  if (status)
    return status;
  if (current && of_stream && current != of_stream)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: the stream belongs to another context than the current one",
                          strata_rt_program_name());
  scope->context = current;
  if (current)
    return STRATA_OK;
  return of_stream ? cuda_push(of_stream, scope) : enter_default(scope);
}

static void cuda_leave(strata_rt_scope_t *scope) {
  void *popped;
  if (scope->is_pushed)
    check("cuCtxPopCurrent", cuda.ctx_pop(&popped));
  cuda_release(scope->kept);
}

static int cuda_keep(const strata_rt_scope_t *scope, void **out_kept) {
  int device;
  void *primary;
  *out_kept = NULL;
  int status = check("cuCtxGetDevice", cuda.ctx_get_device(&device));
  if (!status)
    status = check("cuDevicePrimaryCtxRetain", cuda.primary_retain(&primary, device));
  if (status)
    return status;
  if (primary != scope->context)
    return check("cuDevicePrimaryCtxRelease", cuda.primary_release(device));
  *out_kept = kept_device(device);
  return STRATA_OK;
}

static int cuda_get_arch(uint32_t *out_arch) {
  int device, major, minor;
  int status = check("cuCtxGetDevice", cuda.ctx_get_device(&device));
  if (!status)
    status = check("cuDeviceGetAttribute", cuda.device_attribute(&major, ATTRIBUTE_MAJOR, device));
  if (!status)
    status = check("cuDeviceGetAttribute", cuda.device_attribute(&minor, ATTRIBUTE_MINOR, device));
  if (!status)
    *out_arch = (uint32_t)(10 * major + minor);
  return status;
}

static void cuda_print_arch(uint32_t arch, char *out, size_t capacity) { snprintf(out, capacity, "sm_%u", arch); }

static int cuda_get_name(char *out, size_t capacity) {
  int device, status = check("cuCtxGetDevice", cuda.ctx_get_device(&device));
  out[0] = '\0';
  return status || !cuda.device_name ? status : check("cuDeviceGetName", cuda.device_name(out, (int)capacity, device));
}

static int cuda_synchronize(void) { return check("cuCtxSynchronize", cuda.ctx_synchronize()); }

//===-- Code -----------------------------------------------------------------------------------------------------===//

static int cuda_load_module(const void *image, void **out_module) {
  return check("cuModuleLoadData", cuda.module_load(out_module, image));
}

static int cuda_unload_module(void *module) { return check("cuModuleUnload", cuda.module_unload(module)); }

static int cuda_get_function(void *module, const strata_rt_kernel_t *kernel, void **out_function) {
  if (kernel->n_maps && (!cuda.encode_map || !cuda.encode_window))
    return strata_rt_fail(STRATA_DEVICE, "%s: the driver is too old for kernel %s: it has no cuTensorMapEncode%s",
                          strata_rt_program_name(), kernel->name, cuda.encode_map ? "Im2col" : "Tiled");
  int status = check("cuModuleGetFunction", cuda.module_get_function(out_function, module, kernel->name));
  if (!status && cuda.func_load) // else that loads it on its own
    status = check("cuFuncLoad", cuda.func_load(*out_function));
  if (!status && kernel->shared > DEFAULT_SHARED)
    status = check("cuFuncSetAttribute",
                   cuda.func_set_attribute(*out_function, FUNCTION_MAX_DYNAMIC_SHARED, (int)kernel->shared));
  return status;
}

static uint32_t shared_of(const strata_rt_kernel_t *kernel, uint32_t blocks) {
  const strata_rt_apart_t *apart = &kernel->apart;
  if (!apart->most)
    return kernel->shared;
  uint32_t share = blocks / apart->processors + (blocks % apart->processors > 0);
  uint32_t least = share > apart->most ? 0 : apart->capacity / (share + 1); // one block more would not find as much
  least = least < kernel->shared ? least : kernel->shared;
  return least > apart->needed ? least : apart->needed;
}

static int launch(const strata_rt_function_t *function, unsigned blocks, void **params, void **extra, void *stream,
                  bool is_first) {
  const strata_rt_kernel_t *shape = function->shape;
  launch_attribute_t attributes[2] = {0};
  unsigned n = 0;
  if (shape->cluster > 1)
    attributes[n++] = (launch_attribute_t){.id = LAUNCH_CLUSTER, .value.cluster = {shape->cluster, 1, 1}};
  if (!is_first && shape->flags & STRATA_RT_KERNEL_PROGRAMMATIC && atomic_load(&driver_version) >= OVERLAP_VERSION)
    attributes[n++] = (launch_attribute_t){.id = LAUNCH_PROGRAMMATIC, .value.programmatic = 1};
  launch_config_t config = {.grid = {blocks, 1, 1},
                            .block = {shape->threads, 1, 1},
                            .shared = shared_of(shape, blocks),
                            .stream = stream,
                            .attributes = attributes,
                            .n_attributes = n};
  return check("cuLaunchKernelEx", cuda.launch(&config, function->function, params, extra));
}

static int swizzle_code(uint32_t bytes) { return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0; }

// Arithmetic on the host, without a lock: the driver packs 128 bytes, a fraction of what the launch itself costs. So
// nothing is kept from call to call. Boxes fetch 128 bytes into the L2 cache at once: with 256, what streams from
// memory comes half a line too early, or for a neighbour (16x14336x4096: 30.1 us instead of 29.4), unless the map says
// that it does not.
static int encode_map(const strata_rt_map_t *map, const int64_t *values, void *address, void *out) {
  int promotion = map->reads_ahead ? PROMOTE_256 : PROMOTE_128;
  uint64_t sizes[STRATA_RT_MAX_MAP_RANK], strides[STRATA_RT_MAX_MAP_RANK];
  uint32_t box[STRATA_RT_MAX_MAP_RANK];
  for (unsigned i = 0; i < (unsigned)map->rank; i++) {
    int64_t size = strata_rt_number(map->sizes[i], values);
    sizes[i] = size ? (uint64_t)size : 1; // the driver refuses 0; nothing reads what is empty
    bool is_last = i > 0 && i == map->clipped;
    box[i] = is_last ? (uint32_t)((sizes[i] - 1) % map->box[i]) + 1 : map->box[i];
    strides[i] = i + 1 < map->rank ? (uint64_t)strata_rt_number(map->strides[i], values) : 0;
    if (strides[i] % SECTOR_BYTES) // rows that begin within a sector are slow enough
      promotion = PROMOTE_128;
  }
  if (map->has_window)
    return check("cuTensorMapEncodeIm2col",
                 cuda.encode_window(out, (int)map->type, map->rank, address, sizes, strides, map->lower, map->upper,
                                    map->box[0], map->box[1], map->steps, NO_INTERLEAVE, swizzle_code(map->swizzle),
                                    promotion, FILL_ZERO));
  return check("cuTensorMapEncodeTiled",
               cuda.encode_map(out, (int)map->type, map->rank, address, sizes, strides, box, map->steps, NO_INTERLEAVE,
                               swizzle_code(map->swizzle), promotion, FILL_ZERO));
}

// True if the last box of clipped map |i| is a whole one, and such are encoded already.
static bool is_whole(const strata_rt_map_t *map, uint32_t i, const int64_t *values) {
  return map->clipped && map->whole != i &&
         strata_rt_number(map->sizes[map->clipped], values) % map->box[map->clipped] == 0;
}

// Where maps lie among the parameters is the driver's business (they are aligned within its memory, not within the
// parameters): each parameter is given on its own, and a null pointer says where they end.
static int launch_with_maps(const strata_rt_function_t *function, void **buffers, uint32_t n_buffers,
                            const int64_t *values, void *stream, bool is_first) {
  const strata_rt_kernel_t *shape = function->shape;
  encoded_map_t maps[STRATA_RT_MAX_MAPS];
  void *params[STRATA_RT_MAX_ARGS + 1 + STRATA_RT_MAX_MAPS + 1];
  int status = STRATA_OK;
  for (uint32_t i = 0; i < n_buffers; i++)
    params[i] = &buffers[i];
  for (uint32_t i = 0; i < shape->n_maps && !status; i++) {
    if (is_whole(&shape->maps[i], i, values))
      maps[i] = maps[shape->maps[i].whole];
    else
      status = encode_map(&shape->maps[i], values, buffers[shape->maps[i].buffer], &maps[i]);
    params[n_buffers + i] = &maps[i];
  }
  params[n_buffers + shape->n_maps] = NULL;
  return status ? status
                : launch(function, (unsigned)strata_rt_number(shape->blocks, values), params, NULL, stream, is_first);
}

// Without maps all are given at once; the driver can check their size.
static int cuda_launch(const strata_rt_function_t *function, void **buffers, uint32_t n_buffers, const int64_t *values,
                       void *stream, bool is_first) {
  size_t size = n_buffers * sizeof *buffers;
  void *extra[] = {PARAM_BUFFER, buffers, PARAM_SIZE, &size, PARAM_END};
  unsigned blocks = (unsigned)strata_rt_number(function->shape->blocks, values);
  if (blocks == 0)
    return STRATA_OK;
  if (function->shape->n_maps)
    return launch_with_maps(function, buffers, n_buffers, values, stream, is_first);
  return launch(function, blocks, NULL, extra, stream, is_first);
}

//===-- Memory, streams, events ----------------------------------------------------------------------------------===//

static int cuda_allocate(size_t size, void **out_memory) {
  uint64_t memory = 0;
  int status = check("cuMemAlloc", cuda.mem_alloc(&memory, size));
  *out_memory = (void *)(uintptr_t)memory;
  return status;
}

static int cuda_free(void *memory) { return check("cuMemFree", cuda.mem_free((uintptr_t)memory)); }

// All host memory that the driver allocates is the device's, too, at the same address.
static int cuda_allocate_host(size_t size, void **out_memory) {
  *out_memory = NULL;
  return cuda.mem_alloc_host && cuda.mem_free_host
             ? check("cuMemAllocHost", cuda.mem_alloc_host(out_memory, size))
             : STRATA_OK;
}

static int cuda_free_host(void *memory) { return check("cuMemFreeHost", cuda.mem_free_host(memory)); }

static int cuda_upload(void *dst, const void *src, size_t size, void *stream) {
  return check("cuMemcpyHtoDAsync", cuda.copy_to_device((uintptr_t)dst, src, size, stream));
}

static int cuda_download(void *dst, const void *src, size_t size, void *stream) {
  return check("cuMemcpyDtoHAsync", cuda.copy_to_host(dst, (uintptr_t)src, size, stream));
}

static int cuda_copy(void *dst, const void *src, size_t size, void *stream) {
  return check("cuMemcpyDtoDAsync", cuda.copy_on_device((uintptr_t)dst, (uintptr_t)src, size, stream));
}

static int cuda_create_stream(strata_rt_stream_kind_t kind, void **out_stream) {
  enum { NON_BLOCKING = 1 };
  return check("cuStreamCreate", cuda.stream_create(out_stream, kind == STRATA_RT_ALONE ? NON_BLOCKING : 0));
}

static int cuda_destroy_stream(void *stream) { return check("cuStreamDestroy", cuda.stream_destroy(stream)); }
static int cuda_synchronize_stream(void *stream) {
  return check("cuStreamSynchronize", cuda.stream_synchronize(stream));
}

static int cuda_is_capturing(void *stream, bool *out_is_capturing) {
  int capture = 0;
  int status = check("cuStreamIsCapturing", cuda.stream_is_capturing(stream, &capture));
  *out_is_capturing = capture != 0;
  return status;
}

// A driver that does not tell captures apart gives all of them the id 0.
static int cuda_find_capture(void *stream, strata_rt_capture_t *out_capture) {
  int capture = 0;
  *out_capture = (strata_rt_capture_t){0};
  if (!cuda.stream_get_capture)
    return cuda_is_capturing(stream, &out_capture->is_on);
  int status = check("cuStreamGetCaptureInfo", cuda.stream_get_capture(stream, &capture, &out_capture->id));
  out_capture->is_on = capture != 0;
  return status;
}

static int cuda_create_event(strata_rt_event_kind_t kind, void **out_event) {
  enum { DISABLE_TIMING = 2 };
  return check("cuEventCreate", cuda.event_create(out_event, kind == STRATA_RT_ORDERING ? DISABLE_TIMING : 0));
}

static int cuda_await_event(void *event, void *stream) {
  return check("cuStreamWaitEvent", cuda.stream_wait_event(stream, event, 0));
}

static int cuda_destroy_event(void *event) { return check("cuEventDestroy", cuda.event_destroy(event)); }
static int cuda_record_event(void *event, void *stream) {
  return check("cuEventRecord", cuda.event_record(event, stream));
}

static int cuda_elapsed(void *begin, void *end, float *out_milliseconds) {
  int status = check("cuEventSynchronize", cuda.event_synchronize(end));
  return status ? status : check("cuEventElapsedTime", cuda.event_elapsed(out_milliseconds, begin, end));
}

const strata_rt_driver_t strata_rt_cuda = {
    .open = cuda_open,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .push = cuda_push,
    .keep = cuda_keep,
    .release = cuda_release,
    .get_arch = cuda_get_arch,
    .print_arch = cuda_print_arch,
    .get_name = cuda_get_name,
    .load_module = cuda_load_module,
    .unload_module = cuda_unload_module,
    .get_function = cuda_get_function,
    .allocate = cuda_allocate,
    .free = cuda_free,
    .allocate_host = cuda_allocate_host,
    .free_host = cuda_free_host,
    .synchronize = cuda_synchronize,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .launch = cuda_launch,
    .create_stream = cuda_create_stream,
    .destroy_stream = cuda_destroy_stream,
    .synchronize_stream = cuda_synchronize_stream,
    .is_capturing = cuda_is_capturing,
    .find_capture = cuda_find_capture,
    .create_event = cuda_create_event,
    .destroy_event = cuda_destroy_event,
    .record_event = cuda_record_event,
    .await_event = cuda_await_event,
    .elapsed = cuda_elapsed,
};
