// What scalar loops keep to themselves is memory, and tasks have none of a size that varies: it is an argument of the
// kernel then, which each call gives a buffer of its own.
#include "dialects/counted_loop.h"
#include "lowering/affine_to_tile/kinds.h"
#include "passes/affine/calls.h"

static bool is_of_varying_size(MlirOperation op) {
  return strata_op_is(op, "memref.alloc") &&
         !mlirShapedTypeHasStaticShape(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// A copy of |alloc| in front of |call|, its sizes those of the function around.
static MlirValue allocate_before(MlirOperation call, MlirOperation alloc) {
  MlirOperation copy = mlirOperationClone(alloc);
  MlirLocation location = mlirOperationGetLocation(call);
  MlirType index = mlirIndexTypeGet(mlirOperationGetContext(call));
  strata_named_attr_t zero = {"value", mlirIntegerAttrGet(index, 0)};
  // What the operands are does not matter: the type has the sizes.
  MlirOperation any = strata_op_create(location, "arith.constant", 0, NULL, 1, &index, 1, &zero, 0, NULL);
  MlirBlock block = mlirOperationGetBlock(call);
  mlirBlockInsertOwnedOperationBefore(block, call, any);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); i++)
    mlirOperationSetOperand(copy, i, mlirOperationGetResult(any, 0));
  mlirBlockInsertOwnedOperationBefore(block, call, copy);
  return mlirOperationGetResult(copy, 0);
}

static void add_operand(strata_arena_t *arena, MlirOperation call, MlirValue operand) {
  intptr_t n = mlirOperationGetNumOperands(call);
  MlirValue *operands = strata_arena_array(arena, MlirValue, n + 1);
  for (intptr_t i = 0; i < n; i++)
    operands[i] = mlirOperationGetOperand(call, i);
  operands[n] = operand;
  mlirOperationSetOperands(call, n + 1, operands);
}

static void expose(strata_compile_t *compile, MlirOperation func, MlirOperation alloc) {
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++) {
    strata_operations_t calls = strata_calls_of(compile->arena, functions.data[i]);
    for (size_t j = 0; j < calls.count; j++)
      if (mlirOperationEqual(strata_callee(compile, calls.data[j]), func))
        add_operand(compile->arena, calls.data[j], allocate_before(calls.data[j], alloc));
  }
  MlirValue value = mlirOperationGetResult(alloc, 0);
  MlirValue argument =
      mlirBlockAddArgument(strata_func_body(func), mlirValueGetType(value), mlirOperationGetLocation(alloc));
  mlirValueReplaceAllUsesOfWith(value, argument);
  mlirOperationDestroy(alloc);
}

strata_status_t strata_tile_expose(strata_compile_t *compile, MlirOperation func, strata_kernel_t *kernel) {
  MlirBlock body = strata_func_body(func);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (is_of_varying_size(op))
      expose(compile, func, op);
  }
  strata_update_function_type(compile->arena, func);
  return strata_kernel_read(compile->arena, func, kernel);
}
