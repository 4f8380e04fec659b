// Reshapes where sizes vary: the dims of both shapes are paired off in groups of as many elements, and each group is
// reshaped for itself.
//
//   (s0, s1, 768) -> (s0 * s1, 12, 64): (s0, s1) and (s0 * s1), (768) and (12, 64)
// So what is cut stays cut by constants, and positions are divided by a size only where it is that dim's own.
#include "dialects/integers.h"
#include "lowering/strata_to_affine/lower.h"

enum { MAX_FACTORS = 64 };

// A product of a number and of expressions.
typedef struct {
  int64_t number;
  int n;
  MlirAffineExpr factors[MAX_FACTORS];
} product_t;

static void multiply(product_t *product, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr)) {
    product->number = strata_times(product->number, mlirAffineConstantExprGetValue(expr));
  } else if (mlirAffineExprIsAMul(expr)) {
    multiply(product, mlirAffineBinaryOpExprGetLHS(expr));
    multiply(product, mlirAffineBinaryOpExprGetRHS(expr));
  } else if (product->n < MAX_FACTORS) {
    product->factors[product->n++] = expr;
  }
}

// Takes away what both have.
static void cancel(product_t *a, product_t *b) {
  int64_t common = strata_gcd(a->number, b->number);
  if (common > 1) {
    a->number /= common;
    b->number /= common;
  }
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++)
      if (mlirAffineExprEqual(a->factors[i], b->factors[j])) {
        a->factors[i--] = a->factors[--a->n];
        b->factors[j] = b->factors[--b->n];
        break;
      }
}

static bool is_one(const product_t *product) { return product->number == 1 && product->n == 0; }

typedef struct {
  strata__lowering_t *l;
  int rank, to_rank;
  const strata_size_t *sizes, *to_sizes;
} reshape_t;

// Dims [from, from_end) of the one shape and [to, to_end) of the other: as many elements.
typedef struct {
  int from, from_end, to, to_end;
} group_t;

// Whether the side of |a| is the one to take a dim more of.
static bool is_behind(const product_t *a, const product_t *b) {
  if (is_one(a) || is_one(b))
    return is_one(a);
  return a->n != b->n ? a->n < b->n : a->number < b->number;
}

static void take_from(const reshape_t *r, group_t *group, product_t *product) {
  multiply(product, strata_size_expr(r->l->context, r->sizes[group->from_end++]));
}

static void take_to(const reshape_t *r, group_t *group, product_t *product) {
  multiply(product, strata_size_expr(r->l->context, r->to_sizes[group->to_end++]));
}

// The fewest dims of both from |from| and |to| on that are as many elements; all that are left where that cannot be
// seen.
static group_t find_group(const reshape_t *r, int from, int to) {
  group_t group = {from, from, to, to};
  product_t a = {.number = 1}, b = {.number = 1};
  if (from < r->rank)
    take_from(r, &group, &a);
  if (to < r->to_rank)
    take_to(r, &group, &b);
  cancel(&a, &b);
  while (!(is_one(&a) && is_one(&b)) && (group.from_end < r->rank || group.to_end < r->to_rank)) {
    if (group.to_end == r->to_rank || (group.from_end < r->rank && is_behind(&a, &b)))
      take_from(r, &group, &a);
    else
      take_to(r, &group, &b);
    cancel(&a, &b);
  }
  return group;
}

// The row-major position of the group's coordinates.
static MlirAffineExpr position_in(const reshape_t *r, const group_t *group) {
  MlirAffineExpr position = mlirAffineConstantExprGet(r->l->context, 0);
  for (int dim = group->from; dim < group->from_end; dim++) {
    position = mlirAffineMulExprGet(position, strata_size_expr(r->l->context, r->sizes[dim]));
    position = mlirAffineAddExprGet(position, mlirAffineDimExprGet(r->l->context, dim));
  }
  return position;
}

static void reshape_group(const reshape_t *r, const group_t *group, MlirAffineExpr *out) {
  const strata_space_t *space = STRATA__SPACE_OF(r->l, r->rank, r->sizes);
  MlirAffineExpr position = position_in(r, group);
  strata_size_t stride = strata_size_constant(1);
  for (int dim = group->to_end; dim-- > group->to;) {
    MlirAffineExpr digit = mlirAffineFloorDivExprGet(position, strata_size_expr(r->l->context, stride));
    if (dim > group->to)
      digit = mlirAffineModExprGet(digit, strata_size_expr(r->l->context, r->to_sizes[dim]));
    out[dim] = strata_affine_simplify(digit, space);
    stride = strata_size_product(stride, r->to_sizes[dim]);
  }
}

MlirAffineMap strata__reshape_by_groups(strata__lowering_t *l, int rank, const strata_size_t *sizes, int to_rank,
                                        const strata_size_t *to_sizes) {
  const reshape_t r = {l, rank, to_rank, sizes, to_sizes};
  MlirAffineExpr results[STRATA_MAX_RANK];
  for (int from = 0, to = 0; from < rank || to < to_rank;) {
    group_t group = find_group(&r, from, to);
    reshape_group(&r, &group, results);
    from = group.from_end;
    to = group.to_end;
  }
  return strata__map(l, rank, to_rank, results);
}
