// The stand-in's parts of pipelined products, against straightforward references with random data: tensor maps, copies
// of boxes, products out of shared memory, barriers of phases; and what it must not let pass.
#include "test/runtime/gpu/device.h"

#include <math.h>

static uint32_t random_below(uint32_t n) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % n;
}

static void fill_random(void *out, size_t size) {
  for (size_t i = 0; i < size; i++)
    ((unsigned char *)out)[i] = (unsigned char)random_below(256);
}

//===-- Maps -----------------------------------------------------------------------------------------------------===//

enum { RANK = 5, U8 = 0, U16 = 1, I32 = 3, I64 = 5, F16 = 6, F32 = 7, BF16 = 9, TF32 = 11 };

typedef struct {
  int type, element, swizzle; // bytes
  unsigned rank;
  uint64_t sizes[RANK], strides[RANK - 1];
  uint32_t box[RANK], steps[RANK];
} shape_t;

static int swizzle_code(int bytes) { return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32; }

static int encode(const shape_t *shape, uint64_t address, void *out) {
  return cuTensorMapEncodeTiled(out, shape->type, shape->rank, (void *)(uintptr_t)address, shape->sizes, shape->strides,
                                shape->box, shape->steps, 0, swizzle_code(shape->swizzle), 2, 0);
}

// The map of a tensor that is taken densely.
static shape_t matrix(int type, int element, uint64_t columns, uint64_t rows, uint32_t box_columns, uint32_t box_rows) {
  return (shape_t){.type = type,
                   .element = element,
                   .swizzle = 128,
                   .rank = 2,
                   .sizes = {columns, rows},
                   .strides = {columns * (uint64_t)element},
                   .box = {box_columns, box_rows},
                   .steps = {1, 1}};
}

static void refuse(shape_t shape, const char *text) {
  tensor_map_t map;
  CHECK(encode(&shape, 4096, &map) == 1 && faulted(text));
}

static void test_encode(void) {
  const shape_t good = matrix(BF16, 2, 128, 64, 64, 32);
  shape_t bad;
  tensor_map_t map[2];
  CHECK(encode(&good, 4096, map) == 0);
  CHECK(encode(&good, 4096, map[0].bytes + 32) == 1 && faulted("expected a multiple of 64"));
  CHECK(encode(&good, 4104, map) == 1 && faulted("expected a multiple of 16"));
  CHECK(encode(&good, 0, map) == 1 && faulted("expected a multiple of 16"));
#define REFUSE(change, text) (bad = good, change, refuse(bad, text))
  REFUSE(bad.type = 13, "type 13");
  REFUSE(bad.rank = 0, "rank 0");
  REFUSE(bad.rank = 6, "rank 6");
  REFUSE(bad.sizes[1] = 0, "dim 1: size 0");
  REFUSE(bad.sizes[0] = (UINT64_C(1) << 32) + 1, "dim 0: size 4294967297");
  REFUSE(bad.strides[0] = 264, "dim 1: stride 264");
  REFUSE(bad.strides[0] = UINT64_C(1) << 40, "dim 1: stride 1099511627776");
  REFUSE(bad.box[1] = 257, "dim 1: box 257");
  REFUSE(bad.box[1] = 0, "dim 1: box 0");
  REFUSE(bad.steps[1] = 9, "dim 1: step 9");
  REFUSE(bad.steps[1] = 0, "dim 1: step 0");
  REFUSE(bad.steps[0] = 2, "dim 0: step 2");
  REFUSE(bad.box[0] = 4, "rows of 8 bytes");
  REFUSE(bad.box[0] = 72, "rows of 144 bytes, at most 128");
  REFUSE((bad.box[0] = 32, bad.swizzle = 32), "rows of 64 bytes, at most 32");
#undef REFUSE
  CHECK(cuTensorMapEncodeTiled(map, U8, 2, map, good.sizes, good.strides, good.box, good.steps, 1, 0, 0, 0) == 1 &&
        faulted("interleave 1"));
  CHECK(cuTensorMapEncodeTiled(map, U8, 2, map, good.sizes, good.strides, good.box, good.steps, 0, 7, 0, 0) == 1 &&
        faulted("swizzle 7"));
  CHECK(cuTensorMapEncodeTiled(map, U8, 2, map, good.sizes, good.strides, good.box, good.steps, 0, 0, 4, 0) == 1 &&
        faulted("promotion to L2 4"));
  CHECK(cuTensorMapEncodeTiled(map, U8, 2, map, good.sizes, good.strides, good.box, good.steps, 0, 0, 0, 1) == 1 &&
        faulted("fill 1 of type 0"));
}

// A launch looks at the memory behind a map: all of it must be there.
static void test_launch_checks(void) {
  tensor_map_t map;
  shape_t shape = matrix(F32, 4, 32, 32, 32, 32);
  uint64_t buffers[] = {allocate(64), allocate(64)}, memory = allocate(32 * 32 * 4 - 4);
  CHECK(encode(&shape, memory, &map) == 0);
  CHECK(run_mapped("fetch", 1, 32, 8192, buffers, 2, &map, 1) != 0 && faulted("4096 bytes at"));
  CHECK(cuMemFree_v2(memory) == 0);
  shape.sizes[0] = 31;
  CHECK(encode(&shape, memory, &map) == 0);
  CHECK(run_mapped("fetch", 1, 32, 8192, buffers, 2, &map, 1) != 0 && faulted("are not in device memory"));
  CHECK(cuMemFree_v2(buffers[0]) == 0 && cuMemFree_v2(buffers[1]) == 0);
  void *function;
  CHECK(cuModuleGetFunction(&function, module, "fetch") == 0);
  CHECK(cuFuncSetAttribute(function, 8, 227 * 1024) == 0); // as much as the image says
  CHECK(cuFuncSetAttribute(function, 8, 227 * 1024 + 1) != 0 && faulted("at most 232448"));
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

enum { MAX_SHARED = 64 * 1024 };

static shape_t random_shape(void) {
  static const struct {
    int type, element;
  } types[] = {{U8, 1}, {U16, 2}, {I32, 4}, {I64, 8}, {F16, 2}, {F32, 4}, {BF16, 2}, {TF32, 4}};
  static const int swizzles[] = {0, 32, 64, 128};
  size_t type = random_below(8);
  shape_t shape = {.type = types[type].type, .element = types[type].element, .swizzle = swizzles[random_below(4)]};
  shape.rank = 1 + random_below(RANK);
  uint32_t units = shape.swizzle ? (uint32_t)shape.swizzle / 16 : 12;
  shape.box[0] = (1 + random_below(units)) * 16 / (uint32_t)shape.element;
  shape.sizes[0] = 1 + random_below(100);
  shape.steps[0] = 1;
  uint64_t stride = (shape.sizes[0] * (uint64_t)shape.element + 15) / 16 * 16;
  for (unsigned i = 1; i < shape.rank; i++) {
    shape.sizes[i] = 1 + random_below(9);
    shape.box[i] = 1 + random_below(6);
    shape.steps[i] = random_below(3) ? 1 : 1 + random_below(8);
    shape.strides[i - 1] = stride += 16 * random_below(3);
    stride *= shape.sizes[i];
  }
  return shape;
}

static size_t extent(const shape_t *shape) {
  size_t end = (size_t)shape->sizes[0] * (size_t)shape->element;
  for (unsigned i = 1; i < shape->rank; i++)
    end += (shape->sizes[i] - 1) * shape->strides[i - 1];
  return end;
}

static uint32_t n_taken(const shape_t *shape, unsigned dim) {
  return (shape->box[dim] + shape->steps[dim] - 1) / shape->steps[dim];
}

static uint32_t n_rows(const shape_t *shape) {
  uint32_t n = 1;
  for (unsigned i = 1; i < shape->rank; i++)
    n *= n_taken(shape, i);
  return n;
}

static uint32_t pitch(const shape_t *shape) {
  return shape->swizzle ? (uint32_t)shape->swizzle : shape->box[0] * (uint32_t)shape->element;
}

// Byte of the buffer where element (row, column) of the box lies; -1: outside.
static int64_t find(const shape_t *shape, const int32_t *at, uint32_t row, uint32_t column) {
  int64_t x = at[0] + (int64_t)column, byte = x * shape->element;
  bool is_inside = x >= 0 && x < (int64_t)shape->sizes[0];
  for (unsigned i = 1; i < shape->rank; i++) {
    x = at[i] + (int64_t)(row % n_taken(shape, i) * shape->steps[i]);
    row /= n_taken(shape, i);
    is_inside &= x >= 0 && x < (int64_t)shape->sizes[i];
    byte += x * (int64_t)shape->strides[i - 1];
  }
  return is_inside ? byte : -1;
}

// As docs/gpu.md says it: unit u of row r lies elsewhere. |byte|: of shared memory.
static size_t exchanged(int swizzle, size_t byte) {
  if (!swizzle)
    return byte;
  size_t row = byte / (size_t)swizzle, unit = byte % (size_t)swizzle / 16;
  unit ^= swizzle == 128 ? row % 8 : swizzle == 64 ? row / 2 % 4 : row / 4 % 2;
  return row * (size_t)swizzle + unit * 16 + byte % 16;
}

static float to_tf32(float value) {
  int exponent;
  double fraction = frexp((double)value, &exponent); // eleven bits with the leading one
  return (float)ldexp(nearbyint(ldexp(fraction, 11)), exponent - 11);
}

static void expect_element(const shape_t *shape, const char *data, int64_t byte, char *out) {
  memset(out, 0, (size_t)shape->element);
  if (byte >= 0)
    memcpy(out, data + byte, (size_t)shape->element);
  if (shape->type == TF32) {
    float value;
    memcpy(&value, out, 4);
    value = to_tf32(value);
    memcpy(out, &value, 4);
  }
}

typedef struct {
  shape_t shape;
  size_t size;       // of the buffer
  int32_t config[8]; // as the kernel takes it: coordinates, bytes of the box, offset, size
  char *data, *tile; // the buffer, and shared memory from the offset on
} copy_t;

static copy_t random_copy(void) {
  copy_t copy;
  do {
    copy.shape = random_shape();
    copy.config[7] = (int32_t)(n_rows(&copy.shape) * pitch(&copy.shape) + 256);
  } while (copy.config[7] > MAX_SHARED - 2048);
  for (unsigned i = 0; i < RANK; i++)
    copy.config[i] = i >= copy.shape.rank ? 0
                                          : (int32_t)random_below((uint32_t)copy.shape.sizes[i] + copy.shape.box[i]) -
                                                (int32_t)copy.shape.box[i];
  int32_t unit = 16 / copy.shape.element;
  copy.config[0] = copy.config[0] / unit * unit; // rows of boxes begin at multiples of 16 bytes
  copy.config[5] = (int32_t)(n_rows(&copy.shape) * copy.shape.box[0]) * copy.shape.element;
  copy.config[6] = 128 * (1 + (int32_t)random_below(8));
  copy.size = extent(&copy.shape);
  copy.data = malloc(copy.size);
  copy.tile = malloc((size_t)copy.config[7]);
  fill_random(copy.data, copy.size);
  fill_random(copy.tile, (size_t)copy.config[7]);
  for (size_t i = 0; copy.shape.type == TF32 && i + 4 <= copy.size; i += 4) {
    float value = ldexpf((float)random_below(1 << 24) - (1 << 23), (int)random_below(40) - 40);
    memcpy(copy.data + i, &value, 4);
  }
  return copy;
}

static void launch_copy(const char *kernel, const copy_t *copy, uint64_t memory, uint64_t tile) {
  tensor_map_t map;
  uint64_t buffers[] = {allocate(sizeof copy->config), tile};
  upload(buffers[0], copy->config, sizeof copy->config);
  CHECK(encode(&copy->shape, memory, &map) == 0);
  CHECK(run_mapped(kernel, 1, kernel[0] == 'f' ? 64 : 1, MAX_SHARED, buffers, 2, &map, 1) == 0);
  CHECK(cuStreamSynchronize(stream) == 0);
  CHECK(cuMemFree_v2(buffers[0]) == 0);
}

static void check_fetch(void) {
  copy_t copy = random_copy();
  const shape_t *shape = &copy.shape;
  size_t size = (size_t)copy.config[7], offset = (size_t)copy.config[6];
  uint64_t memory = allocate(copy.size), tile = allocate(size);
  char *expected = malloc(size);
  memset(expected, 0xEE, size);
  for (uint32_t row = 0; row < n_rows(shape); row++)
    for (uint32_t column = 0; column < shape->box[0]; column++) {
      size_t byte = offset + row * pitch(shape) + column * (size_t)shape->element;
      expect_element(shape, copy.data, find(shape, copy.config, row, column),
                     expected + exchanged(shape->swizzle, byte) - offset);
    }
  upload(memory, copy.data, copy.size);
  launch_copy("fetch", &copy, memory, tile);
  download(copy.tile, tile, size);
  CHECK(memcmp(copy.tile, expected, size) == 0);
  free(copy.data), free(copy.tile), free(expected);
  CHECK(cuMemFree_v2(memory) == 0 && cuMemFree_v2(tile) == 0);
}

static void check_put(void) {
  copy_t copy = random_copy();
  const shape_t *shape = &copy.shape;
  size_t size = (size_t)copy.config[7], offset = (size_t)copy.config[6];
  uint64_t memory = allocate(copy.size), tile = allocate(size);
  char *stored = malloc(copy.size);
  upload(memory, copy.data, copy.size);
  upload(tile, copy.tile, size);
  for (uint32_t row = 0; row < n_rows(shape); row++)
    for (uint32_t column = 0; column < shape->box[0]; column++) {
      size_t byte = offset + row * pitch(shape) + column * (size_t)shape->element;
      int64_t to = find(shape, copy.config, row, column);
      if (to >= 0)
        memcpy(copy.data + to, copy.tile + exchanged(shape->swizzle, byte) - offset, (size_t)shape->element);
    }
  launch_copy("put", &copy, memory, tile);
  download(stored, memory, copy.size);
  CHECK(memcmp(stored, copy.data, copy.size) == 0);
  free(copy.data), free(copy.tile), free(stored);
  CHECK(cuMemFree_v2(memory) == 0 && cuMemFree_v2(tile) == 0);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

// The rows of mma.def; a value that is neither infinite nor NaN.
typedef struct {
  const char *name;
  const char *types[2]; // left, right
  int k;
} kind_t;

static const kind_t kinds[] = {
#define MMA(name, family, left, right, sum, m, n, k, ...) {name, {left, right}, k},
#include "devices/gpu/mma.def"
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

// Both operands' are of one size.
static int element_of(const kind_t *kind) {
  const char *type = kind->types[1];
  bool is_byte = strchr(type, 'i') || type[1] == '8';
  return is_byte ? 1 : strcmp(type, "tf32") == 0 ? 4 : 2;
}

static double random_element(const kind_t *kind, int side, char *out) {
  const char *type = kind->types[side];
  uint32_t bits = random_below(65536);
  float value;
  if (strcmp(type, "f16") == 0) {
    _Float16 half = (_Float16)((float)random_below(4001) / 64 - 31);
    memcpy(out, &half, 2);
    return (double)half;
  }
  if (strcmp(type, "i8") == 0) {
    *out = (char)bits;
    return *(signed char *)out;
  }
  if (strcmp(type, "ui8") == 0) {
    *out = (char)bits;
    return *(unsigned char *)out;
  }
  if (strcmp(type, "f8E4M3FN") == 0) {
    *out = (char)(bits % 0x7F | (bits & 0x80)); // 0x7F is NaN
    int exponent = *out >> 3 & 15, mantissa = *out & 7;
    double size = exponent ? ldexp(1 + mantissa / 8.0, exponent - 7) : ldexp(mantissa / 8.0, -6);
    return bits & 0x80 ? -size : size;
  }
  if (strcmp(type, "f8E5M2") == 0) {
    *out = (char)(bits % 0x7C | (bits & 0x80));
    int exponent = *out >> 2 & 31, mantissa = *out & 3;
    double size = exponent ? ldexp(1 + mantissa / 4.0, exponent - 15) : ldexp(mantissa / 4.0, -14);
    return bits & 0x80 ? -size : size;
  }
  uint32_t word = (0x3F000000 + (bits << 8 & 0x00FF0000)) | (bits & 1) << 31; // bf16
  if (element_of(kind) == 2) {
    uint16_t high = (uint16_t)(word >> 16);
    memcpy(out, &high, 2);
  } else { // tf32: the low bits are not read
    word |= bits & 0x2000;
    uint32_t dirty = word | (bits & 0x1FFF);
    memcpy(out, &dirty, 4);
  }
  memcpy(&value, &word, 4);
  return (double)value;
}

enum { IMAGE = 160 * 1024, MAX_ROWS = 256, MAX_K = 32, THREADS_2 = 256 };

typedef struct {
  bool is_crossed;
  int swizzle;
  size_t at, lead, stride, step; // |step|: where along the reduction the product begins, in a span that holds more
} operand_t;

// Where element (row, k) of the operand lies in shared memory.
static size_t place(const operand_t *operand, size_t element, size_t row, size_t k) {
  size_t span = (size_t)operand->swizzle;
  if (operand->is_crossed)
    return exchanged(operand->swizzle, operand->at + row * element / span * operand->lead + k / 8 * operand->stride +
                                           k % 8 * span + row * element % span);
  return exchanged(operand->swizzle,
                   operand->at + row / 8 * operand->stride + row % 8 * span + operand->step + k * element);
}

static operand_t random_operand(const kind_t *kind, size_t at, int rows) {
  static const int swizzles[] = {32, 64, 128};
  operand_t operand = {.at = at, .swizzle = swizzles[random_below(3)]};
  size_t span = (size_t)operand.swizzle, used = (size_t)kind->k * (size_t)element_of(kind);
  operand.is_crossed = element_of(kind) == 2 && random_below(2);
  operand.stride = 8 * span * (1 + random_below(2));
  operand.lead = operand.is_crossed ? operand.stride * 2 : 0;
  operand.step = operand.is_crossed ? 0 : random_below((uint32_t)((span - used) / 32 + 1)) * 32;
  (void)rows;
  return operand;
}

static size_t operand_size(const operand_t *operand, const kind_t *kind, int rows) {
  size_t n = (size_t)rows;
  return operand->is_crossed ? (n * 2 / (size_t)operand->swizzle + 1) * operand->lead + 2 * operand->stride
                             : (n / 8 + 1) * operand->stride + (size_t)element_of(kind);
}

static void check_product(uint32_t number, int n) {
  static char image[IMAGE];
  static double left[2][64][MAX_K], right[MAX_ROWS][MAX_K];
  static float sums[THREADS_2][MAX_ROWS / 2], results[THREADS_2][MAX_ROWS / 2];
  const kind_t *kind = &kinds[number];
  size_t element = (size_t)element_of(kind);
  operand_t a = random_operand(kind, 0, 64), b = random_operand(kind, 0, n);
  size_t next = (operand_size(&a, kind, 64) + 1023) / 1024 * 1024;
  b.at = 2 * next;
  CHECK(b.at + operand_size(&b, kind, n) <= IMAGE);
  fill_random(image, sizeof image);
  for (size_t group = 0; group < 2; group++)
    for (size_t row = 0; row < 64; row++)
      for (size_t k = 0; k < (size_t)kind->k; k++)
        left[group][row][k] = random_element(kind, 0, image + group * next + place(&a, element, row, k));
  for (size_t row = 0; row < (size_t)n; row++)
    for (size_t k = 0; k < (size_t)kind->k; k++)
      right[row][k] = random_element(kind, 1, image + place(&b, element, row, k));
  bool is_integer = strchr(kind->types[1], 'i') != NULL;
  size_t width = (size_t)n / 2;
  float *flat = &sums[0][0], *got = &results[0][0];
  for (size_t i = 0; i < THREADS_2 * width; i++) {
    int32_t value = (int32_t)random_below(2001) - 1000;
    flat[i] = (float)value;
    if (is_integer)
      memcpy(&flat[i], &value, 4);
  }
  const int64_t config[] = {number,
                            n,
                            IMAGE,
                            (int64_t)a.step,
                            (int64_t)(b.at + b.step),
                            (int64_t)next,
                            a.is_crossed,
                            a.swizzle,
                            (int64_t)a.lead,
                            (int64_t)a.stride,
                            b.is_crossed,
                            b.swizzle,
                            (int64_t)b.lead,
                            (int64_t)b.stride};
  uint64_t buffers[] = {allocate(sizeof config), allocate(IMAGE), allocate(THREADS_2 * width * 4)};
  upload(buffers[0], config, sizeof config);
  upload(buffers[1], image, IMAGE);
  upload(buffers[2], flat, THREADS_2 * width * 4);
  CHECK(run_mapped("product", 1, THREADS_2, IMAGE, buffers, 3, NULL, 0) == 0);
  download(got, buffers[2], THREADS_2 * width * 4);
  int n_wrong = 0;
  for (size_t thread = 0; thread < THREADS_2; thread++)
    for (size_t i = 0; i < width; i++) {
      // Digits 1:2:1 0:2:8 1:n/8:8 of the register, 1:4:2 0:8:1 0:4:16 of the thread.
      size_t column = i % 2 + i / 4 * 8 + thread % 4 * 2, row = i / 2 % 2 * 8 + thread / 4 % 8 + thread / 32 % 4 * 16;
      double sum = (double)flat[thread * width + i], size = fabs(sum);
      int32_t whole, result;
      memcpy(&whole, &flat[thread * width + i], 4);
      memcpy(&result, &got[thread * width + i], 4);
      for (int k = 0; k < kind->k; k++) {
        double product = left[thread / 128][row][k] * right[column][k];
        sum += product;
        size += fabs(product);
        whole += is_integer ? (int32_t)product : 0;
      }
      n_wrong += is_integer ? whole != result : !(fabs((double)got[thread * width + i] - sum) <= size * 1e-6);
    }
  if (n_wrong)
    fprintf(stderr, "%s, n = %d, left %d %d, right %d %d: %d wrong\n", kind->name, n, a.is_crossed, a.swizzle,
            b.is_crossed, b.swizzle, n_wrong);
  CHECK(n_wrong == 0);
  for (int i = 0; i < 3; i++)
    CHECK(cuMemFree_v2(buffers[i]) == 0);
}

static void test_products(void) {
  static const int widths[] = {8, 16, 24, 64, 96, 128, 256};
  for (uint32_t kind = 0; kind < N_KINDS; kind++)
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
      for (int repeat = 0; repeat < 4 && strncmp(kinds[kind].name, "wgmma", 5) == 0; repeat++)
        check_product(kind, widths[i]);
}

//===-- A whole kernel -------------------------------------------------------------------------------------------===//

static uint32_t row_of(const char *name) {
  uint32_t i = 0;
  while (i < N_KINDS && strcmp(kinds[i].name, name) != 0)
    i++;
  return i;
}

// Sides that are no multiples of the tiles, more steps than slots.
static void test_pipeline(void) {
  enum {
    M = 100,
    N_ = 72,
    K = 328,
    SIDE = 64,
    STEPS = (K + SIDE - 1) / SIDE,
    WIDE = 2,
    SHARED = 3 * 16384 + 16384 + 48
  };
  static uint16_t a[M][K], b[N_][K];
  static double x[M][K], y[N_][K];
  static float c[M][N_];
  const kind_t *kind = &kinds[row_of("wgmma.bf16")];
  for (int i = 0; i < M * K; i++)
    x[i / K][i % K] = random_element(kind, 0, (char *)&a[i / K][i % K]);
  for (int i = 0; i < N_ * K; i++)
    y[i / K][i % K] = random_element(kind, 1, (char *)&b[i / K][i % K]);
  const int32_t config[] = {STEPS, WIDE, (int32_t)row_of("wgmma.bf16")};
  uint64_t buffers[] = {allocate(sizeof config), allocate(sizeof a), allocate(sizeof b), allocate(sizeof c)};
  upload(buffers[0], config, sizeof config);
  upload(buffers[1], a, sizeof a);
  upload(buffers[2], b, sizeof b);
  tensor_map_t maps[3];
  const shape_t shapes[] = {matrix(BF16, 2, K, M, 64, 64), matrix(BF16, 2, K, N_, 64, 64),
                            matrix(F32, 4, N_, M, 32, 64)};
  for (int i = 0; i < 3; i++)
    CHECK(encode(&shapes[i], buffers[i + 1], &maps[i]) == 0);
  CHECK(run_mapped("pipeline", 2 * WIDE, 256, SHARED, buffers, 4, maps, 3) == 0);
  download(c, buffers[3], sizeof c);
  int n_wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N_; j++) {
      double sum = 0, size = 0;
      for (int k = 0; k < K; k++) {
        sum += x[i][k] * y[j][k];
        size += fabs(x[i][k] * y[j][k]);
      }
      n_wrong += !(fabs((double)c[i][j] - sum) <= 1e-5 * size);
    }
  CHECK(n_wrong == 0);
}

//===-- Misuse ---------------------------------------------------------------------------------------------------===//

static void test_misuse(void) {
  static const struct {
    int number;
    const char *text;
  } cases[] = {
      {0, "barrier at byte 0 of shared memory: more threads arrive than the 1 of a phase"},
      {1, "barrier at byte 0 of shared memory: 16 bytes beyond what was expected have come"},
      {2, "the barrier at byte 8 of shared memory was not initialised"},
      {3,
       "thread 0 waits for the phase of parity 0 of the barrier at byte 0 of shared memory, for which 0 of 1 threads "
       "and 64 bytes are yet to come, thread 1 has ended"},
      {4, "a copy at byte 64 of shared memory, expected a multiple of 128"},
      {5, "a copy by what is no tensor map"},
      {6, "32 bytes at byte 8192 of the block's 8192 bytes of shared memory"},
      {7, "coordinate 2 of a copy is 1, but the map has 1 dims"},
      {8, "group barrier 1 of 40 threads, expected whole warps"},
      {9, "1 copies into shared memory are under way as the block ends"},
      {10, "a wait for parity 2"},
      {11, "8 bytes are expected or come, 8 in all; it takes multiples of 16"},
      {12, "a count of 0, expected 1 to 8191"},
      {13, "a wait for a flag that no block before this one has raised: it holds 0"},
      {14, "a flag that holds 1 is raised, expected 0"},
      {15, "a copy from element 1 of a row on"},
      {100, "thread 0 waits in a product of the four warps from thread 0 on, of which 96 threads have come"},
      {101, "the threads of four warps give different operands to one product"},
      {102, "the left operand at byte 1136 of shared memory: not where a pattern of 1024 bytes begins"},
      {103, "the left operand at byte 1152 of shared memory: not where a pattern of 1024 bytes begins"},
      {104, "row 0 of mma.def is no product of four warps"},
      {105, "a product of 12 columns, expected a multiple of 8 up to 256"},
      {106, "of the block's 8192 bytes of shared memory"},
      {107, "group barrier 3 of 128 threads, where others wait for 96"},
      {108, "thread 0 waits at group barrier 3, where 64 of 96 threads have arrived"},
      {109, "a product of four warps, of which the block's last group has fewer"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fresh_context_t kept = enter_fresh_context();
    tensor_map_t map;
    uint64_t buffers[] = {allocate(256), allocate(256)};
    const shape_t shape = {.type = F32, .element = 4, .rank = 1, .sizes = {64}, .box = {8}, .steps = {1}};
    upload(buffers[0], &cases[i].number, sizeof cases[i].number);
    CHECK(encode(&shape, buffers[1], &map) == 0);
    CHECK(run_mapped("misuse", 1, 160, 8192, buffers, 1, &map, 1) == 0);
    CHECK(cuStreamSynchronize(stream) == 719 && faulted(cases[i].text));
    leave_fresh_context(kept);
  }
}

int main(void) {
  driver->use_device(0);
  CHECK(cuStreamCreate(&stream, NON_BLOCKING) == 0);
  load();
  test_encode();
  test_launch_checks();
  for (int i = 0; i < 300; i++) {
    check_fetch();
    check_put();
  }
  test_products();
  test_pipeline();
  test_misuse();
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == 0);
  return check_result();
}
