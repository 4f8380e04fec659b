// Dims in a normal form: sums of products of symbols and of quotients, so that equal expressions are equal pointers.
// What divides by a constant is a quotient: a mod c is a - a floordiv c * c, a ceildiv c (a + c - 1) floordiv c.
#ifndef STRATA_DIALECTS_STRATA_DIM_SUM_H
#define STRATA_DIALECTS_STRATA_DIM_SUM_H

#include "dialects/strata/strata.h"

enum { STRATA__MAX_FACTORS = 8, STRATA__MAX_TERMS = 24 };

// coefficient * factors: symbols and quotients, in order.
typedef struct {
  int64_t coefficient;
  int n_factors;
  MlirAffineExpr factors[STRATA__MAX_FACTORS];
} strata__dim_term_t;

// The terms in order, that without factors last; nothing is said where it does not fit.
typedef struct {
  bool fits;
  int n_terms;
  strata__dim_term_t terms[STRATA__MAX_TERMS];
} strata__dim_sum_t;

strata__dim_sum_t strata__dim_sum(MlirAffineExpr expr);
MlirAffineExpr strata__dim_sum_expr(MlirContext context, const strata__dim_sum_t *sum);
void strata__dim_sum_drop(strata__dim_sum_t *sum, int i); // term i
// *sum += term, factor * other.
void strata__dim_sum_add_term(strata__dim_sum_t *sum, const strata__dim_term_t *term);
void strata__dim_sum_add(strata__dim_sum_t *sum, const strata__dim_sum_t *other, int64_t factor);
void strata__dim_sum_add_product(strata__dim_sum_t *sum, const strata__dim_sum_t *other,
                                 const strata__dim_term_t *factor);

#endif
