// Constants, and ops that only rearrange elements. A rearranged value in some layout is its source in the layout that
// has the source's dims instead of the result's: the registers keep their numbers.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/index.h"

//===-- Constants ------------------------------------------------------------------------------------------------===//

strata_status_t strata_gpu_rule_constant(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirAttribute value = strata_attr(op, "value");
  if (!mlirTypeIsAVector(mlirValueGetType(result)))
    return strata_gpu_rule_structure(d, op);
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return strata_gpu_missing(op, "a constant that is no splat");
  strata_registers_t registers = strata_registers_new(d, result);
  MlirValue splat = strata_emit_constant(&d->e, registers.element, mlirDenseElementsAttrGetSplatValue(value));
  for (int64_t i = 0; i < registers.count; i++)
    registers.values[i] = splat;
  strata_registers_define(d, result, &registers);
  return NULL;
}

strata_status_t strata_gpu_rule_vector_step(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_registers_t registers = strata_registers_new(d, result);
  for (int64_t i = 0; i < registers.count; i++)
    registers.values[i] = strata_emit_coordinate(d, &registers.layout, i, 0);
  strata_registers_define(d, result, &registers);
  return NULL;
}

//===-- Movements ------------------------------------------------------------------------------------------------===//

static int rank_of(MlirType type) { return mlirTypeIsAVector(type) ? (int)mlirShapedTypeGetRank(type) : 0; }

static bool broadcast_dims(MlirType from, MlirType to, int *out_dims) {
  int added = rank_of(to) - rank_of(from);
  for (int dim = 0; dim < rank_of(to); dim++)
    out_dims[dim] = dim < added || mlirShapedTypeGetDimSize(from, dim - added) == 1 ? STRATA_COPIES : dim - added;
  return true;
}

static bool transpose_dims(MlirOperation op, MlirType to, int *out_dims) {
  int64_t permutation[STRATA_VALUE_RANK];
  if (strata_attr_i64s(op, "permutation", STRATA_VALUE_RANK, permutation) != rank_of(to))
    return false;
  for (int dim = 0; dim < rank_of(to); dim++)
    out_dims[dim] = (int)permutation[dim];
  return true;
}

// Dims of extent one come and go; anything else is no movement of dims.
static bool reshape_dims(MlirType from, MlirType to, int *out_dims) {
  int source = 0;
  for (int dim = 0; dim < rank_of(to); dim++) {
    out_dims[dim] = STRATA_COPIES;
    if (mlirShapedTypeGetDimSize(to, dim) == 1)
      continue;
    while (source < rank_of(from) && mlirShapedTypeGetDimSize(from, source) == 1)
      source++;
    if (source == rank_of(from) || mlirShapedTypeGetDimSize(from, source) != mlirShapedTypeGetDimSize(to, dim))
      return false;
    out_dims[dim] = source++;
  }
  return true;
}

bool strata_movement_dims(MlirOperation op, int *out_dims) {
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirType to = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (strata_op_is(op, "vector.broadcast"))
    return broadcast_dims(from, to, out_dims);
  if (strata_op_is(op, "vector.transpose"))
    return transpose_dims(op, to, out_dims);
  return strata_op_is(op, "vector.shape_cast") && reshape_dims(from, to, out_dims);
}

// True for what threads of different rows need, of which none has all.
static bool is_shared(strata_gpu_distribution_t *d, MlirOperation op, const strata_layout_t *wanted) {
  const strata_registers_t *source = strata_registers_of(d, mlirOperationGetOperand(op, 0));
  return strata_gpu_is_over_rows(d, op) && !strata_layout_same_threads(&source->layout, wanted);
}

strata_status_t strata_gpu_rule_movement(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), source = mlirOperationGetOperand(op, 0);
  int dims[STRATA_VALUE_RANK];
  if (!strata_movement_dims(op, dims))
    return strata_gpu_missing(op, "a change of shape");
  strata_registers_t moved = strata_registers_new(d, result), from;
  if (!mlirTypeIsAVector(mlirValueGetType(source))) {
    for (int64_t i = 0; i < moved.count; i++)
      moved.values[i] = strata_new_scalar(d, source);
  } else {
    strata_layout_t wanted = strata_layout_map_registers(&moved.layout, dims);
    STRATA_TRY(is_shared(d, op, &wanted) ? strata_columns_as(d, source, &wanted, &from)
                                         : strata_registers_as(d, source, &wanted, &from));
    for (int64_t i = 0; i < moved.count; i++)
      moved.values[i] = from.values[i];
  }
  strata_registers_define(d, result, &moved);
  return NULL;
}
