// Rows fetched a task ahead; see rows_ahead.h.
//
//   what all tasks share is asked for: scales, biases
//   copies of the first task begin, one team's after the other's
//   what is computed from the former alone
//   for each task of the team:
//     wait for the copies; pieces from shared memory to registers
//     what each thread does alone
//     barrier: what has come, and what the task before has left in shared memory, is read
//     copies of the next task begin
//     the rest of the task
//
// Where all of it comes in bulk nobody waits there: each warp arrives at a barrier, and goes on to the first op for
// which it has to wait for some of the others anyway. Behind that op one thread waits at the barrier, and the next
// task's copies begin.
#include "lowering/tile_to_gpu/rows_ahead.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/rows_fetch.h"
#include "lowering/tile_to_gpu/tasks.h"

//===-- What all tasks share --------------------------------------------------------------------------------------===//

static bool is_shared(const strata_rows_ahead_t *a, MlirOperation op) {
  for (size_t i = 0; i < a->shared.count; i++)
    if (mlirOperationEqual(a->shared.data[i], op))
      return true;
  return false;
}

static bool may_be_shared(const strata_rows_ahead_t *a, MlirOperation op) {
  bool is_load = strata_op_is(op, "tile.load");
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) ||
      !(is_load || strata_op_is(op, "arith.constant") || strata_op_is(op, "vector.broadcast") ||
        strata_gpu_is_arithmetic(op)))
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) > 1)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    bool is_buffer = is_load && i == 0 && strata_gpu_is_read_only(operand);
    if (!is_buffer && !(mlirValueIsAOpResult(operand) && is_shared(a, mlirOpResultGetOwner(operand))))
      return false;
  }
  return true;
}

static strata_status_t emit_shared_op(strata_rows_ahead_t *a, MlirOperation op) {
  *strata_vector_push(a->d->compile->arena, &a->shared) = op;
  return strata_gpu_distribute_op(a->d, op);
}

// In front of all other requests: memory answers in their order, and no task begins without these.
static strata_status_t request_shared(strata_rows_ahead_t *a, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "tile.load") && may_be_shared(a, op))
      STRATA_TRY(emit_shared_op(a, op));
  return NULL;
}

// Emits the others in front of the loop, and has shared memory hold what rows will need.
static strata_status_t emit_shared(strata_rows_ahead_t *a, MlirBlock body) {
  strata_gpu_distribution_t *d = a->d;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_shared(a, op) && may_be_shared(a, op)) {
      STRATA_TRY(emit_shared_op(a, op));
    } else if (strata_gpu_is_over_rows(d, op) && is_shared(a, mlirOpResultGetOwner(mlirOperationGetOperand(op, 0)))) {
      STRATA_TRY(strata_columns_share(d, mlirOperationGetOperand(op, 0)));
    }
  }
  return d->shared.is_dirty ? strata_emit_barrier(d) : NULL;
}

//===-- The loop --------------------------------------------------------------------------------------------------===//

static strata_fetched_t *fetched_of(strata_rows_ahead_t *a, MlirOperation op) {
  for (size_t i = 0; i < a->fetched.count; i++)
    if (mlirOperationEqual(a->fetched.data[i].op, op))
      return &a->fetched.data[i];
  return NULL;
}

// Defines the result of |f|'s op, in the layout chosen for it.
static strata_status_t define(strata_rows_ahead_t *a, strata_fetched_t *f) {
  MlirValue result = mlirOperationGetResult(f->op, 0);
  strata_registers_t registers;
  int64_t before = a->d->shared.n_exchanges;
  STRATA_TRY(strata_registers_convert(a->d, &f->loaded, strata_layout_of(a->d, result), &registers));
  strata_registers_define(a->d, result, &registers);
  f->exchange = a->d->shared.n_exchanges > before ? a->d->shared.n_exchanges : 0;
  return NULL;
}

strata_status_t strata_rows_refresh(strata_gpu_distribution_t *d) {
  for (size_t i = 0; d->state.ahead && i < d->state.ahead->fetched.count; i++) {
    const strata_fetched_t *f = &d->state.ahead->fetched.data[i];
    if (!f->exchange || f->exchange != d->shared.n_exchanges)
      continue;
    MlirValue result = mlirOperationGetResult(f->op, 0);
    strata_registers_t registers;
    STRATA_TRY(strata_registers_again(d, &f->loaded, strata_layout_of(d, result), &registers));
    strata_registers_define(d, result, &registers);
  }
  return NULL;
}

// All that has been received. True in *out_met if all threads have read what came in bulk: a conversion through shared
// memory has seen to that.
static strata_status_t define_all(strata_rows_ahead_t *a, bool *out_met) {
  *out_met = a->bulk_bytes == 0;
  for (size_t i = 0; i < a->fetched.count; i++) {
    STRATA_TRY(define(a, &a->fetched.data[i]));
    *out_met |= a->fetched.data[i].exchange > 0;
  }
  return NULL;
}

// True if threads carry out |op| on their own and write no shared memory.
static bool is_alone(const strata_rows_ahead_t *a, MlirOperation op) {
  if (!strata_op_is(op, "vector.broadcast"))
    return strata_op_is(op, "arith.constant") || strata_gpu_is_arithmetic(op);
  MlirValue source = mlirOperationGetOperand(op, 0);
  return !mlirTypeIsAVector(mlirValueGetType(source)) ||
         (mlirValueIsAOpResult(source) && is_shared(a, mlirOpResultGetOwner(source)));
}

// All threads have read what came in bulk, and what the task before has left in shared memory: the next task comes.
static strata_status_t meet(strata_rows_ahead_t *a) {
  STRATA_TRY(strata_emit_barrier(a->d));
  return strata_rows_fetch_next(a);
}

// The warp has read what came in bulk.
static void release(strata_rows_ahead_t *a) {
  strata_emit_fence(a->d, "shared");
  a->d->shared.owes_fence = false;
  strata_emit_fence(a->d, "warp");
  strata_ring_release(a->d, &a->ring, a->place.slot, a->d->device->lanes);
}

// True if no thread writes where one may still read for the task before. What warps have combined is read by the time
// that they wait for one another the next time, in whose order they write; |shared| is as when the task began.
static bool is_read_in_time(const strata_gpu_distribution_t *d, const strata_shared_t *shared) {
  return d->shared.combines.count > 1 && !d->shared.combines.is_mixed && d->shared.n_exchanges == shared->n_exchanges &&
         d->shared.size - shared->size == d->shared.combines.bytes;
}

static strata_status_t emit_task(strata_rows_ahead_t *a, MlirBlock body) {
  strata_gpu_distribution_t *d = a->d;
  MlirOperation terminator = mlirBlockGetTerminator(body);
  bool have_met, meet_at_end;
  strata_gpu_define_task(d, body);
  STRATA_TRY(strata_rows_receive(a));
  STRATA_TRY(define_all(a, &have_met));
  const strata_shared_t shared = d->shared;
  d->shared.combines = (strata_combines_t){0};
  d->state.ahead = a;
  meet_at_end = have_met;
  a->arrives &= !have_met;
  if (have_met)
    STRATA_TRY(strata_rows_fetch_next(a));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_shared(a, op) || fetched_of(a, op))
      continue;
    bool meets = !have_met && !is_alone(a, op);
    have_met |= meets;
    if (meets && a->arrives)
      release(a);
    else if (meets)
      STRATA_TRY(meet(a));
    STRATA_TRY(strata_gpu_distribute_op(d, op));
    if (meets && a->arrives)
      STRATA_TRY(strata_rows_fetch_next(a));
  }
  a->arrives &= have_met;
  if (!have_met)
    STRATA_TRY(meet(a));
  d->state.ahead = NULL;
  meet_at_end |= a->arrives && !is_read_in_time(d, &shared);
  return meet_at_end ? strata_emit_barrier(d) : NULL;
}

strata_status_t strata_rows_ahead(strata_gpu_distribution_t *d, MlirOperation forall) {
  strata_rows_ahead_t a = {.d = d};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  strata_emitter_t *e = &d->e;
  MlirValue first = d->role.task;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "tile.load") && mlirOperationGetNumOperands(op) > 1)
      STRATA_TRY(strata_rows_note(&a, op));
  strata_rows_fetch_begin(&a);
  STRATA_TRY(request_shared(&a, body));
  STRATA_TRY(strata_rows_fetch_first(&a));
  STRATA_TRY(emit_shared(&a, body));
  MlirValue *parity = &a.place.parity;
  *parity = strata_emit_integer(e, mlirIntegerTypeGet(e->context, 32), 0);
  strata_loop_t loop = strata_emit_for_begin(e, first, a.end, strata_rows_stride(d), 1, parity, parity);
  d->role.task = loop.induction;
  STRATA_TRY(emit_task(&a, body));
  strata_ring_advance(d, &a.ring, &a.place);
  strata_emit_for_end(e, loop, 1, parity, parity);
  d->role.task = first;
  return NULL;
}
