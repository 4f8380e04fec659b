// See graph.h.
#include "passes/strata/graph.h"

#include <math.h>

//===-- Walking --------------------------------------------------------------------------------------------------===//

strata_ops_t strata_ops_of(strata_arena_t *arena, MlirBlock block) {
  strata_ops_t ops = {0};
  MlirOperation op = mlirBlockGetFirstOperation(block), next;
  for (; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!mlirOperationIsNull(next))
      *strata_vector_push(arena, &ops) = op;
  }
  return ops;
}

strata_status_t strata_for_each_body(strata_compile_t *compile, strata_visit_body_t visit, void *user) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "func.func"))
      continue;
    MlirBlock body = strata_func_body(op);
    if (!mlirBlockIsNull(body))
      STRATA_TRY(visit(compile, body, user));
  }
  return NULL;
}

//===-- Ops ------------------------------------------------------------------------------------------------------===//

MlirOperation strata_def_if(MlirValue value, strata_op_id_t id) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_id(op) == id ? op : (MlirOperation){NULL};
}

MlirValue strata_operand(MlirOperation op, int index) { return mlirOperationGetOperand(op, index); }

MlirValue strata_result(MlirOperation op) { return mlirOperationGetResult(op, 0); }

MlirValue strata_copy_elementwise(MlirOperation op, const MlirValue *operands, MlirOperation before) {
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mlirOperationSetOperand(copy, i, operands[i]);
  strata_shape_t shape = strata_shape_of(operands[0]);
  shape.type = strata_shape_of(strata_result(op)).type;
  mlirValueSetType(strata_result(copy), strata_shape_to_type(mlirOperationGetContext(op), &shape));
  return strata_result(copy);
}

MlirValue strata_build_elementwise(strata_builder_t *b, MlirOperation op, const MlirValue *operands) {
  strata_op_id_t id = strata_op_id(op);
  strata_type_t type = strata_shape_of(strata_result(op)).type;
  if (strata_attr_flag(op, STRATA_ROUNDS))
    return strata_build_rounding(b, operands[0], type);
  if (strata_op_info[id].rule == STRATA_RULE_RESULT)
    return strata_build_convert(b, id, operands[0], type);
  switch (strata_op_info[id].n_operands) {
  case 1:
    return strata_build_unary(b, id, operands[0]);
  case 2:
    return strata_build_binary(b, id, operands[0], operands[1]);
  default:
    return strata_build_select(b, operands[0], operands[1], operands[2]);
  }
}

MlirAffineMap strata_map(MlirOperation op) { return mlirAffineMapAttrGetValue(strata_attr(op, "map")); }

MlirAffineMap strata_contract_map(MlirOperation op, int index) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(strata_attr(op, "maps"), index));
}

int strata_sizes_of(MlirValue value, int64_t *out_sizes) {
  strata_shape_t shape = strata_shape_of(value);
  return strata_shape_sizes(&shape, out_sizes) ? shape.rank : -1;
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static bool scalar_of_attr(MlirAttribute attr, strata_type_t type, strata_scalar_t *out) {
  *out = (strata_scalar_t){.type = type};
  if (mlirAttributeIsAFloat(attr))
    out->f64 = mlirFloatAttrGetValueDouble(attr);
  else if (mlirAttributeIsABool(attr))
    out->i64 = mlirBoolAttrGetValue(attr);
  else if (mlirAttributeIsAInteger(attr))
    out->i64 = mlirIntegerAttrGetValueInt(attr);
  else
    return false;
  return true;
}

// Of a symbolic shape no constant can be: a splat is the broadcast of one element there.
static MlirValue repeated(MlirValue value) {
  MlirOperation broadcast = strata_def_if(value, STRATA_OP_BROADCAST);
  return !mlirOperationIsNull(broadcast) && strata_type_is_symbolic(mlirValueGetType(value))
             ? strata_operand(broadcast, 0)
             : value;
}

bool strata_splat_of(MlirValue value, strata_scalar_t *out_scalar) {
  MlirOperation op = strata_def_if(repeated(value), STRATA_OP_CONSTANT);
  MlirAttribute attr = mlirOperationIsNull(op) ? mlirAttributeGetNull() : strata_attr(op, "value");
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseElements(attr) || !mlirDenseElementsAttrIsSplat(attr))
    return false;
  return scalar_of_attr(mlirDenseElementsAttrGetSplatValue(attr), strata_shape_of(value).type, out_scalar);
}

bool strata_is_splat(MlirValue value, double number) {
  strata_scalar_t scalar;
  if (!strata_splat_of(value, &scalar))
    return false;
  if (strata_type_info[scalar.type].kind == STRATA_TYPE_KIND_FLOAT)
    return scalar.f64 == number && signbit(scalar.f64) == signbit(number);
  return (double)scalar.i64 == number && scalar.i64 != INT64_MAX;
}

bool strata_is_filled(strata_compile_t *compile, MlirValue value, double number) {
  MlirOperation op = strata_def_if(value, STRATA_OP_CONSTANT);
  bool has_data = !mlirOperationIsNull(op) && mlirAttributeIsNull(strata_attr(op, "value")) && isfinite(number) &&
                  !compile->options->weights_are_set && !compile->options->disable_constant_folding;
  return strata_is_splat(value, number) || (has_data && strata_constant_is_filled(compile, value, number));
}

MlirValue strata_build_scalar_splat(strata_builder_t *b, const strata_shape_t *shape, strata_scalar_t scalar) {
  if (strata_type_info[scalar.type].kind == STRATA_TYPE_KIND_FLOAT)
    return strata_build_splat(b, shape, scalar.f64);
  return strata_build_splat_int(b, shape, scalar.i64);
}
