// Operators that put elements in other places: diagonals, repetition, padding, images and their windows.
#include "dialects/import/pt2/shape.h"

#include <string.h>

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
  pt2_value_t moved = {.name = pt2_transpose(n, self.name, self.rank, order), .rank = self.rank};
  const char *line = pt2_replace_dims(n, &moved, self.rank - 2, self.rank, pt2_known_ints(n, 1, &rest));
  pt2_set(
      n, 0,
      pt2_slice(n, line, last, pt2_known_ints(n, 1, &start), pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &step)));
}

void pt2_import_flip(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int count = -1;
  const int64_t *dims = pt2_ints(n, "dims", &count);
  int64_t start = -1, end = INT64_MIN + 1;
  const char *value = self.name;
  for (int i = 0; i < count && !n->has_failed; i++)
    value = pt2_slice(n, value, pt2_normal_axis(n, dims[i], self.rank), pt2_known_ints(n, 1, &start),
                      pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &start));
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
    const char *head =
        pt2_slice(n, value, axis, pt2_known_ints(n, 1, &zero), pt2_known_ints(n, 1, &cut), pt2_known_ints(n, 1, &one));
    const char *tail =
        pt2_slice(n, value, axis, pt2_known_ints(n, 1, &cut), pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &one));
    value = pt2_concat(n, 2, (const char *[]){tail, head}, axis);
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
  pt2_first_order(more > 0 && more < STRATA_TENSOR_MAX_RANK ? more : 0, axes);
  if (more > 0 && !n->has_failed)
    value = graph_unsqueeze(n->g, value, more, axes);
  pt2_set(n, 0, pt2_op(n, "Tile", GRAPH_VALUES(value, pt2_items_value(n, count, items))));
}

// Each row |times| times: a new dim behind the axis, which is then merged with it.
static const char *repeat_rows(pt2_node_t *n, const pt2_value_t *self, int64_t axis, int64_t times) {
  int64_t next = axis + 1, tiles[STRATA_TENSOR_MAX_RANK + 1], rest = -1;
  for (int i = 0; i <= self->rank; i++)
    tiles[i] = i == next ? times : 1;
  const char *wide = graph_unsqueeze(n->g, self->name, 1, &next);
  wide = graph_op(n->g, "Tile", GRAPH_VALUES(wide, graph_ints(n->g, self->rank + 1, tiles)));
  pt2_value_t tiled = {.name = wide, .rank = self->rank + 1};
  return pt2_replace_dims(n, &tiled, (int)axis, (int)axis + 2, graph_ints(n->g, 1, &rest));
}

// Without |self|: the places of what would be repeated.
void pt2_import_repeat_interleave(pt2_node_t *n) {
  if (!pt2_has(n, "self")) {
    pt2_set_as(n, 0, pt2_repeated_places(n), STRATA_DTYPE_I64);
    return;
  }
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t rest = -1, axis = pt2_has(n, "dim") ? pt2_axis(n, "dim", self.rank) : 0;
  if (n->has_failed)
    return;
  if (!pt2_has(n, "dim")) {
    self.name = graph_reshape(n->g, self.name, 1, &rest);
    self.rank = 1;
  }
  bool is_known = !pt2_is_tensor(n, "repeats");
  pt2_set(n, 0,
          is_known ? repeat_rows(n, &self, axis, pt2_int(n, "repeats"))
                   : pt2_gather(n, self.name, pt2_repeated_places(n), axis));
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
  pt2_first_order(self.rank + 1, order);
  order[1] = 2;
  order[2] = 1;
  const char *cut = pt2_replace_dims(n, &self, 1, 2, pt2_known_ints(n, 2, parts));
  pt2_value_t swapped = {.name = pt2_transpose(n, cut, self.rank + 1, order), .rank = self.rank + 1};
  pt2_set(n, 0, pt2_replace_dims(n, &swapped, 1, 3, pt2_known_ints(n, 1, &parts[1])));
}

// [windows, size]: the places of the elements of each window.
static const char *window_places(pt2_node_t *n, int64_t windows, int64_t size, int64_t step) {
  int64_t *places = strata_arena_array(n->arena, int64_t, windows * size), shape[] = {windows, size};
  for (int64_t i = 0; i < windows * size; i++)
    places[i] = i / size * step + i % size;
  return graph_reshape(n->g, graph_ints(n->g, (int)(windows * size), places), 2, shape);
}

// The same along a dim whose size varies.
static const char *varying_places(pt2_node_t *n, const pt2_value_t *self, int axis, int64_t size, int64_t step) {
  int64_t one = 1;
  const char *length = pt2_dim(n, self->name, axis);
  const char *last = graph_op(n->g, "Sub", GRAPH_VALUES(length, graph_int(n->g, size - 1)));
  const char *starts = graph_op(n->g, "Range", GRAPH_VALUES(graph_int(n->g, 0), last, graph_int(n->g, step)));
  const char *inside = graph_count_to(n->g, graph_int(n->g, size));
  return graph_op(n->g, "Add", GRAPH_VALUES(graph_unsqueeze(n->g, starts, 1, &one), inside));
}

// Windows along one dim, each as a last dim.
void pt2_import_unfold(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int64_t axis = pt2_axis(n, "dimension", self.rank), size = pt2_int(n, "size"), step = pt2_int(n, "step"),
          order[STRATA_TENSOR_MAX_RANK + 1];
  int64_t length = self.rank && !n->has_failed ? self.sizes[axis].number : -1;
  int64_t windows = size > 0 && step > 0 && length >= size ? (length - size) / step + 1 : 0;
  if (size < 1 || step < 1 || (length >= 0 && windows < 1) || self.rank >= STRATA_TENSOR_MAX_RANK || !self.rank ||
      windows > INT32_MAX / size)
    pt2_refuse(n, "windows that do not fit");
  if (n->has_failed)
    return;
  const char *places =
      length < 0 ? varying_places(n, &self, (int)axis, size, step) : window_places(n, windows, size, step);
  graph_node_t *node = graph_node(n->g, "Gather", GRAPH_VALUES(self.name, places));
  graph_set_int(node, "axis", axis);
  pt2_first_order(self.rank + 1, order);
  for (int i = (int)axis + 1; i < self.rank; i++)
    order[i] = i + 1;
  order[self.rank] = axis + 1;
  pt2_set(n, 0, graph_transpose(n->g, graph_result(node, NULL), self.rank + 1, order));
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
