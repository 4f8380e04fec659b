// In which order the ops behind a contract are computed.
//
//   %1 = contract   %2 = add(%1, %b)                  return transpose(reshape(%2))
//   %1 = contract   %2 = transpose(reshape(%1))       return add(%2, %r)
// Nests of the same dims can be one kernel; views between them that cut or join dims are in the way. So a value that is
// stored through views whose parts of dims then lie apart, or is made of what it reads through views, is computed in
// the order of one of them, and hands that on: to what is computed from it elementwise, and back to the contract. What
// does not begin with a contract is left alone.
#include "dialects/mlir_util.h"
#include "lowering/strata_to_affine/lower.h"

static bool is_same_order(const strata__order_t *a, const strata__order_t *b) {
  return a->shape && b->shape && a->shape->rank == b->shape->rank &&
         strata_sizes_equal(a->shape->rank, a->shape->sizes, b->shape->sizes) && mlirAffineMapEqual(a->map, b->map);
}

//===-- Chains of views ------------------------------------------------------------------------------------------===//

// A value, and behind it what it renames the elements of, view by view.
typedef STRATA_VECTOR(MlirValue) chain_t;

static MlirOperation view_of(strata__lowering_t *l, MlirValue value) {
  MlirOperation op = strata_def(value);
  bool renames = !mlirOperationIsNull(op) && strata__is_view_op(strata_op_id(op)) &&
                 !mlirAffineMapIsNull(strata__view_inverse(l, op));
  return renames ? op : (MlirOperation){NULL};
}

static chain_t chain_of(strata__lowering_t *l, MlirValue value) {
  chain_t chain = {0};
  *strata_vector_push(l->compile->arena, &chain) = value;
  for (MlirOperation op = view_of(l, value); !mlirOperationIsNull(op); op = view_of(l, value)) {
    value = mlirOperationGetOperand(op, 0);
    *strata_vector_push(l->compile->arena, &chain) = value;
  }
  return chain;
}

// The order that value |of| of the chain is computed in if that is the one of value |as|.
static strata__order_t order_as(strata__lowering_t *l, const chain_t *chain, size_t of, size_t as) {
  const strata__tensor_t *shape = strata__tensor(l, chain->data[as]), *own = strata__tensor(l, chain->data[of]);
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(l->context, shape->rank);
  strata__order_t order = {shape, identity, identity};
  for (size_t i = as; i < of; i++) { // it lies behind
    order.map =
        strata_affine_compose(strata__view_map(l, strata_def(chain->data[i])), order.map, STRATA__SPACE(l, shape));
    order.inverse = strata_affine_compose(order.inverse, strata__view_inverse(l, strata_def(chain->data[i])),
                                          STRATA__SPACE(l, strata__tensor(l, chain->data[i + 1])));
  }
  for (size_t i = as; i-- > of;) { // or in front
    order.map =
        strata_affine_compose(strata__view_inverse(l, strata_def(chain->data[i])), order.map, STRATA__SPACE(l, shape));
    order.inverse =
        strata_affine_compose(strata__view_map(l, strata_def(chain->data[i])), order.inverse, STRATA__SPACE(l, own));
  }
  return order;
}

// True if each coordinate is a sum of those of |from| with coefficients that are sizes.
static bool is_simple(const strata__tensor_t *from, MlirAffineMap map) {
  MlirAffineExpr coefficient;
  for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map); k++)
    for (int i = 0; i < from->rank; i++)
      if (!strata_affine_size_coefficient(mlirAffineMapGetResult(map, k), i, &coefficient))
        return false;
  return true;
}

// The first value of the chain in whose coordinates both places in memory, |map| of the first one's in a buffer of
// |sizes|, and what is computed at the end are simple; the chain's length if there is none.
static size_t find_simple(strata__lowering_t *l, const chain_t *chain, const strata_size_t *sizes, MlirAffineMap map) {
  size_t at = 0;
  for (; at < chain->count; at++) {
    strata__order_t stored = order_as(l, chain, 0, at), computed = order_as(l, chain, chain->count - 1, at);
    MlirAffineMap place = strata_affine_compose(map, stored.map, STRATA__SPACE(l, stored.shape));
    if (strata__is_linear(l, stored.shape, sizes, place) && is_simple(computed.shape, computed.map))
      break;
  }
  return at;
}

enum { MAX_EPILOGUE = 128 }; // ops looked at behind a contract

// True if elementwise ops alone read |value|, directly or through views: no norm or product does.
static bool is_read_elementwise(MlirValue value, int *budget) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    strata_op_id_t id = strata_op_id(user);
    bool is_view = id != STRATA_OP_COUNT && strata__is_view_op(id);
    if ((*budget)-- <= 0 || (!is_view && !strata_is_elementwise(id)) ||
        (is_view && !is_read_elementwise(mlirOperationGetResult(user, 0), budget)))
      return false;
  }
  return true;
}

static bool follows(MlirValue value, int *budget) {
  MlirOperation op = strata_def(value);
  strata_op_id_t id = mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op);
  bool found = id == STRATA_OP_CONTRACT;
  if (!found && !strata_is_elementwise(id) && (id == STRATA_OP_COUNT || !strata__is_view_op(id)))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !found && (*budget)-- > 0; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    found = follows(operand, budget) && is_read_elementwise(operand, budget);
  }
  return found;
}

// True of a contract, and of its epilogue: what is computed from one elementwise that nothing else reads.
static bool follows_contract(MlirValue value) {
  int budget = MAX_EPILOGUE;
  return follows(value, &budget);
}

strata__order_t strata__order_to_store(strata__lowering_t *l, MlirValue value, const strata_size_t *sizes,
                                       MlirAffineMap map) {
  chain_t chain = chain_of(l, value);
  size_t last = chain.count - 1;
  size_t at = follows_contract(chain.data[last]) ? find_simple(l, &chain, sizes, map) : chain.count;
  return order_as(l, &chain, last, at < last ? at : 0);
}

//===-- From a contract to what reads it through views -----------------------------------------------------------===//

static bool is_computed_elementwise(strata__lowering_t *l, MlirOperation op) {
  if (!strata_is_elementwise(strata_op_id(op)) || strata__is_widened_on_reading(l, op))
    return false;
  const strata__tensor_t *result = strata__result(l, op, 0);
  return result->is_live && result->type != STRATA_TYPE_I4 && !strata__is_empty(result);
}

static bool only_picks_dims(MlirAffineMap map) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expr) && !mlirAffineExprIsAConstant(expr))
      return false;
  }
  return true;
}

// The order for what is made of |value| elementwise, if that is an epilogue of a contract, nobody else's, behind views
// that are in the way.
static strata__order_t order_behind_views(strata__lowering_t *l, MlirValue value) {
  const strata__tensor_t *tensor = strata__tensor(l, value);
  chain_t chain = chain_of(l, value);
  size_t last = chain.count - 1;
  for (size_t i = 0; i < chain.count; i++)
    if (!strata_value_has_one_use(chain.data[i]))
      return (strata__order_t){0};
  if (last == 0 || strata__tensor(l, chain.data[last])->buffer || !follows_contract(chain.data[last]))
    return (strata__order_t){0};
  if (only_picks_dims(order_as(l, &chain, 0, last).map))
    return (strata__order_t){0};
  size_t at = find_simple(l, &chain, tensor->sizes, mlirAffineMapMultiDimIdentityGet(l->context, tensor->rank));
  return at < chain.count ? order_as(l, &chain, 0, at) : (strata__order_t){0};
}

// |handed_on|: the ops with an order that is not from where they are stored.
static void order_forward(strata__lowering_t *l, MlirOperation op, strata_pointer_map_t *handed_on) {
  strata__tensor_t *result = strata__result(l, op, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !result->order.shape; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirOperation producer = strata_def(value);
    bool is_handed_on = !mlirOperationIsNull(producer) && strata_pointer_map_get(handed_on, producer.ptr);
    result->order = is_handed_on && strata_value_has_one_use(value) ? strata__tensor(l, value)->order
                                                                    : order_behind_views(l, value);
    if (result->order.shape)
      *strata_pointer_map_put(handed_on, op.ptr) = 1;
  }
}

//===-- Back to the contract -------------------------------------------------------------------------------------===//

// True of an op that gives the elements of its first operand other coordinates, or another type, and has no nest.
static bool is_renaming(strata__lowering_t *l, MlirOperation op) {
  if (strata__is_view_op(strata_op_id(op)))
    return !mlirAffineMapIsNull(strata__view_inverse(l, op));
  return strata__is_widened_on_reading(l, op);
}

// |order|, of a renaming op's result, as one of its operand.
static strata__order_t through(strata__lowering_t *l, MlirOperation op, strata__order_t order) {
  if (!order.shape || !strata__is_view_op(strata_op_id(op)))
    return order;
  order.map = strata_affine_compose(strata__view_map(l, op), order.map, STRATA__SPACE(l, order.shape));
  order.inverse =
      strata_affine_compose(order.inverse, strata__view_inverse(l, op), STRATA__SPACE(l, strata__operand(l, op, 0)));
  return order;
}

static strata__order_t order_of_readers(strata__lowering_t *l, MlirValue value);

static strata__order_t order_of_reader(strata__lowering_t *l, MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  if (id != STRATA_OP_COUNT && is_renaming(l, op))
    return through(l, op, order_of_readers(l, mlirOperationGetResult(op, 0)));
  return strata_is_elementwise(id) ? strata__result(l, op, 0)->order : (strata__order_t){0};
}

// The order in which all that is made of |value| is computed.
static strata__order_t order_of_readers(strata__lowering_t *l, MlirValue value) {
  strata__order_t order = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (strata_op_id(user) != STRATA_OP_COUNT && !strata__result(l, user, 0)->is_live)
      continue;
    strata__order_t other = order_of_reader(l, user);
    if (order.shape ? !is_same_order(&order, &other) : !other.shape)
      return (strata__order_t){0};
    order = other;
  }
  return order;
}

static bool can_be_ordered(strata__lowering_t *l, MlirOperation op) {
  if (strata_op_id(op) != STRATA_OP_CONTRACT)
    return is_computed_elementwise(l, op) && !strata__result(l, op, 0)->buffer;
  const strata__tensor_t *result = strata__result(l, op, 0);
  return result->is_live && !result->buffer && result->type != STRATA_TYPE_I4 && !strata__is_empty(result);
}

// True if |value| is computed in an order that is not its own.
static bool is_ordered(strata__lowering_t *l, MlirValue value) {
  MlirOperation op = strata_def(value);
  while (!mlirOperationIsNull(op) && strata_op_id(op) != STRATA_OP_COUNT && is_renaming(l, op))
    op = strata_def(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(op) && strata_op_id(op) != STRATA_OP_COUNT && strata__result(l, op, 0)->order.shape;
}

// Stores what leads from a contract, or from what has a place, to a value of the same order in that order.
static void keep_order(strata__lowering_t *l, MlirOperation op) {
  strata__tensor_t *result = strata__result(l, op, 0);
  bool is_kept = strata_op_id(op) == STRATA_OP_CONTRACT;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !is_kept; i++)
    is_kept = is_ordered(l, mlirOperationGetOperand(op, i));
  if (!is_kept) {
    result->order = (strata__order_t){0};
    return;
  }
  result->buffer = strata__new_buffer(l, result->type, result->order.shape->rank, result->order.shape->sizes,
                                      mlirOperationGetLocation(op));
  result->map = result->order.inverse;
}

static void order_backward(strata__lowering_t *l, size_t n, const MlirOperation *ops) {
  STRATA_VECTOR(MlirOperation) found = {0};
  for (size_t i = n; i-- > 0;) {
    strata__order_t order = {0};
    if (can_be_ordered(l, ops[i]))
      order = order_of_readers(l, mlirOperationGetResult(ops[i], 0));
    if (!order.shape)
      continue;
    strata__result(l, ops[i], 0)->order = order;
    *strata_vector_push(l->compile->arena, &found) = ops[i];
  }
  for (size_t i = found.count; i-- > 0;)
    keep_order(l, found.data[i]);
}

void strata__pass_on_orders(strata__lowering_t *l, size_t n, const MlirOperation *ops) {
  strata_pointer_map_t handed_on = strata_pointer_map_create(l->compile->arena);
  for (size_t i = 0; i < n; i++)
    if (is_computed_elementwise(l, ops[i]))
      order_forward(l, ops[i], &handed_on);
  order_backward(l, n, ops);
}
