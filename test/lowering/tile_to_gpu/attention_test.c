// Attention from level 3 to machine code: kernels made by attention_kernel.py compute on the emulated device what
// arithmetic in f64 does, for sizes that fill their tiles and sizes that do not; and for the real one they assemble
// without a spill or a complaint.
#define _GNU_SOURCE // popen
#include "lowering/pipeline.h"
#include "runtime/base/process.h"
#include "test/targets/gpu/driver.h"
#include "test/targets/gpu/generate.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int batch, heads, rows, columns, dim, value_dim;
  const char *type;
  int threads, tile_columns, blocks;
  const char *options;
} case_t;

static const char *print_kernel(strata_arena_t *arena, const case_t *c) {
  const char *source = getenv("STRATA_SOURCE"), *text;
  const char *line = strata_arena_printf(
      arena, "python3 '%s/test/lowering/tile_to_gpu/attention_kernel.py' %d %d %d %d %d %d %s %d %d %d %s",
      source ? source : ".", c->batch, c->heads, c->rows, c->columns, c->dim, c->value_dim, c->type, c->threads,
      c->tile_columns, c->blocks, c->options);
  const char *const command[] = {"sh", "-c", line, NULL};
  return is_ok(strata_process_read(arena, command, &text)) ? text : NULL;
}

static strata_status_t to_level_4(strata_compile_t *compile, const char *device, const char *text) {
  static strata_compile_options_t options;
  options = (strata_compile_options_t){.jobs = 1, .opt_level = 3, .target = STRATA_TARGET_NVGPU, .device = device};
  STRATA_TRY(strata_compile_init(compile, &options));
  mlirModuleDestroy(compile->module);
  compile->module = mlirModuleCreateParse(compile->context, strata_str(text));
  CHECK(!mlirModuleIsNull(compile->module));
  STRATA_TRY(strata_pass_tile_to_gpu(compile));
  return strata_compile_verify(compile);
}

static strata_status_t to_code(strata_compile_t *compile, strata_gpu_binary_t *out_binary) {
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_pass_kernels_to_llvm(compile));
  STRATA_TRY(strata_compile_verify(compile));
  STRATA_TRY(strata_gpu_device(compile, &device));
  return strata_gpu_compile_kernels(compile, strata_kernels_find(compile), device, out_binary);
}

//===-- Machine code ---------------------------------------------------------------------------------------------===//

static void write_file(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(data, 1, size, file) == size && !fclose(file));
}

static void check_code(strata_arena_t *arena, const case_t *c) {
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  const char *text = print_kernel(arena, c), *dump = getenv("STRATA_DUMP");
  if (!text || !is_ok(to_level_4(&compile, "sm_90a", text)) || !is_ok(to_code(&compile, &binary)))
    return (void)check_failures++;
  if (dump) {
    write_file(strata_arena_printf(arena, "%s.ptx", dump), binary.assembly, strlen(binary.assembly));
    write_file(strata_arena_printf(arena, "%s.cubin", dump), binary.images[0].data, binary.images[0].size);
  }
  if (binary.assembler) {
    CHECK(binary.n_resources == 1 && binary.resources[0].spills == 0 && binary.resources[0].stack == 0);
    CHECK_STR(binary.complaints ? binary.complaints : "", "");
  }
  strata_compile_deinit(&compile);
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

enum { BUFFERS = 5, MAX_MAPS = 8, MAP_WORDS = 16, MAX_RANK = 5, BF16 = 9, F16 = 6, SHARED = 8 };

typedef struct { // the kernel's parameters, as the driver wants them
  uint64_t buffers[BUFFERS], padding[8 - BUFFERS], maps[MAX_MAPS][MAP_WORDS];
} parameters_t;

static int read_list(MlirAttribute map, const char *name, int64_t *out) {
  MlirAttribute list = mlirDictionaryAttrGetElementByName(map, strata_str(name));
  int n = (int)mlirDenseArrayGetNumElements(list);
  for (int i = 0; i < n; i++)
    out[i] = mlirDenseI64ArrayGetElement(list, i);
  return n;
}

static int64_t read_number(MlirAttribute map, const char *name) {
  return mlirIntegerAttrGetValueInt(mlirDictionaryAttrGetElementByName(map, strata_str(name)));
}

static void encode(MlirAttribute map, const case_t *c, parameters_t *parameters, uint64_t *out) {
  int64_t sizes[MAX_RANK], strides[MAX_RANK], box[MAX_RANK], steps[MAX_RANK];
  uint64_t sizes64[MAX_RANK], strides64[MAX_RANK];
  uint32_t box32[MAX_RANK], steps32[MAX_RANK];
  int rank = read_list(map, "sizes", sizes);
  read_list(map, "strides", strides);
  read_list(map, "box", box);
  read_list(map, "steps", steps);
  for (int i = 0; i < rank; i++) {
    sizes64[i] = (uint64_t)sizes[i];
    strides64[i] = i + 1 < rank ? (uint64_t)strides[i] : 0;
    box32[i] = (uint32_t)box[i];
    steps32[i] = (uint32_t)steps[i];
  }
  int64_t swizzle = read_number(map, "swizzle");
  CHECK(swizzle == 128 || swizzle == 64 || swizzle == 32);
  CHECK(CALL("cuTensorMapEncodeTiled",
             (void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
              int, int, int, int),
             out, *c->type == 'b' ? BF16 : F16, (unsigned)rank,
             (void *)(uintptr_t)parameters->buffers[read_number(map, "buffer")], sizes64, strides64, box32, steps32, 0,
             swizzle == 128  ? 3
             : swizzle == 64 ? 2
                             : 1,
             0, 0));
}

// What the kernel's attributes at level 4 say.
typedef struct {
  unsigned blocks, shared;
  size_t n_maps;
} shape_t;

static void launch(const strata_gpu_binary_t *binary, const case_t *c, shape_t shape, parameters_t *parameters) {
  void *module = NULL, *function = NULL;
  size_t size = offsetof(parameters_t, maps) + shape.n_maps * sizeof *parameters->maps;
  void *extra[] = {(void *)1, parameters, (void *)2, &size, NULL};
  const launch_t config = {
      .grid = {shape.blocks, 1, 1}, .block = {(unsigned)c->threads + 128, 1, 1}, .shared = shape.shared};
  CHECK(CALL("cuModuleLoadData", (void **, const void *), &module, binary->images[0].data));
  CHECK(CALL("cuModuleGetFunction", (void **, void *, const char *), &function, module, "attention"));
  CHECK(CALL("cuFuncSetAttribute", (void *, int, int), function, SHARED, (int)shape.shared));
  CHECK(CALL("cuLaunchKernelEx", (const launch_t *, void *, void **, void **), &config, function, NULL, extra));
  CHECK(CALL("cuStreamSynchronize", (void *), NULL));
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

static uint16_t round_to(const char *type, float value) {
  union {
    float value;
    uint32_t bits;
  } word = {value};
  if (*type == 'b')
    return (uint16_t)((word.bits + 0x7fff + (word.bits >> 16 & 1)) >> 16);
  _Float16 half = (_Float16)value;
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}

static double read_from(const char *type, uint16_t bits) {
  union {
    uint32_t bits;
    float value;
  } word = {(uint32_t)bits << 16};
  _Float16 half;
  memcpy(&half, &bits, sizeof half);
  return *type == 'b' ? (double)word.value : (double)half;
}

// Something like normally distributed, of deviation |deviation|.
static float draw(uint64_t *state, double deviation) {
  double sum = 0;
  for (int i = 0; i < 12; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (double)(*state >> 40) / (1 << 24);
  }
  return (float)((sum - 6) * deviation);
}

static uint16_t *fill(strata_arena_t *arena, const char *type, int64_t n, uint64_t seed, double deviation) {
  uint16_t *values = strata_arena_array(arena, uint16_t, n);
  for (int64_t i = 0; i < n; i++)
    values[i] = round_to(type, draw(&seed, deviation));
  return values;
}

typedef struct {
  const uint16_t *q, *k, *v;
  const float *mask; // NULL: none
} inputs_t;

// Row |i| of head |h| of batch |b|.
static void compute_row(const case_t *c, const inputs_t *in, int b, int h, int i, double *scores, double *out) {
  double most = -INFINITY, sum = 0;
  int n = strstr(c->options, "causal") ? i + 1 : c->columns;
  for (int j = 0; j < n; j++) {
    double score = 0;
    for (int e = 0; e < c->dim; e++)
      score += read_from(c->type, in->q[(((int64_t)b * c->rows + i) * c->heads + h) * c->dim + e]) *
               read_from(c->type, in->k[(((int64_t)b * c->columns + j) * c->heads + h) * c->dim + e]);
    scores[j] = score / sqrt(c->dim) + (in->mask ? (double)in->mask[b * c->columns + j] : 0);
    most = scores[j] > most ? scores[j] : most;
  }
  memset(out, 0, (size_t)c->value_dim * sizeof *out);
  for (int j = 0; j < n; j++) {
    double weight = exp(scores[j] - most);
    sum += weight;
    for (int e = 0; e < c->value_dim; e++)
      out[e] += weight * read_from(c->type, in->v[(((int64_t)b * c->columns + j) * c->heads + h) * c->value_dim + e]);
  }
  for (int e = 0; e < c->value_dim; e++)
    out[e] /= sum;
}

static void check_result_of(strata_arena_t *arena, const case_t *c, const inputs_t *in, const uint16_t *got) {
  double *scores = strata_arena_array(arena, double, c->columns),
         *row = strata_arena_array(arena, double, c->value_dim);
  double difference = 0, norm = 0;
  for (int b = 0; b < c->batch; b++)
    for (int i = 0; i < c->rows; i++)
      for (int h = 0; h < c->heads; h++) {
        compute_row(c, in, b, h, i, scores, row);
        for (int e = 0; e < c->value_dim; e++, got++) {
          double error = read_from(c->type, *got) - row[e];
          difference += error * error;
          norm += row[e] * row[e];
        }
      }
  double error = sqrt(difference / norm);
  CHECK(error < (*c->type == 'b' ? 4e-3 : 6e-4));
  if (!(error < 4e-3) || getenv("STRATA_DUMP"))
    fprintf(stderr, "%dx%dx%dx%dx%dx%d %s %d %d %s: %.2e\n", c->batch, c->heads, c->rows, c->columns, c->dim,
            c->value_dim, c->type, c->threads, c->tile_columns, c->options, error);
}

static void run_kernel(strata_arena_t *arena, const case_t *c, strata_compile_t *compile) {
  static _Alignas(64) parameters_t parameters;
  strata_gpu_binary_t binary;
  int64_t n = (int64_t)c->batch * c->heads, n_q = n * c->rows * c->dim, n_k = n * c->columns * c->dim;
  int64_t n_v = n * c->columns * c->value_dim, n_o = n * c->rows * c->value_dim;
  float *mask = strata_arena_array(arena, float, c->batch * c->columns);
  for (int i = 0; i < c->batch * c->columns; i++)
    mask[i] = i % 7 == 3 ? -3.4e38f : (float)(i % 5) * 0.5f;
  inputs_t in = {fill(arena, c->type, n_q, 1, 2), fill(arena, c->type, n_k, 2, 1), fill(arena, c->type, n_v, 3, 1),
                 strstr(c->options, "mask") ? mask : NULL};
  uint16_t *o = strata_arena_array(arena, uint16_t, n_o);
  memset(o, 0xff, (size_t)n_o * 2);
  const struct {
    const void *data;
    int64_t size;
  } buffers[BUFFERS] = {
      {in.q, 2 * n_q}, {in.k, 2 * n_k}, {in.v, 2 * n_v}, {mask, 4 * c->batch * c->columns}, {o, 2 * n_o}};
  for (int i = 0; i < BUFFERS; i++)
    parameters.buffers[i] = upload(buffers[i].data, (size_t)buffers[i].size);
  MlirOperation kernel = strata_find_func(strata_kernels_find(compile), "attention");
  MlirAttribute maps = strata_attr(kernel, "strata.maps");
  shape_t shape = {(unsigned)strata_attr_i64(kernel, "strata.blocks", 0),
                   (unsigned)strata_attr_i64(kernel, "strata.shared", 0), (size_t)mlirArrayAttrGetNumElements(maps)};
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps); i++)
    encode(mlirArrayAttrGetElement(maps, i), c, &parameters, parameters.maps[i]);
  if (!is_ok(to_code(compile, &binary)))
    return (void)check_failures++;
  launch(&binary, c, shape, &parameters);
  CHECK(CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), o, parameters.buffers[4], (size_t)n_o * 2));
  check_result_of(arena, c, &in, o);
}

static void check_emulated(const case_t *c) {
  strata_arena_t *arena = strata_arena_create();
  strata_compile_t compile;
  const char *text = print_kernel(arena, c);
  if (!text || !is_ok(to_level_4(&compile, "emulated_90", text)))
    check_failures++;
  else
    run_kernel(arena, c, &compile);
  strata_compile_deinit(&compile);
  strata_arena_destroy(arena);
}

static bool load_driver(strata_arena_t *arena) {
  const char *folder = getenv("STRATA_TEST_BIN");
  void *context = NULL;
  driver =
      dlopen(strata_arena_printf(arena, "%s/libstrata_test_cuda.so", folder ? folder : "."), RTLD_NOW | RTLD_GLOBAL);
  return driver && CALL("cuInit", (unsigned), 0) && CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0) &&
         CALL("cuCtxSetCurrent", (void *), context);
}

//===-- Cases ----------------------------------------------------------------------------------------------------===//

static const case_t codes[] = {
    {8, 16, 2048, 2048, 128, 128, "bf16", 256, 128, 132, ""},
    {8, 16, 2048, 2048, 64, 64, "bf16", 256, 128, 132, ""},
    {32, 12, 197, 197, 64, 64, "bf16", 256, 208, 132, ""},
    {8, 12, 512, 512, 64, 64, "f16", 256, 128, 132, "mask"},
    {8, 16, 2048, 2048, 64, 64, "bf16", 384, 128, 132, ""},
    {8, 16, 2048, 2048, 64, 64, "bf16", 256, 128, 132, "causal"},
};

static const case_t runs[] = {
    {1, 2, 128, 128, 64, 64, "bf16", 256, 64, 2, ""},       {2, 2, 200, 200, 64, 64, "bf16", 256, 112, 3, "mask"},
    {1, 1, 130, 130, 128, 128, "f16", 256, 128, 1, ""},     {1, 3, 70, 200, 16, 32, "f16", 128, 80, 2, "mask"},
    {1, 1, 197, 197, 80, 64, "bf16", 256, 208, 132, ""},    {1, 2, 300, 300, 64, 64, "bf16", 256, 64, 4, "causal"},
    {1, 1, 400, 320, 64, 64, "f16", 384, 128, 132, "mask"}, {1, 1, 256, 300, 96, 128, "bf16", 512, 64, 132, ""},
};

int main(int argc, char **argv) {
  strata_arena_t *arena = strata_arena_create();
  if (argc > 10) { // one case by its numbers
    const int *n = (int[]){atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atoi(argv[6])};
    case_t c = {n[0],
                n[1],
                n[2],
                n[3],
                n[4],
                n[5],
                argv[7],
                atoi(argv[8]),
                atoi(argv[9]),
                atoi(argv[10]),
                argc > 11 ? argv[11] : ""};
    check_code(arena, &c);
    return check_result();
  }
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    check_code(arena, &codes[i]);
  CHECK(load_driver(arena));
  for (size_t i = 0; driver && i < sizeof runs / sizeof runs[0]; i++)
    check_emulated(&runs[i]);
  strata_arena_destroy(arena);
  return check_result();
}
