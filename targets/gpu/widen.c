// tile.widen: bytes as floats of 16 bits, exactly.
//
//   %v = "tile.widen"(%bytes) {from = "f8E4M3FN"} : (vector<8xi8>) -> vector<8xf16>
//
// Floats of 8 bits two at a time by the instruction that there is; integers, four to a word, are put under the exponent
// of 1024, which is taken off again. On the tests' device by arithmetic on each.
#include "targets/gpu/kernel.h"

#include <string.h>

enum { PAIR = 2, WORD_BYTES = 4, MAX_LANES = 16 };

typedef struct {
  MlirOperation op;
  MlirType i16, i32, f16, f32, pair; // the last of f16
} widening_t;

static MlirValue number(const widening_t *w, MlirType type, MlirAttribute attribute) {
  strata_named_attr_t value = {"value", attribute};
  return strata_gpu_build(w->op, "arith.constant", 0, NULL, type, 1, &value);
}

static MlirValue half(const widening_t *w, int64_t bits) {
  return number(w, w->i16, mlirIntegerAttrGet(w->i16, (int16_t)bits));
}

static MlirType vector_of(int64_t count, MlirType element) { return mlirVectorTypeGet(1, &count, element); }

//===-- By instructions ------------------------------------------------------------------------------------------===//

static void convert_floats(const widening_t *w, const char *intrinsic, int64_t count, MlirValue *out) {
  MlirValue bytes =
      strata_gpu_build_cast(w->op, "llvm.bitcast", mlirOperationGetOperand(w->op, 0), vector_of(count / PAIR, w->i16));
  for (int64_t i = 0; i < count; i += PAIR) {
    MlirValue two = strata_gpu_build_extract(w->op, bytes, i / PAIR);
    MlirValue pair = strata_gpu_build_intrinsic(w->op, intrinsic, 1, &two, w->pair);
    for (int64_t lane = 0; lane < PAIR; lane++)
      out[i + lane] = strata_gpu_build_extract(w->op, pair, lane);
  }
}

// Signed ones are turned into unsigned ones, 128 more.
static void convert_integers(const widening_t *w, bool is_signed, int64_t count, MlirValue *out) {
  enum { SIGNS = 0x80808080, EXPONENT = 0x64646464, FIRST = 0x4140, SECOND = 0x4342 }; // 0x6400 is 1024
  MlirValue words = strata_gpu_build_cast(w->op, "llvm.bitcast", mlirOperationGetOperand(w->op, 0),
                                          vector_of(count / WORD_BYTES, w->i32));
  MlirAttribute offset = mlirFloatAttrDoubleGet(mlirOperationGetContext(w->op), w->f16, is_signed ? 1024 + 128 : 1024);
  MlirValue taken_off = number(w, w->pair, mlirDenseElementsAttrSplatGet(w->pair, offset));
  for (int64_t i = 0; i < count; i += WORD_BYTES) {
    MlirValue word = strata_gpu_build_extract(w->op, words, i / WORD_BYTES);
    if (is_signed)
      word = strata_gpu_build_binary(w->op, "arith.xori", word, strata_gpu_build_i32(w->op, (int32_t)SIGNS));
    for (int64_t j = 0; j < PAIR; j++) {
      MlirValue operands[] = {word, strata_gpu_build_i32(w->op, EXPONENT),
                              strata_gpu_build_i32(w->op, j ? SECOND : FIRST)};
      MlirValue pair = strata_gpu_build_intrinsic(w->op, "llvm.nvvm.prmt", 3, operands, w->i32);
      pair = strata_gpu_build_binary(w->op, "arith.subf", strata_gpu_build_cast(w->op, "llvm.bitcast", pair, w->pair),
                                     taken_off);
      for (int64_t lane = 0; lane < PAIR; lane++)
        out[i + j * PAIR + lane] = strata_gpu_build_extract(w->op, pair, lane);
    }
  }
}

//===-- By arithmetic --------------------------------------------------------------------------------------------===//

// Its bits under f16's exponent are 2^8 too small; all ones are NaN.
static MlirValue emulate_e4m3(const widening_t *w, MlirValue bits) {
  enum { MAGNITUDE = 0x7f, SHIFT = 7, SIGN = 0x80, NOT_A_NUMBER = 0x7e00, EQUAL = 0 };
  MlirContext context = mlirOperationGetContext(w->op);
  strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), EQUAL)};
  MlirValue magnitude = strata_gpu_build_binary(w->op, "arith.andi", bits, half(w, MAGNITUDE));
  MlirValue compared[] = {magnitude, half(w, MAGNITUDE)};
  MlirValue is_nan = strata_gpu_build(w->op, "arith.cmpi", 2, compared, mlirIntegerTypeGet(context, 1), 1, &predicate);
  MlirValue small = strata_gpu_build_cast(
      w->op, "llvm.bitcast", strata_gpu_build_binary(w->op, "arith.shli", magnitude, half(w, SHIFT)), w->f16);
  MlirValue value = strata_gpu_build_binary(w->op, "arith.mulf", small,
                                            number(w, w->f16, mlirFloatAttrDoubleGet(context, w->f16, 256)));
  MlirValue chosen[] = {is_nan, half(w, NOT_A_NUMBER), strata_gpu_build_cast(w->op, "llvm.bitcast", value, w->i16)};
  MlirValue sign = strata_gpu_build_binary(
      w->op, "arith.shli", strata_gpu_build_binary(w->op, "arith.andi", bits, half(w, SIGN)), half(w, 8));
  MlirValue result = strata_gpu_build(w->op, "arith.select", 3, chosen, w->i16, 0, NULL);
  return strata_gpu_build_cast(w->op, "llvm.bitcast", strata_gpu_build_binary(w->op, "arith.ori", result, sign),
                               w->f16);
}

static void emulate(const widening_t *w, const char *from, int64_t count, MlirValue *out) {
  bool is_float = from[0] == 'f', is_unsigned = from[0] == 'u';
  for (int64_t i = 0; i < count; i++) {
    MlirValue byte = strata_gpu_build_extract(w->op, mlirOperationGetOperand(w->op, 0), i);
    MlirValue bits = strata_gpu_build_cast(w->op, is_float ? "arith.extui" : "arith.extsi", byte, w->i16);
    if (!is_float)
      out[i] = strata_gpu_build_cast(w->op, is_unsigned ? "arith.uitofp" : "arith.sitofp", byte, w->f16);
    else if (!strcmp(from, "f8E4M3FN"))
      out[i] = emulate_e4m3(w, bits);
    else
      out[i] = strata_gpu_build_cast(w->op, "llvm.bitcast",
                                     strata_gpu_build_binary(w->op, "arith.shli", bits, half(w, 8)), w->f16);
  }
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

static MlirValue as(const widening_t *w, MlirValue value, MlirType element) {
  if (mlirTypeEqual(element, w->f16))
    return value;
  value = strata_gpu_build_cast(w->op, "arith.extf", value, w->f32);
  return strata_gpu_build_cast(w->op, "arith.truncf", value, element);
}

strata_status_t strata_gpu_convert_widen(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0)), f16 = mlirF16TypeGet(context);
  widening_t w = {.op = op,
                  .i16 = mlirIntegerTypeGet(context, 16),
                  .i32 = mlirIntegerTypeGet(context, 32),
                  .f16 = f16,
                  .f32 = mlirF32TypeGet(context),
                  .pair = vector_of(PAIR, f16)};
  int64_t count = mlirShapedTypeGetDimSize(type, 0);
  MlirStringRef name = strata_attr_str(op, "from");
  const char *from = strata_arena_printf(kernel->compile->arena, "%.*s", (int)name.length, name.data);
  MlirValue lanes[MAX_LANES];
  if (kernel->device->code != STRATA_GPU_NVPTX)
    emulate(&w, from, count, lanes);
  else if (from[0] == 'f')
    convert_floats(&w, strcmp(from, "f8E5M2") ? "llvm.nvvm.e4m3x2.to.f16x2.rn" : "llvm.nvvm.e5m2x2.to.f16x2.rn", count,
                   lanes);
  else
    convert_integers(&w, from[0] == 'i', count, lanes);
  for (int64_t i = 0; i < count; i++)
    lanes[i] = as(&w, lanes[i], mlirShapedTypeGetElementType(type));
  MlirValue value = strata_gpu_build(op, "vector.from_elements", (int)count, lanes, type, 0, NULL);
  strata_gpu_replace(op, value);
  return NULL;
}
