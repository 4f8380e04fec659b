// Dimensions: their normal form, exact division, ranges and divisors from those of symbols, equations.
#include "dialects/strata/symbols.h"
#include "test/support/check.h"

typedef struct {
  strata_compile_t compile;
  strata_symbols_t symbols;
  strata_dim_t a, b; // 1 to 100, a multiple of 4; 0 to 7
} fixture_t;

static strata_dim_t add_symbol(fixture_t *f, const char *name, int64_t min, int64_t max, int64_t multiple) {
  *strata_vector_push(f->compile.arena, &f->symbols.list) =
      (strata_symbol_t){.name = name, .min = min, .max = max, .multiple = multiple};
  return strata_dim_symbol(f->compile.context, (int)f->symbols.list.count - 1);
}

static strata_dim_t number(fixture_t *f, int64_t value) { return strata_dim_constant(f->compile.context, value); }

static bool reads(fixture_t *f, strata_dim_t dim, const char *text) {
  const char *got = strata_symbols_text(f->compile.arena, &f->symbols, dim);
  if (!strcmp(got, text))
    return true;
  printf("expected %s, got %s\n", text, got);
  return false;
}

static void test_normal_form(fixture_t *f) {
  strata_dim_t sum = strata_dim_add(f->a, f->b), other = strata_dim_add(f->b, f->a);
  CHECK(strata_dim_equal(sum, other) && reads(f, other, "a + b"));
  CHECK(strata_dim_equal(strata_dim_mul(f->b, f->a), strata_dim_mul(f->a, f->b)));
  CHECK(reads(f, strata_dim_times(strata_dim_plus(sum, 2), 3), "3 * a + 3 * b + 6"));
  CHECK(strata_dim_is(strata_dim_sub(sum, other), 0));
  CHECK(strata_dim_equal(strata_dim_sub(sum, f->b), f->a));
  // (6 a + b + 7) floordiv 3: multiples go out, and of the rest the quotient stays.
  CHECK(reads(f, strata_dim_floordiv(strata_dim_plus(strata_dim_add(strata_dim_times(f->a, 6), f->b), 7), 3),
              "2 * a + (b + 1) floordiv 3 + 2"));
  CHECK(reads(f, strata_dim_floordiv(strata_dim_plus(strata_dim_times(f->a, 2), 1), 4), "a floordiv 2"));
  CHECK(strata_dim_equal(strata_dim_floordiv(strata_dim_plus(strata_dim_floordiv(f->a, 2), 1), 3),
                         strata_dim_floordiv(strata_dim_plus(f->a, 2), 6)));
  // a mod 4 + a floordiv 4 * 4 = a, as the affine dialect writes it.
  MlirAffineExpr four = number(f, 4);
  strata_dim_t mod = strata_dim_normal(mlirAffineModExprGet(f->a, four));
  CHECK(strata_dim_equal(strata_dim_add(mod, strata_dim_times(strata_dim_floordiv(f->a, 4), 4)), f->a));
  CHECK(strata_dim_equal(strata_dim_normal(mlirAffineCeilDivExprGet(f->a, four)),
                         strata_dim_floordiv(strata_dim_plus(f->a, 3), 4)));
}

static void test_division(fixture_t *f) {
  strata_dim_t sum = strata_dim_plus(f->a, 1), product = strata_dim_mul(strata_dim_times(f->b, 6), sum), out;
  CHECK(strata_dim_divide(product, sum, &out) && reads(f, out, "6 * b"));
  CHECK(strata_dim_divide(product, strata_dim_times(f->b, 2), &out) && reads(f, out, "3 * a + 3"));
  CHECK(!strata_dim_divide(product, number(f, 4), &out) && !strata_dim_divide(f->a, f->b, &out));
  CHECK(!strata_dim_divide(f->a, number(f, 0), &out));
}

static void check_range(fixture_t *f, strata_dim_t dim, int64_t min, int64_t max) {
  strata_range_t range = strata_dim_range(dim, &f->symbols);
  if (range.min != min || range.max != max)
    printf("%s: expected %lld to %lld, got %lld to %lld\n", strata_symbols_text(f->compile.arena, &f->symbols, dim),
           (long long)min, (long long)max, (long long)range.min, (long long)range.max);
  CHECK(range.min == min && range.max == max);
}

static void test_ranges(fixture_t *f) {
  strata_dim_t half = strata_dim_floordiv(f->a, 2);
  check_range(f, strata_dim_sub(strata_dim_times(f->a, 2), f->b), 1, 200);
  check_range(f, strata_dim_mul(f->a, f->b), 0, 700);
  check_range(f, half, 2, 50);
  check_range(f, strata_dim_sub(f->a, strata_dim_times(half, 2)), 0, 1);
  check_range(f, strata_dim_sub(f->a, half), 2, 50);
  check_range(f, strata_dim_mul(number(f, INT64_MAX / 2), f->a), INT64_MAX, INT64_MAX);
  CHECK(strata_dim_divisor(strata_dim_plus(strata_dim_mul(f->a, f->b), 6), &f->symbols) == 2);
  CHECK(strata_dim_divisor(strata_dim_times(f->a, 3), &f->symbols) == 12);
}

static strata_dim_t derive(fixture_t *f, strata_symbol_op_t op, strata_dim_t lhs, strata_dim_t rhs) {
  return strata_symbols_derive(f->compile.arena, &f->symbols, op, lhs, rhs);
}

static void test_derived(fixture_t *f) {
  CHECK(strata_dim_equal(derive(f, STRATA_SYMBOL_MAX, f->a, strata_dim_plus(f->a, -1)), f->a));
  CHECK(strata_dim_is(derive(f, STRATA_SYMBOL_MIN, f->a, number(f, 2)), 2));
  strata_dim_t least = derive(f, STRATA_SYMBOL_MIN, f->a, f->b);
  CHECK(f->symbols.list.count == 3 && reads(f, least, "min(a, b)"));
  CHECK(strata_dim_equal(derive(f, STRATA_SYMBOL_MIN, f->b, f->a), least) && f->symbols.list.count == 3);
  CHECK(strata_dim_equal(derive(f, STRATA_SYMBOL_MIN, least, f->b), least) && f->symbols.list.count == 3);
  check_range(f, least, 0, 7);
  check_range(f, strata_dim_sub(f->a, least), 0, 100);
  CHECK(strata_dim_is(derive(f, STRATA_SYMBOL_MOD, strata_dim_mul(f->a, f->b), f->a), 0));
  CHECK(strata_dim_equal(derive(f, STRATA_SYMBOL_FLOORDIV, strata_dim_mul(f->a, f->b), f->a), f->b));
  strata_dim_t values[] = {number(f, 8), number(f, 5)};
  CHECK(strata_dim_is(strata_dim_substitute(strata_dim_floordiv(strata_dim_add(f->a, f->b), 3), 2, values), 4));
}

static int64_t bits_of(double value) {
  int64_t bits = -1;
  CHECK(strata_real_bits(value, &bits));
  return bits;
}

static strata_dim_t real(fixture_t *f, strata_real_op_t op, strata_dim_t lhs, strata_dim_t rhs) {
  return derive(f, (strata_symbol_op_t)(STRATA_SYMBOL_REAL + op), lhs, rhs);
}

// floor(f32(f32(320 / a) * 0.7)), by bits: names, ranges, and numbers where the sizes are.
static void test_reals(fixture_t *f) {
  strata_dim_t zero = number(f, 0), size = real(f, STRATA_REAL_OF, f->a, zero);
  CHECK(strata_dim_equal(real(f, STRATA_REAL_SINGLE, size, zero), size)); // 100 at most: an f32
  CHECK(strata_dim_equal(real(f, STRATA_REAL_RINT, size, zero), f->a));
  strata_dim_t quotient = real(f, STRATA_REAL_DIV, number(f, bits_of(320)), size);
  check_range(f, quotient, bits_of(3.2), bits_of(80));
  strata_dim_t single = real(f, STRATA_REAL_SINGLE, quotient, zero);
  CHECK(strata_dim_equal(real(f, STRATA_REAL_SINGLE, single, zero), single));
  check_range(f, single, bits_of((double)3.2f), bits_of(80));
  strata_dim_t part = real(f, STRATA_REAL_MUL, single, number(f, bits_of(0.75)));
  strata_dim_t whole = real(f, STRATA_REAL_FLOOR, part, zero);
  CHECK(reads(f, whole, "floor((f32((320 / a)) * 0.75))"));
  check_range(f, whole, 2, 60);
  check_range(f, real(f, STRATA_REAL_SUB, number(f, bits_of(80)), single), 0, bits_of(80 - (double)3.2f));
  strata_dim_t least = derive(f, STRATA_SYMBOL_MIN, single, number(f, bits_of(90)));
  CHECK(strata_dim_equal(least, single)); // bits are in the order of the numbers
  int64_t values[64] = {7}, out;          // of symbols
  for (size_t i = 2; i < f->symbols.list.count; i++)
    CHECK(strata_symbol_derive(&f->symbols.list.data[i], values, &values[i]));
  CHECK(strata_expr_evaluate(whole, values, &out) && out == 34); // of 34.28...
  strata_dim_t eight = real(f, STRATA_REAL_OF, number(f, 8), zero), three = number(f, bits_of(3));
  CHECK(strata_dim_is(real(f, STRATA_REAL_CEIL, real(f, STRATA_REAL_DIV, eight, three), zero), 3));
}

// A side by what makes the longer one 640, or the shorter one 320, is 640 at most, but not in another image.
static void test_bounded_products(fixture_t *f) {
  strata_dim_t zero = number(f, 0), c = add_symbol(f, "c", 1, INT32_MAX, 1), d = add_symbol(f, "d", 1, INT32_MAX, 1);
  strata_dim_t other = add_symbol(f, "e", 1, INT32_MAX, 1), factors[2];
  for (int i = 0; i < 2; i++) {
    strata_dim_t side = derive(f, i ? STRATA_SYMBOL_MAX : STRATA_SYMBOL_MIN, c, d);
    side = real(f, STRATA_REAL_SINGLE, real(f, STRATA_REAL_OF, side, zero), zero);
    strata_dim_t inverse = real(f, STRATA_REAL_SINGLE, real(f, STRATA_REAL_DIV, number(f, bits_of(1)), side), zero);
    factors[i] = real(f, STRATA_REAL_SINGLE, real(f, STRATA_REAL_MUL, inverse, number(f, bits_of(320 << i))), zero);
  }
  strata_dim_t factor = derive(f, STRATA_SYMBOL_MIN, factors[0], factors[1]), sides[] = {c, d, other};
  for (int i = 0; i < 3; i++) {
    strata_dim_t side = real(f, STRATA_REAL_SINGLE, real(f, STRATA_REAL_OF, sides[i], zero), zero);
    strata_dim_t size = real(f, STRATA_REAL_SINGLE, real(f, STRATA_REAL_MUL, side, factor), zero);
    size = real(f, STRATA_REAL_FLOOR, size, zero);
    CHECK(i < 2 ? strata_dim_range(size, &f->symbols).max == 640 : strata_dim_range(size, &f->symbols).max > INT32_MAX);
    CHECK(strata_dim_range(size, &f->symbols).min == 0);
  }
}

static void test_equations(fixture_t *f) {
  bool may_go[] = {true, true, true};
  strata_dim_t out, sum = strata_dim_plus(strata_dim_add(f->a, f->b), 1);
  CHECK(strata_dim_solve(f->b, f->a, 2, may_go, &out) == 1 && strata_dim_equal(out, f->a));
  CHECK(strata_dim_solve(sum, number(f, 9), 2, may_go, &out) == 1 && reads(f, out, "-a + 8"));
  CHECK(strata_dim_solve(strata_dim_times(f->b, 2), f->a, 2, may_go, &out) == 0 && reads(f, out, "2 * b"));
  CHECK(strata_dim_solve(strata_dim_mul(f->a, f->b), number(f, 9), 2, may_go, &out) < 0);
}

int main(void) {
  static const strata_compile_options_t options = {.jobs = 1};
  fixture_t f = {.symbols = {{0}}};
  CHECK(!strata_compile_init(&f.compile, &options));
  f.a = add_symbol(&f, "a", 4, 100, 4);
  f.b = add_symbol(&f, "b", 0, 7, 1);
  test_normal_form(&f);
  test_division(&f);
  test_ranges(&f);
  test_derived(&f);
  test_equations(&f);
  test_reals(&f);
  test_bounded_products(&f);
  strata_compile_deinit(&f.compile);
  return check_result();
}
