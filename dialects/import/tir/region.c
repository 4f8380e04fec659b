// Regions of operations.
#include "dialects/import/tir/tir.h"

MlirBlock tir_region(const tir_op_t *o, int i) {
  return i < mlirOperationGetNumRegions(o->op) ? mlirRegionGetFirstBlock(mlirOperationGetRegion(o->op, i))
                                               : (MlirBlock){0};
}

// The last operation; MLIR does not know what ends a block of a dialect that is none of its own.
MlirOperation tir_terminator(MlirBlock block) {
  static const char *const ends[] = {"stablehlo.return", "func.return",  "tosa.yield",   "linalg.yield",
                                     "scf.yield",        "tensor.yield", "scf.condition"};
  MlirOperation last = {0};
  for (MlirOperation op = mlirBlockIsNull(block) ? last : mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    last = op;
  for (size_t i = 0; i < sizeof ends / sizeof *ends && !mlirOperationIsNull(last); i++)
    if (strata_op_is(last, ends[i]))
      return last;
  return (MlirOperation){0};
}

int tir_n_returned(MlirBlock block) {
  MlirOperation end = tir_terminator(block);
  return mlirOperationIsNull(end) ? -1 : (int)mlirOperationGetNumOperands(end);
}

MlirValue tir_returned(MlirBlock block, int i) {
  return i < tir_n_returned(block) ? mlirOperationGetOperand(tir_terminator(block), i) : (MlirValue){0};
}

int tir_argument_number(MlirBlock block, MlirValue value) {
  if (mlirValueIsNull(value) || !mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), block))
    return -1;
  return (int)mlirBlockArgumentGetArgNumber(value);
}
