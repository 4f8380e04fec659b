// strata.sort, what its ways of sorting share: the rows, and the order of their elements.
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_SORT_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_SORT_H

#include "devices/gpu/costs.h"
#include "lowering/strata_to_affine/lower.h"

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *operand, *values;
  strata__tensor_t positions;
  int axis;
  strata_size_t length; // of a row
  bool descending, is_unsigned;
} strata__sort_t;

// Whether an element that is |x| comes before one that is |y|, numbers in math form. NaN is greater than any other.
MlirValue strata__sort_is_before(strata__sort_t *s, MlirValue x, MlirValue y);

// On a GPU (sort_gpu.c): every element finds its place, or goes to it by its digits (sort_digits.c) where that is
// faster.
STRATA_MUST_CHECK strata_status_t strata__sort_on_gpu(strata__lowering_t *l, strata__sort_t *s, MlirOperation op);
// By digits (sort_digits.c), on any target, what has some.
bool strata__sort_has_digits(const strata__sort_t *s);
void strata__sort_by_digits(strata__lowering_t *l, strata__sort_t *s, MlirOperation op);
// What that takes at likely sizes; less than 0: elements have no digits.
double strata__sort_digits_seconds(const strata__lowering_t *l, const strata__sort_t *s,
                                   const strata_sort_costs_t *costs);

#endif
