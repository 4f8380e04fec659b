// Reductions, softmax, sorting: operators along axes.
#include "dialects/import/pt2/convert.h"

#include <math.h>
#include <string.h>

// The axes of "dim", all where it is not given; NULL and 0 for a tensor without dims.
static const int64_t *axes_of(pt2_node_t *n, int rank, int *out_count) {
  int64_t *axes = strata_arena_array(n->arena, int64_t, STRATA_TENSOR_MAX_RANK);
  int count = -1;
  const int64_t *dims = pt2_ints(n, "dim", &count);
  for (int i = 0; i < count && i < STRATA_TENSOR_MAX_RANK; i++)
    axes[i] = pt2_normal_axis(n, dims[i], rank);
  for (int i = 0; i < rank && count == 0; i++)
    axes[i] = i;
  *out_count = rank == 0 ? 0 : count ? count : rank;
  return axes;
}

static const char *reduce(pt2_node_t *n, const char *op, const char *value, int count, const int64_t *axes, bool keep) {
  if (count == 0 || n->has_failed)
    return value;
  graph_node_t *node = graph_node(n->g, op, GRAPH_VALUES(value, graph_ints(n->g, count, axes)));
  graph_set_int(node, "keepdims", keep);
  return graph_result(node, NULL);
}

static const char *reduce_self(pt2_node_t *n, const char *op, strata_dtype_t dtype) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count;
  const int64_t *axes = axes_of(n, self.rank, &count);
  bool keep = pt2_has(n, "keepdim") && pt2_bool(n, "keepdim");
  return reduce(n, op, pt2_cast(n, &self, dtype), count, axes, keep);
}

void pt2_import_reduce(pt2_node_t *n) { pt2_set(n, 0, reduce_self(n, n->info->detail, pt2_result_dtype(n))); }

void pt2_import_aminmax(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_set(n, 0, reduce_self(n, "ReduceMin", dtype));
  pt2_set(n, 1, reduce_self(n, "ReduceMax", dtype));
}

void pt2_import_any(pt2_node_t *n) {
  pt2_set_as(n, 0, reduce_self(n, n->info->detail, STRATA_DTYPE_BOOL), STRATA_DTYPE_BOOL);
}

static const char *arg_reduce(pt2_node_t *n, const char *op) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = self.name;
  bool has_dim = pt2_has(n, "dim"), keep = pt2_bool(n, "keepdim");
  int64_t axis = has_dim ? pt2_axis(n, "dim", self.rank) : 0, rest = -1;
  if ((!has_dim && keep) || (has_dim && !self.rank))
    pt2_refuse(n, has_dim ? "of a tensor without dims" : "of all with keepdim");
  if (!has_dim && !n->has_failed)
    value = graph_reshape(n->g, value, 1, &rest);
  graph_node_t *node = pt2_node(n, op, GRAPH_VALUES(value));
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  graph_set_int(node, "keepdims", keep);
  return graph_result(node, NULL);
}

void pt2_import_arg_reduce(pt2_node_t *n) { pt2_set(n, 0, arg_reduce(n, n->info->detail)); }

// max(x), max(x, other), max(x, dim) with indices
void pt2_import_max(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  if (pt2_has(n, "other")) {
    const char *self = pt2_operand(n, "self", dtype), *other = pt2_operand(n, "other", dtype);
    pt2_set(n, 0, pt2_op(n, n->info->detail, GRAPH_VALUES(self, other)));
    return;
  }
  pt2_set(n, 0, reduce_self(n, strata_arena_printf(n->arena, "Reduce%s", n->info->detail), dtype));
  if (pt2_wants(n, 1))
    pt2_set(n, 1, arg_reduce(n, strata_arena_printf(n->arena, "Arg%s", n->info->detail)));
}

//===-- Norms and variance ---------------------------------------------------------------------------------------===//

void pt2_import_norm(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  double p = pt2_number(n, strstr(n->info->name, "vector") ? "ord" : "p");
  int count;
  const int64_t *axes = axes_of(n, self.rank, &count);
  bool keep = pt2_bool(n, "keepdim");
  const char *value = pt2_op(n, "Abs", GRAPH_VALUES(pt2_cast(n, &self, dtype)));
  if (p == 1 || p == 2) {
    value = reduce(n, p == 1 ? "ReduceL1" : "ReduceL2", value, count, axes, keep);
  } else if (isinf(p)) {
    value = reduce(n, p > 0 ? "ReduceMax" : "ReduceMin", value, count, axes, keep);
  } else {
    if (p == 0)
      pt2_refuse(n, "order 0");
    value = pt2_op(n, "Pow", GRAPH_VALUES(value, pt2_number_value(n, dtype, p)));
    value = reduce(n, "ReduceSum", value, count, axes, keep);
    value = pt2_op(n, "Pow", GRAPH_VALUES(value, pt2_number_value(n, dtype, 1 / p)));
  }
  pt2_set(n, 0, value);
}

// How many elements each result is of, as a value.
static const char *element_count(pt2_node_t *n, const pt2_value_t *self, int count, const int64_t *axes,
                                 strata_dtype_t dtype) {
  if (n->has_failed)
    return "";
  const char *sizes =
      graph_op(n->g, "Gather", GRAPH_VALUES(pt2_shape(n, self->name, 0, self->rank), graph_ints(n->g, count, axes)));
  graph_node_t *product = graph_node(n->g, "ReduceProd", GRAPH_VALUES(sizes));
  graph_set_int(product, "keepdims", 0);
  return graph_cast(n->g, graph_result(product, NULL), dtype);
}

void pt2_import_variance(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  double correction = pt2_has(n, "unbiased") ? pt2_bool(n, "unbiased") : pt2_number(n, "correction");
  int count;
  const int64_t *axes = axes_of(n, self.rank, &count);
  bool keep = pt2_bool(n, "keepdim");
  const char *mean = reduce(n, "ReduceMean", self.name, count, axes, true);
  const char *difference = pt2_op(n, "Sub", GRAPH_VALUES(self.name, mean));
  const char *value =
      reduce(n, "ReduceMean", pt2_op(n, "Mul", GRAPH_VALUES(difference, difference)), count, axes, keep);
  if (!self.rank)
    pt2_refuse(n, "of a tensor without dims");
  if (correction != 0) {
    const char *elements = element_count(n, &self, count, axes, dtype);
    const char *degrees = pt2_op(n, "Sub", GRAPH_VALUES(elements, pt2_number_value(n, dtype, correction)));
    value = pt2_op(n, "Mul", GRAPH_VALUES(value, pt2_op(n, "Div", GRAPH_VALUES(elements, degrees))));
  }
  pt2_set(n, 0, strcmp(n->info->detail, "std") ? value : pt2_op(n, "Sqrt", GRAPH_VALUES(value)));
  if (pt2_wants(n, 1))
    pt2_set(n, 1, reduce(n, "ReduceMean", self.name, count, axes, keep));
}

//===-- Softmax, sums --------------------------------------------------------------------------------------------===//

static const char *softmax(pt2_node_t *n, const char *op, const char *value, int64_t axis) {
  graph_node_t *node = pt2_node(n, op, GRAPH_VALUES(value));
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

void pt2_import_softmax(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = pt2_cast(n, &self, pt2_result_dtype(n));
  pt2_set(n, 0, softmax(n, n->info->detail, value, pt2_axis(n, "dim", self.rank)));
}

// Where all are -inf the result is 0.
void pt2_import_safe_softmax(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = pt2_cast(n, &self, dtype);
  int64_t axis = pt2_axis(n, "dim", self.rank);
  const char *none = pt2_op(
      n, "Equal", GRAPH_VALUES(reduce(n, "ReduceMax", value, 1, &axis, true), pt2_number_value(n, dtype, -INFINITY)));
  const char *result = softmax(n, "Softmax", value, axis);
  pt2_set(n, 0, pt2_op(n, "Where", GRAPH_VALUES(none, pt2_number_value(n, dtype, 0), result)));
}

void pt2_import_cumsum(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = pt2_cast(n, &self, pt2_result_dtype(n));
  int64_t axis = pt2_axis(n, "dim", self.rank);
  if (!n->has_failed)
    pt2_set(n, 0, self.rank ? graph_op(n->g, "CumSum", GRAPH_VALUES(value, graph_int(n->g, axis))) : value);
}

//===-- Sorting --------------------------------------------------------------------------------------------------===//

static graph_node_t *top(pt2_node_t *n, const pt2_value_t *self, int64_t axis, const char *count, bool is_largest) {
  if (!self->rank)
    pt2_refuse(n, "of a tensor without dims");
  graph_node_t *node = pt2_node(n, "TopK", GRAPH_VALUES(self->name, count));
  if (!node)
    return NULL;
  graph_set_int(node, "axis", axis);
  graph_set_int(node, "largest", is_largest);
  return node;
}

static void set_both(pt2_node_t *n, graph_node_t *node) {
  for (int i = 0; node && i < 2; i++)
    pt2_set(n, i, graph_result(node, NULL));
}

void pt2_import_topk(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  set_both(n, top(n, &self, pt2_axis(n, "dim", self.rank), pt2_sizes(n, "k"), pt2_bool(n, "largest")));
}

static graph_node_t *sort(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  const char *size = pt2_shape(n, self.name, (int)axis, (int)axis + 1);
  return top(n, &self, axis, size, pt2_bool(n, "descending"));
}

void pt2_import_sort(pt2_node_t *n) { set_both(n, sort(n)); }

void pt2_import_argsort(pt2_node_t *n) {
  graph_node_t *node = sort(n);
  if (!node)
    return;
  graph_result(node, NULL);
  pt2_set(n, 0, graph_result(node, NULL));
}
