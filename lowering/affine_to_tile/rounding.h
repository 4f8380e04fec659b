// Values that are rounded to a storage type and widened again, between fused nests: under fast math neither is done,
// unless the model has the rounding as an operator of its own ("strata.rounds").
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_ROUNDING_H
#define STRATA_LOWERING_AFFINE_TO_TILE_ROUNDING_H

#include "lowering/affine_to_tile/value.h"

// |value| as |element|s, as it was before it was rounded; false where it was not, or where the rounding must stay.
bool strata_tile_unrounded(strata_tile_builder_t *b, strata_tile_value_t value, MlirType element,
                           strata_tile_value_t *out_value);

// |value|, of the same type or a narrower one, as |element|s.
strata_tile_value_t strata_tile_widened(strata_tile_builder_t *b, strata_tile_value_t value, MlirType element);

#endif
