// Updates of tensors that a model has as an input and gives back as an output: rows that are scattered into it.
#include "dialects/import/onnx/cache.h"
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/sizes.h"

#include <string.h>

bool onnx_updates_input(const onnx_node_t *n, int i, int operand) {
  const Onnx__GraphProto *graph = n->importer->model->graph;
  if (i >= n->n_outputs || n->scope->parent || n->scope->caller || !onnx_has(n, operand) ||
      n->inputs[operand].kind != ONNX_TENSOR || !onnx_input_name(n, n->inputs[operand].tensor))
    return false;
  for (size_t k = 0; k < graph->n_output; k++)
    if (!strcmp(onnx_text(graph->output[k]->name), onnx_text(n->proto->output[i])))
      return true;
  return false;
}

void onnx_set_update(onnx_node_t *n, int i, MlirValue value, int operand) {
  const char *input = onnx_failed(n) ? NULL : onnx_input_name(n, onnx_operand(n, operand));
  onnx_set_value(
      n, i,
      (onnx_value_t){
          .kind = ONNX_TENSOR, .is_unsigned = onnx_is_unsigned(n, operand), .tensor = value, .alias = input});
}

// The place of each of the updates, [batch or 1, count]; -1: none.
static MlirValue places(onnx_node_t *n, MlirValue first, strata_dim_t count, strata_dim_t room, bool circular) {
  strata_dim_t row[2] = {onnx_dim(n, 1), count};
  MlirValue place = onnx_binary(n, STRATA_OP_ADD, first, onnx_iota_dims(n, STRATA_TYPE_I64, 2, row, 1));
  if (circular) {
    place = onnx_binary(n, STRATA_OP_REM, place, strata_build_dim(n->b, room, STRATA_TYPE_I64));
    MlirValue wrapped = onnx_with_dim(n, STRATA_OP_ADD, place, room);
    return onnx_select(n, onnx_with_number(n, STRATA_OP_LT, place, 0), wrapped, place);
  }
  MlirValue inside = onnx_binary(n, STRATA_OP_LT, place, strata_build_dim(n->b, room, STRATA_TYPE_I64));
  inside = onnx_binary(n, STRATA_OP_AND, inside, onnx_with_number(n, STRATA_OP_GE, place, 0));
  return onnx_select(n, inside, place, onnx_number(n, place, -1));
}

MlirValue onnx_written(onnx_node_t *n, MlirValue cache, MlirValue update, int axis, MlirValue first, bool circular) {
  strata_shape_t shape = onnx_shape(cache), new = onnx_shape(update);
  if (onnx_failed(n))
    return cache;
  MlirContext context = n->b->compile->context;
  strata_dim_t batch = shape.dims[0], room = shape.dims[axis], count = new.dims[axis];
  strata_dim_t outer = strata_dim_product(context, axis - 1, shape.dims + 1);
  strata_dim_t inner = strata_dim_product(context, shape.rank - axis - 1, shape.dims + axis + 1);
  // Rows are counted through: where those of an outer place begin, and the place.
  strata_dim_t lines = strata_dim_mul(batch, outer), line[3] = {batch, outer, onnx_dim(n, 1)};
  MlirValue begin = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &lines, 0);
  begin = onnx_reshape_dims(n, onnx_with_dim(n, STRATA_OP_MUL, begin, room), 3, line);
  MlirValue place = onnx_insert_axis(n, places(n, first, count, room, circular), 1);
  MlirValue row = onnx_binary(n, STRATA_OP_ADD, begin, place);
  row = onnx_select(n, onnx_with_number(n, STRATA_OP_LT, place, 0), onnx_number(n, row, -1), row);
  strata_dim_t n_updates = strata_dim_mul(lines, count);
  strata_dim_t rows[2] = {strata_dim_mul(lines, room), inner}, updates[2] = {n_updates, inner};
  if (onnx_failed(n))
    return cache;
  MlirValue result =
      strata_build_scatter(n->b, "distinct", onnx_reshape_dims(n, cache, 2, rows),
                           onnx_reshape_dims(n, row, 1, &n_updates), onnx_reshape_dims(n, update, 2, updates));
  return onnx_reshape_dims(n, result, shape.rank, shape.dims);
}
