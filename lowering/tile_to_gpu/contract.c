// vector.contract on the threads of a group.
#include "lowering/tile_to_gpu/distribute.h"

strata_status_t strata_contract_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  (void)d, (void)op;
  return NULL;
}

strata_status_t strata_gpu_rule_contract(strata_gpu_distribution_t *d, MlirOperation op) {
  (void)d;
  return strata_gpu_missing(op, "a contraction");
}
