// What the tests of the GPU runtime share: the driver calls they make, and calls of the library in library.c.
//
// The program links the stand-in (test/support/driver) and names it to the library by STRATA_CUDA_DRIVER.
#ifndef STRATA_TEST_RUNTIME_GPU_HARNESS_H
#define STRATA_TEST_RUNTIME_GPU_HARNESS_H

#include "runtime/base/status.h"
#include "runtime/include/strata/runtime.h"
#include "test/support/check.h"
#include "test/support/driver/control.h"

#include <dlfcn.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **out, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxCreate_v2(void **out, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxGetCurrent(void **out);
int cuCtxSetCurrent(void *context);
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

enum { N = 1000, BYTES = N * 4, NON_BLOCKING = 1 };

static inline const char *test_folder(void) {
  const char *folder = getenv("STRATA_TEST_BIN");
  return folder ? folder : ".";
}

// Opens one of the libraries; |out_handle|: of dlopen, if it is wanted.
static inline const strata_library_t *open_library(const char *name, void **out_handle) {
  char path[4096];
  const strata_library_t *(*get)(void) = NULL;
  snprintf(path, sizeof path, "%s/libstrata_test_cuda.so", test_folder());
  setenv("STRATA_CUDA_DRIVER", path, 1);
  setenv("STRATA_HIP_DRIVER", path, 1);
  snprintf(path, sizeof path, "%s/libstrata_test_%s.so", test_folder(), name);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = handle ? dlsym(handle, "test_library") : NULL;
  if (!symbol) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  if (out_handle)
    *out_handle = handle;
  memcpy(&get, &symbol, sizeof get);
  return get();
}

// The primary context of a device, current.
static inline void use_device(int device) {
  void *context;
  CHECK(cuInit(0) == 0);
  CHECK(cuDevicePrimaryCtxRetain(&context, device) == 0);
  CHECK(cuCtxSetCurrent(context) == 0);
}

// What one caller of a library with the caller's memory has.
typedef struct {
  void *stream;
  uint64_t x, y, pool;
} caller_t;

static inline caller_t caller_create(const strata_library_t *library) {
  caller_t caller = {0};
  CHECK(cuStreamCreate(&caller.stream, NON_BLOCKING) == 0);
  CHECK(cuMemAlloc_v2(&caller.x, BYTES) == 0 && cuMemAlloc_v2(&caller.y, BYTES) == 0);
  CHECK(cuMemAlloc_v2(&caller.pool, library->device_memory_size(NULL)) == 0);
  return caller;
}

static inline void caller_destroy(const caller_t *caller) {
  CHECK(cuStreamDestroy_v2(caller->stream) == 0);
  CHECK(cuMemFree_v2(caller->x) == 0 && cuMemFree_v2(caller->y) == 0 && cuMemFree_v2(caller->pool) == 0);
}

static inline void fill(float *x, int seed) {
  for (int i = 0; i < N; i++)
    x[i] = (float)((i * 7 + seed) % 101);
}

// The status of a call that may only enqueue.
static inline int caller_run(const strata_library_t *library, const caller_t *caller) {
  void *tensors[] = {(void *)(uintptr_t)caller->x, (void *)(uintptr_t)caller->y};
  strata_test_driver_call_begin(caller->stream);
  int status = library->run(tensors, NULL, (void *)(uintptr_t)caller->pool, caller->stream);
  strata_test_driver_call_end();
  return status;
}

// y as the program computes it; w is all zeros unless it was set.
static inline int count_wrong(const float *x, const float *y, float scale, const float *w, float bias) {
  int n = 0;
  for (int i = 0; i < N; i++)
    n += y[i] != x[i] * scale * 2 + (w ? w[N - 1 - i] : 0) + bias;
  return n;
}

// One call with fresh data, compared with the formula.
static inline void caller_check(const strata_library_t *library, const caller_t *caller, int seed, float scale,
                                const float *w, float bias) {
  float x[N], y[N];
  fill(x, seed);
  CHECK(cuMemcpyHtoDAsync_v2(caller->x, x, BYTES, caller->stream) == 0);
  CHECK(caller_run(library, caller) == STRATA_OK);
  CHECK(cuMemcpyDtoHAsync_v2(y, caller->y, BYTES, caller->stream) == 0);
  CHECK(cuStreamSynchronize(caller->stream) == 0);
  CHECK(count_wrong(x, y, scale, w, bias) == 0);
}

// For libraries with tensors on the host.
static inline void host_check(const strata_library_t *library, int seed) {
  float x[N], y[N] = {0};
  fill(x, seed);
  CHECK(library->run((void *[]){x, y}, NULL, NULL, NULL) == STRATA_OK);
  CHECK(count_wrong(x, y, 2, NULL, 1) == 0);
}

#endif
