// A driver between a library and the real one: counts the calls of every function of runtime/gpu/cuda.def, and passes
// them on to STRATA_COUNTED_DRIVER, else libcuda.so.1. Named to a library by STRATA_CUDA_DRIVER.
//
//   cc -O2 -fPIC -shared -I. test/gpu/count_driver.c -o libcount_driver.so -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define FUNCTION(is_needed, name, symbol, parameters) INDEX_##name,
enum {
#include "runtime/gpu/cuda.def"
  N_FUNCTIONS
};

#define FUNCTION(is_needed, name, symbol, parameters) symbol,
static const char *const symbols[] = {
#include "runtime/gpu/cuda.def"
};

// Each function adds one to its count and jumps to the real one, whatever its parameters.
__attribute__((visibility("hidden"), used)) uint64_t count_driver_counts[N_FUNCTIONS];
__attribute__((visibility("hidden"), used)) void *count_driver_functions[N_FUNCTIONS];
#define FUNCTION(is_needed, name, symbol, parameters)                                                                  \
  __asm__(".text\n.globl " symbol "\n.type " symbol ", @function\n" symbol ":\n"                                       \
          "  lock incq 8*count_driver_index+count_driver_counts(%rip)\n"                                               \
          "  jmpq *8*count_driver_index+count_driver_functions(%rip)\n"                                                \
          ".size " symbol ", . - " symbol "\n.set count_driver_index, count_driver_index + 1\n");
__asm__(".set count_driver_index, 0\n");
#include "runtime/gpu/cuda.def"

// In the place of an optional function: there is nothing to do. Without a driver: CUDA_ERROR_NO_DEVICE.
static int has_driver;
static int missing(void) { return has_driver ? 0 : 100; }

__attribute__((constructor)) static void find_functions(void) {
  const char *given = getenv("STRATA_COUNTED_DRIVER");
  void *handle = dlopen(given && *given ? given : "libcuda.so.1", RTLD_NOW);
  has_driver = handle != NULL;
  for (int i = 0; i < N_FUNCTIONS; i++) {
    count_driver_functions[i] = handle ? dlsym(handle, symbols[i]) : NULL;
    if (!count_driver_functions[i])
      count_driver_functions[i] = (void *)(uintptr_t)missing;
  }
}

// Calls of function |index| so far; NULL behind the last.
const char *count_driver_get(int index, uint64_t *out_count);
const char *count_driver_get(int index, uint64_t *out_count) {
  if (index >= N_FUNCTIONS)
    return NULL;
  *out_count = __atomic_load_n(&count_driver_counts[index], __ATOMIC_RELAXED);
  return symbols[index];
}
