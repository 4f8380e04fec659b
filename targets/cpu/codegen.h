// Machine code for the kernels of a compile, and running it in this process.
//
//   level 4   module @kernels { func.func @k(memref..., index, index, memref<Nxi8>) }
//   level 5   module @kernels { llvm.func @k(ptr..., i64, i64, ptr) }       pass cpu-to-llvm
//   objects   void strata_entry_k(void *const *buffers, int64_t begin, int64_t end, void *scratch)
//
// Kernels are internal to their object; the entry loads the buffers' pointers and is hidden.
#ifndef STRATA_TARGETS_CPU_CODEGEN_H
#define STRATA_TARGETS_CPU_CODEGEN_H

#include "devices/cpu/device.h"

#include <string.h>

#define STRATA_CPU_ENTRY_PREFIX "strata_entry_"

static inline bool strata_cpu_is_x86_64(const strata_cpu_device_t *device) {
  return strncmp(device->triple, "x86_64-", strlen("x86_64-")) == 0;
}

// Runs tasks [begin, end) of a kernel. |buffers| are the kernel's memref arguments in order; |scratch| has
// strata.scratch bytes, aligned to 64.
typedef void (*strata_cpu_entry_t)(void *const *buffers, int64_t begin, int64_t end, void *scratch);

typedef struct {
  const void *data;
  size_t size;
} strata_cpu_object_t;

// The stack of one function of the objects, in bytes; functions that need none are not listed.
typedef struct {
  const char *function;
  int64_t bytes;
} strata_cpu_stack_t;

// Relocatable object files in the compile's arena, position independent.
typedef struct {
  const strata_cpu_object_t *data;
  size_t count;
  STRATA_VECTOR(strata_cpu_stack_t) stacks;
} strata_cpu_objects_t;

// Compiles the kernels (level 5) for |device|. How they are divided among objects depends on the kernels alone; the
// objects are made by options->jobs threads.
STRATA_MUST_CHECK strata_status_t strata_cpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                                             const strata_cpu_device_t *device,
                                                             strata_cpu_objects_t *out_objects);

// The same for the emulated GPU: a kernel @k(ptr..., i64 block, i64 thread, ptr shared) is what one of its threads
// does, and the entries are visible. Such kernels run on few tasks, once: selecting and scheduling instructions with
// care, a third of a compile, takes longer than what it saves.
STRATA_MUST_CHECK strata_status_t strata_cpu_compile_threads(strata_compile_t *compile, MlirModule kernels,
                                                             const strata_cpu_device_t *device,
                                                             strata_cpu_objects_t *out_objects);

// Objects loaded into this process. What they need besides each other they find in libc and libm.
typedef struct strata_cpu_jit strata_cpu_jit_t;
STRATA_MUST_CHECK strata_status_t strata_cpu_jit_create(strata_compile_t *compile, const strata_cpu_objects_t *objects,
                                                        strata_cpu_jit_t **out_jit);
STRATA_MUST_CHECK strata_status_t strata_cpu_jit_lookup(strata_cpu_jit_t *jit, const char *kernel,
                                                        strata_cpu_entry_t *out_entry);
void strata_cpu_jit_destroy(strata_cpu_jit_t *jit); // NULL is allowed

#endif
