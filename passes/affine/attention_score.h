// Scores of attention, written out at another place of the kernel's function.
#ifndef STRATA_PASSES_AFFINE_ATTENTION_SCORE_H
#define STRATA_PASSES_AFFINE_ATTENTION_SCORE_H

#include "dialects/affine/attention.h"

typedef struct {
  const strata_attention_t *attention;
  MlirOperation before;  // in front of which it goes, in a nest
  const MlirValue *dims; // of that nest
  MlirAffineMap point;   // those dims -> the canonical ones
  MlirValue product;     // the first product there
} strata_score_place_t;

// The score there, of its own type.
MlirValue strata_attention_write_score(strata_arena_t *arena, const strata_score_place_t *place);

#endif
