// See groups.h.
#include "lowering/tile_to_gpu/groups.h"

#include "lowering/expand/ops.h"

int64_t strata_cluster_blocks(const strata_gpu_distribution_t *d) { return strata_layout_blocks(&d->plan.cluster); }

int64_t strata_cluster_along(const strata_gpu_distribution_t *d, int dim) {
  return strata_layout_blocks_along(&d->plan.cluster, dim);
}

// The dim's number in the cluster's layout, all of which are in front of it if there is none.
static int find_dim(const strata_layout_t *cluster, int dim) {
  int i = 0;
  while (i < cluster->n_block && cluster->block[i].dim != dim)
    i++;
  return i;
}

int64_t strata_cluster_stride(const strata_gpu_distribution_t *d, int dim) {
  const strata_layout_t *cluster = &d->plan.cluster;
  int64_t stride = 1;
  for (int i = 0; i < find_dim(cluster, dim); i++)
    stride *= cluster->block[i].extent;
  return stride;
}

MlirValue strata_cluster_place(strata_gpu_distribution_t *d, int dim) {
  strata_emitter_t *e = &d->e;
  const strata_layout_t *cluster = &d->plan.cluster;
  MlirValue place = d->role.rank;
  int i = find_dim(cluster, dim);
  if (i == cluster->n_block)
    return strata_emit_index(e, 0);
  if (i > 0)
    place = strata_emit_with(e, "arith.divui", place, strata_cluster_stride(d, dim));
  if (i + 1 < cluster->n_block)
    place = strata_emit_with(e, "arith.remui", place, cluster->block[i].extent);
  return place;
}

MlirValue strata_cluster_first(strata_gpu_distribution_t *d, int dim) {
  strata_emitter_t *e = &d->e;
  MlirValue behind = strata_emit_times(e, strata_cluster_place(d, dim), strata_cluster_stride(d, dim));
  return strata_emit_binary(e, "arith.subi", d->role.rank, behind);
}

int64_t strata_block_groups(const strata_gpu_distribution_t *d) {
  return d->role.group > d->role.threads ? 1 : d->role.threads / d->role.group;
}

bool strata_gpu_has_teams(const strata_gpu_distribution_t *d) {
  return d->plan.blocks && !d->plan.producers && d->role.group < d->role.threads;
}
