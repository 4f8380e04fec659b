// Products, convolutions, pooling, interpolation.
#include "dialects/import/pt2/shape.h"

#include <string.h>

//===-- Products -------------------------------------------------------------------------------------------------===//

static const char *scaled(pt2_node_t *n, const char *value, const char *factor, strata_dtype_t dtype) {
  int count;
  const pt2_item_t *item = pt2_items(n, factor, &count);
  return count == 1 && item->kind != PT2_SYMBOL && item->number == 1
             ? value
             : pt2_op(n, "Mul", GRAPH_VALUES(value, pt2_operand(n, factor, dtype)));
}

// beta self + alpha (A B); the row names A and B.
void pt2_import_addmm(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *names = n->info->detail;
  int length = (int)strcspn(names, " ");
  const char *a = pt2_operand(n, strata_arena_printf(n->arena, "%.*s", length, names), dtype),
             *b = pt2_operand(n, names + length + 1, dtype);
  const char *product = scaled(n, pt2_op(n, "MatMul", GRAPH_VALUES(a, b)), "alpha", dtype);
  const char *self = scaled(n, pt2_operand(n, "self", dtype), "beta", dtype);
  pt2_set(n, 0, pt2_op(n, "Add", GRAPH_VALUES(product, self)));
}

void pt2_import_addbmm(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t first = 0;
  const char *product = pt2_formula(n, dtype, "MatMul(batch1, batch2)");
  if (n->has_failed)
    return;
  graph_node_t *sum = graph_node(n->g, "ReduceSum", GRAPH_VALUES(product, graph_ints(n->g, 1, &first)));
  graph_set_int(sum, "keepdims", 0);
  product = scaled(n, graph_result(sum, NULL), "alpha", dtype);
  pt2_set(n, 0, pt2_op(n, "Add", GRAPH_VALUES(product, scaled(n, pt2_operand(n, "self", dtype), "beta", dtype))));
}

void pt2_import_linear(pt2_node_t *n) {
  static const int64_t order[] = {1, 0};
  pt2_value_t input = pt2_tensor(n, "input"), weight = pt2_tensor(n, "weight");
  const char *columns = weight.name;
  if (weight.rank == 2 && !n->has_failed)
    columns = graph_transpose(n->g, columns, 2, order);
  const char *product = pt2_op(n, "MatMul", GRAPH_VALUES(input.name, columns));
  pt2_set(n, 0, pt2_has(n, "bias") ? pt2_op(n, "Add", GRAPH_VALUES(product, pt2_tensor(n, "bias").name)) : product);
}

void pt2_import_outer(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t last = 1;
  const char *rows = pt2_operand(n, "self", dtype), *columns = pt2_operand(n, "vec2", dtype);
  if (!n->has_failed)
    pt2_set(n, 0, graph_op(n->g, "Mul", GRAPH_VALUES(graph_unsqueeze(n->g, rows, 1, &last), columns)));
}

void pt2_import_einsum(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int count;
  const pt2_item_t *items = pt2_items(n, "tensors", &count);
  const char **operands = strata_arena_array(n->arena, const char *, count + 1);
  for (int i = 0; i < count; i++)
    operands[i] = pt2_item_value(n, &items[i], dtype);
  graph_node_t *node = pt2_node(n, "Einsum", count, operands);
  if (!node)
    return;
  graph_set_string(node, "equation", pt2_string(n, "equation", ""));
  pt2_set(n, 0, graph_result(node, NULL));
}

// input1 of each of the matrices, and that with input2.
void pt2_import_bilinear(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  int64_t behind = -2;
  const char *a = pt2_operand(n, "input1", dtype), *b = pt2_operand(n, "input2", dtype),
             *weight = pt2_operand(n, "weight", dtype);
  graph_node_t *node = pt2_node(n, "Einsum", GRAPH_VALUES(a, weight));
  if (!node)
    return;
  graph_set_string(node, "equation", "...i,oij->...oj");
  const char *rows =
      graph_op(n->g, "Mul", GRAPH_VALUES(graph_result(node, NULL), graph_unsqueeze(n->g, b, 1, &behind)));
  graph_node_t *sum = graph_node(n->g, "ReduceSum", GRAPH_VALUES(rows, graph_ints(n->g, 1, &(int64_t){-1})));
  graph_set_int(sum, "keepdims", 0);
  const char *value = graph_result(sum, NULL);
  pt2_set(n, 0, pt2_has(n, "bias") ? pt2_op(n, "Add", GRAPH_VALUES(value, pt2_operand(n, "bias", dtype))) : value);
}

// The product of three, each with dims of 1 put in, summed over some.
void pt2_import_trilinear(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const char *product = NULL;
  for (int i = 1; i <= 3; i++) {
    int count = -1;
    const int64_t *axes = pt2_ints(n, strata_arena_printf(n->arena, "expand%d", i), &count);
    const char *value = pt2_operand(n, strata_arena_printf(n->arena, "i%d", i), dtype);
    if (count > 0 && !n->has_failed)
      value = graph_unsqueeze(n->g, value, count, axes);
    product = product ? pt2_op(n, "Mul", GRAPH_VALUES(product, value)) : value;
  }
  int count = -1;
  const int64_t *axes = pt2_ints(n, "sumdim", &count);
  if (n->has_failed || !count) {
    pt2_set(n, 0, product);
    return;
  }
  graph_node_t *sum = graph_node(n->g, "ReduceSum", GRAPH_VALUES(product, graph_ints(n->g, count, axes)));
  graph_set_int(sum, "keepdims", 0);
  pt2_set(n, 0, graph_result(sum, NULL));
}

//===-- Windows --------------------------------------------------------------------------------------------------===//

// What has no batch gets one of one for the operator.
static const char *with_batch(pt2_node_t *n, const pt2_value_t *input, int spatial) {
  int64_t first = 0;
  if (input->rank != spatial + 1 && input->rank != spatial + 2)
    pt2_refuse(n, "of %d dims, expected %d", input->rank, spatial + 2);
  return n->has_failed || input->rank == spatial + 2 ? input->name : graph_unsqueeze(n->g, input->name, 1, &first);
}

static void set_without_batch(pt2_node_t *n, int i, const pt2_value_t *input, int spatial, const char *value) {
  int64_t first = 0;
  pt2_set(n, i, n->has_failed || input->rank == spatial + 2 ? value : graph_squeeze(n->g, value, 1, &first));
}

static void set_ints(pt2_node_t *n, graph_node_t *node, const char *attribute, const char *argument, int count) {
  if (node)
    graph_set_ints(node, attribute, count, pt2_ints(n, argument, &count));
}

static void set_pads(graph_node_t *node, int spatial, const int64_t *before, const int64_t *behind) {
  int64_t pads[2 * STRATA_TENSOR_MAX_RANK];
  memcpy(pads, before, (size_t)spatial * sizeof *pads);
  memcpy(pads + spatial, behind, (size_t)spatial * sizeof *pads);
  graph_set_ints(node, "pads", 2 * spatial, pads);
}

// Padding as numbers, or "same" and "valid" in words.
static void set_conv_pads(pt2_node_t *n, graph_node_t *node, const pt2_value_t *weight, int spatial) {
  int64_t before[STRATA_TENSOR_MAX_RANK] = {0}, behind[STRATA_TENSOR_MAX_RANK] = {0};
  int count;
  const pt2_item_t *padding = pt2_items(n, "padding", &count);
  bool is_word = count == 1 && padding->kind == PT2_STRING;
  const int64_t *dilation = pt2_ints(n, "dilation", &spatial);
  for (int i = 0; is_word && !strcmp(padding->name, "same") && i < spatial; i++) {
    int64_t total = dilation[i] * (weight->sizes[i + 2].number - 1);
    before[i] = total / 2;
    behind[i] = total - total / 2;
  }
  if (!is_word) {
    memcpy(before, pt2_ints(n, "padding", &spatial), (size_t)spatial * sizeof *before);
    memcpy(behind, before, sizeof before);
  }
  if (!n->has_failed)
    set_pads(node, spatial, before, behind);
}

void pt2_import_convolution(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input"), weight = pt2_tensor(n, "weight");
  int spatial = weight.rank - 2;
  bool is_transposed = *n->info->detail || (pt2_has(n, "transposed") && pt2_bool(n, "transposed"));
  if (spatial < 1)
    pt2_refuse(n, "a weight of %d dims", weight.rank);
  const char *bias = pt2_has(n, "bias") ? pt2_tensor(n, "bias").name : "";
  const char *image = with_batch(n, &input, spatial);
  graph_node_t *node = pt2_node(n, is_transposed ? "ConvTranspose" : "Conv", GRAPH_VALUES(image, weight.name, bias));
  if (!node)
    return;
  set_ints(n, node, "strides", "stride", spatial);
  set_ints(n, node, "dilations", "dilation", spatial);
  set_conv_pads(n, node, &weight, spatial);
  if (is_transposed)
    set_ints(n, node, "output_padding", "output_padding", spatial);
  graph_set_int(node, "group", pt2_int(n, "groups"));
  set_without_batch(n, 0, &input, spatial, graph_result(node, NULL));
}

// 2 of "aten.avg_pool2d"
static int spatial_of(const pt2_node_t *n) {
  const char *digit = strpbrk(n->info->name, "123");
  return digit ? *digit - '0' : 2;
}

static graph_node_t *pool(pt2_node_t *n, const char *op, const pt2_value_t *self, int spatial) {
  graph_node_t *node = pt2_node(n, op, GRAPH_VALUES(with_batch(n, self, spatial)));
  if (!node)
    return NULL;
  int count;
  pt2_items(n, "stride", &count);
  const int64_t *padding = pt2_ints(n, "padding", &spatial);
  set_ints(n, node, "kernel_shape", "kernel_size", spatial);
  set_ints(n, node, "strides", count ? "stride" : "kernel_size", spatial);
  set_pads(node, spatial, padding, padding);
  graph_set_int(node, "ceil_mode", pt2_bool(n, "ceil_mode"));
  return n->has_failed ? NULL : node;
}

void pt2_import_avg_pool(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int spatial = spatial_of(n);
  bool is_divided = pt2_has(n, "divisor_override");
  if (is_divided && pt2_bool(n, "ceil_mode"))
    pt2_refuse(n, "divisor_override with ceil_mode");
  graph_node_t *node = pool(n, "AveragePool", &self, spatial);
  if (!node)
    return;
  graph_set_int(node, "count_include_pad", is_divided || pt2_bool(n, "count_include_pad"));
  const char *value = graph_result(node, NULL);
  if (is_divided) {
    double factor = 1 / pt2_number(n, "divisor_override");
    const int64_t *kernel = pt2_ints(n, "kernel_size", &spatial);
    for (int i = 0; i < spatial; i++)
      factor *= (double)kernel[i];
    value = pt2_op(n, "Mul", GRAPH_VALUES(value, pt2_number_value(n, self.dtype, factor)));
  }
  set_without_batch(n, 0, &self, spatial, value);
}

void pt2_import_max_pool(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  int spatial = spatial_of(n);
  graph_node_t *node = pool(n, "MaxPool", &self, spatial);
  if (!node)
    return;
  set_ints(n, node, "dilations", "dilation", spatial);
  set_without_batch(n, 0, &self, spatial, graph_result(node, NULL));
  if (!pt2_wants(n, 1))
    return;
  int64_t plane = 1; // ONNX counts from the first element of all, PyTorch in each plane
  for (int i = self.rank - spatial; i < self.rank; i++) {
    if (self.sizes[i].number < 0)
      pt2_refuse(n, "indices in an image whose size varies");
    plane *= self.sizes[i].number;
  }
  if (n->has_failed)
    return;
  const char *places = graph_op(n->g, "Mod", GRAPH_VALUES(graph_result(node, NULL), graph_int(n->g, plane)));
  set_without_batch(n, 1, &self, spatial, places);
}

// Along one axis: part i of |parts| is from floor(i size / parts) to ceil((i + 1) size / parts).
static const char *pool_axis(pt2_node_t *n, const char *value, int64_t axis, int64_t size, int64_t parts) {
  const char *op = !strcmp(n->info->detail, "MaxPool") ? "ReduceMax" : "ReduceMean";
  const char **results = strata_arena_array(n->arena, const char *, parts);
  for (int64_t i = 0; i < parts; i++) {
    int64_t start = i * size / parts, end = ((i + 1) * size + parts - 1) / parts;
    const char *part = value;
    if (parts > 1)
      part = graph_op(
          n->g, "Slice",
          GRAPH_VALUES(value, graph_ints(n->g, 1, &start), graph_ints(n->g, 1, &end), graph_ints(n->g, 1, &axis)));
    results[i] = graph_op(n->g, op, GRAPH_VALUES(part, graph_ints(n->g, 1, &axis)));
  }
  graph_node_t *concat = graph_node(n->g, "Concat", (int)parts, results);
  graph_set_int(concat, "axis", axis);
  return graph_result(concat, NULL);
}

// Windows of equal size are a pooling.
static bool pool_evenly(pt2_node_t *n, const pt2_value_t *self, int spatial, const int64_t *parts) {
  int64_t kernel[3];
  for (int i = 0; i < spatial; i++) {
    int64_t size = self->sizes[self->rank - spatial + i].number;
    if (size <= 0 || parts[i] <= 0 || size % parts[i])
      return false;
    kernel[i] = size / parts[i];
  }
  graph_node_t *node = pt2_node(n, n->info->detail, GRAPH_VALUES(with_batch(n, self, spatial)));
  if (!node)
    return true;
  graph_set_ints(node, "kernel_shape", spatial, kernel);
  graph_set_ints(node, "strides", spatial, kernel);
  set_without_batch(n, 0, self, spatial, graph_result(node, NULL));
  return true;
}

static const char *pool_all(pt2_node_t *n, const pt2_value_t *self, int spatial) {
  int64_t axes[3];
  for (int i = 0; i < spatial; i++)
    axes[i] = self->rank - spatial + i;
  const char *op = !strcmp(n->info->detail, "MaxPool") ? "ReduceMax" : "ReduceMean";
  return n->has_failed ? "" : graph_op(n->g, op, GRAPH_VALUES(self->name, graph_ints(n->g, spatial, axes)));
}

void pt2_import_adaptive_pool(pt2_node_t *n) {
  enum { MAX_PARTS = 256 };
  pt2_value_t self = pt2_tensor(n, "self");
  int spatial = spatial_of(n);
  const int64_t *parts = pt2_ints(n, "output_size", &spatial);
  const char *value = self.name;
  bool is_one = true;
  if (pt2_wants(n, 1))
    pt2_refuse(n, "indices");
  for (int i = 0; i < spatial; i++)
    is_one = is_one && parts[i] == 1;
  if (n->has_failed || self.rank < spatial + 1) {
    pt2_refuse(n, "of %d dims", self.rank);
    return;
  }
  if (is_one) {
    pt2_set(n, 0, pool_all(n, &self, spatial));
    return;
  }
  if (pool_evenly(n, &self, spatial, parts))
    return;
  for (int i = 0; i < spatial && !n->has_failed; i++) {
    int axis = self.rank - spatial + i;
    if (parts[i] < 1 || parts[i] > MAX_PARTS || (parts[i] > 1 && self.sizes[axis].number < 0))
      pt2_refuse(n, "%lld parts of a size that varies", (long long)parts[i]);
    else
      value = pool_axis(n, value, axis, self.sizes[axis].number, parts[i]);
  }
  pt2_set(n, 0, value);
}

//===-- Interpolation --------------------------------------------------------------------------------------------===//

// Factors of the spatial dims as PyTorch has been given them; NULL: they follow from the sizes.
static const char *upsample_scales(pt2_node_t *n, int spatial) {
  static const char *const names[] = {"scales_d", "scales_h", "scales_w"};
  int count;
  const pt2_item_t *list = pt2_items(n, "scale_factors", &count);
  strata_tensor_t tensor = {.dtype = STRATA_DTYPE_F32, .rank = 1, .shape = {spatial + 2}};
  float *scales = tensor.data = strata_arena_array(n->arena, float, spatial + 2);
  tensor.size = (size_t)(spatial + 2) * sizeof *scales;
  scales[0] = scales[1] = 1;
  for (int i = 0; i < spatial; i++) {
    const char *name = spatial == 1 ? "scales" : names[3 - spatial + i];
    if (count != spatial && !pt2_has(n, name))
      return NULL;
    scales[i + 2] = (float)(count == spatial ? list[i].number : pt2_number(n, name));
    if (count == spatial && list[i].kind == PT2_SYMBOL)
      pt2_refuse(n, "a factor that varies");
  }
  return n->has_failed ? NULL : graph_constant(n->g, graph_fresh(n->g, n->call->name), &tensor);
}

static const char *upsample_sizes(pt2_node_t *n, const char *value) {
  const char *sizes = pt2_sizes(n, "output_size");
  graph_node_t *concat = pt2_node(n, "Concat", GRAPH_VALUES(pt2_shape(n, value, 0, 2), sizes));
  if (!concat)
    return "";
  graph_set_int(concat, "axis", 0);
  return graph_result(concat, NULL);
}

void pt2_import_upsample(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, pt2_has(n, "input") ? "input" : "self");
  const char *detail = n->info->detail;
  bool is_exact = strstr(detail, "exact"), is_nearest = !strcmp(detail, "nearest"),
       is_antialiased = strstr(detail, "antialias");
  const char *scales = upsample_scales(n, self.rank - 2);
  graph_node_t *node = pt2_node(
      n, "Resize", GRAPH_VALUES(self.name, "", scales ? scales : "", scales ? "" : upsample_sizes(n, self.name)));
  if (!node)
    return;
  bool aligns = pt2_has(n, "align_corners") && pt2_bool(n, "align_corners");
  graph_set_string(node, "mode", strata_arena_printf(n->arena, "%.*s", (int)strcspn(detail, " "), detail));
  graph_set_string(node, "coordinate_transformation_mode",
                   is_nearest ? "asymmetric"
                   : aligns   ? "align_corners"
                              : "half_pixel");
  if (is_nearest)
    graph_set_string(node, "nearest_mode", "floor");
  else if (is_exact) // that of a pixel's centre, the next one where it is between two
    graph_set_string(node, "nearest_mode", "round_prefer_ceil");
  if (!strncmp(detail, "cubic", strlen("cubic")))
    graph_set_float(node, "cubic_coeff_a", is_antialiased ? -0.5 : -0.75);
  if (is_antialiased) {
    graph_set_int(node, "antialias", 1);
    graph_set_int(node, "exclude_outside", 1);
  }
  pt2_set(n, 0, graph_result(node, NULL));
}

void pt2_import_grid_sampler(pt2_node_t *n) {
  static const char *const modes[] = {"linear", "nearest", "cubic"}, *const paddings[] = {"zeros", "border",
                                                                                          "reflection"};
  pt2_value_t input = pt2_tensor(n, "input"), grid = pt2_tensor(n, "grid");
  int64_t mode = pt2_int(n, "interpolation_mode"), padding = pt2_int(n, "padding_mode");
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    pt2_refuse(n, "an unknown mode");
  graph_node_t *node = pt2_node(n, "GridSample", GRAPH_VALUES(input.name, grid.name));
  if (!node)
    return;
  graph_set_string(node, "mode", modes[mode]);
  graph_set_string(node, "padding_mode", paddings[padding]);
  graph_set_int(node, "align_corners", pt2_bool(n, "align_corners"));
  pt2_set(n, 0, graph_result(node, NULL));
}

// Rows up to offs[0] times the first matrix, those up to offs[1] times the second, ...: the experts of a mixture.
void pt2_import_grouped_mm(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  bool is_aten = pt2_has(n, "self");
  const char *names[] = {is_aten ? "self" : "input", is_aten ? "mat2" : "weight"};
  pt2_value_t rows = pt2_tensor(n, names[0]), weight = pt2_tensor(n, names[1]);
  int64_t zero = 0;
  if (rows.rank != 2 || weight.rank != 3 || !pt2_has(n, "offs") || pt2_has(n, "bias"))
    pt2_refuse(n, "of %d and %d dims, or with a bias", rows.rank, weight.rank);
  const char *offsets[] = {pt2_known_ints(n, 1, &zero), pt2_operand(n, "offs", STRATA_DTYPE_I64)};
  pt2_set(n, 0,
          pt2_op(n, "strata.JaggedMatMul",
                 GRAPH_VALUES(pt2_cast(n, &rows, dtype), pt2_cast(n, &weight, dtype), pt2_concat(n, 2, offsets, 0))));
}
