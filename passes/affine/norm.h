// Reductions over rows of a product's result in the product's kernel: norms and softmax after it. The model
// (schedule_norm.c), for the pass that groups nests (group_norm.c) and the one that schedules kernels.
#ifndef STRATA_PASSES_AFFINE_NORM_H
#define STRATA_PASSES_AFFINE_NORM_H

#include "passes/affine/problem.h"

// The one switch: whether norms join the product before them.
enum { STRATA_NORM = 1 };

STRATA_MUST_CHECK strata_status_t strata_schedule_norm(const strata_gpu_contraction_t *question,
                                                       const strata_problem_t *problem, strata_schedule_t *out,
                                                       bool *out_taken);

#endif
