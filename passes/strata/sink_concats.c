// The part of strata-sink-views that is about concats: what follows elementwise moves in front of one that joins
// results of contracts, where each contract does it before it stores its part.
//
//   max(concat(contract(x, v), contract(x, w)), y)
//     ->  concat(max(contract(x, v), slice(y)), max(contract(x, w), slice(y)))
//
// So it is where the concat is reshaped, as the phases of a transposed convolution are.
#include "passes/strata/views.h"

enum { MAX_OPS = 64 }; // looked at in front of a concat

static bool is_way(strata_op_id_t id) {
  return id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE || id == STRATA_OP_CONCAT;
}

// True if nobody reads |value| but ops that can do so part by part.
static bool is_read_elementwise(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    strata_op_id_t id = strata_op_id(mlirOpOperandGetOwner(use));
    if (!is_way(id) && !strata_is_elementwise(id))
      return false;
  }
  return true;
}

// True if |value| is a contract's result, as it is, elementwise changed or joined of several.
static bool is_made_by_contracts(MlirValue value, int *budget) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !is_read_elementwise(value) || (*budget)-- <= 0)
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

// The concat that |value| is, or is a reshape of; a null operation if it joins no contracts.
static MlirOperation joined(MlirValue value) {
  MlirOperation reshape = strata_def_if(value, STRATA_OP_RESHAPE);
  if (!mlirOperationIsNull(reshape) && is_read_elementwise(value))
    value = strata_operand(reshape, 0);
  MlirOperation none = {NULL};
  return joins_contracts(value) ? strata_def(value) : none;
}

// Part |part| of |x|, which has the elements of the concat's result in their order, be it in another shape.
static MlirValue part_of(strata_builder_t *b, MlirValue x, MlirOperation concat, int part) {
  strata_shape_t shape = strata_shape_of(strata_result(concat));
  strata_shape_t first = strata_shape_of(strata_operand(concat, 0)),
                 own = strata_shape_of(strata_operand(concat, part));
  int64_t axis = strata_attr_i64(concat, "axis", 0), steps[STRATA_MAX_RANK];
  strata_dim_t starts[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++) {
    steps[i] = 1;
    starts[i] = i == axis && part > 0 ? first.dims[axis] : strata_dim_constant(b->compile->context, 0);
  }
  return strata_build_slice_dims(b, strata_build_reshape(b, x, shape.rank, shape.dims), starts, steps, own.dims);
}

MlirValue strata_pass_concat(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  int n = strata_op_info[id].n_operands, which = 0;
  MlirOperation concat = {NULL};
  for (; which < n && mlirOperationIsNull(concat); which += mlirOperationIsNull(concat))
    concat = joined(strata_operand(op, which));
  if (mlirOperationIsNull(concat))
    return STRATA_NO_VALUE;
  MlirValue parts[2], operands[3];
  strata_shape_t shape = strata_shape_of(strata_result(op));
  for (int part = 0; part < 2; part++) {
    for (int i = 0; i < n; i++)
      operands[i] = i == which ? strata_operand(concat, part) : part_of(&r->build, strata_operand(op, i), concat, part);
    parts[part] = strata_build_elementwise(&r->build, op, operands);
  }
  MlirValue whole = strata_build_concat(&r->build, 2, parts, strata_attr_i64(concat, "axis", 0));
  return strata_build_reshape(&r->build, whole, shape.rank, shape.dims);
}
