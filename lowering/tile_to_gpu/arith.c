// Arithmetic: ops of arith and math, one new op a register.
#include "lowering/tile_to_cpu/ops.h"
#include "lowering/tile_to_gpu/distribute.h"

enum { MAX_OPERANDS = 4 };

static bool has_prefix(MlirStringRef name, const char *prefix) {
  return name.length > strlen(prefix) && memcmp(name.data, prefix, strlen(prefix)) == 0;
}

bool strata_gpu_is_arithmetic(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  bool is_arithmetic = has_prefix(name, "arith.") || has_prefix(name, "math.") || strata_op_is(op, "vector.fma");
  return is_arithmetic && !strata_op_is(op, "arith.constant");
}

static MlirValue emit_same(strata_gpu_distribution_t *d, MlirOperation op, int n_operands, const MlirValue *operands,
                           MlirType type) {
  bool is_fma = strata_op_is(op, "vector.fma"); // which has no scalar form
  MlirOperationState state = mlirOperationStateGet(is_fma ? strata_str("math.fma") : strata_op_name(op), d->e.location);
  mlirOperationStateAddOperands(&state, n_operands, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(d->e.block, copy);
  return mlirOperationGetResult(copy, 0);
}

strata_status_t strata_gpu_rule_arithmetic(strata_gpu_distribution_t *d, MlirOperation op) {
  int n_operands = (int)mlirOperationGetNumOperands(op);
  if (mlirOperationGetNumResults(op) != 1 || n_operands > MAX_OPERANDS)
    return strata_gpu_missing(op, "this number of operands or results");
  MlirValue result = mlirOperationGetResult(op, 0), scalars[MAX_OPERANDS];
  strata_registers_t registers = strata_registers_new(d, result), operands[MAX_OPERANDS];
  for (int i = 0; i < n_operands; i++)
    STRATA_TRY(strata_registers_as(d, mlirOperationGetOperand(op, i), &registers.layout, &operands[i]));
  for (int64_t reg = 0; reg < registers.count; reg++) {
    for (int i = 0; i < n_operands; i++)
      scalars[i] = operands[i].values[operands[i].rank == 0 ? 0 : reg];
    registers.values[reg] = emit_same(d, op, n_operands, scalars, registers.element);
  }
  strata_registers_define(d, result, &registers);
  return NULL;
}
