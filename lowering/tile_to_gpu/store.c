// tile.store: the ways in which a value goes to memory, in the order in which they are tried.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/turn.h"

typedef struct {
  MlirOperation op;
  MlirValue value, buffer;
  strata_gpu_box_t box;
  strata_transfer_t transfer;
  strata_registers_t registers;
} store_t;

// What exceeds half of the L2 cache is not read from there again. And tasks that come back to lines which the cache has
// (strata_gpu_share) find them there only if results do not take their place.
static bool is_streaming(const strata_gpu_distribution_t *d, MlirValue buffer) {
  MlirType type = mlirValueGetType(buffer);
  int64_t most = d->device->l2_bytes / 2;
  double bytes =
      strata_memref_likely_elements(&d->sizes, type) * (double)strata_element_bytes(mlirShapedTypeGetElementType(type));
  bool comes_back = strata_gpu_share(d) > 0 && strata_attr_i64(d->func, "strata.bytes", 0) > most;
  return mlirValueIsABlockArgument(buffer) && (bytes > (double)most || comes_back);
}

// Reads the access for the ways that follow; takes nothing.
static strata_status_t prepare(strata_gpu_distribution_t *d, store_t *s, bool *out_taken) {
  STRATA_TRY(strata_gpu_box_read(d, s->op, 1, mlirValueGetType(s->value), &s->box));
  if (strata_gpu_is_exchanged(d, s->buffer))
    STRATA_TRY(strata_shared_before_write(d));
  s->transfer = strata_gpu_transfer(d, s->op, 1, &s->box);
  s->transfer.flat = strata_emit_flat(&d->e, s->transfer.flat);
  s->transfer.pad = (MlirAttribute){0};
  s->transfer.is_streaming = is_streaming(d, s->buffer);
  s->registers = *strata_registers_of(d, s->value);
  *out_taken = false;
  return NULL;
}

// Through shared memory and by the copy engine, of values in the layout of the sums.
static strata_status_t stage(strata_gpu_distribution_t *d, store_t *s, bool *out_taken) {
  return strata_pipelined_store(d, s->op, out_taken);
}

// Rows that begin anywhere, through the staging memory of their warp group.
static strata_status_t store_rows(strata_gpu_distribution_t *d, store_t *s, bool *out_taken) {
  *out_taken = strata_pipelined_store_rows(d, &s->transfer, &s->registers);
  return NULL;
}

// Runs of neighbours, through the same.
static strata_status_t store_runs(strata_gpu_distribution_t *d, store_t *s, bool *out_taken) {
  *out_taken = strata_pipelined_to_runs(d, &s->box, &s->registers);
  return *out_taken ? strata_transfer_store(d, &s->transfer, &s->registers) : NULL;
}

// Turned, where values lie contiguous along the other dim.
static strata_status_t store_turned(strata_gpu_distribution_t *d, store_t *s, bool *out_taken) {
  strata_layout_t turned;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(s->buffer));
  *out_taken = strata_turn_layout(d, s->value, &s->box, element, &turned);
  if (!*out_taken)
    return NULL;
  STRATA_TRY(strata_registers_as(d, s->value, &turned, &s->registers));
  return strata_transfer_store(d, &s->transfer, &s->registers);
}

// From registers.
static strata_status_t store_registers(strata_gpu_distribution_t *d, store_t *s, bool *out_taken) {
  *out_taken = true;
  return strata_transfer_store(d, &s->transfer, &s->registers);
}

strata_status_t strata_gpu_rule_store(strata_gpu_distribution_t *d, MlirOperation op) {
  static strata_status_t (*const ways[])(strata_gpu_distribution_t *, store_t *, bool *) = {
      stage, prepare, store_rows, store_runs, store_turned, store_registers};
  store_t s = {.op = op, .value = mlirOperationGetOperand(op, 0), .buffer = mlirOperationGetOperand(op, 1)};
  bool is_taken = false;
  for (int i = 0; !is_taken; i++) // the last takes all
    STRATA_TRY(ways[i](d, &s, &is_taken));
  return NULL;
}
