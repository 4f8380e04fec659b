// The strata dialect from C: builders with their inference and folding, conversions of every bit pattern, the
// verifier's messages, the expansion of every composite. Folding computes what is checked here, so ops are tested on
// constants.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"
#include "dialects/strata/strata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int failures;

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("FAIL %s:%d: %s: ", __func__, __LINE__, #condition);                                                      \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

// A compile with a builder that appends to its module.
typedef struct {
  strata_compile_t compile;
  strata_builder_t b;
} fixture_t;

static const strata_compile_options_t options = {.jobs = 1};

static void set_up(fixture_t *f) {
  strata_status_t status = strata_compile_init(&f->compile, &options);
  CHECK(!status, "%s", strata_status_message(status));
  MlirLocation unknown = mlirLocationUnknownGet(f->compile.context);
  f->b = (strata_builder_t){.compile = &f->compile,
                            .block = mlirModuleGetBody(f->compile.module),
                            .location = mlirLocationNameGet(f->compile.context, strata_str("node"), unknown)};
}

static void tear_down(fixture_t *f) {
  CHECK(!f->b.status, "%s", strata_status_message(f->b.status));
  strata_status_free(f->b.status);
  strata_compile_deinit(&f->compile);
}

static bool is_float(strata_type_t type) { return strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT; }

// A constant of a shape, from doubles, or from 64-bit integers.
static MlirValue tensor(fixture_t *f, strata_type_t type, int rank, const int64_t *sizes, const double *values) {
  strata_shape_t shape = strata_shape_static(f->compile.context, STRATA_TYPE_F64, rank, sizes);
  MlirValue value = strata_build_constant(&f->b, &shape, "test", values);
  return strata_build_convert(&f->b, STRATA_OP_CONVERT, value, type);
}
static MlirValue vector(fixture_t *f, strata_type_t type, int64_t n, const double *values) {
  return tensor(f, type, 1, &n, values);
}
static MlirValue integers(fixture_t *f, strata_type_t type, int64_t n, const int64_t *values) {
  return strata_build_convert(&f->b, STRATA_OP_CONVERT, strata_build_i64s(&f->b, (int)n, values), type);
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

static void expect(fixture_t *f, const char *what, MlirValue value, int64_t n, const double *expected) {
  double *values;
  int64_t count;
  CHECK(!f->b.status, "%s: %s", what, strata_status_message(f->b.status));
  bool is_constant = !mlirValueIsNull(value) && strata_constant_f64s(&f->compile, value, &values, &count);
  CHECK(is_constant, "%s is not folded", what);
  if (!is_constant)
    return;
  CHECK(count == n, "%s: %lld elements, expected %lld", what, (long long)count, (long long)n);
  for (int64_t i = 0; i < n && i < count; i++)
    CHECK(same(values[i], expected[i]), "%s: element %lld is %.17g, expected %.17g", what, (long long)i, values[i],
          expected[i]);
}

// The builder must have failed with a message that has |text| in it; it is made usable again.
static void expect_error(fixture_t *f, const char *text) {
  const char *message = strata_status_message(f->b.status);
  CHECK(strstr(message, text), "expected an error with '%s', got '%s'", text, message);
  strata_status_free(f->b.status);
  f->b.status = NULL;
}

//===-- Tables ---------------------------------------------------------------------------------------------------===//

static void test_tables(fixture_t *f) {
  for (int i = 0; i < STRATA_OP_COUNT; i++) {
    CHECK(strata_op_from_mnemonic(strata_op_info[i].mnemonic) == (strata_op_id_t)i, "%s", strata_op_info[i].name);
    CHECK(mlirContextIsRegisteredOperation(f->compile.context, strata_str(strata_op_info[i].name)), "%s",
          strata_op_info[i].name);
  }
  for (int i = 0; i < STRATA_COMPOSITE_COUNT; i++)
    CHECK(mlirContextIsRegisteredOperation(f->compile.context, strata_str(strata_composite_info[i].name)), "%s",
          strata_composite_info[i].name);
  for (int i = 0; i < STRATA_TYPE_COUNT; i++) {
    MlirType type = strata_type_to_mlir(f->compile.context, (strata_type_t)i);
    CHECK(strata_type_from_mlir(type) == (strata_type_t)i, "%s", strata_type_info[i].mlir_name);
    CHECK(mlirTypeEqual(type, mlirTypeParseGet(f->compile.context, strata_str(strata_type_info[i].mlir_name))), "%s",
          strata_type_info[i].mlir_name);
  }
  for (int i = 0; i < STRATA_COMBINER_COUNT; i++)
    CHECK(strata_op_from_mnemonic(strata_combiner_info[i].name) != STRATA_OP_COUNT, "%s", strata_combiner_info[i].name);
  CHECK(strata_op_from_mnemonic("relu") == STRATA_OP_COUNT, "a composite is no primitive");
  CHECK(strata_type_storage_size(STRATA_TYPE_I4, 3) == 2 && strata_type_storage_size(STRATA_TYPE_I1, 3) == 3 &&
            strata_type_storage_size(STRATA_TYPE_F64, INT64_MAX / 8) == -1,
        "storage sizes");
}

static void test_constant_table(fixture_t *f) {
  static const char bytes[] = "x";
  char name[16];
  for (int i = 0; i < 1000; i++) {
    snprintf(name, sizeof name, "w%d", i % 500);
    const char *used = strata_compile_add_constant(&f->compile, name, bytes + i % 2, 1);
    const strata_constant_data_t *found = strata_compile_find_constant(&f->compile, used);
    CHECK(found && found->data == bytes + i % 2 && (i < 500) == !strcmp(used, name), "%s as %s", name, used);
  }
  CHECK(!strata_compile_find_constant(&f->compile, "nothing"), "found");
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

// A float format by its definition: an independent reading of bits, the exact value of each.
static double value_of(strata_type_t type, unsigned bits) {
  bool is_fnuz = type == STRATA_TYPE_E4M3FNUZ || type == STRATA_TYPE_E5M2FNUZ;
  bool is_e4 = type == STRATA_TYPE_E4M3 || type == STRATA_TYPE_E4M3FNUZ;
  int exponent_bits = type == STRATA_TYPE_BF16 ? 8 : is_e4 ? 4 : 5;
  int width = strata_type_info[type].bits, mantissa_bits = width - 1 - exponent_bits;
  int bias = (1 << (exponent_bits - 1)) - !is_fnuz;
  int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  unsigned fraction = bits & ((1u << mantissa_bits) - 1);
  double sign = bits >> (width - 1) & 1 ? -1 : 1;
  bool top = exponent == (1 << exponent_bits) - 1;
  if (is_fnuz ? bits == 0x80 : is_e4 ? top && fraction == 7 : top && fraction)
    return NAN;
  if (!is_e4 && !is_fnuz && top)
    return sign * INFINITY;
  double units = exponent ? fraction + (double)(1u << mantissa_bits) : fraction;
  return sign * units * pow(2, (exponent ? exponent : 1) - bias - mantissa_bits);
}

enum { CHUNK = 4096 };

// All bit patterns read as their value; every value, and every point halfway to the next, is rounded to the even one.
static void test_float_format(fixture_t *f, strata_type_t type) {
  int n_patterns = 1 << strata_type_info[type].bits, half = n_patterns / 2;
  int64_t count = n_patterns < CHUNK ? n_patterns : CHUNK;
  strata_shape_t shape = strata_shape_static(f->compile.context, type, 1, &count);
  strata_shape_t wide = strata_shape_static(f->compile.context, STRATA_TYPE_F64, 1, &count);
  for (int first = 0; first < n_patterns; first += (int)count) {
    uint16_t bits[CHUNK];
    double values[CHUNK], middles[CHUNK], rounded[CHUNK];
    for (int i = 0; i < count; i++) {
      unsigned pattern = (unsigned)(first + i);
      if (strata_type_info[type].bits == 16)
        bits[i] = (uint16_t)pattern;
      else
        ((uint8_t *)bits)[i] = (uint8_t)pattern;
      values[i] = value_of(type, pattern);
      double next = (int)pattern % half == half - 1 ? NAN : value_of(type, pattern + 1);
      bool has_middle = isfinite(values[i]) && isfinite(next);
      middles[i] = has_middle ? (values[i] + next) / 2 : values[i];
      rounded[i] = has_middle && pattern % 2 ? next : values[i];
    }
    MlirValue narrow = strata_build_constant(&f->b, &shape, "bits", bits);
    expect(f, "load", strata_build_convert(&f->b, STRATA_OP_CONVERT, narrow, STRATA_TYPE_F64), count, values);
    MlirValue middle = strata_build_constant(&f->b, &wide, "middles", middles);
    middle = strata_build_convert(&f->b, STRATA_OP_CONVERT, middle, type);
    expect(f, "round", strata_build_convert(&f->b, STRATA_OP_CONVERT, middle, STRATA_TYPE_F64), count, rounded);
  }
}

static void test_float_formats(fixture_t *f) {
  test_float_format(f, STRATA_TYPE_F16);
  test_float_format(f, STRATA_TYPE_BF16);
  test_float_format(f, STRATA_TYPE_E4M3);
  test_float_format(f, STRATA_TYPE_E5M2);
  test_float_format(f, STRATA_TYPE_E4M3FNUZ);
  test_float_format(f, STRATA_TYPE_E5M2FNUZ);
  expect(f, "overflow f16", vector(f, STRATA_TYPE_F16, 3, (double[]){65519.99, 65520, -1e300}), 3,
         (double[]){65504, INFINITY, -INFINITY});
  expect(f, "overflow e4m3", vector(f, STRATA_TYPE_E4M3, 3, (double[]){464, 465, INFINITY}), 3,
         (double[]){448, NAN, NAN});
  expect(f, "overflow e5m2", vector(f, STRATA_TYPE_E5M2, 2, (double[]){61439, 61440}), 2, (double[]){57344, INFINITY});
  expect(f, "overflow e4m3fnuz", vector(f, STRATA_TYPE_E4M3FNUZ, 4, (double[]){247, 248, -INFINITY, -0.0}), 4,
         (double[]){240, NAN, NAN, 0});
  expect(f, "overflow e5m2fnuz", vector(f, STRATA_TYPE_E5M2FNUZ, 2, (double[]){61439, 61440}), 2,
         (double[]){57344, NAN});
  // f32 rounds once more on the way to a small type: its halfway point is lost.
  MlirValue x = vector(f, STRATA_TYPE_F32, 1, (double[]){16777217});
  expect(f, "f32", x, 1, (double[]){16777216});
}

static void test_integer_conversions(fixture_t *f) {
  static const double floats[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 127.9, -128.9, 255.9, -0.9, 300};
  MlirValue x = vector(f, STRATA_TYPE_F64, 10, floats);
  expect(f, "to i8", strata_build_convert(&f->b, STRATA_OP_CONVERT, x, STRATA_TYPE_I8), 10,
         (double[]){0, 127, -128, 127, -128, 127, -128, 127, 0, 127});
  MlirValue u = strata_build_convert(&f->b, STRATA_OP_CONVERT_TO_U, x, STRATA_TYPE_I8);
  expect(f, "to u8", strata_build_convert(&f->b, STRATA_OP_CONVERT_U, u, STRATA_TYPE_I32), 10,
         (double[]){0, 255, 0, 255, 0, 127, 0, 255, 0, 255});
  expect(f, "to i1", strata_build_convert(&f->b, STRATA_OP_CONVERT, x, STRATA_TYPE_I1), 10,
         (double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  expect(f, "i8 wraps", integers(f, STRATA_TYPE_I8, 3, (int64_t[]){128, 256, -129}), 3, (double[]){-128, 0, 127});
  expect(f, "i4 wraps", integers(f, STRATA_TYPE_I4, 5, (int64_t[]){7, 8, -8, -9, 15}), 5, (double[]){7, -8, -8, 7, -1});
  MlirValue big = integers(f, STRATA_TYPE_I64, 3, (int64_t[]){INT64_MAX, -1, (1ll << 53) + 1});
  expect(f, "i64 to f32", strata_build_convert(&f->b, STRATA_OP_CONVERT, big, STRATA_TYPE_F32), 3,
         (double[]){9223372036854775808.0, -1, 9007199254740992.0});
  expect(f, "u64 to f64", strata_build_convert(&f->b, STRATA_OP_CONVERT_U, big, STRATA_TYPE_F64), 3,
         (double[]){9223372036854775808.0, 18446744073709551616.0, 9007199254740992.0});
  MlirValue top = vector(f, STRATA_TYPE_F64, 3, (double[]){1e30, 9223372036854775808.0, -1e30});
  int64_t *values, count;
  MlirValue i64 = strata_build_convert(&f->b, STRATA_OP_CONVERT, top, STRATA_TYPE_I64);
  CHECK(strata_constant_i64s(&f->compile, i64, &values, &count) && values[0] == INT64_MAX && values[1] == INT64_MAX &&
            values[2] == INT64_MIN,
        "i64 saturates");
  MlirValue bits =
      strata_build_convert(&f->b, STRATA_OP_BITCAST, vector(f, STRATA_TYPE_F32, 1, (double[]){1}), STRATA_TYPE_I32);
  expect(f, "bitcast", bits, 1, (double[]){0x3f800000});
}

//===-- Elementwise ----------------------------------------------------------------------------------------------===//

static const struct {
  strata_op_id_t op;
  strata_type_t type;
  double x, y, expected; // y: of binary ops
} scalar_cases[] = {
    {STRATA_OP_NEG, STRATA_TYPE_F32, 0, 0, -0.0},
    {STRATA_OP_NEG, STRATA_TYPE_I8, -128, 0, -128},
    {STRATA_OP_ABS, STRATA_TYPE_I32, INT32_MIN, 0, INT32_MIN},
    {STRATA_OP_ABS, STRATA_TYPE_F16, -3, 0, 3},
    {STRATA_OP_ROUND_EVEN, STRATA_TYPE_F32, 2.5, 0, 2},
    {STRATA_OP_ROUND_EVEN, STRATA_TYPE_F32, -3.5, 0, -4},
    {STRATA_OP_TRUNC, STRATA_TYPE_F64, -3.5, 0, -3},
    {STRATA_OP_SQRT, STRATA_TYPE_F32, 2, 0, 1.41421353816986083984375},
    {STRATA_OP_EXP, STRATA_TYPE_F32, 89, 0, INFINITY},
    {STRATA_OP_LOG, STRATA_TYPE_F32, -1, 0, NAN},
    {STRATA_OP_ERF, STRATA_TYPE_F64, 100, 0, 1},
    {STRATA_OP_IS_NAN, STRATA_TYPE_BF16, NAN, 0, 1},
    {STRATA_OP_IS_INF, STRATA_TYPE_F16, -INFINITY, 0, 1},
    {STRATA_OP_NOT, STRATA_TYPE_I1, 1, 0, 0},
    {STRATA_OP_NOT, STRATA_TYPE_I16, 0, 0, -1},
    {STRATA_OP_ADD, STRATA_TYPE_I8, 127, 1, -128},
    {STRATA_OP_ADD, STRATA_TYPE_F32, 16777216, 1, 16777216},
    {STRATA_OP_ADD, STRATA_TYPE_F16, 2048, 1, 2048},
    {STRATA_OP_ADD, STRATA_TYPE_BF16, 256, 1, 256},
    {STRATA_OP_SUB, STRATA_TYPE_I32, INT32_MIN, 1, INT32_MAX},
    {STRATA_OP_MUL, STRATA_TYPE_I16, 256, 256, 0},
    {STRATA_OP_DIV, STRATA_TYPE_F32, 1, 3, 0.3333333432674407958984375},
    {STRATA_OP_DIV, STRATA_TYPE_I32, -7, 2, -3},
    {STRATA_OP_DIV, STRATA_TYPE_I32, 7, 0, 0},
    {STRATA_OP_DIV, STRATA_TYPE_I8, -128, -1, -128},
    {STRATA_OP_DIV_U, STRATA_TYPE_I8, -1, 2, 127},
    {STRATA_OP_DIV_U, STRATA_TYPE_I8, -1, 0, 0},
    {STRATA_OP_REM, STRATA_TYPE_I32, -7, 2, -1},
    {STRATA_OP_REM, STRATA_TYPE_I32, INT32_MIN, -1, 0},
    {STRATA_OP_REM, STRATA_TYPE_I32, 5, 0, 0},
    {STRATA_OP_REM, STRATA_TYPE_F32, -7.5, 2, -1.5},
    {STRATA_OP_REM_U, STRATA_TYPE_I8, -1, 16, 15},
    {STRATA_OP_POW, STRATA_TYPE_I32, 3, 4, 81},
    {STRATA_OP_POW, STRATA_TYPE_I32, -1, -3, -1},
    {STRATA_OP_POW, STRATA_TYPE_I32, 2, -1, 0},
    {STRATA_OP_POW, STRATA_TYPE_I8, 2, 8, 0},
    {STRATA_OP_MIN, STRATA_TYPE_F32, 1, NAN, NAN},
    {STRATA_OP_MIN, STRATA_TYPE_F32, 0, -0.0, -0.0},
    {STRATA_OP_MAX, STRATA_TYPE_F32, -0.0, 0, 0},
    {STRATA_OP_MAX, STRATA_TYPE_F32, NAN, 1, NAN},
    {STRATA_OP_MAX, STRATA_TYPE_I8, -1, 1, 1},
    {STRATA_OP_MAX_U, STRATA_TYPE_I8, -1, 1, -1},
    {STRATA_OP_MIN_U, STRATA_TYPE_I64, -1, 1, 1},
    {STRATA_OP_AND, STRATA_TYPE_I1, 1, 0, 0},
    {STRATA_OP_XOR, STRATA_TYPE_I8, 5, -1, -6},
    {STRATA_OP_SHL, STRATA_TYPE_I8, 1, 7, -128},
    {STRATA_OP_SHL, STRATA_TYPE_I8, 1, 8, 0},
    {STRATA_OP_SHR, STRATA_TYPE_I8, -128, 7, -1},
    {STRATA_OP_SHR, STRATA_TYPE_I8, -128, 100, -1},
    {STRATA_OP_SHR, STRATA_TYPE_I64, 1, -1, 0},
    {STRATA_OP_SHR_U, STRATA_TYPE_I8, -128, 7, 1},
    {STRATA_OP_SHR_U, STRATA_TYPE_I64, -1, 64, 0},
    {STRATA_OP_EQ, STRATA_TYPE_F32, NAN, NAN, 0},
    {STRATA_OP_NE, STRATA_TYPE_F32, NAN, NAN, 1},
    {STRATA_OP_NE, STRATA_TYPE_I1, 1, 0, 1},
    {STRATA_OP_LT, STRATA_TYPE_I8, -1, 1, 1},
    {STRATA_OP_LT_U, STRATA_TYPE_I8, -1, 1, 0},
    {STRATA_OP_GE_U, STRATA_TYPE_I64, -1, 1, 1},
};

static void test_elementwise(fixture_t *f) {
  for (size_t i = 0; i < sizeof scalar_cases / sizeof *scalar_cases; i++) {
    strata_op_id_t op = scalar_cases[i].op;
    MlirValue x = vector(f, scalar_cases[i].type, 1, &scalar_cases[i].x);
    MlirValue y = vector(f, scalar_cases[i].type, 1, &scalar_cases[i].y);
    MlirValue result =
        strata_op_info[op].n_operands == 1 ? strata_build_unary(&f->b, op, x) : strata_build_binary(&f->b, op, x, y);
    expect(f, strata_op_info[op].name, result, 1, &scalar_cases[i].expected);
  }
  MlirValue condition = vector(f, STRATA_TYPE_I1, 3, (double[]){1, 0, 1});
  MlirValue x = vector(f, STRATA_TYPE_F16, 3, (double[]){1, 2, 3}),
            y = vector(f, STRATA_TYPE_F16, 3, (double[]){4, 5, 6});
  expect(f, "select", strata_build_select(&f->b, condition, x, y), 3, (double[]){1, 5, 3});
}

// Every elementwise row folds for every type it accepts, or refuses the type.
static void test_every_type(fixture_t *f) {
  for (int op = 0; op < STRATA_OP_COUNT; op++)
    for (int type = 0; type < STRATA_TYPE_COUNT; type++) {
      const strata_op_info_t *info = &strata_op_info[op];
      if (info->kind != STRATA_KIND_ELEMENTWISE || info->rule == STRATA_RULE_RESULT || info->n_operands == 3)
        continue;
      char letter = is_float((strata_type_t)type) ? 'F' : type == STRATA_TYPE_I1 ? 'B' : 'I';
      bool accepted = strchr(info->accepts, letter) && strata_type_info[type].computes;
      MlirValue x = vector(f, (strata_type_t)type, 2, (double[]){1, 0.5});
      MlirValue result = info->n_operands == 1 ? strata_build_unary(&f->b, (strata_op_id_t)op, x)
                                               : strata_build_binary(&f->b, (strata_op_id_t)op, x, x);
      if (!accepted) {
        expect_error(f, "the op does not take");
        continue;
      }
      double *values;
      int64_t count;
      CHECK(strata_constant_f64s(&f->compile, result, &values, &count) && count == 2, "%s does not fold for %s",
            info->name, strata_type_info[type].mlir_name);
    }
}

// What scalar.c says nothing of stays as it is; no op may have such operands today.
static void test_missing_rows(fixture_t *f) {
  const int32_t data = 1;
  int32_t result = 0;
  const void *operands[] = {&data, &data};
  void *results[] = {&result};
  const strata_shape_t shape = {.type = STRATA_TYPE_I32};
  static const strata_op_id_t ops[] = {STRATA_OP_EXP, STRATA_OP_IS_NAN, STRATA_OP_ATAN2};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    strata__record_t record = {.id = ops[i],
                               .n_operands = strata_op_info[ops[i]].n_operands,
                               .n_results = 1,
                               .operands = {shape, shape},
                               .results = {shape}};
    strata_status_t status = strata__evaluate(f->compile.arena, &record, operands, results);
    CHECK(strata_status_code(status) == STRATA_UNSUPPORTED && strstr(strata_status_message(status), "no row"), "%s",
          strata_op_info[ops[i]].name);
    strata_status_free(status);
  }
}

//===-- The other kinds ------------------------------------------------------------------------------------------===//

static void test_reductions(fixture_t *f) {
  static const double values[] = {1, 5, 3, 4, NAN, 6};
  static const int64_t sizes[] = {2, 3}, rows[] = {1}, all[] = {0, 1};
  MlirValue x = tensor(f, STRATA_TYPE_F32, 2, sizes, values);
  expect(f, "sum", strata_build_reduce(&f->b, STRATA_COMBINER_ADD, x, 1, rows, false), 2, (double[]){9, NAN});
  expect(f, "max", strata_build_reduce(&f->b, STRATA_COMBINER_MAX, x, 1, (int64_t[]){0}, true), 3,
         (double[]){4, NAN, 6});
  MlirValue i = tensor(f, STRATA_TYPE_I8, 2, sizes, (double[]){100, 100, 1, -1, 2, 3});
  expect(f, "i8 sum", strata_build_reduce(&f->b, STRATA_COMBINER_ADD, i, 2, all, false), 1, (double[]){-51});
  expect(f, "max_u", strata_build_reduce(&f->b, STRATA_COMBINER_MAX_U, i, 1, rows, false), 2, (double[]){100, -1});
  MlirValue empty = tensor(f, STRATA_TYPE_F32, 2, (int64_t[]){2, 0}, values);
  expect(f, "empty max", strata_build_reduce(&f->b, STRATA_COMBINER_MAX, empty, 1, rows, false), 2,
         (double[]){-INFINITY, -INFINITY});
  expect(f, "argmax", strata_build_arg_reduce(&f->b, STRATA_COMBINER_MAX, x, 1, false), 2, (double[]){1, 1});
  MlirValue ties = vector(f, STRATA_TYPE_I32, 4, (double[]){2, 7, 7, 1});
  expect(f, "argmax last", strata_build_arg_reduce(&f->b, STRATA_COMBINER_MAX, ties, 0, true), 1, (double[]){2});
  expect(f, "argmin", strata_build_arg_reduce(&f->b, STRATA_COMBINER_MIN, ties, 0, false), 1, (double[]){3});
  expect(f, "scan", strata_build_scan(&f->b, STRATA_COMBINER_ADD, ties, 0, false, false), 4, (double[]){2, 9, 16, 17});
  expect(f, "scan back", strata_build_scan(&f->b, STRATA_COMBINER_ADD, ties, 0, true, true), 4,
         (double[]){15, 8, 1, 0});
  MlirValue positions, sorted = strata_build_sort(&f->b, x, 1, true, false, &positions);
  expect(f, "sort", sorted, 6, (double[]){5, 3, 1, NAN, 6, 4});
  expect(f, "sort positions", positions, 6, (double[]){1, 2, 0, 1, 2, 0});
  strata_build_sort(&f->b, vector(f, STRATA_TYPE_I8, 4, (double[]){-1, 3, -1, 0}), 0, false, true, &positions);
  expect(f, "sort unsigned", positions, 4, (double[]){3, 1, 0, 2});
  strata_build_reduce(&f->b, STRATA_COMBINER_AND, x, 1, rows, false);
  expect_error(f, "node: strata.reduce: kind: 'and' is not defined for f32");
  strata_build_reduce(&f->b, STRATA_COMBINER_ADD, x, 1, (int64_t[]){2}, false);
  expect_error(f, "axes: expected 0 to 1, got 2");
  strata_build_reduce(&f->b, STRATA_COMBINER_ADD, x, 2, (int64_t[]){1, 1}, true);
  expect_error(f, "axis 1 is given twice");
}

static void test_window(fixture_t *f) {
  static const int64_t sizes[] = {1, 5}, window[] = {1, 3}, strides[] = {1, 2}, ones[] = {1, 1}, none[] = {0, 0};
  MlirValue x = tensor(f, STRATA_TYPE_F32, 2, sizes, (double[]){1, 2, 3, 4, 5});
  expect(f, "max", strata_build_window(&f->b, STRATA_COMBINER_MAX, x, window, strides, ones, none, none), 2,
         (double[]){3, 5});
  expect(
      f, "sum",
      strata_build_window(&f->b, STRATA_COMBINER_ADD, x, window, strides, ones, (int64_t[]){0, 1}, (int64_t[]){0, 1}),
      3, (double[]){3, 9, 9});
  strata_build_window(&f->b, STRATA_COMBINER_MAX, x, window, strides, (int64_t[]){1, 3}, none, none);
  expect_error(f, "a window that spans 7 does not fit into 5");
}

static MlirAffineMap map_of(fixture_t *f, const char *text) {
  char attr[128];
  snprintf(attr, sizeof attr, "affine_map<%s>", text);
  return mlirAffineMapAttrGetValue(mlirAttributeParseGet(f->compile.context, strata_str(attr)));
}

static void test_contract(fixture_t *f) {
  MlirContext context = f->compile.context;
  MlirValue a = tensor(f, STRATA_TYPE_F16, 2, (int64_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
  MlirValue w = tensor(f, STRATA_TYPE_F16, 2, (int64_t[]){3, 2}, (double[]){1, 0, 0, 1, 1, 1});
  strata_shape_t result = strata_shape_static(context, STRATA_TYPE_F32, 2, (int64_t[]){2, 2});
  MlirAffineMap mk = map_of(f, "(m, n, k) -> (m, k)"), kn = map_of(f, "(m, n, k) -> (k, n)"),
                mn = map_of(f, "(m, n, k) -> (m, n)");
  expect(f, "matmul", strata_build_contract(&f->b, a, w, mk, kn, mn, &result, false, "matmul"), 4,
         (double[]){4, 5, 10, 11});
  MlirValue x = vector(f, STRATA_TYPE_F32, 4, (double[]){1, 2, 3, 4}),
            taps = vector(f, STRATA_TYPE_F32, 3, (double[]){1, 1, 1});
  strata_shape_t row = strata_shape_static(context, STRATA_TYPE_F32, 1, (int64_t[]){4});
  MlirAffineMap in = map_of(f, "(i, k) -> (i + k - 1)"), k = map_of(f, "(i, k) -> (k)"), i = map_of(f, "(i, k) -> (i)");
  expect(f, "convolution", strata_build_contract(&f->b, x, taps, in, k, i, &row, true, "conv"), 4,
         (double[]){3, 6, 9, 7});
  strata_build_contract(&f->b, x, taps, in, k, i, &row, false, "conv");
  expect_error(f, "reads from -1 to 4 are not inside 0 to 3");
  strata_build_contract(&f->b, a, a, mk, kn, mn, &result, false, "matmul");
  expect_error(f, "d2 has two sizes");
  strata_build_contract(&f->b, a, w, mk, kn, map_of(f, "(m, n, k) -> (n, m)"), &result, false, "matmul");
  expect_error(f, "result 0 of the result map must be d0");
}

static void test_movement(fixture_t *f) {
  static const int64_t sizes[] = {2, 3};
  MlirContext context = f->compile.context;
  for (int t = 0; t < STRATA_TYPE_COUNT; t++) { // 0 and 1 are what every type holds
    strata_type_t type = (strata_type_t)t;
    MlirValue x = tensor(f, type, 2, sizes, (double[]){1, 0, 0, 1, 1, 0});
    expect(f, "transpose", strata_build_transpose(&f->b, x, (int64_t[]){1, 0}), 6, (double[]){1, 1, 0, 1, 0, 0});
    expect(f, "reshape", strata_build_reshape_static(&f->b, x, 1, (int64_t[]){6}), 6, (double[]){1, 0, 0, 1, 1, 0});
    expect(f, "slice", strata_build_slice(&f->b, x, (int64_t[]){1, 2}, (int64_t[]){-1, -2}, (int64_t[]){2, 2}), 4,
           (double[]){0, 1, 0, 1});
    expect(f, "pad", strata_build_pad(&f->b, x, (int64_t[]){0, 1}, (int64_t[]){1, 0}, 1), 12,
           (double[]){1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1});
    expect(f, "concat", strata_build_concat(&f->b, 3, (MlirValue[]){x, x, x}, 1), 18,
           (double[]){1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0});
    strata_shape_t wide = strata_shape_static(context, type, 3, (int64_t[]){2, 2, 3});
    expect(f, "broadcast", strata_build_broadcast_to(&f->b, x, 3, wide.dims), 12,
           (double[]){1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0});
    MlirValue rows = strata_build_i64s(&f->b, 3, (int64_t[]){1, -4, 9});
    expect(f, "gather", strata_build_gather(&f->b, x, rows, 0, 0), 9, (double[]){1, 1, 0, 1, 0, 0, 1, 1, 0});
    MlirValue three = tensor(f, type, 2, (int64_t[]){3, 3}, (double[]){0, 0, 0, 1, 1, 1, 1, 1, 1});
    expect(f, "scatter", strata_build_scatter(&f->b, "none", x, rows, three), 6, (double[]){1, 0, 0, 0, 0, 0});
  }
  MlirValue x = tensor(f, STRATA_TYPE_I32, 2, sizes, (double[]){1, 2, 3, 4, 5, 6});
  MlirValue by_row = tensor(f, STRATA_TYPE_I64, 2, (int64_t[]){2, 1}, (double[]){2, 0});
  expect(f, "gather in batches", strata_build_gather(&f->b, x, by_row, 1, 1), 2, (double[]){3, 4});
  MlirValue rows = strata_build_i64s(&f->b, 2, (int64_t[]){1, 1});
  expect(f, "scatter add", strata_build_scatter(&f->b, "add", x, rows, x), 6, (double[]){1, 2, 3, 9, 12, 15});
  strata_shape_t grid = strata_shape_static(context, STRATA_TYPE_F32, 2, sizes);
  expect(f, "iota", strata_build_iota(&f->b, &grid, 1), 6, (double[]){0, 1, 2, 0, 1, 2});
}

static void test_movement_errors(fixture_t *f) {
  MlirValue x = tensor(f, STRATA_TYPE_F32, 2, (int64_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
  CHECK(strata_value_equal(strata_build_transpose(&f->b, x, (int64_t[]){0, 1}), x), "identity");
  strata_build_transpose(&f->b, x, (int64_t[]){1, 1});
  expect_error(f, "dim 1 is given twice");
  strata_build_reshape_static(&f->b, x, 1, (int64_t[]){5});
  expect_error(f, "strata.reshape: the number of elements changes: expected tensor<2x3xf32>, got tensor<5xf32>");
  strata_build_reshape_static(&f->b, x, 17, (int64_t[17]){0});
  expect_error(f, "at most 16 dims");
  strata_build_slice(&f->b, x, (int64_t[]){0, 1}, (int64_t[]){1, 1}, (int64_t[]){2, 3});
  expect_error(f, "3 elements from 1 by 1 are not inside 0 to 2");
  strata_build_slice(&f->b, x, (int64_t[]){0, 0}, (int64_t[]){1, INT64_MAX}, (int64_t[]){2, INT64_MAX});
  expect_error(f, "are not inside");
  strata_build_pad(&f->b, x, (int64_t[]){0, -1}, (int64_t[]){0, 0}, 0);
  expect_error(f, "padding that is not negative");
  strata_build_pad(&f->b, x, (int64_t[]){1ll << 40, 1ll << 40}, (int64_t[]){0, 0}, 0);
  expect_error(f, "is too large");
  MlirValue y = vector(f, STRATA_TYPE_F32, 4, (double[]){1, 2, 3, 4}), z = x;
  strata_build_broadcast_pair(&f->b, &z, &y);
  CHECK(mlirValueIsNull(z) && mlirValueIsNull(y), "values after an error");
  expect_error(f, "node: strata.broadcast: the operands do not broadcast: expected tensor<2x3xf32>, got tensor<4xf32>");
}

static void test_sticky_errors(fixture_t *f) {
  MlirValue null = {0}, x = vector(f, STRATA_TYPE_F32, 1, (double[]){1});
  CHECK(mlirValueIsNull(strata_build_binary(&f->b, STRATA_OP_ADD, x, null)) && !f->b.status, "null operands are quiet");
  strata_build_binary(&f->b, STRATA_OP_ADD, x, vector(f, STRATA_TYPE_F32, 2, (double[]){1, 2}));
  CHECK(mlirValueIsNull(strata_build_unary(&f->b, STRATA_OP_NEG, x)), "after an error");
  CHECK(mlirValueIsNull(strata_build_transpose(&f->b, null, NULL)), "null operand");
  CHECK(mlirValueIsNull(strata_build_i64s(&f->b, 0, NULL)), "after an error");
  strata_build_fail(&f->b, strata_error(STRATA_INTERNAL, "second"));
  expect_error(f, "operand 1: expected tensor<1xf32>, got tensor<2xf32>");
}

//===-- Constants and symbolic shapes ----------------------------------------------------------------------------===//

static void test_constants(fixture_t *f) {
  static float large[2 * STRATA_FOLD_LIMIT];
  const void *data;
  bool is_splat;
  int64_t size = 2 * STRATA_FOLD_LIMIT;
  strata_shape_t shape = strata_shape_static(f->compile.context, STRATA_TYPE_F32, 1, &size);
  MlirValue weight = strata_build_constant(&f->b, &shape, "weight", large);
  CHECK(strata_constant_bytes(&f->compile, weight, &data, &is_splat) && data == large && !is_splat,
        "mapped, not copied");
  CHECK(strata_str_equal(strata_attr_str(mlirOpResultGetOwner(weight), "data"), "weight"), "name");
  MlirValue splat = strata_build_splat(&f->b, &shape, 2.5);
  CHECK(strata_constant_bytes(&f->compile, splat, &data, &is_splat) && is_splat && *(const float *)data == 2.5f,
        "splat");
  CHECK(strata_op_id(mlirOpResultGetOwner(strata_build_unary(&f->b, STRATA_OP_NEG, splat))) == STRATA_OP_NEG,
        "large constants are not folded");
  static const uint8_t bits[] = {1, 0, 1}, nibbles[] = {0x21, 0x0f};
  strata_shape_t three = strata_shape_static(f->compile.context, STRATA_TYPE_I1, 1, (int64_t[]){3});
  MlirValue value = strata_build_constant(&f->b, &three, "bits", bits);
  CHECK(strata_constant_bytes(&f->compile, value, &data, &is_splat) && !memcmp(data, bits, 3), "i1");
  three.type = STRATA_TYPE_I4;
  value = strata_build_constant(&f->b, &three, "nibbles", nibbles);
  CHECK(strata_constant_bytes(&f->compile, value, &data, &is_splat) && !memcmp(data, nibbles, 2), "i4");
  three.type = STRATA_TYPE_I64;
  int64_t *values, count;
  value = strata_build_splat_int(&f->b, &three, INT64_MAX);
  CHECK(strata_constant_i64s(&f->compile, value, &values, &count) && count == 3 && values[2] == INT64_MAX, "splat_int");
  f->b.no_fold = true;
  CHECK(strata_op_id(mlirOpResultGetOwner(strata_build_unary(&f->b, STRATA_OP_NEG, value))) == STRATA_OP_NEG,
        "no_fold");
  f->b.no_fold = false;
}

static void test_symbolic_shapes(fixture_t *f) {
  MlirContext context = f->compile.context;
  MlirType type = mlirTypeParseGet(context, strata_str("tensor<?x8xf32, affine_map<()[B] -> (B, 8)>>"));
  strata_shape_t shape = strata_shape_from_type(type);
  int64_t size;
  CHECK(shape.rank == 2 && !strata_dim_is_constant(shape.dims[0], &size) && strata_shape_count(&shape) == -1, "read");
  CHECK(mlirTypeEqual(strata_shape_to_type(context, &shape), type), "round trip");
  MlirBlock block = mlirBlockCreate(1, &type, &f->b.location), module = f->b.block;
  f->b.block = block;
  MlirValue x = mlirBlockGetArgument(block, 0);
  MlirValue y = strata_build_concat(&f->b, 2, (MlirValue[]){x, x}, 0);
  y = strata_build_reduce(&f->b, STRATA_COMBINER_ADD, y, 1, (int64_t[]){1}, false);
  MlirType expected = mlirTypeParseGet(context, strata_str("tensor<?xf32, affine_map<()[B] -> (B * 2)>>"));
  CHECK(mlirTypeEqual(mlirValueGetType(y), expected), "2 * B");
  MlirValue one = strata_build_splat(&f->b, &shape, 1);
  CHECK(mlirTypeEqual(mlirValueGetType(strata_build_binary(&f->b, STRATA_OP_ADD, x, one)), type), "splat");
  CHECK(strata_shape_from_type(mlirTypeParseGet(context, strata_str("tensor<?xf32>"))).type == STRATA_TYPE_COUNT,
        "a size that nothing gives");
  y = strata_build_pad(&f->b, x, (int64_t[]){0, 1ll << 60}, (int64_t[]){0, 1ll << 60}, 0);
  expect_error(f, "tensor<s0x2305843009213693960xf32> is too large");
  f->b.block = module;
  mlirBlockDestroy(block);
}

//===-- The verifier ---------------------------------------------------------------------------------------------===//

static const struct {
  const char *op, *error;
} invalid_ops[] = {
    {"%r = \"strata.add\"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
     "strata.add: operand 1: expected tensor<2x3xf32>, got tensor<3xf32>"},
    {"%r = \"strata.neg\"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>",
     "strata.neg: result 0: expected tensor<2x3xf32>, got tensor<3x2xf32>"},
    {"%r = \"strata.and\"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
     "operand 0: the op does not take f32"},
    {"%r = \"strata.reduce\"(%x) {kind = \"median\", axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>",
     "kind: expected a combiner, got 'median'"},
    {"%r = \"strata.reduce\"(%x) {kind = \"add\", axes = array<i32: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>",
     "attribute 'axes' is missing or not of the declared kind"},
    {"%r = \"strata.constant\"() {data = \"nowhere\"} : () -> tensor<3xf32>", "there is no constant called 'nowhere'"},
    {"%r = \"strata.constant\"() : () -> tensor<3xf32>", "expected one of the attributes 'value' and 'data'"},
    {"%r = \"strata.neg\"(%d) : (tensor<?xf32>) -> tensor<?xf32>",
     "expected a ranked tensor of at most 16 dims of a supported type"},
    {"%r = \"strata.slice\"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 2>} : (tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "dim 1: 3 elements from 0 by 2 are not inside 0 to 2"},
    {"%r = \"strata.broadcast\"(%y) {map = affine_map<(a, b) -> (a)>} : (tensor<3xf32>) -> tensor<2x3xf32>",
     "map: a dim changes its size"},
    {"%r = \"strata.relu\"(%x) : (tensor<2x3xf32>) -> tensor<3xf32>",
     "strata.relu: result 0: expected tensor<2x3xf32>, got tensor<3xf32>"},
    {"%r = \"strata.prelu\"(%x, %i) : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3xf32>",
     "operand 1: expected f32, got i32"},
    {"%r = \"strata.scatter\"(%x, %i, %x) {kind = \"add\"} : (tensor<2x3xf32>, tensor<3xi32>, tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "updates: expected tensor<3x3xf32>, got tensor<2x3xf32>"},
};

static bool parse(fixture_t *f, const char *body) {
  static const char head[] = "func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %d: tensor<?xf32>, "
                             "%i: tensor<3xi32>) {\n";
  char text[2048];
  snprintf(text, sizeof text, "%s%s\nreturn }", head, body);
  mlirModuleDestroy(f->compile.module);
  f->compile.module = mlirModuleCreateParse(f->compile.context, strata_str(text));
  if (!mlirModuleIsNull(f->compile.module))
    return true;
  strata_status_t status = strata_compile_take_diagnostics(&f->compile, "no diagnostic");
  CHECK(false, "%s: %s", body, strata_status_message(status));
  strata_status_free(status);
  f->compile.module = mlirModuleCreateEmpty(f->b.location);
  return false;
}

static void test_verifier(fixture_t *f) {
  for (size_t i = 0; i < sizeof invalid_ops / sizeof *invalid_ops; i++) {
    if (!parse(f, invalid_ops[i].op))
      continue;
    strata_status_t status = strata_verify(&f->compile);
    CHECK(strstr(strata_status_message(status), invalid_ops[i].error), "%s\n  gives '%s'", invalid_ops[i].op,
          strata_status_message(status));
    strata_status_free(status);
  }
  parse(f, "%r = \"strata.neg\"(%y) : (tensor<3xf32>) -> tensor<2xf32>\n"
           "%s = \"strata.abs\"(%y) : (tensor<3xf32>) -> tensor<2xf32>");
  strata_status_t status = strata_verify(&f->compile);
  CHECK(strstr(strata_status_message(status), "strata.neg") && strstr(strata_status_message(status), "strata.abs"),
        "both ops are reported: %s", strata_status_message(status));
  strata_status_free(status);
}

//===-- Composites -----------------------------------------------------------------------------------------------===//

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double softplus(double x) { return log1p(exp(x)); }

// What a row gives for x, and for the second operand where there is one, with alpha = 0.5 and beta = gamma = 2.
static double reference(strata_composite_id_t id, double x, double y) {
  switch (id) {
  case STRATA_COMPOSITE_RELU:
    return fmax(x, 0);
  case STRATA_COMPOSITE_SIGMOID:
    return sigmoid(x);
  case STRATA_COMPOSITE_SILU:
    return x * sigmoid(x);
  case STRATA_COMPOSITE_SOFTPLUS:
    return softplus(x);
  case STRATA_COMPOSITE_SOFTSIGN:
    return x / (1 + fabs(x));
  case STRATA_COMPOSITE_GELU:
    return x * (0.5 + 0.5 * erf(x / sqrt(2)));
  case STRATA_COMPOSITE_GELU_TANH:
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * pow(x, 3))));
  case STRATA_COMPOSITE_MISH:
    return x * tanh(softplus(x));
  case STRATA_COMPOSITE_LEAKY_RELU:
    return x < 0 ? 0.5 * x : x;
  case STRATA_COMPOSITE_ELU:
    return x < 0 ? 0.5 * expm1(x) : x;
  case STRATA_COMPOSITE_CELU:
    return fmax(x, 0) + fmin(0.5 * expm1(x / 0.5), 0);
  case STRATA_COMPOSITE_SELU:
    return 2 * (x < 0 ? 0.5 * expm1(x) : x);
  case STRATA_COMPOSITE_HARD_SIGMOID:
    return fmax(0, fmin(1, 0.5 * x + 2));
  case STRATA_COMPOSITE_HARD_SWISH:
    return x * fmax(0, fmin(1, x / 6 + 0.5));
  case STRATA_COMPOSITE_THRESHOLDED_RELU:
    return x > 0.5 ? x : 0;
  case STRATA_COMPOSITE_PRELU:
    return x < 0 ? y * x : x;
  case STRATA_COMPOSITE_SIGN:
    return (x > 0) - (x < 0);
  case STRATA_COMPOSITE_MOD:
    return x - floor(x / y) * y;
  default:
    return NAN;
  }
}

enum { ROW = 4 };

// The rows over the last axis: |out| for a row of x.
static void reference_row(strata_composite_id_t id, const double *x, const double *scale, double *out) {
  double greatest = -INFINITY, sum = 0, mean = 0, variance = 0, square = 0;
  for (int i = 0; i < ROW; i++) {
    greatest = fmax(greatest, x[i]);
    mean += x[i] / (int)ROW;
    square += x[i] * x[i] / (int)ROW;
  }
  for (int i = 0; i < ROW; i++) {
    sum += exp(x[i] - greatest);
    variance += (x[i] - mean) * (x[i] - mean) / (int)ROW;
  }
  for (int i = 0; i < ROW; i++) {
    double normal = (x[i] - mean) / sqrt(variance + 1e-3);
    switch (id) {
    case STRATA_COMPOSITE_SOFTMAX:
      out[i] = exp(x[i] - greatest) / sum;
      break;
    case STRATA_COMPOSITE_LOG_SOFTMAX:
      out[i] = x[i] - greatest - log(sum);
      break;
    case STRATA_COMPOSITE_LAYER_NORM:
      out[i] = normal * scale[i] + scale[i];
      break;
    case STRATA_COMPOSITE_RMS_NORM:
      out[i] = x[i] / sqrt(square + 1e-3) * scale[i];
      break;
    case STRATA_COMPOSITE_NORMALIZE:
      out[i] = normal;
      break;
    default:
      out[i] = NAN;
    }
  }
}

// By the row's formula, whose numbers have a sink each here.
static void reference_softmax_with_sink(const double *x, const double *sink, double *out) {
  double greatest = -INFINITY, sum = 0;
  for (int i = 0; i < ROW; i++)
    greatest = fmax(greatest, x[i]);
  for (int i = 0; i < ROW; i++)
    sum += exp(x[i] - fmax(greatest, sink[i]));
  for (int i = 0; i < ROW; i++) {
    double m = fmax(greatest, sink[i]);
    out[i] = exp(x[i] - m) / (sum + exp(sink[i] - m));
  }
}

static void reference_batch_norm(const double *x, const double *v, double *out) {
  for (int i = 0; i < 2 * ROW; i++)
    out[i] = (x[i] - v[i % ROW]) / sqrt(v[i % ROW] + 1e-3) * v[i % ROW] + v[i % ROW];
}

// The value of each attribute by its name.
static int attr_values(const char *signature, strata_attr_value_t *out) {
  static const int64_t axis = 1;
  static const struct {
    const char *name;
    strata_attr_value_t value;
  } values[] = {{"alpha", {.f64 = 0.5}},
                {"beta", {.f64 = 2}},
                {"gamma", {.f64 = 2}},
                {"epsilon", {.f64 = 1e-3}},
                {"axes", {.n_i64s = 1, .i64s = &axis}}};
  const char *attrs = strchr(signature, ';');
  int n = 0;
  for (const char *at = attrs; at; at = strchr(at + 1, ','))
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
      if (!strncmp(at + 2, values[i].name, strlen(values[i].name)))
        out[n++] = values[i].value;
  return n;
}

// The elements of a value that depends on constants only: what building folded, or what the evaluator says. NULL if an
// op on the way is no primitive.
static const void *evaluated(fixture_t *f, MlirValue value) {
  const void *data;
  bool is_splat;
  if (strata_constant_bytes(&f->compile, value, &data, &is_splat))
    return data;
  MlirOperation op = mlirOpResultGetOwner(value);
  const void *operands[3];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!(operands[i] = evaluated(f, mlirOperationGetOperand(op, i))))
      return NULL;
  strata_shape_t shape = strata_shape_of(value);
  void *result =
      strata_arena_alloc(f->compile.arena, (size_t)strata_type_storage_size(shape.type, strata_shape_count(&shape)));
  strata_status_t status = strata_evaluate(&f->compile, op, operands, &result);
  CHECK(!status, "%s", strata_status_message(status));
  bool done = !status;
  strata_status_free(status);
  return done ? result : NULL;
}

// Builds a row on constants and expands it; the result is what main returns.
static void test_composite(fixture_t *f, strata_composite_id_t id, strata_type_t type, double tolerance) {
  static const double xs[2 * ROW] = {-2.5, -0.25, 0.5, 3, 1, -4, 0.125, 7}, vs[ROW] = {0.5, 2, 1.5, 3};
  const strata_composite_info_t *info = &strata_composite_info[id];
  MlirValue operands[8] = {tensor(f, type, 2, (int64_t[]){2, ROW}, xs)};
  int n_operands = 1;
  for (const char *at = info->signature; *at && *at != ';'; at++)
    if (*at == ',')
      operands[n_operands++] = vector(f, type, ROW, vs);
  strata_attr_value_t attrs[4];
  int n_attrs = attr_values(info->signature, attrs);
  MlirValue value = strata_build_composite(&f->b, id, n_operands, operands, n_attrs, attrs);
  CHECK(!f->b.status, "%s", strata_status_message(f->b.status));
  if (f->b.status)
    return;
  MlirOperation user = strata_op_create(f->b.location, "builtin.unrealized_conversion_cast", 1, &value, 1,
                                        (MlirType[]){mlirValueGetType(value)}, 0, NULL, 0, NULL);
  mlirBlockAppendOwnedOperation(f->b.block, user);
  strata_status_t status = strata_verify(&f->compile);
  if (!status)
    status = strata_decompose(&f->compile);
  CHECK(!status, "%s: %s", info->name, strata_status_message(status));
  double *got, expected[2 * ROW];
  int64_t count = 0;
  MlirValue result = mlirOperationGetOperand(user, 0);
  strata_shape_t shape = strata_shape_of(result);
  const void *bytes = status ? NULL : evaluated(f, result);
  bool folded =
      bytes && strata_constant_f64s(&f->compile, strata_build_constant(&f->b, &shape, "got", bytes), &got, &count);
  CHECK(folded && count == 2 * ROW, "%s is not expanded", info->name);
  strata_status_free(status);
  for (int i = 0; i < 2 * ROW; i++)
    expected[i] = reference(id, xs[i], vs[i % ROW]);
  if (isnan(expected[0]) && id == STRATA_COMPOSITE_BATCH_NORM)
    reference_batch_norm(xs, vs, expected);
  else
    for (int row = 0; row < 2 && isnan(expected[row * ROW]); row++)
      if (id == STRATA_COMPOSITE_SOFTMAX_WITH_SINK)
        reference_softmax_with_sink(xs + row * ROW, vs, expected + row * ROW);
      else
        reference_row(id, xs + row * ROW, vs, expected + row * ROW);
  for (int i = 0; folded && i < 2 * ROW; i++)
    CHECK(fabs(got[i] - expected[i]) <= tolerance * (1 + fabs(expected[i])),
          "%s of %s: element %d is %.17g, expected %.17g", info->name, strata_type_info[type].mlir_name, i, got[i],
          expected[i]);
}

static void test_composites(fixture_t *f) {
  static const struct {
    strata_type_t type;
    double tolerance;
  } types[] = {{STRATA_TYPE_F64, 1e-14}, {STRATA_TYPE_F32, 1e-6}, {STRATA_TYPE_F16, 5e-4}, {STRATA_TYPE_BF16, 4e-3}};
  for (int id = 0; id < STRATA_COMPOSITE_MAKE_JAGGED; id++) // those behind it: conformance/jagged_test.py
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      test_composite(f, (strata_composite_id_t)id, types[i].type, types[i].tolerance);
}

static void test_composites_of_integers(fixture_t *f) {
  parse(f, "%r = \"strata.relu\"(%i) : (tensor<3xi32>) -> tensor<3xi32>\n"
           "%s = \"strata.sign\"(%i) : (tensor<3xi32>) -> tensor<3xi32>\n"
           "%t = \"strata.mod\"(%r, %i) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>");
  strata_status_t status = strata_decompose(&f->compile);
  CHECK(!status, "%s", strata_status_message(status));
  status = strata_verify(&f->compile);
  CHECK(!status, "%s", strata_status_message(status));
  parse(f, "%r = \"strata.elu\"(%i) {alpha = 0.5 : f64} : (tensor<3xi32>) -> tensor<3xi32>");
  status = strata_decompose(&f->compile);
  CHECK(strstr(strata_status_message(status), "the op does not take i32"), "%s", strata_status_message(status));
  strata_status_free(status);
  parse(f, "%r = \"strata.leaky_relu\"(%i) {alpha = 0.5 : f64} : (tensor<3xi32>) -> tensor<3xi32>");
  status = strata_decompose(&f->compile);
  CHECK(strstr(strata_status_message(status), "float type for the factor 0.5"), "%s", strata_status_message(status));
  strata_status_free(status);
}

//===-- Size -----------------------------------------------------------------------------------------------------===//

// A chain of 10^5 ops is built, checked and expanded in linear time.
static void test_long_chain(fixture_t *f) {
  clock_t start = clock();
  strata_shape_t shape = strata_shape_static(f->compile.context, STRATA_TYPE_F32, 1, (int64_t[]){8});
  f->b.no_fold = true;
  MlirValue x = strata_build_splat(&f->b, &shape, 1);
  for (int i = 0; i < 100000; i++)
    x = i % 4 ? strata_build_binary(&f->b, STRATA_OP_ADD, x, x)
              : strata_build_composite(&f->b, STRATA_COMPOSITE_RELU, 1, &x, 0, NULL);
  f->b.no_fold = false;
  CHECK(!strata_verify(&f->compile) && !strata_decompose(&f->compile) && !strata_compile_verify(&f->compile), "chain");
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  CHECK(seconds < 10, "it took %.1f s", seconds);
}

static void append_text(const char *text, void *user) { *(size_t *)user += strlen(text); }

static void test_markdown(fixture_t *f) {
  size_t length = 0;
  (void)f;
  strata_print_ops_markdown(append_text, &length);
  CHECK(length > 5000, "%zu characters", length);
}

int main(void) {
  static void (*const tests[])(fixture_t *) = {test_tables,          test_constant_table,
                                               test_float_formats,   test_integer_conversions,
                                               test_elementwise,     test_every_type,
                                               test_missing_rows,    test_reductions,
                                               test_window,          test_contract,
                                               test_movement,        test_movement_errors,
                                               test_sticky_errors,   test_constants,
                                               test_symbolic_shapes, test_verifier,
                                               test_composites,      test_composites_of_integers,
                                               test_long_chain,      test_markdown};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    fixture_t f;
    set_up(&f);
    tests[i](&f);
    tear_down(&f);
  }
  printf(failures ? "%d failures\n" : "ok\n", failures);
  return failures != 0;
}
