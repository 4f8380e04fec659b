// Tasks that a block takes of a counter (pipelined_dynamic.c). Internal to kernels with producers.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_DYNAMIC_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_DYNAMIC_H

#include "lowering/tile_to_gpu/pipelined.h"

// UNSUPPORTED where the kernel has no counter, which affine-add-scratch gives it.
STRATA_MUST_CHECK strata_status_t strata_dynamic_check(const strata_gpu_distribution_t *d, MlirOperation op);
// Memory for a message; by one thread, what its barriers count.
STRATA_MUST_CHECK strata_status_t strata_dynamic_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
void strata_dynamic_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);

// By the thread that fetches: the number of the task behind the running one, of the counter; a message of the running
// one, of which tables have been read, if tasks are counted; one of |end|, a number that is no task's.
MlirValue strata_dynamic_draw(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_dynamic_pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_dynamic_pass_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue end);

// By consumers: the next message, a task's number and its |out_fields|; these are the running task's; whether |op|
// reads one of them, where tasks are counted.
MlirValue strata_dynamic_take(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue parity,
                              MlirValue *out_fields);
void strata_dynamic_define(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const MlirValue *fields);
bool strata_dynamic_has(const strata_pipelined_kernel_t *k, MlirOperation op);

#endif
