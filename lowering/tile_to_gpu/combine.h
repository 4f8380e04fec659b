// Combining what threads hold.
#ifndef STRATA_LOWERING_TILE_TO_GPU_COMBINE_H
#define STRATA_LOWERING_TILE_TO_GPU_COMBINE_H

#include "lowering/tile_to_gpu/distribute.h"

// |value| of the thread whose number differs in bit |bit| (below |lanes|, those of a warp). All threads of the warp get
// here. Values of any scalar type go in words of 32 bits.
MlirValue strata_emit_shuffle_xor(strata_emitter_t *e, MlirValue value, int64_t bit, int lanes);

#endif
