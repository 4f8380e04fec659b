// Operators that work element by element.
#include "dialects/import/onnx/onnx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static strata_op_id_t primitive(const onnx_node_t *n) {
  return (strata_op_id_t)(onnx_is_unsigned(n, 0) ? n->info->unsigned_detail : n->info->detail);
}

// The second operand: before opset 7 an attribute says at which axis of the first it starts.
static MlirValue second_operand(onnx_node_t *n) {
  MlirValue y = onnx_operand(n, 1);
  if (n->opset >= 7 || !onnx_has_attr(n, "axis"))
    return y;
  strata_shape_t x_shape = onnx_operand_shape(n, 0), y_shape = onnx_shape(y);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), x_shape.rank);
  while (y_shape.rank < x_shape.rank - axis)
    y_shape.dims[y_shape.rank++] = onnx_dim(n, 1);
  return onnx_reshape_dims(n, y, y_shape.rank, y_shape.dims);
}

void onnx_import_unary(onnx_node_t *n) {
  onnx_set_like(n, 0, onnx_unary(n, (strata_op_id_t)n->info->detail, onnx_operand(n, 0)), 0);
}

void onnx_import_test(onnx_node_t *n) {
  onnx_set(n, 0, onnx_unary(n, (strata_op_id_t)n->info->detail, onnx_operand(n, 0)));
}

void onnx_import_binary(onnx_node_t *n) {
  onnx_set_like(n, 0, onnx_binary(n, primitive(n), onnx_operand(n, 0), second_operand(n)), 0);
}

void onnx_import_compare(onnx_node_t *n) {
  onnx_set(n, 0, onnx_binary(n, primitive(n), onnx_operand(n, 0), second_operand(n)));
}

// Max, Min, Sum of any number of operands. A sum of 16-bit floats is rounded once.
void onnx_import_variadic(onnx_node_t *n) {
  bool is_long_sum = primitive(n) == STRATA_OP_ADD && n->n_inputs > 2;
  MlirValue first = onnx_operand(n, 0), result = is_long_sum ? onnx_widen(n, first) : first;
  for (int i = 1; i < n->n_inputs; i++)
    result = onnx_binary(n, primitive(n), result, is_long_sum ? onnx_widen(n, onnx_operand(n, i)) : onnx_operand(n, i));
  onnx_set_like(n, 0, is_long_sum ? onnx_round(n, result, onnx_shape(first).type) : result, 0);
}

void onnx_import_mean(onnx_node_t *n) {
  MlirValue first = onnx_operand(n, 0), sum = onnx_widen(n, first);
  for (int i = 1; i < n->n_inputs; i++)
    sum = onnx_binary(n, STRATA_OP_ADD, sum, onnx_widen(n, onnx_operand(n, i)));
  onnx_set(n, 0, onnx_round(n, onnx_with_number(n, STRATA_OP_DIV, sum, n->n_inputs), onnx_shape(first).type));
}

void onnx_import_abs(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_set_like(n, 0, onnx_is_unsigned(n, 0) ? x : onnx_unary(n, STRATA_OP_ABS, x), 0);
}

void onnx_import_sign(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  if (onnx_is_unsigned(n, 0))
    onnx_set_like(n, 0, onnx_with_number(n, STRATA_OP_MIN_U, x, 1), 0);
  else
    onnx_set(n, 0, onnx_composite(n, STRATA_COMPOSITE_SIGN, x));
}

void onnx_import_reciprocal(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_set(n, 0, onnx_binary(n, STRATA_OP_DIV, onnx_number(n, x, 1), x));
}

void onnx_import_is_inf(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  bool negative = onnx_attr_int(n, "detect_negative", 1), positive = onnx_attr_int(n, "detect_positive", 1);
  if (negative && positive)
    onnx_set(n, 0, onnx_unary(n, STRATA_OP_IS_INF, x));
  else if (negative || positive)
    onnx_set(n, 0, onnx_with_number(n, STRATA_OP_EQ, x, negative ? -INFINITY : INFINITY));
  else
    onnx_set(n, 0, onnx_integer(n, onnx_unary(n, STRATA_OP_IS_INF, x), 0));
}

// The result has the type of the base; mixed operands are computed in the one that is a float.
void onnx_import_pow(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), y = second_operand(n);
  strata_type_t x_type = onnx_shape(x).type, y_type = onnx_shape(y).type;
  bool x_float = strata_type_info[x_type].kind == STRATA_TYPE_KIND_FLOAT;
  bool y_float = strata_type_info[y_type].kind == STRATA_TYPE_KIND_FLOAT;
  strata_type_t type = x_float || !y_float ? x_type : y_type;
  MlirValue power = onnx_binary(n, STRATA_OP_POW, onnx_convert(n, x, onnx_is_unsigned(n, 0), type, false),
                                onnx_convert(n, y, onnx_is_unsigned(n, 1), type, false));
  onnx_set_like(n, 0, onnx_convert(n, power, onnx_is_unsigned(n, 0), x_type, onnx_is_unsigned(n, 0)), 0);
}

// fmod has the sign of the dividend, the other form, of integers only, that of the divisor. It is made of primitives
// and not of the composite, so that shape arithmetic folds.
void onnx_import_mod(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), y = onnx_operand(n, 1);
  MlirValue rem = onnx_binary(n, primitive(n), x, y);
  if (onnx_attr_int(n, "fmod", 0) || onnx_is_unsigned(n, 0)) {
    onnx_set_like(n, 0, rem, 0);
    return;
  }
  MlirValue divisor_negative = onnx_with_number(n, STRATA_OP_LT, y, 0);
  MlirValue differs = onnx_binary(n, STRATA_OP_NE, onnx_with_number(n, STRATA_OP_LT, rem, 0), divisor_negative);
  MlirValue adjust = onnx_binary(n, STRATA_OP_AND, onnx_with_number(n, STRATA_OP_NE, rem, 0), differs);
  onnx_set(n, 0, onnx_select(n, adjust, onnx_binary(n, STRATA_OP_ADD, rem, y), rem));
}

void onnx_import_bit_shift(onnx_node_t *n) {
  strata_op_id_t op = onnx_attr_is(n, "direction", "LEFT") ? STRATA_OP_SHL
                      : onnx_is_unsigned(n, 0)             ? STRATA_OP_SHR_U
                                                           : STRATA_OP_SHR;
  onnx_set_like(n, 0, onnx_binary(n, op, onnx_operand(n, 0), onnx_operand(n, 1)), 0);
}

// Bounds are attributes before opset 11 and operands since.
void onnx_import_clip(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  bool is_unsigned = onnx_is_unsigned(n, 0);
  strata_op_id_t max = is_unsigned ? STRATA_OP_MAX_U : STRATA_OP_MAX,
                 min = is_unsigned ? STRATA_OP_MIN_U : STRATA_OP_MIN;
  if (onnx_has(n, 1))
    x = onnx_binary(n, max, x, onnx_operand(n, 1));
  else if (onnx_has_attr(n, "min"))
    x = onnx_with_number(n, max, x, onnx_attr_float(n, "min", 0));
  if (onnx_has(n, 2))
    x = onnx_binary(n, min, x, onnx_operand(n, 2));
  else if (onnx_has_attr(n, "max"))
    x = onnx_with_number(n, min, x, onnx_attr_float(n, "max", 0));
  onnx_set_like(n, 0, x, 0);
}

void onnx_import_where(onnx_node_t *n) {
  onnx_set_like(n, 0, onnx_select(n, onnx_operand(n, 0), onnx_operand(n, 1), onnx_operand(n, 2)), 1);
}

void onnx_import_shrink(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  double lambd = onnx_attr_float(n, "lambd", 0.5), bias = onnx_attr_float(n, "bias", 0);
  MlirValue above = onnx_select(n, onnx_with_number(n, STRATA_OP_GT, x, lambd),
                                onnx_with_number(n, STRATA_OP_SUB, x, bias), onnx_number(n, x, 0));
  onnx_set_like(
      n, 0,
      onnx_select(n, onnx_with_number(n, STRATA_OP_LT, x, -lambd), onnx_with_number(n, STRATA_OP_ADD, x, bias), above),
      0);
}

//===-- Conversions ----------------------------------------------------------------------------------------------===//

// ONNX saturates on the way to 8-bit floats unless told otherwise.
static MlirValue saturate(onnx_node_t *n, MlirValue x, strata_type_t to) {
  const strata_type_info_t *from_info = &strata_type_info[onnx_shape(x).type], *info = &strata_type_info[to];
  if (info->kind != STRATA_TYPE_KIND_FLOAT || info->bits != 8 || !onnx_attr_int(n, "saturate", 1) ||
      from_info->kind != STRATA_TYPE_KIND_FLOAT)
    return x;
  double limit = strata_type_largest(to);
  return onnx_with_number(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, x, -limit), limit);
}

static bool is_rounding(strata_type_t from, strata_type_t to) {
  const strata_type_info_t *a = &strata_type_info[from], *b = &strata_type_info[to];
  return a->kind == STRATA_TYPE_KIND_FLOAT && b->kind == STRATA_TYPE_KIND_FLOAT && a->bits > b->bits;
}

static bool is_truncation(strata_type_t from, strata_type_t to) {
  return strata_type_info[from].kind == STRATA_TYPE_KIND_FLOAT && strata_type_info[to].kind == STRATA_TYPE_KIND_INTEGER;
}

static void cast_to(onnx_node_t *n, strata_type_t type, bool is_unsigned) {
  MlirValue x = saturate(n, onnx_operand(n, 0), type);
  if (onnx_failed(n))
    return;
  strata_type_t from = onnx_shape(x).type;
  MlirValue result = is_rounding(from, type) ? strata_build_rounding(n->b, x, type)
                                             : onnx_convert(n, x, onnx_is_unsigned(n, 0), type, is_unsigned);
  if (is_truncation(from, type))
    result = onnx_as_sizes(n, result);
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = result});
}

void onnx_import_cast(onnx_node_t *n) {
  strata_type_t type;
  bool is_unsigned;
  int64_t to = onnx_attr_int(n, "to", 0);
  if (onnx_element_type(to, &type, &is_unsigned))
    cast_to(n, type, is_unsigned);
  else
    onnx_unsupported(n, "a cast to %s", onnx_data_type_name(to));
}

void onnx_import_cast_like(onnx_node_t *n) { cast_to(n, onnx_operand_shape(n, 1).type, onnx_is_unsigned(n, 1)); }

//===-- Composites -----------------------------------------------------------------------------------------------===//

enum { MAX_ATTRS = 4 };

// The attributes of a composite, from the row's "name=default,..." in the order of its signature.
static int composite_attrs(onnx_node_t *n, strata_attr_value_t *out) {
  int count = 0;
  for (const char *at = n->info->attrs; at && *at && count < MAX_ATTRS; count++) {
    char name[32], *end;
    size_t length = strcspn(at, "=");
    memcpy(name, at, length);
    name[length] = 0;
    out[count].f64 = onnx_attr_float(n, name, strtod(at + length + 1, &end));
    at = *end == ',' ? end + 1 : end;
  }
  return count;
}

void onnx_import_composite(onnx_node_t *n) {
  strata_attr_value_t attrs[MAX_ATTRS] = {{0}};
  MlirValue x = onnx_operand(n, 0);
  int n_attrs = composite_attrs(n, attrs);
  onnx_set(n, 0, strata_build_composite(n->b, (strata_composite_id_t)n->info->detail, 1, &x, n_attrs, attrs));
}

// Shape arithmetic uses it too, so a small constant takes the primitive, which folds.
void onnx_import_relu(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_set(n, 0,
           onnx_is_known(n, x) ? onnx_with_number(n, STRATA_OP_MAX, x, 0)
                               : onnx_composite(n, STRATA_COMPOSITE_RELU, x));
}

void onnx_import_gelu(onnx_node_t *n) {
  bool is_tanh = onnx_attr_is(n, "approximate", "tanh");
  onnx_set(n, 0, onnx_composite(n, is_tanh ? STRATA_COMPOSITE_GELU_TANH : STRATA_COMPOSITE_GELU, onnx_operand(n, 0)));
}

// com.microsoft's, of x + bias where there is one; |detail|: the composite.
void onnx_import_bias_gelu(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_type_t type = onnx_shape(x).type;
  if (onnx_has(n, 1))
    x = onnx_binary(n, STRATA_OP_ADD, onnx_widen(n, x), onnx_widen(n, onnx_operand(n, 1)));
  x = onnx_composite(n, (strata_composite_id_t)n->info->detail, x);
  onnx_set(n, 0, onnx_round(n, x, type));
}

// x * sigmoid(alpha * x)
static MlirValue swish(onnx_node_t *n, MlirValue x, double alpha) {
  if (alpha == 1)
    return onnx_composite(n, STRATA_COMPOSITE_SILU, x);
  MlirValue wide = onnx_widen(n, x);
  MlirValue share = onnx_composite(n, STRATA_COMPOSITE_SIGMOID, onnx_with_number(n, STRATA_OP_MUL, wide, alpha));
  return onnx_round(n, onnx_binary(n, STRATA_OP_MUL, wide, share), onnx_shape(x).type);
}

void onnx_import_swish(onnx_node_t *n) {
  onnx_set(n, 0, swish(n, onnx_operand(n, 0), onnx_attr_float(n, "alpha", n->info->detail ? 1.702 : 1)));
}

// Nothing is broadcast.
void onnx_import_swiglu(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, 0);
  onnx_expect_shape(n, 1, shape.rank, shape.dims);
  if (!onnx_failed(n))
    onnx_set(n, 0,
             onnx_binary(n, STRATA_OP_MUL, swish(n, onnx_operand(n, 0), onnx_attr_float(n, "alpha", 1)),
                         onnx_operand(n, 1)));
}

// Before opset 7 a slope of one dim belongs to the channels.
void onnx_import_prelu(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), slope = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(x), slope_shape = onnx_shape(slope);
  if (n->opset < 7 && slope_shape.rank == 1 && !strata_dim_is(slope_shape.dims[0], 1) && shape.rank > 1)
    slope = onnx_along_axis(n, slope, 1, shape.rank);
  else
    onnx_expect_broadcast(n, 1, shape.rank, shape.dims);
  if (onnx_failed(n))
    return;
  if (onnx_is_unsigned(n, 0))
    onnx_set_like(n, 0, x, 0);
  else
    onnx_set(n, 0, strata_build_composite(n->b, STRATA_COMPOSITE_PRELU, 2, (MlirValue[]){x, slope}, 0, NULL));
}
