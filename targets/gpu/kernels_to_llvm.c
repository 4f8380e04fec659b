// kernels-to-llvm: the target's own conversion of @kernels. Here the GPUs': kernel.h gives the steps.
#include "dialects/each.h"
#include "dialects/tile/tile.h"
#include "lowering/kernels.h"
#include "targets/gpu/codegen.h"
#include "targets/gpu/kernel.h"
#include "targets/llvm/convert.h"
#include "targets/passes.h"

// Patterns for the results of loops whose time grows with the square of their number, which is that of a thread's sums;
// LLVM does what they do.
#define ALL_BUT_SQUARES                                                                                                \
  "region-simplify=disabled disable-patterns={(anonymous namespace)::RemoveDuplicateSuccessorInputUses,"               \
  "(anonymous namespace)::RemoveDeadRegionBranchOpSuccessorInputs,"                                                    \
  "(anonymous namespace)::MakeRegionBranchOpSuccessorInputsDead}"

static const char pipeline_format[] =
    "func.func(canonicalize{" ALL_BUT_SQUARES "},cse),expand-strided-metadata,lower-affine,"
    "%sconvert-scf-to-cf,%s%sfinalize-memref-to-llvm{index-bitwidth=%d},"
    "convert-math-to-llvm,convert-arith-to-llvm{index-bitwidth=%d},"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=true index-bitwidth=%d},convert-cf-to-llvm{index-bitwidth=%d},"
    "convert-ub-to-llvm,reconcile-unrealized-casts";

// Where there are branches it makes one block of those that do the same with different values, which are then passed to
// it from all branches in front: of very many parts, all buffers. Elsewhere that is less code.
static const char vector_pass[] = "convert-vector-to-llvm,";

// The host's code generator calls functions of no library for these.
static const char host_passes[] = "arith-expand{include-bf16=true},";

// Kernels of one kind, in a module of their own: upstream's conversions take one width of addresses for all.
typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  MlirModule module;
  int bits;         // of addresses
  bool keeps_parts; // that share a launch, apart
} part_t;

static strata_status_t run_upstream(const part_t *part) {
  int bits = part->bits;
  const char *passes = strata_arena_printf(part->compile->arena, pipeline_format, part->keeps_parts ? vector_pass : "",
                                           part->device->code == STRATA_GPU_EMULATED ? host_passes : "",
                                           part->keeps_parts ? "" : vector_pass, bits, bits, bits, bits);
  return strata_llvm_convert(part->compile, part->module, passes);
}

static int index_bits(MlirOperation func) { return (int)strata_attr_i64(func, "strata.index_bits", 64); }

// What a loop says of itself upstream hands on to its last branch, but under a name that the translation does not know.
static MlirWalkResult name_annotation(MlirOperation op, void *user) {
  (void)user;
  static const char found[] = "llvm.loop_annotation", known[] = "loop_annotation";
  MlirAttribute annotation = mlirOperationGetDiscardableAttributeByName(op, strata_str(found));
  if (!mlirAttributeIsNull(annotation) && strata_op_is(op, "llvm.br")) {
    mlirOperationRemoveDiscardableAttributeByName(op, strata_str(found));
    mlirOperationSetInherentAttributeByName(op, strata_str(known), annotation);
  }
  return MlirWalkResultAdvance;
}

typedef struct {
  const part_t *part;
  STRATA_VECTOR(MlirOperation) kernels;
} converting_t;

// What upstream cannot say, of one kernel.
static strata_status_t convert_own(strata_compile_t *compile, size_t i, void *user) {
  const converting_t *converting = user;
  strata_gpu_kernel_t kernel = {.compile = compile,
                                .device = converting->part->device,
                                .index_bits = converting->part->bits,
                                .func = converting->kernels.data[i]};
  strata_gpu_assign_memory(&kernel);
  strata_gpu_prepare_signature(&kernel);
  return strata_gpu_convert_leaves(&kernel);
}

static strata_status_t convert_part(const part_t *part) {
  MlirBlock body = mlirModuleGetBody(part->module);
  converting_t converting = {.part = part};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    *strata_vector_push(part->compile->arena, &converting.kernels) = op;
  STRATA_TRY(strata_compile_each(part->compile, converting.kernels.count, convert_own, &converting));
  if (part->device->code == STRATA_GPU_EMULATED)
    strata_gpu_declare_callees(body);
  STRATA_TRY(run_upstream(part));
  strata_gpu_kernel_t kernel = {.compile = part->compile, .device = part->device, .index_bits = part->bits};
  mlirOperationWalk(mlirModuleGetOperation(part->module), name_annotation, NULL, MlirWalkPreOrder);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    kernel.func = op;
    if (strata_op_is(op, "llvm.func") && !strata_llvm_is_declaration(op))
      strata_gpu_finish_signature(&kernel);
  }
  return NULL;
}

static strata_status_t convert_kind(const part_t *kind, MlirBlock kernels, MlirBlock done) {
  part_t part = *kind;
  part.module = mlirModuleCreateEmpty(mlirLocationUnknownGet(part.compile->context));
  MlirBlock body = mlirModuleGetBody(part.module);
  for (MlirOperation op = mlirBlockGetFirstOperation(kernels), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!strata_op_is(op, "func.func") || index_bits(op) != part.bits ||
        strata_attr_flag(op, "strata.keep_parts") != part.keeps_parts)
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body, op);
  }
  strata_status_t status = mlirOperationIsNull(mlirBlockGetFirstOperation(body)) ? NULL : convert_part(&part);
  if (!status)
    strata_llvm_move_all(body, done);
  mlirModuleDestroy(part.module);
  return status;
}

static strata_status_t convert_kernels(strata_compile_t *compile) {
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_gpu_device(compile, &device));
  MlirModule kernels = strata_kernels_find(compile);
  if (mlirModuleIsNull(kernels))
    return NULL;
  STRATA_TRY(strata_tile_verify(compile));
  // Their attributes on functions mean something only once they are there.
  mlirContextGetOrLoadDialect(compile->context, strata_str("nvvm"));
  mlirContextGetOrLoadDialect(compile->context, strata_str("rocdl"));
  MlirModule done = mlirModuleCreateEmpty(mlirLocationUnknownGet(compile->context));
  strata_status_t status = NULL;
  for (int i = 0; i < 4 && !status; i++) {
    part_t kind = {.compile = compile, .device = device, .bits = i < 2 ? 32 : 64, .keeps_parts = i % 2};
    status = convert_kind(&kind, mlirModuleGetBody(kernels), mlirModuleGetBody(done));
  }
  if (!status)
    strata_llvm_move_all(mlirModuleGetBody(done), mlirModuleGetBody(kernels));
  mlirModuleDestroy(done);
  return status;
}

strata_status_t strata_pass_kernels_to_llvm(strata_compile_t *compile) {
  return strata_target_is_gpu(compile) ? convert_kernels(compile) : strata_pass_cpu_to_llvm(compile);
}
