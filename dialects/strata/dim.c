// Dimensions in a normal form: sums of products of symbols and of quotients, so that equal expressions are equal
// pointers. What divides by a constant is a quotient: a mod c is a - a floordiv c * c, a ceildiv c (a + c - 1) floordiv
// c. See strata.h.
#include "dialects/integers.h"
#include "dialects/strata/strata.h"

#include <string.h>

enum { MAX_FACTORS = 8, MAX_TERMS = 24 };

// coefficient * factors: symbols and quotients, in order.
typedef struct {
  int64_t coefficient;
  int n_factors;
  MlirAffineExpr factors[MAX_FACTORS];
} term_t;

// The terms in order, that without factors last; nothing is said where it does not fit.
typedef struct {
  bool fits;
  int n_terms;
  term_t terms[MAX_TERMS];
} sum_t;

static MlirAffineExpr lhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetLHS(expr); }
static MlirAffineExpr rhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetRHS(expr); }
static int64_t constant_of(MlirAffineExpr expr) { return mlirAffineConstantExprGetValue(expr); }

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); } // b > 0

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
static int compare_terms(const term_t *a, const term_t *b) {
  for (int i = 0; i < a->n_factors && i < b->n_factors; i++) {
    int order = compare_exprs(a->factors[i], b->factors[i]);
    if (order)
      return order;
  }
  return compare_numbers(b->n_factors, a->n_factors);
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

static void remove_at(sum_t *sum, int i) {
  sum->n_terms--;
  memmove(sum->terms + i, sum->terms + i + 1, (size_t)(sum->n_terms - i) * sizeof sum->terms[0]);
}

static void add_term(sum_t *sum, const term_t *term) {
  int i = 0, order = 1;
  while (i < sum->n_terms && (order = compare_terms(&sum->terms[i], term)) < 0)
    i++;
  if (i < sum->n_terms && order == 0) {
    int64_t *coefficient = &sum->terms[i].coefficient;
    if (__builtin_add_overflow(*coefficient, term->coefficient, coefficient))
      sum->fits = false;
    else if (*coefficient == 0)
      remove_at(sum, i);
    return;
  }
  if (term->coefficient == 0)
    return;
  if (sum->n_terms == MAX_TERMS) {
    sum->fits = false;
    return;
  }
  memmove(sum->terms + i + 1, sum->terms + i, (size_t)(sum->n_terms - i) * sizeof sum->terms[0]);
  sum->terms[i] = *term;
  sum->n_terms++;
}

static void add_constant(sum_t *sum, int64_t value) { add_term(sum, &(term_t){.coefficient = value}); }

static void add_factor(sum_t *sum, MlirAffineExpr factor) {
  add_term(sum, &(term_t){.coefficient = 1, .n_factors = 1, .factors = {factor}});
}

// *out = a * b; false if it does not fit.
static bool multiply_terms(const term_t *a, const term_t *b, term_t *out) {
  *out = (term_t){.coefficient = 0};
  if (a->n_factors + b->n_factors > MAX_FACTORS ||
      __builtin_mul_overflow(a->coefficient, b->coefficient, &out->coefficient))
    return false;
  for (int i = 0, k = 0; i < a->n_factors || k < b->n_factors;) {
    bool take_a = k == b->n_factors || (i < a->n_factors && compare_exprs(a->factors[i], b->factors[k]) <= 0);
    out->factors[out->n_factors++] = take_a ? a->factors[i++] : b->factors[k++];
  }
  return true;
}

// *sum += factor * other.
static void add_scaled(sum_t *sum, const sum_t *other, const term_t *factor) {
  sum->fits = sum->fits && other->fits;
  for (int i = 0; i < other->n_terms && sum->fits; i++) {
    term_t product;
    if (multiply_terms(&other->terms[i], factor, &product))
      add_term(sum, &product);
    else
      sum->fits = false;
  }
}

static void add_sum(sum_t *sum, const sum_t *other, int64_t factor) {
  add_scaled(sum, other, &(term_t){.coefficient = factor});
}

static MlirAffineExpr product_of(MlirContext context, const term_t *term) {
  MlirAffineExpr result = mlirAffineConstantExprGet(context, term->coefficient);
  for (int i = 0; i < term->n_factors; i++)
    result = i ? mlirAffineMulExprGet(result, term->factors[i]) : term->factors[i];
  if (term->n_factors && term->coefficient != 1)
    result = mlirAffineMulExprGet(result, mlirAffineConstantExprGet(context, term->coefficient));
  return result;
}

static MlirAffineExpr expr_of(MlirContext context, const sum_t *sum) {
  MlirAffineExpr result = mlirAffineConstantExprGet(context, 0);
  for (int i = 0; i < sum->n_terms; i++) {
    MlirAffineExpr product = product_of(context, &sum->terms[i]);
    result = i ? mlirAffineAddExprGet(result, product) : product;
  }
  return result;
}

//===-- Quotients ------------------------------------------------------------------------------------------------===//

// What is left of |sum| where multiples of |divisor| are taken out into |whole|; its constant is in [0, divisor).
static sum_t take_multiples(const sum_t *sum, int64_t divisor, sum_t *whole) {
  sum_t rest = {.fits = sum->fits};
  for (int i = 0; i < sum->n_terms; i++) {
    term_t quotient = sum->terms[i], left = quotient;
    quotient.coefficient = floor_div(quotient.coefficient, divisor);
    left.coefficient -= quotient.coefficient * divisor;
    if (left.n_factors && left.coefficient) // a part of a product does not simplify
      quotient.coefficient = 0, left = sum->terms[i];
    add_term(whole, &quotient);
    add_term(&rest, &left);
  }
  return rest;
}

// The common divisor of |divisor| and all coefficients of products.
static int64_t common_divisor(const sum_t *sum, int64_t divisor) {
  for (int i = 0; i < sum->n_terms; i++)
    if (sum->terms[i].n_factors)
      divisor = strata_gcd(divisor, sum->terms[i].coefficient);
  return divisor;
}

static bool has_products(const sum_t *sum) { return sum->n_terms > 0 && sum->terms[0].n_factors > 0; }

static sum_t sum_of(MlirAffineExpr expr);

// (x floordiv a + c) floordiv b = (x + c * a) floordiv (a * b)
static bool merge_quotients(const sum_t *sum, int64_t *divisor, sum_t *out) {
  const term_t *term = &sum->terms[0];
  bool has_constant = sum->n_terms == 2 && sum->terms[1].n_factors == 0;
  int64_t inner, constant;
  if ((sum->n_terms != 1 && !has_constant) || term->n_factors != 1 || term->coefficient != 1 ||
      !mlirAffineExprIsAFloorDiv(term->factors[0]) || !mlirAffineExprIsAConstant(rhs_of(term->factors[0])))
    return false;
  inner = constant_of(rhs_of(term->factors[0]));
  if (__builtin_mul_overflow(has_constant ? sum->terms[1].coefficient : 0, inner, &constant) ||
      __builtin_mul_overflow(inner, *divisor, divisor))
    return false;
  *out = sum_of(lhs_of(term->factors[0]));
  add_constant(out, constant);
  return true;
}

static sum_t quotient_of(MlirContext context, const sum_t *sum, int64_t divisor) {
  sum_t result = {.fits = sum->fits}, rest = take_multiples(sum, divisor, &result), merged;
  if (!has_products(&rest)) // its constant is below the divisor
    return result;
  int64_t common = common_divisor(&rest, divisor);
  for (int i = 0; i < rest.n_terms; i++)
    rest.terms[i].coefficient = floor_div(rest.terms[i].coefficient, common);
  if (rest.terms[rest.n_terms - 1].coefficient == 0)
    rest.n_terms--;
  divisor /= common;
  int64_t product = divisor;
  if (merge_quotients(&rest, &product, &merged)) {
    sum_t more = quotient_of(context, &merged, product);
    add_sum(&result, &more, 1);
  } else {
    add_factor(&result,
               mlirAffineFloorDivExprGet(expr_of(context, &rest), mlirAffineConstantExprGet(context, divisor)));
  }
  return result;
}

//===-- From expressions -----------------------------------------------------------------------------------------===//

static sum_t sum_of_quotient(MlirAffineExpr expr) {
  MlirContext context = mlirAffineExprGetContext(expr);
  sum_t numerator = sum_of(lhs_of(expr)), result = {.fits = true};
  int64_t divisor = constant_of(rhs_of(expr));
  if (mlirAffineExprIsACeilDiv(expr))
    add_constant(&numerator, divisor - 1);
  sum_t quotient = quotient_of(context, &numerator, divisor);
  if (!mlirAffineExprIsAMod(expr))
    return quotient;
  add_sum(&result, &numerator, 1);
  add_sum(&result, &quotient, -divisor);
  return result;
}

static sum_t sum_of(MlirAffineExpr expr) {
  sum_t sum = {.fits = true};
  if (mlirAffineExprIsAConstant(expr)) {
    add_constant(&sum, constant_of(expr));
  } else if (mlirAffineExprIsAAdd(expr)) {
    sum_t lhs = sum_of(lhs_of(expr)), rhs = sum_of(rhs_of(expr));
    add_sum(&sum, &lhs, 1);
    add_sum(&sum, &rhs, 1);
  } else if (mlirAffineExprIsAMul(expr)) {
    sum_t lhs = sum_of(lhs_of(expr)), rhs = sum_of(rhs_of(expr));
    sum.fits = rhs.fits;
    for (int i = 0; i < rhs.n_terms; i++)
      add_scaled(&sum, &lhs, &rhs.terms[i]);
  } else if (mlirAffineExprIsABinary(expr) && mlirAffineExprIsAConstant(rhs_of(expr)) &&
             constant_of(rhs_of(expr)) > 0) {
    // As it is, if that is its normal form already: of what quotient_of made.
    sum = sum_of_quotient(expr);
  } else {
    add_factor(&sum, expr);
  }
  return sum;
}

static bool are_constant(strata_dim_t a, strata_dim_t b) {
  return mlirAffineExprIsAConstant(a) && mlirAffineExprIsAConstant(b);
}

//===-- The interface --------------------------------------------------------------------------------------------===//

strata_dim_t strata_dim_constant(MlirContext context, int64_t size) { return mlirAffineConstantExprGet(context, size); }
strata_dim_t strata_dim_symbol(MlirContext context, int symbol) { return mlirAffineSymbolExprGet(context, symbol); }

bool strata_dim_is_constant(strata_dim_t dim, int64_t *out_size) {
  if (!mlirAffineExprIsAConstant(dim))
    return false;
  *out_size = mlirAffineConstantExprGetValue(dim);
  return true;
}

bool strata_dim_is(strata_dim_t dim, int64_t size) {
  int64_t known;
  return strata_dim_is_constant(dim, &known) && known == size;
}

strata_dim_t strata_dim_normal(strata_dim_t dim) {
  if (mlirAffineExprIsAConstant(dim) || mlirAffineExprIsASymbol(dim))
    return dim;
  sum_t sum = sum_of(dim);
  return sum.fits ? expr_of(mlirAffineExprGetContext(dim), &sum) : dim;
}

bool strata_dim_equal(strata_dim_t a, strata_dim_t b) {
  if (mlirAffineExprEqual(a, b))
    return true;
  if (mlirAffineExprIsNull(a) || mlirAffineExprIsNull(b) || are_constant(a, b))
    return false;
  return mlirAffineExprEqual(strata_dim_normal(a), strata_dim_normal(b));
}

strata_dim_t strata_dim_add(strata_dim_t a, strata_dim_t b) {
  strata_dim_t sum = mlirAffineAddExprGet(a, b);
  return are_constant(a, b) ? sum : strata_dim_normal(sum);
}

strata_dim_t strata_dim_mul(strata_dim_t a, strata_dim_t b) {
  strata_dim_t product = mlirAffineMulExprGet(a, b);
  return are_constant(a, b) ? product : strata_dim_normal(product);
}

strata_dim_t strata_dim_plus(strata_dim_t a, int64_t b) {
  return strata_dim_add(a, strata_dim_constant(mlirAffineExprGetContext(a), b));
}

strata_dim_t strata_dim_times(strata_dim_t a, int64_t b) {
  return strata_dim_mul(a, strata_dim_constant(mlirAffineExprGetContext(a), b));
}

strata_dim_t strata_dim_sub(strata_dim_t a, strata_dim_t b) { return strata_dim_add(a, strata_dim_times(b, -1)); }

strata_dim_t strata_dim_floordiv(strata_dim_t a, int64_t b) {
  strata_dim_t quotient = mlirAffineFloorDivExprGet(a, mlirAffineConstantExprGet(mlirAffineExprGetContext(a), b));
  return mlirAffineExprIsAConstant(a) ? quotient : strata_dim_normal(quotient);
}

strata_dim_t strata_dim_product(MlirContext context, int count, const strata_dim_t *dims) {
  strata_dim_t product = strata_dim_constant(context, 1);
  for (int i = 0; i < count; i++)
    product = strata_dim_mul(product, dims[i]);
  return product;
}

// *out = a / b; false if some factor of b is not in a.
static bool divide_terms(const term_t *a, const term_t *b, term_t *out) {
  *out = (term_t){.coefficient = 0};
  if (a->coefficient % b->coefficient)
    return false;
  out->coefficient = a->coefficient / b->coefficient;
  int k = 0;
  for (int i = 0; i < a->n_factors; i++) {
    if (k < b->n_factors && mlirAffineExprEqual(a->factors[i], b->factors[k]))
      k++;
    else
      out->factors[out->n_factors++] = a->factors[i];
  }
  return k == b->n_factors;
}

bool strata_dim_divide(strata_dim_t a, strata_dim_t b, strata_dim_t *out) {
  sum_t rest = sum_of(a), divisor = sum_of(b), quotient = {.fits = true};
  for (int step = 0; rest.n_terms && step < MAX_TERMS; step++) {
    term_t term;
    if (!divisor.n_terms || !divide_terms(&rest.terms[0], &divisor.terms[0], &term))
      return false;
    add_term(&quotient, &term);
    term.coefficient = -term.coefficient;
    add_scaled(&rest, &divisor, &term);
    if (!rest.fits || !quotient.fits || !divisor.fits)
      return false;
  }
  *out = expr_of(mlirAffineExprGetContext(a), &quotient);
  return divisor.n_terms > 0 && rest.n_terms == 0;
}

strata_dim_t strata_dim_substitute(strata_dim_t dim, int n_symbols, const strata_dim_t *values) {
  if (mlirAffineExprIsASymbol(dim)) {
    intptr_t symbol = mlirAffineSymbolExprGetPosition(dim);
    return symbol < n_symbols && !mlirAffineExprIsNull(values[symbol]) ? values[symbol] : dim;
  }
  if (!mlirAffineExprIsABinary(dim))
    return dim;
  strata_dim_t lhs = strata_dim_substitute(lhs_of(dim), n_symbols, values),
               rhs = strata_dim_substitute(rhs_of(dim), n_symbols, values);
  return strata_dim_normal(mlirAffineExprIsAAdd(dim)        ? mlirAffineAddExprGet(lhs, rhs)
                           : mlirAffineExprIsAMul(dim)      ? mlirAffineMulExprGet(lhs, rhs)
                           : mlirAffineExprIsAFloorDiv(dim) ? mlirAffineFloorDivExprGet(lhs, rhs)
                           : mlirAffineExprIsAMod(dim)      ? mlirAffineModExprGet(lhs, rhs)
                                                            : mlirAffineCeilDivExprGet(lhs, rhs));
}

//===-- What symbols' ranges say ---------------------------------------------------------------------------------===//

static strata_range_t range_of_product(strata_range_t a, strata_range_t b) {
  int64_t corners[4] = {strata_times(a.min, b.min), strata_times(a.min, b.max), strata_times(a.max, b.min),
                        strata_times(a.max, b.max)};
  strata_range_t range = {corners[0], corners[0]};
  for (int i = 1; i < 4; i++) {
    range.min = strata_min(range.min, corners[i]);
    range.max = strata_max(range.max, corners[i]);
  }
  return range;
}

static strata_range_t range_of_sum(const sum_t *sum, const strata_symbols_t *symbols);

static strata_range_t range_of_factor(MlirAffineExpr expr, const strata_symbols_t *symbols) {
  static const strata_range_t any = {INT64_MIN, INT64_MAX}, any_size = {0, INT64_MAX};
  if (mlirAffineExprIsASymbol(expr)) {
    size_t symbol = (size_t)mlirAffineSymbolExprGetPosition(expr);
    return symbol < symbols->list.count
               ? (strata_range_t){symbols->list.data[symbol].min, symbols->list.data[symbol].max}
               : any_size;
  }
  if (!mlirAffineExprIsAFloorDiv(expr) || !mlirAffineExprIsAConstant(rhs_of(expr)) || constant_of(rhs_of(expr)) <= 0)
    return any;
  sum_t sum = sum_of(lhs_of(expr));
  strata_range_t range = range_of_sum(&sum, symbols);
  int64_t divisor = constant_of(rhs_of(expr));
  return (strata_range_t){floor_div(range.min, divisor), floor_div(range.max, divisor)};
}

static strata_range_t range_of_terms(const sum_t *sum, const strata_symbols_t *symbols) {
  strata_range_t range = {0, 0};
  for (int i = 0; i < sum->n_terms; i++) {
    const term_t *term = &sum->terms[i];
    strata_range_t product = {term->coefficient, term->coefficient};
    for (int k = 0; k < term->n_factors; k++)
      product = range_of_product(product, range_of_factor(term->factors[k], symbols));
    range.min = strata_plus(range.min, product.min);
    range.max = strata_plus(range.max, product.max);
  }
  return range;
}

static strata_range_t intersection(strata_range_t a, strata_range_t b) {
  return (strata_range_t){strata_max(a.min, b.min), strata_min(a.max, b.max)};
}

// Without term |i|, and with |factor| times |expr| in its place, all of it |scale| times.
static sum_t with_instead(const sum_t *sum, int i, int64_t scale, int64_t factor, MlirAffineExpr expr) {
  sum_t rest = *sum, result = {.fits = true}, other = sum_of(expr);
  remove_at(&rest, i);
  add_sum(&result, &rest, scale);
  add_sum(&result, &other, factor);
  return result;
}

static strata_range_t range_of_sum(const sum_t *sum, const strata_symbols_t *symbols);

// With x / c and (x - (c - 1)) / c as the ends of x floordiv c, which is term |i|: closer where x is in the sum, too.
static bool range_by_quotient(const sum_t *sum, int i, const strata_symbols_t *symbols, strata_range_t *out) {
  const term_t *term = &sum->terms[i];
  MlirAffineExpr quotient = term->n_factors == 1 ? term->factors[0] : (MlirAffineExpr){0};
  if (mlirAffineExprIsNull(quotient) || !mlirAffineExprIsAFloorDiv(quotient) ||
      !mlirAffineExprIsAConstant(rhs_of(quotient)) || constant_of(rhs_of(quotient)) <= 0)
    return false;
  int64_t divisor = constant_of(rhs_of(quotient)), factor = term->coefficient;
  sum_t scaled = with_instead(sum, i, divisor, factor, lhs_of(quotient));
  if (!scaled.fits)
    return false;
  strata_range_t range = range_of_terms(&scaled, symbols);
  int64_t slack = strata_times(factor < 0 ? -factor : factor, divisor - 1);
  int64_t min = factor > 0 ? strata_minus(range.min, slack) : range.min,
          max = factor < 0 ? strata_plus(range.max, slack) : range.max;
  *out = (strata_range_t){min == INT64_MIN ? min : -floor_div(-min, divisor),
                          max == INT64_MAX ? max : floor_div(max, divisor)};
  return true;
}

// With either of what the symbol of term |i| is the greater, or the lesser, of.
static bool range_by_choice(const sum_t *sum, int i, const strata_symbols_t *symbols, strata_range_t *out) {
  const term_t *term = &sum->terms[i];
  size_t number = term->n_factors == 1 && mlirAffineExprIsASymbol(term->factors[0])
                      ? (size_t)mlirAffineSymbolExprGetPosition(term->factors[0])
                      : SIZE_MAX;
  if (number >= symbols->list.count)
    return false;
  const strata_symbol_t *symbol = &symbols->list.data[number];
  if (symbol->op != STRATA_SYMBOL_MAX && symbol->op != STRATA_SYMBOL_MIN)
    return false;
  sum_t lhs = with_instead(sum, i, 1, term->coefficient, symbol->lhs),
        rhs = with_instead(sum, i, 1, term->coefficient, symbol->rhs);
  if (!lhs.fits || !rhs.fits)
    return false;
  strata_range_t a = range_of_sum(&lhs, symbols), b = range_of_sum(&rhs, symbols);
  bool is_least = (symbol->op == STRATA_SYMBOL_MIN) == (term->coefficient > 0); // of the two sums, else the greatest
  *out = is_least ? (strata_range_t){strata_min(a.min, b.min), strata_min(a.max, b.max)}
                  : (strata_range_t){strata_max(a.min, b.min), strata_max(a.max, b.max)};
  return true;
}

static strata_range_t range_of_sum(const sum_t *sum, const strata_symbols_t *symbols) {
  strata_range_t range = range_of_terms(sum, symbols), other;
  for (int i = 0; i < sum->n_terms; i++)
    if (range_by_quotient(sum, i, symbols, &other) || range_by_choice(sum, i, symbols, &other))
      range = intersection(range, other);
  return range;
}

strata_range_t strata_dim_range(strata_dim_t dim, const strata_symbols_t *symbols) {
  sum_t sum = sum_of(dim);
  return sum.fits ? range_of_sum(&sum, symbols) : (strata_range_t){INT64_MIN, INT64_MAX};
}

int64_t strata_dim_divisor(strata_dim_t dim, const strata_symbols_t *symbols) {
  sum_t sum = sum_of(dim);
  int64_t divisor = 0;
  for (int i = 0; i < sum.n_terms; i++) {
    int64_t known = sum.terms[i].coefficient;
    for (int k = 0; k < sum.terms[i].n_factors; k++) {
      MlirAffineExpr factor = sum.terms[i].factors[k];
      size_t symbol = mlirAffineExprIsASymbol(factor) ? (size_t)mlirAffineSymbolExprGetPosition(factor) : SIZE_MAX;
      int64_t multiple = symbol < symbols->list.count ? symbols->list.data[symbol].multiple : 1;
      if (__builtin_mul_overflow(known, multiple, &known))
        known = 1;
    }
    divisor = strata_gcd(divisor, known);
  }
  return sum.fits ? divisor : 1;
}

bool strata_dim_split(strata_dim_t dim, strata_dim_t *out_part, int64_t *out_factor, int64_t *out_rest) {
  sum_t sum = sum_of(dim);
  if (!sum.fits || sum.n_terms == 0 || sum.terms[0].n_factors != 1 || sum.n_terms > 2 ||
      (sum.n_terms == 2 && sum.terms[1].n_factors != 0))
    return false;
  *out_part = sum.terms[0].factors[0];
  *out_factor = sum.terms[0].coefficient;
  *out_rest = sum.n_terms == 2 ? sum.terms[1].coefficient : 0;
  return true;
}

// Whether the solution of symbol + rest = 0, or -symbol + rest = 0, is a sum that may be a size for all sizes: no term
// is taken away.
static bool is_plain_sum(const sum_t *sum) {
  for (int i = 0; i < sum->n_terms; i++)
    if (sum->terms[i].coefficient < 0)
      return false;
  return true;
}

static bool uses(MlirAffineExpr expr, MlirAffineExpr symbol) {
  return mlirAffineExprEqual(expr, symbol) ||
         (mlirAffineExprIsABinary(expr) && (uses(lhs_of(expr), symbol) || uses(rhs_of(expr), symbol)));
}

// What |symbol| must be for the sum to be zero; false unless it occurs once, alone.
static bool solve_for(const sum_t *sum, MlirAffineExpr symbol, sum_t *out) {
  int64_t sign = 0;
  *out = (sum_t){.fits = true};
  for (int i = 0; i < sum->n_terms; i++) {
    const term_t *term = &sum->terms[i];
    if (term->n_factors == 1 && mlirAffineExprEqual(term->factors[0], symbol)) {
      sign = term->coefficient;
      continue;
    }
    for (int k = 0; k < term->n_factors; k++)
      if (uses(term->factors[k], symbol))
        return false;
  }
  if (sign != 1 && sign != -1)
    return false;
  sum_t rest = *sum;
  for (int i = 0; i < rest.n_terms; i++)
    if (rest.terms[i].n_factors == 1 && mlirAffineExprEqual(rest.terms[i].factors[0], symbol))
      remove_at(&rest, i);
  add_sum(out, &rest, -sign);
  return out->fits;
}

int strata_dim_solve(strata_dim_t a, strata_dim_t b, int n_symbols, const bool *may_go, strata_dim_t *out) {
  MlirContext context = mlirAffineExprGetContext(a);
  sum_t sum = sum_of(strata_dim_sub(a, b));
  for (int pass = 0; pass < 2; pass++) // sums first, then differences
    for (int symbol = n_symbols - 1; symbol >= 0; symbol--) {
      sum_t solution;
      if (!may_go[symbol] || !solve_for(&sum, mlirAffineSymbolExprGet(context, symbol), &solution) ||
          (pass == 0 && !is_plain_sum(&solution)))
        continue;
      *out = expr_of(context, &solution);
      return symbol;
    }
  return -1;
}
