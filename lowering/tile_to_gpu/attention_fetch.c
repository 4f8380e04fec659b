// Attention: the producers.
//
//   wait until the last task's rows are read; copy the rows
//   for each step: wait until the keys' slot is empty; copy keys; the same for values
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/values.h"

// Elements from a slot's beginning to the box at |offsets|.
static int64_t place_of(const strata_gpu_attention_operand_t *operand, const int64_t *offsets) {
  int64_t span = STRATA_SPAN / strata_element_bytes(operand->element);
  int along = operand->crossed ? 0 : 1; // the dim of spans
  int64_t others = operand->crossed ? operand->steps : operand->rows;
  return offsets[along] / span * others * span + offsets[1 - along] * span;
}

// Bytes of one box: all of them count, also those outside the buffer.
static int64_t box_bytes(const strata_bulk_t *bulk) { return bulk->extents[1 - bulk->inner] * STRATA_SPAN; }

static void copy_box(strata_gpu_distribution_t *d, const strata_gpu_attention_operand_t *operand, MlirValue slot,
                     const int64_t *offsets) {
  strata_emitter_t *e = &d->e;
  MlirValue at = strata_emit_binary(e, "arith.muli", slot, strata_emit_index(e, operand->slot));
  at = strata_emit_binary(e, "arith.addi", at, strata_emit_index(e, place_of(operand, offsets)));
  const strata_bulk_target_t to = {operand->memory, at, operand->ring.full, slot, {NULL}};
  strata_bulk_load(d, &operand->bulk, offsets, STRATA_SPAN, &to);
}

static void fetch(strata_gpu_distribution_t *d, const strata_gpu_attention_operand_t *operand,
                  strata_ring_place_t place) {
  const strata_bulk_t *bulk = &operand->bulk;
  strata_ring_acquire(d, &operand->ring, place);
  strata_ring_expect(d, &operand->ring, place.slot, strata_bulk_copies(bulk) * box_bytes(bulk));
  int64_t offsets[2];
  for (offsets[0] = 0; offsets[0] < bulk->box.space.extents[0]; offsets[0] += bulk->extents[0])
    for (offsets[1] = 0; offsets[1] < bulk->box.space.extents[1]; offsets[1] += bulk->extents[1])
      copy_box(d, operand, place.slot, offsets);
}

strata_status_t strata_gpu_attention_fetch(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  strata_emitter_t *e = &d->e;
  strata_pipelined_kernel_t *k = &a->kernel;
  MlirValue state[] = {k->place.slot, k->place.parity};
  MlirValue induction = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0)), 0);
  fetch(d, &a->operands[STRATA_ATTENTION_ROWS], (strata_ring_place_t){strata_emit_index(e, 0), a->parity});
  MlirValue steps = mlirValueIsNull(a->steps) ? strata_emit_index(e, k->n_steps) : a->steps;
  strata_loop_t loop = strata_emit_for_begin(e, strata_emit_index(e, 0), steps, 1, 2, state, state);
  strata_gpu_record_of(d, induction)->counter = loop.induction;
  strata_define_scalar(d, induction, loop.induction);
  strata_ring_place_t place = {state[0], state[1]};
  fetch(d, &a->operands[STRATA_ATTENTION_KEYS], place);
  fetch(d, &a->operands[STRATA_ATTENTION_VALUES], place);
  strata_ring_advance(d, &a->operands[STRATA_ATTENTION_KEYS].ring, &place);
  state[0] = place.slot;
  state[1] = place.parity;
  strata_emit_for_end(e, loop, 2, state, state);
  k->place = (strata_ring_place_t){state[0], state[1]};
  return NULL;
}
