// com.microsoft's operators on quantised values: what they dequantise to is computed, and the result quantised. Sums
// are taken of the integers, where they are exact.
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/window.h"

//===-- Element by element ---------------------------------------------------------------------------------------===//

// a, a_scale, a_zero, b, b_scale, b_zero, c_scale, c_zero; |detail|: the primitive.
void onnx_import_qlinear_binary(onnx_node_t *n) {
  MlirValue a = onnx_dequantized(n, 0, 1, 2), b = onnx_dequantized(n, 3, 4, 5);
  if (!onnx_failed(n))
    onnx_set_quantized(n, onnx_binary(n, (strata_op_id_t)n->info->detail, a, b), 6, 7, 0);
}

// x, x_scale, x_zero, y_scale, y_zero; |detail|: the composite, which may have an alpha.
void onnx_import_qlinear_unary(onnx_node_t *n) {
  MlirValue x = onnx_dequantized(n, 0, 1, 2);
  strata_attr_value_t alpha = {.f64 = onnx_attr_float(n, "alpha", 0.01)};
  bool has_alpha = n->info->detail == STRATA_COMPOSITE_LEAKY_RELU;
  if (!onnx_failed(n))
    onnx_set_quantized(
        n, strata_build_composite(n->b, (strata_composite_id_t)n->info->detail, 1, &x, has_alpha, &alpha), 3, 4, 0);
}

// condition, x, x_scale, x_zero, y, y_scale, y_zero, z_scale, z_zero
void onnx_import_qlinear_where(onnx_node_t *n) {
  MlirValue x = onnx_dequantized(n, 1, 2, 3), y = onnx_dequantized(n, 4, 5, 6);
  if (!onnx_failed(n))
    onnx_set_quantized(n, onnx_select(n, onnx_operand(n, 0), x, y), 7, 8, 1);
}

// y_scale, y_zero, and three operands a part: its values, scale and zero point.
void onnx_import_qlinear_concat(onnx_node_t *n) {
  enum { FIRST = 2, EACH = 3 };
  int count = (n->n_inputs - FIRST) / EACH;
  if ((n->n_inputs - FIRST) % EACH || count < 1)
    onnx_invalid(n, "expected 2 operands and 3 for each part, got %d", n->n_inputs);
  int rank = onnx_operand_shape(n, FIRST).rank, axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), rank);
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, count > 0 ? count : 1);
  for (int i = 0; i < count && !onnx_failed(n); i++) {
    int at = FIRST + EACH * i;
    strata_shape_t shape = onnx_operand_shape(n, at), first = onnx_operand_shape(n, FIRST);
    if (!onnx_failed(n) && (shape.rank != rank || shape.type != STRATA_TYPE_I8))
      onnx_invalid(n, "operand %d ('%s'): expected i8 or u8 of %d dimensions", at, n->proto->input[at], rank);
    for (int k = 0; k < rank && !onnx_failed(n); k++)
      if (k != axis && !onnx_agree(n, shape.dims[k], first.dims[k]))
        onnx_invalid(n, "operand %d ('%s'): dimension %d has size %s, that of operand %d %s", at, n->proto->input[at],
                     k, onnx_dim_text(n, shape.dims[k]), FIRST, onnx_dim_text(n, first.dims[k]));
    parts[i] = onnx_dequantized(n, at, at + 1, at + 2);
  }
  if (!onnx_failed(n))
    onnx_set_quantized(n, strata_build_concat(n->b, count, parts, axis), 0, 1, 1);
}

//===-- Means ----------------------------------------------------------------------------------------------------===//

static MlirValue scaled(onnx_node_t *n, MlirValue x, int scale) {
  return onnx_binary(n, STRATA_OP_MUL, x, onnx_scalar(n, scale, STRATA_TYPE_F32));
}

static MlirValue means(onnx_node_t *n, MlirValue x, const bool *axes, bool keep_dims) {
  strata_dim_t count = onnx_count_along(n, x, axes);
  MlirValue sum = onnx_reduce(n, STRATA_COMBINER_ADD, x, axes, keep_dims);
  return onnx_with_dim(n, STRATA_OP_DIV, onnx_convert(n, sum, false, STRATA_TYPE_F32, false), count);
}

// x, x_scale, x_zero, y_scale, y_zero, as of the other two.
void onnx_import_qlinear_global_average_pool(onnx_node_t *n) {
  MlirValue x = onnx_centered(n, 0, 2, 0);
  int rank = onnx_shape(x).rank, channels = onnx_attr_int(n, "channels_last", 0) ? rank - 1 : 1;
  bool axes[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    axes[i] = i > 0 && i != channels;
  if (!onnx_failed(n) && rank < 3)
    onnx_invalid(n, "operand 0 ('%s'): expected 3 dimensions or more, got %d", n->proto->input[0], rank);
  if (!onnx_failed(n))
    onnx_set_quantized(n, scaled(n, means(n, x, axes, true), 1), 3, 4, 0);
}

void onnx_import_qlinear_reduce_mean(onnx_node_t *n) {
  MlirValue x = onnx_centered(n, 0, 2, 0);
  int64_t count;
  const int64_t *list = onnx_attr_ints(n, "axes", &count);
  bool axes[STRATA_MAX_RANK] = {false};
  onnx_axes(n, list, count, onnx_shape(x).rank, axes);
  if (!onnx_failed(n))
    onnx_set_quantized(n, scaled(n, means(n, x, axes, onnx_attr_int(n, "keepdims", 1)), 1), 3, 4, 0);
}

void onnx_import_qlinear_average_pool(onnx_node_t *n) {
  MlirValue x = onnx_centered(n, 0, 2, 0);
  int last = onnx_shape(x).rank - 1;
  bool channels_last = onnx_attr_int(n, "channels_last", 0);
  if (channels_last && !onnx_failed(n) && last > 1)
    x = onnx_move_axis(n, x, last, 1);
  x = onnx_window_means(n, x);
  if (onnx_failed(n))
    return;
  onnx_set_quantized(n, scaled(n, channels_last ? onnx_move_axis(n, x, 1, last) : x, 1), 3, 4, 0);
}

//===-- Softmax --------------------------------------------------------------------------------------------------===//

// x, x_scale, x_zero, y_scale, y_zero; the attribute 'opset' says which form of Softmax is meant.
void onnx_import_qlinear_softmax(onnx_node_t *n) {
  MlirValue x = onnx_dequantized(n, 0, 1, 2);
  int rank = onnx_shape(x).rank, axis = onnx_axis(n, onnx_attr_int(n, "axis", -1), rank);
  int64_t axes[STRATA_MAX_RANK];
  strata_attr_value_t attr = {.i64s = axes};
  for (int i = axis; i < (onnx_attr_int(n, "opset", 13) < 13 ? rank : axis + 1); i++)
    axes[attr.n_i64s++] = i;
  if (!onnx_failed(n))
    onnx_set_quantized(n, strata_build_composite(n->b, STRATA_COMPOSITE_SOFTMAX, 1, &x, 1, &attr), 3, 4, 0);
}
