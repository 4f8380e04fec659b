// Boxes that do not overlap on a cpu, a task a class of an image. Those that score above the threshold are numbers in a
// heap that order them by score, then by place: so only those that are looked at get sorted, and no two are equal.
//
//   affine.parallel (%i, %c) {
//     %n = affine.for %b { heap[%n] = %b   yield scores[%i, %c, %b] > least ? %n + 1 : %n }
//     scf.for %n { the place becomes a key }   scf.for each parent, the last one first { sift it down }
//     scf.for %n { scf.if kept < most {
//       take the root; compare it with the boxes that are kept, LANES at a time; keep it if it overlaps none } }
//     counts[%i, %c] = kept
//   } {strata.nest = "suppress", strata.serial}
#include "lowering/strata_to_affine/suppress.h"

enum { LANES = 32 };

typedef struct {
  strata__suppress_t of;
  strata__tensor_t heap, kept; // keys; boxes that are kept, and LANES without an area
} heap_t;

//===-- Keys -----------------------------------------------------------------------------------------------------===//

// The places of boxes that score above the threshold, in order; how many they are.
static MlirValue collect_places(heap_t *s) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue zero = number(&s->of, 0), count, result;
  strata__loop_t loop = strata__for_begin(nest, s->of.scores->sizes[2], 1, &zero, &count);
  const MlirAffineExpr point[3] = {strata__dim(nest, 0), strata__dim(nest, 1), strata__dim(nest, nest->n_dims - 1)};
  MlirValue score = strata__load(nest, s->of.scores, point);
  strata__suppress_store(&s->of, &s->heap, count,
                         cast(&s->of, "arith.index_cast", nest->dims[nest->n_dims - 1], int_type(&s->of, 64)));
  MlirValue next =
      strata__select(nest, strata__compare(nest, "ogt", score, s->of.least), plus(&s->of, count, 1), count);
  strata__for_end(nest, loop, 1, &next, &result);
  return result;
}

static void make_keys(heap_t *s, MlirValue count) {
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), count, 1, 0, NULL, NULL);
  MlirValue place = strata__to_index(&s->of.nest, strata__suppress_load(&s->of, &s->heap, loop.induction));
  strata__suppress_store(&s->of, &s->heap, loop.induction,
                         strata__suppress_key(&s->of, strata__suppress_load(&s->of, s->of.scores, place), place));
  strata_emit_for_end(&s->of.nest.e, loop, 0, NULL, NULL);
}

//===-- The heap -------------------------------------------------------------------------------------------------===//

// The largest power of two in |x|, which is not 0.
static MlirValue log2_of(heap_t *s, MlirValue x) {
  MlirType i64 = int_type(&s->of, 64);
  MlirValue zeros = strata__unary(&s->of.nest, "math.ctlz", cast(&s->of, "arith.index_cast", x, i64));
  return op2(&s->of, "arith.subi", number(&s->of, 63), strata__to_index(&s->of.nest, zeros));
}

// One level: the better child of |*at|, if it is better than |key|, moves up there.
static void sift_level(heap_t *s, MlirValue count, MlirValue key, MlirValue *at) {
  strata__nest_t *nest = &s->of.nest;
  MlirValue last = plus(&s->of, count, -1), left = plus(&s->of, op2(&s->of, "arith.addi", *at, *at), 1);
  MlirValue is_parent = is_less(&s->of, left, count);
  left = op2(&s->of, "arith.minsi", left, last);
  MlirValue right = op2(&s->of, "arith.minsi", plus(&s->of, left, 1), last);
  MlirValue left_key = strata__suppress_load(&s->of, &s->heap, left),
            right_key = strata__suppress_load(&s->of, &s->heap, right);
  MlirValue child = strata__select(nest, is_less(&s->of, left_key, right_key), right, left);
  MlirValue child_key = op2(&s->of, "arith.maxsi", left_key, right_key);
  MlirValue moves = both(&s->of, is_parent, is_less(&s->of, key, child_key));
  strata__suppress_store(&s->of, &s->heap, *at, strata__select(nest, moves, child_key, key));
  *at = strata__select(nest, moves, child, *at);
}

// Puts |key| where the heap of |count| keys has a gap, at |at|, or below.
static void sift(heap_t *s, MlirValue count, MlirValue at, MlirValue key) {
  MlirValue level_at, end;
  MlirValue levels = op2(&s->of, "arith.subi", log2_of(s, count), log2_of(s, plus(&s->of, at, 1)));
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), levels, 1, 1, &at, &level_at);
  sift_level(s, count, key, &level_at);
  strata_emit_for_end(&s->of.nest.e, loop, 1, &level_at, &end);
  strata__suppress_store(&s->of, &s->heap, end, key);
}

static void build_heap(heap_t *s, MlirValue count) {
  MlirValue parents = op2(&s->of, "arith.shrui", count, number(&s->of, 1));
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), parents, 1, 0, NULL, NULL);
  MlirValue at = op2(&s->of, "arith.subi", plus(&s->of, parents, -1), loop.induction);
  sift(s, count, at, strata__suppress_load(&s->of, &s->heap, at));
  strata_emit_for_end(&s->of.nest.e, loop, 0, NULL, NULL);
}

// Takes the root of |count| keys away; the place of its box.
static MlirValue take_best(heap_t *s, MlirValue count) {
  MlirValue best = strata__suppress_load(&s->of, &s->heap, number(&s->of, 0)), last = plus(&s->of, count, -1);
  MlirValue is_left = strata__compare(&s->of.nest, "sgt", last, number(&s->of, 0));
  strata_loop_t more = strata_emit_if_begin(&s->of.nest.e, is_left);
  sift(s, last, number(&s->of, 0), strata__suppress_load(&s->of, &s->heap, last));
  strata_emit_if_end(&s->of.nest.e, more);
  return strata__suppress_place(&s->of, best);
}

static MlirValue kept_number(heap_t *s, MlirValue at, int i, MlirValue stored) {
  const MlirValue point[4] = {s->of.image, s->of.class, number(&s->of, i), at};
  if (mlirValueIsNull(stored))
    return strata__load_at(&s->of.nest, &s->kept, point);
  strata__store_at(&s->of.nest, &s->kept, point, stored);
  return stored;
}

// Whether |box| overlaps none of LANES kept boxes from |first| on. The loop is one that LLVM makes vectors of.
static MlirValue is_clear_of(heap_t *s, const MlirValue *box, MlirValue first) {
  MlirType i32 = int_type(&s->of, 32);
  MlirValue other[STRATA__BOX_NUMBERS], none = strata__int_constant(&s->of.nest, i32, 0), so_far, result;
  strata_loop_t loop =
      strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), number(&s->of, LANES), 1, 1, &none, &so_far);
  MlirValue at = op2(&s->of, "arith.addi", first, loop.induction);
  for (int i = 0; i < STRATA__BOX_NUMBERS; i++)
    other[i] = kept_number(s, at, i, (MlirValue){0});
  MlirValue next =
      op2(&s->of, "arith.ori", so_far, cast(&s->of, "arith.extui", strata__suppress_overlaps(&s->of, box, other), i32));
  strata_emit_for_end(&s->of.nest.e, loop, 1, &next, &result);
  return strata__compare(&s->of.nest, "eq", result, none);
}

// Whether it overlaps none of the |count| boxes that are kept; behind them are boxes without an area.
static MlirValue is_clear(heap_t *s, const MlirValue *box, MlirValue count) {
  MlirValue yes = strata__int_constant(&s->of.nest, int_type(&s->of, 1), 1), so_far, result;
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), count, LANES, 1, &yes, &so_far);
  MlirType type = int_type(&s->of, 1);
  strata_loop_t choice = strata_emit_choice_begin(&s->of.nest.e, so_far, 1, &type);
  MlirValue next = is_clear_of(s, box, loop.induction);
  strata_emit_choice_else(&s->of.nest.e, choice, 1, &next);
  strata_emit_choice_end(&s->of.nest.e, choice, 1, &so_far, &next);
  strata_emit_for_end(&s->of.nest.e, loop, 1, &next, &result);
  return result;
}

// The first LANES boxes, before any is kept.
static void clear_lanes(heap_t *s) {
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, number(&s->of, 0), number(&s->of, LANES), 1, 0, NULL, NULL);
  for (int i = 0; i < STRATA__BOX_NUMBERS; i++)
    kept_number(s, loop.induction, i, real(&s->of, 0));
  strata_emit_for_end(&s->of.nest.e, loop, 0, NULL, NULL);
}

// Keeps the box at |place| as number |at|; LANES without an area follow again.
static void keep(heap_t *s, MlirValue place, const MlirValue *box, MlirValue at) {
  for (int i = 0; i < STRATA__BOX_NUMBERS; i++) {
    kept_number(s, at, i, box[i]);
    kept_number(s, plus(&s->of, at, LANES), i, real(&s->of, 0));
  }
  strata__suppress_store(&s->of, &s->of.found, at, cast(&s->of, "arith.index_cast", place, int_type(&s->of, 64)));
}

// Looks at the best of |count| boxes; how many are kept then.
static MlirValue look_at_best(heap_t *s, MlirValue count, MlirValue n_kept) {
  MlirValue box[STRATA__BOX_NUMBERS], place = take_best(s, count);
  strata__suppress_box(&s->of, place, box);
  MlirValue is_kept = is_clear(s, box, n_kept);
  strata_loop_t is_new = strata_emit_if_begin(&s->of.nest.e, is_kept);
  keep(s, place, box, n_kept);
  strata_emit_if_end(&s->of.nest.e, is_new);
  return strata__select(&s->of.nest, is_kept, plus(&s->of, n_kept, 1), n_kept);
}

static MlirValue select_boxes(heap_t *s, MlirValue count) {
  MlirValue zero = number(&s->of, 0), n_kept, result;
  MlirType type = index_type(&s->of);
  strata_loop_t loop = strata_emit_for_begin(&s->of.nest.e, zero, count, 1, 1, &zero, &n_kept);
  strata_loop_t choice = strata_emit_choice_begin(&s->of.nest.e, is_less(&s->of, n_kept, s->of.most), 1, &type);
  MlirValue next = look_at_best(s, op2(&s->of, "arith.subi", count, loop.induction), n_kept);
  strata_emit_choice_else(&s->of.nest.e, choice, 1, &next);
  strata_emit_choice_end(&s->of.nest.e, choice, 1, &n_kept, &next);
  strata_emit_for_end(&s->of.nest.e, loop, 1, &next, &result);
  return result;
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

// Places for what a class may have |room| of: keys, boxes.
static void place_scratch(strata__lowering_t *l, MlirOperation op, heap_t *s, strata_size_t room) {
  const strata_size_t *sizes = s->of.scores->sizes;
  MlirAffineExpr lanes =
      mlirAffineAddExprGet(strata_size_expr(l->context, room), mlirAffineConstantExprGet(l->context, LANES));
  const strata_size_t kept[4] = {sizes[0], sizes[1], strata_size_constant(STRATA__BOX_NUMBERS),
                                 strata_size_of_expr(&l->symbols, lanes)};
  s->heap = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 3, sizes);
  s->kept = strata__suppress_scratch(l, op, STRATA_TYPE_F32, 4, kept);
}

static void lower_classes(strata__lowering_t *l, heap_t *s, MlirOperation op, strata_size_t room) {
  strata__suppress_begin(l, &s->of, op, "suppress", NULL);
  strata__suppress_read_limits(&s->of, op, room);
  MlirValue count = strata__is_empty(s->of.scores) ? number(&s->of, 0) : collect_places(s);
  make_keys(s, count);
  clear_lanes(s);
  build_heap(s, count);
  strata__suppress_store_count(&s->of, select_boxes(s, count));
  strata__nest_end(&s->of.nest);
}

static void lower_rows(strata__lowering_t *l, heap_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->of.nest;
  strata__suppress_begin(l, &s->of, op, "suppress_rows", NULL);
  MlirValue n_classes = strata__size(nest, s->of.scores->sizes[1]);
  MlirValue class = op2(&s->of, "arith.addi", op2(&s->of, "arith.muli", s->of.image, n_classes), s->of.class);
  MlirValue first = strata__suppress_count_before(&s->of, class, n_classes),
            count = strata__suppress_count(&s->of, s->of.image, s->of.class);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, number(&s->of, 0), count, 1, 0, NULL, NULL);
  strata__suppress_store_row(&s->of, strata__result(l, op, 0), first, loop.induction);
  strata_emit_for_end(&nest->e, loop, 0, NULL, NULL);
  strata__nest_end(nest);
}

void strata__suppress_by_heap(strata__lowering_t *l, strata__suppress_t *of, MlirOperation op, strata_size_t room) {
  heap_t s = {.of = *of};
  place_scratch(l, op, &s, room);
  lower_classes(l, &s, op, room);
  lower_rows(l, &s, op);
}
