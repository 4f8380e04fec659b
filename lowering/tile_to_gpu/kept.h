// Rows that shared memory holds as they are in memory ("slots" of the schedule): registers have the part that is being
// computed on, so that a processor holds more rows, and loads some while it stores others.
#ifndef STRATA_LOWERING_TILE_TO_GPU_KEPT_H
#define STRATA_LOWERING_TILE_TO_GPU_KEPT_H

#include "lowering/tile_to_gpu/distribute.h"

bool strata_gpu_keeps_rows(const strata_gpu_distribution_t *d);

// Keeps what a tile.load has loaded, if the kernel is to and loads the same again.
STRATA_MUST_CHECK strata_status_t strata_gpu_keep(strata_gpu_distribution_t *d, MlirOperation op,
                                                  const strata_registers_t *registers);
// True if |registers| have what an equal load has loaded before.
bool strata_gpu_load_kept(strata_gpu_distribution_t *d, MlirOperation op, strata_registers_t *registers);

// Blocks that a processor can hold at once.
int64_t strata_gpu_kept_blocks(const strata_gpu_distribution_t *d);

// True for a load of what a thread keeps: nothing changes it.
bool strata_gpu_is_of_kept(const strata_gpu_distribution_t *d, MlirOperation load);

#endif
