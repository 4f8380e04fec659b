// AMD's kernels whose registers do not suffice in the order that LLVM has of us, or would rather have: they are
// compiled again, in others. Memory of a thread is far away, and the driver sets it aside for all that could run.
#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <string.h>

static void set(LLVMValueRef function, const char *name, const char *value) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

static void drop(LLVMValueRef function, const char *name) {
  LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                   (unsigned)strlen(name));
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

static bool has(LLVMValueRef function, const char *name) {
  return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                       (unsigned)strlen(name));
}

static bool take_fewest(LLVMValueRef function) {
  set(function, "amdgpu-sched-strategy", "iterative-minreg");
  return true;
}

static bool take_any_waves(LLVMValueRef function) {
  static const char waves[] = "amdgpu-waves-per-eu";
  bool is_known = has(function, waves);
  if (is_known)
    drop(function, waves);
  return is_known;
}

// What is given up for registers, one after the other: our order of memory's instructions, what is known of waves, and
// last LLVM's way to go about it. Each is true if the function had it to give.
static bool (*const concessions[])(LLVMValueRef function) = {strata_gpu_drop_order, take_any_waves, take_fewest};
enum { N_CONCESSIONS = sizeof concessions / sizeof *concessions };

// Makes concession |number| in the functions that |warnings| name, a line each: "... in function 'k3'". False if none
// of them is another then.
static bool concede(LLVMModuleRef module, const char *warnings, int number) {
  bool is_other = false;
  for (const char *line = warnings; line && *line; line = strchr(line, '\n') + 1) {
    const char *name = strchr(line, '\'');
    LLVMValueRef function = name ? LLVMGetNamedFunctionWithLength(module, name + 1, strcspn(name + 1, "'")) : NULL;
    is_other |= function && concessions[number](function);
  }
  return is_other;
}

// Code generation changes the module: what is kept of it is compiled again.
static void start_again(strata_llvm_unit_t *unit, LLVMModuleRef kept) {
  LLVMDisposeModule(unit->module);
  LLVMDisposeMemoryBuffer(unit->output);
  unit->module = kept;
  unit->output = NULL;
  unit->stacks = NULL;
}

bool strata_gpu_emit_without_spills(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, LLVMCodeGenFileType file) {
  ask_for_warnings(unit->module);
  for (int number = 0; number < N_CONCESSIONS;) {
    LLVMModuleRef again = LLVMCloneModule(unit->module);
    bool may_go_on = strata_llvm_emit(unit, machine, file) && unit->stacks;
    while (may_go_on && number < N_CONCESSIONS && !concede(again, unit->stacks, number))
      number++;
    if (!may_go_on || number == N_CONCESSIONS) {
      LLVMDisposeModule(again);
      return unit->output;
    }
    number++;
    start_again(unit, again);
  }
  return strata_llvm_emit(unit, machine, file);
}
