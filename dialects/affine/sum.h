// Sums as the simplifier works on them: sum.c builds them, simplify.c makes them of expressions, divide.c divides them,
// bound.c compares them. Internal to these files and space.c.
//
// A sum is of terms coefficient * factor * atom, and a constant. An atom is a dim, or a quotient or remainder that does
// not simplify, or a symbol that nothing is known of. A factor is a product of *units*: what sizes are made of, symbols
// of the space and divisions of such. In a factor symbol s of divisor g stands for s / g, so that a number that divides
// g divides the coefficient.
#ifndef STRATA_DIALECTS_AFFINE_SUM_H
#define STRATA_DIALECTS_AFFINE_SUM_H

#include "dialects/affine/space.h"

enum { STRATA_SUM_TERMS = 48 };

typedef struct {
  int64_t coefficient;
  MlirAffineExpr factor; // units in order, multiplied from the left; null: 1
  MlirAffineExpr atom;   // null: 1
} strata_sum_term_t;

typedef struct {
  int n_terms;
  bool failed; // overflow, or more terms than fit: the expression is left as it was
  int64_t constant;
  strata_sum_term_t terms[STRATA_SUM_TERMS];
} strata_sum_t;

typedef struct {
  MlirContext context;
  const strata_space_t *of;
} strata_sum_space_t;

void strata_sum_add_constant(strata_sum_t *sum, int64_t constant);
void strata_sum_add_term(strata_sum_t *sum, strata_sum_term_t term);
// Adds scale * other; the scale has no atom.
void strata_sum_add_scaled(strata_sum_t *sum, strata_sum_term_t scale, const strata_sum_t *other);
// The same where the scale is a number.
void strata_sum_add_times(strata_sum_t *sum, int64_t scale, const strata_sum_t *other);
// Adds lhs * rhs; the terms of |rhs| have no atoms.
void strata_sum_add_product(strata_sum_t *sum, const strata_sum_t *lhs, const strata_sum_t *rhs);

// The term is coefficient * factor times *out_quotient.
bool strata_sum_divide_term(strata_sum_term_t term, strata_sum_term_t divisor, strata_sum_term_t *out_quotient);
// The coefficients' greatest common divisor, and the units that both factors have.
strata_sum_term_t strata_sum_common(strata_sum_term_t a, strata_sum_term_t b);
// Units of a factor; false if it has none.
int strata_sum_degree(MlirAffineExpr factor);

// True if no term has an atom: it is made of sizes.
bool strata_sum_is_of_sizes(const strata_sum_t *sum);
// The term of the highest degree; |sum| has terms.
strata_sum_term_t strata_sum_leading(const strata_sum_t *sum);

// The sum as an expression. Under a division terms are in one order; else dims come first, in order, then atoms in the
// order they were met, then what is made of sizes, in order.
typedef enum { STRATA_SUM_AS_MET, STRATA_SUM_IN_ORDER } strata_sum_order_t;
MlirAffineExpr strata_sum_to_expr(const strata_sum_space_t *space, strata_sum_t *sum, strata_sum_order_t order);

// simplify.c: adds scale * expr; a scale has no atom.
void strata_sum_flatten(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_term_t scale,
                        strata_sum_t *sum);
// Adds the left side of a quotient or remainder.
void strata_sum_flatten_lhs(const strata_sum_space_t *space, MlirAffineExpr expr, strata_sum_t *sum);
void strata_sum_flatten_size(const strata_sum_space_t *space, strata_size_t size, strata_sum_t *sum);
// Adds an expression that does not simplify: a unit if it is made of sizes.
void strata_sum_add_atom(const strata_sum_space_t *space, strata_sum_term_t scale, MlirAffineExpr expr,
                         strata_sum_t *sum);
// A positive number, or made of sizes, which are positive where there is anything to divide.
bool strata_sum_is_divisor(const strata_sum_t *sum);

// divide.c: |sum| = divisor * quotient + remainder, remainder in [0, divisor). Adds to both results.
void strata_sum_divide(const strata_sum_space_t *space, const strata_sum_t *sum, const strata_sum_t *divisor,
                       strata_sum_t *quotient, strata_sum_t *remainder);

// bound.c: the least and greatest value of coefficient * factor * atom; false if unknown.
bool strata_sum_term_range(const strata_sum_space_t *space, const strata_sum_term_t *term, int64_t *out_min,
                           int64_t *out_max);
// True if the sum is not negative at any point, whatever the symbols are; false if it may be, or that is not seen.
bool strata_sum_is_nonnegative(const strata_sum_space_t *space, const strata_sum_t *sum);

#endif
