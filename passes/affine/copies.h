// Nests that do nothing but copy.
#ifndef STRATA_PASSES_AFFINE_COPIES_H
#define STRATA_PASSES_AFFINE_COPIES_H

#include "dialects/affine/nest.h"

// True if the nest copies a part of one buffer, access 0, to a place in another one, access 1, of any shape: each dim
// of the nest is one coordinate of the former, in order, perhaps shifted.
bool strata_nest_is_copy(const strata_nest_t *nest);

#endif
