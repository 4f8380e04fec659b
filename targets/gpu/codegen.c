// Device code by the kind of the device's code; see codegen.h.
#include "targets/gpu/codegen.h"

#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <string.h>

// PTX that all threads of a warp must come to together, and that waits or is waited for: wgmma.
static bool is_convergent(LLVMValueRef op) {
  LLVMValueRef callee = LLVMGetInstructionOpcode(op) == LLVMCall ? LLVMGetCalledValue(op) : NULL;
  size_t length;
  return callee && LLVMIsAInlineAsm(callee) && LLVMGetInlineAsmHasSideEffects(callee) &&
         strstr(LLVMGetInlineAsmAsmString(callee, &length), ".aligned");
}

static void mark_convergent(LLVMValueRef op) {
  static const char name[] = "convergent";
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(op));
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddCallSiteAttribute(op, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(context, kind, 0));
}

// What MLIR's C interface cannot say: of addresses, that indices are inside their buffers (memory.c); of PTX, that no
// branch may come to lie around it.
static void annotate(LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (LLVMGetInstructionOpcode(op) == LLVMGetElementPtr)
        LLVMGEPSetNoWrapFlags(op, LLVMGEPFlagInBounds | LLVMGEPFlagNUSW | LLVMGEPFlagNUW);
      else if (is_convergent(op))
        mark_convergent(op);
  strata_gpu_keep_loops(function);
}

// LLVM's default<O3> without what a kernel has no use for, and without vector-combine, which forgets that nobody writes
// what a load reads. slp-vectorizer is one of the former: vectors that memory wants are vectors already, arithmetic is
// in f32, and it looks long at a thread's hundred sums.
#define CLEAN_UP "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg"
#define LOOPS "loop-simplify,lcssa,loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm"
static const char short_passes[] = CLEAN_UP "," LOOPS "),loop(indvars)," CLEAN_UP;
static const char all_passes[] = CLEAN_UP
    ",sroa,correlated-propagation,reassociate," LOOPS ",simple-loop-unswitch)," CLEAN_UP
    ",loop-simplify,lcssa,loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn,correlated-propagation,bdce,dse,"
    "instcombine<no-verify-fixpoint>,simplifycfg,loop-unroll<O3>,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),div-rem-pairs,"
    "simplifycfg<hoist-common-insts;sink-common-insts>";

static bool optimize(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, int opt_level) {
  for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function; function = LLVMGetNextFunction(function))
    annotate(function);
  bool ok = strata_llvm_run_passes(unit, machine, "globaldce", NULL);
  for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function && ok && opt_level > 0;
       function = LLVMGetNextFunction(function))
    if (LLVMCountBasicBlocks(function) > 0)
      ok = strata_llvm_run_passes(unit, machine, opt_level == 1 ? short_passes : all_passes, function);
  return ok;
}

typedef struct {
  const strata_gpu_generation_t *generation;
  int opt_level;
} settings_t;

static void compile_unit(strata_llvm_unit_t *unit, const void *user) {
  const settings_t *settings = user;
  const strata_gpu_generation_t *generation = settings->generation;
  const strata_gpu_device_t *device = generation->device;
  const strata_llvm_target_t target = {device->triple, device->chip, device->features, settings->opt_level};
  LLVMTargetMachineRef machine = strata_llvm_machine(unit, &target);
  if (!machine)
    return;
  const char *first = generation->first_passes;
  bool ok =
      (!first || strata_llvm_run_passes(unit, machine, first, NULL)) && optimize(unit, machine, settings->opt_level);
  if (ok && device->code == STRATA_GPU_AMDGCN) {
    strata_gpu_set_copies_apart(unit->module);
    strata_gpu_interleave(unit->module);
    strata_gpu_emit_without_spills(unit, machine, generation->file);
  } else if (ok)
    strata_llvm_emit(unit, machine, generation->file);
  LLVMDisposeTargetMachine(machine);
}

strata_status_t strata_gpu_compile_units(strata_compile_t *compile, MlirModule kernels,
                                         const strata_gpu_generation_t *generation, strata_llvm_units_t *out_units) {
  const settings_t settings = {generation, compile->options->opt_level};
  *out_units = strata_llvm_units_create(compile, kernels, generation->kernels_per_unit);
  return strata_llvm_units_compile(out_units, compile_unit, &settings);
}

// A program whose results are all empty, or copies, launches nothing: it runs on any device, and assemblers take no
// empty text.
static strata_status_t emit_nothing(strata_compile_t *compile, strata_gpu_binary_t *out_binary) {
  strata_gpu_image_t *image = strata_arena_new(compile->arena, strata_gpu_image_t);
  *image = (strata_gpu_image_t){.data = "", .last = UINT32_MAX, .suffix = "none"};
  out_binary->images = image;
  out_binary->n_images = 1;
  return NULL;
}

strata_status_t strata_gpu_start_kernels(strata_compile_t *compile, MlirModule kernels,
                                         const strata_gpu_device_t *device, strata_gpu_binary_t *out_binary) {
  *out_binary = (strata_gpu_binary_t){0};
  if (mlirOperationIsNull(mlirBlockGetFirstOperation(mlirModuleGetBody(kernels))))
    return emit_nothing(compile, out_binary);
  switch (device->code) {
  case STRATA_GPU_NVPTX:
    return strata_gpu_emit_ptx(compile, kernels, device, out_binary);
  case STRATA_GPU_AMDGCN:
    return strata_gpu_emit_hsaco(compile, kernels, device, out_binary);
  case STRATA_GPU_EMULATED:
    return strata_gpu_emit_host(compile, kernels, device, out_binary);
  }
  return strata_error(STRATA_INTERNAL, "%s: code of no known kind", device->name);
}

strata_status_t strata_gpu_finish_kernels(strata_compile_t *compile, const strata_gpu_device_t *device,
                                          strata_gpu_binary_t *binary) {
  return binary->images ? NULL : strata_gpu_finish_ptx(compile, device, binary);
}

strata_status_t strata_gpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                           const strata_gpu_device_t *device, strata_gpu_binary_t *out_binary) {
  STRATA_TRY(strata_gpu_start_kernels(compile, kernels, device, out_binary));
  return strata_gpu_finish_kernels(compile, device, out_binary);
}
