// The pass affine-to-tile: carries out the schedule of every kernel function.
//
//   func.func private @k0(%x: memref<8x64xf32>, ...) attributes {strata.schedule = {kind = "map"}} { affine.parallel
//   ... }
// becomes
//   func.func private @k0(%x: memref<8x64xf32>, ...) { scf.forall (%t) in (1) { ... "tile.load" ... "tile.store" } }
#include "lowering/affine_to_tile/kinds.h"

#include "lowering/pipeline.h"
#include "passes/affine/explain.h"

typedef strata_status_t (*kind_t)(strata_tile_builder_t *b);

static const kind_t kinds[] = {
#define KERNEL_KIND(id, name, gpu, cpu, work, build, meaning) build,
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

// What a kind cannot take, scalar loops can.
static strata_status_t build(strata_compile_t *compile, strata_kernel_t *kernel, MlirBlock *out_block) {
  kind_t wanted = kinds[strata_schedule_read(kernel->func).kind];
  *out_block = mlirBlockCreate(0, NULL, NULL);
  strata_status_t status = build_in(compile, kernel, wanted, *out_block);
  if (!status || wanted == strata_tile_scalar)
    return status;
  MlirStringRef name = strata_attr_str(kernel->func, "sym_name");
  strata_explain(compile, "%.*s: scalar loops: %s", (int)name.length, name.data, strata_status_message(status));
  strata_status_free(status);
  mlirBlockDestroy(*out_block);
  *out_block = mlirBlockCreate(0, NULL, NULL);
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

strata_status_t strata_pass_affine_to_tile(strata_compile_t *compile) {
  MlirBlock body = mlirModuleGetBody(compile->module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is_kernel(op))
      continue;
    strata_kernel_t kernel;
    MlirBlock block;
    STRATA_TRY(strata_kernel_read(compile->arena, op, &kernel));
    STRATA_TRY(strata_status_context(build(compile, &kernel, &block), "kernel %.*s",
                                     (int)strata_attr_str(op, "sym_name").length,
                                     strata_attr_str(op, "sym_name").data));
    replace_body(&kernel, block);
  }
  return NULL;
}
