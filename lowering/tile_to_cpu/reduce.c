// vector.multi_reduction and vector.reduction.
//
// Pieces are combined pairwise, as a tree; then the lanes of what is left, halving; then the start value. The order is
// fixed by the vector's shape and the native lanes alone, so results do not depend on the optimiser.
#include "lowering/tile_to_cpu/distribute.h"

// Combines |count| values of one type into values[0]; false if the kind is unknown.
static bool combine_tree(strata_distribution_t *d, MlirAttribute kind, int64_t count, MlirValue *values) {
  for (; count > 1; count = (count + 1) / 2)
    for (int64_t i = 0; i < count / 2; i++) {
      values[i] = strata_emit_combine(&d->e, kind, values[2 * i], values[2 * i + 1]);
      if (mlirValueIsNull(values[i]))
        return false;
      if (i == count / 2 - 1 && count % 2)
        values[i + 1] = values[count - 1];
    }
  return true;
}

static MlirValue lanes_from(strata_distribution_t *d, MlirValue vector, int64_t first, int64_t count) {
  int64_t mask[64];
  for (int64_t i = 0; i < count; i++)
    mask[i] = first + i;
  return count == 1 ? strata_lanes_extract(&d->e, vector, first)
                    : strata_lanes_shuffle(&d->e, vector, vector, count, mask);
}

// All lanes of a piece in one scalar: the upper half onto the lower one; an odd lane waits for the end.
static MlirValue combine_lanes(strata_distribution_t *d, MlirAttribute kind, MlirValue vector, int64_t length) {
  MlirValue rest = {0};
  while (length > 1) {
    if (length % 2) {
      MlirValue last = strata_lanes_extract(&d->e, vector, --length);
      rest = mlirValueIsNull(rest) ? last : strata_emit_combine(&d->e, kind, rest, last);
    }
    length /= 2;
    vector = strata_emit_combine(&d->e, kind, lanes_from(d, vector, 0, length), lanes_from(d, vector, length, length));
    if (mlirValueIsNull(vector))
      return vector;
  }
  return mlirValueIsNull(rest) ? vector : strata_emit_combine(&d->e, kind, vector, rest);
}

typedef struct {
  strata_distribution_t *d;
  MlirAttribute kind;
  strata_pieces_t source;
  bool is_reduced[STRATA_VECTOR_RANK];
  int64_t n_rows, *rows; // the rows of the source behind the result's point in hand
} reduction_t;

// The rows of the source whose kept coordinates are those of the result's row |kept|.
static void find_rows(reduction_t *r, int64_t kept) {
  r->n_rows = 0;
  int64_t n_rows = r->source.n_elements / r->source.row_length;
  for (int64_t row = 0; row < n_rows; row++) {
    int64_t rest = row, number = 0, stride = 1;
    for (int dim = r->source.rank - 1; dim-- > 0; rest /= r->source.sizes[dim])
      if (!r->is_reduced[dim]) {
        number += rest % r->source.sizes[dim] * stride;
        stride *= r->source.sizes[dim];
      }
    if (number == kept)
      r->rows[r->n_rows++] = row;
  }
}

// One column of pieces over the rows in hand, combined.
static MlirValue combine_column(reduction_t *r, int64_t column, MlirValue *values) {
  for (int64_t i = 0; i < r->n_rows; i++)
    values[i] = r->source.values[r->rows[i] * r->source.per_row + column];
  return combine_tree(r->d, r->kind, r->n_rows, values) ? values[0] : (MlirValue){0};
}

// Everything in the rows in hand as one scalar. Short pieces at the ends of rows are combined on their own.
static MlirValue combine_rows(reduction_t *r, MlirValue *values) {
  int64_t per_row = r->source.per_row, count = 0;
  int64_t tail = strata_piece_length(&r->source, per_row - 1);
  int64_t n_full = tail == r->source.lanes ? per_row : per_row - 1;
  MlirValue *column = values + r->n_rows * per_row;
  MlirValue short_piece = n_full < per_row ? combine_column(r, per_row - 1, column) : (MlirValue){0};
  for (int64_t i = 0; i < r->n_rows; i++)
    for (int64_t j = 0; j < n_full; j++)
      values[count++] = r->source.values[r->rows[i] * per_row + j];
  MlirValue total = {0};
  if (count > 0 && combine_tree(r->d, r->kind, count, values))
    total = combine_lanes(r->d, r->kind, values[0], r->source.lanes);
  if (n_full == per_row || mlirValueIsNull(short_piece))
    return total;
  MlirValue rest = combine_lanes(r->d, r->kind, short_piece, tail);
  return mlirValueIsNull(total) ? rest : strata_emit_combine(&r->d->e, r->kind, total, rest);
}

// A vector.reduction is over its only dim.
static void read_dims(reduction_t *r, MlirOperation op) {
  int64_t dims[STRATA_VECTOR_RANK] = {0};
  int count = strata_attr_i64s(op, "reduction_dims", STRATA_VECTOR_RANK, dims);
  for (int i = 0; i < (count < 0 ? 1 : count); i++)
    r->is_reduced[dims[i]] = true;
}

strata_status_t strata_rule_reduction(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  reduction_t r = {.d = d, .kind = strata_attr(op, "kind")};
  strata_pieces_t pieces = strata_pieces_new(d, result);
  read_dims(&r, op);
  r.source = *strata_pieces_of(d, mlirOperationGetOperand(op, 0));
  if (r.source.rank == 0)
    return strata_rule_missing(op, "a scalar");
  bool keeps_lanes = !r.is_reduced[r.source.rank - 1];
  if (keeps_lanes)
    r.source = strata_pieces_as(d, mlirOperationGetOperand(op, 0), pieces.lanes);
  r.rows = strata_arena_array(d->compile->arena, int64_t, r.source.n_pieces);
  MlirValue *values = strata_arena_array(d->compile->arena, MlirValue, 2 * r.source.n_pieces);
  bool has_start = mlirOperationGetNumOperands(op) > 1;
  strata_pieces_t start = has_start ? strata_pieces_as(d, mlirOperationGetOperand(op, 1), pieces.lanes) : pieces;
  for (int64_t i = 0; i < pieces.n_pieces; i++) {
    find_rows(&r, keeps_lanes ? i / pieces.per_row : i);
    MlirValue value = keeps_lanes ? combine_column(&r, i % pieces.per_row, values) : combine_rows(&r, values);
    if (!mlirValueIsNull(value) && has_start)
      value = strata_emit_combine(&d->e, r.kind, start.values[i], value);
    if (mlirValueIsNull(value))
      return strata_rule_missing(op, "this kind of reduction");
    pieces.values[i] = value;
  }
  strata_pieces_define(d, result, &pieces);
  return NULL;
}
