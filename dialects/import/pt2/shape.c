// Operators that give elements another shape or order of dims.
#include "dialects/import/pt2/shape.h"

#include <string.h>

//===-- Shapes ---------------------------------------------------------------------------------------------------===//

const char *pt2_reshape(pt2_node_t *n, const char *value, const char *sizes) {
  graph_node_t *node = pt2_node(n, "Reshape", GRAPH_VALUES(value, sizes));
  if (!node)
    return "";
  graph_set_int(node, "allowzero", 1);
  return graph_result(node, NULL);
}

// The same bits as another element type of that size.
static void view_bits(pt2_node_t *n, const pt2_value_t *self) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  if (strata_dtype_info[dtype].bits != strata_dtype_info[self->dtype].bits)
    pt2_refuse(n, "bits as an element type of another size");
  graph_node_t *node = self->dtype == dtype ? NULL : pt2_node(n, "strata.BitCast", GRAPH_VALUES(self->name));
  if (node)
    graph_set_int(node, "to", strata_dtype_info[dtype].onnx_type);
  pt2_set(n, 0, node ? graph_result(node, NULL) : self->name);
}

void pt2_import_view(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  if (pt2_has(n, "dtype")) {
    view_bits(n, &self);
    return;
  }
  pt2_set(n, 0, pt2_reshape(n, self.name, pt2_sizes(n, pt2_has(n, "size") ? "size" : "shape")));
}

void pt2_import_view_as(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  pt2_set(n, 0, pt2_reshape(n, self.name, pt2_shape(n, other.name, 0, other.rank)));
}

const char *pt2_replace_dims(pt2_node_t *n, const pt2_value_t *self, int start, int end, const char *sizes) {
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
  return pt2_reshape(n, self->name, graph_result(shape, NULL));
}

const char *pt2_known_ints(pt2_node_t *n, int count, const int64_t *values) {
  return n->has_failed ? "" : graph_ints(n->g, count, values);
}

void pt2_import_flatten(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t start = pt2_axis(n, "start_dim", self.rank), end = pt2_axis(n, "end_dim", self.rank), rest = -1;
  pt2_set(n, 0,
          self.rank ? pt2_replace_dims(n, &self, (int)start, (int)end + 1, pt2_known_ints(n, 1, &rest))
                    : pt2_reshape(n, self.name, pt2_known_ints(n, 1, &rest)));
}

void pt2_import_unflatten(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int dim = (int)pt2_axis(n, "dim", self.rank);
  pt2_set(n, 0, pt2_replace_dims(n, &self, dim, dim + 1, pt2_sizes(n, "sizes")));
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
  pt2_set(n, 0, n_ones ? pt2_op(n, "Squeeze", GRAPH_VALUES(self.name, pt2_known_ints(n, n_ones, axes))) : self.name);
}

void pt2_import_unsqueeze(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank + 1);
  pt2_set(n, 0, pt2_op(n, "Unsqueeze", GRAPH_VALUES(self.name, pt2_known_ints(n, 1, &axis))));
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

const char *pt2_transpose(pt2_node_t *n, const char *value, int rank, const int64_t *order) {
  return n->has_failed ? "" : graph_transpose(n->g, value, rank, order);
}

void pt2_first_order(int rank, int64_t *order) {
  for (int i = 0; i < rank; i++)
    order[i] = i;
}

static void swap(int64_t *order, int64_t a, int64_t b) {
  int64_t other = order[a];
  order[a] = order[b];
  order[b] = other;
}

void pt2_swapped_order(int rank, int64_t a, int64_t b, int64_t *order) {
  pt2_first_order(rank, order);
  swap(order, a, b);
}

static void given_order(pt2_node_t *n, int rank, int64_t *order) {
  int count = -1;
  const int64_t *dims = pt2_ints(n, "dims", &count);
  if (count != rank)
    pt2_refuse(n, "expected %d dims, got %d", rank, count);
  for (int i = 0; i < count && !n->has_failed; i++)
    order[i] = pt2_normal_axis(n, dims[i], rank);
}

void pt2_permutation(pt2_node_t *n, int rank, int64_t *order) {
  bool is_dim = pt2_has(n, "dim0");
  pt2_first_order(rank, order);
  if (pt2_has(n, "dims"))
    given_order(n, rank, order);
  else if (rank > 1 && (is_dim || pt2_has(n, "axis0")))
    swap(order, pt2_axis(n, is_dim ? "dim0" : "axis0", rank), pt2_axis(n, is_dim ? "dim1" : "axis1", rank));
  else if (!strcmp(n->info->name, "aten.numpy_T"))
    for (int i = 0; i < rank / 2; i++)
      swap(order, i, rank - 1 - i);
  else if (rank > 1)
    swap(order, rank - 2, rank - 1);
}

void pt2_import_permute(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t order[STRATA_TENSOR_MAX_RANK];
  pt2_permutation(n, self.rank, order);
  pt2_set(n, 0, pt2_transpose(n, self.name, self.rank, order));
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
  pt2_set(n, 0, pt2_transpose(n, self.name, self.rank, order));
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

static bool are_numbers(int rank, const pt2_size_t *sizes) {
  for (int i = 0; i < rank; i++)
    if (sizes[i].number < 0)
      return false;
  return true;
}

typedef struct {
  int rank;
  const pt2_size_t *sizes, *strides; // of a result: no strides
} layout_t;

static bool multiply(int64_t *product, int64_t factor) { return !__builtin_mul_overflow(*product, factor, product); }

// As ATen decides it: dims that lie side by side are one run, and each run is cut into dims of the other shape.
static bool fits_strides(layout_t from, layout_t to) {
  int64_t run = 1, taken = 1, step = from.rank ? from.strides[from.rank - 1].number : 1, expected;
  int next = to.rank - 1;
  for (int i = from.rank; i-- > 0;) {
    if (!multiply(&run, from.sizes[i].number) || __builtin_mul_overflow(run, step, &expected))
      return false;
    if (i > 0 && (from.sizes[i - 1].number == 1 || from.strides[i - 1].number == expected))
      continue;
    for (; next >= 0 && (taken < run || to.sizes[next].number == 1); next--)
      if (!multiply(&taken, to.sizes[next].number))
        return false;
    if (taken != run)
      return false;
    step = i > 0 ? from.strides[i - 1].number : 1;
    run = taken = 1;
  }
  return next < 0;
}

static layout_t without_first(layout_t layout) {
  return (layout_t){layout.rank - 1, layout.sizes + 1, layout.strides ? layout.strides + 1 : NULL};
}

static bool have_equal_first(layout_t a, layout_t b) {
  return a.rank && b.rank && a.sizes[0].expression && b.sizes[0].expression &&
         !strcmp(a.sizes[0].expression, b.sizes[0].expression);
}

pt2_sharing_t pt2_reshape_sharing(pt2_node_t *n, int rank, const pt2_size_t *sizes) {
  const pt2_meta_t *meta = pt2_argument_meta(n, "self");
  if (!meta || pt2_is_row_major(n))
    return meta ? PT2_SHARES : PT2_MAY_SHARE;
  layout_t from = {meta->rank, meta->sizes, meta->strides}, to = {rank, sizes, NULL};
  while (have_equal_first(from, to)) { // as a batch that varies
    from = without_first(from);
    to = without_first(to);
  }
  if (!are_numbers(from.rank, from.sizes) || !are_numbers(from.rank, from.strides) || !are_numbers(to.rank, to.sizes))
    return PT2_MAY_SHARE;
  return fits_strides(from, to) ? PT2_SHARES : PT2_COPIES;
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
  pt2_set(n, 0, pt2_reshape(n, self.name, pt2_sizes(n, "size")));
}
