// Operators that take or store elements by index.
#include "dialects/import/pt2/shape.h"

#include <math.h>
#include <string.h>

static const char *scatter(pt2_node_t *n, const char *values, const char *places, const char *updates, int64_t axis,
                           const char *reduction) {
  graph_node_t *node = pt2_node(n, "ScatterElements", GRAPH_VALUES(values, places, updates));
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  if (reduction)
    graph_set_string(node, "reduction", reduction);
  return graph_result(node, NULL);
}

void pt2_import_embedding(pt2_node_t *n) {
  pt2_value_t weight = pt2_tensor(n, "weight");
  const char *indices = pt2_operand(n, "indices", STRATA_DTYPE_I64);
  pt2_set(n, 0, pt2_gather(n, weight.name, indices, 0));
}

// [bags, indices]: whether a bag has an index, of indices from one offset up to the next.
static const char *bag_members(pt2_node_t *n, const char *indices, const char *offsets) {
  int64_t one = 1, zero = 0, last = -1;
  const char *size = graph_op(n->g, "Size", GRAPH_VALUES(indices)), *starts = offsets, *ends = offsets;
  if (pt2_bool(n, "include_last_offset")) {
    starts = graph_op(n->g, "Slice", GRAPH_VALUES(offsets, graph_ints(n->g, 1, &zero), graph_ints(n->g, 1, &last)));
    ends = graph_op(n->g, "Slice",
                    GRAPH_VALUES(offsets, graph_ints(n->g, 1, &one), graph_ints(n->g, 1, &(int64_t){INT64_MAX})));
  } else {
    ends = graph_op(n->g, "Slice",
                    GRAPH_VALUES(offsets, graph_ints(n->g, 1, &one), graph_ints(n->g, 1, &(int64_t){INT64_MAX})));
    ends = pt2_along(n, "Concat", GRAPH_VALUES(ends, graph_reshape(n->g, size, 1, &one)), 0);
  }
  const char *places = graph_count_to(n->g, size);
  const char *behind = graph_op(n->g, "GreaterOrEqual", GRAPH_VALUES(places, graph_unsqueeze(n->g, starts, 1, &one)));
  const char *before = graph_op(n->g, "Less", GRAPH_VALUES(places, graph_unsqueeze(n->g, ends, 1, &one)));
  const char *members = graph_op(n->g, "And", GRAPH_VALUES(behind, before));
  int64_t padding = pt2_has(n, "padding_idx") ? pt2_int(n, "padding_idx") : -1;
  if (padding < 0)
    return members;
  const char *is_padding = graph_op(n->g, "Equal", GRAPH_VALUES(indices, graph_int(n->g, padding)));
  return graph_op(n->g, "And", GRAPH_VALUES(members, graph_op(n->g, "Not", GRAPH_VALUES(is_padding))));
}

// The largest of each column of the rows [indices, columns] of each bag; 0 of one that is empty.
static const char *bag_maxima(pt2_node_t *n, const char *members, const char *rows, strata_dtype_t dtype) {
  int64_t one = 1, last = -1;
  const char *candidates =
      graph_op(n->g, "Where",
               GRAPH_VALUES(graph_unsqueeze(n->g, members, 1, &last), rows, pt2_number_value(n, dtype, -INFINITY)));
  graph_node_t *most = graph_node(n->g, "ReduceMax", GRAPH_VALUES(candidates, graph_ints(n->g, 1, &one)));
  graph_set_int(most, "keepdims", 0);
  const char *any = graph_op(n->g, "ReduceMax", GRAPH_VALUES(members, graph_ints(n->g, 1, &one)));
  return graph_op(n->g, "Where", GRAPH_VALUES(any, graph_result(most, NULL), pt2_number_value(n, dtype, 0)));
}

void pt2_import_embedding_bag(pt2_node_t *n) {
  enum { SUM, MEAN, MAX };
  pt2_value_t weight = pt2_tensor(n, "weight");
  const char *indices = pt2_operand(n, "indices", STRATA_DTYPE_I64),
             *offsets = pt2_operand(n, "offsets", STRATA_DTYPE_I64);
  int64_t mode = pt2_int(n, "mode"), one = 1;
  for (int i = 1; i < n->n_results; i++)
    if (pt2_wants(n, i))
      pt2_refuse(n, "result %d", i);
  if (pt2_tensor(n, "indices").rank != 1 || mode < SUM || mode > MAX)
    pt2_refuse(n, "indices or a mode of another kind");
  if (n->has_failed)
    return;
  const char *members = bag_members(n, indices, offsets);
  const char *rows = pt2_gather(n, weight.name, indices, 0);
  if (mode == MAX) {
    pt2_set(n, 0, bag_maxima(n, members, rows, weight.dtype));
    return;
  }
  const char *factors = graph_cast(n->g, members, weight.dtype), *sums = factors;
  if (pt2_has(n, "per_sample_weights"))
    sums = pt2_op(n, "Mul", GRAPH_VALUES(sums, pt2_operand(n, "per_sample_weights", weight.dtype)));
  sums = pt2_op(n, "MatMul", GRAPH_VALUES(sums, rows));
  if (mode == MEAN && !n->has_failed) {
    const char *count = graph_op(n->g, "ReduceSum", GRAPH_VALUES(factors, graph_ints(n->g, 1, &one)));
    sums =
        graph_op(n->g, "Div",
                 GRAPH_VALUES(sums, graph_op(n->g, "Max", GRAPH_VALUES(count, pt2_number_value(n, weight.dtype, 1)))));
  }
  pt2_set(n, 0, sums);
}

// Where the mask is true, the source's elements in their order.
void pt2_import_masked_scatter(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), source = pt2_tensor(n, "source");
  int64_t rest = -1;
  const char *mask = pt2_operand(n, "mask", STRATA_DTYPE_BOOL), *sizes = pt2_shape(n, self.name, 0, self.rank);
  if (n->has_failed)
    return;
  const char *flat = graph_reshape(n->g, graph_op(n->g, "Expand", GRAPH_VALUES(mask, sizes)), 1, &rest);
  const char *count =
      graph_op(n->g, "CumSum", GRAPH_VALUES(graph_cast(n->g, flat, STRATA_DTYPE_I64), graph_int(n->g, 0)));
  const char *place = graph_op(
      n->g, "Max", GRAPH_VALUES(graph_op(n->g, "Sub", GRAPH_VALUES(count, graph_int(n->g, 1))), graph_int(n->g, 0)));
  const char *chosen = graph_op(n->g, "Gather", GRAPH_VALUES(graph_reshape(n->g, source.name, 1, &rest), place));
  chosen = graph_op(n->g, "Reshape", GRAPH_VALUES(chosen, sizes));
  pt2_set(n, 0, graph_op(n->g, "Where", GRAPH_VALUES(mask, chosen, self.name)));
}

void pt2_import_index_select(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), index = pt2_tensor(n, "index");
  const char *rows = pt2_cast(n, &index, STRATA_DTYPE_I64);
  int64_t one = 1;
  if (index.rank == 0 && !n->has_failed)
    rows = graph_reshape(n->g, rows, 1, &one);
  pt2_set(n, 0, pt2_gather(n, self.name, rows, pt2_axis(n, "dim", self.rank)));
}

void pt2_import_gather(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *index = pt2_operand(n, "index", STRATA_DTYPE_I64);
  pt2_set(n, 0, pt2_along(n, "GatherElements", GRAPH_VALUES(self.name, index), pt2_axis(n, "dim", self.rank)));
}

//===-- index and index_put --------------------------------------------------------------------------------------===//

// The index tensors of x[:, i, j]: where they are and what they are like together.
typedef struct {
  int count, dims[STRATA_TENSOR_MAX_RANK]; // which dims have one
  int rank;                                // of all broadcast together
  bool are_adjacent;
  const char *places; // [..., count], i64
  const char *shape;  // of them without the last dim
} indices_t;

static const char *stack_last(pt2_node_t *n, int count, const char *const *parts) {
  int64_t last = -1;
  const char *columns[STRATA_TENSOR_MAX_RANK];
  for (int i = 0; i < count && !n->has_failed; i++)
    columns[i] = graph_unsqueeze(n->g, parts[i], 1, &last);
  return pt2_along(n, "Concat", count, columns, -1);
}

// The places where |mask| is true: for each of its dims where they are along it.
static int mask_places(pt2_node_t *n, const pt2_value_t *mask, const char **parts) {
  const char *places = pt2_op(n, "NonZero", GRAPH_VALUES(mask->name));
  if (!mask->rank)
    pt2_refuse(n, "a mask without dims as index");
  for (int i = 0; i < mask->rank && !n->has_failed; i++)
    parts[i] = pt2_gather(n, places, graph_int(n->g, i), 0);
  return mask->rank;
}

static bool is_mask(const pt2_value_t *index) {
  return index->dtype == STRATA_DTYPE_BOOL || index->dtype == STRATA_DTYPE_U8;
}

// What an index is for the dims from |dim| on: an index for each of them.
static int index_parts(pt2_node_t *n, const pt2_value_t *index, int dim, int rank, const char **parts) {
  if (dim + (is_mask(index) ? index->rank : 1) > rank)
    pt2_refuse(n, "more indices than dims");
  if (n->has_failed)
    return 0;
  if (is_mask(index))
    return mask_places(n, index, parts);
  parts[0] = pt2_cast(n, index, STRATA_DTYPE_I64);
  return 1;
}

static indices_t read_indices(pt2_node_t *n, int rank) {
  indices_t result = {.are_adjacent = true, .places = "", .shape = ""};
  const char *parts[STRATA_TENSOR_MAX_RANK], *all = NULL;
  int count, dim = 0;
  const pt2_item_t *items = pt2_items(n, "indices", &count);
  for (int i = 0; i < count && !n->has_failed; i++) {
    if (items[i].kind == PT2_NONE) {
      dim++;
      continue;
    }
    pt2_value_t index = pt2_item_tensor(n, &items[i]);
    int more = index_parts(n, &index, dim, rank, &parts[result.count]);
    result.are_adjacent = result.are_adjacent && (!result.count || result.dims[result.count - 1] == dim - 1);
    int index_rank = is_mask(&index) ? 1 : index.rank;
    result.rank = index_rank > result.rank ? index_rank : result.rank;
    if (more)
      all = all ? pt2_op(n, "Add", GRAPH_VALUES(all, parts[result.count])) : parts[result.count];
    for (; more > 0; more--)
      result.dims[result.count++] = dim++;
  }
  if (!result.count)
    pt2_refuse(n, "without an index");
  if (n->has_failed)
    return result;
  result.shape = pt2_shape(n, all, 0, result.rank);
  for (int i = 0; i < result.count && result.count > 1; i++)
    parts[i] = pt2_op(n, "Expand", GRAPH_VALUES(parts[i], result.shape));
  result.places = stack_last(n, result.count, parts);
  return result;
}

// The dims with an index in front of the others.
static void front_order(const indices_t *indices, int rank, int64_t *order) {
  int at = 0;
  for (int i = 0; i < indices->count; i++)
    order[at++] = indices->dims[i];
  for (int i = 0, next = 0; i < rank; i++) {
    bool is_indexed = next < indices->count && indices->dims[next] == i;
    next += is_indexed;
    if (!is_indexed)
      order[at++] = i;
  }
}

static const char *transpose(pt2_node_t *n, const char *value, int rank, const int64_t *order) {
  bool is_same = true;
  for (int i = 0; i < rank; i++)
    is_same = is_same && order[i] == i;
  return is_same || n->has_failed ? value : graph_transpose(n->g, value, rank, order);
}

static void invert(int rank, const int64_t *order, int64_t *out_inverse) {
  for (int i = 0; i < rank; i++)
    out_inverse[order[i]] = i;
}

// Where what the indices choose is in the result: the dims of the indices come where the first index is, if all are
// side by side, else in front. |order| brings them to the front.
static int chosen_order(const indices_t *indices, int rank, int64_t *order) {
  int start = indices->are_adjacent ? indices->dims[0] : 0, result = rank - indices->count + indices->rank, at = 0;
  for (int i = 0; i < indices->rank; i++)
    order[at++] = start + i;
  for (int i = 0; i < result; i++)
    if (i < start || i >= start + indices->rank)
      order[at++] = i;
  return result;
}

void pt2_import_index(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  indices_t indices = read_indices(n, self.rank);
  int64_t order[STRATA_TENSOR_MAX_RANK], inverse[2 * STRATA_TENSOR_MAX_RANK], chosen[2 * STRATA_TENSOR_MAX_RANK];
  if (n->has_failed)
    return;
  front_order(&indices, self.rank, order);
  int rank = chosen_order(&indices, self.rank, chosen);
  invert(rank, chosen, inverse);
  const char *rows = transpose(n, self.name, self.rank, order);
  rows = pt2_op(n, "GatherND", GRAPH_VALUES(rows, indices.places));
  pt2_set(n, 0, transpose(n, rows, rank, inverse));
}

// x[mask] = a number
static bool put_masked(pt2_node_t *n, const pt2_value_t *self) {
  int count;
  const pt2_item_t *items = pt2_items(n, "indices", &count);
  if (count != 1 || items[0].kind != PT2_TENSOR || pt2_bool(n, "accumulate"))
    return false;
  pt2_value_t mask = pt2_item_tensor(n, &items[0]), values = pt2_tensor(n, "values");
  if (mask.dtype != STRATA_DTYPE_BOOL || values.rank > 0)
    return false;
  const char *condition = mask.name;
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  for (int i = mask.rank; i < self->rank; i++)
    axes[i - mask.rank] = i;
  if (mask.rank < self->rank && !n->has_failed)
    condition = graph_unsqueeze(n->g, condition, self->rank - mask.rank, axes);
  pt2_set(n, 0, pt2_op(n, "Where", GRAPH_VALUES(condition, pt2_cast(n, &values, self->dtype), self->name)));
  return true;
}

// The shape of what the indices choose, with the indices' dims in front.
static const char *chosen_shape(pt2_node_t *n, const char *rows, const indices_t *indices, int rank) {
  if (indices->count == rank)
    return indices->shape;
  const char *rest = pt2_shape(n, rows, indices->count, rank);
  return pt2_along(n, "Concat", GRAPH_VALUES(indices->shape, rest), 0);
}

void pt2_import_index_put(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), values = pt2_tensor(n, "values");
  if (n->has_failed || put_masked(n, &self))
    return;
  indices_t indices = read_indices(n, self.rank);
  int64_t order[STRATA_TENSOR_MAX_RANK], inverse[STRATA_TENSOR_MAX_RANK], chosen[2 * STRATA_TENSOR_MAX_RANK],
      front[2 * STRATA_TENSOR_MAX_RANK];
  if (n->has_failed)
    return;
  front_order(&indices, self.rank, order);
  invert(self.rank, order, inverse);
  int rank = chosen_order(&indices, self.rank, chosen), missing = rank - values.rank;
  const char *updates = pt2_cast(n, &values, self.dtype), *rows = transpose(n, self.name, self.rank, order);
  for (int i = 0; i < missing; i++)
    front[i] = i;
  if (missing > 0 && !n->has_failed)
    updates = graph_unsqueeze(n->g, updates, missing, front);
  updates = transpose(n, updates, rank, chosen);
  updates = pt2_op(n, "Expand", GRAPH_VALUES(updates, chosen_shape(n, rows, &indices, self.rank)));
  graph_node_t *node = pt2_node(n, "ScatterND", GRAPH_VALUES(rows, indices.places, updates));
  if (!node)
    return;
  if (pt2_bool(n, "accumulate"))
    graph_set_string(node, "reduction", "add");
  pt2_set(n, 0, transpose(n, graph_result(node, NULL), self.rank, inverse));
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static void store_rows(pt2_node_t *n, const char *source, const char *reduction) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank), order[STRATA_TENSOR_MAX_RANK], column[] = {-1, 1};
  for (int i = 0; i < self.rank; i++)
    order[i] = i == axis ? 0 : i == 0 ? axis : i;
  const char *index = pt2_operand(n, "index", STRATA_DTYPE_I64);
  if (n->has_failed)
    return;
  graph_node_t *node =
      graph_node(n->g, "ScatterND",
                 GRAPH_VALUES(transpose(n, self.name, self.rank, order), graph_reshape(n->g, index, 2, column),
                              transpose(n, source, self.rank, order)));
  graph_set_string(node, "reduction", reduction);
  pt2_set(n, 0, transpose(n, graph_result(node, NULL), self.rank, order));
}

void pt2_import_index_add(pt2_node_t *n) {
  store_rows(n, pt2_formula(n, pt2_result_dtype(n), "Mul(alpha, source)"), "add");
}

void pt2_import_index_copy(pt2_node_t *n) { store_rows(n, pt2_operand(n, "source", pt2_result_dtype(n)), "none"); }

//===-- Scatter --------------------------------------------------------------------------------------------------===//

static const char *reduction_of(pt2_node_t *n) {
  static const char *const names[][2] = {{"", "none"},    {"add", "add"},  {"sum", "add"},  {"multiply", "mul"},
                                         {"prod", "mul"}, {"amax", "max"}, {"amin", "min"}, {"mean", "add"}};
  const char *name = pt2_string(n, "reduce", n->info->detail);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i][0], name))
      return names[i][1];
  pt2_refuse(n, "reduce '%s'", name);
  return "none";
}

// As much of the source as there are indices.
static const char *cut_source(pt2_node_t *n, const char *source, const pt2_value_t *index) {
  int64_t *zeros = strata_arena_array(n->arena, int64_t, index->rank + 1);
  const char *end = pt2_shape(n, index->name, 0, index->rank);
  return n->has_failed ? "" : graph_op(n->g, "Slice", GRAPH_VALUES(source, graph_ints(n->g, index->rank, zeros), end));
}

static bool has_shape(const pt2_value_t *a, const pt2_value_t *b) {
  for (int i = 0; i < a->rank && a->rank == b->rank; i++)
    if (a->sizes[i].number != b->sizes[i].number ||
        (a->sizes[i].number < 0 && strcmp(a->sizes[i].expression, b->sizes[i].expression) != 0))
      return false;
  return a->rank == b->rank;
}

static bool includes_self(pt2_node_t *n) { return !pt2_has(n, "include_self") || pt2_bool(n, "include_self"); }

// |value| everywhere in the shape of |like|.
static const char *filled_like(pt2_node_t *n, const pt2_value_t *like, strata_dtype_t dtype, double value) {
  return pt2_op(n, "Expand", GRAPH_VALUES(pt2_number_value(n, dtype, value), pt2_shape(n, like->name, 0, like->rank)));
}

// Before the values are combined, those that are combined with any get what changes nothing.
static const char *with_neutral(pt2_node_t *n, const pt2_value_t *self, const char *places, const pt2_value_t *index,
                                int64_t axis) {
  const char *kind = reduction_of(n);
  if (!pt2_is_float(self->dtype))
    pt2_refuse(n, "integers without the values that are there");
  double neutral = !strcmp(kind, "mul") ? 1 : !strcmp(kind, "max") ? -INFINITY : !strcmp(kind, "min") ? INFINITY : 0;
  return scatter(n, self->name, places, filled_like(n, index, self->dtype, neutral), axis, NULL);
}

static const char *divide_by_counts(pt2_node_t *n, const char *sums, const pt2_value_t *self, const char *places,
                                    const pt2_value_t *index, int64_t axis) {
  if (!pt2_is_float(self->dtype))
    pt2_refuse(n, "a mean of integers");
  const char *counts = filled_like(n, self, self->dtype, includes_self(n));
  counts = scatter(n, counts, places, filled_like(n, index, self->dtype, 1), axis, "add");
  counts = pt2_op(n, "Max", GRAPH_VALUES(counts, pt2_number_value(n, self->dtype, 1)));
  return pt2_op(n, "Div", GRAPH_VALUES(sums, counts));
}

void pt2_import_scatter(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), index = pt2_tensor(n, "index");
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *updates;
  if (pt2_is_tensor(n, "src")) {
    pt2_value_t source = pt2_tensor(n, "src");
    updates = pt2_cast(n, &source, dtype);
    if (!n->has_failed && !has_shape(&source, &index))
      updates = cut_source(n, updates, &index);
  } else {
    updates =
        pt2_op(n, "Expand", GRAPH_VALUES(pt2_operand(n, "value", dtype), pt2_shape(n, index.name, 0, index.rank)));
  }
  const char *places = pt2_cast(n, &index, STRATA_DTYPE_I64);
  int64_t axis = pt2_axis(n, "dim", self.rank);
  bool is_mean = !strcmp(pt2_string(n, "reduce", n->info->detail), "mean");
  const char *start = includes_self(n) ? self.name : with_neutral(n, &self, places, &index, axis);
  const char *result = scatter(n, start, places, updates, axis, reduction_of(n));
  pt2_set(n, 0, is_mean ? divide_by_counts(n, result, &self, places, &index, axis) : result);
}

void pt2_import_one_hot(pt2_node_t *n) {
  static const int64_t off_on[] = {0, 1};
  int64_t classes = pt2_has(n, "num_classes") ? pt2_int(n, "num_classes") : -1;
  pt2_value_t self = pt2_tensor(n, "self");
  if (classes < 0)
    pt2_refuse(n, "without num_classes");
  if (n->has_failed)
    return;
  pt2_set(n, 0,
          pt2_along(n, "OneHot", GRAPH_VALUES(self.name, graph_int(n->g, classes), graph_ints(n->g, 2, off_on)), -1));
}
