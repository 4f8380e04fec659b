// Ranges of affine expressions; see simplify.h and expr.h.
#include "dialects/affine/expr.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"

#include <assert.h>

bool strata_affine_constant_rhs(MlirAffineExpr expr, int64_t *out) {
  MlirAffineExpr rhs = mlirAffineBinaryOpExprGetRHS(expr);
  if (!mlirAffineExprIsAConstant(rhs))
    return false;
  *out = mlirAffineConstantExprGetValue(rhs);
  return true;
}

bool strata_range_of_product(int64_t factor, int64_t *min, int64_t *max) {
  int64_t a, b;
  if (__builtin_mul_overflow(*min, factor, &a) || __builtin_mul_overflow(*max, factor, &b))
    return false;
  *min = a < b ? a : b;
  *max = a < b ? b : a;
  return true;
}

static bool range_of_division(MlirAffineExpr expr, int64_t divisor, int64_t *min, int64_t *max) {
  if (divisor <= 0)
    return false;
  if (mlirAffineExprIsACeilDiv(expr) &&
      (__builtin_add_overflow(*min, divisor - 1, min) || __builtin_add_overflow(*max, divisor - 1, max)))
    return false;
  int64_t first = strata_floor_div(*min, divisor), last = strata_floor_div(*max, divisor);
  if (!mlirAffineExprIsAMod(expr)) {
    *min = first;
    *max = last;
  } else if (first == last) {
    *min -= first * divisor;
    *max -= first * divisor;
  } else {
    *min = 0;
    *max = divisor - 1;
  }
  return true;
}

bool strata_affine_range(MlirAffineExpr expr, const strata_space_t *space, int64_t *out_min, int64_t *out_max) {
  if (mlirAffineExprIsAConstant(expr)) {
    *out_min = *out_max = mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (mlirAffineExprIsADim(expr)) {
    intptr_t dim = mlirAffineDimExprGetPosition(expr);
    assert(dim < space->n_dims);
    *out_min = 0;
    *out_max = strata_max(strata_size_max(space->sizes[dim]) - 1, 0);
    return true;
  }
  if (mlirAffineExprIsASymbol(expr) ||
      !strata_affine_range(mlirAffineBinaryOpExprGetLHS(expr), space, out_min, out_max))
    return false;
  if (mlirAffineExprIsAAdd(expr)) {
    int64_t min, max;
    return strata_affine_range(mlirAffineBinaryOpExprGetRHS(expr), space, &min, &max) &&
           !__builtin_add_overflow(*out_min, min, out_min) && !__builtin_add_overflow(*out_max, max, out_max);
  }
  int64_t constant;
  if (!strata_affine_constant_rhs(expr, &constant))
    return false;
  return mlirAffineExprIsAMul(expr) ? strata_range_of_product(constant, out_min, out_max)
                                    : range_of_division(expr, constant, out_min, out_max);
}
