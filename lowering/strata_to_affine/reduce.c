// Reductions over axes: parallel over what stays, loops over what goes.
//
//   %1 = "strata.reduce"(%0) {kind = "add", axes = array<i64: 1>} : (tensor<8x64xf32>) -> tensor<8xf32>
// becomes
//   affine.parallel (%i) = (0) to (8) {
//     %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) { %x = affine.load ... %n = arith.addf %a, %x ... }
//     affine.store %s, %y[%i] : memref<8xf32> }
#include "lowering/strata_to_affine/lower.h"

typedef struct {
  int n_axes;
  strata_size_t extents[STRATA_MAX_RANK]; // of the reduced axes, in order
  bool is_reduced[STRATA_MAX_RANK];
} axes_t;

static axes_t axes_of(MlirOperation op, const strata__tensor_t *operand) {
  axes_t axes = {0};
  int64_t listed[STRATA_MAX_RANK];
  int n = strata_attr_i64s(op, "axes", STRATA_MAX_RANK, listed);
  for (int i = 0; i < n; i++)
    axes.is_reduced[listed[i]] = true;
  for (int i = 0; i < operand->rank; i++)
    if (axes.is_reduced[i])
      axes.extents[axes.n_axes++] = operand->sizes[i];
  return axes;
}

// The combination of the elements whose other coordinates are |point|.
static MlirValue reduce(strata__nest_t *nest, const strata__tensor_t *operand, const axes_t *axes,
                        strata_combiner_t combiner, const MlirAffineExpr *point) {
  strata__reduction_t reduction;
  MlirAffineExpr coordinates[STRATA_MAX_RANK];
  MlirType type = strata__math_type(nest->lowering->context, operand->type);
  MlirValue neutral = strata__neutral_value(nest, combiner, type);
  if (strata__is_empty(operand))
    return neutral;
  strata__reduction_begin(nest, &reduction, axes->n_axes, axes->extents, neutral);
  for (int i = 0, kept = 0, reduced = 0; i < operand->rank; i++)
    coordinates[i] = axes->is_reduced[i] ? reduction.dims[reduced++] : point[kept++];
  MlirValue element = strata__load(nest, operand, coordinates);
  MlirValue sum = reduction.n_loops > 0 ? strata__combine(nest, combiner, reduction.accumulator, element) : element;
  return strata__reduction_end(nest, &reduction, sum);
}

strata_status_t strata__lower_reduce(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  axes_t axes = axes_of(op, operand);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  strata__nest_begin_for(l, &nest, op, "reduce", result, point);
  strata__store(&nest, result, point, reduce(&nest, operand, &axes, strata_op_combiner(op), point));
  strata__nest_end(&nest);
  return NULL;
}
