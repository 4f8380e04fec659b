// Dimensions, exact division and equations, on sums (dim_sum.h); see strata.h.
#include "dialects/strata/dim_sum.h"

static MlirAffineExpr lhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetLHS(expr); }
static MlirAffineExpr rhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetRHS(expr); }

static bool are_constant(strata_dim_t a, strata_dim_t b) {
  return mlirAffineExprIsAConstant(a) && mlirAffineExprIsAConstant(b);
}

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
  strata__dim_sum_t sum = strata__dim_sum(dim);
  return sum.fits ? strata__dim_sum_expr(mlirAffineExprGetContext(dim), &sum) : dim;
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
static bool divide_terms(const strata__dim_term_t *a, const strata__dim_term_t *b, strata__dim_term_t *out) {
  *out = (strata__dim_term_t){.coefficient = 0};
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
  strata__dim_sum_t rest = strata__dim_sum(a), divisor = strata__dim_sum(b), quotient = {.fits = true};
  for (int step = 0; rest.n_terms && step < STRATA__MAX_TERMS; step++) {
    strata__dim_term_t term;
    if (!divisor.n_terms || !divide_terms(&rest.terms[0], &divisor.terms[0], &term))
      return false;
    strata__dim_sum_add_term(&quotient, &term);
    term.coefficient = -term.coefficient;
    strata__dim_sum_add_product(&rest, &divisor, &term);
    if (!rest.fits || !quotient.fits || !divisor.fits)
      return false;
  }
  *out = strata__dim_sum_expr(mlirAffineExprGetContext(a), &quotient);
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

bool strata_dim_split(strata_dim_t dim, strata_dim_t *out_part, int64_t *out_factor, int64_t *out_rest) {
  strata__dim_sum_t sum = strata__dim_sum(dim);
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
static bool is_plain_sum(const strata__dim_sum_t *sum) {
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
static bool solve_for(const strata__dim_sum_t *sum, MlirAffineExpr symbol, strata__dim_sum_t *out) {
  int64_t sign = 0;
  *out = (strata__dim_sum_t){.fits = true};
  for (int i = 0; i < sum->n_terms; i++) {
    const strata__dim_term_t *term = &sum->terms[i];
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
  strata__dim_sum_t rest = *sum;
  for (int i = 0; i < rest.n_terms; i++)
    if (rest.terms[i].n_factors == 1 && mlirAffineExprEqual(rest.terms[i].factors[0], symbol))
      strata__dim_sum_drop(&rest, i);
  strata__dim_sum_add(out, &rest, -sign);
  return out->fits;
}

int strata_dim_solve(strata_dim_t a, strata_dim_t b, int n_symbols, const bool *may_go, strata_dim_t *out) {
  MlirContext context = mlirAffineExprGetContext(a);
  strata__dim_sum_t sum = strata__dim_sum(strata_dim_sub(a, b));
  for (int pass = 0; pass < 2; pass++) // sums first, then differences
    for (int symbol = n_symbols - 1; symbol >= 0; symbol--) {
      strata__dim_sum_t solution;
      if (!may_go[symbol] || !solve_for(&sum, mlirAffineSymbolExprGet(context, symbol), &solution) ||
          (pass == 0 && !is_plain_sum(&solution)))
        continue;
      *out = strata__dim_sum_expr(context, &solution);
      return symbol;
    }
  return -1;
}
