// Arithmetic in the order in which it is needed.
#ifndef STRATA_LOWERING_TILE_TO_GPU_DEFER_H
#define STRATA_LOWERING_TILE_TO_GPU_DEFER_H

#include "lowering/tile_to_gpu/distribute.h"

// Moves arithmetic in |block| to just before what first uses it. Op by op a thread would compute all its elements of
// one value before the first of the next one: then all of them wait in registers, and the code between two barriers has
// no end. Loads stay where they are, ahead.
void strata_gpu_defer_arithmetic(strata_gpu_distribution_t *d, MlirBlock block);
// The same with the loads of what nothing writes, where registers are scarce and many blocks hide what loads take.
void strata_gpu_defer_loads(strata_gpu_distribution_t *d, MlirBlock block);

#endif
