// Stable sorting along an axis on a GPU: every element has a thread, which counts what comes before it, and stores it
// there. First tiles are sorted so, element by element; then WAYS sorted runs become one, again and again, where the
// number of what comes before is found in each run by bisection.
//
//   affine.parallel (%row, %i) { elements of its tile are compared: keys[%row, place] = x[%row, %i] }
//   affine.parallel (%row, %i) { element %i of its run is at %i + those of the runs beside it that come before } ...
//
// Of a row of which no more than the first |kept| elements are read, as a TopK's, a run keeps no more of its own: all
// merges but the first few have little to do.
#include "lowering/strata_to_affine/sort.h"

enum { TILE = 64, WAYS = 4 };

// Sorted runs of each row, one behind the other: of |span| elements of the row, of which the first |stride| are kept.
typedef struct {
  strata__tensor_t keys, positions;
  bool has_keys, has_positions;
  int64_t span, stride;
} runs_t;

typedef struct {
  strata__sort_t *of;
  strata__lowering_t *lowering;
  MlirOperation op;
  int64_t kept;
  bool has_positions; // somebody reads them
} ranks_t;

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static MlirValue number(ranks_t *r, int64_t value) { return strata_emit_index(&r->of->nest.e, value); }
static MlirValue op2(ranks_t *r, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&r->of->nest, name, x, y);
}
static MlirValue op2_of(ranks_t *r, const char *name, MlirValue x, int64_t y) { return op2(r, name, x, number(r, y)); }
static MlirValue is_less(ranks_t *r, MlirValue x, MlirValue y) { return strata__compare(&r->of->nest, "slt", x, y); }

static MlirValue load(ranks_t *r, const strata__tensor_t *tensor, MlirValue at) {
  MlirValue point[STRATA_MAX_RANK];
  for (int i = 0; i < tensor->rank; i++)
    point[i] = i == r->of->axis ? at : r->of->nest.dims[i];
  return strata__load_at(&r->of->nest, tensor, point);
}

static void store(ranks_t *r, const strata__tensor_t *tensor, MlirValue at, MlirValue value) {
  MlirValue point[STRATA_MAX_RANK];
  for (int i = 0; i < tensor->rank; i++)
    point[i] = i == r->of->axis ? at : r->of->nest.dims[i];
  strata__store_at(&r->of->nest, tensor, point, value);
}

// What of |keys| is at |at|, in math form.
static MlirValue load_key(ranks_t *r, const strata__tensor_t *keys, MlirValue at) {
  return strata__to_math(&r->of->nest, keys->type, load(r, keys, at));
}

// Whether |other| comes before |own|; of equal elements the one that is in front.
static MlirValue comes_first(ranks_t *r, MlirValue other, MlirValue own, MlirValue is_in_front) {
  MlirValue no = strata__int_constant(&r->of->nest, mlirIntegerTypeGet(r->lowering->context, 1), 0);
  MlirValue not_behind = strata__compare(&r->of->nest, "eq", strata__sort_is_before(r->of, own, other), no);
  return strata__select(&r->of->nest, is_in_front, not_behind, strata__sort_is_before(r->of, other, own));
}

//===-- Runs -----------------------------------------------------------------------------------------------------===//

static strata__tensor_t scratch(ranks_t *r, strata_type_t type, strata_size_t length) {
  const strata__tensor_t *like = r->of->operand;
  strata_size_t *sizes = strata_arena_array(r->lowering->compile->arena, strata_size_t, STRATA_MAX_RANK);
  memcpy(sizes, like->sizes, (size_t)like->rank * sizeof *sizes);
  sizes[r->of->axis] = length;
  strata__tensor_t tensor = {.type = type, .rank = like->rank, .sizes = sizes};
  strata__place_anywhere(r->lowering, &tensor, mlirOperationGetLocation(r->op));
  return tensor;
}

// Where runs of |span| elements go: to the results, if they are whole rows.
static runs_t new_runs(ranks_t *r, int64_t span) {
  strata_size_t length = r->of->length;
  runs_t runs = {.span = span, .stride = strata_min(span, r->kept), .has_positions = r->has_positions};
  if (span >= strata_size_max(length)) {
    runs.has_keys = r->of->values->is_live;
    runs.keys = *r->of->values;
    runs.positions = r->of->positions;
    return runs;
  }
  if (runs.stride < span)
    length = strata_size_product(strata_size_ceil_div(length, span), strata_size_constant(runs.stride));
  runs.has_keys = true;
  runs.keys = scratch(r, r->of->operand->type, length);
  if (runs.has_positions)
    runs.positions = scratch(r, strata_size_max(length) <= INT32_MAX ? STRATA_TYPE_I32 : STRATA_TYPE_I64, length);
  return runs;
}

// How many elements run |run| has, of those that are kept.
static MlirValue length_of(ranks_t *r, const runs_t *runs, MlirValue run) {
  MlirValue length = strata__size(&r->of->nest, r->of->length);
  MlirValue left = op2(r, "arith.subi", length, op2_of(r, "arith.muli", run, runs->span));
  return op2_of(r, "arith.maxsi", op2_of(r, "arith.minsi", left, runs->stride), 0);
}

// The element |key|, which was at |position| of the row, is number |rank| of run |run|.
static void store_ranked(ranks_t *r, const runs_t *runs, MlirValue run, MlirValue rank, MlirValue key,
                         MlirValue position) {
  strata__nest_t *nest = &r->of->nest;
  MlirValue is_kept = runs->stride < runs->span ? is_less(r, rank, number(r, runs->stride)) : (MlirValue){0};
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_kept);
  MlirValue at = op2(r, "arith.addi", op2_of(r, "arith.muli", run, runs->stride), rank);
  if (runs->has_keys)
    store(r, &runs->keys, at, key);
  if (runs->has_positions) {
    MlirType type = mlirIntegerTypeGet(r->lowering->context, runs->positions.type == STRATA_TYPE_I32 ? 32 : 64);
    store(r, &runs->positions, at, strata__cast(nest, "arith.index_cast", position, type));
  }
  strata_emit_if_end(&nest->e, branch);
}

// A nest of the elements of |keys|; *out_at gets the place along the axis.
static void begin(ranks_t *r, const char *name, const strata__tensor_t *keys, MlirValue *out_at) {
  strata__nest_begin(r->lowering, &r->of->nest, r->op, name, keys->rank, keys->sizes);
  r->of->nest.is_serial = true;
  *out_at = r->of->nest.dims[r->of->axis];
}

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

static runs_t sort_tiles(ranks_t *r) {
  strata__nest_t *nest = &r->of->nest;
  runs_t to = new_runs(r, TILE);
  MlirValue at, before, rank;
  begin(r, "sort_tiles", r->of->operand, &at);
  MlirValue tile = op2_of(r, "arith.divui", at, TILE), zero = number(r, 0);
  MlirValue first = op2_of(r, "arith.muli", tile, TILE);
  MlirValue end = op2(r, "arith.minsi", op2_of(r, "arith.addi", first, TILE), strata__size(nest, r->of->length));
  MlirValue raw = load(r, r->of->operand, at), own = strata__to_math(nest, r->of->operand->type, raw);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, first, end, 1, 1, &zero, &before);
  MlirValue other = load_key(r, r->of->operand, loop.induction);
  MlirValue is_first = comes_first(r, other, own, is_less(r, loop.induction, at));
  MlirValue next = strata__select(nest, is_first, op2_of(r, "arith.addi", before, 1), before);
  strata_emit_for_end(&nest->e, loop, 1, &next, &rank);
  store_ranked(r, &to, tile, rank, raw, at);
  strata__nest_end(nest);
  return to;
}

//===-- Merges ---------------------------------------------------------------------------------------------------===//

// A run beside an element's own.
typedef struct {
  MlirValue first, length, is_in_front;
} neighbour_t;

static neighbour_t neighbour_of(ranks_t *r, const runs_t *from, MlirValue run, int distance) {
  MlirValue group = op2_of(r, "arith.divui", run, WAYS), way = op2_of(r, "arith.remui", run, WAYS);
  MlirValue other_way = op2_of(r, "arith.remui", op2_of(r, "arith.addi", way, distance), WAYS);
  MlirValue other = op2(r, "arith.addi", op2_of(r, "arith.muli", group, WAYS), other_way);
  neighbour_t n = {.length = length_of(r, from, other), .is_in_front = is_less(r, other_way, way)};
  // One without elements begins beyond the buffer's end: its reads are of the element's own run.
  MlirValue read = strata__select(&r->of->nest, is_less(r, number(r, 0), n.length), other, run);
  n.first = op2_of(r, "arith.muli", read, from->stride);
  return n;
}

// One step of a bisection: whether the first |found| + |step| elements of |n| all come before |own|.
static MlirValue search_step(ranks_t *r, const runs_t *from, const neighbour_t *n, MlirValue own, MlirValue step,
                             MlirValue found) {
  MlirValue next = op2(r, "arith.addi", found, step), last = op2_of(r, "arith.subi", next, 1);
  MlirValue is_inside = strata__compare(&r->of->nest, "sle", next, n->length);
  MlirValue at = op2(r, "arith.addi", n->first, strata__select(&r->of->nest, is_inside, last, number(r, 0)));
  MlirValue is_first = comes_first(r, load_key(r, &from->keys, at), own, n->is_in_front);
  return strata__select(&r->of->nest, op2(r, "arith.andi", is_inside, is_first), next, found);
}

// How many elements of the runs beside its own come before |own|. The searches do not wait for one another.
static MlirValue count_beside(ranks_t *r, const runs_t *from, MlirValue run, MlirValue own) {
  strata_emitter_t *e = &r->of->nest.e;
  neighbour_t beside[WAYS - 1];
  MlirValue found[WAYS - 1], results[WAYS - 1], sum = number(r, 0);
  int64_t steps = 1;
  for (int i = 0; i < WAYS - 1; i++) {
    beside[i] = neighbour_of(r, from, run, i + 1);
    results[i] = sum;
  }
  while ((int64_t)1 << steps <= from->stride)
    steps++;
  MlirValue largest = number(r, (int64_t)1 << (steps - 1));
  strata_loop_t loop = strata_emit_for_begin(e, sum, number(r, steps), 1, WAYS - 1, results, found);
  MlirValue step = op2(r, "arith.shrui", largest, loop.induction);
  for (int i = 0; i < WAYS - 1; i++)
    found[i] = search_step(r, from, &beside[i], own, step, found[i]);
  strata_emit_for_end(e, loop, WAYS - 1, found, results);
  for (int i = 0; i < WAYS - 1; i++)
    sum = op2(r, "arith.addi", sum, results[i]);
  return sum;
}

static runs_t merge_runs(ranks_t *r, const runs_t *from) {
  strata__nest_t *nest = &r->of->nest;
  runs_t to = new_runs(r, from->span * WAYS);
  MlirValue at, position = {0};
  begin(r, "sort_merge", &from->keys, &at);
  MlirValue run = op2_of(r, "arith.divui", at, from->stride), own_rank = op2_of(r, "arith.remui", at, from->stride);
  // Of the last run there may be less than there is room for.
  MlirValue exists = from->stride < from->span ? is_less(r, own_rank, length_of(r, from, run)) : (MlirValue){0};
  strata_loop_t branch = strata_emit_if_begin(&nest->e, exists);
  MlirValue raw = load(r, &from->keys, at), own = strata__to_math(nest, from->keys.type, raw);
  MlirValue rank = op2(r, "arith.addi", own_rank, count_beside(r, from, run, own));
  if (from->has_positions)
    position =
        strata__cast(nest, "arith.index_cast", load(r, &from->positions, at), mlirIndexTypeGet(r->lowering->context));
  store_ranked(r, &to, op2_of(r, "arith.divui", run, WAYS), rank, raw, position);
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
  return to;
}

//===-- The sort -------------------------------------------------------------------------------------------------===//

// How many of the first elements of each row the readers of |result| read.
static int64_t count_read(const ranks_t *r, MlirValue result) {
  int64_t count = 0, all = strata_size_max(r->of->length), steps[STRATA_MAX_RANK], start, size;
  strata_size_t starts[STRATA_MAX_RANK];
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (!strata_op_is(reader, "strata.slice"))
      return all;
    strata__dims_attr(r->lowering, reader, "starts", starts);
    strata_attr_i64s(reader, "steps", STRATA_MAX_RANK, steps);
    if (!strata_size_is_constant(starts[r->of->axis], &start) ||
        !strata_size_is_constant(strata__result(r->lowering, reader, 0)->sizes[r->of->axis], &size))
      return all;
    count = strata_max(count, start + 1 + (steps[r->of->axis] > 0 ? (size - 1) * steps[r->of->axis] : 0));
  }
  return strata_max(strata_min(count, all), 1);
}

void strata__sort_by_ranks(strata__lowering_t *l, strata__sort_t *s, MlirOperation op) {
  ranks_t r = {.of = s, .lowering = l, .op = op, .has_positions = strata__result(l, op, 1)->is_live};
  r.kept = strata_max(count_read(&r, mlirOperationGetResult(op, 0)), count_read(&r, mlirOperationGetResult(op, 1)));
  runs_t runs = sort_tiles(&r);
  while (runs.span < strata_size_max(s->length))
    runs = merge_runs(&r, &runs);
}
