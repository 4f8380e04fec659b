// See unify.h.
#include "lowering/distribute/unify.h"

#include "dialects/mlir_util.h"

static bool has_layout(MlirValue value) {
  bool is_constant = mlirValueIsAOpResult(value) && strata_op_is(mlirOpResultGetOwner(value), "arith.constant");
  return mlirTypeIsAVector(mlirValueGetType(value)) && !is_constant;
}

void strata_unify(void *distribution, strata_unify_t unify, MlirValue a, MlirValue b) {
  if (has_layout(a) && has_layout(b))
    unify(distribution, a, b);
}

void strata_unify_elementwise(void *distribution, strata_unify_t unify, MlirOperation op) {
  MlirValue first = mlirOperationGetResult(op, 0);
  for (intptr_t i = 1; i < mlirOperationGetNumResults(op); i++)
    strata_unify(distribution, unify, first, mlirOperationGetResult(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    strata_unify(distribution, unify, first, mlirOperationGetOperand(op, i));
}

// The values a block yields are the results of its op.
static void unify_yield(void *distribution, strata_unify_t unify, MlirOperation op, MlirBlock block) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    strata_unify(distribution, unify, mlirOperationGetResult(op, i), mlirOperationGetOperand(yield, i));
}

static void unify_loop(void *distribution, strata_unify_t unify, MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    strata_unify(distribution, unify, mlirOperationGetResult(op, i), mlirBlockGetArgument(body, i + 1));
    strata_unify(distribution, unify, mlirOperationGetResult(op, i), mlirOperationGetOperand(op, i + 3));
  }
  unify_yield(distribution, unify, op, body);
}

bool strata_unify_structure(void *distribution, strata_unify_t unify, MlirOperation op) {
  bool is_loop = strata_op_is(op, "scf.for"), is_branch = strata_op_is(op, "scf.if");
  if (is_loop)
    unify_loop(distribution, unify, op);
  for (intptr_t i = 0; i < 2 && is_branch && mlirOperationGetNumResults(op) > 0; i++)
    unify_yield(distribution, unify, op, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)));
  return is_loop || is_branch;
}
