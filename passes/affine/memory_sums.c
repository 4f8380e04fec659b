// See memory_sums.h.
#include "passes/affine/memory_sums.h"

static int64_t factor_of(strata_plan_sum_t sum, size_t term) { return term < sum.n ? sum.factors[term] : 0; }

static strata_plan_sum_t constant(int64_t value) { return (strata_plan_sum_t){.constant = value}; }

strata_plan_sum_t strata_plan_sum_add(strata_terms_t *terms, strata_plan_sum_t a, int64_t factor, strata_plan_sum_t b) {
  size_t n = a.n > b.n ? a.n : b.n;
  int64_t *factors = strata_arena_array(terms->arena, int64_t, n + 1);
  for (size_t i = 0; i < n; i++)
    factors[i] = factor_of(a, i) + factor * factor_of(b, i);
  return (strata_plan_sum_t){a.constant + factor * b.constant, n, factors};
}

static strata_plan_sum_t term(strata_terms_t *terms, MlirAffineExpr expr) {
  size_t at = 0;
  while (at < terms->terms.count && !mlirAffineExprEqual(terms->terms.data[at].expr, expr))
    at++;
  if (at == terms->terms.count)
    *strata_vector_push(terms->arena, &terms->terms) =
        (strata_term_t){expr, strata_expr_is_never_negative(terms->symbols, expr)};
  int64_t *factors = strata_arena_array(terms->arena, int64_t, at + 1);
  factors[at] = 1;
  return (strata_plan_sum_t){0, at + 1, factors};
}

strata_plan_sum_t strata_plan_sum_of_expr(strata_terms_t *terms, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return constant(mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsAAdd(expr)) {
    strata_plan_sum_t lhs = strata_plan_sum_of_expr(terms, mlirAffineBinaryOpExprGetLHS(expr));
    return strata_plan_sum_add(terms, lhs, 1, strata_plan_sum_of_expr(terms, mlirAffineBinaryOpExprGetRHS(expr)));
  }
  if (mlirAffineExprIsAMul(expr) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr))) {
    int64_t factor = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(expr));
    strata_plan_sum_t lhs = strata_plan_sum_of_expr(terms, mlirAffineBinaryOpExprGetLHS(expr));
    return strata_plan_sum_add(terms, constant(0), factor, lhs);
  }
  return term(terms, expr);
}

MlirAffineExpr strata_terms_to_expr(const strata_terms_t *terms, strata_plan_sum_t sum) {
  MlirAffineExpr expr = mlirAffineConstantExprGet(terms->context, sum.constant);
  for (size_t i = 0; i < sum.n; i++)
    if (sum.factors[i])
      expr =
          mlirAffineAddExprGet(expr, mlirAffineMulExprGet(terms->terms.data[i].expr,
                                                          mlirAffineConstantExprGet(terms->context, sum.factors[i])));
  return expr;
}

// True if a is at least b whatever the symbols are, as far as can be seen.
static bool covers(const strata_terms_t *terms, strata_plan_sum_t a, strata_plan_sum_t b) {
  bool does = a.constant >= b.constant;
  for (size_t i = 0; (i < a.n || i < b.n) && does; i++) {
    int64_t difference = factor_of(a, i) - factor_of(b, i);
    does = difference == 0 || (difference > 0 && terms->terms.data[i].is_never_negative);
  }
  return does;
}

strata_plan_sum_t strata_plan_sum_derive(strata_terms_t *terms, strata_symbol_op_t op, strata_plan_sum_t lhs,
                                         strata_plan_sum_t rhs) {
  strata_symbol_t symbol = {.name = "memory",
                            .min = INT64_MIN,
                            .max = INT64_MAX,
                            .multiple = 1,
                            .op = op,
                            .lhs = strata_terms_to_expr(terms, lhs),
                            .rhs = strata_terms_to_expr(terms, rhs)};
  size_t at = strata_symbols_given(terms->symbols), n = terms->symbols->list.count;
  for (; at < n; at++) {
    const strata_symbol_t *other = &terms->symbols->list.data[at];
    if (other->op == op && mlirAffineExprEqual(other->lhs, symbol.lhs) && mlirAffineExprEqual(other->rhs, symbol.rhs))
      break;
  }
  bool has_positive = covers(terms, lhs, constant(0)) || (op == STRATA_SYMBOL_MAX && covers(terms, rhs, constant(0)));
  if (op == STRATA_SYMBOL_MAX && has_positive)
    symbol.min = 0;
  if (at == n)
    *strata_vector_push(terms->arena, &terms->symbols->list) = symbol;
  return term(terms, mlirAffineSymbolExprGet(terms->context, (intptr_t)at));
}

strata_plan_sum_t strata_plan_sum_max(strata_terms_t *terms, const strata_plan_sum_list_t *sums) {
  strata_plan_sum_t most = constant(0);
  bool is_first = true;
  for (size_t i = 0; i < sums->count; i++) {
    bool is_covered = false;
    for (size_t j = 0; j < sums->count && !is_covered; j++)
      is_covered = j != i && covers(terms, sums->data[j], sums->data[i]) &&
                   (j < i || !covers(terms, sums->data[i], sums->data[j]));
    if (is_covered)
      continue;
    most = is_first ? sums->data[i] : strata_plan_sum_derive(terms, STRATA_SYMBOL_MAX, most, sums->data[i]);
    is_first = false;
  }
  return most;
}
