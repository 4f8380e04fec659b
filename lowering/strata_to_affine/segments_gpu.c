// Rows in sequences on a GPU: no thread walks a long sequence.
//
//   %m = "strata.segment_rows"(%offsets) : (tensor<4xi64>) -> tensor<100xi64>
// becomes
//   affine.parallel (%r) = (0) to (100) { %b = the last sequence that begins at row %r or in front, by bisection ... }
// and a reduction one of parts of sequences, of PART_ROWS rows at most, and one of those:
//   affine.parallel (%t, %j) = (0, 0) to (100 / 64 + 3, 8) { the sequence that part %t is of ... scf.for over its rows
//   } affine.parallel (%b, %j) = (0, 0) to (3, 8) { scf.for over the parts of sequence %b }
#include "lowering/strata_to_affine/segments.h"

enum { PART_ROWS = 64 };

static MlirValue op2(strata__nest_t *nest, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(nest, name, x, y);
}

static MlirValue number(strata__nest_t *nest, int64_t value) { return strata_emit_index(&nest->e, value); }

typedef struct {
  const strata__tensor_t *offsets;
  strata_size_t total;
} sequences_t;

//===-- The map of rows ------------------------------------------------------------------------------------------===//

static MlirValue first_row(strata__nest_t *nest, MlirValue sequence, void *user) {
  const sequences_t *s = user;
  MlirValue row = strata__load_at(nest, s->offsets, &sequence);
  return strata__to_index(nest, row);
}

void strata__lower_segment_rows_gpu(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *result = strata__result(l, op, 0);
  sequences_t s = {strata__operand(l, op, 0), result->sizes[0]};
  strata__nest_t nest;
  strata__nest_begin(l, &nest, op, "segment_rows", 1, &s.total);
  nest.is_serial = true;
  MlirValue row = strata__index_of(&nest, strata__dim(&nest, 0));
  MlirValue sequence = strata__segment_find(&nest, strata__segment_count(l, s.offsets), row, first_row, &s);
  sequence = strata__cast(&nest, "arith.index_cast", sequence, mlirIntegerTypeGet(l->context, 64));
  strata__store_at(&nest, result, &row, sequence);
  strata__nest_end(&nest);
}

//===-- Parts of sequences ---------------------------------------------------------------------------------------===//

static MlirValue first_part(strata__nest_t *nest, MlirValue sequence, void *user) {
  const sequences_t *s = user;
  MlirValue row = op2(nest, "arith.maxsi", first_row(nest, sequence, user), number(nest, 0));
  row = op2(nest, "arith.minsi", row, strata__size(nest, s->total));
  return op2(nest, "arith.addi", op2(nest, "arith.divui", row, number(nest, PART_ROWS)), sequence);
}

strata__span_t strata__segment_parts_of(strata__nest_t *nest, const strata__tensor_t *offsets, MlirValue at,
                                        strata_size_t total) {
  sequences_t s = {offsets, total};
  strata__span_t rows = strata__segment_span(nest, offsets, at, total);
  MlirValue begin = first_part(nest, at, &s), count = op2(nest, "arith.subi", rows.end, rows.begin);
  count =
      op2(nest, "arith.divui", op2(nest, "arith.addi", count, number(nest, PART_ROWS - 1)), number(nest, PART_ROWS));
  return (strata__span_t){begin, op2(nest, "arith.addi", begin, count)};
}

// The rows of part |part|; of an empty one none.
static strata__span_t rows_of_part(strata__nest_t *nest, sequences_t *s, MlirValue part) {
  strata_size_t count = strata__segment_count(nest->lowering, s->offsets);
  MlirValue sequence = strata__segment_find(nest, count, part, first_part, s);
  strata__span_t rows = strata__segment_span(nest, s->offsets, sequence, s->total);
  MlirValue before = op2(nest, "arith.subi", part, first_part(nest, sequence, s));
  MlirValue begin = op2(nest, "arith.addi", rows.begin, op2(nest, "arith.muli", before, number(nest, PART_ROWS)));
  begin = op2(nest, "arith.minsi", begin, rows.end);
  MlirValue end = op2(nest, "arith.minsi", op2(nest, "arith.addi", begin, number(nest, PART_ROWS)), rows.end);
  return (strata__span_t){begin, end};
}

const strata__tensor_t *strata__lower_segment_parts(strata__lowering_t *l, MlirOperation op,
                                                    const strata__tensor_t *rows, const strata__tensor_t *offsets) {
  sequences_t s = {offsets, rows->sizes[0]};
  strata_combiner_t combiner = strata_op_combiner(op);
  strata__tensor_t *parts = strata_arena_new(l->compile->arena, strata__tensor_t);
  strata_size_t *sizes = strata_arena_array(l->compile->arena, strata_size_t, STRATA_MAX_RANK);
  memcpy(sizes, rows->sizes, (size_t)rows->rank * sizeof *sizes);
  sizes[0] = strata__segment_parts(l, rows->sizes[0], strata__segment_count(l, offsets), PART_ROWS);
  *parts = (strata__tensor_t){.type = strata_type_info[rows->type].math_type, .rank = rows->rank, .sizes = sizes};
  strata__place_anywhere(l, parts, mlirOperationGetLocation(op));
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  strata__nest_begin_for(l, &nest, op, "segment_parts", parts, point);
  nest.is_serial = true;
  MlirValue total = strata__neutral_value(&nest, combiner, strata__math_type(l->context, rows->type));
  strata__span_t span = rows_of_part(&nest, &s, strata__index_of(&nest, point[0]));
  total = strata__segment_reduce_span(&nest, combiner, rows, span, point, total);
  strata__store(&nest, parts, point, total);
  strata__nest_end(&nest);
  return parts;
}
