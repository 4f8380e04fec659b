// See groups.h.
#include "lowering/tile_to_gpu/groups.h"

int64_t strata_cluster_blocks(const strata_gpu_distribution_t *d) {
  int64_t joined = d->plan.parts * d->plan.row_blocks * d->plan.share[0] * d->plan.share[1];
  return d->role.group > d->role.threads ? d->role.group / d->role.threads : joined;
}

int64_t strata_block_groups(const strata_gpu_distribution_t *d) {
  return d->role.group > d->role.threads ? 1 : d->role.threads / d->role.group;
}

bool strata_gpu_has_teams(const strata_gpu_distribution_t *d) {
  return d->plan.blocks && !d->plan.producers && d->role.group < d->role.threads;
}
