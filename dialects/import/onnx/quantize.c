// Quantisation, as its arithmetic.
#include "dialects/import/onnx/quantize.h"
#include "dialects/integers.h"

// A scale or zero point lined up with |x|: one for all, one for each place along |axis|, or one a block of |block|
// places.
static MlirValue line_up(onnx_node_t *n, MlirValue value, MlirValue x, int axis, int64_t block) {
  if (block > 0 && onnx_shape(value).rank == onnx_shape(x).rank && axis < onnx_shape(x).rank) {
    onnx_shape_t shape = onnx_sizes(n, x), own = onnx_sizes(n, value);
    own.dims[axis] = strata_times(own.dims[axis], block);
    onnx_shape_t wide = onnx_sizes(n, onnx_insert_axis(n, value, axis + 1));
    wide.dims[axis + 1] = block;
    value = onnx_broadcast_to(n, onnx_insert_axis(n, value, axis + 1), wide.rank, wide.dims);
    value = onnx_reshape(n, value, own.rank, own.dims);
    return shape.dims[axis] < own.dims[axis] ? onnx_slice_axis(n, value, axis, 0, 1, shape.dims[axis]) : value;
  }
  strata_shape_t own = onnx_shape(value);
  if (own.rank == 1 && strata_dim_is(own.dims[0], 1))
    return onnx_reshape(n, value, 0, NULL);
  return own.rank == 1 ? onnx_along_axis(n, value, axis, onnx_shape(x).rank) : value;
}

// The axis that scales of one dim belong to; it is checked only where there are any.
static int scale_axis(onnx_node_t *n, MlirValue x, MlirValue scale) {
  strata_shape_t shape = onnx_shape(scale);
  bool per_axis = shape.rank > 1 || (shape.rank == 1 && !strata_dim_is(shape.dims[0], 1));
  return per_axis ? onnx_axis(n, onnx_attr_int(n, "axis", 1), onnx_shape(x).rank) : 0;
}

// The exact integers that a type of |bits| bits holds go into f32 up to 24 bits; only i32 needs more.
static strata_type_t zero_point_type(strata_type_t type, strata_type_t scale) {
  return strata_type_info[type].bits > 16 ? STRATA_TYPE_F64
         : scale == STRATA_TYPE_F64       ? STRATA_TYPE_F64
                                          : STRATA_TYPE_F32;
}

// A scale or zero point, operand |i|, must be one for all of |x|, one for each place along |axis|, or one a block.
static void check_scale(onnx_node_t *n, int i, MlirValue x, int axis, int64_t block) {
  if (!onnx_has(n, i) || onnx_failed(n))
    return;
  strata_shape_t shape = onnx_shape(x), own = onnx_operand_shape(n, i);
  if (block > 0 && own.rank == shape.rank && axis < shape.rank) {
    shape.dims[axis] = strata_dim_floordiv(strata_dim_plus(shape.dims[axis], block - 1), block);
    onnx_expect_shape(n, i, shape.rank, shape.dims);
  } else if (own.rank == 1 && !strata_dim_is(own.dims[0], 1) && axis < shape.rank) {
    onnx_expect_shape(n, i, 1, &shape.dims[axis]);
  } else if (own.rank > 1) {
    onnx_expect_shape(n, i, 0, NULL);
  }
}

void onnx_import_dequantize_linear(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), scale = onnx_operand(n, 1);
  strata_type_t from = onnx_shape(x).type, to = onnx_shape(scale).type, result = to;
  bool is_float = strata_type_info[from].kind == STRATA_TYPE_KIND_FLOAT;
  int64_t block = onnx_attr_int(n, "block_size", 0);
  int64_t dtype = onnx_attr_int(n, "output_dtype", 0);
  bool is_unsigned = false;
  int axis = scale_axis(n, x, scale);
  check_scale(n, 1, x, axis, block);
  check_scale(n, 2, x, axis, block);
  if (dtype &&
      (!onnx_element_type(dtype, &result, &is_unsigned) || strata_type_info[result].kind != STRATA_TYPE_KIND_FLOAT))
    onnx_unsupported(n, "elements of type %s", onnx_data_type_name(dtype));
  if (onnx_failed(n))
    return;
  strata_type_t wide = zero_point_type(from, to);
  x = onnx_convert(n, x, onnx_is_unsigned(n, 0), wide, false);
  if (onnx_has(n, 2) && !is_float) { // no factor is distributed over this difference (lowering/strata_to_affine/body.c)
    MlirValue zero = onnx_convert(n, onnx_operand(n, 2), onnx_is_unsigned(n, 2), wide, false);
    x = onnx_binary(n, STRATA_OP_SUB, x, line_up(n, zero, x, axis, block));
  }
  scale = line_up(n, onnx_convert(n, scale, false, wide, false), x, axis, block);
  onnx_set(n, 0, onnx_convert(n, onnx_binary(n, STRATA_OP_MUL, x, scale), false, result, false));
}

MlirValue onnx_quantized(onnx_node_t *n, MlirValue scaled, MlirValue zero, strata_type_t type, bool is_unsigned) {
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT) {
    double limit = strata_type_largest(type);
    scaled = onnx_with_number(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, scaled, -limit), limit);
    return strata_build_rounding(n->b, scaled, type); // what is asked for is that it rounds
  }
  MlirValue rounded = onnx_unary(n, STRATA_OP_ROUND_EVEN, scaled);
  if (!mlirValueIsNull(zero))
    rounded = onnx_binary(n, STRATA_OP_ADD, rounded, zero);
  return onnx_convert(n, rounded, false, type, is_unsigned);
}

void onnx_import_quantize_linear(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), scale = onnx_operand(n, 1), zero = {0};
  strata_type_t type = STRATA_TYPE_I8, wide = onnx_shape(x).type == STRATA_TYPE_F64 ? STRATA_TYPE_F64 : STRATA_TYPE_F32;
  bool is_unsigned = true;
  int64_t block = onnx_attr_int(n, "block_size", 0), dtype = onnx_attr_int(n, "output_dtype", 0);
  int axis = scale_axis(n, x, scale);
  check_scale(n, 1, x, axis, block);
  check_scale(n, 2, x, axis, block);
  int64_t precision = onnx_attr_int(n, "precision", 0);
  if (precision > 1)
    onnx_unsupported(n, "a division in another type than f32 (precision = %s)", onnx_data_type_name(precision));
  if (dtype && !onnx_element_type(dtype, &type, &is_unsigned))
    onnx_unsupported(n, "elements of type %s", onnx_data_type_name(dtype));
  if (onnx_failed(n))
    return;
  x = onnx_convert(n, x, false, wide, false);
  if (onnx_has(n, 2)) {
    type = onnx_operand_shape(n, 2).type;
    is_unsigned = onnx_is_unsigned(n, 2);
    zero = line_up(n, onnx_convert(n, onnx_operand(n, 2), is_unsigned, wide, false), x, axis, block);
  }
  scale = line_up(n, onnx_convert(n, scale, false, wide, false), x, axis, block);
  MlirValue result = onnx_quantized(n, onnx_binary(n, STRATA_OP_DIV, x, scale), zero, type, is_unsigned);
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = result});
}

onnx_dynamic_t onnx_quantize_dynamically(onnx_node_t *n, MlirValue x) {
  bool all[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    all[i] = true;
  MlirValue greatest = onnx_with_number(n, STRATA_OP_MAX, onnx_reduce(n, STRATA_COMBINER_MAX, x, all, false), 0);
  MlirValue least = onnx_with_number(n, STRATA_OP_MIN, onnx_reduce(n, STRATA_COMBINER_MIN, x, all, false), 0);
  MlirValue scale = onnx_with_number(n, STRATA_OP_DIV, onnx_binary(n, STRATA_OP_SUB, greatest, least), 255);
  MlirValue zero = onnx_unary(n, STRATA_OP_NEG, onnx_binary(n, STRATA_OP_DIV, least, scale));
  zero = onnx_with_number(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, zero, 0), 255);
  zero = onnx_unary(n, STRATA_OP_ROUND_EVEN, zero);
  MlirValue result = onnx_quantized(n, onnx_binary(n, STRATA_OP_DIV, x, scale), zero, STRATA_TYPE_I8, true);
  return (onnx_dynamic_t){.x = result, .scale = scale, .zero = zero};
}

void onnx_import_dynamic_quantize_linear(onnx_node_t *n) {
  onnx_dynamic_t d = onnx_quantize_dynamically(n, onnx_operand(n, 0));
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = true, .tensor = d.x});
  onnx_set(n, 1, d.scale);
  MlirValue point = onnx_convert(n, d.zero, false, STRATA_TYPE_I8, true);
  onnx_set_value(n, 2, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = true, .tensor = point});
}

//===-- For operators on quantised values ------------------------------------------------------------------------===//

MlirValue onnx_scalar(onnx_node_t *n, int i, strata_type_t type) {
  strata_shape_t shape = onnx_operand_shape(n, i);
  for (int k = 0; k < shape.rank && !onnx_failed(n); k++)
    if (!onnx_agree(n, shape.dims[k], onnx_dim(n, 1)))
      onnx_invalid(n, "operand %d ('%s'): expected one number, got %s in dimension %d", i, n->proto->input[i],
                   onnx_dim_text(n, shape.dims[k]), k);
  MlirValue x = onnx_convert(n, onnx_operand(n, i), onnx_is_unsigned(n, i), type, false);
  return onnx_failed(n) ? x : onnx_reshape(n, x, 0, NULL);
}

MlirValue onnx_dequantized(onnx_node_t *n, int x, int scale, int zero_point) {
  MlirValue value = onnx_convert(n, onnx_operand(n, x), onnx_is_unsigned(n, x), STRATA_TYPE_F32, false);
  if (onnx_has(n, zero_point))
    value = onnx_binary(n, STRATA_OP_SUB, value, onnx_scalar(n, zero_point, STRATA_TYPE_F32));
  return onnx_binary(n, STRATA_OP_MUL, value, onnx_scalar(n, scale, STRATA_TYPE_F32));
}

void onnx_set_quantized(onnx_node_t *n, MlirValue x, int scale, int zero_point, int like) {
  strata_type_t type = onnx_operand_shape(n, like).type;
  bool is_unsigned = onnx_is_unsigned(n, like);
  MlirValue zero = onnx_has(n, zero_point) ? onnx_scalar(n, zero_point, STRATA_TYPE_F32) : (MlirValue){0};
  MlirValue scaled = onnx_binary(n, STRATA_OP_DIV, x, onnx_scalar(n, scale, STRATA_TYPE_F32));
  if (onnx_failed(n))
    return;
  MlirValue result = onnx_quantized(n, scaled, zero, type, is_unsigned);
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = result});
}

MlirValue onnx_centered(onnx_node_t *n, int operand, int zero_point, int axis) {
  MlirValue x = onnx_convert(n, onnx_operand(n, operand), onnx_is_unsigned(n, operand), STRATA_TYPE_I32, false);
  if (!onnx_has(n, zero_point))
    return x;
  if (onnx_operand_shape(n, zero_point).rank < 2)
    check_scale(n, zero_point, x, axis, 0);
  else
    onnx_expect_broadcast(n, zero_point, onnx_shape(x).rank, onnx_shape(x).dims);
  MlirValue zero =
      onnx_convert(n, onnx_operand(n, zero_point), onnx_is_unsigned(n, zero_point), STRATA_TYPE_I32, false);
  return onnx_binary(n, STRATA_OP_SUB, x, line_up(n, zero, x, axis, 0));
}

// Operand |i|, a scale of any float type, as f32.
static MlirValue scale_operand(onnx_node_t *n, int i) {
  return onnx_convert(n, onnx_operand(n, i), false, STRATA_TYPE_F32, false);
}

MlirValue onnx_lined_scale(onnx_node_t *n, int i, MlirValue x, int axis) {
  check_scale(n, i, x, axis, 0);
  return onnx_failed(n) ? (MlirValue){0} : line_up(n, scale_operand(n, i), x, axis, 0);
}

void onnx_requantize(onnx_node_t *n, MlirValue sum, int axis) {
  MlirValue scaled = onnx_convert(n, sum, false, STRATA_TYPE_F32, false);
  MlirValue scale = onnx_binary(n, STRATA_OP_DIV, line_up(n, scale_operand(n, 4), scaled, axis, 0),
                                line_up(n, scale_operand(n, 6), scaled, axis, 0));
  // The left operand's scale may be one a row of a matrix.
  scale = onnx_binary(n, STRATA_OP_MUL, line_up(n, scale_operand(n, 1), scaled, axis > 0 ? axis - 1 : 0, 0), scale);
  strata_type_t type = onnx_operand_shape(n, 7).type;
  bool is_unsigned = onnx_is_unsigned(n, 7);
  MlirValue zero = onnx_convert(n, onnx_operand(n, 7), is_unsigned, STRATA_TYPE_F32, false);
  MlirValue result = onnx_quantized(n, onnx_binary(n, STRATA_OP_MUL, scaled, scale), line_up(n, zero, scaled, axis, 0),
                                    type, is_unsigned);
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = result});
}
