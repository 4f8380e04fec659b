// Choosing the rule of each op, and carrying piecewise ops out together.
//
// A block-level vector may be larger than the register file: the accumulators of a product are. Op after op, the code
// that follows would keep whole blocks of intermediate values alive. So consecutive piecewise ops on equally many
// pieces are collected into a run and emitted a few pieces at a time: load, compute, store; the next pieces.
#include "lowering/tile_to_cpu/distribute.h"

static const struct {
  const char *name;
  strata_rule_t rule;
  strata_prepare_t prepare; // one of the two
} rules[] = {
#define RULE(name, function) {name, function, NULL},
#define PIECEWISE(name, function) {name, NULL, function},
#include "lowering/tile_to_cpu/rules.def"
};

strata_status_t strata_rule_missing(MlirOperation op, const char *what) {
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_INTERNAL, "%.*s: %s is not supported", (int)name.length, name.data, what);
}

//===-- Runs -----------------------------------------------------------------------------------------------------===//

void strata_finish_run(strata_distribution_t *d) {
  if (d->run.count == 0)
    return;
  // Enough pieces at once to hide latencies, few enough to keep their intermediate values in registers.
  int64_t at_once = d->device->n_registers / 8, n_pieces = d->run.data[0]->pieces.n_pieces;
  MlirLocation location = d->e.location;
  for (int64_t first = 0; first < n_pieces; first += at_once)
    for (size_t i = 0; i < d->run.count; i++) {
      strata_step_t *step = d->run.data[i];
      d->e.location = mlirOperationGetLocation(step->op);
      for (int64_t piece = first; piece < n_pieces && piece < first + at_once; piece++)
        step->emit(d, step, piece);
    }
  d->e.location = location;
  d->run.count = 0;
  d->run_number++;
}

// Memory is read before it is written: what a run stores may be what it loads, element by element.
static bool fits(const strata_distribution_t *d, const strata_step_t *step) {
  if (d->run.count == 0)
    return true;
  const strata_step_t *last = d->run.data[d->run.count - 1];
  return last->pieces.n_pieces == step->pieces.n_pieces && !(last->writes && !step->writes);
}

static strata_status_t begin_step(strata_distribution_t *d, MlirOperation op, strata_prepare_t prepare) {
  strata_step_t *step = strata_arena_new(d->compile->arena, strata_step_t);
  step->op = op;
  STRATA_TRY(prepare(d, step));
  if (!step->emit)
    return NULL; // nothing to do
  if (!fits(d, step))
    strata_finish_run(d);
  *strata_vector_push(d->compile->arena, &d->run) = step;
  if (!step->writes)
    strata_pieces_define_later(d, mlirOperationGetResult(op, 0), &step->pieces);
  return NULL;
}

//===-- Ops ------------------------------------------------------------------------------------------------------===//

static bool gives_vector(MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0 && mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// Scalar operands are used as soon as an op is taken up.
static void settle_scalars(strata_distribution_t *d, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!mlirTypeIsAVector(mlirValueGetType(operand)) && strata_is_pending(d, operand))
      strata_finish_run(d);
  }
}

// A scalar without memory: it can be had at once, whatever is begun around it.
static strata_status_t emit_scalar(strata_distribution_t *d, MlirOperation op) {
  strata_step_t step = {.op = op};
  STRATA_TRY(strata_step_arithmetic(d, &step));
  step.emit(d, &step, 0);
  strata_pieces_define(d, mlirOperationGetResult(op, 0), &step.pieces);
  return NULL;
}

strata_status_t strata_distribute_op(strata_distribution_t *d, MlirOperation op) {
  d->e.location = mlirOperationGetLocation(op);
  settle_scalars(d, op);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    if (!strata_op_is(op, rules[i].name))
      continue;
    if (rules[i].prepare)
      return begin_step(d, op, rules[i].prepare);
    if (!strata_op_is(op, "arith.constant"))
      strata_finish_run(d);
    return rules[i].rule(d, op);
  }
  if (strata_op_is_arithmetic(op))
    return gives_vector(op) ? begin_step(d, op, strata_step_arithmetic) : emit_scalar(d, op);
  if (!strata_op_is(op, "affine.apply"))
    strata_finish_run(d);
  return strata_rule_structure(d, op);
}

strata_status_t strata_distribute_block(strata_distribution_t *d, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    STRATA_TRY(strata_distribute_op(d, op));
  return NULL;
}
