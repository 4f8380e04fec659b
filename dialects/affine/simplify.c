// Affine expressions simplified with the ranges of their dims; see simplify.h.
//
// An expression is flattened into a sum (sum.h), divided where it has divisions (divide.c). The terms under a division
// are in one order, whatever order they were met in, so that equal atoms are one atom. So the digits of a position read
// as (x floordiv a) mod b, and sums of neighbouring digits are joined again.
#include "dialects/affine/simplify.h"

#include "dialects/affine/expr.h"
#include "dialects/affine/sum.h"
#include "dialects/integers.h"

static const strata_sum_term_t ONE = {.coefficient = 1};

//===-- Flattening ------------------------------------------------------------------------------------------------===//

// True if the expression is over symbols of the space alone.
static bool is_of_sizes(const strata_space_t *space, MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr))
    return false;
  if (mlirAffineExprIsASymbol(expr))
    return mlirAffineSymbolExprGetPosition(expr) < space->n_symbols;
  return mlirAffineExprIsAConstant(expr) || (is_of_sizes(space, mlirAffineBinaryOpExprGetLHS(expr)) &&
                                             is_of_sizes(space, mlirAffineBinaryOpExprGetRHS(expr)));
}

bool strata_sum_is_divisor(const strata_sum_t *sum) {
  return strata_sum_is_of_sizes(sum) && (sum->n_terms > 0 || sum->constant > 0);
}

void strata_sum_add_atom(const strata_sum_space_t *space, strata_sum_term_t scale, MlirAffineExpr expr,
                         strata_sum_t *sum) {
  if (space->of->n_symbols > 0 && is_of_sizes(space->of, expr)) {
    strata_sum_add_scaled(sum, scale, &(strata_sum_t){.n_terms = 1, .terms = {{.coefficient = 1, .factor = expr}}});
  } else {
    scale.atom = expr;
    strata_sum_add_term(sum, scale);
  }
}

void strata_sum_flatten_lhs(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_t *sum) {
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetLHS(expr), ONE, sum);
}

// False if the divisor is nothing that is known to be positive: a number, or made of sizes.
static bool flatten_division(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                             strata_sum_t *sum) {
  strata_sum_t divisor = {0};
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(expr), ONE, &divisor);
  if (!strata_sum_is_divisor(&divisor))
    return false;
  strata_sum_t lhs = {0}, quotient = {0}, remainder = {0};
  strata_sum_flatten_lhs(space, expr, &lhs);
  if (mlirAffineExprIsACeilDiv(expr)) {
    strata_sum_add_times(&lhs, 1, &divisor);
    strata_sum_add_constant(&lhs, -1);
  }
  strata_sum_divide(space, &lhs, &divisor, &quotient, &remainder);
  remainder.failed |= quotient.failed;
  strata_sum_add_scaled(sum, scale, mlirAffineExprIsAMod(expr) ? &remainder : &quotient);
  return true;
}

// False if neither side is made of sizes.
static bool flatten_product(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                            strata_sum_t *sum) {
  strata_sum_t rhs = {0};
  strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(expr), ONE, &rhs);
  if (!strata_sum_is_of_sizes(&rhs))
    return false;
  strata_sum_t lhs = {0}, product = {0};
  strata_sum_flatten_lhs(space, expr, &lhs);
  strata_sum_add_product(&product, &lhs, &rhs);
  strata_sum_add_scaled(sum, scale, &product);
  return true;
}

// A symbol of divisor g is g times the unit that it stands for in factors.
static void flatten_symbol(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                           strata_sum_t *sum) {
  strata_size_t symbol = space->of->symbols[mlirAffineSymbolExprGetPosition(expr)];
  strata_sum_t value = {.n_terms = 1, .terms = {{.coefficient = symbol.divisor, .factor = expr}}};
  int64_t constant;
  if (strata_size_is_constant(symbol, &constant))
    value = (strata_sum_t){.constant = constant};
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
    if (__builtin_mul_overflow(scale.coefficient, mlirAffineConstantExprGetValue(expr), &scale.coefficient))
      sum->failed = true;
    else
      strata_sum_add_term(sum, scale);
  } else if (mlirAffineExprIsADim(expr)) {
    if (strata_size_max(space->of->sizes[mlirAffineDimExprGetPosition(expr)]) > 1)
      strata_sum_add_atom(space, scale, expr, sum);
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
    strata_sum_add_atom(space, scale, expr, sum);
  }
}

//===-- Joining ---------------------------------------------------------------------------------------------------===//

static int find_term(const strata_sum_t *sum, MlirAffineExpr factor, MlirAffineExpr atom) {
  for (int i = 0; i < sum->n_terms; i++)
    if (mlirAffineExprEqual(sum->terms[i].atom, atom) && mlirAffineExprEqual(sum->terms[i].factor, factor))
      return i;
  return -1;
}

static void take_term(strata_sum_t *sum, strata_sum_term_t term) {
  term.coefficient = -term.coefficient;
  strata_sum_add_term(sum, term);
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
  strata_sum_term_t next, term = sum->terms[low];
  strata_sum_t modulus;
  if (!digit_of(space, sum, low, &modulus, &next))
    return false;
  strata_sum_t x = {0}, quotient = {0}, ignored = {0};
  const strata_sum_term_t *only = quotient.terms;
  strata_sum_flatten_lhs(space, term.atom, &x);
  strata_sum_divide(space, &x, &modulus, &quotient, &ignored);
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
  strata_sum_term_t next, ignored_next, low_term = sum->terms[low], high_term = sum->terms[high];
  strata_sum_t modulus, high_modulus;
  if (!digit_of(space, sum, low, &modulus, &next) || high_term.coefficient != next.coefficient ||
      !mlirAffineExprEqual(high_term.factor, next.factor) || !digit_of(space, sum, high, &high_modulus, &ignored_next))
    return false;
  strata_sum_t both = {0}, inner = {0}, y = {0}, ignored = {0}, joined = {0};
  strata_sum_add_product(&both, &high_modulus, &modulus);
  strata_sum_flatten_lhs(space, high_term.atom, &y);
  strata_sum_add_product(&inner, &y, &modulus);
  strata_sum_add_term(&inner, (strata_sum_term_t){.coefficient = 1, .atom = low_term.atom});
  int at = find_term(&inner, (MlirAffineExpr){0}, low_term.atom);
  if (both.failed || inner.failed || at < 0 || !join_quotient(space, &inner, at))
    return false;
  strata_sum_divide(space, &inner, &both, &ignored, &joined);
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
