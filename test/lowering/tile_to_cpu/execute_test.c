// Kernels over block-level vectors, lowered, compiled, run, and compared with loops in C.
//
// Every case runs on each processor row that this machine can run, so vectors are cut in different ways. Each buffer
// ends where an unreadable page starts and once more begins where one ends: nothing outside is touched.
#include "dialects/mlir_util.h"
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "targets/cpu/codegen.h"
#include "targets/passes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_BUFFERS = 4, SCRATCH = 1 << 16 };
typedef enum { F32, F64, I8, I32, I64, U16, BITS, EXACT } element_t; // any 32 bits; f32 to the bit

typedef struct {
  const char *name;
  const char *code; // one func.func private @k
  int n_buffers;
  struct {
    element_t type;
    int size;
  } buffers[MAX_BUFFERS];
  void (*reference)(void *const *buffers); // writes what the kernel should
} case_t;

static const size_t element_sizes[] = {
    [F32] = 4, [F64] = 8, [I8] = 1, [I32] = 4, [I64] = 8, [U16] = 2, [BITS] = 4, [EXACT] = 4};
static int failures;

//===-- Buffers --------------------------------------------------------------------------------------------------===//

static uint64_t random_state = 1;
static uint32_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

static void fill(void *data, element_t type, int size) {
  for (int i = 0; i < size; i++) {
    uint32_t r = next_random();
    double real = (double)(r % 4001) / 1000.0 - 2.0;
    switch (type) {
    case F32:
    case EXACT:
      ((float *)data)[i] = (float)real;
      break;
    case F64:
      ((double *)data)[i] = real;
      break;
    case I8:
      ((int8_t *)data)[i] = (int8_t)r;
      break;
    case I32:
      ((int32_t *)data)[i] = (int32_t)(r % 2001) - 1000;
      break;
    case I64:
      ((int64_t *)data)[i] = (int64_t)(r % 2001) - 1000;
      break;
    case U16:
      ((uint16_t *)data)[i] = (uint16_t)r;
      break;
    case BITS:
      ((uint32_t *)data)[i] = r << 16 ^ next_random();
      break;
    }
  }
}

static bool equal(element_t type, const void *a, const void *b, int i) {
  if (type != F32 && type != F64 && type != EXACT)
    return memcmp((const char *)a + (size_t)i * element_sizes[type], (const char *)b + (size_t)i * element_sizes[type],
                  element_sizes[type]) == 0;
  double x = type == F64 ? ((const double *)a)[i] : (double)((const float *)a)[i];
  double y = type == F64 ? ((const double *)b)[i] : (double)((const float *)b)[i];
  if (isnan(x) || isnan(y))
    return isnan(x) && isnan(y);
  return x == y ? signbit(x) == signbit(y) || type != EXACT : type != EXACT && fabs(x - y) <= 1e-5 * (1 + fabs(y));
}

// |size| bytes that end (or begin) at a page nobody may touch.
static void *guarded(size_t size, bool at_end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (size + page - 1) / page * page;
  char *base = mmap(NULL, body + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + page, body, PROT_READ | PROT_WRITE) != 0)
    exit(1);
  return base + page + (at_end ? body - size : 0);
}

//===-- Running --------------------------------------------------------------------------------------------------===//

static void report(const case_t *c, const char *device, const char *what) {
  printf("FAIL %s on %s: %s\n", c->name, device, what);
  failures++;
}

static strata_status_t build(strata_compile_t *compile, const case_t *c, strata_cpu_jit_t **out_jit,
                             strata_cpu_entry_t *out_entry, int64_t *out_tasks) {
  MlirModule module = mlirModuleCreateParse(compile->context, strata_str(c->code));
  if (mlirModuleIsNull(module))
    return strata_compile_take_diagnostics(compile, "does not parse");
  mlirModuleDestroy(compile->module);
  compile->module = module;
  const strata_cpu_device_t *device;
  strata_cpu_objects_t objects;
  STRATA_TRY(strata_cpu_device(compile, &device));
  STRATA_TRY(strata_pass_tile_to_cpu(compile));
  STRATA_TRY(strata_compile_verify(compile));
  MlirOperation declaration = strata_find_func(compile->module, "k");
  *out_tasks = strata_attr_i64(declaration, "strata.tasks", -1);
  if (strata_attr_i64(declaration, "strata.scratch", SCRATCH + 1) > SCRATCH)
    return strata_error(STRATA_INTERNAL, "too much scratch");
  STRATA_TRY(strata_pass_cpu_to_llvm(compile));
  STRATA_TRY(strata_cpu_compile_kernels(compile, strata_kernels_find(compile), device, &objects));
  STRATA_TRY(strata_cpu_jit_create(compile, &objects, out_jit));
  return strata_cpu_jit_lookup(*out_jit, "k", out_entry);
}

static void run_and_compare(const case_t *c, const char *device, strata_cpu_entry_t entry, int64_t tasks, bool at_end) {
  void *got[MAX_BUFFERS], *want[MAX_BUFFERS];
  for (int i = 0; i < c->n_buffers; i++) {
    size_t size = (size_t)c->buffers[i].size * element_sizes[c->buffers[i].type];
    got[i] = guarded(size, at_end);
    want[i] = malloc(size);
    fill(got[i], c->buffers[i].type, c->buffers[i].size);
    memcpy(want[i], got[i], size);
  }
  void *scratch = aligned_alloc(64, SCRATCH);
  if (tasks > 1) // ranges are never empty
    entry(got, 0, tasks / 2, scratch);
  entry(got, tasks / 2, tasks, scratch);
  c->reference(want);
  for (int i = 0; i < c->n_buffers; i++) {
    for (int j = 0; j < c->buffers[i].size; j++)
      if (!equal(c->buffers[i].type, got[i], want[i], j)) {
        char what[64];
        snprintf(what, sizeof what, "buffer %d, element %d", i, j);
        report(c, device, what);
        break;
      }
    free(want[i]);
  }
  free(scratch);
}

static void run_case(const case_t *c, const char *device) {
  strata_compile_options_t options = {.device = device, .opt_level = 2, .jobs = 1};
  strata_compile_t compile;
  strata_cpu_jit_t *jit = NULL;
  strata_cpu_entry_t entry;
  int64_t tasks = 0;
  strata_status_t status = strata_compile_init(&compile, &options);
  if (!status)
    status = build(&compile, c, &jit, &entry, &tasks);
  if (status) {
    report(c, device, strata_status_message(status));
    strata_status_free(status);
  } else {
    run_and_compare(c, device, entry, tasks, true);
    run_and_compare(c, device, entry, tasks, false);
  }
  strata_cpu_jit_destroy(jit);
  strata_compile_deinit(&compile);
}

//===-- Cases ----------------------------------------------------------------------------------------------------===//

#define CASE(name) static void name##_reference(void *const *b)
#define F(i) ((float *)b[i])
#define BYTES(i) ((int8_t *)b[i])

// z = x * 2 + y, rows of 37: two sizes of pieces.
CASE(map) {
  for (int i = 0; i < 3 * 37; i++)
    F(2)[i] = F(0)[i] * 2 + F(1)[i];
}
static const char map_code[] =
    "func.func private @k(%x: memref<3x37xf32>, %y: memref<3x37xf32>, %z: memref<3x37xf32>) {"
    "  %two = arith.constant dense<2.0> : vector<37xf32>"
    "  scf.forall (%i) in (3) {"
    "    %a = \"tile.load\"(%x, %i) {map = affine_map<(d)[i] -> (i, d)>} : (memref<3x37xf32>, index) -> vector<37xf32>"
    "    %b = \"tile.load\"(%y, %i) {map = affine_map<(d)[i] -> (i, d)>} : (memref<3x37xf32>, index) -> vector<37xf32>"
    "    %c = arith.mulf %a, %two : vector<37xf32>"
    "    %e = arith.addf %c, %b fastmath<contract> : vector<37xf32>"
    "    \"tile.store\"(%e, %z, %i) {map = affine_map<(d)[i] -> (i, d)>} : (vector<37xf32>, memref<3x37xf32>, index) "
    "-> ()"
    "  } return }";

// Steps 2, 3, 4, 5, -1, -2 and 7 along a buffer.
CASE(steps) {
  static const int steps[] = {2, 3, 4, 5, -1, -2, 7}, starts[] = {1, 0, 2, 3, 22, 100, 0};
  for (int s = 0; s < 7; s++)
    for (int i = 0; i < 23; i++)
      F(1)[s * 23 + i] = F(0)[starts[s] + steps[s] * i];
}
#define STEP(s, map)                                                                                                   \
  "  %v" #s " = \"tile.load\"(%x) {map = affine_map<(d) -> (" map ")>} : (memref<155xf32>) -> vector<23xf32>"          \
  "  \"tile.store\"(%v" #s ", %y) {map = affine_map<(d) -> (" #s ", d)>} : (vector<23xf32>, memref<7x23xf32>) -> ()"
static const char steps_code[] =
    "func.func private @k(%x: memref<155xf32>, %y: memref<7x23xf32>) {"
    "scf.forall (%t) in (1) {" STEP(0, "d * 2 + 1") STEP(1, "d * 3") STEP(2, "d * 4 + 2") STEP(3, "d * 5 + 3")
        STEP(4, "22 - d") STEP(5, "100 - d * 2") STEP(6, "d * 7") "} return }";

// A transposed read, added to rows and columns of vectors, and a transposed write.
CASE(transposed) {
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 21; j++) {
      F(2)[i * 21 + j] = F(0)[j * 5 + i] + F(1)[i] * F(1)[j];
      F(3)[j * 5 + i] = F(2)[i * 21 + j];
    }
}
static const char transposed_code[] =
    "func.func private @k(%x: memref<21x5xf32>, %y: memref<21xf32>, %z: memref<5x21xf32>, %w: memref<21x5xf32>) {"
    "  scf.forall (%t) in (1) {"
    "    %a = \"tile.load\"(%x) {map = affine_map<(i, j) -> (j, i)>} : (memref<21x5xf32>) -> vector<5x21xf32>"
    "    %b = \"tile.load\"(%y) {map = affine_map<(i, j) -> (i)>} : (memref<21xf32>) -> vector<5x21xf32>"
    "    %c = \"tile.load\"(%y) {map = affine_map<(i, j) -> (j)>} : (memref<21xf32>) -> vector<5x21xf32>"
    "    %p = arith.mulf %b, %c : vector<5x21xf32>"
    "    %s = arith.addf %a, %p : vector<5x21xf32>"
    "    \"tile.store\"(%s, %z) {map = affine_map<(i, j) -> (i, j)>} : (vector<5x21xf32>, memref<5x21xf32>) -> ()"
    "    \"tile.store\"(%s, %w) {map = affine_map<(i, j) -> (j, i)>} : (vector<5x21xf32>, memref<21x5xf32>) -> ()"
    "  } return }";

// A 3 x 3 window with padding, of step 2 along the columns.
CASE(padded) {
  for (int p = 0; p < 4; p++)
    for (int q = 0; q < 19; q++) {
      float sum = 0;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
          int row = 2 * p + r - 1, column = 2 * q + s - 1;
          bool inside = row >= 0 && row < 7 && column >= 0 && column < 37;
          sum += inside ? F(0)[row * 37 + column] : -0.5f;
        }
      F(1)[p * 19 + q] = sum;
    }
}
static const char padded_code[] =
    "func.func private @k(%x: memref<7x37xf32>, %y: memref<4x19xf32>) {"
    "  %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c3 = arith.constant 3 : index"
    "  %zero = arith.constant dense<0.0> : vector<19xf32>"
    "  scf.forall (%p) in (4) {"
    "    %sum = scf.for %r = %c0 to %c3 step %c1 iter_args(%a = %zero) -> (vector<19xf32>) {"
    "      %inner = scf.for %s = %c0 to %c3 step %c1 iter_args(%b = %a) -> (vector<19xf32>) {"
    "        %v = \"tile.load\"(%x, %p, %r, %s) {map = affine_map<(d)[p, r, s] -> (p * 2 + r - 1, d * 2 + s - 1)>,"
    "          pad = -0.5 : f32} : (memref<7x37xf32>, index, index, index) -> vector<19xf32>"
    "        %n = arith.addf %b, %v : vector<19xf32>"
    "        scf.yield %n : vector<19xf32> }"
    "      scf.yield %inner : vector<19xf32> }"
    "    \"tile.store\"(%sum, %y, %p) {map = affine_map<(d)[p] -> (p, d)>} : (vector<19xf32>, memref<4x19xf32>, index) "
    "-> ()"
    "  } return }";

// Padding that is the same in all lanes, and padding along the lanes of a contiguous row.
CASE(padded_rows) {
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 40; j++) {
      bool inside = i >= 1 && i < 4 && j >= 3 && j < 36;
      F(1)[i * 40 + j] = inside ? F(0)[(i - 1) * 33 + j - 3] : 7;
      bool row_inside = i >= 1 && i < 4;
      F(2)[i * 40 + j] = row_inside && j < 33 ? F(0)[(i - 1) * 33 + 32 - j] : 0;
    }
}
static const char padded_rows_code[] =
    "func.func private @k(%x: memref<3x33xf32>, %y: memref<5x40xf32>, %z: memref<5x40xf32>) {"
    "  %zero = arith.constant dense<0.0> : vector<7xf32>"
    "  scf.forall (%i) in (5) {"
    "    %v = \"tile.load\"(%x, %i) {map = affine_map<(d)[i] -> (i - 1, d - 3)>, pad = 7.0 : f32}"
    "      : (memref<3x33xf32>, index) -> vector<40xf32>"
    "    \"tile.store\"(%v, %y, %i) {map = affine_map<(d)[i] -> (i, d)>} : (vector<40xf32>, memref<5x40xf32>, index) "
    "-> ()"
    "    %w = \"tile.load\"(%x, %i) {map = affine_map<(d)[i] -> (i - 1, 32 - d)>, pad = 0.0 : f32}"
    "      : (memref<3x33xf32>, index) -> vector<33xf32>"
    "    \"tile.store\"(%w, %z, %i) {map = affine_map<(d)[i] -> (i, d)>} : (vector<33xf32>, memref<5x40xf32>, index) "
    "-> ()"
    "    \"tile.store\"(%zero, %z, %i) {map = affine_map<(d)[i] -> (i, d + 33)>} : (vector<7xf32>, memref<5x40xf32>, "
    "index) -> ()"
    "  } return }";

// Coordinates by division: linear only along the pieces, and not at all.
CASE(divided) {
  for (int i = 0; i < 96; i++)
    F(1)[i] = F(0)[i / 32 * 32 + i % 32];
  for (int i = 0; i < 33; i++) {
    F(2)[i] = F(0)[(i + 2) / 7 * 12 + (i + 2) % 7];
    F(3)[(i / 5) * 6 + i % 5] = F(2)[i];
  }
}
static const char divided_code[] =
    "func.func private @k(%x: memref<8x12xf32>, %y: memref<96xf32>, %z: memref<33xf32>, %w: memref<7x6xf32>) {"
    "  %c0 = arith.constant 0 : index %c16 = arith.constant 16 : index %c96 = arith.constant 96 : index"
    "  scf.forall (%t) in (1) {"
    "    scf.for %i = %c0 to %c96 step %c16 {"
    "      %v = \"tile.load\"(%x, %i) {map = affine_map<(d)[i] -> ((i + d) floordiv 12, (i + d) mod 12)>}"
    "        : (memref<8x12xf32>, index) -> vector<16xf32>"
    "      \"tile.store\"(%v, %y, %i) {map = affine_map<(d)[i] -> (((d + i) floordiv 32) * 32 + (d + i) mod 32)>}"
    "        : (vector<16xf32>, memref<96xf32>, index) -> () }"
    "    %c2 = arith.constant 2 : index"
    "    %u = \"tile.load\"(%x, %c2) {map = affine_map<(d)[s] -> ((d + s) floordiv 7, (d + s) mod 7)>}"
    "      : (memref<8x12xf32>, index) -> vector<33xf32>"
    "    \"tile.store\"(%u, %z) {map = affine_map<(d) -> (d)>} : (vector<33xf32>, memref<33xf32>) -> ()"
    "    \"tile.store\"(%u, %w) {map = affine_map<(d) -> (d floordiv 5, d mod 5)>} : (vector<33xf32>, memref<7x6xf32>) "
    "-> ()"
    "  } return }";

// Softmax of rows of 45, as blocks of 3 rows.
CASE(softmax) {
  for (int i = 0; i < 6; i++) {
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < 45; j++)
      max = fmax(max, (double)F(0)[i * 45 + j]);
    for (int j = 0; j < 45; j++)
      sum += exp((double)F(0)[i * 45 + j] - max);
    for (int j = 0; j < 45; j++)
      F(1)[i * 45 + j] = (float)(exp((double)F(0)[i * 45 + j] - max) / sum);
  }
}
static const char softmax_code[] =
    "func.func private @k(%x: memref<6x45xf32>, %y: memref<6x45xf32>) {"
    "  %lowest = arith.constant dense<0xFF800000> : vector<3xf32> %zero = arith.constant dense<0.0> : vector<3xf32>"
    "  scf.forall (%b) in (2) {"
    "    %v = \"tile.load\"(%x, %b) {map = affine_map<(i, j)[b] -> (b * 3 + i, j)>} : (memref<6x45xf32>, index) -> "
    "vector<3x45xf32>"
    "    %m = vector.multi_reduction <maximumf>, %v, %lowest [1] : vector<3x45xf32> to vector<3xf32>"
    "    %m0 = vector.broadcast %m : vector<3xf32> to vector<45x3xf32>"
    "    %mb = vector.transpose %m0, [1, 0] : vector<45x3xf32> to vector<3x45xf32>"
    "    %d = arith.subf %v, %mb : vector<3x45xf32>"
    "    %p = math.exp %d : vector<3x45xf32>"
    "    %l = vector.multi_reduction <add>, %p, %zero [1] : vector<3x45xf32> to vector<3xf32>"
    "    %l0 = vector.broadcast %l : vector<3xf32> to vector<45x3xf32>"
    "    %lb = vector.transpose %l0, [1, 0] : vector<45x3xf32> to vector<3x45xf32>"
    "    %q = arith.divf %p, %lb : vector<3x45xf32>"
    "    \"tile.store\"(%q, %y, %b) {map = affine_map<(i, j)[b] -> (b * 3 + i, j)>} : (vector<3x45xf32>, "
    "memref<6x45xf32>, index) -> ()"
    "  } return }";

// Every kind of reduction: over rows, columns, everything, into scalars.
CASE(reductions) {
  float *x = F(0), *out = F(1);
  for (int j = 0; j < 19; j++) {
    out[j] = 1;
    for (int i = 0; i < 2 * 3; i++)
      out[j] += x[i * 19 + j];
  }
  for (int i = 0; i < 2; i++) {
    out[19 + i] = INFINITY;
    for (int j = 0; j < 57; j++)
      out[19 + i] = fminf(out[19 + i], x[i * 57 + j]);
  }
  out[21] = 0.5f;
  for (int i = 0; i < 114; i++)
    out[21] += x[i];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 19; j++) {
      out[22 + i * 19 + j] = -INFINITY;
      for (int r = 0; r < 3; r++)
        out[22 + i * 19 + j] = fmaxf(out[22 + i * 19 + j], x[(i * 3 + r) * 19 + j]);
    }
}
static const char reductions_code[] =
    "func.func private @k(%x: memref<2x3x19xf32>, %y: memref<60xf32>) {"
    "  %one = arith.constant dense<1.0> : vector<19xf32> %high = arith.constant dense<0x7F800000> : vector<2xf32>"
    "  %low = arith.constant dense<0xFF800000> : vector<2x19xf32> %half = arith.constant 0.5 : f32"
    "  scf.forall (%t) in (1) {"
    "    %v = \"tile.load\"(%x) {map = affine_map<(i, j, k) -> (i, j, k)>} : (memref<2x3x19xf32>) -> vector<2x3x19xf32>"
    "    %a = vector.multi_reduction <add>, %v, %one [0, 1] : vector<2x3x19xf32> to vector<19xf32>"
    "    \"tile.store\"(%a, %y) {map = affine_map<(d) -> (d)>} : (vector<19xf32>, memref<60xf32>) -> ()"
    "    %b = vector.multi_reduction <minimumf>, %v, %high [1, 2] : vector<2x3x19xf32> to vector<2xf32>"
    "    \"tile.store\"(%b, %y) {map = affine_map<(d) -> (d + 19)>} : (vector<2xf32>, memref<60xf32>) -> ()"
    "    %c = vector.multi_reduction <add>, %v, %half [0, 1, 2] : vector<2x3x19xf32> to f32"
    "    %cv = vector.broadcast %c : f32 to vector<1xf32>"
    "    \"tile.store\"(%cv, %y) {map = affine_map<(d) -> (d + 21)>} : (vector<1xf32>, memref<60xf32>) -> ()"
    "    %e = vector.multi_reduction <maximumf>, %v, %low [1] : vector<2x3x19xf32> to vector<2x19xf32>"
    "    \"tile.store\"(%e, %y) {map = affine_map<(i, j) -> (i * 19 + j + 22)>} : (vector<2x19xf32>, memref<60xf32>) "
    "-> ()"
    "  } return }";

// A product of 9 x 40 and 40 x 33 on register tiles of 3 x 33.
CASE(product) {
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 33; j++) {
      double sum = 0;
      for (int k = 0; k < 40; k++)
        sum += (double)F(0)[i * 40 + k] * (double)F(1)[k * 33 + j];
      F(2)[i * 33 + j] = (float)sum;
    }
}
static const char product_code[] =
    "func.func private @k(%x: memref<9x40xf32>, %y: memref<40x33xf32>, %z: memref<9x33xf32>) {"
    "  %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c40 = arith.constant 40 : index"
    "  %zero = arith.constant dense<0.0> : vector<3x33xf32>"
    "  scf.forall (%b) in (3) {"
    "    %acc = scf.for %k = %c0 to %c40 step %c1 iter_args(%a = %zero) -> (vector<3x33xf32>) {"
    "      %u = \"tile.load\"(%x, %b, %k) {map = affine_map<(i)[b, k] -> (b * 3 + i, k)>} : (memref<9x40xf32>, index, "
    "index) -> vector<3xf32>"
    "      %v = \"tile.load\"(%y, %k) {map = affine_map<(j)[k] -> (k, j)>} : (memref<40x33xf32>, index) -> "
    "vector<33xf32>"
    "      %n = vector.outerproduct %u, %v, %a {kind = #vector.kind<add>} : vector<3xf32>, vector<33xf32>"
    "      scf.yield %n : vector<3x33xf32> }"
    "    \"tile.store\"(%acc, %z, %b) {map = affine_map<(i, j)[b] -> (b * 3 + i, j)>} : (vector<3x33xf32>, "
    "memref<9x33xf32>, index) -> ()"
    "  } return }";

// vector.contract with the right factor lying across, in i8 with an i32 sum; and a batch of rows.
CASE(contracts) {
  int32_t *out = b[2];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 18; j++)
      for (int k = 0; k < 6; k++)
        out[i * 18 + j] += BYTES(0)[i * 6 + k] * BYTES(1)[j * 6 + k];
}
static const char contracts_code[] =
    "func.func private @k(%x: memref<4x6xi8>, %y: memref<18x6xi8>, %z: memref<4x18xi32>) {"
    "  scf.forall (%t) in (1) {"
    "    %a = \"tile.load\"(%x) {map = affine_map<(i, k) -> (i, k)>} : (memref<4x6xi8>) -> vector<4x6xi8>"
    "    %b = \"tile.load\"(%y) {map = affine_map<(j, k) -> (j, k)>} : (memref<18x6xi8>) -> vector<18x6xi8>"
    "    %c = \"tile.load\"(%z) {map = affine_map<(i, j) -> (i, j)>} : (memref<4x18xi32>) -> vector<4x18xi32>"
    "    %n = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,"
    "      affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"],"
    "      kind = #vector.kind<add>} %a, %b, %c : vector<4x6xi8>, vector<18x6xi8> into vector<4x18xi32>"
    "    \"tile.store\"(%n, %z) {map = affine_map<(i, j) -> (i, j)>} : (vector<4x18xi32>, memref<4x18xi32>) -> ()"
    "  } return }";

// Rearranging: reshape, transpose, extract, slice, insert, constants, steps, broadcasts.
CASE(shapes) {
  float *x = F(0), *y = F(1);
  for (int i = 0; i < 24; i++)
    y[i] = x[i % 4 * 6 + i / 4]; // transposed 4 x 6
  for (int i = 0; i < 24; i++)
    y[24 + i] = x[i]; // 2 x 12 read from 4 x 6
  for (int i = 0; i < 6; i++)
    y[48 + i] = x[2 * 6 + i]; // row 2
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      y[54 + i * 3 + j] = x[(1 + i) * 6 + 2 + j]; // a slice
  for (int i = 0; i < 6; i++)
    y[60 + i] = i == 4 ? x[7] : x[i]; // an insertion
  static const float constant[] = {1, 2, 3, 5, 8};
  for (int i = 0; i < 5; i++)
    y[66 + i] = constant[i] + (float)(3 * i);
  y[71] = x[0];
  y[72] = x[23];
  y[73] = x[0] * x[23];
}
static const char shapes_code[] =
    "func.func private @k(%x: memref<4x6xf32>, %y: memref<74xf32>) {"
    "  %constant = arith.constant dense<[1.0, 2.0, 3.0, 5.0, 8.0]> : vector<5xf32>"
    "  %three = arith.constant dense<3.0> : vector<5xf32>"
    "  scf.forall (%t) in (1) {"
    "    %v = \"tile.load\"(%x) {map = affine_map<(i, j) -> (i, j)>} : (memref<4x6xf32>) -> vector<4x6xf32>"
    "    %a = vector.transpose %v, [1, 0] : vector<4x6xf32> to vector<6x4xf32>"
    "    \"tile.store\"(%a, %y) {map = affine_map<(i, j) -> (i * 4 + j)>} : (vector<6x4xf32>, memref<74xf32>) -> ()"
    "    %b = vector.shape_cast %v : vector<4x6xf32> to vector<2x12xf32>"
    "    \"tile.store\"(%b, %y) {map = affine_map<(i, j) -> (i * 12 + j + 24)>} : (vector<2x12xf32>, memref<74xf32>) "
    "-> ()"
    "    %c = vector.extract %v[2] : vector<6xf32> from vector<4x6xf32>"
    "    \"tile.store\"(%c, %y) {map = affine_map<(j) -> (j + 48)>} : (vector<6xf32>, memref<74xf32>) -> ()"
    "    %d = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 3], strides = [1, 1]} : vector<4x6xf32> "
    "to vector<2x3xf32>"
    "    \"tile.store\"(%d, %y) {map = affine_map<(i, j) -> (i * 3 + j + 54)>} : (vector<2x3xf32>, memref<74xf32>) -> "
    "()"
    "    %e = vector.extract %v[1, 1] : f32 from vector<4x6xf32>"
    "    %f = vector.extract %v[0] : vector<6xf32> from vector<4x6xf32>"
    "    %g = vector.insert %e, %f [4] : f32 into vector<6xf32>"
    "    \"tile.store\"(%g, %y) {map = affine_map<(j) -> (j + 60)>} : (vector<6xf32>, memref<74xf32>) -> ()"
    "    %s = vector.step : vector<5xindex>"
    "    %si = arith.index_cast %s : vector<5xindex> to vector<5xi32>"
    "    %sf = arith.sitofp %si : vector<5xi32> to vector<5xf32>"
    "    %sm = arith.mulf %sf, %three : vector<5xf32>"
    "    %sum = arith.addf %sm, %constant : vector<5xf32>"
    "    \"tile.store\"(%sum, %y) {map = affine_map<(j) -> (j + 66)>} : (vector<5xf32>, memref<74xf32>) -> ()"
    "    %first = vector.extract %v[0, 0] : f32 from vector<4x6xf32>"
    "    %last = vector.extract %v[3, 5] : f32 from vector<4x6xf32>"
    "    %pair = vector.from_elements %first, %last : vector<2xf32>"
    "    \"tile.store\"(%pair, %y) {map = affine_map<(j) -> (j + 71)>} : (vector<2xf32>, memref<74xf32>) -> ()"
    "    %times = arith.mulf %first, %last : f32"
    "    %one = vector.broadcast %times : f32 to vector<1xf32>"
    "    \"tile.store\"(%one, %y) {map = affine_map<(j) -> (j + 73)>} : (vector<1xf32>, memref<74xf32>) -> ()"
    "  } return }";

// Tasks of two dims, branches that yield vectors, comparisons stored as bytes, scratch memory.
CASE(branches) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 21; k++) {
        float v = F(0)[(i * 3 + j) * 21 + k], w = j == 1 ? v + v : -v;
        F(1)[(i * 3 + j) * 21 + 20 - k] = w;
        BYTES(2)[(i * 3 + j) * 21 + k] = v < 0.25f;
      }
}
static const char branches_code[] =
    "func.func private @k(%x: memref<2x3x21xf32>, %y: memref<2x3x21xf32>, %z: memref<2x3x21xi8>) {"
    "  %c1 = arith.constant 1 : index %quarter = arith.constant dense<0.25> : vector<21xf32>"
    "  scf.forall (%i, %j) in (2, 3) {"
    "    %t = memref.alloc() {tile.scratch} : memref<21xf32>"
    "    %v = \"tile.load\"(%x, %i, %j) {map = affine_map<(k)[i, j] -> (i, j, k)>} : (memref<2x3x21xf32>, index, "
    "index) -> vector<21xf32>"
    "    %c = arith.cmpi eq, %j, %c1 : index"
    "    %w = scf.if %c -> vector<21xf32> {"
    "      %a = arith.addf %v, %v : vector<21xf32> scf.yield %a : vector<21xf32>"
    "    } else { %n = arith.negf %v : vector<21xf32> scf.yield %n : vector<21xf32> }"
    "    \"tile.store\"(%w, %t) {map = affine_map<(k) -> (k)>} : (vector<21xf32>, memref<21xf32>) -> ()"
    "    %r = \"tile.load\"(%t) {map = affine_map<(k) -> (20 - k)>} : (memref<21xf32>) -> vector<21xf32>"
    "    \"tile.store\"(%r, %y, %i, %j) {map = affine_map<(k)[i, j] -> (i, j, k)>} : (vector<21xf32>, "
    "memref<2x3x21xf32>, index, index) -> ()"
    "    %l = arith.cmpf olt, %v, %quarter : vector<21xf32>"
    "    %b = arith.extui %l : vector<21xi1> to vector<21xi8>"
    "    \"tile.store\"(%b, %z, %i, %j) {map = affine_map<(k)[i, j] -> (i, j, k)>} : (vector<21xi8>, "
    "memref<2x3x21xi8>, index, index) -> ()"
    "  } return }";

// Scalar code: loops, memory of its own, a libm call, a read that depends on data.
CASE(scalar) {
  const int32_t *index = b[1];
  for (int i = 0; i < 5; i++) {
    double sum = 0;
    for (int j = 0; j < 7; j++)
      sum += exp((double)F(0)[i * 7 + j]);
    int at = index[i] < 0 ? 0 : index[i] > 34 ? 34 : index[i];
    F(2)[i] = (float)(asin(sum / 100) + (double)F(0)[at]);
  }
}
static const char scalar_code[] =
    "func.func private @k(%x: memref<5x7xf32>, %n: memref<5xi32>, %y: memref<5xf32>) {"
    "  %zero = arith.constant 0.0 : f32 %hundred = arith.constant 100.0 : f32"
    "  %c0 = arith.constant 0 : index %c7 = arith.constant 7 : index %c34 = arith.constant 34 : index"
    "  scf.forall (%t) in (5) {"
    "    %e = memref.alloc() : memref<7xf32>"
    "    affine.parallel (%j) = (0) to (7) {"
    "      %v = memref.load %x[%t, %j] : memref<5x7xf32> %p = math.exp %v : f32 memref.store %p, %e[%j] : "
    "memref<7xf32> }"
    "    %s = affine.for %j = 0 to 7 iter_args(%a = %zero) -> (f32) {"
    "      %v = affine.load %e[%j] : memref<7xf32> %w = arith.addf %a, %v : f32 affine.yield %w : f32 }"
    "    %q = arith.divf %s, %hundred : f32 %r = math.asin %q : f32"
    "    %i = memref.load %n[%t] : memref<5xi32> %ii = arith.index_cast %i : i32 to index"
    "    %i0 = arith.maxsi %ii, %c0 : index %i1 = arith.minsi %i0, %c34 : index"
    "    %row = arith.divui %i1, %c7 : index %column = arith.remui %i1, %c7 : index"
    "    %g = memref.load %x[%row, %column] : memref<5x7xf32>"
    "    %z = arith.addf %r, %g : f32 memref.store %z, %y[%t] : memref<5xf32>"
    "  } return }";

// Integers: powers, floor division by vectors, 64-bit sums.
CASE(integers) {
  int64_t *x = b[0], *y = b[1], *z = b[2];
  for (int i = 0; i < 11; i++) {
    uint64_t power = 1; // powers wrap
    for (int64_t k = 0; k < (y[i] & 7); k++)
      power *= (uint64_t)x[i];
    int64_t divisor = y[i] | 1, floor = x[i] / divisor - (x[i] % divisor != 0 && (x[i] < 0) != (divisor < 0));
    z[i] = (int64_t)(power + (uint64_t)floor);
  }
}
static const char integers_code[] =
    "func.func private @k(%x: memref<11xi64>, %y: memref<11xi64>, %z: memref<11xi64>) {"
    "  %seven = arith.constant dense<7> : vector<11xi64> %one = arith.constant dense<1> : vector<11xi64>"
    "  scf.forall (%t) in (1) {"
    "    %a = \"tile.load\"(%x) {map = affine_map<(d) -> (d)>} : (memref<11xi64>) -> vector<11xi64>"
    "    %b = \"tile.load\"(%y) {map = affine_map<(d) -> (d)>} : (memref<11xi64>) -> vector<11xi64>"
    "    %e = arith.andi %b, %seven : vector<11xi64> %p = math.ipowi %a, %e : vector<11xi64>"
    "    %d = arith.ori %b, %one : vector<11xi64> %q = arith.floordivsi %a, %d : vector<11xi64>"
    "    %s = arith.addi %p, %q : vector<11xi64>"
    "    \"tile.store\"(%s, %z) {map = affine_map<(d) -> (d)>} : (vector<11xi64>, memref<11xi64>) -> ()"
    "  } return }";

// 16-bit floats as doubles, and back with rounding to nearest even; |bits| of mantissa,
// exponents from |lowest| on.
typedef struct {
  int lowest, bits;
} half_t;
static const half_t f16 = {-14, 10}, bf16 = {-126, 7};

static double from_half(half_t h, uint16_t x) {
  int exponent = (x & 0x7fff) >> h.bits, mantissa = x & ((1 << h.bits) - 1), top = 0x7fff >> h.bits;
  double value =
      ldexp(mantissa + (exponent > 0 ? 1 << h.bits : 0), (exponent > 0 ? exponent - 1 : 0) + h.lowest - h.bits);
  if (exponent == top)
    value = mantissa ? (double)NAN : (double)INFINITY;
  return x & 0x8000 ? -value : value;
}

static uint16_t to_half(half_t h, double x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = (uint16_t)((0x7fff >> h.bits) << h.bits);
  x = fabs(x);
  if (isnan(x))
    return 0x7fff; // any NaN will do
  int exponent = x > 0 ? ilogb(x) : h.lowest;
  exponent = exponent < h.lowest ? h.lowest : exponent;
  double units = isinf(x) ? x : nearbyint(ldexp(x, h.bits - exponent)); // a carry runs on into the exponent
  double field = units + ldexp(exponent - h.lowest, h.bits);
  return sign | (field >= infinity ? infinity : (uint16_t)field);
}

CASE(from_halves) {
  for (int i = 0; i < 40000; i++) {
    F(1)[i] = (float)from_half(f16, ((uint16_t *)b[0])[i]);
    F(2)[i] = (float)from_half(bf16, ((uint16_t *)b[0])[i]);
  }
}
#define LOAD(v, m, type)                                                                                               \
  v " = \"tile.load\"(" m ", %t) {map = affine_map<(d)[t] -> (t * 40 + d)>} : (memref<40000x" type ">, index)"         \
    " -> vector<40x" type ">\n"
#define STORE(v, m, type)                                                                                              \
  "\"tile.store\"(" v ", " m ", %t) {map = affine_map<(d)[t] -> (t * 40 + d)>}"                                        \
  " : (vector<40x" type ">, memref<40000x" type ">, index) -> ()\n"
static const char from_halves_code[] =
    "func.func private @k(%x: memref<40000xi16>, %y: memref<40000xf32>, %z: memref<40000xf32>) {"
    "  scf.forall (%t) in (1000) {" LOAD(
        "%v", "%x", "i16") "    %a = arith.bitcast %v : vector<40xi16> to vector<40xf16>"
                           "    %b = arith.bitcast %v : vector<40xi16> to vector<40xbf16>"
                           "    %c = arith.extf %a : vector<40xf16> to vector<40xf32>"
                           "    %d = arith.extf %b : vector<40xbf16> to vector<40xf32>" STORE("%c", "%y", "f32")
                               STORE("%d", "%z", "f32") "  } return }";

// Rounded, and read back.
CASE(to_halves) {
  for (int i = 0; i < 40000; i++) {
    float x;
    memcpy(&x, (char *)b[0] + 4 * i, 4);
    F(1)[i] = (float)from_half(f16, to_half(f16, (double)x));
    F(2)[i] = (float)from_half(bf16, to_half(bf16, (double)x));
    F(3)[i] = (float)from_half(f16, to_half(f16, (double)x * 1.000000001));
  }
}
static const char to_halves_code[] =
    "func.func private @k(%x: memref<40000xi32>, %y: memref<40000xf32>, %z: memref<40000xf32>, %w: memref<40000xf32>) {"
    "  %little = arith.constant dense<1.000000001> : vector<40xf64>"
    "  scf.forall (%t) in (1000) {" LOAD(
        "%i", "%x", "i32") "    %v = arith.bitcast %i : vector<40xi32> to vector<40xf32>"
                           "    %a = arith.truncf %v : vector<40xf32> to vector<40xf16>"
                           "    %b = arith.truncf %v : vector<40xf32> to vector<40xbf16>"
                           "    %c = arith.extf %a : vector<40xf16> to vector<40xf32>"
                           "    %d = arith.extf %b : vector<40xbf16> to vector<40xf32>" STORE("%c", "%y", "f32") STORE(
                               "%d", "%z", "f32") "    %e = arith.extf %v : vector<40xf32> to vector<40xf64>"
                                                  "    %f = arith.mulf %e, %little : vector<40xf64>"
                                                  "    %g = arith.truncf %f : vector<40xf64> to vector<40xf16>"
                                                  "    %h = arith.extf %g : vector<40xf16> to vector<40xf32>" STORE(
                                                      "%h", "%w", "f32") "  } return }";

// Blocks that lie across: transposed in registers on the way in, between, and on the way out; whole and partial ones.
CASE(across) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 21; i++)
      for (int j = 0; j < 18; j++) {
        float v = F(0)[(k * 18 + j) * 21 + i];
        F(1)[(k * 21 + i) * 18 + j] = v + 1;
        F(2)[(k * 18 + j) * 21 + i] = v + 2;
        F(3)[(j * 2 + k) * 21 + i] = -v;
      }
}
static const char across_code[] =
    "func.func private @k(%x: memref<2x18x21xf32>, %y: memref<2x21x18xf32>, %z: memref<2x18x21xf32>,"
    "                     %w: memref<18x2x21xf32>) {"
    "  %one = arith.constant dense<1.0> : vector<2x21x18xf32>"
    "  scf.forall (%t) in (1) {"
    "    %v = \"tile.load\"(%x) {map = affine_map<(k, i, j) -> (k, j, i)>} : (memref<2x18x21xf32>) -> "
    "vector<2x21x18xf32>"
    "    %a = arith.addf %v, %one : vector<2x21x18xf32>"
    "    \"tile.store\"(%a, %y) {map = affine_map<(k, i, j) -> (k, i, j)>} : (vector<2x21x18xf32>, "
    "memref<2x21x18xf32>) -> ()"
    "    %b = arith.addf %a, %one : vector<2x21x18xf32>"
    "    %c = vector.transpose %b, [0, 2, 1] : vector<2x21x18xf32> to vector<2x18x21xf32>"
    "    \"tile.store\"(%c, %z) {map = affine_map<(k, j, i) -> (k, j, i)>} : (vector<2x18x21xf32>, "
    "memref<2x18x21xf32>) -> ()"
    "    %d = arith.negf %v : vector<2x21x18xf32>"
    "    \"tile.store\"(%d, %w) {map = affine_map<(k, i, j) -> (j, k, i)>} : (vector<2x21x18xf32>, "
    "memref<18x2x21xf32>) -> ()"
    "  } return }";

// A result larger than the caches: stored past them where it is aligned, which it is in one of the two runs.
enum { LARGE = 128 * 65536 + 1 };
CASE(large) {
  for (int i = 0; i < LARGE - 1; i++)
    F(1)[i] = -F(0)[i & 65535];
}
static const char large_code[] =
    "func.func private @k(%x: memref<65536xf32>, %y: memref<8388609xf32>) {"
    "  %c0 = arith.constant 0 : index %c64 = arith.constant 64 : index %c65536 = arith.constant 65536 : index"
    "  scf.forall (%t) in (128) {"
    "    scf.for %s = %c0 to %c65536 step %c64 {"
    "      %v = \"tile.load\"(%x, %s) {map = affine_map<(d)[s] -> (s + d)>} : (memref<65536xf32>, index) -> "
    "vector<64xf32>"
    "      %n = arith.negf %v : vector<64xf32>"
    "      \"tile.store\"(%n, %y, %t, %s) {map = affine_map<(d)[t, s] -> (t * 65536 + s + d)>}"
    "        : (vector<64xf32>, memref<8388609xf32>, index, index) -> () }"
    "  } return }";

#define TEST(id, n, ...)                                                                                               \
  { .name = #id, .code = id##_code, .n_buffers = n, .buffers = {__VA_ARGS__}, .reference = id##_reference }
static const case_t cases[] = {
    TEST(map, 3, {F32, 111}, {F32, 111}, {F32, 111}),
    TEST(steps, 2, {F32, 155}, {F32, 161}),
    TEST(transposed, 4, {F32, 105}, {F32, 21}, {F32, 105}, {F32, 105}),
    TEST(padded, 2, {F32, 259}, {F32, 76}),
    TEST(padded_rows, 3, {F32, 99}, {F32, 200}, {F32, 200}),
    TEST(divided, 4, {F32, 96}, {F32, 96}, {F32, 33}, {F32, 42}),
    TEST(softmax, 2, {F32, 270}, {F32, 270}),
    TEST(reductions, 2, {F32, 114}, {F32, 60}),
    TEST(product, 3, {F32, 360}, {F32, 1320}, {F32, 297}),
    TEST(contracts, 3, {I8, 24}, {I8, 108}, {I32, 72}),
    TEST(shapes, 2, {F32, 24}, {F32, 74}),
    TEST(branches, 3, {F32, 126}, {F32, 126}, {I8, 126}),
    TEST(scalar, 3, {F32, 35}, {I32, 5}, {F32, 5}),
    TEST(from_halves, 3, {U16, 40000}, {EXACT, 40000}, {EXACT, 40000}),
    TEST(to_halves, 4, {BITS, 40000}, {EXACT, 40000}, {EXACT, 40000}, {EXACT, 40000}),
    TEST(across, 4, {F32, 756}, {F32, 756}, {F32, 756}, {F32, 756}),
    TEST(large, 2, {F32, 65536}, {F32, LARGE}),
    TEST(integers, 3, {I64, 11}, {I64, 11}, {I64, 11}),
};

// Rows of the device table whose code this machine runs.
static bool can_run(const char *name) {
  strata_compile_options_t options = {.device = name, .jobs = 1};
  strata_compile_t compile = {.arena = strata_arena_create(), .options = &options};
  const strata_cpu_device_t *device, *host = strata_cpu_host_device();
  strata_status_t status = strata_cpu_device(&compile, &device);
  bool result = !status && strncmp(device->triple, "x86_64", 6) == 0 && strncmp(host->triple, "x86_64", 6) == 0 &&
                device->vector_bytes <= host->vector_bytes && device->has_fma <= host->has_fma;
  strata_status_free(status);
  strata_arena_destroy(compile.arena);
  return result;
}

int main(int argc, char **argv) {
  static const char *const devices[] = {"host", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
    for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++)
      if ((i == 0 || can_run(devices[i])) && (argc < 2 || strcmp(argv[1], cases[j].name) == 0))
        run_case(&cases[j], devices[i]);
  if (failures == 0)
    printf("ok\n");
  return failures > 0;
}
