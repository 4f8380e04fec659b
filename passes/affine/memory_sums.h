// Sums of sizes, as the memory plan compares and adds them: a constant and so many times each of some terms,
// expressions that are no sums themselves.
#ifndef STRATA_PASSES_AFFINE_MEMORY_SUMS_H
#define STRATA_PASSES_AFFINE_MEMORY_SUMS_H

#include "dialects/symbols.h"

typedef struct {
  MlirAffineExpr expr;
  bool is_never_negative;
} strata_term_t;

typedef struct {
  strata_arena_t *arena;
  MlirContext context;
  strata_symbols_t *symbols;
  STRATA_VECTOR(strata_term_t) terms;
} strata_terms_t;

// Factors of the terms known when it was made: of later ones 0.
typedef struct {
  int64_t constant;
  size_t n;
  const int64_t *factors;
} strata_plan_sum_t;

typedef STRATA_VECTOR(strata_plan_sum_t) strata_plan_sum_list_t;

strata_plan_sum_t strata_plan_sum_of_expr(strata_terms_t *terms, MlirAffineExpr expr);
MlirAffineExpr strata_terms_to_expr(const strata_terms_t *terms, strata_plan_sum_t sum);
// a + factor * b.
strata_plan_sum_t strata_plan_sum_add(strata_terms_t *terms, strata_plan_sum_t a, int64_t factor, strata_plan_sum_t b);
// The largest of them; 0 of none. What none of them always is makes derived symbols.
strata_plan_sum_t strata_plan_sum_max(strata_terms_t *terms, const strata_plan_sum_list_t *sums);
// A derived symbol, an old one where there is such a one, as a sum.
strata_plan_sum_t strata_plan_sum_derive(strata_terms_t *terms, strata_symbol_op_t op, strata_plan_sum_t lhs,
                                         strata_plan_sum_t rhs);

#endif
