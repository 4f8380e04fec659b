// Sizes that vary: their values are arguments of the kernel, and elements of buffers with such sizes are found at
// positions that are computed from them.
#include "dialects/affine/simplify.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"

strata_status_t strata_gpu_rule_size(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_define_scalar(d, mlirOperationGetResult(op, 0), d->symbols[strata_attr_i64(op, "symbol", 0)]);
  return NULL;
}

MlirValue strata_gpu_emit_position(strata_gpu_distribution_t *d, MlirOperation op, int buffer) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, buffer));
  int rank = (int)mlirShapedTypeGetRank(type);
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  strata_size_t sizes[STRATA_INDEX_DIMS];
  MlirAffineExpr coordinates[STRATA_INDEX_DIMS];
  for (int dim = 0; dim < rank; dim++) {
    sizes[dim] = strata_size_of_expr(&d->sizes, strata_type_dim(type, dim));
    coordinates[dim] = strata_index_resolve(&space, mlirOperationGetOperand(op, buffer + 1 + dim));
  }
  strata_static_space_t known;
  MlirAffineMap map = mlirAffineMapGet(d->e.context, space.n_dims, STRATA_INDEX_SYMBOLS, rank, coordinates);
  return strata_index_emit(&space, strata_affine_linearize(map, sizes, strata_index_known(&space, &known)));
}

strata_status_t strata_gpu_rule_scalar_load(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue buffer = mlirOperationGetOperand(op, 0);
  if (mlirShapedTypeHasStaticShape(mlirValueGetType(buffer)))
    return strata_gpu_rule_structure(d, op);
  MlirValue operands[] = {strata_new_scalar(d, buffer), strata_gpu_emit_position(d, op, 0)};
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  strata_define_scalar(d, mlirOperationGetResult(op, 0),
                       strata_emit_value(&d->e, "memref.load", 2, operands, element, 0, NULL));
  return NULL;
}
