// Kernels through LLVM; see units.h.
#include "targets/llvm/units.h"

#include "dialects/each.h"
#include "dialects/mlir_util.h"
#include "targets/llvm/quotients.h"

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <mlir-c/Target/LLVMIR.h>
#include <string.h>
#include <threads.h>

//===-- Errors ---------------------------------------------------------------------------------------------------===//

static void note_error(strata_llvm_unit_t *unit, const char *message) {
  if (!unit->error)
    unit->error = strata_arena_strdup(unit->arena, message);
}

// "stack frame size (808) exceeds limit (0) in function 'f'": functions ask for this warning.
static void note_stack(strata_llvm_unit_t *unit, const char *message) {
  unit->stacks = strata_arena_printf(unit->arena, "%s%s\n", unit->stacks ? unit->stacks : "", message);
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
  char *text = LLVMGetDiagInfoDescription(info);
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
    note_error(user, text);
  else if (strstr(text, "stack frame size"))
    note_stack(user, text);
  LLVMDisposeMessage(text);
}

//===-- Translation ----------------------------------------------------------------------------------------------===//

static bool is_definition(MlirOperation op) {
  return strata_op_is(op, "llvm.func") && !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

// Takes the next |units->per_unit| kernels from |*first| on out of their module and puts them into one of the unit's
// own, with every declaration there is.
static void take_kernels(strata_llvm_units_t *units, MlirOperation *first, strata_llvm_unit_t *unit) {
  int count = units->per_unit;
  while (!is_definition(*first))
    *first = mlirOperationGetNextInBlock(*first);
  unit->kernels = mlirModuleCreateEmpty(mlirOperationGetLocation(*first));
  MlirBlock body = mlirModuleGetBody(unit->kernels), home = mlirModuleGetBody(units->kernels);
  for (MlirOperation op = mlirBlockGetFirstOperation(home); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!is_definition(op))
      mlirBlockAppendOwnedOperation(body, mlirOperationClone(op));
  MlirOperation op = *first;
  for (MlirOperation next; count > 0 && !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_definition(op))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body, op);
    *strata_vector_push(units->compile->arena, &unit->taken) = (strata_llvm_taken_t){op, next};
    count--;
  }
  *first = op;
}

// Puts all kernels back where they were, the last that was taken first.
static void return_kernels(strata_llvm_units_t *units) {
  MlirBlock home = mlirModuleGetBody(units->kernels);
  for (size_t i = units->count; i-- > 0;) {
    strata_llvm_unit_t *unit = &units->data[i];
    for (size_t k = unit->taken.count; k-- > 0;) {
      mlirOperationRemoveFromParent(unit->taken.data[k].kernel);
      mlirBlockInsertOwnedOperationBefore(home, unit->taken.data[k].next, unit->taken.data[k].kernel);
    }
    unit->taken.count = 0;
    if (!mlirModuleIsNull(unit->kernels))
      mlirModuleDestroy(unit->kernels);
    unit->kernels = (MlirModule){NULL};
  }
}

strata_llvm_units_t strata_llvm_units_create(strata_compile_t *compile, MlirModule kernels, int per_unit) {
  size_t n_kernels = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(kernels)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    n_kernels += is_definition(op);
  size_t count = (n_kernels + (size_t)per_unit - 1) / (size_t)per_unit;
  strata_llvm_restrict_reciprocals(compile->arena, kernels);
  return (strata_llvm_units_t){compile, kernels, per_unit,
                               strata_arena_array(compile->arena, strata_llvm_unit_t, count), count};
}

void strata_llvm_units_dispose(strata_llvm_units_t *units) {
  for (size_t i = 0; i < units->count; i++) {
    strata_llvm_unit_t *unit = &units->data[i];
    if (unit->output)
      LLVMDisposeMemoryBuffer(unit->output);
    if (unit->module)
      LLVMDisposeModule(unit->module);
    if (unit->context)
      LLVMContextDispose(unit->context);
    strata_arena_destroy(unit->arena);
  }
}

//===-- Compiling one --------------------------------------------------------------------------------------------===//

static void initialize_targets(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
}

static once_flag targets_once = ONCE_FLAG_INIT;

LLVMTargetMachineRef strata_llvm_machine(strata_llvm_unit_t *unit, const strata_llvm_target_t *target) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                               LLVMCodeGenLevelAggressive};
  call_once(&targets_once, initialize_targets);
  LLVMTargetRef llvm_target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(target->triple, &llvm_target, &message)) {
    note_error(unit, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(llvm_target, target->triple, target->cpu, target->features,
                                                         levels[target->opt_level], LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(unit->module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(unit->module, target->triple);
  return machine;
}

bool strata_llvm_run_passes(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, const char *passes,
                            LLVMValueRef function) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = function ? LLVMRunPassesOnFunction(function, passes, machine, options)
                                : LLVMRunPasses(unit->module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  note_error(unit, message);
  LLVMDisposeErrorMessage(message);
  return false;
}

bool strata_llvm_emit(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, LLVMCodeGenFileType type) {
  char *message = NULL;
  if (!LLVMTargetMachineEmitToMemoryBuffer(machine, unit->module, type, &message, &unit->output))
    return true;
  note_error(unit, message);
  LLVMDisposeMessage(message);
  return false;
}

//===-- Compiling all --------------------------------------------------------------------------------------------===//

typedef struct {
  strata_llvm_units_t *units;
  strata_llvm_compile_t compile;
  const void *user;
} compiling_t;

static void translate(strata_llvm_unit_t *unit) {
  unit->arena = strata_arena_create();
  unit->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(unit->context, on_diagnostic, unit);
  unit->module = mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(unit->kernels), unit->context);
}

// The first is translated already.
static strata_status_t compile_unit(strata_compile_t *compile, size_t i, void *user) {
  const compiling_t *compiling = user;
  strata_llvm_unit_t *unit = &compiling->units->data[i];
  (void)compile;
  if (i > 0)
    translate(unit);
  if (unit->module)
    compiling->compile(unit, compiling->user);
  return NULL;
}

// The first error of a unit.
static strata_status_t check(const strata_llvm_units_t *units) {
  for (size_t i = 0; i < units->count; i++) {
    const strata_llvm_unit_t *unit = &units->data[i];
    if (!unit->module)
      return strata_compile_take_diagnostics(units->compile, "the kernels do not translate to LLVM IR");
    if (unit->error || !unit->output)
      return strata_error(STRATA_INTERNAL, "LLVM: %s", unit->error ? unit->error : "no output");
  }
  return NULL;
}

strata_status_t strata_llvm_units_compile(strata_llvm_units_t *units, strata_llvm_compile_t compile, const void *user) {
  compiling_t compiling = {units, compile, user};
  MlirOperation first = mlirBlockGetFirstOperation(mlirModuleGetBody(units->kernels));
  for (size_t i = 0; i < units->count; i++)
    take_kernels(units, &first, &units->data[i]);
  if (units->count > 0)
    translate(&units->data[0]); // what MLIR loads for that is there then
  strata_status_t status = strata_compile_each(units->compile, units->count, compile_unit, &compiling);
  return_kernels(units);
  return status ? status : check(units);
}
