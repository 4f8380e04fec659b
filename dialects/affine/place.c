// Maps into buffers, row-major positions, and what a map depends on; see simplify.h.
#include "dialects/affine/expr.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"

#include <assert.h>

enum { MAX_RESULTS = 64 };

// Replaces every result of |map| through |inner| (no replacement if it is null), then simplifies (unless |space| is
// NULL). The result has the dims of |inner|.
static MlirAffineMap rewrite_results(MlirAffineMap map, MlirAffineMap inner, const strata_space_t *space) {
  MlirAffineExpr results[MAX_RESULTS];
  intptr_t count = mlirAffineMapGetNumResults(map);
  MlirAffineMap domain = mlirAffineMapIsNull(inner) ? map : inner;
  int n_dims = (int)mlirAffineMapGetNumDims(domain);
  assert(count <= MAX_RESULTS);
  for (intptr_t i = 0; i < count; i++) {
    results[i] = mlirAffineMapGetResult(map, i);
    if (!mlirAffineMapIsNull(inner))
      results[i] = mlirAffineExprCompose(results[i], inner);
    if (space)
      results[i] = strata_affine_simplify(results[i], space);
  }
  intptr_t n_symbols = strata_max(mlirAffineMapGetNumSymbols(map), mlirAffineMapGetNumSymbols(domain));
  return mlirAffineMapGet(mlirAffineMapGetContext(map), n_dims, n_symbols, count, results);
}

MlirAffineMap strata_affine_simplify_map(MlirAffineMap map, const strata_space_t *space) {
  return rewrite_results(map, (MlirAffineMap){0}, space);
}

MlirAffineMap strata_affine_compose(MlirAffineMap outer, MlirAffineMap inner, const strata_space_t *space) {
  return rewrite_results(outer, inner, space);
}

MlirAffineExpr strata_affine_linearize(MlirAffineMap map, const strata_size_t *sizes, const strata_space_t *space) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr position = mlirAffineConstantExprGet(context, 0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    position = mlirAffineMulExprGet(position, strata_size_expr(context, sizes[i]));
    position = mlirAffineAddExprGet(position, mlirAffineMapGetResult(map, i));
  }
  return space ? strata_affine_simplify(position, space) : position;
}

MlirAffineMap strata_affine_delinearize(MlirAffineExpr expr, int rank, const strata_size_t *sizes,
                                        const strata_space_t *space) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr coordinates[MAX_RESULTS];
  strata_size_t stride = strata_size_constant(1);
  assert(rank <= MAX_RESULTS);
  for (int i = rank; i-- > 0;) {
    // An empty buffer has no positions to be right about.
    strata_size_t size = strata_size_max(sizes[i]) > 0 ? sizes[i] : strata_size_constant(1);
    MlirAffineExpr digit = mlirAffineFloorDivExprGet(expr, strata_size_expr(context, stride));
    if (i > 0)
      digit = mlirAffineModExprGet(digit, strata_size_expr(context, size));
    coordinates[i] = strata_affine_simplify(digit, space);
    stride = strata_size_product(stride, size);
  }
  return mlirAffineMapGet(context, space->n_dims, space->n_symbols, rank, coordinates);
}

static int count_divisions(MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr) || mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr))
    return 0;
  return strata_affine_is_division(expr) + count_divisions(mlirAffineBinaryOpExprGetLHS(expr)) +
         count_divisions(mlirAffineBinaryOpExprGetRHS(expr));
}

static int count_divisions_of_map(MlirAffineMap map) {
  int count = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    count += count_divisions(mlirAffineMapGetResult(map, i));
  return count;
}

MlirAffineMap strata_affine_simplify_places(MlirAffineMap map, const strata_size_t *sizes,
                                            const strata_space_t *space) {
  map = strata_affine_simplify_map(map, space);
  int n_divisions = count_divisions_of_map(map);
  if (n_divisions == 0)
    return map;
  MlirAffineMap digits = strata_affine_delinearize(strata_affine_linearize(map, sizes, space),
                                                   (int)mlirAffineMapGetNumResults(map), sizes, space);
  return count_divisions_of_map(digits) < n_divisions ? digits : map;
}

bool strata_affine_coefficient(MlirAffineExpr expr, int dim, int64_t *out_coefficient) {
  *out_coefficient = 0;
  if (!mlirAffineExprIsFunctionOfDim(expr, dim))
    return true;
  if (mlirAffineExprIsADim(expr)) {
    *out_coefficient = 1;
    return true;
  }
  if (strata_affine_is_division(expr) ||
      !strata_affine_coefficient(mlirAffineBinaryOpExprGetLHS(expr), dim, out_coefficient))
    return false;
  int64_t right;
  if (mlirAffineExprIsAAdd(expr))
    return strata_affine_coefficient(mlirAffineBinaryOpExprGetRHS(expr), dim, &right) &&
           !__builtin_add_overflow(*out_coefficient, right, out_coefficient);
  return strata_affine_constant_rhs(expr, &right) && !__builtin_mul_overflow(*out_coefficient, right, out_coefficient);
}

bool strata_affine_size_coefficient(MlirAffineExpr expr, int dim, MlirAffineExpr *out_coefficient) {
  MlirContext context = mlirAffineExprGetContext(expr);
  bool is_dim = mlirAffineExprIsADim(expr), depends = mlirAffineExprIsFunctionOfDim(expr, dim);
  *out_coefficient = mlirAffineConstantExprGet(context, is_dim && depends);
  if (is_dim || !depends)
    return true;
  MlirAffineExpr rhs = mlirAffineBinaryOpExprGetRHS(expr), left, right;
  if (strata_affine_is_division(expr) ||
      !strata_affine_size_coefficient(mlirAffineBinaryOpExprGetLHS(expr), dim, &left))
    return false;
  if (mlirAffineExprIsAMul(expr)) {
    *out_coefficient = mlirAffineMulExprGet(left, rhs);
    return mlirAffineExprIsSymbolicOrConstant(rhs);
  }
  bool is_known = strata_affine_size_coefficient(rhs, dim, &right);
  *out_coefficient = mlirAffineAddExprGet(left, right);
  return is_known;
}

bool strata_affine_has_division(MlirAffineExpr expr) { return count_divisions(expr) > 0; }
