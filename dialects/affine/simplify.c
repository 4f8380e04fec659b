// Affine expressions simplified with the ranges of their dims; see simplify.h.
//
// An expression is handled as a sum of terms coefficient * atom plus a constant. An atom is a dim, a symbol, or a
// quotient or remainder that does not simplify. Everything rests on one function, divide, which writes a sum as
// divisor * quotient + remainder:
//
//   1. multiples of the divisor leave for the quotient;
//   2. if the other terms split into multiples of some g | divisor and a part F in [0, g), then F belongs to the
//      remainder and the multiples are divided by divisor / g instead (g = divisor: nothing is left to divide);
//   3. what is left becomes an atom, a floordiv for the quotient and a mod for the remainder.
//
// The terms under a division are in one order, whatever order they were met in, so that equal atoms are one atom.
// So the digits of a position read as (x floordiv a) mod b, and sums of neighbouring digits are joined again.
#include "dialects/affine/simplify.h"

#include "dialects/affine/expr.h"
#include "dialects/integers.h"

enum { MAX_TERMS = 48 };

typedef struct {
  int64_t coefficient;
  MlirAffineExpr atom;
} term_t;

typedef struct {
  int n_terms;
  bool failed; // overflow, or more terms than fit: the expression is left as it was
  int64_t constant;
  term_t terms[MAX_TERMS];
} sum_t;

typedef struct {
  MlirContext context;
  const strata_space_t *of;
} space_t;

static void flatten(const space_t *space, MlirAffineExpr expr, int64_t scale, sum_t *sum);
static void divide(const space_t *space, const sum_t *sum, int64_t divisor, sum_t *quotient, sum_t *remainder);

//===-- Sums -----------------------------------------------------------------------------------------------------===//

static void add_constant(sum_t *sum, int64_t constant) {
  sum->failed |= __builtin_add_overflow(sum->constant, constant, &sum->constant);
}

static void add_term(sum_t *sum, int64_t coefficient, MlirAffineExpr atom) {
  if (coefficient == 0)
    return;
  for (int i = 0; i < sum->n_terms; i++) {
    term_t *term = &sum->terms[i];
    if (!mlirAffineExprEqual(term->atom, atom))
      continue;
    sum->failed |= __builtin_add_overflow(term->coefficient, coefficient, &term->coefficient);
    if (term->coefficient == 0)
      *term = sum->terms[--sum->n_terms];
    return;
  }
  if (sum->n_terms == MAX_TERMS)
    sum->failed = true;
  else
    sum->terms[sum->n_terms++] = (term_t){coefficient, atom};
}

static void add_scaled(sum_t *sum, int64_t scale, const sum_t *other) {
  int64_t product;
  sum->failed |= other->failed || __builtin_mul_overflow(scale, other->constant, &product);
  if (sum->failed)
    return;
  add_constant(sum, product);
  for (int i = 0; i < other->n_terms; i++) {
    if (__builtin_mul_overflow(scale, other->terms[i].coefficient, &product))
      sum->failed = true;
    else
      add_term(sum, product, other->terms[i].atom);
  }
}

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

typedef bool (*precedes_t)(MlirAffineExpr a, MlirAffineExpr b);
static bool precedes(MlirAffineExpr a, MlirAffineExpr b) { return compare(a, b) < 0; }

// Dims come first, in order; the others stay in the order they were met.
static bool dim_precedes(MlirAffineExpr a, MlirAffineExpr b) { return mlirAffineExprIsADim(a) && compare(a, b) < 0; }

static void sort_terms(sum_t *sum, precedes_t order) {
  for (int i = 1; i < sum->n_terms; i++) {
    term_t term = sum->terms[i];
    int at = i;
    for (; at > 0 && order(term.atom, sum->terms[at - 1].atom); at--)
      sum->terms[at] = sum->terms[at - 1];
    sum->terms[at] = term;
  }
}

static MlirAffineExpr sum_to_expr(const space_t *space, sum_t *sum, precedes_t order) {
  sort_terms(sum, order);
  MlirAffineExpr expr = mlirAffineConstantExprGet(space->context, 0);
  for (int i = 0; i < sum->n_terms; i++) {
    MlirAffineExpr factor = mlirAffineConstantExprGet(space->context, sum->terms[i].coefficient);
    expr = mlirAffineAddExprGet(expr, mlirAffineMulExprGet(sum->terms[i].atom, factor));
  }
  return mlirAffineAddExprGet(expr, mlirAffineConstantExprGet(space->context, sum->constant));
}

//===-- Division -------------------------------------------------------------------------------------------------===//

// Step 1. |rest| keeps the sign of the coefficients and a constant in [0, divisor).
static void take_multiples(const sum_t *sum, int64_t divisor, sum_t *quotient, sum_t *rest) {
  for (int i = 0; i < sum->n_terms; i++) {
    const term_t *term = &sum->terms[i];
    add_term(quotient, term->coefficient / divisor, term->atom);
    add_term(rest, term->coefficient % divisor, term->atom);
  }
  int64_t whole = strata_floor_div(sum->constant, divisor);
  add_constant(quotient, whole);
  add_constant(rest, sum->constant - whole * divisor);
}

// A term c * (x mod a) of |rest| holds multiples of the divisor if c * b is one for a b < a that divides a:
// x mod a = b * ((x floordiv b) mod (a / b)) + x mod b.
static void take_high_digits(const space_t *space, int64_t divisor, sum_t *quotient, sum_t *rest) {
  for (int i = 0; i < rest->n_terms; i++) {
    term_t term = rest->terms[i];
    int64_t modulus;
    if (!mlirAffineExprIsAMod(term.atom) || !strata_affine_constant_rhs(term.atom, &modulus))
      continue;
    int64_t low = divisor / strata_gcd(term.coefficient, divisor);
    if (modulus % low != 0 || modulus == low)
      continue;
    sum_t x = {0}, high = {0}, low_digit = {0}, digit = {0}, ignored = {0};
    flatten(space, mlirAffineBinaryOpExprGetLHS(term.atom), 1, &x);
    divide(space, &x, low, &high, &low_digit);
    divide(space, &high, modulus / low, &ignored, &digit);
    add_scaled(quotient, term.coefficient / (divisor / low), &digit);
    rest->terms[i] = rest->terms[--rest->n_terms];
    add_scaled(rest, term.coefficient, &low_digit);
    i = -1; // the terms have changed
    if (rest->failed)
      return;
  }
}

// Step 2 for one |g|: |rest| = g * coarse + fine with fine in [0, g).
static bool split(const space_t *space, const sum_t *rest, int64_t g, sum_t *coarse, sum_t *fine) {
  int64_t min = rest->constant, max = rest->constant;
  *coarse = *fine = (sum_t){0};
  for (int i = 0; i < rest->n_terms; i++) {
    const term_t *term = &rest->terms[i];
    if (term->coefficient % g == 0) {
      add_term(coarse, term->coefficient / g, term->atom);
      continue;
    }
    int64_t low, high;
    if (!strata_affine_range(term->atom, space->of, &low, &high) ||
        !strata_range_of_product(term->coefficient, &low, &high) || __builtin_add_overflow(min, low, &min) ||
        __builtin_add_overflow(max, high, &max))
      return false;
    add_term(fine, term->coefficient, term->atom);
  }
  int64_t whole = strata_floor_div(min, g);
  if (whole != strata_floor_div(max, g))
    return false;
  add_constant(coarse, whole);
  add_constant(fine, rest->constant - whole * g);
  return true;
}

// The greatest g > 1 that splits |rest|; 0 if there is none.
static int64_t find_split(const space_t *space, const sum_t *rest, int64_t divisor, sum_t *coarse, sum_t *fine) {
  for (int64_t g = divisor; g > 1;) {
    if (split(space, rest, g, coarse, fine))
      return g;
    int64_t next = 0;
    for (int i = 0; i < rest->n_terms; i++) {
      int64_t candidate = strata_gcd(rest->terms[i].coefficient, divisor);
      if (candidate < g && candidate > next)
        next = candidate;
    }
    g = next;
  }
  return 0;
}

// Step 3. (x floordiv a + k) floordiv b is (x + k * a) floordiv (a * b).
static void divide_atom(const space_t *space, sum_t *rest, int64_t divisor, sum_t *quotient, sum_t *remainder) {
  MlirAffineExpr expr = sum_to_expr(space, rest, precedes), rhs = mlirAffineConstantExprGet(space->context, divisor);
  add_term(remainder, 1, mlirAffineModExprGet(expr, rhs));
  int64_t inner, product, offset;
  bool is_nested =
      rest->n_terms == 1 && rest->terms[0].coefficient == 1 && mlirAffineExprIsAFloorDiv(rest->terms[0].atom) &&
      strata_affine_constant_rhs(rest->terms[0].atom, &inner) && !__builtin_mul_overflow(inner, divisor, &product) &&
      !__builtin_mul_overflow(inner, rest->constant, &offset);
  if (!is_nested) {
    add_term(quotient, 1, mlirAffineFloorDivExprGet(expr, rhs));
    return;
  }
  sum_t x = {0}, ignored = {0}, whole = {0};
  flatten(space, mlirAffineBinaryOpExprGetLHS(rest->terms[0].atom), 1, &x);
  add_constant(&x, offset);
  divide(space, &x, product, &whole, &ignored);
  add_scaled(quotient, 1, &whole);
}

// |sum| = divisor * quotient + remainder, remainder in [0, divisor). Adds to both results.
static void divide(const space_t *space, const sum_t *sum, int64_t divisor, sum_t *quotient, sum_t *remainder) {
  sum_t rest = {0}, coarse, fine;
  take_multiples(sum, divisor, quotient, &rest);
  take_high_digits(space, divisor, quotient, &rest);
  quotient->failed |= sum->failed || rest.failed;
  if (quotient->failed)
    return;
  int64_t g = find_split(space, &rest, divisor, &coarse, &fine);
  if (g == 0) {
    divide_atom(space, &rest, divisor, quotient, remainder);
    return;
  }
  add_scaled(remainder, 1, &fine);
  if (g == divisor) {
    add_scaled(quotient, 1, &coarse);
    return;
  }
  sum_t coarse_remainder = {0};
  divide(space, &coarse, divisor / g, quotient, &coarse_remainder);
  add_scaled(remainder, g, &coarse_remainder);
}

//===-- Simplification -------------------------------------------------------------------------------------------===//

static void flatten_division(const space_t *space, MlirAffineExpr expr, int64_t divisor, int64_t scale, sum_t *sum) {
  sum_t lhs = {0}, quotient = {0}, remainder = {0};
  flatten(space, mlirAffineBinaryOpExprGetLHS(expr), 1, &lhs);
  if (mlirAffineExprIsACeilDiv(expr))
    add_constant(&lhs, divisor - 1);
  divide(space, &lhs, divisor, &quotient, &remainder);
  remainder.failed |= quotient.failed;
  add_scaled(sum, scale, mlirAffineExprIsAMod(expr) ? &remainder : &quotient);
}

// Adds scale * expr to |sum|.
static void flatten(const space_t *space, MlirAffineExpr expr, int64_t scale, sum_t *sum) {
  int64_t constant, product;
  if (mlirAffineExprIsAConstant(expr)) {
    sum_t value = {.constant = mlirAffineConstantExprGetValue(expr)};
    add_scaled(sum, scale, &value);
  } else if (mlirAffineExprIsADim(expr)) {
    if (strata_size_max(space->of->sizes[mlirAffineDimExprGetPosition(expr)]) > 1)
      add_term(sum, scale, expr);
  } else if (mlirAffineExprIsAAdd(expr)) {
    flatten(space, mlirAffineBinaryOpExprGetLHS(expr), scale, sum);
    flatten(space, mlirAffineBinaryOpExprGetRHS(expr), scale, sum);
  } else if (mlirAffineExprIsAMul(expr) && strata_affine_constant_rhs(expr, &constant)) {
    if (__builtin_mul_overflow(scale, constant, &product))
      sum->failed = true;
    else
      flatten(space, mlirAffineBinaryOpExprGetLHS(expr), product, sum);
  } else if (strata_affine_is_division(expr) && strata_affine_constant_rhs(expr, &constant) && constant > 0) {
    flatten_division(space, expr, constant, scale, sum);
  } else {
    add_term(sum, scale, expr);
  }
}

static int find_atom(const sum_t *sum, MlirAffineExpr atom) {
  for (int i = 0; i < sum->n_terms; i++)
    if (mlirAffineExprEqual(sum->terms[i].atom, atom))
      return i;
  return -1;
}

// The modulus of term |index|, and its coefficient times the modulus: that of the next digit.
static bool digit_of(const sum_t *sum, int index, int64_t *out_modulus, int64_t *out_next) {
  const term_t *term = &sum->terms[index];
  return mlirAffineExprIsAMod(term->atom) && strata_affine_constant_rhs(term->atom, out_modulus) &&
         !__builtin_mul_overflow(term->coefficient, *out_modulus, out_next);
}

// Joins term |low|, c * (x mod a), with c * a * (x floordiv a) to c * x.
static bool join_quotient(const space_t *space, sum_t *sum, int low) {
  int64_t modulus, next;
  if (!digit_of(sum, low, &modulus, &next))
    return false;
  term_t term = sum->terms[low];
  sum_t x = {0}, quotient = {0}, ignored = {0};
  flatten(space, mlirAffineBinaryOpExprGetLHS(term.atom), 1, &x);
  divide(space, &x, modulus, &quotient, &ignored);
  if (quotient.failed || quotient.n_terms != 1 || quotient.terms[0].coefficient != 1 || quotient.constant != 0)
    return false;
  int high = find_atom(sum, quotient.terms[0].atom);
  if (high < 0 || sum->terms[high].coefficient != next)
    return false;
  add_term(sum, -next, quotient.terms[0].atom);
  add_term(sum, -term.coefficient, term.atom);
  add_scaled(sum, term.coefficient, &x);
  return true;
}

// Joins term |low|, c * (x mod a), with term |high|, c * a * (y mod b), to c * ((a * y + x mod a) mod (a * b)),
// provided that the inner sum joins.
static bool join_remainder(const space_t *space, sum_t *sum, int low, int high) {
  int64_t modulus, high_modulus, next, ignored_next;
  if (!digit_of(sum, low, &modulus, &next) || !digit_of(sum, high, &high_modulus, &ignored_next) ||
      sum->terms[high].coefficient != next || __builtin_mul_overflow(modulus, high_modulus, &high_modulus))
    return false;
  term_t low_term = sum->terms[low], high_term = sum->terms[high];
  sum_t inner = {0}, ignored = {0}, joined = {0};
  flatten(space, mlirAffineBinaryOpExprGetLHS(high_term.atom), modulus, &inner);
  add_term(&inner, 1, low_term.atom);
  int at = find_atom(&inner, low_term.atom);
  if (inner.failed || at < 0 || !join_quotient(space, &inner, at))
    return false;
  divide(space, &inner, high_modulus, &ignored, &joined);
  add_term(sum, -low_term.coefficient, low_term.atom);
  add_term(sum, -high_term.coefficient, high_term.atom);
  add_scaled(sum, low_term.coefficient, &joined);
  return true;
}

static bool join_one(const space_t *space, sum_t *sum, int low) {
  if (join_quotient(space, sum, low))
    return true;
  for (int high = 0; high < sum->n_terms; high++)
    if (high != low && join_remainder(space, sum, low, high))
      return true;
  return false;
}

static void join_digits(const space_t *space, sum_t *sum) {
  for (int i = 0; i < sum->n_terms && !sum->failed; i++)
    if (join_one(space, sum, i))
      i = -1; // the terms have changed; there are fewer divisions after every join
}

MlirAffineExpr strata_affine_simplify(MlirAffineExpr expr, const strata_space_t *of) {
  space_t space = {mlirAffineExprGetContext(expr), of};
  sum_t sum = {0};
  flatten(&space, expr, 1, &sum);
  join_digits(&space, &sum);
  return sum.failed ? expr : sum_to_expr(&space, &sum, dim_precedes);
}
