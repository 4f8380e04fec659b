// Bytes and floats, where NVIDIA's instructions do more than one op of what tile-round-bytes leaves.
//
// A float is rounded to an integer, and saturated below, by one multiplication: beside 2^-149, the least float there
// is, neighbours are 1 apart, so the product's bits are the integer's, and .sat makes 0 of what is negative, or NaN.
// Bytes are packed by an instruction that saturates words above.
//
//   trunci (bitcast (addf (minnumf (maxnumf %x, 0.0), 255.0), 0x1.8p23)), several of them
// becomes
//   mul.rn.sat.f32 %w, %x, 0f00000001;   cvt.pack.sat.u8.s32.b32 %two, %w1, %w0, 0;
//
// A zero point is added in the same instruction where it is even: the sum is then rounded to even where %x is. Bytes
// with a sign are those without, and 128 less.
//
// A byte becomes the low bits of a float at 2^23, which a permutation puts it into, out of a word of several.
#include "targets/gpu/kernel.h"

#define ONES 0x1.8p23     // where floats are 1 apart, and so a good way up and down
#define LEAST_ONES 0x1p23 // the least that are
enum {
  BYTE = 8,
  WORD = 32,
  SIGN = 128,
  WORD_BYTES = 4,
  MOST_BYTES = 16,
  ONES_BITS = 0x4b400000,
  LEAST_ONES_BITS = 0x4b000000
};

static MlirValue by_number(MlirOperation before, const char *name, MlirValue value, int64_t number) {
  return strata_gpu_build(before, name, 2, (MlirValue[]){value, strata_gpu_build_i32(before, number)},
                          strata_gpu_int_type(before, WORD), 0, NULL);
}

static MlirValue add_float(MlirOperation before, MlirValue x, double number) {
  MlirType f32 = mlirValueGetType(x);
  strata_named_attr_t value = {"value", mlirFloatAttrDoubleGet(mlirOperationGetContext(before), f32, number)};
  MlirValue constant = strata_gpu_build(before, "arith.constant", 0, NULL, f32, 1, &value);
  return strata_gpu_build(before, "arith.addf", 2, (MlirValue[]){x, constant}, f32, 0, NULL);
}

//===-- Bytes of floats ------------------------------------------------------------------------------------------===//

typedef struct {
  MlirValue x, raised; // raised: at least what becomes the least byte
  int64_t zero;        // what is added to the rounded number; of bytes with a sign, 128 more
  bool flips;          // the byte is 128 less in the end: of those with a sign, or where that is taken off behind
} byte_t;

static bool read_op(MlirValue value, const char *name, MlirValue *out_operand) {
  MlirOperation op = strata_def_named(value, name);
  if (mlirOperationIsNull(op))
    return false;
  *out_operand = mlirOperationGetOperand(op, 0);
  return true;
}

// True if |value| is |name| of another one and a float, where both are known.
static bool read_float(MlirValue value, const char *name, MlirValue *out_operand, double *out_number) {
  return read_op(value, name, out_operand) &&
         strata_value_number(mlirOperationGetOperand(strata_def(value), 1), out_number);
}

static bool read_byte(MlirValue value, byte_t *out) {
  MlirValue word, sum, other, least;
  double ones, most, lower;
  int64_t zero = 0, less;
  bool is_less = read_op(value, "arith.addi", &other) && strata_type_is_integer(mlirValueGetType(value), BYTE) &&
                 strata_value_integer(mlirOperationGetOperand(strata_def(value), 1), &less) &&
                 (less == SIGN || less == -SIGN); // the same in 8 bits
  if (is_less)
    value = other;
  if (!read_op(value, "arith.trunci", &word) || !strata_type_is_integer(mlirValueGetType(word), WORD))
    return false;
  if (read_op(word, "arith.addi", &other)) {
    if (!strata_value_integer(mlirOperationGetOperand(strata_def(word), 1), &zero))
      return false;
    word = other;
  }
  if (!read_op(word, "arith.bitcast", &sum) || !mlirTypeIsAF32(mlirValueGetType(sum)) ||
      !read_float(sum, "arith.addf", &least, &ones) || ones != ONES ||
      !read_float(least, "arith.minnumf", &out->raised, &most) ||
      !read_float(out->raised, "arith.maxnumf", &out->x, &lower))
    return false;
  bool has_sign = lower + (double)zero == -SIGN;
  out->flips = has_sign != is_less;
  out->zero = zero + (has_sign ? SIGN : 0);
  return lower + (double)out->zero == 0 && most + (double)out->zero == 2 * SIGN - 1;
}

// The integer, at least 0, of which what is greater than 255 is yet to be saturated.
static MlirValue word_of(const strata_gpu_kernel_t *kernel, MlirOperation before, const byte_t *byte) {
  if (byte->zero % 2) {
    MlirValue sum = add_float(before, byte->raised, ONES);
    MlirValue bits =
        strata_gpu_build_assembly(before, "mov.b32 $0, $1;", "=r,f", 1, &sum, strata_gpu_int_type(before, WORD));
    return by_number(before, "arith.addi", bits, byte->zero - ONES_BITS);
  }
  uint32_t zero = byte->zero < 0 ? (uint32_t)-byte->zero | 1U << 31 : (uint32_t)byte->zero; // as many least floats
  const char *text = strata_arena_printf(
      kernel->compile->arena, "{ .reg .f32 t; fma.rn.sat.f32 t, $1, 0f00000001, 0f%08X; mov.b32 $0, t; }", zero);
  return strata_gpu_build_assembly(before, text, "=r,f", 1, &byte->x, strata_gpu_int_type(before, WORD));
}

// |n| of them, two or four, in a word.
static MlirValue pack(const strata_gpu_kernel_t *kernel, MlirOperation before, const byte_t *bytes, int64_t n) {
  MlirValue packed = strata_gpu_build_i32(before, 0);
  for (int64_t i = n - 2; i >= 0; i -= 2) {
    MlirValue first = word_of(kernel, before, &bytes[i]), second = word_of(kernel, before, &bytes[i + 1]);
    MlirValue operands[] = {second, first, packed};
    packed = strata_gpu_build_assembly(before, "cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;", "=r,r,r,r", 3, operands,
                                       strata_gpu_int_type(before, WORD));
  }
  return bytes->flips ? by_number(before, "arith.xori", packed, (int32_t)0x80808080) : packed;
}

// What rounds and saturates.
static bool is_packed(MlirOperation op) {
  static const char *const names[] = {"arith.trunci", "arith.addi",    "arith.bitcast",
                                      "arith.addf",   "arith.minnumf", "arith.maxnumf"};
  bool is_one = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    is_one |= strata_op_is(op, names[i]);
  return is_one;
}

static void pack_elements(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  byte_t bytes[MOST_BYTES];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t n = mlirOperationGetNumOperands(op);
  if (!strata_type_is_integer(mlirShapedTypeGetElementType(type), BYTE) || n > MOST_BYTES || (n != 2 && n % WORD_BYTES))
    return;
  for (intptr_t i = 0; i < n; i++)
    if (!read_byte(mlirOperationGetOperand(op, i), &bytes[i]) || bytes[i].flips != bytes->flips)
      return;
  MlirValue words[MOST_BYTES / WORD_BYTES], packed;
  int64_t n_words = n / WORD_BYTES;
  for (int64_t i = 0; i < n_words; i++)
    words[i] = pack(kernel, op, bytes + i * WORD_BYTES, WORD_BYTES);
  if (n == 2)
    packed = strata_gpu_build_cast(op, "arith.trunci", pack(kernel, op, bytes, n), strata_gpu_int_type(op, 2 * BYTE));
  else
    packed = strata_gpu_build(op, "vector.from_elements", (int)n_words, words,
                              mlirVectorTypeGet(1, &n_words, strata_gpu_int_type(op, WORD)), 0, NULL);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), strata_gpu_build_cast(op, "llvm.bitcast", packed, type));
  strata_erase_unused(op, is_packed);
}

void strata_gpu_pack_bytes(const strata_gpu_kernel_t *kernel) {
  if (kernel->device->code != STRATA_GPU_NVPTX)
    return;
  strata_gpu_ops_t vectors = strata_gpu_find_ops(kernel, "vector.from_elements");
  for (size_t i = 0; i < vectors.count; i++)
    pack_elements(kernel, vectors.data[i]);
}

//===-- Floats of bytes ------------------------------------------------------------------------------------------===//

// The word that |byte| is an element of, and its place there; false if it is none of a vector. Two bytes are half of
// one.
static bool find_word(MlirOperation before, MlirValue byte, MlirValue *out_word, int64_t *out_place) {
  MlirValue vector;
  int64_t n;
  if (!strata_gpu_find_byte(byte, &vector, &n, out_place) || (n != 2 && n % WORD_BYTES))
    return false;
  if (n == 2) {
    MlirValue half = strata_gpu_build_cast(before, "llvm.bitcast", vector, strata_gpu_int_type(before, 2 * BYTE));
    *out_word = strata_gpu_build_cast(before, "arith.extui", half, strata_gpu_int_type(before, WORD));
    return true;
  }
  *out_word = strata_gpu_build_word(before, vector, *out_place / WORD_BYTES);
  *out_place %= WORD_BYTES;
  return true;
}

// The bits of 2^23 and byte |place| of |word|.
static MlirValue permute(const strata_gpu_kernel_t *kernel, MlirOperation before, MlirValue word, int64_t place) {
  const char *text = strata_arena_printf(kernel->compile->arena, "prmt.b32 $0, $1, $2, 0x744%lld;", (long long)place);
  MlirValue operands[] = {word, strata_gpu_build_i32(before, LEAST_ONES_BITS)};
  return strata_gpu_build_assembly(before, text, "=r,r,r", 2, operands, strata_gpu_int_type(before, WORD));
}

strata_status_t strata_gpu_convert_byte(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue word;
  int64_t place;
  if (kernel->device->code != STRATA_GPU_NVPTX || !mlirTypeIsAF32(type) ||
      !find_word(op, mlirOperationGetOperand(op, 0), &word, &place))
    return NULL;
  MlirValue bits = permute(kernel, op, word, place);
  strata_gpu_replace(op, add_float(op, strata_gpu_build_cast(op, "llvm.bitcast", bits, type), -LEAST_ONES));
  return NULL;
}

// %w = arith.xori (arith.extui %byte), 0x4b000080
strata_status_t strata_gpu_convert_signed_byte(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue byte, word;
  int64_t bits, place;
  if (kernel->device->code != STRATA_GPU_NVPTX ||
      !strata_type_is_integer(mlirValueGetType(mlirOperationGetResult(op, 0)), WORD) ||
      !strata_value_integer(mlirOperationGetOperand(op, 1), &bits) || bits != (LEAST_ONES_BITS | SIGN) ||
      !read_op(mlirOperationGetOperand(op, 0), "arith.extui", &byte) || !find_word(op, byte, &word, &place))
    return NULL;
  strata_gpu_replace(op, permute(kernel, op, by_number(op, "arith.xori", word, (int32_t)0x80808080), place));
  return NULL;
}
