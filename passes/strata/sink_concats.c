// The part of strata-sink-views that is about concats: what follows elementwise moves in front of one that joins
// results of contracts, where each contract does it before it stores its part.
//
//   max(concat(contract(x, v), contract(x, w)), y)
//     ->  concat(max(contract(x, v), slice(y)), max(contract(x, w), slice(y)))
#include "passes/strata/views.h"

enum { MAX_OPS = 64 }; // looked at in front of a concat

// True if |value| is a contract's result, as it is, elementwise changed or joined of several, and nobody else reads it.
static bool is_made_by_contracts(MlirValue value, int *budget) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !strata_has_one_use(value) || (*budget)-- <= 0)
    return false;
  strata_op_id_t id = strata_op_id(op);
  if (id == STRATA_OP_CONTRACT)
    return true;
  if (id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE)
    return is_made_by_contracts(strata_operand(op, 0), budget);
  if (id == STRATA_OP_CONCAT)
    return is_made_by_contracts(strata_operand(op, 0), budget) && is_made_by_contracts(strata_operand(op, 1), budget);
  for (int i = 0; strata_is_elementwise(id) && i < strata_op_info[id].n_operands; i++)
    if (is_made_by_contracts(strata_operand(op, i), budget))
      return true;
  return false;
}

static bool joins_contracts(MlirValue value) {
  int budget = MAX_OPS;
  return !mlirOperationIsNull(strata_def_if(value, STRATA_OP_CONCAT)) && is_made_by_contracts(value, &budget);
}

MlirValue strata_pass_concat(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  int n = strata_op_info[id].n_operands, which = 0;
  while (which < n && !joins_contracts(strata_operand(op, which)))
    which++;
  if (which == n)
    return STRATA_NO_VALUE;
  MlirOperation concat = strata_def(strata_operand(op, which));
  int64_t axis = strata_attr_i64(concat, "axis", 0), starts[STRATA_MAX_RANK] = {0}, steps[STRATA_MAX_RANK];
  int64_t sizes[2][STRATA_MAX_RANK];
  for (int i = 0; i < 2; i++)
    if (strata_sizes_of(strata_operand(concat, i), sizes[i]) < 0)
      return STRATA_NO_VALUE;
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    steps[i] = 1;
  MlirValue parts[2], operands[3];
  for (int part = 0; part < 2; part++) {
    starts[axis] = part == 0 ? 0 : sizes[0][axis];
    for (int i = 0; i < n; i++)
      operands[i] = i == which ? strata_operand(concat, part)
                               : strata_build_slice(&r->build, strata_operand(op, i), starts, steps, sizes[part]);
    parts[part] = strata_build_elementwise(&r->build, id, operands, strata_shape_of(strata_result(op)).type);
  }
  return strata_build_concat(&r->build, 2, parts, axis);
}
