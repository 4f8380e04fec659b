// Kernels through LLVM; see units.h.
#include "targets/llvm/units.h"

#include "dialects/mlir_util.h"
#include "targets/llvm/quotients.h"

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <mlir-c/Target/LLVMIR.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

enum { MAX_THREADS = 64 };

//===-- Errors ---------------------------------------------------------------------------------------------------===//

static void note_error(strata_llvm_unit_t *unit, const char *message) {
  if (!unit->error)
    unit->error = strdup(message);
}

// "stack frame size (808) exceeds limit (0) in function 'f'": functions ask for this warning.
static void note_stack(strata_llvm_unit_t *unit, const char *message) {
  size_t length = unit->stacks ? strlen(unit->stacks) : 0, size = strlen(message);
  char *grown = realloc(unit->stacks, length + size + 2);
  if (!grown)
    return;
  sprintf(grown + length, "%s\n", message);
  unit->stacks = grown;
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

// Translates |count| kernels from |first| on, with every declaration of the module, to LLVM IR.
static LLVMModuleRef translate(MlirModule kernels, MlirOperation first, int count, LLVMContextRef context) {
  MlirModule part = mlirModuleCreateEmpty(mlirOperationGetLocation(first));
  MlirBlock body = mlirModuleGetBody(part), home = mlirModuleGetBody(kernels);
  for (MlirOperation op = mlirBlockGetFirstOperation(home); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!is_definition(op))
      mlirBlockAppendOwnedOperation(body, mlirOperationClone(op));
  MlirOperation before = (MlirOperation){0}, op = first;
  // The kernels go over and come back, in order.
  for (MlirOperation next; count > 0 && !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_definition(op))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body, op);
    count--;
    before = next;
  }
  LLVMModuleRef module = mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(part), context);
  for (MlirOperation back = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(back); back = next) {
    next = mlirOperationGetNextInBlock(back);
    if (!is_definition(back))
      continue;
    mlirOperationRemoveFromParent(back);
    mlirBlockInsertOwnedOperationBefore(home, before, back);
  }
  mlirModuleDestroy(part);
  return module;
}

static strata_status_t translate_units(strata_compile_t *compile, MlirModule kernels, int per_unit,
                                       const strata_llvm_units_t *units) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(kernels));
  for (size_t i = 0; i < units->count; i++) {
    strata_llvm_unit_t *unit = &units->data[i];
    while (!is_definition(op))
      op = mlirOperationGetNextInBlock(op);
    MlirOperation next = op;
    for (int n = 0; !mlirOperationIsNull(next) && n < per_unit; next = mlirOperationGetNextInBlock(next))
      n += is_definition(next);
    unit->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(unit->context, on_diagnostic, unit);
    unit->module = translate(kernels, op, per_unit, unit->context);
    if (!unit->module)
      return strata_compile_take_diagnostics(compile, "the kernels do not translate to LLVM IR");
    op = next;
  }
  return NULL;
}

strata_status_t strata_llvm_units_create(strata_compile_t *compile, MlirModule kernels, int per_unit,
                                         strata_llvm_units_t *out_units) {
  size_t n_kernels = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(kernels)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    n_kernels += is_definition(op);
  size_t count = (n_kernels + (size_t)per_unit - 1) / (size_t)per_unit;
  *out_units = (strata_llvm_units_t){strata_arena_array(compile->arena, strata_llvm_unit_t, count), count};
  strata_llvm_restrict_reciprocals(compile->arena, kernels);
  return translate_units(compile, kernels, per_unit, out_units);
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
    free(unit->error);
    free(unit->stacks);
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
  atomic_size_t next;
} queue_t;

static int work(void *user) {
  queue_t *queue = user;
  for (size_t i; (i = atomic_fetch_add(&queue->next, 1)) < queue->units->count;)
    queue->compile(&queue->units->data[i], queue->user);
  return 0;
}

void strata_llvm_units_compile(strata_llvm_units_t *units, int jobs, strata_llvm_compile_t compile, const void *user) {
  queue_t queue = {.units = units, .compile = compile, .user = user};
  thrd_t threads[MAX_THREADS];
  int n_threads = 0;
  while (n_threads < jobs - 1 && n_threads < MAX_THREADS && (size_t)n_threads + 1 < units->count &&
         thrd_create(&threads[n_threads], work, &queue) == thrd_success)
    n_threads++;
  work(&queue);
  for (int i = 0; i < n_threads; i++)
    thrd_join(threads[i], NULL);
}

strata_status_t strata_llvm_units_check(const strata_llvm_units_t *units) {
  for (size_t i = 0; i < units->count; i++)
    if (units->data[i].error || !units->data[i].output)
      return strata_error(STRATA_INTERNAL, "LLVM: %s", units->data[i].error ? units->data[i].error : "no output");
  return NULL;
}
