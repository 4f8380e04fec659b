// Objects from kernels in the LLVM dialect; see codegen.h.
#include "targets/cpu/codegen.h"

#include "targets/llvm/units.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_PER_UNIT = 4 };

typedef struct {
  const strata_cpu_device_t *device;
  int opt_level;  // of the passes on LLVM's IR
  int code_level; // of the code generator behind them
  bool is_thread; // a kernel is what one thread of a GPU does
} settings_t;

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
static bool has_streaming_stores(const strata_llvm_unit_t *unit, LLVMValueRef kernel) {
  unsigned kind = LLVMGetMDKindIDInContext(unit->context, "nontemporal", (unsigned)strlen("nontemporal"));
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (LLVMHasMetadata(op) && LLVMGetMetadata(op, kind))
        return true;
  return false;
}

// void strata_entry_k(ptr buffers, i64 begin, i64 end, ptr scratch) { k(buffers[0], ..., begin, end, scratch) }
//
// Sizes come behind the buffers, in the same array.
static void build_entry(const strata_llvm_unit_t *unit, LLVMValueRef kernel, const settings_t *settings) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(unit->context, 0), i64 = LLVMInt64TypeInContext(unit->context);
  LLVMTypeRef parameters[] = {pointer, i64, i64, pointer};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), parameters, 4, false);
  size_t length;
  const char *name = LLVMGetValueName2(kernel, &length);
  const char *entry_name = strata_arena_printf(unit->arena, "%s%s", STRATA_CPU_ENTRY_PREFIX, name);
  LLVMValueRef entry = LLVMAddFunction(unit->module, entry_name, type);
  add_target_attrs(entry, settings->device);
  enum { SCRATCH = 4 }; // attributes count parameters from 1
  add_enum_attr(entry, SCRATCH, "align", 64);
  if (!settings->is_thread) { // other threads' memory is written behind this one's back, at barriers
    LLVMSetVisibility(entry, LLVMHiddenVisibility);
    add_enum_attr(entry, SCRATCH, "noalias", 0);
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, entry, ""));
  unsigned n_parameters = LLVMCountParams(kernel), n_buffers = n_parameters - 3;
  LLVMValueRef *arguments = strata_arena_array(unit->arena, LLVMValueRef, n_parameters);
  for (unsigned i = 0; i < n_buffers; i++) {
    LLVMValueRef index = LLVMConstInt(i64, i, false);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(builder, pointer, LLVMGetParam(entry, 0), &index, 1, "");
    arguments[i] = LLVMBuildLoad2(builder, LLVMTypeOf(LLVMGetParam(kernel, i)), place, "");
  }
  for (unsigned i = 0; i < 3; i++)
    arguments[n_buffers + i] = LLVMGetParam(entry, 1 + i);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(kernel), kernel, arguments, n_parameters, "");
  if (has_streaming_stores(unit, kernel)) // who waits for the kernel must see them
    LLVMBuildFence(builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}

static void prepare_functions(const strata_llvm_unit_t *unit, const settings_t *settings) {
  LLVMValueRef last = LLVMGetLastFunction(unit->module), function = NULL; // entries come behind it
  while (function != last) {
    function = function ? LLVMGetNextFunction(function) : LLVMGetFirstFunction(unit->module);
    if (LLVMCountBasicBlocks(function) == 0)
      continue;
    LLVMSetLinkage(function, LLVMInternalLinkage);
    add_target_attrs(function, settings->device);
    // A kernel with debug information would lose its lines inside the entry, which has none.
    add_enum_attr(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                  LLVMGetSubprogram(function) ? "noinline" : "alwaysinline", 0);
    build_entry(unit, function, settings);
  }
}

//===-- Objects --------------------------------------------------------------------------------------------------===//

// What kernels of native vectors need, and what scalar loops need besides: a tenth and a half of LLVM's default<O2>.
// Vectors are where they should be already, and pairing scalars to new ones would undo broadcasts.
#define CLEAN_UP "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg"
static const char vector_passes[] = CLEAN_UP ",loop-simplify,lcssa,loop-mssa(loop-rotate,licm),loop(indvars)," CLEAN_UP;
#define SCALAR_PASSES(vectorize)                                                                                       \
  CLEAN_UP ",loop-simplify,lcssa,loop-mssa(loop-rotate,licm,simple-loop-unswitch)," CLEAN_UP                           \
           ",loop(indvars,loop-deletion,loop-unroll-full),gvn,dse," vectorize CLEAN_UP ",loop-unroll," CLEAN_UP        \
           ",loop-mssa(licm)"
static const char scalar_passes[] = SCALAR_PASSES("loop-vectorize,");
static const char wrapping_passes[] = SCALAR_PASSES("");

static bool any_op(LLVMValueRef function, bool (*is_it)(LLVMValueRef op)) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (is_it(op))
        return true;
  return false;
}

static bool is_vector(LLVMValueRef op) { return LLVMGetTypeKind(LLVMTypeOf(op)) == LLVMVectorTypeKind; }

// True of what may come back to zero while a loop's counter goes on: LLVM 22's loop-vectorize takes
// a[c + (i urem 16)], and whatever it sees as a narrow counter of its own, for consecutive elements.
static bool may_wrap(LLVMValueRef op) {
  LLVMTypeRef type = LLVMTypeOf(op);
  bool is_number = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1;
  switch (LLVMGetInstructionOpcode(op)) {
  case LLVMURem:
  case LLVMSRem:
  case LLVMAnd:
  case LLVMTrunc:
    return is_number;
  default:
    return false;
  }
}

static const char *passes_of(LLVMValueRef function, int opt_level) {
  if (opt_level == 1 || any_op(function, is_vector))
    return vector_passes;
  return any_op(function, may_wrap) ? wrapping_passes : scalar_passes;
}

static bool optimize(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, int opt_level) {
  bool ok = strata_llvm_run_passes(unit, machine, "always-inline", NULL);
  for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function && ok && opt_level > 0;
       function = LLVMGetNextFunction(function))
    if (LLVMCountBasicBlocks(function) > 0)
      ok = strata_llvm_run_passes(unit, machine, passes_of(function, opt_level), function);
  return ok;
}

static void compile_unit(strata_llvm_unit_t *unit, const void *user) {
  const settings_t *settings = user;
  const strata_cpu_device_t *device = settings->device;
  const strata_llvm_target_t target = {device->triple, device->cpu, device->features, settings->code_level};
  LLVMTargetMachineRef machine = strata_llvm_machine(unit, &target);
  if (!machine)
    return;
  prepare_functions(unit, settings);
  if (optimize(unit, machine, settings->opt_level))
    strata_llvm_emit(unit, machine, LLVMObjectFile);
  LLVMDisposeTargetMachine(machine);
}

static void take_stacks(strata_arena_t *arena, const strata_llvm_unit_t *unit, strata_cpu_objects_t *objects) {
  for (const char *line = unit->stacks; line && *line; line = strchr(line, '\n') + 1) {
    const char *size = strchr(line, '('), *name = strchr(line, '\'');
    if (size && name)
      *strata_vector_push(arena, &objects->stacks) =
          (strata_cpu_stack_t){.function = strata_arena_printf(arena, "%.*s", (int)strcspn(name + 1, "'"), name + 1),
                               .bytes = strtoll(size + 1, NULL, 10)};
  }
}

static void take_objects(strata_arena_t *arena, const strata_llvm_units_t *units, strata_cpu_objects_t *out_objects) {
  strata_cpu_object_t *objects = strata_arena_array(arena, strata_cpu_object_t, units->count);
  *out_objects = (strata_cpu_objects_t){.data = objects, .count = units->count};
  for (size_t i = 0; i < units->count; i++) {
    objects[i].size = LLVMGetBufferSize(units->data[i].output);
    objects[i].data = strata_arena_copy(arena, LLVMGetBufferStart(units->data[i].output), objects[i].size);
    take_stacks(arena, &units->data[i], out_objects);
  }
}

static strata_status_t compile_kernels(strata_compile_t *compile, MlirModule kernels, const settings_t *settings,
                                       strata_cpu_objects_t *out_objects) {
  strata_llvm_units_t units = strata_llvm_units_create(compile, kernels, KERNELS_PER_UNIT);
  strata_status_t status = strata_llvm_units_compile(&units, compile_unit, settings);
  if (!status)
    take_objects(compile->arena, &units, out_objects);
  strata_llvm_units_dispose(&units);
  return status;
}

strata_status_t strata_cpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                           const strata_cpu_device_t *device, strata_cpu_objects_t *out_objects) {
  const int level = compile->options->opt_level;
  settings_t settings = {device, level, level, .is_thread = false};
  return compile_kernels(compile, kernels, &settings, out_objects);
}

strata_status_t strata_cpu_compile_threads(strata_compile_t *compile, MlirModule kernels,
                                           const strata_cpu_device_t *device, strata_cpu_objects_t *out_objects) {
  settings_t settings = {device, compile->options->opt_level, .code_level = 0, .is_thread = true};
  return compile_kernels(compile, kernels, &settings, out_objects);
}
