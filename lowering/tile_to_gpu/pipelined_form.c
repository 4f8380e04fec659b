// Pipelined products: whether the form that a schedule asks for can be carried out. dialects/tile/product_form.h knows.
#include "lowering/tile_to_gpu/pipelined.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

static strata_product_form_t form_of(const strata_gpu_distribution_t *d, MlirOperation op,
                                     const strata_pipelined_t *p) {
  strata_schedule_t s = strata_schedule_read(d->func);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  int left = strata_pipelined_left_side(p);
  strata_product_form_t form = {
      .has_fragments = p->instruction->has_fragments,
      .is_bulk = strata_pipelined_is_bulk(p),
      .reads_left = p->reads_left || p->unpacks,
      .unpacks = p->unpacks,
      .swap = p->swap,
      .stream = s.stream,
      .has_whole_steps = mlirAttributeIsNull(strata_attr(mlirOperationGetParentOperation(op), "tile.last")),
      .element_bytes = p->operands[1 - left].shared.element_bytes,
      .groups = p->groups,
      .across = p->across,
      .teams = p->teams,
      .depth = p->depth,
      .rows = mlirShapedTypeGetDimSize(type, left) * (p->swap ? p->pair : 1),
      .columns = mlirShapedTypeGetDimSize(type, 1 - left) * p->parts * (p->swap ? 1 : p->pair),
      .slots = p->slots,
      .slot_bytes = strata_ring_slot_bytes(&p->operands[0]) + strata_ring_slot_bytes(&p->operands[1]),
      .pair = p->pair,
      .parts = p->parts,
      .row = strata_max(s.row, 1),
      .share = {strata_max(s.share[0], 1), strata_max(s.share[1], 1)},
      .every = strata_max(s.every, 1),
      .stagger = s.stagger,
  };
  for (int side = 0; side < 2; side++) {
    const strata_ring_operand_t *operand = &p->operands[side];
    form.sides[side] = (strata_product_side_t){.is_crossed = operand->shared.form == STRATA_SPANS_CROSSED,
                                               .tile = mlirShapedTypeGetDimSize(type, side),
                                               .slot = operand->shared.rows * operand->tiles};
  }
  return form;
}

strata_status_t strata_pipelined_check(const strata_gpu_distribution_t *d, MlirOperation op,
                                       const strata_pipelined_t *p) {
  strata_product_form_t form = form_of(d, op, p);
  const char *fault = strata_product_fault(&form);
  if (!fault)
    fault = strata_product_grid_fault(&form, d->plan.n_tasks, d->plan.blocks);
  return fault ? strata_gpu_missing(op, fault) : NULL;
}
