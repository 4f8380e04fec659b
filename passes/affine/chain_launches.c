// affine-chain-launches: kernels of few elements that follow one another become one launch of one block, on a GPU.
//
//   call @k0(%x, %t)   call @k1(%t, %u)   call @k2(%u, %y)          // a softmax, a sort, sums: of some tokens' experts
// becomes
//   call @k0(%x, %t) {strata.launch = 0, strata.chain = 256}   call @k1(%t, %u) {...}   call @k2(%u, %y) {...}
//
// tile-join-launches makes one call of them. Its block, of strata.chain threads, carries out the tasks of one kernel
// after those of the other, with a barrier in between: what one leaves in memory for the next is seen behind that. A
// launch costs more than all that such a kernel computes.
//
// Only where experts' products are: what routes tokens to them is such kernels, by the dozen. In other graphs launches
// are those whose times were measured.
#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/call_order.h"
#include "passes/affine/explain.h"
#include "passes/pass.h"
#include "passes/target.h"

enum {
  LEAST = 64,          // threads of a block, whole warps of any device
  BLOCK = 512,         // threads of a chain's block at most: each may have 128 registers
  ROUNDS = 4,          // of a block's tasks: more of them keep several processors busy
  MAX_BYTES = 1 << 17, // of a kernel: what one processor reads while a launch begins
  MAX_CALLS = 64,      // of a chain: each is code of its own
  MAX_ARGUMENTS = 480, // a driver takes 4 KiB of them
  MAX_BETWEEN = 16,    // calls behind a chain that are asked whether they may move to its end
};

typedef struct {
  strata_compile_t *compile;
  strata_call_order_t order;
  int64_t *threads; // by called kernel: of all its tasks; 0: it is in no chain
  int64_t n_launches;
} chainer_t;

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static bool has_few_forms(const strata_schedule_t *schedule) {
  bool is_kind = schedule->kind == STRATA_KERNEL_MAP || schedule->kind == STRATA_KERNEL_ROWS ||
                 schedule->kind == STRATA_KERNEL_SCALAR;
  return is_kind && !schedule->producers && !schedule->blocks && !schedule->slots && schedule->n_tile <= 1 &&
         schedule->group <= schedule->threads && schedule->group <= BLOCK;
}

// Points of the parallel dims.
static int64_t points_of(const strata_nest_t *nest) {
  int64_t points = 1;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    points *= strata_nest_static_extent(nest, dim);
  return points;
}

// Rows are the points of their reductions, a map's tasks have a tile of points each, a scalar kernel's one.
static int64_t tasks_of(const strata_kernel_t *kernel, const strata_schedule_t *schedule) {
  int64_t most = 0, rows = INT64_MAX;
  for (int i = 0; i < kernel->n_nests; i++) {
    int64_t points = points_of(&kernel->nests[i]);
    most = strata_max(most, points);
    if (kernel->nests[i].n_reduction > 0)
      rows = strata_min(rows, points);
  }
  if (schedule->kind == STRATA_KERNEL_MAP && schedule->n_tile == 1)
    return strata_ceil_div(most, schedule->tile[0]);
  return schedule->kind == STRATA_KERNEL_ROWS ? strata_min(most, rows) : most;
}

// True of a product of rows with the matrices of their segments.
static bool is_of_experts(MlirOperation func) {
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_str_equal(strata_attr_str(op, "strata.nest"), "segment_contract"))
      return true;
  return false;
}

// Threads that all tasks of |func| have; 0 of a kernel that is more than a block's work, or has one of another form.
static strata_status_t count_threads(const chainer_t *c, MlirOperation func, int64_t *out_threads) {
  strata_kernel_t kernel;
  strata_schedule_t schedule = strata_schedule_read(func);
  *out_threads = 0;
  if (!has_few_forms(&schedule) || is_of_experts(func) || strata_attr_i64(func, "strata.bytes", 0) > MAX_BYTES)
    return NULL;
  STRATA_TRY(strata_kernel_read(c->compile->arena, func, &kernel));
  if (strata_kernel_varies(&kernel))
    return NULL;
  int64_t tasks = tasks_of(&kernel, &schedule);
  if (tasks <= ROUNDS * BLOCK / schedule.group)
    *out_threads = tasks * schedule.group;
  return NULL;
}

//===-- Chains ---------------------------------------------------------------------------------------------------===//

static int64_t threads_of(const chainer_t *c, MlirOperation call) {
  int64_t kernel = strata_call_order_kernel(&c->order, call);
  return kernel < 0 || strata_call_order_is_constant(&c->order, call) ? 0 : c->threads[kernel];
}

typedef struct {
  MlirOperation calls[MAX_CALLS];
  int n_calls;
  intptr_t n_operands; // those of several calls counted several times
  int64_t threads;     // of the largest
} chain_t;

static void add_call(const chainer_t *c, chain_t *chain, MlirOperation call) {
  chain->calls[chain->n_calls++] = call;
  chain->n_operands += mlirOperationGetNumOperands(call);
  chain->threads = strata_max(chain->threads, threads_of(c, call));
}

// Moves |call| to the chain's end where nothing in between keeps it; it may read what the chain's last call has made.
static strata_status_t try_call(chainer_t *c, chain_t *chain, MlirOperation call) {
  MlirOperation last = chain->calls[chain->n_calls - 1];
  MlirOperation between = strata_call_order_next(last);
  bool can_move = threads_of(c, call) > 0 && chain->n_calls < MAX_CALLS &&
                  chain->n_operands + mlirOperationGetNumOperands(call) <= MAX_ARGUMENTS;
  if (can_move)
    STRATA_TRY(strata_call_order_can_move(&c->order, call, between, MAX_BETWEEN, &can_move));
  if (!can_move)
    return NULL;
  strata_call_order_move(call, chain->calls[0], last);
  add_call(c, chain, call);
  return NULL;
}

// The block has a power of two of threads, and so whole groups of every kernel; no more than have tasks.
static int64_t block_of(const chain_t *chain) {
  int64_t threads = LEAST;
  while (threads < strata_min(chain->threads, BLOCK))
    threads *= 2;
  return threads;
}

static strata_status_t chain_from(chainer_t *c, MlirOperation first) {
  chain_t chain = {0};
  add_call(c, &chain, first);
  int n_passed = 0;
  for (MlirOperation op = strata_call_order_next(first), next;
       !mlirOperationIsNull(op) && n_passed < MAX_BETWEEN && strata_call_order_kernel(&c->order, op) >= 0; op = next) {
    int n_before = chain.n_calls;
    next = strata_call_order_next(op);
    STRATA_TRY(try_call(c, &chain, op));
    n_passed += chain.n_calls == n_before;
  }
  if (chain.n_calls == 1)
    return NULL;
  MlirContext context = c->compile->context;
  for (int i = 0; i < chain.n_calls; i++) {
    strata_set_attr(chain.calls[i], STRATA_LAUNCH, strata_i64_attr(context, c->n_launches));
    strata_set_attr(chain.calls[i], STRATA_CHAIN, strata_i64_attr(context, block_of(&chain)));
  }
  c->n_launches++;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(strata_attr(first, "callee"));
  strata_explain(c->compile, "kernel %.*s: %d calls are a chain of one block", (int)name.length, name.data,
                 chain.n_calls);
  return NULL;
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static strata_status_t chain_all(chainer_t *c, MlirOperation func) {
  MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func));
  for (; !mlirOperationIsNull(op); op = strata_call_order_next(op))
    if (strata_op_is(op, "func.call") && mlirAttributeIsNull(strata_attr(op, STRATA_CHAIN)) && threads_of(c, op) > 0)
      STRATA_TRY(chain_from(c, op));
  return NULL;
}

strata_status_t strata_pass_affine_chain_launches(strata_compile_t *compile) {
  strata_calls_t calls;
  if (!strata_target_is_gpu(compile) || compile->options->disable_fusion)
    return NULL;
  STRATA_TRY(strata_calls_read(compile, &calls));
  chainer_t c = {.compile = compile, .order = strata_call_order_create(compile, &calls)};
  c.threads = strata_arena_array(compile->arena, int64_t, calls.kernels.count + 1);
  bool has_experts = false;
  for (size_t i = 0; i < calls.kernels.count; i++) {
    has_experts |= is_of_experts(calls.kernels.data[i].func);
    STRATA_TRY(count_threads(&c, calls.kernels.data[i].func, &c.threads[i]));
  }
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  c.n_launches = strata_calls_next_launch(compile->arena, functions);
  for (size_t i = 0; i < functions.count && has_experts; i++)
    STRATA_TRY(chain_all(&c, functions.data[i]));
  return NULL;
}
