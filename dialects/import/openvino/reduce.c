// Operators along axes.
#include "dialects/import/openvino/openvino.h"

static const char *reduced(ir_node_t *n, const char *x) {
  graph_node_t *node = graph_node(n->g, n->op->detail, GRAPH_VALUES(x, ir_ints_operand(n, 1)));
  graph_set_int(node, "keepdims", ir_attr_bool(n, "keep_dims", false));
  graph_set_int(node, "noop_with_empty_axes", 1);
  return graph_result(node, NULL);
}

void ir_translate_reduce(ir_node_t *n) { ir_set(n, 0, reduced(n, ir_operand(n, 0))); }

// Booleans as 0 and 1.
void ir_translate_reduce_logical(ir_node_t *n) {
  ir_set(n, 0, graph_cast(n->g, reduced(n, graph_cast(n->g, ir_operand(n, 0), STRATA_DTYPE_I32)), STRATA_DTYPE_BOOL));
}

void ir_translate_softmax(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, n->op->detail);
  graph_set_int(node, "axis", ir_attr_int(n, "axis", 1));
  ir_set_node(n, node);
}

// A sum of booleans is one: whether any was true so far.
void ir_translate_cum_sum(ir_node_t *n) {
  bool is_boolean = ir_dtype(n, 0) == STRATA_DTYPE_BOOL;
  const char *axis = graph_int(n->g, ir_constant_int(n, 1, 0)), *x = ir_operand(n, 0);
  x = is_boolean ? graph_cast(n->g, x, STRATA_DTYPE_I32) : x;
  graph_node_t *node = graph_node(n->g, "CumSum", GRAPH_VALUES(x, axis));
  graph_set_int(node, "exclusive", ir_attr_bool(n, "exclusive", false));
  graph_set_int(node, "reverse", ir_attr_bool(n, "reverse", false));
  const char *sums = graph_result(node, NULL);
  ir_set(n, 0, is_boolean ? graph_cast(n->g, sums, STRATA_DTYPE_BOOL) : sums);
}

void ir_translate_top_k(ir_node_t *n) {
  strata_dtype_t type = ir_attr_dtype(n, "index_element_type", STRATA_DTYPE_I32);
  const char *k = graph_reshape(n->g, ir_ints_operand(n, 1), 1, (int64_t[]){1});
  graph_node_t *node = graph_node(n->g, "TopK", GRAPH_VALUES(ir_operand(n, 0), k));
  graph_set_int(node, "axis", ir_attr_int(n, "axis", -1));
  graph_set_int(node, "largest", ir_attr_is(n, "mode", "max", true));
  if (ir_attr_is(n, "sort", "index", false))
    ir_refuse(n, "results sorted by index");
  ir_set(n, 0, graph_result(node, NULL));
  const char *places = graph_result(node, NULL);
  ir_set(n, 1, type == STRATA_DTYPE_I64 ? places : graph_cast(n->g, places, type));
}
