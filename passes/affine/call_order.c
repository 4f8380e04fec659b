// See call_order.h.
#include "passes/affine/call_order.h"

#include "dialects/mlir_util.h"

static const bool *writes_of(strata_arena_t *arena, MlirOperation func) {
  intptr_t n = mlirBlockGetNumArguments(strata_func_body(func));
  bool *writes = strata_arena_array(arena, bool, n);
  for (intptr_t i = 0; i < n; i++)
    writes[i] = strata_kernel_writes(func, i);
  return writes;
}

strata_call_order_t strata_call_order_create(strata_compile_t *compile, const strata_calls_t *calls) {
  strata_call_order_t order = {.calls = calls,
                               .kernels = strata_pointer_map_create(compile->arena),
                               .touched = strata_touched_create(compile->arena),
                               .writes = strata_arena_array(compile->arena, const bool *, calls->kernels.count)};
  for (size_t i = 0; i < calls->kernels.count; i++) {
    MlirOperation call = calls->kernels.data[i].calls.data[0];
    *strata_pointer_map_put(&order.kernels, strata_attr(call, "callee").ptr) = (int64_t)i + 1;
    order.writes[i] = writes_of(compile->arena, calls->kernels.data[i].func);
  }
  return order;
}

int64_t strata_call_order_kernel(const strata_call_order_t *order, MlirOperation call) {
  const int64_t *index = strata_pointer_map_get(&order->kernels, strata_attr(call, "callee").ptr);
  return index ? *index - 1 : -1;
}

static MlirOperation callee_of(const strata_call_order_t *order, MlirOperation call) {
  return order->calls->kernels.data[strata_call_order_kernel(order, call)].func;
}

MlirOperation strata_call_order_next(MlirOperation op) {
  do
    op = mlirOperationGetNextInBlock(op);
  while (!mlirOperationIsNull(op) && !strata_op_is(op, "func.call"));
  return op;
}

bool strata_call_order_is_constant(const strata_call_order_t *order, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!strata_calls_is_constant(order->calls, mlirOperationGetOperand(call, i)))
      return false;
  return true;
}

//===-- Dependences ----------------------------------------------------------------------------------------------===//

// True if |writer| writes what |other| touches.
static strata_status_t disturbs(strata_call_order_t *order, MlirOperation writer, MlirOperation other, bool *out) {
  MlirOperation func = callee_of(order, writer), other_func = callee_of(order, other);
  const bool *writes = order->writes[strata_call_order_kernel(order, writer)];
  *out = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(writer) && !*out; i++) {
    if (!writes[i])
      continue;
    MlirValue buffer = strata_calls_buffer(mlirOperationGetOperand(writer, i));
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(other) && !*out; j++)
      if (mlirValueEqual(buffer, strata_calls_buffer(mlirOperationGetOperand(other, j))))
        STRATA_TRY(strata_touched_meet(&order->touched, func, mlirBlockGetArgument(strata_func_body(func), i),
                                       other_func, mlirBlockGetArgument(strata_func_body(other_func), j), out));
  }
  return NULL;
}

strata_status_t strata_call_order_depend(strata_call_order_t *order, MlirOperation a, MlirOperation b,
                                         bool *out_depend) {
  STRATA_TRY(disturbs(order, a, b, out_depend));
  return *out_depend ? NULL : disturbs(order, b, a, out_depend);
}

strata_status_t strata_call_order_can_move(strata_call_order_t *order, MlirOperation call, MlirOperation first,
                                           int most, bool *out_can) {
  int n_between = 0;
  *out_can = true;
  for (MlirOperation op = first; *out_can && !mlirOperationEqual(op, call); op = strata_call_order_next(op)) {
    bool depend = ++n_between > most || strata_call_order_kernel(order, op) < 0;
    if (!depend)
      STRATA_TRY(strata_call_order_depend(order, op, call, &depend));
    *out_can = !depend;
  }
  return NULL;
}

//===-- Moving ---------------------------------------------------------------------------------------------------===//

static bool comes_before(MlirOperation a, MlirOperation b) {
  while (!mlirOperationIsNull(a) && !mlirOperationEqual(a, b))
    a = mlirOperationGetNextInBlock(a);
  return !mlirOperationIsNull(a);
}

// The buffer or view |value| is made before |op|, and so is what it is a view of.
static void make_before(MlirValue value, MlirOperation op) {
  if (!mlirValueIsAOpResult(value))
    return;
  MlirOperation maker = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(maker); i++)
    make_before(mlirOperationGetOperand(maker, i), op);
  if (!comes_before(maker, op))
    mlirOperationMoveBefore(maker, op);
}

void strata_call_order_move(MlirOperation call, MlirOperation first, MlirOperation last) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    make_before(mlirOperationGetOperand(call, i), first);
  if (!mlirOperationEqual(mlirOperationGetNextInBlock(last), call))
    mlirOperationMoveAfter(call, last);
}
