// strata.suppress, what its ways share (suppress.c): keys that order boxes, whether two overlap, where results go.
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_SUPPRESS_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_SUPPRESS_H

#include "lowering/strata_to_affine/lower.h"

enum { STRATA__BOX_AREA = STRATA_BOX_SIDES, STRATA__BOX_NUMBERS }; // of a box: its sides and its area

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *sides, *scores;
  strata__tensor_t found, counts; // places of boxes that are kept; how many these are
  MlirValue image, class;
  MlirValue overlap, least, most;
} strata__suppress_t;

// Element |at| of what |tensor| has for the class.
MlirValue strata__suppress_load(strata__suppress_t *s, const strata__tensor_t *tensor, MlirValue at);
void strata__suppress_store(strata__suppress_t *s, const strata__tensor_t *tensor, MlirValue at, MlirValue value);

// An i64 that is the larger, the better the box: of equal scores the first. None is INT64_MIN.
MlirValue strata__suppress_key(strata__suppress_t *s, MlirValue score, MlirValue place);
MlirValue strata__suppress_place(strata__suppress_t *s, MlirValue key);

// The sides of the box at |place|, and its area, which is made of the sides.
void strata__suppress_box(strata__suppress_t *s, MlirValue place, MlirValue *box);
void strata__suppress_area(strata__suppress_t *s, MlirValue *box);
// Whether two boxes overlap too much.
MlirValue strata__suppress_overlaps(strata__suppress_t *s, const MlirValue *box, const MlirValue *other);

// Memory between the nests.
strata__tensor_t strata__suppress_scratch(strata__lowering_t *l, MlirOperation op, strata_type_t type, int rank,
                                          const strata_size_t *sizes);
// A nest of the classes of all images, and as many points of each as |points|, if that is not null.
void strata__suppress_begin(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, const char *name,
                            const strata_size_t *points);
// The thresholds, and the most results of a class, |room| at most.
void strata__suppress_read_limits(strata__suppress_t *s, MlirOperation op, strata_size_t room);
void strata__suppress_store_count(strata__suppress_t *s, MlirValue n_kept);

// How many boxes a class has; how many the classes in front of number |end| have.
MlirValue strata__suppress_count(strata__suppress_t *s, MlirValue image, MlirValue class);
MlirValue strata__suppress_count_before(strata__suppress_t *s, MlirValue end, MlirValue n_classes);
// Row |first| + |at| of the results: box |at| of the class.
void strata__suppress_store_row(strata__suppress_t *s, const strata__tensor_t *rows, MlirValue first, MlirValue at);

// What is stored of the classes' boxes that score above the threshold, on a GPU (suppress_collect.c).
typedef struct {
  int64_t n_lanes;
  strata_size_t room;           // for boxes of a class, a multiple of lanes
  strata__tensor_t totals;      // of each class
  strata__tensor_t keys, sides; // filled up to a multiple of lanes by keys of none
} strata__collected_t;

strata__collected_t strata__suppress_collect(strata__lowering_t *l, const strata__suppress_t *of, MlirOperation op,
                                             int64_t n_lanes);
int64_t strata__suppress_n_lanes(const strata__lowering_t *l, const strata__suppress_t *of);
// What is no box's key, the least number.
MlirValue strata__suppress_no_key(strata__suppress_t *s);
// The class's boxes; how many times as many as lanes hold |count|.
MlirValue strata__collected_total(strata__suppress_t *s, const strata__collected_t *boxes);
MlirValue strata__collected_chunks(strata__suppress_t *s, const strata__collected_t *boxes, MlirValue count);
// The sides of box |at| and its area.
void strata__collected_box(strata__suppress_t *s, const strata__tensor_t *sides, MlirValue at, MlirValue *box);

// Stores the results of classes whose boxes have been found, |room| of each at most, by a point each.
void strata__suppress_store_rows(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, strata_size_t room);

// Whether a bit for each pair of boxes of a class is little memory.
bool strata__suppress_has_masks(const strata__lowering_t *l, const strata__suppress_t *s);

// Finds the boxes that are kept, and stores the rows of the results.
void strata__suppress_by_heap(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, strata_size_t room);
void strata__suppress_by_masks(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, strata_size_t room);
void strata__suppress_by_lanes(strata__lowering_t *l, strata__suppress_t *s, MlirOperation op, strata_size_t room);

//===-- Shorthands -----------------------------------------------------------------------------------------------===//
// Short names for the files that write these nests out.

static inline MlirType int_type(const strata__suppress_t *s, unsigned bits) {
  return mlirIntegerTypeGet(s->nest.lowering->context, bits);
}
static inline MlirType index_type(const strata__suppress_t *s) { return mlirIndexTypeGet(s->nest.lowering->context); }
static inline MlirValue number(strata__suppress_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }
static inline MlirValue real(strata__suppress_t *s, double value) {
  return strata__float_constant(&s->nest, mlirF32TypeGet(s->nest.lowering->context), value);
}
static inline MlirValue op2(strata__suppress_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}
static inline MlirValue plus(strata__suppress_t *s, MlirValue x, int64_t value) {
  return op2(s, "arith.addi", x, number(s, value));
}
static inline MlirValue both(strata__suppress_t *s, MlirValue x, MlirValue y) { return op2(s, "arith.andi", x, y); }
static inline MlirValue is_less(strata__suppress_t *s, MlirValue x, MlirValue y) {
  return strata__compare(&s->nest, "slt", x, y);
}
static inline MlirValue cast(strata__suppress_t *s, const char *name, MlirValue x, MlirType type) {
  return strata__cast(&s->nest, name, x, type);
}

#endif
