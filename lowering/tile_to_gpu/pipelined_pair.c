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

enum { COLUMN = 1, RIGHT = 1, SUM = 2 };

static MlirBlock body_of(MlirOperation loop) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)); }

// The op that yields the loop's result |i|; a null operation where it is none.
static MlirOperation yielded(MlirOperation loop, intptr_t i) {
  MlirValue value = mlirOperationGetOperand(mlirBlockGetTerminator(body_of(loop)), i);
  return strata_def(value);
}

int64_t strata_pair_count(MlirOperation loop) {
  if (mlirOperationIsNull(loop) || mlirOperationGetNumResults(loop) != 2)
    return 1;
  for (intptr_t i = 0; i < 2; i++) {
    MlirOperation op = yielded(loop, i);
    if (mlirOperationIsNull(op) || !strata_op_is(op, "vector.contract") ||
        !mlirValueEqual(mlirOperationGetOperand(op, SUM), mlirBlockGetArgument(body_of(loop), 1 + i)))
      return 1;
  }
  return 2;
}

// True if both lie in a slot, and are brought, in the same way.
static bool is_alike(const strata_ring_operand_t *a, const strata_ring_operand_t *b) {
  const strata_bulk_t *own = a->shared.bulk, *second = b->shared.bulk;
  return strata_operand_is_bulk(&a->shared) && strata_operand_is_bulk(&b->shared) && a->slot == b->slot &&
         a->shared.form == b->shared.form && own->inner == second->inner &&
         !memcmp(own->extents, second->extents, sizeof own->extents) &&
         mlirTypeEqual(a->shared.element, b->shared.element);
}

strata_status_t strata_pair_read(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  if (k->product.pair == 1)
    return NULL;
  MlirOperation contract = yielded(k->loop, 1);
  strata_pipelined_t second;
  STRATA_TRY(strata_pipelined_read(d, contract, &second));
  strata_ring_operand_t *operand = &k->product.operands[COLUMN];
  if (!mlirValueEqual(mlirOperationGetOperand(contract, 0), mlirOperationGetOperand(k->contract, 0)) ||
      !is_alike(operand, &second.operands[COLUMN]) || second.mma != k->product.mma || second.n != k->product.n ||
      second.m_blocks != k->product.m_blocks || k->product.reads_left)
    return strata_gpu_missing(contract, "a pair of products that are not alike");
  operand->other = strata_arena_new(d->compile->arena, strata_ring_operand_t);
  *operand->other = second.operands[COLUMN];
  return NULL;
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
