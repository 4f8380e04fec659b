// Pipelined products: tasks in turn, all steps of each, as most schedulers have it (schedulers.h).
#include "lowering/tile_to_gpu/schedulers.h"

#include "lowering/expand/ops.h"

int64_t strata_pipelined_tasks(const strata_pipelined_kernel_t *first) {
  int64_t count = 0;
  for (const strata_pipelined_kernel_t *k = first; k; k = k->next)
    count += k->n_tasks;
  return count;
}

STRATA_SCHEDULER_BOUNDS(strata_turn_bounds) {
  int64_t n_tasks = strata_pipelined_tasks(first);
  if (n_tasks <= first->blocks)
    return false;
  *out_bounds = (strata_bounds_t){block, strata_emit_index(&d->e, n_tasks), first->blocks};
  return true;
}

STRATA_SCHEDULER_TASK(strata_turn_task) {
  (void)d, (void)first, (void)block;
  return counter;
}

STRATA_SCHEDULER_STEPS(strata_all_steps) {
  *out_lower = strata_emit_index(&d->e, 0);
  *out_upper = strata_emit_index(&d->e, k->n_steps);
}

STRATA_SCHEDULER_FIXUP(strata_own_sums) {
  (void)d;
  for (int64_t i = 0; i < strata_layout_registers(&k->product.layout); i++)
    out_own[i] = sums[strata_pair_sum(&k->product, 0, i)];
  return NULL;
}
