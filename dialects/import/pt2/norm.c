// Normalisation and attention.
#include "dialects/import/pt2/shape.h"

#include <float.h>

// A weight or bias; where there is none, |value| in the shape |sizes|.
static const char *parameter(pt2_node_t *n, const char *name, const char *sizes, strata_dtype_t dtype, double value) {
  if (pt2_has(n, name))
    return pt2_operand(n, name, dtype);
  return pt2_op(n, "Expand", GRAPH_VALUES(pt2_number_value(n, dtype, value), sizes));
}

static const char *channels(pt2_node_t *n, const pt2_value_t *input) {
  if (input->rank < 2)
    pt2_refuse(n, "of %d dims", input->rank);
  return pt2_shape(n, input->name, 1, 2);
}

static const char *finish(pt2_node_t *n, graph_node_t *node, const char *attribute, int64_t value) {
  if (!node)
    return "";
  graph_set_float(node, "epsilon", pt2_number(n, "eps"));
  if (attribute)
    graph_set_int(node, attribute, value);
  return graph_result(node, NULL);
}

//===-- Over the batch -------------------------------------------------------------------------------------------===//

// Along channels, dim 1, a vector meets the input.
static const char *along_channels(pt2_node_t *n, const char *vector, int rank) {
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  for (int i = 0; i < rank - 2; i++)
    axes[i] = i + 1;
  return n->has_failed || rank < 3 ? vector : graph_unsqueeze(n->g, vector, rank - 2, axes);
}

// By the mean and variance of the batch itself: all dims but that of the channels.
static void normalize_batch(pt2_node_t *n, const pt2_value_t *input) {
  strata_dtype_t dtype = input->dtype;
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  int count = 0;
  const char *sizes = channels(n, input);
  for (int i = 0; i < input->rank; i++)
    if (i != 1)
      axes[count++] = i;
  if (n->has_failed)
    return;
  const char *all = graph_ints(n->g, count, axes), *mean = graph_op(n->g, "ReduceMean", GRAPH_VALUES(input->name, all));
  const char *difference = graph_op(n->g, "Sub", GRAPH_VALUES(input->name, mean));
  const char *square = graph_op(n->g, "Mul", GRAPH_VALUES(difference, difference));
  const char *variance = graph_op(n->g, "ReduceMean", GRAPH_VALUES(square, all));
  variance = graph_op(n->g, "Add", GRAPH_VALUES(variance, pt2_number_value(n, dtype, pt2_number(n, "eps"))));
  const char *value = pt2_op(n, "Div", GRAPH_VALUES(difference, pt2_op(n, "Sqrt", GRAPH_VALUES(variance))));
  const char *weight = along_channels(n, parameter(n, "weight", sizes, dtype, 1), input->rank);
  const char *bias = along_channels(n, parameter(n, "bias", sizes, dtype, 0), input->rank);
  pt2_set(n, 0, pt2_op(n, "Add", GRAPH_VALUES(pt2_op(n, "Mul", GRAPH_VALUES(value, weight)), bias)));
}

static void normalize_running(pt2_node_t *n, const pt2_value_t *input) {
  const char *sizes = channels(n, input);
  const char *weight = parameter(n, "weight", sizes, input->dtype, 1);
  const char *bias = parameter(n, "bias", sizes, input->dtype, 0);
  pt2_value_t mean = pt2_tensor(n, "running_mean"), variance = pt2_tensor(n, "running_var");
  graph_node_t *node =
      pt2_node(n, "BatchNormalization", GRAPH_VALUES(input->name, weight, bias, mean.name, variance.name));
  pt2_set(n, 0, finish(n, node, NULL, 0));
}

void pt2_import_batch_norm(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  bool has_statistics = pt2_has(n, "running_mean");
  if (pt2_bool(n, "training") && has_statistics)
    pt2_refuse(n, "batch norm in training; export model.eval()");
  else if (has_statistics)
    normalize_running(n, &input);
  else
    normalize_batch(n, &input);
}

void pt2_import_instance_norm(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  if (!pt2_bool(n, "use_input_stats")) {
    normalize_running(n, &input);
    return;
  }
  const char *sizes = channels(n, &input);
  const char *weight = parameter(n, "weight", sizes, input.dtype, 1),
             *bias = parameter(n, "bias", sizes, input.dtype, 0);
  pt2_set(n, 0, finish(n, pt2_node(n, "InstanceNormalization", GRAPH_VALUES(input.name, weight, bias)), NULL, 0));
}

//===-- Within an example ----------------------------------------------------------------------------------------===//

void pt2_import_group_norm(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  const char *sizes = channels(n, &input);
  const char *weight = parameter(n, "weight", sizes, input.dtype, 1),
             *bias = parameter(n, "bias", sizes, input.dtype, 0);
  graph_node_t *node = pt2_node(n, "GroupNormalization", GRAPH_VALUES(input.name, weight, bias));
  pt2_set(n, 0, finish(n, node, "num_groups", pt2_int(n, n->info->detail)));
}

static int64_t first_normalized(pt2_node_t *n, const pt2_value_t *input) {
  int count;
  pt2_items(n, "normalized_shape", &count);
  if (count < 1 || count > input->rank)
    pt2_refuse(n, "a normalized shape of %d sizes", count);
  return input->rank - count;
}

void pt2_import_layer_norm(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  int64_t axis = first_normalized(n, &input);
  const char *sizes = pt2_sizes(n, "normalized_shape");
  const char *weight = parameter(n, "weight", sizes, input.dtype, 1),
             *bias = pt2_has(n, "bias") ? pt2_operand(n, "bias", input.dtype) : "";
  graph_node_t *node = pt2_node(n, "LayerNormalization", GRAPH_VALUES(input.name, weight, bias));
  pt2_set(n, 0, finish(n, node, "axis", axis));
  for (int i = 1; i < 3 && (pt2_wants(n, 1) || pt2_wants(n, 2)) && node; i++)
    pt2_set(n, i, graph_result(node, NULL));
}

void pt2_import_rms_norm(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  int64_t axis = first_normalized(n, &input);
  const char *weight = parameter(n, "weight", pt2_sizes(n, "normalized_shape"), input.dtype, 1);
  graph_node_t *node = pt2_node(n, "RMSNormalization", GRAPH_VALUES(input.name, weight));
  if (!node)
    return;
  // Without eps PyTorch takes the distance from 1 to the next number of the type.
  double epsilon = input.dtype == STRATA_DTYPE_F64 ? DBL_EPSILON : FLT_EPSILON;
  graph_set_float(node, "epsilon", pt2_has(n, "eps") ? pt2_number(n, "eps") : epsilon);
  graph_set_int(node, "axis", axis);
  pt2_set(n, 0, graph_result(node, NULL));
}

// g v / |v|, the norm over all dims but one.
void pt2_import_weight_norm(pt2_node_t *n) {
  pt2_value_t v = pt2_tensor(n, "v"), g = pt2_tensor(n, "g");
  int64_t dim = pt2_axis(n, "dim", v.rank), axes[STRATA_TENSOR_MAX_RANK];
  int count = 0;
  for (int i = 0; i < v.rank; i++)
    if (i != dim)
      axes[count++] = i;
  if (n->has_failed)
    return;
  const char *norm = graph_op(n->g, "ReduceL2", GRAPH_VALUES(v.name, graph_ints(n->g, count, axes)));
  pt2_set(n, 0, pt2_op(n, "Mul", GRAPH_VALUES(v.name, pt2_op(n, "Div", GRAPH_VALUES(g.name, norm)))));
}

//===-- Attention ------------------------------------------------------------------------------------------------===//

// Any number of dims in front of heads, rows and features are one.
static const char *with_heads(pt2_node_t *n, const pt2_value_t *value) {
  int64_t first = 0, examples = -1;
  if (value->rank < 3)
    pt2_refuse(n, "of %d dims", value->rank);
  if (n->has_failed || value->rank == 4)
    return value->name;
  return value->rank == 3 ? graph_unsqueeze(n->g, value->name, 1, &first)
                          : pt2_replace_dims(n, value, 0, value->rank - 3, pt2_known_ints(n, 1, &examples));
}

// A mask stretches over dims in front.
static const char *mask_with_heads(pt2_node_t *n, const pt2_value_t *query, const char *mask, int rank) {
  int64_t first = 0, ones[] = {1, 1, 1};
  if (n->has_failed || (query->rank <= 4 && !(query->rank == 3 && rank == 3)))
    return mask;
  if (query->rank == 3)
    return graph_unsqueeze(n->g, mask, 1, &first);
  if (rank <= 3)
    return mask;
  const char *shape =
      pt2_concat(n, 2, (const char *[]){pt2_shape(n, query->name, 0, query->rank - 3), pt2_known_ints(n, 3, ones)}, 0);
  pt2_value_t whole = {.name = pt2_op(n, "Expand", GRAPH_VALUES(mask, shape)), .rank = query->rank};
  return with_heads(n, &whole);
}

// What attention gives with the query's dims in front.
static const char *without_heads(pt2_node_t *n, const pt2_value_t *query, const char *result) {
  int64_t first = 0;
  pt2_value_t value = {.name = result, .rank = 4};
  if (n->has_failed || query->rank == 4)
    return result;
  return query->rank == 3 ? graph_squeeze(n->g, result, 1, &first)
                          : pt2_replace_dims(n, &value, 0, 1, pt2_shape(n, query->name, 0, query->rank - 3));
}

static bool have_same_examples(const pt2_value_t *a, const pt2_value_t *b) {
  for (int i = 0; i < a->rank - 3; i++)
    if (a->rank != b->rank || a->sizes[i].number != b->sizes[i].number)
      return false;
  return a->rank == b->rank;
}

void pt2_import_attention(pt2_node_t *n) {
  pt2_value_t query = pt2_tensor(n, "query"), key = pt2_tensor(n, "key"), value = pt2_tensor(n, "value");
  const char *mask_name = pt2_has(n, "attn_bias") ? "attn_bias" : "attn_mask", *mask = "";
  if (pt2_number(n, "dropout_p") != 0)
    pt2_refuse(n, "dropout; export model.eval()");
  if (query.rank > 4 && !(have_same_examples(&query, &key) && have_same_examples(&query, &value)))
    pt2_refuse(n, "of %d and %d dims, or of sizes that are stretched", query.rank, key.rank);
  if (pt2_has(n, mask_name)) {
    pt2_value_t given = pt2_tensor(n, mask_name);
    mask = pt2_cast(n, &given, given.dtype == STRATA_DTYPE_BOOL ? given.dtype : query.dtype);
    mask = mask_with_heads(n, &query, mask, given.rank);
  }
  const char *q = with_heads(n, &query), *k = with_heads(n, &key), *v = with_heads(n, &value);
  graph_node_t *node = pt2_node(n, "Attention", GRAPH_VALUES(q, k, v, mask));
  if (!node)
    return;
  if (pt2_has(n, "scale"))
    graph_set_float(node, "scale", pt2_number(n, "scale"));
  graph_set_int(node, "is_causal", pt2_bool(n, "is_causal"));
  pt2_set(n, 0, without_heads(n, &query, graph_result(node, NULL)));
}

void pt2_import_glu(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  graph_node_t *node = pt2_node(n, "Split", GRAPH_VALUES(self.name));
  if (!node)
    return;
  graph_set_int(node, "axis", axis);
  graph_set_int(node, "num_outputs", 2);
  const char *half = graph_result(node, NULL), *gate = graph_result(node, NULL);
  pt2_set(n, 0, graph_op(n->g, "Mul", GRAPH_VALUES(half, graph_op(n->g, "Sigmoid", GRAPH_VALUES(gate)))));
}
