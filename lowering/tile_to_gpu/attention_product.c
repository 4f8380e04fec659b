// Attention: the products of a step, of the thread's warp group.
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

enum { WORDS = STRATA_MMA_WORDS_A, PAIR = 2 };

//===-- Instructions ---------------------------------------------------------------------------------------------===//

// |steps| steps of the right operand in |slot| times |words|, or, if that is NULL, the group's rows of the left
// operand.
static void multiply(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, const strata_wgmma_t *w,
                     const MlirValue *words, MlirValue slot, int64_t right_slot, int64_t steps, bool adds,
                     MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  MlirValue right_at = strata_emit_times(e, slot, right_slot), left_at = {0};
  if (!words)
    left_at = strata_emit_times(e, a->kernel.group, strata_operand_at(w->left, STRATA_GROUP_ROWS, 0));
  if (!words && !mlirValueIsNull(a->rows_at))
    left_at = strata_emit_binary(e, "arith.addi", left_at, a->rows_at);
  for (int64_t step = 0; step < steps; step += w->mma->k) {
    MlirValue from[2];
    if (!words) {
      from[0] = w->left->memory;
      from[1] = strata_emit_plus(e, left_at, strata_operand_at(w->left, 0, step));
    }
    MlirValue at = strata_emit_plus(e, right_at, strata_operand_at(w->right, 0, step));
    strata_wgmma_emit(d, w, words ? words + step / w->mma->k * WORDS : from, at, adds || step > 0, sums);
  }
  strata_emit_op(e, STRATA_TILE_MMA_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

// The first instruction starts the scores.
void strata_gpu_attention_emit_scores(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                      const MlirValue *rows, MlirValue *out_scores) {
  const strata_pipelined_t *p = &a->kernel.product;
  const strata_shared_operand_t *left = &a->operands[STRATA_ATTENTION_ROWS].shared;
  const strata_ring_operand_t *keys = &a->operands[STRATA_ATTENTION_KEYS];
  const strata_wgmma_t w = {p->mma, p->sum, a->columns, a->holds_rows ? NULL : left, &keys->shared};
  multiply(d, a, &w, a->holds_rows ? rows : NULL, slot, keys->slot, left->steps, false, out_scores);
}

void strata_gpu_attention_emit_values(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                      const MlirValue *weights, MlirValue *sums) {
  const strata_pipelined_t *p = &a->kernel.product;
  const strata_ring_operand_t *values = &a->operands[STRATA_ATTENTION_VALUES];
  const strata_wgmma_t w = {p->mma, p->sum, p->n, NULL, &values->shared};
  multiply(d, a, &w, weights, slot, values->slot, a->columns, true, sums);
}

//===-- Left operands in registers -------------------------------------------------------------------------------===//

// Two neighbours along the columns are neighbours in the scores' layout, and four pairs a step of the instruction.
void strata_gpu_attention_emit_weights(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a,
                                       const strata_registers_t *registers, MlirValue *out_weights) {
  int64_t pair = PAIR, n = a->columns / 2 / PAIR;
  MlirType vector = mlirVectorTypeGet(1, &pair, registers->element);
  for (int64_t i = 0; i < n; i++)
    out_weights[i] =
        strata_emit_value(&d->e, "vector.from_elements", PAIR, registers->values + PAIR * i, vector, 0, NULL);
  strata_wgmma_emit_left(d, n, out_weights);
}

// Row warp * 16 + lane / 4 (+ 8) of the group's, elements 2 * (lane mod 4) (+ 8) of each step, whose unit of 16 bytes
// has changed places with the row.
int strata_gpu_attention_load_rows(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue *out_rows) {
  enum { EIGHT = 8, QUAD = 4, WARP_ROWS = 16 };
  strata_emitter_t *e = &d->e;
  const strata_shared_operand_t *rows = &a->operands[STRATA_ATTENTION_ROWS].shared;
  int64_t pair = PAIR, span = STRATA_SPAN / rows->element_bytes, n = 0;
  MlirType vector = mlirVectorTypeGet(1, &pair, rows->element);
  MlirValue quads = strata_emit_binary(e, "arith.divui", d->role.thread, strata_emit_index(e, QUAD));
  MlirValue row = strata_emit_binary(e, "arith.andi", quads, strata_emit_index(e, EIGHT - 1));
  MlirValue warp = strata_emit_binary(e, "arith.divui", quads, strata_emit_index(e, EIGHT));
  MlirValue column = strata_emit_binary(e, "arith.andi", d->role.thread, strata_emit_index(e, QUAD - 1));
  MlirValue at = strata_emit_binary(e, "arith.addi", strata_emit_times(e, warp, WARP_ROWS * span),
                                    strata_emit_times(e, row, span));
  at = strata_emit_binary(e, "arith.addi", at, strata_emit_times(e, column, PAIR));
  for (int64_t step = 0; step < rows->steps; step += EIGHT) {
    MlirValue unit = strata_emit_binary(e, "arith.xori", row, strata_emit_index(e, step % span / EIGHT));
    MlirValue place = strata_emit_binary(e, "arith.addi", at, strata_emit_times(e, unit, EIGHT));
    for (int64_t half = 0; half < 2; half++) {
      MlirValue operands[] = {rows->memory,
                              strata_emit_plus(e, place, step / span * span * rows->rows + half * EIGHT * span)};
      out_rows[n++] = strata_emit_value(e, "vector.load", 2, operands, vector, 0, NULL);
    }
  }
  strata_wgmma_emit_left(d, n, out_rows);
  return (int)n;
}

//===-- Values behind the last column ----------------------------------------------------------------------------===//

static MlirValue zeros(strata_gpu_distribution_t *d, MlirType element, int64_t count) {
  MlirValue scalars[STRATA_VECTOR_BYTES];
  MlirAttribute zero = mlirFloatAttrDoubleGet(d->e.context, element, 0);
  for (int64_t i = 0; i < count; i++)
    scalars[i] = strata_emit_constant(&d->e, element, zero);
  return strata_lanes_of_scalars(&d->e, count, scalars);
}

// Each span of the values has a row of 128 bytes a column, whose units are exchanged among themselves.
void strata_gpu_attention_clear_values(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                       MlirValue from) {
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *values = &a->operands[STRATA_ATTENTION_VALUES];
  const strata_shared_operand_t *shared = &values->shared;
  int64_t span = STRATA_SPAN / shared->element_bytes, unit = STRATA_VECTOR_BYTES / shared->element_bytes;
  MlirValue zero = zeros(d, shared->element, unit), first = strata_emit_times(e, slot, values->slot);
  MlirValue own = strata_emit_times(e, strata_emit_group_lane(d), unit);
  own = strata_emit_binary(e, "arith.addi", own, strata_emit_times(e, from, span));
  for (int64_t row = 0; row < shared->rows; row += span) {
    MlirValue begin = strata_emit_plus(e, first, row * shared->steps), at;
    strata_loop_t loop = strata_emit_for_begin(e, own, strata_emit_index(e, span * shared->steps),
                                               STRATA_GROUP_THREADS * unit, 0, NULL, NULL);
    at = strata_emit_binary(e, "arith.addi", begin, loop.induction);
    strata_lanes_store(e, zero, shared->memory, at);
    strata_emit_for_end(e, loop, 0, NULL, NULL);
  }
  strata_emit_fence(d, "shared");
  strata_emit_group_barrier(d, &a->kernel);
}
