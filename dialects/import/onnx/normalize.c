// Normalisations.
#include "dialects/import/onnx/onnx.h"

#include <string.h>

static MlirValue per_channel(onnx_node_t *n, MlirValue value, MlirValue x) {
  return onnx_along_axis(n, value, 1, onnx_shape(x).rank);
}

// x * scale + bias, both one a channel.
static MlirValue scale_channels(onnx_node_t *n, MlirValue x, MlirValue scale, MlirValue bias) {
  x = onnx_binary(n, STRATA_OP_MUL, x, per_channel(n, scale, x));
  return onnx_binary(n, STRATA_OP_ADD, x, per_channel(n, bias, x));
}

// mean((x - mean(x))²)
static MlirValue variance(onnx_node_t *n, MlirValue x, MlirValue center, const bool *axes, bool keep_dims) {
  MlirValue distance = onnx_binary(n, STRATA_OP_SUB, x, center);
  return onnx_mean(n, strata_build_binary(n->b, STRATA_OP_MUL, distance, distance), axes, keep_dims);
}

//===-- Batch normalisation --------------------------------------------------------------------------------------===//

// Operands of several types meet in f32.
static MlirValue batch_norm(onnx_node_t *n, MlirValue x, MlirValue center, MlirValue spread) {
  enum { COUNT = 5 };
  strata_attr_value_t epsilon = {.f64 = onnx_attr_float(n, "epsilon", 1e-5)};
  MlirValue operands[COUNT] = {x, onnx_operand(n, 1), onnx_operand(n, 2), center, spread};
  strata_type_t type = onnx_shape(x).type;
  bool differ = false;
  for (int i = 1; i < COUNT; i++)
    differ |= onnx_shape(operands[i]).type != type;
  for (int i = 0; differ && i < COUNT; i++)
    operands[i] = onnx_to_float(n, operands[i]);
  MlirValue result = strata_build_composite(n->b, STRATA_COMPOSITE_BATCH_NORM, COUNT, operands, 1, &epsilon);
  return onnx_convert(n, result, false, type, false);
}

// The new running value: what there was, mixed with what the batch has.
static MlirValue mix(onnx_node_t *n, int operand, MlirValue batch) {
  double momentum = onnx_attr_float(n, "momentum", 0.9);
  MlirValue old = onnx_operand(n, operand);
  MlirValue mixed = onnx_binary(n, STRATA_OP_ADD, onnx_with_number(n, STRATA_OP_MUL, onnx_to_float(n, old), momentum),
                                onnx_with_number(n, STRATA_OP_MUL, batch, 1 - momentum));
  return onnx_convert(n, mixed, false, onnx_shape(old).type, false);
}

static void train_batch_norm(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), wide = onnx_widen(n, x);
  bool axes[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    axes[i] = i != 1;
  MlirValue center = onnx_mean(n, wide, axes, false);
  MlirValue spread = variance(n, wide, onnx_mean(n, wide, axes, true), axes, false);
  onnx_set(n, 0, batch_norm(n, x, center, spread));
  onnx_set(n, 1, mix(n, 3, center));
  onnx_set(n, 2, mix(n, 4, spread));
  onnx_set(n, 3, center);
  onnx_set(n, 4, spread);
}

// An attribute says so since opset 14; before, results beyond the first do, whether they are read or not.
static bool is_training(const onnx_node_t *n) {
  bool has_statistics = false;
  for (int i = 1; i < n->n_outputs; i++)
    has_statistics = has_statistics || n->proto->output[i][0];
  if (n->opset >= 14)
    return onnx_attr_int(n, "training_mode", 0);
  return has_statistics && !onnx_attr_int(n, "is_test", 0);
}

void onnx_import_batch_normalization(onnx_node_t *n) {
  if (!onnx_attr_int(n, "spatial", 1))
    onnx_unsupported(n, "statistics of each place (spatial = 0)");
  strata_shape_t shape = onnx_operand_shape(n, 0);
  if (!onnx_failed(n) && shape.rank < 2)
    onnx_invalid(n, "expected 2 dimensions or more");
  for (int i = 1; i < 5 && !onnx_failed(n); i++)
    onnx_expect_shape(n, i, 1, &shape.dims[1]);
  if (onnx_failed(n))
    return;
  if (is_training(n))
    train_batch_norm(n);
  else
    onnx_set(n, 0, batch_norm(n, onnx_operand(n, 0), onnx_operand(n, 3), onnx_operand(n, 4)));
}

//===-- Normalisation over axes ----------------------------------------------------------------------------------===//

static MlirValue normalize(onnx_node_t *n, MlirValue x, const bool *axes, double epsilon) {
  int64_t list[STRATA_MAX_RANK];
  strata_attr_value_t attrs[2] = {{.i64s = list}, {.f64 = epsilon}};
  for (int i = 0; i < onnx_shape(x).rank; i++)
    if (axes[i])
      list[attrs[0].n_i64s++] = i;
  return strata_build_composite(n->b, STRATA_COMPOSITE_NORMALIZE, 1, &x, 2, attrs);
}

void onnx_import_instance_normalization(onnx_node_t *n) {
  MlirValue x = onnx_widen(n, onnx_operand(n, 0));
  strata_type_t type = onnx_operand_shape(n, 0).type;
  bool axes[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    axes[i] = i >= 2;
  strata_shape_t shape = onnx_shape(x);
  if (!onnx_failed(n) && shape.rank < 3)
    onnx_invalid(n, "expected 3 dimensions or more");
  for (int i = 1; i < 3 && !onnx_failed(n); i++)
    onnx_expect_shape(n, i, 1, &shape.dims[1]);
  if (onnx_failed(n))
    return;
  x = scale_channels(n, normalize(n, x, axes, onnx_attr_float(n, "epsilon", 1e-5)),
                     onnx_to_float(n, onnx_operand(n, 1)), onnx_to_float(n, onnx_operand(n, 2)));
  onnx_set(n, 0, onnx_convert(n, x, false, type, false));
}

// Before opset 21 scale and bias are one a group, since then one a channel.
void onnx_import_group_normalization(onnx_node_t *n) {
  MlirValue x = onnx_widen(n, onnx_operand(n, 0)), scale = onnx_to_float(n, onnx_operand(n, 1)),
            bias = onnx_to_float(n, onnx_operand(n, 2));
  strata_shape_t shape = onnx_shape(x), grouped = shape;
  int64_t groups = onnx_attr_int(n, "num_groups", 1), channels = 0;
  bool axes[STRATA_MAX_RANK];
  if (!onnx_failed(n) && (shape.rank < 2 || groups < 1 || !strata_dim_is_constant(shape.dims[1], &channels) ||
                          channels % groups || shape.rank == STRATA_MAX_RANK))
    onnx_invalid(n, "expected channels that %lld groups divide", (long long)groups);
  for (int i = 1; i < 3 && !onnx_failed(n); i++)
    onnx_expect_sizes(n, i, 1, n->opset < 21 ? &groups : &channels);
  if (onnx_failed(n))
    return;
  grouped.rank++;
  grouped.dims[1] = onnx_dim(n, groups);
  grouped.dims[2] = onnx_dim(n, channels / groups);
  memcpy(grouped.dims + 3, shape.dims + 2, (size_t)(shape.rank - 2) * sizeof *shape.dims);
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    axes[i] = i >= 2;
  x = normalize(n, onnx_reshape_dims(n, x, grouped.rank, grouped.dims), axes, onnx_attr_float(n, "epsilon", 1e-5));
  if (n->opset < 21)
    x = scale_channels(n, x, scale, bias);
  x = onnx_reshape_dims(n, x, shape.rank, shape.dims);
  if (n->opset >= 21)
    x = scale_channels(n, x, scale, bias);
  onnx_set(n, 0, onnx_convert(n, x, false, onnx_operand_shape(n, 0).type, false));
}

void onnx_import_mean_variance_normalization(onnx_node_t *n) {
  static const int64_t default_axes[] = {0, 2, 3};
  MlirValue x = onnx_widen(n, onnx_operand(n, 0));
  int64_t count;
  const int64_t *list = onnx_attr_ints(n, "axes", &count);
  bool axes[STRATA_MAX_RANK];
  onnx_axes(n, list ? list : default_axes, list ? count : 3, onnx_shape(x).rank, axes);
  if (onnx_failed(n))
    return;
  MlirValue center = onnx_mean(n, x, axes, true);
  MlirValue deviation = onnx_unary(n, STRATA_OP_SQRT, variance(n, x, center, axes, true));
  x = onnx_binary(n, STRATA_OP_DIV, onnx_binary(n, STRATA_OP_SUB, x, center),
                  onnx_with_number(n, STRATA_OP_ADD, deviation, 1e-9));
  onnx_set(n, 0, onnx_convert(n, x, false, onnx_operand_shape(n, 0).type, false));
}

// x / (bias + alpha / size * sum of the squares of |size| channels around)^beta
void onnx_import_lrn(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int64_t size = onnx_attr_int(n, "size", 1);
  if (!onnx_failed(n) && (onnx_shape(x).rank < 2 || size < 1 || size > INT32_MAX))
    onnx_invalid(n, "expected 2 dimensions or more and a positive size");
  if (onnx_failed(n))
    return;
  int64_t ones[STRATA_MAX_RANK], window[STRATA_MAX_RANK], low[STRATA_MAX_RANK] = {0}, high[STRATA_MAX_RANK] = {0};
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    ones[i] = window[i] = 1;
  window[1] = size;
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  strata_type_t type = onnx_shape(x).type;
  x = onnx_widen(n, x);
  MlirValue square = strata_build_binary(n->b, STRATA_OP_MUL, x, x);
  MlirValue sum = strata_build_window(n->b, STRATA_COMBINER_ADD, square, window, ones, ones, low, high);
  MlirValue base = onnx_with_number(n, STRATA_OP_MUL, sum, onnx_attr_float(n, "alpha", 0.0001) / (double)size);
  base = onnx_with_number(n, STRATA_OP_ADD, base, onnx_attr_float(n, "bias", 1));
  base = onnx_with_number(n, STRATA_OP_POW, base, onnx_attr_float(n, "beta", 0.75));
  onnx_set(n, 0, onnx_convert(n, onnx_binary(n, STRATA_OP_DIV, x, base), false, type, false));
}
