// Maps into buffers, row-major positions, and what a map depends on; see simplify.h.
#include "dialects/affine/expr.h"
#include "dialects/affine/simplify.h"

#include <assert.h>

enum { MAX_RESULTS = 64 };

// Replaces every result of |map| through |inner| (no replacement if it is null), then simplifies (unless |extents| is
// NULL). The result has the dims of |inner|.
static MlirAffineMap rewrite_results(MlirAffineMap map, MlirAffineMap inner, const int64_t *extents) {
  MlirAffineExpr results[MAX_RESULTS];
  intptr_t count = mlirAffineMapGetNumResults(map);
  MlirAffineMap domain = mlirAffineMapIsNull(inner) ? map : inner;
  int n_dims = (int)mlirAffineMapGetNumDims(domain);
  assert(count <= MAX_RESULTS);
  for (intptr_t i = 0; i < count; i++) {
    results[i] = mlirAffineMapGetResult(map, i);
    if (!mlirAffineMapIsNull(inner))
      results[i] = mlirAffineExprCompose(results[i], inner);
    if (extents)
      results[i] = strata_affine_simplify(results[i], n_dims, extents);
  }
  return mlirAffineMapGet(mlirAffineMapGetContext(map), n_dims, mlirAffineMapGetNumSymbols(domain), count, results);
}

MlirAffineMap strata_affine_simplify_map(MlirAffineMap map, const int64_t *extents) {
  return rewrite_results(map, (MlirAffineMap){0}, extents);
}

MlirAffineMap strata_affine_compose(MlirAffineMap outer, MlirAffineMap inner, const int64_t *extents) {
  return rewrite_results(outer, inner, extents);
}

MlirAffineExpr strata_affine_linearize(MlirAffineMap map, const int64_t *sizes, const int64_t *extents) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr position = mlirAffineConstantExprGet(context, 0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    position = mlirAffineMulExprGet(position, mlirAffineConstantExprGet(context, sizes[i]));
    position = mlirAffineAddExprGet(position, mlirAffineMapGetResult(map, i));
  }
  return extents ? strata_affine_simplify(position, (int)mlirAffineMapGetNumDims(map), extents) : position;
}

MlirAffineMap strata_affine_delinearize(MlirContext context, MlirAffineExpr expr, int n_dims, int rank,
                                        const int64_t *sizes, const int64_t *extents) {
  MlirAffineExpr coordinates[MAX_RESULTS];
  int64_t stride = 1;
  assert(rank <= MAX_RESULTS);
  for (int i = rank; i-- > 0;) {
    int64_t size = sizes[i] > 0 ? sizes[i] : 1; // an empty buffer has no positions to be right about
    MlirAffineExpr digit = mlirAffineFloorDivExprGet(expr, mlirAffineConstantExprGet(context, stride));
    if (i > 0)
      digit = mlirAffineModExprGet(digit, mlirAffineConstantExprGet(context, size));
    coordinates[i] = extents ? strata_affine_simplify(digit, n_dims, extents) : digit;
    stride *= size;
  }
  return mlirAffineMapGet(context, n_dims, 0, rank, coordinates);
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

MlirAffineMap strata_affine_simplify_places(MlirAffineMap map, const int64_t *sizes, const int64_t *extents) {
  map = strata_affine_simplify_map(map, extents);
  int n_divisions = count_divisions_of_map(map);
  if (n_divisions == 0)
    return map;
  MlirAffineMap digits = strata_affine_delinearize(
      mlirAffineMapGetContext(map), strata_affine_linearize(map, sizes, extents), (int)mlirAffineMapGetNumDims(map),
      (int)mlirAffineMapGetNumResults(map), sizes, extents);
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

bool strata_affine_has_division(MlirAffineExpr expr) { return count_divisions(expr) > 0; }
