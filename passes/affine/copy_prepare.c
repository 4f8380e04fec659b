// affine-copy-prepare: on a GPU, keeps @prepare with the kernels it calls as a module of its own, before they are
// lowered for the device. The library is compiled with its results, which the host computes; the device's own form of
// @prepare stays in the library for set_constant. The copy is called @main there, so that the host's passes take it for
// a program like any other; the GPU's schedules are dropped from it.
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/pass.h"
#include "passes/target.h"

// Erases what the function |root| does not reach; constants stay.
static void keep_called(strata_compile_t *compile, MlirModule module, MlirOperation root) {
  strata_pointer_map_t is_called = strata_pointer_map_create(compile->arena); // by symbol's characters
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(root)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.call"))
      strata_pointer_map_put(&is_called, mlirFlatSymbolRefAttrGetValue(strata_attr(op, "callee")).data);
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!strata_op_is(op, "func.func") || mlirOperationEqual(op, root))
      continue;
    MlirAttribute symbol = mlirFlatSymbolRefAttrGet(compile->context, strata_attr_str(op, "sym_name"));
    if (strata_pointer_map_get(&is_called, mlirFlatSymbolRefAttrGetValue(symbol).data))
      mlirOperationRemoveAttributeByName(op, strata_str("strata.schedule"));
    else
      mlirOperationDestroy(op);
  }
}

strata_status_t strata_pass_affine_copy_prepare(strata_compile_t *compile) {
  if (!strata_target_is_gpu(compile) || mlirOperationIsNull(strata_find_func(compile->module, "prepare")))
    return NULL;
  if (!mlirModuleIsNull(compile->preparation))
    mlirModuleDestroy(compile->preparation);
  compile->preparation = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(compile->module)));
  MlirOperation prepare = strata_find_func(compile->preparation, "prepare");
  keep_called(compile, compile->preparation, prepare);
  strata_set_attr(prepare, "sym_name", strata_str_attr(compile->context, "main"));
  return NULL;
}
