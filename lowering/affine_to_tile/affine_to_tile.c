// The pass affine-to-tile: carries out the schedule of every kernel function.
//
//   func.func private @k0(%x: memref<8x64xf32>, ...) attributes {strata.schedule = {kind = "map"}} { affine.parallel
//   ... }
// becomes
//   func.func private @k0(%x: memref<8x64xf32>, ...) { scf.forall (%t) in (1) { ... "tile.load" ... "tile.store" } }
#include "lowering/affine_to_tile/kinds.h"

#include "dialects/affine/variants.h"
#include "lowering/pipeline.h"
#include "passes/affine/explain.h"

typedef strata_status_t (*kind_t)(strata_tile_builder_t *b);

static const kind_t kinds[] = {
#define KERNEL_KIND(id, name, gpu, cpu, work, cpu_work, build, meaning) build,
#include "dialects/affine/kinds.def"
};

// Builds the kernel into a block of its own, so that a failed attempt leaves nothing behind.
static strata_status_t build_in(strata_compile_t *compile, const strata_kernel_t *kernel, kind_t build,
                                MlirBlock block) {
  strata_tile_builder_t b = {
      .compile = compile,
      .kernel = kernel,
      .sizes = strata_symbols_used_around(compile->arena, mlirBlockGetFirstOperation(kernel->body)),
      .schedule = strata_schedule_read(kernel->func),
      .e = {.context = compile->context, .location = mlirOperationGetLocation(kernel->func), .block = block},
  };
  return build(&b);
}

static void explain_refusal(strata_compile_t *compile, MlirOperation func, const char *what, strata_status_t status) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  strata_explain(compile, "%.*s: %s: %s", (int)name.length, name.data, what, strata_status_message(status));
  strata_status_free(status);
}

// What a kind cannot take, scalar loops can. They may want arguments more, which variants would not have.
static strata_status_t build(strata_compile_t *compile, strata_kernel_t *kernel, MlirBlock *out_block) {
  kind_t wanted = kinds[strata_schedule_read(kernel->func).kind];
  *out_block = mlirBlockCreate(0, NULL, NULL);
  strata_status_t status = build_in(compile, kernel, wanted, *out_block);
  if (!status || wanted == strata_tile_scalar)
    return status;
  explain_refusal(compile, kernel->func, "scalar loops", status);
  mlirBlockDestroy(*out_block);
  *out_block = mlirBlockCreate(0, NULL, NULL);
  strata_variants_erase_all(kernel->func);
  STRATA_TRY(strata_tile_expose(compile, kernel->func, kernel));
  return build_in(compile, kernel, strata_tile_scalar, *out_block);
}

// Replaces the nests and private buffers of the function by the ops of |block|.
static void replace_body(const strata_kernel_t *kernel, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(kernel->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(kernel->body, end, op);
  }
  mlirBlockDestroy(block);
  for (int i = 0; i < kernel->n_nests; i++)
    mlirOperationDestroy(kernel->nests[i].op);
  for (MlirOperation op = mlirBlockGetFirstOperation(kernel->body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    bool is_unused = mlirOperationGetNumResults(op) == 1 && !strata_value_has_uses(mlirOperationGetResult(op, 0));
    if (is_unused && (strata_op_is(op, "memref.alloc") || strata_op_is(op, "arith.constant")))
      mlirOperationDestroy(op);
  }
}

static strata_status_t lower(strata_compile_t *compile, MlirOperation func) {
  strata_kernel_t kernel;
  MlirBlock block;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  STRATA_TRY(build(compile, &kernel, &block));
  replace_body(&kernel, block);
  return NULL;
}

// Without the variant its sizes are done by the function that takes all.
static strata_status_t lower_variant(strata_compile_t *compile, MlirOperation func, MlirOperation variant) {
  strata_kernel_t kernel;
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  STRATA_TRY(strata_kernel_read(compile->arena, variant, &kernel));
  strata_status_t status = build_in(compile, &kernel, kinds[strata_schedule_read(variant).kind], block);
  if (!status) {
    replace_body(&kernel, block);
    return NULL;
  }
  explain_refusal(compile, variant, "no variant", status);
  mlirBlockDestroy(block);
  strata_variants_erase(func, variant);
  return NULL;
}

static strata_status_t lower_all(strata_compile_t *compile, MlirOperation func) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  MlirOperation variants[STRATA_MAX_VARIANTS];
  STRATA_TRY(strata_status_context(lower(compile, func), "kernel %.*s", (int)name.length, name.data));
  int count = strata_variants_of(func, variants);
  for (int i = 0; i < count; i++)
    STRATA_TRY(strata_status_context(lower_variant(compile, func, variants[i]), "variant %d of kernel %.*s", i + 1,
                                     (int)name.length, name.data));
  return NULL;
}

strata_status_t strata_pass_affine_to_tile(strata_compile_t *compile) {
  STRATA_VECTOR(MlirOperation) kernels = {0};
  MlirBlock body = mlirModuleGetBody(compile->module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_kernel(op) && mlirAttributeIsNull(strata_attr(op, STRATA_WHEN)))
      *strata_vector_push(compile->arena, &kernels) = op;
  for (size_t i = 0; i < kernels.count; i++)
    STRATA_TRY(lower_all(compile, kernels.data[i]));
  strata_tile_drop_unread(compile, kernels.count, kernels.data);
  return NULL;
}
