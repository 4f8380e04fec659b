// See products.h.
#include "lowering/tile_to_gpu/products.h"

#include "lowering/tile_to_gpu/attention.h"

strata_status_t strata_products_forall(strata_gpu_distribution_t *d, MlirOperation forall) {
  if (d->state.pipelined) // with the first
    return NULL;
  MlirOperation loop = strata_pipelined_loop(mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0)));
  return strata_gpu_attention_is_loop(d, loop) ? strata_gpu_attention_forall(d, forall, loop)
                                               : strata_pipelined_forall(d, forall);
}

strata_status_t strata_contract_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  if (!d->plan.producers)
    return strata_product_fix_layouts(d, op);
  return strata_gpu_attention_is_loop(d, mlirOperationGetParentOperation(op)) ? strata_gpu_attention_fix_layouts(d, op)
                                                                              : strata_pipelined_fix_layouts(d, op);
}
