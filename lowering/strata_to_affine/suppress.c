// Boxes that do not overlap, a task a class of an image. Those that score above the threshold are numbers in a heap
// that order them by score, then by place: so only those that are looked at get sorted, and no two are equal.
//
//   affine.parallel (%i, %c) {
//     %n = affine.for %b { heap[%n] = %b   yield scores[%i, %c, %b] > least ? %n + 1 : %n }
//     scf.for %n { the place becomes a key }   scf.for each parent, the last one first { sift it down }
//     scf.for %n { scf.if kept < most {
//       take the root; compare it with the boxes that are kept, LANES at a time; keep it if it overlaps none } }
//     counts[%i, %c] = kept
//   } {strata.nest = "suppress", strata.serial}
//   affine.parallel (%i, %c) { the rows of the class, behind those in front } {strata.nest = "suppress_rows", ...}
#include "lowering/strata_to_affine/lower.h"

#include <math.h>

enum { AREA = STRATA_BOX_SIDES, N_NUMBERS }; // of a box that is kept: its sides and its area
enum { LANES = 32 };

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *sides, *scores;
  strata__tensor_t heap, kept;    // keys; boxes that are kept, and LANES without an area
  strata__tensor_t found, counts; // places of boxes that are kept; how many these are
  MlirValue image, class;
  MlirValue overlap, least, most;
} suppress_t;

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static MlirType index_type(const suppress_t *s) { return mlirIndexTypeGet(s->nest.lowering->context); }
static MlirType int_type(const suppress_t *s, unsigned bits) {
  return mlirIntegerTypeGet(s->nest.lowering->context, bits);
}
static MlirValue number(suppress_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }
static MlirValue op2(suppress_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}
static MlirValue plus(suppress_t *s, MlirValue x, int64_t value) { return op2(s, "arith.addi", x, number(s, value)); }
static MlirValue both(suppress_t *s, MlirValue x, MlirValue y) { return op2(s, "arith.andi", x, y); }
static MlirValue is_less(suppress_t *s, MlirValue x, MlirValue y) { return strata__compare(&s->nest, "slt", x, y); }
static MlirValue cast(suppress_t *s, const char *name, MlirValue x, MlirType type) {
  return strata__cast(&s->nest, name, x, type);
}
static MlirValue real(suppress_t *s, double value) {
  return strata__float_constant(&s->nest, mlirF32TypeGet(s->nest.lowering->context), value);
}

// Element |at| of what |tensor| has for the class.
static MlirValue load_at(suppress_t *s, const strata__tensor_t *tensor, MlirValue at) {
  return strata__load_at(&s->nest, tensor, (MlirValue[]){s->image, s->class, at});
}

static void store_at(suppress_t *s, const strata__tensor_t *tensor, MlirValue at, MlirValue value) {
  strata__store_at(&s->nest, tensor, (MlirValue[]){s->image, s->class, at}, value);
}

//===-- Keys -----------------------------------------------------------------------------------------------------===//

// An i64 that is the larger, the better the box: above, the score's bits in the order of integers; below, the place
// counted from the end. 0 and -0 are the same score.
static MlirValue key_of(suppress_t *s, MlirValue score, MlirValue place) {
  MlirType i32 = int_type(s, 32), i64 = int_type(s, 64);
  MlirValue zero = real(s, 0), width = strata__int_constant(&s->nest, i64, 32);
  score = strata__select(&s->nest, strata__compare(&s->nest, "oeq", score, zero), zero, score);
  MlirValue bits = cast(s, "arith.bitcast", score, i32);
  MlirValue flipped = op2(s, "arith.xori", bits, strata__int_constant(&s->nest, i32, INT32_MAX));
  MlirValue is_negative = is_less(s, bits, strata__int_constant(&s->nest, i32, 0));
  MlirValue high = cast(s, "arith.extsi", strata__select(&s->nest, is_negative, flipped, bits), i64);
  MlirValue from_end =
      op2(s, "arith.subi", strata__int_constant(&s->nest, i64, UINT32_MAX), cast(s, "arith.index_cast", place, i64));
  return op2(s, "arith.ori", op2(s, "arith.shli", high, width), from_end);
}

static MlirValue place_of(suppress_t *s, MlirValue key) {
  MlirType i64 = int_type(s, 64);
  MlirValue width = strata__int_constant(&s->nest, i64, 32);
  MlirValue from_end = op2(s, "arith.shrui", op2(s, "arith.shli", key, width), width);
  MlirValue place = op2(s, "arith.subi", strata__int_constant(&s->nest, i64, UINT32_MAX), from_end);
  return cast(s, "arith.index_cast", place, index_type(s));
}

// The places of boxes that score above the threshold, in order; how many they are.
static MlirValue collect_places(suppress_t *s) {
  strata__nest_t *nest = &s->nest;
  MlirValue zero = number(s, 0), count, result;
  strata__loop_t loop = strata__for_begin(nest, s->scores->sizes[2], 1, &zero, &count);
  const MlirAffineExpr point[3] = {strata__dim(nest, 0), strata__dim(nest, 1), strata__dim(nest, nest->n_dims - 1)};
  MlirValue score = strata__load(nest, s->scores, point);
  store_at(s, &s->heap, count, cast(s, "arith.index_cast", nest->dims[nest->n_dims - 1], int_type(s, 64)));
  MlirValue next = strata__select(nest, strata__compare(nest, "ogt", score, s->least), plus(s, count, 1), count);
  strata__for_end(nest, loop, 1, &next, &result);
  return result;
}

static void make_keys(suppress_t *s, MlirValue count) {
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), count, 1, 0, NULL, NULL);
  MlirValue place = cast(s, "arith.index_cast", load_at(s, &s->heap, loop.induction), index_type(s));
  store_at(s, &s->heap, loop.induction, key_of(s, load_at(s, s->scores, place), place));
  strata_emit_for_end(&s->nest.e, loop, 0, NULL, NULL);
}

//===-- The heap -------------------------------------------------------------------------------------------------===//

// The largest power of two in |x|, which is not 0.
static MlirValue log2_of(suppress_t *s, MlirValue x) {
  MlirType i64 = int_type(s, 64);
  MlirValue zeros = strata__unary(&s->nest, "math.ctlz", cast(s, "arith.index_cast", x, i64));
  return op2(s, "arith.subi", number(s, 63), cast(s, "arith.index_cast", zeros, index_type(s)));
}

// One level: the better child of |*at|, if it is better than |key|, moves up there.
static void sift_level(suppress_t *s, MlirValue count, MlirValue key, MlirValue *at) {
  strata__nest_t *nest = &s->nest;
  MlirValue last = plus(s, count, -1), left = plus(s, op2(s, "arith.addi", *at, *at), 1);
  MlirValue is_parent = is_less(s, left, count);
  left = op2(s, "arith.minsi", left, last);
  MlirValue right = op2(s, "arith.minsi", plus(s, left, 1), last);
  MlirValue left_key = load_at(s, &s->heap, left), right_key = load_at(s, &s->heap, right);
  MlirValue child = strata__select(nest, is_less(s, left_key, right_key), right, left);
  MlirValue child_key = op2(s, "arith.maxsi", left_key, right_key);
  MlirValue moves = both(s, is_parent, is_less(s, key, child_key));
  store_at(s, &s->heap, *at, strata__select(nest, moves, child_key, key));
  *at = strata__select(nest, moves, child, *at);
}

// Puts |key| where the heap of |count| keys has a gap, at |at|, or below.
static void sift(suppress_t *s, MlirValue count, MlirValue at, MlirValue key) {
  MlirValue level_at, end;
  MlirValue levels = op2(s, "arith.subi", log2_of(s, count), log2_of(s, plus(s, at, 1)));
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), levels, 1, 1, &at, &level_at);
  sift_level(s, count, key, &level_at);
  strata_emit_for_end(&s->nest.e, loop, 1, &level_at, &end);
  store_at(s, &s->heap, end, key);
}

static void build_heap(suppress_t *s, MlirValue count) {
  MlirValue parents = op2(s, "arith.shrui", count, number(s, 1));
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), parents, 1, 0, NULL, NULL);
  MlirValue at = op2(s, "arith.subi", plus(s, parents, -1), loop.induction);
  sift(s, count, at, load_at(s, &s->heap, at));
  strata_emit_for_end(&s->nest.e, loop, 0, NULL, NULL);
}

// Takes the root of |count| keys away; the place of its box.
static MlirValue take_best(suppress_t *s, MlirValue count) {
  MlirValue best = load_at(s, &s->heap, number(s, 0)), last = plus(s, count, -1);
  MlirValue is_left = strata__compare(&s->nest, "sgt", last, number(s, 0));
  strata_loop_t more = strata_emit_if_begin(&s->nest.e, is_left);
  sift(s, last, number(s, 0), load_at(s, &s->heap, last));
  strata_emit_if_end(&s->nest.e, more);
  return place_of(s, best);
}

//===-- Overlaps -------------------------------------------------------------------------------------------------===//

static void load_box(suppress_t *s, MlirValue place, MlirValue *box) {
  for (int i = 0; i < STRATA_BOX_SIDES; i++)
    box[i] = strata__load_at(&s->nest, s->sides, (MlirValue[]){s->image, number(s, i), place});
  MlirValue spans[2];
  for (int i = 0; i < 2; i++)
    spans[i] = op2(s, "arith.subf", box[STRATA_BOX_HIGH + i], box[STRATA_BOX_LOW + i]);
  box[AREA] = op2(s, "arith.mulf", spans[0], spans[1]);
}

static MlirValue kept_number(suppress_t *s, MlirValue at, int i, MlirValue stored) {
  const MlirValue point[4] = {s->image, s->class, number(s, i), at};
  if (mlirValueIsNull(stored))
    return strata__load_at(&s->nest, &s->kept, point);
  strata__store_at(&s->nest, &s->kept, point, stored);
  return stored;
}

static MlirValue is_positive(suppress_t *s, MlirValue x) { return strata__compare(&s->nest, "ogt", x, real(s, 0)); }

// Of numbers: where one is NaN, what it is compared with does not matter, as no ratio exceeds anything.
static MlirValue smaller(suppress_t *s, MlirValue x, MlirValue y) {
  return strata__select(&s->nest, strata__compare(&s->nest, "olt", x, y), x, y);
}
static MlirValue larger(suppress_t *s, MlirValue x, MlirValue y) {
  return strata__select(&s->nest, strata__compare(&s->nest, "ogt", x, y), x, y);
}

// Whether |box| and |other| overlap too much. What is not a box overlaps nothing.
static MlirValue overlaps(suppress_t *s, const MlirValue *box, const MlirValue *other) {
  MlirValue spans[2], zero = real(s, 0);
  for (int i = 0; i < 2; i++) {
    int low = STRATA_BOX_LOW + i, high = STRATA_BOX_HIGH + i;
    spans[i] =
        larger(s, op2(s, "arith.subf", smaller(s, box[high], other[high]), larger(s, box[low], other[low])), zero);
  }
  MlirValue common = op2(s, "arith.mulf", spans[0], spans[1]);
  MlirValue all = op2(s, "arith.subf", op2(s, "arith.addf", box[AREA], other[AREA]), common);
  MlirValue are_boxes = both(s, is_positive(s, box[AREA]), is_positive(s, other[AREA]));
  MlirValue is_ratio = both(s, is_positive(s, common), is_positive(s, all));
  MlirValue exceeds = strata__compare(&s->nest, "ogt", op2(s, "arith.divf", common, all), s->overlap);
  return both(s, both(s, are_boxes, is_ratio), exceeds);
}

// Whether |box| overlaps none of LANES kept boxes from |first| on. The loop is one that LLVM makes vectors of.
static MlirValue is_clear_of(suppress_t *s, const MlirValue *box, MlirValue first) {
  MlirType i32 = int_type(s, 32);
  MlirValue other[N_NUMBERS], none = strata__int_constant(&s->nest, i32, 0), so_far, result;
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), number(s, LANES), 1, 1, &none, &so_far);
  MlirValue at = op2(s, "arith.addi", first, loop.induction);
  for (int i = 0; i < N_NUMBERS; i++)
    other[i] = kept_number(s, at, i, (MlirValue){0});
  MlirValue next = op2(s, "arith.ori", so_far, cast(s, "arith.extui", overlaps(s, box, other), i32));
  strata_emit_for_end(&s->nest.e, loop, 1, &next, &result);
  return strata__compare(&s->nest, "eq", result, none);
}

// Whether it overlaps none of the |count| boxes that are kept; behind them are boxes without an area.
static MlirValue is_clear(suppress_t *s, const MlirValue *box, MlirValue count) {
  MlirValue yes = strata__int_constant(&s->nest, int_type(s, 1), 1), so_far, result;
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), count, LANES, 1, &yes, &so_far);
  MlirType type = int_type(s, 1);
  strata_loop_t choice = strata_emit_choice_begin(&s->nest.e, so_far, 1, &type);
  MlirValue next = is_clear_of(s, box, loop.induction);
  strata_emit_choice_else(&s->nest.e, choice, 1, &next);
  strata_emit_choice_end(&s->nest.e, choice, 1, &so_far, &next);
  strata_emit_for_end(&s->nest.e, loop, 1, &next, &result);
  return result;
}

// The first LANES boxes, before any is kept.
static void clear_lanes(suppress_t *s) {
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), number(s, LANES), 1, 0, NULL, NULL);
  for (int i = 0; i < N_NUMBERS; i++)
    kept_number(s, loop.induction, i, real(s, 0));
  strata_emit_for_end(&s->nest.e, loop, 0, NULL, NULL);
}

// Keeps the box at |place| as number |at|; LANES without an area follow again.
static void keep(suppress_t *s, MlirValue place, const MlirValue *box, MlirValue at) {
  for (int i = 0; i < N_NUMBERS; i++) {
    kept_number(s, at, i, box[i]);
    kept_number(s, plus(s, at, LANES), i, real(s, 0));
  }
  store_at(s, &s->found, at, cast(s, "arith.index_cast", place, int_type(s, 64)));
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

// Looks at the best of |count| boxes; how many are kept then.
static MlirValue look_at_best(suppress_t *s, MlirValue count, MlirValue n_kept) {
  MlirValue box[N_NUMBERS], place = take_best(s, count);
  load_box(s, place, box);
  MlirValue is_kept = is_clear(s, box, n_kept);
  strata_loop_t is_new = strata_emit_if_begin(&s->nest.e, is_kept);
  keep(s, place, box, n_kept);
  strata_emit_if_end(&s->nest.e, is_new);
  return strata__select(&s->nest, is_kept, plus(s, n_kept, 1), n_kept);
}

static MlirValue select_boxes(suppress_t *s, MlirValue count) {
  MlirValue zero = number(s, 0), n_kept, result;
  MlirType type = index_type(s);
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, zero, count, 1, 1, &zero, &n_kept);
  strata_loop_t choice = strata_emit_choice_begin(&s->nest.e, is_less(s, n_kept, s->most), 1, &type);
  MlirValue next = look_at_best(s, op2(s, "arith.subi", count, loop.induction), n_kept);
  strata_emit_choice_else(&s->nest.e, choice, 1, &next);
  strata_emit_choice_end(&s->nest.e, choice, 1, &n_kept, &next);
  strata_emit_for_end(&s->nest.e, loop, 1, &next, &result);
  return result;
}

static strata__tensor_t scratch(strata__lowering_t *l, MlirOperation op, strata_type_t type, int rank,
                                const strata_size_t *sizes) {
  strata_size_t *copies = strata_arena_array(l->compile->arena, strata_size_t, rank);
  for (int i = 0; i < rank; i++)
    copies[i] = sizes[i];
  strata__tensor_t tensor = {.type = type, .rank = rank, .sizes = copies};
  strata__place_anywhere(l, &tensor, mlirOperationGetLocation(op));
  return tensor;
}

// Places for what a class may have |room| of: keys, boxes, results.
static void place_scratch(strata__lowering_t *l, MlirOperation op, suppress_t *s, strata_size_t room) {
  const strata_size_t *sizes = s->scores->sizes;
  MlirAffineExpr lanes =
      mlirAffineAddExprGet(strata_size_expr(l->context, room), mlirAffineConstantExprGet(l->context, LANES));
  const strata_size_t kept[4] = {sizes[0], sizes[1], strata_size_constant(N_NUMBERS),
                                 strata_size_of_expr(&l->symbols, lanes)};
  const strata_size_t found[3] = {sizes[0], sizes[1], room};
  s->heap = scratch(l, op, STRATA_TYPE_I64, 3, sizes);
  s->kept = scratch(l, op, STRATA_TYPE_F32, 4, kept);
  s->found = scratch(l, op, STRATA_TYPE_I64, 3, found);
  s->counts = scratch(l, op, STRATA_TYPE_I64, 2, sizes);
}

static void begin_classes(strata__lowering_t *l, suppress_t *s, MlirOperation op, const char *name) {
  strata__nest_begin(l, &s->nest, op, name, 2, s->scores->sizes);
  s->nest.is_serial = true;
  s->nest.fast_math = (MlirAttribute){0}; // what decides is as ONNX Runtime has it
  s->image = strata__index_of(&s->nest, strata__dim(&s->nest, 0));
  s->class = strata__index_of(&s->nest, strata__dim(&s->nest, 1));
}

static void lower_classes(strata__lowering_t *l, suppress_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->nest;
  begin_classes(l, s, op, "suppress");
  s->overlap = strata__load(nest, strata__operand(l, op, 2), NULL);
  s->least = strata__load(nest, strata__operand(l, op, 3), NULL);
  MlirValue most = strata__load(nest, strata__operand(l, op, 4), NULL); // may be more than an index holds
  most = op2(s, "arith.minsi", most, cast(s, "arith.index_cast", strata__size(nest, room), int_type(s, 64)));
  most = op2(s, "arith.maxsi", most, strata__int_constant(nest, int_type(s, 64), 0));
  s->most = cast(s, "arith.index_cast", most, index_type(s));
  MlirValue count = strata__is_empty(s->scores) ? number(s, 0) : collect_places(s);
  make_keys(s, count);
  clear_lanes(s);
  build_heap(s, count);
  MlirValue n_kept = select_boxes(s, count);
  const MlirAffineExpr point[2] = {strata__dim(nest, 0), strata__dim(nest, 1)};
  strata__store(nest, &s->counts, point, cast(s, "arith.index_cast", n_kept, int_type(s, 64)));
  strata__nest_end(nest);
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static MlirValue count_of(suppress_t *s, MlirValue image, MlirValue class) {
  MlirValue count = strata__load_at(&s->nest, &s->counts, (MlirValue[]){image, class});
  return cast(s, "arith.index_cast", count, index_type(s));
}

// How many boxes the classes in front of number |end| have.
static MlirValue count_before(suppress_t *s, MlirValue end, MlirValue n_classes) {
  MlirValue zero = number(s, 0), so_far, result;
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, zero, end, 1, 1, &zero, &so_far);
  MlirValue one =
      count_of(s, op2(s, "arith.divui", loop.induction, n_classes), op2(s, "arith.remui", loop.induction, n_classes));
  MlirValue next = op2(s, "arith.addi", so_far, one);
  strata_emit_for_end(&s->nest.e, loop, 1, &next, &result);
  return result;
}

// Row |first| + |at| of the results: box |at| of the class.
static void store_row(suppress_t *s, const strata__tensor_t *rows, MlirValue first, MlirValue at) {
  MlirType i64 = int_type(s, 64);
  const MlirValue row[STRATA_BOX_FOUND] = {
      [STRATA_BOX_IMAGE] = cast(s, "arith.index_cast", s->image, i64),
      [STRATA_BOX_CLASS] = cast(s, "arith.index_cast", s->class, i64),
      [STRATA_BOX_NUMBER] = load_at(s, &s->found, at),
  };
  MlirValue point[2] = {op2(s, "arith.addi", first, at)};
  for (int i = 0; i < STRATA_BOX_FOUND; i++) {
    point[1] = number(s, i);
    strata__store_at(&s->nest, rows, point, row[i]);
  }
}

static void lower_rows(strata__lowering_t *l, suppress_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->nest;
  begin_classes(l, s, op, "suppress_rows");
  MlirValue n_classes = strata__size(nest, s->scores->sizes[1]);
  MlirValue class = op2(s, "arith.addi", op2(s, "arith.muli", s->image, n_classes), s->class);
  MlirValue first = count_before(s, class, n_classes), count = count_of(s, s->image, s->class);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, number(s, 0), count, 1, 0, NULL, NULL);
  store_row(s, strata__result(l, op, 0), first, loop.induction);
  strata_emit_for_end(&nest->e, loop, 0, NULL, NULL);
  strata__nest_end(nest);
}

static void lower_count(strata__lowering_t *l, suppress_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->nest;
  strata__nest_begin(l, nest, op, "suppress_count", 0, NULL);
  nest->is_serial = true;
  MlirValue n_classes = strata__size(nest, s->scores->sizes[1]);
  MlirValue all = op2(s, "arith.muli", strata__size(nest, s->scores->sizes[0]), n_classes);
  MlirValue count = count_before(s, all, n_classes);
  strata__store(nest, strata__result(l, op, 1), NULL, cast(s, "arith.index_cast", count, int_type(s, 64)));
  strata__nest_end(nest);
}

strata_status_t strata__lower_suppress(strata__lowering_t *l, MlirOperation op) {
  suppress_t s = {.sides = strata__operand(l, op, 0), .scores = strata__operand(l, op, 1)};
  strata_size_t room;
  strata__dims_attr(l, op, "room", &room);
  place_scratch(l, op, &s, room);
  lower_classes(l, &s, op, room);
  lower_rows(l, &s, op);
  lower_count(l, &s, op);
  return NULL;
}
