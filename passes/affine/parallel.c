// See parallel.h. A call moves up to the first of its launch if nothing in between, nor a call of the launch, writes
// what it touches or touches what it writes (call_order.h).
#include "passes/affine/parallel.h"

#include "dialects/affine/contraction.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/map_limits.h"
#include "passes/affine/call_order.h"
#include "passes/affine/explain.h"
#include "passes/affine/foresee.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/pipelined.h"
#include "passes/affine/problem.h"

#include <math.h>

enum {
  MAX_BETWEEN = 64,   // calls that one may move past
  REJECTED = 1 << 20, // added to a launch's number: those that it has left over
};

// The operands of a product among its function's arguments; negative: none of them, or not read like others.
typedef struct {
  int arguments[2];
  double whole_bytes[2]; // of what is read as a whole; else 0
} sides_t;

// Whether a kernel may share a launch: with products of its kind.
typedef enum { NO_PRODUCT, KNOWN, VARYING } kind_t;

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  const strata_calls_t *calls;
  strata_call_order_t order;
  sides_t *sides;      // by called kernel, of products
  const kind_t *kinds; // by called kernel
  signed char *small;  // the same: 1 if it does not fill the card for long, -1 if it does, 0 if nobody asked
  int64_t n_launches;
} finder_t;

static size_t index_of(const finder_t *f, MlirOperation call) {
  return (size_t)strata_call_order_kernel(&f->order, call);
}

static MlirOperation callee_of(const finder_t *f, MlirOperation call) {
  return f->calls->kernels.data[index_of(f, call)].func;
}

static bool is_call(MlirOperation op) { return strata_op_is(op, "func.call"); }

// A call of a loop: nothing moves past it.
static bool is_loop(const finder_t *f, MlirOperation call) { return strata_call_order_kernel(&f->order, call) < 0; }

//===-- Launches -------------------------------------------------------------------------------------------------===//

static double elements_of(MlirValue buffer, int64_t *out_row) {
  int64_t sizes[STRATA_MAX_DIMS];
  double elements = 1;
  int rank = strata_memref_static_sizes(buffer, sizes);
  for (int i = 0; i < rank; i++)
    elements *= (double)sizes[i];
  *out_row = rank > 0 ? sizes[rank - 1] : 1;
  return elements;
}

// True if |side| reads all of |buffer|; *out_like_parts: or a part of its rows in whole steps, so that reads of another
// such part differ in coordinates alone, and nothing is masked.
static bool is_read_whole(const strata_problem_t *problem, int side, MlirValue buffer, bool *out_like_parts) {
  int64_t row;
  double elements = elements_of(buffer, &row), rows = (double)(strata_problem_extent(problem, side) * problem->batch);
  bool are_whole_steps = problem->steps * problem->operand_bytes % STRATA_SPAN == 0;
  bool is_whole = elements == rows * (double)problem->steps;
  *out_like_parts = is_whole || (problem->sides[side].is_along && are_whole_steps && elements == rows * (double)row);
  return is_whole;
}

static strata_status_t read_sides(strata_compile_t *compile, const strata_called_kernel_t *called, sides_t *out) {
  const strata_gpu_device_t *device;
  strata_problem_reading_t product;
  bool is_one;
  *out = (sides_t){{-1, -1}, {0, 0}};
  STRATA_TRY(strata_gpu_device(compile, &device));
  strata_gpu_contraction_t question = {.compile = compile, .device = device};
  STRATA_TRY(strata_problem_of_called(&question, called, &product, &is_one));
  for (int side = 0; is_one && !product.problem.varies && side < 2; side++) {
    MlirValue buffer = product.contraction.sides[side].access->buffer;
    // A product of known sizes may read a part of a buffer whose sizes vary.
    bool is_known = mlirValueIsABlockArgument(buffer) && mlirShapedTypeHasStaticShape(mlirValueGetType(buffer));
    bool is_like_parts = false, is_whole = is_known && is_read_whole(&product.problem, side, buffer, &is_like_parts);
    out->arguments[side] = is_like_parts ? (int)mlirBlockArgumentGetArgNumber(buffer) : -1;
    out->whole_bytes[side] = is_whole ? strata_memref_bytes(mlirValueGetType(buffer)) : 0;
  }
  return NULL;
}

static bool has_operand(const strata_parallel_operands_t *operands, MlirValue value, int side) {
  for (int i = 0; i < operands->n; i++)
    if (operands->sides[i] == side && mlirValueEqual(operands->values[i], value))
      return true;
  return false;
}

// Those of |call|, of which some may be there; returns how many are not.
static int64_t add_operands(const sides_t *sides, MlirOperation call, strata_parallel_operands_t *operands) {
  int64_t n_new = 0;
  for (int side = 0; side < 2; side++) {
    int argument = sides->arguments[side];
    MlirValue value = argument < 0 ? (MlirValue){NULL} : mlirOperationGetOperand(call, argument);
    if (argument >= 0 && has_operand(operands, value, side)) {
      operands->read_before += sides->whole_bytes[side];
      continue;
    }
    n_new++;
    if (argument < 0 || operands->n == (int)(sizeof operands->sides / sizeof *operands->sides))
      continue;
    operands->values[operands->n] = value;
    operands->sides[operands->n++] = side;
  }
  return n_new;
}

// True if both read some buffer, be it as different views.
static bool share_operand(const finder_t *f, MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(b); j++)
      if (mlirValueEqual(strata_calls_buffer(mlirOperationGetOperand(a, i)),
                         strata_calls_buffer(mlirOperationGetOperand(b, j))) &&
          !strata_kernel_writes(callee_of(f, a), i))
        return true;
  return false;
}

static bool is_small(finder_t *f, MlirOperation call) {
  size_t i = index_of(f, call);
  const strata_called_kernel_t *called = &f->calls->kernels.data[i];
  strata_problem_reading_t product;
  bool is_one = false;
  if (f->small[i])
    return f->small[i] > 0;
  strata_gpu_contraction_t question = {.compile = f->compile, .device = f->device, .calls = f->calls};
  strata_status_free(strata_problem_of_called(&question, called, &product, &is_one));
  double small = f->device->costs->launches.small_seconds;
  f->small[i] = is_one && strata_problem_seconds(f->device, &product.problem) <= small ? 1 : -1;
  return f->small[i] > 0;
}

// The question of is_small(), and later of schedules.
static void ask_seconds(strata_compile_t *compile, size_t i, void *user) {
  const finder_t *f = user;
  strata_problem_reading_t product;
  bool is_one = false;
  if (f->kinds[i] == NO_PRODUCT)
    return;
  strata_gpu_contraction_t question = {.compile = compile, .device = f->device, .calls = f->calls};
  strata_status_free(strata_problem_of_called(&question, &f->calls->kernels.data[i], &product, &is_one));
  if (is_one)
    strata_problem_seconds(f->device, &product.problem);
}

// Calls of one product, or of several that share an operand; or |any|, if they are small.
static bool may_share(const finder_t *f, MlirOperation call, MlirOperation first, bool any) {
  size_t i = index_of(f, call), j = index_of(f, first);
  if (!f->kinds[i] || f->kinds[i] != f->kinds[j] || strata_parallel_launch(call) >= 0 ||
      strata_call_order_is_constant(&f->order, call))
    return false;
  return any || i == j || share_operand(f, call, first);
}

// Moves what can share the launch of |first| behind it.
static strata_status_t find_launch(finder_t *f, MlirOperation first, bool any) {
  MlirAttribute number = strata_i64_attr(f->compile->context, f->n_launches);
  int n = 1, n_seen = 0;
  strata_parallel_operands_t operands = {0};
  int64_t n_maps = add_operands(&f->sides[index_of(f, first)], first, &operands); // what is stored need not have any
  MlirOperation last = first;
  for (MlirOperation op = strata_call_order_next(first), next; !mlirOperationIsNull(op); op = next) {
    next = strata_call_order_next(op);
    strata_parallel_operands_t with = operands;
    const char *reason = NULL;
    bool can_move;
    if (n == STRATA_MAX_TOGETHER || ++n_seen > MAX_BETWEEN || is_loop(f, op))
      break;
    if (!may_share(f, op, first, any))
      continue;
    int64_t own = add_operands(&f->sides[index_of(f, op)], op, &with);
    if (n_maps + own > STRATA_MAX_MAPS)
      reason = "more matrices than a launch has maps for";
    else if (any && !(is_small(f, first) && is_small(f, op)))
      reason = "they share no operand, and one takes long enough alone";
    if (reason && !(f->compile->explain && f->device->mma_async[0])) // else share_launches.c says what becomes of it
      continue;
    STRATA_TRY(strata_call_order_can_move(&f->order, op, first, MAX_BETWEEN, &can_move));
    if (can_move && reason)
      strata_explain_apart(f->compile, "product", callee_of(f, op), callee_of(f, first), reason);
    if (!can_move || reason)
      continue;
    n_maps += own;
    operands = with;
    strata_call_order_move(op, first, last);
    strata_set_attr(op, STRATA_LAUNCH, number);
    last = op;
    n++;
  }
  if (n == 1)
    return NULL;
  strata_set_attr(first, STRATA_LAUNCH, number);
  f->n_launches++;
  return NULL;
}

static strata_status_t find_launches(finder_t *f, MlirBlock body, bool any) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_call(op) && !is_loop(f, op) && may_share(f, op, op, any))
      STRATA_TRY(find_launch(f, op, any));
  return NULL;
}

// Multiply-adds of a product, at likely sizes; 0 for any other kernel, for pairs and where rows are reduced.
static strata_status_t work_of(strata_compile_t *compile, MlirOperation func, double *out_work, kind_t *out_kind) {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  *out_work = 0;
  *out_kind = NO_PRODUCT;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  bool is_plain = strata_is_contraction(&kernel, &contraction) && !contraction.other.nest && !contraction.places;
  if (!is_plain)
    return NULL;
  *out_work = 1;
  *out_kind = strata_nest_varies(contraction.nest) ? VARYING : KNOWN;
  for (int dim = 0; dim < contraction.nest->n_parallel + contraction.nest->n_reduction; dim++)
    *out_work *= (double)strata_nest_likely_extent(contraction.nest, dim);
  return NULL;
}

strata_status_t strata_parallel_find(strata_compile_t *compile, const strata_calls_t *calls) {
  size_t n = calls->kernels.count;
  kind_t *kinds = strata_arena_array(compile->arena, kind_t, n);
  finder_t f = {.compile = compile, .calls = calls, .order = strata_call_order_create(compile, calls)};
  STRATA_TRY(strata_gpu_device(compile, &f.device));
  f.kinds = kinds;
  f.sides = strata_arena_array(compile->arena, sides_t, n);
  f.small = strata_arena_array(compile->arena, signed char, n);
  for (size_t i = 0; i < n; i++) {
    MlirOperation func = calls->kernels.data[i].func;
    double work;
    STRATA_TRY(work_of(compile, func, &work, &kinds[i]));
    if (kinds[i])
      STRATA_TRY(read_sides(compile, &calls->kernels.data[i], &f.sides[i]));
    f.small[i] = 0;
  }
  strata_foresee(compile, n, ask_seconds, &f);
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    for (int any = 0; any < 2; any++)
      STRATA_TRY(find_launches(&f, strata_func_body(functions.data[i]), any));
  return NULL;
}

//===-- Launches that are there ----------------------------------------------------------------------------------===//

// Calls of |called| in a launch.
static int64_t count_calls(const strata_called_kernel_t *called, int64_t launch) {
  int64_t n = 0;
  for (size_t i = 0; launch >= 0 && i < called->calls.count; i++)
    n += strata_parallel_launch(called->calls.data[i]) == launch;
  return n;
}

// The launch with most calls of |called|; negative: none.
static int64_t main_launch(const strata_called_kernel_t *called) {
  int64_t best = -1;
  for (size_t i = 0; i < called->calls.count; i++) {
    int64_t launch = strata_parallel_launch(called->calls.data[i]);
    if (count_calls(called, launch) > (best < 0 ? 0 : count_calls(called, best)))
      best = launch;
  }
  return best;
}

static strata_status_t find_leader(strata_compile_t *compile, const strata_calls_t *calls, int64_t launch,
                                   const strata_called_kernel_t **leader) {
  double most = 0;
  for (size_t i = 0; launch >= 0 && i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    double work = 0;
    kind_t kind;
    if (count_calls(called, launch) > 0)
      STRATA_TRY(work_of(compile, called->func, &work, &kind));
    if (work > most) {
      most = work;
      *leader = called;
    }
  }
  return NULL;
}

strata_status_t strata_parallel_leader(strata_compile_t *compile, const strata_calls_t *calls,
                                       const strata_called_kernel_t *called, const strata_called_kernel_t **out_leader,
                                       bool *out_is_main) {
  int64_t launch = main_launch(called);
  *out_leader = called;
  STRATA_TRY(find_leader(compile, calls, launch, out_leader));
  *out_is_main = main_launch(*out_leader) == launch;
  return NULL;
}

strata_status_t strata_parallel_members(strata_compile_t *compile, const strata_calls_t *calls,
                                        const strata_called_kernel_t *called, strata_parallel_member_t *out_members,
                                        int *out_n) {
  double work[STRATA_MAX_TOGETHER];
  int64_t launch = main_launch(called);
  out_members[0] = (strata_parallel_member_t){called, launch < 0 ? 1 : count_calls(called, launch)};
  work[0] = INFINITY;
  *out_n = 1;
  for (size_t i = 0; launch >= 0 && i < calls->kernels.count && *out_n < STRATA_MAX_TOGETHER; i++) {
    const strata_called_kernel_t *other = &calls->kernels.data[i];
    double own;
    kind_t kind;
    if (other == called || main_launch(other) != launch)
      continue;
    STRATA_TRY(work_of(compile, other->func, &own, &kind));
    int at = (*out_n)++;
    for (; work[at - 1] < own; at--) {
      work[at] = work[at - 1];
      out_members[at] = out_members[at - 1];
    }
    work[at] = own;
    out_members[at] = (strata_parallel_member_t){other, count_calls(other, launch)};
  }
  return NULL;
}

static strata_status_t add_operands_of(strata_compile_t *compile, const strata_called_kernel_t *called, int64_t launch,
                                       strata_parallel_operands_t *operands, int64_t *out_new) {
  sides_t sides;
  STRATA_TRY(read_sides(compile, called, &sides));
  *out_new = 0;
  for (size_t i = 0; i < called->calls.count; i++)
    if (strata_parallel_launch(called->calls.data[i]) == launch && (launch >= 0 || i == 0))
      *out_new += add_operands(&sides, called->calls.data[i], operands);
  return NULL;
}

strata_status_t strata_parallel_add_operands(strata_compile_t *compile, const strata_called_kernel_t *called,
                                             strata_parallel_operands_t *operands, int64_t *out_new) {
  return add_operands_of(compile, called, main_launch(called), operands, out_new);
}

// The last call of |call|'s launch, from it on. In between there are none but of its products and of what packs their
// constants: a call may move behind it.
static MlirOperation last_of(MlirOperation call) {
  MlirOperation last = call;
  for (MlirOperation op = call; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_call(op) && strata_parallel_launch(op) == strata_parallel_launch(call))
      last = op;
  return last;
}

static void move_out(MlirOperation call) {
  MlirOperation last = last_of(call);
  if (strata_parallel_launch(call) >= 0 && !mlirOperationEqual(last, call))
    mlirOperationMoveAfter(call, last);
}

void strata_parallel_leave(const strata_called_kernel_t *called) {
  for (size_t i = 0; i < called->calls.count; i++) {
    move_out(called->calls.data[i]);
    mlirOperationRemoveAttributeByName(called->calls.data[i], strata_str(STRATA_LAUNCH));
  }
}

void strata_parallel_reject(strata_compile_t *compile, const strata_called_kernel_t *called) {
  for (size_t i = 0; i < called->calls.count; i++) {
    MlirOperation call = called->calls.data[i];
    int64_t launch = strata_parallel_launch(call);
    if (launch < 0)
      continue;
    move_out(call);
    strata_set_attr(call, STRATA_LAUNCH, strata_i64_attr(compile->context, launch + REJECTED));
  }
}

//===-- Settling -------------------------------------------------------------------------------------------------===//

typedef struct {
  MlirOperation call;
  int64_t steps;
} kept_t;

// Those of long reductions first, as schedule_together.c has them.
static void keep(kept_t *kept, int *n, MlirOperation call, int64_t steps) {
  int at = (*n)++;
  for (; at > 0 && kept[at - 1].steps < steps; at--)
    kept[at] = kept[at - 1];
  kept[at] = (kept_t){call, steps};
}

static strata_status_t keep_all(strata_compile_t *compile, const strata_called_kernel_t *called, int64_t launch,
                                kept_t *kept, int *n) {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  STRATA_TRY(strata_contraction_read(&kernel, &contraction));
  for (size_t i = 0; i < called->calls.count; i++)
    if (strata_parallel_launch(called->calls.data[i]) == launch && *n < STRATA_MAX_TOGETHER)
      keep(kept, n, called->calls.data[i], contraction.n_reduced);
  return NULL;
}

// True if calls of |func| and of the launch that |leader| leads can be one, as can their variants: of equal schedules
// without clusters, for equal sizes.
static bool is_shareable(MlirOperation func, MlirOperation leader) {
  MlirOperation own[STRATA_MAX_VARIANTS + 1], others[STRATA_MAX_VARIANTS + 1];
  int n = strata_variants_of(func, own);
  bool are_alike = strata_variants_are_alike(func, leader) && strata_variants_of(leader, others) == n;
  own[n] = func;
  others[n] = leader;
  for (int i = 0; are_alike && i <= n; i++) {
    strata_schedule_t schedule = strata_schedule_read(own[i]);
    are_alike = schedule.producers > 0 && !schedule.parts && !schedule.share[0] &&
                mlirAttributeEqual(strata_attr(own[i], "strata.schedule"), strata_attr(others[i], "strata.schedule"));
  }
  return are_alike;
}

// How many maps the copy engine needs to store the results of a call, by any of the variants.
static int64_t count_stored_maps(MlirOperation func) {
  MlirOperation all[STRATA_MAX_VARIANTS + 1];
  int64_t most = 0;
  int n = strata_variants_of(func, all);
  all[n] = func;
  for (int i = 0; i <= n; i++) {
    strata_schedule_t schedule = strata_schedule_read(all[i]);
    most = strata_max(most, schedule.swap ? 0 : strata_problem_stored_maps(func, schedule.tile[1]));
  }
  return most;
}

// Of one launch: those that keep its number.
static strata_status_t settle(strata_compile_t *compile, const strata_calls_t *calls, int64_t launch) {
  const strata_called_kernel_t *leader = NULL;
  kept_t kept[STRATA_MAX_TOGETHER];
  int n = 0;
  int64_t n_maps = 0;
  strata_parallel_operands_t operands = {0};
  STRATA_TRY(find_leader(compile, calls, launch, &leader));
  if (!leader)
    return NULL;
  for (size_t i = 0; i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    int64_t n_calls = count_calls(called, launch), own;
    if (n_calls == 0)
      continue;
    strata_parallel_operands_t with = operands;
    STRATA_TRY(add_operands_of(compile, called, launch, &with, &own));
    own += n_calls * count_stored_maps(called->func);
    if (n_maps + own <= STRATA_MAX_MAPS && is_shareable(called->func, leader->func)) {
      STRATA_TRY(keep_all(compile, called, launch, kept, &n));
      n_maps += own;
      operands = with;
    } else
      strata_parallel_leave(called);
  }
  MlirOperation last = n ? last_of(kept[0].call) : (MlirOperation){NULL};
  for (int i = 0; i < n; i++) {
    if (!mlirOperationEqual(kept[i].call, last))
      mlirOperationMoveAfter(kept[i].call, last);
    last = kept[i].call;
  }
  MlirStringRef name = strata_attr_str(leader->func, "sym_name");
  if (n > 1)
    strata_explain(compile, "product %.*s: %d calls share a launch", (int)name.length, name.data, n);
  return NULL;
}

strata_status_t strata_parallel_settle(strata_compile_t *compile, const strata_calls_t *calls) {
  STRATA_VECTOR(int64_t) launches = {0}; // the calls of each follow one another
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++) {
    strata_operations_t of_function = strata_calls_of(compile->arena, functions.data[i]);
    for (size_t j = 0; j < of_function.count; j++) {
      int64_t launch = strata_parallel_launch(of_function.data[j]);
      if (launch >= 0 && (!launches.count || launches.data[launches.count - 1] != launch))
        *strata_vector_push(compile->arena, &launches) = launch;
    }
  }
  for (size_t i = 0; i < launches.count; i++)
    STRATA_TRY(settle(compile, calls, launches.data[i]));
  return NULL;
}
