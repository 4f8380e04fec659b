// What the files of value.h share: value.c (scalar code), value_access.c (coordinates, loads and stores), value_guard.c
// (what is read where it is there).
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_VALUE_PARTS_H
#define STRATA_LOWERING_AFFINE_TO_TILE_VALUE_PARTS_H

#include "lowering/affine_to_tile/value.h"

//===-- Coordinates and accesses (value_access.c) ----------------------------------------------------------------===//

// |expr| over |n_dims| dims of a nest at |point|.
MlirAffineExpr strata_tile_at_point(strata_tile_builder_t *b, int n_dims, MlirAffineExpr expr,
                                    const MlirAffineExpr *point);
// The vector dims that coordinates depend on, a mask.
uint32_t strata_tile_dims_of(const strata_tile_builder_t *b, int rank, const MlirAffineExpr *coordinates);

// The load of a nest at a point.
typedef struct {
  const strata_nest_t *nest;
  const strata_access_t *access;
  const MlirAffineExpr *point;
} strata_tile_reader_t;

// Of memory itself; outside of it |pad|, unless that is null.
strata_tile_value_t strata_tile_load_memory(strata_tile_builder_t *b, MlirValue memory, int rank,
                                            const MlirAffineExpr *coordinates, MlirAttribute pad);
// What hangs over the buffer's edge is zero, and so is what else the nest does not have: no bounds but the buffer's.
strata_tile_value_t strata_tile_load_padded(strata_tile_builder_t *b, MlirValue memory, int rank,
                                            const MlirAffineExpr *coordinates);
// strata_tile_load for |reader|; NULL: what loads it is no load of a nest.
strata_tile_value_t strata_tile_load_for(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                         const MlirAffineExpr *coordinates, const strata_tile_reader_t *reader);

//===-- Index expressions (value.c) ------------------------------------------------------------------------------===//

// An index expression as a value: a scalar where no vector dim is in it; over |dims|.
strata_tile_value_t strata_tile_index_value(strata_tile_builder_t *b, MlirAffineExpr expr);
MlirValue strata_tile_indices(strata_tile_builder_t *b, MlirAffineExpr expr, uint32_t dims);

//===-- Guards (value_guard.c) -----------------------------------------------------------------------------------===//

// The value of an affine.if: read with padding where it is no more than that, else chosen.
strata_tile_value_t strata_tile_guard(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation guard);

#endif
