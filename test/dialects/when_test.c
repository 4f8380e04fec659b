// Conditions on sizes: what holds where, what is known of symbols and expressions there, and how they are read. What is
// known must be true at every point at which the condition holds, and some of it is said here.
#include "dialects/affine/variants.h"
#include "dialects/compile.h"
#include "dialects/mlir_util.h"

#include <mlir-c/IR.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void check(bool holds, const char *what) {
  if (!holds) {
    printf("FAIL %s\n", what);
    failures++;
  }
}

// @main's symbols, and a function with |when|.
static MlirModule parse(MlirContext context, const char *when) {
  char text[1024];
  snprintf(text, sizeof text,
           "func.func @main() attributes {strata.symbols = ["
           "{name = \"batch\", min = 1, max = 64, multiple = 1, likely = [1, 8]},"
           "{name = \"seq\", min = 16, max = 4096, multiple = 16, likely = [128]},"
           "{name = \"past\", min = 0, max = 1000000, multiple = 1}]} { return }\n"
           "func.func private @k() attributes {strata.when = affine_set<()[s0, s1, s2] : (%s)>} { return }",
           when);
  return mlirModuleCreateParse(context, strata_str(text));
}

typedef struct {
  MlirModule module;
  MlirIntegerSet when;
  strata_symbols_t table;
  strata_size_symbols_t symbols;
} known_t;

static known_t read(strata_arena_t *arena, MlirContext context, const char *when) {
  known_t known = {.module = parse(context, when)};
  if (mlirModuleIsNull(known.module))
    abort();
  MlirOperation func = strata_find_func(known.module, "k");
  known.when = strata_when_around(func);
  if (strata_symbols_read(arena, known.module, &known.table))
    abort();
  known.symbols = strata_symbols_of(arena, func);
  return known;
}

static void check_symbol(const known_t *known, int symbol, int64_t min, int64_t max, int64_t divisor,
                         const char *what) {
  strata_size_t size = known->symbols.sizes[symbol];
  check(size.min == min && size.max == max && (min == max || size.divisor == divisor), what);
}

static MlirAffineExpr product(MlirContext context) {
  return mlirAffineMulExprGet(mlirAffineSymbolExprGet(context, 0), mlirAffineSymbolExprGet(context, 1));
}

static bool is_within(strata_size_t size, int64_t value) {
  return value >= size.min && value <= size.max && (size.divisor == 0 || value % size.divisor == 0);
}

// Everything that is said is true wherever the condition holds, and the likely sizes are such a point.
static void check_truth(MlirContext context, const known_t *known, const char *when) {
  int64_t values[3], n_points = 0;
  for (values[0] = 1; values[0] <= 64; values[0]++)
    for (values[1] = 16; values[1] <= 4096; values[1] += 16)
      for (values[2] = 0; values[2] < 40; values[2] += 3) {
        if (!strata_when_holds(known->when, values))
          continue;
        n_points++;
        bool is_true = is_within(strata_size_of_expr(&known->symbols, product(context)), values[0] * values[1]);
        for (int i = 0; i < 3; i++)
          is_true &= is_within(known->symbols.sizes[i], values[i]);
        if (!is_true) {
          check(false, when);
          return;
        }
      }
  check(n_points > 0 && strata_when_holds(known->when, known->symbols.likely), when);
}

static void test_all(MlirContext context) {
  static const char *const conditions[] = {
      "s0 - 1 == 0",
      "-s0 + 4 >= 0",
      "s0 - 9 >= 0, -s0 + 20 >= 0",
      "s1 mod 48 == 0",
      "s0 mod 8 == 0, -s1 + 100 >= 0",
      "-(s0 * s1) + 512 >= 0",
      "s0 * s1 - 100000 >= 0",
      "s0 * s1 - 20000 >= 0, -(s0 * s1) + 30000 >= 0, s0 mod 4 == 0",
      "s2 + s0 - 100 >= 0, s0 - s2 >= 0",
      "(s0 * s1) mod 128 == 0",
      "s1 floordiv 32 - 7 == 0",
      "s1 - s2 * 16 - 8 >= 0",
  };
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
    strata_arena_t *arena = strata_arena_create();
    known_t known = read(arena, context, conditions[i]);
    check_truth(context, &known, conditions[i]);
    mlirModuleDestroy(known.module);
    strata_arena_destroy(arena);
  }
}

static void test_symbols(MlirContext context, strata_arena_t *arena) {
  known_t known = read(arena, context, "-s0 + 4 >= 0");
  check_symbol(&known, 0, 1, 4, 1, "an upper limit");
  check_symbol(&known, 1, 16, 4096, 16, "another symbol stays");
  check(known.symbols.likely[0] == 1 && known.symbols.likely[1] == 128, "likely sizes that hold");
  known = read(arena, context, "s0 - 5 >= 0, -s0 + 7 >= 0");
  check_symbol(&known, 0, 5, 7, 1, "both limits");
  check(known.symbols.likely[0] >= 5 && known.symbols.likely[0] <= 7, "a likely size where none of the given holds");
  known = read(arena, context, "s0 - 3 == 0");
  check_symbol(&known, 0, 3, 3, 3, "a number");
  int64_t n;
  MlirAffineExpr s0 = mlirAffineSymbolExprGet(context, 0);
  check(strata_size_is_constant(strata_size_of_expr(&known.symbols, s0), &n) && n == 3, "a size that is a number");
  known = read(arena, context, "s1 mod 48 == 0");
  check_symbol(&known, 1, 48, 4080, 48, "a divisor, and limits that are multiples of it");
  known = read(arena, context, "s0 mod 8 == 0");
  check_symbol(&known, 0, 8, 64, 8, "the least multiple");
  known = read(arena, context, "-(s0 * s1) + 512 >= 0");
  check_symbol(&known, 0, 1, 32, 1, "a factor of a product that is bounded");
  check_symbol(&known, 1, 16, 512, 16, "the other factor");
  strata_size_t rows = strata_size_of_expr(&known.symbols, product(context));
  check(rows.max == 512 && rows.divisor == 16, "the product itself");
  known = read(arena, context, "(s0 * s1) mod 128 == 0");
  rows = strata_size_of_expr(&known.symbols, product(context));
  check(rows.divisor == 128 && known.symbols.sizes[0].divisor == 1, "a divisor of a product");
}

static void test_text(MlirContext context, strata_arena_t *arena) {
  static const char *const cases[][2] = {
      {"-s0 + 4 >= 0", "batch <= 4"},
      {"s0 - 5 >= 0, -s0 + 8 >= 0", "batch >= 5, batch <= 8"},
      {"-(s0 * s1) + 512 >= 0, s1 mod 32 == 0", "batch * seq <= 512, seq mod 32 == 0"},
      {"s2 - 1 == 0", "past == 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    known_t known = read(arena, context, cases[i][0]);
    const char *text = strata_when_text(arena, &known.table, known.when);
    if (strcmp(text, cases[i][1]) != 0)
      printf("%s: ", text);
    check(strcmp(text, cases[i][1]) == 0, cases[i][1]);
  }
}

// What is made of ranges is read again as the same.
static void test_ranges(MlirContext context, strata_arena_t *arena) {
  known_t known = read(arena, context, "s0 - 1 == 0");
  MlirAffineExpr s0 = mlirAffineSymbolExprGet(context, 0);
  const strata_size_range_t few[] = {{product(context), 3, 17, 1}, {s0, 0, INT64_MAX, 4}};
  const strata_size_range_t one = {s0, 2, 2, 1}, any = {s0, 0, INT64_MAX, 1};
  MlirIntegerSet set = strata_when_of_ranges(context, 2, few);
  check(strcmp(strata_when_text(arena, &known.table, set), "batch * seq >= 3, batch * seq <= 17, batch mod 4 == 0") ==
            0,
        "ranges");
  check(strata_when_holds(set, (int64_t[]){4, 4, 0}) && !strata_when_holds(set, (int64_t[]){4, 5, 0}) &&
            !strata_when_holds(set, (int64_t[]){3, 4, 0}) && !strata_when_holds(set, (int64_t[]){4, 0, 0}),
        "points of ranges");
  set = strata_when_of_ranges(context, 1, &one);
  check(mlirIntegerSetGetNumConstraints(set) == 1 && mlirIntegerSetIsConstraintEq(set, 0), "one number");
  check(mlirIntegerSetIsNull(strata_when_of_ranges(context, 1, &any)), "anything");
}

//===-- Lists of variants ----------------------------------------------------------------------------------------===//

typedef struct {
  const char *what; // part of the message; NULL: the module is fine
  const char *body, *kernel, *variant;
} form_t;

static const form_t forms[] = {
    {NULL, "call @k() : () -> ()", "@k() attributes {strata.variants = [@v]}",
     "@v() attributes {strata.when = affine_set<()[s0] : (s0 - 3 >= 0)>}"},
    {"a list of functions, one at least and not too many", "", "@k() attributes {strata.variants = [@w]}", "@v()"},
    {"a list of functions, one at least and not too many", "", "@k() attributes {strata.variants = []}", "@v()"},
    {"a list of functions, one at least and not too many", "",
     "@k() attributes {strata.variants = [@v, @v, @v, @v, @v, @v, @v, @v, @v, @v, @v, @v, @v, @v]}", "@v()"},
    {"a condition over the module's symbols", "", "@k() attributes {strata.variants = [@v]}", "@v()"},
    {"a condition over the module's symbols", "", "@k() attributes {strata.variants = [@v]}",
     "@v() attributes {strata.when = affine_set<()[s0, s1] : (s1 - 3 >= 0)>}"},
    {NULL, "", "@k() attributes {strata.variants = [@v]}",
     "@v() attributes {strata.when = affine_set<()[s0] : (s0 - 3 >= 0)>, strata.unless = [affine_set<()[s0] : (s0 - 5 "
     "== "
     "0)>]}"},
    {"exceptions of a variant", "", "@k() attributes {strata.variants = [@v]}",
     "@v() attributes {strata.when = affine_set<()[s0] : (s0 - 3 >= 0)>, strata.unless = [7]}"},
    {"has its kernel's type", "", "@k() attributes {strata.variants = [@v]}",
     "@v(memref<4xf32>) attributes {strata.when = affine_set<()[s0] : (s0 - 3 >= 0)>}"},
    {"what is called takes all sizes", "call @v() : () -> ()", "@k() attributes {strata.variants = [@v]}",
     "@v() attributes {strata.when = affine_set<()[s0] : (s0 - 3 >= 0)>}"},
    {"a variant is one kernel's", "",
     "@k() attributes {strata.variants = [@v]}\nfunc.func private @l() attributes {strata.variants = [@v]}",
     "@v() attributes {strata.when = affine_set<()[s0] : (s0 - 3 >= 0)>}"},
};

static void test_forms(MlirContext context) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char text[1024];
    snprintf(text, sizeof text, "func.func @main() { %s return }\nfunc.func private %s\nfunc.func private %s",
             forms[i].body, forms[i].kernel, forms[i].variant);
    MlirModule module = mlirModuleCreateParse(context, strata_str(text));
    strata_status_t status = strata_variants_verify(module, 1);
    bool is_right = forms[i].what ? status && strstr(strata_status_message(status), forms[i].what) : !status;
    check(is_right, forms[i].what ? forms[i].what : "a list that is right");
    strata_status_free(status);
    mlirModuleDestroy(module);
  }
}

int main(void) {
  const strata_compile_options_t options = {.jobs = 1};
  strata_compile_t compile;
  if (strata_compile_init(&compile, &options))
    abort();
  test_all(compile.context);
  test_symbols(compile.context, compile.arena);
  test_text(compile.context, compile.arena);
  test_ranges(compile.context, compile.arena);
  test_forms(compile.context);
  strata_compile_deinit(&compile);
  if (failures == 0)
    printf("ok\n");
  return failures != 0;
}
