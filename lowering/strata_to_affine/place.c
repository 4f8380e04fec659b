// Where values are computed to. Going backwards from the return, a value whose only need of memory is to be a function
// result, or a part of a concat's result, is computed straight into it:
//
//   %2 = "strata.concat"(%0, %1) {axis = 0} : (tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>
// has no nest of its own if %0 and %1 are computed by nests: they store at [d0] and [d0 + 3] of the buffer of %2.
// The way there may lead through views that only rename elements (reshape, transpose).
#include "lowering/strata_to_affine/lower.h"

MlirAffineMap strata__concat_map(strata__lowering_t *l, MlirOperation op, int index) {
  const strata__tensor_t *result = strata__result(l, op, 0);
  int64_t axis = strata_attr_i64(op, "axis", 0);
  MlirAffineExpr dims[STRATA_MAX_RANK];
  for (int i = 0; i < result->rank; i++)
    dims[i] = mlirAffineDimExprGet(l->context, i);
  if (index == 1) {
    strata_size_t offset = strata__operand(l, op, 0)->sizes[axis];
    dims[axis] = mlirAffineAddExprGet(dims[axis], strata_size_expr(l->context, offset));
  }
  return strata__map(l, result->rank, result->rank, dims);
}

// True if each result of |map| is a sum of the |rank| dims with constant coefficients.
static bool is_sum_of_dims(int rank, MlirAffineMap map) {
  int64_t coefficient;
  for (intptr_t k = 0; k < mlirAffineMapGetNumResults(map); k++)
    for (int i = 0; i < rank; i++)
      if (!strata_affine_coefficient(mlirAffineMapGetResult(map, k), i, &coefficient))
        return false;
  return true;
}

bool strata__is_linear(strata__lowering_t *l, const strata__tensor_t *tensor, const strata_size_t *sizes,
                       MlirAffineMap map) {
  int64_t number;
  MlirAffineExpr coefficient;
  bool varies =
      strata_sizes_vary((int)mlirAffineMapGetNumResults(map), sizes) || strata_sizes_vary(tensor->rank, tensor->sizes);
  if (varies && is_sum_of_dims(tensor->rank, map))
    return true;
  MlirAffineExpr position = strata_affine_linearize(map, sizes, STRATA__SPACE(l, tensor));
  for (int i = 0; i < tensor->rank; i++)
    if (varies ? !strata_affine_size_coefficient(position, i, &coefficient)
               : !strata_affine_coefficient(position, i, &number))
      return false;
  return true;
}

static MlirOperation view_op(MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata__is_view_op(strata_op_id(op)) ? op : (MlirOperation){0};
}

// The value that is computed where |value| is: itself, or what it renames the elements of.
static MlirValue computed_value(strata__lowering_t *l, MlirValue value) {
  for (MlirOperation op = view_op(value); !mlirOperationIsNull(op); op = view_op(value)) {
    if (mlirAffineMapIsNull(strata__view_inverse(l, op)))
      break;
    value = mlirOperationGetOperand(op, 0);
  }
  return value;
}

// Whether |value| can be given a place: it has none yet, and is computed by a nest of its own.
static bool can_place(strata__lowering_t *l, MlirValue value) {
  value = computed_value(l, value);
  const strata__tensor_t *tensor = strata__tensor(l, value);
  if (!mlirValueIsAOpResult(value) || tensor->buffer || tensor->type == STRATA_TYPE_I4 || strata__is_empty(tensor))
    return false;
  strata_op_id_t id = strata_op_id(mlirOpResultGetOwner(value)); // COUNT: a loop, whose results are whole buffers
  return mlirOperationIsNull(view_op(value)) && id != STRATA_OP_CONSTANT && id != STRATA_OP_COUNT;
}

// Gives |value| a place, if it can have one: element (c...) goes to buffer[map(c...)]. Views on the way are undone.
static bool place(strata__lowering_t *l, MlirValue value, strata__buffer_t *buffer, MlirAffineMap map) {
  MlirValue computed = value;
  MlirAffineMap stored = map;
  if (!can_place(l, value))
    return false;
  for (MlirOperation op = view_op(computed); !mlirOperationIsNull(op); op = view_op(computed)) {
    computed = mlirOperationGetOperand(op, 0);
    stored = strata__simplify_places(l, strata_affine_compose(stored, strata__view_inverse(l, op), NULL), buffer,
                                     strata__tensor(l, computed));
  }
  strata__tensor_t *tensor = strata__tensor(l, computed);
  tensor->buffer = buffer;
  tensor->map = stored;
  if (!mlirValueEqual(computed, value) && !strata__is_linear(l, tensor, buffer->sizes, stored))
    tensor->order = strata__order_to_store(l, value, buffer->sizes, map);
  return true;
}

//===-- Concat ---------------------------------------------------------------------------------------------------===//

static bool is_concat(strata__lowering_t *l, MlirValue value) {
  value = computed_value(l, value);
  return mlirValueIsAOpResult(value) && strata_op_id(mlirOpResultGetOwner(value)) == STRATA_OP_CONCAT;
}

// A concat that nothing asks a place of, one of whose operands would have to be copied, is a nest that reads both: it
// can be fused with what computes and what reads it. Not so the links of a chain, which would copy all before them.
static bool is_in_pieces(strata__lowering_t *l, MlirOperation op) {
  bool must_copy = false;
  if (strata__result(l, op, 0)->buffer)
    return false;
  for (int i = 0; i < 2; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    must_copy |= !can_place(l, operand);
    if (is_concat(l, operand) || strata__is_empty(strata__tensor(l, operand)))
      return false;
  }
  return must_copy;
}

static void place_concat_operands(strata__lowering_t *l, MlirOperation op) {
  strata__tensor_t *result = strata__result(l, op, 0);
  int64_t *plan = strata_pointer_map_put(&l->concats, op.ptr);
  if (is_in_pieces(l, op)) {
    *plan = STRATA__CONCAT_PIECES;
    return;
  }
  strata__place_anywhere(l, result, mlirOperationGetLocation(op));
  for (int i = 0; i < 2; i++) {
    const strata__tensor_t *operand = strata__operand(l, op, i);
    MlirAffineMap map = strata_affine_compose(result->map, strata__concat_map(l, op, i), STRATA__SPACE(l, operand));
    if (place(l, mlirOperationGetOperand(op, i), result->buffer, map))
      *plan |= i == 0 ? STRATA__CONCAT_LHS_IN_PLACE : STRATA__CONCAT_RHS_IN_PLACE;
  }
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

// True if |op| reads its operands along windows: some coordinate is a sum of dims.
static bool reads_windows(MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  if (id == STRATA_OP_COUNT || strata_op_info[id].kind != STRATA_KIND_CONTRACT)
    return id != STRATA_OP_COUNT && strata_op_info[id].kind == STRATA_KIND_WINDOW;
  MlirAttribute maps = strata_attr(op, "maps");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    for (intptr_t j = 0; j < mlirAffineMapGetNumResults(map); j++)
      if (!mlirAffineExprIsADim(mlirAffineMapGetResult(map, j)))
        return true;
  }
  return false;
}

// True if a reshape lies between |value| and what is computed; *out_divides if it cuts dims otherwise than they are, so
// that their numbers have to be divided.
static bool is_reshaped(strata__lowering_t *l, MlirValue value, bool *out_divides) {
  bool reshaped = false;
  MlirAffineMap map = {0};
  const strata__tensor_t *tensor = strata__tensor(l, value);
  *out_divides = false;
  for (MlirOperation op = view_op(value); !mlirOperationIsNull(op); op = view_op(mlirOperationGetOperand(op, 0))) {
    if (mlirAffineMapIsNull(strata__view_inverse(l, op)))
      return false;
    reshaped |= strata_op_id(op) == STRATA_OP_RESHAPE;
    MlirAffineMap forward = strata__view_map(l, op);
    map = mlirAffineMapIsNull(map) ? forward : strata_affine_compose(forward, map, STRATA__SPACE(l, tensor));
  }
  for (intptr_t i = 0; reshaped && i < mlirAffineMapGetNumResults(map); i++)
    *out_divides |=
        strata_affine_has_division(strata_affine_simplify(mlirAffineMapGetResult(map, i), STRATA__SPACE(l, tensor)));
  return reshaped;
}

static bool is_contract(MlirValue value) {
  MlirOperation op = strata_def(value);
  strata_op_id_t id = mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op);
  return id != STRATA_OP_COUNT && strata_op_info[id].kind == STRATA_KIND_CONTRACT;
}

// What a convolution or pooling reads through a reshape has the dims that windows move along in memory: what computes
// it takes the dims apart. So does what any contraction reads through a reshape that cuts dims, unless another one
// computes it, which stores it as it is.
static void place_operands(strata__lowering_t *l, MlirOperation op) {
  bool has_windows = reads_windows(op), divides;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    strata__tensor_t *operand = strata__tensor(l, value);
    if (!is_reshaped(l, value, &divides) || !can_place(l, value) ||
        (!has_windows && (!divides || is_contract(computed_value(l, value)))))
      continue;
    strata__buffer_t *buffer =
        strata__new_buffer(l, operand->type, operand->rank, operand->sizes, mlirOperationGetLocation(op));
    place(l, value, buffer, mlirAffineMapMultiDimIdentityGet(l->context, operand->rank));
  }
}

//===-- The whole graph ------------------------------------------------------------------------------------------===//

static bool is_live(strata__lowering_t *l, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (strata__result(l, op, (int)i)->is_live)
      return true;
  return false;
}

static void mark_operands_live(strata__lowering_t *l, MlirOperation op) {
  bool is_gather = strata_op_id(op) == STRATA_OP_GATHER;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_gather && i == 1)
      strata__mark_index_live(l, mlirOperationGetOperand(op, i));
    else
      strata__operand(l, op, (int)i)->is_live = true;
}

typedef STRATA_VECTOR(MlirOperation) op_vector_t;

static op_vector_t ops_of(strata__lowering_t *l, MlirBlock block) {
  op_vector_t ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    *strata_vector_push(l->compile->arena, &ops) = op;
  return ops;
}

void strata__place_all(strata__lowering_t *l, MlirBlock graph, strata__tensor_t *const *outputs, bool *out_copied) {
  op_vector_t ops = ops_of(l, graph);
  MlirOperation end = mlirBlockGetTerminator(graph);
  mark_operands_live(l, end);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    out_copied[i] = !place(l, mlirOperationGetOperand(end, i), outputs[i]->buffer, outputs[i]->map);
  for (size_t i = ops.count - 1; i-- > 0;) {
    if (!is_live(l, ops.data[i]))
      continue;
    mark_operands_live(l, ops.data[i]);
    if (strata_op_id(ops.data[i]) == STRATA_OP_CONCAT && !strata__is_empty(strata__result(l, ops.data[i], 0)))
      place_concat_operands(l, ops.data[i]);
    strata_op_id_t id = strata_op_id(ops.data[i]);
    if (id != STRATA_OP_COUNT &&
        (strata_op_info[id].kind == STRATA_KIND_CONTRACT || strata_op_info[id].kind == STRATA_KIND_WINDOW))
      place_operands(l, ops.data[i]);
  }
  strata__pass_on_orders(l, ops.count, ops.data);
}
