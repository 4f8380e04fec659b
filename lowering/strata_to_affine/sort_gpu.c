// Stable sorting along an axis on a GPU: every element has a thread, which counts what comes before it, and stores it
// there. First tiles are sorted so, element by element; then WAYS sorted runs become one, again and again, where the
// number of what comes before is found in each run by bisection.
//
//   affine.parallel (%row, %i) { keys[%row, %i] = what x[%row, %i] is in the order, and %i }
//   affine.parallel (%row, %i) { elements of its tile are compared: runs[%row, place] = keys[%row, %i] }
//   affine.parallel (%row, %i) { element %i of its run is at %i + those of the runs beside it that come before } ...
//
// A key is an i64: above, the element as an integer that has its order; below, its place. So no two are equal, and the
// values are read again when they are in order. Elements of 64 bits are compared as they are, beside their places, as
// are those of rows of one tile, which are sorted in one step.
//
// Of a row of which no more than the first |kept| elements are read, as a TopK's, a run keeps no more of its own: all
// merges but the first few have little to do.
#include "lowering/strata_to_affine/sort.h"

#include "passes/target.h"

enum { TILE = 64, WAYS = 4, MAX_PLACES = 1 << 30 };

// Sorted runs of each row, one behind the other: of |span| elements of the row, of which the first |stride| are kept.
typedef struct {
  strata__tensor_t keys, positions; // keys, or elements and their places
  bool has_keys, has_positions, is_result;
  int64_t span, stride;
} runs_t;

typedef struct {
  strata__sort_t *of;
  strata__lowering_t *lowering;
  MlirOperation op;
  int64_t kept;
  bool has_positions; // somebody reads them
  bool has_keys;      // elements are compared by keys
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

// What is compared of the element at |at| of |keys|.
static MlirValue load_key(ranks_t *r, const strata__tensor_t *keys, MlirValue at) {
  return strata__to_math(&r->of->nest, keys->type, load(r, keys, at));
}

// Whether |other| comes before |own|; of equal elements the one that is in front.
static MlirValue comes_first(ranks_t *r, MlirValue other, MlirValue own, MlirValue is_in_front) {
  if (r->has_keys)
    return is_less(r, other, own);
  MlirValue no = strata__int_constant(&r->of->nest, mlirIntegerTypeGet(r->lowering->context, 1), 0);
  MlirValue not_behind = strata__compare(&r->of->nest, "eq", strata__sort_is_before(r->of, own, other), no);
  return strata__select(&r->of->nest, is_in_front, not_behind, strata__sort_is_before(r->of, other, own));
}

//===-- Keys -----------------------------------------------------------------------------------------------------===//

static MlirType int_type(const ranks_t *r, unsigned bits) { return mlirIntegerTypeGet(r->lowering->context, bits); }
static MlirValue integer(ranks_t *r, unsigned bits, int64_t value) {
  return strata__int_constant(&r->of->nest, int_type(r, bits), value);
}

// A float as a signed integer with its order, NaN the greatest.
static MlirValue order_of_float(ranks_t *r, MlirValue x) {
  strata__nest_t *nest = &r->of->nest;
  MlirValue bits = strata__ordered_bits(nest, x);
  return strata__select(nest, strata__compare(nest, "uno", x, x), integer(r, 32, INT32_MAX), bits);
}

// Unsigned integers of 32 bits have the order of signed ones with the other sign.
static MlirValue order_of_integer(ranks_t *r, MlirValue x) {
  bool is_wide = mlirIntegerTypeGetWidth(mlirValueGetType(x)) == 32;
  return r->of->is_unsigned && is_wide ? op2(r, "arith.xori", x, integer(r, 32, INT32_MIN)) : x;
}

static MlirValue key_of(ranks_t *r, MlirValue x, MlirValue place) {
  strata__nest_t *nest = &r->of->nest;
  MlirType i64 = int_type(r, 64);
  MlirValue order = mlirTypeIsAFloat(mlirValueGetType(x)) ? order_of_float(r, x) : order_of_integer(r, x);
  bool is_narrow = mlirIntegerTypeGetWidth(mlirValueGetType(order)) < 32;
  order = strata__cast(nest, r->of->is_unsigned && is_narrow ? "arith.extui" : "arith.extsi", order, i64);
  if (r->of->descending)
    order = op2(r, "arith.xori", order, integer(r, 64, -1));
  return op2(r, "arith.ori", op2(r, "arith.shli", order, integer(r, 64, 32)),
             strata__cast(nest, "arith.index_cast", place, i64));
}

static MlirValue place_of(ranks_t *r, MlirValue key) {
  MlirValue place = op2(r, "arith.andi", key, integer(r, 64, UINT32_MAX));
  return strata__to_index(&r->of->nest, place);
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
    runs.is_result = true;
    runs.has_keys = r->of->values->is_live;
    runs.keys = *r->of->values;
    runs.positions = r->of->positions;
    return runs;
  }
  if (runs.stride < span)
    length = strata_size_product(strata_size_ceil_div(length, span), strata_size_constant(runs.stride));
  runs.has_keys = true;
  runs.has_positions &= !r->has_keys;
  runs.keys = scratch(r, r->has_keys ? STRATA_TYPE_I64 : r->of->operand->type, length);
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

// |key|, an element that was at |position| of the row, is number |rank| of run |run|.
static void store_ranked(ranks_t *r, const runs_t *runs, MlirValue run, MlirValue rank, MlirValue key,
                         MlirValue position) {
  strata__nest_t *nest = &r->of->nest;
  MlirValue is_kept = runs->stride < runs->span ? is_less(r, rank, number(r, runs->stride)) : (MlirValue){0};
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_kept);
  MlirValue at = op2(r, "arith.addi", op2_of(r, "arith.muli", run, runs->stride), rank);
  if (runs->is_result && r->has_keys)
    position = place_of(r, key);
  if (runs->has_keys)
    store(r, &runs->keys, at, runs->is_result && r->has_keys ? load(r, r->of->operand, position) : key);
  if (runs->has_positions) {
    MlirType type = int_type(r, runs->positions.type == STRATA_TYPE_I32 ? 32 : 64);
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

// What is to be sorted: the rows, or keys of them.
static strata__tensor_t make_keys(ranks_t *r) {
  MlirValue at;
  if (!r->has_keys)
    return *r->of->operand;
  strata__tensor_t keys = scratch(r, STRATA_TYPE_I64, r->of->length);
  begin(r, "sort_keys", r->of->operand, &at);
  store(r, &keys, at, key_of(r, load_key(r, r->of->operand, at), at));
  strata__nest_end(&r->of->nest);
  return keys;
}

static runs_t sort_tiles(ranks_t *r, const strata__tensor_t *from) {
  strata__nest_t *nest = &r->of->nest;
  runs_t to = new_runs(r, TILE);
  MlirValue at, before, rank;
  begin(r, "sort_tiles", from, &at);
  MlirValue tile = op2_of(r, "arith.divui", at, TILE), zero = number(r, 0);
  MlirValue first = op2_of(r, "arith.muli", tile, TILE);
  MlirValue end = op2(r, "arith.minsi", op2_of(r, "arith.addi", first, TILE), strata__size(nest, r->of->length));
  MlirValue raw = load(r, from, at), own = strata__to_math(nest, from->type, raw);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, first, end, 1, 1, &zero, &before);
  MlirValue other = load_key(r, from, loop.induction);
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

// Numbers of elements are counted in 32 bits where they fit.
static MlirType count_type(const ranks_t *r) {
  return r->has_keys ? int_type(r, 32) : mlirIndexTypeGet(r->lowering->context);
}
static MlirValue count(ranks_t *r, int64_t value) { return r->has_keys ? integer(r, 32, value) : number(r, value); }
static MlirValue count_of(ranks_t *r, MlirValue index) {
  return r->has_keys ? strata__cast(&r->of->nest, "arith.index_cast", index, count_type(r)) : index;
}
static MlirValue index_of(ranks_t *r, MlirValue count) {
  return r->has_keys ? strata__to_index(&r->of->nest, count) : count;
}

// One step of a bisection: whether the first |found| + |step| elements of |n| all come before |own|.
static MlirValue search_step(ranks_t *r, const runs_t *from, const neighbour_t *n, MlirValue own, MlirValue step,
                             MlirValue found) {
  MlirValue next = op2(r, "arith.addi", found, step), last = op2(r, "arith.subi", next, count(r, 1));
  MlirValue is_inside = strata__compare(&r->of->nest, "sle", next, n->length);
  MlirValue at = op2(r, "arith.addi", n->first, strata__select(&r->of->nest, is_inside, last, count(r, 0)));
  MlirValue is_first = comes_first(r, load_key(r, &from->keys, index_of(r, at)), own, n->is_in_front);
  return strata__select(&r->of->nest, op2(r, "arith.andi", is_inside, is_first), next, found);
}

// How many elements of the runs beside its own come before |own|. The searches do not wait for one another.
static MlirValue count_beside(ranks_t *r, const runs_t *from, MlirValue run, MlirValue own) {
  strata_emitter_t *e = &r->of->nest.e;
  neighbour_t beside[WAYS - 1];
  MlirValue found[WAYS - 1], results[WAYS - 1], sum = count(r, 0);
  int64_t steps = 1;
  for (int i = 0; i < WAYS - 1; i++) {
    beside[i] = neighbour_of(r, from, run, i + 1);
    beside[i].first = count_of(r, beside[i].first);
    beside[i].length = count_of(r, beside[i].length);
    results[i] = sum;
  }
  while ((int64_t)1 << steps <= from->stride)
    steps++;
  MlirValue largest = count(r, (int64_t)1 << (steps - 1));
  strata_loop_t loop = strata_emit_for_begin(e, number(r, 0), number(r, steps), 1, WAYS - 1, results, found);
  MlirValue step = op2(r, "arith.shrui", largest, count_of(r, loop.induction));
  for (int i = 0; i < WAYS - 1; i++)
    found[i] = search_step(r, from, &beside[i], own, step, found[i]);
  strata_emit_for_end(e, loop, WAYS - 1, found, results);
  for (int i = 0; i < WAYS - 1; i++)
    sum = op2(r, "arith.addi", sum, results[i]);
  return index_of(r, sum);
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
    position = strata__to_index(nest, load(r, &from->positions, at));
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

// Whether a key has room for an element, and rows are long enough that making them is worth it.
static bool has_keys(const strata__sort_t *s) {
  strata_type_t math = strata_type_info[s->operand->type].math_type;
  int64_t length = strata_size_max(s->length);
  return math != STRATA_TYPE_I64 && math != STRATA_TYPE_F64 && length > TILE && length <= MAX_PLACES;
}

static void sort_by_ranks(ranks_t *r) {
  strata__tensor_t keys = make_keys(r);
  runs_t runs = sort_tiles(r, &keys);
  while (runs.span < strata_size_max(r->of->length))
    runs = merge_runs(r, &runs);
}

// What that takes at likely sizes.
static double seconds_of_ranks(const ranks_t *r, const strata_sort_costs_t *costs) {
  const strata__sort_t *s = r->of;
  int64_t length = strata_size_likely(&r->lowering->symbols, s->length), launches = 1 + r->has_keys;
  double elements = 1, ranked = 1; // those that are in all steps, of each element
  for (int i = 0; i < s->operand->rank; i++)
    elements *= (double)strata_size_likely(&r->lowering->symbols, s->operand->sizes[i]);
  for (int64_t span = TILE; span < length; span *= WAYS, launches++)
    ranked += (double)strata_min(span, r->kept) / (double)span;
  double of_element = r->has_keys ? costs->merge_seconds : costs->merge_wide_seconds;
  return (double)launches * costs->merge_launch_seconds + elements * ranked * of_element;
}

strata_status_t strata__sort_on_gpu(strata__lowering_t *l, strata__sort_t *s, MlirOperation op) {
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_gpu_device(l->compile, &device));
  ranks_t r = {
      .of = s, .lowering = l, .op = op, .has_positions = strata__result(l, op, 1)->is_live, .has_keys = has_keys(s)};
  r.kept = strata_max(count_read(&r, mlirOperationGetResult(op, 0)), count_read(&r, mlirOperationGetResult(op, 1)));
  double by_digits = strata__sort_digits_seconds(l, s, &device->costs->sorts);
  if (by_digits >= 0 && by_digits < seconds_of_ranks(&r, &device->costs->sorts))
    strata__sort_by_digits(l, s, op);
  else
    sort_by_ranks(&r);
  return NULL;
}
