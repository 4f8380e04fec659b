// Arguments that a kernel has no use for at level 3: kinds that read their nest back (dialects/affine/places.h) leave
// some of its reads out. They are dropped, and so are kernels in front that nobody reads the results of then. A counter
// of tasks, the last one, is level 4's.
#include "dialects/affine/schedule.h"
#include "dialects/counted_loop.h"
#include "lowering/affine_to_tile/kinds.h"
#include "passes/affine/calls.h"

#include "dialects/mlir_util.h"

static bool reads_back(MlirOperation func) {
  strata_kernel_kind_t kind = strata_schedule_read(func).kind;
  return (kind == STRATA_KERNEL_SEGMENT_ATTENTION || kind == STRATA_KERNEL_SEGMENT_CONTRACT) &&
         mlirAttributeIsNull(strata_attr(func, "strata.variants"));
}

static void drop_operand(strata_arena_t *arena, MlirOperation call, intptr_t index) {
  intptr_t n = mlirOperationGetNumOperands(call), kept = 0;
  MlirValue *operands = strata_arena_array(arena, MlirValue, n);
  for (intptr_t i = 0; i < n; i++)
    if (i != index)
      operands[kept++] = mlirOperationGetOperand(call, i);
  mlirOperationSetOperands(call, kept, operands);
}

static void drop_argument(strata_compile_t *compile, const strata_operations_t *calls, MlirOperation func,
                          intptr_t index) {
  for (size_t i = 0; i < calls->count; i++)
    if (mlirOperationEqual(strata_callee(compile, calls->data[i]), func))
      drop_operand(compile->arena, calls->data[i], index);
  mlirBlockEraseArgument(strata_func_body(func), (unsigned)index);
}

static strata_operations_t all_calls(strata_compile_t *compile) {
  strata_operations_t all = {0};
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++) {
    strata_operations_t calls = strata_calls_of(compile->arena, functions.data[i]);
    for (size_t j = 0; j < calls.count; j++)
      *strata_vector_push(compile->arena, &all) = calls.data[j];
  }
  return all;
}

static bool is_stored(MlirOperation func, intptr_t index) {
  static const char *const stores[] = {"tile.store", "affine.store", "memref.store"};
  MlirValue argument = mlirBlockGetArgument(strata_func_body(func), index);
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
      if (strata_op_is(mlirOpOperandGetOwner(use), stores[i]) && mlirOpOperandGetOperandNumber(use) == 1)
        return true;
  return false;
}

// True if an op other than |call| and views of it has |buffer|.
static bool is_used_beside(MlirValue buffer, MlirOperation call) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    bool is_view = mlirOperationGetNumResults(owner) == 1;
    if (!mlirOperationEqual(owner, call) && (!is_view || is_used_beside(mlirOperationGetResult(owner, 0), call)))
      return true;
  }
  return false;
}

// True if all that the call stores are intermediates that nobody else has. Those that share a launch stay together,
// but in a chain, which is as good without them.
static bool is_unread(strata_compile_t *compile, MlirOperation call) {
  MlirOperation func = strata_callee(compile, call);
  int n_stored = 0;
  if (mlirOperationIsNull(func) || !strata_op_is_kernel(func) ||
      !mlirAttributeIsNull(strata_attr(func, "strata.variants")) ||
      (!mlirAttributeIsNull(strata_attr(call, STRATA_LAUNCH)) && mlirAttributeIsNull(strata_attr(call, STRATA_CHAIN))))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue buffer = strata_calls_buffer(mlirOperationGetOperand(call, i));
    if (!is_stored(func, i))
      continue;
    n_stored++;
    if (!mlirValueIsAOpResult(buffer) || !strata_op_is(mlirOpResultGetOwner(buffer), "memref.alloc") ||
        is_used_beside(buffer, call))
      return false;
  }
  return n_stored > 0;
}

static void erase_unread(strata_compile_t *compile, MlirOperation call) {
  MlirOperation func = strata_callee(compile, call);
  bool has_others = false;
  mlirOperationDestroy(call);
  strata_operations_t calls = all_calls(compile);
  for (size_t i = 0; i < calls.count; i++)
    has_others |= mlirOperationEqual(strata_callee(compile, calls.data[i]), func);
  if (!has_others)
    mlirOperationDestroy(func);
}

// Intermediates that nobody has any more, and views of them.
static void erase_memory(strata_arena_t *arena, MlirBlock body) {
  strata_operations_t memory = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "memref.alloc") || strata_op_is(op, "memref.collapse_shape") ||
        strata_op_is(op, "strata.view"))
      *strata_vector_push(arena, &memory) = op;
  for (size_t i = memory.count; i-- > 0;)
    if (!strata_value_has_uses(mlirOperationGetResult(memory.data[i], 0)))
      mlirOperationDestroy(memory.data[i]);
}

void strata_tile_drop_unread(strata_compile_t *compile, size_t n, const MlirOperation *kernels) {
  strata_operations_t calls = all_calls(compile);
  bool has_dropped = false;
  for (size_t i = 0; i < n; i++) {
    MlirBlock body = strata_func_body(kernels[i]);
    intptr_t n_arguments = mlirBlockGetNumArguments(body) - strata_schedule_read(kernels[i]).dynamic;
    for (intptr_t j = n_arguments; j-- > 0 && reads_back(kernels[i]);) {
      if (strata_value_has_uses(mlirBlockGetArgument(body, j)))
        continue;
      drop_argument(compile, &calls, kernels[i], j);
      has_dropped = true;
    }
    strata_update_function_type(compile->arena, kernels[i]);
  }
  if (!has_dropped)
    return;
  for (size_t i = calls.count; i-- > 0;)
    if (is_unread(compile, calls.data[i]))
      erase_unread(compile, calls.data[i]);
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    erase_memory(compile->arena, strata_func_body(functions.data[i]));
}
