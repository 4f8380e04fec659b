// The position of the extreme element along an axis: a loop that carries the best value and its index.
//
//   affine.parallel (%i) = (0) to (8) {
//     %r:2 = affine.for %k = 0 to 64 iter_args(%best = %lowest, %at = %zero) -> (f32, i64) {
//       %x = affine.load ...  %better = arith.cmpf ogt, %x, %best ...  arith.select ... }
//     affine.store %r#1, %y[%i] : memref<8xi64> }
//
// On a GPU lines of known length that lie along the innermost axis are a block's (arg_reduce_lanes.c).
#include "lowering/strata_to_affine/arg_reduce_lanes.h"

typedef struct {
  const char *first, *last; // x is better than the best so far: the first of equals, or the last
} predicates_t;

static predicates_t predicates(strata_combiner_t combiner, bool is_float) {
  switch ((int)combiner) {
  case STRATA_COMBINER_MAX:
    return is_float ? (predicates_t){"ugt", "oge"} : (predicates_t){"sgt", "sge"};
  case STRATA_COMBINER_MIN:
    return is_float ? (predicates_t){"ult", "ole"} : (predicates_t){"slt", "sle"};
  case STRATA_COMBINER_MAX_U:
    return (predicates_t){"ugt", "uge"};
  default:
    return (predicates_t){"ult", "ule"};
  }
}

// NaN beats every number: the unordered comparison lets it in, and once it is the best nothing else comes in, unless
// the last is asked for and another NaN follows.
static MlirValue is_better(strata__nest_t *nest, strata_combiner_t combiner, bool select_last, MlirValue x,
                           MlirValue best) {
  bool is_float = mlirTypeIsAFloat(mlirValueGetType(x));
  predicates_t names = predicates(combiner, is_float);
  MlirValue better = strata__compare(nest, select_last ? names.last : names.first, x, best);
  if (!is_float)
    return better;
  return select_last ? strata__binary(nest, "arith.ori", better, strata__compare(nest, "uno", x, x))
                     : strata__binary(nest, "arith.andi", better, strata__compare(nest, "ord", best, best));
}

strata_status_t strata__lower_arg_reduce(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  int axis = (int)strata_attr_i64(op, "axis", 0);
  strata_combiner_t combiner = strata_op_combiner(op);
  if (strata__arg_reduce_by_lanes(l, op))
    return NULL;
  MlirType i64 = strata_type_to_mlir(l->context, result->type);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK], coordinates[STRATA_MAX_RANK];
  MlirValue carried[2], next[2], results[2];
  strata__nest_begin_for(l, &nest, op, "arg_reduce", result, point);
  MlirValue inits[2] = {strata__neutral_value(&nest, combiner, strata__math_type(l->context, operand->type)),
                        strata__int_constant(&nest, i64, 0)};
  strata__loop_t loop = strata__for_begin(&nest, operand->sizes[axis], 2, inits, carried);
  for (int i = 0; i < operand->rank; i++)
    coordinates[i] = i == axis ? strata__dim(&nest, nest.n_dims - 1) : point[i < axis ? i : i - 1];
  MlirValue x = strata__load(&nest, operand, coordinates);
  MlirValue better = is_better(&nest, combiner, strata_attr_flag(op, "select_last"), x, carried[0]);
  MlirValue at = strata__cast(&nest, "arith.index_cast", nest.dims[nest.n_dims - 1], i64);
  next[0] = strata__select(&nest, better, x, carried[0]);
  next[1] = strata__select(&nest, better, at, carried[1]);
  strata__for_end(&nest, loop, 2, next, results);
  strata__store(&nest, result, point, results[1]);
  strata__nest_end(&nest);
  return NULL;
}
