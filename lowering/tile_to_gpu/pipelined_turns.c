// Pipelined products: tasks in turn, all steps of each, as most schedulers have it (schedulers.h).
#include "lowering/tile_to_gpu/schedulers.h"

#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"

strata_size_t strata_pipelined_tasks(const strata_pipelined_kernel_t *first) {
  strata_size_t count = first->n_tasks;
  for (const strata_pipelined_kernel_t *k = first->next; k; k = k->next)
    count = strata_size_sum(count, k->n_tasks);
  return count;
}

STRATA_SCHEDULER_BOUNDS(strata_turn_bounds) {
  strata_size_t n_tasks = strata_pipelined_tasks(first);
  if (!first->blocks || (!strata_size_varies(n_tasks) && strata_size_max(n_tasks) <= first->blocks))
    return false; // else there may be fewer than blocks
  bool is_once = strata_size_max(n_tasks) <= first->blocks;
  *out_bounds = (strata_bounds_t){block, strata_gpu_emit_size(d, n_tasks), first->blocks, is_once};
  return true;
}

STRATA_SCHEDULER_TASK(strata_turn_task) {
  (void)d, (void)first, (void)block;
  return counter;
}

STRATA_SCHEDULER_STEPS(strata_all_steps) {
  *out_lower = strata_emit_index(&d->e, 0);
  *out_upper = strata_gpu_emit_size(d, k->n_steps);
}

STRATA_SCHEDULER_FIXUP(strata_own_sums) {
  (void)d;
  for (int64_t i = 0; i < strata_layout_registers(&k->product.layout); i++)
    out_own[i] = sums[strata_pair_sum(&k->product, 0, i)];
  return NULL;
}
