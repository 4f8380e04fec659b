// Calls of loops. What a loop reads and writes are whole buffers in the order of their elements: an operand that is
// not one is copied. Rows of scans begin at multiples of 16 bytes, so a buffer may have more columns than the tensor:
//
//   %h, %ys = call @loop0(%h0, %xs) : (tensor<2x3xf32>, tensor<9x2x3xf32>) -> (tensor<2x3xf32>, tensor<9x2x3xf32>)
// becomes
//   call @loop0(%h0, %xs, %h, %ys) : (memref<2x3xf32>, memref<9x8xf32>, memref<2x3xf32>, memref<9x8xf32>) -> ()
#include "lowering/strata_to_affine/lower.h"

// The rank and sizes of the buffer of a scan: those of the tensor, or rows made longer.
static int scan_sizes(strata__lowering_t *l, const strata__tensor_t *tensor, const strata_size_t **out_sizes) {
  int64_t multiple = STRATA_LOOP_ROW_ALIGNMENT / strata_type_storage_size(tensor->type, 1);
  strata_size_t count = strata_size_constant(1);
  for (int i = 1; i < tensor->rank; i++)
    count = strata_size_product(count, tensor->sizes[i]);
  *out_sizes = tensor->sizes;
  if (strata_size_divides(multiple, count))
    return tensor->rank;
  strata_size_t *sizes = strata_arena_array(l->compile->arena, strata_size_t, 2);
  sizes[0] = tensor->sizes[0];
  sizes[1] = strata_size_product(strata_size_ceil_div(count, multiple), strata_size_constant(multiple));
  *out_sizes = sizes;
  return 2;
}

// Where a scan's tensor is in such a buffer.
static MlirAffineMap scan_map(strata__lowering_t *l, const strata__tensor_t *tensor, int rank) {
  if (rank == tensor->rank && tensor->rank != 2)
    return mlirAffineMapMultiDimIdentityGet(l->context, rank);
  MlirAffineExpr row[STRATA_MAX_RANK];
  for (int i = 1; i < tensor->rank; i++)
    row[i - 1] = mlirAffineDimExprGet(l->context, i);
  MlirAffineExpr column = mlirAffineConstantExprGet(l->context, 0);
  for (int i = 1; i < tensor->rank; i++)
    column =
        mlirAffineAddExprGet(mlirAffineMulExprGet(column, strata_size_expr(l->context, tensor->sizes[i])), row[i - 1]);
  MlirAffineExpr results[2] = {mlirAffineDimExprGet(l->context, 0), column};
  return strata__map(l, tensor->rank, 2, results);
}

static bool has_sizes(const strata__buffer_t *buffer, int rank, const strata_size_t *sizes) {
  return buffer->rank == rank && strata_sizes_equal(rank, buffer->sizes, sizes);
}

// Gives |tensor|, which has no place, a buffer that the loop can be given.
static void place_for_loop(strata__lowering_t *l, strata__tensor_t *tensor, bool is_scan, MlirLocation location) {
  const strata_size_t *sizes = tensor->sizes;
  int rank = is_scan ? scan_sizes(l, tensor, &sizes) : tensor->rank;
  tensor->buffer = strata__new_buffer(l, tensor->type, rank, sizes, location);
  tensor->map = is_scan ? scan_map(l, tensor, rank) : mlirAffineMapMultiDimIdentityGet(l->context, rank);
}

// The operand's own buffer, if it is as the loop wants it, or a copy.
static MlirValue operand_buffer(strata__lowering_t *l, MlirOperation call, int index, bool is_scan) {
  const strata__tensor_t *tensor = strata__operand(l, call, index);
  strata__tensor_t wanted = {.type = tensor->type, .rank = tensor->rank, .sizes = tensor->sizes};
  place_for_loop(l, &wanted, is_scan, mlirOperationGetLocation(call));
  bool fits = tensor->buffer && has_sizes(tensor->buffer, wanted.buffer->rank, wanted.buffer->sizes) &&
              tensor->buffer->type == tensor->type && mlirAffineMapEqual(tensor->map, wanted.map);
  if (fits)
    return strata__memref(l, tensor->buffer);
  strata__copy(l, call, tensor, &wanted);
  return strata__memref(l, wanted.buffer);
}

// The declaration gets the types of the buffers.
static void retype(strata__lowering_t *l, MlirOperation declaration, int n, const MlirValue *buffers) {
  MlirType *types = strata_arena_array(l->compile->arena, MlirType, n);
  for (int i = 0; i < n; i++)
    types[i] = mlirValueGetType(buffers[i]);
  strata_set_attr(declaration, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(l->context, n, types, 0, NULL)));
}

strata_status_t strata__lower_loop(strata__lowering_t *l, MlirOperation call) {
  MlirOperation declaration = strata_called_loop(&l->loops, call);
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  MlirValue buffers[STRATA_LOOP_MAX_ARGS];
  int n_operands = strata_counted_loop_n_operands(&loop), n_results = strata_counted_loop_n_results(&loop), n = 0;
  for (; n < n_operands; n++)
    buffers[n] = operand_buffer(l, call, n, n >= loop.n_states && n < loop.n_states + loop.n_inputs);
  for (int i = 0; i < n_results; i++) {
    strata__tensor_t *result = strata__result(l, call, i);
    place_for_loop(l, result, i >= loop.n_states, mlirOperationGetLocation(call));
    buffers[n++] = strata__memref(l, result->buffer);
  }
  retype(l, declaration, n, buffers);
  strata_emitter_t e = {.context = l->context, .location = mlirOperationGetLocation(call), .block = l->body};
  strata_named_attr_t callee = {"callee", strata_attr(call, "callee")};
  strata_emit_op(&e, "func.call", n, buffers, 0, NULL, 1, &callee);
  return NULL;
}
