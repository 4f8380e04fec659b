// The parts of a kernel of attention within sequences: segment_attention.c (on a cpu: tasks, operands, both products),
// segment_attention_rows.c (what lies between the products) and segment_attention_gpu.c (on GPUs).
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_SEGMENT_ATTENTION_H
#define STRATA_LOWERING_AFFINE_TO_TILE_SEGMENT_ATTENTION_H

#include "dialects/affine/segment_attention.h"
#include "lowering/affine_to_tile/attention_cpu.h"
#include "lowering/expand/ops.h"

typedef struct {
  strata_segment_attention_t a;
  strata_tile_attention_t t; // of it the arithmetic's flags alone
  int64_t tile_rows, window, panel, n_panels, square;
  strata_tile_chunks_t values;
  MlirValue queries, keys, panels, scores, results, maxima, sums, factors; // scratch; |panels| are values
  MlirAffineExpr head, first_row;                                          // of the rows in hand
  MlirAffineExpr first_key;                                                // of the tile in hand
  MlirValue n_rows, n_keys;                                                // as many
  MlirValue n_seen; // causal: keys from the tile's first on that the last row in hand sees
  // In hand.
  int64_t width;
  MlirAffineExpr row, column, panel_at;
} strata_segment_t;

// Arithmetic on indices.
static inline MlirValue strata_segment_smaller(strata_tile_builder_t *b, MlirValue x, MlirValue y) {
  return strata_emit_binary(&b->e, "arith.minsi", x, y);
}

static inline MlirValue strata_segment_minus(strata_tile_builder_t *b, MlirValue x, MlirValue y) {
  return strata_emit_binary(&b->e, "arith.subi", x, y);
}

// Field |which| of |tile|'s row of the table |tiles|, an index.
static inline MlirValue strata_segment_field(strata_tile_builder_t *b, MlirValue tiles, MlirAffineExpr tile,
                                             int which) {
  const MlirAffineExpr at[2] = {tile, strata_tile_constant(b, which)};
  strata_tile_value_t value = strata_tile_load(b, tiles, 2, at);
  return strata_emit_value(&b->e, "arith.index_cast", 1, &value.value, mlirIndexTypeGet(b->e.context), 0, NULL);
}

// As the result's buffer has it.
static inline strata_tile_value_t strata_segment_rounded(strata_tile_builder_t *b, strata_tile_value_t value,
                                                         MlirValue buffer) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  if (mlirTypeIsAF32(element) || b->status)
    return value;
  MlirType type = strata_tile_type(b, element, value.dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.truncf", 1, &value.value, type, 0, NULL), value.dims};
}

// The same kernel on a GPU (segment_attention_gpu.c).
STRATA_MUST_CHECK strata_status_t strata_tile_segment_attention_gpu(strata_tile_builder_t *b);

// |body| for each row in hand.
void strata_segment_for_each_row(strata_tile_builder_t *b, strata_segment_t *s,
                                 void (*body)(strata_tile_builder_t *b, strata_segment_t *s));
// Weights in place of all scores, their sums, and the factors of what the rows have gathered before.
void strata_segment_weigh_rows(strata_tile_builder_t *b, strata_segment_t *s);
// 1 / sum in its place; 1 of a row that has seen nothing.
void strata_segment_invert_sum(strata_tile_builder_t *b, strata_segment_t *s);

#endif
