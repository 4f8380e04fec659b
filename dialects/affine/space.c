// See space.h.
#include "dialects/affine/space.h"

#include "dialects/integers.h"

#include <assert.h>

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

int64_t strata_size_static_value(strata_size_t size) {
  int64_t value;
  bool is_constant = strata_size_is_constant(size, &value);
  assert(is_constant && "a size that varies where only constants are dealt with");
  (void)is_constant;
  return value;
}

MlirAffineExpr strata_size_expr(MlirContext context, strata_size_t size) {
  int64_t value;
  return strata_size_is_constant(size, &value) ? mlirAffineConstantExprGet(context, value) : size.expr;
}

// A constant has no expression: the one that has gives the context.
static MlirContext context_of(strata_size_t a, strata_size_t b) {
  return mlirAffineExprGetContext(mlirAffineExprIsNull(a.expr) ? b.expr : a.expr);
}

static bool is_symbolic(strata_size_t a, strata_size_t b) {
  return !mlirAffineExprIsNull(a.expr) || !mlirAffineExprIsNull(b.expr);
}

strata_size_t strata_size_sum(strata_size_t a, strata_size_t b) {
  strata_size_t sum = {
      .min = strata_plus(a.min, b.min), .max = strata_plus(a.max, b.max), .divisor = strata_gcd(a.divisor, b.divisor)};
  if (!is_symbolic(a, b))
    return strata_size_constant(sum.min);
  MlirContext context = context_of(a, b);
  sum.expr = mlirAffineAddExprGet(strata_size_expr(context, a), strata_size_expr(context, b));
  return sum;
}

strata_size_t strata_size_product(strata_size_t a, strata_size_t b) {
  strata_size_t product = {.min = strata_times(a.min, b.min), .max = strata_times(a.max, b.max)};
  if (!is_symbolic(a, b))
    return strata_size_constant(product.min);
  // A divisor that overflows is left at one of the two: it is still true.
  if (__builtin_mul_overflow(a.divisor, b.divisor, &product.divisor))
    product.divisor = strata_max(a.divisor, b.divisor);
  MlirContext context = context_of(a, b);
  product.expr = mlirAffineMulExprGet(strata_size_expr(context, a), strata_size_expr(context, b));
  return product;
}

strata_size_t strata_size_ceil_div(strata_size_t size, int64_t divisor) {
  strata_size_t quotient = {.min = strata_ceil_div(size.min, divisor),
                            .max = strata_ceil_div(size.max, divisor),
                            .divisor = strata_size_divides(divisor, size) ? size.divisor / divisor : 1};
  if (mlirAffineExprIsNull(size.expr))
    return strata_size_constant(quotient.min);
  MlirContext context = mlirAffineExprGetContext(size.expr);
  quotient.expr = mlirAffineCeilDivExprGet(size.expr, mlirAffineConstantExprGet(context, divisor));
  return quotient;
}

const strata_space_t *strata_static_space(strata_static_space_t *storage, int n_dims, const int64_t *extents) {
  assert(n_dims <= STRATA_STATIC_DIMS);
  for (int i = 0; i < n_dims; i++)
    storage->sizes[i] = strata_size_constant(extents[i]);
  storage->space = (strata_space_t){.n_dims = n_dims, .sizes = storage->sizes};
  return &storage->space;
}
