// Index arithmetic with known ranges: affine expressions over the thread's number, the task's number and loop counters.
#ifndef STRATA_LOWERING_TILE_TO_GPU_INDEX_H
#define STRATA_LOWERING_TILE_TO_GPU_INDEX_H

#include "lowering/tile_to_gpu/distribute.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>

enum { STRATA_INDEX_DIMS = 40 };

typedef enum { STRATA_INDEX_VECTOR, STRATA_INDEX_THREAD, STRATA_INDEX_TASK, STRATA_INDEX_COUNTER } strata_index_kind_t;

// Dims: those of the vector, the thread, then tasks and counters as they are met, dim i in [0, extents[i]). Symbols are
// index values nothing is known of.
typedef struct {
  strata_gpu_distribution_t *d;
  int n_vector, n_dims, n_symbols;
  int64_t extents[STRATA_INDEX_DIMS];
  strata_index_kind_t kinds[STRATA_INDEX_DIMS];
  MlirValue dims[STRATA_INDEX_DIMS];    // of counters: the old induction value
  MlirValue symbols[STRATA_INDEX_DIMS]; // old values
} strata_index_space_t;

// The space of a value of |sizes|: its dims and the thread.
strata_index_space_t strata_index_space(strata_gpu_distribution_t *d, int rank, const int64_t *sizes);
// An old index value as an expression over the space, which grows by what it depends on.
MlirAffineExpr strata_index_resolve(strata_index_space_t *space, MlirValue old);
// The constant bounds of a loop's or forall's induction value, of a loop with tile.most the greatest; false if it has
// none.
bool strata_index_bounds(MlirValue old, int64_t *out_lower, int64_t *out_step, int64_t *out_trips);

// |expr| simplified.
MlirAffineExpr strata_index_simplify(const strata_index_space_t *space, MlirAffineExpr expr);
// The same where the vector's dims are at register |reg| of |layout|.
MlirAffineExpr strata_index_at(const strata_index_space_t *space, MlirAffineExpr expr, const strata_layout_t *layout,
                               int64_t reg);
// Its least and greatest value; false if unknown.
bool strata_index_range(const strata_index_space_t *space, MlirAffineExpr expr, int64_t *out_min, int64_t *out_max);
// Takes the constant term off |*expr|.
int64_t strata_index_split(MlirAffineExpr *expr);

// Emits an expression without vector dims as arith on index. Divisions of what cannot be negative are unsigned.
MlirValue strata_index_emit(strata_index_space_t *space, MlirAffineExpr expr);

#endif
