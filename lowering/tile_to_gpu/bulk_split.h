// Dims of a buffer as two dims of its map. Internal to bulk*.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_BULK_SPLIT_H
#define STRATA_LOWERING_TILE_TO_GPU_BULK_SPLIT_H

#include "lowering/tile_to_gpu/bulk.h"

enum { STRATA_BULK_NO_DIM = -1 };

// True if the constraint depends on the step that is loaded: what it leaves out must be zero.
bool strata_bulk_concerns_steps(const strata_bulk_t *bulk, MlirAffineExpr expr);

// Where all elements of the access lie in every n-th place along a dim: which of these, and which n-th that is. Not of
// windows, whose steps move along the dim: they have maps of their own (bulk_window.c). Returns the dim that the
// elements run along then; NO_DIM: none was split. |splits_rows|: rows that lie side by side in a buffer that has no
// dim for them are one more.
int strata_bulk_split_strides(strata_bulk_t *bulk, bool splits_rows);

// Where a dim is rows side by side, heads in a row of all of them, and the mask of |op| ends at a row's end: which row,
// and where in it.
void strata_bulk_split_rows(strata_bulk_t *bulk, MlirOperation op, int buffer);

#endif
