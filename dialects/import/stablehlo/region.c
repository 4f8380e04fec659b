// Regions of operations: small programs on elements, of which the forms that people write are known.
#include "dialects/import/stablehlo/stablehlo.h"

bool hlo_op_is(MlirOperation op, const char *name) {
  static const char dialect[] = "stablehlo.";
  MlirStringRef full = strata_op_name(op);
  size_t skipped = sizeof dialect - 1;
  return full.length > skipped && !memcmp(full.data, dialect, skipped) &&
         strata_str_equal(mlirStringRefCreate(full.data + skipped, full.length - skipped), name);
}

MlirBlock hlo_region(const hlo_op_t *o, int i) {
  return i < mlirOperationGetNumRegions(o->op) ? mlirRegionGetFirstBlock(mlirOperationGetRegion(o->op, i))
                                               : (MlirBlock){0};
}

// The last operation; MLIR does not know what ends a block, as the dialect is none of its own.
MlirOperation hlo_terminator(MlirBlock block) {
  MlirOperation last = {0};
  for (MlirOperation op = mlirBlockIsNull(block) ? last : mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    last = op;
  bool is_return = !mlirOperationIsNull(last) && (hlo_op_is(last, "return") || strata_op_is(last, "func.return"));
  return is_return ? last : (MlirOperation){0};
}

int hlo_n_returned(MlirBlock block) {
  MlirOperation end = hlo_terminator(block);
  return mlirOperationIsNull(end) ? -1 : (int)mlirOperationGetNumOperands(end);
}

MlirValue hlo_returned(MlirBlock block, int i) {
  return i < hlo_n_returned(block) ? mlirOperationGetOperand(hlo_terminator(block), i) : (MlirValue){0};
}

int hlo_argument_number(MlirBlock block, MlirValue value) {
  if (mlirValueIsNull(value) || !mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), block))
    return -1;
  return (int)mlirBlockArgumentGetArgNumber(value);
}

const char *hlo_combiner(MlirBlock block, int i, int n) {
  static const char *const names[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  MlirValue result = hlo_returned(block, i);
  MlirOperation op = mlirValueIsNull(result) ? (MlirOperation){0} : strata_def(result);
  if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2)
    return "";
  int first = hlo_argument_number(block, mlirOperationGetOperand(op, 0));
  int second = hlo_argument_number(block, mlirOperationGetOperand(op, 1));
  if (!(first == i && second == n + i) && !(first == n + i && second == i))
    return "";
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (hlo_op_is(op, names[k]))
      return names[k];
  return "";
}
