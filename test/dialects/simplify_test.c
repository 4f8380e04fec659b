// Simplified affine expressions have the value of the original at every point (random expressions, evaluated by brute
// force), and the forms that reshapes produce become what a person would write.
#include "dialects/affine/simplify.h"
#include "test/dialects/affine_values.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdio.h>
#include <string.h>

enum { N_DIMS = 3, N_EXPRESSIONS = 4000 };

#define SPACE(extents) STRATA_STATIC_SPACE(N_DIMS, extents)

static MlirAffineExpr random_expr(MlirContext context, int depth) {
  static const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 5, 7};
  if (depth == 0 || random_below(8) == 0)
    return random_below(5) ? mlirAffineDimExprGet(context, random_below(N_DIMS))
                           : mlirAffineConstantExprGet(context, random_below(40) - 12);
  MlirAffineExpr lhs = random_expr(context, depth - 1);
  MlirAffineExpr divisor = mlirAffineConstantExprGet(context, divisors[random_below(11)]);
  switch (random_below(7)) {
  case 0:
    return mlirAffineFloorDivExprGet(lhs, divisor);
  case 1:
    return mlirAffineModExprGet(lhs, divisor);
  case 2:
    return mlirAffineCeilDivExprGet(lhs, divisor);
  case 3:
    return mlirAffineMulExprGet(lhs, mlirAffineConstantExprGet(context, random_below(30) - 6));
  default:
    return mlirAffineAddExprGet(lhs, random_expr(context, depth - 1));
  }
}

// Compares all points of the box |extents|.
static void check_equal(const char *what, MlirAffineExpr before, MlirAffineExpr after, const int64_t *extents) {
  int64_t min, max, point[N_DIMS];
  bool has_range = strata_affine_range(after, SPACE(extents), &min, &max);
  for (point[0] = 0; point[0] < extents[0]; point[0]++)
    for (point[1] = 0; point[1] < extents[1]; point[1]++)
      for (point[2] = 0; point[2] < extents[2]; point[2]++) {
        int64_t value = evaluate(before, point, NULL);
        if (value != evaluate(after, point, NULL)) {
          fail(what, before, after);
          return;
        }
        if (!has_range || value < min || value > max) {
          fail("range", before, after);
          return;
        }
      }
}

static void test_random(MlirContext context) {
  static const int64_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
  for (int i = 0; i < N_EXPRESSIONS; i++) {
    int64_t extents[N_DIMS];
    for (int d = 0; d < N_DIMS; d++)
      extents[d] = sizes[random_below(8)];
    MlirAffineExpr expr = random_expr(context, 1 + (int)random_below(5));
    check_equal("random", expr, strata_affine_simplify(expr, SPACE(extents)), extents);
  }
}

static MlirAffineMap parse_map(MlirContext context, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "affine_map<(d0, d1, d2) -> (%s)>", text);
  return mlirAffineMapAttrGetValue(mlirAttributeParseGet(context, mlirStringRefCreateFromCString(full)));
}

static void test_forms(MlirContext context) {
  static const struct {
    const char *before, *after;
    int64_t extents[N_DIMS];
  } cases[] = {
      {"(d0 * 64 + d1) floordiv 64", "d0", {5, 64, 1}},
      {"(d0 * 64 + d1) mod 64", "d1", {5, 64, 1}},
      {"(d0 * 64 + d1) mod 64", "d1 mod 64", {5, 65, 1}},
      {"(d0 * 12 + d1 * 4 + d2) floordiv 4", "d0 * 3 + d1", {5, 3, 4}},
      {"(d0 * 12 + d1 * 4 + d2) floordiv 6", "d0 * 2 + (d1 * 4 + d2) floordiv 6", {5, 3, 4}},
      {"(d0 * 32 + d1 * 8 + d2) floordiv 16", "d0 * 2 + d1 floordiv 2", {5, 4, 8}},
      {"(d0 * 32 + d1 * 8 + d2) mod 16", "d2 + (d1 mod 2) * 8", {5, 4, 8}},
      {"(d0 floordiv 8) * 8 + d0 mod 8", "d0", {64, 1, 1}},
      {"((d0 floordiv 4) floordiv 2) * 8 + ((d0 floordiv 4) mod 2) * 4 + d0 mod 4", "d0", {64, 1, 1}},
      {"((d0 floordiv 4) mod 2) * 4 + d0 mod 4", "d0 mod 8", {64, 1, 1}},
      {"(d0 mod 32) floordiv 8", "(d0 floordiv 8) mod 4", {64, 1, 1}},
      {"(d0 mod 32) mod 8", "d0 mod 8", {64, 1, 1}},
      {"d0 mod 32", "d0", {32, 1, 1}},
      {"(d0 + 70) floordiv 64", "1", {8, 1, 1}},
      {"(d0 + 70) mod 64", "d0 + 6", {8, 1, 1}},
      {"(d0 * 6 + 2) mod 12", "(d0 mod 2) * 6 + 2", {64, 1, 1}},
      {"d0 ceildiv 4 + d1", "d1 + (d0 + 3) floordiv 4", {64, 9, 1}},
      {"d0 + d1 * 7 + d2", "d0", {64, 1, 1}},
      {"(d0 * -1 + 63) floordiv 64", "0", {64, 1, 1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MlirAffineExpr before = mlirAffineMapGetResult(parse_map(context, cases[i].before), 0);
    MlirAffineExpr expected = mlirAffineMapGetResult(parse_map(context, cases[i].after), 0);
    MlirAffineExpr after = strata_affine_simplify(before, SPACE(cases[i].extents));
    if (!mlirAffineExprEqual(after, expected))
      fail("form", before, after);
  }
}

// What is divided is the same in whatever order its terms are met.
static void test_order(MlirContext context) {
  static const int64_t extents[N_DIMS] = {64, 32, 50};
  static const char *const pairs[][2] = {
      {"(d0 floordiv 3 + d1 floordiv 5) mod 7", "(d1 floordiv 5 + d0 floordiv 3) mod 7"},
      {"(d0 floordiv 3 + d0 mod 5 + d2) floordiv 4", "(d0 mod 5 + d2 + d0 floordiv 3) floordiv 4"},
      {"((d0 mod 5 + d1 mod 6) mod 7 + d2 mod 9) floordiv 3", "(d2 mod 9 + (d1 mod 6 + d0 mod 5) mod 7) floordiv 3"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    MlirAffineExpr a = mlirAffineMapGetResult(parse_map(context, pairs[i][0]), 0);
    MlirAffineExpr b = mlirAffineMapGetResult(parse_map(context, pairs[i][1]), 0);
    MlirAffineExpr minus_b = mlirAffineMulExprGet(b, mlirAffineConstantExprGet(context, -1));
    MlirAffineExpr zero = strata_affine_simplify(mlirAffineAddExprGet(a, minus_b), SPACE(extents));
    if (!mlirAffineExprEqual(zero, mlirAffineConstantExprGet(context, 0)))
      fail("order", a, zero);
  }
}

// A chain of reshapes through random factorisations of one size ends where it began.
static void test_reshapes(MlirContext context) {
  static const int64_t shapes[][N_DIMS] = {{2, 3, 4}, {4, 6, 1}, {24, 1, 1}, {1, 8, 3}, {3, 2, 4}, {12, 1, 2}};
  enum { N_SHAPES = sizeof shapes / sizeof *shapes };
  for (int trial = 0; trial < 200; trial++) {
    const int64_t *extents = shapes[random_below(N_SHAPES)];
    MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(context, N_DIMS);
    const int64_t *sizes = extents;
    MlirAffineExpr start = strata_affine_linearize(map, SPACE(sizes)->sizes, SPACE(extents));
    for (int step = 0; step < 4; step++) {
      MlirAffineExpr position = strata_affine_linearize(map, SPACE(sizes)->sizes, SPACE(extents));
      if (!mlirAffineExprEqual(position, start))
        fail("reshape", start, position);
      sizes = shapes[random_below(N_SHAPES)];
      map = strata_affine_delinearize(position, N_DIMS, SPACE(sizes)->sizes, SPACE(extents));
    }
    MlirAffineMap back = strata_affine_delinearize(start, N_DIMS, SPACE(extents)->sizes, SPACE(extents));
    MlirAffineMap plain = strata_affine_simplify_map(mlirAffineMapMultiDimIdentityGet(context, N_DIMS), SPACE(extents));
    if (!mlirAffineMapEqual(back, plain))
      fail("identity", mlirAffineMapGetResult(back, 0), mlirAffineMapGetResult(plain, 0));
  }
}

static void test_compose(MlirContext context) {
  const int64_t extents[N_DIMS] = {4, 8, 2};
  MlirAffineMap outer = parse_map(context, "d0 floordiv 2, d1 + d2, d0 mod 2");
  MlirAffineMap inner = parse_map(context, "d0 * 2 + d2, d1, d0 * 3");
  MlirAffineMap expected = parse_map(context, "d0, d0 * 3 + d1, d2");
  if (!mlirAffineMapEqual(strata_affine_compose(outer, inner, SPACE(extents)), expected))
    fail("compose", mlirAffineMapGetResult(outer, 0), mlirAffineMapGetResult(expected, 0));
}

// (4, 3, 2) seen as (2, 3, 4) seen as (4, 3, 2): the digits of digits are the dims again.
static void test_places(MlirContext context) {
  const int64_t extents[N_DIMS] = {4, 3, 2}, other[N_DIMS] = {2, 3, 4};
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(context, N_DIMS);
  MlirAffineExpr position = strata_affine_linearize(identity, SPACE(extents)->sizes, SPACE(extents));
  MlirAffineMap there = strata_affine_delinearize(position, N_DIMS, SPACE(other)->sizes, SPACE(extents));
  MlirAffineExpr other_position = strata_affine_linearize(identity, SPACE(other)->sizes, SPACE(other));
  MlirAffineMap back = strata_affine_delinearize(other_position, N_DIMS, SPACE(extents)->sizes, SPACE(other));
  MlirAffineMap map = strata_affine_compose(back, there, NULL);
  if (!mlirAffineMapEqual(strata_affine_simplify_places(map, SPACE(extents)->sizes, SPACE(extents)), identity))
    fail("places", mlirAffineMapGetResult(map, 0), mlirAffineMapGetResult(identity, 0));
}

static void test_coefficient(MlirContext context) {
  MlirAffineExpr expr = mlirAffineMapGetResult(parse_map(context, "d0 * 6 + (d1 floordiv 4) * 3 + (d0 + 2) * 2"), 0);
  int64_t coefficient;
  if (!strata_affine_coefficient(expr, 0, &coefficient) || coefficient != 8)
    fail("coefficient of d0", expr, expr);
  if (strata_affine_coefficient(expr, 1, &coefficient))
    fail("coefficient of d1", expr, expr);
  if (!strata_affine_coefficient(expr, 2, &coefficient) || coefficient != 0)
    fail("coefficient of d2", expr, expr);
}

static void test_overflow(MlirContext context) {
  const int64_t extents[N_DIMS] = {INT64_MAX, INT64_MAX, 2};
  MlirAffineExpr expr = mlirAffineMapGetResult(parse_map(context, "d0 * 4 + d1 * 4611686018427387904"), 0);
  int64_t min, max;
  if (strata_affine_range(expr, SPACE(extents), &min, &max))
    fail("range overflow", expr, expr);
  MlirAffineExpr scaled = mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(context, 1024));
  if (mlirAffineExprIsNull(strata_affine_simplify(scaled, SPACE(extents))))
    fail("overflow", scaled, expr);
}

// What is left of something nothing is known of, divided by a number, is less than that.
static void test_remainder(MlirContext context) {
  const int64_t extents[N_DIMS] = {2, 2, 2};
  MlirAffineExpr unknown = mlirAffineSymbolExprGet(context, 0), four = mlirAffineConstantExprGet(context, 4);
  MlirAffineExpr expr = mlirAffineAddExprGet(mlirAffineModExprGet(unknown, four), mlirAffineDimExprGet(context, 0));
  int64_t min, max;
  if (!strata_affine_range(expr, SPACE(extents), &min, &max) || min != 0 || max != 4)
    fail("range of a remainder", expr, expr);
  if (strata_affine_range(mlirAffineModExprGet(four, unknown), SPACE(extents), &min, &max))
    fail("range of a remainder by what is unknown", expr, expr);
}

int main(void) {
  MlirContext context = mlirContextCreate();
  test_random(context);
  test_forms(context);
  test_order(context);
  test_reshapes(context);
  test_compose(context);
  test_places(context);
  test_coefficient(context);
  test_overflow(context);
  test_remainder(context);
  mlirContextDestroy(context);
  printf(failures ? "%d failures\n" : "ok\n", failures);
  return failures != 0;
}
