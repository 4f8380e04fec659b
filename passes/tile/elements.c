// See elements.h.
#include "passes/tile/elements.h"

static bool float_of(MlirAttribute attr, double *out) {
  if (mlirAttributeIsNull(attr))
    return false;
  if (mlirAttributeIsADenseElements(attr) && mlirDenseElementsAttrIsSplat(attr))
    attr = mlirDenseElementsAttrGetSplatValue(attr);
  if (!mlirAttributeIsAFloat(attr))
    return false;
  *out = mlirFloatAttrGetValueDouble(attr);
  return true;
}

bool strata_elements_number(MlirValue value, double *out) {
  MlirOperation op = strata_def(value);
  while (!mlirOperationIsNull(op) && strata_op_is(op, "vector.broadcast"))
    op = strata_def(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(op) && strata_op_is(op, "arith.constant") && float_of(strata_attr(op, "value"), out);
}

MlirValue strata_elements_build(MlirOperation before, const char *name, int n, const MlirValue *operands, MlirType type,
                                const strata_named_attr_t *attr) {
  MlirOperation op =
      strata_op_create(mlirOperationGetLocation(before), name, n, operands, 1, &type, attr ? 1 : 0, attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return mlirOperationGetResult(op, 0);
}

MlirValue strata_elements_binary(MlirOperation before, const char *name, MlirValue a, MlirValue b) {
  return strata_elements_build(before, name, 2, (MlirValue[]){a, b}, mlirValueGetType(a), NULL);
}

MlirValue strata_elements_constant(MlirOperation before, MlirType type, double number) {
  MlirType element = mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  strata_named_attr_t value = {"value", mlirTypeIsAFloat(element)
                                            ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), element, number)
                                            : mlirIntegerAttrGet(element, (int64_t)number)};
  MlirValue scalar = strata_elements_build(before, "arith.constant", 0, NULL, element, &value);
  return mlirTypeIsAVector(type) ? strata_elements_build(before, "vector.broadcast", 1, &scalar, type, NULL) : scalar;
}

MlirType strata_elements_like(MlirType type, MlirType element) {
  if (!mlirTypeIsAVector(type))
    return element;
  int64_t sizes[16];
  int64_t rank = mlirShapedTypeGetRank(type);
  for (int64_t i = 0; i < rank; i++)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirVectorTypeGet(rank, sizes, element);
}
