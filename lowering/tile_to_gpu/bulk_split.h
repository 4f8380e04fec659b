// Places in a vector's boxes, and dims of a buffer as two dims of its map. Internal to bulk*.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_BULK_SPLIT_H
#define STRATA_LOWERING_TILE_TO_GPU_BULK_SPLIT_H

#include "lowering/tile_to_gpu/bulk.h"

enum { STRATA_BULK_NO_DIM = -1 };

// |expr| where dim v of the vector is offsets[v], plus itself if it is |kept|.
MlirAffineExpr strata_bulk_at(const strata_bulk_t *bulk, MlirAffineExpr expr, const int64_t *offsets, bool kept);
// Which dim of the buffer dim |v| of the vector runs along in the part at |offsets|; NO_DIM if none or not linearly.
int strata_bulk_carrier(const strata_bulk_t *bulk, int v, const int64_t *offsets);
// True of the dim of the buffer along which pages lie anywhere.
bool strata_bulk_is_of_pages(const strata_bulk_t *bulk, int dim);
// The end of dim |i| of the map, which is one of the buffer's.
strata_size_t strata_bulk_end(const strata_bulk_t *bulk, int i);
int64_t strata_bulk_element_bytes(const strata_bulk_t *bulk);

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
