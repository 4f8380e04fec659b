// tile.funnel: a vector out of two side by side, from an element that is known at run time on: selects for whole words
// of 32 bits, funnel shifts within them.
//
//   %v = "tile.funnel"(%low, %high, %from) : (vector<4xbf16>, vector<4xbf16>, index) -> vector<4xbf16>
//
//   words l0 l1 h0 h1; from & 2: l1 h0 h1; from & 1: 16 bits of each word and 16 of the next
#include "targets/gpu/kernel.h"

enum { WORD_BYTES = 4, MAX_WORDS = 4 };

// True where bit |bit| of the i32 |value| is set.
static MlirValue is_set(MlirOperation op, MlirValue value, int64_t bit) {
  enum { NOT_EQUAL = 1 };
  MlirContext context = mlirOperationGetContext(op);
  strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), NOT_EQUAL)};
  MlirValue masked = strata_gpu_build_binary(op, "arith.andi", value, strata_gpu_build_i32(op, bit));
  return strata_gpu_build(op, "arith.cmpi", 2, (MlirValue[]){masked, strata_gpu_build_i32(op, 0)},
                          mlirIntegerTypeGet(context, 1), 1, &predicate);
}

// The words of both operands; returns how many one has.
static int words_of(MlirOperation op, MlirType type, MlirValue *out) {
  int64_t n = mlirShapedTypeGetDimSize(type, 0) * strata_element_bytes(mlirShapedTypeGetElementType(type)) / WORD_BYTES;
  MlirType words = mlirVectorTypeGet(1, &n, mlirIntegerTypeGet(mlirOperationGetContext(op), 32));
  for (int i = 0; i < 2; i++) {
    MlirValue vector = strata_gpu_build_cast(op, "llvm.bitcast", mlirOperationGetOperand(op, i), words);
    for (int64_t word = 0; word < n; word++)
      out[i * n + word] = strata_gpu_build_extract(op, vector, word);
  }
  return (int)n;
}

strata_status_t strata_gpu_convert_funnel(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  (void)kernel;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  MlirValue words[2 * MAX_WORDS],
      from = strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, 2), i32);
  int64_t bytes = strata_element_bytes(mlirShapedTypeGetElementType(type));
  int64_t n = words_of(op, type, words), per_word = WORD_BYTES / bytes;
  for (int64_t step = n / 2, left = 2 * n; step > 0; step /= 2) {
    MlirValue condition = is_set(op, from, step * per_word);
    left -= step;
    for (int64_t i = 0; i < left; i++)
      words[i] =
          strata_gpu_build(op, "arith.select", 3, (MlirValue[]){condition, words[i + step], words[i]}, i32, 0, NULL);
  }
  if (per_word > 1) { // the shift counts modulo 32
    MlirValue bits = strata_gpu_build_binary(op, "arith.muli", from, strata_gpu_build_i32(op, 8 * bytes));
    for (int64_t i = 0; i < n; i++)
      words[i] = strata_gpu_build_intrinsic(op, "llvm.fshr", 3, (MlirValue[]){words[i + 1], words[i], bits}, i32);
  }
  MlirValue vector =
      strata_gpu_build(op, "vector.from_elements", (int)n, words, mlirVectorTypeGet(1, &n, i32), 0, NULL);
  strata_gpu_replace(op, strata_gpu_build_cast(op, "llvm.bitcast", vector, type));
  return NULL;
}
