// Tensor maps of a kernel, from strata.maps through the library's tables to the driver: a library of one kernel of
// level 4, for the emulated device, is called; and what maps may not be.
#define _GNU_SOURCE // asprintf
#include "dialects/mlir_util.h"
#include "runtime/include/strata/runtime.h"
#include "targets/library/library.h"
#include "targets/passes.h"
#include "test/support/check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 40, COLUMNS = 32 };

// y = x by boxes of 16 rows, of which the last hangs over, with more shared memory than sm_80 has.
#define MAP(buffer)                                                                                                    \
  "{buffer = " buffer " : i64, type = f32, " SIZES " box = array<i64: 32, 16>, "                                       \
  "steps = array<i64: 1, 1>, swizzle = 128 : i64}"
#define SIZES "sizes = array<i64: 32, 40>, strides = array<i64: 128>,"
#define GOOD MAP("0") ", " MAP("1")
#define ATTRIBUTES                                                                                                     \
  "attributes {strata.blocks = 3 : i64, strata.threads = 32 : i64, strata.shared = 204800 : i64, "                     \
  "strata.index_bits = 32 : i64, strata.maps = [%s]}"
static const char text[] =
    "module {\n"
    "  func.func @main(%%x: memref<40x32xf32> {strata.name = \"x\"},\n"
    "                  %%y: memref<40x32xf32> {strata.name = \"y\", strata.output}) {\n"
    "    call @k(%%x, %%y) : (memref<40x32xf32>, memref<40x32xf32>) -> ()\n"
    "    return\n"
    "  }\n"
    "  func.func private @k(memref<40x32xf32>, memref<40x32xf32>) " ATTRIBUTES "\n"
    "  module @kernels {\n"
    "    func.func @k(%%x: memref<40x32xf32>, %%y: memref<40x32xf32>, %%shared: memref<204800xi8, 3>) " ATTRIBUTES
    " {\n"
    "      %%c0 = arith.constant 0 : index\n"
    "      %%place = arith.constant 196608 : index\n"
    "      %%parity = arith.constant 0 : i32\n"
    "      %%b = gpu.block_id x\n"
    "      %%t = gpu.thread_id x\n"
    "      %%row = affine.apply affine_map<()[b] -> (b * 16)>()[%%b]\n"
    "      %%tile = memref.view %%shared[%%c0][] : memref<204800xi8, 3> to memref<512xf32, 3>\n"
    "      %%full = memref.view %%shared[%%place][] : memref<204800xi8, 3> to memref<1xi64, 3>\n"
    "      %%is_first = arith.cmpi eq, %%t, %%c0 : index\n"
    "      scf.if %%is_first {\n"
    "        \"tile.barrier_init\"(%%full, %%c0) {count = 1 : i64} : (memref<1xi64, 3>, index) -> ()\n"
    "        \"tile.fence\"() {of = \"barriers\"} : () -> ()\n"
    "        \"tile.barrier_expect\"(%%full, %%c0) {bytes = 2048 : i64} : (memref<1xi64, 3>, index) -> ()\n"
    "        \"tile.bulk_load\"(%%tile, %%c0, %%full, %%c0, %%c0, %%row) {map = 0 : i64}\n"
    "            : (memref<512xf32, 3>, index, memref<1xi64, 3>, index, index, index) -> ()\n"
    "        \"tile.barrier_wait\"(%%full, %%c0, %%parity) : (memref<1xi64, 3>, index, i32) -> ()\n"
    "        \"tile.bulk_store\"(%%tile, %%c0, %%c0, %%row) {map = 1 : i64}\n"
    "            : (memref<512xf32, 3>, index, index, index) -> ()\n"
    "        \"tile.bulk_commit\"() : () -> ()\n"
    "        \"tile.bulk_wait\"() {pending = 0 : i64} : () -> ()\n"
    "      }\n"
    "      return\n"
    "    }\n"
    "  }\n"
    "}\n";

static const char folder_template[] = "/tmp/maps_test.XXXXXX";
static char folder[sizeof folder_template];

// The library in |folder|, its kernel declared with the given maps.
static strata_status_t emit(const char *maps, strata_compile_t *compile) {
  const strata_compile_options_t options = {
      .jobs = 1, .opt_level = 1, .target = STRATA_TARGET_NVGPU, .device = "emulated_90"};
  const strata_library_options_t library = {.name = "copied", .command_line = ""};
  char *source;
  STRATA_TRY(strata_compile_init(compile, &options));
  CHECK(asprintf(&source, text, GOOD, GOOD) > 0);
  mlirModuleDestroy(compile->module);
  compile->module = mlirModuleCreateParse(compile->context, strata_str(source));
  free(source);
  CHECK(!mlirModuleIsNull(compile->module));
  STRATA_TRY(strata_pass_kernels_to_llvm(compile)); // which has its own opinion of maps
  CHECK(asprintf(&source, "[%s]", maps) > 0);
  MlirAttribute declared = mlirAttributeParseGet(compile->context, strata_str(source));
  free(source);
  CHECK(!mlirAttributeIsNull(declared));
  strata_set_attr(strata_find_func(compile->module, "k"), "strata.maps", declared);
  return strata_library_emit(compile, &library, folder, NULL);
}

static void test_call(void) {
  strata_compile_t compile;
  char path[4096];
  const char *bin = getenv("STRATA_TEST_BIN");
  float x[ROWS][COLUMNS], y[ROWS][COLUMNS] = {0};
  strata_status_t status = emit(GOOD, &compile);
  if (status)
    fprintf(stderr, "%s\n", strata_status_message(status));
  CHECK(!status);
  strata_status_free(status);
  strata_compile_deinit(&compile);
  snprintf(path, sizeof path, "%s/libstrata_test_cuda.so", bin ? bin : ".");
  setenv("STRATA_CUDA_DRIVER", path, 1);
  snprintf(path, sizeof path, "%s/libcopied.so", folder);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = handle ? dlsym(handle, "copied_library") : NULL;
  const strata_library_t *(*get)(void) = NULL;
  CHECK(symbol);
  if (!symbol)
    return;
  memcpy(&get, &symbol, sizeof get);
  const strata_library_t *library = get();
  for (int i = 0; i < ROWS * COLUMNS; i++)
    x[i / COLUMNS][i % COLUMNS] = (float)i;
  int result = library->run((void *[]){x, y}, NULL, NULL, NULL);
  if (result)
    fprintf(stderr, "%s\n", library->error());
  CHECK(result == STRATA_OK && memcmp(x, y, sizeof x) == 0);
  CHECK(library->unload() == STRATA_OK);
}

static void refuse(const char *maps, const char *expected) {
  strata_compile_t compile;
  strata_status_t status = emit(maps, &compile);
  bool ok = strata_status_code(status) == STRATA_INTERNAL && strstr(strata_status_message(status), expected);
  if (!ok)
    fprintf(stderr, "%s: expected '%s', got '%s'\n", maps, expected, status ? strata_status_message(status) : "OK");
  CHECK(ok);
  strata_status_free(status);
  strata_compile_deinit(&compile);
}

#define REFUSE(buffer, type, rest, expected)                                                                           \
  refuse("{buffer = " buffer " : i64, type = " type ", " rest "}, " MAP("1"), "library: kernel k: map 0: "             \
                                                                              "expected " expected)
#define REST(sizes, strides, box, steps, swizzle)                                                                      \
  "sizes = array<i64: " sizes ">, strides = array<i64: " strides ">, box = array<i64: " box                            \
  ">, steps = array<i64: " steps ">, swizzle = " swizzle " : i64"

static void test_refusals(void) {
  REFUSE("2", "f32", REST("32, 40", "128", "32, 16", "1, 1", "128"), "the number of a buffer");
  REFUSE("0", "i4", REST("32, 40", "128", "32, 16", "1, 1", "128"), "a type of whole bytes");
  REFUSE("0", "f32", REST("0, 40", "128", "32, 16", "1, 1", "128"), "sizes of 1 to 2^32");
  REFUSE("0", "f32", REST("32, 40", "120", "32, 16", "1, 1", "128"), "strides below 2^40, multiples of 16");
  REFUSE("0", "f32", REST("32, 40", "128, 128", "32, 16", "1, 1", "128"), "strides below 2^40");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 257", "1, 1", "128"), "a box of 1 to 256");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16, 1", "1, 1", "128"), "a box of 1 to 256");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "1, 9", "128"), "steps of 1 to 8");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "2, 1", "128"), "steps of 1 to 8");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "1, 1", "48"), "a swizzle of 0, 32, 64 or 128");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "1, 1", "64"), "rows of the box that are multiples of 16");
  REFUSE("0", "f32", REST("32, 40", "128", "3, 16", "1, 1", "0"), "rows of the box that are multiples of 16");
  REFUSE("0", "f32", REST("32, 41", "128", "32, 16", "1, 1", "128"), "elements within the buffer");
  REFUSE("0", "f32", REST("4294967296, 4294967296", "1099511627760", "32, 16", "1, 1", "128"),
         "elements within the buffer");
  REFUSE("0", "f32", "sizes = array<i64>", "sizes of 1 to 5 dims");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "1, 1", "128") ", clipped = 0 : i64",
         "clipped, if any, to be a dim");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "1, 2", "128") ", clipped = 1 : i64",
         "clipped, if any, to be a dim");
  REFUSE("0", "f32", REST("32, 40", "128", "32, 16", "1, 1", "128") ", clipped = 1 : i64, whole = 0 : i64",
         "whole to be the number of an earlier map");
  refuse("1, 2", "map 0: expected a dictionary");
#define FOUR MAP("0") ", " MAP("0") ", " MAP("0") ", " MAP("0")
#define TWELVE FOUR ", " FOUR ", " FOUR
  refuse(TWELVE ", " TWELVE ", " FOUR ", " MAP("0"), "expected an array of at most 28 maps");
}

int main(void) {
  memcpy(folder, folder_template, sizeof folder);
  CHECK(mkdtemp(folder));
  test_call();
  test_refusals();
  static const char *const files[] = {"libcopied.so", "libcopied.a", "copied.h", "copied.pc"};
  char path[4096];
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    unlink(path);
  }
  rmdir(folder);
  return check_result();
}
