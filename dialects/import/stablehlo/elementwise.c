// Operations that work element by element.
#include "dialects/import/stablehlo/stablehlo.h"

#include <math.h>

void hlo_read_square(tir_op_t *o) { tir_set(o, 0, graph_op(o->g, "Mul", GRAPH_VALUES(tir_in(o, 0), tir_in(o, 0)))); }

void hlo_read_compare(tir_op_t *o) {
  static const struct {
    const char *word, *op;
  } directions[] = {{"EQ", "Equal"},          {"NE", "Equal"}, {"GT", "Greater"},
                    {"GE", "GreaterOrEqual"}, {"LT", "Less"},  {"LE", "LessOrEqual"}};
  const char *word = hlo_word(o, "comparison_direction"), *operands[2] = {tir_in(o, 0), tir_in(o, 1)};
  bool is_order = strcmp(word, "EQ") && strcmp(word, "NE");
  for (int i = 0; i < 2 && is_order && tir_in_type(o, 0).dtype == STRATA_DTYPE_BOOL; i++)
    operands[i] = tir_cast(o, operands[i], STRATA_DTYPE_U8);
  for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
    if (!strcmp(word, directions[i].word)) {
      const char *result = graph_op(o->g, directions[i].op, 2, operands);
      tir_set(o, 0, strcmp(word, "NE") ? result : graph_op(o->g, "Not", GRAPH_VALUES(result)));
      return;
    }
  tir_refuse(o, "comparison_direction: expected EQ, NE, GT, GE, LT or LE, got '%s'", word);
}

void hlo_read_clamp(tir_op_t *o) {
  const char *raised = graph_op(o->g, "Max", GRAPH_VALUES(tir_in(o, 1), tir_in(o, 0)));
  tir_set(o, 0, graph_op(o->g, "Min", GRAPH_VALUES(raised, tir_in(o, 2))));
}

void hlo_read_convert(tir_op_t *o) {
  tir_type_t type = tir_out_type(o, 0);
  if (type.dtype == STRATA_DTYPE_NONE)
    tir_refuse(o, "a result of this element type");
  else
    tir_set(o, 0, tir_cast(o, tir_in(o, 0), type.dtype));
}

void hlo_read_bitcast_convert(tir_op_t *o) {
  tir_type_t from = tir_in_type(o, 0), to = tir_out_type(o, 0);
  if (to.dtype == STRATA_DTYPE_NONE || from.rank != to.rank) {
    tir_refuse(o, "a bitcast between types of different sizes");
    return;
  }
  graph_node_t *node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(tir_in(o, 0)));
  graph_set_int(node, "to", strata_dtype_info[to.dtype].onnx_type);
  tir_set(o, 0, graph_result(node, NULL));
}

// The bits of an f32 rounded to nearest even where the mantissa ends; beyond the exponents are infinities and zeros.
static const char *rounded_bits(tir_op_t *o, const char *x, int64_t mantissa) {
  int64_t lost = 23 - mantissa;
  if (lost <= 0)
    return x;
  graph_node_t *node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(x));
  graph_set_int(node, "to", strata_dtype_info[STRATA_DTYPE_I32].onnx_type);
  const char *bits = tir_cast(o, graph_result(node, NULL), STRATA_DTYPE_I64);
  const char *last = graph_op(o->g, "strata.ShiftRight", GRAPH_VALUES(bits, graph_int(o->g, lost)));
  const char *up = graph_op(o->g, "Add",
                            GRAPH_VALUES(graph_op(o->g, "BitwiseAnd", GRAPH_VALUES(last, graph_int(o->g, 1))),
                                         graph_int(o->g, (INT64_C(1) << (lost - 1)) - 1)));
  const char *cut =
      graph_op(o->g, "BitwiseAnd",
               GRAPH_VALUES(graph_op(o->g, "Add", GRAPH_VALUES(bits, up)), graph_int(o->g, -(INT64_C(1) << lost))));
  node = graph_node(o->g, "strata.BitCast", GRAPH_VALUES(tir_cast(o, cut, STRATA_DTYPE_I32)));
  graph_set_int(node, "to", strata_dtype_info[STRATA_DTYPE_F32].onnx_type);
  return graph_result(node, NULL);
}

void hlo_read_reduce_precision(tir_op_t *o) {
  int64_t exponent = tir_int(o, "exponent_bits", 0), mantissa = tir_int(o, "mantissa_bits", -1);
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (strata_dtype_info[dtype].class_ != STRATA_DTYPE_CLASS_FLOAT || strata_dtype_info[dtype].bits > 32 ||
      exponent < 1 || exponent > 8 || mantissa < 0) {
    tir_refuse(o, "%s with %lld bits of exponent and %lld of mantissa", strata_dtype_info[dtype].name,
               (long long)exponent, (long long)mantissa);
    return;
  }
  const char *x = tir_cast(o, tir_in(o, 0), STRATA_DTYPE_F32), *y = rounded_bits(o, x, mantissa);
  if (exponent < 8) {
    int64_t bias = (INT64_C(1) << (exponent - 1)) - 1;
    double most = ldexp(2 - ldexp(1, (int)-mantissa), (int)bias), least = ldexp(1, (int)(1 - bias));
    const char *size = graph_op(o->g, "Abs", GRAPH_VALUES(y)),
               *zero = graph_op(o->g, "Mul", GRAPH_VALUES(y, tir_number(o, STRATA_DTYPE_F32, 0)));
    const char *infinity = graph_op(o->g, "Mul", GRAPH_VALUES(y, tir_number(o, STRATA_DTYPE_F32, INFINITY)));
    const char *is_large = graph_op(o->g, "Greater", GRAPH_VALUES(size, tir_number(o, STRATA_DTYPE_F32, most)));
    const char *is_small = graph_op(o->g, "Less", GRAPH_VALUES(size, tir_number(o, STRATA_DTYPE_F32, least)));
    y = graph_op(o->g, "Where", GRAPH_VALUES(is_large, infinity, y));
    y = graph_op(o->g, "Where", GRAPH_VALUES(is_small, zero, y));
  }
  y = graph_op(o->g, "Where", GRAPH_VALUES(graph_op(o->g, "IsNaN", GRAPH_VALUES(x)), x, y));
  tir_set(o, 0, tir_cast(o, y, dtype));
}
