// The reading of a product's operands; internal to problem.c and problem_operand.c.
#ifndef STRATA_PASSES_AFFINE_PROBLEM_OPERAND_H
#define STRATA_PASSES_AFFINE_PROBLEM_OPERAND_H

#include "passes/affine/problem.h"

static inline int strata_problem_axis(int side) { return side == STRATA_SIDE_U ? STRATA_AXIS_ROW : STRATA_AXIS_COLUMN; }

// How |side| of |problem| lies in memory; of this its instructions and what its operands are multiplied as are known.
strata_problem_side_t strata_problem_read_side(const strata_gpu_contraction_t *question,
                                               const strata_contraction_axis_t *axes, int side,
                                               const strata_problem_t *problem);

#endif
