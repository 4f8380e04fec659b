// Math under afn as NVIDIA's hardware approximations (math.def). What is not here has an intrinsic of LLVM's own that
// every back end selects, and upstream's conversion finds it.
#include "targets/gpu/kernel.h"

#include <stdio.h>

static const struct {
  const char *op, *intrinsic;
} approximations[] = {
#define MATH(op, intrinsic) {op, intrinsic},
#include "targets/gpu/math.def"
};

enum { N_APPROXIMATIONS = sizeof approximations / sizeof approximations[0] };

static void note_flags(MlirStringRef text, void *user) {
  char *flags = user;
  size_t room = 127 - strlen(flags);
  strncat(flags, text.data, room < text.length ? room : text.length);
}

// #arith.fastmath<reassoc,arcp,contract,afn>, or <fast>
static bool is_approximate(MlirOperation op) {
  char flags[128] = "";
  MlirAttribute attr = strata_attr(op, "fastmath");
  if (mlirAttributeIsNull(attr))
    return false;
  mlirAttributePrint(attr, note_flags, flags);
  return strstr(flags, "afn") || strstr(flags, "fast>");
}

// LLVM's intrinsic of another float type may have no instruction; these have none.
static strata_status_t unsupported(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %.*s, which the device has for f32 under afn only",
                      (int)name.length, name.data);
}

static bool has_exact_form(MlirOperation op) {
  return strata_op_is(op, "arith.divf") || strata_op_is(op, "math.sqrt") || strata_op_is(op, "math.rsqrt");
}

// Vectors go element by element.
static MlirValue approximate(MlirOperation op, const char *intrinsic) {
  enum { MAX_ELEMENTS = 16, MAX_OPERANDS = 2 };
  int n = (int)mlirOperationGetNumOperands(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue operands[MAX_OPERANDS], elements[MAX_ELEMENTS];
  if (!mlirTypeIsAVector(type)) {
    for (int i = 0; i < n; i++)
      operands[i] = mlirOperationGetOperand(op, i);
    return strata_gpu_build_intrinsic(op, intrinsic, n, operands, type);
  }
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  for (int64_t e = 0; e < size; e++) {
    for (int i = 0; i < n; i++)
      operands[i] = strata_gpu_build_extract(op, mlirOperationGetOperand(op, i), e);
    elements[e] = strata_gpu_build_intrinsic(op, intrinsic, n, operands, mlirShapedTypeGetElementType(type));
  }
  return strata_gpu_build(op, "vector.from_elements", (int)size, elements, type, 0, NULL);
}

strata_status_t strata_gpu_convert_math(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  size_t i = 0;
  while (i < N_APPROXIMATIONS && !strata_op_is(op, approximations[i].op))
    i++;
  if (kernel->device->code != STRATA_GPU_NVPTX || i == N_APPROXIMATIONS)
    return NULL;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType element = mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  bool is_f32 = mlirTypeIsAF32(element), fits = !mlirTypeIsAVector(type) || mlirShapedTypeGetRank(type) == 1;
  if (!is_f32 || !fits || !is_approximate(op))
    return has_exact_form(op) ? NULL : unsupported(op);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), approximate(op, approximations[i].intrinsic));
  mlirOperationDestroy(op);
  return NULL;
}
