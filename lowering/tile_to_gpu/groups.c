// See groups.h.
#include "lowering/tile_to_gpu/groups.h"

#include "lowering/expand/ops.h"

int64_t strata_cluster_blocks(const strata_gpu_distribution_t *d) { return strata_layout_blocks(&d->plan.cluster); }

int64_t strata_cluster_along(const strata_gpu_distribution_t *d, int dim) {
  return strata_layout_blocks_along(&d->plan.cluster, dim);
}

MlirValue strata_cluster_place(strata_gpu_distribution_t *d, int dim) {
  strata_emitter_t *e = &d->e;
  const strata_layout_t *cluster = &d->plan.cluster;
  MlirValue place = d->role.rank;
  int64_t before = 1;
  int i = 0;
  for (; i < cluster->n_block && cluster->block[i].dim != dim; i++)
    before *= cluster->block[i].extent;
  if (i == cluster->n_block)
    return strata_emit_index(e, 0);
  if (i > 0)
    place = strata_emit_with(e, "arith.divui", place, before);
  if (i + 1 < cluster->n_block)
    place = strata_emit_with(e, "arith.remui", place, cluster->block[i].extent);
  return place;
}

int64_t strata_block_groups(const strata_gpu_distribution_t *d) {
  return d->role.group > d->role.threads ? 1 : d->role.threads / d->role.group;
}

bool strata_gpu_has_teams(const strata_gpu_distribution_t *d) {
  return d->plan.blocks && !d->plan.producers && d->role.group < d->role.threads;
}
