// Kernels with producers whose blocks take the next task that none has begun, of a counter in memory, where tasks take
// unequal times: block b's first is task b, of which the counter, from zero on, counts none.
//
//   producer:   while (task < tasks) { next = blocks + counter++; the task's steps; next to shared memory; task = next
//   } consumers:  while (task < tasks) { the task's products, its epilogue; task = next, of shared memory }
//
// That memory is a ring of one slot. A producer fills it behind a task's steps, not in front: until the consumers are
// done with the task before, they have not read the last number. What it counts is there by then.
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

strata_status_t strata_dynamic_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirType i32 = mlirIntegerTypeGet(d->e.context, 32);
  k->tasks.ring.slots = 1;
  STRATA_TRY(strata_shared_alloc(d, i32, 1, &k->tasks.next));
  return strata_ring_allocate(d, &k->tasks.ring);
}

void strata_dynamic_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_ring_init(d, &k->tasks.ring, 0, 1, d->role.group);
}

MlirValue strata_dynamic_draw(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirBlock body = strata_func_body(d->func);
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  const MlirValue counter[] = {strata_new_scalar(d, mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1)),
                               strata_emit_index(e, 0)};
  MlirValue before = strata_emit_value(e, STRATA_TILE_FLAG_COUNT, 2, counter, i32, 0, NULL);
  return strata_emit_binary(e, "arith.addi", before, strata_emit_integer(e, i32, k->blocks));
}

void strata_dynamic_pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue next) {
  MlirValue first = strata_emit_index(&d->e, 0);
  strata_ring_acquire(d, &k->tasks.ring, (strata_ring_place_t){.parity = k->parity});
  strata_lanes_store(&d->e, next, k->tasks.next, first);
  strata_phase_arrive(d, k->tasks.ring.full, first);
}

MlirValue strata_dynamic_take(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirValue first = strata_emit_index(e, 0);
  strata_ring_await(d, &k->tasks.ring, (strata_ring_place_t){.parity = k->parity});
  MlirValue next = strata_lanes_load(e, mlirIntegerTypeGet(e->context, 32), k->tasks.next, first);
  strata_phase_arrive(d, k->tasks.ring.empty, first);
  return next;
}
