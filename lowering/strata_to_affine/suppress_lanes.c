// Boxes that do not overlap on a GPU, a block a class of an image.
//
//   affine.parallel (%i, %c, %line) { counts boxes %line, %line + LINES, ... that score above the threshold }
//   affine.parallel (%i, %c, %line) { stores their keys and sides behind those of the lines in front }
//   affine.parallel (%i, %c) {
//     scf.for %n to most {
//       %best = scf.for %lane { the largest key left, of boxes that do not overlap that of %best } {strata.lanes}
//       keep its box }
//   } {strata.nest = "suppress", strata.serial}
//   affine.parallel (%i, %c, %n) { row %n of the class, behind those of the classes in front }
//
// What is best of the boxes that overlap none that is kept is what would be kept next if all were sorted. So nothing
// is sorted, and a class takes as many steps as boxes are kept.
#include "lowering/strata_to_affine/suppress.h"

#include "dialects/integers.h"
#include "lowering/strata_to_affine/lanes.h"

enum { LINES = 256, MAX_LANES = 1024, MIN_LANES = 128 };

typedef struct {
  strata__suppress_t of;
  int64_t n_lanes;
  strata__tensor_t line_counts, totals; // boxes above the threshold: of each line, and of the class
  strata__tensor_t keys, boxes;         // theirs, filled up to a multiple of lanes by keys of none
} lanes_t;

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static MlirType int_type(const lanes_t *s, unsigned bits) {
  return mlirIntegerTypeGet(s->of.nest.lowering->context, bits);
}
static MlirType index_type(const lanes_t *s) { return mlirIndexTypeGet(s->of.nest.lowering->context); }
static MlirValue number(lanes_t *s, int64_t value) { return strata_emit_index(&s->of.nest.e, value); }
static MlirValue op2(lanes_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->of.nest, name, x, y);
}
static MlirValue plus(lanes_t *s, MlirValue x, int64_t value) { return op2(s, "arith.addi", x, number(s, value)); }
static MlirValue is_less(lanes_t *s, MlirValue x, MlirValue y) { return strata__compare(&s->of.nest, "slt", x, y); }
static MlirValue cast(lanes_t *s, const char *name, MlirValue x, MlirType type) {
  return strata__cast(&s->of.nest, name, x, type);
}
static MlirValue no_key(lanes_t *s) { return strata__int_constant(&s->of.nest, int_type(s, 64), INT64_MIN); }

static MlirValue load_index(lanes_t *s, const strata__tensor_t *tensor, MlirValue at) {
  return cast(s, "arith.index_cast", strata__suppress_load(&s->of, tensor, at), index_type(s));
}

static MlirValue total_of(lanes_t *s) {
  MlirValue total = strata__load_at(&s->of.nest, &s->totals, (MlirValue[]){s->of.image, s->of.class});
  return cast(s, "arith.index_cast", total, index_type(s));
}

// How many times as many boxes as lanes hold |count|.
static MlirValue n_chunks(lanes_t *s, MlirValue count) {
  return op2(s, "arith.divui", plus(s, count, s->n_lanes - 1), number(s, s->n_lanes));
}

static MlirValue box_number(lanes_t *s, MlirValue at, int i) {
  return strata__load_at(&s->of.nest, &s->boxes, (MlirValue[]){s->of.image, s->of.class, number(s, i), at});
}

//===-- Boxes above the threshold --------------------------------------------------------------------------------===//

// The boxes of a line; |count| are above the threshold so far.
static strata_loop_t begin_line(lanes_t *s, MlirValue line, MlirValue *count, MlirValue *out_score,
                                MlirValue *out_is_above) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue end = strata__size(nest, s->of.scores->sizes[2]), first = *count;
  strata_loop_t loop = strata_emit_for_begin(&nest->e, line, end, LINES, 1, &first, count);
  *out_score = strata__to_math(nest, s->of.scores->type, strata__suppress_load(&s->of, s->of.scores, loop.induction));
  *out_is_above = strata__compare(nest, "ogt", *out_score, s->of.least);
  return loop;
}

static MlirValue end_line(lanes_t *s, strata_loop_t loop, MlirValue count, MlirValue is_above) {
  MlirValue next = strata__select(&s->of.nest, is_above, plus(s, count, 1), count), result;
  strata_emit_for_end(&s->of.nest.e, loop, 1, &next, &result);
  return result;
}

static MlirValue begin_lines(strata__lowering_t *l, lanes_t *s, MlirOperation op, const char *name) {
  const strata_size_t lines = strata_size_constant(LINES);
  strata__suppress_begin(l, &s->of, op, name, &lines);
  s->of.least = strata__load(&s->of.nest, strata__operand(l, op, 3), NULL);
  return strata__index_of(&s->of.nest, strata__dim(&s->of.nest, 2));
}

static void count_lines(strata__lowering_t *l, lanes_t *s, MlirOperation op) {
  MlirValue line = begin_lines(l, s, op, "suppress_count"), count = number(s, 0), score, is_above;
  strata_loop_t loop = begin_line(s, line, &count, &score, &is_above);
  count = end_line(s, loop, count, is_above);
  strata__suppress_store(&s->of, &s->line_counts, line, cast(s, "arith.index_cast", count, int_type(s, 32)));
  strata__nest_end(&s->of.nest);
}

// How many boxes the lines in front have, and all.
static void sum_lines(lanes_t *s, MlirValue line, MlirValue *out_before, MlirValue *out_all) {
  MlirValue sums[2] = {number(s, 0), number(s, 0)}, results[2];
  strata_loop_t loop =
      strata_emit_for_begin(&s->of.nest.e, number(s, 0), number(s, LINES), 1, 2, (MlirValue[]){sums[0], sums[1]}, sums);
  MlirValue count = load_index(s, &s->line_counts, loop.induction);
  MlirValue in_front = strata__select(&s->of.nest, is_less(s, loop.induction, line), count, number(s, 0));
  sums[0] = op2(s, "arith.addi", sums[0], in_front);
  sums[1] = op2(s, "arith.addi", sums[1], count);
  strata_emit_for_end(&s->of.nest.e, loop, 2, sums, results);
  *out_before = results[0];
  *out_all = results[1];
}

static void store_box(lanes_t *s, MlirValue at, MlirValue score, MlirValue place) {
  MlirValue box[STRATA__BOX_NUMBERS];
  strata__suppress_box(&s->of, place, box);
  strata__suppress_store(&s->of, &s->keys, at, strata__suppress_key(&s->of, score, place));
  for (int i = 0; i < STRATA_BOX_SIDES; i++)
    strata__store_at(&s->of.nest, &s->boxes, (MlirValue[]){s->of.image, s->of.class, number(s, i), at}, box[i]);
}

// Behind |count| keys those of none, up to a multiple of lanes.
static void fill_up(lanes_t *s, MlirValue line, MlirValue count) {
  MlirValue end = op2(s, "arith.muli", n_chunks(s, count), number(s, s->n_lanes));
  MlirValue first = op2(s, "arith.addi", count, line);
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, first, end, LINES, 0, NULL, NULL);
  strata__suppress_store(&s->of, &s->keys, loop.induction, no_key(s));
  strata_emit_for_end(&s->of.nest.e, loop, 0, NULL, NULL);
}

static void collect_boxes(strata__lowering_t *l, lanes_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue line = begin_lines(l, s, op, "suppress_collect"), at, all, score, is_above;
  sum_lines(s, line, &at, &all);
  strata_loop_t loop = begin_line(s, line, &at, &score, &is_above);
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_above);
  store_box(s, at, score, loop.induction);
  strata_emit_if_end(&nest->e, branch);
  end_line(s, loop, at, is_above);
  fill_up(s, line, all);
  branch = strata_emit_if_begin(&nest->e, strata__compare(nest, "eq", line, number(s, 0)));
  MlirValue total = cast(s, "arith.index_cast", all, int_type(s, 64));
  strata__store_at(nest, &s->totals, (MlirValue[]){s->of.image, s->of.class}, total);
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
}

//===-- Boxes that are kept --------------------------------------------------------------------------------------===//

// The key at |at|, or none where the box overlaps |box|, that of |best|, or is it; then it is none from now on.
static MlirValue key_left(lanes_t *s, const MlirValue *box, MlirValue best, MlirValue at) {
  MlirValue key = strata__suppress_load(&s->of, &s->keys, at), other[STRATA__BOX_NUMBERS];
  for (int i = 0; i < STRATA_BOX_SIDES; i++)
    other[i] = box_number(s, at, i);
  strata__suppress_area(&s->of, other);
  MlirValue is_gone = op2(s, "arith.ori", strata__suppress_overlaps(&s->of, box, other),
                          strata__compare(&s->of.nest, "eq", key, best));
  key = strata__select(&s->of.nest, is_gone, no_key(s), key);
  strata__suppress_store(&s->of, &s->keys, at, key);
  return key;
}

// The largest key left of |chunks| times as many boxes as there are lanes.
static MlirValue find_best(lanes_t *s, MlirValue chunks, const MlirValue *box, MlirValue best) {
  strata_emitter_t *e = &s->of.nest.e;
  MlirValue none = no_key(s), so_far, of_lane, found;
  strata_loop_t by_lane = strata__lanes_begin(&s->of.nest, s->n_lanes, &none, &so_far);
  strata_loop_t by_chunk = strata_emit_for_begin(e, number(s, 0), chunks, 1, 1, &none, &of_lane);
  MlirValue first = op2(s, "arith.muli", by_chunk.induction, number(s, s->n_lanes));
  MlirValue key = key_left(s, box, best, op2(s, "arith.addi", first, by_lane.induction));
  MlirValue next = op2(s, "arith.maxsi", of_lane, key);
  strata_emit_for_end(e, by_chunk, 1, &next, &found);
  next = op2(s, "arith.maxsi", so_far, found);
  strata_emit_for_end(e, by_lane, 1, &next, &found);
  return found;
}

// The box of |key|; where that is none, one without an area, which overlaps nothing.
static void box_of_key(lanes_t *s, MlirValue key, MlirValue *box) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue is_none = strata__compare(nest, "eq", key, no_key(s));
  MlirValue zero = strata__float_constant(nest, mlirF32TypeGet(nest->lowering->context), 0);
  strata__suppress_box(&s->of, strata__select(nest, is_none, number(s, 0), strata__suppress_place(&s->of, key)), box);
  box[STRATA__BOX_AREA] = strata__select(nest, is_none, zero, box[STRATA__BOX_AREA]);
}

// Keeps the best of the boxes that do not overlap the one of |*best|, if any is left, as number |*n_kept|.
static void keep_next(lanes_t *s, MlirValue chunks, MlirValue *best, MlirValue *n_kept) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue box[STRATA__BOX_NUMBERS];
  box_of_key(s, *best, box);
  *best = find_best(s, chunks, box, *best);
  MlirValue is_left = strata__compare(nest, "ne", *best, no_key(s));
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_left);
  MlirValue place = strata__suppress_place(&s->of, *best);
  strata__suppress_store(&s->of, &s->of.found, *n_kept, cast(s, "arith.index_cast", place, int_type(s, 64)));
  strata_emit_if_end(&nest->e, branch);
  *n_kept = strata__select(nest, is_left, plus(s, *n_kept, 1), *n_kept);
}

static void keep_boxes(strata__lowering_t *l, lanes_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->of.nest;
  strata__suppress_begin(l, &s->of, op, "suppress", NULL);
  strata__suppress_read_limits(&s->of, op, room);
  MlirValue total = total_of(s), chunks = n_chunks(s, total), limit = op2(s, "arith.minsi", total, s->of.most);
  const MlirValue inits[2] = {no_key(s), number(s, 0)};
  const MlirType types[2] = {int_type(s, 64), index_type(s)};
  MlirValue carried[2], results[2];
  strata_loop_t loop = strata_emit_for_begin(&nest->e, number(s, 0), limit, 1, 2, inits, carried);
  // As many are kept as steps were taken, until nothing is left.
  MlirValue goes_on = strata__compare(nest, "eq", carried[1], loop.induction);
  strata_loop_t choice = strata_emit_choice_begin(&nest->e, goes_on, 2, types);
  MlirValue next[2] = {carried[0], carried[1]};
  keep_next(s, chunks, &next[0], &next[1]);
  strata_emit_choice_else(&nest->e, choice, 2, next);
  strata_emit_choice_end(&nest->e, choice, 2, carried, next);
  strata_emit_for_end(&nest->e, loop, 2, next, results);
  strata__suppress_store_count(&s->of, results[1]);
  strata__nest_end(nest);
}

static void store_rows(strata__lowering_t *l, lanes_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->of.nest;
  strata__suppress_begin(l, &s->of, op, "suppress_rows", &room);
  MlirValue at = strata__index_of(nest, strata__dim(nest, 2));
  MlirValue exists = is_less(s, at, strata__suppress_count(&s->of, s->of.image, s->of.class));
  strata_loop_t branch = strata_emit_if_begin(&nest->e, exists);
  MlirValue n_classes = strata__size(nest, s->of.scores->sizes[1]);
  MlirValue class = op2(s, "arith.addi", op2(s, "arith.muli", s->of.image, n_classes), s->of.class);
  MlirValue first = strata__suppress_count_before(&s->of, class, n_classes);
  strata__suppress_store_row(&s->of, strata__result(l, op, 0), first, at);
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

static void place_scratch(strata__lowering_t *l, MlirOperation op, lanes_t *s) {
  const strata_size_t *sizes = s->of.scores->sizes;
  strata_size_t room =
      strata_size_product(strata_size_ceil_div(sizes[2], s->n_lanes), strata_size_constant(s->n_lanes));
  const strata_size_t lines[3] = {sizes[0], sizes[1], strata_size_constant(LINES)},
                      keys[3] = {sizes[0], sizes[1], room},
                      boxes[4] = {sizes[0], sizes[1], strata_size_constant(STRATA_BOX_SIDES), room};
  s->line_counts = strata__suppress_scratch(l, op, STRATA_TYPE_I32, 3, lines);
  s->totals = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 2, sizes);
  s->keys = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 3, keys);
  s->boxes = strata__suppress_scratch(l, op, STRATA_TYPE_F32, 4, boxes);
}

void strata__suppress_by_lanes(strata__lowering_t *l, strata__suppress_t *of, MlirOperation op, strata_size_t room) {
  lanes_t s = {.of = *of};
  int64_t boxes = strata_size_likely(&l->symbols, of->scores->sizes[2]);
  s.n_lanes = strata_max(MIN_LANES, strata_min(MAX_LANES, strata_power_of_two_from(boxes)));
  place_scratch(l, op, &s);
  count_lines(l, &s, op);
  collect_boxes(l, &s, op);
  keep_boxes(l, &s, op, room);
  store_rows(l, &s, op, room);
}
