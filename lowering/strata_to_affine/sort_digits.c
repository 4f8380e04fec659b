// Stable sorting along an axis by digits, from the lowest on (dialects/digit.h). On a GPU rows are cut into parts, a
// block's each, and a digit takes three launches; on a cpu a task has a row, and digits are wider.
//
//   affine.parallel (%row, %part) { %k of the part: counts[%row, digit of x[%row, %k], %part] += 1 }
//   affine.parallel (%row, %digit) {
//     counts[%row, %digit, %part] = those of the parts in front    totals[%row, %digit] = all }
//   affine.parallel (%row, %part) {
//     counts[%row, %digit, %part] += totals[%row, lower digits]
//     %k of the part: %at = counts[%row, digit of x[%row, %k], %part]++    y[%row, %at] = x[%row, %k] }
//
// Elements go from buffer to buffer as they are, with their places in the row. The number of parts is known, whatever
// the rows' length is; some have no elements. Where it is one, its counts are the totals.
#include "dialects/integers.h"
#include "lowering/expand/digit.h"
#include "lowering/strata_to_affine/lanes.h"
#include "lowering/strata_to_affine/sort.h"
#include "passes/target.h"

enum {
  BITS = 8, // of a digit, one of a thread of a block,
  BITS_OF_LONG = 11,
  LONG = 4096, // and of so many elements on a cpu: its first-level cache has their counts
  PART = 4096,
  MOST_PARTS = 512,
  PARTS_MULTIPLE = 4
};

typedef struct {
  strata__sort_t *of;
  strata__lowering_t *lowering;
  MlirOperation op;
  strata_sort_digit_t digit;
  int64_t n_digits, parts;
  strata_size_t part;              // elements of a part
  strata__tensor_t counts, totals; // [rows..., digits, parts], [rows..., digits]
} digits_t;

// What a pass reads and stores; NULL: nothing.
typedef struct {
  const strata__tensor_t *keys, *positions;
} elements_t;

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static MlirType int_type(const digits_t *s, unsigned bits) { return mlirIntegerTypeGet(s->lowering->context, bits); }
static MlirValue number(digits_t *s, int64_t value) { return strata_emit_index(&s->of->nest.e, value); }
static MlirValue integer(digits_t *s, int64_t value) {
  return strata__int_constant(&s->of->nest, int_type(s, 32), value);
}
static MlirValue op2(digits_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->of->nest, name, x, y);
}
static MlirValue cast(digits_t *s, MlirValue x, MlirType type) {
  return strata__cast(&s->of->nest, "arith.index_cast", x, type);
}

// A nest's first dims are the rows'. The place of element |at| of a row.
static void point_of(const digits_t *s, MlirValue at, MlirValue *out) {
  for (int i = 0; i < s->of->operand->rank; i++)
    out[i] = i == s->of->axis ? at : s->of->nest.dims[i < s->of->axis ? i : i - 1];
}

static MlirValue load_element(digits_t *s, const strata__tensor_t *from, MlirValue at) {
  MlirValue point[STRATA_MAX_RANK];
  point_of(s, at, point);
  return strata__load_at(&s->of->nest, from, point);
}

static void store_element(digits_t *s, const strata__tensor_t *to, MlirValue at, MlirValue value) {
  MlirValue point[STRATA_MAX_RANK];
  point_of(s, at, point);
  strata__store_at(&s->of->nest, to, point, value);
}

// The place of |digit| in counts, or in totals.
static const MlirValue *count_point(const digits_t *s, MlirValue digit, MlirValue *out) {
  int rows = s->of->operand->rank - 1;
  for (int i = 0; i < rows; i++)
    out[i] = s->of->nest.dims[i];
  out[rows] = digit;
  out[rows + 1] = s->of->nest.dims[rows];
  return out;
}

static MlirValue load_count(digits_t *s, const strata__tensor_t *from, MlirValue digit) {
  MlirValue point[STRATA_MAX_RANK];
  return strata__load_at(&s->of->nest, from, count_point(s, digit, point));
}

static void store_count(digits_t *s, MlirValue digit, MlirValue count) {
  MlirValue point[STRATA_MAX_RANK];
  strata__store_at(&s->of->nest, &s->counts, count_point(s, digit, point), count);
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

static void begin(digits_t *s, const char *name) {
  strata_size_t sizes[STRATA_MAX_RANK];
  int rank = s->of->operand->rank;
  for (int i = 0; i < rank - 1; i++)
    sizes[i] = s->of->operand->sizes[i < s->of->axis ? i : i + 1];
  sizes[rank - 1] = strata_size_constant(s->parts);
  strata__nest_begin(s->lowering, &s->of->nest, s->op, name, rank, sizes);
  s->of->nest.is_serial = true;
}

static strata_loop_t digits_begin(digits_t *s, int n, MlirValue *inits, MlirValue *out_args) {
  return strata_emit_for_begin(&s->of->nest.e, number(s, 0), number(s, s->n_digits), 1, n, inits, out_args);
}

// The loop over a part's elements.
static strata_loop_t elements_begin(digits_t *s) {
  strata__nest_t *nest = &s->of->nest;
  MlirValue first = number(s, 0), end = strata__size(nest, s->of->length);
  if (s->parts > 1) {
    MlirAffineExpr part = strata__dim(nest, s->of->operand->rank - 1),
                   size = strata_size_expr(s->lowering->context, s->part);
    first = strata__index_of(nest, mlirAffineMulExprGet(part, size));
    end = op2(s, "arith.minsi", strata__index_of(nest, strata__plus(nest, mlirAffineMulExprGet(part, size), s->part)),
              end);
  }
  strata_loop_t loop = strata_emit_for_begin(&nest->e, first, end, 1, 0, NULL, NULL);
  strata_set_attr(loop.op, STRATA_DIGIT, strata_digit_attr(s->lowering->context, &s->digit));
  return loop;
}

static void count_digits(digits_t *s, const elements_t *from) {
  strata_emitter_t *e = &s->of->nest.e;
  begin(s, "sort_count");
  strata_loop_t clear = digits_begin(s, 0, NULL, NULL);
  store_count(s, clear.induction, integer(s, 0));
  strata_emit_for_end(e, clear, 0, NULL, NULL);
  strata_loop_t loop = elements_begin(s);
  MlirValue key = load_element(s, from->keys, loop.induction);
  MlirValue digit = cast(s, strata_emit_digit(e, key, &s->digit), mlirIndexTypeGet(e->context));
  store_count(s, digit, op2(s, "arith.addi", load_count(s, &s->counts, digit), integer(s, 1)));
  strata_emit_for_end(e, loop, 0, NULL, NULL);
  strata__nest_end(&s->of->nest);
}

static void sum_parts(digits_t *s) {
  strata__nest_t *nest = &s->of->nest;
  strata__lines_begin(s->lowering, nest, s->op, "sort_offsets", &s->counts, 0);
  MlirValue so_far = integer(s, 0), before;
  strata_loop_t loop = strata__lanes_begin(nest, s->parts, &so_far, &before);
  MlirValue own = strata__line_load(nest, &s->counts, loop.induction);
  MlirValue after = op2(s, "arith.addi", before, own);
  strata__line_store(nest, &s->counts, loop.induction, before);
  strata_emit_for_end(&nest->e, loop, 1, &after, &so_far);
  strata__store_at(nest, &s->totals, nest->dims, so_far);
  strata__nest_end(nest);
}

// Where the part's elements with each digit begin.
static void find_starts(digits_t *s) {
  MlirValue sum = integer(s, 0), so_far;
  strata_loop_t loop = digits_begin(s, 1, &sum, &so_far);
  MlirValue total = load_count(s, s->parts > 1 ? &s->totals : &s->counts, loop.induction), start = so_far;
  if (s->parts > 1)
    start = op2(s, "arith.addi", start, load_count(s, &s->counts, loop.induction));
  store_count(s, loop.induction, start);
  MlirValue next = op2(s, "arith.addi", so_far, total);
  strata_emit_for_end(&s->of->nest.e, loop, 1, &next, &sum);
}

static void place_elements(digits_t *s, const elements_t *from, const elements_t *to) {
  strata_emitter_t *e = &s->of->nest.e;
  begin(s, "sort_place");
  MlirType index = mlirIndexTypeGet(e->context);
  find_starts(s);
  strata_loop_t loop = elements_begin(s);
  MlirValue key = load_element(s, from->keys, loop.induction);
  MlirValue digit = cast(s, strata_emit_digit(e, key, &s->digit), index);
  MlirValue count = load_count(s, &s->counts, digit), at = cast(s, count, index);
  store_count(s, digit, op2(s, "arith.addi", count, integer(s, 1)));
  if (to->keys)
    store_element(s, to->keys, at, key);
  if (to->positions) {
    unsigned bits = to->positions->type == STRATA_TYPE_I32 ? 32 : 64;
    MlirValue position =
        from->positions ? cast(s, load_element(s, from->positions, loop.induction), index) : loop.induction;
    store_element(s, to->positions, at, cast(s, position, int_type(s, bits)));
  }
  strata_emit_for_end(e, loop, 0, NULL, NULL);
  strata__nest_end(&s->of->nest);
}

//===-- The sort -------------------------------------------------------------------------------------------------===//

static strata__tensor_t scratch(digits_t *s, strata_type_t type, int rank, const strata_size_t *sizes) {
  strata_size_t *copies = strata_arena_array(s->lowering->compile->arena, strata_size_t, STRATA_MAX_RANK);
  memcpy(copies, sizes, (size_t)rank * sizeof *copies);
  strata__tensor_t tensor = {.type = type, .rank = rank, .sizes = copies};
  strata__place_anywhere(s->lowering, &tensor, mlirOperationGetLocation(s->op));
  return tensor;
}

static void make_counts(digits_t *s) {
  strata_size_t sizes[STRATA_MAX_RANK];
  int rank = s->of->operand->rank;
  for (int i = 0; i < rank - 1; i++)
    sizes[i] = s->of->operand->sizes[i < s->of->axis ? i : i + 1];
  sizes[rank - 1] = strata_size_constant(s->n_digits);
  sizes[rank] = strata_size_constant(s->parts);
  s->counts = scratch(s, STRATA_TYPE_I32, rank + 1, sizes);
  if (s->parts > 1)
    s->totals = scratch(s, STRATA_TYPE_I32, rank, sizes);
}

static int64_t parts_of(int64_t length) {
  int64_t parts = strata_min(strata_ceil_div(length, PART), MOST_PARTS);
  return parts > 1 ? strata_round_up(parts, PARTS_MULTIPLE) : 1; // a thread loads several counts at once
}

static int bits_of(const strata__sort_t *s) { return strata_type_info[s->operand->type].bits; }

// Elements whose bits have an order.
bool strata__sort_has_digits(const strata__sort_t *s) {
  strata_type_t type = s->operand->type;
  return s->operand->buffer && strata_type_info[type].computes && type != STRATA_TYPE_I1 &&
         s->operand->rank < STRATA_MAX_RANK && strata_size_max(s->length) <= INT32_MAX;
}

// Digits of about equal length, of |most| bits.
static int64_t passes_of(const strata__sort_t *s, int64_t most) { return strata_ceil_div(bits_of(s), most); }

void strata__sort_by_digits(strata__lowering_t *l, strata__sort_t *of, MlirOperation op) {
  const strata__tensor_t *operand = of->operand;
  bool is_gpu = strata_target_is_gpu(l->compile), has_positions = strata__result(l, op, 1)->is_live;
  bool is_long = !is_gpu && strata_size_likely(&l->symbols, of->length) >= LONG;
  int64_t passes = passes_of(of, is_long ? BITS_OF_LONG : BITS), bits = strata_ceil_div(bits_of(of), passes);
  digits_t s = {.of = of, .lowering = l, .op = op, .n_digits = INT64_C(1) << bits};
  s.parts = is_gpu ? parts_of(strata_size_max(of->length)) : 1;
  strata__tensor_t keys[2], positions[2];
  s.digit = (strata_sort_digit_t){.descending = of->descending, .is_unsigned = of->is_unsigned};
  s.part = strata_size_product(strata_size_ceil_div(of->length, s.parts * PART), strata_size_constant(PART));
  make_counts(&s);
  for (int64_t i = 0; i < strata_min(passes - 1, 2); i++) {
    keys[i] = scratch(&s, operand->type, operand->rank, operand->sizes);
    positions[i] = has_positions ? scratch(&s, STRATA_TYPE_I32, operand->rank, operand->sizes) : keys[i];
  }
  elements_t from = {.keys = operand};
  for (int64_t pass = 0; pass < passes; pass++) {
    bool is_last = pass == passes - 1;
    elements_t to = {.keys = is_last ? of->values : &keys[pass % 2],
                     .positions = is_last ? &of->positions : &positions[pass % 2]};
    if (is_last && !of->values->is_live)
      to.keys = NULL;
    if (!has_positions)
      to.positions = NULL;
    s.digit.shift = pass * bits;
    s.digit.bits = strata_min(bits, bits_of(of) - s.digit.shift);
    count_digits(&s, &from);
    if (s.parts > 1)
      sum_parts(&s);
    place_elements(&s, &from, &to);
    from = to;
  }
}

double strata__sort_digits_seconds(const strata__lowering_t *l, const strata__sort_t *s,
                                   const strata_sort_costs_t *costs) {
  if (!strata__sort_has_digits(s))
    return -1;
  int64_t parts = parts_of(strata_size_likely(&l->symbols, s->length)), launches = parts > 1 ? 3 : 2;
  int64_t tiles = strata_ceil_div(strata_size_likely(&l->symbols, s->length), parts * PART);
  double elements = (double)(parts * tiles * PART);
  for (int i = 0; i < s->operand->rank; i++)
    if (i != s->axis)
      elements *= (double)strata_size_likely(&l->symbols, s->operand->sizes[i]);
  double of_digit = (double)launches * costs->digit_launch_seconds + elements * costs->digit_seconds;
  return (double)passes_of(s, BITS) * of_digit;
}
