// The functions of math.def in arith.
//
//   exp, exp2   x = n log 2 + r by Cody and Waite's two-part constant, a polynomial in r, and 2^n in two steps, so that
//               the result rounds once where it is denormal
//   expm1       the same split; 2^n (e^r - 1) + (2^n - 1)
//   log, log1p  x = 2^e m with 2/3 <= m < 4/3, a polynomial in m - 1 (log1p adds what 1 + x lost)
//   tanh, erf   odd polynomials near 0, else 1 - 2 / (exp(2 t) + 1) and 1 - exp(-t q(t)) of t = |x|
//   sin, cos    |x| up to 12867 reduced by pi/2 in four parts whose multiples are exact; beyond that libm
//   pow         exp2(y log2 |x|) in f64, then the cases of Annex F
//
// Rounding to an integer adds 1.5 * 2^23: the integer is in the low bits of the sum, NaN harms nothing.
#include "lowering/expand/notation.h"
#include "lowering/expand/ops.h"

#include <math.h>

#define POLY(name, ...) static const double name[] = {__VA_ARGS__};
#include "lowering/expand/polynomials.def"

static const double log2_e = 0x1.715476p+0;
static const double ln2 = 0x1.62e43p-1;

//===-- Approximations ------------------------------------------------------------------------------------------===//

// An instruction that approximates a function of f32, or a quotient by such a one.
static MlirValue approximate(expander_t *x, const char *name, int n_operands, const MlirValue *operands) {
  strata_emitter_t *e = x->m->e;
  strata_named_attr_t flags = {"fastmath",
                               mlirAttributeParseGet(e->context, strata_str("#arith.fastmath<arcp,contract,afn>"))};
  return strata_emit_value(e, name, n_operands, operands, x->real, 1, &flags);
}

static MlirValue quotient(expander_t *x, MlirValue a, MlirValue b) {
  return x->is_approximate ? approximate(x, "arith.divf", 2, (MlirValue[]){a, b})
                           : strata_emit_binary(x->m->e, "arith.divf", a, b);
}

// 2^(a log2 e): what rounding takes off the product, a - product * log 2, is put back afterwards, where that is finite;
// it is a relative error of |a| 2^-24. Not where 1 is added: of a sigmoid only results as small as e^a have it.
static MlirValue approximate_exp(expander_t *x, MlirValue a) {
  MlirValue product = mul(x, a, real(x, log2_e)), power = approximate(x, "math.exp2", 1, &product);
  if (x->m->rounds_to_16 || x->is_below_greatest || x->is_beside_one)
    return power;
  MlirValue lost = multiply_add(x, product, real(x, -ln2), a), exact = multiply_add(x, power, lost, power);
  return select(x, compare(x, STRATA_OLT, magnitude(x, a), 88.7228), exact, power);
}

//===-- Exponentials ---------------------------------------------------------------------------------------------===//

static const double ln2_high = 0x1.63p-1, ln2_low = -0x1.bd0106p-13; // n * ln2_high is exact
static const double round_f32 = 0x1.8p+23, round_f64 = 0x1.8p+52;

typedef struct {
  MlirValue real, bits; // one integer in two types
} integer_t;

// a * scale rounded to the nearest integer.
static integer_t nearest(expander_t *x, MlirValue a, double scale, double magic) {
  MlirValue sum = multiply_add(x, a, real(x, scale), real(x, magic));
  MlirValue number = sub(x, sum, real(x, magic));
  return (integer_t){number, integer(x, "arith.subi", to_bits(x, sum), to_bits(x, real(x, magic)))};
}

// 2^n as a float; n in the range of normal exponents.
static MlirValue power_of_two(expander_t *x, MlirValue n) {
  MlirValue biased = integer(x, "arith.addi", n, bits(x, 127));
  return to_real(x, integer(x, "arith.shli", biased, bits(x, 23)));
}

// a * 2^n for n in [-252, 254].
static MlirValue scale(expander_t *x, MlirValue a, MlirValue n) {
  MlirValue half = integer(x, "arith.shrsi", n, bits(x, 1));
  MlirValue rest = integer(x, "arith.subi", n, half);
  return mul(x, mul(x, a, power_of_two(x, half)), power_of_two(x, rest));
}

// e^a - 1 = 2^n (1 + *out_r) - 1: the integer n is returned.
static MlirValue reduce_exp(expander_t *x, MlirValue a, MlirValue *out_r) {
  integer_t n = nearest(x, a, log2_e, round_f32);
  MlirValue r = multiply_add(x, n.real, real(x, -ln2_high), a);
  r = multiply_add(x, n.real, real(x, -ln2_low), r);
  *out_r = multiply_add(x, mul(x, r, r), POLYNOMIAL(x, exp_q, r), r);
  return n.bits;
}

MlirValue strata_expand_exp(expander_t *x, const MlirValue *operands) {
  if (x->is_approximate)
    return approximate_exp(x, operands[0]);
  MlirValue r, a = at_least(x, at_most(x, operands[0], 89), -104);
  MlirValue n = reduce_exp(x, a, &r);
  return scale(x, add(x, r, real(x, 1)), n);
}

MlirValue strata_expand_exp2(expander_t *x, const MlirValue *operands) {
  if (x->is_approximate)
    return approximate(x, "math.exp2", 1, operands);
  MlirValue a = at_least(x, at_most(x, operands[0], 129), -151);
  integer_t n = nearest(x, a, 1, round_f32);
  MlirValue r = sub(x, a, n.real);
  return scale(x, multiply_add(x, r, POLYNOMIAL(x, exp2_p, r), real(x, 1)), n.bits);
}

// e^a where that is a normal number.
static MlirValue normal_exp(expander_t *x, MlirValue a) {
  if (x->is_approximate)
    return approximate_exp(x, a);
  MlirValue r, n = reduce_exp(x, a, &r);
  return mul(x, add(x, r, real(x, 1)), power_of_two(x, n));
}

// |a| where it is so small that f(a) = a, else |value|: exact for denormals and -0.
static MlirValue unless_tiny(expander_t *x, MlirValue a, MlirValue value) {
  double limit = mlirTypeIsAF64(strata_type_element(x->real)) ? 0x1p-28 : 0x1p-25;
  return select(x, compare(x, STRATA_OLT, magnitude(x, a), limit), a, value);
}

// Computed as twice its half, since 2^128 is no float.
MlirValue strata_expand_expm1(expander_t *x, const MlirValue *operands) {
  MlirValue r, n = reduce_exp(x, at_least(x, at_most(x, operands[0], 89), -18), &r);
  MlirValue half = power_of_two(x, integer(x, "arith.subi", n, bits(x, 1)));
  MlirValue value = mul(x, multiply_add(x, half, r, sub(x, half, real(x, 0.5))), real(x, 2));
  return unless_tiny(x, operands[0], value);
}

// 1 - 2 / (e^(2 a) + 1) on either side of 0. The power may overflow: then the quotient is 0. What the machine's power
// and quotient lose is at most 12.6 units in the last place of the result, down to where that is 1/4; the polynomial's
// bound is just above.
static MlirValue approximate_tanh(expander_t *x, MlirValue a) {
  MlirValue square = mul(x, a, a), exponent = mul(x, a, real(x, 2 * log2_e));
  MlirValue near = mul(x, a, multiply_add(x, square, POLYNOMIAL(x, tanh_short, square), real(x, 1)));
  MlirValue sum = add(x, approximate(x, "math.exp2", 1, &exponent), real(x, 1));
  MlirValue far = multiply_add(x, quotient(x, real(x, 1), sum), real(x, -2), real(x, 1));
  return select(x, compare(x, STRATA_OLT, magnitude(x, a), 0.2578125), near, far);
}

MlirValue strata_expand_tanh(expander_t *x, const MlirValue *operands) {
  if (x->is_approximate)
    return x->has_tanh ? approximate(x, "math.tanh", 1, operands) : approximate_tanh(x, operands[0]);
  MlirValue a = operands[0], t = at_most(x, magnitude(x, a), 10), square = mul(x, a, a);
  MlirValue near = multiply_add(x, mul(x, square, POLYNOMIAL(x, tanh_near, square)), a, a);
  MlirValue sum = add(x, normal_exp(x, add(x, t, t)), real(x, 1));
  MlirValue far = sub(x, real(x, 1), quotient(x, real(x, 2), sum));
  return with_sign(x, select(x, compare(x, STRATA_OLT, t, 0.625), near, far), a);
}

// libm's tanh is more than 2 units off for some of the smaller arguments.
MlirValue strata_expand_tanh_f64(expander_t *x, const MlirValue *operands) {
  MlirValue a = operands[0], u = mul(x, a, a);
  MlirValue near = multiply_add(x, mul(x, a, u), POLYNOMIAL(x, tanh_f64_p, u), a);
  bool has_libm = !mlirModuleIsNull(x->m->libm);
  MlirValue far = has_libm ? strata_emit_libm(x->m, "tanh", 1, &a, x->real) : strata_alone_tanh(x, &a);
  return unless_tiny(x, a, select(x, compare(x, STRATA_OLT, magnitude(x, a), 0.5625), near, far));
}

// One quotient up to where erf rounds to 1; beyond, and there alone, numerator and denominator overflow.
static MlirValue approximate_erf(expander_t *x, MlirValue a) {
  MlirValue u = mul(x, a, a), inverse = quotient(x, real(x, 1), POLYNOMIAL(x, erf_q, u));
  MlirValue near = mul(x, mul(x, a, POLYNOMIAL(x, erf_p, u)), inverse);
  return select(x, compare(x, STRATA_OGE, magnitude(x, a), 3.84), with_sign(x, real(x, 1), a), near);
}

// 1 - erfc |a|; the polynomial goes to -inf.
static MlirValue erf_beside_one(expander_t *x, MlirValue a) {
  MlirValue exponent = POLYNOMIAL(x, erfc_log2, magnitude(x, a));
  MlirValue far = sub(x, real(x, 1), approximate(x, "math.exp2", 1, &exponent));
  return with_sign(x, far, a);
}

// k erfc(c t) as a power of 2, whose exponent's polynomial takes both factors in. On the other side of 0, 2 k less
// that.
MlirValue strata_expand_normal(expander_t *x, MlirValue a, double c, double k) {
  enum { COUNT = sizeof erfc_log2 / sizeof erfc_log2[0] };
  double coefficients[COUNT], scale = 1;
  for (int i = 0; i < COUNT; i++, scale *= c)
    coefficients[i] = erfc_log2[i] * scale;
  coefficients[0] += log2(k);
  MlirValue exponent = polynomial(x, COUNT, coefficients, magnitude(x, a));
  MlirValue power = approximate(x, "math.exp2", 1, &exponent);
  MlirValue rest = sub(x, real(x, 2 * k), power), is_below = compare(x, STRATA_OLT, a, 0);
  return select(x, is_below, power, rest);
}

MlirValue strata_expand_erf(expander_t *x, const MlirValue *operands) {
  if (x->is_beside_one)
    return erf_beside_one(x, operands[0]);
  if (x->is_approximate)
    return approximate_erf(x, operands[0]);
  MlirValue a = operands[0], t = at_most(x, magnitude(x, a), 4);
  MlirValue near = multiply_add(x, a, POLYNOMIAL(x, erf_near, mul(x, a, a)), a);
  MlirValue exponent = strata_emit_unary(x->m->e, "arith.negf", mul(x, t, POLYNOMIAL(x, erf_far, t)));
  MlirValue far = sub(x, real(x, 1), normal_exp(x, exponent));
  return with_sign(x, select(x, compare(x, STRATA_OLT, t, 0.875), near, far), a);
}

//===-- Logarithms -----------------------------------------------------------------------------------------------===//

// f + log1p's higher terms, plus e log 2.
static MlirValue log_of_parts(expander_t *x, MlirValue f, MlirValue e) {
  MlirValue p = multiply_add(x, f, POLYNOMIAL(x, log_p, f), real(x, -0.5));
  return multiply_add(x, e, real(x, ln2), multiply_add(x, mul(x, f, f), p, f));
}

// The exponent e of a = 2^e m, 2/3 <= m < 4/3, shifted to its place; a is normal.
static MlirValue exponent_bits(expander_t *x, MlirValue a) {
  MlirValue above = integer(x, "arith.subi", to_bits(x, a), bits(x, 0x3f2aaaab));
  return integer(x, "arith.andi", above, bits(x, (int32_t)0xff800000));
}

static MlirValue exponent_real(expander_t *x, MlirValue e) {
  return mul(x, strata_emit_cast(x->m->e, "arith.sitofp", e, x->real), real(x, 0x1p-23));
}

// The machine's log2 has an absolute error, which is much of a logarithm next to 0: there the series of 1 + f.
static MlirValue approximate_log(expander_t *x, MlirValue a) {
  MlirValue f = sub(x, a, real(x, 1)), far = mul(x, approximate(x, "math.log2", 1, &a), real(x, ln2));
  MlirValue p = multiply_add(x, f, POLYNOMIAL(x, log_p, f), real(x, -0.5));
  MlirValue near = multiply_add(x, mul(x, f, f), p, f);
  return select(x, compare(x, STRATA_OLT, magnitude(x, f), 0x1.5p-2), near, far);
}

MlirValue strata_expand_log(expander_t *x, const MlirValue *operands) {
  if (x->is_approximate)
    return approximate_log(x, operands[0]);
  MlirValue a = operands[0], is_denormal = compare(x, STRATA_OLT, a, 0x1p-126);
  MlirValue normal = select(x, is_denormal, mul(x, a, real(x, 0x1p+23)), a);
  MlirValue e = exponent_bits(x, normal);
  MlirValue m = to_real(x, integer(x, "arith.subi", to_bits(x, normal), e));
  MlirValue exponent = add(x, exponent_real(x, e), select(x, is_denormal, real(x, -23), real(x, 0)));
  return strata_expand_log_cases(x, a, log_of_parts(x, sub(x, m, real(x, 1)), exponent));
}

// 1 + x = u + c exactly; c is scaled as u is.
MlirValue strata_expand_log1p(expander_t *x, const MlirValue *operands) {
  MlirValue a = operands[0], one = real(x, 1), u = add(x, a, one);
  MlirValue lost_small = sub(x, a, sub(x, u, one)), lost_large = sub(x, one, sub(x, u, a));
  MlirValue c = select(x, compare(x, STRATA_OGE, a, 1), lost_large, lost_small);
  MlirValue e = exponent_bits(x, u);
  MlirValue m = to_real(x, integer(x, "arith.subi", to_bits(x, u), e));
  MlirValue at_most_126 = integer(x, "arith.minsi", e, bits(x, 126 << 23));               // beyond 2^24 nothing is lost
  MlirValue inverse = to_real(x, integer(x, "arith.subi", to_bits(x, one), at_most_126)); // 2^-e
  MlirValue f = multiply_add(x, c, inverse, sub(x, m, one));
  return unless_tiny(x, a, strata_expand_log_cases(x, u, log_of_parts(x, f, exponent_real(x, e))));
}

//===-- Trigonometry ---------------------------------------------------------------------------------------------===//

static const double two_over_pi = 0x1.45f306p-1;
static const double half_pi[] = {0x1.92p+0, 0x1.fb4p-12, 0x1.444p-24, 0x1.68c234p-39}; // 11, 11, 11 and 24 bits
static const double reduction_limit = 12867;                                           // 2^13 * pi / 2

// What computes large arguments: libm, or where there is none the function itself.
typedef struct {
  const char *name;
  strata_expansion_t alone;
  MlirValue a;
} elsewhere_t;

static void compute_elsewhere(expander_t *x, const void *user, MlirValue *out_value) {
  const elsewhere_t *f = user;
  bool has_libm = !mlirModuleIsNull(x->m->libm);
  *out_value = has_libm ? strata_emit_libm(x->m, f->name, 1, &f->a, x->real) : f->alone(x, &f->a);
}

// |value|, but for arguments that are large, infinite or NaN.
static MlirValue large_elsewhere(expander_t *x, const char *name, strata_expansion_t alone, MlirValue a,
                                 MlirValue value) {
  MlirValue in_range = compare(x, STRATA_OLE, magnitude(x, a), reduction_limit);
  MlirValue all = strata_emit_integer(x->m->e, mlirValueGetType(in_range), 1);
  elsewhere_t elsewhere = {name, alone, a};
  strata_expand_rarely(x, integer(x, "arith.xori", in_range, all), compute_elsewhere, &elsewhere, 1, &value);
  return value;
}

// sin(a + shift * pi/2).
static MlirValue sine(expander_t *x, MlirValue a, int64_t shift) {
  integer_t n = nearest(x, a, two_over_pi, round_f32);
  MlirValue r = a;
  for (int i = 0; i < 4; i++)
    r = multiply_add(x, n.real, real(x, -half_pi[i]), r);
  MlirValue one = real(x, 1), u = mul(x, r, r);
  MlirValue sin = mul(x, r, multiply_add(x, u, POLYNOMIAL(x, sin_p, u), one));
  MlirValue cos = multiply_add(x, mul(x, u, u), POLYNOMIAL(x, cos_p, u), multiply_add(x, u, real(x, -0.5), one));
  MlirValue quadrant = integer(x, "arith.addi", n.bits, bits(x, shift));
  MlirValue odd = integer(x, "arith.andi", quadrant, bits(x, 1));
  MlirValue is_odd = strata_emit_cmpi(x->m->e, STRATA_NE, odd, bits(x, 0));
  MlirValue sign = integer(x, "arith.shli", integer(x, "arith.andi", quadrant, bits(x, 2)), bits(x, 30));
  return to_real(x, integer(x, "arith.xori", to_bits(x, select(x, is_odd, cos, sin)), sign));
}

MlirValue strata_expand_sin(expander_t *x, const MlirValue *operands) {
  return large_elsewhere(x, "sinf", strata_alone_sin, operands[0], sine(x, operands[0], 0));
}

MlirValue strata_expand_cos(expander_t *x, const MlirValue *operands) {
  return large_elsewhere(x, "cosf", strata_alone_cos, operands[0], sine(x, operands[0], 1));
}

//===-- Powers ---------------------------------------------------------------------------------------------------===//

MlirValue strata_expand_rsqrt(expander_t *x, const MlirValue *operands) {
  if (x->is_approximate)
    return approximate(x, "math.rsqrt", 1, operands);
  return quotient(x, real(x, 1), strata_emit_unary(x->m->e, "math.sqrt", operands[0]));
}

// log2 of a positive, finite f64.
static MlirValue log2_f64(expander_t *w, MlirValue a) {
  MlirValue low = bits(w, 0x3fe6a09e667f3bcd); // sqrt(1/2): the mantissa goes into [sqrt(1/2), sqrt 2)
  MlirValue above = integer(w, "arith.subi", to_bits(w, a), low);
  MlirValue e = integer(w, "arith.andi", above, bits(w, (int64_t)0xfff0000000000000));
  MlirValue m = to_real(w, integer(w, "arith.subi", to_bits(w, a), e));
  MlirValue exponent = integer(w, "arith.shrsi", e, bits(w, 52));
  MlirValue s = quotient(w, sub(w, m, real(w, 1)), add(w, m, real(w, 1)));
  MlirValue number = strata_emit_cast(w->m->e, "arith.sitofp", exponent, w->real);
  return multiply_add(w, s, POLYNOMIAL(w, log2_p, mul(w, s, s)), number);
}

// 2^a for |a| <= 300.
static MlirValue exp2_f64(expander_t *w, MlirValue a) {
  integer_t n = nearest(w, a, 1, round_f64);
  MlirValue r = sub(w, a, n.real);
  MlirValue value = multiply_add(w, r, POLYNOMIAL(w, exp2_f64_p, r), real(w, 1));
  MlirValue shifted = integer(w, "arith.shli", n.bits, bits(w, 52));
  return to_real(w, integer(w, "arith.addi", to_bits(w, value), shifted));
}

// |a|^b. In f64 the product's error is far below f32's, and the conversion back rounds denormals and overflows.
static MlirValue power_of_magnitude(expander_t *x, MlirValue a, MlirValue b) {
  strata_emitter_t *e = x->m->e;
  if (mlirTypeIsAF64(strata_type_element(x->real)))
    return strata_expand_power_alone(x, magnitude(x, a), b);
  expander_t w = {.m = x->m,
                  .real = strata_type_like(x->real, mlirF64TypeGet(e->context)),
                  .bits = strata_type_like(x->real, mlirIntegerTypeGet(e->context, 64))};
  MlirValue base = strata_emit_cast(e, "arith.extf", magnitude(x, a), w.real);
  MlirValue log = log2_f64(&w, base);
  log = select(&w, compare(&w, STRATA_OEQ, base, 0), real(&w, -INFINITY), log);
  log = select(&w, compare(&w, STRATA_OLT, base, INFINITY), log, base); // inf and NaN
  MlirValue product = mul(&w, strata_emit_cast(e, "arith.extf", b, w.real), log);
  product = at_least(&w, at_most(&w, product, 300), -300);
  MlirValue power = exp2_f64(&w, product);
  // The bits of a NaN's power are arbitrary.
  MlirValue is_nan = strata_emit_cmpf(e, STRATA_UNO, product, product);
  return strata_emit_cast(e, "arith.truncf", select(&w, is_nan, product, power), x->real);
}

MlirValue strata_expand_pow(expander_t *x, const MlirValue *operands) {
  strata_emitter_t *e = x->m->e;
  MlirValue a = operands[0], b = operands[1], one = real(x, 1), half = mul(x, b, real(x, 0.5));
  MlirValue value = power_of_magnitude(x, a, b);
  MlirValue all = strata_emit_integer(e, strata_type_like(x->real, mlirIntegerTypeGet(e->context, 1)), 1);
  MlirValue b_is_number = strata_emit_cmpf(e, STRATA_OEQ, b, b);
  MlirValue is_unit = integer(x, "arith.andi", compare(x, STRATA_OEQ, magnitude(x, a), 1), b_is_number);
  value = select(x, is_unit, one, value); // -1 to an infinite power, too
  // A negative base: odd powers are negative; what is no integer power is NaN unless the base is 0 or infinite.
  MlirValue not_integer = strata_emit_cmpf(e, STRATA_UNE, strata_emit_unary(e, "math.trunc", b), b);
  MlirValue not_even = strata_emit_cmpf(e, STRATA_UNE, strata_emit_unary(e, "math.trunc", half), half);
  MlirValue is_negative = strata_emit_cmpi(e, STRATA_SLT, to_bits(x, a), bits(x, 0));
  MlirValue is_odd = integer(x, "arith.andi", not_even, integer(x, "arith.xori", not_integer, all));
  MlirValue negated = strata_emit_unary(e, "arith.negf", value);
  value = select(x, integer(x, "arith.andi", is_odd, is_negative), negated, value);
  MlirValue is_plain = integer(x, "arith.andi", compare(x, STRATA_OLT, a, 0), compare(x, STRATA_OGT, a, -INFINITY));
  value = select(x, integer(x, "arith.andi", is_plain, not_integer), real(x, NAN), value);
  MlirValue is_one = integer(x, "arith.ori", compare(x, STRATA_OEQ, a, 1), compare(x, STRATA_OEQ, b, 0));
  return select(x, is_one, one, value);
}

// Square and multiply over the bits of the exponent. To a negative power only 1 and -1 have an integer value; others
// give 0.
MlirValue strata_expand_ipowi(expander_t *x, const MlirValue *operands) {
  strata_emitter_t *e = x->m->e;
  MlirType type = mlirValueGetType(operands[0]);
  MlirValue one = strata_emit_integer(e, type, 1), zero = strata_emit_integer(e, type, 0);
  MlirValue inits[] = {one, operands[0], operands[1]}, carried[3], results[3];
  int64_t width = mlirIntegerTypeGetWidth(strata_type_element(type));
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_emit_index(e, 0), strata_emit_index(e, width), 1, 3, inits, carried);
  MlirValue bit = integer(x, "arith.andi", carried[2], one);
  MlirValue is_set = strata_emit_cmpi(e, STRATA_NE, bit, zero);
  MlirValue yields[] = {
      select(x, is_set, integer(x, "arith.muli", carried[0], carried[1]), carried[0]),
      integer(x, "arith.muli", carried[1], carried[1]),
      integer(x, "arith.shrui", carried[2], one),
  };
  strata_emit_for_end(e, loop, 3, yields, results);
  // 1 and -1 are their own inverses: the loop is right for them as it stands.
  MlirValue is_one = strata_emit_cmpi(e, STRATA_EQ, operands[0], one);
  MlirValue is_minus_one = strata_emit_cmpi(e, STRATA_EQ, operands[0], strata_emit_integer(e, type, -1));
  MlirValue is_unit = integer(x, "arith.ori", is_one, is_minus_one);
  MlirValue is_inverse = strata_emit_cmpi(e, STRATA_SLT, operands[1], zero);
  return select(x, is_inverse, select(x, is_unit, results[0], zero), results[0]);
}
