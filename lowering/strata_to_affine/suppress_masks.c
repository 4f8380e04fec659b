// Boxes that do not overlap on a GPU where there are few classes: which pairs of a class's boxes overlap is found for
// all pairs side by side, so that choosing takes few steps, of 64 boxes each.
//
//   boxes are collected (suppress_collect.c)
//   affine.parallel (%i, %c, %n) { boxes %n goes to its place in the order: counts those that are better }
//   affine.parallel (%i, %c, %word, %row) { bit b: whether %row is better than box 64 %word + b, and they overlap }
//   affine.parallel (%i, %c) {
//     scf.for %word { the bits of boxes that one kept in front overlaps: all lanes, a box a lane, together;
//                     then of the 64 boxes one after the other, if its bit is not set: it is kept, and sets bits }
//   } {strata.nest = "suppress", strata.serial}
//   affine.parallel (%i, %c, %n) { a box that is kept goes behind those kept in front }
//   affine.parallel (%i, %c, %n) { row %n of the class, behind those of the classes in front }
#include "lowering/strata_to_affine/suppress.h"

#include "dialects/integers.h"
#include "lowering/strata_to_affine/lanes.h"

enum { WORD = 64, MOST_BYTES = 16 << 20 };

typedef struct {
  strata__suppress_t of;
  strata__collected_t boxes;
  strata__tensor_t places, sides; // of the boxes, the best first
  strata__tensor_t masks;         // word by word, each of all boxes
  strata__tensor_t are_kept;      // of each box, all bits or none; read by the lane that stored it
  strata__tensor_t kept, before;  // of each 64 boxes: the bits of those that are kept, and how many are in front
  int64_t room, words;            // of a class: boxes, and words of a bit for each
} masks_t;

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static MlirType i64_type(const masks_t *s) { return mlirIntegerTypeGet(s->of.nest.lowering->context, 64); }
static MlirValue bits(masks_t *s, uint64_t value) {
  return strata__int_constant(&s->of.nest, i64_type(s), (int64_t)value);
}
static MlirValue times(masks_t *s, MlirValue x, int64_t value) {
  return op2(&s->of, "arith.muli", x, number(&s->of, value));
}
static MlirValue as_bits(masks_t *s, MlirValue index) {
  return strata__cast(&s->of.nest, "arith.index_cast", index, i64_type(s));
}

// How many bits of |x| are set: sums of neighbours, of two, four and eight bits, then of all bytes.
static MlirValue count_bits(masks_t *s, MlirValue x) {
  const uint64_t pairs = UINT64_C(0x5555555555555555), fours = UINT64_C(0x3333333333333333),
                 bytes = UINT64_C(0x0f0f0f0f0f0f0f0f), ones = UINT64_C(0x0101010101010101);
  MlirValue odd = op2(&s->of, "arith.andi", op2(&s->of, "arith.shrui", x, bits(s, 1)), bits(s, pairs));
  x = op2(&s->of, "arith.subi", x, odd);
  x = op2(&s->of, "arith.addi", op2(&s->of, "arith.andi", x, bits(s, fours)),
          op2(&s->of, "arith.andi", op2(&s->of, "arith.shrui", x, bits(s, 2)), bits(s, fours)));
  x = op2(&s->of, "arith.andi", op2(&s->of, "arith.addi", x, op2(&s->of, "arith.shrui", x, bits(s, 4))),
          bits(s, bytes));
  return strata__to_index(&s->of.nest,
                          op2(&s->of, "arith.shrui", op2(&s->of, "arith.muli", x, bits(s, ones)), bits(s, 56)));
}

//===-- Before the choice ----------------------------------------------------------------------------------------===//

static MlirValue begin_boxes(strata__lowering_t *l, masks_t *s, MlirOperation op, const char *name, int64_t n) {
  const strata_size_t points = strata_size_constant(n);
  strata__suppress_begin(l, &s->of, op, name, &points);
  return strata__index_of(&s->of.nest, strata__dim(&s->of.nest, 2));
}

static MlirValue count_better(masks_t *s, MlirValue key, MlirValue total) {
  MlirValue zero = number(&s->of, 0), so_far, result;
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, zero, total, 1, 1, &zero, &so_far);
  MlirValue other = strata__suppress_load(&s->of, &s->boxes.keys, loop.induction);
  MlirValue next = strata__select(&s->of.nest, is_less(&s->of, key, other), plus(&s->of, so_far, 1), so_far);
  strata_emit_for_end(&s->of.nest.e, loop, 1, &next, &result);
  return result;
}

// Boxes to their places in the order.
static void rank_boxes(strata__lowering_t *l, masks_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue at = begin_boxes(l, s, op, "suppress_rank", s->room), total = strata__collected_total(&s->of, &s->boxes);
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_less(&s->of, at, total));
  MlirValue key = strata__suppress_load(&s->of, &s->boxes.keys, at), rank = count_better(s, key, total);
  strata__suppress_store(&s->of, &s->places, rank, as_bits(s, strata__suppress_place(&s->of, key)));
  for (int i = 0; i < STRATA_BOX_SIDES; i++) {
    MlirValue side =
        strata__load_at(nest, &s->boxes.sides, (MlirValue[]){s->of.image, s->of.class, number(&s->of, i), at});
    strata__store_at(nest, &s->sides, (MlirValue[]){s->of.image, s->of.class, number(&s->of, i), rank}, side);
  }
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
}

// Bits for the boxes from |first| on, as many as |box|, number |row|, overlaps of those behind it.
static MlirValue mask_of(masks_t *s, const MlirValue *box, MlirValue row, MlirValue first, MlirValue total) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue none = bits(s, 0), so_far, other[STRATA__BOX_NUMBERS], result;
  MlirValue end = op2(&s->of, "arith.minsi", op2(&s->of, "arith.subi", total, first), number(&s->of, WORD));
  strata_loop_t loop = strata_emit_for_begin(&nest->e, number(&s->of, 0), end, 1, 1, &none, &so_far);
  MlirValue at = op2(&s->of, "arith.addi", first, loop.induction);
  strata__collected_box(&s->of, &s->sides, at, other);
  MlirValue is_set = op2(&s->of, "arith.andi", is_less(&s->of, row, at), strata__suppress_overlaps(&s->of, box, other));
  MlirValue bit = op2(&s->of, "arith.shli", bits(s, 1), as_bits(s, loop.induction));
  MlirValue next = op2(&s->of, "arith.ori", so_far, strata__select(nest, is_set, bit, none));
  strata_emit_for_end(&nest->e, loop, 1, &next, &result);
  return result;
}

static void make_masks(strata__lowering_t *l, masks_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue at = begin_boxes(l, s, op, "suppress_masks", s->words * s->room), box[STRATA__BOX_NUMBERS];
  s->of.overlap = strata__load(nest, strata__operand(l, op, 2), NULL);
  MlirValue total = strata__collected_total(&s->of, &s->boxes);
  MlirValue row = op2(&s->of, "arith.remui", at, number(&s->of, s->room));
  MlirValue first = times(s, op2(&s->of, "arith.divui", at, number(&s->of, s->room)), WORD);
  // Of words in front of the row's own, and of what is no box, nobody reads anything.
  MlirValue is_read =
      op2(&s->of, "arith.andi", op2(&s->of, "arith.andi", is_less(&s->of, first, total), is_less(&s->of, row, total)),
          is_less(&s->of, row, plus(&s->of, first, WORD)));
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_read);
  strata__collected_box(&s->of, &s->sides, row, box);
  strata__suppress_store(&s->of, &s->masks, at, mask_of(s, box, row, first, total));
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

// Whether the box at |row| is kept, as all bits or none: |kept|, of those from |first| on; else what its lane stored.
static MlirValue keep_own(masks_t *s, MlirValue row, MlirValue first, MlirValue kept) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue none = bits(s, 0), stored = strata__suppress_load(&s->of, &s->are_kept, row);
  MlirValue place = op2(&s->of, "arith.subi", row, first);
  MlirValue inside =
      op2(&s->of, "arith.maxsi", op2(&s->of, "arith.minsi", place, number(&s->of, WORD - 1)), number(&s->of, 0));
  MlirValue bit = op2(&s->of, "arith.andi", op2(&s->of, "arith.shrui", kept, as_bits(s, inside)), bits(s, 1));
  MlirValue new =
      strata__select(nest, is_less(&s->of, place, number(&s->of, WORD)), op2(&s->of, "arith.subi", none, bit), none);
  MlirValue own = strata__select(nest, is_less(&s->of, place, number(&s->of, 0)), stored, new);
  strata__suppress_store(&s->of, &s->are_kept, row, own);
  return own;
}

// The bits of word |word| that boxes kept in front set. |kept|: those of the word in front.
static MlirValue find_removed(masks_t *s, MlirValue word, MlirValue kept) {
  strata_emitter_t *e = &s->of.nest.e;
  MlirValue none = bits(s, 0), so_far, of_lane, found, end = times(s, word, WORD);
  MlirValue chunks = strata__collected_chunks(&s->of, &s->boxes, end), first = plus(&s->of, end, -WORD);
  strata_loop_t by_lane = strata__lanes_begin(&s->of.nest, s->boxes.n_lanes, &none, &so_far);
  strata_loop_t by_chunk = strata_emit_for_begin(e, number(&s->of, 0), chunks, 1, 1, &none, &of_lane);
  MlirValue row = op2(&s->of, "arith.addi", times(s, by_chunk.induction, s->boxes.n_lanes), by_lane.induction);
  MlirValue own = keep_own(s, row, first, kept);
  MlirValue mask = strata__suppress_load(&s->of, &s->masks, op2(&s->of, "arith.addi", times(s, word, s->room), row));
  MlirValue next = op2(&s->of, "arith.ori", of_lane, op2(&s->of, "arith.andi", own, mask));
  strata_emit_for_end(e, by_chunk, 1, &next, &found);
  next = op2(&s->of, "arith.ori", so_far, found);
  strata_emit_for_end(e, by_lane, 1, &next, &found);
  return found;
}

// The bits of the boxes of word |word| that are kept. What those set is loaded at once, not one after the other.
static MlirValue choose(masks_t *s, MlirValue word, MlirValue removed, MlirValue total) {
  MlirValue first = times(s, word, WORD), own[WORD];
  MlirValue at = op2(&s->of, "arith.addi", times(s, word, s->room), first),
            left = op2(&s->of, "arith.subi", total, first);
  MlirValue is_last = is_less(&s->of, left, number(&s->of, WORD));
  MlirValue beyond = op2(&s->of, "arith.shli", bits(s, UINT64_MAX),
                         as_bits(s, op2(&s->of, "arith.minsi", left, number(&s->of, WORD - 1))));
  removed = op2(&s->of, "arith.ori", removed, strata__select(&s->of.nest, is_last, beyond, bits(s, 0)));
  for (int i = 0; i < WORD; i++)
    own[i] = strata__suppress_load(&s->of, &s->masks, plus(&s->of, at, i));
  for (int i = 0; i < WORD; i++) {
    MlirValue bit = op2(&s->of, "arith.andi", op2(&s->of, "arith.shrui", removed, bits(s, (uint64_t)i)), bits(s, 1));
    MlirValue is_kept = op2(&s->of, "arith.subi", bit, bits(s, 1));
    removed = op2(&s->of, "arith.ori", removed, op2(&s->of, "arith.andi", own[i], is_kept));
  }
  return op2(&s->of, "arith.xori", removed, bits(s, UINT64_MAX));
}

static void keep_boxes(strata__lowering_t *l, masks_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->of.nest;
  strata__suppress_begin(l, &s->of, op, "suppress", NULL);
  strata__suppress_read_limits(&s->of, op, room);
  MlirValue total = strata__collected_total(&s->of, &s->boxes);
  MlirValue words = op2(&s->of, "arith.divui", plus(&s->of, total, WORD - 1), number(&s->of, WORD));
  const MlirValue inits[2] = {bits(s, 0), number(&s->of, 0)};
  const MlirType types[2] = {i64_type(s), mlirIndexTypeGet(l->context)};
  MlirValue carried[2], next[2], results[2];
  strata_loop_t loop = strata_emit_for_begin(&nest->e, number(&s->of, 0), words, 1, 2, inits, carried);
  MlirValue before = carried[1];
  strata_loop_t choice = strata_emit_choice_begin(&nest->e, is_less(&s->of, before, s->of.most), 2, types);
  next[0] = choose(s, loop.induction, find_removed(s, loop.induction, carried[0]), total);
  next[1] = op2(&s->of, "arith.addi", before, count_bits(s, next[0]));
  strata_emit_choice_else(&nest->e, choice, 2, next);
  strata_emit_choice_end(&nest->e, choice, 2, (MlirValue[]){bits(s, 0), before}, next);
  strata__suppress_store(&s->of, &s->kept, loop.induction, next[0]);
  strata__suppress_store(&s->of, &s->before, loop.induction, as_bits(s, before));
  strata_emit_for_end(&nest->e, loop, 2, next, results);
  strata__suppress_store_count(&s->of, op2(&s->of, "arith.minsi", results[1], s->of.most));
  strata__nest_end(nest);
}

static void find_kept(strata__lowering_t *l, masks_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue at = begin_boxes(l, s, op, "suppress_place", s->room);
  strata__suppress_read_limits(&s->of, op, room);
  strata_loop_t exists =
      strata_emit_if_begin(&nest->e, is_less(&s->of, at, strata__collected_total(&s->of, &s->boxes)));
  MlirValue word = op2(&s->of, "arith.divui", at, number(&s->of, WORD)),
            kept = strata__suppress_load(&s->of, &s->kept, word);
  MlirValue bit =
      op2(&s->of, "arith.shli", bits(s, 1), as_bits(s, op2(&s->of, "arith.remui", at, number(&s->of, WORD))));
  MlirValue in_front = op2(&s->of, "arith.andi", kept, op2(&s->of, "arith.subi", bit, bits(s, 1)));
  MlirValue place = strata__to_index(&s->of.nest, strata__suppress_load(&s->of, &s->before, word));
  place = op2(&s->of, "arith.addi", place, count_bits(s, in_front));
  MlirValue is_kept = strata__compare(nest, "ne", op2(&s->of, "arith.andi", kept, bit), bits(s, 0));
  is_kept = op2(&s->of, "arith.andi", is_kept, is_less(&s->of, place, s->of.most));
  strata_loop_t branch = strata_emit_if_begin(&nest->e, is_kept);
  strata__suppress_store(&s->of, &s->of.found, place, strata__suppress_load(&s->of, &s->places, at));
  strata_emit_if_end(&nest->e, branch);
  strata_emit_if_end(&nest->e, exists);
  strata__nest_end(nest);
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

static int64_t room_of(const strata__lowering_t *l, const strata__suppress_t *s) {
  return strata_round_up(strata_size_static_value(s->scores->sizes[2]), strata__suppress_n_lanes(l, s));
}

bool strata__suppress_has_masks(const strata__lowering_t *l, const strata__suppress_t *s) {
  int64_t sizes[3];
  for (int i = 0; i < 3; i++)
    if (!strata_size_is_constant(s->scores->sizes[i], &sizes[i]))
      return false;
  int64_t room = room_of(l, s), bytes = strata_times(room, room / WORD * (int64_t)sizeof(int64_t));
  return strata_times(strata_times(sizes[0], sizes[1]), bytes) <= MOST_BYTES;
}

static strata__tensor_t scratch(strata__lowering_t *l, masks_t *s, MlirOperation op, int64_t n) {
  const strata_size_t *of = s->of.scores->sizes, sizes[3] = {of[0], of[1], strata_size_constant(n)};
  return strata__suppress_scratch(l, op, STRATA_TYPE_I64, 3, sizes);
}

void strata__suppress_by_masks(strata__lowering_t *l, strata__suppress_t *of, MlirOperation op, strata_size_t room) {
  masks_t s = {.of = *of, .room = room_of(l, of)};
  const strata_size_t *sizes = of->scores->sizes;
  const strata_size_t sides[4] = {sizes[0], sizes[1], strata_size_constant(STRATA_BOX_SIDES),
                                  strata_size_constant(s.room)};
  s.words = s.room / WORD;
  s.boxes = strata__suppress_collect(l, of, op, strata__suppress_n_lanes(l, of));
  s.places = scratch(l, &s, op, s.room);
  s.sides = strata__suppress_scratch(l, op, STRATA_TYPE_F32, 4, sides);
  s.masks = scratch(l, &s, op, s.words * s.room);
  s.are_kept = scratch(l, &s, op, s.room);
  s.kept = scratch(l, &s, op, s.words);
  s.before = scratch(l, &s, op, s.words);
  rank_boxes(l, &s, op);
  make_masks(l, &s, op);
  keep_boxes(l, &s, op, room);
  find_kept(l, &s, op, room);
  strata__suppress_store_rows(l, &s.of, op, room);
}
