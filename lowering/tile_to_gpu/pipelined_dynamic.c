// Kernels with producers whose blocks take the next task that none has begun, of a counter in memory, where tasks take
// unequal times: block b's first is task b, of which the counter, from zero on, counts none.
//
//   producer:   while (task < tasks) { next = blocks + counter++; what tables say of the task; a message of the task;
//                                      its steps; task = next }
//               a message of the end
//   consumers:  take a message
//               while (task < tasks) { the task's products, its epilogue; take the next message }
//
// A message lies in a ring of one slot: the task's number, and the numbers of tables that its body reads in front of
// its loop, which the producer has read while the consumers were at the task before, for whom they would be far.
#include "lowering/tile_to_gpu/pipelined_dynamic.h"

#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/values.h"

strata_status_t strata_dynamic_check(const strata_gpu_distribution_t *d, MlirOperation op) {
  MlirBlock body = strata_func_body(d->func);
  intptr_t n = mlirBlockGetNumArguments(body);
  if (n < 1 || strata_value_has_uses(mlirBlockGetArgument(body, n - 1)))
    return strata_gpu_missing(op, "tasks of a counter, without one,");
  return NULL;
}

static MlirType number_type(const strata_gpu_distribution_t *d) { return mlirIntegerTypeGet(d->e.context, 64); }

static void find_fields(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_dynamic_t *tasks = &k->tasks;
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body);
       !mlirOperationEqual(op, k->loop) && tasks->n_fields < STRATA_DYNAMIC_FIELDS;
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, STRATA_TILE_LOAD) &&
        mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)), number_type(d)))
      tasks->fields[tasks->n_fields++] = op;
}

strata_status_t strata_dynamic_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  k->tasks.ring.slots = 1;
  find_fields(d, k);
  STRATA_TRY(strata_shared_alloc(d, number_type(d), 1 + k->tasks.n_fields, &k->tasks.message));
  return strata_ring_allocate(d, &k->tasks.ring);
}

void strata_dynamic_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_ring_init(d, &k->tasks.ring, 0, 1, d->role.group);
}

//===-- By the thread that fetches -------------------------------------------------------------------------------===//

MlirValue strata_dynamic_draw(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirBlock body = strata_func_body(d->func);
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  MlirValue counter = strata_new_scalar(d, mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1));
  MlirValue before =
      strata_emit_value(e, STRATA_TILE_FLAG_COUNT, 2, (MlirValue[]){counter, strata_emit_index(e, 0)}, i32, 0, NULL);
  return strata_emit_plus(e, strata_emit_cast(e, "arith.index_cast", before, mlirIndexTypeGet(e->context)), k->blocks);
}

static void pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue task, int n_fields) {
  strata_emitter_t *e = &d->e;
  const strata_dynamic_t *tasks = &k->tasks;
  strata_ring_acquire(d, &tasks->ring, (strata_ring_place_t){.parity = k->parity});
  strata_lanes_store(e, strata_emit_cast(e, "arith.index_cast", task, number_type(d)), tasks->message,
                     strata_emit_index(e, 0));
  for (int i = 0; i < n_fields; i++)
    strata_lanes_store(e, strata_new_scalar(d, mlirOperationGetResult(tasks->fields[i], 0)), tasks->message,
                       strata_emit_index(e, 1 + i));
  strata_phase_arrive(d, tasks->ring.full, strata_emit_index(e, 0));
}

void strata_dynamic_pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  if (k->tasks.are_counted)
    pass(d, k, d->role.task, k->tasks.n_fields);
}

void strata_dynamic_pass_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue end) {
  pass(d, k, end, 0);
}

//===-- By consumers ---------------------------------------------------------------------------------------------===//

MlirValue strata_dynamic_take(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue parity,
                              MlirValue *out_fields) {
  strata_emitter_t *e = &d->e;
  const strata_dynamic_t *tasks = &k->tasks;
  strata_ring_await(d, &tasks->ring, (strata_ring_place_t){.parity = parity});
  MlirValue task = strata_lanes_load(e, number_type(d), tasks->message, strata_emit_index(e, 0));
  for (int i = 0; i < tasks->n_fields; i++)
    out_fields[i] = strata_lanes_load(e, number_type(d), tasks->message, strata_emit_index(e, 1 + i));
  strata_phase_arrive(d, tasks->ring.empty, strata_emit_index(e, 0));
  return strata_emit_cast(e, "arith.index_cast", task, mlirIndexTypeGet(e->context));
}

void strata_dynamic_define(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const MlirValue *fields) {
  for (int i = 0; i < k->tasks.n_fields; i++)
    strata_define_scalar(d, mlirOperationGetResult(k->tasks.fields[i], 0), fields[i]);
}

bool strata_dynamic_has(const strata_pipelined_kernel_t *k, MlirOperation op) {
  bool result = false;
  for (int i = 0; i < k->tasks.n_fields && k->tasks.are_counted; i++)
    result |= mlirOperationEqual(op, k->tasks.fields[i]);
  return result;
}
