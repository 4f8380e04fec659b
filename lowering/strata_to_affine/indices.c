// Arithmetic on indices that gathers alone read, what mends those that count from the end: done where the element is
// read, by no nest of its own.
//
//   %1 = "strata.lt"(%i, 0)   %2 = "strata.add"(%i, 100)   %3 = "strata.select"(%1, %2, %i)   "strata.gather"(%x, %3)
// A tensor that is not live has no nest: what it is computed from is.
#include "lowering/strata_to_affine/lower.h"

enum { MAX_OPS = 8 }; // of an index: it is computed for every element read

static bool is_index_type(strata_type_t type) {
  return type == STRATA_TYPE_I64 || type == STRATA_TYPE_I32 || type == STRATA_TYPE_I1;
}

// The elementwise op on whole numbers that computes |value|; null if there is none.
static MlirOperation arithmetic_of(strata__lowering_t *l, MlirValue value) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || strata_op_info[strata_op_id(op)].kind != STRATA_KIND_ELEMENTWISE ||
      strata_op_id(op) == STRATA_OP_BITCAST || !is_index_type(strata__tensor(l, value)->type))
    return (MlirOperation){0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!is_index_type(strata__operand(l, op, (int)i)->type))
      return (MlirOperation){0};
  return op;
}

static int count_ops(strata__lowering_t *l, MlirValue value, int most) {
  MlirOperation op = arithmetic_of(l, value);
  int count = !mlirOperationIsNull(op);
  for (intptr_t i = 0; count > 0 && count <= most && i < mlirOperationGetNumOperands(op); i++)
    count += count_ops(l, mlirOperationGetOperand(op, i), most - count);
  return count;
}

static void mark_leaves(strata__lowering_t *l, MlirValue value) {
  MlirOperation op = arithmetic_of(l, value);
  if (mlirOperationIsNull(op))
    strata__tensor(l, value)->is_live = true;
  for (intptr_t i = 0; !mlirOperationIsNull(op) && i < mlirOperationGetNumOperands(op); i++)
    mark_leaves(l, mlirOperationGetOperand(op, i));
}

void strata__mark_index_live(strata__lowering_t *l, MlirValue value) {
  if (count_ops(l, value, MAX_OPS) <= MAX_OPS)
    mark_leaves(l, value);
  else
    strata__tensor(l, value)->is_live = true;
}

MlirValue strata__index_value(strata__nest_t *nest, MlirValue value, const MlirAffineExpr *point) {
  strata__lowering_t *l = nest->lowering;
  const strata__tensor_t *tensor = strata__tensor(l, value);
  MlirOperation op = strata_def(value);
  MlirValue operands[3];
  if (tensor->is_live)
    return strata__load_raw(nest, tensor, point);
  strata_op_id_t id = strata_op_id(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    operands[i] = strata__index_value(nest, mlirOperationGetOperand(op, i), point);
  strata_type_t from = strata__operand(l, op, strata_op_info[id].rule == STRATA_RULE_SECOND ? 1 : 0)->type;
  return strata__body(nest, id, from, tensor->type, operands);
}
