// Attention: the products of a step, of the thread's warp group.
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/attention.h"

enum { MAX_SUMS = 128, WORDS = STRATA_MMA_WORDS_A, PAIR = 2 };

//===-- Operands -------------------------------------------------------------------------------------------------===//

static int64_t span_of(const strata_gpu_attention_operand_t *operand) {
  return STRATA_SPAN / strata_element_bytes(operand->element);
}

// How the operand lies, as tile.mma_async says it.
static MlirAttribute describe(MlirContext context, const strata_gpu_attention_operand_t *operand) {
  int64_t lead = operand->crossed ? STRATA_SPAN * operand->steps : 0;
  return strata_i64s_attr(context, 4, (int64_t[]){operand->crossed, STRATA_SPAN, lead, STRATA_SPAN * STRATA_SPAN_ROWS});
}

// Elements from a slot's beginning to step |step|.
static int64_t step_at(const strata_gpu_attention_operand_t *operand, int64_t step) {
  int64_t span = span_of(operand);
  return operand->crossed ? step * span : step / span * span * operand->rows + step % span;
}

// Elements to the rows of the next warp group.
static int64_t group_size(const strata_gpu_attention_operand_t *operand) {
  return STRATA_GROUP_ROWS * (operand->crossed ? operand->steps : span_of(operand));
}

//===-- Instructions ---------------------------------------------------------------------------------------------===//

static void emit_product(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, const char *name,
                         int n_operands, const MlirValue *operands, int64_t n,
                         const strata_gpu_attention_operand_t *left, const strata_gpu_attention_operand_t *right,
                         MlirValue *out_sums) {
  MlirContext context = d->e.context;
  MlirType types[MAX_SUMS];
  for (int64_t i = 0; i < n / 2; i++)
    types[i] = a->kernel.product.sum;
  strata_named_attr_t attrs[] = {{"kind", strata_str_attr(context, a->mma->name)},
                                 {"n", strata_i64_attr(context, n)},
                                 {"right", describe(context, right)},
                                 {"left", left ? describe(context, left) : (MlirAttribute){0}}};
  MlirOperation op = strata_emit_op(&d->e, name, n_operands, operands, (int)(n / 2), types, left ? 4 : 3, attrs);
  for (int64_t i = 0; i < n / 2; i++)
    out_sums[i] = mlirOperationGetResult(op, i);
}

// The first instruction starts the scores.
void strata_gpu_attention_emit_scores(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                      const MlirValue *rows, MlirValue *out_scores) {
  strata_emitter_t *e = &d->e;
  const strata_gpu_attention_operand_t *left = &a->operands[STRATA_ATTENTION_ROWS];
  const strata_gpu_attention_operand_t *keys = &a->operands[STRATA_ATTENTION_KEYS];
  MlirValue left_at = {0}, right_at = strata_emit_times(e, slot, keys->slot);
  if (!a->holds_rows)
    left_at = strata_emit_times(e, a->kernel.group, group_size(left));
  int n_sums = (int)(a->columns / 2);
  for (int64_t step = 0; step < left->steps; step += a->mma->k) {
    MlirValue operands[WORDS + 2 + MAX_SUMS];
    int n = 0;
    for (int i = 0; a->holds_rows && i < WORDS; i++)
      operands[n++] = *rows++;
    if (!a->holds_rows) {
      operands[n++] = left->memory;
      operands[n++] = strata_emit_plus(e, left_at, step_at(left, step));
    }
    operands[n++] = keys->memory;
    operands[n++] = strata_emit_plus(e, right_at, step_at(keys, step));
    for (int i = 0; i < n_sums && step > 0; i++)
      operands[n++] = out_scores[i];
    emit_product(d, a, a->holds_rows ? STRATA_TILE_MMA_REGISTERS : STRATA_TILE_MMA_ASYNC, n, operands, a->columns,
                 a->holds_rows ? NULL : left, keys, out_scores);
  }
  strata_emit_op(e, STRATA_TILE_MMA_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

void strata_gpu_attention_emit_values(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                      const MlirValue *weights, MlirValue *sums) {
  enum { FIXED = WORDS + 2 };
  strata_emitter_t *e = &d->e;
  const strata_gpu_attention_operand_t *values = &a->operands[STRATA_ATTENTION_VALUES];
  MlirValue right_at = strata_emit_times(e, slot, values->slot);
  int n_sums = (int)(a->kernel.product.n / 2);
  for (int64_t step = 0; step < a->columns; step += a->mma->k, weights += WORDS) {
    MlirValue operands[FIXED + MAX_SUMS] = {weights[0],     weights[1],
                                            weights[2],     weights[3],
                                            values->memory, strata_emit_plus(e, right_at, step_at(values, step))};
    for (int i = 0; i < n_sums; i++)
      operands[FIXED + i] = sums[i];
    emit_product(d, a, STRATA_TILE_MMA_REGISTERS, FIXED + n_sums, operands, a->kernel.product.n, NULL, values, sums);
  }
  strata_emit_op(e, STRATA_TILE_MMA_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

//===-- Left operands in registers -------------------------------------------------------------------------------===//

static void emit_left(strata_gpu_distribution_t *d, int64_t n, MlirValue *pairs) {
  MlirType types[MAX_SUMS], type = mlirValueGetType(pairs[0]);
  for (int64_t i = 0; i < MAX_SUMS; i++)
    types[i] = type;
  MlirOperation op = strata_emit_op(&d->e, STRATA_TILE_MMA_LEFT, (int)n, pairs, (int)n, types, 0, NULL);
  for (int64_t i = 0; i < n; i++)
    pairs[i] = mlirOperationGetResult(op, i);
}

// Two neighbours along the columns are neighbours in the scores' layout, and four pairs a step of the instruction.
void strata_gpu_attention_emit_weights(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a,
                                       const strata_registers_t *registers, MlirValue *out_weights) {
  int64_t pair = PAIR, n = a->columns / 2 / PAIR;
  MlirType vector = mlirVectorTypeGet(1, &pair, registers->element);
  for (int64_t i = 0; i < n; i++)
    out_weights[i] =
        strata_emit_value(&d->e, "vector.from_elements", PAIR, registers->values + PAIR * i, vector, 0, NULL);
  emit_left(d, n, out_weights);
}

// Row warp * 16 + lane / 4 (+ 8) of the group's, elements 2 * (lane mod 4) (+ 8) of each step, whose unit of 16 bytes
// has changed places with the row.
int strata_gpu_attention_load_rows(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue *out_rows) {
  enum { EIGHT = 8, QUAD = 4, WARP_ROWS = 16 };
  strata_emitter_t *e = &d->e;
  const strata_gpu_attention_operand_t *rows = &a->operands[STRATA_ATTENTION_ROWS];
  int64_t pair = PAIR, span = span_of(rows), n = 0;
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
  emit_left(d, n, out_rows);
  return (int)n;
}
