// affine-memory-plan: gives every intermediate buffer of @main its place in one pool.
//
//   %t = memref.alloc() : memref<8x64xf32>   ->   %t = memref.alloc() {strata.offset = 256} : memref<8x64xf32>
//
// A buffer lives from the first launch that uses it to the last; buffers that live at the same time get disjoint
// places, aligned to 256 bytes: one after the other, each into the smallest gap that holds it among those already
// placed. The largest go first; where the pool is more than the most that lives at one time, a lower bound of any plan,
// those that live longest, then those with most of both are tried, and the smallest pool is taken. The report is left
// on @main: strata.pool_size; strata.pool_live, that bound; strata.pool_sum, what the buffers would take without
// sharing.
//
// The bodies of loops are planned first. Where a loop works is one buffer of its caller, the last argument of the loop
// and of its body: the body's pool, and behind it, from the loop's strata.states on, two buffers for each state but the
// first and the last, which an iteration reads and writes in turn.
//
// Preconditions: @main and the bodies are launch lists (launch_list.h).
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/launch_list.h"
#include "passes/pass.h"

#include <stdlib.h>

enum { ALIGNMENT = 256 };

// A buffer with a place, linked into a list of the index.
typedef struct placed {
  struct placed *next;
  const strata_buffer_t *buffer;
  int64_t begin, end; // bytes of the pool
} placed_t;

// Those placed so far, found by their life: a segment tree over the launches, in whose nodes a life is stored
// piecewise, answers "who lives at launch t"; a list for every launch answers "whose life begins there".
typedef struct {
  strata_arena_t *arena;
  int64_t n_leaves; // a power of two
  placed_t **nodes; // node i has the children 2i and 2i+1; the leaves begin at n_leaves
  placed_t **starts;
} life_index_t;

typedef STRATA_VECTOR(const placed_t *) placed_list_t;

static life_index_t index_create(strata_arena_t *arena, int64_t n_launches) {
  int64_t n_leaves = 1;
  while (n_leaves < n_launches)
    n_leaves *= 2;
  return (life_index_t){.arena = arena,
                        .n_leaves = n_leaves,
                        .nodes = strata_arena_array(arena, placed_t *, 2 * n_leaves),
                        .starts = strata_arena_array(arena, placed_t *, n_leaves)};
}

static void push(strata_arena_t *arena, placed_t **list, placed_t placed) {
  placed.next = *list;
  *list = strata_arena_copy(arena, &placed, sizeof placed);
}

static void index_insert(life_index_t *index, placed_t placed) {
  push(index->arena, &index->starts[placed.buffer->first], placed);
  int64_t low = placed.buffer->first + index->n_leaves, high = placed.buffer->last + index->n_leaves + 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2)
      push(index->arena, &index->nodes[low++], placed);
    if (high % 2)
      push(index->arena, &index->nodes[--high], placed);
  }
}

// Those that live at the same time as |buffer|: they live at its first launch, or begin later in its life.
static void index_conflicts(const life_index_t *index, const strata_buffer_t *buffer, placed_list_t *out_conflicts) {
  out_conflicts->count = 0;
  for (int64_t node = buffer->first + index->n_leaves; node > 0; node /= 2)
    for (const placed_t *placed = index->nodes[node]; placed; placed = placed->next)
      *strata_vector_push(index->arena, out_conflicts) = placed;
  for (int64_t launch = buffer->first + 1; launch <= buffer->last; launch++)
    for (const placed_t *placed = index->starts[launch]; placed; placed = placed->next)
      *strata_vector_push(index->arena, out_conflicts) = placed;
}

static int by_place(const void *a, const void *b) {
  const placed_t *x = *(const placed_t *const *)a, *y = *(const placed_t *const *)b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// The smallest gap between the conflicts that holds |size| bytes, else the place behind them.
static int64_t find_place(const placed_list_t *conflicts, int64_t size) {
  if (conflicts->count)
    qsort(conflicts->data, conflicts->count, sizeof *conflicts->data, by_place);
  int64_t end = 0, best = -1, best_gap = INT64_MAX;
  for (size_t i = 0; i < conflicts->count; i++) {
    int64_t gap = conflicts->data[i]->begin - end;
    if (gap >= size && gap < best_gap) {
      best = end;
      best_gap = gap;
    }
    if (conflicts->data[i]->end > end)
      end = conflicts->data[i]->end;
  }
  return best >= 0 ? best : end;
}

typedef double weight_t(const strata_buffer_t *buffer);

static double size_of(const strata_buffer_t *buffer) { return (double)buffer->size; }
static double life_of(const strata_buffer_t *buffer) { return (double)(buffer->last - buffer->first + 1); }
static double area_of(const strata_buffer_t *buffer) { return size_of(buffer) * life_of(buffer); }

typedef struct {
  const strata_buffer_t *buffer;
  double weight;
} candidate_t;

// Heavier first, then larger; equal ones in program order.
static int by_weight(const void *a, const void *b) {
  const candidate_t *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  if (x->buffer->size != y->buffer->size)
    return x->buffer->size > y->buffer->size ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

// The most bytes that live during one launch.
static int64_t most_live(strata_arena_t *arena, const strata_launch_list_t *list) {
  int64_t *change = strata_arena_array(arena, int64_t, list->launches.count + 1);
  for (size_t i = 0; i < list->buffers.count; i++) {
    const strata_buffer_t *buffer = &list->buffers.data[i];
    if (buffer->kind != STRATA_BUFFER_ALLOC || buffer->first < 0)
      continue;
    change[buffer->first] += strata_round_up(buffer->size, ALIGNMENT);
    change[buffer->last + 1] -= strata_round_up(buffer->size, ALIGNMENT);
  }
  int64_t live = 0, most = 0;
  for (size_t i = 0; i < list->launches.count; i++) {
    live += change[i];
    most = strata_max(live, most);
  }
  return most;
}

static void set_offset(MlirContext context, const strata_buffer_t *buffer, int64_t offset) {
  strata_set_attr(mlirOpResultGetOwner(buffer->value), "strata.offset", strata_i64_attr(context, offset));
}

typedef struct {
  int64_t pool_size, sum;
  int64_t *offsets; // of the list's buffers
} plan_t;

// Places every intermediate buffer, those of the largest |weight| first.
static plan_t place_all(strata_arena_t *arena, const strata_launch_list_t *list, weight_t *weight) {
  STRATA_VECTOR(candidate_t) order = {0};
  for (size_t i = 0; i < list->buffers.count; i++) {
    const strata_buffer_t *buffer = &list->buffers.data[i];
    if (buffer->kind == STRATA_BUFFER_ALLOC && buffer->first >= 0) // else nothing uses it
      *strata_vector_push(arena, &order) = (candidate_t){buffer, weight(buffer)};
  }
  if (order.count)
    qsort(order.data, order.count, sizeof *order.data, by_weight);

  life_index_t index = index_create(arena, (int64_t)list->launches.count);
  placed_list_t conflicts = {0};
  plan_t plan = {.offsets = strata_arena_array(arena, int64_t, list->buffers.count)};
  for (size_t i = 0; i < order.count; i++) {
    placed_t placed = {.buffer = order.data[i].buffer};
    int64_t size = strata_round_up(placed.buffer->size, ALIGNMENT);
    index_conflicts(&index, placed.buffer, &conflicts);
    placed.begin = find_place(&conflicts, size);
    placed.end = placed.begin + size;
    index_insert(&index, placed);
    plan.offsets[placed.buffer - list->buffers.data] = placed.begin;
    plan.pool_size = strata_max(placed.end, plan.pool_size);
    plan.sum += size;
  }
  return plan;
}

// The smallest pool of several orders; the first of equal ones. |live|: no pool is smaller.
static plan_t best_plan(strata_arena_t *arena, const strata_launch_list_t *list, int64_t live) {
  weight_t *const weights[] = {size_of, life_of, area_of};
  plan_t best = place_all(arena, list, weights[0]);
  for (size_t i = 1; i < sizeof weights / sizeof *weights && best.pool_size > live; i++) {
    plan_t plan = place_all(arena, list, weights[i]);
    if (plan.pool_size < best.pool_size)
      best = plan;
  }
  return best;
}

static void write_offsets(MlirContext context, const strata_launch_list_t *list, const plan_t *plan) {
  for (size_t i = 0; i < list->buffers.count; i++)
    if (list->buffers.data[i].kind == STRATA_BUFFER_ALLOC)
      set_offset(context, &list->buffers.data[i], plan->offsets[i]);
}

// Adds an argument of |type| to the loop, its body and its call.
static void add_work_argument(strata_compile_t *compile, MlirOperation call, const strata_counted_loop_t *loop,
                              MlirOperation body, MlirType type) {
  MlirValue operands[STRATA_LOOP_MAX_ARGS + 1];
  MlirType types[STRATA_LOOP_MAX_ARGS + 1];
  intptr_t n = mlirOperationGetNumOperands(call);
  for (intptr_t i = 0; i < n; i++) {
    operands[i] = mlirOperationGetOperand(call, i);
    types[i] = mlirValueGetType(operands[i]);
  }
  operands[n] = strata_alloc_before(call, type);
  types[n] = type;
  mlirOperationSetOperands(call, n + 1, operands);
  strata_set_attr(loop->declaration, "function_type",
                  mlirTypeAttrGet(mlirFunctionTypeGet(compile->context, n + 1, types, 0, NULL)));
  mlirBlockAddArgument(strata_func_body(body), type, mlirOperationGetLocation(body));
  mlirOperationRemoveAttributeByName(body, strata_str("arg_attrs")); // one an argument; nobody reads them any more
  strata_update_function_type(compile->arena, body);
}

static strata_status_t plan_function(strata_compile_t *compile, MlirSymbolTable symbols, MlirOperation func);

// Plans the loop's body, and gives the loop the memory it works in.
static strata_status_t plan_loop(strata_compile_t *compile, MlirSymbolTable symbols, MlirOperation call,
                                 MlirOperation declaration) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  MlirOperation body = mlirSymbolTableLookup(symbols, loop.body);
  STRATA_TRY(plan_function(compile, symbols, body));
  int64_t size = strata_round_up(strata_attr_i64(body, "strata.pool_size", 0), ALIGNMENT);
  strata_set_attr(declaration, "strata.states", strata_i64_attr(compile->context, size));
  for (int i = 0; i < loop.n_states; i++)
    size += 2 * strata_round_up(strata_memref_size(mlirValueGetType(mlirOperationGetOperand(call, i))), ALIGNMENT);
  size = strata_max(size, ALIGNMENT);
  MlirType bytes = mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(compile->context, 8), 1, &size, (MlirAttribute){0});
  add_work_argument(compile, call, &loop, body, bytes);
  return NULL;
}

static strata_status_t plan_function(strata_compile_t *compile, MlirSymbolTable symbols, MlirOperation func) {
  strata_operations_t calls = strata_calls_of(compile->arena, func);
  for (size_t i = 0; i < calls.count; i++) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(strata_attr(calls.data[i], "callee"));
    MlirOperation declaration = mlirSymbolTableLookup(symbols, callee);
    if (strata_op_is_loop(declaration))
      STRATA_TRY(plan_loop(compile, symbols, calls.data[i], declaration));
  }
  strata_launch_list_t list;
  STRATA_TRY(strata_launch_list_read(compile, func, &list));
  int64_t live = most_live(compile->arena, &list);
  plan_t plan = best_plan(compile->arena, &list, live);
  write_offsets(compile->context, &list, &plan);
  strata_set_attr(func, "strata.pool_size", strata_i64_attr(compile->context, plan.pool_size));
  strata_set_attr(func, "strata.pool_live", strata_i64_attr(compile->context, live));
  strata_set_attr(func, "strata.pool_sum", strata_i64_attr(compile->context, plan.sum));
  return NULL;
}

strata_status_t strata_pass_affine_memory_plan(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  if (mlirOperationIsNull(main))
    return strata_error(STRATA_INTERNAL, "affine-memory-plan: no function main");
  MlirSymbolTable symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module));
  strata_status_t status = plan_function(compile, symbols, main);
  mlirSymbolTableDestroy(symbols);
  return status;
}
