// Pipelined products: what is done before earlier kernels have ended. Nothing may be read then; but the operand that
// streams from memory may be on its way into the second-level cache, which sees whatever is still written.
//
//   lane i of the producers' second warp: prefetch step i of the block's first task
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/values.h"

static int64_t buffer_elements(const strata_ring_operand_t *operand) {
  int64_t elements = 1;
  for (int dim = 0; dim < operand->bulk.box.rank; dim++)
    elements *= operand->bulk.box.sizes[dim];
  return elements;
}

// A copy that needs more than a place is not fetched ahead.
static void prefetch_boxes(strata_gpu_distribution_t *d, const strata_ring_operand_t *operand) {
  const strata_bulk_t *bulk = &operand->bulk;
  strata_named_attr_t map = {"map", strata_i64_attr(d->e.context, strata_bulk_map(d, bulk, strata_ring_span(operand)))};
  MlirValue coordinates[2 * STRATA_BULK_RANK];
  int64_t offsets[2];
  for (offsets[0] = 0; offsets[0] < bulk->box.space.extents[0]; offsets[0] += bulk->extents[0])
    for (offsets[1] = 0; offsets[1] < bulk->box.space.extents[1]; offsets[1] += bulk->extents[1]) {
      int rank = strata_bulk_coordinates(d, bulk, offsets, coordinates);
      if (rank == bulk->rank)
        strata_emit_op(&d->e, STRATA_TILE_LAUNCH_PREFETCH, rank, coordinates, 0, NULL, 1, &map);
    }
}

void strata_pipelined_look_ahead(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *operands = k->product.operands;
  int64_t lanes = d->device->lanes, steps = k->product.slots < k->n_steps ? k->product.slots : k->n_steps;
  MlirValue induction = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0)), 0);
  MlirValue step = strata_emit_binary(e, "arith.subi", d->thread, strata_emit_index(e, lanes));
  MlirValue is_step = strata_emit_cmpi(e, STRATA_ULT, step, strata_emit_index(e, steps < lanes ? steps : lanes));
  strata_loop_t branch = strata_emit_if_begin(e, is_step);
  strata_gpu_record_of(d, induction)->counter = step;
  strata_define_scalar(d, induction, step);
  prefetch_boxes(d, &operands[buffer_elements(&operands[1]) > buffer_elements(&operands[0])]);
  strata_emit_if_end(e, branch);
}
