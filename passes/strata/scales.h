// Scales of products' operands, splats or broadcasts, and where they may come instead: behind the product, or to the
// other operand.
#ifndef STRATA_PASSES_STRATA_SCALES_H
#define STRATA_PASSES_STRATA_SCALES_H

#include "passes/strata/contract.h"

// What |value| rounds, if that is f32; else |value|.
MlirValue strata_under_rounding(MlirValue value);

// A splat or a broadcast.
bool strata_is_scale(MlirValue value);

// Where the scale of operand |k| lies over the dims of the result, or of the other operand, as results of a broadcast's
// map; false if it varies along one that is not there.
bool strata_scale_place_in_result(const strata_contract_t *c, int k, MlirValue scale, MlirContext context,
                                  MlirAffineExpr *out_exprs);
bool strata_scale_place_in_other(const strata_contract_t *c, int k, MlirValue scale, MlirContext context,
                                 MlirAffineExpr *out_exprs);

// |value| times the scale at those places, in the type of |value|.
MlirValue strata_scale_at(strata_rewriter_t *r, MlirValue value, MlirValue scale, const MlirAffineExpr *exprs);
// The product's |result| times the scale of operand |k|, which has a place there.
MlirValue strata_scale_result(strata_rewriter_t *r, const strata_contract_t *c, int k, MlirValue result,
                              MlirValue scale);

#endif
