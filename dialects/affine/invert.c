// The points at which maps have given results; see kernel.h.
#include "dialects/affine/kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"

#include <assert.h>

// The dim of |remaining| whose coefficient is more than all others together reach; -1 if none is seen to be.
static int widest_dim(const strata_space_t *space, const MlirAffineExpr *coefficients, uint32_t remaining) {
  for (int i = 0; i < space->n_dims; i++) {
    if (!(remaining >> i & 1))
      continue;
    MlirContext context = mlirAffineExprGetContext(coefficients[i]);
    MlirAffineExpr minus = mlirAffineConstantExprGet(context, -1), room = mlirAffineAddExprGet(coefficients[i], minus);
    for (int j = 0; j < space->n_dims; j++)
      if (j != i && (remaining >> j & 1)) {
        MlirAffineExpr reach = mlirAffineAddExprGet(strata_size_expr(context, space->sizes[j]), minus);
        reach = mlirAffineMulExprGet(mlirAffineMulExprGet(reach, coefficients[j]), minus);
        room = mlirAffineAddExprGet(room, reach);
      }
    if (strata_affine_is_nonnegative(room, space))
      return i;
  }
  return -1;
}

// invert_sum where coefficients, or the constant, are made of sizes.
static bool invert_sizes(MlirAffineExpr expr, const strata_space_t *space, MlirAffineExpr target,
                         const strata_space_t *target_space, MlirAffineExpr *out_dims) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr zeros[STRATA_MAX_DIMS], coefficients[STRATA_MAX_DIMS];
  uint32_t remaining = 0;
  for (int i = 0; i < space->n_dims; i++) {
    zeros[i] = mlirAffineConstantExprGet(context, 0);
    if (!strata_affine_size_coefficient(expr, i, &coefficients[i]) ||
        !strata_affine_is_nonnegative(coefficients[i], space))
      return false;
    bool counts = mlirAffineExprIsFunctionOfDim(expr, i) && !strata_size_is_one(space->sizes[i]);
    remaining |= counts ? 1u << i : 0;
  }
  MlirAffineMap origin = mlirAffineMapGet(context, space->n_dims, 0, space->n_dims, zeros);
  MlirAffineExpr start = mlirAffineExprCompose(expr, origin);
  start = mlirAffineMulExprGet(start, mlirAffineConstantExprGet(context, -1));
  for (MlirAffineExpr rest = mlirAffineAddExprGet(target, start); remaining;) {
    int next = widest_dim(space, coefficients, remaining);
    if (next < 0 || !mlirAffineExprIsNull(out_dims[next]))
      return false;
    out_dims[next] = strata_affine_simplify(mlirAffineFloorDivExprGet(rest, coefficients[next]), target_space);
    rest = strata_affine_simplify(mlirAffineModExprGet(rest, coefficients[next]), target_space);
    remaining &= ~(1u << next);
  }
  return true;
}

// Solves expr(dims) = target for the dims |expr| depends on: a sum of dims with positive coefficients, each at least
// the span of the smaller ones, and a constant.
static bool invert_sum(MlirAffineExpr expr, const strata_space_t *space, MlirAffineExpr target,
                       const strata_space_t *target_space, MlirAffineExpr *out_dims) {
  int n_dims = space->n_dims;
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr zeros[STRATA_MAX_DIMS];
  int64_t coefficients[STRATA_MAX_DIMS];
  for (int i = 0; i < n_dims; i++) {
    zeros[i] = mlirAffineConstantExprGet(context, 0);
    if (!strata_affine_coefficient(expr, i, &coefficients[i]))
      return space->n_symbols > 0 && invert_sizes(expr, space, target, target_space, out_dims);
    if (coefficients[i] < 0)
      return false;
  }
  MlirAffineExpr constant = mlirAffineExprCompose(expr, mlirAffineMapGet(context, n_dims, 0, n_dims, zeros));
  if (!mlirAffineExprIsAConstant(constant))
    return space->n_symbols > 0 && invert_sizes(expr, space, target, target_space, out_dims);
  MlirAffineExpr rest =
      mlirAffineAddExprGet(target, mlirAffineConstantExprGet(context, -mlirAffineConstantExprGetValue(constant)));
  // Largest coefficient first; its quotient is the dim, the remainder goes on.
  for (int64_t bound = INT64_MAX;;) {
    int next = -1;
    for (int i = 0; i < n_dims; i++)
      if (coefficients[i] > 0 && coefficients[i] < bound && (next < 0 || coefficients[i] > coefficients[next]))
        next = i;
    if (next < 0)
      break;
    int64_t span = 0; // of the terms below
    for (int i = 0; i < n_dims; i++)
      if (coefficients[i] > 0 && coefficients[i] < coefficients[next])
        span = strata_plus(span, strata_times(coefficients[i], strata_size_max(space->sizes[i]) - 1));
    bool is_last = span == 0;
    if (span >= coefficients[next] || !mlirAffineExprIsNull(out_dims[next]))
      return false;
    MlirAffineExpr divisor = mlirAffineConstantExprGet(context, coefficients[next]);
    out_dims[next] = strata_affine_simplify(mlirAffineFloorDivExprGet(rest, divisor), target_space);
    if (!is_last)
      rest = strata_affine_simplify(mlirAffineModExprGet(rest, divisor), target_space);
    for (int i = 0; i < n_dims; i++)
      if (i != next && coefficients[i] == coefficients[next] && !strata_size_is_one(space->sizes[i]))
        return false;
    bound = coefficients[next];
  }
  return true;
}

static bool fill_unit_dims(MlirContext context, const strata_space_t *space, MlirAffineExpr *dims) {
  for (int i = 0; i < space->n_dims; i++) {
    if (!mlirAffineExprIsNull(dims[i]))
      continue;
    if (!strata_size_is_one(space->sizes[i]))
      return false;
    dims[i] = mlirAffineConstantExprGet(context, 0);
  }
  return true;
}

bool strata_affine_invert(MlirAffineMap map, const strata_space_t *space, const strata_size_t *sizes,
                          const MlirAffineExpr *targets, const strata_space_t *target_space, MlirAffineExpr *out_dims) {
  MlirContext context = mlirAffineMapGetContext(map);
  int n_dims = (int)mlirAffineMapGetNumDims(map), n_results = (int)mlirAffineMapGetNumResults(map);
  strata_space_t own = *space;
  assert(n_dims <= own.n_dims);
  own.n_dims = n_dims;
  for (int i = 0; i < n_dims; i++)
    out_dims[i] = (MlirAffineExpr){0};
  bool done = true;
  for (int i = 0; i < n_results && done; i++)
    done = invert_sum(mlirAffineMapGetResult(map, i), &own, targets[i], target_space, out_dims);
  if (done && fill_unit_dims(context, &own, out_dims))
    return true;
  for (int i = 0; i < n_dims; i++)
    out_dims[i] = (MlirAffineExpr){0};
  MlirAffineMap target_map = mlirAffineMapGet(context, target_space->n_dims, target_space->n_symbols, n_results,
                                              (MlirAffineExpr *)(uintptr_t)targets);
  MlirAffineExpr position = strata_affine_linearize(map, sizes, space);
  MlirAffineExpr target = strata_affine_linearize(target_map, sizes, target_space);
  return invert_sum(position, &own, target, target_space, out_dims) && fill_unit_dims(context, &own, out_dims);
}
