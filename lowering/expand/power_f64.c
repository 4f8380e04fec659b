// a^b of f64 for machines without libm: 2^(b log2 a), the logarithm and its product as pairs of numbers, whose sum has
// twice the digits.
#include "lowering/expand/notation.h"

#include <math.h>

#define POLY(name, ...) static const double name[] __attribute__((unused)) = {__VA_ARGS__};
#include "lowering/expand/polynomials_f64.def"

typedef struct {
  MlirValue high, low;
} pair_t;

// a + b exactly; |a| is the larger, or 0.
static pair_t add_exactly(expander_t *w, MlirValue a, MlirValue b) {
  MlirValue sum = add(w, a, b);
  return (pair_t){sum, sub(w, b, sub(w, sum, a))};
}

static MlirValue product_error(expander_t *w, MlirValue a, MlirValue b, MlirValue product) {
  return multiply_add(w, a, b, strata_emit_unary(w->m->e, "arith.negf", product));
}

static pair_t multiply_pairs(expander_t *w, pair_t a, pair_t b) {
  MlirValue product = mul(w, a.high, b.high), error = product_error(w, a.high, b.high, product);
  error = multiply_add(w, a.high, b.low, multiply_add(w, a.low, b.high, error));
  return add_exactly(w, product, error);
}

// A number in front of a pair that is smaller.
static pair_t add_to(expander_t *w, MlirValue a, pair_t b) {
  pair_t sum = add_exactly(w, a, b.high);
  return (pair_t){sum.high, add(w, sum.low, b.low)};
}

// log m = s (2 + u (2/3 + u p)), s = (m - 1) / (m + 1), u = s^2.
static pair_t log_of_mantissa(expander_t *w, MlirValue m) {
  MlirValue f = sub(w, m, real(w, 1));
  pair_t divisor = add_exactly(w, real(w, 1), m), s;
  s.high = strata_emit_binary(w->m->e, "arith.divf", f, divisor.high);
  MlirValue minus = strata_emit_unary(w->m->e, "arith.negf", s.high);
  MlirValue left = multiply_add(w, minus, divisor.low, multiply_add(w, minus, divisor.high, f));
  s.low = strata_emit_binary(w->m->e, "arith.divf", left, divisor.high);
  pair_t u = multiply_pairs(w, s, s);
  size_t count = sizeof log_f64_p / sizeof log_f64_p[0] - 1;
  MlirValue tail = mul(w, u.high, polynomial(w, count, log_f64_p + 1, u.high));
  pair_t sum = add_to(w, real(w, log_f64_p[0]), (pair_t){tail, real(w, 0x1.5555555555555p-55)}); // the rest of 2/3
  return multiply_pairs(w, s, add_to(w, real(w, 2), multiply_pairs(w, sum, u)));
}

// log2 of |a|, positive and finite.
static pair_t log2_of(expander_t *w, MlirValue a) {
  MlirValue m, e = strata_expand_split(w, a, &m);
  pair_t inverse = {real(w, 0x1.71547652b82fep+0), real(w, 0x1.777d0ffda0d24p-56)}; // 1 / log 2
  return add_to(w, e, multiply_pairs(w, log_of_mantissa(w, m), inverse));
}

static MlirValue power_of_two(expander_t *w, MlirValue n) {
  return to_real(w, integer(w, "arith.shli", integer(w, "arith.addi", n, bits(w, 1023)), bits(w, 52)));
}

MlirValue strata_expand_power_alone(expander_t *w, MlirValue a, MlirValue b) {
  strata_emitter_t *e = w->m->e;
  pair_t log = log2_of(w, a);
  log.high = strata_expand_log_cases(w, a, log.high);
  MlirValue high = mul(w, b, log.high), low = multiply_add(w, b, log.low, product_error(w, b, log.high, high));
  MlirValue is_ordinary = compare(w, STRATA_OLT, magnitude(w, high), 1100);
  low = select(w, is_ordinary, low, real(w, 0));
  high = at_least(w, at_most(w, high, 1100), -1100);
  MlirValue n = strata_emit_unary(e, "math.roundeven", high);
  MlirValue rest = mul(w, add(w, sub(w, high, n), low), real(w, 0x1.62e42fefa39efp-1));
  MlirValue value = strata_alone_exp(w, &rest);
  MlirValue is_number = strata_emit_cmpf(e, STRATA_OEQ, n, n);
  MlirValue number = strata_emit_cast(e, "arith.fptosi", select(w, is_number, n, real(w, 0)), w->bits);
  MlirValue first = integer(w, "arith.shrsi", number, bits(w, 1)), second = integer(w, "arith.subi", number, first);
  return mul(w, mul(w, value, power_of_two(w, first)), power_of_two(w, second));
}
