// Values that are contiguous in memory along one dim in one place and along the other in another.
#ifndef STRATA_LOWERING_TILE_TO_GPU_TURN_H
#define STRATA_LOWERING_TILE_TO_GPU_TURN_H

#include "lowering/tile_to_gpu/access.h"

// True if an access of the old |value|, whose elements in memory are |element|, is to be made in another layout than
// the value's, from and to which strata_registers_convert takes it.
bool strata_turn_layout(strata_gpu_distribution_t *d, MlirValue value, const strata_gpu_box_t *box, MlirType element,
                        strata_layout_t *out_layout);

#endif
