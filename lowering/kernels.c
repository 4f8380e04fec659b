#include "lowering/kernels.h"

#include "dialects/mlir_util.h"

static const char symbol[] = "kernels";

MlirModule strata_kernels_find(const strata_compile_t *compile) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "builtin.module") && strata_str_equal(strata_attr_str(op, "sym_name"), symbol))
      return mlirModuleFromOperation(op);
  return (MlirModule){0};
}

MlirModule strata_kernels_create(strata_compile_t *compile) {
  MlirModule kernels = strata_kernels_find(compile);
  if (!mlirModuleIsNull(kernels))
    return kernels;
  kernels = mlirModuleCreateEmpty(mlirLocationUnknownGet(compile->context));
  MlirOperation op = mlirModuleGetOperation(kernels);
  strata_set_attr(op, "sym_name", strata_str_attr(compile->context, symbol));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(compile->module), op);
  return kernels;
}
