// Where dims lie, and what divides them, by the ranges of symbols; see strata.h.
#include "dialects/integers.h"
#include "dialects/strata/counted.h"
#include "dialects/strata/dim_sum.h"

static MlirAffineExpr lhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetLHS(expr); }
static MlirAffineExpr rhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetRHS(expr); }
static int64_t constant_of(MlirAffineExpr expr) { return mlirAffineConstantExprGetValue(expr); }

static strata_range_t range_of_sum(const strata__dim_sum_t *sum, const strata_symbols_t *symbols);

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
  strata__dim_sum_t sum = strata__dim_sum(lhs_of(expr));
  strata_range_t range = range_of_sum(&sum, symbols);
  int64_t divisor = constant_of(rhs_of(expr));
  return (strata_range_t){strata_floor_div(range.min, divisor), strata_floor_div(range.max, divisor)};
}

static strata_range_t range_of_terms(const strata__dim_sum_t *sum, const strata_symbols_t *symbols) {
  strata_range_t range = {0, 0};
  for (int i = 0; i < sum->n_terms; i++) {
    const strata__dim_term_t *term = &sum->terms[i];
    strata_range_t product = {term->coefficient, term->coefficient};
    for (int k = 0; k < term->n_factors; k++)
      product = strata_range_times(product, range_of_factor(term->factors[k], symbols));
    range.min = strata_plus(range.min, product.min);
    range.max = strata_plus(range.max, product.max);
  }
  return range;
}

static strata_range_t intersection(strata_range_t a, strata_range_t b) {
  return (strata_range_t){strata_max(a.min, b.min), strata_min(a.max, b.max)};
}

// Without term |i|, and with |factor| times |expr| in its place, all of it |scale| times.
static strata__dim_sum_t with_instead(const strata__dim_sum_t *sum, int i, int64_t scale, int64_t factor,
                                      MlirAffineExpr expr) {
  strata__dim_sum_t rest = *sum, result = {.fits = true}, other = strata__dim_sum(expr);
  strata__dim_sum_drop(&rest, i);
  strata__dim_sum_add(&result, &rest, scale);
  strata__dim_sum_add(&result, &other, factor);
  return result;
}

// With x / c and (x - (c - 1)) / c as the ends of x floordiv c, which is term |i|: closer where x is in the sum, too.
static bool range_by_quotient(const strata__dim_sum_t *sum, int i, const strata_symbols_t *symbols,
                              strata_range_t *out) {
  const strata__dim_term_t *term = &sum->terms[i];
  MlirAffineExpr quotient = term->n_factors == 1 ? term->factors[0] : (MlirAffineExpr){0};
  if (mlirAffineExprIsNull(quotient) || !mlirAffineExprIsAFloorDiv(quotient) ||
      !mlirAffineExprIsAConstant(rhs_of(quotient)) || constant_of(rhs_of(quotient)) <= 0)
    return false;
  int64_t divisor = constant_of(rhs_of(quotient)), factor = term->coefficient;
  strata__dim_sum_t scaled = with_instead(sum, i, divisor, factor, lhs_of(quotient));
  if (!scaled.fits)
    return false;
  strata_range_t range = range_of_terms(&scaled, symbols);
  int64_t slack = strata_times(factor < 0 ? -factor : factor, divisor - 1);
  int64_t min = factor > 0 ? strata_minus(range.min, slack) : range.min,
          max = factor < 0 ? strata_plus(range.max, slack) : range.max;
  *out = (strata_range_t){min == INT64_MIN ? min : -strata_floor_div(-min, divisor),
                          max == INT64_MAX ? max : strata_floor_div(max, divisor)};
  return true;
}

// With either of what the symbol of term |i| is the greater, or the lesser, of.
static bool range_by_choice(const strata__dim_sum_t *sum, int i, const strata_symbols_t *symbols, strata_range_t *out) {
  const strata__dim_term_t *term = &sum->terms[i];
  size_t number = term->n_factors == 1 && mlirAffineExprIsASymbol(term->factors[0])
                      ? (size_t)mlirAffineSymbolExprGetPosition(term->factors[0])
                      : SIZE_MAX;
  if (number >= symbols->list.count)
    return false;
  const strata_symbol_t *symbol = &symbols->list.data[number];
  if (symbol->op != STRATA_SYMBOL_MAX && symbol->op != STRATA_SYMBOL_MIN)
    return false;
  strata__dim_sum_t lhs = with_instead(sum, i, 1, term->coefficient, symbol->lhs),
                    rhs = with_instead(sum, i, 1, term->coefficient, symbol->rhs);
  if (!lhs.fits || !rhs.fits)
    return false;
  strata_range_t a = range_of_sum(&lhs, symbols), b = range_of_sum(&rhs, symbols);
  bool is_least = (symbol->op == STRATA_SYMBOL_MIN) == (term->coefficient > 0); // of the two sums, else the greatest
  *out = is_least ? (strata_range_t){strata_min(a.min, b.min), strata_min(a.max, b.max)}
                  : (strata_range_t){strata_max(a.min, b.min), strata_max(a.max, b.max)};
  return true;
}

static strata_range_t range_of_sum(const strata__dim_sum_t *sum, const strata_symbols_t *symbols) {
  strata_range_t range = range_of_terms(sum, symbols), other;
  for (int i = 0; i < sum->n_terms; i++)
    if (range_by_quotient(sum, i, symbols, &other) || range_by_choice(sum, i, symbols, &other))
      range = intersection(range, other);
  return range;
}

static strata_range_t range_of(strata_dim_t dim, const strata_symbols_t *symbols) {
  strata__dim_sum_t sum = strata__dim_sum(dim);
  return sum.fits ? range_of_sum(&sum, symbols) : (strata_range_t){INT64_MIN, INT64_MAX};
}

// What depends on data is at most what it is counted of: of n elements without c of them no less than none are left.
strata_range_t strata_dim_range(strata_dim_t dim, const strata_symbols_t *symbols) {
  strata_range_t range = range_of(dim, symbols);
  if (!strata_dim_is_counted(symbols, dim))
    return range;
  strata_range_t ends = {range_of(strata__dim_end(symbols, dim, false), symbols).min,
                         range_of(strata__dim_end(symbols, dim, true), symbols).max};
  return intersection(range, ends);
}

// What a floordiv b is in all cases.
static bool quotient_is_known(MlirAffineExpr a, MlirAffineExpr b, const strata_symbols_t *symbols, int64_t *out) {
  strata_range_t range = strata_dim_range(mlirAffineFloorDivExprGet(a, b), symbols);
  *out = range.min;
  return range.min == range.max;
}

// MLIR writes a - a floordiv b * b as a mod b.
static MlirAffineExpr fold_quotients(MlirAffineExpr expr, const strata_symbols_t *symbols) {
  if (!mlirAffineExprIsABinary(expr))
    return expr;
  MlirAffineExpr lhs = fold_quotients(lhs_of(expr), symbols), rhs = fold_quotients(rhs_of(expr), symbols);
  MlirContext context = mlirAffineExprGetContext(expr);
  int64_t quotient;
  if (mlirAffineExprIsAAdd(expr))
    return mlirAffineAddExprGet(lhs, rhs);
  if (mlirAffineExprIsAMul(expr))
    return mlirAffineMulExprGet(lhs, rhs);
  if (mlirAffineExprIsACeilDiv(expr) || !quotient_is_known(lhs, rhs, symbols, &quotient))
    return mlirAffineExprIsAFloorDiv(expr) ? mlirAffineFloorDivExprGet(lhs, rhs)
           : mlirAffineExprIsAMod(expr)    ? mlirAffineModExprGet(lhs, rhs)
                                           : mlirAffineCeilDivExprGet(lhs, rhs);
  MlirAffineExpr known = mlirAffineConstantExprGet(context, quotient);
  if (mlirAffineExprIsAFloorDiv(expr))
    return known;
  MlirAffineExpr whole = mlirAffineMulExprGet(rhs, mlirAffineConstantExprGet(context, strata_minus(0, quotient)));
  return mlirAffineAddExprGet(lhs, whole);
}

strata_dim_t strata_dim_fold_quotients(strata_dim_t dim, const strata_symbols_t *symbols) {
  return strata_dim_normal(fold_quotients(dim, symbols));
}

int64_t strata_dim_divisor(strata_dim_t dim, const strata_symbols_t *symbols) {
  strata__dim_sum_t sum = strata__dim_sum(dim);
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
