// Operands of a contraction that come into shared memory without passing through registers: threads have 16 bytes at a
// time copied and go on (tile.copy_async), several steps ahead.
//
// That is possible where what is loaded is what is multiplied: the same type, not rounded, in pieces of 16 bytes that
// lie in shared memory as they lie in the buffer.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/transfer.h"

static strata_registers_t registers_of(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                       MlirOperation load) {
  return strata_registers_in(d, mlirValueGetType(mlirOperationGetResult(load, 0)), &operand->load);
}

strata_status_t strata_operand_takes_copies(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                            MlirOperation load, bool *out_takes) {
  strata_gpu_box_t box;
  MlirValue buffer = mlirOperationGetOperand(load, 0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(load, 0));
  *out_takes = false;
  if (!d->device->has_async_copy || !strata_gpu_is_read_only(buffer) || !strata_gpu_has_zero_pad(load) ||
      !mlirTypeEqual(strata_type_element(type), operand->element))
    return NULL;
  STRATA_TRY(strata_gpu_box_read(d, load, 0, type, &box));
  strata_transfer_t transfer = strata_gpu_transfer(d, load, 0, &box);
  strata_registers_t registers = registers_of(d, operand, load);
  int64_t lanes = STRATA_VECTOR_BYTES / operand->element_bytes, step;
  *out_takes = strata_transfer_is_whole(d, &transfer, &registers, &step);
  for (int64_t reg = 0; reg < registers.count && *out_takes; reg++)
    *out_takes = reg / step % lanes || strata_operand_is_run(operand, &operand->load, reg, step, lanes);
  return NULL;
}

typedef struct {
  strata_gpu_distribution_t *d;
  strata_operand_places_t places;
  MlirValue exists; // i1; null: it does
} target_t;

static void copy_run(void *user, int64_t reg, MlirValue from, MlirValue position, MlirValue inside) {
  target_t *target = user;
  strata_gpu_distribution_t *d = target->d;
  MlirValue at = strata_operand_place(d, &target->places, reg);
  if (!mlirValueIsNull(target->exists))
    inside = strata_emit_binary(&d->e, "arith.andi", inside, target->exists);
  MlirValue operands[] = {target->places.operand->memory, at, from, position, inside};
  strata_emit_op(&d->e, STRATA_TILE_COPY_ASYNC, 5, operands, 0, NULL, 0, NULL);
}

strata_status_t strata_operand_copy(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                    MlirValue slot, MlirOperation load, MlirValue exists) {
  strata_gpu_box_t box;
  STRATA_TRY(strata_gpu_box_read(d, load, 0, mlirValueGetType(mlirOperationGetResult(load, 0)), &box));
  strata_transfer_t transfer = strata_gpu_transfer(d, load, 0, &box);
  transfer.flat = strata_emit_flat(&d->e, transfer.flat);
  strata_registers_t registers = registers_of(d, operand, load);
  target_t target = {.d = d, .places = strata_operand_places(d, operand, &operand->load, slot), .exists = exists};
  strata_transfer_copy(d, &transfer, &registers, copy_run, &target);
  return NULL;
}
