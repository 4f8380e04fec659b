// Pipelined products: constants before the wait. What no kernel of a call writes, weights for the most part, is fetched
// into the slots before the kernel in front has ended; what that writes follows behind the wait into the same slots,
// whose bytes are announced as a whole:
//
//   for the first steps of the block's first task, as many as there are slots:
//     announce the bytes of both operands, if both come in bulk; have the constant one copied
//   wait for the kernel in front
//   for these steps: have the other one copied, or load it, and store it
//   for all other steps, and tasks: both (pipelined_fetch.c)
#include "lowering/tile_to_gpu/constants.h"
#include "lowering/tile_to_gpu/launches.h"
#include "lowering/tile_to_gpu/mainloops.h"

#include "lowering/expand/ops.h"

static bool is_constant_load(const strata_gpu_distribution_t *d, MlirOperation load) {
  return strata_gpu_is_constant(d->constants, mlirOperationGetOperand(load, 0));
}

// True if it comes in bulk, and is a constant; of a pair's columns both are.
static bool is_constant(const strata_gpu_distribution_t *d, const strata_ring_operand_t *operand) {
  bool is_one = strata_operand_is_bulk(&operand->shared);
  for (; operand && is_one; operand = operand->next)
    is_one = is_constant_load(d, strata_operand_load(&operand->shared));
  return is_one;
}

// True if where the operands are is known before the kernel in front has ended: no table says so that it may write.
static bool has_addresses(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationEqual(op, k->loop);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "tile.load") && !mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
        !is_constant_load(d, op))
      return false;
  return true;
}

void strata_early_find(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  if (!strata_gpu_may_fetch_early(d) || !has_addresses(d, k))
    return;
  for (int side = 0; side < 2 && !k->has_early; side++)
    if (is_constant(d, &k->product.operands[side])) {
      k->has_early = true;
      k->early = side;
    }
  d->plan.fetches_early |= k->has_early;
}

MlirValue strata_early_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue lower,
                           MlirValue upper) {
  strata_emitter_t *e = &d->e;
  MlirValue end = strata_emit_binary(e, "arith.minui", strata_emit_plus(e, lower, k->ring.slots), upper);
  return mlirValueIsNull(k->is_first) ? end : strata_emit_select(e, k->is_first, end, lower);
}
