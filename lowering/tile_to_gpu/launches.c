// Which launches begin early, and what keeps their blocks apart.
#include "lowering/tile_to_gpu/launches.h"

#include "dialects/integers.h"
#include "lowering/tile_to_gpu/tasks.h"

// What is over soon gains by it. What takes longer need not start sooner, and its loads are better moved about freely;
// apart from blocks with equal shares of all steps, whose flags are cleared by a kernel in front.
bool strata_gpu_begins_early(const strata_gpu_distribution_t *d) {
  const strata_launch_costs_t *costs = &d->device->costs->launches;
  bool is_short = (double)strata_attr_i64(d->func, "strata.bytes", INT64_MAX) <= costs->short_bytes &&
                  (double)strata_attr_i64(d->func, "strata.flops", INT64_MAX) <= costs->short_flops;
  return d->device->has_programmatic_launch && (is_short || d->plan.stream);
}

static MlirWalkResult keep_load(MlirOperation op, void *user) {
  (void)user;
  mlirOperationRemoveAttributeByName(op, strata_str("tile.readonly"));
  return MlirWalkResultAdvance;
}

void strata_gpu_keep_loads(MlirOperation func) { mlirOperationWalk(func, keep_load, NULL, MlirWalkPreOrder); }

// Blocks go where there is room. That is everywhere while the card is empty; beside a kernel that has not ended it may
// be on a few processors, which would then hold many of them while others idle. So a launch that begins early, and
// whose blocks all run at the same time, asks for so much memory that no processor holds more of them than its share.
int64_t strata_gpu_launch_shared(const strata_gpu_distribution_t *d) {
  const strata_gpu_device_t *device = d->device;
  int64_t share = strata_ceil_div(strata_gpu_likely_blocks(d), device->n_processors),
          threads = d->role.threads + d->plan.producers;
  // With what the driver takes of each block, one more than the share would need more than there is.
  int64_t least = device->shared_bytes_processor / (share + 1);
  bool one_more_fits = (share + 1) * threads <= device->threads_resident;
  bool share_fits = share * (least + STRATA_GPU_SHARED_OF_BLOCK) <= device->shared_bytes_processor;
  if (!strata_gpu_begins_early(d) || !one_more_fits || !share_fits || d->shared.size >= least)
    return d->shared.size;
  return strata_min(least, device->shared_bytes);
}
