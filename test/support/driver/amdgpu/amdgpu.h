// Executes AMD's code objects: what libstrata_test_cuda.so loads, as libstrata_test_amdgpu.so, when it is given one. It
// needs LLVM, whose disassembler says what an instruction is; the rest of the stand-in does not.
#ifndef STRATA_TEST_SUPPORT_DRIVER_AMDGPU_AMDGPU_H
#define STRATA_TEST_SUPPORT_DRIVER_AMDGPU_AMDGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct amdgpu_program amdgpu_program_t;

enum { AMDGPU_TEXT = 400 }; // bytes of a finding

typedef struct {
  uint32_t arguments; // bytes that the caller gives
  uint32_t shared;    // static
} amdgpu_kernel_info_t;

typedef struct {
  const char *kernel;
  uint32_t blocks, threads, shared; // shared: dynamic
  const void *arguments;
  size_t arguments_size;
  // The allocation that an address lies in; false: none.
  bool (*find_memory)(uintptr_t address, uintptr_t *out_base, size_t *out_size);
} amdgpu_launch_t;

// The library's functions; a text is left in |finding| where one gives NULL or false.
typedef struct {
  amdgpu_program_t *(*load)(const void *image, size_t size, char *finding);
  void (*unload)(amdgpu_program_t *program);
  bool (*runs_on)(const amdgpu_program_t *program, uint32_t arch); // 0x942
  bool (*find_kernel)(const amdgpu_program_t *program, const char *name, amdgpu_kernel_info_t *out_info);
  bool (*launch)(amdgpu_program_t *program, const amdgpu_launch_t *launch, char *finding);
} amdgpu_functions_t;

#define AMDGPU_FUNCTIONS "strata_test_amdgpu"

#endif
