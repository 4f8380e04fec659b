// Pipelined products: two teams of consumers, a warp group each, that take the block's tasks in turn.
//
//   team 0: products of task 0 | epilogue of task 0   | products of task 2 | ...
//   team 1:                    | products of task 1   | epilogue of task 1 | ...
//
// So the instructions never wait for an epilogue. Products go on in the order of tasks, as slots are filled: a team
// begins when the one before has issued all of its instructions. Nor may it wait for its slots earlier: of a barrier
// more than one phase behind, parity says nothing.
#include "lowering/tile_to_gpu/schedulers.h"

#include "lowering/expand/ops.h"

enum { TEAMS = 2 };

MlirValue strata_emit_own_group(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  return k->product.groups > 1 ? k->group : strata_emit_index(&d->e, 0);
}

// The running task's number among the block's.
STRATA_SCHEDULER_TASK(strata_team_task) {
  strata_emitter_t *e = &d->e;
  MlirValue distance = strata_emit_binary(e, "arith.subi", counter, block);
  first->ordinal = strata_emit_with(e, "arith.divui", distance, first->blocks);
  for (strata_pipelined_kernel_t *k = first->next; k; k = k->next)
    k->ordinal = first->ordinal;
  return counter;
}

MlirValue strata_team_has_task(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirValue team = strata_emit_with(e, "arith.andi", k->ordinal, TEAMS - 1);
  return strata_emit_cmpi(e, STRATA_EQ, team, k->group);
}

// Task i of team 0 waits for phase i - 1, before which there is none, that of team 1 for phase i; the number of either
// phase is ordinal / 2 rounded up, less one.
void strata_team_wait(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirValue next = strata_emit_with(e, "arith.addi", k->ordinal, 1);
  MlirValue phases = strata_emit_with(e, "arith.divui", next, TEAMS);
  MlirValue last = strata_emit_with(e, "arith.addi", phases, 1); // modulo 2
  MlirValue parity = strata_emit_with(e, "arith.andi", last, 1);
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  strata_phase_wait(d, k->turns, k->group, strata_emit_cast(e, "arith.index_cast", parity, i32));
}

void strata_team_pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  MlirValue other = strata_emit_binary(&d->e, "arith.subi", strata_emit_index(&d->e, TEAMS - 1), k->group);
  strata_emit_group_arrive(d, k->turns, other);
}
