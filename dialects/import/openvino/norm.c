// Norms.
#include "dialects/import/openvino/openvino.h"

#include <string.h>

void ir_translate_batch_norm(ir_node_t *n) {
  static const int first[5] = {2, 0, 1, 3, 4}, later[5] = {0, 1, 2, 3, 4};
  const char *operands[5];
  for (int i = 0; i < 5; i++) // ONNX's order is that of opset 5
    operands[i] = ir_operand(n, (n->op->since < 5 ? first : later)[i]);
  graph_node_t *node = graph_node(n->g, "BatchNormalization", 5, operands);
  graph_set_float(node, "epsilon", ir_attr_float(n, "epsilon", 1e-5));
  ir_set_node(n, node);
}

void ir_translate_group_norm(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, "GroupNormalization");
  graph_set_int(node, "num_groups", ir_attr_int(n, "num_groups", 1));
  graph_set_float(node, "epsilon", ir_attr_float(n, "epsilon", 1e-5));
  ir_set_node(n, node);
}

void ir_translate_lrn(ir_node_t *n) {
  if (ir_axis(n, ir_constant_int(n, 1, 1), ir_rank(n, 0)) != 1)
    ir_refuse(n, "axes other than that of the channels");
  graph_node_t *node = graph_node(n->g, "LRN", GRAPH_VALUES(ir_operand(n, 0)));
  graph_set_float(node, "alpha", ir_attr_float(n, "alpha", 1));
  graph_set_float(node, "beta", ir_attr_float(n, "beta", 0.5));
  graph_set_float(node, "bias", ir_attr_float(n, "bias", 1));
  graph_set_int(node, "size", ir_attr_int(n, "size", 1));
  ir_set_node(n, node);
}

static const char *mean(ir_node_t *n, const char *x, int count, const int64_t *axes) {
  graph_node_t *node = graph_node(n->g, "ReduceMean", GRAPH_VALUES(x, graph_ints(n->g, count, axes)));
  graph_set_int(node, "noop_with_empty_axes", 1);
  return graph_result(node, NULL);
}

// The axes of opset 2 are all behind the channels, or with them.
static int mvn_axes(ir_node_t *n, int rank, int64_t *out) {
  int count = 0;
  if (n->op->since < 6) {
    for (int i = ir_attr_bool(n, "across_channels", false) ? 1 : 2; i < rank; i++)
      out[count++] = i;
    return count;
  }
  const int64_t *axes = ir_constant_ints(n, 1, &count);
  if (count > rank)
    ir_refuse(n, "more than %d axes", rank);
  for (int i = 0; i < count && !n->refusal; i++)
    out[i] = ir_axis(n, axes[i], rank);
  return n->refusal ? 0 : count;
}

static bool are_last(int rank, int count, const int64_t *axes) {
  bool is_in[STRATA_MAX_RANK] = {false};
  for (int i = 0; i < count; i++)
    is_in[axes[i]] = true;
  for (int i = 0; i < count; i++)
    if (!is_in[rank - 1 - i])
      return false;
  return count > 0;
}

// (x - mean) / sqrt(variance + eps): along the last axes ONNX has an operator for it.
void ir_translate_mvn(ir_node_t *n) {
  int rank = ir_rank(n, 0);
  int64_t axes[STRATA_MAX_RANK];
  int count = mvn_axes(n, rank, axes);
  double eps = ir_attr_float(n, "eps", 1e-9);
  bool divides = ir_attr_bool(n, "normalize_variance", true);
  bool is_outside = ir_attr_is(n, "eps_mode", "outside_sqrt", n->op->since < 6);
  const char *x = ir_operand(n, 0);
  if (n->refusal)
    return;
  if (divides && !is_outside && are_last(rank, count, axes)) {
    graph_node_t *node = graph_node(n->g, "LayerNormalization", GRAPH_VALUES(x, ir_number_like(n, 0, 1)));
    graph_set_int(node, "axis", rank - count);
    graph_set_float(node, "epsilon", eps);
    ir_set_node(n, node);
    return;
  }
  x = ir_binary(n, "Sub", x, mean(n, x, count, axes));
  if (!divides) {
    ir_set(n, 0, x);
    return;
  }
  const char *variance = mean(n, ir_binary(n, "Mul", x, x), count, axes), *number = ir_number_like(n, 0, eps);
  const char *deviation = is_outside ? ir_binary(n, "Add", ir_unary(n, "Sqrt", variance), number)
                                     : ir_unary(n, "Sqrt", ir_binary(n, "Add", variance, number));
  ir_set(n, 0, ir_binary(n, "Div", x, deviation));
}

// x / sqrt(sum(x * x) + eps), or of the larger of the two.
void ir_translate_normalize_l2(ir_node_t *n) {
  const char *x = ir_operand(n, 0), *eps = ir_number_like(n, 0, ir_attr_float(n, "eps", 0));
  graph_node_t *sum = graph_node(n->g, "ReduceSum", GRAPH_VALUES(ir_binary(n, "Mul", x, x), ir_ints_operand(n, 1)));
  graph_set_int(sum, "noop_with_empty_axes", 1);
  const char *op = ir_attr_is(n, "eps_mode", "max", false) ? "Max" : "Add";
  ir_set(n, 0, ir_binary(n, "Div", x, ir_unary(n, "Sqrt", ir_binary(n, op, graph_result(sum, NULL), eps))));
}

// x / sqrt(sum of squares over the channels + bias)
void ir_translate_grn(ir_node_t *n) {
  const char *x = ir_operand(n, 0), *bias = ir_number_like(n, 0, ir_attr_float(n, "bias", 0));
  const char *sum = ir_binary(n, "ReduceSum", ir_binary(n, "Mul", x, x), graph_ints(n->g, 1, (int64_t[]){1}));
  ir_set(n, 0, ir_binary(n, "Div", x, ir_unary(n, "Sqrt", ir_binary(n, "Add", sum, bias))));
}
