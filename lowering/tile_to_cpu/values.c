// The map from old values to their pieces, and the choice each value's pieces follow; see distribute.h.
#include "lowering/tile_to_cpu/distribute.h"

#include <assert.h>

struct strata_record {
  MlirValue old;
  strata_record_t *parent; // union-find: values that share one decision; NULL at the root
  bool wants_scalars;      // of the root
  strata_pieces_t pieces;  // values are NULL until defined
  unsigned run;            // the run that makes the pieces, one more than its number; 0: none
};

static size_t hash_value(MlirValue value) { return (size_t)(((uintptr_t)value.ptr >> 3) * 0x9E3779B97F4A7C15u >> 16); }

static strata_record_t **find_place(const strata_distribution_t *d, MlirValue old) {
  size_t at = hash_value(old) & (d->capacity - 1);
  while (d->records[at] && !mlirValueEqual(d->records[at]->old, old))
    at = (at + 1) & (d->capacity - 1);
  return &d->records[at];
}

static void grow(strata_distribution_t *d) {
  strata_record_t **old = d->records;
  size_t old_capacity = d->capacity;
  d->capacity = old_capacity ? old_capacity * 2 : 256;
  d->records = strata_arena_array(d->compile->arena, strata_record_t *, d->capacity);
  for (size_t i = 0; i < old_capacity; i++)
    if (old[i])
      *find_place(d, old[i]->old) = old[i];
}

static strata_record_t *record_of(strata_distribution_t *d, MlirValue old) {
  if (d->n_records * 2 >= d->capacity)
    grow(d);
  strata_record_t **place = find_place(d, old);
  if (!*place) {
    *place = strata_arena_new(d->compile->arena, strata_record_t);
    (*place)->old = old;
    d->n_records++;
  }
  return *place;
}

//===-- Layout ---------------------------------------------------------------------------------------------------===//

static strata_record_t *root_of(strata_distribution_t *d, MlirValue old) {
  strata_record_t *record = record_of(d, old);
  while (record->parent) {
    if (record->parent->parent)
      record->parent = record->parent->parent;
    record = record->parent;
  }
  return record;
}

void strata_lanes_unify(strata_distribution_t *d, MlirValue a, MlirValue b) {
  strata_record_t *root_a = root_of(d, a), *root_b = root_of(d, b);
  if (root_a == root_b)
    return;
  root_b->parent = root_a;
  root_a->wants_scalars |= root_b->wants_scalars;
}

void strata_lanes_want_scalars(strata_distribution_t *d, MlirValue old) { root_of(d, old)->wants_scalars = true; }

int64_t strata_lanes_of(strata_distribution_t *d, MlirValue old) {
  return root_of(d, old)->wants_scalars ? 1 : d->lanes;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

strata_pieces_t strata_pieces_new(strata_distribution_t *d, MlirValue old) {
  strata_pieces_t pieces = strata_pieces_layout(mlirValueGetType(old), strata_lanes_of(d, old));
  pieces.values = strata_arena_array(d->compile->arena, MlirValue, pieces.n_pieces);
  return pieces;
}

void strata_pieces_define(strata_distribution_t *d, MlirValue old, const strata_pieces_t *pieces) {
  record_of(d, old)->pieces = *pieces;
}

void strata_pieces_define_later(strata_distribution_t *d, MlirValue old, const strata_pieces_t *pieces) {
  strata_pieces_define(d, old, pieces);
  record_of(d, old)->run = d->run_number + 1;
}

bool strata_is_pending(strata_distribution_t *d, MlirValue old) { return record_of(d, old)->run == d->run_number + 1; }

void strata_scalar_define(strata_distribution_t *d, MlirValue old, MlirValue scalar) {
  strata_pieces_t pieces = strata_pieces_new(d, old);
  pieces.values[0] = scalar;
  strata_pieces_define(d, old, &pieces);
}

const strata_pieces_t *strata_pieces_of(strata_distribution_t *d, MlirValue old) {
  const strata_pieces_t *pieces = &record_of(d, old)->pieces;
  assert(pieces->values && "a value is used before its definition was distributed");
  return pieces;
}

MlirValue strata_scalar_of(strata_distribution_t *d, MlirValue old) { return strata_pieces_of(d, old)->values[0]; }

strata_pieces_t strata_pieces_as(strata_distribution_t *d, MlirValue old, int64_t lanes) {
  const strata_pieces_t *pieces = strata_pieces_of(d, old);
  if (pieces->rank == 0 || pieces->lanes == lanes)
    return *pieces;
  strata_pieces_t moved = strata_pieces_layout(pieces->type, lanes);
  moved.values = strata_arena_array(d->compile->arena, MlirValue, moved.n_pieces);
  if (mlirValueIsAOpResult(old) && strata_op_is(mlirOpResultGetOwner(old), "arith.constant")) {
    strata_emit_dense(d, strata_attr(mlirOpResultGetOwner(old), "value"), &moved);
    return moved;
  }
  int64_t *elements = strata_arena_array(d->compile->arena, int64_t, pieces->n_elements);
  for (int64_t i = 0; i < pieces->n_elements; i++)
    elements[i] = i;
  for (int64_t i = 0; i < moved.n_pieces; i++)
    moved.values[i] =
        strata_pieces_gather(&d->e, pieces, strata_piece_length(&moved, i), elements + strata_piece_first(&moved, i));
  return moved;
}
