// The boxes of each class that score above the threshold, for the ways of a GPU (suppress_lanes.c, suppress_masks.c).
//
//   affine.parallel (%i, %c, %line) { counts boxes %line, %line + LINES, ... that score above the threshold }
//   affine.parallel (%i, %c, %line) { stores their keys and sides behind those of the lines in front }
#include "lowering/strata_to_affine/suppress.h"

#include "dialects/integers.h"

enum { LINES = 256 };

typedef struct {
  strata__suppress_t of;
  strata__collected_t boxes;
  strata__tensor_t line_counts; // boxes above the threshold of each line
} collecting_t;

//===-- Boxes above the threshold --------------------------------------------------------------------------------===//

static MlirValue load_index(collecting_t *s, const strata__tensor_t *tensor, MlirValue at) {
  return strata__to_index(&s->of.nest, strata__suppress_load(&s->of, tensor, at));
}

// The boxes of a line; |count| are above the threshold so far.
static strata_loop_t begin_line(collecting_t *s, MlirValue line, MlirValue *count, MlirValue *out_score,
                                MlirValue *out_is_above) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue end = strata__size(nest, s->of.scores->sizes[2]), first = *count;
  strata_loop_t loop = strata_emit_for_begin(&nest->e, line, end, LINES, 1, &first, count);
  *out_score = strata__to_math(nest, s->of.scores->type, strata__suppress_load(&s->of, s->of.scores, loop.induction));
  *out_is_above = strata__compare(nest, "ogt", *out_score, s->of.least);
  return loop;
}

static MlirValue end_line(collecting_t *s, strata_loop_t loop, MlirValue count, MlirValue is_above) {
  MlirValue next = strata__select(&s->of.nest, is_above, plus(&s->of, count, 1), count), result;
  strata_emit_for_end(&s->of.nest.e, loop, 1, &next, &result);
  return result;
}

static MlirValue begin_lines(strata__lowering_t *l, collecting_t *s, MlirOperation op, const char *name) {
  const strata_size_t lines = strata_size_constant(LINES);
  strata__suppress_begin(l, &s->of, op, name, &lines);
  s->of.least = strata__load(&s->of.nest, strata__operand(l, op, 3), NULL);
  return strata__index_of(&s->of.nest, strata__dim(&s->of.nest, 2));
}

static void count_lines(strata__lowering_t *l, collecting_t *s, MlirOperation op) {
  MlirValue line = begin_lines(l, s, op, "suppress_count"), count = number(&s->of, 0), score, is_above;
  strata_loop_t loop = begin_line(s, line, &count, &score, &is_above);
  count = end_line(s, loop, count, is_above);
  strata__suppress_store(&s->of, &s->line_counts, line, cast(&s->of, "arith.index_cast", count, int_type(&s->of, 32)));
  strata__nest_end(&s->of.nest);
}

// How many boxes the lines in front have, and all.
static void sum_lines(collecting_t *s, MlirValue line, MlirValue *out_before, MlirValue *out_all) {
  MlirValue sums[2] = {number(&s->of, 0), number(&s->of, 0)}, results[2];
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), number(&s->of, LINES), 1, 2,
                                             (MlirValue[]){sums[0], sums[1]}, sums);
  MlirValue count = load_index(s, &s->line_counts, loop.induction);
  MlirValue in_front = strata__select(&s->of.nest, is_less(&s->of, loop.induction, line), count, number(&s->of, 0));
  sums[0] = op2(&s->of, "arith.addi", sums[0], in_front);
  sums[1] = op2(&s->of, "arith.addi", sums[1], count);
  strata_emit_for_end(&s->of.nest.e, loop, 2, sums, results);
  *out_before = results[0];
  *out_all = results[1];
}

static void store_box(collecting_t *s, MlirValue at, MlirValue score, MlirValue place) {
  MlirValue box[STRATA__BOX_NUMBERS];
  strata__suppress_box(&s->of, place, box);
  strata__suppress_store(&s->of, &s->boxes.keys, at, strata__suppress_key(&s->of, score, place));
  for (int i = 0; i < STRATA_BOX_SIDES; i++)
    strata__store_at(&s->of.nest, &s->boxes.sides, (MlirValue[]){s->of.image, s->of.class, number(&s->of, i), at},
                     box[i]);
}

// Behind |count| keys those of none, up to a multiple of lanes.
static void fill_up(collecting_t *s, MlirValue line, MlirValue count) {
  MlirValue end =
      op2(&s->of, "arith.muli", strata__collected_chunks(&s->of, &s->boxes, count), number(&s->of, s->boxes.n_lanes));
  MlirValue first = op2(&s->of, "arith.addi", count, line);
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, first, end, LINES, 0, NULL, NULL);
  strata__suppress_store(&s->of, &s->boxes.keys, loop.induction, strata__suppress_no_key(&s->of));
  strata_emit_for_end(&s->of.nest.e, loop, 0, NULL, NULL);
}

static void collect_boxes(strata__lowering_t *l, collecting_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue line = begin_lines(l, s, op, "suppress_collect"), at, all, score, is_above;
  sum_lines(s, line, &at, &all);
  strata_loop_t loop = begin_line(s, line, &at, &score, &is_above);
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_above);
  store_box(s, at, score, loop.induction);
  strata_emit_if_end(&nest->e, branch);
  end_line(s, loop, at, is_above);
  fill_up(s, line, all);
  branch = strata_emit_if_begin(&nest->e, strata__compare(nest, "eq", line, number(&s->of, 0)));
  MlirValue total = cast(&s->of, "arith.index_cast", all, int_type(&s->of, 64));
  strata__store_at(nest, &s->boxes.totals, (MlirValue[]){s->of.image, s->of.class}, total);
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
}

//===-- Both -----------------------------------------------------------------------------------------------------===//

static void place_scratch(strata__lowering_t *l, MlirOperation op, collecting_t *s) {
  const strata_size_t *sizes = s->of.scores->sizes;
  strata__collected_t *to = &s->boxes;
  to->room = strata_size_product(strata_size_ceil_div(sizes[2], to->n_lanes), strata_size_constant(to->n_lanes));
  const strata_size_t lines[3] = {sizes[0], sizes[1], strata_size_constant(LINES)},
                      keys[3] = {sizes[0], sizes[1], to->room},
                      sides[4] = {sizes[0], sizes[1], strata_size_constant(STRATA_BOX_SIDES), to->room};
  s->line_counts = strata__suppress_scratch(l, op, STRATA_TYPE_I32, 3, lines);
  to->totals = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 2, sizes);
  to->keys = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 3, keys);
  to->sides = strata__suppress_scratch(l, op, STRATA_TYPE_F32, 4, sides);
}

strata__collected_t strata__suppress_collect(strata__lowering_t *l, const strata__suppress_t *of, MlirOperation op,
                                             int64_t n_lanes) {
  collecting_t s = {.of = *of, .boxes.n_lanes = n_lanes};
  place_scratch(l, op, &s);
  count_lines(l, &s, op);
  collect_boxes(l, &s, op);
  return s.boxes;
}

MlirValue strata__suppress_no_key(strata__suppress_t *s) {
  return strata__int_constant(&s->nest, mlirIntegerTypeGet(s->nest.lowering->context, 64), INT64_MIN);
}

MlirValue strata__collected_total(strata__suppress_t *s, const strata__collected_t *boxes) {
  MlirValue total = strata__load_at(&s->nest, &boxes->totals, (MlirValue[]){s->image, s->class});
  return strata__to_index(&s->nest, total);
}

MlirValue strata__collected_chunks(strata__suppress_t *s, const strata__collected_t *boxes, MlirValue count) {
  MlirValue more = strata__binary(&s->nest, "arith.addi", count, strata_emit_index(&s->nest.e, boxes->n_lanes - 1));
  return strata__binary(&s->nest, "arith.divui", more, strata_emit_index(&s->nest.e, boxes->n_lanes));
}

void strata__collected_box(strata__suppress_t *s, const strata__tensor_t *sides, MlirValue at, MlirValue *box) {
  for (int i = 0; i < STRATA_BOX_SIDES; i++)
    box[i] = strata__load_at(&s->nest, sides, (MlirValue[]){s->image, s->class, strata_emit_index(&s->nest.e, i), at});
  strata__suppress_area(s, box);
}
