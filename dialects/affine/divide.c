// Sums divided by sums; see simplify.h for what for, and sum.h.
//
// Everything rests on one function, which writes a sum as divisor * quotient + remainder:
//
//   1. multiples of the divisor leave for the quotient;
//   2. if the other terms split into multiples of some g | divisor and a part F in [0, g), then F belongs to the
//      remainder and the multiples are divided by divisor / g instead (g = divisor: nothing is left to divide);
//   3. what is left becomes an atom, a floordiv for the quotient and a mod for the remainder.
//
// It does so by a number, where F is compared by its least and greatest value, and by a sum of sizes, where what is to
// be shown is a sum of sizes that is never negative.
#include "dialects/affine/expr.h"
#include "dialects/affine/sum.h"
#include "dialects/integers.h"

static const strata_sum_term_t ONE = {.coefficient = 1};

static void divide(const strata_sum_space_t *space, const strata_sum_t *sum, int64_t divisor, strata_sum_t *quotient,
                   strata_sum_t *remainder);

static strata_sum_term_t with_coefficient(const strata_sum_term_t *term, int64_t coefficient) {
  return (strata_sum_term_t){coefficient, term->factor, term->atom};
}

//===-- By a number -----------------------------------------------------------------------------------------------===//

// Step 1. |rest| keeps the sign of the coefficients and a constant in [0, divisor).
static void take_multiples(const strata_sum_t *sum, int64_t divisor, strata_sum_t *quotient, strata_sum_t *rest) {
  for (int i = 0; i < sum->n_terms; i++) {
    const strata_sum_term_t *term = &sum->terms[i];
    strata_sum_add_term(quotient, with_coefficient(term, term->coefficient / divisor));
    strata_sum_add_term(rest, with_coefficient(term, term->coefficient % divisor));
  }
  int64_t whole = strata_floor_div(sum->constant, divisor);
  strata_sum_add_constant(quotient, whole);
  strata_sum_add_constant(rest, sum->constant - whole * divisor);
}

// A term c * (x mod a) of |rest| holds multiples of the divisor if c * b is one for a b < a that divides a:
// x mod a = b * ((x floordiv b) mod (a / b)) + x mod b.
static void take_high_digits(const strata_sum_space_t *space, int64_t divisor, strata_sum_t *quotient,
                             strata_sum_t *rest) {
  for (int i = 0; i < rest->n_terms; i++) {
    strata_sum_term_t term = rest->terms[i];
    int64_t modulus;
    if (mlirAffineExprIsNull(term.atom) || !mlirAffineExprIsAMod(term.atom) ||
        !strata_affine_constant_rhs(term.atom, &modulus))
      continue;
    int64_t low = divisor / strata_gcd(term.coefficient, divisor);
    if (modulus % low != 0 || modulus == low)
      continue;
    strata_sum_t x = {0}, high = {0}, low_digit = {0}, digit = {0}, ignored = {0};
    strata_sum_flatten_lhs(space, term.atom, &x);
    divide(space, &x, low, &high, &low_digit);
    divide(space, &high, modulus / low, &ignored, &digit);
    strata_sum_add_scaled(quotient, (strata_sum_term_t){term.coefficient / (divisor / low), term.factor, {0}}, &digit);
    rest->terms[i] = rest->terms[--rest->n_terms];
    strata_sum_add_scaled(rest, (strata_sum_term_t){term.coefficient, term.factor, {0}}, &low_digit);
    i = -1; // the terms have changed
    if (rest->failed)
      return;
  }
}

// Step 2 for one |g|: |rest| = g * coarse + fine with fine in [0, g).
static bool split(const strata_sum_space_t *space, const strata_sum_t *rest, int64_t g, strata_sum_t *coarse,
                  strata_sum_t *fine) {
  int64_t min = rest->constant, max = rest->constant;
  *coarse = *fine = (strata_sum_t){0};
  for (int i = 0; i < rest->n_terms; i++) {
    const strata_sum_term_t *term = &rest->terms[i];
    if (term->coefficient % g == 0) {
      strata_sum_add_term(coarse, with_coefficient(term, term->coefficient / g));
      continue;
    }
    int64_t low, high;
    if (!strata_sum_term_range(space, term, &low, &high) || __builtin_add_overflow(min, low, &min) ||
        __builtin_add_overflow(max, high, &max))
      return false;
    strata_sum_add_term(fine, *term);
  }
  int64_t whole = strata_floor_div(min, g);
  if (whole != strata_floor_div(max, g))
    return false;
  strata_sum_add_constant(coarse, whole);
  strata_sum_add_constant(fine, rest->constant - whole * g);
  return true;
}

// The greatest g > 1 that splits |rest|; 0 if there is none.
static int64_t find_split(const strata_sum_space_t *space, const strata_sum_t *rest, int64_t divisor,
                          strata_sum_t *coarse, strata_sum_t *fine) {
  for (int64_t g = divisor; g > 1;) {
    if (split(space, rest, g, coarse, fine))
      return g;
    int64_t next = 0;
    for (int i = 0; i < rest->n_terms; i++) {
      int64_t candidate = strata_gcd(rest->terms[i].coefficient, divisor);
      if (candidate < g && candidate > next)
        next = candidate;
    }
    g = next;
  }
  return 0;
}

// (x floordiv a + k) floordiv b is (x + k * a) floordiv (a * b). False if |rest| is not x floordiv a + k.
static bool divide_quotient(const strata_sum_space_t *space, const strata_sum_t *rest, const strata_sum_t *divisor,
                            strata_sum_t *quotient) {
  const strata_sum_term_t *only = rest->terms;
  if (rest->n_terms != 1 || only->coefficient != 1 || mlirAffineExprIsNull(only->atom) ||
      !mlirAffineExprIsNull(only->factor) || !mlirAffineExprIsAFloorDiv(only->atom))
    return false;
  strata_sum_t inner = {0}, product = {0}, x = {0}, ignored = {0}, whole = {0};
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(only->atom), ONE, &inner);
  strata_sum_add_product(&product, &inner, divisor);
  strata_sum_flatten_lhs(space, only->atom, &x);
  strata_sum_add_times(&x, rest->constant, &inner);
  if (!strata_sum_is_divisor(&product) || x.failed)
    return false;
  strata_sum_divide(space, &x, &product, &whole, &ignored);
  strata_sum_add_times(quotient, 1, &whole);
  return true;
}

// Step 3.
static void divide_atom(const strata_sum_space_t *space, strata_sum_t *rest, const strata_sum_t *divisor,
                        strata_sum_t *quotient, strata_sum_t *remainder) {
  strata_sum_t by = *divisor;
  MlirAffineExpr expr = strata_sum_to_expr(space, rest, STRATA_SUM_IN_ORDER),
                 rhs = strata_sum_to_expr(space, &by, STRATA_SUM_IN_ORDER);
  strata_sum_add_atom(space, ONE, mlirAffineModExprGet(expr, rhs), remainder);
  if (!divide_quotient(space, rest, divisor, quotient))
    strata_sum_add_atom(space, ONE, mlirAffineFloorDivExprGet(expr, rhs), quotient);
}

// |sum| = divisor * quotient + remainder, remainder in [0, divisor). Adds to both results.
static void divide(const strata_sum_space_t *space, const strata_sum_t *sum, int64_t divisor, strata_sum_t *quotient,
                   strata_sum_t *remainder) {
  strata_sum_t rest = {0}, coarse, fine;
  take_multiples(sum, divisor, quotient, &rest);
  take_high_digits(space, divisor, quotient, &rest);
  quotient->failed |= sum->failed || rest.failed;
  if (quotient->failed)
    return;
  int64_t g = find_split(space, &rest, divisor, &coarse, &fine);
  if (g == 0) {
    divide_atom(space, &rest, &(strata_sum_t){.constant = divisor}, quotient, remainder);
    return;
  }
  strata_sum_add_times(remainder, 1, &fine);
  if (g == divisor) {
    strata_sum_add_times(quotient, 1, &coarse);
    return;
  }
  strata_sum_t coarse_remainder = {0};
  divide(space, &coarse, divisor / g, quotient, &coarse_remainder);
  strata_sum_add_times(remainder, g, &coarse_remainder);
}

//===-- By sizes that vary ----------------------------------------------------------------------------------------===//

// Takes multiples of the divisor out of |rest| as long as some term is one of the divisor's leading term.
static void take_multiples_of(const strata_sum_t *divisor, strata_sum_t *quotient, strata_sum_t *rest) {
  strata_sum_term_t leading = strata_sum_leading(divisor), times;
  for (int i = 0; i < rest->n_terms && !rest->failed; i++) {
    if (!strata_sum_divide_term(rest->terms[i], leading, &times))
      continue;
    strata_sum_t taken = {.n_terms = 1, .terms = {times}}, product = {0};
    strata_sum_add_times(quotient, 1, &taken);
    strata_sum_add_product(&product, &taken, divisor);
    strata_sum_add_times(rest, -1, &product);
    i = -1; // the terms have changed
  }
}

// True if |sum| is in [0, size).
static bool is_digit(const strata_sum_space_t *space, const strata_sum_t *sum, const strata_sum_t *size) {
  strata_sum_t room = {.constant = -1};
  strata_sum_add_times(&room, 1, size);
  strata_sum_add_times(&room, -1, sum);
  return strata_sum_is_nonnegative(space, sum) && strata_sum_is_nonnegative(space, &room);
}

// Step 2 for g = divisor, where the rest may be one divisor off: its terms were taken without regard to their sign.
static bool take_digit(const strata_sum_space_t *space, const strata_sum_t *rest, const strata_sum_t *divisor,
                       strata_sum_t *quotient, strata_sum_t *remainder) {
  static const int64_t multiples[] = {0, -1, 1};
  for (int i = 0; i < 3; i++) {
    strata_sum_t digit = *rest;
    strata_sum_add_times(&digit, -multiples[i], divisor);
    if (!is_digit(space, &digit, divisor))
      continue;
    strata_sum_add_constant(quotient, multiples[i]);
    strata_sum_add_times(remainder, 1, &digit);
    return true;
  }
  return false;
}

// Step 2 for a |g|: divides the multiples of g by what is left of the divisor, if the others are in [0, g).
static bool split_by(const strata_sum_space_t *space, const strata_sum_t *rest, strata_sum_term_t divisor,
                     strata_sum_term_t g, strata_sum_t *quotient, strata_sum_t *remainder) {
  strata_sum_t coarse = {0}, fine = {.constant = rest->constant}, size = {0}, left = {0}, coarse_remainder = {0};
  strata_sum_term_t part;
  for (int i = 0; i < rest->n_terms; i++) {
    bool divides = strata_sum_divide_term(rest->terms[i], g, &part) && rest->terms[i].coefficient % g.coefficient == 0;
    strata_sum_add_term(divides ? &coarse : &fine, divides ? part : rest->terms[i]);
  }
  strata_sum_add_term(&size, g);
  if (coarse.n_terms == 0 || !is_digit(space, &fine, &size) || !strata_sum_divide_term(divisor, g, &part))
    return false;
  strata_sum_add_term(&left, part);
  strata_sum_divide(space, &coarse, &left, quotient, &coarse_remainder);
  strata_sum_add_times(remainder, 1, &fine);
  strata_sum_add_scaled(remainder, g, &coarse_remainder);
  return true;
}

// The same for the first g that does; the divisor is one term.
static bool take_split(const strata_sum_space_t *space, const strata_sum_t *rest, const strata_sum_t *divisor,
                       strata_sum_t *quotient, strata_sum_t *remainder) {
  if (divisor->n_terms != 1 || divisor->constant != 0)
    return false;
  for (int i = 0; i < rest->n_terms; i++) {
    strata_sum_term_t g = strata_sum_common(rest->terms[i], divisor->terms[0]);
    bool is_one = g.coefficient == 1 && mlirAffineExprIsNull(g.factor);
    bool is_all = g.coefficient == divisor->terms[0].coefficient &&
                  strata_sum_degree(g.factor) == strata_sum_degree(divisor->terms[0].factor);
    if (!is_one && !is_all && split_by(space, rest, divisor->terms[0], g, quotient, remainder))
      return true;
  }
  return false;
}

void strata_sum_divide(const strata_sum_space_t *space, const strata_sum_t *sum, const strata_sum_t *divisor,
                       strata_sum_t *quotient, strata_sum_t *remainder) {
  if (divisor->n_terms == 0) {
    divide(space, sum, divisor->constant, quotient, remainder);
    return;
  }
  strata_sum_t rest = *sum;
  if (strata_sum_leading(divisor).coefficient > 0)
    take_multiples_of(divisor, quotient, &rest);
  quotient->failed |= rest.failed;
  if (!quotient->failed && !take_digit(space, &rest, divisor, quotient, remainder) &&
      !take_split(space, &rest, divisor, quotient, remainder))
    divide_atom(space, &rest, divisor, quotient, remainder);
}
