// Rows times their sequences' matrices (dialects/affine/segment_contract.h): a pipelined product on GPUs, whose tiles
// are those of the table.
#include "devices/gpu/mma.h"
#include "dialects/affine/segment_attention.h"
#include "dialects/affine/segment_contract.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/kinds.h"
#include "passes/affine/pipelined.h"

enum {
  ELEMENT_BYTES = 2,
  STEP = STRATA_SPAN / ELEMENT_BYTES, // of a slot
  UNIT = 8,                           // elements that the copy engine takes at once, and columns of an instruction
  MOST_SLOTS = 4,
  GROUPS = STRATA_SEGMENT_TILE_ROWS / STRATA_GROUP_ROWS,
};

static int64_t slots_of(const strata_gpu_device_t *device, int64_t columns) {
  int64_t slot = (STRATA_SEGMENT_TILE_ROWS + strata_round_up(columns, STEP)) * STEP * ELEMENT_BYTES;
  int64_t room = device->shared_bytes - GROUPS * STRATA_SUB_TILES * STRATA_SUB_TILE - STRATA_PIPELINED_BARRIER_BYTES;
  return strata_min(room / slot, MOST_SLOTS);
}

strata_status_t strata_gpu_segment_contract(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_segment_contract_t a;
  *out = (strata_schedule_t){0};
  *out_taken = false;
  if (!strata_segment_contract_read(s->kernel, &a))
    return NULL;
  MlirType type = strata_place_element(&a.rows), f32 = mlirF32TypeGet(mlirTypeGetContext(type));
  const strata_mma_t *mma = strata_mma_find_async(s->device, type, type, f32, true);
  if (!mma || !mlirTypeEqual(type, strata_place_element(&a.matrices)) ||
      (!mlirTypeEqual(f32, strata_place_element(&a.result)) && !mlirTypeEqual(type, strata_place_element(&a.result))) ||
      a.columns % UNIT || a.steps % UNIT)
    return NULL;
  // Equal tiles of columns, as few as there can be.
  int64_t n = strata_ceil_div(a.columns, STRATA_MAX_COLUMNS),
          columns = strata_round_up(strata_ceil_div(a.columns, n), UNIT);
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SEGMENT_CONTRACT,
                             .threads = GROUPS * STRATA_GROUP_THREADS,
                             .group = GROUPS * STRATA_GROUP_THREADS,
                             .n_tile = 3,
                             .tile = {STRATA_SEGMENT_TILE_ROWS, columns, STEP},
                             .warps = {4 * GROUPS, 1},
                             .mma = strata_str(mma->name),
                             .producers = STRATA_GROUP_THREADS,
                             .slots = slots_of(s->device, columns),
                             .blocks = s->device->n_processors};
  *out_taken = out->slots >= STRATA_MIN_SLOTS;
  return NULL;
}
