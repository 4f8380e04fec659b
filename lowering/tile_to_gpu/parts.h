// Kernels of several task spaces that share a launch: each is a part with blocks of its own.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PARTS_H
#define STRATA_LOWERING_TILE_TO_GPU_PARTS_H

#include "dialects/affine/schedule.h"
#include "lowering/tile_to_gpu/distribute.h"

// *out_blocks: of all parts. False where the old kernel has one task space, or a ring through which all tasks go. A
// forall without tile.group is one of ->role.group.
bool strata_gpu_find_parts(strata_gpu_distribution_t *d, strata_size_t *out_blocks);
// Threads that carry out together a task of the forall that |op| is or is in.
int64_t strata_gpu_group_of(const strata_gpu_distribution_t *d, MlirOperation op);
// The schedule of the same.
strata_schedule_t strata_gpu_schedule_of(const strata_gpu_distribution_t *d, MlirOperation op);
// Emits all parts where |forall| is the first of them, else nothing.
STRATA_MUST_CHECK strata_status_t strata_gpu_distribute_parts(strata_gpu_distribution_t *d, MlirOperation forall);

#endif
