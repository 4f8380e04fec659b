// tile.load.
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/kept.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/turn.h"
#include "lowering/tile_to_gpu/values.h"

static MlirType buffer_element(MlirValue buffer) { return mlirShapedTypeGetElementType(mlirValueGetType(buffer)); }

// The rows that lanes name where they get columns, whose layout is |columns|: of each eight lanes and registers, the
// fastest of both, one another's.
static strata_layout_t rows_of(const strata_layout_t *columns) {
  const strata_digit_t *reg = &columns->reg[0], *thread = &columns->thread[0];
  strata_layout_t rows = {0};
  strata_layout_push_reg(&rows, thread->dim, STRATA_TURNED_LANES, 1);
  strata_layout_push_reg(&rows, reg->dim, reg->extent / STRATA_TURNED_LANES, STRATA_TURNED_LANES);
  strata_layout_push_thread(&rows, reg->dim, STRATA_TURNED_LANES, 1);
  strata_layout_push_thread(&rows, thread->dim, thread->extent / STRATA_TURNED_LANES, STRATA_TURNED_LANES);
  for (int i = 1; i < columns->n_reg; i++)
    strata_layout_push_reg(&rows, columns->reg[i].dim, columns->reg[i].extent, columns->reg[i].stride);
  for (int i = 1; i < columns->n_thread; i++)
    strata_layout_push_thread(&rows, columns->thread[i].dim, columns->thread[i].extent, columns->thread[i].stride);
  return rows;
}

// Registers keep their numbers: those of a row become those of a column.
static strata_status_t load_turned(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                   strata_registers_t *registers) {
  strata_layout_t columns = registers->layout;
  registers->layout = rows_of(&columns);
  transfer->is_turned = true;
  STRATA_TRY(strata_transfer_load(d, transfer, registers));
  registers->layout = columns;
  return NULL;
}

strata_status_t strata_gpu_rule_load(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), buffer = mlirOperationGetOperand(op, 0);
  strata_gpu_box_t box;
  STRATA_TRY(strata_gpu_box_read(d, op, 0, mlirValueGetType(result), &box));
  if (strata_gpu_is_exchanged(d, buffer) && d->role.group > d->role.threads)
    return strata_gpu_missing(op, "what other blocks of a cluster have stored");
  if (strata_gpu_is_exchanged(d, buffer))
    STRATA_TRY(strata_shared_before_read(d));
  strata_transfer_t transfer = strata_gpu_transfer(d, op, 0, &box);
  transfer.flat = strata_emit_flat(&d->e, transfer.flat);
  transfer.is_readonly = strata_gpu_is_read_only(buffer);
  strata_registers_t registers = strata_registers_new(d, result), runs;
  strata_layout_t turned;
  if (strata_gpu_load_kept(d, op, &registers)) {
    strata_registers_define(d, result, &registers);
    return NULL;
  }
  if (strata_gpu_record_of(d, result)->is_turned) {
    STRATA_TRY(load_turned(d, &transfer, &registers));
  } else if (strata_pipelined_runs(d, &box, &registers, &runs)) {
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
