// Values that the lanes of a warp have in parts, gathered in registers. See gather.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_GATHER_H
#define STRATA_LOWERING_TILE_TO_GPU_GATHER_H

#include "lowering/tile_to_gpu/distribute.h"

// |from| in |layout|, if each thread, or it and one other lane of its warp together, have what it is to hold; else
// false, and nothing is emitted.
bool strata_registers_gather(strata_gpu_distribution_t *d, const strata_registers_t *from,
                             const strata_layout_t *layout, strata_registers_t *out);

#endif
