// Pipelined products: whether the form that a schedule asks for can be carried out. dialects/tile/product_form.h knows.
#include "lowering/tile_to_gpu/pipelined.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/tasks.h"

// True if |op|'s tasks are not all of the launch.
static bool is_joined(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirOperation forall = mlirOperationGetParentOperation(mlirOperationGetParentOperation(op));
  strata_size_t tasks;
  return !strata_gpu_forall_tasks(d, forall, &tasks) || !strata_size_equal(tasks, d->plan.n_tasks);
}

// Of the pipeline that |op| is in: at least.
static int64_t count_steps(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirBlock body = mlirOperationGetBlock(op);
  int64_t lower, step;
  strata_size_t steps;
  return strata_index_bounds(d, mlirBlockGetArgument(body, 0), &lower, &step, &steps) ? strata_size_min(steps) : 0;
}

// True if each step's rows of a tile come by one copy.
static bool is_box(const strata_ring_operand_t *operand, strata_size_t *out_rows) {
  return mlirOperationIsNull(operand->unpack) && strata_operand_is_bulk(&operand->shared) && operand->shared.bulk &&
         strata_bulk_count_rows(operand->shared.bulk, out_rows);
}

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
    strata_size_t rows;
    form.sides[side] = (strata_product_side_t){.is_crossed = operand->shared.form == STRATA_SPANS_CROSSED,
                                               .is_box = is_box(operand, &rows),
                                               .tile = mlirShapedTypeGetDimSize(type, side),
                                               .slot = operand->shared.rows * operand->tiles};
  }
  return form;
}

strata_status_t strata_pipelined_check(const strata_gpu_distribution_t *d, MlirOperation op,
                                       const strata_pipelined_t *p) {
  if (d->plan.dynamic)
    return strata_gpu_missing(op, "tasks of a counter, but of attention,");
  strata_product_form_t form = form_of(d, op, p);
  const char *fault = strata_product_fault(&form);
  if (!fault)
    fault = strata_product_grid_fault(&form, d->plan.n_tasks, d->plan.blocks);
  return fault ? strata_gpu_missing(op, fault) : NULL;
}

void strata_pipelined_clip(strata_gpu_distribution_t *d, MlirOperation op, strata_pipelined_t *p) {
  strata_product_form_t form = form_of(d, op, p);
  form.is_joined = is_joined(d, op);
  form.steps = count_steps(d, op);
  for (int side = 0; side < 2; side++) {
    strata_size_t rows;
    strata_ring_operand_t *operand = &p->operands[side];
    if (!is_box(operand, &rows) || !strata_product_clips(&form, side, rows))
      continue;
    bool may_miss = strata_pipelined_shares(d) || (p->parts > 1 && operand->tiles > 1); // whole clusters of tiles
    for (; operand; operand = operand->next)
      strata_bulk_clip(operand->shared.bulk, may_miss);
  }
}
