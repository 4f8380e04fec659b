// com.microsoft's products of integers whose results are floats, or quantised again.
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/window.h"

static MlirValue to_float(onnx_node_t *n, MlirValue x) { return onnx_convert(n, x, false, STRATA_TYPE_F32, false); }

static MlirValue with_bias(onnx_node_t *n, MlirValue x, int bias) {
  strata_shape_t shape = onnx_shape(x);
  if (!onnx_has(n, bias) || onnx_failed(n) || shape.rank < 1)
    return x;
  onnx_expect_shape(n, bias, 1, &shape.dims[shape.rank - 1]);
  return onnx_failed(n) ? x : onnx_binary(n, STRATA_OP_ADD, x, to_float(n, onnx_operand(n, bias)));
}

// Operand |b| less its zero point; one number a column, or one.
static MlirValue right_operand(onnx_node_t *n, int b, int zero_point) {
  return onnx_centered(n, b, zero_point, onnx_operand_shape(n, b).rank - 1);
}

// f32 rows, quantised on the way, by integers: x, b, b_scale, b_zero, bias.
void onnx_import_dynamic_quantize_matmul(onnx_node_t *n) {
  onnx_dynamic_t d = onnx_quantize_dynamically(n, onnx_operand(n, 0));
  MlirValue b = right_operand(n, 1, 3);
  if (onnx_failed(n))
    return;
  MlirValue x = onnx_convert(n, d.x, true, STRATA_TYPE_I32, false);
  x = onnx_binary(n, STRATA_OP_SUB, x, onnx_convert(n, d.zero, false, STRATA_TYPE_I32, false));
  MlirValue sum = to_float(n, onnx_matmul(n, x, b, STRATA_TYPE_I32));
  if (onnx_failed(n))
    return;
  sum = onnx_binary(n, STRATA_OP_MUL, sum, d.scale);
  sum = onnx_binary(n, STRATA_OP_MUL, sum, onnx_lined_scale(n, 2, sum, onnx_shape(sum).rank - 1));
  onnx_set(n, 0, with_bias(n, sum, 4));
}

// a, b, a_scale, b_scale, a_zero, b_zero, bias.
void onnx_import_matmul_integer_to_float(onnx_node_t *n) {
  strata_type_t type = onnx_operand_shape(n, 2).type;
  MlirValue factor = onnx_scalar(n, 2, STRATA_TYPE_F32), a = onnx_centered(n, 0, 4, 0), b = right_operand(n, 1, 5);
  if (onnx_has(n, 4))
    onnx_scalar(n, 4, STRATA_TYPE_F32); // one number, too
  if (onnx_failed(n))
    return;
  MlirValue sum = to_float(n, onnx_matmul(n, a, b, STRATA_TYPE_I32));
  if (onnx_failed(n))
    return;
  sum = onnx_binary(n, STRATA_OP_MUL, sum, factor);
  sum = onnx_binary(n, STRATA_OP_MUL, sum, onnx_lined_scale(n, 3, sum, onnx_shape(sum).rank - 1));
  onnx_set(n, 0, onnx_convert(n, with_bias(n, sum, 6), false, type, false));
}

// a, a_scale, a_zero, b, b_scale, b_zero, c, y_scale, y_zero. |c| is in units of the product.
void onnx_import_qgemm(onnx_node_t *n) {
  enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, C, Y_SCALE, Y_ZERO };
  static const char *const letters[2][2] = {{"mk,kn->mn", "mk,nk->mn"}, {"km,kn->mn", "km,nk->mn"}};
  bool trans_a = onnx_attr_int(n, "transA", 0), trans_b = onnx_attr_int(n, "transB", 0);
  if (onnx_operand_shape(n, A).rank != 2 || onnx_operand_shape(n, B).rank != 2)
    onnx_invalid(n, "expected two matrices");
  if (onnx_has(n, Y_SCALE) != onnx_has(n, Y_ZERO))
    onnx_invalid(n, "expected scale and zero point of the result, or neither");
  MlirValue a = onnx_centered(n, A, A_ZERO, 0), b = onnx_centered(n, B, B_ZERO, trans_b ? 0 : 1);
  MlirValue factor = onnx_scalar(n, A_SCALE, STRATA_TYPE_F32);
  if (onnx_failed(n))
    return;
  MlirValue sum = onnx_contract(n, letters[trans_a][trans_b], a, b, STRATA_TYPE_I32, "matmul");
  strata_shape_t shape = onnx_shape(sum);
  onnx_expect_broadcast(n, C, shape.rank, shape.dims);
  if (onnx_failed(n))
    return;
  if (onnx_has(n, C))
    sum = onnx_binary(n, STRATA_OP_ADD, sum, onnx_operand(n, C));
  factor = onnx_with_number(n, STRATA_OP_MUL, factor, onnx_attr_float(n, "alpha", 1));
  MlirValue scale = onnx_binary(n, STRATA_OP_MUL, factor, onnx_lined_scale(n, B_SCALE, sum, 1));
  MlirValue result = onnx_binary(n, STRATA_OP_MUL, to_float(n, sum), scale);
  if (onnx_has(n, Y_SCALE))
    onnx_set_quantized(n, result, Y_SCALE, Y_ZERO, Y_ZERO);
  else
    onnx_set(n, 0, result);
}
