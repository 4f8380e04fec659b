// Boxes that do not overlap: what its ways (suppress_heap.c, suppress_lanes.c, suppress_masks.c) share.
#include "lowering/strata_to_affine/suppress.h"

#include "passes/target.h"

//===-- Elements -------------------------------------------------------------------------------------------------===//

// Element |at| of what |tensor| has for the class.
MlirValue strata__suppress_load(strata__suppress_t *s, const strata__tensor_t *tensor, MlirValue at) {
  return strata__load_at(&s->nest, tensor, (MlirValue[]){s->image, s->class, at});
}

void strata__suppress_store(strata__suppress_t *s, const strata__tensor_t *tensor, MlirValue at, MlirValue value) {
  strata__store_at(&s->nest, tensor, (MlirValue[]){s->image, s->class, at}, value);
}

//===-- Keys -----------------------------------------------------------------------------------------------------===//

// An i64 that is the larger, the better the box: above, the score's bits in the order of integers; below, the place
// counted from the end. 0 and -0 are the same score.
MlirValue strata__suppress_key(strata__suppress_t *s, MlirValue score, MlirValue place) {
  MlirType i64 = int_type(s, 64);
  MlirValue width = strata__int_constant(&s->nest, i64, 32);
  MlirValue high = cast(s, "arith.extsi", strata__ordered_bits(&s->nest, score), i64);
  MlirValue from_end =
      op2(s, "arith.subi", strata__int_constant(&s->nest, i64, UINT32_MAX), cast(s, "arith.index_cast", place, i64));
  return op2(s, "arith.ori", op2(s, "arith.shli", high, width), from_end);
}

MlirValue strata__suppress_place(strata__suppress_t *s, MlirValue key) {
  MlirType i64 = int_type(s, 64);
  MlirValue width = strata__int_constant(&s->nest, i64, 32);
  MlirValue from_end = op2(s, "arith.shrui", op2(s, "arith.shli", key, width), width);
  MlirValue place = op2(s, "arith.subi", strata__int_constant(&s->nest, i64, UINT32_MAX), from_end);
  return strata__to_index(&s->nest, place);
}

//===-- Overlaps -------------------------------------------------------------------------------------------------===//

void strata__suppress_area(strata__suppress_t *s, MlirValue *box) {
  MlirValue spans[2];
  for (int i = 0; i < 2; i++)
    spans[i] = op2(s, "arith.subf", box[STRATA_BOX_HIGH + i], box[STRATA_BOX_LOW + i]);
  box[STRATA__BOX_AREA] = op2(s, "arith.mulf", spans[0], spans[1]);
}

void strata__suppress_box(strata__suppress_t *s, MlirValue place, MlirValue *box) {
  for (int i = 0; i < STRATA_BOX_SIDES; i++)
    box[i] = strata__load_at(&s->nest, s->sides, (MlirValue[]){s->image, number(s, i), place});
  strata__suppress_area(s, box);
}

static MlirValue is_positive(strata__suppress_t *s, MlirValue x) {
  return strata__compare(&s->nest, "ogt", x, real(s, 0));
}

// Of numbers: where one is NaN, what it is compared with does not matter, as no ratio exceeds anything.
static MlirValue smaller(strata__suppress_t *s, MlirValue x, MlirValue y) {
  return strata__select(&s->nest, strata__compare(&s->nest, "olt", x, y), x, y);
}
static MlirValue larger(strata__suppress_t *s, MlirValue x, MlirValue y) {
  return strata__select(&s->nest, strata__compare(&s->nest, "ogt", x, y), x, y);
}

// Whether |box| and |other| overlap too much. What is not a box overlaps nothing.
MlirValue strata__suppress_overlaps(strata__suppress_t *s, const MlirValue *box, const MlirValue *other) {
  MlirValue spans[2], zero = real(s, 0);
  for (int i = 0; i < 2; i++) {
    int low = STRATA_BOX_LOW + i, high = STRATA_BOX_HIGH + i;
    spans[i] =
        larger(s, op2(s, "arith.subf", smaller(s, box[high], other[high]), larger(s, box[low], other[low])), zero);
  }
  MlirValue common = op2(s, "arith.mulf", spans[0], spans[1]);
  MlirValue all = op2(s, "arith.subf", op2(s, "arith.addf", box[STRATA__BOX_AREA], other[STRATA__BOX_AREA]), common);
  MlirValue are_boxes = both(s, is_positive(s, box[STRATA__BOX_AREA]), is_positive(s, other[STRATA__BOX_AREA]));
  MlirValue is_ratio = both(s, is_positive(s, common), is_positive(s, all));
  if (strata_target_is_gpu(s->nest.lowering->compile)) { // where the quotient of 0 takes far longer than others
    common = strata__select(&s->nest, is_ratio, common, real(s, 1));
    all = strata__select(&s->nest, is_ratio, all, real(s, 1));
  }
  MlirValue exceeds = strata__compare(&s->nest, "ogt", op2(s, "arith.divf", common, all), s->overlap);
  return both(s, both(s, are_boxes, is_ratio), exceeds);
}

//===-- Nests and memory -----------------------------------------------------------------------------------------===//

strata__tensor_t strata__suppress_scratch(strata__lowering_t *l, MlirOperation op, strata_type_t type, int rank,
                                          const strata_size_t *sizes) {
  strata_size_t *copies = strata_arena_array(l->compile->arena, strata_size_t, rank);
  for (int i = 0; i < rank; i++)
    copies[i] = sizes[i];
  strata__tensor_t tensor = {.type = type, .rank = rank, .sizes = copies};
  strata__place_anywhere(l, &tensor, mlirOperationGetLocation(op));
  return tensor;
}

void strata__suppress_begin(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, const char *name,
                            const strata_size_t *points) {
  const strata_size_t sizes[3] = {s->scores->sizes[0], s->scores->sizes[1], points ? *points : strata_size_constant(1)};
  strata__nest_begin(l, &s->nest, op, name, points ? 3 : 2, sizes);
  s->nest.is_serial = true;
  s->nest.fast_math = (MlirAttribute){0}; // what decides is as ONNX Runtime has it
  s->image = strata__index_of(&s->nest, strata__dim(&s->nest, 0));
  s->class = strata__index_of(&s->nest, strata__dim(&s->nest, 1));
}

void strata__suppress_read_limits(strata__suppress_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->nest;
  strata__lowering_t *l = nest->lowering;
  s->overlap = strata__load(nest, strata__operand(l, op, 2), NULL);
  s->least = strata__load(nest, strata__operand(l, op, 3), NULL);
  MlirValue most = strata__load(nest, strata__operand(l, op, 4), NULL); // may be more than an index holds
  most = op2(s, "arith.minsi", most, cast(s, "arith.index_cast", strata__size(nest, room), int_type(s, 64)));
  most = op2(s, "arith.maxsi", most, strata__int_constant(nest, int_type(s, 64), 0));
  s->most = strata__to_index(&s->nest, most);
}

void strata__suppress_store_count(strata__suppress_t *s, MlirValue n_kept) {
  const MlirAffineExpr point[2] = {strata__dim(&s->nest, 0), strata__dim(&s->nest, 1)};
  strata__store(&s->nest, &s->counts, point, cast(s, "arith.index_cast", n_kept, int_type(s, 64)));
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

MlirValue strata__suppress_count(strata__suppress_t *s, MlirValue image, MlirValue class) {
  MlirValue count = strata__load_at(&s->nest, &s->counts, (MlirValue[]){image, class});
  return strata__to_index(&s->nest, count);
}

// How many boxes the classes in front of number |end| have.
MlirValue strata__suppress_count_before(strata__suppress_t *s, MlirValue end, MlirValue n_classes) {
  MlirValue zero = number(s, 0), so_far, result;
  strata_loop_t loop = strata_emit_for_begin(&s->nest.e, zero, end, 1, 1, &zero, &so_far);
  MlirValue one = strata__suppress_count(s, op2(s, "arith.divui", loop.induction, n_classes),
                                         op2(s, "arith.remui", loop.induction, n_classes));
  MlirValue next = op2(s, "arith.addi", so_far, one);
  strata_emit_for_end(&s->nest.e, loop, 1, &next, &result);
  return result;
}

// Row |first| + |at| of the results: box |at| of the class.
void strata__suppress_store_row(strata__suppress_t *s, const strata__tensor_t *rows, MlirValue first, MlirValue at) {
  MlirType i64 = int_type(s, 64);
  const MlirValue row[STRATA_BOX_FOUND] = {
      [STRATA_BOX_IMAGE] = cast(s, "arith.index_cast", s->image, i64),
      [STRATA_BOX_CLASS] = cast(s, "arith.index_cast", s->class, i64),
      [STRATA_BOX_NUMBER] = strata__suppress_load(s, &s->found, at),
  };
  MlirValue point[2] = {op2(s, "arith.addi", first, at)};
  for (int i = 0; i < STRATA_BOX_FOUND; i++) {
    point[1] = number(s, i);
    strata__store_at(&s->nest, rows, point, row[i]);
  }
}

// A point a row of each class.
void strata__suppress_store_rows(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, strata_size_t room) {
  strata__nest_t *nest = &s->nest;
  strata__suppress_begin(l, s, op, "suppress_rows", &room);
  MlirValue at = strata__index_of(nest, strata__dim(nest, 2));
  MlirValue exists = strata__compare(nest, "slt", at, strata__suppress_count(s, s->image, s->class));
  strata_loop_t branch = strata_emit_if_begin(&nest->e, exists);
  MlirValue n_classes = strata__size(nest, s->scores->sizes[1]);
  MlirValue class = op2(s, "arith.addi", op2(s, "arith.muli", s->image, n_classes), s->class);
  MlirValue first = strata__suppress_count_before(s, class, n_classes);
  strata__suppress_store_row(s, strata__result(l, op, 0), first, at);
  strata_emit_if_end(&nest->e, branch);
  strata__nest_end(nest);
}

static void lower_count(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op) {
  strata__nest_t *nest = &s->nest;
  strata__nest_begin(l, nest, op, "suppress_count", 0, NULL);
  nest->is_serial = true;
  MlirValue n_classes = strata__size(nest, s->scores->sizes[1]);
  MlirValue all = op2(s, "arith.muli", strata__size(nest, s->scores->sizes[0]), n_classes);
  MlirValue count = strata__suppress_count_before(s, all, n_classes);
  strata__store(nest, strata__result(l, op, 1), NULL, cast(s, "arith.index_cast", count, int_type(s, 64)));
  strata__nest_end(nest);
}

strata_status_t strata__lower_suppress(strata__lowering_t *l, MlirOperation op) {
  strata__suppress_t s = {.sides = strata__operand(l, op, 0), .scores = strata__operand(l, op, 1)};
  strata_size_t room;
  strata__dims_attr(l, op, "room", &room);
  const strata_size_t *sizes = s.scores->sizes, found[3] = {sizes[0], sizes[1], room};
  s.found = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 3, found);
  s.counts = strata__suppress_scratch(l, op, STRATA_TYPE_I64, 2, sizes);
  if (!strata_target_is_gpu(l->compile) || strata__is_empty(s.scores))
    strata__suppress_by_heap(l, &s, op, room);
  else if (strata__suppress_has_masks(l, &s))
    strata__suppress_by_masks(l, &s, op, room);
  else
    strata__suppress_by_lanes(l, &s, op, room);
  lower_count(l, &s, op);
  return NULL;
}
