// Integers that stand for numbers: zero points, scales and tables.
#include "dialects/import/tosa/tosa.h"

#include <math.h>

const char *tosa_zero_point(tir_op_t *o, int i) {
  double number;
  if (i >= tir_n_operands(o) || (tir_constant_number(tir_value(o, i), &number) && number == 0))
    return NULL;
  return tir_reshape_static(o, tir_in(o, i), 0, NULL);
}

const char *tosa_centered(tir_op_t *o, int i, int zero_point, strata_dtype_t dtype) {
  const char *x = tir_in(o, i), *zero = tosa_zero_point(o, zero_point);
  x = tir_in_type(o, i).dtype == dtype ? x : tir_cast(o, x, dtype);
  return zero ? tir_binary(o, "Sub", x, tir_cast(o, zero, dtype)) : x;
}

const char *tosa_saturated(tir_op_t *o, const char *value, strata_dtype_t dtype) {
  int bits = strata_dtype_info[dtype].bits;
  bool is_unsigned = strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_UNSIGNED;
  if (bits >= 64)
    return value;
  int64_t above = INT64_C(1) << (is_unsigned ? bits : bits - 1);
  value = tir_binary(o, "Max", value, graph_int(o->g, is_unsigned ? 0 : -above));
  return tir_cast(o, tir_binary(o, "Min", value, graph_int(o->g, above - 1)), dtype);
}

static const char *power_of_two(tir_op_t *o, const char *exponent) {
  graph_node_t *node = graph_node(o->g, "BitShift", GRAPH_VALUES(graph_int(o->g, 1), exponent));
  graph_set_string(node, "direction", "LEFT");
  return graph_result(node, NULL);
}

// Twice rounded, what is lost of more than 31 bits counts first, away from zero.
const char *tosa_scaled(tir_op_t *o, const char *value, const char *multiplier, const char *shift, bool is_double) {
  const char *zero = graph_int(o->g, 0), *half = power_of_two(o, tir_binary(o, "Sub", shift, graph_int(o->g, 1)));
  if (is_double) {
    const char *first = graph_int(o->g, INT64_C(1) << 30), *is_below = tir_binary(o, "Less", value, zero);
    first = tir_select(o, is_below, tir_unary(o, "Neg", first), first);
    half = tir_select(o, tir_binary(o, "Greater", shift, graph_int(o->g, 31)), tir_binary(o, "Add", half, first), half);
  }
  return tir_binary(o, "strata.ShiftRight", tir_binary(o, "Add", tir_binary(o, "Mul", value, multiplier), half), shift);
}

static const char *wide(tir_op_t *o, int i) { return tir_cast(o, tir_in(o, i), STRATA_DTYPE_I64); }

void tosa_read_apply_scale(tir_op_t *o) {
  bool is_double = tosa_says(o, "rounding_mode", "DOUBLE_ROUND");
  const char *result = tosa_scaled(o, wide(o, 0), wide(o, 1), wide(o, 2), is_double);
  tir_set(o, 0, tir_cast(o, result, tir_out_type(o, 0).dtype));
}

static strata_dtype_t unsigned_of(strata_dtype_t dtype) {
  return dtype == STRATA_DTYPE_I8    ? STRATA_DTYPE_U8
         : dtype == STRATA_DTYPE_I16 ? STRATA_DTYPE_U16
         : dtype == STRATA_DTYPE_I32 ? STRATA_DTYPE_U32
                                     : dtype;
}

// |value| as i64, of the bits of an unsigned number if it |is_unsigned|.
static const char *widened(tir_op_t *o, const char *value, strata_dtype_t dtype, bool is_unsigned) {
  if (is_unsigned && unsigned_of(dtype) != dtype)
    value = tir_bit_cast(o, value, unsigned_of(dtype));
  return tir_cast(o, value, STRATA_DTYPE_I64);
}

void tosa_read_rescale(tir_op_t *o) {
  strata_dtype_t from = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  bool from_unsigned = strata_attr_flag(o->op, "input_unsigned"),
       to_unsigned = strata_attr_flag(o->op, "output_unsigned");
  if (!tosa_is_integer(from) || !tosa_is_integer(to)) {
    tir_refuse(o, "operands that are no integers");
    return;
  }
  const char *x = widened(o, tir_in(o, 0), from, from_unsigned), *zero = tosa_zero_point(o, 3);
  x = zero ? tir_binary(o, "Sub", x, widened(o, zero, from, from_unsigned)) : x;
  bool is_double = tosa_says(o, "rounding_mode", "DOUBLE_ROUND") && strata_attr_flag(o->op, "scale32");
  x = tosa_scaled(o, x, wide(o, 1), wide(o, 2), is_double);
  zero = tosa_zero_point(o, 4);
  x = zero ? tir_binary(o, "Add", x, widened(o, zero, to, to_unsigned)) : x;
  strata_dtype_t own = to_unsigned ? unsigned_of(to) : to;
  x = tosa_saturated(o, x, own);
  tir_set(o, 0, own == to ? x : tir_bit_cast(o, x, to));
}

//===-- Tables ---------------------------------------------------------------------------------------------------===//

static const char *looked_up(tir_op_t *o, const char *index) {
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(tir_in(o, 1), index));
  return graph_result(node, NULL);
}

// Between two entries, of 128 steps: with 7 bits more than these.
static const char *interpolated(tir_op_t *o) {
  const char *x = tir_cast(o, tir_in(o, 0), STRATA_DTYPE_I32),
             *place = tir_cast(o, graph_int(o->g, 128), STRATA_DTYPE_I32);
  const char *rest = tir_binary(o, "Mod", x, place),
             *index = tir_binary(o, "Div", tir_binary(o, "Sub", x, rest), place);
  index = tir_cast(o, index, STRATA_DTYPE_I64);
  const char *here = tir_cast(o, looked_up(o, tir_binary(o, "Add", index, graph_int(o->g, 256))), STRATA_DTYPE_I32);
  const char *next = tir_cast(o, looked_up(o, tir_binary(o, "Add", index, graph_int(o->g, 257))), STRATA_DTYPE_I32);
  return tir_binary(o, "Add", tir_binary(o, "Mul", here, place),
                    tir_binary(o, "Mul", tir_binary(o, "Sub", next, here), rest));
}

void tosa_read_table(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  int64_t entries = tir_in_type(o, 1).dims[0];
  if (dtype == STRATA_DTYPE_I8 && entries == 256)
    tir_set(o, 0, looked_up(o, tir_binary(o, "Add", wide(o, 0), graph_int(o->g, 128))));
  else if (dtype == STRATA_DTYPE_I16 && entries == 513)
    tir_set(o, 0, interpolated(o));
  else
    tir_refuse(o, "expected a table of 256 entries for i8, or of 513 for i16");
}
