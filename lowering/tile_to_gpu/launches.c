// Which launches begin early, and what keeps their blocks apart.
#include "lowering/tile_to_gpu/launches.h"

#include "dialects/integers.h"
#include "lowering/tile_to_gpu/tasks.h"

bool strata_gpu_may_fetch_early(const strata_gpu_distribution_t *d) {
  double bytes = (double)strata_attr_i64(d->func, "strata.bytes", 0);
  double flops = (double)strata_attr_i64(d->func, "strata.flops", INT64_MAX);
  return d->device->has_programmatic_launch &&
         bytes / (double)d->device->bandwidth >= flops / (double)d->device->products;
}

// What there is of the likely bytes and operations where tasks are as few as they can be.
static double least_share(const strata_gpu_distribution_t *d) {
  double least = (double)strata_size_min(d->plan.n_tasks);
  double likely = (double)strata_size_likely(&d->sizes, d->plan.n_tasks);
  return strata_size_varies(d->plan.n_tasks) && least < likely ? least / likely : 1;
}

// What is over soon, be it at some sizes only, gains by it. What takes longer need not start sooner, and its loads are
// better moved about freely; apart from blocks with equal shares of all steps, or with a counter of tasks, whose flags
// are cleared by a kernel in front, and from what fetches constants meanwhile.
bool strata_gpu_begins_early(const strata_gpu_distribution_t *d) {
  const strata_launch_costs_t *costs = &d->device->costs->launches;
  double least = least_share(d);
  bool is_short = least * (double)strata_attr_i64(d->func, "strata.bytes", INT64_MAX) <= costs->short_bytes &&
                  least * (double)strata_attr_i64(d->func, "strata.flops", INT64_MAX) <= costs->short_flops;
  return d->device->has_programmatic_launch && (is_short || d->plan.stream || d->plan.dynamic || d->plan.fetches_early);
}

static MlirWalkResult keep_load(MlirOperation op, void *user) {
  (void)user;
  mlirOperationRemoveAttributeByName(op, strata_str("tile.readonly"));
  return MlirWalkResultAdvance;
}

void strata_gpu_keep_loads(MlirOperation func) { mlirOperationWalk(func, keep_load, NULL, MlirWalkPreOrder); }

// Blocks go where there is room. That is everywhere while the card is empty; beside a kernel that has not ended it may
// be on a few processors, which would then hold many of them while others idle. So a launch that begins early, and
// whose blocks all run at the same time, asks for so much memory that no processor holds more of them than its share:
// one more would need more than there is, with what the driver takes of each block.
static int64_t least_shared(const strata_gpu_device_t *device, int64_t share) {
  return device->shared_bytes_processor / (share + 1);
}

// Whether a processor's |share| of the blocks can be kept apart from more.
static bool can_keep_apart(const strata_gpu_distribution_t *d, int64_t share) {
  const strata_gpu_device_t *device = d->device;
  int64_t threads = d->role.threads + d->plan.producers, least = least_shared(device, share);
  bool one_more_fits = (share + 1) * threads <= device->threads_resident;
  bool share_fits = share * (least + STRATA_GPU_SHARED_OF_BLOCK) <= device->shared_bytes_processor;
  return one_more_fits && share_fits && d->shared.size < least;
}

// The greatest share that can be kept apart, as any smaller one; 0 if that is none, or the number of blocks a number.
static int64_t most_apart(const strata_gpu_distribution_t *d) {
  int64_t share = 0;
  while (strata_size_varies(strata_gpu_blocks(d)) && can_keep_apart(d, share + 1))
    share++;
  return share;
}

int64_t strata_gpu_launch_shared(const strata_gpu_distribution_t *d) {
  int64_t blocks = strata_gpu_likely_blocks(d), share = strata_ceil_div(blocks, d->device->n_processors);
  share = most_apart(d) ? 1 : share; // which asks for the most
  if (!strata_gpu_begins_early(d) || !can_keep_apart(d, share))
    return d->shared.size;
  return strata_min(least_shared(d->device, share), d->device->shared_bytes);
}

MlirAttribute strata_gpu_launch_apart(const strata_gpu_distribution_t *d) {
  int64_t values[] = {most_apart(d), d->shared.size, d->device->n_processors, d->device->shared_bytes_processor};
  return strata_gpu_begins_early(d) && values[0] ? strata_i64s_attr(d->e.context, 4, values) : (MlirAttribute){NULL};
}
