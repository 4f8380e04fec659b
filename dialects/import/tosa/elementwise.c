// Operations of TOSA that work element by element or along an axis.
#include "dialects/import/tosa/tosa.h"

#include <math.h>

typedef struct {
  char text[64];
} word_t;

static void append_text(MlirStringRef part, void *user) {
  word_t *w = user;
  size_t used = strlen(w->text), room = sizeof w->text - 1 - used, count = part.length < room ? part.length : room;
  memcpy(w->text + used, part.data, count);
  w->text[used + count] = 0;
}

bool tosa_says(const tir_op_t *o, const char *attr, const char *word) {
  MlirAttribute value = strata_attr(o->op, attr);
  word_t w = {""};
  if (!mlirAttributeIsNull(value))
    mlirAttributePrint(value, append_text, &w);
  return strstr(w.text, word) != NULL;
}

bool tosa_is_float(strata_dtype_t dtype) {
  return dtype != STRATA_DTYPE_NONE && strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_FLOAT;
}

bool tosa_is_integer(strata_dtype_t dtype) {
  return dtype != STRATA_DTYPE_NONE && dtype != STRATA_DTYPE_BOOL && !tosa_is_float(dtype);
}

// Whether NaNs lose against numbers, which only some elements can be.
static bool ignores_nan(tir_op_t *o) {
  return tosa_says(o, "nan_mode", "IGNORE") && tosa_is_float(tir_in_type(o, 0).dtype);
}

void tosa_read_extreme(tir_op_t *o) {
  const char *a = tir_in(o, 0), *b = tir_in(o, 1), *extreme = tir_binary(o, o->info->op, a, b);
  if (ignores_nan(o)) {
    extreme = tir_select(o, tir_unary(o, "IsNaN", b), a, extreme);
    extreme = tir_select(o, tir_unary(o, "IsNaN", a), b, extreme);
  }
  tir_set(o, 0, extreme);
}

// A bound of clamp, a scalar of the operand's type; NULL where it is missing.
static const char *bound(tir_op_t *o, const char *name, strata_dtype_t dtype) {
  MlirAttribute attr = strata_attr(o->op, name);
  tir_type_t type = {.dtype = dtype};
  return mlirAttributeIsNull(attr) ? NULL : tir_constant_value(o, attr, &type);
}

void tosa_read_clamp(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  const char *x = tir_in(o, 0), *low = bound(o, "min_val", dtype), *high = bound(o, "max_val", dtype);
  if (!low || !high) {
    tir_refuse(o, "expected numbers min_val and max_val");
    return;
  }
  const char *clamped = tir_binary(o, "Min", tir_binary(o, "Max", x, low), high);
  tir_set(o, 0, ignores_nan(o) ? tir_select(o, tir_unary(o, "IsNaN", x), low, clamped) : clamped);
}

void tosa_read_select(tir_op_t *o) { tir_set(o, 0, tir_select(o, tir_in(o, 0), tir_in(o, 1), tir_in(o, 2))); }

// x >> s, and, if it is to be rounded, the last bit that is lost.
void tosa_read_arithmetic_right_shift(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  const char *x = tir_in(o, 0), *shift = tir_in(o, 1), *one = tir_number(o, dtype, 1), *zero = tir_number(o, dtype, 0);
  const char *result = tir_binary(o, "strata.ShiftRight", x, shift);
  if (strata_attr_flag(o->op, "round")) {
    const char *before = tir_binary(o, "Max", tir_binary(o, "Sub", shift, one), zero);
    const char *lost = tir_binary(o, "BitwiseAnd", tir_binary(o, "strata.ShiftRight", x, before), one);
    lost = tir_select(o, tir_binary(o, "Greater", shift, zero), lost, zero);
    result = tir_binary(o, "Add", result, lost);
  }
  tir_set(o, 0, result);
}

// Of integers i32 at last, of the product of i32 shifted to the right and rounded.
void tosa_read_mul(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  if (!tosa_is_integer(dtype)) {
    tir_set(o, 0, tir_binary(o, "Mul", tir_in(o, 0), tir_in(o, 1)));
    return;
  }
  const char *shift = tosa_zero_point(o, 2), *one = graph_int(o->g, 1);
  strata_dtype_t wide = shift ? STRATA_DTYPE_I64 : to;
  const char *product = tir_binary(o, "Mul", tir_cast(o, tir_in(o, 0), wide), tir_cast(o, tir_in(o, 1), wide));
  if (shift) {
    shift = tir_cast(o, shift, STRATA_DTYPE_I64);
    const char *is_shifted = tir_binary(o, "Greater", shift, graph_int(o->g, 0));
    const char *before = tir_binary(o, "Max", tir_binary(o, "Sub", shift, one), graph_int(o->g, 0));
    graph_node_t *half = graph_node(o->g, "BitShift", GRAPH_VALUES(one, before));
    graph_set_string(half, "direction", "LEFT");
    const char *rounded = tir_binary(o, "Add", product, graph_result(half, NULL));
    product = tir_select(o, is_shifted, tir_binary(o, "strata.ShiftRight", rounded, shift), product);
    product = tir_cast(o, product, to);
  }
  tir_set(o, 0, product);
}

// -(x - its zero point) + that of the result, in the range of the type.
void tosa_read_negate(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (!tosa_is_integer(dtype) || strata_dtype_info[dtype].bits > 16) {
    tir_set(o, 0, tir_unary(o, "Neg", tir_in(o, 0)));
    return;
  }
  const char *x = tir_unary(o, "Neg", tosa_centered(o, 0, 1, STRATA_DTYPE_I64)), *zero = tosa_zero_point(o, 2);
  x = zero ? tir_binary(o, "Add", x, tir_cast(o, zero, STRATA_DTYPE_I64)) : x;
  tir_set(o, 0, tosa_saturated(o, x, dtype));
}

//===-- Casts ----------------------------------------------------------------------------------------------------===//

// The nearest integer, halves to even, or the last one of the type. Its greatest number may be none of the float's:
// what is greater than all below it is that.
static const char *rounded(tir_op_t *o, const char *x, strata_dtype_t from, strata_dtype_t to) {
  int bits = strata_dtype_info[to].bits, digits = from == STRATA_DTYPE_F64 ? 53 : 24;
  bool is_unsigned = strata_dtype_info[to].class_ == STRATA_DTYPE_CLASS_UNSIGNED;
  int magnitude = is_unsigned ? bits : bits - 1;
  double lowest = is_unsigned ? 0 : -ldexp(1, magnitude), above = ldexp(1, magnitude);
  double greatest = magnitude <= digits ? above - 1 : above - ldexp(1, magnitude - digits);
  strata_dtype_t wide = from == STRATA_DTYPE_F64 ? from : STRATA_DTYPE_F32;
  x = tir_unary(o, "Round", from == wide ? x : tir_cast(o, x, wide));
  const char *inside =
      tir_binary(o, "Min", tir_binary(o, "Max", x, tir_number(o, wide, lowest)), tir_number(o, wide, greatest));
  const char *result = tir_cast(o, inside, to);
  if (magnitude <= digits)
    return result;
  const char *is_above = tir_binary(o, "GreaterOrEqual", x, tir_number(o, wide, above));
  const char *last = tir_unary(o, "BitwiseNot", tir_cast(o, graph_int(o->g, is_unsigned ? 0 : INT64_MIN), to));
  if (!is_unsigned && bits < 64)
    last = tir_cast(o, graph_int(o->g, (INT64_C(1) << magnitude) - 1), to);
  return tir_select(o, is_above, last, result);
}

void tosa_read_cast(tir_op_t *o) {
  strata_dtype_t from = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  const char *x = tir_in(o, 0);
  if (tosa_is_float(from) && tosa_is_integer(to))
    tir_set(o, 0, rounded(o, x, from, to));
  else
    tir_set(o, 0, from == to ? x : tir_cast(o, x, to));
}

//===-- Along an axis --------------------------------------------------------------------------------------------===//

static bool read_axis(tir_op_t *o, int64_t *out) {
  int rank = tir_in_type(o, 0).rank;
  *out = tir_int(o, "axis", -1);
  bool is_dim = *out >= 0 && *out < rank;
  if (!is_dim)
    tir_refuse(o, "axis: expected 0 to %d", rank - 1);
  else if (ignores_nan(o))
    tir_refuse(o, "extremes that NaNs lose");
  return is_dim && !ignores_nan(o);
}

void tosa_read_reduce(tir_op_t *o) {
  int64_t axis;
  if (read_axis(o, &axis))
    tir_set(o, 0, tir_binary(o, o->info->op, tir_in(o, 0), graph_ints(o->g, 1, &axis)));
}

void tosa_read_argmax(tir_op_t *o) {
  int64_t axis;
  if (!read_axis(o, &axis))
    return;
  graph_node_t *node = graph_node(o->g, "ArgMax", GRAPH_VALUES(tir_in(o, 0)));
  graph_set_int(node, "axis", axis);
  graph_set_int(node, "keepdims", 0);
  tir_set(o, 0, tir_cast(o, graph_result(node, NULL), tir_out_type(o, 0).dtype));
}
