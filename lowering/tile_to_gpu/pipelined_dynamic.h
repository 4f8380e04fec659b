// Tasks that a block takes of a counter (pipelined_dynamic.c). Internal to kernels with producers.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_DYNAMIC_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_DYNAMIC_H

#include "lowering/tile_to_gpu/pipelined.h"

// UNSUPPORTED where the kernel has no counter, which affine-add-scratch gives it.
STRATA_MUST_CHECK strata_status_t strata_dynamic_check(const strata_gpu_distribution_t *d, MlirOperation op);
// Memory for the next task's number; by one thread, what its barriers count.
STRATA_MUST_CHECK strata_status_t strata_dynamic_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
void strata_dynamic_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
// The number of the task behind the running one, an i32: by the thread that fetches, of the counter, and to consumers;
// by these, of it.
MlirValue strata_dynamic_draw(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_dynamic_pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue next);
MlirValue strata_dynamic_take(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);

#endif
