// Places that a kind's nest reads and stores (dialects/affine/places.h), at level 3.
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_PLACES_H
#define STRATA_LOWERING_AFFINE_TO_TILE_PLACES_H

#include "dialects/affine/places.h"
#include "lowering/affine_to_tile/value.h"

// The coordinates of a place where its dims are |point|; returns the rank.
int strata_tile_place_coordinates(strata_tile_builder_t *b, const strata_place_t *place, const MlirAffineExpr *point,
                                  MlirAffineExpr *out);

#endif
