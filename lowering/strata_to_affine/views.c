// Buffers, and the view ops: reshape, transpose, slice and broadcast are maps, composed and never executed.
//
//   %1 = "strata.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<8x64xf32>) -> tensor<64x8xf32>
// makes of %0 = {buffer, (d0, d1) -> (d0, d1)} the tensor %1 = {buffer, (d0, d1) -> (d1, d0)}.
#include "lowering/strata_to_affine/lower.h"

//===-- Buffers --------------------------------------------------------------------------------------------------===//

strata__buffer_t *strata__new_buffer(strata__lowering_t *l, strata_type_t type, int rank, const strata_size_t *sizes,
                                     MlirLocation location) {
  strata__buffer_t *buffer = strata_arena_new(l->compile->arena, strata__buffer_t);
  *buffer = (strata__buffer_t){.type = type, .rank = rank, .sizes = sizes, .location = location};
  return buffer;
}

strata_size_t strata__count(int rank, const strata_size_t *sizes) {
  strata_size_t count = strata_size_constant(1);
  for (int i = 0; i < rank; i++)
    count = strata_size_product(count, sizes[i]);
  return count;
}

int strata__dims_attr(const strata__lowering_t *l, MlirOperation op, const char *name, strata_size_t *out) {
  MlirAttribute attr = strata_attr(op, name);
  int64_t numbers[STRATA_MAX_RANK];
  if (!mlirAttributeIsAAffineMap(attr)) {
    int count = strata_attr_i64s(op, name, STRATA_MAX_RANK, numbers);
    for (int i = 0; i < count; i++)
      out[i] = strata_size_constant(numbers[i]);
    return count;
  }
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  int count = (int)mlirAffineMapGetNumResults(map);
  for (int i = 0; i < count; i++)
    out[i] = strata_size_of_expr(&l->symbols, mlirAffineMapGetResult(map, i));
  return count;
}

// The bytes of i4, two to one.
static strata_size_t packed_size(MlirContext context, strata_type_t type, strata_size_t count) {
  int64_t number;
  if (strata_size_is_constant(count, &number))
    return strata_size_constant(strata_type_storage_size(type, number));
  MlirAffineExpr bytes = mlirAffineCeilDivExprGet(count.expr, mlirAffineConstantExprGet(context, 2));
  return (strata_size_t){.expr = bytes, .min = count.min / 2, .max = count.max / 2 + 1, .divisor = 1};
}

MlirType strata__memref_type(MlirContext context, strata_type_t type, int rank, const strata_size_t *sizes) {
  MlirType byte = mlirIntegerTypeGet(context, 8);
  if (type == STRATA_TYPE_I4) {
    strata_size_t size = packed_size(context, type, strata__count(rank, sizes));
    return strata_memref_type_of(byte, 1, &size);
  }
  MlirType element = type == STRATA_TYPE_I1 ? byte : strata_type_to_mlir(context, type);
  return strata_memref_type_of(element, rank, sizes);
}

// The values of the sizes of |type| that vary.
static int size_operands(strata__lowering_t *l, strata_emitter_t *e, MlirType type, MlirValue *out) {
  int n = 0;
  for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++) {
    MlirAffineExpr size = strata_type_dim(type, dim);
    MlirValue operands[STRATA__MAX_SYMBOLS];
    int n_operands = 0;
    if (!mlirShapedTypeIsDynamicDim(type, dim))
      continue;
    MlirAffineMap map = strata__bind_symbols(l, strata__map(l, 0, 1, &size), operands, &n_operands);
    out[n++] = mlirAffineExprIsASymbol(size)
                   ? operands[0]
                   : strata_emit_value(e, "affine.apply", n_operands, operands, mlirIndexTypeGet(l->context), 1,
                                       &(strata_named_attr_t){"map", mlirAffineMapAttrGet(map)});
  }
  return n;
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
    MlirValue sizes[STRATA_MAX_RANK];
    int n_sizes = size_operands(l, &e, type, sizes);
    const int32_t segments[2] = {n_sizes, 0};
    strata_named_attr_t operands = {"operandSegmentSizes", mlirDenseI32ArrayGet(l->context, 2, segments)};
    buffer->memref = strata_emit_value(&e, "memref.alloc", n_sizes, sizes, type, 1, &operands);
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

MlirAffineMap strata__map(const strata__lowering_t *l, int n_dims, int n, const MlirAffineExpr *results) {
  return mlirAffineMapGet(l->context, n_dims, l->symbols.count, n, (MlirAffineExpr *)results);
}

MlirAffineMap strata__bind_symbols(strata__lowering_t *l, MlirAffineMap map, MlirValue *operands, int *n) {
  int symbols[STRATA__MAX_SYMBOLS], count;
  map = strata_map_over_used_symbols(map, STRATA__MAX_SYMBOLS, symbols, &count);
  for (int i = 0; i < count; i++)
    operands[(*n)++] = strata_symbol_value(l->body, symbols[i], mlirOperationGetLocation(l->main));
  return map;
}

MlirAffineMap strata__simplify_places(strata__lowering_t *l, MlirAffineMap map, const strata__buffer_t *buffer,
                                      const strata__tensor_t *tensor) {
  const strata_space_t *space = STRATA__SPACE(l, tensor);
  return !strata_sizes_vary(buffer->rank, buffer->sizes) && !strata_sizes_vary(tensor->rank, tensor->sizes)
             ? strata_affine_simplify_places(map, buffer->sizes, space)
             : strata_affine_simplify_map(map, space);
}

MlirAffineMap strata__reshape_map(strata__lowering_t *l, int rank, const strata_size_t *sizes, int to_rank,
                                  const strata_size_t *to_sizes) {
  if (strata_sizes_vary(rank, sizes) || strata_sizes_vary(to_rank, to_sizes))
    return strata__reshape_by_groups(l, rank, sizes, to_rank, to_sizes);
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(l->context, rank);
  const strata_space_t *from = STRATA__SPACE_OF(l, rank, sizes);
  MlirAffineExpr position = strata_affine_linearize(identity, from->sizes, from);
  return strata_affine_delinearize(position, to_rank, to_sizes, from);
}

static MlirAffineMap reshape_map(strata__lowering_t *l, const strata__tensor_t *from, const strata__tensor_t *to) {
  return strata__reshape_map(l, from->rank, from->sizes, to->rank, to->sizes);
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
  int64_t steps[STRATA_MAX_RANK];
  strata_size_t starts[STRATA_MAX_RANK];
  MlirAffineExpr results[STRATA_MAX_RANK];
  int rank = strata__dims_attr(l, op, "starts", starts);
  strata_attr_i64s(op, "steps", STRATA_MAX_RANK, steps);
  for (int i = 0; i < rank; i++) {
    MlirAffineExpr step = mlirAffineConstantExprGet(l->context, steps[i]);
    results[i] = mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineDimExprGet(l->context, i), step),
                                      strata_size_expr(l->context, starts[i]));
  }
  return strata__map(l, rank, rank, results);
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
    bool computes = kind == STRATA_KIND_ELEMENTWISE || kind == STRATA_KIND_REDUCE || kind == STRATA_KIND_WINDOW ||
                    id == STRATA_OP_SEGMENT_REDUCE || id == STRATA_OP_SEGMENT_CONTRACT;
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
    result->map = strata__simplify_places(l, strata_affine_compose(operand->map, strata__view_map(l, op), NULL),
                                          operand->buffer, result);
}
