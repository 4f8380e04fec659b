// The walk over the old code: every op by the rule that the distribution carries.
#include "lowering/tile_to_gpu/distribute.h"

strata_status_t strata_gpu_missing(MlirOperation op, const char *what) {
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_UNSUPPORTED, "%.*s: %s is not supported on GPUs", (int)name.length, name.data, what);
}

strata_status_t strata_gpu_distribute_op(strata_gpu_distribution_t *d, MlirOperation op) {
  d->e.location = mlirOperationGetLocation(op);
  return d->rule(d, op);
}

strata_status_t strata_gpu_distribute_block(strata_gpu_distribution_t *d, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    STRATA_TRY(strata_gpu_distribute_op(d, op));
  return NULL;
}
