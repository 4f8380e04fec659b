// Groups of more threads than a block has: the blocks of a cluster. Values are spread over all of them; only reductions
// pass from block to block.
#ifndef STRATA_LOWERING_TILE_TO_GPU_CLUSTER_H
#define STRATA_LOWERING_TILE_TO_GPU_CLUSTER_H

#include "lowering/tile_to_gpu/distribute.h"

// Finds ->role.rank, ->role.thread and ->role.task of the running block's number |block| and thread's |thread|, and
// lets the others know that this block has begun.
void strata_cluster_begin(strata_gpu_distribution_t *d, MlirValue block, MlirValue thread);

// The cluster's barrier, at once or in two parts. |releases|: what the threads have stored is to be seen by the others.
// That takes as long as a store to memory.
void strata_cluster_arrive(strata_gpu_distribution_t *d, bool releases);
void strata_cluster_wait(strata_gpu_distribution_t *d);
void strata_cluster_barrier(strata_gpu_distribution_t *d, bool releases);

// Combines |values| of |element| type, which all threads of a block have alike, over the blocks, in the order of their
// ranks, so that all of them have the result.
STRATA_MUST_CHECK strata_status_t strata_cluster_combine(strata_gpu_distribution_t *d, MlirAttribute kind,
                                                         MlirType element, int64_t count, MlirValue *values);

#endif
