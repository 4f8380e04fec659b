// Choosing the rule of each op.
#include "lowering/tile_to_gpu/distribute.h"

static const struct {
  const char *name;
  strata_gpu_rule_t rule;
} rules[] = {
#define RULE(name, function) {name, function},
#include "lowering/tile_to_gpu/rules.def"
};

strata_status_t strata_gpu_missing(MlirOperation op, const char *what) {
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_UNSUPPORTED, "%.*s: %s is not supported on GPUs", (int)name.length, name.data, what);
}

strata_status_t strata_gpu_distribute_op(strata_gpu_distribution_t *d, MlirOperation op) {
  d->e.location = mlirOperationGetLocation(op);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (strata_op_is(op, rules[i].name))
      return rules[i].rule(d, op);
  return strata_gpu_is_arithmetic(op) ? strata_gpu_rule_arithmetic(d, op) : strata_gpu_rule_structure(d, op);
}

strata_status_t strata_gpu_distribute_block(strata_gpu_distribution_t *d, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    STRATA_TRY(strata_gpu_distribute_op(d, op));
  return NULL;
}
