// Tasks of several rows that a block carries out in turn ("blocks" of the schedule), fetching each while it computes
// the one before.
#ifndef STRATA_LOWERING_TILE_TO_GPU_ROWS_AHEAD_H
#define STRATA_LOWERING_TILE_TO_GPU_ROWS_AHEAD_H

#include "lowering/tile_to_gpu/distribute.h"

STRATA_MUST_CHECK strata_status_t strata_rows_ahead(strata_gpu_distribution_t *d, MlirOperation forall);

// Has what follows load anew what shared memory still has of the running task.
STRATA_MUST_CHECK strata_status_t strata_rows_refresh(strata_gpu_distribution_t *d);

#endif
