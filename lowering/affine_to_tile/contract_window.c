// Steps of a reduction that a tile need not take: the taps of a convolution that read nothing but padding for all of
// the tile's points. Loops but the innermost begin and end with the taps that reach inside.
#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "lowering/affine_to_tile/contract.h"

// What a guard says, over the dims of the nest: each expression is >= 0 where the operand is read.
typedef struct {
  const strata_contraction_kernel_t *kernel;
  int side;
  const MlirAffineExpr *point; // where outer dims are
  MlirAffineExpr base;         // of the side's tile
  int64_t size;
} window_t;

static bool is_zero_constant(MlirValue value) {
  if (!mlirValueIsAOpResult(value) || !strata_op_is(mlirOpResultGetOwner(value), "arith.constant"))
    return false;
  MlirAttribute attr = strata_attr(mlirOpResultGetOwner(value), "value");
  return mlirAttributeIsAFloat(attr) ? mlirFloatAttrGetValueDouble(attr) == 0
                                     : mlirAttributeIsAInteger(attr) && mlirIntegerAttrGetValueInt(attr) == 0;
}

// The guard without which the side's factor is zero; a null operation if there is none.
static MlirOperation guard_of(const strata_contraction_kernel_t *k, int side) {
  MlirValue factor = strata_contraction_narrow(k, side);
  MlirOperation none = {NULL};
  if (!mlirValueIsAOpResult(factor) || !strata_op_is(mlirOpResultGetOwner(factor), "affine.if"))
    return none;
  MlirOperation guard = mlirOpResultGetOwner(factor);
  MlirBlock otherwise = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, 1));
  bool is_zero = is_zero_constant(mlirOperationGetOperand(mlirBlockGetTerminator(otherwise), 0));
  return is_zero ? guard : none;
}

// What an operand of the guard is: a dim of the nest, or sizes; a null expression if it is anything else.
static MlirAffineExpr guard_operand(const strata_nest_t *nest, MlirValue operand) {
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    if (mlirValueEqual(nest->dims[dim], operand))
      return mlirAffineDimExprGet(mlirOperationGetContext(nest->op), dim);
  return strata_symbol_expr_of_value(operand);
}

// Constraint |i| of |guard| over the dims of |nest| and sizes; false if it is about anything else.
static bool read_constraint(const strata_nest_t *nest, MlirOperation guard, int i, MlirAffineExpr *out) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  MlirContext context = mlirOperationGetContext(guard);
  MlirAffineExpr inputs[STRATA_MAX_DIMS], constraint = mlirIntegerSetGetConstraint(set, i);
  intptr_t n = mlirIntegerSetGetNumInputs(set);
  if (mlirIntegerSetIsConstraintEq(set, i) || n > STRATA_MAX_DIMS)
    return false;
  for (intptr_t j = 0; j < n; j++) {
    inputs[j] = guard_operand(nest, mlirOperationGetOperand(guard, j));
    if (mlirAffineExprIsNull(inputs[j]))
      return false;
  }
  MlirAffineMap map =
      mlirAffineMapGet(context, mlirIntegerSetGetNumDims(set), mlirIntegerSetGetNumSymbols(set), 1, &constraint);
  *out = strata_affine_apply(map, 0, inputs, strata_nest_n_dims(nest), nest->space.n_symbols);
  return true;
}

// The greatest value over the tile of |constraint| without its terms in |loop|, whose coefficient goes to
// |*out_factor|; false where it is no sum.
static bool greatest_rest(strata_tile_builder_t *b, const window_t *w, MlirAffineExpr constraint, int loop,
                          int64_t *out_factor, MlirAffineExpr *out_rest) {
  const strata_nest_t *nest = w->kernel->nest;
  MlirAffineExpr at[STRATA_MAX_DIMS];
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
    int64_t factor;
    if (!strata_affine_coefficient(constraint, dim, &factor))
      return false;
    bool is_at_point = dim < nest->n_parallel && dim != w->kernel->sides[1 - w->side].tile_dim;
    if (strata_size_varies(nest->space.sizes[dim]) && !is_at_point && factor)
      return false;
    int64_t last = factor > 0 ? strata_size_min(nest->space.sizes[dim]) - 1 : 0;
    at[dim] = strata_tile_constant(b, last);
    if (dim == loop) {
      *out_factor = factor;
      at[dim] = strata_tile_constant(b, 0);
    } else if (dim == w->kernel->sides[w->side].tile_dim) {
      at[dim] = strata_tile_scaled(b, w->base, 1, strata_tile_constant(b, factor > 0 ? w->size - 1 : 0));
    } else if (is_at_point) {
      at[dim] = w->point[dim];
    }
  }
  MlirAffineMap map =
      mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, nest->space.n_symbols, strata_nest_n_dims(nest), at);
  *out_rest = strata_tile_simplify(b, mlirAffineExprCompose(constraint, map));
  return *out_factor != 0;
}

static MlirValue combine(strata_tile_builder_t *b, const char *op, MlirValue x, MlirValue y) {
  MlirValue operands[2] = {x, y};
  return strata_emit_value(&b->e, op, 2, operands, mlirIndexTypeGet(b->e.context), 0, NULL);
}

// Loop |loop|, of |extent| iterations, where factor * iteration + rest >= 0.
static void cut_range(strata_tile_builder_t *b, int64_t factor, MlirAffineExpr rest, int64_t extent,
                      strata_tile_range_t *range) {
  strata_static_space_t storage;
  int64_t least, greatest;
  MlirAffineExpr width = strata_tile_constant(b, factor > 0 ? factor : -factor), bound;
  if (factor > 0)
    bound = mlirAffineCeilDivExprGet(mlirAffineMulExprGet(rest, strata_tile_constant(b, -1)), width);
  else
    bound = mlirAffineAddExprGet(mlirAffineFloorDivExprGet(rest, width), strata_tile_constant(b, 1));
  bound = strata_tile_simplify(b, bound);
  if (!strata_affine_range(bound, strata_tile_space(b, &storage), &least, &greatest) ||
      (factor > 0 ? greatest <= 0 : least >= extent))
    return;
  if (mlirValueIsNull(range->first)) {
    range->first = strata_emit_index(&b->e, 0);
    range->end = strata_emit_index(&b->e, extent);
  }
  MlirValue value = strata_tile_index(b, bound);
  if (factor > 0)
    range->first = combine(b, "arith.maxsi", range->first, value);
  else
    range->end = combine(b, "arith.minsi", range->end, value);
}

void strata_tile_contract_window(strata_tile_builder_t *b, const strata_contraction_kernel_t *k, int side,
                                 const MlirAffineExpr *point, MlirAffineExpr base, int64_t size,
                                 strata_tile_range_t *ranges) {
  window_t w = {.kernel = k, .side = side, .point = point, .base = base, .size = size};
  MlirOperation guard = guard_of(k, side);
  if (mlirOperationIsNull(guard))
    return;
  intptr_t n = mlirIntegerSetGetNumConstraints(mlirIntegerSetAttrGetValue(strata_attr(guard, "condition")));
  for (int i = 0; i < n; i++) {
    MlirAffineExpr constraint, rest;
    if (!read_constraint(k->nest, guard, i, &constraint))
      continue;
    for (int loop = 0; loop + 1 < k->nest->n_reduction; loop++) {
      int dim = k->nest->n_parallel + loop;
      int64_t factor = 0;
      if (strata_affine_expr_uses(constraint, dim) && greatest_rest(b, &w, constraint, dim, &factor, &rest))
        cut_range(b, factor, rest, strata_nest_static_extent(k->nest, dim), &ranges[loop]);
    }
  }
}
