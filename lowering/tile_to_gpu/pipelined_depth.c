// Pipelined products whose reduction the groups of a block share: each has every so many of a tile's steps, and slots
// of its own, which it waits for and releases alone, and a warp of the producers fills: one alone would take longer
// than memory, as steps are short. What they have summed up goes through shared memory, and all have the sums of all
// then, added up in the order of the groups.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/exchange.h"
#include "lowering/tile_to_gpu/roles.h"
#include "lowering/tile_to_gpu/schedulers.h"

enum { WIDTH = 4 }; // sums stored and loaded at once, 16 bytes

void strata_depth_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue which,
                        MlirValue *step, MlirValue *slot) {
  if (k->product.depth == 1)
    return;
  *step = strata_emit_binary(&d->e, "arith.addi", *step, which);
  *slot = strata_emit_binary(&d->e, "arith.addi", *slot, which);
}

MlirValue strata_depth_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue which,
                           MlirValue slot) {
  return k->product.depth == 1 ? slot : strata_emit_binary(&d->e, "arith.subi", slot, which);
}

void strata_depth_find_fetcher(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first) {
  if (first->product.depth == 1)
    return;
  MlirValue warp = strata_emit_as_one(d, strata_emit_with(&d->e, "arith.divui", d->role.thread, d->device->lanes));
  for (strata_pipelined_kernel_t *k = first; k; k = k->next)
    k->fetcher = warp;
}

MlirValue strata_depth_fetches(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  return k->product.depth == 1 ? strata_emit_is_first_thread(d) : strata_emit_is_first_lane(d);
}

STRATA_SCHEDULER_FIXUP(strata_depth_fixup) {
  const strata_pipelined_t *p = &k->product;
  strata_exchange_t x = {.d = d,
                         .by = &strata_warps_transport,
                         .element = p->sum,
                         .width = WIDTH,
                         .count = strata_layout_registers(&p->layout) / WIDTH,
                         .ranks = p->depth,
                         .value_stride = WIDTH * STRATA_GROUP_THREADS,
                         .is_line = true,
                         .rank = k->group,
                         .parts = 1,
                         .size = d->shared.size};
  x.rank_stride = x.count * x.value_stride;
  x.holder = strata_emit_times(&d->e, strata_emit_group_lane(d), WIDTH);
  x.own = strata_exchange_own(&x);
  STRATA_TRY(strata_shared_alloc(d, p->sum, x.rank_stride * p->depth, &x.memory));
  STRATA_TRY(x.by->ready(&x));
  strata_exchange_put(&x, (MlirValue){NULL}, x.count, sums);
  STRATA_TRY(strata_exchange_meet(&x));
  strata_exchange_combine(&x, strata_exchange_sums(&x), x.count, out_own);
  return NULL;
}
