// Parts of affine expressions and of their ranges, for the files that take them apart.
#ifndef STRATA_DIALECTS_AFFINE_EXPR_H
#define STRATA_DIALECTS_AFFINE_EXPR_H

#include <mlir-c/AffineExpr.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool strata_affine_is_division(MlirAffineExpr expr) {
  return mlirAffineExprIsAFloorDiv(expr) || mlirAffineExprIsACeilDiv(expr) || mlirAffineExprIsAMod(expr);
}

// The divisor of a floordiv, ceildiv or mod, or the factor of a mul; false if it is no constant.
bool strata_affine_constant_rhs(MlirAffineExpr expr, int64_t *out);

// [*min, *max] times |factor|; false where it overflows.
bool strata_range_of_product(int64_t factor, int64_t *min, int64_t *max);
// [*min, *max] times [least, most]; false where it overflows.
bool strata_range_of_products(int64_t least, int64_t most, int64_t *min, int64_t *max);

#endif
