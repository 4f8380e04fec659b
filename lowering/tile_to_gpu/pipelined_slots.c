// Pipelined products: what a slot of the ring is, by the product alone.
#include "lowering/tile_to_gpu/pipelined.h"

bool strata_pipelined_is_bulk(const strata_pipelined_t *p) { return p->operands[0].is_bulk && p->operands[1].is_bulk; }

int64_t strata_ring_slot_bytes(const strata_ring_operand_t *operand) {
  return operand->slot * operand->shared.element_bytes;
}

int64_t strata_ring_bytes(const strata_pipelined_t *p) {
  return p->slots * (strata_ring_slot_bytes(&p->operands[0]) + strata_ring_slot_bytes(&p->operands[1]));
}

int64_t strata_pipelined_releases(const strata_pipelined_t *p) {
  return p->adds ? p->groups * STRATA_GROUP_THREADS : p->groups;
}

int64_t strata_ring_span(const strata_ring_operand_t *operand) {
  const strata_shared_operand_t *shared = &operand->shared;
  return shared->form == STRATA_DENSE ? shared->rows * shared->element_bytes : STRATA_SPAN;
}
