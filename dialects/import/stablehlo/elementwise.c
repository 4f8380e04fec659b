// Operations that work element by element.
#include "dialects/import/stablehlo/stablehlo.h"

#include <math.h>

// One node of ONNX's: booleans may have another one.
void hlo_read_node(hlo_op_t *o) {
  const char *operands[3] = {"", "", ""};
  int count = hlo_n_operands(o);
  if (count > 3) {
    hlo_refuse(o, "%d operands", count);
    return;
  }
  for (int i = 0; i < count; i++)
    operands[i] = hlo_in(o, i);
  bool is_boolean = hlo_in_type(o, 0).dtype == STRATA_DTYPE_BOOL;
  if (is_boolean && !o->info->boolean)
    hlo_refuse(o, "operands of booleans");
  else
    hlo_set(o, 0, graph_op(o->g, is_boolean ? o->info->boolean : o->info->op, count, operands));
}

void hlo_read_same(hlo_op_t *o) {
  for (int i = 0; i < hlo_n_operands(o); i++)
    hlo_set(o, i, hlo_in(o, i));
}

void hlo_read_square(hlo_op_t *o) { hlo_set(o, 0, graph_op(o->g, "Mul", GRAPH_VALUES(hlo_in(o, 0), hlo_in(o, 0)))); }

void hlo_read_compare(hlo_op_t *o) {
  static const struct {
    const char *word, *op;
  } directions[] = {{"EQ", "Equal"},          {"NE", "Equal"}, {"GT", "Greater"},
                    {"GE", "GreaterOrEqual"}, {"LT", "Less"},  {"LE", "LessOrEqual"}};
  const char *word = hlo_word(o, "comparison_direction"), *operands[2] = {hlo_in(o, 0), hlo_in(o, 1)};
  bool is_order = strcmp(word, "EQ") && strcmp(word, "NE");
  for (int i = 0; i < 2 && is_order && hlo_in_type(o, 0).dtype == STRATA_DTYPE_BOOL; i++)
    operands[i] = hlo_cast(o, operands[i], STRATA_DTYPE_U8);
  for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
    if (!strcmp(word, directions[i].word)) {
      const char *result = graph_op(o->g, directions[i].op, 2, operands);
      hlo_set(o, 0, strcmp(word, "NE") ? result : graph_op(o->g, "Not", GRAPH_VALUES(result)));
      return;
    }
  hlo_refuse(o, "comparison_direction: expected EQ, NE, GT, GE, LT or LE, got '%s'", word);
}

void hlo_read_clamp(hlo_op_t *o) {
  const char *raised = graph_op(o->g, "Max", GRAPH_VALUES(hlo_in(o, 1), hlo_in(o, 0)));
  hlo_set(o, 0, graph_op(o->g, "Min", GRAPH_VALUES(raised, hlo_in(o, 2))));
}

void hlo_read_convert(hlo_op_t *o) {
  hlo_type_t type = hlo_out_type(o, 0);
  if (type.dtype == STRATA_DTYPE_NONE)
    hlo_refuse(o, "a result of this element type");
  else
    hlo_set(o, 0, hlo_cast(o, hlo_in(o, 0), type.dtype));
}

void hlo_read_bitcast_convert(hlo_op_t *o) {
  hlo_type_t from = hlo_in_type(o, 0), to = hlo_out_type(o, 0);
  if (to.dtype == STRATA_DTYPE_NONE || from.rank != to.rank) {
    hlo_refuse(o, "a bitcast between types of different sizes");
    return;
  }
  graph_node_t *node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(hlo_in(o, 0)));
  graph_set_int(node, "to", strata_dtype_info[to.dtype].onnx_type);
  hlo_set(o, 0, graph_result(node, NULL));
}

// The sign of the dividend, for floats and integers.
void hlo_read_remainder(hlo_op_t *o) {
  graph_node_t *node = graph_node(o->g, "Mod", GRAPH_VALUES(hlo_in(o, 0), hlo_in(o, 1)));
  graph_set_int(node, "fmod", 1);
  hlo_set(o, 0, graph_result(node, NULL));
}

void hlo_read_shift_left(hlo_op_t *o) {
  graph_node_t *node = graph_node(o->g, "BitShift", GRAPH_VALUES(hlo_in(o, 0), hlo_in(o, 1)));
  graph_set_string(node, "direction", "LEFT");
  hlo_set(o, 0, graph_result(node, NULL));
}

void hlo_read_is_finite(hlo_op_t *o) {
  const char *is_nan = graph_op(o->g, "IsNaN", GRAPH_VALUES(hlo_in(o, 0)));
  const char *is_inf = graph_op(o->g, "IsInf", GRAPH_VALUES(hlo_in(o, 0)));
  hlo_set(o, 0, graph_op(o->g, "Not", GRAPH_VALUES(graph_op(o->g, "Or", GRAPH_VALUES(is_nan, is_inf)))));
}

void hlo_read_cbrt(hlo_op_t *o) {
  strata_dtype_t dtype = hlo_in_type(o, 0).dtype;
  const char *size = graph_op(o->g, "Abs", GRAPH_VALUES(hlo_in(o, 0)));
  const char *root = graph_op(o->g, "Pow", GRAPH_VALUES(size, hlo_number(o, dtype, 1.0 / 3)));
  hlo_set(o, 0, graph_op(o->g, "Mul", GRAPH_VALUES(graph_op(o->g, "Sign", GRAPH_VALUES(hlo_in(o, 0))), root)));
}

// To the nearest, halves away from zero: what is cut off decides, which is exact.
void hlo_read_round_away(hlo_op_t *o) {
  strata_dtype_t dtype = hlo_in_type(o, 0).dtype;
  const char *size = graph_op(o->g, "Abs", GRAPH_VALUES(hlo_in(o, 0)));
  const char *floor = graph_op(o->g, "Floor", GRAPH_VALUES(size));
  const char *rest = graph_op(o->g, "Sub", GRAPH_VALUES(size, floor));
  const char *is_up = graph_op(o->g, "GreaterOrEqual", GRAPH_VALUES(rest, hlo_number(o, dtype, 0.5)));
  const char *above = graph_op(o->g, "Add", GRAPH_VALUES(floor, hlo_number(o, dtype, 1)));
  const char *rounded = graph_op(o->g, "Where", GRAPH_VALUES(is_up, above, floor));
  hlo_set(o, 0, graph_op(o->g, "Mul", GRAPH_VALUES(graph_op(o->g, "Sign", GRAPH_VALUES(hlo_in(o, 0))), rounded)));
}

// Bits that are set: sums of neighbours, twice as wide each time.
void hlo_read_popcnt(hlo_op_t *o) {
  strata_dtype_t dtype = hlo_in_type(o, 0).dtype;
  int bits = dtype == STRATA_DTYPE_NONE ? 0 : strata_dtype_info[dtype].bits;
  if (bits < 8) {
    hlo_refuse(o, "operands of this element type");
    return;
  }
  // Of a negative number only the bits that it has count.
  uint64_t own = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  int64_t masks[] = {INT64_C(0x5555555555555555), INT64_C(0x3333333333333333), INT64_C(0x0f0f0f0f0f0f0f0f),
                     INT64_C(0x00ff00ff00ff00ff), INT64_C(0x0000ffff0000ffff), INT64_C(0x00000000ffffffff)};
  int64_t signed_own;
  memcpy(&signed_own, &own, sizeof own);
  const char *x = hlo_cast(o, hlo_in(o, 0), STRATA_DTYPE_U64);
  x = graph_op(o->g, "BitwiseAnd", GRAPH_VALUES(x, hlo_cast(o, graph_int(o->g, signed_own), STRATA_DTYPE_U64)));
  for (int i = 0; 1 << i < bits; i++) {
    const char *mask = hlo_cast(o, graph_int(o->g, masks[i]), STRATA_DTYPE_U64);
    const char *shift = hlo_cast(o, graph_int(o->g, 1 << i), STRATA_DTYPE_U64);
    const char *high = graph_op(o->g, "strata.ShiftRightLogical", GRAPH_VALUES(x, shift));
    x = graph_op(o->g, "Add",
                 GRAPH_VALUES(graph_op(o->g, "BitwiseAnd", GRAPH_VALUES(x, mask)),
                              graph_op(o->g, "BitwiseAnd", GRAPH_VALUES(high, mask))));
  }
  hlo_set(o, 0, hlo_cast(o, x, dtype));
}

// Of integers the difference of two comparisons, which the ranges of sizes may decide.
void hlo_read_sign(hlo_op_t *o) {
  strata_dtype_t dtype = hlo_in_type(o, 0).dtype;
  const char *x = hlo_in(o, 0), *zero = hlo_number(o, dtype, 0);
  if (strata_dtype_info[dtype].class_ != STRATA_DTYPE_CLASS_SIGNED) {
    hlo_set(o, 0, graph_op(o->g, "Sign", GRAPH_VALUES(x)));
    return;
  }
  const char *above = hlo_cast(o, graph_op(o->g, "Greater", GRAPH_VALUES(x, zero)), dtype);
  const char *below = hlo_cast(o, graph_op(o->g, "Less", GRAPH_VALUES(x, zero)), dtype);
  hlo_set(o, 0, graph_op(o->g, "Sub", GRAPH_VALUES(above, below)));
}

// The bits of an f32 rounded to nearest even where the mantissa ends; beyond the exponents are infinities and zeros.
static const char *rounded_bits(hlo_op_t *o, const char *x, int64_t mantissa) {
  int64_t lost = 23 - mantissa;
  if (lost <= 0)
    return x;
  graph_node_t *node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(x));
  graph_set_int(node, "to", strata_dtype_info[STRATA_DTYPE_I32].onnx_type);
  const char *bits = hlo_cast(o, graph_result(node, NULL), STRATA_DTYPE_I64);
  const char *last = graph_op(o->g, "strata.ShiftRight", GRAPH_VALUES(bits, graph_int(o->g, lost)));
  const char *up = graph_op(o->g, "Add",
                            GRAPH_VALUES(graph_op(o->g, "BitwiseAnd", GRAPH_VALUES(last, graph_int(o->g, 1))),
                                         graph_int(o->g, (INT64_C(1) << (lost - 1)) - 1)));
  const char *cut =
      graph_op(o->g, "BitwiseAnd",
               GRAPH_VALUES(graph_op(o->g, "Add", GRAPH_VALUES(bits, up)), graph_int(o->g, -(INT64_C(1) << lost))));
  node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(hlo_cast(o, cut, STRATA_DTYPE_I32)));
  graph_set_int(node, "to", strata_dtype_info[STRATA_DTYPE_F32].onnx_type);
  return graph_result(node, NULL);
}

void hlo_read_reduce_precision(hlo_op_t *o) {
  int64_t exponent = hlo_int(o, "exponent_bits", 0), mantissa = hlo_int(o, "mantissa_bits", -1);
  strata_dtype_t dtype = hlo_in_type(o, 0).dtype;
  if (strata_dtype_info[dtype].class_ != STRATA_DTYPE_CLASS_FLOAT || strata_dtype_info[dtype].bits > 32 ||
      exponent < 1 || exponent > 8 || mantissa < 0) {
    hlo_refuse(o, "%s with %lld bits of exponent and %lld of mantissa", strata_dtype_info[dtype].name,
               (long long)exponent, (long long)mantissa);
    return;
  }
  const char *x = hlo_cast(o, hlo_in(o, 0), STRATA_DTYPE_F32), *y = rounded_bits(o, x, mantissa);
  if (exponent < 8) {
    int64_t bias = (INT64_C(1) << (exponent - 1)) - 1;
    double most = ldexp(2 - ldexp(1, (int)-mantissa), (int)bias), least = ldexp(1, (int)(1 - bias));
    const char *size = graph_op(o->g, "Abs", GRAPH_VALUES(y)),
               *zero = graph_op(o->g, "Mul", GRAPH_VALUES(y, hlo_number(o, STRATA_DTYPE_F32, 0)));
    const char *infinity = graph_op(o->g, "Mul", GRAPH_VALUES(y, hlo_number(o, STRATA_DTYPE_F32, INFINITY)));
    const char *is_large = graph_op(o->g, "Greater", GRAPH_VALUES(size, hlo_number(o, STRATA_DTYPE_F32, most)));
    const char *is_small = graph_op(o->g, "Less", GRAPH_VALUES(size, hlo_number(o, STRATA_DTYPE_F32, least)));
    y = graph_op(o->g, "Where", GRAPH_VALUES(is_large, infinity, y));
    y = graph_op(o->g, "Where", GRAPH_VALUES(is_small, zero, y));
  }
  y = graph_op(o->g, "Where", GRAPH_VALUES(graph_op(o->g, "IsNaN", GRAPH_VALUES(x)), x, y));
  hlo_set(o, 0, hlo_cast(o, y, dtype));
}
