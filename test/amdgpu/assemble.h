// Small kernels written in AMD's assembly, assembled by LLVM and linked by its linker, and run on the stand-in for HIP.
#ifndef STRATA_TEST_AMDGPU_ASSEMBLE_H
#define STRATA_TEST_AMDGPU_ASSEMBLE_H

#include "runtime/base/process.h"
#include "targets/llvm/tools.h"
#include "test/support/check.h"
#include "test/support/driver/control.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

int hipInit(unsigned flags);
int hipMalloc(void **out, size_t size);
int hipFree(void *memory);
int hipMemcpyHtoDAsync(void *dst, const void *src, size_t size, void *stream);
int hipMemcpyDtoHAsync(void *dst, const void *src, size_t size, void *stream);
int hipStreamSynchronize(void *stream);
int hipModuleLoadData(void **out, const void *image);
int hipModuleUnload(void *module);
int hipModuleGetFunction(void **out, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **params,
                          void **extra);

typedef struct {
  const char *chip;
  unsigned lanes;
} chip_t;

// Text that grows.
typedef struct {
  char *data;
  size_t size;
} text_t;

static inline void add(text_t *text, const char *format, ...) {
  char line[4096];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  text->data = realloc(text->data, text->size + (size_t)length + 1);
  memcpy(text->data + text->size, line, (size_t)length + 1);
  text->size += (size_t)length;
}

static inline bool has_counters_apart(const chip_t *chip) { return strncmp(chip->chip, "gfx12", 5) == 0; }

// A kernel of two pointers, in s[4:7] when |body| begins, with the lane's number in v30; |shared|: bytes of LDS.
static inline void add_kernel(text_t *text, const chip_t *chip, const char *name, const char *body, unsigned shared) {
  add(text, ".text\n.globl %s\n.p2align 8\n.type %s,@function\n%s:\n", name, name, name);
  add(text, "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_mov_b32 v30, v0\n%s\n%s\ns_endpgm\n",
      has_counters_apart(chip) ? "s_wait_kmcnt 0" : "s_waitcnt lgkmcnt(0)", body);
  add(text, ".size %s, .-%s\n.rodata\n.p2align 6\n.amdhsa_kernel %s\n", name, name, name);
  add(text, ".amdhsa_next_free_vgpr 96\n.amdhsa_next_free_sgpr 32\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n");
  add(text, ".amdhsa_kernarg_size 16\n.amdhsa_group_segment_fixed_size %u\n%s.end_amdhsa_kernel\n", shared,
      chip->lanes == 64 ? ".amdhsa_accum_offset 64\n" : "");
  add(text, ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\n");
  add(text, "amdhsa.target: amdgcn-amd-amdhsa--%s\namdhsa.kernels:\n  - .name: %s\n    .symbol: %s.kd\n", chip->chip,
      name, name);
  add(text, "    .kernarg_segment_size: 16\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: %u\n",
      shared);
  add(text, "    .private_segment_fixed_size: 0\n    .wavefront_size: %u\n    .sgpr_count: 32\n    .vgpr_count: 96\n",
      chip->lanes);
  add(text, "    .max_flat_workgroup_size: 1024\n    .args:\n");
  for (int i = 0; i < 2; i++)
    add(text, "      - {.offset: %d, .size: 8, .value_kind: global_buffer, .address_space: global}\n", 8 * i);
  add(text, "...\n.end_amdgpu_metadata\n");
}

static inline void write_object(const chip_t *chip, const text_t *text, const char *path) {
  char *error = NULL;
  LLVMTargetRef target;
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUAsmPrinter();
  CHECK(!LLVMGetTargetFromTriple("amdgcn-amd-amdhsa", &target, &error));
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, "amdgcn-amd-amdhsa", chip->chip, "",
                                                         LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kernels", context);
  LLVMSetTarget(module, "amdgcn-amd-amdhsa");
  LLVMSetModuleInlineAsm2(module, text->data, text->size);
  CHECK(!LLVMTargetMachineEmitToFile(machine, module, (char *)(uintptr_t)path, LLVMObjectFile, &error));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(machine);
}

static inline void *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file && fseek(file, 0, SEEK_END) == 0);
  long size = ftell(file);
  void *data = malloc((size_t)size);
  rewind(file);
  CHECK(fread(data, 1, (size_t)size, file) == (size_t)size);
  fclose(file);
  return data;
}

// The module of the kernels in |text|, which is freed.
static inline void *load_kernels(const chip_t *chip, text_t *text) {
  strata_arena_t *arena = strata_arena_create();
  const char *linker;
  void *module = NULL;
  write_object(chip, text, "kernels.o");
  free(text->data);
  *text = (text_t){0};
  CHECK(strata_find_linker(arena, &linker) == STRATA_OK);
  CHECK(strata_process_run(arena, (const char *[]){linker, "-shared", "-o", "kernels.elf", "kernels.o", NULL}) ==
        STRATA_OK);
  strata_arena_destroy(arena);
  void *image = read_file("kernels.elf");
  CHECK(hipModuleLoadData(&module, image) == 0);
  return module; // the image stays: it is part of the module
}

// One block, of as many threads as there are; what it found, "" if nothing.
static inline const char *run_kernel(void *module, const char *name, unsigned threads, void *in, void *out) {
  void *function = NULL, *arguments[] = {in, out};
  size_t size = sizeof arguments;
  CHECK(hipModuleGetFunction(&function, module, name) == 0);
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, NULL,
                              (void *[]){(void *)1, arguments, (void *)2, &size, (void *)3}) == 0);
  (void)hipStreamSynchronize(NULL);
  return strata_test_driver_take_fault();
}

#endif
