// Operands of a contraction that come into shared memory without passing through registers: threads have 16 bytes at a
// time copied and go on (tile.copy_async), several steps ahead.
//
// That is possible where what is loaded is what is multiplied: the same type, not rounded, in pieces of 16 bytes that
// lie in shared memory as they lie in the buffer. Where the pieces of a warp lie side by side (warp_copies.c) all of
// them are inside, too: there is nothing that zeros would come from.
#include "lowering/tile_to_gpu/operand.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/transfer.h"
#include "passes/affine/launch_list.h"

enum { ADDRESS_BITS = 32 }; // of bytes in a buffer, where warps copy

// Whether the device's copies reach the places of |operand|.
static bool reaches(const strata_gpu_distribution_t *d, const strata_shared_operand_t *operand, MlirOperation load) {
  if (d->device->copies != STRATA_GPU_COPIES_WARPS)
    return d->device->copies == STRATA_GPU_COPIES_THREADS;
  MlirType buffer = mlirValueGetType(mlirOperationGetOperand(load, 0));
  bool is_small = mlirShapedTypeHasStaticShape(buffer) && strata_memref_size(buffer) < INT64_C(1) << ADDRESS_BITS;
  return is_small && mlirAttributeIsNull(strata_attr(load, "mask")) && mlirAttributeIsNull(strata_attr(load, "pad")) &&
         strata_warps_can_copy(operand, d->device->lanes);
}

STRATA_SOURCE_TAKES(strata_copies_take) {
  strata_gpu_box_t box;
  MlirOperation load = strata_operand_load(operand);
  *out_takes = false;
  if (!terms->has_copies || mlirOperationIsNull(load) || !reaches(d, operand, load) ||
      !strata_gpu_is_read_only(mlirOperationGetOperand(load, 0)) || !strata_gpu_has_zero_pad(load))
    return NULL;
  STRATA_TRY(strata_gpu_box_read(d, load, 0, mlirValueGetType(operand->value), &box));
  strata_transfer_t transfer = strata_gpu_transfer(d, load, 0, &box);
  strata_registers_t registers = strata_registers_in(d, mlirValueGetType(operand->value), &operand->load);
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

STRATA_SOURCE_FILL(strata_copies_fill) {
  strata_gpu_box_t box;
  MlirOperation load = strata_operand_load(operand);
  STRATA_TRY(strata_gpu_box_read(d, load, 0, mlirValueGetType(operand->value), &box));
  strata_transfer_t transfer = strata_gpu_transfer(d, load, 0, &box);
  transfer.flat = strata_emit_flat(&d->e, transfer.flat);
  strata_registers_t registers = strata_registers_in(d, mlirValueGetType(operand->value), &operand->load);
  bool is_by_warps = d->device->copies == STRATA_GPU_COPIES_WARPS;
  target_t target = {.d = d,
                     .places = is_by_warps ? strata_operand_copied_places(d, operand, to->slot)
                                           : strata_operand_places(d, operand, &operand->load, to->slot),
                     .exists = to->exists};
  MlirValue own = d->role.thread;
  d->role.thread = is_by_warps ? operand->by_warps.thread : own;
  strata_transfer_copy(d, &transfer, &registers, copy_run, &target);
  d->role.thread = own;
  return NULL;
}
