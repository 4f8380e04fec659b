// Sums of terms; see sum.h.
#include "dialects/affine/sum.h"

#include "dialects/affine/expr.h"
#include "dialects/integers.h"

//===-- Order ----------------------------------------------------------------------------------------------------===//

typedef enum { DIM, SYMBOL, CONSTANT, ADD, MUL, MOD, FLOOR_DIV, CEIL_DIV } kind_t;

static kind_t kind_of(MlirAffineExpr expr) {
  return mlirAffineExprIsADim(expr)        ? DIM
         : mlirAffineExprIsASymbol(expr)   ? SYMBOL
         : mlirAffineExprIsAConstant(expr) ? CONSTANT
         : mlirAffineExprIsAAdd(expr)      ? ADD
         : mlirAffineExprIsAMul(expr)      ? MUL
         : mlirAffineExprIsAMod(expr)      ? MOD
         : mlirAffineExprIsAFloorDiv(expr) ? FLOOR_DIV
                                           : CEIL_DIV;
}

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

// An order of expressions that depends on nothing but what they say: dims come first.
static int compare(MlirAffineExpr a, MlirAffineExpr b) {
  kind_t kind = kind_of(a), other = kind_of(b);
  if (kind != other || mlirAffineExprEqual(a, b))
    return (int)kind - (int)other;
  switch (kind) {
  case DIM:
    return compare_numbers(mlirAffineDimExprGetPosition(a), mlirAffineDimExprGetPosition(b));
  case SYMBOL:
    return compare_numbers(mlirAffineSymbolExprGetPosition(a), mlirAffineSymbolExprGetPosition(b));
  case CONSTANT:
    return compare_numbers(mlirAffineConstantExprGetValue(a), mlirAffineConstantExprGetValue(b));
  default:;
    int left = compare(mlirAffineBinaryOpExprGetLHS(a), mlirAffineBinaryOpExprGetLHS(b));
    return left ? left : compare(mlirAffineBinaryOpExprGetRHS(a), mlirAffineBinaryOpExprGetRHS(b));
  }
}

//===-- Factors --------------------------------------------------------------------------------------------------===//

enum { MAX_UNITS = 16 };

// The units of a factor, in order; -1 if they do not fit.
static int units_of(MlirAffineExpr factor, MlirAffineExpr *out_units) {
  int count = strata_sum_degree(factor);
  if (count > MAX_UNITS)
    return -1;
  for (int i = count; i-- > 0; factor = i ? mlirAffineBinaryOpExprGetLHS(factor) : factor)
    out_units[i] = i ? mlirAffineBinaryOpExprGetRHS(factor) : factor;
  return count;
}

static MlirAffineExpr factor_of(int count, const MlirAffineExpr *units) {
  MlirAffineExpr factor = {0};
  for (int i = 0; i < count; i++)
    factor = i ? mlirAffineMulExprGet(factor, units[i]) : units[i];
  return factor;
}

int strata_sum_degree(MlirAffineExpr factor) {
  int count = 0;
  for (; !mlirAffineExprIsNull(factor); count++)
    factor = mlirAffineExprIsAMul(factor) ? mlirAffineBinaryOpExprGetLHS(factor) : (MlirAffineExpr){0};
  return count;
}

static bool multiply(MlirAffineExpr a, MlirAffineExpr b, MlirAffineExpr *out_product) {
  MlirAffineExpr units[2 * MAX_UNITS];
  if (mlirAffineExprIsNull(a) || mlirAffineExprIsNull(b)) {
    *out_product = mlirAffineExprIsNull(a) ? b : a;
    return true;
  }
  int n_a = units_of(a, units), n_b = n_a < 0 ? -1 : units_of(b, units + n_a);
  if (n_b < 0 || n_a + n_b > MAX_UNITS)
    return false;
  for (int i = n_a; i < n_a + n_b; i++) {
    MlirAffineExpr unit = units[i];
    int at = i;
    for (; at > 0 && compare(unit, units[at - 1]) < 0; at--)
      units[at] = units[at - 1];
    units[at] = unit;
  }
  *out_product = factor_of(n_a + n_b, units);
  return true;
}

// Splits the units of |a| into those that |b| has too and the others; false if some of |b| are not among them.
static bool part(MlirAffineExpr a, MlirAffineExpr b, MlirAffineExpr *out_common, MlirAffineExpr *out_rest) {
  MlirAffineExpr of_a[MAX_UNITS], of_b[MAX_UNITS], common[MAX_UNITS], rest[MAX_UNITS];
  int n_a = units_of(a, of_a), n_b = units_of(b, of_b), n_common = 0, n_rest = 0, j = 0;
  for (int i = 0; i < n_a; i++) {
    while (j < n_b && compare(of_b[j], of_a[i]) < 0)
      j++;
    if (j < n_b && mlirAffineExprEqual(of_a[i], of_b[j])) {
      common[n_common++] = of_a[i];
      j++;
    } else {
      rest[n_rest++] = of_a[i];
    }
  }
  *out_common = factor_of(n_common, common);
  *out_rest = factor_of(n_rest, rest);
  return n_common == n_b;
}

bool strata_sum_divide_term(strata_sum_term_t term, strata_sum_term_t divisor, strata_sum_term_t *out_quotient) {
  MlirAffineExpr common;
  *out_quotient = (strata_sum_term_t){.coefficient = term.coefficient / divisor.coefficient, .atom = term.atom};
  return out_quotient->coefficient != 0 && part(term.factor, divisor.factor, &common, &out_quotient->factor);
}

strata_sum_term_t strata_sum_common(strata_sum_term_t a, strata_sum_term_t b) {
  strata_sum_term_t common = {.coefficient = strata_gcd(a.coefficient, b.coefficient)};
  MlirAffineExpr rest;
  part(a.factor, b.factor, &common.factor, &rest);
  return common;
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

void strata_sum_add_constant(strata_sum_t *sum, int64_t constant) {
  sum->failed |= __builtin_add_overflow(sum->constant, constant, &sum->constant);
}

void strata_sum_add_term(strata_sum_t *sum, strata_sum_term_t added) {
  if (added.coefficient == 0)
    return;
  if (mlirAffineExprIsNull(added.factor) && mlirAffineExprIsNull(added.atom)) {
    strata_sum_add_constant(sum, added.coefficient);
    return;
  }
  for (int i = 0; i < sum->n_terms; i++) {
    strata_sum_term_t *term = &sum->terms[i];
    if (!mlirAffineExprEqual(term->atom, added.atom) || !mlirAffineExprEqual(term->factor, added.factor))
      continue;
    sum->failed |= __builtin_add_overflow(term->coefficient, added.coefficient, &term->coefficient);
    if (term->coefficient == 0)
      *term = sum->terms[--sum->n_terms];
    return;
  }
  if (sum->n_terms == STRATA_SUM_TERMS)
    sum->failed = true;
  else
    sum->terms[sum->n_terms++] = added;
}

void strata_sum_add_scaled(strata_sum_t *sum, strata_sum_term_t scale, const strata_sum_t *other) {
  strata_sum_term_t product = {.factor = scale.factor};
  sum->failed |= other->failed || __builtin_mul_overflow(scale.coefficient, other->constant, &product.coefficient);
  if (sum->failed)
    return;
  strata_sum_add_term(sum, product);
  for (int i = 0; i < other->n_terms; i++) {
    product.atom = other->terms[i].atom;
    if (__builtin_mul_overflow(scale.coefficient, other->terms[i].coefficient, &product.coefficient) ||
        !multiply(scale.factor, other->terms[i].factor, &product.factor))
      sum->failed = true;
    else
      strata_sum_add_term(sum, product);
  }
}

void strata_sum_add_times(strata_sum_t *sum, int64_t scale, const strata_sum_t *other) {
  strata_sum_add_scaled(sum, (strata_sum_term_t){.coefficient = scale}, other);
}

void strata_sum_add_product(strata_sum_t *sum, const strata_sum_t *lhs, const strata_sum_t *rhs) {
  sum->failed |= rhs->failed;
  strata_sum_add_times(sum, rhs->constant, lhs);
  for (int i = 0; i < rhs->n_terms; i++)
    strata_sum_add_scaled(sum, rhs->terms[i], lhs);
}

bool strata_sum_is_of_sizes(const strata_sum_t *sum) {
  for (int i = 0; i < sum->n_terms; i++)
    if (!mlirAffineExprIsNull(sum->terms[i].atom))
      return false;
  return !sum->failed;
}

// Factors by degree, then by their units: products keep this order.
static int compare_factors(MlirAffineExpr a, MlirAffineExpr b) {
  int left = strata_sum_degree(a), right = strata_sum_degree(b);
  return left != right || left == 0 ? left - right : compare(a, b);
}

strata_sum_term_t strata_sum_leading(const strata_sum_t *sum) {
  strata_sum_term_t leading = sum->terms[0];
  for (int i = 1; i < sum->n_terms; i++)
    if (compare_factors(sum->terms[i].factor, leading.factor) > 0)
      leading = sum->terms[i];
  return leading;
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

static bool precedes(const strata_sum_term_t *a, const strata_sum_term_t *b, strata_sum_order_t order) {
  bool a_is_size = mlirAffineExprIsNull(a->atom), b_is_size = mlirAffineExprIsNull(b->atom);
  if (a_is_size || b_is_size)
    return a_is_size && b_is_size ? compare_factors(a->factor, b->factor) < 0 : b_is_size;
  if (order == STRATA_SUM_AS_MET && !mlirAffineExprIsADim(a->atom))
    return false;
  int atoms = compare(a->atom, b->atom);
  return atoms ? atoms < 0 : compare_factors(a->factor, b->factor) < 0;
}

static void sort_terms(strata_sum_t *sum, strata_sum_order_t order) {
  for (int i = 1; i < sum->n_terms; i++) {
    strata_sum_term_t term = sum->terms[i];
    int at = i;
    for (; at > 0 && precedes(&term, &sum->terms[at - 1], order); at--)
      sum->terms[at] = sum->terms[at - 1];
    sum->terms[at] = term;
  }
}

// A unit times as much of |*coefficient| as is in its divisor: s / 8 times 4 is s floordiv 2.
static MlirAffineExpr unit_to_expr(const strata_sum_space_t *space, MlirAffineExpr unit, int64_t *coefficient) {
  if (!mlirAffineExprIsASymbol(unit))
    return unit;
  int64_t divisor = space->of->symbols[mlirAffineSymbolExprGetPosition(unit)].divisor;
  int64_t common = strata_gcd(*coefficient, divisor);
  *coefficient /= common;
  return mlirAffineFloorDivExprGet(unit, mlirAffineConstantExprGet(space->context, divisor / common));
}

static MlirAffineExpr term_to_expr(const strata_sum_space_t *space, const strata_sum_term_t *term) {
  MlirAffineExpr units[MAX_UNITS], expr = term->atom;
  int64_t coefficient = term->coefficient;
  int count = units_of(term->factor, units);
  for (int i = 0; i < count; i++) {
    MlirAffineExpr unit = unit_to_expr(space, units[i], &coefficient);
    expr = mlirAffineExprIsNull(expr) ? unit : mlirAffineMulExprGet(expr, unit);
  }
  return mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(space->context, coefficient));
}

MlirAffineExpr strata_sum_to_expr(const strata_sum_space_t *space, strata_sum_t *sum, strata_sum_order_t order) {
  sort_terms(sum, order);
  MlirAffineExpr expr = mlirAffineConstantExprGet(space->context, 0);
  for (int i = 0; i < sum->n_terms; i++)
    expr = mlirAffineAddExprGet(expr, term_to_expr(space, &sum->terms[i]));
  return mlirAffineAddExprGet(expr, mlirAffineConstantExprGet(space->context, sum->constant));
}
