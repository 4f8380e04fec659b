// See cluster.h.
#include "lowering/tile_to_gpu/cluster.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"

void strata_cluster_arrive(strata_gpu_distribution_t *d, bool releases) {
  strata_named_attr_t attr = {"releases", strata_bool_attr(d->e.context, releases)};
  strata_emit_op(&d->e, STRATA_TILE_CLUSTER_ARRIVE, 0, NULL, 0, NULL, 1, &attr);
}

void strata_cluster_wait(strata_gpu_distribution_t *d) {
  strata_emit_op(&d->e, STRATA_TILE_CLUSTER_WAIT, 0, NULL, 0, NULL, 0, NULL);
}

void strata_cluster_barrier(strata_gpu_distribution_t *d, bool releases) {
  strata_cluster_arrive(d, releases);
  strata_cluster_wait(d);
}

void strata_cluster_offer(strata_gpu_distribution_t *d) {
  d->shared.has_met = false;
  strata_cluster_arrive(d, false);
}

void strata_cluster_begin(strata_gpu_distribution_t *d, MlirValue block, MlirValue thread) {
  strata_emitter_t *e = &d->e;
  MlirValue blocks = strata_emit_index(e, strata_cluster_blocks(d)), threads = strata_emit_index(e, d->role.threads);
  d->role.rank = strata_emit_binary(e, "arith.remui", block, blocks);
  d->role.task = strata_emit_binary(e, "arith.divui", block, blocks);
  d->role.thread =
      strata_emit_binary(e, "arith.addi", strata_emit_binary(e, "arith.muli", d->role.rank, threads), thread);
  d->role.group_number = strata_emit_index(e, 0);
  strata_cluster_offer(d);
}
