// Scalar semantics; see scalar.h.
#include "dialects/strata/scalar.h"

#include <math.h>

//===-- Floats ---------------------------------------------------------------------------------------------------===//

static double float_neg(double x) { return -x; }
static double float_rsqrt(double x) { return 1 / sqrt(x); }
static double float_add(double x, double y) { return x + y; }
static double float_sub(double x, double y) { return x - y; }
static double float_mul(double x, double y) { return x * y; }
static double float_div(double x, double y) { return x / y; }

// NaN if either is; -0 is less than +0.
static double float_min(double x, double y) {
  if (isnan(x) || isnan(y))
    return x + y;
  return x < y || (x == y && signbit(x)) ? x : y;
}

static double float_max(double x, double y) {
  if (isnan(x) || isnan(y))
    return x + y;
  return x > y || (x == y && signbit(y)) ? x : y;
}

static bool float_is_nan(double x) { return isnan(x); }
static bool float_is_inf(double x) { return isinf(x); }
static bool float_eq(double x, double y) { return x == y; }
static bool float_ne(double x, double y) { return x != y; }
static bool float_lt(double x, double y) { return x < y; }
static bool float_le(double x, double y) { return x <= y; }
static bool float_gt(double x, double y) { return x > y; }
static bool float_ge(double x, double y) { return x >= y; }

//===-- Integers -------------------------------------------------------------------------------------------------===//

// Arithmetic is done on unsigned numbers, which wrap.
static int64_t int_neg(int64_t x) { return (int64_t) - (uint64_t)x; }
static int64_t int_abs(int64_t x) { return x < 0 ? int_neg(x) : x; }
static int64_t int_not(int64_t x) { return ~x; }

#define INT2(name, expr)                                                                                               \
  static int64_t int_##name(int64_t x, int64_t y, int bits) {                                                          \
    (void)bits;                                                                                                        \
    return (int64_t)(expr);                                                                                            \
  }
#define UNSIGNED2(name, expr)                                                                                          \
  static int64_t int_##name(int64_t x, int64_t y, int bits) {                                                          \
    uint64_t u = strata__unsigned(x, bits), v = strata__unsigned(y, bits);                                             \
    return (int64_t)(expr);                                                                                            \
  }

INT2(add, (uint64_t)x + (uint64_t)y)
INT2(sub, (uint64_t)x - (uint64_t)y)
INT2(mul, (uint64_t)x *(uint64_t)y)
INT2(div, y == 0 ? 0 : y == -1 ? int_neg(x) : x / y)
INT2(rem, y == 0 || y == -1 ? 0 : x % y)
INT2(min, x < y ? x : y)
INT2(max, x > y ? x : y)
INT2(and, x &y)
INT2(or, x | y)
INT2(xor, x ^ y)
INT2(eq, x == y)
INT2(ne, x != y)
INT2(lt, x < y)
INT2(le, x <= y)
INT2(gt, x > y)
INT2(ge, x >= y)
UNSIGNED2(div_u, v == 0 ? 0 : u / v)
UNSIGNED2(rem_u, v == 0 ? 0 : u % v)
UNSIGNED2(min_u, u < v ? u : v)
UNSIGNED2(max_u, u > v ? u : v)
UNSIGNED2(lt_u, u < v)
UNSIGNED2(le_u, u <= v)
UNSIGNED2(gt_u, u > v)
UNSIGNED2(ge_u, u >= v)
UNSIGNED2(shl, v >= (unsigned)bits ? 0 : u << v)
UNSIGNED2(shr_u, v >= (unsigned)bits ? 0 : u >> v)

static int64_t int_shr(int64_t x, int64_t y, int bits) {
  uint64_t by = strata__unsigned(y, bits);
  return x >> (by >= (unsigned)bits ? 63 : by);
}

// By squaring; a negative exponent gives the integer part of the quotient, 0 for powers of 0.
static int64_t int_pow(int64_t x, int64_t y, int bits) {
  (void)bits;
  if (y < 0)
    return x == 1 || (x == -1 && y % 2 == 0) ? 1 : x == -1 ? -1 : 0;
  uint64_t power = 1, base = (uint64_t)x;
  for (; y; y >>= 1, base *= base)
    if (y & 1)
      power *= base;
  return (int64_t)power;
}

int64_t strata__float_to_int(double value, int bits, bool is_unsigned) {
  double limit = ldexp(1, is_unsigned ? bits : bits - 1);
  if (isnan(value))
    return 0;
  if (value >= limit)
    return (int64_t)(UINT64_MAX >> (64 - (is_unsigned ? bits : bits - 1)));
  if (is_unsigned)
    return value <= 0 ? 0 : (int64_t)(uint64_t)value;
  return value < -limit ? INT64_MIN >> (64 - bits) : (int64_t)value;
}

//===-- The table ------------------------------------------------------------------------------------------------===//

const strata__scalar_t strata__scalar[STRATA_OP_COUNT] = {
    [STRATA_OP_NEG] = {.float1 = float_neg, .int1 = int_neg},
    [STRATA_OP_ABS] = {.float1 = fabs, .int1 = int_abs},
    [STRATA_OP_CEIL] = {.float1 = ceil},
    [STRATA_OP_FLOOR] = {.float1 = floor},
    [STRATA_OP_TRUNC] = {.float1 = trunc},
    [STRATA_OP_ROUND_EVEN] = {.float1 = rint},
    [STRATA_OP_SQRT] = {.float1 = sqrt},
    [STRATA_OP_RSQRT] = {.float1 = float_rsqrt},
    [STRATA_OP_EXP] = {.float1 = exp},
    [STRATA_OP_EXP2] = {.float1 = exp2},
    [STRATA_OP_EXPM1] = {.float1 = expm1},
    [STRATA_OP_LOG] = {.float1 = log},
    [STRATA_OP_LOG1P] = {.float1 = log1p},
    [STRATA_OP_SIN] = {.float1 = sin},
    [STRATA_OP_COS] = {.float1 = cos},
    [STRATA_OP_TAN] = {.float1 = tan},
    [STRATA_OP_ASIN] = {.float1 = asin},
    [STRATA_OP_ACOS] = {.float1 = acos},
    [STRATA_OP_ATAN] = {.float1 = atan},
    [STRATA_OP_SINH] = {.float1 = sinh},
    [STRATA_OP_COSH] = {.float1 = cosh},
    [STRATA_OP_TANH] = {.float1 = tanh},
    [STRATA_OP_ASINH] = {.float1 = asinh},
    [STRATA_OP_ACOSH] = {.float1 = acosh},
    [STRATA_OP_ATANH] = {.float1 = atanh},
    [STRATA_OP_ERF] = {.float1 = erf},
    [STRATA_OP_IS_NAN] = {.test1 = float_is_nan},
    [STRATA_OP_IS_INF] = {.test1 = float_is_inf},
    [STRATA_OP_NOT] = {.int1 = int_not},
    [STRATA_OP_ADD] = {.float2 = float_add, .int2 = int_add},
    [STRATA_OP_SUB] = {.float2 = float_sub, .int2 = int_sub},
    [STRATA_OP_MUL] = {.float2 = float_mul, .int2 = int_mul},
    [STRATA_OP_DIV] = {.float2 = float_div, .int2 = int_div},
    [STRATA_OP_DIV_EXACT] = {.float2 = float_div},
    [STRATA_OP_DIV_U] = {.int2 = int_div_u},
    [STRATA_OP_REM] = {.float2 = fmod, .int2 = int_rem},
    [STRATA_OP_REM_U] = {.int2 = int_rem_u},
    [STRATA_OP_POW] = {.float2 = pow, .int2 = int_pow},
    [STRATA_OP_ATAN2] = {.float2 = atan2},
    [STRATA_OP_MIN] = {.float2 = float_min, .int2 = int_min},
    [STRATA_OP_MAX] = {.float2 = float_max, .int2 = int_max},
    [STRATA_OP_MIN_U] = {.int2 = int_min_u},
    [STRATA_OP_MAX_U] = {.int2 = int_max_u},
    [STRATA_OP_AND] = {.int2 = int_and},
    [STRATA_OP_OR] = {.int2 = int_or},
    [STRATA_OP_XOR] = {.int2 = int_xor},
    [STRATA_OP_SHL] = {.int2 = int_shl},
    [STRATA_OP_SHR] = {.int2 = int_shr},
    [STRATA_OP_SHR_U] = {.int2 = int_shr_u},
    [STRATA_OP_EQ] = {.test2 = float_eq, .int2 = int_eq},
    [STRATA_OP_NE] = {.test2 = float_ne, .int2 = int_ne},
    [STRATA_OP_LT] = {.test2 = float_lt, .int2 = int_lt},
    [STRATA_OP_LE] = {.test2 = float_le, .int2 = int_le},
    [STRATA_OP_GT] = {.test2 = float_gt, .int2 = int_gt},
    [STRATA_OP_GE] = {.test2 = float_ge, .int2 = int_ge},
    [STRATA_OP_LT_U] = {.int2 = int_lt_u},
    [STRATA_OP_LE_U] = {.int2 = int_le_u},
    [STRATA_OP_GT_U] = {.int2 = int_gt_u},
    [STRATA_OP_GE_U] = {.int2 = int_ge_u},
};

const strata__scalar_t *strata__combiner_scalar(strata_combiner_t combiner) {
  return &strata__scalar[strata_op_from_mnemonic(strata_combiner_info[combiner].name)];
}
