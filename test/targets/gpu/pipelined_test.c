// A pipelined product as machine code: one that fills the registers, made by pipelined_kernel.py, assembles without a
// spill, a complaint or a move of its sums, and computes the product on the emulated device; complaints are seen where
// there is reason to.
#define _GNU_SOURCE // popen
#include "runtime/base/process.h"
#include "test/targets/gpu/driver.h"
#include "test/targets/gpu/generate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static strata_status_t generate_for(strata_compile_t *compile, const char *device_name, const char *text,
                                    strata_gpu_binary_t *out_binary) {
  const strata_compile_options_t options = {
      .jobs = 1, .opt_level = 3, .target = STRATA_TARGET_NVGPU, .device = device_name};
  return generate(compile, &options, text, out_binary);
}

//===-- Machine code ---------------------------------------------------------------------------------------------===//

static const char *disassemble(strata_arena_t *arena, const strata_gpu_image_t *image) {
  const char *home = getenv("CUDA_HOME"), *text = NULL;
  const char *const names[] = {"nvdisasm", strata_arena_printf(arena, "%s/bin/nvdisasm", home ? home : ""),
                               "/usr/local/cuda/bin/nvdisasm", NULL};
  const char *program = strata_process_find(arena, names);
  if (!program)
    return NULL;
  FILE *file = fopen("kernel.cubin", "wb");
  CHECK(file && fwrite(image->data, 1, image->size, file) == image->size && !fclose(file));
  const char *const arguments[] = {program, "-c", "kernel.cubin", NULL};
  CHECK(is_ok(strata_process_read(arena, arguments, &text)));
  unlink("kernel.cubin");
  return text;
}

// A loop of four products and one wait, without moves between the first and the last.
static void check_loop(const char *text) {
  int n = 0;
  for (const char *line = strstr(text, "HGMMA.64x256x16.F32.BF16"); line; line = strchr(line + 1, '\n')) {
    size_t length = strcspn(line + 1, "\n");
    const char *move = strstr(line + 1, " MOV R");
    n += strstr(line, "HGMMA") && strstr(line, "HGMMA") < line + length;
    CHECK(!move || move > line + length);
    if (n == 4)
      break;
  }
  CHECK(n == 4);
  CHECK(strstr(text, "WARPGROUP.DEPBAR.LE gsb0, 0x0"));
  CHECK(strstr(text, "UTMALDG.2D"));
  CHECK(strstr(text, "USETMAXREG"));
  CHECK(!strstr(text, "STL") && !strstr(text, "LDL"));
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

static const char *print_kernel(strata_arena_t *arena, const char *arguments) {
  const char *source = getenv("STRATA_SOURCE"), *text;
  const char *const command[] = {"sh", "-c",
                                 strata_arena_printf(arena, "python3 '%s/test/targets/gpu/pipelined_kernel.py' %s",
                                                     source ? source : ".", arguments),
                                 NULL};
  return is_ok(strata_process_read(arena, command, &text)) ? text : NULL;
}

static void check_kernel(strata_arena_t *arena, const char *arguments) {
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  const char *text = print_kernel(arena, arguments);
  CHECK(text);
  if (!text || !is_ok(generate_for(&compile, "sm_90a", text, &binary)))
    return (void)check_failures++;
  const strata_gpu_image_t *last = &binary.images[binary.n_images - 1];
  CHECK(binary.n_images == 1 && last->last == last->arch); // no other device has these instructions
  CHECK(binary.assembler || strstr(last->data, ".target sm_90a\n"));
  CHECK(strstr(binary.assembly, "gemm_param_3[128]") && strstr(binary.assembly, ".reqntid 384"));
  if (binary.assembler) {
    CHECK(binary.n_resources == 1 && binary.resources[0].registers == 168);
    CHECK(binary.resources[0].spills == 0 && binary.resources[0].stack == 0);
    CHECK_STR(binary.complaints ? binary.complaints : "", "");
    const char *code = disassemble(arena, &binary.images[0]);
    if (code)
      check_loop(code);
  }
  strata_compile_deinit(&compile);
}

// Sums that are touched before the wait: the assembler puts one in.
static const char faulty[] =
    "module { module @kernels {\n"
    "  func.func @faulty(%y: memref<128x4xf32>, %shared: memref<16384xi8, 3>) attributes {strata.blocks = 1 : i64,\n"
    "      strata.threads = 128 : i64, strata.shared = 16384 : i64} {\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %t = gpu.thread_id x\n"
    "    %z = arith.constant 0.0 : f32\n"
    "    %a = memref.view %shared[%c0][] : memref<16384xi8, 3> to memref<8192xbf16, 3>\n"
    "    %f:4 = \"tile.mma_fence\"(%z, %z, %z, %z) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)\n"
    "    %d:4 = \"tile.mma_async\"(%a, %c0, %a, %c0, %f#0, %f#1, %f#2, %f#3) {kind = \"wgmma.bf16\", n = 8 : i64,\n"
    "        left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}\n"
    "      : (memref<8192xbf16, 3>, index, memref<8192xbf16, 3>, index, f32, f32, f32, f32) -> (f32, f32, f32, f32)\n"
    "    \"tile.mma_commit\"() : () -> ()\n"
    "    %v = vector.from_elements %d#0, %d#1, %d#2, %d#3 : vector<4xf32>\n"
    "    vector.store %v, %y[%t, %c0] : memref<128x4xf32>, vector<4xf32>\n"
    "    return\n"
    "  }\n"
    "} }\n";

static void check_complaint(void) {
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  if (!is_ok(generate_for(&compile, "sm_90a", faulty, &binary)))
    return (void)check_failures++;
  CHECK(!binary.assembler || (binary.complaints && strstr(binary.complaints, "(C75")));
  strata_compile_deinit(&compile);
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

// A product of 256 x 512 by steps of 5 slots' worth, with a ring of 3 and two tasks a block.
enum { M = 256, N = 512, K = 320, BLOCKS = 2, THREADS = 384, MAP_WORDS = 16, BF16 = 9, SWIZZLE_128 = 3, SHARED = 8 };

typedef struct { // the kernel's parameters, as the driver wants them
  uint64_t buffers[3], padding[5], maps[2][MAP_WORDS];
} parameters_t;

static void encode(void *map, uint64_t address, uint64_t rows, uint32_t box) {
  const uint64_t sizes[] = {K, rows}, strides[] = {2 * K};
  const uint32_t extents[] = {64, box}, steps[] = {1, 1};
  CHECK(CALL("cuTensorMapEncodeTiled",
             (void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
              int, int, int, int),
             map, BF16, 2, (void *)(uintptr_t)address, sizes, strides, extents, steps, 0, SWIZZLE_128, 0, 0));
}

static void launch(const strata_gpu_binary_t *binary, parameters_t *parameters, unsigned shared) {
  void *module = NULL, *function = NULL;
  size_t size = sizeof *parameters;
  void *extra[] = {(void *)1, parameters, (void *)2, &size, NULL};
  const launch_t config = {.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .shared = shared};
  CHECK(CALL("cuModuleLoadData", (void **, const void *), &module, binary->images[0].data));
  CHECK(CALL("cuModuleGetFunction", (void **, void *, const char *), &function, module, "gemm"));
  CHECK(CALL("cuFuncSetAttribute", (void *, int, int), function, SHARED, (int)shared));
  CHECK(CALL("cuLaunchKernelEx", (const launch_t *, void *, void **, void **), &config, function, NULL, extra));
  CHECK(CALL("cuStreamSynchronize", (void *), NULL));
}

// Small integers, exact in every type.
static int element(int row, int k) { return (row * 7 + k * 3) % 11 - 5; }

static void fill(uint16_t *out, int rows) {
  for (int i = 0; i < rows * K; i++) {
    union {
      float value;
      uint32_t bits;
    } word = {(float)element(i / K, i % K)};
    out[i] = (uint16_t)(word.bits >> 16);
  }
}

static void check_product(const float *c) {
  int wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int sum = 0;
      for (int k = 0; k < K; k++)
        sum += element(i, k) * element(j, k);
      wrong += c[i * N + j] != (float)sum;
    }
  CHECK(wrong == 0);
}

static void run_kernel(const strata_gpu_binary_t *binary, unsigned shared) {
  static uint16_t a[M * K], b[N * K];
  static float c[M * N];
  static _Alignas(64) parameters_t parameters;
  void *context = NULL;
  CHECK(CALL("cuInit", (unsigned), 0) && CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0));
  CHECK(CALL("cuCtxSetCurrent", (void *), context));
  fill(a, M);
  fill(b, N);
  memset(c, 0xff, sizeof c);
  parameters.buffers[0] = upload(a, sizeof a);
  parameters.buffers[1] = upload(b, sizeof b);
  parameters.buffers[2] = upload(c, sizeof c);
  encode(parameters.maps[0], parameters.buffers[0], M, 128);
  encode(parameters.maps[1], parameters.buffers[1], N, 256);
  launch(binary, &parameters, shared);
  CHECK(CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), c, parameters.buffers[2], sizeof c));
  check_product(c);
}

static void check_emulated(strata_arena_t *arena) {
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  const char *text = print_kernel(arena, "256 512 320 3 2 shuffled"), *folder = getenv("STRATA_TEST_BIN");
  driver =
      dlopen(strata_arena_printf(arena, "%s/libstrata_test_cuda.so", folder ? folder : "."), RTLD_NOW | RTLD_GLOBAL);
  CHECK(text && driver);
  if (!text || !driver || !is_ok(generate_for(&compile, "emulated_90", text, &binary)))
    return (void)check_failures++;
  run_kernel(&binary, 3 * (128 + 256) * 64 * 2 + 3 * 16);
  strata_compile_deinit(&compile);
}

int main(void) {
  strata_arena_t *arena = strata_arena_create();
  check_kernel(arena, "4096 4096 4096 3 132 shuffled");
  check_kernel(arena, "4096 4096 4096 4 132 plain");
  check_complaint();
  check_emulated(arena);
  strata_arena_destroy(arena);
  return check_result();
}
