// How the threads of a launch are divided, by the schedule: groups of a block, blocks of a cluster, teams.
#ifndef STRATA_LOWERING_TILE_TO_GPU_GROUPS_H
#define STRATA_LOWERING_TILE_TO_GPU_GROUPS_H

#include "lowering/tile_to_gpu/distribute.h"

// What the blocks of a cluster have apart, the dims of its layout: the threads of a task; rows and columns of tiles
// that share operands; steps of the reduction of their tiles; columns of rows that their tiles are together.
enum { STRATA_BY_THREADS, STRATA_BY_ROWS, STRATA_BY_COLUMNS, STRATA_BY_STEPS, STRATA_BY_PARTS_OF_ROWS };

// Blocks of a cluster: all, and those apart along |dim|; 1 where there are no clusters.
int64_t strata_cluster_blocks(const strata_gpu_distribution_t *d);
int64_t strata_cluster_along(const strata_gpu_distribution_t *d, int dim);
// Which of the latter the running block is.
MlirValue strata_cluster_place(strata_gpu_distribution_t *d, int dim);
// By how much the ranks of neighbours along |dim| differ; the rank of the first of those that differ from the running
// block along |dim| alone.
int64_t strata_cluster_stride(const strata_gpu_distribution_t *d, int dim);
MlirValue strata_cluster_first(strata_gpu_distribution_t *d, int dim);
// Groups in a block.
int64_t strata_block_groups(const strata_gpu_distribution_t *d);
// True if the groups of a block are teams: each carries out tasks in turn and waits for nobody but itself.
bool strata_gpu_has_teams(const strata_gpu_distribution_t *d);

#endif
