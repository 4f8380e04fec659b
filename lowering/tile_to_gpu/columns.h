// What all rows of a task share: vectors along a row, scales and biases, in tasks of several rows. Each thread of the
// block computes its part of one; shared memory has the whole, which is loaded where rows need it, so that registers
// hold only what is being computed on.
#ifndef STRATA_LOWERING_TILE_TO_GPU_COLUMNS_H
#define STRATA_LOWERING_TILE_TO_GPU_COLUMNS_H

#include "lowering/tile_to_gpu/distribute.h"

// True for a broadcast of such a vector over the rows of the task.
bool strata_gpu_is_over_rows(const strata_gpu_distribution_t *d, MlirOperation op);

// Has shared memory hold the computed vector |old|.
STRATA_MUST_CHECK strata_status_t strata_columns_share(strata_gpu_distribution_t *d, MlirValue old);

// The registers of such a vector in |layout|, from shared memory.
STRATA_MUST_CHECK strata_status_t strata_columns_as(strata_gpu_distribution_t *d, MlirValue old,
                                                    const strata_layout_t *layout, strata_registers_t *out);

// Has what follows load such vectors anew: where no barrier stands, one of the warp, which LLVM moves no load across.
void strata_columns_forget(strata_gpu_distribution_t *d);

#endif
