// affine-share-launches: kernels that are no products and do not depend on one another share a launch, as those that
// copy inputs to their parts of a concat do, normalise several tensors, or gather from several tables.
//
//   call @k0(%x, %y)   call @k1(%z, %y)          // the first rows of %y, and the others
// becomes
//   call @k0(%x, %y) {strata.launch = 0}   call @k1(%z, %y) {strata.launch = 0}
//
// Calls of one number follow one another; tile-join-launches makes one call of them, whose tasks are those of all. What
// a launch saves is the time between two kernels, and the processors that a small one leaves idle; so kernels that take
// long stay alone, but for products, of which the model says what they gain, and maps that do the same, none of which
// has another computation's registers. On the cpu, where only the time between counts and what was just written is in a
// cache, calls only join their neighbours, and those of sizes that vary stay alone.
//
// Where sizes vary, launches are most of what small ones take, and the same ones are a small part of what large ones
// do. So there a kernel takes long that does so at the least likely sizes, and maps, rows and gathers share launches
// with one another. So do kernels with variants, as long as the launch has few: of what they are for each size
// (tile-join-launches).
#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/symbols.h"
#include "passes/affine/call_order.h"
#include "passes/affine/explain.h"
#include "passes/affine/parallel.h"
#include "passes/affine/problem.h"
#include "passes/affine/share_varying.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <math.h>
#include <string.h>

enum {
  MAX_CALLS = 64,      // of a launch: each is code of its own
  MAX_ALIKE = 480,     // the same on a GPU where all copy, which is little code, or do the same, which is code once
  MAX_ARGUMENTS = 480, // of a launch: a driver takes 4 KiB of them
  MAX_BETWEEN = 16,    // calls that one may move past on a GPU, besides those of its launch
};

// Why a kernel's calls are never in a shared launch; NULL: they may be.
typedef const char *obstacle_t;

// A kernel that is called, as far as it is a product.
typedef struct {
  bool is_product;
  strata_problem_t problem;
  strata_tiled_load_t load;
} product_t;

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device; // NULL: the cpu
  const int64_t *least;              // symbols at the least likely sizes, where the module's vary; else NULL
  strata_call_order_t order;
  obstacle_t *obstacles; // by called kernel
  bool *are_long;        // the same: one that fills the card for long
  product_t *products;   // the same
  int64_t n_launches;
} sharer_t;

//===-- Kernels --------------------------------------------------------------------------------------------------===//

// Scalar code that is a task a point, as of a gather; not what goes through its rows step by step, however long.
static bool is_of_points(MlirOperation func) {
  int n_nests = 0;
  bool is_serial = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    n_nests += strata_op_is(op, "affine.parallel");
    is_serial |= strata_attr_flag(op, "strata.serial");
  }
  return n_nests == 1 && !is_serial;
}

// At the least likely sizes, of which the kernel's bytes and operations are in proportion to its points.
static strata_status_t find_long(const sharer_t *s, MlirOperation func, bool *out_is_long) {
  double bytes = (double)strata_attr_i64(func, "strata.bytes", 0),
         operations = (double)strata_attr_i64(func, "strata.flops", 0), part = 1;
  *out_is_long = false;
  if (!s->device)
    return NULL;
  if (s->least) {
    strata_kernel_t kernel;
    STRATA_TRY(strata_kernel_read(s->compile->arena, func, &kernel));
    part = strata_points_at(&kernel, s->least) / fmax(strata_points_at(&kernel, NULL), 1);
  }
  double small = s->device->costs->launches.small_seconds;
  *out_is_long =
      part * bytes > small * (double)s->device->bandwidth || part * operations > small * (double)s->device->products;
  return NULL;
}

// Of a kernel or a variant.
static obstacle_t find_own_obstacle(const sharer_t *s, MlirOperation func) {
  strata_schedule_t schedule = strata_schedule_read(func);
  if (s->least && schedule.kind == STRATA_KERNEL_CONTRACT)
    return "it is a product where sizes vary, of which the model chooses launches";
  if (schedule.kind == STRATA_KERNEL_ATTENTION)
    return "it is attention";
  if (schedule.kind == STRATA_KERNEL_SCALAR && !is_of_points(func))
    return "its tasks take long";
  if (!s->device)
    return NULL;
  if (schedule.group > schedule.threads)
    return "its rows are a cluster's";
  if (schedule.producers)
    return "it is a pipelined product, of which the model chooses launches";
  bool is_rows = schedule.kind == STRATA_KERNEL_ROWS;
  if (schedule.blocks || (is_rows && (schedule.slots || schedule.n_tile == 2)))
    return "its blocks carry out several tasks";
  return NULL;
}

static obstacle_t find_obstacle(const sharer_t *s, MlirOperation func) {
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int n = strata_variants_of(func, variants);
  obstacle_t obstacle = find_own_obstacle(s, func);
  for (int i = 0; i < n && !obstacle; i++)
    obstacle = find_own_obstacle(s, variants[i]);
  return obstacle;
}

static const strata_called_kernel_t *kernel_of(const sharer_t *s, MlirOperation call) {
  return &s->order.calls->kernels.data[strata_call_order_kernel(&s->order, call)];
}

static obstacle_t obstacle_of(const sharer_t *s, MlirOperation call) {
  if (strata_parallel_launch(call) >= 0)
    return "it shares one with others";
  if (strata_call_order_is_constant(&s->order, call))
    return "it is prepared";
  return s->obstacles[strata_call_order_kernel(&s->order, call)];
}

// What the model knows of a product whose tiles threads stage.
static strata_status_t read_product(const sharer_t *s, const strata_called_kernel_t *called, product_t *out) {
  strata_problem_reading_t product;
  strata_schedule_t schedule = strata_schedule_read(called->func);
  *out = (product_t){false};
  if (!s->device || s->least || schedule.kind != STRATA_KERNEL_CONTRACT || schedule.producers)
    return NULL;
  strata_gpu_contraction_t question = {.compile = s->compile, .device = s->device, .calls = s->order.calls};
  STRATA_TRY(strata_problem_of_called(&question, called, &product, &out->is_product));
  out->problem = product.problem;
  out->is_product = out->is_product && strata_tiled_load(s->device, &product.problem, &schedule, &out->load);
  return NULL;
}

//===-- A launch -------------------------------------------------------------------------------------------------===//

typedef struct {
  MlirOperation first, last;
  int n_calls;
  bool is_uneven;                       // products of several schedules
  bool has_unknown;                     // or some that the model knows nothing of
  bool has_long;                        // one of the kernels takes long
  strata_tiled_load_t loads[MAX_CALLS]; // of products
  int64_t kernels[MAX_ALIKE];           // called
  bool computes;                        // one of them does more than to copy
  bool are_alike;                       // all do the same with other buffers
  strata_pointer_map_t operands;        // those it has
  int n_operands;
} launch_t;

static int count_new_operands(const launch_t *launch, MlirOperation call) {
  int count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    count += !strata_pointer_map_get(&launch->operands, mlirOperationGetOperand(call, i).ptr);
  return count;
}

static bool computes(const sharer_t *s, MlirOperation call) {
  return strata_attr_i64(kernel_of(s, call)->func, "strata.flops", 0) > 0;
}

// True of maps whose nests have the same names: one computation, of buffers of any sizes.
static bool do_the_same(const sharer_t *s, MlirOperation a, MlirOperation b) {
  MlirOperation first = kernel_of(s, a)->func, second = kernel_of(s, b)->func;
  if (strata_schedule_read(first).kind != STRATA_KERNEL_MAP || strata_schedule_read(second).kind != STRATA_KERNEL_MAP)
    return false;
  MlirOperation x = mlirBlockGetFirstOperation(strata_func_body(first)),
                y = mlirBlockGetFirstOperation(strata_func_body(second));
  for (; !mlirOperationIsNull(x) && !mlirOperationIsNull(y);
       x = mlirOperationGetNextInBlock(x), y = mlirOperationGetNextInBlock(y))
    if (!mlirAttributeEqual(strata_attr(x, "strata.nest"), strata_attr(y, "strata.nest")))
      return false;
  return mlirOperationIsNull(x) && mlirOperationIsNull(y);
}

// The same and as much of it: code that differs in constants.
static bool are_alike(const sharer_t *s, MlirOperation a, MlirOperation b) {
  MlirOperation first = kernel_of(s, a)->func, second = kernel_of(s, b)->func;
  return mlirAttributeEqual(strata_attr(first, "strata.schedule"), strata_attr(second, "strata.schedule")) &&
         mlirAttributeEqual(strata_attr(first, "strata.flops"), strata_attr(second, "strata.flops")) &&
         do_the_same(s, a, b);
}

static void add_call(const sharer_t *s, launch_t *launch, MlirOperation call) {
  const product_t *product = &s->products[strata_call_order_kernel(&s->order, call)];
  if (product->is_product)
    launch->loads[launch->n_calls] = product->load;
  launch->kernels[launch->n_calls] = strata_call_order_kernel(&s->order, call);
  launch->has_unknown |= !product->is_product;
  launch->has_long |= s->are_long[strata_call_order_kernel(&s->order, call)];
  launch->n_operands += count_new_operands(launch, call);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    *strata_pointer_map_put(&launch->operands, mlirOperationGetOperand(call, i).ptr) = true;
  launch->computes |= computes(s, call);
  launch->are_alike = launch->n_calls == 0 || (launch->are_alike && are_alike(s, call, launch->first));
  launch->last = call;
  launch->n_calls++;
}

// True if there is no room for |call|, or (null) for any.
static bool is_full(const sharer_t *s, const launch_t *launch, MlirOperation call) {
  bool is_any = mlirOperationIsNull(call);
  bool copies = !launch->computes && (is_any || !computes(s, call));
  bool alike = launch->are_alike && (is_any || are_alike(s, call, launch->first));
  return launch->n_calls >= (s->device && (copies || alike) ? MAX_ALIKE : MAX_CALLS);
}

static const char long_enough[] = "it takes long enough alone";

// Gives the product of kernel |at| the tiles that it has in a launch.
static void set_tiles(const sharer_t *s, int64_t at, const strata_tiled_load_t *load,
                      const strata_schedule_t *schedule) {
  MlirOperation func = s->order.calls->kernels.data[at].func;
  MlirStringRef name = strata_attr_str(func, "sym_name");
  strata_explain(s->compile, "product %.*s: %lldx%lldx%lld, %lld threads, in a launch with others", (int)name.length,
                 name.data, (long long)schedule->tile[0], (long long)schedule->tile[1], (long long)schedule->tile[2],
                 (long long)schedule->threads);
  strata_schedule_write(func, schedule);
  s->products[at].load = *load;
}

// The model's time of |launch| with |call|, whose tiles are its own or, where these take longer than |most|, or
// several of them do not fit a block, those that suit the launch best. Those are its kernel's from then on, so its
// other calls count as well: those beyond the first kernel's, as where both are a layer's they meet in every layer.
static double seconds_with(const sharer_t *s, launch_t *launch, MlirOperation call, double most) {
  int64_t at = strata_call_order_kernel(&s->order, call);
  int n = launch->n_calls;
  const product_t *own = &s->products[at];
  double beyond = (double)kernel_of(s, call)->calls.count - (double)kernel_of(s, launch->first)->calls.count;
  double others = fmax(beyond, 0), alone = strata_tiled_together(s->device, &own->load, 1);
  strata_schedule_t schedule;
  launch->loads[n] = own->load;
  double together = strata_tiled_together(s->device, launch->loads, n + 1);
  if (together <= most || s->compile->options->schedule || s->compile->options->tuning)
    return together;
  double suited = strata_tiled_suited(s->device, &own->problem, others, launch->loads, n + 1, n, &schedule);
  if (suited > most + others * alone)
    return together;
  set_tiles(s, at, &launch->loads[n], &schedule);
  return suited - others * strata_tiled_together(s->device, &launch->loads[n], 1);
}

// True if each of the launch's kernels, and |called|, is called once: their tiles are this launch's alone.
static bool are_called_once(const sharer_t *s, const launch_t *launch, const strata_called_kernel_t *called) {
  bool are_once = called->calls.count == 1;
  for (int i = 0; i < launch->n_calls; i++)
    are_once &= s->order.calls->kernels.data[launch->kernels[i]].calls.count == 1;
  return are_once;
}

// Tiles of all products of a launch.
typedef struct {
  int n;
  int64_t kernels[MAX_CALLS];
  strata_tiled_load_t loads[MAX_CALLS];
  strata_schedule_t schedules[MAX_CALLS];
} suited_t;

// Gives each product in turn the tiles that are best beside the others', from the last on, or the first, until none
// changes. The model's time; infinite where they have no room.
static double suit_all(const sharer_t *s, suited_t *suited, bool is_last_first) {
  enum { ROUNDS = 3 };
  double seconds = INFINITY, before = INFINITY;
  for (int round = 0; round < ROUNDS && (round == 0 || seconds < before); round++) {
    before = seconds;
    for (int i = 0; i < suited->n; i++) {
      int at = is_last_first ? suited->n - 1 - i : i;
      const strata_problem_t *problem = &s->products[suited->kernels[at]].problem;
      seconds = strata_tiled_suited(s->device, problem, 0, suited->loads, suited->n, at, &suited->schedules[at]);
    }
  }
  return seconds;
}

// The same with tiles of all products that suit the launch, whose first ones were chosen without |call|. Only where
// that takes no longer than |most| do they have them.
static double seconds_suited(const sharer_t *s, launch_t *launch, MlirOperation call, double most) {
  double seconds = INFINITY;
  bool may_choose = !s->compile->options->schedule && !s->compile->options->tuning;
  if (!may_choose || !are_called_once(s, launch, kernel_of(s, call)))
    return INFINITY;
  for (int way = 0; way < 2 && seconds > most; way++) {
    suited_t suited = {.n = launch->n_calls + 1};
    memcpy(suited.loads, launch->loads, sizeof *suited.loads * (size_t)launch->n_calls);
    memcpy(suited.kernels, launch->kernels, sizeof *suited.kernels * (size_t)launch->n_calls);
    suited.kernels[launch->n_calls] = strata_call_order_kernel(&s->order, call);
    suited.loads[launch->n_calls] = s->products[suited.kernels[launch->n_calls]].load;
    double taken = suit_all(s, &suited, way == 0);
    for (int i = 0; i < suited.n && taken <= most; i++) {
      launch->loads[i] = suited.loads[i];
      set_tiles(s, suited.kernels[i], &suited.loads[i], &suited.schedules[i]);
    }
    seconds = fmin(seconds, taken);
  }
  return seconds;
}

// The same with tiles of |call|'s product alone where these suffice.
static double seconds_within(const sharer_t *s, launch_t *launch, MlirOperation call, double most) {
  double seconds = seconds_with(s, launch, call, most);
  return seconds > most ? fmin(seconds, seconds_suited(s, launch, call, most)) : seconds;
}

// Short products of the same schedule, or any where the model finds the launch with |call| hardly slower, or faster,
// than the launch without it and |call| alone.
static const char *why_not_product(const sharer_t *s, launch_t *launch, MlirOperation call, bool is_long) {
  const product_t *own = &s->products[strata_call_order_kernel(&s->order, call)];
  MlirAttribute first = strata_attr(kernel_of(s, launch->first)->func, "strata.schedule");
  bool is_even =
      !launch->is_uneven && mlirAttributeEqual(first, strata_attr(kernel_of(s, call)->func, "strata.schedule"));
  if (is_even && !is_long)
    return NULL;
  if (!own->is_product || launch->has_unknown)
    return is_even ? long_enough : "their schedules differ";
  double apart = strata_tiled_together(s->device, launch->loads, launch->n_calls) +
                 strata_tiled_together(s->device, &own->load, 1);
  double most = apart * s->device->costs->margins.tiled_together, together = seconds_within(s, launch, call, apart);
  if (together > apart) // no tiles are that fast: those that hardly take longer
    together = seconds_within(s, launch, call, most);
  if (isinf(together))
    return "several tiles of the smaller do not fit a block of the larger";
  if (together > most)
    return strata_arena_printf(s->compile->arena, "%.1f us in one launch, %.1f apart", 1e6 * together, 1e6 * apart);
  launch->is_uneven |= !is_even;
  return NULL;
}

// Where sizes vary: of what a launch with |call| is for each of them.
static const char *why_not_varying(const sharer_t *s, const launch_t *launch, MlirOperation call) {
  MlirOperation kernels[MAX_ALIKE + 1];
  size_t n = 0;
  for (int i = 0; i <= launch->n_calls; i++) {
    int64_t at = i < launch->n_calls ? launch->kernels[i] : strata_call_order_kernel(&s->order, call);
    MlirOperation func = s->order.calls->kernels.data[at].func;
    size_t same = 0;
    while (same < n && !mlirOperationEqual(kernels[same], func))
      same++;
    kernels[same] = func;
    n = same == n ? n + 1 : n;
  }
  return strata_why_not_varying(s->compile->arena, s->device, n, kernels);
}

// A cpu's kernels have their tiles in their code.
static const char *why_not(const sharer_t *s, launch_t *launch, MlirOperation call) {
  strata_kernel_kind_t kind = strata_schedule_read(kernel_of(s, call)->func).kind;
  bool is_long = launch->has_long || s->are_long[strata_call_order_kernel(&s->order, call)];
  if (!s->least && kind != strata_schedule_read(kernel_of(s, launch->first)->func).kind)
    return "their schedules differ";
  if (s->device && kind == STRATA_KERNEL_CONTRACT)
    return why_not_product(s, launch, call, is_long);
  if (is_long && !do_the_same(s, launch->first, call))
    return long_enough;
  return s->least ? why_not_varying(s, launch, call) : NULL;
}

// Adds |call| where it may stand behind the others.
static strata_status_t try_call(sharer_t *s, launch_t *launch, MlirOperation call) {
  int most = launch->n_calls + (s->device ? MAX_BETWEEN : 0);
  const char *reason = obstacle_of(s, call);
  bool can_move;
  if (reason && !s->compile->explain)
    return NULL;
  STRATA_TRY(strata_call_order_can_move(&s->order, call, launch->first, most, &can_move));
  if (!can_move)
    return NULL;
  if (!reason && is_full(s, launch, call))
    reason = "more kernels than a launch takes";
  if (!reason && launch->n_operands + count_new_operands(launch, call) > MAX_ARGUMENTS)
    reason = "more buffers than a launch takes";
  if (!reason)
    reason = why_not(s, launch, call);
  if (reason) {
    strata_explain_apart(s->compile, "kernel", kernel_of(s, call)->func, kernel_of(s, launch->first)->func, reason);
    return NULL;
  }
  strata_call_order_move(call, launch->first, launch->last);
  add_call(s, launch, call);
  strata_set_attr(call, STRATA_LAUNCH, strata_i64_attr(s->compile->context, s->n_launches));
  return NULL;
}

// Where sizes vary the only call of |launch| waits for one behind it that can share its own.
static strata_status_t postpone(sharer_t *s, launch_t *launch) {
  bool depend = false;
  int n_passed = 0;
  for (MlirOperation op = strata_call_order_next(launch->first); !mlirOperationIsNull(op) && !depend;
       op = strata_call_order_next(op)) {
    if (strata_call_order_kernel(&s->order, op) < 0 || n_passed++ > MAX_BETWEEN)
      break;
    bool is_free = !obstacle_of(s, op) && !why_not(s, launch, op);
    STRATA_TRY(strata_call_order_depend(&s->order, launch->first, op, &depend));
    if (is_free && !depend) {
      mlirOperationMoveBefore(launch->first, op);
      return NULL;
    }
  }
  return NULL;
}

// Moves what can share the launch of |first| behind it.
static strata_status_t share(sharer_t *s, MlirOperation first) {
  launch_t launch = {.first = first, .operands = strata_pointer_map_create(s->compile->arena)};
  int n_passed = 0;
  add_call(s, &launch, first);
  for (MlirOperation op = strata_call_order_next(first), next; !mlirOperationIsNull(op); op = next) {
    int n_before = launch.n_calls;
    next = strata_call_order_next(op);
    if (is_full(s, &launch, (MlirOperation){NULL}) || n_passed > MAX_BETWEEN ||
        strata_call_order_kernel(&s->order, op) < 0)
      break;
    STRATA_TRY(try_call(s, &launch, op));
    n_passed += launch.n_calls == n_before;
    if (launch.n_calls == n_before && s->are_long[strata_call_order_kernel(&s->order, op)])
      break; // what one behind it leaves in the cache for its reader would be gone
  }
  if (launch.n_calls == 1)
    return s->least ? postpone(s, &launch) : NULL;
  strata_set_attr(first, STRATA_LAUNCH, strata_i64_attr(s->compile->context, s->n_launches++));
  MlirStringRef name = strata_attr_str(kernel_of(s, first)->func, "sym_name");
  strata_explain(s->compile, "kernel %.*s: %d calls share a launch", (int)name.length, name.data, launch.n_calls);
  return NULL;
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static strata_status_t share_all(sharer_t *s, MlirOperation func) {
  MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)), next;
  for (; !mlirOperationIsNull(op); op = next) {
    bool may_share =
        strata_op_is(op, "func.call") && strata_call_order_kernel(&s->order, op) >= 0 && !obstacle_of(s, op);
    MlirOperation behind = strata_call_order_next(op);
    if (may_share)
      STRATA_TRY(share(s, op));
    // what waits comes again where it then stands, in front of |behind| at the earliest
    next = may_share && strata_parallel_launch(op) < 0 ? behind : strata_call_order_next(op);
  }
  return NULL;
}

strata_status_t strata_pass_affine_share_launches(strata_compile_t *compile) {
  strata_calls_t calls;
  bool is_gpu = strata_target_is_gpu(compile);
  if (compile->options->disable_fusion || (!is_gpu && strata_module_is_symbolic(compile->module)))
    return NULL;
  STRATA_TRY(strata_calls_read(compile, &calls));
  sharer_t s = {.compile = compile, .order = strata_call_order_create(compile, &calls)};
  STRATA_TRY(strata_find_least_sizes(compile, &s.least));
  if (is_gpu)
    STRATA_TRY(strata_gpu_device(compile, &s.device));
  s.obstacles = strata_arena_array(compile->arena, obstacle_t, calls.kernels.count + 1);
  s.are_long = strata_arena_array(compile->arena, bool, calls.kernels.count + 1);
  s.products = strata_arena_array(compile->arena, product_t, calls.kernels.count + 1);
  for (size_t i = 0; i < calls.kernels.count; i++) {
    s.obstacles[i] = find_obstacle(&s, calls.kernels.data[i].func);
    STRATA_TRY(find_long(&s, calls.kernels.data[i].func, &s.are_long[i]));
    STRATA_TRY(read_product(&s, &calls.kernels.data[i], &s.products[i]));
  }
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  s.n_launches = strata_calls_next_launch(compile->arena, functions);
  for (size_t i = 0; i < functions.count; i++)
    STRATA_TRY(share_all(&s, functions.data[i]));
  return NULL;
}
