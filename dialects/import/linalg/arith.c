// Operations on numbers. MLIR's integers have no sign: an operation says how it reads them, and the graph's integers
// are signed, so that what reads them as unsigned gets their bits as such and gives back those of its result.
#include "dialects/import/linalg/linalg.h"

#include <math.h>

static bool is_integer(strata_dtype_t dtype) {
  return dtype != STRATA_DTYPE_NONE && (strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_SIGNED ||
                                        strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_UNSIGNED);
}

static strata_dtype_t unsigned_of(strata_dtype_t dtype) {
  switch (dtype) {
  case STRATA_DTYPE_I4:
    return STRATA_DTYPE_U4;
  case STRATA_DTYPE_I8:
    return STRATA_DTYPE_U8;
  case STRATA_DTYPE_I16:
    return STRATA_DTYPE_U16;
  case STRATA_DTYPE_I32:
    return STRATA_DTYPE_U32;
  case STRATA_DTYPE_I64:
    return STRATA_DTYPE_U64;
  default:
    return dtype;
  }
}

// What operand |i| is where it has no sign; an index, which is a size or a place, has none anyway, and stays as it is,
// so that sizes that vary are seen through.
static strata_dtype_t unsigned_type(tir_op_t *o, int i) {
  strata_dtype_t dtype = tir_in_type(o, i).dtype;
  return mlirTypeIsAIndex(mlirValueGetType(tir_value(o, i))) ? dtype : unsigned_of(dtype);
}

static const char *unsigned_in(tir_op_t *o, int i) {
  strata_dtype_t own = unsigned_type(o, i);
  return own == tir_in_type(o, i).dtype ? tir_in(o, i) : tir_bit_cast(o, tir_in(o, i), own);
}

// The bits of |value|, of the unsigned type of operand 0, as |dtype|.
static const char *back(tir_op_t *o, const char *value, strata_dtype_t dtype) {
  return unsigned_type(o, 0) == dtype ? value : tir_bit_cast(o, value, dtype);
}

void arith_read_unsigned(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (dtype == STRATA_DTYPE_BOOL)
    tir_read_node(o);
  else
    tir_set(o, 0, back(o, tir_binary(o, o->info->op, unsigned_in(o, 0), unsigned_in(o, 1)), dtype));
}

// The extreme of what are numbers.
void arith_read_number_extreme(tir_op_t *o) {
  const char *a = tir_in(o, 0), *b = tir_in(o, 1), *extreme = tir_binary(o, o->info->op, a, b);
  extreme = tir_select(o, tir_unary(o, "IsNaN", b), a, extreme);
  tir_set(o, 0, tir_select(o, tir_unary(o, "IsNaN", a), b, extreme));
}

// The extreme that "x < number ? x : number" is: "Min". Predicates that are true of NaNs give x then, as extremes do.
static const char *selected_extreme(tir_op_t *o) {
  MlirOperation compare = strata_def(tir_value(o, 0));
  double number;
  if (mlirOperationIsNull(compare) || !strata_op_is(compare, "arith.cmpf") ||
      !strata_value_equal(mlirOperationGetOperand(compare, 0), tir_value(o, 1)) ||
      !strata_value_equal(mlirOperationGetOperand(compare, 1), tir_value(o, 2)) ||
      !tir_constant_number(tir_value(o, 2), &number) || isnan(number))
    return NULL;
  int64_t predicate = strata_attr_i64(compare, "predicate", -1);
  bool is_greater = predicate == 9 || predicate == 10, is_less = predicate == 11 || predicate == 12;
  return is_greater ? "Max" : is_less ? "Min" : NULL;
}

void arith_read_select(tir_op_t *o) {
  const char *extreme = selected_extreme(o);
  tir_set(o, 0,
          extreme ? tir_binary(o, extreme, tir_in(o, 1), tir_in(o, 2))
                  : tir_select(o, tir_in(o, 0), tir_in(o, 1), tir_in(o, 2)));
}

//===-- Division -------------------------------------------------------------------------------------------------===//

const char *arith_floor_div(tir_op_t *o, const char *a, const char *b) {
  return tir_binary(o, "Div", tir_binary(o, "Sub", a, tir_binary(o, "Mod", a, b)), b);
}

const char *arith_ceil_div(tir_op_t *o, const char *a, const char *b) {
  return tir_unary(o, "Neg", arith_floor_div(o, tir_unary(o, "Neg", a), b));
}

void arith_read_floor_div(tir_op_t *o) { tir_set(o, 0, arith_floor_div(o, tir_in(o, 0), tir_in(o, 1))); }

void arith_read_ceil_div(tir_op_t *o) { tir_set(o, 0, arith_ceil_div(o, tir_in(o, 0), tir_in(o, 1))); }

// What is left over makes it one more.
void arith_read_ceil_div_unsigned(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype, own = unsigned_type(o, 0);
  const char *a = unsigned_in(o, 0), *b = unsigned_in(o, 1);
  const char *is_whole = tir_binary(o, "Equal", tir_binary(o, "Mod", a, b), tir_number(o, own, 0));
  const char *more = tir_select(o, is_whole, tir_number(o, own, 0), tir_number(o, own, 1));
  tir_set(o, 0, back(o, tir_binary(o, "Add", tir_binary(o, "Div", a, b), more), dtype));
}

//===-- Results of two parts -------------------------------------------------------------------------------------===//

// The sum, and whether it overflows: then it is less than an operand.
void arith_read_add_extended(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  const char *a = unsigned_in(o, 0), *sum = tir_binary(o, "Add", a, unsigned_in(o, 1));
  tir_set(o, 0, back(o, sum, dtype));
  tir_set(o, 1, tir_binary(o, "Less", sum, a));
}

// Both halves of the product in a type of twice the size.
static void mul_extended(tir_op_t *o, bool is_signed) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype, wide = is_signed ? STRATA_DTYPE_I64 : STRATA_DTYPE_U64;
  if (!is_integer(dtype) || strata_dtype_info[dtype].bits < 8 || strata_dtype_info[dtype].bits > 32) {
    tir_refuse(o, "products of more than 64 bits");
    return;
  }
  const char *a = is_signed ? tir_in(o, 0) : unsigned_in(o, 0), *b = is_signed ? tir_in(o, 1) : unsigned_in(o, 1);
  const char *product = tir_binary(o, "Mul", tir_cast(o, a, wide), tir_cast(o, b, wide));
  const char *bits = tir_cast(o, graph_int(o->g, strata_dtype_info[dtype].bits), wide);
  tir_set(o, 0, tir_cast(o, product, dtype));
  tir_set(o, 1, tir_cast(o, tir_binary(o, "strata.ShiftRight", product, bits), dtype));
}

void arith_read_mul_extended(tir_op_t *o) { mul_extended(o, true); }

void arith_read_mul_extended_unsigned(tir_op_t *o) { mul_extended(o, false); }

//===-- Comparisons ----------------------------------------------------------------------------------------------===//

// In the order of arith's predicates.
static const struct {
  const char *op;
  bool is_negated, is_unsigned;
} integer_predicates[] = {
    {"Equal", false, false},   {"Equal", true, false},           {"Less", false, false}, {"LessOrEqual", false, false},
    {"Greater", false, false}, {"GreaterOrEqual", false, false}, {"Less", false, true},  {"LessOrEqual", false, true},
    {"Greater", false, true},  {"GreaterOrEqual", false, true}};

static const char *negated(tir_op_t *o, const char *value, bool is_negated) {
  return is_negated ? tir_unary(o, "Not", value) : value;
}

// True is 1 without a sign, -1 with one.
static const char *comparable(tir_op_t *o, int i, bool is_unsigned) {
  strata_dtype_t dtype = tir_in_type(o, i).dtype;
  if (dtype == STRATA_DTYPE_BOOL) {
    const char *number = tir_cast(o, tir_in(o, i), STRATA_DTYPE_I8);
    return is_unsigned ? number : tir_unary(o, "Neg", number);
  }
  return is_unsigned ? unsigned_in(o, i) : tir_in(o, i);
}

void arith_read_compare_integers(tir_op_t *o) {
  int64_t predicate = tir_int(o, "predicate", -1);
  if (predicate < 0 || predicate >= (int64_t)(sizeof integer_predicates / sizeof *integer_predicates)) {
    tir_refuse(o, "predicate: expected 0 to 9");
    return;
  }
  bool is_unsigned = integer_predicates[predicate].is_unsigned;
  const char *a = comparable(o, 0, is_unsigned), *b = comparable(o, 1, is_unsigned);
  tir_set(o, 0,
          negated(o, tir_binary(o, integer_predicates[predicate].op, a, b), integer_predicates[predicate].is_negated));
}

// In the order of arith's predicates: what is true of a NaN is the opposite of what is false.
static const struct {
  const char *op;
  bool is_negated;
} float_predicates[] = {{"false", false},  {"Equal", false},       {"Greater", false}, {"GreaterOrEqual", false},
                        {"Less", false},   {"LessOrEqual", false}, {"differ", false},  {"nan", true},
                        {"differ", true},  {"LessOrEqual", true},  {"Less", true},     {"GreaterOrEqual", true},
                        {"Greater", true}, {"Equal", true},        {"nan", false},     {"false", true}};

void arith_read_compare_floats(tir_op_t *o) {
  int64_t predicate = tir_int(o, "predicate", -1);
  if (predicate < 0 || predicate >= (int64_t)(sizeof float_predicates / sizeof *float_predicates)) {
    tir_refuse(o, "predicate: expected 0 to 15");
    return;
  }
  const char *op = float_predicates[predicate].op, *a = tir_in(o, 0), *b = tir_in(o, 1), *result;
  if (!strcmp(op, "false"))
    result = tir_binary(o, "And", tir_binary(o, "Less", a, b), tir_binary(o, "Less", b, a));
  else if (!strcmp(op, "differ"))
    result = tir_binary(o, "Or", tir_binary(o, "Less", a, b), tir_binary(o, "Less", b, a));
  else if (!strcmp(op, "nan"))
    result = tir_binary(o, "Or", tir_unary(o, "IsNaN", a), tir_unary(o, "IsNaN", b));
  else
    result = tir_binary(o, op, a, b);
  tir_set(o, 0, negated(o, result, float_predicates[predicate].is_negated));
}

//===-- Conversions ----------------------------------------------------------------------------------------------===//

void arith_read_convert(tir_op_t *o) {
  strata_dtype_t from = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  const char *x = tir_in(o, 0);
  if (from == STRATA_DTYPE_BOOL && to != STRATA_DTYPE_BOOL) // true is -1
    x = tir_unary(o, "Neg", tir_cast(o, x, to));
  else if (to == STRATA_DTYPE_BOOL && is_integer(from)) // the lowest bit
    x = tir_cast(o, tir_binary(o, "BitwiseAnd", x, tir_number(o, from, 1)), to);
  else
    x = from == to ? x : tir_cast(o, x, to);
  tir_set(o, 0, x);
}

void arith_read_convert_unsigned(tir_op_t *o) {
  strata_dtype_t to = tir_out_type(o, 0).dtype;
  tir_set(o, 0, tir_cast(o, unsigned_in(o, 0), to));
}

void arith_read_convert_to_unsigned(tir_op_t *o) {
  strata_dtype_t to = tir_out_type(o, 0).dtype;
  const char *x = tir_cast(o, tir_in(o, 0), unsigned_of(to));
  tir_set(o, 0, unsigned_of(to) == to ? x : tir_bit_cast(o, x, to));
}

// Of a boolean nothing changes.
void arith_read_bitcast(tir_op_t *o) {
  strata_dtype_t from = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  if (from != to && (from == STRATA_DTYPE_BOOL || to == STRATA_DTYPE_BOOL))
    tir_refuse(o, "the bits of booleans");
  else
    tir_set(o, 0, from == to ? tir_in(o, 0) : tir_bit_cast(o, tir_in(o, 0), to));
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

void math_read_clamp(tir_op_t *o) {
  tir_set(o, 0, tir_binary(o, "Min", tir_binary(o, "Max", tir_in(o, 0), tir_in(o, 1)), tir_in(o, 2)));
}

void math_read_copy_sign(tir_op_t *o) {
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  int bits = strata_dtype_info[dtype].bits;
  strata_dtype_t integer = bits == 64 ? STRATA_DTYPE_I64 : bits == 32 ? STRATA_DTYPE_I32 : STRATA_DTYPE_I16;
  if (bits < 16) {
    tir_refuse(o, "operands of this element type");
    return;
  }
  const char *size = tir_unary(o, "Abs", tir_in(o, 0)), *sign = tir_bit_cast(o, tir_in(o, 1), integer);
  tir_set(o, 0, tir_select(o, tir_binary(o, "Less", sign, tir_number(o, integer, 0)), tir_unary(o, "Neg", size), size));
}

void math_read_erfc(tir_op_t *o) {
  tir_set(o, 0, tir_binary(o, "Sub", tir_number(o, tir_in_type(o, 0).dtype, 1), tir_unary(o, "Erf", tir_in(o, 0))));
}

void math_read_exp2(tir_op_t *o) {
  tir_set(o, 0, tir_binary(o, "Pow", tir_number(o, tir_in_type(o, 0).dtype, 2), tir_in(o, 0)));
}

void math_read_fma(tir_op_t *o) {
  tir_set(o, 0, tir_binary(o, "Add", tir_binary(o, "Mul", tir_in(o, 0), tir_in(o, 1)), tir_in(o, 2)));
}

static void read_log(tir_op_t *o, double base) {
  tir_set(o, 0,
          tir_binary(o, "Div", tir_unary(o, "Log", tir_in(o, 0)), tir_number(o, tir_in_type(o, 0).dtype, log(base))));
}

void math_read_log2(tir_op_t *o) { read_log(o, 2); }

void math_read_log10(tir_op_t *o) { read_log(o, 10); }

void math_read_sincos(tir_op_t *o) {
  tir_set(o, 0, tir_unary(o, "Sin", tir_in(o, 0)));
  tir_set(o, 1, tir_unary(o, "Cos", tir_in(o, 0)));
}

void math_read_trunc(tir_op_t *o) {
  const char *x = tir_in(o, 0);
  const char *is_negative = tir_binary(o, "Less", x, tir_number(o, tir_in_type(o, 0).dtype, 0));
  tir_set(o, 0, tir_select(o, is_negative, tir_unary(o, "Ceil", x), tir_unary(o, "Floor", x)));
}
