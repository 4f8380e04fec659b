// Objects from kernels in the LLVM dialect; see codegen.h.
//
// Kernels are dealt out to LLVM modules, each with a context of its own, translated one after the other (MLIR is used
// by one thread) and then optimised and emitted by as many threads as the compile may use.
#include "targets/cpu/codegen.h"

#include "dialects/mlir_util.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <mlir-c/Target/LLVMIR.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

enum { KERNELS_PER_MODULE = 8, MAX_THREADS = 64 };

// One LLVM module on its way to an object.
typedef struct {
  LLVMContextRef context;
  LLVMModuleRef module;
  const strata_cpu_device_t *device;
  int opt_level;
  LLVMMemoryBufferRef object;
  char *error;  // LLVM's first message, malloc'ed
  char *stacks; // what LLVM said of stack frames, a line each, malloc'ed
} unit_t;

//===-- Errors ---------------------------------------------------------------------------------------------------===//

static void note_error(unit_t *unit, const char *message) {
  if (!unit->error)
    unit->error = strdup(message);
}

// "stack frame size (808) exceeds limit (0) in function 'f'": functions ask for this warning.
static void note_stack(unit_t *unit, const char *message) {
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

//===-- Functions ------------------------------------------------------------------------------------------------===//

static void add_string_attr(LLVMValueRef function, const char *name, const char *value) {
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), name,
                                                    (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

static void add_enum_attr(LLVMValueRef function, unsigned index, const char *name, uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, index,
                          LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, value));
}

static void add_target_attrs(LLVMValueRef function, const strata_cpu_device_t *device) {
  add_enum_attr(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
  add_string_attr(function, "no-trapping-math", "true");
  add_string_attr(function, "warn-stack-size", "0");
  add_string_attr(function, "target-cpu", device->cpu);
  add_string_attr(function, "target-features", device->features);
  if (device->vector_bytes == 64) // LLVM prefers 256 bits on most processors that have 512
    add_string_attr(function, "prefer-vector-width", "512");
}

// True if some stores go past the caches: they are not ordered with others.
static bool has_streaming_stores(const unit_t *unit, LLVMValueRef kernel) {
  unsigned kind = LLVMGetMDKindIDInContext(unit->context, "nontemporal", (unsigned)strlen("nontemporal"));
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (LLVMHasMetadata(op) && LLVMGetMetadata(op, kind))
        return true;
  return false;
}

// void strata_entry_k(ptr buffers, i64 begin, i64 end, ptr scratch) { k(buffers[0], ..., begin, end, scratch) }
static void build_entry(const unit_t *unit, LLVMValueRef kernel) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(unit->context, 0), i64 = LLVMInt64TypeInContext(unit->context);
  LLVMTypeRef parameters[] = {pointer, i64, i64, pointer};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), parameters, 4, false);
  size_t length;
  const char *name = LLVMGetValueName2(kernel, &length);
  char *entry_name = malloc(sizeof STRATA_CPU_ENTRY_PREFIX + length);
  sprintf(entry_name, "%s%s", STRATA_CPU_ENTRY_PREFIX, name);
  LLVMValueRef entry = LLVMAddFunction(unit->module, entry_name, type);
  free(entry_name);
  LLVMSetVisibility(entry, LLVMHiddenVisibility);
  add_target_attrs(entry, unit->device);
  enum { SCRATCH = 4 }; // attributes count parameters from 1
  add_enum_attr(entry, SCRATCH, "noalias", 0);
  add_enum_attr(entry, SCRATCH, "align", 64);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, entry, ""));
  unsigned n_parameters = LLVMCountParams(kernel), n_buffers = n_parameters - 3;
  LLVMValueRef *arguments = malloc(n_parameters * sizeof *arguments);
  for (unsigned i = 0; i < n_buffers; i++) {
    LLVMValueRef index = LLVMConstInt(i64, i, false);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(builder, pointer, LLVMGetParam(entry, 0), &index, 1, "");
    arguments[i] = LLVMBuildLoad2(builder, pointer, place, "");
  }
  for (unsigned i = 0; i < 3; i++)
    arguments[n_buffers + i] = LLVMGetParam(entry, 1 + i);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(kernel), kernel, arguments, n_parameters, "");
  if (has_streaming_stores(unit, kernel)) // who waits for the kernel must see them
    LLVMBuildFence(builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  free(arguments);
}

static void prepare_functions(const unit_t *unit) {
  LLVMValueRef last = LLVMGetLastFunction(unit->module), function = NULL; // entries come behind it
  while (function != last) {
    function = function ? LLVMGetNextFunction(function) : LLVMGetFirstFunction(unit->module);
    if (LLVMCountBasicBlocks(function) == 0)
      continue;
    LLVMSetLinkage(function, LLVMInternalLinkage);
    add_target_attrs(function, unit->device);
    // A kernel with debug information would lose its lines inside the entry, which has none.
    add_enum_attr(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                  LLVMGetSubprogram(function) ? "noinline" : "alwaysinline", 0);
    build_entry(unit, function);
  }
}

//===-- Objects --------------------------------------------------------------------------------------------------===//

static LLVMTargetMachineRef create_machine(unit_t *unit) {
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(unit->device->triple, &target, &message)) {
    note_error(unit, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                               LLVMCodeGenLevelAggressive};
  return LLVMCreateTargetMachine(target, unit->device->triple, unit->device->cpu, unit->device->features,
                                 levels[unit->opt_level], LLVMRelocPIC, LLVMCodeModelDefault);
}

// What kernels of native vectors need, and what scalar loops need besides: a tenth and a half of LLVM's default<O2>.
// Vectors are where they should be already, and pairing scalars to new ones would undo broadcasts.
#define CLEAN_UP "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg"
static const char vector_passes[] = CLEAN_UP ",loop-simplify,lcssa,loop-mssa(loop-rotate,licm),loop(indvars)," CLEAN_UP;
static const char scalar_passes[] =
    CLEAN_UP ",loop-simplify,lcssa,loop-mssa(loop-rotate,licm,simple-loop-unswitch)," CLEAN_UP
             ",loop(indvars,loop-deletion,loop-unroll-full),gvn,dse,loop-vectorize," CLEAN_UP ",loop-unroll," CLEAN_UP
             ",loop-mssa(licm)";

static bool take_passes_error(unit_t *unit, LLVMErrorRef error) {
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  note_error(unit, message);
  LLVMDisposeErrorMessage(message);
  return false;
}

static bool has_vectors(LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (LLVMGetTypeKind(LLVMTypeOf(op)) == LLVMVectorTypeKind)
        return true;
  return false;
}

static bool optimize(unit_t *unit, LLVMTargetMachineRef machine) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  bool ok = take_passes_error(unit, LLVMRunPasses(unit->module, "always-inline", machine, options));
  for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function && ok && unit->opt_level > 0;
       function = LLVMGetNextFunction(function)) {
    if (LLVMCountBasicBlocks(function) == 0)
      continue;
    const char *passes = has_vectors(function) || unit->opt_level == 1 ? vector_passes : scalar_passes;
    ok = take_passes_error(unit, LLVMRunPassesOnFunction(function, passes, machine, options));
  }
  LLVMDisposePassBuilderOptions(options);
  return ok;
}

static void compile_unit(unit_t *unit) {
  LLVMTargetMachineRef machine = create_machine(unit);
  if (!machine)
    return;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(unit->module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(unit->module, unit->device->triple);
  prepare_functions(unit);
  char *message = NULL;
  if (optimize(unit, machine) &&
      LLVMTargetMachineEmitToMemoryBuffer(machine, unit->module, LLVMObjectFile, &message, &unit->object)) {
    note_error(unit, message);
    LLVMDisposeMessage(message);
  }
  LLVMDisposeTargetMachine(machine);
}

//===-- Threads --------------------------------------------------------------------------------------------------===//

typedef struct {
  unit_t *units;
  size_t count;
  atomic_size_t next;
} queue_t;

static int work(void *user) {
  queue_t *queue = user;
  for (size_t i; (i = atomic_fetch_add(&queue->next, 1)) < queue->count;)
    compile_unit(&queue->units[i]);
  return 0;
}

static void compile_units(unit_t *units, size_t count, int jobs) {
  queue_t queue = {.units = units, .count = count};
  thrd_t threads[MAX_THREADS];
  int n_threads = 0;
  while (n_threads < jobs - 1 && n_threads < MAX_THREADS && (size_t)n_threads + 1 < count &&
         thrd_create(&threads[n_threads], work, &queue) == thrd_success)
    n_threads++;
  work(&queue);
  for (int i = 0; i < n_threads; i++)
    thrd_join(threads[i], NULL);
}

static void initialize_targets(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

static once_flag targets_once = ONCE_FLAG_INIT;

//===-- All of it ------------------------------------------------------------------------------------------------===//

static strata_status_t translate_units(strata_compile_t *compile, MlirModule kernels, unit_t *units, size_t count) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(kernels));
  for (size_t i = 0; i < count; i++) {
    while (!is_definition(op))
      op = mlirOperationGetNextInBlock(op);
    MlirOperation next = op;
    for (int n = 0; !mlirOperationIsNull(next) && n < KERNELS_PER_MODULE; next = mlirOperationGetNextInBlock(next))
      n += is_definition(next);
    units[i].context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(units[i].context, on_diagnostic, &units[i]);
    units[i].module = translate(kernels, op, KERNELS_PER_MODULE, units[i].context);
    if (!units[i].module)
      return strata_compile_take_diagnostics(compile, "the kernels do not translate to LLVM IR");
    op = next;
  }
  return NULL;
}

static void take_stacks(strata_arena_t *arena, const unit_t *unit, strata_cpu_objects_t *objects) {
  for (const char *line = unit->stacks; line && *line; line = strchr(line, '\n') + 1) {
    const char *size = strchr(line, '('), *name = strchr(line, '\'');
    if (size && name)
      *strata_vector_push(arena, &objects->stacks) =
          (strata_cpu_stack_t){.function = strata_arena_printf(arena, "%.*s", (int)strcspn(name + 1, "'"), name + 1),
                               .bytes = strtoll(size + 1, NULL, 10)};
  }
}

static strata_status_t take_objects(strata_compile_t *compile, unit_t *units, size_t count,
                                    strata_cpu_objects_t *out_objects) {
  strata_cpu_object_t *objects = strata_arena_array(compile->arena, strata_cpu_object_t, count);
  for (size_t i = 0; i < count; i++) {
    if (units[i].error || !units[i].object)
      return strata_error(STRATA_INTERNAL, "LLVM: %s", units[i].error ? units[i].error : "no object");
    objects[i].size = LLVMGetBufferSize(units[i].object);
    objects[i].data = strata_arena_copy(compile->arena, LLVMGetBufferStart(units[i].object), objects[i].size);
  }
  *out_objects = (strata_cpu_objects_t){.data = objects, .count = count};
  for (size_t i = 0; i < count; i++)
    take_stacks(compile->arena, &units[i], out_objects);
  return NULL;
}

static void dispose_units(unit_t *units, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (units[i].object)
      LLVMDisposeMemoryBuffer(units[i].object);
    if (units[i].module)
      LLVMDisposeModule(units[i].module);
    if (units[i].context)
      LLVMContextDispose(units[i].context);
    free(units[i].error);
    free(units[i].stacks);
  }
}

strata_status_t strata_cpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                           const strata_cpu_device_t *device, strata_cpu_objects_t *out_objects) {
  call_once(&targets_once, initialize_targets);
  size_t n_kernels = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(kernels)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    n_kernels += is_definition(op);
  size_t count = (n_kernels + KERNELS_PER_MODULE - 1) / KERNELS_PER_MODULE;
  unit_t *units = strata_arena_array(compile->arena, unit_t, count);
  for (size_t i = 0; i < count; i++)
    units[i] = (unit_t){.device = device, .opt_level = compile->options->opt_level};
  strata_status_t status = translate_units(compile, kernels, units, count);
  if (!status) {
    compile_units(units, count, compile->options->jobs);
    status = take_objects(compile, units, count, out_objects);
  }
  dispose_units(units, count);
  return status;
}
