// What all rows of a task share; see columns.h.
#include "lowering/tile_to_gpu/columns.h"

#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/ring.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/tasks.h"

struct strata_gpu_column {
  MlirValue old, memory;
  strata_gpu_column_t *next;
};

static bool has_memory_form(MlirType element) {
  return mlirTypeIsAFloat(element) || (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) >= 8);
}

bool strata_gpu_is_over_rows(const strata_gpu_distribution_t *d, MlirOperation op) {
  if (d->plan.rows == 1 || (d->role.group != d->role.threads && !strata_gpu_has_teams(d)) || d->nest.loops ||
      d->nest.branches || !strata_op_is(op, "vector.broadcast"))
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0)),
           to = mlirValueGetType(mlirOperationGetResult(op, 0));
  return mlirTypeIsAVector(from) && has_memory_form(mlirShapedTypeGetElementType(from)) &&
         mlirShapedTypeGetRank(from) == 1 && mlirShapedTypeGetRank(to) == 2 &&
         mlirShapedTypeGetDimSize(to, 0) == d->plan.rows && mlirShapedTypeGetDimSize(from, 0) > d->plan.rows;
}

static strata_transfer_t transfer_of(strata_gpu_distribution_t *d, const strata_registers_t *registers,
                                     MlirValue memory, strata_gpu_box_t *box) {
  *box = (strata_gpu_box_t){.space = strata_index_space(d, 1, registers->sizes), .is_linear = true, .steps = {1}};
  box->position = mlirAffineDimExprGet(d->e.context, 0);
  return (strata_transfer_t){.box = box, .flat = memory};
}

static strata_gpu_column_t *column_of(const strata_gpu_distribution_t *d, MlirValue old) {
  strata_gpu_column_t *column = d->state.columns;
  while (column && !mlirValueEqual(column->old, old))
    column = column->next;
  return column;
}

// Beside it rows that are turned go through shared memory, and what reductions combine.
static bool has_room(strata_gpu_distribution_t *d, MlirValue old) {
  enum { LARGEST_BYTES = 4, PADDING = 16, REDUCTIONS = 8192 };
  const strata_registers_t *from = strata_registers_of(d, old);
  int64_t bytes = from->sizes[0] * strata_element_bytes(from->element);
  int64_t turned = d->plan.rows * (from->sizes[0] + PADDING) * LARGEST_BYTES;
  return d->shared.size + (bytes + turned) * strata_block_groups(d) + REDUCTIONS <= d->device->shared_bytes;
}

strata_status_t strata_columns_share(strata_gpu_distribution_t *d, MlirValue old) {
  if (column_of(d, old) || !has_room(d, old))
    return NULL;
  const strata_registers_t *from = strata_registers_of(d, old);
  strata_gpu_column_t *column = strata_arena_new(d->compile->arena, strata_gpu_column_t);
  *column = (strata_gpu_column_t){.old = old, .next = d->state.columns};
  STRATA_TRY(strata_shared_alloc(d, from->element, from->sizes[0], &column->memory));
  strata_gpu_box_t box;
  strata_transfer_t transfer = transfer_of(d, from, column->memory, &box);
  STRATA_TRY(strata_transfer_store(d, &transfer, from));
  d->shared.is_dirty = true; // nobody has read what is new
  d->state.columns = column;
  return NULL;
}

strata_status_t strata_columns_as(strata_gpu_distribution_t *d, MlirValue old, const strata_layout_t *layout,
                                  strata_registers_t *out) {
  if (!column_of(d, old) && !has_room(d, old))
    return strata_registers_as(d, old, layout, out);
  STRATA_TRY(strata_columns_share(d, old));
  STRATA_TRY(strata_shared_before_read(d));
  *out = strata_registers_in(d, mlirValueGetType(old), layout);
  strata_gpu_box_t box;
  strata_transfer_t transfer = transfer_of(d, out, column_of(d, old)->memory, &box);
  return strata_transfer_load(d, &transfer, out);
}

void strata_columns_forget(strata_gpu_distribution_t *d) {
  if (d->state.columns && *d->device->mma_async)
    strata_emit_fence(d, "warp");
}
