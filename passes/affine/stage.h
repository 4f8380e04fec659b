// Staging an operand of a product: a kernel of its own writes what is multiplied as a matrix that the copy engine
// takes.
#ifndef STRATA_PASSES_AFFINE_STAGE_H
#define STRATA_PASSES_AFFINE_STAGE_H

#include "passes/affine/problem.h"

// What a kernel takes that copies or converts, of |bytes| read and written.
double strata_stage_copy_seconds(const strata_gpu_device_t *device, double bytes);

// Says of |side| of the question's product whether it can be staged, how it would lie, and what that takes.
// |adds|: it is to lie crossed, for multiply-adds.
void strata_stage_read(const strata_gpu_contraction_t *question, int side, bool adds, strata_problem_side_t *out);

// What the product takes with |sides| (a mask) staged by kernels in front, these included; infinite if they alone take
// |most|, or that is not possible.
double strata_stage_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem, uint32_t sides,
                            double most);

// The sides that are staged where the product then takes less time by the model; *out_seconds is that time,
// the staging's included.
uint32_t strata_stage_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, double *out_seconds);

// Adds a kernel that stages |side|, calls it where the product's kernel is called, and lets the product read the
// matrix. The question's records are stale afterwards.
STRATA_MUST_CHECK strata_status_t strata_stage_side(const strata_gpu_contraction_t *question, int side, bool adds);

#endif
