// The table of mainloops.h.
#include "lowering/tile_to_gpu/mainloops.h"

#include "lowering/tile_to_gpu/attention.h"

static const strata_mainloop_t *mainloop_of(const strata_gpu_distribution_t *d, MlirOperation loop) {
#define MAINLOOP(name, condition, ...)                                                                                 \
  static const strata_mainloop_t name##_mainloop = {#name, __VA_ARGS__};                                               \
  if (condition)                                                                                                       \
    return &name##_mainloop;
#include "lowering/tile_to_gpu/mainloops.def"
  return NULL;
}

strata_status_t strata_products_forall(strata_gpu_distribution_t *d, MlirOperation forall) {
  if (d->state.pipelined) // with the first
    return NULL;
  MlirOperation loop = strata_pipelined_loop(mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0)));
  return strata_pipelined_forall(d, forall, mainloop_of(d, loop));
}

strata_status_t strata_contract_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  if (!d->plan.producers)
    return strata_product_fix_layouts(d, op);
  return mainloop_of(d, mlirOperationGetParentOperation(op))->fix_layouts(d, op);
}
