// A digit of what an element is in the order of a sort (lowering/strata_to_affine/sort_digits.c): an element is an
// unsigned number of as many bits, which is less where the element comes before; a float's is its bits, of which those
// of negative numbers are turned around. -0 is 0, and NaN is greater than any number.
#ifndef STRATA_DIALECTS_DIGIT_H
#define STRATA_DIALECTS_DIGIT_H

#include "dialects/mlir_util.h"

typedef struct {
  int64_t shift, bits; // bits [shift, shift + bits) of the number, at most 16
  bool descending;     // the greatest comes first: the number's complement
  bool is_unsigned;    // of integers
} strata_sort_digit_t;

// As an attribute, on the loop over a sort's elements and on the ops that it becomes: a dictionary.
#define STRATA_DIGIT "strata.digit"
MlirAttribute strata_digit_attr(MlirContext context, const strata_sort_digit_t *digit);
// False if |attr| is none.
bool strata_digit_read(MlirAttribute attr, strata_sort_digit_t *out);

#endif
