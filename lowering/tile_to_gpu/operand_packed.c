// The source `packed` (operands.def): weights of few bits, in the order in which threads unpack them
// (pipelined_unpack.c). A tile lies in one piece, and the copy engine brings it at once.
#include "lowering/tile_to_gpu/operand.h"

STRATA_SOURCE_TAKES(strata_packed_takes) {
  *out_takes = false;
  MlirOperation load = strata_operand_load(operand);
  if (!terms->is_packed || mlirOperationIsNull(load))
    return NULL;
  strata_bulk_limits_t limits = {.most = {operand->rows, operand->steps},
                                 .span = operand->steps * operand->element_bytes};
  operand->bulk = strata_arena_new(d->compile->arena, strata_bulk_t);
  *out_takes = strata_bulk_read(d, load, 0, mlirValueGetType(operand->value), &limits, operand->bulk) &&
               strata_bulk_copies(operand->bulk) == 1;
  operand->bulk->is_dense = true;
  return NULL;
}

int64_t strata_packed_bytes(const strata_shared_operand_t *operand) {
  return operand->rows * operand->steps * operand->element_bytes;
}

STRATA_SOURCE_FILL(strata_packed_fill) {
  const int64_t none[2] = {0};
  const strata_bulk_target_t target = {
      .memory = operand->memory, .at = to->at, .barriers = to->full, .slot = to->slot, .blocks = to->blocks};
  strata_bulk_load(d, operand->bulk, none, operand->steps * operand->element_bytes, &target);
  return NULL;
}
