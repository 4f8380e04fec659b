// Operators that join tensors, and take or store parts of them.
#include "dialects/import/pt2/shape.h"

//===-- Joins and parts ------------------------------------------------------------------------------------------===//

const char *pt2_concat(pt2_node_t *n, int count, const char *const *parts, int64_t axis) {
  return pt2_along(n, "Concat", count, parts, axis);
}

const char *pt2_gather(pt2_node_t *n, const char *value, const char *places, int64_t axis) {
  return pt2_along(n, "Gather", GRAPH_VALUES(value, places), axis);
}

// What has one dim and no elements is left out, as PyTorch has it.
void pt2_import_cat(pt2_node_t *n) {
  const pt2_meta_t *result = pt2_result(n, 0);
  strata_dtype_t dtype = pt2_result_dtype(n);
  int count, n_parts = 0, rank = result ? result->rank : 0;
  const pt2_item_t *items = pt2_items(n, "tensors", &count);
  const char **parts = strata_arena_array(n->arena, const char *, count + 1);
  for (int i = 0; i < count; i++) {
    pt2_value_t part = pt2_item_tensor(n, &items[i]);
    if (part.rank == rank)
      parts[n_parts++] = pt2_cast(n, &part, dtype);
  }
  pt2_set(n, 0, pt2_concat(n, n_parts, parts, pt2_axis(n, "dim", rank)));
}

void pt2_import_stack(pt2_node_t *n) {
  const pt2_meta_t *result = pt2_result(n, 0);
  strata_dtype_t dtype = pt2_result_dtype(n);
  int count;
  const pt2_item_t *items = pt2_items(n, "tensors", &count);
  const char **parts = strata_arena_array(n->arena, const char *, count + 1);
  int64_t axis = pt2_axis(n, "dim", result ? result->rank : 1);
  for (int i = 0; i < count; i++) {
    const char *part = pt2_item_value(n, &items[i], dtype);
    parts[i] = n->has_failed ? "" : graph_unsqueeze(n->g, part, 1, &axis);
  }
  pt2_set(n, 0, pt2_concat(n, count, parts, axis));
}

// Into the parts whose sizes the results have.
void pt2_import_split(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  int count;
  pt2_items(n, "split_sizes", &count);
  const char *sizes = count ? pt2_sizes(n, "split_sizes") : NULL;
  int64_t *known = strata_arena_array(n->arena, int64_t, n->n_results + 1);
  for (int i = 0; i < n->n_results && !sizes; i++) {
    const pt2_meta_t *meta = pt2_result(n, i);
    known[i] = meta && axis < meta->rank ? meta->sizes[axis].number : -1;
    if (known[i] < 0)
      pt2_refuse(n, "parts whose size varies");
  }
  graph_node_t *node =
      pt2_node(n, "Split", GRAPH_VALUES(self.name, sizes ? sizes : pt2_known_ints(n, n->n_results, known)));
  if (!node)
    return;
  graph_set_int(node, "axis", axis);
  for (int i = 0; i < n->n_results; i++)
    pt2_set(n, i, graph_result(node, NULL));
}

const char *pt2_slice(pt2_node_t *n, const char *value, int64_t axis, const char *start, const char *end,
                      const char *step) {
  return pt2_op(n, "Slice", GRAPH_VALUES(value, start, end, pt2_known_ints(n, 1, &axis), step));
}

const char *pt2_of_neighbours(pt2_node_t *n, const char *op, const char *value, int64_t axis) {
  int64_t zero = 0, one = 1, last = -1, end = INT64_MAX;
  const char *step = pt2_known_ints(n, 1, &one);
  const char *later = pt2_slice(n, value, axis, step, pt2_known_ints(n, 1, &end), step);
  const char *earlier = pt2_slice(n, value, axis, pt2_known_ints(n, 1, &zero), pt2_known_ints(n, 1, &last), step);
  return pt2_op(n, op, GRAPH_VALUES(later, earlier));
}

static const char *element(pt2_node_t *n, const char *list, int64_t i) {
  int64_t end = i + 1, one = 1;
  return pt2_slice(n, list, 0, pt2_known_ints(n, 1, &i), pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &one));
}

// Into a number of parts, or at places.
void pt2_import_tensor_split(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank), first = 0, last = INT64_MAX, one = 1;
  int count;
  if (!pt2_has(n, "indices")) {
    pt2_import_split(n);
    return;
  }
  pt2_items(n, "indices", &count);
  if (n->n_results != count + 1)
    pt2_refuse(n, "%d parts between %d places", n->n_results, count);
  const char *places = pt2_sizes(n, "indices"), *start = pt2_known_ints(n, 1, &first);
  for (int i = 0; i < n->n_results && !n->has_failed; i++) {
    const char *end = i < count ? element(n, places, i) : pt2_known_ints(n, 1, &last);
    pt2_set(n, i, pt2_slice(n, self.name, axis, start, end, pt2_known_ints(n, 1, &one)));
    start = end;
  }
}

void pt2_import_unbind(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  for (int i = 0; i < n->n_results && !n->has_failed; i++)
    pt2_set(n, i, pt2_gather(n, self.name, graph_int(n->g, i), axis));
}

static const char *bound(pt2_node_t *n, const char *name, int64_t otherwise) {
  return pt2_has(n, name) ? pt2_sizes(n, name) : pt2_known_ints(n, 1, &otherwise);
}

void pt2_import_slice(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  pt2_set(n, 0,
          pt2_slice(n, self.name, pt2_axis(n, "dim", self.rank), bound(n, "start", 0), bound(n, "end", INT64_MAX),
                    pt2_sizes(n, "step")));
}

void pt2_import_narrow(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *start = pt2_sizes(n, "start"), *length = pt2_sizes(n, "length");
  int64_t one = 1;
  pt2_set(n, 0,
          pt2_slice(n, self.name, pt2_axis(n, "dim", self.rank), start, pt2_op(n, "Add", GRAPH_VALUES(start, length)),
                    pt2_known_ints(n, 1, &one)));
}

void pt2_import_select(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  pt2_set(n, 0, pt2_gather(n, self.name, pt2_operand(n, "index", STRATA_DTYPE_I64), axis));
}

// The places along |axis| that a slice or select means, of all its indices: a part of 0, 1, 2, ...
static const char *places(pt2_node_t *n, const pt2_value_t *whole, int64_t axis) {
  int64_t one = 1;
  const char *size = pt2_dim(n, whole->name, axis);
  if (n->has_failed)
    return "";
  const char *all = graph_count_to(n->g, size);
  if (pt2_has(n, "index"))
    return graph_op(n->g, "Gather", GRAPH_VALUES(all, pt2_sizes(n, "index")));
  return pt2_slice(n, all, 0, bound(n, "start", 0), bound(n, "end", INT64_MAX),
                   pt2_has(n, "step") ? pt2_sizes(n, "step") : pt2_known_ints(n, 1, &one));
}

// Whether a slice is all of what it is of.
static bool is_whole(pt2_node_t *n, const pt2_value_t *whole, int64_t axis) {
  int count;
  const pt2_item_t *start = pt2_items(n, "start", &count);
  bool from_start = !count || (start->kind == PT2_INT && start->integer == 0);
  const pt2_item_t *end = pt2_items(n, "end", &count);
  bool to_end = !count || (end->kind == PT2_INT &&
                           (end->integer == INT64_MAX || //
                            (whole->sizes[axis].number >= 0 && end->integer >= whole->sizes[axis].number)));
  return !pt2_has(n, "index") && whole->rank && from_start && to_end && pt2_int(n, "step") == 1;
}

// With the axis in front, its rows are stored by one index each.
const char *pt2_put_slice(pt2_node_t *n, const pt2_value_t *whole, const char *part) {
  int64_t axis = pt2_axis(n, "dim", whole->rank), order[STRATA_TENSOR_MAX_RANK], last = -1;
  if (!n->has_failed && is_whole(n, whole, axis))
    return part;
  if (pt2_has(n, "index") && !n->has_failed)
    part = graph_unsqueeze(n->g, part, 1, &axis);
  pt2_first_order(whole->rank, order);
  order[0] = axis;
  order[axis] = 0;
  const char *rows = places(n, whole, axis);
  if (n->has_failed)
    return "";
  const char *result =
      graph_op(n->g, "ScatterND",
               GRAPH_VALUES(graph_transpose(n->g, whole->name, whole->rank, order),
                            graph_unsqueeze(n->g, rows, 1, &last), graph_transpose(n->g, part, whole->rank, order)));
  return graph_transpose(n->g, result, whole->rank, order);
}

void pt2_import_put(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *source = pt2_operand(n, "src", pt2_result_dtype(n));
  pt2_set(n, 0, pt2_put_slice(n, &self, source));
}
