// What the stand-in's own tests share: CUDA's calls, a stream, the module of kernels.c, and launches of its kernels.
#ifndef STRATA_TEST_RUNTIME_GPU_DEVICE_H
#define STRATA_TEST_RUNTIME_GPU_DEVICE_H

#include "test/runtime/gpu/harness.h"

#include <stdbool.h>

int cuCtxCreate_v2(void **out, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxSynchronize(void);
int cuModuleLoadData(void **out, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **out, void *module, const char *name);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill);
int cuMemAlloc_v2(uint64_t *out, size_t size);
int cuMemFree_v2(uint64_t memory);
int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t size, void *stream);
int cuMemcpyDtoHAsync_v2(void *dst, uint64_t src, size_t size, void *stream);
int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t size, void *stream);
int cuStreamCreate(void **out, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuEventCreate(void **out, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **out);
int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags);
int cuGraphLaunch(void *graph, void *stream);
int cuGraphExecDestroy(void *graph);
int cuGraphDestroy(void *graph);

typedef struct { // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned n_attributes;
} launch_config_t;
int cuLaunchKernelEx(const launch_config_t *config, void *function, void **params, void **extra);

static void *stream, *module;

static inline uint64_t allocate(size_t size) {
  uint64_t memory;
  CHECK(cuMemAlloc_v2(&memory, size) == 0);
  return memory;
}

// The module of the libraries' kernels, out of the file they embed.
static inline void load(void) {
  static char image[1 << 20];
  char path[4096];
  snprintf(path, sizeof path, "%s/../support/driver/kernels.so", test_folder());
  FILE *file = fopen(path, "rb");
  CHECK(file && fread(image, 1, sizeof image, file) > 0);
  if (file)
    fclose(file);
  CHECK(cuModuleLoadData(&module, image) == 0);
}

static inline int run(const char *name, unsigned blocks, unsigned threads, unsigned shared, uint64_t *buffers,
                      size_t n) {
  void *function;
  size_t size = n * sizeof *buffers;
  void *extra[] = {(void *)1, buffers, (void *)2, &size, NULL};
  launch_config_t config = {{blocks, 1, 1}, {threads, 1, 1}, shared, stream, NULL, 0};
  CHECK(cuModuleGetFunction(&function, module, name) == 0);
  return cuLaunchKernelEx(&config, function, NULL, extra);
}

// A CUtensorMap.
typedef struct {
  _Alignas(64) char bytes[128];
} tensor_map_t;

// The same with maps behind the buffers, and as much shared memory as there is.
static inline int run_mapped(const char *name, unsigned blocks, unsigned threads, unsigned shared, uint64_t *buffers,
                             size_t n, const tensor_map_t *maps, size_t n_maps) {
  enum { MAX_DYNAMIC_SHARED = 8 };
  char params[1024] = {0};
  void *function;
  size_t used = n * sizeof *buffers, first_map = n_maps ? (used + 63) / 64 * 64 : used;
  size_t size = first_map + n_maps * sizeof *maps;
  void *extra[] = {(void *)1, params, (void *)2, &size, NULL};
  launch_config_t config = {{blocks, 1, 1}, {threads, 1, 1}, shared, stream, NULL, 0};
  memcpy(params, buffers, used);
  for (size_t i = 0; i < n_maps; i++)
    memcpy(params + first_map + i * sizeof *maps, &maps[i], sizeof *maps);
  CHECK(cuModuleGetFunction(&function, module, name) == 0);
  CHECK(cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, (int)shared) == 0);
  return cuLaunchKernelEx(&config, function, NULL, extra);
}

static inline void upload(uint64_t dst, const void *src, size_t size) {
  CHECK(cuMemcpyHtoDAsync_v2(dst, src, size, stream) == 0 && cuStreamSynchronize(stream) == 0);
}

static inline void download(void *dst, uint64_t src, size_t size) {
  CHECK(cuMemcpyDtoHAsync_v2(dst, src, size, stream) == 0 && cuStreamSynchronize(stream) == 0);
}

static inline bool faulted(const char *text) {
  const char *fault = strata_test_driver_take_fault();
  bool found = strstr(fault, text) != NULL;
  if (!found)
    fprintf(stderr, "expected a fault '%s', got '%s'\n", text, fault);
  return found;
}

// A kernel's fault is the context's: each needs one of its own.
typedef struct {
  void *context, *module, *stream;
} fresh_context_t;

static inline fresh_context_t enter_fresh_context(void) {
  fresh_context_t kept = {NULL, module, stream};
  CHECK(cuCtxCreate_v2(&kept.context, 0, 0) == 0);
  load();
  CHECK(cuStreamCreate(&stream, NON_BLOCKING) == 0);
  return kept;
}

static inline void leave_fresh_context(fresh_context_t kept) {
  CHECK(cuCtxDestroy_v2(kept.context) == 0);
  module = kept.module;
  stream = kept.stream;
}

// A launch whose kernel commits a fault that says |text|.
static inline void check_fault(const char *kernel, unsigned threads, unsigned shared, uint64_t *buffers, size_t n,
                               const char *text) {
  CHECK(run(kernel, 1, threads, shared, buffers, n) == 0);
  CHECK(cuStreamSynchronize(stream) == 719 && faulted(text));
  CHECK(cuStreamSynchronize(stream) == 719); // from now on
}

#endif
