// Reductions over rows of a contraction's result, on GPUs: a tile is as long as the row, or those of a cluster's blocks
// are together (the schedule's |row|). Then the reduction is marked: its result is that of the whole row.
//
//   %e = ... : vector<128x256xf32>
//   %s = vector.multi_reduction <add>, %e, %start [1] {tile.row} : vector<128x256xf32> to vector<128xf32>
//
// Elements beyond the row's end change nothing.
#include "lowering/affine_to_tile/contract.h"

#include "dialects/affine/row_kernel.h"
#include "lowering/expand/combine.h"

enum { ROW = STRATA_AXIS_ROW, COLUMN = STRATA_AXIS_COLUMN };

static const uint32_t rows = 1u << ROW, elements = 1u << ROW | 1u << COLUMN;

void strata_tile_contract_place(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                const strata_nest_t *nest, const MlirAffineExpr *point, MlirAffineExpr *out_point) {
  const strata_contraction_place_t *place = &c->places[nest - c->kernel->nests];
  MlirAffineMap at =
      mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, 0, c->nest->n_parallel, (MlirAffineExpr *)(uintptr_t)point);
  for (int dim = 0; dim < nest->n_parallel + nest->n_reduction; dim++)
    out_point[dim] = strata_tile_simplify(b, mlirAffineExprCompose(place->dims[dim], at));
}

// |value| where |column|, the coordinate along the row, is below |extent|; else what changes nothing.
static MlirValue within_row(strata_tile_builder_t *b, MlirAttribute kind, MlirValue value, MlirAffineExpr column,
                            int64_t extent) {
  enum { PREDICATE_SLT = 2 };
  MlirContext context = b->e.context;
  MlirAffineExpr dims[STRATA_TILE_DIMS];
  for (int dim = 0; dim < STRATA_TILE_DIMS; dim++)
    dims[dim] = dim == COLUMN ? strata_tile_constant(b, 0) : mlirAffineDimExprGet(context, dim);
  MlirAffineExpr first =
      mlirAffineExprCompose(column, mlirAffineMapGet(context, STRATA_TILE_DIMS, 0, STRATA_TILE_DIMS, dims));
  MlirValue left = strata_tile_index(b, strata_tile_scaled(b, first, -1, strata_tile_constant(b, extent)));
  MlirType index = strata_tile_type(b, mlirIndexTypeGet(context), 1u << COLUMN);
  MlirType truth = strata_tile_type(b, mlirIntegerTypeGet(context, 1), 1u << COLUMN);
  MlirValue number = strata_emit_value(&b->e, "vector.step", 0, NULL, index, 0, NULL);
  MlirValue compared[2] = {number, strata_tile_broadcast(b, (strata_tile_value_t){left, 0}, 1u << COLUMN)};
  strata_named_attr_t less = {"predicate", strata_i64_attr(context, PREDICATE_SLT)};
  MlirValue exists = strata_emit_value(&b->e, "arith.cmpi", 2, compared, truth, 1, &less);
  MlirType type = mlirValueGetType(value);
  strata_tile_value_t neutral = {strata_emit_start(&b->e, kind, mlirShapedTypeGetElementType(type)), 0};
  MlirValue operands[3] = {strata_tile_broadcast(b, (strata_tile_value_t){exists, 1u << COLUMN}, elements), value,
                           strata_tile_broadcast(b, neutral, elements)};
  return strata_emit_value(&b->e, "arith.select", 3, operands, type, 0, NULL);
}

static MlirValue emit_reduction(strata_tile_builder_t *b, MlirAttribute kind, MlirValue value, MlirValue start) {
  const int64_t columns = 1;
  strata_named_attr_t attrs[3] = {{"kind", kind},
                                  {"reduction_dims", strata_i64s_attr(b->e.context, 1, &columns)},
                                  {"tile.row", mlirUnitAttrGet(b->e.context)}};
  MlirValue operands[2] = {value, start};
  return strata_emit_value(&b->e, "vector.multi_reduction", 2, operands, mlirValueGetType(start),
                           b->schedule.row > 1 ? 3 : 2, attrs);
}

// The result of the whole row is known from here on, and stored if it is asked for.
static void finish(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point, MlirValue result) {
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  strata_tile_bind(b, &frame, mlirOperationGetResult(nest->loops[0], 0), (strata_tile_value_t){result, rows});
  strata_tile_finish(b, &frame);
}

void strata_tile_contract_reduce(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point) {
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  MlirAttribute kind = strata_combining_attr(b->e.context, strata_row_combining_kind(nest));
  int64_t extent = strata_nest_static_extent(nest, nest->n_parallel), tiles = b->schedule.row > 1 ? b->schedule.row : 1;
  strata_tile_value_t start = strata_tile_evaluate(b, &frame, strata_nest_start(nest, 0));
  strata_tile_value_t element = strata_tile_evaluate(b, &frame, strata_row_combined(nest));
  if (b->status)
    return;
  if (b->space.extents[COLUMN] * tiles < extent) {
    strata_tile_fail(b, "affine-to-tile: a row longer than its tiles");
    return;
  }
  MlirValue value = strata_tile_broadcast(b, element, elements);
  if (b->space.extents[COLUMN] * tiles > extent)
    value = within_row(b, kind, value, point[nest->n_parallel], extent);
  finish(b, nest, point, emit_reduction(b, kind, value, strata_tile_broadcast(b, start, rows)));
}
