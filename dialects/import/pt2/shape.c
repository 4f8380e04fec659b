// Operators that move elements: shapes, parts, joins.
#include "dialects/import/pt2/convert.h"

#include <string.h>

//===-- Shapes ---------------------------------------------------------------------------------------------------===//

// Reshape to a list of sizes, of which one may be -1; a size of 0 is 0.
static const char *reshape(pt2_node_t *n, const char *value, const char *sizes) {
  graph_node_t *node = pt2_node(n, "Reshape", GRAPH_VALUES(value, sizes));
  if (!node)
    return "";
  graph_set_int(node, "allowzero", 1);
  return graph_result(node, NULL);
}

void pt2_import_view(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  if (pt2_has(n, "dtype"))
    pt2_refuse(n, "bits as another element type");
  pt2_set(n, 0, reshape(n, self.name, pt2_sizes(n, pt2_has(n, "size") ? "size" : "shape")));
}

void pt2_import_view_as(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  pt2_set(n, 0, reshape(n, self.name, pt2_shape(n, other.name, 0, other.rank)));
}

// Sizes in place of the dims from |start| up to |end|.
static const char *replace_dims(pt2_node_t *n, const pt2_value_t *self, int start, int end, const char *sizes) {
  const char *parts[3];
  int count = 0;
  if (start)
    parts[count++] = pt2_shape(n, self->name, 0, start);
  parts[count++] = sizes;
  if (end < self->rank)
    parts[count++] = pt2_shape(n, self->name, end, self->rank);
  graph_node_t *shape = pt2_node(n, "Concat", count, parts);
  if (!shape)
    return "";
  graph_set_int(shape, "axis", 0);
  return reshape(n, self->name, graph_result(shape, NULL));
}

static const char *ints(pt2_node_t *n, int count, const int64_t *values) {
  return n->has_failed ? "" : graph_ints(n->g, count, values);
}

void pt2_import_flatten(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t start = pt2_axis(n, "start_dim", self.rank), end = pt2_axis(n, "end_dim", self.rank), rest = -1;
  pt2_set(n, 0,
          self.rank ? replace_dims(n, &self, (int)start, (int)end + 1, ints(n, 1, &rest))
                    : reshape(n, self.name, ints(n, 1, &rest)));
}

void pt2_import_unflatten(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int dim = (int)pt2_axis(n, "dim", self.rank);
  pt2_set(n, 0, replace_dims(n, &self, dim, dim + 1, pt2_sizes(n, "sizes")));
}

void pt2_import_squeeze(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count = -1, n_axes = 0;
  const int64_t *dims = pt2_ints(n, "dim", &count);
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  if (!pt2_has(n, "dim"))
    for (count = 0; count < self.rank; count++)
      axes[n_axes++] = count;
  for (int i = 0; i < count && pt2_has(n, "dim") && n_axes < STRATA_TENSOR_MAX_RANK; i++)
    axes[n_axes++] = pt2_normal_axis(n, dims[i], self.rank);
  int n_ones = 0;
  for (int i = 0; i < n_axes && self.rank; i++)
    if (self.sizes[axes[i]].number == 1)
      axes[n_ones++] = axes[i];
  pt2_set(n, 0, n_ones ? pt2_op(n, "Squeeze", GRAPH_VALUES(self.name, ints(n, n_ones, axes))) : self.name);
}

void pt2_import_unsqueeze(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank + 1);
  pt2_set(n, 0, pt2_op(n, "Unsqueeze", GRAPH_VALUES(self.name, ints(n, 1, &axis))));
}

void pt2_import_expand(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count;
  const pt2_item_t *items = pt2_items(n, "size", &count);
  pt2_item_t *sizes = strata_arena_array(n->arena, pt2_item_t, count + 1);
  for (int i = 0; i < count; i++) { // -1: as it is, which is what 1 says
    sizes[i] = items[i];
    if (sizes[i].kind == PT2_INT && sizes[i].integer == -1)
      sizes[i].integer = 1;
  }
  pt2_set(n, 0, pt2_op(n, "Expand", GRAPH_VALUES(self.name, pt2_items_value(n, count, sizes))));
}

void pt2_import_expand_as(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  pt2_set(n, 0, pt2_op(n, "Expand", GRAPH_VALUES(self.name, pt2_shape(n, other.name, 0, other.rank))));
}

//===-- Order of dims --------------------------------------------------------------------------------------------===//

static const char *transpose(pt2_node_t *n, const char *value, int rank, const int64_t *order) {
  return n->has_failed ? "" : graph_transpose(n->g, value, rank, order);
}

static void first_order(int rank, int64_t *order) {
  for (int i = 0; i < rank; i++)
    order[i] = i;
}

void pt2_import_permute(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count = -1;
  const int64_t *dims = pt2_ints(n, "dims", &count);
  int64_t order[STRATA_TENSOR_MAX_RANK];
  if (count != self.rank)
    pt2_refuse(n, "expected %d dims, got %d", self.rank, count);
  for (int i = 0; i < count && !n->has_failed; i++)
    order[i] = pt2_normal_axis(n, dims[i], self.rank);
  pt2_set(n, 0, transpose(n, self.name, self.rank, order));
}

static void swap(pt2_node_t *n, const pt2_value_t *self, int64_t a, int64_t b) {
  int64_t order[STRATA_TENSOR_MAX_RANK];
  first_order(self->rank, order);
  if (self->rank) {
    order[a] = b;
    order[b] = a;
  }
  pt2_set(n, 0, transpose(n, self->name, self->rank, order));
}

void pt2_import_transpose(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  bool is_dim = pt2_has(n, "dim0");
  swap(n, &self, pt2_axis(n, is_dim ? "dim0" : "axis0", self.rank), pt2_axis(n, is_dim ? "dim1" : "axis1", self.rank));
}

void pt2_import_matrix_transpose(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  if (self.rank < 2)
    pt2_set(n, 0, self.name);
  else
    swap(n, &self, self.rank - 2, self.rank - 1);
}

void pt2_import_movedim(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count = -1;
  const int64_t *from = pt2_ints(n, "source", &count), *to = pt2_ints(n, "destination", &count);
  int64_t order[STRATA_TENSOR_MAX_RANK];
  bool is_moved[STRATA_TENSOR_MAX_RANK] = {false}, is_set[STRATA_TENSOR_MAX_RANK] = {false};
  for (int i = 0; i < count && !n->has_failed; i++) {
    int64_t source = pt2_normal_axis(n, from[i], self.rank), target = pt2_normal_axis(n, to[i], self.rank);
    order[target] = source;
    is_moved[source] = is_set[target] = true;
  }
  for (int i = 0, next = 0; i < self.rank && !n->has_failed; i++) {
    if (is_set[i])
      continue;
    while (is_moved[next])
      next++;
    order[i] = next++;
  }
  pt2_set(n, 0, transpose(n, self.name, self.rank, order));
}

// Whether strides are those of a tensor in row-major order, as far as sizes are numbers; the first may vary.
static bool is_row_major(int rank, const pt2_size_t *sizes, const int64_t *strides) {
  int64_t expected = 1;
  for (int i = rank; i-- > 0;) {
    if ((sizes[i].number != 1 && strides[i] != expected) || (sizes[i].number < 0 && i > 0))
      return false;
    if (__builtin_mul_overflow(expected, sizes[i].number, &expected))
      return false;
  }
  return true;
}

bool pt2_is_row_major(pt2_node_t *n) {
  const pt2_meta_t *meta = pt2_argument_meta(n, "self");
  int64_t strides[STRATA_TENSOR_MAX_RANK];
  for (int i = 0; meta && i < meta->rank; i++)
    strides[i] = meta->strides[i].number;
  return meta && is_row_major(meta->rank, meta->sizes, strides);
}

// The argument's memory with other sizes, if both are all of it in its order; that the sizes fit, Reshape sees.
void pt2_import_as_strided(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int rank = -1, count;
  pt2_size_t sizes[STRATA_TENSOR_MAX_RANK];
  const int64_t *strides = pt2_ints(n, "stride", &rank);
  const pt2_item_t *items = pt2_items(n, "size", &count);
  if (count != rank || rank > STRATA_TENSOR_MAX_RANK || pt2_int(n, "storage_offset"))
    pt2_refuse(n, "a part of its memory");
  for (int i = 0; i < rank && !n->has_failed; i++)
    sizes[i].number = items[i].kind == PT2_INT ? items[i].integer : -1;
  if (!n->has_failed && (!is_row_major(rank, sizes, strides) || !pt2_is_row_major(n)))
    pt2_refuse(n, "strides that are not those of a tensor in row-major order");
  pt2_set(n, 0, reshape(n, self.name, pt2_sizes(n, "size")));
}

//===-- Joins and parts ------------------------------------------------------------------------------------------===//

static const char *concat(pt2_node_t *n, int count, const char *const *parts, int64_t axis) {
  graph_node_t *node = pt2_node(n, "Concat", count, parts);
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
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
  pt2_set(n, 0, concat(n, n_parts, parts, pt2_axis(n, "dim", rank)));
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
  pt2_set(n, 0, concat(n, count, parts, axis));
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
  graph_node_t *node = pt2_node(n, "Split", GRAPH_VALUES(self.name, sizes ? sizes : ints(n, n->n_results, known)));
  if (!node)
    return;
  graph_set_int(node, "axis", axis);
  for (int i = 0; i < n->n_results; i++)
    pt2_set(n, i, graph_result(node, NULL));
}

void pt2_import_unbind(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  for (int i = 0; i < n->n_results && !n->has_failed; i++) {
    graph_node_t *node = pt2_node(n, "Gather", GRAPH_VALUES(self.name, graph_int(n->g, i)));
    graph_set_int(node, "axis", axis);
    pt2_set(n, i, graph_result(node, NULL));
  }
}

static const char *slice(pt2_node_t *n, const char *value, int64_t axis, const char *start, const char *end,
                         const char *step) {
  return pt2_op(n, "Slice", GRAPH_VALUES(value, start, end, ints(n, 1, &axis), step));
}

static const char *bound(pt2_node_t *n, const char *name, int64_t otherwise) {
  return pt2_has(n, name) ? pt2_sizes(n, name) : ints(n, 1, &otherwise);
}

void pt2_import_slice(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  pt2_set(n, 0,
          slice(n, self.name, pt2_axis(n, "dim", self.rank), bound(n, "start", 0), bound(n, "end", INT64_MAX),
                pt2_sizes(n, "step")));
}

void pt2_import_narrow(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *start = pt2_sizes(n, "start"), *length = pt2_sizes(n, "length");
  int64_t one = 1;
  pt2_set(n, 0,
          slice(n, self.name, pt2_axis(n, "dim", self.rank), start, pt2_op(n, "Add", GRAPH_VALUES(start, length)),
                ints(n, 1, &one)));
}

void pt2_import_select(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank);
  graph_node_t *node = pt2_node(n, "Gather", GRAPH_VALUES(self.name, pt2_operand(n, "index", STRATA_DTYPE_I64)));
  if (!node)
    return;
  graph_set_int(node, "axis", axis);
  pt2_set(n, 0, graph_result(node, NULL));
}

// The places along |axis| that a slice or select means, of all its indices: a part of 0, 1, 2, ...
static const char *places(pt2_node_t *n, const pt2_value_t *whole, int64_t axis) {
  int64_t zero = 0, one = 1;
  const char *size = pt2_shape(n, whole->name, (int)axis, (int)axis + 1);
  if (n->has_failed)
    return "";
  const char *all = graph_op(n->g, "Range",
                             GRAPH_VALUES(graph_int(n->g, 0), graph_squeeze(n->g, size, 1, &zero), graph_int(n->g, 1)));
  if (pt2_has(n, "index"))
    return graph_op(n->g, "Gather", GRAPH_VALUES(all, pt2_sizes(n, "index")));
  return slice(n, all, 0, bound(n, "start", 0), bound(n, "end", INT64_MAX),
               pt2_has(n, "step") ? pt2_sizes(n, "step") : ints(n, 1, &one));
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
  first_order(whole->rank, order);
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

//===-- Other orders of elements ---------------------------------------------------------------------------------===//

// With both dims behind the others and merged, every (columns + 1)-th element.
void pt2_import_diagonal(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t a = pt2_axis(n, "dim1", self.rank), b = pt2_axis(n, "dim2", self.rank), offset = pt2_int(n, "offset");
  if (self.rank < 2 || a == b || self.sizes[a].number < 0 || self.sizes[b].number < 0)
    pt2_refuse(n, "a diagonal of sizes that vary");
  if (n->has_failed)
    return;
  int64_t rows = self.sizes[a].number, columns = self.sizes[b].number, order[STRATA_TENSOR_MAX_RANK], rest = -1;
  int64_t start = offset < 0 ? -offset * columns : offset, step = columns + 1, last = self.rank - 2;
  int64_t below = offset < 0 ? rows + offset : rows, beside = offset < 0 ? columns : columns - offset;
  int64_t count = below < beside ? below : beside, end = start + (count > 0 ? count : 0) * step;
  for (int i = 0, at = 0; i < self.rank; i++)
    if (i != a && i != b)
      order[at++] = i;
  order[self.rank - 2] = a;
  order[self.rank - 1] = b;
  pt2_value_t moved = {.name = transpose(n, self.name, self.rank, order), .rank = self.rank};
  const char *line = replace_dims(n, &moved, self.rank - 2, self.rank, ints(n, 1, &rest));
  pt2_set(n, 0, slice(n, line, last, ints(n, 1, &start), ints(n, 1, &end), ints(n, 1, &step)));
}

void pt2_import_flip(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count = -1;
  const int64_t *dims = pt2_ints(n, "dims", &count);
  int64_t start = -1, end = INT64_MIN + 1;
  const char *value = self.name;
  for (int i = 0; i < count && !n->has_failed; i++)
    value = slice(n, value, pt2_normal_axis(n, dims[i], self.rank), ints(n, 1, &start), ints(n, 1, &end),
                  ints(n, 1, &start));
  pt2_set(n, 0, value);
}

// The last |shift| rows come in front.
void pt2_import_roll(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count = -1;
  const int64_t *shifts = pt2_ints(n, "shifts", &count), *dims = pt2_ints(n, "dims", &count), zero = 0, one = 1,
                end = INT64_MAX;
  const char *value = self.name;
  if (!pt2_has(n, "dims") || !count)
    pt2_refuse(n, "without dims");
  for (int i = 0; i < count && !n->has_failed; i++) {
    int64_t axis = pt2_normal_axis(n, dims[i], self.rank), size = self.sizes[axis].number;
    int64_t cut = size > 0 ? ((-shifts[i] % size) + size) % size : -shifts[i];
    if (cut == 0)
      continue;
    const char *head = slice(n, value, axis, ints(n, 1, &zero), ints(n, 1, &cut), ints(n, 1, &one));
    const char *tail = slice(n, value, axis, ints(n, 1, &cut), ints(n, 1, &end), ints(n, 1, &one));
    value = concat(n, 2, (const char *[]){tail, head}, axis);
  }
  pt2_set(n, 0, value);
}

void pt2_import_repeat(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  const char *list = pt2_has(n, "repeats") ? "repeats" : "dims", *value = self.name;
  int count;
  const pt2_item_t *items = pt2_items(n, list, &count);
  int more = count - self.rank;
  if (more < 0) {
    pt2_item_t *all = strata_arena_array(n->arena, pt2_item_t, self.rank);
    for (int i = 0; i < self.rank; i++)
      all[i] = i < -more ? (pt2_item_t){.kind = PT2_INT, .integer = 1} : items[i + more];
    items = all;
    count = self.rank;
  }
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  first_order(more > 0 && more < STRATA_TENSOR_MAX_RANK ? more : 0, axes);
  if (more > 0 && !n->has_failed)
    value = graph_unsqueeze(n->g, value, more, axes);
  pt2_set(n, 0, pt2_op(n, "Tile", GRAPH_VALUES(value, pt2_items_value(n, count, items))));
}

// Each row |repeats| times: a new dim behind the axis, which is then merged with it.
void pt2_import_repeat_interleave(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  if (!pt2_has(n, "self") || pt2_is_tensor(n, "repeats") || !pt2_has(n, "dim"))
    pt2_refuse(n, "repeats that are data");
  int64_t axis = pt2_axis(n, "dim", self.rank), next = axis + 1, times[STRATA_TENSOR_MAX_RANK + 1], rest = -1;
  for (int i = 0; i <= self.rank; i++)
    times[i] = i == next ? pt2_int(n, "repeats") : 1;
  if (n->has_failed)
    return;
  const char *wide = graph_unsqueeze(n->g, self.name, 1, &next);
  wide = graph_op(n->g, "Tile", GRAPH_VALUES(wide, graph_ints(n->g, self.rank + 1, times)));
  pt2_value_t tiled = {.name = wide, .rank = self.rank + 1};
  pt2_set(n, 0, replace_dims(n, &tiled, (int)axis, (int)axis + 2, graph_ints(n->g, 1, &rest)));
}

// PyTorch pads from the last dim on, each in front and behind.
void pt2_import_pad(pt2_node_t *n) {
  static const char *const modes[][2] = {{"replicate", "edge"}, {"circular", "wrap"}};
  pt2_value_t self = pt2_tensor(n, "self");
  const char *mode = *n->info->detail ? n->info->detail : pt2_string(n, "mode", "constant");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    mode = strcmp(mode, modes[i][0]) ? mode : modes[i][1];
  int count;
  const pt2_item_t *pads = pt2_items(n, pt2_has(n, "pad") ? "pad" : "padding", &count);
  pt2_item_t all[2 * STRATA_TENSOR_MAX_RANK] = {0};
  for (int i = 0; i < 2 * self.rank; i++)
    all[i].kind = PT2_INT;
  if (count % 2 || count > 2 * self.rank)
    pt2_refuse(n, "%d sizes of padding for %d dims", count, self.rank);
  for (int i = 0; i < count && !n->has_failed; i++)
    all[self.rank - 1 - i / 2 + (i % 2 ? self.rank : 0)] = pads[i];
  const char *sizes = pt2_items_value(n, 2 * self.rank, all), *value = "";
  if (!strcmp(mode, "constant") && !n->has_failed)
    value = pt2_has(n, "value") ? pt2_operand(n, "value", self.dtype) : pt2_number_value(n, self.dtype, 0);
  graph_node_t *node = pt2_node(n, "Pad", GRAPH_VALUES(self.name, sizes, value));
  if (!node)
    return;
  graph_set_string(node, "mode", mode);
  pt2_set(n, 0, graph_result(node, NULL));
}

static void shuffle(pt2_node_t *n, const char *op, const char *factor, const char *mode) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t size = pt2_int(n, factor);
  if (self.rank != 4)
    pt2_refuse(n, "of %d dims, expected 4", self.rank);
  graph_node_t *node = pt2_node(n, op, GRAPH_VALUES(self.name));
  if (!node)
    return;
  graph_set_int(node, "blocksize", size);
  if (mode)
    graph_set_string(node, "mode", mode);
  pt2_set(n, 0, graph_result(node, NULL));
}

void pt2_import_pixel_shuffle(pt2_node_t *n) { shuffle(n, "DepthToSpace", "upscale_factor", "CRD"); }

// [N, C, H r, W r] by way of [N, C, H, r, W, r] and [N, C, r, r, H, W].
void pt2_import_pixel_unshuffle(pt2_node_t *n) {
  static const int64_t order[] = {0, 1, 3, 5, 2, 4};
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t r = pt2_int(n, "downscale_factor");
  if (self.rank != 4 || r < 1 || self.sizes[1].number < 0 || self.sizes[2].number < 0 || self.sizes[3].number < 0)
    pt2_refuse(n, "of an image whose size varies");
  if (n->has_failed)
    return;
  int64_t c = self.sizes[1].number, h = self.sizes[2].number / r, w = self.sizes[3].number / r;
  const char *cut = graph_reshape(n->g, self.name, 6, (int64_t[]){-1, c, h, r, w, r});
  pt2_set(n, 0, graph_reshape(n->g, graph_transpose(n->g, cut, 6, order), 4, (int64_t[]){-1, c * r * r, h, w}));
}

void pt2_import_channel_shuffle(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t groups = pt2_int(n, "groups"), parts[] = {groups, -1}, order[STRATA_TENSOR_MAX_RANK + 1];
  if (self.rank < 3)
    pt2_refuse(n, "of %d dims", self.rank);
  first_order(self.rank + 1, order);
  order[1] = 2;
  order[2] = 1;
  const char *cut = replace_dims(n, &self, 1, 2, ints(n, 2, parts));
  pt2_value_t swapped = {.name = transpose(n, cut, self.rank + 1, order), .rank = self.rank + 1};
  pt2_set(n, 0, replace_dims(n, &swapped, 1, 3, ints(n, 1, &parts[1])));
}

// The windows of an image side by side: along each axis a Gather of all its places in all windows.
void pt2_import_im2col(pt2_node_t *n) {
  static const int64_t order[] = {0, 1, 2, 4, 3, 5};
  pt2_value_t self = pt2_tensor(n, "self");
  int two = 2;
  const int64_t *kernel = pt2_ints(n, "kernel_size", &two), *dilation = pt2_ints(n, "dilation", &two),
                *padding = pt2_ints(n, "padding", &two), *stride = pt2_ints(n, "stride", &two);
  if (self.rank != 4 || (!n->has_failed && (self.sizes[2].number < 0 || self.sizes[3].number < 0)))
    pt2_refuse(n, "of an image whose size varies");
  if (n->has_failed)
    return;
  int64_t pads[] = {0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]};
  const char *value = graph_op(n->g, "Pad", GRAPH_VALUES(self.name, graph_ints(n->g, 8, pads)));
  for (int i = 0; i < 2 && !n->has_failed; i++) {
    int64_t axis = 2 + 2 * i, size = self.sizes[2 + i].number + 2 * padding[i];
    int64_t windows = stride[i] > 0 ? (size - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1 : 0;
    if (windows < 1 || kernel[i] < 1 || windows > INT32_MAX / kernel[i]) {
      pt2_refuse(n, "a window that does not fit");
      return;
    }
    int64_t *places = strata_arena_array(n->arena, int64_t, kernel[i] * windows), shape[] = {kernel[i], windows};
    for (int64_t k = 0; k < kernel[i] * windows; k++)
      places[k] = k / windows * dilation[i] + k % windows * stride[i];
    const char *list = graph_ints(n->g, (int)(kernel[i] * windows), places);
    graph_node_t *node = graph_node(n->g, "Gather", GRAPH_VALUES(value, graph_reshape(n->g, list, 2, shape)));
    graph_set_int(node, "axis", axis);
    value = graph_result(node, NULL);
  }
  const pt2_meta_t *result = pt2_result(n, 0);
  if (!result || result->rank != 3 || result->sizes[1].number < 0)
    pt2_refuse(n, "channels that vary");
  else
    pt2_set(
        n, 0,
        graph_reshape(n->g, graph_transpose(n->g, value, 6, order), 3, (int64_t[]){0, result->sizes[1].number, -1}));
}

void pt2_import_col2im(pt2_node_t *n) {
  static const char *const names[][2] = {{"dilation", "dilations"}, {"stride", "strides"}};
  pt2_value_t self = pt2_tensor(n, "self");
  int two = 2;
  const int64_t *padding = pt2_ints(n, "padding", &two);
  graph_node_t *node =
      pt2_node(n, "Col2Im", GRAPH_VALUES(self.name, pt2_sizes(n, "output_size"), pt2_sizes(n, "kernel_size")));
  if (!node)
    return;
  for (int i = 0; i < 2; i++)
    graph_set_ints(node, names[i][1], 2, pt2_ints(n, names[i][0], &two));
  graph_set_ints(node, "pads", 4, (int64_t[]){padding[0], padding[1], padding[0], padding[1]});
  pt2_set(n, 0, graph_result(node, NULL));
}
