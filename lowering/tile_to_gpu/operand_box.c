// Operands that the copy engine brings: boxes, pieces and windows (operands.def).
//
// A box's rows are spans of a slot: of the reduction, one row of the operand each, or, crossed, of rows, one step each.
// Spans of what is longer lie one behind the other, each of all rows (crossed: steps).
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/operand.h"

enum { ROW = 0, STEP = 1 };

//===-- What can come so -----------------------------------------------------------------------------------------===//

static bool read_boxes(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                       const strata_operand_terms_t *terms, bool crossed, strata_bulk_t *out) {
  MlirOperation load = strata_operand_load(operand);
  int64_t rows = operand->rows, n_boxes = strata_ceil_div(rows, STRATA_BULK_EXTENT);
  int64_t most = n_boxes > 1 && rows % n_boxes == 0 ? rows / n_boxes : STRATA_BULK_EXTENT; // equal ones: slots are full
  strata_bulk_limits_t limits = {.span = terms->is_dense ? rows * operand->element_bytes : STRATA_SPAN,
                                 .splits_rows = terms->splits_rows};
  limits.most[crossed ? ROW : STEP] = limits.span / operand->element_bytes;
  limits.most[crossed ? STEP : ROW] = crossed ? STRATA_BULK_EXTENT : most;
  bool is_read = strata_bulk_read(d, load, 0, mlirValueGetType(operand->value), &limits, out);
  out->is_dense = terms->is_dense;
  return is_read && out->inner == (crossed ? ROW : STEP) && (!terms->is_dense || out->extents[ROW] == rows);
}

// Boxes along the reduction, or across it.
static bool find_boxes(strata_gpu_distribution_t *d, strata_shared_operand_t *operand,
                       const strata_operand_terms_t *terms) {
  if (!terms->has_boxes || mlirOperationIsNull(strata_operand_load(operand)))
    return false;
  operand->bulk = strata_arena_new(d->compile->arena, strata_bulk_t);
  return (!terms->is_dense && read_boxes(d, operand, terms, false, operand->bulk)) ||
         ((terms->is_dense || terms->may_cross) && read_boxes(d, operand, terms, true, operand->bulk));
}

STRATA_SOURCE_TAKES(strata_box_takes) {
  *out_takes = find_boxes(d, operand, terms) &&
               (operand->bulk->inner != STEP || operand->bulk->extents[ROW] >= operand->bulk->box.space.extents[ROW]);
  return NULL;
}

STRATA_SOURCE_TAKES(strata_pieces_take) {
  *out_takes = find_boxes(d, operand, terms);
  return NULL;
}

STRATA_SOURCE_TAKES(strata_window_takes) {
  MlirOperation load = strata_operand_load(operand);
  *out_takes = terms->has_windows && !mlirOperationIsNull(load) &&
               strata_bulk_read_window(d, load, 0, mlirValueGetType(operand->value), STRATA_SPAN, operand->bulk);
  return NULL;
}

//===-- A tile ---------------------------------------------------------------------------------------------------===//

// Bytes of a row of a box in a slot.
static int64_t span_of(const strata_shared_operand_t *operand) {
  return operand->form == STRATA_DENSE ? operand->rows * operand->element_bytes : STRATA_SPAN;
}

// All of a box's bytes count, also those outside the buffer.
int64_t strata_boxes_bytes(const strata_shared_operand_t *operand) {
  const strata_bulk_t *bulk = operand->bulk;
  return strata_bulk_copies(bulk) * bulk->extents[1 - bulk->inner] * span_of(operand);
}

int64_t strata_operand_at(const strata_shared_operand_t *operand, int64_t row, int64_t step) {
  int64_t span = STRATA_SPAN / operand->element_bytes;
  switch (operand->form) {
  case STRATA_DENSE:
    return step * operand->rows + row;
  case STRATA_SPANS_CROSSED:
    return row * operand->steps + step * span;
  default:
    return step / span * span * operand->rows + row * span + step % span;
  }
}

static void copy_box(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand, const strata_bulk_t *bulk,
                     const strata_fill_t *to, const int64_t *offsets) {
  const strata_bulk_target_t target = {
      .memory = operand->memory,
      .at = strata_emit_plus(&d->e, to->at, strata_operand_at(operand, offsets[ROW], offsets[STEP])),
      .barriers = to->full,
      .slot = to->slot,
      .blocks = to->blocks};
  strata_bulk_load(d, bulk, offsets, span_of(operand), &target);
}

void strata_boxes_copy(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand, const strata_bulk_t *bulk,
                       const strata_fill_t *to, int64_t first, int64_t end) {
  int64_t offsets[2], number = 0;
  for (offsets[0] = 0; offsets[0] < bulk->box.space.extents[0]; offsets[0] += bulk->extents[0])
    for (offsets[1] = 0; offsets[1] < bulk->box.space.extents[1]; offsets[1] += bulk->extents[1], number++)
      if (first <= number && number < end)
        copy_box(d, operand, bulk, to, offsets);
}

STRATA_SOURCE_FILL(strata_boxes_fill) {
  strata_boxes_copy(d, operand, operand->bulk, to, 0, strata_bulk_copies(operand->bulk));
  return NULL;
}
