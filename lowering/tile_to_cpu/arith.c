// Arithmetic on pieces: ops of arith and math, one new op a piece, or what stands for it (lowering/expand).
#include "lowering/tile_to_cpu/distribute.h"

enum { MAX_OPERANDS = 8 };

typedef struct {
  int n_operands;
  strata_pieces_t operands[MAX_OPERANDS];
} arithmetic_t;

static int operands_at(const arithmetic_t *arithmetic, int64_t piece, MlirValue *out) {
  for (int i = 0; i < arithmetic->n_operands; i++) {
    const strata_pieces_t *operand = &arithmetic->operands[i];
    out[i] = operand->values[operand->rank == 0 ? 0 : piece]; // a scalar serves every piece
  }
  return arithmetic->n_operands;
}

static void emit_arithmetic(strata_distribution_t *d, strata_step_t *step, int64_t piece) {
  MlirValue operands[MAX_OPERANDS];
  int n_operands = operands_at(step->state, piece, operands);
  step->pieces.values[piece] =
      strata_emit_arithmetic(&d->arithmetic, step->op, n_operands, operands, strata_piece_type(&step->pieces, piece));
}

// Operands begun in this run have to be in the result's layout.
static void gather_operands(strata_distribution_t *d, strata_step_t *step, arithmetic_t *arithmetic) {
  for (int i = 0; i < arithmetic->n_operands; i++) {
    MlirValue old = mlirOperationGetOperand(step->op, i);
    if (strata_is_pending(d, old) && strata_pieces_of(d, old)->lanes != step->pieces.lanes)
      strata_finish_run(d);
    arithmetic->operands[i] = strata_pieces_as(d, old, step->pieces.lanes);
  }
}

strata_status_t strata_step_arithmetic(strata_distribution_t *d, strata_step_t *step) {
  arithmetic_t *arithmetic = strata_arena_new(d->compile->arena, arithmetic_t);
  arithmetic->n_operands = (int)mlirOperationGetNumOperands(step->op);
  if (mlirOperationGetNumResults(step->op) != 1 || arithmetic->n_operands > MAX_OPERANDS)
    return strata_rule_missing(step->op, "this number of operands or results");
  step->pieces = strata_pieces_new(d, mlirOperationGetResult(step->op, 0));
  gather_operands(d, step, arithmetic);
  step->state = arithmetic;
  step->emit = emit_arithmetic;
  return NULL;
}

static void emit_multiply_add_piece(strata_distribution_t *d, strata_step_t *step, int64_t piece) {
  MlirValue operands[MAX_OPERANDS];
  operands_at(step->state, piece, operands);
  step->pieces.values[piece] = strata_emit_multiply_add(&d->arithmetic, operands[0], operands[1], operands[2]);
}

// vector.fma has no scalar form.
strata_status_t strata_step_multiply_add(strata_distribution_t *d, strata_step_t *step) {
  STRATA_TRY(strata_step_arithmetic(d, step));
  step->emit = emit_multiply_add_piece;
  return NULL;
}
