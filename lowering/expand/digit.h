// Digits of a sort's elements (dialects/digit.h) as arithmetic.
#ifndef STRATA_LOWERING_EXPAND_DIGIT_H
#define STRATA_LOWERING_EXPAND_DIGIT_H

#include "dialects/digit.h"
#include "lowering/emit/emit.h"

// The digit, an i32, of |element|, an integer or a float of 8 to 64 bits as it is stored.
MlirValue strata_emit_digit(strata_emitter_t *e, MlirValue element, const strata_sort_digit_t *digit);

#endif
