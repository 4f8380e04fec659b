// See space.h.
#include "dialects/affine/space.h"

#include "dialects/affine/simplify.h"
#include "dialects/affine/sum.h"
#include "dialects/integers.h"

#include <assert.h>
#include <stdlib.h>

bool strata_size_equal(strata_size_t a, strata_size_t b) {
  int64_t n, m;
  bool a_is_constant = strata_size_is_constant(a, &n), b_is_constant = strata_size_is_constant(b, &m);
  if (a_is_constant || b_is_constant)
    return a_is_constant && b_is_constant && n == m;
  return mlirAffineExprEqual(a.expr, b.expr);
}

bool strata_sizes_equal(int count, const strata_size_t *a, const strata_size_t *b) {
  for (int i = 0; i < count; i++)
    if (!strata_size_equal(a[i], b[i]))
      return false;
  return true;
}

bool strata_sizes_vary(int count, const strata_size_t *sizes) {
  for (int i = 0; i < count; i++)
    if (strata_size_varies(sizes[i]))
      return true;
  return false;
}

int64_t strata_size_static_value(strata_size_t size) {
  int64_t value;
  if (!strata_size_is_constant(size, &value))
    abort(); // any number would make wrong code
  return value;
}

MlirAffineExpr strata_size_expr(MlirContext context, strata_size_t size) {
  int64_t value;
  return strata_size_is_constant(size, &value) ? mlirAffineConstantExprGet(context, value) : size.expr;
}

enum { MAX_SYMBOLS = 64 };

// An expression over symbols in the one way that all sums and products of the same sizes are written.
static MlirAffineExpr canonical(MlirAffineExpr expr) {
  strata_size_t any[MAX_SYMBOLS];
  for (int i = 0; i < MAX_SYMBOLS; i++)
    any[i] = (strata_size_t){.min = 0, .max = INT64_MAX, .divisor = 1};
  return strata_affine_simplify(expr, &(strata_space_t){.n_symbols = MAX_SYMBOLS, .symbols = any});
}

typedef MlirAffineExpr (*combine_t)(MlirAffineExpr lhs, MlirAffineExpr rhs);

static bool are_constant(strata_size_t a, strata_size_t b) {
  return mlirAffineExprIsNull(a.expr) && mlirAffineExprIsNull(b.expr);
}

// Adds the expression of two sizes, of which one at least has one, to what is known of |result|.
static strata_size_t combined(strata_size_t result, strata_size_t a, strata_size_t b, combine_t combine) {
  if (are_constant(a, b))
    return strata_size_constant(result.min);
  MlirContext context = mlirAffineExprGetContext(mlirAffineExprIsNull(a.expr) ? b.expr : a.expr);
  result.expr = canonical(combine(strata_size_expr(context, a), strata_size_expr(context, b)));
  return result;
}

strata_size_t strata_size_known_of_sum(strata_size_t a, strata_size_t b) {
  strata_size_t sum = {
      .min = strata_plus(a.min, b.min), .max = strata_plus(a.max, b.max), .divisor = strata_gcd(a.divisor, b.divisor)};
  return are_constant(a, b) ? strata_size_constant(sum.min) : sum;
}

strata_size_t strata_size_sum(strata_size_t a, strata_size_t b) {
  return combined(strata_size_known_of_sum(a, b), a, b, mlirAffineAddExprGet);
}

strata_size_t strata_size_known_of_product(strata_size_t a, strata_size_t b) {
  strata_range_t range = strata_range_times((strata_range_t){a.min, a.max}, (strata_range_t){b.min, b.max});
  strata_size_t product = {.min = range.min, .max = range.max};
  // One that overflows is left at one of the two: it is still true.
  if (__builtin_mul_overflow(a.divisor, b.divisor, &product.divisor))
    product.divisor = strata_max(a.divisor, b.divisor);
  return are_constant(a, b) ? strata_size_constant(product.min) : product;
}

strata_size_t strata_size_product(strata_size_t a, strata_size_t b) {
  return combined(strata_size_known_of_product(a, b), a, b, mlirAffineMulExprGet);
}

strata_size_t strata_size_ceil_div(strata_size_t size, int64_t divisor) {
  strata_size_t quotient = {.min = strata_ceil_div(size.min, divisor),
                            .max = size.max / divisor + (size.max % divisor != 0),
                            .divisor = strata_size_divides(divisor, size) ? size.divisor / divisor : 1};
  return combined(quotient, size, strata_size_constant(divisor), mlirAffineCeilDivExprGet);
}

strata_size_t strata_size_of(MlirAffineExpr expr, const strata_space_t *space) {
  strata_sum_space_t sums = {mlirAffineExprGetContext(expr), space};
  strata_size_t size = {.expr = strata_affine_simplify(expr, space), .max = INT64_MAX};
  if (mlirAffineExprIsAConstant(size.expr))
    return strata_size_constant(mlirAffineConstantExprGetValue(size.expr));
  strata_sum_t sum = {0};
  strata_sum_flatten(&sums, size.expr, (strata_sum_term_t){.coefficient = 1}, &sum);
  size.divisor = sum.constant;
  for (int i = 0; i < sum.n_terms; i++)
    size.divisor = strata_gcd(size.divisor, sum.terms[i].coefficient);
  if (sum.failed)
    size.divisor = 1;
  int64_t min, max;
  if (strata_affine_range(size.expr, space, &min, &max)) {
    size.min = strata_max(min, 0);
    size.max = max;
  }
  return size;
}

const strata_space_t *strata_static_space(strata_static_space_t *storage, int n_dims, const int64_t *extents) {
  assert(n_dims <= STRATA_STATIC_DIMS);
  for (int i = 0; i < n_dims; i++)
    storage->sizes[i] = strata_size_constant(extents[i]);
  storage->space = (strata_space_t){.n_dims = n_dims, .sizes = storage->sizes};
  return &storage->space;
}
