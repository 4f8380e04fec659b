// Regions of operations: small programs on elements, of which the forms that people write are known.
#include "dialects/import/stablehlo/stablehlo.h"

bool hlo_op_is(MlirOperation op, const char *name) {
  static const char dialect[] = "stablehlo.";
  MlirStringRef full = strata_op_name(op);
  size_t skipped = sizeof dialect - 1;
  return full.length > skipped && !memcmp(full.data, dialect, skipped) &&
         strata_str_equal(mlirStringRefCreate(full.data + skipped, full.length - skipped), name);
}

const char *hlo_combiner(MlirBlock block, int i, int n) {
  static const char *const names[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  MlirValue result = tir_returned(block, i);
  MlirOperation op = mlirValueIsNull(result) ? (MlirOperation){0} : strata_def(result);
  if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2)
    return "";
  int first = tir_argument_number(block, mlirOperationGetOperand(op, 0));
  int second = tir_argument_number(block, mlirOperationGetOperand(op, 1));
  if (!(first == i && second == n + i) && !(first == n + i && second == i))
    return "";
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (hlo_op_is(op, names[k]))
      return names[k];
  return "";
}
