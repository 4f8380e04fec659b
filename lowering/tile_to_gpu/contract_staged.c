// A contraction that no pipeline carries: its operands go through shared memory of their own.
//
//   %c = vector.contract %a, %b, %sum {tile.steps = 40}
// becomes on multiply-adds
//   %a and %b stored as [step][row]; barrier
//   scf.for %i = 0 to 3 iter_args(%sum) { products of steps 16 i to 16 i + 15 }
// and on matrix instructions the same without a loop. Their left operand stays in registers where it can: what a loop's
// contraction multiplies in every iteration is loaded in front of it as its fragments, and sums of another one are, or
// become among the lanes of a warp (gather.c).
//
// What a loop's contractions multiply in every iteration is stored in front of it. Every contraction has a barrier
// between its stores and its reads: so where a loop has two, neither waits before it stores, as all threads have passed
// the other's barrier since they read what was there.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/gather.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/values.h"

// Places in memory repeat after so many steps (contract_shared.c), so these are a slot each for the loop.
enum { CHUNK = 16 };

static bool is_contract(MlirOperation op) { return strata_op_is(op, "vector.contract"); }

//===-- Operands -------------------------------------------------------------------------------------------------===//

static strata_status_t store_operand(strata_gpu_distribution_t *d, strata_shared_operand_t *operand, MlirValue value,
                                     const strata_layout_t *layout) {
  strata_registers_t registers;
  STRATA_TRY(strata_operand_allocate(d, operand, 1));
  STRATA_TRY(strata_registers_as(d, value, layout, &registers));
  STRATA_TRY(strata_operand_store(d, operand, strata_emit_index(&d->e, 0), &registers));
  d->shared.is_dirty = true;
  return NULL;
}

// True if nothing but the contraction itself keeps the threads of one iteration from those of the next.
static bool is_alone(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  for (MlirOperation other = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(other);
       other = mlirOperationGetNextInBlock(other))
    if (is_contract(other) && !mlirOperationEqual(other, op))
      return false;
  return true;
}

static strata_status_t store_operands(strata_gpu_distribution_t *d, MlirOperation op, strata_product_t *p) {
  if (d->nest.loops > 0 && is_alone(op))
    STRATA_TRY(strata_shared_before_write(d));
  for (int side = 0; side < 2; side++) {
    MlirValue value = mlirOperationGetOperand(op, side), stored = strata_gpu_record_of(d, value)->stored;
    if (p->operands[side].held)
      continue;
    if (mlirValueIsNull(stored))
      STRATA_TRY(store_operand(d, &p->operands[side], value, strata_layout_of(d, value)));
    else
      p->operands[side].memory = stored;
  }
  return strata_emit_barrier(d);
}

// The left operand's fragments, where they are the thread's or its warp's already.
static strata_status_t hold_left(strata_gpu_distribution_t *d, MlirOperation op, strata_product_t *p) {
  strata_shared_operand_t *left = &p->operands[0];
  MlirValue value = mlirOperationGetOperand(op, 0);
  strata_registers_t *registers = strata_arena_new(d->compile->arena, strata_registers_t);
  bool is_held = p->mma && strata_registers_gather(d, strata_registers_of(d, value), &left->fragment, registers);
  if (!is_held && strata_product_holds_left(op, p)) {
    STRATA_TRY(strata_registers_as(d, value, &left->fragment, registers));
    is_held = true;
  }
  left->held = is_held ? registers : NULL;
  return NULL;
}

strata_status_t strata_contract_store_ahead(strata_gpu_distribution_t *d, MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    strata_product_t p;
    if (!is_contract(op))
      continue;
    STRATA_TRY(strata_product_read(d, op, &p));
    for (int side = strata_product_holds_left(op, &p); side < 2; side++) {
      MlirValue value = mlirOperationGetOperand(op, side);
      MlirOperation source = strata_def(value);
      if (mlirOperationIsNull(source) || mlirOperationEqual(mlirOperationGetParentOperation(source), loop))
        continue;
      STRATA_TRY(store_operand(d, &p.operands[side], value, strata_layout_of(d, value)));
      strata_gpu_record_of(d, value)->stored = p.operands[side].memory;
    }
  }
  return NULL;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

// The product of one chunk of steps.
static strata_product_t chunk_of(const strata_product_t *p) {
  strata_product_t chunk = *p;
  chunk.partial = (strata_layout_t){0};
  for (int side = 0; side < 2; side++) {
    chunk.operands[side].steps = CHUNK;
    chunk.operands[side].fragment = (strata_layout_t){0};
  }
  strata_product_fma_layouts(&chunk);
  return chunk;
}

static void multiply_add(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue *sums) {
  strata_product_t chunk = chunk_of(p);
  int n_sums = (int)strata_product_sums(&chunk);
  MlirValue zero = strata_emit_index(&d->e, 0), end = strata_emit_index(&d->e, strata_ceil_div(p->n_steps, CHUNK));
  strata_loop_t loop = strata_emit_for_begin(&d->e, zero, end, 1, n_sums, sums, sums);
  strata_product_emit(d, &chunk, loop.induction, sums);
  strata_emit_for_end(&d->e, loop, n_sums, sums, sums);
}

strata_status_t strata_gpu_rule_contract(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_product_t p;
  strata_registers_t sum, result;
  MlirValue old = mlirOperationGetResult(op, 0);
  STRATA_TRY(strata_product_read(d, op, &p));
  if (p.split > 1 || strata_product_is_scaled(&p) || (!p.mma && p.operands[0].steps < CHUNK) ||
      (p.mma && strata_mma_rounds(p.mma)))
    return strata_gpu_missing(op, "a contraction outside a pipelined loop");
  STRATA_TRY(hold_left(d, op, &p));
  STRATA_TRY(store_operands(d, op, &p));
  STRATA_TRY(strata_registers_as(d, mlirOperationGetOperand(op, 2), &p.partial, &sum));
  result = strata_registers_in(d, mlirValueGetType(old), &p.partial);
  MlirValue *sums = strata_arena_array(d->compile->arena, MlirValue, strata_product_sums(&p));
  strata_product_pack(d, &p, &sum, sums);
  if (p.mma)
    strata_product_emit(d, &p, strata_emit_index(&d->e, 0), sums);
  else
    multiply_add(d, &p, sums);
  strata_product_unpack(d, &p, sums, &result);
  d->shared.is_read = true;
  strata_registers_define(d, old, &result);
  return NULL;
}
