// The map from old values to their pieces, and the choice each value's pieces follow; see distribute.h.
#include "lowering/tile_to_cpu/distribute.h"

#include <assert.h>

typedef struct {
  strata_record_t record; // its class: values that share one decision
  bool wants_scalars;     // of the class's
  strata_pieces_t pieces; // values are NULL until defined
  unsigned run;           // the run that makes the pieces, one more than its number; 0: none
} value_t;

strata_records_t strata_cpu_records(strata_arena_t *arena) { return strata_records_create(arena, sizeof(value_t)); }

static value_t *record_of(strata_distribution_t *d, MlirValue old) { return strata_record_of(&d->values, old); }
static value_t *root_of(strata_distribution_t *d, MlirValue old) { return strata_record_root(&d->values, old); }

//===-- Layout ---------------------------------------------------------------------------------------------------===//

void strata_lanes_unify(strata_distribution_t *d, MlirValue a, MlirValue b) {
  value_t *other, *root = strata_records_unify(&d->values, a, b, &other);
  if (root)
    root->wants_scalars |= other->wants_scalars;
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
