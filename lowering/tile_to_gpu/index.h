// Index arithmetic with known ranges: affine expressions over the thread's number, the task's number and loop counters,
// and over the sizes that vary.
#ifndef STRATA_LOWERING_TILE_TO_GPU_INDEX_H
#define STRATA_LOWERING_TILE_TO_GPU_INDEX_H

#include "lowering/tile_to_gpu/distribute.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>

enum { STRATA_INDEX_DIMS = 40, STRATA_INDEX_SYMBOLS = 128 };

typedef enum { STRATA_INDEX_VECTOR, STRATA_INDEX_THREAD, STRATA_INDEX_TASK, STRATA_INDEX_COUNTER } strata_index_kind_t;

// Dims: those of the vector and the thread, dim i in [0, extents[i]), then tasks and counters as they are met, in
// [0, counts[i]). Symbols are first those of the module (dialects/affine/symbols.h), then index values nothing is known
// of.
typedef struct {
  strata_gpu_distribution_t *d;
  int n_vector, n_dims, n_unknown;
  int64_t extents[STRATA_VALUE_RANK + 1];
  strata_size_t counts[STRATA_INDEX_DIMS];
  strata_index_kind_t kinds[STRATA_INDEX_DIMS];
  MlirValue dims[STRATA_INDEX_DIMS];    // of counters: the old induction value
  MlirValue unknown[STRATA_INDEX_DIMS]; // old values
} strata_index_space_t;

// The space of a value of |sizes|: its dims and the thread.
strata_index_space_t strata_index_space(strata_gpu_distribution_t *d, int rank, const int64_t *sizes);
// An old index value as an expression over the space, which grows by what it depends on.
MlirAffineExpr strata_index_resolve(strata_index_space_t *space, MlirValue old);
// A loop's bounds where they are constants, or its end a size, of a loop with tile.most the greatest; false if they are
// none.
bool strata_index_bounds(strata_gpu_distribution_t *d, MlirValue old, int64_t *out_lower, int64_t *out_step,
                         strata_size_t *out_trips);
// An old index value as a size: a constant, or an expression over the module's symbols; false if it is neither.
bool strata_index_size(strata_gpu_distribution_t *d, MlirValue old, strata_size_t *out);

// What is known of the space's dims and symbols, kept in |storage|.
const strata_space_t *strata_index_known(const strata_index_space_t *space, strata_static_space_t *storage);

// |expr| simplified.
MlirAffineExpr strata_index_simplify(const strata_index_space_t *space, MlirAffineExpr expr);
// The same where the vector's dims are at register |reg| of |layout|.
MlirAffineExpr strata_index_at(const strata_index_space_t *space, MlirAffineExpr expr, const strata_layout_t *layout,
                               int64_t reg);
// Its least and greatest value; false if unknown.
bool strata_index_range(const strata_index_space_t *space, MlirAffineExpr expr, int64_t *out_min, int64_t *out_max);
// True if it is never negative, as far as can be seen.
bool strata_index_is_nonnegative(const strata_index_space_t *space, MlirAffineExpr expr);
// A number that it is a multiple of, as far as can be seen the greatest; whether it is one of |by|.
int64_t strata_index_divisor(const strata_index_space_t *space, MlirAffineExpr expr);
bool strata_index_is_multiple(const strata_index_space_t *space, MlirAffineExpr expr, int64_t by);
// Takes the constant term off |*expr|.
int64_t strata_index_split(MlirAffineExpr *expr);

// Emits an expression without vector dims as arith on index. Divisions of what cannot be negative are unsigned.
MlirValue strata_index_emit(strata_index_space_t *space, MlirAffineExpr expr);
// Notes how large the sizes that vary can be, as some buffer of the kernel is as long as they are.
void strata_gpu_bound_sizes(strata_gpu_distribution_t *d);
// The value of a size; of |offset| more.
MlirValue strata_gpu_emit_size(strata_gpu_distribution_t *d, strata_size_t size);
MlirValue strata_gpu_emit_size_plus(strata_gpu_distribution_t *d, strata_size_t size, int64_t offset);
// The position in a buffer of the element that |op|, a memref.load or memref.store whose buffer is operand |buffer|,
// loads or stores.
MlirValue strata_gpu_emit_position(strata_gpu_distribution_t *d, MlirOperation op, int buffer);

// |expr| times, divided by (rounded down) and modulo a constant.
MlirAffineExpr strata_expr_times(MlirAffineExpr expr, int64_t by);
MlirAffineExpr strata_expr_div(MlirAffineExpr expr, int64_t by);
MlirAffineExpr strata_expr_mod(MlirAffineExpr expr, int64_t by);

#endif
