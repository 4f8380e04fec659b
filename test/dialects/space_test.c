// Sizes that vary: sums and products of them, and affine expressions over dims of such sizes, which keep their value at
// random points for random symbols, and become what a person would write.
#include "dialects/affine/kernel.h"
#include "dialects/affine/simplify.h"
#include "test/dialects/affine_values.h"

#include <mlir-c/BuiltinAttributes.h>

enum { N_DIMS = 4, N_SYMBOLS = 3, N_EXPRESSIONS = 3000, N_POINTS = 40 };

// What the symbols are: batch, sequence (a multiple of 16), and one that may be 0.
static const strata_size_t SYMBOLS[N_SYMBOLS] = {
    {.min = 1, .max = INT32_MAX, .divisor = 1},
    {.min = 16, .max = INT32_MAX / 16 * 16, .divisor = 16},
    {.min = 0, .max = INT32_MAX, .divisor = 1},
};

static MlirAffineMap parse_map(MlirContext context, const char *text) {
  char full[1024];
  snprintf(full, sizeof full, "affine_map<(d0, d1, d2, d3)[s0, s1, s2] -> (%s)>", text);
  return mlirAffineMapAttrGetValue(mlirAttributeParseGet(context, mlirStringRefCreateFromCString(full)));
}

static MlirAffineExpr parse(MlirContext context, const char *text) {
  return mlirAffineMapGetResult(parse_map(context, text), 0);
}

static void check(bool holds, const char *what) {
  if (!holds) {
    printf("FAIL %s\n", what);
    failures++;
  }
}

// The space of dims of sizes "s0, 64, ...", kept in |sizes|.
static strata_space_t space_of(MlirContext context, const strata_size_t *symbols, const char *text,
                               strata_size_t *sizes) {
  strata_space_t space = {.sizes = sizes, .n_symbols = N_SYMBOLS, .symbols = symbols};
  MlirAffineMap map = parse_map(context, text);
  space.n_dims = (int)mlirAffineMapGetNumResults(map);
  for (int i = 0; i < space.n_dims; i++)
    sizes[i] = strata_size_of(mlirAffineMapGetResult(map, i), &space);
  return space;
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

static void test_sizes(MlirContext context) {
  strata_size_t sizes[N_DIMS], three = strata_size_constant(3);
  strata_space_t space = space_of(context, SYMBOLS, "s0, s1, s2 + 1, s1 floordiv 4", sizes);
  int64_t n;
  check(strata_size_is_constant(three, &n) && n == 3 && !strata_size_is_constant(sizes[0], &n), "constants");
  check(strata_size_divides(16, sizes[1]) && !strata_size_divides(32, sizes[1]), "divisor of a symbol");
  check(strata_size_divides(4, sizes[3]) && !strata_size_divides(8, sizes[3]), "divisor of a quotient");
  check(strata_size_divides(7, strata_size_constant(0)) && !strata_size_divides(2, three), "divisor of constants");
  check(strata_size_min(sizes[2]) == 1 && strata_size_min(sizes[3]) == 4, "least values");
  check(strata_size_is_one(strata_size_constant(1)) && !strata_size_is_one(sizes[0]), "one");
  strata_size_t product = strata_size_product(sizes[1], sizes[0]), other = strata_size_product(sizes[0], sizes[1]);
  check(strata_size_equal(product, other), "products in any order");
  check(!strata_size_equal(product, sizes[0]) && !strata_size_equal(three, sizes[0]), "different sizes");
  check(strata_size_divides(48, strata_size_product(product, three)), "divisor of a product");
  strata_size_t sum = strata_size_sum(sizes[1], strata_size_constant(8));
  check(strata_size_min(sum) == 24 && strata_size_divides(8, sum) && !strata_size_divides(16, sum), "sum");
  check(strata_size_equal(sum, strata_size_of(parse(context, "8 + s1"), &space)), "sums in any order");
  check(strata_size_max(strata_size_product(product, product)) == INT64_MAX, "saturation");
  strata_size_t quotient = strata_size_ceil_div(sizes[1], 16);
  check(strata_size_min(quotient) == 1 && strata_size_max(quotient) == INT32_MAX / 16, "quotient");
  check(strata_size_static_value(strata_size_sum(three, three)) == 6, "sum of constants");
}

//===-- Forms ----------------------------------------------------------------------------------------------------===//

static void test_forms(MlirContext context) {
  static const struct {
    const char *sizes, *before, *after;
  } cases[] = {
      {"s0, s1", "(d0 * s1 + d1) floordiv s1", "d0"},
      {"s0, s1", "(d0 * s1 + d1) mod s1", "d1"},
      {"s0, s1, 64", "((d0 * s1 + d1) * 64 + d2) floordiv (s1 * 64)", "d0"},
      {"s0, s1, 64", "((d0 * s1 + d1) * 64 + d2) mod (s1 * 64)", "d1 * 64 + d2"},
      {"s0, s1, 64", "((d0 * s1 + d1) * 64 + d2) floordiv 64", "d0 * s1 + d1"},
      {"s0, 12, s1, 64", "(((d0 * 12 + d1) * s1 + d2) * 64 + d3) floordiv (s1 * 64)", "d0 * 12 + d1"},
      {"s0, s0, s1", "(d0 * s1 + d2) floordiv s1 + d1", "d0 + d1"},
      // A dim that is cut: half of what is inside goes out.
      {"s0, s1, 4", "((d0 * s1 + d1) * 4 + d2) floordiv (s0 * 4)", "(d0 * s1 + d1) floordiv s0"},
      // Sums of sizes: a cache of s2 rows and s0 more behind them.
      {"8, s0, 64", "(d0 * (s2 + s0) + s2 + d1) floordiv (s0 + s2)", "d0"},
      {"8, s0, 64", "(d0 * (s2 + s0) + s2 + d1) mod (s0 + s2)", "d1 + s2"},
      {"8, s2 + 1", "(d0 * s2 + d0 + d1) mod (s2 + 1)", "d1"},
      {"8, s0 * 2 + 1", "(d0 * 2 * s0 + d0 + d1) floordiv (s0 * 2 + 1)", "d0"},
      // Divisors that are known.
      {"s0, s1", "(d0 * s1) floordiv 16", "d0 * (s1 floordiv 16)"},
      {"s0, 4", "(d0 * s1 + d1 * 4 + 3) floordiv 16", "d0 * (s1 floordiv 16)"},
      {"s0, 4", "(d0 * s1 + d1 * 4 + 3) mod 8", "(d1 mod 2) * 4 + 3"},
      {"s1, 1", "d0 floordiv s1", "0"},
      {"s0", "(s1 floordiv 4) * 4 + s1 mod 16", "s1"},
      {"s0", "(d0 * 3 * s1) mod 48", "0"},
      // What is needed to see that it is inside.
      {"s0, s1 floordiv 16, 16", "(d0 * s1 + d1 * 16 + d2) floordiv s1", "d0"},
      {"s0, s2, s1", "(d0 floordiv s1) * s1 + d0 mod s1", "d0"},
      {"s0 * s1", "(d0 mod s1 + (d0 floordiv s1) * s1) * 3", "d0 * 3"},
      // What cannot be removed.
      {"s0, s1", "(d0 * s1 + d1) floordiv s0", "(d0 * s1 + d1) floordiv s0"},
      {"s0 * s1", "(d0 floordiv s1) floordiv 2", "d0 floordiv (s1 * 2)"},
      {"s0", "d0 mod s2", "d0 mod s2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_size_t sizes[N_DIMS];
    strata_space_t space = space_of(context, SYMBOLS, cases[i].sizes, sizes);
    MlirAffineExpr before = parse(context, cases[i].before);
    MlirAffineExpr after = strata_affine_simplify(before, &space);
    if (!mlirAffineExprEqual(after, parse(context, cases[i].after)))
      fail("form", before, after);
  }
}

static void test_nonnegative(MlirContext context) {
  static const struct {
    const char *sizes, *expr;
    bool is_nonnegative;
  } cases[] = {
      {"s0, s1", "s1 - 1 - d1", true},
      {"s0, s1", "s0 * s1 - 1 - d0 * s1 - d1", true},
      {"s0, s1", "s1 - 2 - d1", false},
      {"s0, s1", "s0 * s1 - s0", true}, // s1 is 16 at least
      {"s0, s1", "s0 * s1 - s0 * 17", false},
      {"s0 - 2", "s0 - 3 - d0", true},
      {"s0 - 2", "d0 - 1", false},
      {"s0", "s0 - d0 mod s0 - 1", true},
      {"s0", "d0 - s2", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_size_t sizes[N_DIMS];
    strata_space_t space = space_of(context, SYMBOLS, cases[i].sizes, sizes);
    MlirAffineExpr expr = parse(context, cases[i].expr);
    if (strata_affine_is_nonnegative(expr, &space) != cases[i].is_nonnegative)
      fail("nonnegative", expr, expr);
  }
}

//===-- Positions ------------------------------------------------------------------------------------------------===//

// Coordinates, their position, and the coordinates of that, for all kinds of sizes at all places.
static void test_positions(MlirContext context) {
  static const char *const kinds[] = {"s0", "s1", "64", "s0 + s2", "s1 floordiv 4", "s2 * 2 + 1", "s0 * s1"};
  enum { N_KINDS = sizeof kinds / sizeof *kinds };
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(context, N_DIMS);
  for (int number = 0; number < N_KINDS * N_KINDS * N_KINDS * N_KINDS; number++) {
    char text[256] = "";
    for (int i = 0, rest = number; i < N_DIMS; i++, rest /= N_KINDS)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : "", kinds[rest % N_KINDS]);
    strata_size_t sizes[N_DIMS];
    strata_space_t space = space_of(context, SYMBOLS, text, sizes);
    MlirAffineExpr position = strata_affine_linearize(identity, sizes, &space);
    MlirAffineMap back = strata_affine_delinearize(position, N_DIMS, sizes, &space);
    for (int i = 0; i < N_DIMS; i++)
      if (!mlirAffineExprEqual(mlirAffineMapGetResult(back, i), mlirAffineDimExprGet(context, i)))
        fail(text, position, mlirAffineMapGetResult(back, i));
  }
}

// Dims that are joined by a reshape and parted by another are themselves.
static void test_reshapes(MlirContext context) {
  strata_size_t sizes[N_DIMS], joined[3];
  strata_space_t space = space_of(context, SYMBOLS, "s0, s1, 12, 64", sizes);
  joined[0] = strata_size_product(sizes[0], sizes[1]);
  joined[1] = sizes[2];
  joined[2] = sizes[3];
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(context, N_DIMS);
  MlirAffineExpr start = strata_affine_linearize(identity, sizes, &space);
  MlirAffineMap there = strata_affine_delinearize(start, 3, joined, &space);
  if (!mlirAffineExprEqual(mlirAffineMapGetResult(there, 0), parse(context, "d0 * s1 + d1")))
    fail("join", start, mlirAffineMapGetResult(there, 0));
  MlirAffineExpr position = strata_affine_linearize(there, joined, &space);
  if (!mlirAffineExprEqual(position, start))
    fail("reshape", start, position);
}

// The point at which a position is that of another point, and of one that is offset.
static void test_invert(MlirContext context) {
  static const struct {
    const char *sizes, *map, *target, *point[3];
  } cases[] = {
      {"s0, s1, 64", "(d0 * s1 + d1) * 64 + d2", "(d2 * s1 + d0) * 64 + d1", {"d2", "d0", "d1"}},
      {"8, s0, 64",
       "d0 * (s0 + s2) * 64 + d1 * 64 + s2 * 64 + d2",
       "d0 * (s0 + s2) * 64 + d1 * 64 + s2 * 64 + 5",
       {"d0", "d1", "5"}},
      {"s0, s1, 64", "(d0 * s1 + d1) * 63 + d2", "d0", {NULL}}, // several points are at one position
      {"s0, s1, 64", "(d0 * s1 + d1 floordiv 2) * 64 + d2", "d0", {NULL}},
  };
  static const char *const targets[] = {"s1, 64, s0", "8, s0, 1", "s0, 1, 1", "s0, 1, 1"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_size_t sizes[N_DIMS], target_sizes[N_DIMS], size = {.min = 1, .max = INT64_MAX, .divisor = 1};
    strata_space_t space = space_of(context, SYMBOLS, cases[i].sizes, sizes);
    strata_space_t target_space = space_of(context, SYMBOLS, targets[i], target_sizes);
    MlirAffineExpr expr = parse(context, cases[i].map), target = parse(context, cases[i].target), point[N_DIMS];
    size.expr = parse(context, "s0 * s1");
    MlirAffineMap map = mlirAffineMapGet(context, 3, N_SYMBOLS, 1, &expr);
    bool is_found = strata_affine_invert(map, &space, &size, &target, &target_space, point);
    if (is_found != (cases[i].point[0] != NULL))
      fail("invert", expr, target);
    for (int j = 0; j < 3 && is_found; j++)
      if (!mlirAffineExprEqual(point[j], parse(context, cases[i].point[j])))
        fail("point", target, point[j]);
  }
}

//===-- Random expressions ---------------------------------------------------------------------------------------===//

static MlirAffineExpr random_size(MlirContext context) {
  static const char *const sizes[] = {
      "s0", "s1", "s2", "s0 + s1", "s0 * s1", "s1 * 4", "s2 + 3", "s0 * 3", "s1 floordiv 2", "7", "s0 * s1 * 2", "16"};
  return parse(context, sizes[random_below(sizeof sizes / sizeof *sizes)]);
}

static MlirAffineExpr random_expr(MlirContext context, int depth) {
  static const int64_t divisors[] = {2, 3, 4, 8, 16};
  if (depth == 0 || random_below(9) == 0)
    return random_below(6)   ? mlirAffineDimExprGet(context, random_below(N_DIMS))
           : random_below(2) ? random_size(context)
                             : mlirAffineConstantExprGet(context, random_below(20) - 6);
  MlirAffineExpr lhs = random_expr(context, depth - 1);
  MlirAffineExpr divisor =
      random_below(3) ? random_size(context) : mlirAffineConstantExprGet(context, divisors[random_below(5)]);
  switch (random_below(8)) {
  case 0:
    return mlirAffineFloorDivExprGet(lhs, divisor);
  case 1:
    return mlirAffineModExprGet(lhs, divisor);
  case 2:
    return mlirAffineCeilDivExprGet(lhs, divisor);
  case 3:
  case 4:
    return mlirAffineMulExprGet(lhs, divisor);
  case 5:
    return mlirAffineMulExprGet(lhs, mlirAffineConstantExprGet(context, random_below(9) - 3));
  default:
    return mlirAffineAddExprGet(lhs, random_expr(context, depth - 1));
  }
}

// The row-major position in dims of the space's sizes, or of others, divided by products of some: what views make.
static MlirAffineExpr random_position(MlirContext context, const strata_space_t *space) {
  MlirAffineExpr position = mlirAffineConstantExprGet(context, 0), divisor = mlirAffineConstantExprGet(context, 1);
  for (int i = 0; i < N_DIMS; i++) {
    MlirAffineExpr size = strata_size_expr(context, space->sizes[i]);
    position = mlirAffineAddExprGet(mlirAffineMulExprGet(position, size), mlirAffineDimExprGet(context, i));
    if (random_below(2))
      divisor = mlirAffineMulExprGet(divisor, size);
  }
  return random_below(2) ? mlirAffineModExprGet(position, divisor) : mlirAffineFloorDivExprGet(position, divisor);
}

// False where the symbols make some size 0: there is no point then.
static bool random_point(const strata_space_t *space, int64_t *point, int64_t *values) {
  for (int i = 0; i < N_SYMBOLS; i++) {
    const strata_size_t *symbol = &space->symbols[i];
    values[i] = symbol->min + symbol->divisor * random_below((symbol->max - symbol->min) / symbol->divisor + 1);
  }
  for (int i = 0; i < N_DIMS; i++) {
    int64_t size = strata_size_min(space->sizes[i]);
    if (!mlirAffineExprIsNull(space->sizes[i].expr))
      size = evaluate(space->sizes[i].expr, NULL, values);
    if (size < strata_size_min(space->sizes[i]) || size > strata_size_max(space->sizes[i]) ||
        !(size % (space->sizes[i].divisor ? space->sizes[i].divisor : 1) == 0))
      check(false, "limits of a size");
    if (size == 0)
      return false;
    point[i] = random_below(3) ? random_below(size) : size - 1;
  }
  return true;
}

// True if some division's divisor is not positive there: the expression has no value.
static bool divides_by_nothing(MlirAffineExpr expr, const int64_t *point, const int64_t *values) {
  if (mlirAffineExprIsADim(expr) || mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr))
    return false;
  bool is_division = !mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr);
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr);
  return divides_by_nothing(lhs, point, values) || divides_by_nothing(rhs, point, values) ||
         (is_division && evaluate(rhs, point, values) <= 0);
}

static void check_equal(MlirAffineExpr before, MlirAffineExpr after, const strata_space_t *space) {
  int64_t point[N_DIMS], values[N_SYMBOLS], min, max;
  bool has_range = strata_affine_range(before, space, &min, &max);
  bool is_nonnegative = strata_affine_is_nonnegative(before, space);
  for (int i = 0; i < N_POINTS; i++) {
    if (!random_point(space, point, values) || divides_by_nothing(before, point, values))
      continue;
    int64_t value = evaluate(before, point, values);
    if (divides_by_nothing(after, point, values) || value != evaluate(after, point, values)) {
      fail("random", before, after);
      return;
    }
    if ((has_range && (value < min || value > max)) || (is_nonnegative && value < 0)) {
      fail(is_nonnegative ? "nonnegative" : "range", before, after);
      return;
    }
  }
}

static int count_divisions(MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr) || mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr))
    return 0;
  return count_divisions(mlirAffineBinaryOpExprGetLHS(expr)) + count_divisions(mlirAffineBinaryOpExprGetRHS(expr)) +
         (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr));
}

static void test_random(MlirContext context) {
  int n_fewer = 0;
  for (int i = 0; i < N_EXPRESSIONS; i++) {
    strata_size_t symbols[N_SYMBOLS], sizes[N_DIMS];
    for (int j = 0; j < N_SYMBOLS; j++) {
      int64_t divisor = (int64_t[]){1, 1, 2, 4, 16}[random_below(5)], least = divisor * random_below(3);
      symbols[j] = (strata_size_t){.min = least, .max = least + divisor * random_below(7), .divisor = divisor};
    }
    strata_space_t space = {N_DIMS, sizes, N_SYMBOLS, symbols};
    for (int j = 0; j < N_DIMS; j++)
      sizes[j] = strata_size_of(random_size(context), &space);
    bool is_position = random_below(3) == 0;
    MlirAffineExpr expr =
        is_position ? random_position(context, &space) : random_expr(context, 1 + (int)random_below(5));
    MlirAffineExpr after = strata_affine_simplify(expr, &space);
    check_equal(expr, after, &space);
    n_fewer += count_divisions(after) < count_divisions(expr);
  }
  if (n_fewer < N_EXPRESSIONS / 4)
    printf("FAIL only %d expressions have become simpler\n", n_fewer), failures++;
}

int main(void) {
  MlirContext context = mlirContextCreate();
  test_sizes(context);
  test_forms(context);
  test_nonnegative(context);
  test_positions(context);
  test_reshapes(context);
  test_invert(context);
  test_random(context);
  mlirContextDestroy(context);
  printf(failures ? "%d failures\n" : "ok\n", failures);
  return failures != 0;
}
