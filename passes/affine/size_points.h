// Points of the sizes that vary: what costs are asked at where one choice is to do for all of them.
#ifndef STRATA_PASSES_AFFINE_SIZE_POINTS_H
#define STRATA_PASSES_AFFINE_SIZE_POINTS_H

#include "dialects/affine/symbols.h"

enum { STRATA_SIZE_POINTS = 8 };

typedef struct {
  int count;
  const int64_t *values[STRATA_SIZE_POINTS]; // by symbol of the module
} strata_size_points_t;

// From few to many: what is likely, what lies between, and more than that; |usual| is what each symbol is otherwise.
// One point, |usual|, where nothing is.
STRATA_MUST_CHECK strata_status_t strata_size_points(strata_compile_t *compile, const int64_t *usual,
                                                     strata_size_points_t *out);

#endif
