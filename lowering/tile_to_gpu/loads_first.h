// Where a task's loads begin.
#ifndef STRATA_LOWERING_TILE_TO_GPU_LOADS_FIRST_H
#define STRATA_LOWERING_TILE_TO_GPU_LOADS_FIRST_H

#include "lowering/tile_to_gpu/distribute.h"

// Of rows, where sizes vary: moves loads that a task does behind a reduction to its first load, as long as a thread has
// registers for them, so that memory is waited for once. Those of known sizes the assembler moves; of elements that may
// not be there it leaves each where it is. Before layouts are chosen.
void strata_gpu_put_loads_first(strata_gpu_distribution_t *d);

#endif
