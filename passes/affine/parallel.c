// See parallel.h. A call moves up to the first of its launch if nothing in between, nor a call of the launch, writes
// what it touches or touches what it writes.
#include "passes/affine/parallel.h"

#include "dialects/affine/contraction.h"
#include "dialects/affine/schedule.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"

#define LAUNCH "strata.launch"

enum {
  MAX_TOGETHER = 8,  // products of a launch: each is code of its own
  MAX_BETWEEN = 64,  // calls that one may move past
  MAX_MATRICES = 16, // buffers of a launch that have maps
};

typedef struct {
  strata_compile_t *compile;
  strata_pointer_map_t kernels; // callee, a unique attribute -> function
  int64_t n_launches;
} finder_t;

static MlirOperation callee_of(const finder_t *f, MlirOperation call) {
  return (MlirOperation){(void *)*strata_pointer_map_get(&f->kernels, strata_attr(call, "callee").ptr)};
}

static bool is_call(MlirOperation op) { return strata_op_is(op, "func.call"); }

//===-- Dependences ----------------------------------------------------------------------------------------------===//

// True if |writer| writes what |other| touches.
static bool disturbs(const finder_t *f, MlirOperation writer, MlirOperation other) {
  MlirOperation func = callee_of(f, writer);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(writer); i++) {
    if (!strata_kernel_writes(func, i))
      continue;
    MlirValue buffer = strata_calls_buffer(mlirOperationGetOperand(writer, i));
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(other); j++)
      if (mlirValueEqual(buffer, strata_calls_buffer(mlirOperationGetOperand(other, j))))
        return true;
  }
  return false;
}

// True if |call| can stand where |first| does, a call before it.
static bool can_move(const finder_t *f, MlirOperation call, MlirOperation first) {
  int n_between = 0;
  for (MlirOperation op = first; !mlirOperationEqual(op, call); op = mlirOperationGetNextInBlock(op))
    if (is_call(op) && (++n_between > MAX_BETWEEN || disturbs(f, op, call) || disturbs(f, call, op)))
      return false;
  return true;
}

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

static void move_behind(MlirOperation call, MlirOperation first, MlirOperation last) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    make_before(mlirOperationGetOperand(call, i), first);
  if (!mlirOperationEqual(mlirOperationGetNextInBlock(last), call))
    mlirOperationMoveAfter(call, last);
}

//===-- Launches -------------------------------------------------------------------------------------------------===//

static int64_t launch_of(MlirOperation call) { return strata_attr_i64(call, LAUNCH, -1); }

// Operands of |call| of several dims, which may have maps, but for those of |first|.
static int count_matrices(MlirOperation call, MlirOperation first) {
  int count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue value = mlirOperationGetOperand(call, i);
    bool is_shared = false;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(first); j++)
      is_shared |= mlirValueEqual(value, mlirOperationGetOperand(first, j));
    count += !is_shared && mlirShapedTypeGetRank(mlirValueGetType(value)) > 1;
  }
  return count;
}

static bool is_constant(const strata_calls_t *calls, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!strata_calls_is_constant(calls, mlirOperationGetOperand(call, i)))
      return false;
  return true;
}

// Moves what can share the launch of call |at| behind it.
static void find_launch(finder_t *f, const strata_called_kernel_t *called, size_t at) {
  MlirOperation first = called->calls.data[at], last = first;
  MlirAttribute number = strata_i64_attr(f->compile->context, f->n_launches);
  int64_t n = 1;
  int n_matrices = (int)mlirOperationGetNumOperands(first);
  for (size_t i = at + 1; i < called->calls.count && n < MAX_TOGETHER; i++) {
    MlirOperation call = called->calls.data[i];
    int own = count_matrices(call, first);
    if (launch_of(call) >= 0 || n_matrices + own > MAX_MATRICES || !can_move(f, call, first))
      continue;
    n_matrices += own;
    move_behind(call, first, last);
    strata_set_attr(call, LAUNCH, number);
    last = call;
    n++;
  }
  if (n == 1)
    return;
  strata_set_attr(first, LAUNCH, number);
  f->n_launches++;
}

static strata_status_t is_product(strata_compile_t *compile, MlirOperation func, bool *out_is) {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  strata_status_t status = strata_contraction_read(&kernel, &contraction);
  *out_is = !status;
  strata_status_free(status);
  return NULL;
}

strata_status_t strata_parallel_find(strata_compile_t *compile, const strata_calls_t *calls) {
  finder_t f = {.compile = compile, .kernels = strata_pointer_map_create(compile->arena)};
  for (size_t i = 0; i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    *strata_pointer_map_put(&f.kernels, strata_attr(called->calls.data[0], "callee").ptr) = (int64_t)called->func.ptr;
  }
  for (size_t i = 0; i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    bool is_one = false;
    if (called->calls.count > 1)
      STRATA_TRY(is_product(compile, called->func, &is_one));
    for (size_t at = 0; is_one && at < called->calls.count; at++)
      if (launch_of(called->calls.data[at]) < 0 && !is_constant(calls, called->calls.data[at]))
        find_launch(&f, called, at);
  }
  return NULL;
}

int64_t strata_parallel_count(const strata_called_kernel_t *called) {
  int64_t most = 1;
  for (size_t i = 0; i < called->calls.count; i++) {
    int64_t launch = launch_of(called->calls.data[i]), n = 0;
    for (size_t j = 0; launch >= 0 && j < called->calls.count; j++)
      n += launch_of(called->calls.data[j]) == launch;
    most = n > most ? n : most;
  }
  return most;
}

void strata_parallel_settle(strata_compile_t *compile, const strata_calls_t *calls) {
  for (size_t i = 0; i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    int64_t together = strata_parallel_count(called);
    MlirStringRef name = strata_attr_str(called->func, "sym_name");
    bool is_pipelined = strata_schedule_read(called->func).producers > 0;
    if (together > 1 && is_pipelined)
      strata_explain(compile, "product %.*s: %lld calls share a launch", (int)name.length, name.data,
                     (long long)together);
    for (size_t j = 0; j < called->calls.count && !is_pipelined; j++)
      mlirOperationRemoveAttributeByName(called->calls.data[j], strata_str(LAUNCH));
  }
}
