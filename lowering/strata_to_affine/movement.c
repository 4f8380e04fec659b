// Movement that is more than a view. pad reads with a guard. concat copies those operands that could not be computed
// into their part of the result, or is a nest that reads one or the other:
//
//   %a = affine.if affine_set<(j) : (2 - j >= 0)>(%j) -> f32 { affine.load %x[%i, %j] ... } else { 0 }
//   %b = affine.if affine_set<(j) : (j - 3 >= 0)>(%j) -> f32 { affine.load %y[%i, %j - 3] ... } else { %a }
#include "lowering/strata_to_affine/lower.h"

void strata__copy(strata__lowering_t *l, MlirOperation source, const strata__tensor_t *from,
                  const strata__tensor_t *to) {
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  if (strata__is_empty(from))
    return;
  strata__nest_begin_for(l, &nest, source, "copy", to, point);
  strata__store(&nest, to, point, strata__load_raw(&nest, from, point));
  strata__nest_end(&nest);
}

static void lower_pad(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  int64_t low[STRATA_MAX_RANK];
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK], coordinates[STRATA_MAX_RANK];
  strata_attr_i64s(op, "low", STRATA_MAX_RANK, low);
  strata__nest_begin_for(l, &nest, op, "pad", result, point);
  for (int i = 0; i < operand->rank; i++)
    coordinates[i] = strata__linear(&nest, point[i], 1, -low[i]);
  strata__store(&nest, result, point, strata__load_or(&nest, operand, coordinates, strata_attr(op, "value")));
  strata__nest_end(&nest);
}

static void copy_part(strata__lowering_t *l, MlirOperation op, int index) {
  const strata__tensor_t *result = strata__result(l, op, 0);
  strata__tensor_t part = *strata__operand(l, op, index);
  part.buffer = result->buffer;
  part.map = strata_affine_compose(result->map, strata__concat_map(l, op, index), STRATA__SPACE(&part));
  part.order = (strata__order_t){0};
  strata__copy(l, op, strata__operand(l, op, index), &part);
}

static void concat_pieces(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *result = strata__result(l, op, 0);
  const strata__tensor_t *operands[2] = {strata__operand(l, op, 0), strata__operand(l, op, 1)};
  int64_t axis = strata_attr_i64(op, "axis", 0);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK], second[STRATA_MAX_RANK];
  strata__nest_begin_for(l, &nest, op, "concat", result, point);
  for (int i = 0; i < result->rank; i++)
    second[i] = strata__linear(&nest, point[i], 1, i == axis ? -operands[0]->sizes[axis] : 0);
  strata__store(&nest, result, point,
                strata__load_pieces(&nest, 2, operands, (const MlirAffineExpr *const[]){point, second}));
  strata__nest_end(&nest);
}

static void lower_concat(strata__lowering_t *l, MlirOperation op) {
  int64_t plan = *strata_pointer_map_get(&l->concats, op.ptr);
  if (plan & STRATA__CONCAT_PIECES) {
    concat_pieces(l, op);
    return;
  }
  if (!(plan & STRATA__CONCAT_LHS_IN_PLACE))
    copy_part(l, op, 0);
  if (!(plan & STRATA__CONCAT_RHS_IN_PLACE))
    copy_part(l, op, 1);
}

//===-- Slices of constants --------------------------------------------------------------------------------------===//

static int64_t count_of(const strata__tensor_t *tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->rank; i++)
    count *= tensor->sizes[i];
  return count;
}

static MlirOperation source_of(MlirValue value) {
  MlirOperation def = strata_def(value);
  while (!mlirOperationIsNull(def) && strata__is_view_op(strata_op_id(def)))
    def = strata_def(mlirOperationGetOperand(def, 0));
  return def;
}

// True if |op| reads constants only: what it computes is prepared (a gather at places that are known).
static bool reads_constants(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation source = source_of(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(source) || strata_op_id(source) != STRATA_OP_CONSTANT)
      return false;
  }
  return !strata_op_is(op, "func.return");
}

// Elements of |value| that its slices read, counted up to |limit|; |limit| where something else reads it in a run.
static int64_t count_sliced(strata__lowering_t *l, MlirValue value, int64_t limit) {
  int64_t count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && count < limit;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    strata_op_id_t id = strata_op_id(user);
    if (id == STRATA_OP_SLICE)
      count += count_of(strata__result(l, user, 0));
    else if (id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE)
      count += count_sliced(l, mlirOperationGetResult(user, 0), limit - count);
    else if (strata__is_view_op(id) || !reads_constants(user))
      return limit;
  }
  return count < limit ? count : limit;
}

// The constant in the table that a view op's operand is, but for the order of its elements; or null.
static MlirOperation sliced_constant(strata__lowering_t *l, MlirOperation op) {
  MlirOperation def = strata_def(mlirOperationGetOperand(op, 0));
  while (!mlirOperationIsNull(def) && strata__is_view_op(strata_op_id(def))) {
    if (mlirAffineMapIsNull(strata__view_inverse(l, def)))
      return (MlirOperation){0};
    def = strata_def(mlirOperationGetOperand(def, 0));
  }
  bool is_constant = !mlirOperationIsNull(def) && strata_op_id(def) == STRATA_OP_CONSTANT;
  return is_constant && strata_attr_str(def, "data").length > 0 ? def : (MlirOperation){0};
}

// A slice of a constant of which slices read less than half: a copy of it is prepared, and the library need not keep
// what nothing reads.
static bool is_small_slice(strata__lowering_t *l, MlirOperation op) {
  MlirOperation constant = strata_op_id(op) == STRATA_OP_SLICE ? sliced_constant(l, op) : (MlirOperation){0};
  if (mlirOperationIsNull(constant))
    return false;
  int64_t *known = strata_pointer_map_put(&l->sliced, constant.ptr);
  if (!*known) {
    int64_t half = count_of(strata__result(l, constant, 0)) / 2;
    *known = count_sliced(l, mlirOperationGetResult(constant, 0), half) < half ? 1 : -1;
  }
  return *known > 0;
}

static void lower_view(strata__lowering_t *l, MlirOperation op) {
  strata__tensor_t *result = strata__result(l, op, 0);
  strata__define_view(l, op);
  if (!is_small_slice(l, op))
    return;
  strata__tensor_t view = *result;
  result->buffer = NULL;
  strata__place_anywhere(l, result, mlirOperationGetLocation(op));
  strata__copy(l, op, &view, result);
}

strata_status_t strata__lower_movement(strata__lowering_t *l, MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  if (strata__is_view_op(id))
    lower_view(l, op);
  else if (id == STRATA_OP_PAD)
    lower_pad(l, op);
  else
    lower_concat(l, op);
  return NULL;
}
