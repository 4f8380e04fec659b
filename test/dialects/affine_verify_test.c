// What level 2 may not be is found: each module breaks the contract in one way.
#include "dialects/affine/verify.h"
#include "test/support/check.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const char *what;  // part of the message; NULL: the module is fine
  const char *nest;  // the loop header
  const char *body;  // inside
  const char *attrs; // of the nest
} broken_t;

static const broken_t cases[] = {
    {NULL, "(%i) = (0) to (8)", "affine.store %z, %x[%i] : memref<8xf32>", "strata.nest = \"fill\""},
    {NULL, "(%i) = (0) to (1)", "memref.store %z, %x[%c] : memref<8xf32>", "strata.nest = \"scatter\", strata.serial"},
    {"a nest has a name", "(%i) = (0) to (8)", "affine.store %z, %x[%i] : memref<8xf32>", ""},
    {"runs from 0 by 1", "(%i) = (1) to (8)", "affine.store %z, %x[%i] : memref<8xf32>", "strata.nest = \"fill\""},
    {"runs from 0 by 1", "(%i) = (0) to (8) step (2)", "affine.store %z, %x[%i] : memref<8xf32>",
     "strata.nest = \"fill\""},
    {"may fall outside its buffer", "(%i) = (0) to (8)", "affine.store %z, %x[%i + 1] : memref<8xf32>",
     "strata.nest = \"fill\""},
    {NULL, "(%i) = (0) to (symbol(%n))", "affine.store %z, %y[%i] : !y", "strata.nest = \"fill\""},
    {NULL, "(%i) = (0) to (symbol(%n) * 3)", "affine.store %z, %w[%i floordiv 3, %i mod 3] : !w",
     "strata.nest = \"fill\""},
    {NULL, "(%i) = (0) to (symbol(%n) * 3)", "affine.store %z, %w[%i mod symbol(%n), %i floordiv symbol(%n)] : !w",
     "strata.nest = \"fill\""}, // seen at some sizes only
    {"may fall outside its buffer", "(%i) = (0) to (symbol(%n))", "affine.store %z, %y[%i + 1] : !y",
     "strata.nest = \"fill\""},
    {"may fall outside its buffer", "(%i) = (0) to (symbol(%n) + 1)", "affine.store %z, %y[%i] : !y",
     "strata.nest = \"fill\""},
    {"may fall outside its buffer", "(%i) = (0) to (symbol(%n) * 3)",
     "affine.store %z, %w[%i floordiv symbol(%n), %i mod symbol(%n)] : !w", "strata.nest = \"fill\""},
    {"may fall outside its buffer", "(%i) = (0) to (3)", "affine.store %z, %y[%i] : !y", "strata.nest = \"fill\""},
    {"a store is an injective map", "(%i) = (0) to (8)", "affine.store %z, %x[0] : memref<8xf32>",
     "strata.nest = \"fill\""},
    {"not allowed in a nest", "(%i) = (0) to (8)", "memref.store %z, %x[%i] : memref<8xf32>", "strata.nest = \"fill\""},
    {"not allowed in a serial nest", "(%i) = (0) to (8)", "%t = memref.alloc() : memref<1xf32>",
     "strata.nest = \"fill\", strata.serial"},
    {"perfectly nested", "(%i) = (0) to (8)",
     "affine.for %j = 0 to 2 { affine.for %k = 0 to 2 { } affine.for %l = 0 to 2 { } }", "strata.nest = \"fill\""},
};

static void check_case(const broken_t *broken) {
  char text[2048];
  const strata_compile_options_t options = {.jobs = 1};
  strata_compile_t compile;
  snprintf(text, sizeof text,
           "!y = memref<?xf32, {sizes = affine_map<()[s0] -> (s0)>}>\n"
           "!w = memref<?x3xf32, {sizes = affine_map<()[s0] -> (s0, 3)>}>\n"
           "func.func @main(%%x: memref<8xf32>, %%y: !y, %%w: !w) attributes {strata.symbols = [\n"
           "{name = \"n\", min = 2, max = 2147483647, multiple = 1, likely = [8]}]} {\n"
           "%%n = \"strata.size\"() {symbol = 0 : i64} : () -> index\n"
           "%%z = arith.constant 0.0 : f32\n%%c = arith.constant 0 : index\n"
           "affine.parallel %s { %s } {%s}\nreturn }",
           broken->nest, broken->body, broken->attrs);
  CHECK(!strata_compile_init(&compile, &options));
  mlirModuleDestroy(compile.module);
  compile.module = mlirModuleCreateParse(compile.context, mlirStringRefCreateFromCString(text));
  CHECK(!mlirModuleIsNull(compile.module));
  strata_status_t status = strata_affine_verify(&compile);
  if (broken->what)
    CHECK(status && strstr(strata_status_message(status), broken->what));
  else
    CHECK(!status);
  strata_status_free(status);
  strata_compile_deinit(&compile);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_case(&cases[i]);
  return check_result();
}
