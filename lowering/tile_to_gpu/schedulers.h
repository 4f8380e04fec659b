// Schedulers: how the tasks of pipelined products go to blocks (schedulers.def). Internal to pipelined*.c.
//
// A scheduler is the policy, the kernel (pipelined.h) its mechanism: a loop over the block's tasks, whose number is a
// value, and in it one over the block's steps of the task. CUTLASS calls the same a tile scheduler.
#ifndef STRATA_LOWERING_TILE_TO_GPU_SCHEDULERS_H
#define STRATA_LOWERING_TILE_TO_GPU_SCHEDULERS_H

#include "lowering/tile_to_gpu/pipelined.h"

typedef struct {
  MlirValue lower, upper;
  int64_t step;
  bool is_once; // no more than one is between them, if any
} strata_bounds_t;

struct strata_scheduler {
  const char *name;
  // What the loop over the tasks of block |block| counts through; false, and nothing emitted, where it has one at most.
  bool (*bounds)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block,
                 strata_bounds_t *out_bounds);
  // The task at |counter| of that loop, or of block |counter| where there is none.
  MlirValue (*task)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block, MlirValue counter);
  // i1: the running task is that of the thread's consumers. NULL: every task is.
  MlirValue (*owns)(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
  // The running task's steps that are the block's.
  void (*steps)(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue *out_lower,
                MlirValue *out_upper);
  // From |sums| of all instructions, of the block's steps, to the thread's own of the whole reduction. What follows, up
  // to ->end, is carried out by the blocks that have these.
  strata_status_t (*fixup)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, const MlirValue *sums,
                           MlirValue *out_own);
  void (*end)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  // By producers behind their last task: they meet consumers that exchange sums.
  void (*meet)(strata_gpu_distribution_t *d);
};

// The one of |p|.
const strata_scheduler_t *strata_scheduler_of(const strata_gpu_distribution_t *d, const strata_pipelined_t *p);

#define STRATA_SCHEDULER_BOUNDS(name)                                                                                  \
  bool name(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block,                           \
            strata_bounds_t *out_bounds)
#define STRATA_SCHEDULER_TASK(name)                                                                                    \
  MlirValue name(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block, MlirValue counter)
#define STRATA_SCHEDULER_STEPS(name)                                                                                   \
  void name(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue *out_lower,                    \
            MlirValue *out_upper)
#define STRATA_SCHEDULER_FIXUP(name)                                                                                   \
  strata_status_t name(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, const MlirValue *sums,              \
                       MlirValue *out_own)

STRATA_SCHEDULER_BOUNDS(strata_turn_bounds);
STRATA_SCHEDULER_BOUNDS(strata_stream_bounds);
STRATA_SCHEDULER_TASK(strata_turn_task);
STRATA_SCHEDULER_TASK(strata_team_task);
STRATA_SCHEDULER_TASK(strata_stream_task);
STRATA_SCHEDULER_STEPS(strata_all_steps);
STRATA_SCHEDULER_STEPS(strata_part_steps);
STRATA_SCHEDULER_STEPS(strata_stream_steps);
STRATA_SCHEDULER_FIXUP(strata_own_sums);
STRATA_SCHEDULER_FIXUP(strata_part_fixup);
STRATA_SCHEDULER_FIXUP(strata_stream_fixup);
STRATA_SCHEDULER_FIXUP(strata_depth_fixup);
MlirValue strata_team_has_task(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_stream_end(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
void strata_part_meet(strata_gpu_distribution_t *d);

// UNSUPPORTED where the kernel has no memory for sums and flags.
STRATA_MUST_CHECK strata_status_t strata_stream_check(const strata_gpu_distribution_t *d, MlirOperation op);

#endif
