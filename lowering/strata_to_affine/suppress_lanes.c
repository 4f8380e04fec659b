// Boxes that do not overlap on a GPU, a block a class of an image.
//
//   boxes are collected (suppress_collect.c)
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

enum { MAX_LANES = 1024, MIN_LANES = 128 };

typedef struct {
  strata__suppress_t of;
  strata__collected_t boxes;
} lanes_t;

//===-- Boxes that are kept --------------------------------------------------------------------------------------===//

// The key at |at|, or none where the box overlaps |box|, that of |best|, or is it; then it is none from now on.
static MlirValue key_left(lanes_t *s, const MlirValue *box, MlirValue best, MlirValue at) {
  MlirValue key = strata__suppress_load(&s->of, &s->boxes.keys, at), other[STRATA__BOX_NUMBERS];
  strata__collected_box(&s->of, &s->boxes.sides, at, other);
  MlirValue is_gone = op2(&s->of, "arith.ori", strata__suppress_overlaps(&s->of, box, other),
                          strata__compare(&s->of.nest, "eq", key, best));
  key = strata__select(&s->of.nest, is_gone, strata__suppress_no_key(&s->of), key);
  strata__suppress_store(&s->of, &s->boxes.keys, at, key);
  return key;
}

// The largest key left of |chunks| times as many boxes as there are lanes.
static MlirValue find_best(lanes_t *s, MlirValue chunks, const MlirValue *box, MlirValue best) {
  strata_emitter_t *e = &s->of.nest.e;
  MlirValue none = strata__suppress_no_key(&s->of), so_far, of_lane, found;
  strata_loop_t by_lane = strata__lanes_begin(&s->of.nest, s->boxes.n_lanes, &none, &so_far);
  strata_loop_t by_chunk = strata_emit_for_begin(e, number(&s->of, 0), chunks, 1, 1, &none, &of_lane);
  MlirValue first = op2(&s->of, "arith.muli", by_chunk.induction, number(&s->of, s->boxes.n_lanes));
  MlirValue key = key_left(s, box, best, op2(&s->of, "arith.addi", first, by_lane.induction));
  MlirValue next = op2(&s->of, "arith.maxsi", of_lane, key);
  strata_emit_for_end(e, by_chunk, 1, &next, &found);
  next = op2(&s->of, "arith.maxsi", so_far, found);
  strata_emit_for_end(e, by_lane, 1, &next, &found);
  return found;
}

// The box of |key|; where that is none, one without an area, which overlaps nothing.
static void box_of_key(lanes_t *s, MlirValue key, MlirValue *box) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue is_none = strata__compare(nest, "eq", key, strata__suppress_no_key(&s->of));
  MlirValue zero = strata__float_constant(nest, mlirF32TypeGet(nest->lowering->context), 0);
  strata__suppress_box(&s->of, strata__select(nest, is_none, number(&s->of, 0), strata__suppress_place(&s->of, key)),
                       box);
  box[STRATA__BOX_AREA] = strata__select(nest, is_none, zero, box[STRATA__BOX_AREA]);
}

// Keeps the best of the boxes that do not overlap the one of |*best|, if any is left, as number |*n_kept|.
static void keep_next(lanes_t *s, MlirValue chunks, MlirValue *best, MlirValue *n_kept) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue box[STRATA__BOX_NUMBERS];
  box_of_key(s, *best, box);
  *best = find_best(s, chunks, box, *best);
  MlirValue is_left = strata__compare(nest, "ne", *best, strata__suppress_no_key(&s->of));
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_left);
  MlirValue place = strata__suppress_place(&s->of, *best);
  strata__suppress_store(&s->of, &s->of.found, *n_kept, cast(&s->of, "arith.index_cast", place, int_type(&s->of, 64)));
  strata_emit_if_end(&nest->e, branch);
  *n_kept = strata__select(nest, is_left, plus(&s->of, *n_kept, 1), *n_kept);
}

static void keep_boxes(strata__lowering_t *l, lanes_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->of.nest;
  strata__suppress_begin(l, &s->of, op, "suppress", NULL);
  strata__suppress_read_limits(&s->of, op, room);
  MlirValue total = strata__collected_total(&s->of, &s->boxes),
            chunks = strata__collected_chunks(&s->of, &s->boxes, total),
            limit = op2(&s->of, "arith.minsi", total, s->of.most);
  const MlirValue inits[2] = {strata__suppress_no_key(&s->of), number(&s->of, 0)};
  const MlirType types[2] = {int_type(&s->of, 64), index_type(&s->of)};
  MlirValue carried[2], results[2];
  strata_loop_t loop = strata_emit_for_begin(&nest->e, number(&s->of, 0), limit, 1, 2, inits, carried);
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

//===-- The op ---------------------------------------------------------------------------------------------------===//

int64_t strata__suppress_n_lanes(const strata__lowering_t *l, const strata__suppress_t *of) {
  int64_t boxes = strata_size_likely(&l->symbols, of->scores->sizes[2]);
  return strata_max(MIN_LANES, strata_min(MAX_LANES, strata_power_of_two_from(boxes)));
}

void strata__suppress_by_lanes(strata__lowering_t *l, strata__suppress_t *of, MlirOperation op, strata_size_t room) {
  lanes_t s = {.of = *of};
  s.boxes = strata__suppress_collect(l, of, op, strata__suppress_n_lanes(l, of));
  keep_boxes(l, &s, op, room);
  strata__suppress_store_rows(l, &s.of, op, room);
}
