// Running objects in this process: LLVM's ORC links them in memory.
#include "targets/cpu/codegen.h"

#include "dialects/mlir_util.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <stdio.h>

struct strata_cpu_jit {
  strata_arena_t *arena; // of the compile
  LLVMOrcLLJITRef jit;
};

static strata_status_t take_error(LLVMErrorRef error, const char *what) {
  char *message = LLVMGetErrorMessage(error);
  strata_status_t status = strata_error(STRATA_INTERNAL, "%s: %s", what, message);
  LLVMDisposeErrorMessage(message);
  return status;
}

static LLVMErrorRef add_objects(LLVMOrcLLJITRef jit, const strata_cpu_objects_t *objects) {
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit);
  LLVMOrcDefinitionGeneratorRef process;
  LLVMErrorRef error =
      LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);
  if (error)
    return error;
  LLVMOrcJITDylibAddGenerator(library, process);
  for (size_t i = 0; i < objects->count && !error; i++) {
    const strata_cpu_object_t *object = &objects->data[i];
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object->data, object->size, "kernels");
    error = LLVMOrcLLJITAddObjectFile(jit, library, buffer);
  }
  return error;
}

strata_status_t strata_cpu_jit_create(strata_compile_t *compile, const strata_cpu_objects_t *objects,
                                      strata_cpu_jit_t **out_jit) {
  LLVMOrcLLJITRef jit;
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, NULL);
  if (error)
    return take_error(error, "starting the in-process linker");
  error = add_objects(jit, objects);
  if (error) {
    LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
    return take_error(error, "linking kernels in process");
  }
  *out_jit = strata_arena_new(compile->arena, strata_cpu_jit_t);
  **out_jit = (strata_cpu_jit_t){compile->arena, jit};
  return NULL;
}

strata_status_t strata_cpu_jit_lookup(strata_cpu_jit_t *jit, const char *kernel, strata_cpu_entry_t *out_entry) {
  LLVMOrcExecutorAddress address;
  LLVMErrorRef error =
      LLVMOrcLLJITLookup(jit->jit, &address, strata_arena_printf(jit->arena, STRATA_CPU_ENTRY_PREFIX "%s", kernel));
  if (error)
    return take_error(error, kernel);
  *out_entry = (strata_cpu_entry_t)(uintptr_t)address;
  return NULL;
}

void strata_cpu_jit_destroy(strata_cpu_jit_t *jit) {
  if (jit)
    LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->jit));
}
