// Pipelined products: pairs, two products of the same rows in one task, as gated activations are made of.
//
//   %g, %h = scf.for %k = 0 to steps iter_args(%a = 0, %b = 0) {
//     %x = "tile.load"; %u = "tile.load"; %v = "tile.load"
//     %c = vector.contract %x, %u, %a;  %d = vector.contract %x, %v, %b } {tile.pipeline}
//
// A slot holds both columns' operands, one behind the other. Where the columns are the instruction's, one instruction
// multiplies both; swapped, a group has its rows of both. Either way a thread has the same elements of both results,
// so that what joins them stays in its registers.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/values.h"

enum { SUM = 2 };

static MlirBlock body_of(MlirOperation loop) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)); }

MlirOperation strata_pair_contract(MlirOperation loop, intptr_t i) {
  return strata_def(mlirOperationGetOperand(mlirBlockGetTerminator(body_of(loop)), i));
}

int64_t strata_pair_count(MlirOperation loop) {
  if (mlirOperationIsNull(loop) || mlirOperationGetNumResults(loop) != 2)
    return 1;
  for (intptr_t i = 0; i < 2; i++) {
    MlirOperation op = strata_pair_contract(loop, i);
    if (mlirOperationIsNull(op) || !strata_op_is(op, "vector.contract") ||
        !mlirValueEqual(mlirOperationGetOperand(op, SUM), mlirBlockGetArgument(body_of(loop), 1 + i)))
      return 1;
  }
  return 2;
}

int64_t strata_pair_sum(const strata_pipelined_t *p, int64_t which, int64_t i) {
  int64_t own = strata_layout_registers(&p->layout), block = p->n / 2; // sums of an instruction's own columns
  if (p->pair == 1)
    return i;
  return p->swap ? which * own + i : (i / block * p->pair + which) * block + i % block;
}

void strata_pair_define_second(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                               const MlirValue *sums) {
  MlirValue result = mlirOperationGetResult(k->loop, 1);
  strata_registers_t second = strata_registers_in(d, mlirValueGetType(result), &k->product.layout);
  for (int64_t i = 0; i < strata_layout_registers(&k->product.layout); i++)
    second.values[i] = sums[strata_pair_sum(&k->product, 1, i)];
  strata_registers_define(d, result, &second);
}
