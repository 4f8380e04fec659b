// Operands of products that are quantised: (integers - zero) * scale.
#ifndef STRATA_PASSES_STRATA_QUANTIZED_H
#define STRATA_PASSES_STRATA_QUANTIZED_H

#include "passes/strata/contract.h"

typedef struct {
  MlirValue integers;
  bool is_unsigned;
  int64_t zero;
  MlirValue scale; // a splat, or a broadcast of a constant
} strata_quantized_t;

// False if |value| is none.
bool strata_quantized_read(MlirValue value, strata_quantized_t *out);
// The same without a scale: integers that were widened, or converted to floats, and their zero taken off.
bool strata_quantized_read_centered(MlirValue value, strata_quantized_t *out);

// The map over the result of the scale of operand |k|; false if it varies along a contracted dim.
bool strata_quantized_place_scale(const strata_contract_t *c, int k, MlirValue scale, MlirContext context,
                                  MlirAffineExpr *out_exprs);

// |result| times the scale of operand |k|, which has a place.
MlirValue strata_quantized_scale(strata_rewriter_t *r, const strata_contract_t *c, int k, MlirValue result,
                                 MlirValue scale);

#endif
