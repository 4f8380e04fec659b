// The two drivers of the runtime, for tests that run with each: the calls they make of it, and what differs.
//
// The program links the stand-in (test/support/driver), which is both.
#ifndef STRATA_TEST_RUNTIME_GPU_DRIVERS_H
#define STRATA_TEST_RUNTIME_GPU_DRIVERS_H

#include "test/support/check.h"
#include "test/support/driver/control.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **out, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxGetCurrent(void **out);
int cuCtxSetCurrent(void *context);
int hipGetDevice(int *out);
int hipSetDevice(int device);

typedef struct {
  const char *name;     // of the libraries: libstrata_test_<name>_user.so
  const char *variable; // of the environment, which names the driver to the runtime
  const char *launch_failed, *out_of_memory;
  bool has_contexts; // that are made and destroyed, so that a thread may have none
  bool has_maps;

  // The context that all of a device's users share, made current in the thread, and the opposite.
  void (*use_device)(int device);
  void (*release_device)(int device);
  // The thread's context: a handle that differs from device to device; where there are contexts it may be NULL.
  void *(*get_current)(void);
  void (*set_current)(void *context);
} driver_t;

static void cuda_use_device(int device) {
  void *context;
  CHECK(cuInit(0) == 0);
  CHECK(cuDevicePrimaryCtxRetain(&context, device) == 0);
  CHECK(cuCtxSetCurrent(context) == 0);
}

static void cuda_release_device(int device) { CHECK(cuDevicePrimaryCtxRelease_v2(device) == 0); }

static void *cuda_get_current(void) {
  void *context = NULL;
  CHECK(cuCtxGetCurrent(&context) == 0);
  return context;
}

static void cuda_set_current(void *context) { CHECK(cuCtxSetCurrent(context) == 0); }

static void hip_use_device(int device) { CHECK(hipSetDevice(device) == 0); }
static void hip_release_device(int device) { (void)device; } // devices stay

static void *hip_get_current(void) {
  int device = -1;
  CHECK(hipGetDevice(&device) == 0);
  return (void *)(intptr_t)(device + 1);
}

static void hip_set_current(void *context) { CHECK(hipSetDevice((int)(intptr_t)context - 1) == 0); }

static const driver_t drivers[] = {
    {.name = "cuda",
     .variable = "STRATA_CUDA_DRIVER",
     .launch_failed = "CUDA_ERROR_LAUNCH_FAILED",
     .out_of_memory = "CUDA_ERROR_OUT_OF_MEMORY",
     .has_contexts = true,
     .has_maps = true,
     .use_device = cuda_use_device,
     .release_device = cuda_release_device,
     .get_current = cuda_get_current,
     .set_current = cuda_set_current},
    {.name = "hip",
     .variable = "STRATA_HIP_DRIVER",
     .launch_failed = "hipErrorLaunchFailure",
     .out_of_memory = "hipErrorOutOfMemory",
     .use_device = hip_use_device,
     .release_device = hip_release_device,
     .get_current = hip_get_current,
     .set_current = hip_set_current},
};
enum { CUDA, HIP, N_DRIVERS };

// The one that the test runs with: its calls, and their symbols.
static const driver_t *driver = &drivers[CUDA];
#define CALL(member, cuda, hip, parameters) int(*member) parameters;
static struct {
#include "test/runtime/gpu/calls.def"
} call;
#define CALL(member, cuda, hip, parameters) const char *member;
static struct {
#include "test/runtime/gpu/calls.def"
} symbol_of;

static inline void choose_driver(int which) {
  void *address;
  driver = &drivers[which];
#define CALL(member, cuda, hip, parameters)                                                                            \
  symbol_of.member = which == HIP ? hip : cuda;                                                                        \
  address = dlsym(RTLD_DEFAULT, symbol_of.member);                                                                     \
  CHECK(address);                                                                                                      \
  memcpy(&call.member, &address, sizeof address);
#include "test/runtime/gpu/calls.def"
}

// Calls of one function so far, by its member of symbol_of.
#define N_CALLS_OF(member) strata_test_driver_calls(symbol_of.member)

// Runs |body| in a process of its own, whose failures are this one's.
static inline void check_in_child(void (*body)(const void *argument), const void *argument) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    body(argument);
    exit(check_result());
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline void test_driver(const void *test) {
  (*(void (*const *)(void))test)();
  if (check_failures)
    fprintf(stderr, "with the driver %s\n", driver->name);
}

// The end of main: |test| with each driver, in a process of its own.
static inline int test_each_driver(void (*test)(void)) {
  for (int which = 0; which < N_DRIVERS; which++) {
    choose_driver(which);
    check_in_child(test_driver, &test);
  }
  return check_result();
}

#endif
