// What readers make of values; see tir.h.
#include "dialects/import/tir/tir.h"

const char *tir_cast(tir_op_t *o, const char *value, strata_dtype_t dtype) { return graph_cast(o->g, value, dtype); }

static bool is_static(const tir_type_t *type) {
  for (int i = 0; i < type->rank; i++)
    if (type->dims[i] < 0)
      return false;
  return true;
}

const char *tir_sizes(tir_op_t *o, const char *value, const tir_type_t *type) {
  return is_static(type) ? graph_ints(o->g, type->rank, type->dims) : graph_op(o->g, "Shape", GRAPH_VALUES(value));
}

const char *tir_size(tir_op_t *o, const char *value, const tir_type_t *type, int axis) {
  if (type->dims[axis] >= 0)
    return graph_ints(o->g, 1, &type->dims[axis]);
  graph_node_t *node = graph_node(o->g, "Shape", GRAPH_VALUES(value));
  graph_set_int(node, "start", axis);
  graph_set_int(node, "end", axis + 1);
  return graph_result(node, NULL);
}

const char *tir_reshape(tir_op_t *o, const char *value, const char *sizes) {
  graph_node_t *node = graph_node(o->g, "Reshape", GRAPH_VALUES(value, sizes));
  graph_set_int(node, "allowzero", 1);
  return graph_result(node, NULL);
}

const char *tir_reshape_static(tir_op_t *o, const char *value, int rank, const int64_t *dims) {
  return tir_reshape(o, value, graph_ints(o->g, rank, dims));
}

const char *tir_concat(tir_op_t *o, int axis, int count, const char *const *values) {
  if (count == 1)
    return values[0];
  graph_node_t *node = graph_node(o->g, "Concat", count, values);
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

const char *tir_transpose(tir_op_t *o, const char *value, int rank, const int64_t *permutation) {
  for (int i = 0; i < rank; i++)
    if (permutation[i] != i)
      return graph_transpose(o->g, value, rank, permutation);
  return value;
}

const char *tir_slice(tir_op_t *o, const char *value, int rank, const int64_t *starts, const int64_t *limits,
                      const int64_t *steps) {
  int64_t axes[TIR_MAX_RANK];
  for (int i = 0; i < rank; i++)
    axes[i] = i;
  return graph_op(o->g, "Slice",
                  GRAPH_VALUES(value, graph_ints(o->g, rank, starts), graph_ints(o->g, rank, limits),
                               graph_ints(o->g, rank, axes), graph_ints(o->g, rank, steps)));
}

const char *tir_slice_axis(tir_op_t *o, const char *value, int axis, int64_t start, int64_t limit, int64_t step) {
  int64_t place = axis;
  return graph_op(o->g, "Slice",
                  GRAPH_VALUES(value, graph_ints(o->g, 1, &start), graph_ints(o->g, 1, &limit),
                               graph_ints(o->g, 1, &place), graph_ints(o->g, 1, &step)));
}

const char *tir_pair(tir_op_t *o, int rank, const char *real, const char *imaginary) {
  int64_t axis = rank;
  const char *parts[2] = {graph_unsqueeze(o->g, real, 1, &axis)};
  if (!imaginary)
    return parts[0];
  parts[1] = graph_unsqueeze(o->g, imaginary, 1, &axis);
  return tir_concat(o, rank, 2, parts);
}

const char *tir_part(tir_op_t *o, const char *pair, int rank, int part) {
  int64_t axis = rank;
  return graph_squeeze(o->g, tir_slice_axis(o, pair, rank, part, part + 1, 1), 1, &axis);
}

const char *tir_counting(tir_op_t *o, const char *size) {
  int64_t axis = 0;
  const char *count = graph_squeeze(o->g, size, 1, &axis);
  return graph_op(o->g, "Range", GRAPH_VALUES(graph_int(o->g, 0), count, graph_int(o->g, 1)));
}

const char *tir_number(tir_op_t *o, strata_dtype_t dtype, double value) { return graph_number(o->g, dtype, value); }

const char *tir_scalar(tir_op_t *o, const char *list_of_one) {
  int64_t axis = 0;
  return graph_squeeze(o->g, list_of_one, 1, &axis);
}

const char *tir_counting_along(tir_op_t *o, const char *size, int axis, int rank) {
  int64_t shape[2 * TIR_MAX_RANK];
  for (int i = 0; i < rank; i++)
    shape[i] = i == axis ? -1 : 1;
  return tir_reshape_static(o, tir_counting(o, size), rank, shape);
}

const char *tir_unary(tir_op_t *o, const char *op, const char *x) { return graph_op(o->g, op, GRAPH_VALUES(x)); }

const char *tir_binary(tir_op_t *o, const char *op, const char *x, const char *y) {
  return graph_op(o->g, op, GRAPH_VALUES(x, y));
}

const char *tir_select(tir_op_t *o, const char *condition, const char *yes, const char *no) {
  return graph_op(o->g, "Where", GRAPH_VALUES(condition, yes, no));
}

const char *tir_bit_cast(tir_op_t *o, const char *value, strata_dtype_t dtype) {
  graph_node_t *node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(value));
  graph_set_int(node, "to", strata_dtype_info[dtype].onnx_type);
  return graph_result(node, NULL);
}

const char *tir_expand(tir_op_t *o, const char *value, const char *sizes) {
  return graph_op(o->g, "Expand", GRAPH_VALUES(value, sizes));
}

const char *tir_list_of_one(tir_op_t *o, const char *scalar) {
  int64_t axis = 0;
  return graph_unsqueeze(o->g, tir_cast(o, scalar, STRATA_DTYPE_I64), 1, &axis);
}

void tir_read_node(tir_op_t *o) {
  const char *operands[3] = {"", "", ""};
  int count = tir_n_operands(o);
  if (count > 3) {
    tir_refuse(o, "%d operands", count);
    return;
  }
  for (int i = 0; i < count; i++)
    operands[i] = tir_in(o, i);
  bool is_boolean = tir_in_type(o, 0).dtype == STRATA_DTYPE_BOOL;
  if (is_boolean && !o->info->boolean)
    tir_refuse(o, "operands of booleans");
  else
    tir_set(o, 0, graph_op(o->g, is_boolean ? o->info->boolean : o->info->op, count, operands));
}

void tir_read_same(tir_op_t *o) {
  for (int i = 0; i < tir_n_operands(o); i++)
    tir_set(o, i, tir_in(o, i));
}

void tir_read_nothing(tir_op_t *o) { (void)o; }
