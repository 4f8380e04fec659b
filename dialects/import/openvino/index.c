// Elements by index.
#include "dialects/import/openvino/openvino.h"

#include <string.h>
#include <strings.h>

// Indices of a type that ONNX has none of.
static const char *indices_operand(ir_node_t *n, int i) {
  strata_dtype_t type = ir_dtype(n, i);
  return type == STRATA_DTYPE_I64 || type == STRATA_DTYPE_I32 ? ir_operand(n, i)
                                                              : graph_cast(n->g, ir_operand(n, i), STRATA_DTYPE_I64);
}

static const char *indices64_operand(ir_node_t *n, int i) {
  return ir_dtype(n, i) == STRATA_DTYPE_I64 ? ir_operand(n, i) : graph_cast(n->g, ir_operand(n, i), STRATA_DTYPE_I64);
}

// With dims of a batch, of which the axis is the next: each index alone as a place in what follows them.
static void gather_in_batches(ir_node_t *n, int64_t axis, int64_t batch_dims) {
  if (axis != batch_dims) {
    ir_refuse(n, "batch_dims %lld with axis %lld", (long long)batch_dims, (long long)axis);
    return;
  }
  const char *places = graph_unsqueeze(n->g, indices64_operand(n, 1), 1, (int64_t[]){-1});
  graph_node_t *node = graph_node(n->g, "GatherND", GRAPH_VALUES(ir_operand(n, 0), places));
  graph_set_int(node, "batch_dims", batch_dims);
  ir_set_node(n, node);
}

void ir_translate_gather(ir_node_t *n) {
  int rank = ir_rank(n, 0), index_rank = ir_rank(n, 1);
  int64_t axis = ir_axis(n, ir_constant_int(n, 2, 0), rank), batch_dims = ir_attr_int(n, "batch_dims", 0);
  batch_dims += batch_dims < 0 ? index_rank : 0;
  if (n->refusal)
    return;
  if (batch_dims) {
    gather_in_batches(n, axis, batch_dims);
    return;
  }
  graph_node_t *node = graph_node(n->g, "Gather", GRAPH_VALUES(ir_operand(n, 0), indices_operand(n, 1)));
  graph_set_int(node, "axis", axis);
  ir_set_node(n, node);
}

void ir_translate_gather_elements(ir_node_t *n) {
  graph_node_t *node = graph_node(n->g, "GatherElements", GRAPH_VALUES(ir_operand(n, 0), indices_operand(n, 1)));
  graph_set_int(node, "axis", ir_attr_int(n, "axis", 0));
  ir_set_node(n, node);
}

void ir_translate_gather_nd(ir_node_t *n) {
  graph_node_t *node = graph_node(n->g, "GatherND", GRAPH_VALUES(ir_operand(n, 0), indices64_operand(n, 1)));
  graph_set_int(node, "batch_dims", ir_attr_int(n, "batch_dims", 0));
  ir_set_node(n, node);
}

// ONNX's name for a reduction.
static const char *reduction(const ir_node_t *n) {
  static const char *const names[][2] = {
      {"none", "none"}, {"sum", "add"}, {"prod", "mul"}, {"min", "min"}, {"max", "max"}};
  const char *given = ir_attr(n, "reduction");
  for (size_t i = 0; given && i < sizeof names / sizeof names[0]; i++)
    if (!strcasecmp(given, names[i][0]))
      return names[i][1];
  return "none";
}

void ir_translate_scatter_elements(ir_node_t *n) {
  graph_node_t *node =
      graph_node(n->g, "ScatterElements", GRAPH_VALUES(ir_operand(n, 0), indices_operand(n, 1), ir_operand(n, 2)));
  graph_set_int(node, "axis", ir_constant_int(n, 3, 0));
  graph_set_string(node, "reduction", reduction(n));
  ir_set_node(n, node);
}

void ir_translate_scatter_nd(ir_node_t *n) {
  graph_node_t *node =
      graph_node(n->g, "ScatterND", GRAPH_VALUES(ir_operand(n, 0), indices64_operand(n, 1), ir_operand(n, 2)));
  graph_set_string(node, "reduction", reduction(n));
  ir_set_node(n, node);
}

// Rows of |axis|, which is brought to the front: there they are elements of ScatterND.
void ir_translate_scatter_update(ir_node_t *n) {
  int rank = ir_rank(n, 0), index_rank = ir_rank(n, 1);
  int64_t axis = ir_axis(n, ir_constant_int(n, 3, 0), rank);
  int64_t there[STRATA_MAX_RANK], back[STRATA_MAX_RANK], updates_there[STRATA_MAX_RANK];
  const char *x = ir_operand(n, 0), *updates = ir_operand(n, 2);
  if (n->refusal || rank + index_rank - 1 > STRATA_MAX_RANK) {
    ir_refuse(n, "too many dimensions");
    return;
  }
  for (int i = 0; i < rank; i++)
    there[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
  for (int i = 0; i < rank; i++)
    back[there[i]] = i;
  // Updates have the dims of the indices where the operand has the axis.
  for (int i = 0; i < rank + index_rank - 1; i++)
    updates_there[i] = i < index_rank ? axis + i : i < index_rank + axis ? i - index_rank : i;
  if (axis) {
    x = graph_transpose(n->g, x, rank, there);
    updates = graph_transpose(n->g, updates, rank + index_rank - 1, updates_there);
  }
  const char *places = graph_unsqueeze(n->g, indices64_operand(n, 1), 1, (int64_t[]){-1});
  x = graph_op(n->g, "ScatterND", GRAPH_VALUES(x, places, updates));
  ir_set(n, 0, axis ? graph_transpose(n->g, x, rank, back) : x);
}
