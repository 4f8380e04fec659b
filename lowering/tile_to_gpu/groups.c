// See groups.h.
#include "lowering/tile_to_gpu/groups.h"

int64_t strata_cluster_blocks(const strata_gpu_distribution_t *d) {
  int64_t joined = d->parts * d->row_blocks * d->share[0] * d->share[1];
  return d->group > d->threads ? d->group / d->threads : joined;
}

int64_t strata_block_groups(const strata_gpu_distribution_t *d) {
  return d->group > d->threads ? 1 : d->threads / d->group;
}

bool strata_gpu_has_teams(const strata_gpu_distribution_t *d) {
  return d->blocks && !d->producers && d->group < d->threads;
}
