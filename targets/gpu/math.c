// Math under afn as the hardware's approximations (math.def), or as the tests' device has them. All else has an
// intrinsic of LLVM's own that every back end selects, and upstream's conversion finds it.
#include "targets/gpu/kernel.h"

#include <stdio.h>

static const struct {
  const char *op, *nvvm, *amdgcn;
  bool has_exact_form;
} rows[] = {
#define MATH(op, nvvm, amdgcn, exact) {op, nvvm, amdgcn, exact},
#include "targets/gpu/math.def"
};

static const char reciprocal[] = "llvm.nvvm.rcp.approx.ftz.f";

enum { N_ROWS = sizeof rows / sizeof rows[0] };

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

// LLVM would call a library's function for these, which no device has, and end the process.
static strata_status_t unsupported(MlirOperation op) {
  char location[128];
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %s: %.*s, which GPUs have for f32 under afn at most",
                      strata_location_text(mlirOperationGetLocation(op), location, sizeof location), (int)name.length,
                      name.data);
}

static bool is_quotient(MlirOperation op) { return strata_op_is(op, "arith.divf"); }
static bool is_reciprocal(MlirOperation op) {
  return is_quotient(op) && strata_value_is_number(mlirOperationGetOperand(op, 0), 1);
}

static MlirValue build_reciprocal(MlirOperation op) {
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  return strata_gpu_build_intrinsic(op, reciprocal, 1, &divisor, mlirValueGetType(divisor));
}

typedef MlirValue (*build_t)(MlirOperation op, const char *intrinsic, int n_operands, const MlirValue *operands,
                             MlirType type);

// Vectors go element by element.
static MlirValue build_elements(MlirOperation op, build_t build, const char *intrinsic) {
  enum { MAX_ELEMENTS = 16, MAX_OPERANDS = 2 };
  int n = (int)mlirOperationGetNumOperands(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue operands[MAX_OPERANDS], elements[MAX_ELEMENTS];
  if (!mlirTypeIsAVector(type)) {
    for (int i = 0; i < n; i++)
      operands[i] = mlirOperationGetOperand(op, i);
    return build(op, intrinsic, n, operands, type);
  }
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  for (int64_t e = 0; e < size; e++) {
    for (int i = 0; i < n; i++)
      operands[i] = strata_gpu_build_extract(op, mlirOperationGetOperand(op, i), e);
    elements[e] = build(op, intrinsic, n, operands, mlirShapedTypeGetElementType(type));
  }
  return strata_gpu_build(op, "vector.from_elements", (int)size, elements, type, 0, NULL);
}

static bool is_flat(MlirType type, bool (*is_element)(MlirType)) {
  if (mlirTypeIsAVector(type))
    return mlirShapedTypeGetRank(type) == 1 && is_element(mlirShapedTypeGetElementType(type));
  return is_element(type);
}

// The one approximation of a quotient that flushes subnormals is of 1.
static bool is_as_in_hardware(MlirOperation op) {
  return is_flat(mlirValueGetType(mlirOperationGetResult(op, 0)), mlirTypeIsAF32) && is_approximate(op) &&
         (!is_quotient(op) || is_reciprocal(op));
}

strata_status_t strata_gpu_convert_extreme(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_emulate_math(op, false);
  return NULL;
}

strata_status_t strata_gpu_convert_math(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (strata_gpu_is_emulated(kernel)) { // has libm
    strata_gpu_emulate_math(op, is_as_in_hardware(op));
    return NULL;
  }
  size_t i = 0;
  while (i < N_ROWS && !strata_op_is(op, rows[i].op))
    i++;
  if (i == N_ROWS)
    return unsupported(op);
  bool is_amdgcn = kernel->device->code == STRATA_GPU_AMDGCN;
  const char *intrinsic = is_amdgcn ? rows[i].amdgcn : rows[i].nvvm;
  build_t build = is_amdgcn ? strata_gpu_build_amdgcn_math : strata_gpu_build_intrinsic;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_short = intrinsic && is_flat(type, mlirTypeIsAF32) && is_approximate(op);
  if (is_amdgcn && is_quotient(op) && is_flat(type, mlirTypeIsAF64)) {
    strata_gpu_replace(op, build_elements(op, build, intrinsic));
    return NULL;
  }
  if (!is_short)
    return rows[i].has_exact_form ? NULL : unsupported(op);
  if (!*intrinsic || (is_amdgcn && is_reciprocal(op)))
    return NULL;
  strata_gpu_replace(op, is_reciprocal(op) ? build_reciprocal(op) : build_elements(op, build, intrinsic));
  return NULL;
}
