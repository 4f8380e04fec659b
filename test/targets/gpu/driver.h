// The stand-in for the driver (test/support/driver), called by name: for tests that launch kernels themselves.
#ifndef STRATA_TEST_TARGETS_GPU_DRIVER_H
#define STRATA_TEST_TARGETS_GPU_DRIVER_H

#include "test/support/check.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned n_attributes;
} launch_t;

static void *driver; // what dlopen gave

// A function of the stand-in, of the type that the call has.
#define CALL(name, types, ...) (((int(*) types)dlsym(driver, name))(__VA_ARGS__) == 0)

static inline uint64_t upload(const void *data, size_t size) {
  uint64_t address = 0;
  CHECK(CALL("cuMemAlloc_v2", (uint64_t *, size_t), &address, size));
  CHECK(CALL("cuMemcpyHtoD_v2", (uint64_t, const void *, size_t), address, data, size));
  return address;
}

#endif
