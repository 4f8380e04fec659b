// strata-exact-quotients: a quotient that decides something is divided out in every mode.
//
//   floor(div(%x, %d))   ->   floor(div_exact(%x, %d))
//
// A quotient that is a whole number must not become 2.9999998 by way of a reciprocal where it is rounded to an integer,
// compared, tested, converted to an integer or boolean, or has a remainder taken. On its way there it may go through
// whatever moves or chooses elements, maxima and minima, signs, sums, products with constants and conversions between
// floats, and it may be what such a quotient is divided by: a scale that is computed. A comparison with 0 does not
// count: the sign does not depend on how a quotient is computed.
#include "dialects/pointer_map.h"
#include "passes/pass.h"
#include "passes/strata/graph.h"

static bool is_float(MlirValue value) {
  strata_type_t type = strata_shape_of(value).type;
  return type != STRATA_TYPE_COUNT && strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT;
}

static bool is_constant(MlirValue value) {
  MlirOperation op = strata_def(value);
  while (!mlirOperationIsNull(op) && (strata_op_id(op) == STRATA_OP_BROADCAST || strata_op_id(op) == STRATA_OP_RESHAPE))
    op = strata_def(strata_operand(op, 0));
  return !mlirOperationIsNull(op) && strata_op_id(op) == STRATA_OP_CONSTANT;
}

static bool compares_with_zero(MlirOperation op) {
  return mlirOperationGetNumOperands(op) == 2 &&
         (strata_is_splat(strata_operand(op, 0), 0) || strata_is_splat(strata_operand(op, 1), 0));
}

// The op makes something of a float operand that jumps where the operand does not.
static bool jumps(MlirOperation op, strata_op_id_t id) {
  switch (id) {
  case STRATA_OP_FLOOR:
  case STRATA_OP_CEIL:
  case STRATA_OP_TRUNC:
  case STRATA_OP_ROUND_EVEN:
  case STRATA_OP_REM:
    return true;
  case STRATA_OP_CONVERT:
  case STRATA_OP_CONVERT_TO_U:
    return !is_float(strata_result(op));
  default:
    return strata_op_info[id].rule == STRATA_RULE_BOOL && !compares_with_zero(op);
  }
}

static bool chooses(MlirOperation op) {
  strata_combiner_t combiner = strata_op_combiner(op);
  return combiner == STRATA_COMBINER_MAX || combiner == STRATA_COMBINER_MIN;
}

// The op's result is its operand |index| moved, chosen or shifted.
static bool passes_on(MlirOperation op, strata_op_id_t id, intptr_t index) {
  switch (id) {
  case STRATA_OP_NEG:
  case STRATA_OP_ABS:
  case STRATA_OP_ADD:
  case STRATA_OP_SUB:
  case STRATA_OP_MIN:
  case STRATA_OP_MAX:
  case STRATA_OP_CONVERT:
    return true;
  case STRATA_OP_MUL:
    return is_constant(strata_operand(op, 1 - (int)index));
  case STRATA_OP_DIV:
    return index == 1; // a scale that is a quotient itself
  case STRATA_OP_SELECT:
    return index > 0;
  case STRATA_OP_GATHER:
    return index == 0;
  case STRATA_OP_REDUCE:
  case STRATA_OP_WINDOW:
    return chooses(op);
  default:
    return strata_op_info[id].kind == STRATA_KIND_MOVEMENT;
  }
}

static bool use_decides(const strata_pointer_map_t *deciding, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  strata_op_id_t id = strata_op_id(user);
  if (id == STRATA_OP_COUNT)
    return false;
  return jumps(user, id) ||
         (strata_pointer_map_get(deciding, user.ptr) && passes_on(user, id, mlirOpOperandGetOperandNumber(use)));
}

static bool decides(const strata_pointer_map_t *deciding, MlirOperation op) {
  if (mlirOperationGetNumResults(op) == 0 || !is_float(strata_result(op)))
    return false;
  MlirOpOperand use = mlirValueGetFirstUse(strata_result(op));
  while (!mlirOpOperandIsNull(use) && !use_decides(deciding, use))
    use = mlirOpOperandGetNextUse(use);
  return !mlirOpOperandIsNull(use);
}

static strata_status_t divide_out(strata_compile_t *compile, MlirBlock body, MlirOperation op) {
  strata_builder_t b = {.compile = compile,
                        .block = body,
                        .before = op,
                        .location = mlirOperationGetLocation(op),
                        .no_fold = true,
                        .keep_form = true};
  MlirValue quotient = strata_build_binary(&b, STRATA_OP_DIV_EXACT, strata_operand(op, 0), strata_operand(op, 1));
  STRATA_TRY(b.status);
  mlirValueReplaceAllUsesOfWith(strata_result(op), quotient);
  mlirOperationDestroy(op);
  return NULL;
}

// From the last op to the first, so that it is known of an op's users what they decide. Nothing is asked of an op again
// after it is replaced.
static strata_status_t visit_body(strata_compile_t *compile, MlirBlock body, void *user) {
  (void)user;
  strata_pointer_map_t deciding = strata_pointer_map_create(compile->arena); // ops whose first result decides something
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = ops.count; i-- > 0;)
    if (decides(&deciding, ops.data[i]))
      *strata_pointer_map_put(&deciding, ops.data[i].ptr) = 1;
  for (size_t i = 0; i < ops.count; i++)
    if (strata_op_id(ops.data[i]) == STRATA_OP_DIV && strata_pointer_map_get(&deciding, ops.data[i].ptr))
      STRATA_TRY(divide_out(compile, body, ops.data[i]));
  return NULL;
}

strata_status_t strata_pass_exact_quotients(strata_compile_t *compile) {
  return strata_for_each_body(compile, visit_body, NULL);
}
