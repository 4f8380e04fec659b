// Arithmetic in the order in which it is needed; see defer.h.
#include "lowering/tile_to_gpu/defer.h"

#include "lowering/tile_to_gpu/kept.h"

// What neither reads nor writes memory, constants apart.
static bool is_deferrable(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 1 && mlirOperationGetNumRegions(op) == 0 &&
         (strata_gpu_is_arithmetic(op) || strata_op_is(op, "vector.extract") ||
          strata_op_is(op, "vector.from_elements"));
}

// A load of what nothing writes any more.
static bool is_load_of_constants(const strata_gpu_distribution_t *d, MlirOperation op) {
  return (strata_op_is(op, "memref.load") || strata_op_is(op, "vector.load")) &&
         (strata_attr_flag(op, "tile.readonly") || strata_gpu_is_of_kept(d, op));
}

// The op of |block| that |op| is, or is in.
static MlirOperation op_of_block(MlirBlock block, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// A null operation if there is none.
static MlirOperation first_user(MlirBlock block, MlirValue value) {
  MlirOperation first = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = op_of_block(block, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(first) || (!mlirOperationEqual(user, first) && mlirOperationIsBeforeInBlock(user, first)))
      first = user;
  }
  return first;
}

// mlirOperationMoveBefore makes the block number all its ops anew when it is next asked which of two comes first; it
// has room for ops that are put in.
static void move_before(MlirOperation op, MlirOperation user) {
  mlirOperationRemoveFromParent(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(user), user, op);
}

static void defer(strata_gpu_distribution_t *d, MlirBlock block, bool loads) {
  STRATA_VECTOR(MlirOperation) ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_deferrable(op) || (loads && is_load_of_constants(d, op)))
      *strata_vector_push(d->compile->arena, &ops) = op;
  for (size_t i = ops.count; i-- > 0;) {
    MlirOperation user = first_user(block, mlirOperationGetResult(ops.data[i], 0));
    if (!mlirOperationIsNull(user))
      move_before(ops.data[i], user);
  }
}

void strata_gpu_defer_arithmetic(strata_gpu_distribution_t *d, MlirBlock block) { defer(d, block, false); }

void strata_gpu_defer_loads(strata_gpu_distribution_t *d, MlirBlock block) { defer(d, block, true); }
