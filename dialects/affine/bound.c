// What sums are at least and at most, as numbers and, where sizes vary, as sums of sizes; see sum.h.
#include "dialects/affine/expr.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/sum.h"
#include "dialects/integers.h"

//===-- As numbers -----------------------------------------------------------------------------------------------===//

static bool unit_range(const strata_sum_space_t *space, MlirAffineExpr unit, int64_t *out_min, int64_t *out_max) {
  if (!mlirAffineExprIsASymbol(unit))
    return strata_affine_range(unit, space->of, out_min, out_max) && *out_min >= 0;
  strata_size_t symbol = space->of->symbols[mlirAffineSymbolExprGetPosition(unit)];
  *out_min = symbol.min / symbol.divisor;
  *out_max = symbol.max / symbol.divisor;
  return *out_min >= 0;
}

// False if some unit may be negative. A product beyond int64 is its greatest value.
static bool factor_range(const strata_sum_space_t *space, MlirAffineExpr factor, int64_t *out_min, int64_t *out_max) {
  *out_min = *out_max = 1;
  while (!mlirAffineExprIsNull(factor)) {
    bool is_product = mlirAffineExprIsAMul(factor);
    int64_t min, max;
    if (!unit_range(space, is_product ? mlirAffineBinaryOpExprGetRHS(factor) : factor, &min, &max))
      return false;
    *out_min = strata_times(*out_min, min);
    *out_max = strata_times(*out_max, max);
    factor = is_product ? mlirAffineBinaryOpExprGetLHS(factor) : (MlirAffineExpr){0};
  }
  return true;
}

bool strata_sum_term_range(const strata_sum_space_t *space, const strata_sum_term_t *term, int64_t *out_min,
                           int64_t *out_max) {
  int64_t factor_min, factor_max;
  *out_min = *out_max = 1;
  if (!mlirAffineExprIsNull(term->atom) && !strata_affine_range(term->atom, space->of, out_min, out_max))
    return false;
  if (mlirAffineExprIsNull(term->factor))
    return strata_range_of_product(term->coefficient, out_min, out_max);
  return factor_range(space, term->factor, &factor_min, &factor_max) && factor_max < INT64_MAX &&
         strata_range_of_products(factor_min, factor_max, out_min, out_max) &&
         strata_range_of_product(term->coefficient, out_min, out_max);
}

//===-- As sums of sizes -----------------------------------------------------------------------------------------===//

// Adds scale times the least value of |atom|, or the greatest.
static bool add_atom_bound(const strata_sum_space_t *space, MlirAffineExpr atom, bool is_upper, strata_sum_term_t scale,
                           strata_sum_t *out) {
  strata_sum_t bound = {0};
  int64_t min, max;
  if (mlirAffineExprIsADim(atom)) {
    if (is_upper) {
      strata_sum_flatten_size(space, space->of->sizes[mlirAffineDimExprGetPosition(atom)], &bound);
      strata_sum_add_constant(&bound, -1);
    }
  } else if (mlirAffineExprIsAMod(atom) && !strata_affine_constant_rhs(atom, &max)) {
    if (is_upper) {
      strata_sum_flatten(space, mlirAffineBinaryOpExprGetRHS(atom), (strata_sum_term_t){.coefficient = 1}, &bound);
      strata_sum_add_constant(&bound, -1);
    }
  } else if (strata_affine_range(atom, space->of, &min, &max)) {
    strata_sum_add_constant(&bound, is_upper ? max : min);
  } else {
    return false;
  }
  strata_sum_add_scaled(out, scale, &bound);
  return strata_sum_is_of_sizes(out);
}

// A sum of sizes that |sum| is never below.
static bool lower_bound(const strata_sum_space_t *space, const strata_sum_t *sum, strata_sum_t *out) {
  *out = (strata_sum_t){.constant = sum->constant};
  for (int i = 0; i < sum->n_terms; i++) {
    strata_sum_term_t scale = sum->terms[i];
    int64_t min, max;
    scale.atom = (MlirAffineExpr){0};
    if (mlirAffineExprIsNull(sum->terms[i].atom))
      strata_sum_add_term(out, scale);
    else if (!factor_range(space, scale.factor, &min, &max) ||
             !add_atom_bound(space, sum->terms[i].atom, scale.coefficient < 0, scale, out))
      return false;
  }
  return !sum->failed && !out->failed;
}

// Puts the least value in the place of units of a positive term that a negative one does not have: s * t - 4 * s is at
// least 8 * s - 4 * s where t is at least 8. True if something has changed.
static bool lower_one(const strata_sum_space_t *space, strata_sum_t *sum) {
  for (int i = 0; i < sum->n_terms; i++)
    for (int j = 0; j < sum->n_terms; j++) {
      strata_sum_term_t more = sum->terms[i], less = sum->terms[j], rest;
      int64_t min, max;
      if (more.coefficient < 0 || less.coefficient > 0 ||
          strata_sum_degree(more.factor) <= strata_sum_degree(less.factor))
        continue;
      more.coefficient = 1;
      if (!strata_sum_divide_term(more, (strata_sum_term_t){.coefficient = 1, .factor = less.factor}, &rest) ||
          !factor_range(space, rest.factor, &min, &max) || !factor_range(space, less.factor, &max, &max))
        continue;
      less.coefficient = strata_times(sum->terms[i].coefficient, min);
      sum->terms[i] = sum->terms[--sum->n_terms];
      strata_sum_add_term(sum, less);
      return true;
    }
  return false;
}

bool strata_sum_is_nonnegative(const strata_sum_space_t *space, const strata_sum_t *sum) {
  strata_sum_t bound;
  if (!lower_bound(space, sum, &bound))
    return false;
  while (lower_one(space, &bound))
    ;
  int64_t least = bound.constant;
  for (int i = 0; i < bound.n_terms; i++) {
    int64_t min, max, coefficient = bound.terms[i].coefficient;
    if (!factor_range(space, bound.terms[i].factor, &min, &max) || (coefficient < 0 && max == INT64_MAX))
      return false;
    least = strata_plus(least, strata_times(coefficient, coefficient < 0 ? max : min));
  }
  return !bound.failed && least >= 0;
}

bool strata_affine_is_nonnegative(MlirAffineExpr expr, const strata_space_t *of) {
  strata_sum_space_t space = {mlirAffineExprGetContext(expr), of};
  strata_sum_t sum = {0};
  strata_sum_flatten(&space, expr, (strata_sum_term_t){.coefficient = 1}, &sum);
  return strata_sum_is_nonnegative(&space, &sum);
}
