// How the threads of a launch are divided, by the schedule: groups of a block, blocks of a cluster, teams.
#ifndef STRATA_LOWERING_TILE_TO_GPU_GROUPS_H
#define STRATA_LOWERING_TILE_TO_GPU_GROUPS_H

#include "lowering/tile_to_gpu/distribute.h"

// Blocks that carry out one task together; groups in a block. One of them is 1.
int64_t strata_cluster_blocks(const strata_gpu_distribution_t *d);
int64_t strata_block_groups(const strata_gpu_distribution_t *d);
// True if the groups of a block are teams: each carries out tasks in turn and waits for nobody but itself.
bool strata_gpu_has_teams(const strata_gpu_distribution_t *d);

#endif
