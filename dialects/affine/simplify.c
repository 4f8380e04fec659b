// Affine expressions simplified with the ranges of their dims; see simplify.h.
//
// An expression is handled as a sum of terms coefficient * atom plus a constant. An atom is a dim, a symbol, or a
// quotient or remainder that does not simplify. Everything rests on one function, divide, which writes a sum as
// divisor * quotient + remainder:
//
//   1. multiples of the divisor leave for the quotient;
//   2. if the other terms split into multiples of some g | divisor and a part F in [0, g), then F belongs to the
//      remainder and the multiples are divided by divisor / g instead (g = divisor: nothing is left to divide);
//   3. what is left becomes an atom, a floordiv for the quotient and a mod for the remainder.
//
// The terms under a division are in one order, whatever order they were met in, so that equal atoms are one atom.
// So the digits of a position read as (x floordiv a) mod b, and sums of neighbouring digits are joined again.
#include "dialects/affine/simplify.h"
#include "dialects/affine/expr.h"
#include "dialects/affine/sum.h"
#include "dialects/integers.h"

static const strata_sum_term_t ONE = {.coefficient = 1};

static void flatten_lhs(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_t *sum);
static void divide(const strata_sum_space_t *space, const strata_sum_t *sum, int64_t divisor, strata_sum_t *quotient,
                   strata_sum_t *remainder);
static void divide_by(const strata_sum_space_t *space, const strata_sum_t *sum, const strata_sum_t *divisor,
                      strata_sum_t *quotient, strata_sum_t *remainder);

// True if the expression is over symbols of the space alone.
static bool is_of_sizes(const strata_space_t *space, MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr))
    return false;
  if (mlirAffineExprIsASymbol(expr))
    return mlirAffineSymbolExprGetPosition(expr) < space->n_symbols;
  return mlirAffineExprIsAConstant(expr) || (is_of_sizes(space, mlirAffineBinaryOpExprGetLHS(expr)) &&
                                             is_of_sizes(space, mlirAffineBinaryOpExprGetRHS(expr)));
}

// A positive number, or made of sizes, which are positive where there is anything to divide.
static bool is_divisor(const strata_sum_t *sum) {
  return strata_sum_is_of_sizes(sum) && (sum->n_terms > 0 || sum->constant > 0);
}

static strata_sum_term_t with_coefficient(const strata_sum_term_t *term, int64_t coefficient) {
  return (strata_sum_term_t){coefficient, term->factor, term->atom};
}

//===-- Division -------------------------------------------------------------------------------------------------===//

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
    flatten_lhs(space, term.atom, &x);
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

// Adds an expression that does not simplify: a unit if it is made of sizes.
static void add_atom(const strata_sum_space_t *space, strata_sum_term_t scale, MlirAffineExpr expr, strata_sum_t *sum) {
  strata_sum_t unit = {.n_terms = 1, .terms = {{.coefficient = 1}}};
  if (space->of->n_symbols > 0 && is_of_sizes(space->of, expr))
    unit.terms[0].factor = expr;
  else
    unit.terms[0].atom = expr;
  strata_sum_add_scaled(sum, scale, &unit);
}

// Step 3. (x floordiv a + k) floordiv b is (x + k * a) floordiv (a * b).
static void divide_atom(const strata_sum_space_t *space, strata_sum_t *rest, const strata_sum_t *divisor,
                        strata_sum_t *quotient, strata_sum_t *remainder) {
  strata_sum_t by = *divisor, inner = {0}, product = {0}, x = {0}, ignored = {0}, whole = {0};
  MlirAffineExpr expr = strata_sum_to_expr(space, rest, STRATA_SUM_IN_ORDER),
                 rhs = strata_sum_to_expr(space, &by, STRATA_SUM_IN_ORDER);
  const strata_sum_term_t *only = rest->terms;
  add_atom(space, ONE, mlirAffineModExprGet(expr, rhs), remainder);
  if (rest->n_terms == 1 && only->coefficient == 1 && !mlirAffineExprIsNull(only->atom) &&
      mlirAffineExprIsNull(only->factor) && mlirAffineExprIsAFloorDiv(only->atom)) {
    strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(only->atom), ONE, &inner);
    strata_sum_add_product(&product, &inner, divisor);
    flatten_lhs(space, only->atom, &x);
    strata_sum_add_times(&x, rest->constant, &inner);
    if (is_divisor(&product) && !x.failed) {
      divide_by(space, &x, &product, &whole, &ignored);
      strata_sum_add_times(quotient, 1, &whole);
      return;
    }
  }
  add_atom(space, ONE, mlirAffineFloorDivExprGet(expr, rhs), quotient);
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

//===-- Division by sizes that vary ------------------------------------------------------------------------------===//

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
  divide_by(space, &coarse, &left, quotient, &coarse_remainder);
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

// divide by a positive sum of sizes.
static void divide_by(const strata_sum_space_t *space, const strata_sum_t *sum, const strata_sum_t *divisor,
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

//===-- Simplification -------------------------------------------------------------------------------------------===//

static void flatten_lhs(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_t *sum) {
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetLHS(expr), ONE, sum);
}

// False if the divisor is nothing that is known to be positive: a number, or made of sizes.
static bool flatten_division(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                             strata_sum_t *sum) {
  strata_sum_t lhs = {0}, divisor = {0}, quotient = {0}, remainder = {0};
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(expr), ONE, &divisor);
  if (!is_divisor(&divisor))
    return false;
  flatten_lhs(space, expr, &lhs);
  if (mlirAffineExprIsACeilDiv(expr)) {
    strata_sum_add_times(&lhs, 1, &divisor);
    strata_sum_add_constant(&lhs, -1);
  }
  divide_by(space, &lhs, &divisor, &quotient, &remainder);
  remainder.failed |= quotient.failed;
  strata_sum_add_scaled(sum, scale, mlirAffineExprIsAMod(expr) ? &remainder : &quotient);
  return true;
}

// False if neither side is made of sizes.
static bool flatten_product(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                            strata_sum_t *sum) {
  strata_sum_t lhs = {0}, rhs = {0}, product = {0};
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(expr), ONE, &rhs);
  if (!strata_sum_is_of_sizes(&rhs))
    return false;
  flatten_lhs(space, expr, &lhs);
  strata_sum_add_product(&product, &lhs, &rhs);
  strata_sum_add_scaled(sum, scale, &product);
  return true;
}

// A symbol of divisor g is g times the unit that it stands for in factors.
static void flatten_symbol(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                           strata_sum_t *sum) {
  strata_size_t symbol = space->of->symbols[mlirAffineSymbolExprGetPosition(expr)];
  strata_sum_t value = {0};
  if (symbol.min == symbol.max)
    value.constant = symbol.min;
  else
    strata_sum_add_term(&value, (strata_sum_term_t){.coefficient = symbol.divisor, .factor = expr});
  strata_sum_add_scaled(sum, scale, &value);
}

void strata_sum_flatten_size(const strata_sum_space_t *space, strata_size_t size, strata_sum_t *sum) {
  int64_t constant;
  if (strata_size_is_constant(size, &constant))
    strata_sum_add_constant(sum, constant);
  else
    strata_sum_flatten(space, size.expr, ONE, sum);
}

void strata_sum_flatten(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                        strata_sum_t *sum) {
  int64_t constant;
  if (mlirAffineExprIsAConstant(expr)) {
    strata_sum_t value = {.constant = mlirAffineConstantExprGetValue(expr)};
    strata_sum_add_scaled(sum, scale, &value);
  } else if (mlirAffineExprIsADim(expr)) {
    if (strata_size_max(space->of->sizes[mlirAffineDimExprGetPosition(expr)]) > 1)
      add_atom(space, scale, expr, sum);
  } else if (mlirAffineExprIsASymbol(expr) && is_of_sizes(space->of, expr)) {
    flatten_symbol(space, expr, scale, sum);
  } else if (mlirAffineExprIsAAdd(expr)) {
    strata_sum_flatten(space, mlirAffineBinaryOpExprGetLHS(expr), scale, sum);
    strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(expr), scale, sum);
  } else if (mlirAffineExprIsAMul(expr) && strata_affine_constant_rhs(expr, &constant)) {
    if (__builtin_mul_overflow(scale.coefficient, constant, &scale.coefficient))
      sum->failed = true;
    else
      strata_sum_flatten(space, mlirAffineBinaryOpExprGetLHS(expr), scale, sum);
  } else if (!(mlirAffineExprIsAMul(expr) && flatten_product(space, expr, scale, sum)) &&
             !(strata_affine_is_division(expr) && flatten_division(space, expr, scale, sum))) {
    add_atom(space, scale, expr, sum);
  }
}

static int find_term(const strata_sum_t *sum, MlirAffineExpr factor, MlirAffineExpr atom) {
  for (int i = 0; i < sum->n_terms; i++)
    if (mlirAffineExprEqual(sum->terms[i].atom, atom) && mlirAffineExprEqual(sum->terms[i].factor, factor))
      return i;
  return -1;
}

static void take_term(strata_sum_t *sum, strata_sum_term_t term) {
  strata_sum_add_term(sum, with_coefficient(&term, -term.coefficient));
}

// The modulus of term |index|, and its scale times the modulus: that of the next digit.
static bool digit_of(const strata_sum_space_t *space, const strata_sum_t *sum, int index, strata_sum_t *out_modulus,
                     strata_sum_term_t *out_next) {
  strata_sum_term_t scale = sum->terms[index];
  if (mlirAffineExprIsNull(scale.atom) || !mlirAffineExprIsAMod(scale.atom))
    return false;
  strata_sum_t next = {0};
  *out_modulus = (strata_sum_t){0};
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(scale.atom), ONE, out_modulus);
  scale.atom = (MlirAffineExpr){0};
  strata_sum_add_scaled(&next, scale, out_modulus);
  *out_next = next.n_terms ? next.terms[0] : (strata_sum_term_t){.coefficient = next.constant};
  return strata_sum_is_of_sizes(&next) && next.n_terms + (next.constant != 0) == 1;
}

// Joins term |low|, c * (x mod a), with c * a * (x floordiv a) to c * x.
static bool join_quotient(const strata_sum_space_t *space, strata_sum_t *sum, int low) {
  strata_sum_t x = {0}, modulus, quotient = {0}, ignored = {0};
  strata_sum_term_t next, term = sum->terms[low], *only = quotient.terms;
  if (!digit_of(space, sum, low, &modulus, &next))
    return false;
  flatten_lhs(space, term.atom, &x);
  divide_by(space, &x, &modulus, &quotient, &ignored);
  if (quotient.failed || quotient.n_terms != 1 || only->coefficient != 1 || quotient.constant != 0 ||
      mlirAffineExprIsNull(only->atom) || !mlirAffineExprIsNull(only->factor))
    return false;
  next.atom = only->atom;
  int high = find_term(sum, next.factor, next.atom);
  if (high < 0 || sum->terms[high].coefficient != next.coefficient)
    return false;
  take_term(sum, next);
  take_term(sum, term);
  strata_sum_add_scaled(sum, (strata_sum_term_t){term.coefficient, term.factor, {0}}, &x);
  return true;
}

// Joins term |low|, c * (x mod a), with term |high|, c * a * (y mod b), to c * ((a * y + x mod a) mod (a * b)),
// provided that the inner sum joins.
static bool join_remainder(const strata_sum_space_t *space, strata_sum_t *sum, int low, int high) {
  strata_sum_t modulus, high_modulus, both = {0}, inner = {0}, y = {0}, ignored = {0}, joined = {0};
  strata_sum_term_t next, ignored_next, low_term = sum->terms[low], high_term = sum->terms[high];
  if (!digit_of(space, sum, low, &modulus, &next) || high_term.coefficient != next.coefficient ||
      !mlirAffineExprEqual(high_term.factor, next.factor) || !digit_of(space, sum, high, &high_modulus, &ignored_next))
    return false;
  strata_sum_add_product(&both, &high_modulus, &modulus);
  flatten_lhs(space, high_term.atom, &y);
  strata_sum_add_product(&inner, &y, &modulus);
  strata_sum_add_term(&inner, (strata_sum_term_t){.coefficient = 1, .atom = low_term.atom});
  int at = find_term(&inner, (MlirAffineExpr){0}, low_term.atom);
  if (both.failed || inner.failed || at < 0 || !join_quotient(space, &inner, at))
    return false;
  divide_by(space, &inner, &both, &ignored, &joined);
  take_term(sum, low_term);
  take_term(sum, high_term);
  strata_sum_add_scaled(sum, (strata_sum_term_t){low_term.coefficient, low_term.factor, {0}}, &joined);
  return true;
}

static bool join_one(const strata_sum_space_t *space, strata_sum_t *sum, int low) {
  if (join_quotient(space, sum, low))
    return true;
  for (int high = 0; high < sum->n_terms; high++)
    if (high != low && join_remainder(space, sum, low, high))
      return true;
  return false;
}

static void join_digits(const strata_sum_space_t *space, strata_sum_t *sum) {
  for (int i = 0; i < sum->n_terms && !sum->failed; i++)
    if (join_one(space, sum, i))
      i = -1; // the terms have changed; there are fewer divisions after every join
}

MlirAffineExpr strata_affine_simplify(MlirAffineExpr expr, const strata_space_t *of) {
  strata_sum_space_t space = {mlirAffineExprGetContext(expr), of};
  strata_sum_t sum = {0};
  strata_sum_flatten(&space, expr, ONE, &sum);
  join_digits(&space, &sum);
  return sum.failed ? expr : strata_sum_to_expr(&space, &sum, STRATA_SUM_AS_MET);
}
