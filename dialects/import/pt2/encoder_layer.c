// nn.TransformerEncoderLayer's and nn.MultiheadAttention's own kernels, which PyTorch calls for inference: one operator
// for what other programs have layer by layer.
#include "dialects/import/pt2/convert.h"

#include <string.h>

// What PyTorch says a mask is over.
enum { MASK_ROWS_COLUMNS, MASK_BATCH_COLUMNS, MASK_ALL };

static const char *linear(pt2_node_t *n, const char *x, const char *weight, const char *bias) {
  static const int64_t order[] = {1, 0};
  const char *columns = pt2_tensor(n, weight).name;
  if (n->has_failed)
    return "";
  const char *product = pt2_op(n, "MatMul", GRAPH_VALUES(x, graph_transpose(n->g, columns, 2, order)));
  return pt2_op(n, "Add", GRAPH_VALUES(product, pt2_tensor(n, bias).name));
}

static const char *norm(pt2_node_t *n, const char *x, const char *weight, const char *bias) {
  const char *factors = pt2_tensor(n, weight).name, *terms = pt2_tensor(n, bias).name;
  graph_node_t *node = pt2_node(n, "LayerNormalization", GRAPH_VALUES(x, factors, terms));
  if (!node)
    return "";
  graph_set_int(node, "axis", -1);
  graph_set_float(node, "epsilon", pt2_number(n, "eps"));
  return graph_result(node, NULL);
}

// As Attention takes it, for which truth is what takes part; PyTorch's is what does not.
static const char *mask_of(pt2_node_t *n, strata_dtype_t dtype) {
  static const int64_t middle[] = {1, 2};
  if (!pt2_has(n, "mask"))
    return "";
  pt2_value_t given = pt2_tensor(n, "mask");
  int64_t kind = pt2_has(n, "mask_type") ? pt2_int(n, "mask_type") : MASK_ALL;
  bool is_truth = given.dtype == STRATA_DTYPE_BOOL;
  const char *mask = is_truth ? pt2_op(n, "Not", GRAPH_VALUES(given.name)) : pt2_cast(n, &given, dtype);
  if (given.rank != (kind == MASK_ALL ? 4 : 2))
    pt2_refuse(n, "a mask of %d dims", given.rank);
  return kind == MASK_BATCH_COLUMNS && !n->has_failed ? graph_unsqueeze(n->g, mask, 2, middle) : mask;
}

static const char *attend(pt2_node_t *n, const char *x, const char *heads, strata_dtype_t dtype) {
  const char *parts[3], *mask = mask_of(n, dtype), *joined = linear(n, x, "qkv_weight", "qkv_bias");
  int64_t n_heads = pt2_int(n, heads);
  graph_node_t *split = pt2_node(n, "Split", GRAPH_VALUES(joined));
  if (!split)
    return "";
  graph_set_int(split, "axis", -1);
  graph_set_int(split, "num_outputs", 3);
  for (int i = 0; i < 3; i++)
    parts[i] = graph_result(split, NULL);
  graph_node_t *node = graph_node(n->g, "Attention", GRAPH_VALUES(parts[0], parts[1], parts[2], mask));
  graph_set_int(node, "q_num_heads", n_heads);
  graph_set_int(node, "kv_num_heads", n_heads);
  return linear(n, graph_result(node, NULL), "proj_weight", "proj_bias");
}

static const char *feed_forward(pt2_node_t *n, const char *x) {
  const char *hidden = linear(n, x, "ffn_weight_1", "ffn_bias_1");
  hidden = pt2_op(n, pt2_bool(n, "use_gelu") ? "Gelu" : "Relu", GRAPH_VALUES(hidden));
  return linear(n, hidden, "ffn_weight_2", "ffn_bias_2");
}

void pt2_import_encoder_layer(pt2_node_t *n) {
  pt2_value_t src = pt2_tensor(n, "src");
  bool is_first = pt2_bool(n, "norm_first");
  const char *x = src.name;
  if (src.rank != 3)
    pt2_refuse(n, "of %d dims", src.rank);
  const char *given = is_first ? norm(n, x, "norm_weight_1", "norm_bias_1") : x;
  x = pt2_op(n, "Add", GRAPH_VALUES(x, attend(n, given, "num_heads", src.dtype)));
  x = is_first ? x : norm(n, x, "norm_weight_1", "norm_bias_1");
  given = is_first ? norm(n, x, "norm_weight_2", "norm_bias_2") : x;
  x = pt2_op(n, "Add", GRAPH_VALUES(x, feed_forward(n, given)));
  pt2_set(n, 0, is_first ? x : norm(n, x, "norm_weight_2", "norm_bias_2"));
}

// Of one tensor with itself. Without the weights of attention, which PyTorch's fast path has no need for.
void pt2_import_self_attention(pt2_node_t *n) {
  pt2_value_t query = pt2_tensor(n, "query"), key = pt2_tensor(n, "key"), value = pt2_tensor(n, "value");
  if (query.rank != 3 || strcmp(query.name, key.name) || strcmp(query.name, value.name))
    pt2_refuse(n, "of tensors that are not one, of 3 dims");
  if (pt2_wants(n, 1))
    pt2_refuse(n, "with its weights");
  pt2_set(n, 0, attend(n, query.name, "num_head", query.dtype));
}
