// Reductions, softmax, sorting: operators along axes.
#include "dialects/import/pt2/shape.h"

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
  int64_t axis = has_dim ? pt2_axis(n, "dim", self.rank) : 0, rest = -1, ones[STRATA_TENSOR_MAX_RANK];
  for (int i = 0; i < self.rank; i++)
    ones[i] = 1;
  if (has_dim && !self.rank)
    pt2_refuse(n, "of a tensor without dims");
  if (!has_dim && !n->has_failed)
    value = graph_reshape(n->g, value, 1, &rest);
  graph_node_t *node = pt2_node(n, op, GRAPH_VALUES(value));
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  graph_set_int(node, "keepdims", keep && has_dim);
  const char *place = graph_result(node, NULL);
  return keep && !has_dim ? graph_reshape(n->g, place, self.rank, ones) : place;
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

// The norm of order |p| along axes.
static const char *norm(pt2_node_t *n, const char *value, strata_dtype_t dtype, double p, int count,
                        const int64_t *axes, bool keep) {
  value = pt2_op(n, "Abs", GRAPH_VALUES(value));
  if (p == 1 || p == 2)
    return reduce(n, p == 1 ? "ReduceL1" : "ReduceL2", value, count, axes, keep);
  if (isinf(p))
    return reduce(n, p > 0 ? "ReduceMax" : "ReduceMin", value, count, axes, keep);
  if (p == 0) { // how many are not 0
    const char *is_set = pt2_op(n, "Greater", GRAPH_VALUES(value, pt2_number_value(n, dtype, 0)));
    return reduce(n, "ReduceSum", n->has_failed ? "" : graph_cast(n->g, is_set, dtype), count, axes, keep);
  }
  value = pt2_op(n, "Pow", GRAPH_VALUES(value, pt2_number_value(n, dtype, p)));
  value = reduce(n, "ReduceSum", value, count, axes, keep);
  return pt2_op(n, "Pow", GRAPH_VALUES(value, pt2_number_value(n, dtype, 1 / p)));
}

void pt2_import_norm(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  double p = pt2_number(n, strstr(n->info->name, "vector") ? "ord" : "p");
  int count;
  const int64_t *axes = axes_of(n, self.rank, &count);
  bool keep = pt2_bool(n, "keepdim");
  pt2_set(n, 0, norm(n, pt2_cast(n, &self, dtype), dtype, p, count, axes, keep));
}

// Of each row of x1 to each of x2: [..., P, M] and [..., R, M].
void pt2_import_distance(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t behind = -2, before = -3, last = -1;
  const char *a = pt2_operand(n, "x1", dtype), *b = pt2_operand(n, "x2", dtype);
  double p = pt2_has(n, "p") ? pt2_number(n, "p") : 2;
  if (n->has_failed)
    return;
  const char *difference =
      graph_op(n->g, "Sub", GRAPH_VALUES(graph_unsqueeze(n->g, a, 1, &behind), graph_unsqueeze(n->g, b, 1, &before)));
  pt2_set(n, 0, norm(n, difference, dtype, p, 1, &last, false));
}

// Of each row to all behind it.
void pt2_import_pair_distance(pt2_node_t *n) {
  enum { MOST = 1 << 11 };
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t rows = self.rank == 2 && !n->has_failed ? self.sizes[0].number : -1, count = 0, last = -1;
  if (rows < 2 || rows > MOST)
    pt2_refuse(n, "of a number of rows that varies, or is less than 2 or more than %d", MOST);
  if (n->has_failed)
    return;
  const char *sides[2];
  int64_t *places = strata_arena_array(n->arena, int64_t, rows * (rows - 1) / 2);
  for (int side = 0; side < 2; side++, count = 0) {
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = i + 1; j < rows; j++)
        places[count++] = side ? j : i;
    sides[side] = graph_op(n->g, "Gather", GRAPH_VALUES(self.name, graph_ints(n->g, (int)count, places)));
  }
  pt2_set(n, 0,
          norm(n, graph_op(n->g, "Sub", GRAPH_VALUES(sides[0], sides[1])), dtype, pt2_number(n, "p"), 1, &last, false));
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

static const char *cumulate(pt2_node_t *n, const char *value, int64_t axis, const char *kind) {
  graph_node_t *node = pt2_node(n, "strata.Cumulate", GRAPH_VALUES(value));
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  graph_set_string(node, "kind", kind);
  return graph_result(node, NULL);
}

void pt2_import_cumprod(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = pt2_cast(n, &self, pt2_result_dtype(n));
  int64_t axis = pt2_axis(n, "dim", self.rank);
  pt2_set(n, 0, self.rank ? cumulate(n, value, axis, "mul") : value);
}

// log(exp(x[0]) + ... + exp(x[i])): of each element over those up to it.
void pt2_import_log_cumulative(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t axis = pt2_axis(n, "dim", self.rank), one = 1, last = -1, behind = -2, order[STRATA_TENSOR_MAX_RANK];
  if (!self.rank || n->has_failed) {
    pt2_set(n, 0, self.name);
    return;
  }
  pt2_swapped_order(self.rank, axis, self.rank - 1, order);
  const char *rows = graph_transpose(n->g, self.name, self.rank, order);
  const char *places = graph_count_to(n->g, pt2_dim(n, self.name, axis));
  const char *is_before = graph_op(n->g, "LessOrEqual", GRAPH_VALUES(places, graph_unsqueeze(n->g, places, 1, &one)));
  rows =
      graph_op(n->g, "Where",
               GRAPH_VALUES(is_before, graph_unsqueeze(n->g, rows, 1, &behind), pt2_number_value(n, dtype, -INFINITY)));
  rows = reduce(n, "ReduceLogSumExp", rows, 1, &last, false);
  pt2_set(n, 0, graph_transpose(n->g, rows, self.rank, order));
}

// Areas between neighbours, x apart or dx: their sum, or all sums up to one.
void pt2_import_trapezoid(pt2_node_t *n) {
  static const char *const ops[] = {"Add", "Sub"};
  strata_dtype_t dtype = pt2_result_dtype(n);
  bool has_x = pt2_has(n, "x");
  pt2_value_t y = pt2_tensor(n, "y"), x = has_x ? pt2_tensor(n, "x") : y;
  int64_t axis = pt2_axis(n, "dim", y.rank), shape[STRATA_TENSOR_MAX_RANK];
  const char *values[] = {pt2_cast(n, &y, dtype), x.name};
  if (n->has_failed)
    return;
  if (has_x) {
    values[1] = pt2_cast(n, &x, dtype);
    for (int i = 0; i < y.rank; i++)
      shape[i] = i == axis ? -1 : 1;
    if (x.rank == 1)
      values[1] = graph_reshape(n->g, values[1], y.rank, shape);
    else if (x.rank != y.rank)
      pt2_refuse(n, "x of %d dims for y of %d", x.rank, y.rank);
  }
  for (int i = 0; i <= has_x; i++)
    values[i] = pt2_of_neighbours(n, ops[i], values[i], axis);
  const char *width = has_x ? values[1] : pt2_operand(n, "dx", dtype);
  const char *areas =
      pt2_op(n, "Mul", GRAPH_VALUES(values[0], pt2_op(n, "Mul", GRAPH_VALUES(width, pt2_number_value(n, dtype, 0.5)))));
  if (n->has_failed)
    return;
  pt2_set(n, 0,
          *n->info->detail ? graph_op(n->g, "CumSum", GRAPH_VALUES(areas, graph_int(n->g, axis)))
                           : reduce(n, "ReduceSum", areas, 1, &axis, false));
}

// Rows in segments: as many in each as "lengths" say, or from one offset up to the next.
void pt2_import_segment_reduce(pt2_node_t *n) {
  static const char *const names[][2] = {{"sum", "strata.JaggedSum"},
                                         {"mean", "strata.JaggedMean"},
                                         {"max", "strata.JaggedMax"},
                                         {"min", "strata.JaggedMin"}};
  bool has_offsets = pt2_has(n, "offsets");
  int64_t zero = 0;
  pt2_value_t data = pt2_tensor(n, "data"), segments = pt2_tensor(n, has_offsets ? "offsets" : "lengths");
  const char *kind = pt2_string(n, "reduce", ""), *op = NULL, *offsets = pt2_cast(n, &segments, STRATA_DTYPE_I64);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i][0], kind))
      op = names[i][1];
  if (!op)
    pt2_refuse(n, "reduce '%s'", kind);
  if (pt2_int(n, "axis") != 0 || segments.rank != 1)
    pt2_refuse(n, "segments of another axis than the first");
  if (n->has_failed)
    return;
  if (!has_offsets) {
    offsets = graph_op(n->g, "CumSum", GRAPH_VALUES(offsets, graph_int(n->g, 0)));
    offsets = pt2_along(n, "Concat", GRAPH_VALUES(graph_ints(n->g, 1, &zero), offsets), 0);
  }
  pt2_set(n, 0, pt2_op(n, op, GRAPH_VALUES(data.name, offsets)));
}

// The largest so far, and where the last of them is.
void pt2_import_running_extreme(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank), shape[STRATA_TENSOR_MAX_RANK];
  if (!self.rank)
    pt2_refuse(n, "of a tensor without dims");
  const char *values = cumulate(n, self.name, axis, n->info->detail);
  pt2_set(n, 0, values);
  if (!pt2_wants(n, 1) || n->has_failed)
    return;
  for (int i = 0; i < self.rank; i++)
    shape[i] = i == axis ? -1 : 1;
  const char *places = graph_count_to(n->g, pt2_dim(n, self.name, axis));
  const char *is_new = graph_op(n->g, "Equal", GRAPH_VALUES(self.name, values));
  places =
      graph_op(n->g, "Where", GRAPH_VALUES(is_new, graph_reshape(n->g, places, self.rank, shape), graph_int(n->g, 0)));
  pt2_set(n, 1, cumulate(n, places, axis, "max"));
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

// The k-th smallest along one axis, or the median: of an even number the smaller one in the middle.
void pt2_import_kth(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  bool has_dim = pt2_has(n, "dim"), keep = has_dim && pt2_bool(n, "keepdim");
  int64_t rest = -1, one = 1, from = -1, end = INT64_MAX;
  if (!has_dim && !n->has_failed)
    self = (pt2_value_t){.name = graph_reshape(n->g, self.name, 1, &rest), .rank = 1};
  int64_t axis = has_dim ? pt2_axis(n, "dim", self.rank) : 0;
  const char *count = pt2_has(n, "k") ? pt2_sizes(n, "k") : pt2_shape(n, self.name, (int)axis, (int)axis + 1);
  if (!pt2_has(n, "k") && !n->has_failed) {
    count = graph_op(n->g, "Add", GRAPH_VALUES(count, graph_int(n->g, 1)));
    count = graph_op(n->g, "Div", GRAPH_VALUES(count, graph_int(n->g, 2)));
  }
  graph_node_t *node = top(n, &self, axis, count, false);
  for (int i = 0; node && i < 2 && i < n->n_results; i++) {
    const char *part =
        graph_op(n->g, "Slice",
                 GRAPH_VALUES(graph_result(node, NULL), graph_ints(n->g, 1, &from), graph_ints(n->g, 1, &end),
                              graph_ints(n->g, 1, &axis), graph_ints(n->g, 1, &one)));
    pt2_set(n, i, keep ? part : graph_squeeze(n->g, part, 1, &axis));
  }
}

// How many of the sorted numbers are before a value: those less than it, with "right" those that equal it, too.
void pt2_import_search(pt2_node_t *n) {
  const char *sorted = strchr(n->info->detail, ' ') + 1;
  strata_dtype_t dtype = pt2_promoted(n, n->info->detail);
  int64_t last = -1, behind = -2;
  bool is_right = pt2_bool(n, "right") || !strcmp(pt2_string(n, "side", "left"), "right");
  pt2_value_t row = pt2_tensor(n, sorted);
  const char *value = pt2_operand(n, "self", dtype), *numbers = pt2_operand(n, sorted, dtype);
  if (n->has_failed || !row.rank) {
    pt2_refuse(n, "without numbers to search in");
    return;
  }
  if (row.rank > 1)
    numbers = graph_unsqueeze(n->g, numbers, 1, &behind);
  const char *before =
      graph_op(n->g, is_right ? "LessOrEqual" : "Less", GRAPH_VALUES(numbers, graph_unsqueeze(n->g, value, 1, &last)));
  before = reduce(n, "ReduceSum", graph_cast(n->g, before, STRATA_DTYPE_I64), 1, &last, false);
  pt2_set_as(n, 0, before, STRATA_DTYPE_I64);
}
