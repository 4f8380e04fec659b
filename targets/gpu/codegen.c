// Device code by the kind of the device's code; see codegen.h.
#include "targets/gpu/codegen.h"

#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>

// Indices are inside their buffers (memory.c), which MLIR's C interface cannot say of an address.
static void promise_bounds(LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (LLVMGetInstructionOpcode(op) == LLVMGetElementPtr)
        LLVMGEPSetNoWrapFlags(op, LLVMGEPFlagInBounds | LLVMGEPFlagNUSW | LLVMGEPFlagNUW);
}

bool strata_gpu_optimize(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, int opt_level) {
  static const char *const levels[] = {"globaldce", "default<O1>", "default<O2>", "default<O3>"};
  for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function; function = LLVMGetNextFunction(function))
    promise_bounds(function);
  return strata_llvm_run_passes(unit, machine, levels[opt_level], NULL);
}

strata_status_t strata_gpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                           const strata_gpu_device_t *device, strata_gpu_binary_t *out_binary) {
  *out_binary = (strata_gpu_binary_t){0};
  switch (device->code) {
  case STRATA_GPU_NVPTX:
    return strata_gpu_emit_ptx(compile, kernels, device, out_binary);
  case STRATA_GPU_AMDGCN:
    return strata_gpu_emit_hsaco(compile, kernels, device, out_binary);
  case STRATA_GPU_EMULATED:
    return strata_gpu_emit_host(compile, kernels, out_binary);
  }
  return strata_error(STRATA_INTERNAL, "%s: code of no known kind", device->name);
}
