// Buffers, and the view ops: reshape, transpose, slice and broadcast are maps, composed and never executed.
//
//   %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<8x64xf32>) -> tensor<64x8xf32>
// makes of %0 = {buffer, (d0, d1) -> (d0, d1)} the tensor %1 = {buffer, (d0, d1) -> (d1, d0)}.
#include "lowering/strata_to_affine/lower.h"

//===-- Buffers --------------------------------------------------------------------------------------------------===//

strata__buffer_t *strata__new_buffer(strata__lowering_t *l, strata_type_t type, int rank, const int64_t *sizes,
                                     MlirLocation location) {
  strata__buffer_t *buffer = strata_arena_new(l->compile->arena, strata__buffer_t);
  *buffer = (strata__buffer_t){.type = type, .rank = rank, .sizes = sizes, .location = location};
  return buffer;
}

static int64_t count_elements(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++)
    count *= sizes[i];
  return count;
}

MlirType strata__memref_type(MlirContext context, strata_type_t type, int rank, const int64_t *sizes) {
  MlirType byte = mlirIntegerTypeGet(context, 8);
  if (type == STRATA_TYPE_I4) {
    int64_t size = strata_type_storage_size(type, count_elements(rank, sizes));
    return mlirMemRefTypeContiguousGet(byte, 1, &size, mlirAttributeGetNull());
  }
  MlirType element = type == STRATA_TYPE_I1 ? byte : strata_type_to_mlir(context, type);
  return mlirMemRefTypeContiguousGet(element, rank, sizes, mlirAttributeGetNull());
}

MlirValue strata__memref(strata__lowering_t *l, strata__buffer_t *buffer) {
  if (!mlirValueIsNull(buffer->memref))
    return buffer->memref;
  strata_emitter_t e = {.context = l->context, .location = buffer->location, .block = l->body};
  MlirType type = strata__memref_type(l->context, buffer->type, buffer->rank, buffer->sizes);
  if (buffer->symbol) {
    strata_named_attr_t name = {"name", mlirFlatSymbolRefAttrGet(l->context, strata_str(buffer->symbol))};
    buffer->memref = strata_emit_value(&e, "memref.get_global", 0, NULL, type, 1, &name);
  } else {
    const int32_t segments[2] = {0, 0};
    strata_named_attr_t operands = {"operandSegmentSizes", mlirDenseI32ArrayGet(l->context, 2, segments)};
    buffer->memref = strata_emit_value(&e, "memref.alloc", 0, NULL, type, 1, &operands);
  }
  return buffer->memref;
}

void strata__place_anywhere(strata__lowering_t *l, strata__tensor_t *tensor, MlirLocation location) {
  if (tensor->buffer)
    return;
  tensor->buffer = strata__new_buffer(l, tensor->type, tensor->rank, tensor->sizes, location);
  tensor->map = mlirAffineMapMultiDimIdentityGet(l->context, tensor->rank);
}

//===-- Maps of the view ops -------------------------------------------------------------------------------------===//

MlirAffineMap strata__reshape_map(MlirContext context, int rank, const int64_t *sizes, int to_rank,
                                  const int64_t *to_sizes) {
  const strata_space_t *from = STRATA_STATIC_SPACE(rank, sizes);
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(context, rank);
  MlirAffineExpr position = strata_affine_linearize(identity, from->sizes, from);
  return strata_affine_delinearize(position, to_rank, STRATA_STATIC_SPACE(to_rank, to_sizes)->sizes, from);
}

static MlirAffineMap reshape_map(strata__lowering_t *l, const strata__tensor_t *from, const strata__tensor_t *to) {
  return strata__reshape_map(l->context, from->rank, from->sizes, to->rank, to->sizes);
}

// Result dim k is operand dim permutation[k].
static MlirAffineMap transpose_map(strata__lowering_t *l, MlirOperation op, bool inverse) {
  int64_t permutation[STRATA_MAX_RANK];
  MlirAffineExpr results[STRATA_MAX_RANK];
  int rank = strata_attr_i64s(op, "permutation", STRATA_MAX_RANK, permutation);
  for (int k = 0; k < rank; k++) {
    if (inverse)
      results[k] = mlirAffineDimExprGet(l->context, permutation[k]);
    else
      results[permutation[k]] = mlirAffineDimExprGet(l->context, k);
  }
  return mlirAffineMapGet(l->context, rank, 0, rank, results);
}

static MlirAffineMap slice_map(strata__lowering_t *l, MlirOperation op) {
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  MlirAffineExpr results[STRATA_MAX_RANK];
  int rank = strata_attr_i64s(op, "starts", STRATA_MAX_RANK, starts);
  strata_attr_i64s(op, "steps", STRATA_MAX_RANK, steps);
  for (int i = 0; i < rank; i++) {
    MlirAffineExpr step = mlirAffineConstantExprGet(l->context, steps[i]);
    results[i] = mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineDimExprGet(l->context, i), step),
                                      mlirAffineConstantExprGet(l->context, starts[i]));
  }
  return mlirAffineMapGet(l->context, rank, 0, rank, results);
}

MlirAffineMap strata__view_map(strata__lowering_t *l, MlirOperation op) {
  switch ((int)strata_op_id(op)) {
  case STRATA_OP_RESHAPE:
    return reshape_map(l, strata__result(l, op, 0), strata__operand(l, op, 0));
  case STRATA_OP_TRANSPOSE:
    return transpose_map(l, op, false);
  case STRATA_OP_SLICE:
    return slice_map(l, op);
  default:
    return mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  }
}

MlirAffineMap strata__view_inverse(strata__lowering_t *l, MlirOperation op) {
  switch ((int)strata_op_id(op)) {
  case STRATA_OP_RESHAPE:
    return reshape_map(l, strata__operand(l, op, 0), strata__result(l, op, 0));
  case STRATA_OP_TRANSPOSE:
    return transpose_map(l, op, true);
  default:
    return (MlirAffineMap){0};
  }
}

bool strata__is_view_op(strata_op_id_t id) {
  return id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE || id == STRATA_OP_SLICE || id == STRATA_OP_BROADCAST;
}

//===-- Widenings ------------------------------------------------------------------------------------------------===//

// True if all readers of |value| take its elements in the type that arithmetic runs in, directly or through views.
static bool is_computed_with(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    strata_op_id_t id = strata_op_id(user);
    if (id == STRATA_OP_COUNT || id == STRATA_OP_SELECT || id == STRATA_OP_BITCAST)
      return false;
    strata_op_kind_t kind = strata_op_info[id].kind;
    bool computes = kind == STRATA_KIND_ELEMENTWISE || kind == STRATA_KIND_REDUCE || kind == STRATA_KIND_WINDOW;
    if (!computes && !(strata__is_view_op(id) && is_computed_with(mlirOperationGetResult(user, 0))))
      return false;
  }
  return true;
}

bool strata__is_widened_on_reading(strata__lowering_t *l, MlirOperation op) {
  if (strata_op_id(op) != STRATA_OP_CONVERT || !strata_attr_flag(op, STRATA_IMPLIED) ||
      strata__result(l, op, 0)->buffer)
    return false;
  strata_type_t from = strata__operand(l, op, 0)->type, to = strata__result(l, op, 0)->type;
  return from != to && strata_type_info[from].math_type == to && is_computed_with(mlirOperationGetResult(op, 0));
}

void strata__define_widened(strata__lowering_t *l, MlirOperation op) {
  strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  result->type = operand->type;
  result->buffer = operand->buffer;
  result->splat = operand->splat;
  result->map = operand->map;
}

//===-- Views ----------------------------------------------------------------------------------------------------===//

void strata__define_view(strata__lowering_t *l, MlirOperation op) {
  strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  result->type = operand->type;
  result->buffer = operand->buffer;
  result->splat = operand->splat;
  if (operand->buffer && !strata__is_empty(result))
    result->map = strata_affine_simplify_places(strata_affine_compose(operand->map, strata__view_map(l, op), NULL),
                                                STRATA__SPACE(operand->buffer)->sizes, STRATA__SPACE(result));
}
