// Dims as digits; see dim_digits.h.
#include "passes/affine/dim_digits.h"

#include "dialects/affine/expr.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"

int strata_count_digits(const strata_cut_dims_t *dims) {
  int count = dims->space.n_dims;
  for (int dim = 0; dim < dims->space.n_dims; dim++)
    count += dims->cuts[dim].count;
  return count;
}

strata_digits_t strata_digits_of(MlirContext context, const strata_cut_dims_t *dims) {
  strata_digits_t digits = {.n_symbols = dims->space.n_symbols, .symbols = dims->space.symbols};
  MlirAffineExpr exprs[STRATA_MAX_DIMS];
  for (int dim = 0; dim < dims->space.n_dims; dim++) {
    const strata_cuts_t *cuts = &dims->cuts[dim];
    if (cuts->count == 0) {
      exprs[dim] = mlirAffineDimExprGet(context, digits.n_digits);
      digits.dim_of[digits.n_digits] = dim;
      digits.sizes[digits.n_digits++] = dims->space.sizes[dim];
      continue;
    }
    exprs[dim] = mlirAffineConstantExprGet(context, 0);
    for (int i = cuts->count; i >= 0; i--) {
      int64_t above = i == cuts->count ? strata_size_static_value(dims->space.sizes[dim]) : cuts->at[i],
              stride = i ? cuts->at[i - 1] : 1;
      MlirAffineExpr digit = mlirAffineDimExprGet(context, digits.n_digits);
      exprs[dim] =
          mlirAffineAddExprGet(exprs[dim], mlirAffineMulExprGet(digit, mlirAffineConstantExprGet(context, stride)));
      digits.dim_of[digits.n_digits] = dim;
      digits.sizes[digits.n_digits++] = strata_size_constant(above / stride);
    }
  }
  digits.dims = mlirAffineMapGet(context, digits.n_digits, 0, dims->space.n_dims, exprs);
  return digits;
}

bool strata_cut_dim(const strata_cut_dims_t *dims, int dim, int64_t at) {
  strata_cuts_t *cuts = &dims->cuts[dim];
  int64_t extent;
  if (!strata_size_is_constant(dims->space.sizes[dim], &extent))
    return false;
  int place = 0;
  while (place < cuts->count && cuts->at[place] < at)
    place++;
  bool is_there = place < cuts->count && cuts->at[place] == at;
  int64_t below = place ? cuts->at[place - 1] : 1, above = place < cuts->count ? cuts->at[place] : extent;
  if (is_there || at <= 1 || at >= extent || at % below || above % at || cuts->count == STRATA_MAX_CUTS ||
      strata_count_digits(dims) >= STRATA_MAX_DIGITS)
    return false;
  for (int i = cuts->count++; i > place; i--)
    cuts->at[i] = cuts->at[i - 1];
  cuts->at[place] = at;
  return true;
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

// coefficient * atom, whose values are 0 to span.
typedef struct {
  int64_t coefficient, span;
  MlirAffineExpr atom;
} term_t;

enum { MAX_TERMS = 16 };

// The terms of a sum without a constant; -1 if there are too many, or one of unknown or negative values.
static int terms_of(const strata_cut_dims_t *dims, MlirAffineExpr expr, int64_t scale, term_t *terms, int count) {
  int64_t factor, min, max;
  if (count < 0 || (strata_expr_is_zero(expr)))
    return count;
  if (mlirAffineExprIsAAdd(expr)) {
    count = terms_of(dims, mlirAffineBinaryOpExprGetLHS(expr), scale, terms, count);
    return terms_of(dims, mlirAffineBinaryOpExprGetRHS(expr), scale, terms, count);
  }
  if (mlirAffineExprIsAMul(expr) && strata_affine_constant_rhs(expr, &factor))
    return factor > 0 ? terms_of(dims, mlirAffineBinaryOpExprGetLHS(expr), scale * factor, terms, count) : -1;
  if (count == MAX_TERMS || mlirAffineExprIsAConstant(expr) || !strata_affine_range(expr, &dims->space, &min, &max) ||
      min != 0)
    return -1;
  terms[count] = (term_t){scale, scale * max, expr};
  return count + 1;
}

bool strata_cut_expr(const strata_cut_dims_t *dims, MlirAffineExpr expr, int64_t at) {
  term_t terms[MAX_TERMS];
  int64_t rhs;
  if (mlirAffineExprIsADim(expr))
    return strata_cut_dim(dims, (int)mlirAffineDimExprGetPosition(expr), at);
  if (mlirAffineExprIsAFloorDiv(expr) && strata_affine_constant_rhs(expr, &rhs))
    return strata_cut_expr(dims, mlirAffineBinaryOpExprGetLHS(expr), at * rhs);
  if (mlirAffineExprIsAMod(expr) && strata_affine_constant_rhs(expr, &rhs))
    return rhs % at == 0 && strata_cut_expr(dims, mlirAffineBinaryOpExprGetLHS(expr), at);
  int count = terms_of(dims, expr, 1, terms, 0);
  if (count == 1 && terms[0].coefficient == 1)
    return false; // nothing that could be taken apart
  for (int i = 0; i < count; i++) {
    int64_t coefficient = terms[i].coefficient, below = 0;
    for (int j = 0; j < count; j++)
      below += j != i && terms[j].coefficient <= coefficient ? terms[j].span : 0;
    if (at % coefficient == 0 && at > coefficient && at <= terms[i].span && below < coefficient)
      return strata_cut_expr(dims, terms[i].atom, at / coefficient);
  }
  return false;
}

bool strata_cut_divisions(const strata_cut_dims_t *dims, MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr) || mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr))
    return false;
  int64_t divisor;
  bool changed = false;
  if (strata_affine_is_division(expr) && strata_affine_constant_rhs(expr, &divisor))
    changed = strata_cut_expr(dims, mlirAffineBinaryOpExprGetLHS(expr), divisor);
  changed |= strata_cut_divisions(dims, mlirAffineBinaryOpExprGetLHS(expr));
  return strata_cut_divisions(dims, mlirAffineBinaryOpExprGetRHS(expr)) || changed;
}

bool strata_radix_of(const strata_digits_t *digits, MlirAffineExpr expr, strata_size_t whole, strata_cuts_t *out_cuts) {
  int64_t coefficients[STRATA_MAX_DIMS], reach = 1, size, extent;
  *out_cuts = (strata_cuts_t){0};
  if (!strata_size_is_constant(whole, &size))
    return false;
  for (int dim = 0; dim < digits->n_digits; dim++)
    if (!strata_affine_coefficient(expr, dim, &coefficients[dim]))
      return false;
  while (reach < size) {
    int next = -1;
    for (int dim = 0; dim < digits->n_digits; dim++)
      if (coefficients[dim] == reach && !strata_size_is_one(digits->sizes[dim]))
        next = next < 0 ? dim : STRATA_MAX_DIMS;
    if (next < 0 || next == STRATA_MAX_DIMS || !strata_size_is_constant(digits->sizes[next], &extent))
      return false;
    reach *= extent;
    if (reach < size && out_cuts->count == STRATA_MAX_CUTS)
      return false;
    if (reach < size)
      out_cuts->at[out_cuts->count++] = reach;
    coefficients[next] = 0;
  }
  return reach == size;
}
