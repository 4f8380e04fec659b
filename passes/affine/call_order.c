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
                               .writes = strata_arena_array(compile->arena, const bool *, calls->kernels.count),
                               .arena = compile->arena,
                               .called = strata_pointer_map_create(compile->arena)};
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

// What a call is of: calls are compared with one another again and again.
typedef struct {
  MlirOperation func;
  const bool *writes; // by operand
  intptr_t n;
  MlirValue buffers[]; // the operands, or what they are views of
} called_t;

static const called_t *read_call(strata_call_order_t *order, MlirOperation call) {
  int64_t kernel = strata_call_order_kernel(order, call);
  intptr_t n = mlirOperationGetNumOperands(call);
  called_t *called = strata_arena_alloc(order->arena, sizeof *called + (size_t)n * sizeof *called->buffers);
  called->func = order->calls->kernels.data[kernel].func;
  called->writes = order->writes[kernel];
  called->n = n;
  for (intptr_t i = 0; i < n; i++)
    called->buffers[i] = strata_calls_buffer(mlirOperationGetOperand(call, i));
  return called;
}

static const called_t *called_of(strata_call_order_t *order, MlirOperation call) {
  int64_t *called = strata_pointer_map_put(&order->called, call.ptr);
  if (!*called)
    *called = (int64_t)(intptr_t)read_call(order, call);
  return (const called_t *)(intptr_t)*called;
}

// True if |writer| writes what |other| touches.
static strata_status_t disturbs(strata_call_order_t *order, const called_t *writer, const called_t *other, bool *out) {
  *out = false;
  for (intptr_t i = 0; i < writer->n && !*out; i++)
    for (intptr_t j = 0; writer->writes[i] && j < other->n && !*out; j++)
      if (mlirValueEqual(writer->buffers[i], other->buffers[j]))
        STRATA_TRY(strata_touched_meet(&order->touched, writer->func,
                                       mlirBlockGetArgument(strata_func_body(writer->func), i), other->func,
                                       mlirBlockGetArgument(strata_func_body(other->func), j), out));
  return NULL;
}

strata_status_t strata_call_order_depend(strata_call_order_t *order, MlirOperation a, MlirOperation b,
                                         bool *out_depend) {
  const called_t *one = called_of(order, a), *other = called_of(order, b);
  STRATA_TRY(disturbs(order, one, other, out_depend));
  return *out_depend ? NULL : disturbs(order, other, one, out_depend);
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
