// Scalar nests as they are copied from level 2 to level 3: what scalar.c and scalar_lanes.c share.
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_SCALAR_H
#define STRATA_LOWERING_AFFINE_TO_TILE_SCALAR_H

#include "lowering/affine_to_tile/kinds.h"

typedef struct {
  MlirValue from, to;
} strata_scalar_mapping_t;

typedef struct {
  strata_tile_builder_t *b;
  STRATA_VECTOR(strata_scalar_mapping_t) values;
} strata_scalar_t;

// A value of the nest as it is in the new code; values from outside stay.
void strata_scalar_map(strata_scalar_t *c, MlirValue from, MlirValue to);
MlirValue strata_scalar_mapped(const strata_scalar_t *c, MlirValue value);

// Copies an op, and what is in it.
void strata_scalar_clone(strata_scalar_t *c, MlirOperation op);

// The same of a loop over lanes, as vectors of these.
void strata_scalar_lanes(strata_scalar_t *c, MlirOperation loop);

#endif
