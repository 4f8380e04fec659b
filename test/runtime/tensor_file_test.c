// Element types and tensors in files: every small float there and back, .npy round trips, column-major data, and files
// that are not what they say.
#include "runtime/base/tensor_file.h"
#include "test/support/check.h"

#include <math.h>

//===-- Element types --------------------------------------------------------------------------------------------===//

// Every bit pattern but the NaNs survives a trip through double.
static void test_patterns(strata_dtype_t dtype) {
  int bits = strata_dtype_info[dtype].bits;
  for (uint32_t pattern = 0; pattern < 1u << bits; pattern++) {
    uint32_t in = pattern, out = 0;
    double value = strata_dtype_load(dtype, &in, 0);
    strata_dtype_store(dtype, &out, 0, value);
    CHECK(isnan(value) ? isnan(strata_dtype_load(dtype, &out, 0)) : out == pattern);
  }
}

static double stored(strata_dtype_t dtype, double value) {
  uint64_t memory = 0;
  strata_dtype_store(dtype, &memory, 0, value);
  return strata_dtype_load(dtype, &memory, 0);
}

static void test_rounding(void) {
  CHECK(stored(STRATA_DTYPE_F16, 65504) == 65504 && stored(STRATA_DTYPE_F16, 65519) == 65504);
  CHECK(isinf(stored(STRATA_DTYPE_F16, 65520)) && isinf(stored(STRATA_DTYPE_F16, -1e300)));
  CHECK(stored(STRATA_DTYPE_F16, 1 + 0x1p-11) == 1 && stored(STRATA_DTYPE_F16, 1 + 3 * 0x1p-11) == 1 + 0x1p-9);
  CHECK(stored(STRATA_DTYPE_F16, 0x1p-24) == 0x1p-24 && stored(STRATA_DTYPE_F16, 0x1p-25) == 0);
  CHECK(stored(STRATA_DTYPE_F16, 0x1.ffcp-15 + 0x1p-26) == 0x1p-14); // the largest subnormal rounds up to a normal
  CHECK(stored(STRATA_DTYPE_BF16, 1 + 0x1p-8) == 1);
  CHECK(stored(STRATA_DTYPE_E4M3, 448) == 448 && isnan(stored(STRATA_DTYPE_E4M3, 480)));
  CHECK(stored(STRATA_DTYPE_E4M3FNUZ, 247) == 240 && isnan(stored(STRATA_DTYPE_E4M3FNUZ, 248)));
  CHECK(stored(STRATA_DTYPE_E5M2FNUZ, -0x1p-17) == -0x1p-17 && !signbit(stored(STRATA_DTYPE_E5M2FNUZ, -0x1p-18)));
  CHECK(isnan(stored(STRATA_DTYPE_E5M2FNUZ, -INFINITY)) && isnan(stored(STRATA_DTYPE_E4M3FNUZ, NAN)));
  CHECK(stored(STRATA_DTYPE_F32, 1 + 0x1p-24) == 1 && stored(STRATA_DTYPE_F64, 0x1.fffffffffffffp+1023) > 1e308);
  CHECK(stored(STRATA_DTYPE_I8, 1000) == 127 && stored(STRATA_DTYPE_I8, -1000) == -128);
  CHECK(stored(STRATA_DTYPE_U8, -3) == 0 && stored(STRATA_DTYPE_U8, 2.5) == 2 && stored(STRATA_DTYPE_U8, NAN) == 0);
  CHECK(stored(STRATA_DTYPE_I64, -0x1p63) == -0x1p63 && stored(STRATA_DTYPE_U64, 0x1p70) == 0x1p64);
}

static void test_nibbles(void) {
  uint8_t bytes[2] = {0};
  for (size_t i = 0; i < 4; i++)
    strata_dtype_store(STRATA_DTYPE_I4, bytes, i, (double)i - 2);
  CHECK(bytes[0] == 0xfe && bytes[1] == 0x10); // the low half first
  CHECK(strata_dtype_load(STRATA_DTYPE_I4, bytes, 1) == -1 && strata_dtype_load(STRATA_DTYPE_U4, bytes, 1) == 15);
}

static void test_sizes(void) {
  size_t size = 0;
  CHECK(strata_dtype_size(STRATA_DTYPE_I4, 3, &size) && size == 2);
  CHECK(strata_dtype_size(STRATA_DTYPE_F32, 0, &size) && size == 0);
  CHECK(!strata_dtype_size(STRATA_DTYPE_F64, INT64_MAX, &size) && !strata_dtype_size(STRATA_DTYPE_F64, -1, &size));
}

//===-- Files ----------------------------------------------------------------------------------------------------===//

static void write_bytes(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size);
  fclose(file);
}

// A version 1 .npy file with this header and |n| bytes 0, 1, 2, ... of data.
static void write_npy(const char *path, const char *header, size_t n) {
  char file[1024] = "\x93NUMPY\1\0";
  size_t length = strlen(header);
  file[8] = (char)length;
  memcpy(file + 10, header, length);
  for (size_t i = 0; i < n; i++)
    file[10 + length + i] = (char)i;
  write_bytes(path, file, 10 + length + n);
}

static void test_round_trip(strata_arena_t *arena) {
  for (strata_dtype_t dtype = STRATA_DTYPE_NONE + 1; dtype < STRATA_DTYPE_COUNT; dtype++) {
    const char *descr = strata_dtype_info[dtype].npy_descr;
    if (!descr || descr[1] == 'V')
      continue;
    strata_tensor_t tensor = {.dtype = dtype, .rank = 2, .shape = {2, 3}}, read;
    CHECK(strata_dtype_size(dtype, 6, &tensor.size));
    tensor.data = strata_arena_alloc(arena, tensor.size);
    for (size_t i = 0; i < 6; i++)
      strata_dtype_store(dtype, tensor.data, i, (double)(i % 2));
    CHECK(!strata_tensor_write_npy("round.npy", &tensor));
    CHECK(!strata_tensor_read(arena, "round.npy", &read));
    CHECK(read.dtype == dtype && read.rank == 2 && read.shape[0] == 2 && read.shape[1] == 3);
    CHECK(read.size == tensor.size && memcmp(read.data, tensor.data, read.size) == 0);
  }
}

static void test_column_major(strata_arena_t *arena) {
  strata_tensor_t tensor;
  write_npy("fortran.npy", "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", 6);
  CHECK(!strata_tensor_read(arena, "fortran.npy", &tensor));
  static const uint8_t expected[] = {0, 2, 4, 1, 3, 5};
  CHECK(memcmp(tensor.data, expected, sizeof expected) == 0);
}

static void expect_error(strata_arena_t *arena, const char *path, strata_status_code_t code, const char *text) {
  strata_tensor_t tensor;
  strata_status_t status = strata_tensor_read(arena, path, &tensor);
  CHECK(strata_status_code(status) == code);
  if (!strstr(strata_status_message(status), text))
    CHECK_STR(strata_status_message(status), text);
  strata_status_free(status);
}

static void test_errors(strata_arena_t *arena) {
  static const struct {
    const char *header;
    size_t n;
    strata_status_code_t code;
    const char *text;
  } cases[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23, STRATA_PARSE,
       "needs 24 bytes of data, got 23"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 25, STRATA_PARSE, "got 25"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8, STRATA_UNSUPPORTED, "'>f4'"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", 16, STRATA_UNSUPPORTED, "'<c8'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", 8, STRATA_PARSE, "shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", 0, STRATA_PARSE, "overflows"},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", 8, STRATA_PARSE, "fortran_order"},
      {"{'fortran_order': False, 'shape': (2,), }", 8, STRATA_PARSE, "descr"},
      {"{'descr': [('a', '<f4')], 'shape': (2,), }", 8, STRATA_PARSE, "malformed"},
      {"{'descr': '<f4", 0, STRATA_PARSE, "descr"},
      {"", 0, STRATA_PARSE, "dictionary"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    write_npy("bad.npy", cases[i].header, cases[i].n);
    expect_error(arena, "bad.npy", cases[i].code, cases[i].text);
  }
  write_bytes("short.npy", "\x93NUMPY\1\0\xff", 9);
  expect_error(arena, "short.npy", STRATA_PARSE, "not a .npy file");
  write_bytes("long.npy", "\x93NUMPY\1\0\xff\xff{", 11);
  expect_error(arena, "long.npy", STRATA_PARSE, "ends inside");
  expect_error(arena, "missing.npy", STRATA_IO, "No such file");
  expect_error(arena, "file.txt", STRATA_INVALID_ARGUMENT, "expected a .npy or .pb file");
  write_bytes("bad.pb", "\x08\x02\x10\x01\x4a\x04\0\0\0\0", 10); // f32 [2] with four bytes
  expect_error(arena, "bad.pb", STRATA_PARSE, "bad.pb");
  strata_status_t status = strata_tensor_write_npy("no/such/folder.npy", &(strata_tensor_t){.dtype = STRATA_DTYPE_F32});
  CHECK(strata_status_code(status) == STRATA_IO);
  strata_status_free(status);
}

static void test_proto(strata_arena_t *arena) {
  strata_tensor_t tensor;
  // dims: 3; data_type: INT64; int64_data: 1, -1, 300
  static const char bytes[] = "\x08\x03\x10\x07\x3a\x0d\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02";
  write_bytes("tensor.pb", bytes, sizeof bytes - 1);
  CHECK(!strata_tensor_read(arena, "tensor.pb", &tensor));
  static const int64_t expected[] = {1, -1, 300};
  CHECK(tensor.dtype == STRATA_DTYPE_I64 && tensor.rank == 1 && tensor.size == sizeof expected);
  CHECK(memcmp(tensor.data, expected, sizeof expected) == 0);
}

int main(void) {
  strata_arena_t *arena = strata_arena_create();
  static const strata_dtype_t small[] = {
      STRATA_DTYPE_F16, STRATA_DTYPE_BF16, STRATA_DTYPE_E4M3, STRATA_DTYPE_E5M2,     STRATA_DTYPE_I8,
      STRATA_DTYPE_U8,  STRATA_DTYPE_I16,  STRATA_DTYPE_U16,  STRATA_DTYPE_E4M3FNUZ, STRATA_DTYPE_E5M2FNUZ};
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
    test_patterns(small[i]);
  test_rounding();
  test_nibbles();
  test_sizes();
  test_round_trip(arena);
  test_column_major(arena);
  test_errors(arena);
  test_proto(arena);
  strata_arena_destroy(arena);
  return check_result();
}
