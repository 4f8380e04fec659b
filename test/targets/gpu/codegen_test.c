// A kernel of everything that level 4 has, through code generation for every device: images, assembly, resources; and
// run on the emulated device.
#define _GNU_SOURCE // memfd_create
#include "test/targets/gpu/generate.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// 64 threads in 2 blocks, four elements each.
static const char kernels[] =
    "module {\n"
    "module @kernels {\n"
    "  func.func @vectors(%x: memref<512xf32>, %y: memref<512xf16>, %z: memref<512xf32>, %shared: memref<512xi8, 3>)\n"
    "      attributes {strata.blocks = 2 : i64, strata.threads = 64 : i64, strata.shared = 512 : i64,\n"
    "                  strata.index_bits = 32 : i64} {\n"
    "    %b = gpu.block_id x\n"
    "    %t = gpu.thread_id x\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %three = arith.constant 3.0 : f32\n"
    "    %i = affine.apply affine_map<()[b, t] -> (b * 256 + t * 4)>()[%b, %t]\n"
    "    %v = vector.load %x[%i] {tile.readonly} : memref<512xf32>, vector<4xf32>\n"
    "    %s = memref.view %shared[%c0][] : memref<512xi8, 3> to memref<128xf32, 3>\n"
    "    %e0 = vector.extract %v[0] : f32 from vector<4xf32>\n"
    "    %e1 = vector.extract %v[1] : f32 from vector<4xf32>\n"
    "    %e2 = vector.extract %v[2] : f32 from vector<4xf32>\n"
    "    %e3 = vector.extract %v[3] : f32 from vector<4xf32>\n"
    "    memref.store %e0, %s[%t] : memref<128xf32, 3>\n"
    "    %l = memref.load %s[%t] : memref<128xf32, 3>\n"
    "    %q0 = math.exp2 %l fastmath<afn> : f32\n"
    "    %q1 = arith.divf %e1, %three fastmath<arcp,afn> : f32\n"
    "    %q2 = math.sqrt %e2 fastmath<afn> : f32\n"
    "    %q3 = math.fma %e3, %three, %e0 : f32\n"
    "    %w = vector.from_elements %q0, %q1, %q2, %q3 : vector<4xf32>\n"
    "    vector.store %w, %z[%i] {nontemporal = true} : memref<512xf32>, vector<4xf32>\n"
    "    %h = arith.truncf %w : vector<4xf32> to vector<4xf16>\n"
    "    vector.store %h, %y[%i] : memref<512xf16>, vector<4xf16>\n"
    "    return\n"
    "  }\n"
    "  func.func @threads(%x: memref<64xf32>, %y: memref<64xbf16>, %shared: memref<0xi8, 3>)\n"
    "      attributes {strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64} {\n"
    "    %t = gpu.thread_id x\n"
    "    %one = arith.constant 1 : i32\n"
    "    %five = arith.constant 5 : i32\n"
    "    %width = arith.constant 32 : i32\n"
    "    %c2 = arith.constant 2 : index\n"
    "    %own = memref.alloca() : memref<4xf32>\n"
    "    %g = memref.load %x[%t] : memref<64xf32>\n"
    "    memref.store %g, %own[%c2] : memref<4xf32>\n"
    "    %v = memref.load %own[%c2] : memref<4xf32>\n"
    "    gpu.barrier\n"
    "    %a, %va = gpu.shuffle xor %v, %one, %width : f32\n"
    "    %d = arith.extf %a : f32 to f64\n"
    "    %c, %vc = gpu.shuffle idx %d, %five, %width : f64\n"
    "    %e = arith.truncf %c : f64 to f32\n"
    "    %m = arith.maximumf %a, %e : f32\n"
    "    %r = math.roundeven %m : f32\n"
    "    %h = arith.truncf %r : f32 to bf16\n"
    "    memref.store %h, %y[%t] : memref<64xbf16>\n"
    "    return\n"
    "  }\n"
    "}\n"
    "}\n";

static bool has(const strata_gpu_binary_t *binary, const char *text) { return strstr(binary->assembly, text) != NULL; }

//===-- NVIDIA ---------------------------------------------------------------------------------------------------===//

static void check_ptx(const char *device, uint32_t arch, const char *generic_target) {
  const strata_compile_options_t options = {.jobs = 1, .opt_level = 3, .target = STRATA_TARGET_NVGPU, .device = device};
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  CHECK(is_ok(generate(&compile, &options, kernels, &binary)));
  CHECK(has(&binary, ".visible .entry vectors("));
  CHECK(has(&binary, "ld.global.nc.v4.b32"));
  CHECK(has(&binary, "st.global.cs.v4.b32"));
  CHECK(has(&binary, "st.global.v2.b32"));
  CHECK(has(&binary, "ex2.approx."));
  CHECK(has(&binary, "sqrt.approx.f32"));
  CHECK(has(&binary, "cvt.rn.bf16.f32"));
  CHECK(has(&binary, "max.NaN.f32"));
  CHECK(has(&binary, ".reqntid 64"));
  const strata_gpu_image_t *last = &binary.images[binary.n_images - 1];
  CHECK(last->last == UINT32_MAX && last->arch == arch && strstr(last->data, generic_target));
  CHECK(strlen(last->data) + 1 == last->size);
  if (binary.assembler) {
    CHECK(binary.n_images == 2 && binary.images[0].last == arch && binary.images[0].arch == arch);
    CHECK(memcmp(binary.images[0].data, "\177ELF", 4) == 0);
    CHECK(binary.n_resources == 2 && strcmp(binary.resources[0].kernel, "vectors") == 0);
    for (size_t i = 0; i < binary.n_resources; i++)
      CHECK(binary.resources[i].registers > 0 && binary.resources[i].registers < 64 &&
            binary.resources[i].spills == 0 && binary.resources[i].stack == 0);
    CHECK(binary.assembler_seconds > 0);
  } else {
    CHECK(binary.n_images == 1 && binary.n_resources == 0);
  }
  strata_compile_deinit(&compile);
}

// What the assembler refuses is an error with the assembler's own words.
static void check_refusal(const char *folder) {
  const strata_compile_options_t options = {.jobs = 1, .opt_level = 3, .target = STRATA_TARGET_NVGPU};
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  char tool[256], path[512];
  snprintf(tool, sizeof tool, "%s/ptxas", folder);
  snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
  FILE *file = fopen(tool, "w");
  CHECK(file);
  fputs("#!/bin/sh\necho no good; exit 7\n", file);
  fclose(file);
  CHECK(!chmod(tool, 0755));
  setenv("PATH", path, 1);
  strata_status_t status = generate(&compile, &options, kernels, &binary);
  CHECK(strata_status_code(status) == STRATA_TOOL && strstr(strata_status_message(status), "no good"));
  strata_status_free(status);
  strata_compile_deinit(&compile);
  unlink(tool);
}

//===-- AMD ------------------------------------------------------------------------------------------------------===//

static void check_hsaco(const char *device, uint32_t arch) {
  const strata_compile_options_t options = {
      .jobs = 2, .opt_level = 3, .target = STRATA_TARGET_AMDGPU, .device = device};
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  CHECK(is_ok(generate(&compile, &options, kernels, &binary)));
  CHECK(binary.n_images == 1 && binary.images[0].arch == arch && binary.images[0].last == arch);
  CHECK(memcmp(binary.images[0].data, "\177ELF", 4) == 0);
  strata_compile_deinit(&compile);
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

typedef void (*entry_t)(void *const *buffers, int64_t block, int64_t thread, void *shared);

// The driver's functions are bound when an image is loaded; no thread meets another one here, and none is called.
static void load_driver(void) {
  char path[512];
  const char *folder = getenv("STRATA_TEST_BIN");
  snprintf(path, sizeof path, "%s/libstrata_test_cuda.so", folder ? folder : ".");
  CHECK(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
}

static void *load(const strata_gpu_image_t *image) {
  char path[64];
  int fd = memfd_create("image", 0);
  CHECK(fd >= 0 && write(fd, image->data, image->size) == (ssize_t)image->size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fprintf(stderr, "%s\n", dlerror());
  close(fd);
  return handle;
}

static float half_to_float(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  return exponent ? ldexpf((float)(1024 + (bits & 1023)), exponent - 25) : ldexpf((float)(bits & 1023), -24);
}

static void run_threads(entry_t entry) {
  static _Alignas(64) float x[512], z[512];
  static _Alignas(64) uint16_t y[512];
  static _Alignas(128) char shared[512];
  void *const buffers[] = {x, y, z};
  for (int i = 0; i < 512; i++)
    x[i] = (float)i / 128;
  for (int64_t block = 0; block < 2; block++)
    for (int64_t thread = 0; thread < 64; thread++)
      entry(buffers, block, thread, shared);
  for (int i = 0; i < 512; i += 4) {
    const float want[] = {exp2f(x[i]), x[i + 1] / 3, sqrtf(x[i + 2]), x[i + 3] * 3 + x[i]};
    for (int k = 0; k < 4; k++) {
      CHECK(fabsf(z[i + k] - want[k]) <= 1e-6f * want[k]);
      CHECK(fabsf(half_to_float(y[i + k]) - want[k]) <= 1e-3f * want[k]);
    }
  }
}

static void check_emulated(void) {
  const strata_compile_options_t options = {
      .jobs = 1, .opt_level = 3, .target = STRATA_TARGET_NVGPU, .device = "emulated"};
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  CHECK(is_ok(generate(&compile, &options, kernels, &binary)));
  CHECK(binary.n_images == 1 && strcmp(binary.images[0].suffix, "so") == 0);
  load_driver();
  void *handle = load(&binary.images[0]);
  CHECK(handle && dlsym(handle, "strata_entry_threads"));
  entry_t entry = handle ? (entry_t)dlsym(handle, "strata_entry_vectors") : NULL;
  CHECK(entry);
  if (entry)
    run_threads(entry);
  strata_compile_deinit(&compile);
}

// Minima of negated integers, which ptxas gets wrong, and negations that are no operands of any.
static const char negations[] =
    "module { module @kernels {\n"
    "  func.func @least(%x: memref<64xi32>, %shared: memref<0xi8, 3>)\n"
    "      attributes {strata.blocks = 1 : i64, strata.threads = 16 : i64, strata.shared = 0 : i64} {\n"
    "    %t = gpu.thread_id x\n"
    "    %zero = arith.constant 0 : i32\n"
    "    %c16 = arith.constant 16 : index\n"
    "    %u = arith.addi %t, %c16 : index\n"
    "    %w = arith.addi %u, %c16 : index\n"
    "    %a = memref.load %x[%t] : memref<64xi32>\n"
    "    %b = memref.load %x[%u] : memref<64xi32>\n"
    "    %c = memref.load %x[%w] : memref<64xi32>\n"
    "    %na = arith.subi %zero, %a : i32\n"
    "    %nb = arith.subi %zero, %b : i32\n"
    "    %nc = arith.subi %zero, %c : i32\n"
    "    %ab = arith.minsi %na, %nb : i32\n"
    "    %abc = arith.minsi %ab, %nc : i32\n"
    "    memref.store %abc, %x[%t] : memref<64xi32>\n"
    "    %nabc = arith.subi %zero, %abc : i32\n"
    "    memref.store %nabc, %x[%u] : memref<64xi32>\n"
    "    return\n"
    "  }\n"
    "  func.func @negative(%x: memref<64xi32>, %shared: memref<0xi8, 3>)\n"
    "      attributes {strata.blocks = 1 : i64, strata.threads = 64 : i64, strata.shared = 0 : i64} {\n"
    "    %t = gpu.thread_id x\n"
    "    %zero = arith.constant 0 : i32\n"
    "    %a = memref.load %x[%t] : memref<64xi32>\n"
    "    %na = arith.subi %zero, %a : i32\n"
    "    memref.store %na, %x[%t] : memref<64xi32>\n"
    "    return\n"
    "  }\n"
    "} }\n";

static int count(const char *text, const char *what) {
  int n = 0;
  for (text = strstr(text, what); text; text = strstr(text + 1, what))
    n++;
  return n;
}

static void check_negations(void) {
  strata_compile_t compile;
  strata_gpu_binary_t binary;
  const strata_compile_options_t options = {
      .jobs = 1, .opt_level = 3, .target = STRATA_TARGET_NVGPU, .device = "sm_90a"};
  CHECK(is_ok(generate(&compile, &options, negations, &binary)));
  const char *negative = strstr(binary.assembly, ".entry negative(");
  CHECK(count(binary.assembly, "min.s32") == 2 && count(binary.assembly, "not.b32") == 3);
  CHECK(negative && count(binary.assembly, "neg.s32") == 2 && count(negative, "neg.s32") == 1);
  strata_compile_deinit(&compile);
}

int main(void) {
  char folder[] = "/tmp/codegen_test.XXXXXX";
  check_ptx("sm_80", 80, ".target sm_80\n");
  check_ptx("sm_86", 86, ".target sm_86\n");
  check_ptx("sm_89", 89, ".target sm_89\n");
  check_ptx("sm_90a", 90, ".target sm_90\n");
  check_ptx("sm_100a", 100, ".target sm_100\n");
  check_ptx("sm_120a", 120, ".target sm_120\n");
  check_hsaco("gfx942", 0x942);
  check_hsaco("gfx1100", 0x1100);
  check_hsaco("gfx1201", 0x1201);
  check_emulated();
  check_negations();
  CHECK(mkdtemp(folder));
  check_refusal(folder);
  rmdir(folder);
  return check_result();
}
