// tile.load and tile.store.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/kept.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/turn.h"

static MlirType buffer_element(MlirValue buffer) { return mlirShapedTypeGetElementType(mlirValueGetType(buffer)); }

// What this kernel both stores and loads, scratch above all, goes from thread to thread: a barrier lies between.
static bool is_exchanged(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (strata_op_is(mlirOpOperandGetOwner(use), "tile.load"))
      return strata_gpu_is_stored_to(buffer);
  return false;
}

static strata_transfer_t transfer_of(strata_gpu_distribution_t *d, MlirOperation op, int buffer,
                                     strata_gpu_box_t *box) {
  strata_transfer_t transfer = strata_gpu_transfer(d, op, buffer, box);
  transfer.flat = strata_emit_flat(&d->e, transfer.flat);
  return transfer;
}

strata_status_t strata_gpu_rule_load(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), buffer = mlirOperationGetOperand(op, 0);
  strata_gpu_box_t box;
  STRATA_TRY(strata_gpu_box_read(d, op, 0, mlirValueGetType(result), &box));
  if (is_exchanged(buffer) && d->role.group > d->role.threads)
    return strata_gpu_missing(op, "what other blocks of a cluster have stored");
  if (is_exchanged(buffer))
    STRATA_TRY(strata_shared_before_read(d));
  strata_transfer_t transfer = transfer_of(d, op, 0, &box);
  transfer.is_readonly = strata_gpu_is_read_only(buffer);
  strata_registers_t registers = strata_registers_new(d, result), runs;
  strata_layout_t turned;
  if (strata_gpu_load_kept(d, op, &registers)) {
    strata_registers_define(d, result, &registers);
    return NULL;
  }
  if (strata_pipelined_runs(d, &box, &registers, &runs)) {
    STRATA_TRY(strata_transfer_load(d, &transfer, &runs));
    strata_pipelined_from_runs(d, &box, &runs, &registers);
  } else if (strata_turn_layout(d, result, &box, buffer_element(buffer), &turned)) {
    strata_registers_t loaded = strata_registers_in(d, mlirValueGetType(result), &turned);
    STRATA_TRY(strata_transfer_load(d, &transfer, &loaded));
    STRATA_TRY(strata_registers_convert(d, &loaded, &registers.layout, &registers));
  } else {
    STRATA_TRY(strata_transfer_load(d, &transfer, &registers));
  }
  STRATA_TRY(strata_gpu_keep(d, op, &registers));
  strata_registers_define(d, result, &registers);
  return NULL;
}

// What exceeds half of the L2 cache is not read from there again. And tasks that come back to lines which the cache has
// (strata_gpu_share) find them there only if results do not take their place.
static bool is_streaming(const strata_gpu_distribution_t *d, MlirValue buffer) {
  int64_t bytes = strata_buffer_bytes(mlirValueGetType(buffer)), most = d->device->l2_bytes / 2;
  bool comes_back = strata_gpu_share(d) > 0 && strata_attr_i64(d->func, "strata.bytes", 0) > most;
  return mlirValueIsABlockArgument(buffer) && (bytes > most || comes_back);
}

strata_status_t strata_gpu_rule_store(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue value = mlirOperationGetOperand(op, 0), buffer = mlirOperationGetOperand(op, 1);
  strata_gpu_box_t box;
  bool is_done = false;
  if (d->state.pipelined)
    STRATA_TRY(strata_pipelined_store(d, op, &is_done));
  if (is_done)
    return NULL;
  STRATA_TRY(strata_gpu_box_read(d, op, 1, mlirValueGetType(value), &box));
  if (is_exchanged(buffer))
    STRATA_TRY(strata_shared_before_write(d));
  strata_transfer_t transfer = transfer_of(d, op, 1, &box);
  transfer.pad = (MlirAttribute){0};
  transfer.is_streaming = is_streaming(d, buffer);
  strata_registers_t registers = *strata_registers_of(d, value);
  strata_layout_t turned;
  if (strata_pipelined_store_rows(d, &transfer, &registers))
    return NULL;
  if (!strata_pipelined_to_runs(d, &box, &registers) &&
      strata_turn_layout(d, value, &box, buffer_element(buffer), &turned))
    STRATA_TRY(strata_registers_as(d, value, &turned, &registers));
  return strata_transfer_store(d, &transfer, &registers);
}
