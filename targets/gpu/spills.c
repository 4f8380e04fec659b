// AMD's kernels whose registers do not suffice in the order that LLVM would rather have: they are compiled again, in
// the order that takes the fewest. Memory of a thread is far away, and the driver sets it aside for all that could run.
#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static void set(LLVMValueRef function, const char *name, const char *value) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

// Memory that the kernel asks for itself is no spill.
static bool has_arrays(LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (LLVMGetInstructionOpcode(op) == LLVMAlloca)
        return true;
  return false;
}

// LLVM warns of the frames of functions that ask for it (unit->stacks), of spills alone here.
static void ask_for_warnings(LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    if (LLVMCountBasicBlocks(function) > 0 && !has_arrays(function))
      set(function, "warn-stack-size", "0");
}

// The functions that |warnings| name, a line each: "... in function 'k3'".
static void take_fewer_registers(LLVMModuleRef module, const char *warnings) {
  for (const char *line = warnings; line && *line; line = strchr(line, '\n') + 1) {
    const char *name = strchr(line, '\'');
    LLVMValueRef function = name ? LLVMGetNamedFunctionWithLength(module, name + 1, strcspn(name + 1, "'")) : NULL;
    if (function)
      set(function, "amdgpu-sched-strategy", "iterative-minreg");
  }
}

bool strata_gpu_emit_without_spills(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, LLVMCodeGenFileType file) {
  ask_for_warnings(unit->module);
  LLVMModuleRef again = LLVMCloneModule(unit->module); // code generation changes the module
  if (!strata_llvm_emit(unit, machine, file) || !unit->stacks) {
    LLVMDisposeModule(again);
    return unit->output;
  }
  take_fewer_registers(again, unit->stacks);
  LLVMDisposeModule(unit->module);
  LLVMDisposeMemoryBuffer(unit->output);
  free(unit->stacks);
  unit->module = again;
  unit->output = NULL;
  unit->stacks = NULL;
  return strata_llvm_emit(unit, machine, file);
}
