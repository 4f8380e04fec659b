// Pipelined products whose blocks have equal shares of all tasks' steps (pipelined_stream.c). Internal to pipelined*.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_STREAM_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_STREAM_H

#include "lowering/tile_to_gpu/pipelined.h"

// UNSUPPORTED where |p| cannot be carried out so.
STRATA_MUST_CHECK strata_status_t strata_stream_check(const strata_gpu_distribution_t *d, MlirOperation op,
                                                      const strata_pipelined_t *p);

// How many tasks |block| has a part in, and the number of one of those, from 0 on; its steps are those of
// strata_pipelined_steps from then on.
MlirValue strata_stream_begin(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block);
MlirValue strata_stream_task(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue number);

// Around what follows a task's products: only the block that has its last steps does that. |sums|, of the block's
// steps, become those of the task.
void strata_stream_finish_begin(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue *sums);
void strata_stream_finish_end(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

#endif
