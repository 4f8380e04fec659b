// Barriers of the threads of a block: all of them, a team, a part of a group, a role.
#ifndef STRATA_LOWERING_TILE_TO_GPU_BARRIERS_H
#define STRATA_LOWERING_TILE_TO_GPU_BARRIERS_H

#include "lowering/tile_to_gpu/distribute.h"

// Waits for all threads of the block, whatever groups they are of.
void strata_emit_block_barrier(strata_gpu_distribution_t *d);

// Waits for those threads of the group that are in the same of |parts| equal parts of it. There is such a barrier in
// blocks that carry out tasks in turn, of some numbers of parts.
bool strata_has_part_barrier(const strata_gpu_distribution_t *d, int64_t parts);
void strata_emit_part_barrier(strata_gpu_distribution_t *d, int64_t parts);

// Waits for all consumers.
void strata_emit_consumers_barrier(strata_gpu_distribution_t *d);
// Waits for the thread's own warp group.
void strata_emit_group_barrier(strata_gpu_distribution_t *d, const struct strata_pipelined_kernel *k);

#endif
