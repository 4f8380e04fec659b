// Stable sorting along an axis: a bottom-up merge sort of the positions, one task a row, then a gather of the values.
//
//   affine.parallel (%row) {
//     affine.for %i { positions[%row, %i] = %i }
//     affine.for %level = 0 to ceil(log2(n)) {                       // runs of 1 << level are sorted
//       scf.for %run = 0 to ceil(n / (2 << level)) { merge two runs of positions into scratch }
//       affine.for %i { positions[%row, %i] = scratch[%row, %i] } }
//     affine.for %i { values[%row, %i] = x[%row, positions[%row, %i]] }
//   } {strata.nest = "sort", strata.serial}
#include "lowering/strata_to_affine/sort.h"

#include "passes/target.h"

// From so many elements on digits are faster.
enum { MANY = 128 };

typedef struct {
  strata__sort_t of;
  strata__tensor_t scratch;
} sort_t;

static MlirType i64_type(const sort_t *s) { return mlirIntegerTypeGet(s->of.nest.lowering->context, 64); }
static MlirValue index_constant(sort_t *s, int64_t value) { return strata_emit_index(&s->of.nest.e, value); }

//===-- Elements of the row --------------------------------------------------------------------------------------===//

// The row is that of the parallel dims; |at| is an index along the axis.
static void row_coordinates(const sort_t *s, MlirValue at, MlirValue *out) {
  for (int i = 0; i < s->of.operand->rank; i++)
    out[i] = i == s->of.axis ? at : s->of.nest.dims[i < s->of.axis ? i : i - 1];
}

static MlirValue row_load(sort_t *s, const strata__tensor_t *tensor, MlirValue at) {
  MlirValue coordinates[STRATA_MAX_RANK];
  row_coordinates(s, at, coordinates);
  return strata__load_at(&s->of.nest, tensor, coordinates);
}

static void row_store(sort_t *s, const strata__tensor_t *tensor, MlirValue at, MlirValue value) {
  MlirValue coordinates[STRATA_MAX_RANK];
  row_coordinates(s, at, coordinates);
  strata__store_at(&s->of.nest, tensor, coordinates, value);
}

// The element that the position |at| along the axis of |positions| names.
static MlirValue load_named(sort_t *s, MlirValue position) {
  MlirValue at = strata__to_index(&s->of.nest, position);
  return strata__to_math(&s->of.nest, s->of.operand->type, row_load(s, s->of.operand, at));
}

//===-- Order ----------------------------------------------------------------------------------------------------===//

// x < y where NaN is greater than every number.
static MlirValue is_less(strata__sort_t *s, MlirValue x, MlirValue y) {
  strata__nest_t *nest = &s->nest;
  if (!mlirTypeIsAFloat(mlirValueGetType(x)))
    return strata__compare(nest, s->is_unsigned ? "ult" : "slt", x, y);
  MlirValue only_y_nan =
      strata__binary(nest, "arith.andi", strata__compare(nest, "uno", y, y), strata__compare(nest, "ord", x, x));
  return strata__binary(nest, "arith.ori", strata__compare(nest, "olt", x, y), only_y_nan);
}

MlirValue strata__sort_is_before(strata__sort_t *s, MlirValue x, MlirValue y) {
  return s->descending ? is_less(s, y, x) : is_less(s, x, y);
}

static MlirValue last_of(sort_t *s) {
  return strata__index_of(&s->of.nest, strata__plus(&s->of.nest, strata__constant(&s->of.nest, -1), s->of.length));
}

//===-- Merging --------------------------------------------------------------------------------------------------===//

// One step of a merge: the next of the runs [left, middle) and [right, end) goes to scratch[to]. Reads past a run are
// clamped and their result not used.
static void merge_step(sort_t *s, MlirValue to, MlirValue middle, MlirValue end, MlirValue *left, MlirValue *right) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue last = last_of(s), one = index_constant(s, 1);
  MlirValue left_position = row_load(s, &s->of.positions, strata__binary(nest, "arith.minsi", *left, last));
  MlirValue right_position = row_load(s, &s->of.positions, strata__binary(nest, "arith.minsi", *right, last));
  MlirValue right_first = strata__sort_is_before(&s->of, load_named(s, right_position), load_named(s, left_position));
  MlirValue left_over = strata__compare(nest, "sge", *left, middle);
  MlirValue right_left = strata__compare(nest, "slt", *right, end);
  MlirValue take_right =
      strata__binary(nest, "arith.andi", right_left, strata__binary(nest, "arith.ori", left_over, right_first));
  row_store(s, &s->scratch, to, strata__select(nest, take_right, right_position, left_position));
  MlirValue next_left = strata__binary(nest, "arith.addi", *left, one);
  MlirValue next_right = strata__binary(nest, "arith.addi", *right, one);
  *left = strata__select(nest, take_right, *left, next_left);
  *right = strata__select(nest, take_right, next_right, *right);
}

// Merges the runs of |width| that start at |start|.
static void merge_runs(sort_t *s, MlirValue start, MlirValue width) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue length = strata__size(nest, s->of.length), carried[2], results[2];
  MlirValue middle = strata__binary(nest, "arith.minsi", strata__binary(nest, "arith.addi", start, width), length);
  MlirValue end = strata__binary(nest, "arith.minsi", strata__binary(nest, "arith.addi", middle, width), length);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, start, end, 1, 2, (MlirValue[]){start, middle}, carried);
  merge_step(s, loop.induction, middle, end, &carried[0], &carried[1]);
  strata_emit_for_end(&nest->e, loop, 2, carried, results);
}

//===-- The sort -------------------------------------------------------------------------------------------------===//

static strata__loop_t each_begin(sort_t *s, MlirValue *out_at) {
  strata__loop_t loop = strata__for_begin(&s->of.nest, s->of.length, 0, NULL, NULL);
  *out_at = s->of.nest.dims[s->of.nest.n_dims - 1];
  return loop;
}

static void number_positions(sort_t *s) {
  MlirValue at;
  strata__loop_t loop = each_begin(s, &at);
  row_store(s, &s->of.positions, at, strata__cast(&s->of.nest, "arith.index_cast", at, i64_type(s)));
  strata__for_end(&s->of.nest, loop, 0, NULL, NULL);
}

static void copy_back(sort_t *s) {
  MlirValue at;
  strata__loop_t loop = each_begin(s, &at);
  row_store(s, &s->of.positions, at, row_load(s, &s->scratch, at));
  strata__for_end(&s->of.nest, loop, 0, NULL, NULL);
}

// The loop over the levels: as many as it takes for a run of one element to become the whole row.
typedef struct {
  bool varies;
  strata__loop_t known;
  strata_loop_t found;
  MlirValue level;
} level_t;

static level_t level_begin(sort_t *s) {
  strata__nest_t *nest = &s->of.nest;
  level_t loop = {0};
  int64_t length, levels = 0;
  if (strata_size_is_constant(s->of.length, &length)) {
    while ((int64_t)1 << levels < length)
      levels++;
    loop.known = strata__for_begin(nest, strata_size_constant(levels), 0, NULL, NULL);
    loop.level = nest->dims[nest->n_dims - 1];
    return loop;
  }
  MlirValue last = strata__cast(nest, "arith.index_cast", last_of(s), i64_type(s));
  MlirValue zeros = strata__unary(nest, "math.ctlz", last);
  MlirValue count = strata__binary(nest, "arith.subi", strata__int_constant(nest, i64_type(s), 64), zeros);
  count = strata__to_index(nest, count);
  loop.varies = true;
  loop.found = strata_emit_for_begin(&nest->e, index_constant(s, 0), count, 1, 0, NULL, NULL);
  loop.level = loop.found.induction;
  return loop;
}

static void level_end(sort_t *s, level_t loop) {
  if (loop.varies)
    strata_emit_for_end(&s->of.nest.e, loop.found, 0, NULL, NULL);
  else
    strata__for_end(&s->of.nest, loop.known, 0, NULL, NULL);
}

static void sort_positions(sort_t *s) {
  strata__nest_t *nest = &s->of.nest;
  if (strata_size_max(s->of.length) <= 1)
    return;
  level_t by_level = level_begin(s);
  MlirValue level = by_level.level, one = index_constant(s, 1);
  MlirValue width = strata__binary(nest, "arith.shli", one, level);
  MlirValue twice = strata__binary(nest, "arith.shli", width, one);
  MlirValue n_runs = strata__binary(nest, "arith.ceildivsi", strata__size(nest, s->of.length), twice);
  strata_loop_t by_run = strata_emit_for_begin(&nest->e, index_constant(s, 0), n_runs, 1, 0, NULL, NULL);
  merge_runs(s, strata__binary(nest, "arith.muli", by_run.induction, twice), width);
  strata_emit_for_end(&nest->e, by_run, 0, NULL, NULL);
  copy_back(s);
  level_end(s, by_level);
}

static void gather_values(sort_t *s) {
  MlirValue at;
  strata__loop_t loop = each_begin(s, &at);
  MlirValue position = row_load(s, &s->of.positions, at);
  MlirValue from = strata__to_index(&s->of.nest, position);
  row_store(s, s->of.values, at, row_load(s, s->of.operand, from));
  strata__for_end(&s->of.nest, loop, 0, NULL, NULL);
}

static strata__tensor_t like(strata__lowering_t *l, const strata__tensor_t *tensor, MlirLocation location) {
  strata__tensor_t copy = *tensor;
  copy.buffer = NULL;
  strata__place_anywhere(l, &copy, location);
  return copy;
}

static void sort_by_merging(strata__lowering_t *l, const strata__sort_t *of, MlirOperation op) {
  strata_size_t others[STRATA_MAX_RANK];
  sort_t s = {.of = *of};
  s.scratch = like(l, &s.of.positions, mlirOperationGetLocation(op));
  for (int i = 0; i < of->operand->rank - 1; i++)
    others[i] = of->operand->sizes[i < of->axis ? i : i + 1];
  strata__nest_begin(l, &s.of.nest, op, "sort", of->operand->rank - 1, others);
  s.of.nest.is_serial = true;
  number_positions(&s);
  sort_positions(&s);
  if (of->values->is_live)
    gather_values(&s);
  strata__nest_end(&s.of.nest);
}

// No memory has a longer row, whatever its size is made of.
#define MOST_ELEMENTS (INT64_C(1) << 41)

strata_status_t strata__lower_sort(strata__lowering_t *l, MlirOperation op) {
  strata__sort_t s = {.operand = strata__operand(l, op, 0), .values = strata__result(l, op, 0)};
  s.axis = (int)strata_attr_i64(op, "axis", 0);
  s.length = s.operand->sizes[s.axis];
  s.length.max = strata_min(s.length.max, MOST_ELEMENTS);
  s.descending = strata_attr_flag(op, "descending");
  s.is_unsigned = strata_attr_flag(op, "unsigned");
  strata__place_anywhere(l, strata__result(l, op, 1), mlirOperationGetLocation(op)); // needed even if nobody reads it
  s.positions = *strata__result(l, op, 1);
  // Elements that share a byte cannot be stored by threads of their own.
  if (strata_target_is_gpu(l->compile) && s.operand->type != STRATA_TYPE_I4)
    return strata__sort_on_gpu(l, &s, op);
  if (strata_size_likely(&l->symbols, s.length) >= MANY && strata__sort_has_digits(&s))
    strata__sort_by_digits(l, &s, op);
  else
    sort_by_merging(l, &s, op);
  return NULL;
}
