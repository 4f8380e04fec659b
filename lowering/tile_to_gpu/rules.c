// How each op is rewritten: the rule of its name (rules.def), else arithmetic or structure.
//
// The one place that knows all rules. They reach one another through the distribution alone, which carries this choice.
#include "lowering/tile_to_gpu/distribute.h"

static const struct {
  const char *name;
  strata_gpu_rule_t rule;
} rules[] = {
#define RULE(name, function) {name, function},
#include "lowering/tile_to_gpu/rules.def"
};

strata_status_t strata_gpu_apply_rule(strata_gpu_distribution_t *d, MlirOperation op) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (strata_op_is(op, rules[i].name))
      return rules[i].rule(d, op);
  return strata_gpu_is_arithmetic(op) ? strata_gpu_rule_arithmetic(d, op) : strata_gpu_rule_structure(d, op);
}
