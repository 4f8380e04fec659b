// The reading of a product's operands; internal to problem.c and problem_operand.c.
#ifndef STRATA_PASSES_AFFINE_PROBLEM_OPERAND_H
#define STRATA_PASSES_AFFINE_PROBLEM_OPERAND_H

#include "passes/affine/problem.h"

#include <mlir-c/BuiltinTypes.h>

// Of an element; of what is neither a float nor an integer, 8.
static inline int64_t strata_problem_bytes(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type) / 8;
  return mlirTypeIsAInteger(type) ? (mlirIntegerTypeGetWidth(type) + 7) / 8 : 8;
}

static inline int strata_problem_axis(int side) { return side == STRATA_SIDE_U ? STRATA_AXIS_ROW : STRATA_AXIS_COLUMN; }

static inline MlirType strata_problem_element(MlirValue buffer) {
  return mlirShapedTypeGetElementType(mlirValueGetType(buffer));
}

// How |side| of |problem| lies in memory; of this its instructions and what its operands are multiplied as are known.
strata_problem_side_t strata_problem_read_side(const strata_gpu_contraction_t *question,
                                               const strata_contraction_axis_t *axes, int side,
                                               const strata_problem_t *problem);

#endif
