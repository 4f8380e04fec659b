// Arithmetic: ops of arith and math, one new op a register, or what stands for it (lowering/expand).
#include "lowering/tile_to_gpu/distribute.h"

enum { MAX_OPERANDS = 4 };

bool strata_gpu_is_arithmetic(MlirOperation op) {
  return strata_op_is_arithmetic(op) || strata_op_is(op, "vector.fma");
}

// vector.fma has no scalar form. A null value if the device cannot compute |op|.
static MlirValue emit_scalar(strata_gpu_distribution_t *d, MlirOperation op, int n_operands, const MlirValue *operands,
                             MlirType type) {
  if (strata_op_is(op, "vector.fma"))
    return strata_emit_multiply_add(&d->arithmetic, operands[0], operands[1], operands[2]);
  return strata_emit_arithmetic(&d->arithmetic, op, n_operands, operands, type);
}

// k * (1 + erf(c * a)) straight from a: what stands between is not used then.
static strata_status_t emit_normal(strata_gpu_distribution_t *d, MlirOperation op, const strata_normal_t *normal) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_registers_t registers = strata_registers_new(d, result), a;
  STRATA_TRY(strata_registers_as(d, normal->a, &registers.layout, &a));
  for (int64_t reg = 0; reg < registers.count; reg++)
    registers.values[reg] = strata_emit_normal(&d->arithmetic, normal, a.values[a.rank == 0 ? 0 : reg]);
  strata_registers_define(d, result, &registers);
  return NULL;
}

strata_status_t strata_gpu_rule_arithmetic(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_normal_t normal = strata_match_normal(&d->arithmetic, op);
  if (!mlirValueIsNull(normal.a))
    return emit_normal(d, op, &normal);
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
    registers.values[reg] = emit_scalar(d, op, n_operands, scalars, registers.element);
    if (mlirValueIsNull(registers.values[reg]))
      return strata_gpu_missing(op, "this function");
  }
  strata_registers_define(d, result, &registers);
  return NULL;
}
