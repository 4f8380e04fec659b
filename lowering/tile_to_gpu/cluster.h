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
// Lets the others write to this block's memory from now on. They wait for that when they first exchange partials.
void strata_cluster_offer(strata_gpu_distribution_t *d);

#endif
