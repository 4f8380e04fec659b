// The runtime on HIP: the same program, on one stream and on several, two devices, every call made to fail in turn.
#include "test/runtime/gpu/harness.h"

#include <stdbool.h>

int hipSetDevice(int device);
int hipGetDevice(int *out);
int hipMalloc(void **out, size_t size);
int hipFree(void *memory);
int hipMemcpyHtoDAsync(void *dst, const void *src, size_t size, void *stream);
int hipMemcpyDtoHAsync(void *dst, const void *src, size_t size, void *stream);
int hipStreamCreate(void **out);
int hipStreamDestroy(void *stream);
int hipStreamSynchronize(void *stream);

static const strata_library_t *library;

typedef struct {
  void *stream, *x, *y, *pool;
} hip_caller_t;

static hip_caller_t create(void) {
  hip_caller_t caller;
  CHECK(hipStreamCreate(&caller.stream) == 0);
  CHECK(hipMalloc(&caller.x, BYTES) == 0 && hipMalloc(&caller.y, BYTES) == 0);
  CHECK(hipMalloc(&caller.pool, library->device_memory_size(NULL)) == 0);
  return caller;
}

static void destroy(const hip_caller_t *caller) {
  CHECK(hipStreamDestroy(caller->stream) == 0);
  CHECK(hipFree(caller->x) == 0 && hipFree(caller->y) == 0 && hipFree(caller->pool) == 0);
}

static int run(const hip_caller_t *caller, void *stream) {
  strata_test_driver_call_begin(stream);
  int status = library->run((void *[]){caller->x, caller->y}, NULL, caller->pool, stream);
  strata_test_driver_call_end();
  return status;
}

static void check_call(const hip_caller_t *caller, int seed) {
  float x[N], y[N];
  fill(x, seed);
  CHECK(hipMemcpyHtoDAsync(caller->x, x, BYTES, caller->stream) == 0);
  CHECK(run(caller, caller->stream) == STRATA_OK);
  CHECK(hipMemcpyDtoHAsync(y, caller->y, BYTES, caller->stream) == 0);
  CHECK(hipStreamSynchronize(caller->stream) == 0);
  CHECK(count_wrong(x, y, 2, NULL, 1) == 0);
}

static void test_devices(void) {
  int device;
  CHECK(library->load(NULL, NULL) == STRATA_OK);
  hip_caller_t first = create();
  check_call(&first, 1);
  CHECK(hipSetDevice(1) == 0);
  hip_caller_t second = create();
  CHECK(run(&second, second.stream) == STRATA_NOT_LOADED);
  CHECK(run(&second, first.stream) == STRATA_INVALID_ARGUMENT && strstr(library->error(), "another device"));
  CHECK(library->load(NULL, second.stream) == STRATA_OK);
  check_call(&second, 2);
  destroy(&second);
  CHECK(library->unload() == STRATA_OK); // on both
  CHECK(hipGetDevice(&device) == 0 && device == 1);
  CHECK(hipSetDevice(0) == 0);
  destroy(&first);
}

static int live(const hip_caller_t *caller, char *message, size_t capacity) {
  int status = library->load(NULL, caller->stream);
  if (!status)
    status = run(caller, caller->stream);
  snprintf(message, capacity, "%s", library->error());
  int last = library->unload();
  if (last && !status)
    snprintf(message, capacity, "%s", library->error());
  return status ? status : last;
}

static void test_failures(void) {
  hip_caller_t caller = create();
  long alive = strata_test_driver_alive(), n = 1;
  char message[256];
  for (const char *failed = ""; failed; n++) {
    strata_test_driver_fail(NULL, n, 719);
    int status = live(&caller, message, sizeof message);
    failed = strata_test_driver_failed();
    strata_test_driver_fail(NULL, 0, 0);
    bool ok =
        failed ? status == STRATA_DEVICE && strstr(message, "hipErrorLaunchFailure") != NULL : status == STRATA_OK;
    if (!ok)
      fprintf(stderr, "call %ld, %s: status %d, '%s'\n", n, failed, status, message);
    CHECK(ok);
    strata_test_driver_take_fault(); // what cannot be joined, if that is what fails
    library->unload();
    CHECK(strata_test_driver_alive() == alive);
  }
  CHECK(n > 20);
  destroy(&caller);
}

static void test_maps(void) {
  const strata_library_t *mapped = open_library("hip_maps", NULL);
  CHECK(mapped->load(NULL, NULL) == STRATA_DEVICE);
  CHECK(strstr(mapped->error(), "kernel multiply_by_maps needs tensor maps, which HIP does not have"));
}

int main(void) {
  setenv("STRATA_TEST_DRIVER_DEVICES", "2", 1);
  static const char *const names[] = {"hip", "hip_streams"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    library = open_library(names[i], NULL);
    test_devices();
    test_failures();
  }
  test_maps();
  return check_result();
}
