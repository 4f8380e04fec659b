// Barriers between what the threads of a block write and read together: shared memory, and buffers that a task stores
// and loads again. What was written is waited for before it is read, what was read before it is overwritten.
#ifndef STRATA_LOWERING_TILE_TO_GPU_SHARED_H
#define STRATA_LOWERING_TILE_TO_GPU_SHARED_H

#include "lowering/tile_to_gpu/distribute.h"

// Has what is allocated next begin at a multiple of |bytes|; slices of the block's groups do if they are multiples.
void strata_shared_align(strata_gpu_distribution_t *d, int64_t bytes);

STRATA_MUST_CHECK strata_status_t strata_shared_before_write(strata_gpu_distribution_t *d);
STRATA_MUST_CHECK strata_status_t strata_shared_before_read(strata_gpu_distribution_t *d);

// The place of |bytes| a group, a multiple of 16, for several uses; |count| elements of it, which begins at |at|.
STRATA_MUST_CHECK strata_status_t strata_shared_reserve(strata_gpu_distribution_t *d, int64_t bytes, int64_t *out_at);
MlirValue strata_shared_view(strata_gpu_distribution_t *d, int64_t at, MlirType element, int64_t count);

// Memory for conversions of |bytes| a group: one for all of them.
STRATA_MUST_CHECK strata_status_t strata_shared_exchange(strata_gpu_distribution_t *d, MlirType element, int64_t count,
                                                         MlirValue *out_memory);

#endif
