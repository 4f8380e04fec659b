// The functions of math.def for machines without libm: computed in f64, for f32 as for f64.
//
//   exp, expm1   x = n log 2 + r, a polynomial in r, 2^n in two steps
//   log, log1p   x = 2^e m with sqrt(1/2) <= m < sqrt 2, a polynomial in (m - 1) / (m + 1)
//   sin, cos     reduced by pi/2: of f32 exactly, by the bits of 2/pi that matter; of f64 in three parts, beyond
//                2^30 as large_angle.c does
//   atan         reduced to |z| <= tan(pi/8) by 1/z and (z - 1) / (z + 1)
//   erf, erfc    a polynomial up to 1, beyond it exp(-t^2) times one
//   the others   by these
#include "lowering/expand/notation.h"

#include <math.h>

#define POLY(name, ...) static const double name[] = {__VA_ARGS__};
#include "lowering/expand/polynomials_f64.def"

typedef MlirValue (*wide_t)(expander_t *w, const MlirValue *a);

// |function| in f64 on operands of the expander's type.
static MlirValue widely(expander_t *x, wide_t function, int n_operands, const MlirValue *operands) {
  MlirType element = strata_type_element(x->real);
  if (mlirTypeIsAF64(element))
    return function(x, operands);
  if (!mlirTypeIsAF32(element))
    return (MlirValue){0};
  strata_emitter_t *e = x->m->e;
  expander_t w = {.m = x->m,
                  .real = strata_type_like(x->real, mlirF64TypeGet(e->context)),
                  .bits = strata_type_like(x->real, mlirIntegerTypeGet(e->context, 64))};
  MlirValue wide[2];
  for (int i = 0; i < n_operands; i++)
    wide[i] = strata_emit_cast(e, "arith.extf", operands[i], w.real);
  return strata_emit_cast(e, "arith.truncf", function(&w, wide), x->real);
}

static MlirValue quotient(expander_t *w, MlirValue a, MlirValue b) {
  return strata_emit_binary(w->m->e, "arith.divf", a, b);
}
static MlirValue root(expander_t *w, MlirValue a) { return strata_emit_unary(w->m->e, "math.sqrt", a); }
static MlirValue half(expander_t *w, MlirValue a) { return mul(w, a, real(w, 0.5)); }

//===-- Exponentials ---------------------------------------------------------------------------------------------===//

static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

static MlirValue power_of_two(expander_t *w, MlirValue n) {
  MlirValue biased = integer(w, "arith.addi", n, bits(w, 1023));
  return to_real(w, integer(w, "arith.shli", biased, bits(w, 52)));
}

// e^a = 2^n (1 + r): n, and *out_r.
static MlirValue reduce_exp(expander_t *w, MlirValue a, MlirValue *out_r) {
  MlirValue magic = real(w, 0x1.8p+52), sum = multiply_add(w, a, real(w, 0x1.71547652b82fep+0), magic);
  MlirValue n = sub(w, sum, magic);
  MlirValue r = multiply_add(w, n, real(w, -ln2_high), a);
  r = multiply_add(w, n, real(w, -ln2_low), r);
  *out_r = multiply_add(w, mul(w, r, r), POLYNOMIAL(w, exp_f64_q, r), r);
  return integer(w, "arith.subi", to_bits(w, sum), to_bits(w, magic));
}

static MlirValue wide_exp(expander_t *w, const MlirValue *a) {
  MlirValue r, n = reduce_exp(w, at_least(w, at_most(w, a[0], 710), -746), &r);
  MlirValue first = integer(w, "arith.shrsi", n, bits(w, 1)), rest = integer(w, "arith.subi", n, first);
  return mul(w, mul(w, add(w, r, real(w, 1)), power_of_two(w, first)), power_of_two(w, rest));
}

static MlirValue wide_exp2(expander_t *w, const MlirValue *a) {
  MlirValue b = at_least(w, at_most(w, a[0], 1025), -1076);
  MlirValue n = strata_emit_unary(w->m->e, "math.roundeven", b);
  MlirValue scaled = mul(w, sub(w, b, n), real(w, 0x1.62e42fefa39efp-1));
  MlirValue number = strata_emit_cast(w->m->e, "arith.fptosi", at_least(w, n, -1076), w->bits);
  MlirValue first = integer(w, "arith.shrsi", number, bits(w, 1)), rest = integer(w, "arith.subi", number, first);
  return mul(w, mul(w, wide_exp(w, &scaled), power_of_two(w, first)), power_of_two(w, rest));
}

// 2^n r + (2^n - 1), as twice its half; tiny arguments are their own.
static MlirValue wide_expm1(expander_t *w, const MlirValue *a) {
  MlirValue r, n = reduce_exp(w, at_least(w, at_most(w, a[0], 710), -40), &r);
  MlirValue scale = power_of_two(w, integer(w, "arith.subi", n, bits(w, 1)));
  MlirValue value = mul(w, multiply_add(w, scale, r, sub(w, scale, real(w, 0.5))), real(w, 2));
  return select(w, compare(w, STRATA_OLT, magnitude(w, a[0]), 0x1p-54), a[0], value);
}

static MlirValue wide_tanh(expander_t *w, const MlirValue *a) {
  MlirValue twice = mul(w, at_most(w, magnitude(w, a[0]), 22), real(w, 2)), e = wide_expm1(w, &twice);
  return with_sign(w, quotient(w, e, add(w, e, real(w, 2))), a[0]);
}

// e^t / 2 without overflow before the result's.
static MlirValue half_exp(expander_t *w, MlirValue t) {
  MlirValue part = half(w, t), root_of_e = wide_exp(w, &part);
  return mul(w, half(w, root_of_e), root_of_e);
}

static MlirValue wide_sinh(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), e = wide_expm1(w, &t);
  MlirValue near = half(w, add(w, e, quotient(w, e, add(w, e, real(w, 1)))));
  return with_sign(w, select(w, compare(w, STRATA_OGT, t, 22), half_exp(w, t), near), a[0]);
}

static MlirValue wide_cosh(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), large = half_exp(w, t);
  return add(w, large, quotient(w, real(w, 0.25), large));
}

//===-- Logarithms -----------------------------------------------------------------------------------------------===//

MlirValue strata_expand_split(expander_t *w, MlirValue a, MlirValue *out_mantissa) {
  MlirValue is_denormal = compare(w, STRATA_OLT, a, 0x1p-1022);
  MlirValue normal = select(w, is_denormal, mul(w, a, real(w, 0x1p+54)), a);
  MlirValue above = integer(w, "arith.subi", to_bits(w, normal), bits(w, 0x3fe6a09e667f3bcd)); // sqrt(1/2)
  MlirValue e = integer(w, "arith.andi", above, bits(w, (int64_t)0xfff0000000000000));
  *out_mantissa = to_real(w, integer(w, "arith.subi", to_bits(w, normal), e));
  MlirValue number = strata_emit_cast(w->m->e, "arith.sitofp", integer(w, "arith.shrsi", e, bits(w, 52)), w->real);
  return add(w, number, select(w, is_denormal, real(w, -54), real(w, 0)));
}

// log m = 2 s + s u p = f - s (f - u p): f is exact.
static MlirValue log_of_mantissa(expander_t *w, MlirValue m) {
  MlirValue f = sub(w, m, real(w, 1)), s = quotient(w, f, add(w, m, real(w, 1))), u = mul(w, s, s);
  return sub(w, f, mul(w, s, sub(w, f, mul(w, u, POLYNOMIAL(w, log_f64_p, u)))));
}

MlirValue strata_expand_log_cases(expander_t *w, MlirValue a, MlirValue value) {
  MlirValue special = select(w, compare(w, STRATA_OEQ, a, 0), real(w, -INFINITY), real(w, NAN));
  special = select(w, compare(w, STRATA_OEQ, a, INFINITY), a, special);
  MlirValue is_positive = compare(w, STRATA_OGT, a, 0), is_finite = compare(w, STRATA_OLT, a, INFINITY);
  return select(w, integer(w, "arith.andi", is_positive, is_finite), value, special);
}

// e * unit + log m * scale: logarithms to any base; |unit| in two parts.
static MlirValue log_to_base(expander_t *w, MlirValue a, double scale, double unit_high, double unit_low) {
  MlirValue m, e = strata_expand_split(w, a, &m), log = log_of_mantissa(w, m);
  MlirValue low = multiply_add(w, e, real(w, unit_low), mul(w, log, real(w, scale)));
  return strata_expand_log_cases(w, a, multiply_add(w, e, real(w, unit_high), low));
}

static MlirValue wide_log(expander_t *w, const MlirValue *a) { return log_to_base(w, a[0], 1, ln2_high, ln2_low); }
static MlirValue wide_log2(expander_t *w, const MlirValue *a) {
  return log_to_base(w, a[0], 0x1.71547652b82fep+0, 1, 0);
}
static MlirValue wide_log10(expander_t *w, const MlirValue *a) {
  return log_to_base(w, a[0], 0x1.bcb7b1526e50ep-2, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59);
}

// 1 + a = u + c: log u + c / u.
static MlirValue wide_log1p(expander_t *w, const MlirValue *a) {
  MlirValue one = real(w, 1), u = add(w, a[0], one), t = sub(w, u, one);
  MlirValue c = add(w, sub(w, one, sub(w, u, t)), sub(w, a[0], t));
  MlirValue is_large = compare(w, STRATA_OGT, a[0], 0x1p+54); // there nothing is lost
  MlirValue lost = select(w, is_large, real(w, 0), quotient(w, c, u));
  MlirValue value = add(w, wide_log(w, &u), lost);
  value = select(w, compare(w, STRATA_OEQ, a[0], -1), real(w, -INFINITY), value);
  return select(w, compare(w, STRATA_OLT, magnitude(w, a[0]), 0x1p-54), a[0], value);
}

static MlirValue wide_asinh(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), square = mul(w, t, t), one = real(w, 1);
  MlirValue small = add(w, t, quotient(w, square, add(w, one, root(w, add(w, square, one)))));
  MlirValue large = add(w, wide_log(w, &t), real(w, 0x1.62e42fefa39efp-1));
  return with_sign(w, select(w, compare(w, STRATA_OGT, t, 0x1p+28), large, wide_log1p(w, &small)), a[0]);
}

static MlirValue wide_acosh(expander_t *w, const MlirValue *a) {
  MlirValue t = sub(w, a[0], real(w, 1));
  MlirValue small = add(w, t, root(w, multiply_add(w, t, t, add(w, t, t))));
  MlirValue large = add(w, wide_log(w, a), real(w, 0x1.62e42fefa39efp-1));
  MlirValue value = select(w, compare(w, STRATA_OGT, a[0], 0x1p+28), large, wide_log1p(w, &small));
  return select(w, compare(w, STRATA_OLT, a[0], 1), real(w, NAN), value);
}

static MlirValue wide_atanh(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), inner = quotient(w, add(w, t, t), sub(w, real(w, 1), t));
  return with_sign(w, half(w, wide_log1p(w, &inner)), a[0]);
}

//===-- Trigonometry ---------------------------------------------------------------------------------------------===//

static const double half_pi[] = {0x1.921fb544p+0, 0x1.0b4611a4p-34, 0x1.13198a2e03707p-65};
static const double two_over_pi[] = {0x1.45f306cp-1,   0x1.c9c882ap-29, 0x1.4fe13a8p-59, 0x1.f47d4dp-86,
                                     0x1.bb81b6cp-113, 0x1.4acc9ep-143, 0x1.0e4107cp-170};

typedef struct {
  MlirValue r, quadrant; // a = quadrant * pi/2 + r, the quadrant modulo 4
} reduced_t;

static MlirValue as_integer(expander_t *w, MlirValue number) {
  MlirValue finite = select(w, compare(w, STRATA_OLT, magnitude(w, number), 0x1p+62), number, real(w, 0));
  return strata_emit_cast(w->m->e, "arith.fptosi", finite, w->bits);
}

// The 24 bits of an f32 times 28 of 2/pi are exact, and so is what a product leaves modulo 4.
static reduced_t reduce_exactly(expander_t *w, MlirValue a) {
  MlirValue sum = real(w, 0);
  for (size_t i = sizeof two_over_pi / sizeof two_over_pi[0]; i-- > 0;) {
    MlirValue product = mul(w, a, real(w, two_over_pi[i]));
    MlirValue turns = strata_emit_unary(w->m->e, "math.roundeven", mul(w, product, real(w, 0.25)));
    sum = add(w, sum, multiply_add(w, turns, real(w, -4), product));
  }
  MlirValue n = strata_emit_unary(w->m->e, "math.roundeven", sum);
  return (reduced_t){mul(w, sub(w, sum, n), real(w, 0x1.921fb54442d18p+0)), as_integer(w, n)};
}

static reduced_t reduce_in_parts(expander_t *w, MlirValue a) {
  MlirValue n = strata_emit_unary(w->m->e, "math.roundeven", mul(w, a, real(w, 0x1.45f306dc9c883p-1)));
  reduced_t reduced = {a, as_integer(w, n)};
  for (int i = 0; i < 3; i++)
    reduced.r = multiply_add(w, n, real(w, -half_pi[i]), reduced.r);
  return reduced;
}

// Of an f32 in f64, and of any f64; infinite ones and NaN are large.
static reduced_t reduce_f32(expander_t *w, MlirValue a) {
  reduced_t parts = reduce_in_parts(w, a), exact = reduce_exactly(w, a);
  MlirValue is_large = compare(w, STRATA_OGT, magnitude(w, a), 0x1p+20);
  return (reduced_t){select(w, is_large, exact.r, parts.r), select(w, is_large, exact.quadrant, parts.quadrant)};
}

static reduced_t reduce_f64(expander_t *w, MlirValue a) {
  reduced_t parts = reduce_in_parts(w, a);
  MlirValue values[] = {parts.r, parts.quadrant};
  MlirValue is_large = compare(w, STRATA_OGE, magnitude(w, a), 0x1p+30);
  strata_expand_rarely(w, is_large, strata_expand_reduce_large, &a, 2, values);
  return (reduced_t){values[0], values[1]};
}

// sin(a + shift * pi/2) of a reduced a.
static MlirValue sine(expander_t *w, reduced_t reduced, int64_t shift) {
  MlirValue r = reduced.r, u = mul(w, r, r), one = real(w, 1);
  MlirValue sin = multiply_add(w, mul(w, r, u), POLYNOMIAL(w, sin_f64_p, u), r);
  MlirValue cos = multiply_add(w, mul(w, u, u), POLYNOMIAL(w, cos_f64_p, u), multiply_add(w, u, real(w, -0.5), one));
  MlirValue quadrant = integer(w, "arith.addi", reduced.quadrant, bits(w, shift));
  MlirValue odd = integer(w, "arith.andi", quadrant, bits(w, 1));
  MlirValue is_odd = strata_emit_cmpi(w->m->e, STRATA_NE, odd, bits(w, 0));
  MlirValue sign = integer(w, "arith.shli", integer(w, "arith.andi", quadrant, bits(w, 2)), bits(w, 62));
  return to_real(w, integer(w, "arith.xori", to_bits(w, select(w, is_odd, cos, sin)), sign));
}

// Tiny arguments are their own sine and tangent, -0 among them.
static MlirValue unless_tiny(expander_t *w, MlirValue a, MlirValue value) {
  return select(w, compare(w, STRATA_OLT, magnitude(w, a), 0x1p-28), a, value);
}

static MlirValue sin_of(expander_t *w, MlirValue a, reduced_t reduced) {
  return unless_tiny(w, a, sine(w, reduced, 0));
}
static MlirValue tan_of(expander_t *w, MlirValue a, reduced_t reduced) {
  return unless_tiny(w, a, quotient(w, sine(w, reduced, 0), sine(w, reduced, 1)));
}

static MlirValue exact_sin(expander_t *w, const MlirValue *a) { return sin_of(w, a[0], reduce_f32(w, a[0])); }
static MlirValue exact_cos(expander_t *w, const MlirValue *a) { return sine(w, reduce_f32(w, a[0]), 1); }
static MlirValue exact_tan(expander_t *w, const MlirValue *a) { return tan_of(w, a[0], reduce_f32(w, a[0])); }
static MlirValue wide_sin(expander_t *w, const MlirValue *a) { return sin_of(w, a[0], reduce_f64(w, a[0])); }
static MlirValue wide_cos(expander_t *w, const MlirValue *a) { return sine(w, reduce_f64(w, a[0]), 1); }
static MlirValue wide_tan(expander_t *w, const MlirValue *a) { return tan_of(w, a[0], reduce_f64(w, a[0])); }

static MlirValue wide_atan(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), one = real(w, 1), zero = real(w, 0);
  MlirValue is_large = compare(w, STRATA_OGT, t, 1);
  MlirValue z = select(w, is_large, quotient(w, one, t), t);
  MlirValue is_middle = compare(w, STRATA_OGT, z, 0x1.a827999fcef32p-2); // tan(pi/8)
  MlirValue y = select(w, is_middle, quotient(w, sub(w, z, one), add(w, z, one)), z), u = mul(w, y, y);
  MlirValue value = multiply_add(w, mul(w, y, u), POLYNOMIAL(w, atan_f64_p, u), y);
  value = add(w, value, select(w, is_middle, real(w, 0x1.921fb54442d18p-1), zero));
  value = select(w, is_large, sub(w, real(w, 0x1.921fb54442d18p+0), value), value);
  return with_sign(w, value, a[0]);
}

static MlirValue wide_asin(expander_t *w, const MlirValue *a) {
  MlirValue one = real(w, 1);
  MlirValue tangent = quotient(w, a[0], root(w, mul(w, sub(w, one, a[0]), add(w, one, a[0]))));
  return wide_atan(w, &tangent);
}

static MlirValue wide_acos(expander_t *w, const MlirValue *a) {
  MlirValue one = real(w, 1), tangent = root(w, quotient(w, sub(w, one, a[0]), add(w, one, a[0])));
  return mul(w, wide_atan(w, &tangent), real(w, 2));
}

// Zero over zero counts as zero, infinite over infinite as one.
static MlirValue wide_atan2(expander_t *w, const MlirValue *a) {
  strata_emitter_t *e = w->m->e;
  MlirValue y = magnitude(w, a[0]), x = magnitude(w, a[1]), tangent = quotient(w, y, x);
  MlirValue both_infinite =
      integer(w, "arith.andi", compare(w, STRATA_OEQ, y, INFINITY), compare(w, STRATA_OEQ, x, INFINITY));
  MlirValue both_zero = integer(w, "arith.andi", compare(w, STRATA_OEQ, y, 0), compare(w, STRATA_OEQ, x, 0));
  tangent = select(w, both_infinite, real(w, 1), select(w, both_zero, real(w, 0), tangent));
  MlirValue angle = wide_atan(w, &tangent);
  MlirValue is_left = strata_emit_cmpi(e, STRATA_SLT, to_bits(w, a[1]), bits(w, 0));
  MlirValue value = select(w, is_left, sub(w, real(w, 0x1.921fb54442d18p+1), angle), angle);
  MlirValue is_number = strata_emit_cmpf(e, STRATA_OEQ, tangent, tangent);
  return select(w, is_number, with_sign(w, value, a[0]), tangent);
}

//===-- Error function, roots ------------------------------------------------------------------------------------===//

// erfc(t) for t >= 1; what the square loses goes into the factor.
static MlirValue erfc_far(expander_t *w, MlirValue t) {
  MlirValue bound = at_most(w, t, 28), square = mul(w, bound, bound);
  MlirValue minus = strata_emit_unary(w->m->e, "arith.negf", square);
  MlirValue lost = multiply_add(w, bound, bound, minus), e = wide_exp(w, &minus);
  e = sub(w, e, mul(w, e, lost));
  MlirValue s = quotient(w, sub(w, bound, real(w, 2)), add(w, bound, real(w, 2)));
  MlirValue factor = quotient(w, POLYNOMIAL(w, erfc_f64_far, s), multiply_add(w, bound, real(w, 2), real(w, 1)));
  return mul(w, e, factor);
}

static MlirValue erf_near(expander_t *w, MlirValue a) { return mul(w, a, POLYNOMIAL(w, erf_f64_near, mul(w, a, a))); }

static MlirValue wide_erf(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), far = sub(w, real(w, 1), erfc_far(w, t));
  return select(w, compare(w, STRATA_OLT, t, 1), erf_near(w, a[0]), with_sign(w, far, a[0]));
}

static MlirValue wide_erfc(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), far = erfc_far(w, t);
  far = select(w, compare(w, STRATA_OLT, a[0], 0), sub(w, real(w, 2), far), far);
  return select(w, compare(w, STRATA_OLT, t, 1), sub(w, real(w, 1), erf_near(w, a[0])), far);
}

// e^(log t / 3), and a step of Newton's.
static MlirValue wide_cbrt(expander_t *w, const MlirValue *a) {
  MlirValue t = magnitude(w, a[0]), third = mul(w, wide_log(w, &t), real(w, 0x1.5555555555555p-2));
  MlirValue y = wide_exp(w, &third), square = mul(w, y, y);
  MlirValue step =
      quotient(w, multiply_add(w, square, y, strata_emit_unary(w->m->e, "arith.negf", t)), mul(w, square, real(w, 3)));
  MlirValue is_plain = integer(w, "arith.andi", compare(w, STRATA_OGT, t, 0), compare(w, STRATA_OLT, t, INFINITY));
  return select(w, is_plain, with_sign(w, sub(w, y, step), a[0]), a[0]);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

#define ALONE(name, n_operands)                                                                                        \
  MlirValue strata_alone_##name(expander_t *x, const MlirValue *operands) {                                            \
    return widely(x, wide_##name, n_operands, operands);                                                               \
  }
#define PERIODIC(name)                                                                                                 \
  MlirValue strata_alone_##name(expander_t *x, const MlirValue *operands) {                                            \
    return widely(x, mlirTypeIsAF64(strata_type_element(x->real)) ? wide_##name : exact_##name, 1, operands);          \
  }
#include "lowering/expand/alone.def"
