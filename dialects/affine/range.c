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

// [*min, *max] times [factor_min, factor_max].
bool strata_range_of_products(int64_t factor_min, int64_t factor_max, int64_t *min, int64_t *max) {
  int64_t low = *min, high = *max;
  if (!strata_range_of_product(factor_min, min, max) || !strata_range_of_product(factor_max, &low, &high))
    return false;
  *min = strata_min(*min, low);
  *max = strata_max(*max, high);
  return true;
}

static void range_of_mod(int64_t least, int64_t most, int64_t *min, int64_t *max) {
  int64_t whole = strata_floor_div(*min, least);
  if (whole == strata_floor_div(*max, least) && (least == most || whole == 0)) {
    *min -= whole * least;
    *max -= whole * least;
    return;
  }
  *max = *min < 0 ? most - 1 : strata_min(*max, most - 1);
  *min = 0;
}

// [*min, *max] divided by a divisor in [least, most].
static bool range_of_division(MlirAffineExpr expr, int64_t least, int64_t most, int64_t *min, int64_t *max) {
  if (least <= 0 || *min == INT64_MIN)
    return false;
  if (mlirAffineExprIsAMod(expr)) {
    range_of_mod(least, most, min, max);
  } else if (mlirAffineExprIsACeilDiv(expr)) {
    *min = -strata_floor_div(-*min, *min > 0 ? most : least);
    *max = -strata_floor_div(-*max, *max > 0 ? least : most);
  } else {
    *min = strata_floor_div(*min, *min < 0 ? least : most);
    *max = strata_floor_div(*max, *max < 0 ? most : least);
  }
  return true;
}

// What is left of anything that is divided by |divisor|.
static bool range_of_remainder(MlirAffineExpr divisor, const strata_space_t *space, int64_t *out_min,
                               int64_t *out_max) {
  int64_t least;
  bool is_positive = strata_affine_range(divisor, space, &least, out_max) && least > 0;
  *out_min = 0;
  *out_max -= is_positive;
  return is_positive;
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
  if (mlirAffineExprIsASymbol(expr)) {
    intptr_t symbol = mlirAffineSymbolExprGetPosition(expr);
    if (symbol >= space->n_symbols)
      return false;
    *out_min = space->symbols[symbol].min;
    *out_max = space->symbols[symbol].max;
    return true;
  }
  if (!strata_affine_range(mlirAffineBinaryOpExprGetLHS(expr), space, out_min, out_max))
    return mlirAffineExprIsAMod(expr) &&
           range_of_remainder(mlirAffineBinaryOpExprGetRHS(expr), space, out_min, out_max);
  if (mlirAffineExprIsAAdd(expr)) {
    int64_t min, max;
    return strata_affine_range(mlirAffineBinaryOpExprGetRHS(expr), space, &min, &max) &&
           !__builtin_add_overflow(*out_min, min, out_min) && !__builtin_add_overflow(*out_max, max, out_max);
  }
  int64_t min, max;
  if (!strata_affine_range(mlirAffineBinaryOpExprGetRHS(expr), space, &min, &max))
    return false;
  return mlirAffineExprIsAMul(expr) ? strata_range_of_products(min, max, out_min, out_max)
                                    : range_of_division(expr, min, max, out_min, out_max);
}
