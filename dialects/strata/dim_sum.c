// See dim_sum.h.
#include "dialects/strata/dim_sum.h"

#include "dialects/integers.h"

#include <string.h>

static MlirAffineExpr lhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetLHS(expr); }
static MlirAffineExpr rhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetRHS(expr); }
static int64_t constant_of(MlirAffineExpr expr) { return mlirAffineConstantExprGetValue(expr); }

//===-- Order ----------------------------------------------------------------------------------------------------===//

static int kind_of(MlirAffineExpr expr) {
  return mlirAffineExprIsASymbol(expr)     ? 0
         : mlirAffineExprIsAAdd(expr)      ? 1
         : mlirAffineExprIsAMul(expr)      ? 2
         : mlirAffineExprIsAFloorDiv(expr) ? 3
         : mlirAffineExprIsAMod(expr)      ? 4
         : mlirAffineExprIsACeilDiv(expr)  ? 5
         : mlirAffineExprIsADim(expr)      ? 6
                                           : 7;
}

static int compare_numbers(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int compare_exprs(MlirAffineExpr a, MlirAffineExpr b) {
  if (mlirAffineExprEqual(a, b))
    return 0;
  if (kind_of(a) != kind_of(b))
    return compare_numbers(kind_of(a), kind_of(b));
  if (mlirAffineExprIsASymbol(a))
    return compare_numbers(mlirAffineSymbolExprGetPosition(a), mlirAffineSymbolExprGetPosition(b));
  if (mlirAffineExprIsADim(a))
    return compare_numbers(mlirAffineDimExprGetPosition(a), mlirAffineDimExprGetPosition(b));
  if (mlirAffineExprIsAConstant(a))
    return compare_numbers(constant_of(a), constant_of(b));
  int order = compare_exprs(lhs_of(a), lhs_of(b));
  return order ? order : compare_exprs(rhs_of(a), rhs_of(b));
}

// The lexicographic order of products, which multiplying by a factor keeps.
static int compare_terms(const strata__dim_term_t *a, const strata__dim_term_t *b) {
  for (int i = 0; i < a->n_factors && i < b->n_factors; i++) {
    int order = compare_exprs(a->factors[i], b->factors[i]);
    if (order)
      return order;
  }
  return compare_numbers(b->n_factors, a->n_factors);
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

void strata__dim_sum_drop(strata__dim_sum_t *sum, int i) {
  sum->n_terms--;
  memmove(sum->terms + i, sum->terms + i + 1, (size_t)(sum->n_terms - i) * sizeof sum->terms[0]);
}

void strata__dim_sum_add_term(strata__dim_sum_t *sum, const strata__dim_term_t *term) {
  int i = 0, order = 1;
  while (i < sum->n_terms && (order = compare_terms(&sum->terms[i], term)) < 0)
    i++;
  if (i < sum->n_terms && order == 0) {
    int64_t *coefficient = &sum->terms[i].coefficient;
    if (__builtin_add_overflow(*coefficient, term->coefficient, coefficient))
      sum->fits = false;
    else if (*coefficient == 0)
      strata__dim_sum_drop(sum, i);
    return;
  }
  if (term->coefficient == 0)
    return;
  if (sum->n_terms == STRATA__MAX_TERMS) {
    sum->fits = false;
    return;
  }
  memmove(sum->terms + i + 1, sum->terms + i, (size_t)(sum->n_terms - i) * sizeof sum->terms[0]);
  sum->terms[i] = *term;
  sum->n_terms++;
}

static void add_constant(strata__dim_sum_t *sum, int64_t value) {
  strata__dim_sum_add_term(sum, &(strata__dim_term_t){.coefficient = value});
}

static void add_factor(strata__dim_sum_t *sum, MlirAffineExpr factor) {
  strata__dim_sum_add_term(sum, &(strata__dim_term_t){.coefficient = 1, .n_factors = 1, .factors = {factor}});
}

// *out = a * b; false if it does not fit.
static bool multiply_terms(const strata__dim_term_t *a, const strata__dim_term_t *b, strata__dim_term_t *out) {
  *out = (strata__dim_term_t){.coefficient = 0};
  if (a->n_factors + b->n_factors > STRATA__MAX_FACTORS ||
      __builtin_mul_overflow(a->coefficient, b->coefficient, &out->coefficient))
    return false;
  for (int i = 0, k = 0; i < a->n_factors || k < b->n_factors;) {
    bool take_a = k == b->n_factors || (i < a->n_factors && compare_exprs(a->factors[i], b->factors[k]) <= 0);
    out->factors[out->n_factors++] = take_a ? a->factors[i++] : b->factors[k++];
  }
  return true;
}

// *sum += factor * other.
void strata__dim_sum_add_product(strata__dim_sum_t *sum, const strata__dim_sum_t *other,
                                 const strata__dim_term_t *factor) {
  sum->fits = sum->fits && other->fits;
  for (int i = 0; i < other->n_terms && sum->fits; i++) {
    strata__dim_term_t product;
    if (multiply_terms(&other->terms[i], factor, &product))
      strata__dim_sum_add_term(sum, &product);
    else
      sum->fits = false;
  }
}

void strata__dim_sum_add(strata__dim_sum_t *sum, const strata__dim_sum_t *other, int64_t factor) {
  strata__dim_sum_add_product(sum, other, &(strata__dim_term_t){.coefficient = factor});
}

static MlirAffineExpr product_of(MlirContext context, const strata__dim_term_t *term) {
  MlirAffineExpr result = mlirAffineConstantExprGet(context, term->coefficient);
  for (int i = 0; i < term->n_factors; i++)
    result = i ? mlirAffineMulExprGet(result, term->factors[i]) : term->factors[i];
  if (term->n_factors && term->coefficient != 1)
    result = mlirAffineMulExprGet(result, mlirAffineConstantExprGet(context, term->coefficient));
  return result;
}

MlirAffineExpr strata__dim_sum_expr(MlirContext context, const strata__dim_sum_t *sum) {
  MlirAffineExpr result = mlirAffineConstantExprGet(context, 0);
  for (int i = 0; i < sum->n_terms; i++) {
    MlirAffineExpr product = product_of(context, &sum->terms[i]);
    result = i ? mlirAffineAddExprGet(result, product) : product;
  }
  return result;
}

//===-- Quotients ------------------------------------------------------------------------------------------------===//

// What is left of |sum| where multiples of |divisor| are taken out into |whole|; its constant is in [0, divisor).
static strata__dim_sum_t take_multiples(const strata__dim_sum_t *sum, int64_t divisor, strata__dim_sum_t *whole) {
  strata__dim_sum_t rest = {.fits = sum->fits};
  for (int i = 0; i < sum->n_terms; i++) {
    strata__dim_term_t quotient = sum->terms[i], left = quotient;
    quotient.coefficient = strata_floor_div(quotient.coefficient, divisor);
    left.coefficient -= quotient.coefficient * divisor;
    if (left.n_factors && left.coefficient) // a part of a product does not simplify
      quotient.coefficient = 0, left = sum->terms[i];
    strata__dim_sum_add_term(whole, &quotient);
    strata__dim_sum_add_term(&rest, &left);
  }
  return rest;
}

// The common divisor of |divisor| and all coefficients of products.
static int64_t common_divisor(const strata__dim_sum_t *sum, int64_t divisor) {
  for (int i = 0; i < sum->n_terms; i++)
    if (sum->terms[i].n_factors)
      divisor = strata_gcd(divisor, sum->terms[i].coefficient);
  return divisor;
}

static bool has_products(const strata__dim_sum_t *sum) { return sum->n_terms > 0 && sum->terms[0].n_factors > 0; }

// (x floordiv a + c) floordiv b = (x + c * a) floordiv (a * b)
static bool merge_quotients(const strata__dim_sum_t *sum, int64_t *divisor, strata__dim_sum_t *out) {
  const strata__dim_term_t *term = &sum->terms[0];
  bool has_constant = sum->n_terms == 2 && sum->terms[1].n_factors == 0;
  int64_t inner, constant;
  if ((sum->n_terms != 1 && !has_constant) || term->n_factors != 1 || term->coefficient != 1 ||
      !mlirAffineExprIsAFloorDiv(term->factors[0]) || !mlirAffineExprIsAConstant(rhs_of(term->factors[0])))
    return false;
  inner = constant_of(rhs_of(term->factors[0]));
  if (__builtin_mul_overflow(has_constant ? sum->terms[1].coefficient : 0, inner, &constant) ||
      __builtin_mul_overflow(inner, *divisor, divisor))
    return false;
  *out = strata__dim_sum(lhs_of(term->factors[0]));
  add_constant(out, constant);
  return true;
}

static strata__dim_sum_t quotient_of(MlirContext context, const strata__dim_sum_t *sum, int64_t divisor) {
  strata__dim_sum_t result = {.fits = sum->fits}, rest = take_multiples(sum, divisor, &result), merged;
  if (!has_products(&rest)) // its constant is below the divisor
    return result;
  int64_t common = common_divisor(&rest, divisor);
  for (int i = 0; i < rest.n_terms; i++)
    rest.terms[i].coefficient = strata_floor_div(rest.terms[i].coefficient, common);
  if (rest.terms[rest.n_terms - 1].coefficient == 0)
    rest.n_terms--;
  divisor /= common;
  int64_t product = divisor;
  if (merge_quotients(&rest, &product, &merged)) {
    strata__dim_sum_t more = quotient_of(context, &merged, product);
    strata__dim_sum_add(&result, &more, 1);
  } else {
    add_factor(&result, mlirAffineFloorDivExprGet(strata__dim_sum_expr(context, &rest),
                                                  mlirAffineConstantExprGet(context, divisor)));
  }
  return result;
}

//===-- From expressions -----------------------------------------------------------------------------------------===//

static strata__dim_sum_t sum_of_quotient(MlirAffineExpr expr) {
  MlirContext context = mlirAffineExprGetContext(expr);
  strata__dim_sum_t numerator = strata__dim_sum(lhs_of(expr)), result = {.fits = true};
  int64_t divisor = constant_of(rhs_of(expr));
  if (mlirAffineExprIsACeilDiv(expr))
    add_constant(&numerator, divisor - 1);
  strata__dim_sum_t quotient = quotient_of(context, &numerator, divisor);
  if (!mlirAffineExprIsAMod(expr))
    return quotient;
  strata__dim_sum_add(&result, &numerator, 1);
  strata__dim_sum_add(&result, &quotient, -divisor);
  return result;
}

strata__dim_sum_t strata__dim_sum(MlirAffineExpr expr) {
  strata__dim_sum_t sum = {.fits = true};
  if (mlirAffineExprIsAConstant(expr)) {
    add_constant(&sum, constant_of(expr));
  } else if (mlirAffineExprIsAAdd(expr)) {
    strata__dim_sum_t lhs = strata__dim_sum(lhs_of(expr)), rhs = strata__dim_sum(rhs_of(expr));
    strata__dim_sum_add(&sum, &lhs, 1);
    strata__dim_sum_add(&sum, &rhs, 1);
  } else if (mlirAffineExprIsAMul(expr)) {
    strata__dim_sum_t lhs = strata__dim_sum(lhs_of(expr)), rhs = strata__dim_sum(rhs_of(expr));
    sum.fits = rhs.fits;
    for (int i = 0; i < rhs.n_terms; i++)
      strata__dim_sum_add_product(&sum, &lhs, &rhs.terms[i]);
  } else if (mlirAffineExprIsABinary(expr) && mlirAffineExprIsAConstant(rhs_of(expr)) &&
             constant_of(rhs_of(expr)) > 0) {
    // As it is, if that is its normal form already: of what quotient_of made.
    sum = sum_of_quotient(expr);
  } else {
    add_factor(&sum, expr);
  }
  return sum;
}
