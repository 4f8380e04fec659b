// Operators that PyTorch composes of others: tensors side by side, grids, diagonals, products over chosen axes.
#include "dialects/import/pt2/shape.h"

#include <string.h>

static const char *number(pt2_node_t *n, int64_t value) { return n->has_failed ? "" : graph_int(n->g, value); }

static const char *unsqueeze(pt2_node_t *n, const char *value, int count, const int64_t *axes) {
  return n->has_failed || !count ? value : graph_unsqueeze(n->g, value, count, axes);
}

// 0, 1, ... as many as dim |dim| of |value| has.
static const char *counting(pt2_node_t *n, const char *value, int dim) {
  int64_t front = 0;
  const char *size = pt2_shape(n, value, dim, dim + 1);
  size = n->has_failed ? "" : graph_squeeze(n->g, size, 1, &front);
  return pt2_op(n, "Range", GRAPH_VALUES(number(n, 0), size, number(n, 1)));
}

//===-- Dims that are missing ------------------------------------------------------------------------------------===//

// With |least| dims: a vector is a row, and a matrix the first two of three.
static const char *at_least(pt2_node_t *n, const char *value, int rank, int least) {
  static const int64_t scalar[] = {0, 1, 2}, row[] = {0, 2}, matrix[] = {2};
  if (rank >= least)
    return value;
  return rank == 0   ? unsqueeze(n, value, least, scalar)
         : rank == 1 ? unsqueeze(n, value, least - 1, row)
                     : unsqueeze(n, value, 1, matrix);
}

void pt2_import_at_least(pt2_node_t *n) {
  int least = n->info->detail[0] - '0', count;
  const pt2_item_t *items = pt2_items(n, pt2_has(n, "self") ? "self" : "tensors", &count);
  for (int i = 0; i < count; i++) {
    pt2_value_t value = pt2_item_tensor(n, &items[i]);
    pt2_set(n, i, at_least(n, value.name, value.rank, least));
  }
}

// Tensors side by side: "columns", or the least number of dims.
void pt2_import_stacked(pt2_node_t *n) {
  const pt2_meta_t *result = pt2_result(n, 0);
  strata_dtype_t dtype = pt2_result_dtype(n);
  bool is_columns = !strcmp(n->info->detail, "columns");
  int count, least = is_columns ? 1 : n->info->detail[0] - '0';
  const pt2_item_t *items = pt2_items(n, "tensors", &count);
  const char **parts = strata_arena_array(n->arena, const char *, count + 1);
  int64_t last = 1, axis = is_columns ? 1 : least == 1 ? (result && result->rank > 1) : least - 1 - (least == 2);
  for (int i = 0; i < count; i++) {
    pt2_value_t part = pt2_item_tensor(n, &items[i]);
    parts[i] = at_least(n, pt2_cast(n, &part, dtype), part.rank, least);
    if (is_columns && part.rank < 2)
      parts[i] = unsqueeze(n, parts[i], 1, &last);
  }
  pt2_set(n, 0, pt2_concat(n, count, parts, axis));
}

// Each block beside zeros.
void pt2_import_block_diag(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int count;
  int64_t before = 0, all = 0;
  const pt2_item_t *items = pt2_items(n, "tensors", &count);
  const char **parts = strata_arena_array(n->arena, const char *, count + 1);
  int64_t *columns = strata_arena_array(n->arena, int64_t, count + 1);
  for (int i = 0; i < count; i++) {
    pt2_value_t part = pt2_item_tensor(n, &items[i]);
    columns[i] = part.rank ? part.sizes[part.rank - 1].number : 1;
    if (columns[i] < 0)
      pt2_refuse(n, "a block whose columns vary");
    all += columns[i];
  }
  for (int i = 0; i < count && !n->has_failed; before += columns[i++]) {
    pt2_value_t part = pt2_item_tensor(n, &items[i]);
    const char *block = at_least(n, pt2_cast(n, &part, dtype), part.rank, 2);
    int64_t pads[] = {0, before, 0, all - before - columns[i]};
    parts[i] = pt2_op(n, "Pad", GRAPH_VALUES(block, pt2_known_ints(n, 4, pads), pt2_number_value(n, dtype, 0)));
  }
  pt2_set(n, 0, pt2_concat(n, count, parts, 0));
}

//===-- Grids ----------------------------------------------------------------------------------------------------===//

// Value i of |count| along dim i of a grid of all of them; |is_xy|: the first two dims are exchanged.
static const char **grid(pt2_node_t *n, int count, const pt2_item_t *items, bool is_xy) {
  const char **values = strata_arena_array(n->arena, const char *, count + 1);
  const char **sizes = strata_arena_array(n->arena, const char *, count + 1);
  int64_t rest = -1;
  for (int i = 0; i < count; i++) {
    int dim = is_xy && i < 2 ? 1 - i : i;
    const char *line = pt2_reshape(n, pt2_item_tensor(n, &items[i]).name, pt2_known_ints(n, 1, &rest));
    int64_t axes[STRATA_TENSOR_MAX_RANK];
    sizes[dim] = pt2_shape(n, line, 0, 1);
    for (int k = 0; k < count - 1; k++)
      axes[k] = k + (k >= dim);
    values[i] = unsqueeze(n, line, count - 1, axes);
  }
  const char *shape = pt2_concat(n, count, sizes, 0);
  for (int i = 0; i < count; i++)
    values[i] = pt2_op(n, "Expand", GRAPH_VALUES(values[i], shape));
  return values;
}

static const pt2_item_t *grid_items(pt2_node_t *n, int *count) {
  const pt2_item_t *items = pt2_items(n, "tensors", count);
  if (*count < 1 || *count > STRATA_TENSOR_MAX_RANK)
    pt2_refuse(n, "a grid of %d dims", *count);
  *count = n->has_failed ? 0 : *count;
  return items;
}

void pt2_import_meshgrid(pt2_node_t *n) {
  int count;
  const pt2_item_t *items = grid_items(n, &count);
  const char **values = grid(n, count, items, count > 1 && !strcmp(pt2_string(n, "indexing", "ij"), "xy"));
  for (int i = 0; i < count; i++)
    pt2_set(n, i, values[i]);
}

void pt2_import_cartesian_prod(pt2_node_t *n) {
  int count;
  int64_t rest = -1, last = 1;
  const pt2_item_t *items = grid_items(n, &count);
  const char **values = grid(n, count, items, false);
  for (int i = 0; i < count; i++) {
    values[i] = pt2_reshape(n, values[i], pt2_known_ints(n, 1, &rest));
    values[i] = count > 1 ? unsqueeze(n, values[i], 1, &last) : values[i];
  }
  if (count)
    pt2_set(n, 0, count > 1 ? pt2_concat(n, count, values, 1) : values[0]);
}

void pt2_import_broadcast_tensors(pt2_node_t *n) {
  int count;
  const pt2_item_t *items = pt2_items(n, "tensors", &count);
  for (int i = 0; i < count; i++) {
    const char *value = pt2_item_tensor(n, &items[i]).name;
    for (int k = 0; k < count; k++) {
      pt2_value_t other = pt2_item_tensor(n, &items[k]);
      if (k != i && other.rank)
        value = pt2_op(n, "Expand", GRAPH_VALUES(value, pt2_shape(n, other.name, 0, other.rank)));
    }
    pt2_set(n, i, value);
  }
}

// Rows of |theta| times the places of the pixels, from -1 to 1: of their centres, or of the outermost ones.
void pt2_import_affine_grid(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t theta = pt2_tensor(n, "theta");
  bool aligns = pt2_bool(n, "align_corners");
  int count, rank;
  const pt2_item_t *size = pt2_items(n, "size", &count);
  const char *lines[3], *parts[4];
  rank = count - 2;
  if (rank != 2 && rank != 3)
    pt2_refuse(n, "a grid of %d dims", rank);
  for (int i = 0; i < rank && !n->has_failed; i++) { // x, the last dim, is the first coordinate
    const char *n_pixels = pt2_item_value(n, &size[count - 1 - i], STRATA_DTYPE_I64), *steps;
    int64_t axes[2], front = 0;
    int dim = rank - 1 - i;
    lines[i] = graph_op(n->g, "Range", GRAPH_VALUES(number(n, 0), n_pixels, number(n, 1)));
    lines[i] = graph_cast(n->g, lines[i], dtype);
    steps = graph_cast(n->g, n_pixels, dtype);
    if (aligns) // one pixel alone is in the middle, at 0, which PyTorch calls so, too
      steps = pt2_op(n, "Sub", GRAPH_VALUES(steps, pt2_number_value(n, dtype, 1)));
    else
      lines[i] = pt2_op(n, "Add", GRAPH_VALUES(lines[i], pt2_number_value(n, dtype, 0.5)));
    if (aligns && size[count - 1 - i].kind == PT2_INT && size[count - 1 - i].integer == 1)
      lines[i] = pt2_op(n, "Mul", GRAPH_VALUES(lines[i], pt2_number_value(n, dtype, 0)));
    else
      lines[i] = pt2_op(
          n, "Sub",
          GRAPH_VALUES(
              pt2_op(n, "Div",
                     GRAPH_VALUES(pt2_op(n, "Mul", GRAPH_VALUES(lines[i], pt2_number_value(n, dtype, 2))), steps)),
              pt2_number_value(n, dtype, 1)));
    for (int k = 0; k < rank - 1; k++)
      axes[k] = k + (k >= dim);
    lines[i] = unsqueeze(n, lines[i], rank - 1, axes);
    parts[dim] = unsqueeze(n, n_pixels, 1, &front);
  }
  const char *shape = pt2_concat(n, n->has_failed ? 0 : rank, parts, 0);
  const char *one = pt2_number_value(n, dtype, 1);
  for (int i = 0; i <= rank && !n->has_failed; i++) {
    int64_t last = rank;
    parts[i] = unsqueeze(n, pt2_op(n, "Expand", GRAPH_VALUES(i < rank ? lines[i] : one, shape)), 1, &last);
  }
  if (n->has_failed)
    return;
  graph_node_t *node = pt2_node(n, "Einsum", GRAPH_VALUES(pt2_concat(n, rank + 1, parts, rank), theta.name));
  if (node)
    graph_set_string(node, "equation", rank == 2 ? "hwk,nck->nhwc" : "dhwk,nck->ndhwc");
  if (node)
    pt2_set(n, 0, graph_result(node, NULL));
}

//===-- Diagonals ------------------------------------------------------------------------------------------------===//

// The last dim as the diagonal of two new ones, |offset| above the main one.
static const char *embed(pt2_node_t *n, const pt2_value_t *self, int64_t offset) {
  int64_t front = 0, back = 1, last = self->rank, pads[2 * STRATA_TENSOR_MAX_RANK] = {0};
  int rank = self->rank + 1;
  const char *index = counting(n, self->name, self->rank - 1);
  const char *is_on = pt2_op(n, "Equal", GRAPH_VALUES(unsqueeze(n, index, 1, &front), unsqueeze(n, index, 1, &back)));
  const char *zero = pt2_number_value(n, self->dtype, 0);
  const char *value = pt2_op(n, "Where", GRAPH_VALUES(is_on, unsqueeze(n, self->name, 1, &last), zero));
  if (!offset)
    return value;
  pads[offset > 0 ? rank - 1 : rank - 2] = offset > 0 ? offset : -offset;
  pads[rank + (offset > 0 ? rank - 2 : rank - 1)] = offset > 0 ? offset : -offset;
  return pt2_op(n, "Pad", GRAPH_VALUES(value, pt2_known_ints(n, 2 * rank, pads), zero));
}

void pt2_import_diag_embed(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t rest = -1, order[STRATA_TENSOR_MAX_RANK], a, b;
  if (!strcmp(n->info->detail, "flat")) {
    self.name = pt2_reshape(n, self.name, pt2_known_ints(n, 1, &rest));
    self.rank = 1;
  }
  if (self.rank < 1 || self.rank + 1 > STRATA_TENSOR_MAX_RANK)
    pt2_refuse(n, "of %d dims", self.rank);
  a = pt2_axis(n, "dim1", self.rank + 1);
  b = pt2_axis(n, "dim2", self.rank + 1);
  if (a == b)
    pt2_refuse(n, "a diagonal of one dim");
  if (n->has_failed)
    return;
  for (int i = 0, next = 0; i <= self.rank; i++)
    order[i] = i == a ? self.rank - 1 : i == b ? self.rank : next++;
  pt2_set(n, 0, pt2_transpose(n, embed(n, &self, pt2_int(n, "offset")), self.rank + 1, order));
}

// A vector's matrix, or a matrix's diagonal.
void pt2_import_diag(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t offset = pt2_int(n, "diagonal");
  if (self.rank == 1) {
    pt2_set(n, 0, embed(n, &self, offset));
    return;
  }
  const pt2_meta_t *result = pt2_result(n, 0);
  if (self.rank != 2 || !result || result->sizes[0].number < 0) {
    pt2_refuse(n, "a diagonal whose length varies");
    return;
  }
  int64_t below = offset < 0 ? -offset : 0, beside = offset > 0 ? offset : 0, last = 1;
  int64_t starts[] = {below, beside}, ends[] = {below + result->sizes[0].number, beside + result->sizes[0].number};
  int64_t axes[] = {0, 1};
  const char *square = pt2_op(
      n, "Slice",
      GRAPH_VALUES(self.name, pt2_known_ints(n, 2, starts), pt2_known_ints(n, 2, ends), pt2_known_ints(n, 2, axes)));
  const char *index = unsqueeze(n, counting(n, square, 0), 1, &last);
  const char *line = pt2_along(n, "GatherElements", GRAPH_VALUES(square, index), 1);
  pt2_set(n, 0, n->has_failed ? "" : graph_squeeze(n->g, line, 1, &last));
}

void pt2_import_trace(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  const char *value = pt2_cast(n, &self, dtype);
  int64_t front = 0, back = 1, axes[] = {0, 1};
  const char *is_on = pt2_op(n, "Equal",
                             GRAPH_VALUES(unsqueeze(n, counting(n, self.name, 0), 1, &back),
                                          unsqueeze(n, counting(n, self.name, 1), 1, &front)));
  value = pt2_op(n, "Where", GRAPH_VALUES(is_on, value, pt2_number_value(n, dtype, 0)));
  graph_node_t *sum = pt2_node(n, "ReduceSum", GRAPH_VALUES(value, pt2_known_ints(n, 2, axes)));
  if (!sum)
    return;
  graph_set_int(sum, "keepdims", 0);
  pt2_set(n, 0, graph_result(sum, NULL));
}

//===-- Turned and shifted ---------------------------------------------------------------------------------------===//

static const char *flipped(pt2_node_t *n, const char *value, int64_t axis) {
  int64_t start = -1, end = INT64_MIN + 1;
  return pt2_slice(n, value, axis, pt2_known_ints(n, 1, &start), pt2_known_ints(n, 1, &end),
                   pt2_known_ints(n, 1, &start));
}

// The row names the axis.
void pt2_import_flip_axis(pt2_node_t *n) {
  pt2_set(n, 0, flipped(n, pt2_tensor(n, "self").name, n->info->detail[0] - '0'));
}

void pt2_import_rot90(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int two = 2;
  const int64_t *dims = pt2_has(n, "dims") ? pt2_ints(n, "dims", &two) : (const int64_t[]){0, 1};
  int64_t times = ((pt2_int(n, "k") % 4) + 4) % 4, order[STRATA_TENSOR_MAX_RANK];
  if (n->has_failed || self.rank < 2)
    return;
  int64_t a = pt2_normal_axis(n, dims[0], self.rank), b = pt2_normal_axis(n, dims[1], self.rank);
  const char *value = self.name;
  if (times == 2 || times == 3)
    value = flipped(n, value, a);
  if (times == 1 || times == 2)
    value = flipped(n, value, b);
  pt2_first_order(self.rank, order);
  order[a] = b;
  order[b] = a;
  pt2_set(n, 0, times % 2 ? pt2_transpose(n, value, self.rank, order) : value);
}

// Each element less the one before, |n| times.
void pt2_import_diff(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dim", self.rank), times = pt2_int(n, "n");
  const char *parts[3], *value;
  int count = 0;
  if (dtype == STRATA_DTYPE_BOOL || times > 64)
    pt2_refuse(n, "of truths, or so many times");
  if (pt2_has(n, "prepend"))
    parts[count++] = pt2_operand(n, "prepend", dtype);
  parts[count++] = pt2_cast(n, &self, dtype);
  if (pt2_has(n, "append"))
    parts[count++] = pt2_operand(n, "append", dtype);
  value = count == 1 ? parts[0] : pt2_concat(n, count, parts, axis);
  for (int64_t i = 0; i < times && !n->has_failed; i++)
    value = pt2_of_neighbours(n, "Sub", value, axis);
  pt2_set(n, 0, value);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static void set_einsum(pt2_node_t *n, const char *self, const char *other, const char *equation) {
  graph_node_t *node = pt2_node(n, "Einsum", GRAPH_VALUES(self, other));
  if (!node)
    return;
  graph_set_string(node, "equation", equation);
  pt2_set(n, 0, graph_result(node, NULL));
}

// Over the dims listed of both.
void pt2_import_tensordot(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  int count = -1;
  const int64_t *a = pt2_ints(n, "dims_self", &count), *b = pt2_ints(n, "dims_other", &count);
  char left[STRATA_TENSOR_MAX_RANK + 1] = "", right[STRATA_TENSOR_MAX_RANK + 1] = "";
  char result[2 * STRATA_TENSOR_MAX_RANK + 1] = "";
  for (int i = 0; i < self.rank; i++)
    left[i] = (char)('a' + i);
  for (int i = 0; i < other.rank; i++)
    right[i] = (char)('A' + i);
  for (int i = 0; i < count && !n->has_failed; i++) {
    int64_t axis = pt2_normal_axis(n, a[i], self.rank);
    right[pt2_normal_axis(n, b[i], other.rank)] = (char)('a' + axis);
  }
  for (int i = 0, at = 0; i < self.rank + other.rank; i++) {
    char letter = i < self.rank ? left[i] : right[i - self.rank];
    if (i < self.rank ? !strchr(right, letter) : letter < 'a')
      result[at++] = letter;
  }
  set_einsum(n, pt2_cast(n, &self, dtype), pt2_cast(n, &other, dtype),
             strata_arena_printf(n->arena, "%s,%s->%s", left, right, result));
}

// Over the last dims.
void pt2_import_inner(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  const char *a = pt2_cast(n, &self, dtype), *b = pt2_cast(n, &other, dtype);
  char left[STRATA_TENSOR_MAX_RANK + 1] = "", right[STRATA_TENSOR_MAX_RANK + 1] = "";
  if (!self.rank || !other.rank) {
    pt2_set(n, 0, pt2_op(n, "Mul", GRAPH_VALUES(a, b)));
    return;
  }
  for (int i = 0; i < self.rank - 1; i++)
    left[i] = (char)('a' + i);
  for (int i = 0; i < other.rank - 1; i++)
    right[i] = (char)('A' + i);
  set_einsum(n, a, b, strata_arena_printf(n->arena, "%sz,%sz->%s%s", left, right, left, right));
}

// Matrices one after another.
void pt2_import_multi_dot(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int count;
  const pt2_item_t *items = pt2_items(n, pt2_has(n, "matrices") ? "matrices" : "tensors", &count);
  const char *value = count ? pt2_item_value(n, &items[0], dtype) : "";
  for (int i = 1; i < count; i++)
    value = pt2_op(n, "MatMul", GRAPH_VALUES(value, pt2_item_value(n, &items[i], dtype)));
  pt2_set(n, 0, value);
}

void pt2_import_matrix_power(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t times = pt2_int(n, "n");
  const char *value = self.name;
  if (times < 1 || times > 64)
    pt2_refuse(n, "the power %lld", (long long)times);
  for (int64_t i = 1; i < times && !n->has_failed; i++)
    value = pt2_op(n, "MatMul", GRAPH_VALUES(value, self.name));
  pt2_set(n, 0, value);
}

// Each element of |self| times all of |other|.
void pt2_import_kron(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  int rank = self.rank;
  int64_t behind[STRATA_TENSOR_MAX_RANK], before[STRATA_TENSOR_MAX_RANK];
  if (other.rank != rank || !rank || 2 * rank > STRATA_TENSOR_MAX_RANK)
    pt2_refuse(n, "of %d and %d dims", rank, other.rank);
  for (int i = 0; i < rank && !n->has_failed; i++) {
    behind[i] = 2 * i + 1;
    before[i] = 2 * i;
  }
  if (n->has_failed)
    return;
  const char *value = pt2_op(n, "Mul",
                             GRAPH_VALUES(unsqueeze(n, pt2_cast(n, &self, dtype), rank, behind),
                                          unsqueeze(n, pt2_cast(n, &other, dtype), rank, before)));
  const char *sizes =
      pt2_op(n, "Mul", GRAPH_VALUES(pt2_shape(n, self.name, 0, rank), pt2_shape(n, other.name, 0, rank)));
  pt2_set(n, 0, pt2_reshape(n, value, sizes));
}

// Along an axis of three: a1 b2 - a2 b1, and so on.
void pt2_import_cross(pt2_node_t *n) {
  static const int64_t next[] = {1, 2, 0}, after[] = {2, 0, 1};
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self"), other = pt2_tensor(n, "other");
  int64_t axis = pt2_has(n, "dim") ? pt2_axis(n, "dim", self.rank) : 0;
  while (!pt2_has(n, "dim") && axis < self.rank - 1 && self.sizes[axis].number != 3)
    axis++;
  if (self.rank != other.rank)
    pt2_refuse(n, "of %d and %d dims", self.rank, other.rank);
  const char *a = pt2_cast(n, &self, dtype), *b = pt2_cast(n, &other, dtype);
  const char *one = pt2_known_ints(n, 3, next), *two = pt2_known_ints(n, 3, after);
  pt2_set(
      n, 0,
      pt2_op(n, "Sub",
             GRAPH_VALUES(pt2_op(n, "Mul", GRAPH_VALUES(pt2_gather(n, a, one, axis), pt2_gather(n, b, two, axis))),
                          pt2_op(n, "Mul", GRAPH_VALUES(pt2_gather(n, a, two, axis), pt2_gather(n, b, one, axis))))));
}

//===-- By index -------------------------------------------------------------------------------------------------===//

// Elements of the flat tensor.
void pt2_import_take(pt2_node_t *n) {
  int64_t rest = -1;
  const char *flat = pt2_reshape(n, pt2_tensor(n, "self").name, pt2_known_ints(n, 1, &rest));
  pt2_set(n, 0, pt2_gather(n, flat, pt2_operand(n, "index", STRATA_DTYPE_I64), 0));
}

void pt2_import_take_along_dim(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self"), indices = pt2_tensor(n, "indices");
  const char *value = self.name, *index = pt2_cast(n, &indices, STRATA_DTYPE_I64);
  int64_t rest = -1, axis = pt2_has(n, "dim") ? pt2_axis(n, "dim", self.rank) : 0;
  if (!pt2_has(n, "dim")) {
    value = pt2_reshape(n, value, pt2_known_ints(n, 1, &rest));
    index = pt2_reshape(n, index, pt2_known_ints(n, 1, &rest));
  }
  for (int i = 0; i < self.rank && pt2_has(n, "dim"); i++)
    if (self.rank != indices.rank || (i != axis && self.sizes[i].number != indices.sizes[i].number))
      pt2_refuse(n, "indices that are stretched");
  pt2_set(n, 0, pt2_along(n, "GatherElements", GRAPH_VALUES(value, index), axis));
}

// Values at the places that max_pool2d found.
void pt2_import_max_unpool(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  pt2_value_t self = pt2_tensor(n, "self"), places = pt2_tensor(n, "indices");
  int count;
  const pt2_item_t *size = pt2_items(n, "output_size", &count);
  int64_t rest = -1;
  if (count < 2 || self.rank < count)
    pt2_refuse(n, "of %d dims", self.rank);
  if (n->has_failed)
    return;
  int start = self.rank - count;
  const char *sizes = pt2_items_value(n, count, size), *flat = pt2_known_ints(n, 1, &rest);
  graph_node_t *product = pt2_node(n, "ReduceProd", GRAPH_VALUES(sizes));
  const char *parts[] = {pt2_shape(n, self.name, 0, start), product ? graph_result(product, NULL) : ""};
  const char *zeros = pt2_op(n, "Expand", GRAPH_VALUES(pt2_number_value(n, dtype, 0), pt2_concat(n, 2, parts, 0)));
  const char *index = pt2_cast(n, &places, STRATA_DTYPE_I64);
  pt2_value_t where = {.name = index, .rank = self.rank};
  pt2_value_t filled = {.name = pt2_along(n, "ScatterElements",
                                          GRAPH_VALUES(zeros, pt2_replace_dims(n, &where, start, self.rank, flat),
                                                       pt2_replace_dims(n, &self, start, self.rank, flat)),
                                          start),
                        .rank = start + 1};
  pt2_set(n, 0, pt2_replace_dims(n, &filled, start, start + 1, sizes));
}
