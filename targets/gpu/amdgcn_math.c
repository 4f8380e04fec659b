// Roots and quotients on AMD's chips. v_sqrt, v_rsq and v_rcp of f32 take subnormal numbers for zero and give zero for
// them; v_rcp of f64 is where a quotient begins.
#include "targets/gpu/kernel.h"

#include "lowering/expand/ops.h"

#include <math.h>

#include <mlir-c/Dialect/LLVM.h>

static bool is_number_of(MlirValue value, double least) {
  double number;
  return strata_value_number(value, &number) && fabs(number) >= least;
}

// Neither its reciprocal nor its root leaves the normal numbers of f32.
static bool is_of_f16(MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, "arith.extf") &&
         mlirTypeIsAF16(strata_type_element(mlirValueGetType(mlirOperationGetOperand(op, 0))));
}

// A sum with a number c >= 2^-64 is 0 or at least 2^-112: what is as large as c / 2, be it an exact product of two f32,
// of 48 bits, is a multiple of that, as c is.
static bool is_moved_from_zero(MlirValue value) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !(strata_op_is(op, "arith.addf") || strata_op_is(op, "math.fma")))
    return false;
  intptr_t last = mlirOperationGetNumOperands(op) - 1;
  return is_number_of(mlirOperationGetOperand(op, last), 0x1p-64) ||
         (strata_op_is(op, "arith.addf") && is_number_of(mlirOperationGetOperand(op, 0), 0x1p-64));
}

static MlirValue scale(MlirOperation op, MlirValue value, MlirValue exponent) {
  return strata_gpu_build_intrinsic(op, "llvm.ldexp", 2, (MlirValue[]){value, exponent}, mlirValueGetType(value));
}

// Subnormal numbers, and with them whatever is below, by 2^24.
static MlirValue root(MlirOperation op, const char *intrinsic, MlirValue x, int64_t exponent_of_result) {
  MlirType type = mlirValueGetType(x);
  if (is_of_f16(mlirOperationGetOperand(op, 0)) || is_moved_from_zero(mlirOperationGetOperand(op, 0)))
    return strata_gpu_build_intrinsic(op, intrinsic, 1, &x, type);
  MlirValue least = strata_gpu_build_number(op, type, 0x1p-126), none = strata_gpu_build_i32(op, 0);
  MlirValue there = strata_gpu_build_choice(op, STRATA_OLT, x, least, strata_gpu_build_i32(op, 24), none);
  MlirValue back =
      strata_gpu_build_choice(op, STRATA_OLT, x, least, strata_gpu_build_i32(op, exponent_of_result), none);
  MlirValue scaled = scale(op, x, there);
  return scale(op, strata_gpu_build_intrinsic(op, intrinsic, 1, &scaled, type), back);
}

// a / b is a 2^-e / m, where b = m 2^e and 1/2 <= |m| < 1: a 2^-e is too large only where the quotient is, and loses
// bits only where the quotient is about as small. As it is canonical anyway, so that LLVM makes of it and a rounding to
// f16 no v_fma_mixlo with an addend of +0, which takes the sign off -0.
static MlirValue quotient(MlirOperation op, const char *reciprocal, MlirValue a, MlirValue b) {
  MlirType type = mlirValueGetType(a);
  if (!is_of_f16(mlirOperationGetOperand(op, 1))) {
    MlirType i32 = strata_gpu_int_type(op, 32);
    MlirValue exponent = strata_gpu_build_intrinsic(op, "llvm.amdgcn.frexp.exp", 1, &b, i32);
    a = scale(op, a, strata_gpu_build_binary(op, "arith.subi", strata_gpu_build_i32(op, 0), exponent));
    b = strata_gpu_build_intrinsic(op, "llvm.amdgcn.frexp.mant", 1, &b, type);
  }
  MlirValue inverse = strata_gpu_build_intrinsic(op, reciprocal, 1, &b, type);
  MlirValue product = strata_gpu_build_binary(op, "arith.mulf", a, inverse);
  return strata_gpu_build_intrinsic(op, "llvm.canonicalize", 1, &product, type);
}

//===-- Quotients of f64 -----------------------------------------------------------------------------------------===//

static MlirValue multiply_add(MlirOperation op, MlirValue a, MlirValue b, MlirValue c) {
  return strata_gpu_build(op, "math.fma", 3, (MlirValue[]){a, b, c}, mlirValueGetType(a), 0, NULL);
}

// v_div_scale of n or d; *out_is_scaled is what v_div_fmas asks for.
static MlirValue div_scale(MlirOperation op, MlirValue n, MlirValue d, bool is_n, MlirValue *out_is_scaled) {
  MlirContext context = mlirOperationGetContext(op);
  MlirType type = mlirValueGetType(n), i1 = strata_gpu_int_type(op, 1), types[] = {type, i1};
  strata_named_attr_t which = {"value", mlirIntegerAttrGet(i1, is_n)};
  MlirValue operands[] = {n, d, strata_gpu_build(op, "arith.constant", 0, NULL, i1, 1, &which)};
  MlirValue both = strata_gpu_build_intrinsic(op, "llvm.amdgcn.div.scale", 3, operands,
                                              mlirLLVMStructTypeLiteralGet(context, 2, types, false));
  MlirValue parts[2];
  for (int64_t i = 0; i < 2; i++) {
    strata_named_attr_t position = {"position", strata_i64s_attr(context, 1, &i)};
    parts[i] = strata_gpu_build(op, "llvm.extractvalue", 1, &both, types[i], 1, &position);
  }
  *out_is_scaled = parts[1];
  return parts[0];
}

// The reciprocal of d but for its last rounding, then that. Steps of Newton's reach the number next to 1 / d unless d's
// mantissa is all ones (Markstein): there 1 / d is a little more than half of a last bit above the power of two that
// they end at, and quotients of powers of two would end below theirs. |error| is 1 - d y.
static MlirValue reciprocal_f64(MlirOperation op, const char *intrinsic, MlirValue d, MlirValue minus_d) {
  enum { N_STEPS = 2 };
  MlirType type = mlirValueGetType(d);
  MlirValue one = strata_gpu_build_number(op, type, 1), y = strata_gpu_build_intrinsic(op, intrinsic, 1, &d, type);
  for (int i = 0; i < N_STEPS; i++)
    y = multiply_add(op, y, multiply_add(op, minus_d, y, one), y);
  MlirValue error = multiply_add(op, minus_d, y, one), half = strata_gpu_build_number(op, type, 0x1p-53);
  MlirValue bit = strata_gpu_build_number(op, type, 0x1p-52), none = strata_gpu_build_number(op, type, 0);
  return multiply_add(op, y, strata_gpu_build_choice(op, STRATA_OGE, error, half, bit, none), y);
}

// The steps of LLVM's own, but for the reciprocal.
static MlirValue quotient_f64(MlirOperation op, const char *intrinsic, MlirValue n, MlirValue d) {
  MlirType type = mlirValueGetType(n);
  MlirValue is_scaled;
  MlirValue scaled_d = div_scale(op, n, d, false, &is_scaled), scaled_n = div_scale(op, n, d, true, &is_scaled);
  MlirValue minus_d = strata_gpu_build(op, "arith.negf", 1, &scaled_d, type, 0, NULL);
  MlirValue y = reciprocal_f64(op, intrinsic, scaled_d, minus_d);
  MlirValue q = strata_gpu_build_binary(op, "arith.mulf", scaled_n, y);
  MlirValue steps[] = {multiply_add(op, minus_d, q, scaled_n), y, q, is_scaled};
  q = strata_gpu_build_intrinsic(op, "llvm.amdgcn.div.fmas", 4, steps, type);
  return strata_gpu_build_intrinsic(op, "llvm.amdgcn.div.fixup", 3, (MlirValue[]){q, d, n}, type);
}

//===-- What math.def has ----------------------------------------------------------------------------------------===//

MlirValue strata_gpu_build_amdgcn_math(MlirOperation op, const char *intrinsic, int n_operands,
                                       const MlirValue *operands, MlirType type) {
  if (strata_op_is(op, "math.sqrt"))
    return root(op, intrinsic, operands[0], -12);
  if (strata_op_is(op, "math.rsqrt"))
    return root(op, intrinsic, operands[0], 12);
  if (strata_op_is(op, "arith.divf"))
    return (mlirTypeIsAF64(type) ? quotient_f64 : quotient)(op, intrinsic, operands[0], operands[1]);
  return strata_gpu_build_intrinsic(op, intrinsic, n_operands, operands, type);
}
