// Loops around a contraction whose matrix instructions need not wait for the barrier: fragments of the next step's
// first chunk are read before this step's last chunk is multiplied.
//
// Where threads copy both operands, into s slots:
//   copies of steps 0 to s - 1; step 0 waited for; barrier; fragments of its first chunk
//   scf.for %k = 0 to n iter_args(sums, fragments of the first chunk) {
//     products of all chunks but the last, each behind the reads of the next one
//     step k + 1 waited for; barrier, behind which nobody reads step k any more
//     fragments of the next step's first chunk; copies of step k + s into its slot; products of the last chunk }
//
// Where operands pass through registers, into two slots:
//   loads of step 0, stored; loads of step 1; barrier; fragments of the first chunk
//   n - 1 times, in a loop over pairs of them, iter_args(sums, fragments of the first chunk, what was loaded) {
//     products of all chunks but the last, as above
//     stores of step k + 1 into the other slot, which nobody reads since the last barrier; loads of step k + 2; barrier
//     fragments of the next step's first chunk; products of the last chunk }
//   products of step n - 1
// In a pair slots are constants, so that no address is computed, and fragments change places with the next ones, so
// that none is moved. There is no branch: the scheduler may put memory's instructions between the products. The last
// iteration loads step n - 1 a second time.
//
// What warps copy instead (warp_copies.c) takes the same way: the copies of step k + 1 are waited for where it would be
// stored, and those of step k + 2, into the slot of step k, begin at once behind the barrier, where nobody reads that
// any more: they have the whole of step k + 1 then.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/contract_loop.h"
#include "lowering/tile_to_gpu/index.h"

typedef strata_pipeline_t pipeline_t;

static const strata_product_t *product(const pipeline_t *p) { return &p->products[0]; }

static bool are_both_copied(const pipeline_t *p) {
  return strata_pipeline_copies(p, 0) && strata_pipeline_copies(p, 1);
}

// Loads of tiles that hang over have addresses and conditions of their own, which wait in registers as well.
static bool hangs_over(const pipeline_t *p) {
  for (size_t i = 0; i < p->loads.count; i++)
    if (!mlirAttributeIsNull(strata_attr(p->loads.data[i], "mask")) ||
        !mlirAttributeIsNull(strata_attr(p->loads.data[i], "pad")))
      return true;
  return false;
}

// Whether fragments of two chunks fit beside all else where operands pass through registers: not beside a pair's sums,
// nor beside much that is loaded; a warp of few lanes has fewer to spare.
static bool fit_beside(const pipeline_t *p) {
  enum { MANY_LANES = 64 };
  return p->n_products == 1 && strata_pipeline_loaded(p) <= STRATA_GPU_LOADED_AHEAD &&
         (p->d->device->lanes >= MANY_LANES || !hangs_over(p));
}

bool strata_pipeline_reads_ahead(const pipeline_t *p) {
  return product(p)->mma && (are_both_copied(p) || (strata_gpu_stages_by_threads(p->d->device) && fit_beside(p)));
}

// The first form: whose slots are filled by nothing else, each thread's copies where it likes.
static bool are_copied_ahead(const pipeline_t *p) {
  return are_both_copied(p) && !strata_gpu_stages_by_threads(p->d->device);
}

static MlirValue following(pipeline_t *p, MlirValue step) {
  return strata_emit_binary(&p->d->e, "arith.addi", step, strata_emit_index(&p->d->e, 1));
}

// Room for the fragments, behind the sums.
static void begin_fragments(pipeline_t *p, MlirValue slot) {
  p->n_ahead = strata_product_fragments(product(p));
  while (p->state.count < (size_t)(p->n_sums + p->n_ahead))
    *strata_vector_push(p->d->compile->arena, &p->state) = (MlirValue){0};
  strata_product_begin(p->d, product(p), slot, p->state.data + p->n_sums);
}

// Fragments of the first chunk in |slot| while those of the last chunk are multiplied.
static MlirValue *begin_next(pipeline_t *p, MlirValue slot) {
  MlirValue *next = strata_arena_array(p->d->compile->arena, MlirValue, p->n_ahead);
  strata_product_begin(p->d, product(p), slot, next);
  return next;
}

static void multiply_last(pipeline_t *p, const MlirValue *next) {
  MlirValue *sums = p->state.data, *fragments = sums + p->n_sums;
  strata_product_multiply(p->d, product(p), fragments, sums);
  if (next)
    memcpy(fragments, next, (size_t)p->n_ahead * sizeof *next);
}

//===-- Operands that are copied ---------------------------------------------------------------------------------===//

// Copies of the step that takes the slot of |step|, without a branch: products go on around them.
static strata_status_t copy_into(pipeline_t *p, MlirValue step, MlirValue slot) {
  strata_emitter_t *e = &p->d->e;
  MlirValue last = strata_gpu_emit_size_plus(p->d, p->n_steps, -1);
  MlirValue next = strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, p->n_slots));
  MlirValue exists = strata_emit_cmpi(e, STRATA_SLE, next, last);
  STRATA_TRY(strata_pipeline_copy(p, strata_emit_binary(e, "arith.minsi", next, last), slot, exists));
  strata_pipeline_commit(p);
  return NULL;
}

static strata_status_t begin_copied(pipeline_t *p) {
  STRATA_TRY(strata_pipeline_first_copies(p, p->n_slots));
  strata_pipeline_wait(p, p->n_slots - 1);
  return strata_emit_barrier(p->d);
}

static strata_status_t step_copied(pipeline_t *p, MlirValue step) {
  MlirValue slot = strata_pipeline_slot(p, step);
  strata_product_go_on(p->d, product(p), slot, p->state.data + p->n_sums, p->state.data);
  strata_pipeline_wait(p, p->n_slots - 2);
  STRATA_TRY(strata_emit_barrier(p->d));
  MlirValue *next = begin_next(p, strata_pipeline_slot(p, following(p, step)));
  STRATA_TRY(copy_into(p, step, slot));
  multiply_last(p, next);
  return NULL;
}

//===-- Operands in registers ------------------------------------------------------------------------------------===//

// Loads of step |step|, or of the last one if there are not as many.
static strata_status_t load_or_last(pipeline_t *p, MlirValue step) {
  MlirValue last = strata_gpu_emit_size_plus(p->d, p->n_steps, -1);
  return strata_pipeline_load(p, strata_emit_binary(&p->d->e, "arith.minsi", step, last));
}

// Copies of that step into |slot|, those that there are.
static strata_status_t copy_or_last(pipeline_t *p, MlirValue step, MlirValue slot) {
  if (!strata_pipeline_has_copies(p))
    return NULL;
  MlirValue last = strata_gpu_emit_size_plus(p->d, p->n_steps, -1);
  STRATA_TRY(strata_pipeline_copy(p, strata_emit_binary(&p->d->e, "arith.minsi", step, last), slot, (MlirValue){0}));
  strata_pipeline_commit(p);
  return NULL;
}

static void wait_for_copies(pipeline_t *p) {
  if (strata_pipeline_has_copies(p))
    strata_pipeline_wait(p, 0);
}

static strata_status_t begin_staged(pipeline_t *p) {
  MlirValue zero = strata_emit_index(&p->d->e, 0);
  STRATA_TRY(copy_or_last(p, zero, zero));
  STRATA_TRY(strata_pipeline_load(p, zero));
  STRATA_TRY(strata_pipeline_store(p, zero, zero));
  wait_for_copies(p);
  return strata_emit_shared_barrier(p->d);
}

// All of step |step| in |slot|, and the operands of the next one into the other slot.
static strata_status_t step_staged(pipeline_t *p, MlirValue step, int64_t slot) {
  strata_emitter_t *e = &p->d->e;
  MlirValue own_slot = strata_emit_index(e, slot), next_slot = strata_emit_index(e, !slot);
  MlirValue next_step = following(p, step), step_after = following(p, next_step);
  strata_product_go_on(p->d, product(p), own_slot, p->state.data + p->n_sums, p->state.data);
  STRATA_TRY(strata_pipeline_store(p, next_step, next_slot));
  wait_for_copies(p);
  STRATA_TRY(load_or_last(p, step_after));
  STRATA_TRY(strata_emit_shared_barrier(p->d));
  STRATA_TRY(copy_or_last(p, step_after, own_slot));
  multiply_last(p, begin_next(p, next_slot));
  return NULL;
}

static strata_status_t step_pair(pipeline_t *p, MlirValue pair) {
  MlirValue first = strata_emit_times(&p->d->e, pair, 2);
  STRATA_TRY(step_staged(p, first, 0));
  return step_staged(p, following(p, first), 1);
}

// The last but one, |step|, where it is no second one of a pair.
static strata_status_t step_odd(pipeline_t *p, MlirValue step) {
  strata_emitter_t *e = &p->d->e;
  int n = (int)p->state.count;
  int64_t n_steps;
  if (strata_size_is_constant(p->n_steps, &n_steps))
    return n_steps % 2 ? NULL : step_staged(p, step, 0);
  MlirValue *old = strata_arena_array(p->d->compile->arena, MlirValue, n);
  MlirType *types = strata_arena_array(p->d->compile->arena, MlirType, n);
  for (int i = 0; i < n; i++) {
    old[i] = p->state.data[i];
    types[i] = mlirValueGetType(old[i]);
  }
  MlirValue is_even =
      strata_emit_cmpi(e, STRATA_EQ, strata_emit_with(e, "arith.andi", step, 1), strata_emit_index(e, 0));
  MlirValue is_first = strata_emit_cmpi(e, STRATA_SLE, strata_emit_index(e, 0), step);
  strata_loop_t choice = strata_emit_choice_begin(e, strata_emit_binary(e, "arith.andi", is_even, is_first), n, types);
  STRATA_TRY(step_staged(p, step, 0));
  strata_emit_choice_else(e, choice, n, p->state.data);
  strata_emit_choice_end(e, choice, n, old, p->state.data);
  return NULL;
}

// Nothing may be on its way to shared memory when its slots are done with.
static void finish_staged(pipeline_t *p) {
  MlirValue last = strata_gpu_emit_size_plus(p->d, p->n_steps, -1);
  strata_product_go_on(p->d, product(p), strata_pipeline_slot(p, last), p->state.data + p->n_sums, p->state.data);
  wait_for_copies(p);
  multiply_last(p, NULL);
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

static strata_status_t emit_loop(pipeline_t *p, MlirValue end,
                                 strata_status_t (*emit_step)(pipeline_t *p, MlirValue step)) {
  strata_emitter_t *e = &p->d->e;
  int n_state = (int)p->state.count;
  strata_loop_t loop = strata_emit_for_begin(e, strata_emit_index(e, 0), end, 1, n_state, p->state.data, p->state.data);
  p->d->nest.loops++;
  STRATA_TRY(emit_step(p, loop.induction));
  p->d->nest.loops--;
  strata_emit_for_end(e, loop, n_state, p->state.data, p->state.data);
  return NULL;
}

strata_status_t strata_pipeline_ahead(pipeline_t *p) {
  strata_emitter_t *e = &p->d->e;
  MlirValue zero = strata_emit_index(e, 0);
  if (are_copied_ahead(p)) {
    STRATA_TRY(begin_copied(p));
    begin_fragments(p, zero);
    return emit_loop(p, strata_gpu_emit_size(p->d, p->n_steps), step_copied);
  }
  STRATA_TRY(begin_staged(p));
  p->state.count = (size_t)p->n_sums;
  begin_fragments(p, zero);
  STRATA_TRY(load_or_last(p, strata_emit_index(e, 1)));
  STRATA_TRY(copy_or_last(p, strata_emit_index(e, 1), strata_emit_index(e, 1)));
  MlirValue others = strata_gpu_emit_size_plus(p->d, p->n_steps, -1);
  STRATA_TRY(emit_loop(p, strata_emit_with(e, "arith.shrui", others, 1), step_pair));
  STRATA_TRY(step_odd(p, strata_gpu_emit_size_plus(p->d, p->n_steps, -2)));
  finish_staged(p);
  return NULL;
}
