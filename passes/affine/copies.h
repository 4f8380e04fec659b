// Nests that do nothing but copy.
#ifndef STRATA_PASSES_AFFINE_COPIES_H
#define STRATA_PASSES_AFFINE_COPIES_H

#include "dialects/affine/nest.h"

// True if the nest copies a part of one buffer, access 0, to all of another, access 1, of the nest's dims: each dim is
// one coordinate of the former, in order, perhaps shifted.
bool strata_nest_is_part_copy(const strata_nest_t *nest);
// The same to a place in a buffer of any shape.
bool strata_nest_is_copy(const strata_nest_t *nest);

#endif
