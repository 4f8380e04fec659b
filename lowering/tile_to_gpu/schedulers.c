// The table of schedulers.h.
#include "lowering/tile_to_gpu/schedulers.h"

const strata_scheduler_t *strata_scheduler_of(const strata_gpu_distribution_t *d, const strata_pipelined_t *p) {
#define SCHEDULER(name, condition, ...)                                                                                \
  static const strata_scheduler_t name##_scheduler = {#name, __VA_ARGS__};                                             \
  if (condition)                                                                                                       \
    return &name##_scheduler;
#include "lowering/tile_to_gpu/schedulers.def"
  return NULL;
}
