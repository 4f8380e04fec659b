// Pipelined products: what a slot of the ring is, by the product alone.
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/pipelined.h"

enum { ROW = 0, COLUMN = 1, STEP = 1 };

strata_status_t strata_ring_operand_read(strata_gpu_distribution_t *d, MlirValue value,
                                         const strata_operand_terms_t *terms, int contiguous,
                                         strata_ring_operand_t *operand) {
  strata_shared_operand_t *shared = &operand->shared;
  MlirType type = mlirValueGetType(value);
  shared->value = value;
  shared->element = mlirShapedTypeGetElementType(type);
  shared->element_bytes = strata_element_bytes(shared->element);
  shared->rows = mlirShapedTypeGetDimSize(type, 0);
  shared->steps = mlirShapedTypeGetDimSize(type, STEP);
  shared->word = 1;
  STRATA_TRY(strata_operand_find_source(d, shared, terms));
  bool is_bulk = strata_operand_is_bulk(shared);
  bool crossed = is_bulk ? shared->bulk->inner != STEP : contiguous != STEP && shared->element_bytes == 2;
  int64_t span = terms->is_dense ? 1 : STRATA_SPAN / shared->element_bytes;
  shared->form = terms->is_dense ? STRATA_DENSE : crossed ? STRATA_SPANS_CROSSED : STRATA_SPANS;
  if (crossed)
    shared->rows = strata_round_up(shared->rows, span);
  operand->slot = shared->rows * (crossed ? shared->steps : strata_round_up(shared->steps, span));
  return NULL;
}

bool strata_pipelined_is_bulk(const strata_pipelined_t *p) {
  return strata_operand_is_bulk(&p->operands[0].shared) && strata_operand_is_bulk(&p->operands[1].shared);
}

int64_t strata_ring_slot_bytes(const strata_ring_operand_t *operand) {
  int64_t bytes = 0;
  for (; operand; operand = operand->with)
    bytes += operand->slot * operand->shared.element_bytes;
  return bytes;
}

int64_t strata_ring_bytes(const strata_pipelined_t *p) {
  return p->slots * (strata_ring_slot_bytes(&p->operands[0]) + strata_ring_slot_bytes(&p->operands[1]));
}

// The dim of the result that the instruction's rows run along.
int strata_pipelined_left_side(const strata_pipelined_t *p) { return p->swap ? COLUMN : ROW; }

int64_t strata_pipelined_sums(const strata_pipelined_t *p) {
  return strata_layout_registers(&p->layout) * p->parts * p->pair;
}

// Columns of an instruction.
int64_t strata_pipelined_columns(const strata_pipelined_t *p) { return p->n * p->parts * (p->swap ? 1 : p->pair); }
