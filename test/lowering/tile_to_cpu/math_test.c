// The expanded functions against libm in f64, over floats of every magnitude and the special values.
//
// Each function is compiled as a vector kernel and as a scalar one for every processor row this machine runs; both must
// give the same bits, within the bound of its row in units in the last place.
#include "dialects/mlir_util.h"
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "targets/cpu/codegen.h"
#include "targets/passes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 37 * 64 };

static double rsqrt(double x) { return 1 / sqrt(x); }

typedef struct {
  const char *op;
  int n_operands;
  double bound; // ulp
  double (*unary)(double);
  double (*binary)(double, double);
} function_t;

static const function_t functions[] = {
    {"math.exp", 1, 1.0, exp, NULL},     {"math.exp2", 1, 1.5, exp2, NULL},   {"math.expm1", 1, 2.0, expm1, NULL},
    {"math.log", 1, 1.5, log, NULL},     {"math.log1p", 1, 2.0, log1p, NULL}, {"math.sin", 1, 3.0, sin, NULL},
    {"math.cos", 1, 3.0, cos, NULL},     {"math.tanh", 1, 2.0, tanh, NULL},   {"math.erf", 1, 1.5, erf, NULL},
    {"math.rsqrt", 1, 1.5, rsqrt, NULL}, {"math.powf", 2, 1.0, NULL, pow},    {"math.asin", 1, 1.0, asin, NULL},
    {"math.atan2", 2, 2.0, NULL, atan2},
};

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The error of |got| in units of the last place of |want|; infinite where a special value is missed.
static double ulps(float got, double want) {
  float rounded = (float)want;
  if (isnan(want))
    return isnan(got) ? 0 : INFINITY;
  if (rounded == 0 || isinf(rounded)) {
    if (to_bits(got) == to_bits(rounded))
      return 0;
    // Next to underflow and overflow the neighbour is as good.
    float near = isinf(rounded) ? copysignf(3.40282347e38f, rounded) : copysignf(1.4e-45f, rounded);
    bool borderline = !isinf(want) && want != 0;
    return borderline && to_bits(got) == to_bits(near) ? 1 : INFINITY;
  }
  double unit = ldexp(1, ilogb((double)rounded) - 23);
  return fabs((double)got - want) / fmax(unit, 0x1p-149);
}

static const char *kernel_text(char *out, size_t size, const function_t *f, bool is_vector) {
  const char *type = is_vector ? "vector<37xf32>" : "f32";
  char load[3][256], store[256];
  for (int i = 0; i < 2; i++)
    snprintf(load[i], sizeof load[i],
             is_vector ? "%%a%d = \"tile.load\"(%%x%d, %%t) {map = affine_map<(d)[t] -> (t * 37 + d)>}"
                         " : (memref<%dxf32>, index) -> vector<37xf32> "
                       : "%%a%d = memref.load %%x%d[%%t] : memref<%dxf32> ",
             i, i, BLOCK);
  snprintf(store, sizeof store,
           is_vector ? "\"tile.store\"(%%v, %%y, %%t) {map = affine_map<(d)[t] -> (t * 37 + d)>}"
                       " : (vector<37xf32>, memref<%dxf32>, index) -> ()"
                     : "memref.store %%v, %%y[%%t] : memref<%dxf32>",
           BLOCK);
  snprintf(out, size,
           "func.func private @k(%%x0: memref<%dxf32>, %%x1: memref<%dxf32>, %%y: memref<%dxf32>) {"
           "  scf.forall (%%t) in (%d) { %s %s %%v = %s %%a0%s : %s %s } return }",
           BLOCK, BLOCK, BLOCK, is_vector ? BLOCK / 37 : BLOCK, load[0], load[1], f->op,
           f->n_operands == 2 ? ", %a1" : "", type, store);
  return out;
}

typedef struct {
  strata_compile_options_t options;
  strata_compile_t compile;
  strata_cpu_jit_t *jit;
  strata_cpu_entry_t entry;
} kernel_t;

static strata_status_t build(kernel_t *kernel, const char *text) {
  strata_compile_t *compile = &kernel->compile;
  STRATA_TRY(strata_compile_init(compile, &kernel->options));
  MlirModule module = mlirModuleCreateParse(compile->context, strata_str(text));
  if (mlirModuleIsNull(module))
    return strata_compile_take_diagnostics(compile, "does not parse");
  mlirModuleDestroy(compile->module);
  compile->module = module;
  const strata_cpu_device_t *device;
  strata_cpu_objects_t objects;
  STRATA_TRY(strata_cpu_device(compile, &device));
  STRATA_TRY(strata_pass_tile_to_cpu(compile));
  STRATA_TRY(strata_pass_cpu_to_llvm(compile));
  STRATA_TRY(strata_cpu_compile_kernels(compile, strata_kernels_find(compile), device, &objects));
  STRATA_TRY(strata_cpu_jit_create(compile, &objects, &kernel->jit));
  return strata_cpu_jit_lookup(kernel->jit, "k", &kernel->entry);
}

static void run(const kernel_t *kernel, float *x0, float *x1, float *y, int64_t tasks) {
  kernel->entry((void *[]){x0, x1, y}, 0, tasks, NULL);
}

typedef struct {
  double worst;
  float at[2];
  long differences; // between the vector and the scalar kernel
} result_t;

static void check_block(const function_t *f, const kernel_t *kernels, float *x0, float *x1, result_t *result) {
  static float vector[BLOCK], scalar[BLOCK];
  run(&kernels[0], x0, x1, vector, BLOCK / 37);
  run(&kernels[1], x0, x1, scalar, BLOCK);
  for (int i = 0; i < BLOCK; i++) {
    double want = f->unary ? f->unary((double)x0[i]) : f->binary((double)x0[i], (double)x1[i]);
    double error = ulps(vector[i], want);
    if (error > result->worst) {
      result->worst = error;
      result->at[0] = x0[i];
      result->at[1] = x1[i];
    }
    result->differences += to_bits(vector[i]) != to_bits(scalar[i]) && !(isnan(vector[i]) && isnan(scalar[i]));
  }
}

static const float special[] = {0.0f,    -0.0f,  1.0f,     -1.0f,     2.0f,    -2.0f,    3.0f,  -3.0f,    0.5f,
                                -0.5f,   1e-45f, -1e-45f,  1.5e-38f,  3.4e38f, -3.4e38f, 88.7f, 88.8f,    -87.4f,
                                -104.0f, 127.9f, 128.0f,   -149.5f,   -150.5f, 0.875f,   10.0f, 12867.0f, 12868.0f,
                                1e10f,   -1e30f, INFINITY, -INFINITY, NAN,     0.3f,     2.5f,  7.0f};
enum { N_SPECIAL = sizeof special / sizeof special[0] };

// Every pair of special values, then bit patterns |stride| apart (and for a second operand some of moderate size).
static void check_all(const function_t *f, const kernel_t *kernels, uint32_t stride, result_t *result) {
  static float x0[BLOCK], x1[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    x0[i] = special[i % N_SPECIAL];
    x1[i] = special[i / N_SPECIAL % N_SPECIAL];
  }
  check_block(f, kernels, x0, x1, result);
  uint32_t seed = 1;
  for (uint64_t bits = 0; bits < 1ull << 32;) {
    for (int i = 0; i < BLOCK; i++, bits += stride) {
      seed = seed * 1664525u + 1013904223u;
      x0[i] = from_bits((uint32_t)bits);
      x1[i] = from_bits((seed & 0x80ffffff) | ((seed >> 3 & 0xf) + 120) << 23);
    }
    check_block(f, kernels, x0, x1, result);
  }
}

static int check_function(const function_t *f, const char *device, uint32_t stride) {
  char text[2048];
  kernel_t kernels[2] = {0};
  result_t result = {0};
  strata_status_t status = NULL;
  for (int i = 0; i < 2 && !status; i++) {
    kernels[i].options = (strata_compile_options_t){.device = device, .opt_level = 2, .jobs = 1};
    status = build(&kernels[i], kernel_text(text, sizeof text, f, i == 0));
  }
  if (!status)
    check_all(f, kernels, stride, &result);
  bool failed = status || result.worst > f->bound || result.differences > 0;
  printf("%s %-12s %-10s %.3f ulp at %a, %a; %ld differences between vector and scalar %s\n", failed ? "FAIL" : "ok  ",
         f->op, device, result.worst, (double)result.at[0], (double)result.at[1], result.differences,
         status ? strata_status_message(status) : "");
  strata_status_free(status);
  for (int i = 0; i < 2; i++) {
    strata_cpu_jit_destroy(kernels[i].jit);
    strata_compile_deinit(&kernels[i].compile);
  }
  return failed;
}

int main(int argc, char **argv) {
  uint32_t stride = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 4099;
  const char *only = argc > 2 ? argv[2] : NULL;
  static const char *const devices[] = {"host", "x86-64-v2"};
  bool is_x86 = strncmp(strata_cpu_host_device()->triple, "x86_64", 6) == 0;
  int failures = 0;
  for (size_t i = 0; i < (is_x86 ? 2 : 1); i++)
    for (size_t j = 0; j < sizeof functions / sizeof functions[0]; j++)
      if (!only || strcmp(only, functions[j].op) == 0)
        failures += check_function(&functions[j], devices[i], stride);
  return failures > 0;
}
