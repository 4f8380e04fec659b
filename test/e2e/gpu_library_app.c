// An application in C with a GPU library linked statically ("linked") and one loaded through its description
// ("loaded"): gpu_library_app LIBLOADED.so. Both take device pointers, memory and a stream; the driver is the tests'
// stand-in, of whose API what is used here is declared here.
#include "linked.h"
#include "loaded.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **out_context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void *context);
int cuMemAlloc_v2(unsigned long long *out_memory, size_t size);
int cuMemFree_v2(unsigned long long memory);
int cuMemcpyHtoD_v2(unsigned long long dst, const void *src, size_t size);
int cuMemcpyDtoH_v2(void *dst, unsigned long long src, size_t size);
int cuStreamCreate(struct CUstream_st **out_stream, unsigned flags);
int cuStreamSynchronize(struct CUstream_st *stream);
int cuStreamDestroy_v2(struct CUstream_st *stream);

#define CHECK(condition)                                                                                               \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: failed: %s (%s)\n", __FILE__, __LINE__, #condition, linked_error());                     \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  while (0)

enum { ROWS = 4, INNER = 96, COLUMNS = 80 };

static float x[ROWS * INNER], expected[ROWS * COLUMNS], y[ROWS * COLUMNS];
static unsigned long long device_x, device_y, pool;
static struct CUstream_st *stream;

static void *pointer(unsigned long long address) { return (void *)(size_t)address; }

static void open_device(size_t pool_size) {
  void *context;
  CHECK(cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
  CHECK(cuStreamCreate(&stream, 1) == 0);
  CHECK(cuMemAlloc_v2(&device_x, sizeof x) == 0 && cuMemAlloc_v2(&device_y, sizeof y) == 0);
  CHECK(cuMemAlloc_v2(&pool, pool_size + 256) == 0);
  CHECK(cuMemcpyHtoD_v2(device_x, x, sizeof x) == 0);
}

static void close_device(void) {
  CHECK(cuMemFree_v2(device_x) == 0 && cuMemFree_v2(device_y) == 0 && cuMemFree_v2(pool) == 0);
  CHECK(cuStreamDestroy_v2(stream) == 0 && cuDevicePrimaryCtxRelease_v2(0) == 0);
}

static void check_result(void) {
  memset(y, 0, sizeof y);
  CHECK(cuStreamSynchronize(stream) == 0 && cuMemcpyDtoH_v2(y, device_y, sizeof y) == 0);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    CHECK(fabsf(y[i] - expected[i]) <= 1e-4f);
}

static void test_linked(void) {
  CHECK(linked(pointer(device_x), pointer(device_y), pointer(pool), stream) == STRATA_NOT_LOADED);
  CHECK(linked_load(NULL, stream) == STRATA_OK);
  CHECK(linked(pointer(device_x), pointer(device_y), pointer(pool), stream) == STRATA_OK);
  check_result();
  CHECK(linked(NULL, pointer(device_y), pointer(pool), stream) == STRATA_INVALID_ARGUMENT);
  CHECK(linked(pointer(device_x + 4), pointer(device_y), pointer(pool), stream) == STRATA_INVALID_ARGUMENT);
  CHECK(strstr(linked_error(), "aligned"));
  CHECK(linked_unload() == STRATA_OK);
}

static void test_loaded(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  const strata_library_t *(*describe)(void);
  *(void **)&describe = dlsym(handle, "loaded_library");
  const strata_library_t *library = describe();
  CHECK(strcmp(library->target, "nvgpu") == 0 && library->n_devices == 1 && !library->set_threads);
  CHECK(library->flags == (STRATA_LIBRARY_USER_MEMORY | STRATA_LIBRARY_DEVICE_TENSORS) && library->alignment == 16);
  void *tensors[] = {pointer(device_x), pointer(device_y)};
  CHECK(library->load(NULL, stream) == STRATA_OK);
  CHECK(library->run(tensors, NULL, pointer(pool), stream) == STRATA_OK);
  check_result();
  CHECK(library->unload() == STRATA_OK);
  CHECK(dlclose(handle) == 0);
}

int main(int argc, char **argv) {
  FILE *file = fopen("library_app.data", "rb");
  CHECK(argc == 2 && file && fread(x, sizeof x, 1, file) == 1 && fread(expected, sizeof expected, 1, file) == 1);
  fclose(file);
  open_device(linked_device_memory_size(NULL));
  test_linked();
  test_loaded(argv[1]);
  close_device();
  puts("ok");
  return 0;
}
