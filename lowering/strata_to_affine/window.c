// Reductions over a sliding window (pooling): parallel over the result, loops over the dims of the window. What lies in
// the padding counts as the combiner's neutral.
//
//   %x = affine.if affine_set<(i, k) : (i * 2 + k - 1 >= 0)>(%i, %k) -> f32 { affine.load %x[%i * 2 + %k - 1] ... }
//        else { %neutral }
#include "lowering/strata_to_affine/lower.h"

typedef struct {
  int64_t window[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], dilations[STRATA_MAX_RANK], low[STRATA_MAX_RANK];
} window_t;

static window_t window_of(MlirOperation op) {
  window_t w;
  strata_attr_i64s(op, "window", STRATA_MAX_RANK, w.window);
  strata_attr_i64s(op, "strides", STRATA_MAX_RANK, w.strides);
  strata_attr_i64s(op, "dilations", STRATA_MAX_RANK, w.dilations);
  strata_attr_i64s(op, "low", STRATA_MAX_RANK, w.low);
  return w;
}

static int count_dims(const window_t *w, int rank) {
  int count = rank > 0 ? rank : 1;
  for (int i = 0; i < rank; i++)
    count += w->window[i] > 1;
  return count;
}

strata_status_t strata__lower_window(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  strata_combiner_t combiner = strata_op_combiner(op);
  window_t w = window_of(op);
  if (count_dims(&w, operand->rank) > STRATA_MAX_DIMS)
    return strata_error(STRATA_UNSUPPORTED, "window: more than %d dims", STRATA_MAX_DIMS);
  strata__nest_t nest;
  strata__reduction_t reduction;
  MlirAffineExpr point[STRATA_MAX_RANK], coordinates[STRATA_MAX_RANK];
  strata__nest_begin_for(l, &nest, op, "window", result, point);
  MlirValue neutral = strata__neutral_value(&nest, combiner, strata__math_type(l->context, operand->type));
  strata_size_t window[STRATA_MAX_RANK];
  for (int i = 0; i < operand->rank; i++)
    window[i] = strata_size_constant(w.window[i]);
  strata__reduction_begin(&nest, &reduction, operand->rank, window, neutral);
  for (int i = 0; i < operand->rank; i++)
    coordinates[i] = mlirAffineAddExprGet(strata__linear(&nest, point[i], w.strides[i], -w.low[i]),
                                          strata__linear(&nest, reduction.dims[i], w.dilations[i], 0));
  MlirAttribute outside = strata__neutral(combiner, strata_type_to_mlir(l->context, operand->type));
  MlirValue raw = strata__load_or(&nest, operand, coordinates, outside);
  MlirValue element = strata__to_math(&nest, operand->type, raw);
  MlirValue value = reduction.n_loops > 0 ? strata__combine(&nest, combiner, reduction.accumulator, element) : element;
  strata__store(&nest, result, point, strata__reduction_end(&nest, &reduction, value));
  strata__nest_end(&nest);
  return NULL;
}
