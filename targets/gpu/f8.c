// Floats of 8 bits from and to f32, by AMD's instructions, which take any byte of a word:
//
//   %b = vector.extract %v[6] : i8 from vector<16xi8>, %y = tile.f8_widen (extui %b) {format = "fp8"}
// ->
//   %w = vector.extract (bitcast %v)[1] : i32 from vector<4xi32>, %y = cvt.f32.fp8 %w, 2
#include "targets/gpu/kernel.h"

enum { WORD_BYTES = 4 };

// The word that has |bits|, a zero-extended byte, as its byte *out_byte: that of the vector whose element it is.
static MlirValue word_of(MlirOperation before, MlirValue bits, int64_t *out_byte) {
  MlirOperation extension = strata_def_named(bits, "arith.extui");
  MlirValue byte = mlirOperationIsNull(extension) ? bits : mlirOperationGetOperand(extension, 0), vector;
  MlirOperation cast = strata_def_named(byte, "arith.bitcast");
  int64_t n, place;
  if (!mlirOperationIsNull(cast))
    byte = mlirOperationGetOperand(cast, 0);
  bool has_words = strata_gpu_find_byte(byte, &vector, &n, &place) && n % WORD_BYTES == 0;
  *out_byte = has_words ? place % WORD_BYTES : 0;
  return has_words ? strata_gpu_build_word(before, vector, place / WORD_BYTES) : bits;
}

strata_status_t strata_gpu_convert_f8(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0), converted;
  MlirStringRef format = strata_attr_str(op, "format");
  bool is_fp8 = mlirStringRefEqual(format, mlirStringRefCreateFromCString("fp8"));
  MlirType type = mlirValueGetType(result);
  if (kernel->device->f8 == STRATA_GPU_F8_NONE)
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %s has no conversions of floats of 8 bits",
                        kernel->device->name);
  if (strata_op_is(op, "tile.f8_widen")) {
    int64_t byte;
    MlirValue word = word_of(op, operand, &byte);
    converted = strata_gpu_build_intrinsic(op, is_fp8 ? "llvm.amdgcn.cvt.f32.fp8" : "llvm.amdgcn.cvt.f32.bf8", 2,
                                           (MlirValue[]){word, strata_gpu_build_i32(op, byte)}, type);
  } else { // two at once, into the lower half of a word: the same one twice, of which the caller takes the lowest byte
    strata_named_attr_t lower = {"value", mlirBoolAttrGet(kernel->compile->context, false)};
    MlirValue is_upper =
        strata_gpu_build(op, "arith.constant", 0, NULL, mlirIntegerTypeGet(kernel->compile->context, 1), 1, &lower);
    converted =
        strata_gpu_build_intrinsic(op, is_fp8 ? "llvm.amdgcn.cvt.pk.fp8.f32" : "llvm.amdgcn.cvt.pk.bf8.f32", 4,
                                   (MlirValue[]){operand, operand, strata_gpu_build_i32(op, 0), is_upper}, type);
  }
  mlirValueReplaceAllUsesOfWith(result, converted);
  mlirOperationDestroy(op);
  return NULL;
}
