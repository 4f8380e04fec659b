// scf.forall: by which of the forms of a launch its tasks are carried out.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/mainloops.h"
#include "lowering/tile_to_gpu/parts.h"
#include "lowering/tile_to_gpu/rows_ahead.h"
#include "lowering/tile_to_gpu/tasks.h"

strata_status_t strata_gpu_rule_forall(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_size_t n_tasks;
  if (d->plan.producers)
    return strata_products_forall(d, op);
  if (!strata_gpu_forall_tasks(d, op, &n_tasks))
    return strata_gpu_missing(op, "a task space of no known size");
  if (d->plan.has_parts)
    return strata_gpu_distribute_parts(d, op);
  return d->plan.blocks ? strata_rows_ahead(d, op) : strata_gpu_distribute_tasks(d, op);
}

strata_status_t strata_gpu_rule_return(strata_gpu_distribution_t *d, MlirOperation op) {
  (void)op;
  strata_emit_op(&d->e, "func.return", 0, NULL, 0, NULL, 0, NULL);
  return NULL;
}
