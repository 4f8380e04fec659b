// bf16 of a vector to f32: a shift or a mask of the 32-bit word that holds it. By elements, every other one is first
// moved to the low half and then shifted.
//
//   %x = vector.extract %v[3] : bf16 from vector<8xbf16>, %y = arith.extf %x : bf16 to f32
// ->
//   %w = vector.extract (bitcast %v)[1] : i32 from vector<4xi32>, %y = bitcast (%w & 0xffff0000)
#include "targets/gpu/kernel.h"

static bool is_bf16_pairs(MlirType type) {
  return mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 1 && mlirShapedTypeGetDimSize(type, 0) % 2 == 0 &&
         mlirTypeIsABF16(mlirShapedTypeGetElementType(type));
}

// The vector and the position that |value| is extracted from; false if it is not.
static bool find_source(MlirValue value, MlirValue *out_vector, int64_t *out_position) {
  if (!mlirValueIsAOpResult(value) || !strata_op_is(mlirOpResultGetOwner(value), "vector.extract"))
    return false;
  MlirOperation extract = mlirOpResultGetOwner(value);
  *out_vector = mlirOperationGetOperand(extract, 0);
  return mlirOperationGetNumOperands(extract) == 1 && is_bf16_pairs(mlirValueGetType(*out_vector)) &&
         strata_attr_i64s(extract, "static_position", 1, out_position) == 1;
}

strata_status_t strata_gpu_convert_extension(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue vector, result = mlirOperationGetResult(op, 0);
  int64_t position;
  if (strata_gpu_is_emulated(kernel) || !mlirTypeIsAF32(mlirValueGetType(result)) ||
      !find_source(mlirOperationGetOperand(op, 0), &vector, &position))
    return NULL;
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  int64_t words = mlirShapedTypeGetDimSize(mlirValueGetType(vector), 0) / 2;
  MlirValue all = strata_gpu_build_cast(op, "llvm.bitcast", vector, mlirVectorTypeGet(1, &words, i32));
  MlirValue operands[] = {strata_gpu_build_extract(op, all, position / 2),
                          strata_gpu_build_i32(op, position % 2 ? (int32_t)0xffff0000 : 16)};
  MlirValue bits = strata_gpu_build(op, position % 2 ? "arith.andi" : "arith.shli", 2, operands, i32, 0, NULL);
  mlirValueReplaceAllUsesOfWith(result, strata_gpu_build_cast(op, "llvm.bitcast", bits, mlirValueGetType(result)));
  mlirOperationDestroy(op);
  return NULL;
}
