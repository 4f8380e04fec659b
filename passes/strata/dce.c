// strata-dce: removes ops of the strata dialect and loops whose results nobody uses; all of them are free of effects.
//
//   %1 = "strata.exp"(%x)  %2 = "strata.neg"(%1)  return %x   ->   return %x
//
// One walk over each function from its last op to its first: when an op is reached, its users are already gone.
#include "dialects/counted_loop.h"
#include "passes/pass.h"
#include "passes/strata/graph.h"

static bool is_dead(MlirOperation op) {
  if (!strata_op_is_pure(op) && !strata_op_is(op, "func.call")) // a loop
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (strata_value_has_uses(mlirOperationGetResult(op, i)))
      return false;
  return true;
}

static strata_status_t remove_dead(strata_compile_t *compile, MlirBlock block, void *user) {
  (void)user;
  strata_ops_t ops = strata_ops_of(compile->arena, block);
  for (size_t i = ops.count; i-- > 0;)
    if (is_dead(ops.data[i]))
      mlirOperationDestroy(ops.data[i]);
  return NULL;
}

strata_status_t strata_pass_dce(strata_compile_t *compile) {
  STRATA_TRY(strata_for_each_body(compile, remove_dead, NULL));
  strata_remove_unused_loops(compile->arena, compile->module);
  return NULL;
}
