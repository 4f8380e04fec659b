// Attention: the consumers' loop.
//
//   scores of step 0; wait; what follows from them
//   for each step j but the last:
//     issue scores of step j + 1; issue values of step j
//     wait for the scores; what follows from them alone
//     wait for the values; what needs them too: the sums rescaled, the weights packed
//   values of the last step; wait
//
// so that the matrix instructions of two steps are under way while the arithmetic of one is done. The weights are
// packed once the product that reads the last ones is done: packed earlier they would want other registers, and the
// assembler gives up.
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/values.h"

enum { MAX_SUMS = 128, FIXED = 3 }; // an scf.for's bounds come before what it carries

typedef struct {
  strata_gpu_distribution_t *d;
  strata_gpu_attention_t *a;
  MlirBlock body;
  int n_carried;
  STRATA_VECTOR(MlirOperation) late; // what waits for the values' product
  MlirValue scores[MAX_SUMS], weights[MAX_SUMS / 2];
} walk_t;

// What one step hands to the next: place of its values, all that the loop carries, the weights.
typedef struct {
  MlirValue values[STRATA_EMIT_CARRIED];
  int count, sums, weights; // where the sums and the weights begin
} state_t;

enum { SLOT, PARITY, CARRIED };

//===-- Early and late -------------------------------------------------------------------------------------------===//

static bool is_late(const walk_t *w, MlirOperation op) {
  for (size_t i = 0; i < w->late.count; i++)
    if (mlirOperationEqual(w->late.data[i], op))
      return true;
  return false;
}

static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

static bool needs_sums(const walk_t *w, MlirOperation op) {
  MlirValue sums = mlirBlockGetArgument(w->body, w->a->carried + 1);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueEqual(value, sums) || (mlirValueIsAOpResult(value) && is_late(w, mlirOpResultGetOwner(value))))
      return true;
  }
  return false;
}

static strata_status_t find_late(walk_t *w) {
  MlirValue weights = mlirOperationGetOperand(w->a->values, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(w->body); !mlirOperationEqual(op, w->a->values);
       op = mlirOperationGetNextInBlock(op)) {
    bool packs =
        mlirValueIsAOpResult(weights) && mlirOperationEqual(mlirOpResultGetOwner(weights), op) && has_one_use(weights);
    if (packs || needs_sums(w, op))
      *strata_vector_push(w->d->compile->arena, &w->late) = op;
    if (mlirOperationGetNumRegions(op) > 0)
      return strata_gpu_missing(op, "a region in a pipeline");
  }
  if (!has_one_use(mlirOperationGetResult(w->a->values, 0)))
    return strata_gpu_missing(w->a->values, "sums that are not only carried");
  if (is_late(w, w->a->scores))
    return strata_gpu_missing(w->a->scores, "scores that depend on the sums");
  return NULL;
}

// Products and what they fetch are emitted apart.
static bool is_product(const walk_t *w, MlirOperation op) {
  bool result = mlirOperationEqual(op, w->a->scores) || mlirOperationEqual(op, w->a->values);
  for (int which = STRATA_ATTENTION_KEYS; which < STRATA_ATTENTION_OPERANDS; which++)
    result |= mlirOperationEqual(op, w->a->operands[which].load);
  return result;
}

static strata_status_t emit_ops(walk_t *w, bool late) {
  MlirOperation end = mlirBlockGetTerminator(w->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(w->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!is_product(w, op) && is_late(w, op) == late)
      STRATA_TRY(strata_gpu_distribute_op(w->d, op));
  return NULL;
}

//===-- State ----------------------------------------------------------------------------------------------------===//

static MlirValue result_of(const walk_t *w, int i) { return mlirOperationGetResult(w->a->kernel.loop, i); }

static strata_registers_t registers_like(walk_t *w, int i) {
  MlirValue result = result_of(w, i);
  return strata_registers_in(w->d, mlirValueGetType(result), strata_layout_of(w->d, result));
}

// Defines the old loop's carried value |i| in its body as the registers from |values| on.
static int define_argument(walk_t *w, int i, const MlirValue *values) {
  strata_registers_t registers = registers_like(w, i);
  memcpy(registers.values, values, (size_t)registers.count * sizeof *values);
  strata_registers_define(w->d, mlirBlockGetArgument(w->body, i + 1), &registers);
  return (int)registers.count;
}

static strata_status_t push(walk_t *w, state_t *state, int i, MlirValue old) {
  strata_registers_t registers;
  STRATA_TRY(strata_registers_as(w->d, old, strata_layout_of(w->d, result_of(w, i)), &registers));
  memcpy(state->values + state->count, registers.values, (size_t)registers.count * sizeof *registers.values);
  state->count += (int)registers.count;
  return NULL;
}

// After all of a step but its second product.
static strata_status_t collect(walk_t *w, strata_ring_place_t place, state_t *state) {
  MlirOperation yield = mlirBlockGetTerminator(w->body);
  state->values[SLOT] = place.slot;
  state->values[PARITY] = place.parity;
  state->count = CARRIED;
  for (int i = 0; i < w->n_carried; i++) {
    bool is_sums = i == w->a->carried;
    if (is_sums)
      state->sums = state->count;
    STRATA_TRY(push(w, state, i, mlirOperationGetOperand(is_sums ? w->a->values : yield, is_sums ? 2 : i)));
  }
  int n_weights = (int)(w->a->columns / 4);
  state->weights = state->count;
  memcpy(state->values + state->count, w->weights, (size_t)n_weights * sizeof *w->weights);
  state->count += n_weights;
  return NULL;
}

// Carried values as the next step's body sees them; the sums are defined once they are there.
static void define_arguments(walk_t *w, const state_t *state) {
  int at = CARRIED;
  for (int i = 0; i < w->n_carried; i++)
    at += define_argument(w, i, state->values + at);
}

static void define_step(walk_t *w, MlirValue step) {
  MlirValue induction = mlirBlockGetArgument(w->body, 0);
  strata_gpu_record_of(w->d, induction)->counter = step;
  strata_define_scalar(w->d, induction, step);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static int64_t n_sums(const walk_t *w) { return w->a->kernel.product.n / 2; }

static void issue_scores(walk_t *w, strata_ring_place_t place) {
  strata_phase_wait(w->d, w->a->operands[STRATA_ATTENTION_KEYS].full, place.slot, place.parity);
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_FENCE, 0, NULL, -1);
  strata_gpu_attention_emit_scores(w->d, w->a, place.slot, w->scores);
}

static void issue_values(walk_t *w, strata_ring_place_t place, state_t *state) {
  strata_phase_wait(w->d, w->a->operands[STRATA_ATTENTION_VALUES].full, place.slot, place.parity);
  MlirValue *sums = state->values + state->sums;
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_FENCE, n_sums(w), sums, -1);
  strata_gpu_attention_emit_values(w->d, w->a, place.slot, state->values + state->weights, sums);
}

// |pending|: groups issued since.
static void await_scores(walk_t *w, strata_ring_place_t place, int64_t pending) {
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_WAIT, w->a->columns / 2, w->scores, pending);
  strata_emit_group_arrive(w->d, w->a->operands[STRATA_ATTENTION_KEYS].empty, place.slot);
}

static void await_values(walk_t *w, strata_ring_place_t place, state_t *state) {
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_WAIT, n_sums(w), state->values + state->sums, 0);
  strata_emit_group_arrive(w->d, w->a->operands[STRATA_ATTENTION_VALUES].empty, place.slot);
}

static void define_scores(walk_t *w) {
  MlirValue result = mlirOperationGetResult(w->a->scores, 0);
  strata_registers_t registers = strata_registers_in(w->d, mlirValueGetType(result), &w->a->layout);
  memcpy(registers.values, w->scores, (size_t)registers.count * sizeof *w->scores);
  strata_registers_define(w->d, result, &registers);
}

static strata_status_t emit_early(walk_t *w) {
  define_scores(w);
  return emit_ops(w, false);
}

static strata_status_t emit_late(walk_t *w) {
  strata_registers_t weights;
  STRATA_TRY(emit_ops(w, true));
  STRATA_TRY(strata_registers_as(w->d, mlirOperationGetOperand(w->a->values, 0), &w->a->layout, &weights));
  strata_gpu_attention_emit_weights(w->d, w->a, &weights, w->weights);
  return NULL;
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

static void release_rows(walk_t *w) {
  MlirValue first = strata_emit_index(&w->d->e, 0);
  strata_emit_group_arrive(w->d, w->a->operands[STRATA_ATTENTION_ROWS].empty, first);
}

static strata_status_t emit_first(walk_t *w, state_t *state) {
  strata_emitter_t *e = &w->d->e;
  strata_ring_place_t place = w->a->kernel.place;
  strata_phase_wait(w->d, w->a->operands[STRATA_ATTENTION_ROWS].full, strata_emit_index(e, 0), w->a->parity);
  issue_scores(w, place);
  define_step(w, strata_emit_index(e, 0));
  state->count = CARRIED;
  for (int i = 0; i < w->n_carried; i++)
    STRATA_TRY(push(w, state, i, mlirOperationGetOperand(w->a->kernel.loop, FIXED + i)));
  define_arguments(w, state);
  await_scores(w, place, 0);
  STRATA_TRY(emit_early(w));
  STRATA_TRY(emit_late(w));
  return collect(w, place, state);
}

static strata_status_t emit_step(walk_t *w, MlirValue step, state_t *state) {
  strata_emitter_t *e = &w->d->e;
  strata_ring_place_t place = {state->values[SLOT], state->values[PARITY]}, next = place;
  strata_ring_advance(w->d, w->a->kernel.product.slots, &next);
  issue_scores(w, next);
  issue_values(w, place, state);
  define_step(w, strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, 1)));
  define_arguments(w, state);
  await_scores(w, next, 1);
  STRATA_TRY(emit_early(w));
  await_values(w, place, state);
  define_argument(w, w->a->carried, state->values + state->sums);
  STRATA_TRY(emit_late(w));
  return collect(w, next, state);
}

static strata_status_t emit_steps(walk_t *w, state_t *state) {
  strata_emitter_t *e = &w->d->e;
  bool was_dirty = w->d->is_dirty, was_read = w->d->is_read;
  w->d->is_dirty = w->d->is_read = true;
  w->d->loop_depth++;
  strata_loop_t loop = strata_emit_for_begin(e, strata_emit_index(e, 0), strata_emit_index(e, w->a->kernel.n_steps - 1),
                                             1, state->count, state->values, state->values);
  STRATA_TRY(emit_step(w, loop.induction, state));
  strata_emit_for_end(e, loop, state->count, state->values, state->values);
  w->d->loop_depth--;
  w->d->is_dirty |= was_dirty;
  w->d->is_read |= was_read;
  return NULL;
}

static void emit_last(walk_t *w, state_t *state) {
  strata_ring_place_t place = {state->values[SLOT], state->values[PARITY]};
  issue_values(w, place, state);
  await_values(w, place, state);
  strata_ring_advance(w->d, w->a->kernel.product.slots, &place);
  w->a->kernel.place = place;
}

static void define_results(walk_t *w, const state_t *state) {
  int at = CARRIED;
  for (int i = 0; i < w->n_carried; i++) {
    strata_registers_t registers = registers_like(w, i);
    memcpy(registers.values, state->values + at, (size_t)registers.count * sizeof *registers.values);
    strata_registers_define(w->d, result_of(w, i), &registers);
    at += (int)registers.count;
  }
}

strata_status_t strata_gpu_attention_loop(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  walk_t w = {.d = d, .a = a, .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(a->kernel.loop, 0))};
  state_t state = {.count = 0};
  w.n_carried = (int)mlirOperationGetNumResults(a->kernel.loop);
  STRATA_TRY(find_late(&w));
  STRATA_TRY(emit_first(&w, &state));
  if (a->kernel.n_steps > 1)
    STRATA_TRY(emit_steps(&w, &state));
  release_rows(&w);
  emit_last(&w, &state);
  define_results(&w, &state);
  return NULL;
}
