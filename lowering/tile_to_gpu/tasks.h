// Tasks and the threads that carry them out.
#ifndef STRATA_LOWERING_TILE_TO_GPU_TASKS_H
#define STRATA_LOWERING_TILE_TO_GPU_TASKS_H

#include "lowering/tile_to_gpu/distribute.h"

// The iterations of a forall. False if they are no size.
bool strata_gpu_forall_tasks(strata_gpu_distribution_t *d, MlirOperation forall, strata_size_t *out_n_tasks);
// The tasks of the old kernel: the iterations of its foralls, or one if it has none. False if they are no size.
bool strata_gpu_count_tasks(strata_gpu_distribution_t *d, strata_size_t *out_n_tasks);
// Neighbouring tasks that each block carries out, its groups in turn; 0: group n of all blocks takes tasks n,
// n + groups, ...
int64_t strata_gpu_share(const strata_gpu_distribution_t *d);
// Blocks to launch; how many these are where sizes are what they are most often.
strata_size_t strata_gpu_blocks(const strata_gpu_distribution_t *d);
int64_t strata_gpu_likely_blocks(const strata_gpu_distribution_t *d);
// Emits which task the thread works on: ->role.task, ->role.thread, ->role.group_number, ->role.active.
void strata_gpu_find_task(strata_gpu_distribution_t *d);
// Of the group's first task, ->role.task, one of the block's: ->role.active where some groups of the last block have
// none of the |n_tasks|; those repeat the last one.
void strata_gpu_keep_inside(strata_gpu_distribution_t *d, strata_size_t n_tasks);
// Emits the body of the old forall for ->role.task.
STRATA_MUST_CHECK strata_status_t strata_gpu_distribute_tasks(strata_gpu_distribution_t *d, MlirOperation forall);
// Emits the indices of the old forall whose body |body| is, of the task that the thread works on.
void strata_gpu_define_task(strata_gpu_distribution_t *d, MlirBlock body);

#endif
