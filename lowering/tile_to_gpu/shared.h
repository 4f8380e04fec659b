// Barriers between what the threads of a block write and read together: shared memory, and buffers that a task stores
// and loads again. What was written is waited for before it is read, what was read before it is overwritten.
#ifndef STRATA_LOWERING_TILE_TO_GPU_SHARED_H
#define STRATA_LOWERING_TILE_TO_GPU_SHARED_H

#include "lowering/tile_to_gpu/distribute.h"

STRATA_MUST_CHECK strata_status_t strata_shared_before_write(strata_gpu_distribution_t *d);
STRATA_MUST_CHECK strata_status_t strata_shared_before_read(strata_gpu_distribution_t *d);

// Memory for conversions of |bytes| a group: one for all of them.
STRATA_MUST_CHECK strata_status_t strata_shared_exchange(strata_gpu_distribution_t *d, MlirType element, int64_t count,
                                                         MlirValue *out_memory);

#endif
