// Elements of tensors in storage format (types.def) as host numbers, one at a time. What is loaded may lie at any
// address, what is stored lies at a multiple of an element's size. Private to dialects/strata.
#ifndef STRATA_DIALECTS_STRATA_NUMBER_H
#define STRATA_DIALECTS_STRATA_NUMBER_H

#include "dialects/strata/strata.h"

// Float types. Storing rounds to nearest even; what is too large becomes infinity, NaN in those that have none.
double strata__load_f64(strata_type_t type, const void *data, int64_t index);
void strata__store_f64(strata_type_t type, void *data, int64_t index, double value);

// Integers and booleans. Loading extends the sign (i1: 0 or 1); storing wraps (i1: the lowest bit).
int64_t strata__load_i64(strata_type_t type, const void *data, int64_t index);
void strata__store_i64(strata_type_t type, void *data, int64_t index, int64_t value);

// Bits of an integer type: 1 for i1, which takes a byte.
static inline int strata__integer_bits(strata_type_t type) {
  return type == STRATA_TYPE_I1 ? 1 : strata_type_info[type].bits;
}

// Writes a number of any kind into element |index|: integers are rounded to nearest even and saturate, NaN gives 0.
void strata__store_number(strata_type_t type, void *data, int64_t index, double value);

#endif
