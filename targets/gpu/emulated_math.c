// Math on the tests' device as NVIDIA's instructions do it where that shows: what PTX ISA allows ex2, lg2 and rcp to
// lose is lost, the greater of two zeros is +0, and nothing else is approximate.
#include "targets/gpu/kernel.h"

#include "lowering/expand/ops.h"

#include <stdio.h>

static MlirValue magnitude(MlirOperation before, MlirValue a) {
  return strata_gpu_build(before, "math.absf", 1, &a, mlirValueGetType(a), 0, NULL);
}

// Subnormals become zeros of their sign.
static MlirValue flush(MlirOperation before, MlirValue a) {
  MlirType type = mlirValueGetType(a);
  MlirValue zero = strata_gpu_build_binary(before, "math.copysign", strata_gpu_build_number(before, type, 0), a);
  return strata_gpu_build_choice(before, STRATA_OLT, magnitude(before, a),
                                 strata_gpu_build_number(before, type, 0x1p-126), zero, a);
}

// lg2.approx errs by up to 2^-22 between 1/2 and 2: multiples of 2^-21.
static MlirValue coarsen(MlirOperation before, MlirValue log) {
  MlirType type = mlirValueGetType(log);
  MlirValue scaled = strata_gpu_build_binary(before, "arith.mulf", log, strata_gpu_build_number(before, type, 0x1p+21));
  MlirValue rounded = strata_gpu_build(before, "math.roundeven", 1, &scaled, type, 0, NULL);
  MlirValue coarse =
      strata_gpu_build_binary(before, "arith.mulf", rounded, strata_gpu_build_number(before, type, 0x1p-21));
  return strata_gpu_build_choice(before, STRATA_OLT, magnitude(before, log), strata_gpu_build_number(before, type, 1),
                                 coarse, log);
}

// |value| is the greater or lesser of a and b; where they are equal and not the same, they are zeros.
static MlirValue with_sign_of_zero(MlirOperation op, MlirValue value, const char *combine) {
  MlirType type = mlirValueGetType(value);
  MlirType bits = strata_type_like(
      type, mlirIntegerTypeGet(mlirOperationGetContext(op), mlirFloatTypeGetWidth(strata_type_element(type))));
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
  MlirValue both = strata_gpu_build_binary(op, combine, strata_gpu_build_cast(op, "arith.bitcast", a, bits),
                                           strata_gpu_build_cast(op, "arith.bitcast", b, bits));
  return strata_gpu_build_choice(op, STRATA_OEQ, a, b, strata_gpu_build_cast(op, "arith.bitcast", both, type), value);
}

static MlirValue emulate(MlirOperation op, bool is_approximate) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  int n = (int)mlirOperationGetNumOperands(op);
  MlirValue operands[3];
  for (int i = 0; i < n; i++)
    operands[i] = mlirOperationGetOperand(op, i);
  bool flushes = is_approximate && (strata_op_is(op, "math.exp2") || strata_op_is(op, "arith.divf"));
  if (flushes)
    operands[n - 1] = flush(op, operands[n - 1]);
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strata_op_name(op).length, strata_op_name(op).data);
  MlirValue value = strata_gpu_build(op, name, n, operands, type, 0, NULL);
  if (flushes)
    return flush(op, value);
  if (is_approximate && strata_op_is(op, "math.log2"))
    return coarsen(op, value);
  if (strata_op_is(op, "arith.maximumf") || strata_op_is(op, "arith.minimumf"))
    return with_sign_of_zero(op, value, strata_op_is(op, "arith.maximumf") ? "arith.andi" : "arith.ori");
  return value;
}

void strata_gpu_emulate_math(MlirOperation op, bool is_approximate) {
  enum { MAX_OPERANDS = 3 };
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) > MAX_OPERANDS)
    return;
  strata_gpu_replace(op, emulate(op, is_approximate));
}
