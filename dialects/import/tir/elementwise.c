// Operations on elements that several dialects have.
#include "dialects/import/tir/tir.h"

// The sign of the dividend, for floats and integers.
void tir_read_remainder(tir_op_t *o) {
  graph_node_t *node = graph_node(o->g, "Mod", GRAPH_VALUES(tir_in(o, 0), tir_in(o, 1)));
  graph_set_int(node, "fmod", 1);
  tir_set(o, 0, graph_result(node, NULL));
}

void tir_read_shift_left(tir_op_t *o) {
  graph_node_t *node = graph_node(o->g, "BitShift", GRAPH_VALUES(tir_in(o, 0), tir_in(o, 1)));
  graph_set_string(node, "direction", "LEFT");
  tir_set(o, 0, graph_result(node, NULL));
}

void tir_read_is_finite(tir_op_t *o) {
  const char *is_nan = graph_op(o->g, "IsNaN", GRAPH_VALUES(tir_in(o, 0)));
  const char *is_inf = graph_op(o->g, "IsInf", GRAPH_VALUES(tir_in(o, 0)));
  tir_set(o, 0, graph_op(o->g, "Not", GRAPH_VALUES(graph_op(o->g, "Or", GRAPH_VALUES(is_nan, is_inf)))));
}

void tir_read_cbrt(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  const char *size = graph_op(o->g, "Abs", GRAPH_VALUES(tir_in(o, 0)));
  const char *root = graph_op(o->g, "Pow", GRAPH_VALUES(size, tir_number(o, dtype, 1.0 / 3)));
  tir_set(o, 0, graph_op(o->g, "Mul", GRAPH_VALUES(graph_op(o->g, "Sign", GRAPH_VALUES(tir_in(o, 0))), root)));
}

// To the nearest, halves away from zero: what is cut off decides, which is exact.
const char *tir_round_away(tir_op_t *o, const char *x, strata_dtype_t dtype) {
  const char *size = tir_unary(o, "Abs", x), *floor = tir_unary(o, "Floor", size);
  const char *is_up = tir_binary(o, "GreaterOrEqual", tir_binary(o, "Sub", size, floor), tir_number(o, dtype, 0.5));
  const char *rounded = tir_select(o, is_up, tir_binary(o, "Add", floor, tir_number(o, dtype, 1)), floor);
  return tir_binary(o, "Mul", tir_unary(o, "Sign", x), rounded);
}

void tir_read_round_away(tir_op_t *o) { tir_set(o, 0, tir_round_away(o, tir_in(o, 0), tir_in_type(o, 0).dtype)); }

static const char *wide(tir_op_t *o, uint64_t bits) {
  int64_t value;
  memcpy(&value, &bits, sizeof bits);
  return tir_cast(o, graph_int(o->g, value), STRATA_DTYPE_U64);
}

static uint64_t own_bits(strata_dtype_t dtype) {
  int bits = strata_dtype_info[dtype].bits;
  return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

// As u64; of a negative number only the bits that it has.
static const char *widened(tir_op_t *o, const char *x, strata_dtype_t dtype) {
  return tir_binary(o, "BitwiseAnd", tir_cast(o, x, STRATA_DTYPE_U64), wide(o, own_bits(dtype)));
}

// Bits that are set: sums of neighbours, twice as wide each time.
static const char *population(tir_op_t *o, const char *x, strata_dtype_t dtype) {
  static const uint64_t masks[] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                   UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                   UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};
  for (int i = 0; 1 << i < strata_dtype_info[dtype].bits; i++) {
    const char *mask = wide(o, masks[i]);
    const char *high = tir_binary(o, "strata.ShiftRightLogical", x, wide(o, UINT64_C(1) << i));
    x = tir_binary(o, "Add", tir_binary(o, "BitwiseAnd", x, mask), tir_binary(o, "BitwiseAnd", high, mask));
  }
  return x;
}

static bool has_bits(tir_op_t *o, strata_dtype_t dtype) {
  bool has = dtype != STRATA_DTYPE_NONE && dtype != STRATA_DTYPE_BOOL && strata_dtype_info[dtype].bits >= 8;
  if (!has)
    tir_refuse(o, "operands of this element type");
  return has;
}

void tir_read_population(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (has_bits(o, dtype))
    tir_set(o, 0, tir_cast(o, population(o, widened(o, tir_in(o, 0), dtype), dtype), dtype));
}

// Those above the highest bit that is set: of what has all below it set too, the bits that are not.
const char *tir_leading_zeros(tir_op_t *o, const char *x, strata_dtype_t dtype) {
  x = widened(o, x, dtype);
  for (int shift = 1; shift < strata_dtype_info[dtype].bits; shift *= 2)
    x = tir_binary(o, "BitwiseOr", x, tir_binary(o, "strata.ShiftRightLogical", x, wide(o, (uint64_t)shift)));
  x = tir_binary(o, "BitwiseXor", x, wide(o, own_bits(dtype)));
  return tir_cast(o, population(o, x, dtype), dtype);
}

void tir_read_leading_zeros(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (has_bits(o, dtype))
    tir_set(o, 0, tir_leading_zeros(o, tir_in(o, 0), dtype));
}

// Those below the lowest bit that is set: of x - 1, the bits that x does not have.
void tir_read_trailing_zeros(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (!has_bits(o, dtype))
    return;
  const char *x = widened(o, tir_in(o, 0), dtype);
  const char *below = tir_binary(o, "BitwiseAnd", tir_binary(o, "Sub", x, wide(o, 1)), tir_unary(o, "BitwiseNot", x));
  below = tir_binary(o, "BitwiseAnd", below, wide(o, own_bits(dtype)));
  tir_set(o, 0, tir_cast(o, population(o, below, dtype), dtype));
}

// Of integers the difference of two comparisons, which the ranges of sizes may decide.
void tir_read_sign(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  const char *x = tir_in(o, 0), *zero = tir_number(o, dtype, 0);
  if (strata_dtype_info[dtype].class_ != STRATA_DTYPE_CLASS_SIGNED) {
    tir_set(o, 0, graph_op(o->g, "Sign", GRAPH_VALUES(x)));
    return;
  }
  const char *above = tir_cast(o, graph_op(o->g, "Greater", GRAPH_VALUES(x, zero)), dtype);
  const char *below = tir_cast(o, graph_op(o->g, "Less", GRAPH_VALUES(x, zero)), dtype);
  tir_set(o, 0, graph_op(o->g, "Sub", GRAPH_VALUES(above, below)));
}
