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

#endif
