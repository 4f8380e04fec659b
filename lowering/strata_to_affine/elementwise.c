// Elementwise ops: one nest over the result.
//
//   %1 = "strata.exp"(%0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
// becomes
//   affine.parallel (%i, %j) = (0, 0) to (8, 64) {
//     %a = affine.load %x[%i, %j] : memref<8x64xf32>   %b = math.exp %a : f32   affine.store %b, %y[%i, %j] ... }
#include "lowering/strata_to_affine/lower.h"

// select and bitcast move bits: their operands stay in the form they have in memory.
static bool is_raw(strata_op_id_t id) { return id == STRATA_OP_SELECT || id == STRATA_OP_BITCAST; }

static MlirValue bitcast(strata__nest_t *nest, strata_type_t from, strata_type_t to, MlirValue x) {
  return from == to ? x : strata__cast(nest, "arith.bitcast", x, strata_type_to_mlir(nest->lowering->context, to));
}

// |value| is an exact quotient, or a view of one.
static bool is_exact_quotient(MlirValue value) {
  MlirOperation op = strata_def(value);
  while (!mlirOperationIsNull(op) && strata__is_view_op(strata_op_id(op)))
    op = strata_def(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(op) && strata_op_id(op) == STRATA_OP_DIV_EXACT;
}

strata_status_t strata__lower_elementwise(strata__lowering_t *l, MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  const strata_op_info_t *info = &strata_op_info[id];
  strata__tensor_t *result = strata__result(l, op, 0);
  strata_type_t from = strata__operand(l, op, info->rule == STRATA_RULE_SECOND ? 1 : 0)->type;
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  MlirValue operands[3];
  strata__nest_begin_for(l, &nest, op, info->mnemonic, result, point);
  for (int i = 0; i < info->n_operands; i++)
    if (is_exact_quotient(mlirOperationGetOperand(op, i)))
      nest.fast_math = l->fast_math_of_decided;
  nest.is_number = (id == STRATA_OP_CONVERT || id == STRATA_OP_CONVERT_TO_U) &&
                   strata_is_number(l->compile, mlirOperationGetOperand(op, 0));
  for (int i = 0; i < info->n_operands; i++)
    operands[i] = (is_raw(id) ? strata__load_raw : strata__load)(&nest, strata__operand(l, op, i), point);
  MlirValue value = id == STRATA_OP_BITCAST ? bitcast(&nest, from, result->type, operands[0])
                                            : strata__body(&nest, id, from, result->type, operands);
  if (strata_attr_flag(op, STRATA_ROUNDS) && strata_op_is(strata_def(value), "arith.truncf"))
    strata_set_attr(strata_def(value), STRATA_ROUNDS, strata_attr(op, STRATA_ROUNDS));
  strata__store(&nest, result, point, value);
  strata__nest_end(&nest);
  return NULL;
}
