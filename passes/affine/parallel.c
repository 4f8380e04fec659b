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
  const strata_calls_t *calls;
  strata_pointer_map_t kernels; // callee, a unique attribute -> 1 + index of the called kernel
  const bool *is_product;       // by called kernel
  int64_t n_launches;
} finder_t;

static size_t index_of(const finder_t *f, MlirOperation call) {
  return (size_t)*strata_pointer_map_get(&f->kernels, strata_attr(call, "callee").ptr) - 1;
}

static MlirOperation callee_of(const finder_t *f, MlirOperation call) {
  return f->calls->kernels.data[index_of(f, call)].func;
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

// True if both read some buffer.
static bool share_operand(const finder_t *f, MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(b); j++)
      if (mlirValueEqual(mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, j)) &&
          !strata_kernel_writes(callee_of(f, a), i))
        return true;
  return false;
}

static bool may_share(const finder_t *f, MlirOperation call, MlirOperation first) {
  if (!f->is_product[index_of(f, call)] || launch_of(call) >= 0 || is_constant(f->calls, call))
    return false;
  return index_of(f, call) == index_of(f, first) || share_operand(f, call, first);
}

// Moves what can share the launch of |first| behind it.
static void find_launch(finder_t *f, MlirOperation first) {
  MlirAttribute number = strata_i64_attr(f->compile->context, f->n_launches);
  int n = 1, n_matrices = (int)mlirOperationGetNumOperands(first), n_seen = 0;
  MlirOperation last = first;
  for (MlirOperation op = mlirOperationGetNextInBlock(first), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_call(op))
      continue;
    int own = count_matrices(op, first);
    if (n == MAX_TOGETHER || ++n_seen > MAX_BETWEEN)
      break;
    if (!may_share(f, op, first) || n_matrices + own > MAX_MATRICES || !can_move(f, op, first))
      continue;
    n_matrices += own;
    move_behind(op, first, last);
    strata_set_attr(op, LAUNCH, number);
    last = op;
    n++;
  }
  if (n == 1)
    return;
  strata_set_attr(first, LAUNCH, number);
  f->n_launches++;
}

// Multiply-adds of a product; 0 for any other kernel, and for pairs.
static strata_status_t work_of(strata_compile_t *compile, MlirOperation func, double *out_work) {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  *out_work = 0;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  if (!strata_is_contraction(&kernel, &contraction) || contraction.other.nest)
    return NULL;
  *out_work = 1;
  for (int dim = 0; dim < contraction.nest->n_parallel + contraction.nest->n_reduction; dim++)
    *out_work *= (double)contraction.nest->extents[dim];
  return NULL;
}

static finder_t finder_of(strata_compile_t *compile, const strata_calls_t *calls) {
  finder_t f = {.compile = compile, .calls = calls, .kernels = strata_pointer_map_create(compile->arena)};
  for (size_t i = 0; i < calls->kernels.count; i++) {
    MlirOperation call = calls->kernels.data[i].calls.data[0];
    *strata_pointer_map_put(&f.kernels, strata_attr(call, "callee").ptr) = (int64_t)i + 1;
  }
  return f;
}

strata_status_t strata_parallel_find(strata_compile_t *compile, const strata_calls_t *calls) {
  size_t n = calls->kernels.count;
  bool *is_product = strata_arena_array(compile->arena, bool, n);
  finder_t f = finder_of(compile, calls);
  f.is_product = is_product;
  for (size_t i = 0; i < n; i++) {
    double work;
    STRATA_TRY(work_of(compile, calls->kernels.data[i].func, &work));
    is_product[i] = work > 0;
  }
  MlirBlock body = strata_func_body(strata_find_func(compile->module, "main"));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_call(op) && may_share(&f, op, op))
      find_launch(&f, op);
  return NULL;
}

//===-- Launches that are there ----------------------------------------------------------------------------------===//

// Calls of |called| in a launch.
static int64_t count_calls(const strata_called_kernel_t *called, int64_t launch) {
  int64_t n = 0;
  for (size_t i = 0; launch >= 0 && i < called->calls.count; i++)
    n += launch_of(called->calls.data[i]) == launch;
  return n;
}

// The launch with most calls of |called|; negative: none.
static int64_t main_launch(const strata_called_kernel_t *called) {
  int64_t best = -1;
  for (size_t i = 0; i < called->calls.count; i++) {
    int64_t launch = launch_of(called->calls.data[i]);
    if (count_calls(called, launch) > (best < 0 ? 0 : count_calls(called, best)))
      best = launch;
  }
  return best;
}

static strata_status_t find_leader(strata_compile_t *compile, const strata_calls_t *calls, int64_t launch,
                                   const strata_called_kernel_t **leader, double *out_total) {
  double most = 0;
  *out_total = 0;
  for (size_t i = 0; launch >= 0 && i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    int64_t n = count_calls(called, launch);
    double work = 0;
    if (n > 0)
      STRATA_TRY(work_of(compile, called->func, &work));
    *out_total += (double)n * work;
    if (work > most) {
      most = work;
      *leader = called;
    }
  }
  return NULL;
}

strata_status_t strata_parallel_leader(strata_compile_t *compile, const strata_calls_t *calls,
                                       const strata_called_kernel_t *called,
                                       const strata_called_kernel_t **out_leader) {
  double total;
  *out_leader = called;
  return find_leader(compile, calls, main_launch(called), out_leader, &total);
}

strata_status_t strata_parallel_count(strata_compile_t *compile, const strata_calls_t *calls,
                                      const strata_called_kernel_t *called, double *out_count) {
  const strata_called_kernel_t *leader = called;
  double total, own;
  STRATA_TRY(find_leader(compile, calls, main_launch(called), &leader, &total));
  STRATA_TRY(work_of(compile, called->func, &own));
  *out_count = total > own && own > 0 ? total / own : 1;
  return NULL;
}

void strata_parallel_leave(const strata_called_kernel_t *called) {
  for (size_t i = 0; i < called->calls.count; i++)
    mlirOperationRemoveAttributeByName(called->calls.data[i], strata_str(LAUNCH));
}

// Of one launch: those that keep its number.
static strata_status_t settle(strata_compile_t *compile, const strata_calls_t *calls, int64_t launch) {
  const strata_called_kernel_t *leader = NULL;
  double total;
  STRATA_TRY(find_leader(compile, calls, launch, &leader, &total));
  if (!leader)
    return NULL;
  MlirAttribute schedule = strata_attr(leader->func, "strata.schedule");
  bool is_pipelined = strata_schedule_read(leader->func).producers > 0;
  int64_t n = 0;
  for (size_t i = 0; i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    if (is_pipelined && mlirAttributeEqual(strata_attr(called->func, "strata.schedule"), schedule))
      n += count_calls(called, launch);
    else if (count_calls(called, launch) > 0)
      strata_parallel_leave(called);
  }
  MlirStringRef name = strata_attr_str(leader->func, "sym_name");
  if (n > 1)
    strata_explain(compile, "product %.*s: %lld calls share a launch", (int)name.length, name.data, (long long)n);
  return NULL;
}

//===-- Staging kernels ------------------------------------------------------------------------------------------===//

static bool is_staging(MlirOperation func) {
  MlirOperation nest = mlirBlockGetFirstOperation(strata_func_body(func));
  return strata_str_equal(strata_attr_str(nest, "strata.nest"), "stage");
}

// A thread or a block a task, and as many threads.
static bool share_blocks(MlirOperation a, MlirOperation b) {
  strata_schedule_t left = strata_schedule_read(a), right = strata_schedule_read(b);
  bool is_whole = left.group == 1 || left.group == left.threads;
  return !strcmp(left.kind, "map") && !strcmp(right.kind, "map") && left.threads == right.threads &&
         left.group == right.group && is_whole;
}

static MlirOperation next_call(MlirOperation op) {
  do
    op = mlirOperationGetNextInBlock(op);
  while (!mlirOperationIsNull(op) && !is_call(op));
  return op;
}

// What a product's operands are staged by shares a launch.
static void join_staging(finder_t *f, MlirOperation call) {
  MlirOperation other = next_call(call), func = callee_of(f, call);
  if (launch_of(call) >= 0 || mlirOperationIsNull(other) || !is_staging(func) || !is_staging(callee_of(f, other)) ||
      !share_blocks(func, callee_of(f, other)) || disturbs(f, call, other) || disturbs(f, other, call) ||
      is_constant(f->calls, call) || is_constant(f->calls, other))
    return;
  MlirAttribute number = strata_i64_attr(f->compile->context, f->n_launches++);
  strata_set_attr(call, LAUNCH, number);
  strata_set_attr(other, LAUNCH, number);
}

strata_status_t strata_parallel_settle(strata_compile_t *compile, const strata_calls_t *calls) {
  int64_t last = -1;
  for (size_t i = 0; i < calls->kernels.count; i++)
    for (size_t j = 0; j < calls->kernels.data[i].calls.count; j++) {
      int64_t launch = launch_of(calls->kernels.data[i].calls.data[j]);
      last = launch > last ? launch : last;
    }
  for (int64_t launch = 0; launch <= last; launch++)
    STRATA_TRY(settle(compile, calls, launch));
  finder_t f = finder_of(compile, calls);
  f.n_launches = last + 1;
  MlirBlock body = strata_func_body(strata_find_func(compile->module, "main"));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_call(op))
      join_staging(&f, op);
  return NULL;
}
