// Whether what a nest reads and stores lies inside its buffers.
//
// Of sizes that are known ranges say it. Of sizes that vary the algebra of simplify.h says it of most coordinates for
// all sizes at once; the others are looked at as if the sizes were known, at some of them.
#ifndef STRATA_DIALECTS_AFFINE_INSIDE_H
#define STRATA_DIALECTS_AFFINE_INSIDE_H

#include "dialects/affine/nest.h"
#include "dialects/affine/symbols.h"

// Values of all symbols: the least, likely and large ones, and some that have no divisor in common.
typedef struct {
  int count;
  const int64_t *const *values;
} strata_size_samples_t;

strata_size_samples_t strata_size_samples(strata_arena_t *arena, const strata_symbols_t *symbols);
// Those that the function |func| is made for (when.h).
strata_size_samples_t strata_size_samples_of(strata_arena_t *arena, const strata_size_samples_t *samples,
                                             MlirOperation func);

// |access| has a map and no guard.
bool strata_access_is_inside(const strata_nest_t *nest, const strata_access_t *access,
                             const strata_size_samples_t *samples);

#endif
