// Affine expressions simplified with what is known of their dims and symbols: a space of them.
//
// MLIR's own simplification knows no ranges. These do: (d0 * 64 + d1) floordiv 64 is d0 and its mod is d1 where
// d1 < 64. Sums are split into the terms divisible by the divisor and the rest; if the rest lies in [0, divisor) the
// quotient and the remainder separate.
#ifndef STRATA_DIALECTS_AFFINE_SIMPLIFY_H
#define STRATA_DIALECTS_AFFINE_SIMPLIFY_H

#include "dialects/affine/space.h"

#include <mlir-c/AffineMap.h>

// The least and greatest value of |expr|; false if it has symbols nothing is known of, or overflows.
bool strata_affine_range(MlirAffineExpr expr, const strata_space_t *space, int64_t *out_min, int64_t *out_max);

// True if |expr| is never negative, whatever dims and symbols are; false if that is not seen. With size - 1 - x it says
// that x is inside.
bool strata_affine_is_nonnegative(MlirAffineExpr expr, const strata_space_t *space);

MlirAffineExpr strata_affine_simplify(MlirAffineExpr expr, const strata_space_t *space);
MlirAffineMap strata_affine_simplify_map(MlirAffineMap map, const strata_space_t *space);

// outer(inner(dims)): the results of |inner| replace the dims of |outer|; simplified if |space| (of inner's dims) is
// not NULL.
MlirAffineMap strata_affine_compose(MlirAffineMap outer, MlirAffineMap inner, const strata_space_t *space);

// The row-major position of the coordinates |map| gives in a buffer of |sizes|: one expression.
MlirAffineExpr strata_affine_linearize(MlirAffineMap map, const strata_size_t *sizes, const strata_space_t *space);
// The coordinates in a row-major buffer of |sizes| of the position |expr|.
MlirAffineMap strata_affine_delinearize(MlirAffineExpr expr, int rank, const strata_size_t *sizes,
                                        const strata_space_t *space);

// Coordinates in a row-major buffer of |sizes| for the same places as those of |map|, which are inside; with fewer
// divisions if the whole position is simpler than its digits.
MlirAffineMap strata_affine_simplify_places(MlirAffineMap map, const strata_size_t *sizes, const strata_space_t *space);

// The coefficient of dim |dim| if |expr| is coefficient * dim + (terms without dim); false where it is not so, for
// instance because the dim is under a floordiv that does not simplify.
bool strata_affine_coefficient(MlirAffineExpr expr, int dim, int64_t *out_coefficient);

// The same where it is a product of sizes: an expression over symbols.
bool strata_affine_size_coefficient(MlirAffineExpr expr, int dim, MlirAffineExpr *out_coefficient);

// True if there is a floordiv, ceildiv or mod in |expr|.
bool strata_affine_has_division(MlirAffineExpr expr);

#endif
