// Scalar code: the bodies of the elementwise ops, from the columns "float" and "int" of ops.def, with the exact meaning
// that table gives to integer arithmetic and conversions.
#include "dialects/mlir_util.h"
#include "lowering/strata_to_affine/lower.h"

#include <math.h>

//===-- Single ops -----------------------------------------------------------------------------------------------===//

static MlirType type_of(MlirValue value) { return mlirValueGetType(value); }
static MlirType bool_type(const strata__nest_t *nest) { return mlirIntegerTypeGet(nest->lowering->context, 1); }
static int width_of(MlirType type) { return (int)mlirIntegerTypeGetWidth(type); }

MlirValue strata__float_constant(strata__nest_t *nest, MlirType type, double value) {
  return strata_emit_constant(&nest->e, type, mlirFloatAttrDoubleGet(nest->lowering->context, type, value));
}

MlirValue strata__int_constant(strata__nest_t *nest, MlirType type, int64_t value) {
  return strata_emit_constant(&nest->e, type, mlirIntegerAttrGet(type, value));
}

// A factor is not distributed over a sum with a constant: (x - zero point) * scale is 0 at the zero point, and precise
// beside it, where x * scale - zero point * scale is neither.
static MlirAttribute fast_math_of(const strata__nest_t *nest, const char *op, int n, const MlirValue *operands) {
  bool is_sum = !strcmp(op, "arith.addf") || !strcmp(op, "arith.subf");
  bool is_shift = is_sum && n == 2 && (strata_value_is_constant(operands[0]) || strata_value_is_constant(operands[1]));
  return is_shift ? nest->lowering->fast_math_of_shifts : nest->fast_math;
}

// An op whose result has the type of its operands. Float arithmetic carries the fast-math flags.
static MlirValue arithmetic(strata__nest_t *nest, const char *op, int n, const MlirValue *operands) {
  MlirType type = type_of(operands[0]);
  strata_named_attr_t flags = {"fastmath", fast_math_of(nest, op, n, operands)};
  bool is_fast = mlirTypeIsAFloat(type) && !mlirAttributeIsNull(flags.attr);
  return strata_emit_value(&nest->e, op, n, operands, type, is_fast ? 1 : 0, &flags);
}

MlirValue strata__unary(strata__nest_t *nest, const char *op, MlirValue x) { return arithmetic(nest, op, 1, &x); }

MlirValue strata__binary(strata__nest_t *nest, const char *op, MlirValue x, MlirValue y) {
  return arithmetic(nest, op, 2, (MlirValue[]){x, y});
}

MlirValue strata__cast(strata__nest_t *nest, const char *op, MlirValue x, MlirType type) {
  return strata_emit_value(&nest->e, op, 1, &x, type, 0, NULL);
}

MlirValue strata__to_index(strata__nest_t *nest, MlirValue x) {
  return strata__cast(nest, "arith.index_cast", x, mlirIndexTypeGet(nest->lowering->context));
}

MlirValue strata__select(strata__nest_t *nest, MlirValue condition, MlirValue x, MlirValue y) {
  return strata_emit_value(&nest->e, "arith.select", 3, (MlirValue[]){condition, x, y}, type_of(x), 0, NULL);
}

// The predicates by their number in arith.
static const char *const float_predicates[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                               "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
static const char *const int_predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};

static int64_t find_predicate(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(names[i], name))
      return (int64_t)i;
  return -1;
}

MlirValue strata__compare(strata__nest_t *nest, const char *predicate, MlirValue x, MlirValue y) {
  bool is_float = mlirTypeIsAFloat(type_of(x));
  int64_t number = is_float
                       ? find_predicate(float_predicates, sizeof float_predicates / sizeof *float_predicates, predicate)
                       : find_predicate(int_predicates, sizeof int_predicates / sizeof *int_predicates, predicate);
  strata_named_attr_t attr = {"predicate", strata_i64_attr(nest->lowering->context, number)};
  return strata_emit_value(&nest->e, is_float ? "arith.cmpf" : "arith.cmpi", 2, (MlirValue[]){x, y}, bool_type(nest), 1,
                           &attr);
}

MlirValue strata__ordered_bits(strata__nest_t *nest, MlirValue x) {
  MlirType i32 = mlirIntegerTypeGet(nest->lowering->context, 32);
  MlirValue zero = strata__float_constant(nest, type_of(x), 0);
  MlirValue number = strata__select(nest, strata__compare(nest, "oeq", x, zero), zero, x);
  MlirValue bits = strata__cast(nest, "arith.bitcast", number, i32);
  MlirValue flipped = strata__binary(nest, "arith.xori", bits, strata__int_constant(nest, i32, INT32_MAX));
  MlirValue is_negative = strata__compare(nest, "slt", bits, strata__int_constant(nest, i32, 0));
  return strata__select(nest, is_negative, flipped, bits);
}

//===-- Integer arithmetic without undefined cases ---------------------------------------------------------------===//

typedef MlirValue (*integer_op_t)(strata__nest_t *nest, const char *op, const MlirValue *x);

static MlirValue negate(strata__nest_t *nest, const char *op, const MlirValue *x) {
  (void)op;
  return strata__binary(nest, "arith.subi", strata__int_constant(nest, type_of(x[0]), 0), x[0]);
}

static MlirValue complement(strata__nest_t *nest, const char *op, const MlirValue *x) {
  (void)op;
  return strata__binary(nest, "arith.xori", x[0], strata__int_constant(nest, type_of(x[0]), -1));
}

// x / 0 = 0 and x rem 0 = 0.
static MlirValue divide_unsigned(strata__nest_t *nest, const char *op, const MlirValue *x) {
  MlirValue zero = strata__int_constant(nest, type_of(x[0]), 0), one = strata__int_constant(nest, type_of(x[0]), 1);
  MlirValue is_zero = strata__compare(nest, "eq", x[1], zero);
  MlirValue result = strata__binary(nest, op, x[0], strata__select(nest, is_zero, one, x[1]));
  return strata__select(nest, is_zero, zero, result);
}

// x / -1 is 0 - x, which wraps; x rem -1 = 0.
static MlirValue divide_signed(strata__nest_t *nest, const char *op, const MlirValue *x) {
  MlirType type = type_of(x[0]);
  MlirValue zero = strata__int_constant(nest, type, 0), one = strata__int_constant(nest, type, 1);
  MlirValue is_zero = strata__compare(nest, "eq", x[1], zero);
  MlirValue is_minus_one = strata__compare(nest, "eq", x[1], strata__int_constant(nest, type, -1));
  MlirValue divisor = strata__select(nest, strata__binary(nest, "arith.ori", is_zero, is_minus_one), one, x[1]);
  MlirValue result = strata__binary(nest, op, x[0], divisor);
  MlirValue by_minus_one = strcmp(op, "arith.divsi") ? zero : negate(nest, op, x);
  return strata__select(nest, is_zero, zero, strata__select(nest, is_minus_one, by_minus_one, result));
}

// Shifts by the width or more give 0, but for arithmetic ones, which fill with the sign.
static MlirValue shift(strata__nest_t *nest, const char *op, const MlirValue *x) {
  MlirType type = type_of(x[0]);
  MlirValue most = strata__int_constant(nest, type, width_of(type) - 1);
  MlirValue result = strata__binary(nest, op, x[0], strata__binary(nest, "arith.minui", x[1], most));
  if (!strcmp(op, "arith.shrsi"))
    return result;
  return strata__select(nest, strata__compare(nest, "ule", x[1], most), result, strata__int_constant(nest, type, 0));
}

static const struct {
  const char *op;
  integer_op_t emit;
} integer_ops[] = {
    {"neg", negate},
    {"not", complement},
    {"arith.divsi", divide_signed},
    {"arith.remsi", divide_signed},
    {"arith.divui", divide_unsigned},
    {"arith.remui", divide_unsigned},
    {"arith.shli", shift},
    {"arith.shrsi", shift},
    {"arith.shrui", shift},
};

static MlirValue integer_op(strata__nest_t *nest, const char *op, int n, const MlirValue *operands) {
  for (size_t i = 0; i < sizeof integer_ops / sizeof *integer_ops; i++)
    if (!strcmp(integer_ops[i].op, op))
      return integer_ops[i].emit(nest, op, operands);
  return arithmetic(nest, op, n, operands);
}

//===-- Conversions ----------------------------------------------------------------------------------------------===//

static MlirValue resize_float(strata__nest_t *nest, MlirValue x, MlirType type) {
  unsigned from = mlirFloatTypeGetWidth(type_of(x)), to = mlirFloatTypeGetWidth(type);
  return from == to ? x : strata__cast(nest, from < to ? "arith.extf" : "arith.truncf", x, type);
}

// An f64 as the f32 that rounds to any narrower type as the f64 itself does: the 29 bits that f32 has not become one
// sticky bit, the last that it has ("round to odd").
static MlirValue round_to_odd(strata__nest_t *nest, MlirValue x) {
  enum { LOST_BITS = 29 };
  MlirType i64 = mlirIntegerTypeGet(nest->lowering->context, 64), f32 = mlirF32TypeGet(nest->lowering->context);
  MlirValue bits = strata__cast(nest, "arith.bitcast", x, i64), zero = strata__int_constant(nest, i64, 0);
  int64_t lost = ((int64_t)1 << LOST_BITS) - 1;
  MlirValue low = strata__binary(nest, "arith.andi", bits, strata__int_constant(nest, i64, lost));
  MlirValue high = strata__binary(nest, "arith.andi", bits, strata__int_constant(nest, i64, ~lost));
  MlirValue sticky =
      strata__select(nest, strata__compare(nest, "ne", low, zero), strata__int_constant(nest, i64, lost + 1), zero);
  MlirValue odd = strata__binary(nest, "arith.ori", high, sticky);
  return strata__cast(nest, "arith.truncf", strata__cast(nest, "arith.bitcast", odd, type_of(x)), f32);
}

// Floats narrower than f32 are reached from f32, so that only one rounding counts.
static MlirValue float_to_float(strata__nest_t *nest, MlirValue x, MlirType type) {
  if (mlirFloatTypeGetWidth(type_of(x)) == 64 && mlirFloatTypeGetWidth(type) < 32)
    x = round_to_odd(nest, x);
  return resize_float(nest, x, type);
}

// An i64 that f64 holds exactly and that rounds to a float narrower than f32 as |x| does: from 2^53 on, the lowest 12
// bits become one sticky bit.
static MlirValue sticky_i64(strata__nest_t *nest, MlirValue x, bool is_unsigned) {
  MlirType i64 = type_of(x);
  const int64_t lost = 0xfff, limit = (int64_t)1 << 53;
  MlirValue zero = strata__int_constant(nest, i64, 0);
  MlirValue low = strata__binary(nest, "arith.andi", x, strata__int_constant(nest, i64, lost));
  MlirValue high = strata__binary(nest, "arith.andi", x, strata__int_constant(nest, i64, ~lost));
  MlirValue sticky = strata__select(nest, strata__compare(nest, "ne", low, zero),
                                    strata__int_constant(nest, i64, (lost + 1) / 2), zero);
  MlirValue shifted = is_unsigned ? x : strata__binary(nest, "arith.addi", x, strata__int_constant(nest, i64, limit));
  MlirValue span = strata__int_constant(nest, i64, is_unsigned ? limit : 2 * limit);
  return strata__select(nest, strata__compare(nest, "ult", shifted, span), x,
                        strata__binary(nest, "arith.ori", high, sticky));
}

static MlirValue int_to_float(strata__nest_t *nest, MlirValue x, MlirType type, bool is_unsigned) {
  MlirContext context = nest->lowering->context;
  const char *op = is_unsigned ? "arith.uitofp" : "arith.sitofp";
  if (mlirFloatTypeGetWidth(type) >= 32)
    return strata__cast(nest, op, x, type);
  bool is_exact = width_of(type_of(x)) <= 16;
  if (width_of(type_of(x)) == 64)
    x = sticky_i64(nest, x, is_unsigned);
  MlirValue wide = strata__cast(nest, op, x, is_exact ? mlirF32TypeGet(context) : mlirF64TypeGet(context));
  return float_to_float(nest, wide, type);
}

// The same for integers all of which the float type has: what is too great or too small is replaced before.
static MlirValue float_to_small_int(strata__nest_t *nest, MlirValue x, MlirType type, double least, double most,
                                    bool is_unsigned) {
  MlirType from = type_of(x);
  MlirValue low = strata__float_constant(nest, from, least), high = strata__float_constant(nest, from, most);
  if (!nest->is_number)
    x = strata__select(nest, strata__compare(nest, "oeq", x, x), x, strata__float_constant(nest, from, 0));
  x = strata__select(nest, strata__compare(nest, "ogt", x, low), x, low);
  x = strata__select(nest, strata__compare(nest, "olt", x, high), x, high);
  return strata__cast(nest, is_unsigned ? "arith.fptoui" : "arith.fptosi", x, type);
}

// Saturates; NaN becomes 0.
static MlirValue float_to_int(strata__nest_t *nest, MlirValue x, MlirType type, bool is_unsigned) {
  int width = width_of(type);
  double limit = ldexp(1, is_unsigned ? width : width - 1); // the least power of two that is too great
  int64_t most = is_unsigned ? -1 : (int64_t)(UINT64_MAX >> (65 - width));
  int64_t least = is_unsigned ? 0 : -most - 1;
  if (width <= 16)
    return float_to_small_int(nest, x, type, is_unsigned ? 0 : -limit, limit - 1, is_unsigned);
  MlirValue high = strata__float_constant(nest, type_of(x), limit);
  MlirValue low = strata__float_constant(nest, type_of(x), is_unsigned ? 0 : -limit);
  MlirValue is_low = strata__compare(nest, "olt", x, low), is_high = strata__compare(nest, "oge", x, high);
  MlirValue is_inside =
      strata__binary(nest, "arith.andi", strata__compare(nest, "oge", x, low), strata__compare(nest, "olt", x, high));
  MlirValue safe = strata__select(nest, is_inside, x, strata__float_constant(nest, type_of(x), 0));
  MlirValue result = strata__cast(nest, is_unsigned ? "arith.fptoui" : "arith.fptosi", safe, type);
  result = strata__select(nest, is_high, strata__int_constant(nest, type, most), result);
  return strata__select(nest, is_low, strata__int_constant(nest, type, least), result);
}

static MlirValue int_to_int(strata__nest_t *nest, MlirValue x, MlirType type, bool is_unsigned) {
  int from = width_of(type_of(x)), to = width_of(type);
  if (from == to)
    return x;
  return strata__cast(nest, from > to ? "arith.trunci" : is_unsigned ? "arith.extui" : "arith.extsi", x, type);
}

static MlirValue is_not_zero(strata__nest_t *nest, MlirValue x) {
  if (mlirTypeIsAFloat(type_of(x)))
    return strata__compare(nest, "une", x, strata__float_constant(nest, type_of(x), 0));
  return strata__compare(nest, "ne", x, strata__int_constant(nest, type_of(x), 0));
}

// An i4 is kept sign-extended; its unsigned value is the low four bits.
static MlirValue unsigned_nibble(strata__nest_t *nest, MlirValue x) {
  return strata__binary(nest, "arith.andi", x, strata__int_constant(nest, type_of(x), 15));
}

static MlirValue convert(strata__nest_t *nest, strata_op_id_t id, strata_type_t from, strata_type_t to, MlirValue x) {
  bool from_unsigned = id == STRATA_OP_CONVERT_U || from == STRATA_TYPE_I1;
  MlirContext context = nest->lowering->context;
  if (id == STRATA_OP_CONVERT_U && from == STRATA_TYPE_I4)
    x = unsigned_nibble(nest, x);
  if (to == STRATA_TYPE_I1)
    return is_not_zero(nest, x);
  if (strata_type_is_float(to)) {
    MlirType type = strata_type_to_mlir(context, to);
    return strata_type_is_float(from) ? float_to_float(nest, x, type) : int_to_float(nest, x, type, from_unsigned);
  }
  if (!strata_type_is_float(from))
    return int_to_int(nest, x, strata__math_type(context, to), from_unsigned);
  MlirValue value = float_to_int(nest, x, strata_type_to_mlir(context, to), id == STRATA_OP_CONVERT_TO_U);
  return int_to_int(nest, value, strata__math_type(context, to), false);
}

//===-- Classes of floats ----------------------------------------------------------------------------------------===//
// As comparisons: upstream lowers math.isinf for no target.

static MlirValue is_nan(strata__nest_t *nest, MlirValue x) { return strata__compare(nest, "uno", x, x); }

static MlirValue is_inf(strata__nest_t *nest, MlirValue x) {
  return strata__compare(nest, "oeq", strata__unary(nest, "math.absf", x),
                         strata__float_constant(nest, type_of(x), INFINITY));
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

MlirValue strata__body(strata__nest_t *nest, strata_op_id_t id, strata_type_t from, strata_type_t to,
                       const MlirValue *operands) {
  const strata_op_info_t *info = &strata_op_info[id];
  const char *body = strata_type_is_float(from) ? info->float_body : info->int_body;
  if (!strcmp(body, "convert"))
    return convert(nest, id, from, to, operands[0]);
  if (!strncmp(body, "pred:", 5))
    return strata__compare(nest, body + 5, operands[0], operands[1]);
  if (info->rule == STRATA_RULE_SECOND)
    return strata__select(nest, operands[0], operands[1], operands[2]);
  if (info->rule == STRATA_RULE_BOOL)
    return (id == STRATA_OP_IS_NAN ? is_nan : is_inf)(nest, operands[0]);
  if (id == STRATA_OP_DIV_EXACT)
    return strata_emit_value(&nest->e, body, 2, operands, type_of(operands[0]), 0, NULL); // no fast-math flags
  return strata_type_is_float(from) ? arithmetic(nest, body, info->n_operands, operands)
                                    : integer_op(nest, body, info->n_operands, operands);
}

//===-- Combiners ------------------------------------------------------------------------------------------------===//

MlirValue strata__combine(strata__nest_t *nest, strata_combiner_t combiner, MlirValue x, MlirValue y) {
  const strata_combiner_info_t *info = &strata_combiner_info[combiner];
  return strata__binary(nest, mlirTypeIsAFloat(type_of(x)) ? info->float_op : info->int_op, x, y);
}

MlirAttribute strata__neutral(strata_combiner_t combiner, MlirType type) {
  static const double floats[] = {[STRATA_NEUTRAL_ZERO] = 0,
                                  [STRATA_NEUTRAL_ONE] = 1,
                                  [STRATA_NEUTRAL_LOWEST] = -INFINITY,
                                  [STRATA_NEUTRAL_HIGHEST] = INFINITY};
  strata_neutral_t neutral = strata_combiner_info[combiner].neutral;
  if (mlirTypeIsAFloat(type))
    return mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, floats[neutral]);
  int64_t most = (int64_t)((UINT64_MAX >> (64 - width_of(type))) >> 1);
  const int64_t ints[] = {[STRATA_NEUTRAL_ZERO] = 0,
                          [STRATA_NEUTRAL_ONE] = 1,
                          [STRATA_NEUTRAL_LOWEST] = -most - 1,
                          [STRATA_NEUTRAL_HIGHEST] = most,
                          [STRATA_NEUTRAL_ALL_ONES] = -1};
  return mlirIntegerAttrGet(type, ints[neutral]);
}

MlirValue strata__neutral_value(strata__nest_t *nest, strata_combiner_t combiner, MlirType type) {
  return strata_emit_constant(&nest->e, type, strata__neutral(combiner, type));
}
