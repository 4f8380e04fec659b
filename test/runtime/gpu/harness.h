// What the tests of the GPU runtime share: calls of the libraries in library.c, with the driver that drivers.h chose.
#ifndef STRATA_TEST_RUNTIME_GPU_HARNESS_H
#define STRATA_TEST_RUNTIME_GPU_HARNESS_H

#include "runtime/base/status.h"
#include "runtime/include/strata/runtime.h"
#include "test/runtime/gpu/drivers.h"

enum { N = 1000, BYTES = N * 4, NON_BLOCKING = 1 };

static inline const char *test_folder(void) {
  const char *folder = getenv("STRATA_TEST_BIN");
  return folder ? folder : ".";
}

// Opens one of the driver's libraries and names the stand-in to it; |out_handle|: of dlopen, if it is wanted.
static inline const strata_library_t *open_library(const char *name, void **out_handle) {
  char path[4096];
  const strata_library_t *(*get)(void) = NULL;
  snprintf(path, sizeof path, "%s/libstrata_test_cuda.so", test_folder());
  setenv(driver->variable, path, 1);
  snprintf(path, sizeof path, "%s/libstrata_test_%s_%s.so", test_folder(), driver->name, name);
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

// What one caller of a library with the caller's memory has.
typedef struct {
  void *stream, *x, *y, *pool;
} caller_t;

static inline caller_t caller_create(const strata_library_t *library) {
  caller_t caller = {0};
  CHECK(call.stream_create(&caller.stream, NON_BLOCKING) == 0);
  CHECK(call.allocate(&caller.x, BYTES) == 0 && call.allocate(&caller.y, BYTES) == 0);
  CHECK(call.allocate(&caller.pool, library->device_memory_size(NULL)) == 0);
  return caller;
}

static inline void caller_destroy(const caller_t *caller) {
  CHECK(call.stream_destroy(caller->stream) == 0);
  CHECK(call.free(caller->x) == 0 && call.free(caller->y) == 0 && call.free(caller->pool) == 0);
}

static inline void fill(float *x, int seed) {
  for (int i = 0; i < N; i++)
    x[i] = (float)((i * 7 + seed) % 101);
}

// A call with this caller's tensors and memory on any stream.
static inline int caller_enqueue(const strata_library_t *library, const caller_t *caller, void *stream) {
  return library->run((void *[]){caller->x, caller->y}, NULL, caller->pool, stream);
}

// The status of a call that may only enqueue.
static inline int caller_run(const strata_library_t *library, const caller_t *caller) {
  strata_test_driver_call_begin(caller->stream);
  int status = caller_enqueue(library, caller, caller->stream);
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
  CHECK(call.upload(caller->x, x, BYTES, caller->stream) == 0);
  CHECK(caller_run(library, caller) == STRATA_OK);
  CHECK(call.download(y, caller->y, BYTES, caller->stream) == 0);
  CHECK(call.stream_synchronize(caller->stream) == 0);
  CHECK(count_wrong(x, y, scale, w, bias) == 0);
}

// For libraries with tensors on the host.
static inline void host_check_scaled(const strata_library_t *library, int seed, float scale) {
  float x[N], y[N] = {0};
  fill(x, seed);
  CHECK(library->run((void *[]){x, y}, NULL, NULL, NULL) == STRATA_OK);
  CHECK(count_wrong(x, y, scale, NULL, 1) == 0);
}

static inline void host_check(const strata_library_t *library, int seed) { host_check_scaled(library, seed, 2); }

#endif
