// Kernels of a sort by digits, of one nest that strata-to-affine makes of strata.sort (sort_digits.c), read back: one
// that counts how often a part of a row has each digit, and one that puts its elements where they go.
#ifndef STRATA_DIALECTS_AFFINE_DIGITS_H
#define STRATA_DIALECTS_AFFINE_DIGITS_H

#include "dialects/affine/places.h"
#include "dialects/digit.h"

// Places are over the nest's parallel dims, and one more: an element's number in the row, or a digit.
typedef struct {
  strata_sort_digit_t digit;
  bool places;          // elements; else it counts them
  MlirAffineMap bounds; // over the parallel dims: the first element; one or two, the least of which is the end
  strata_place_t keys, counts;
  // Of one that places: counts of the parts in front, or the same buffer as |counts| if there is one part.
  strata_place_t before;
  // Null buffers where there are none: the elements are not wanted, a key's position is where it is, nor wanted.
  strata_place_t result, positions, result_positions;
} strata_digits_t;

// False if the kernel is no such nest.
bool strata_digits_read(const strata_kernel_t *kernel, strata_digits_t *out);

#endif
