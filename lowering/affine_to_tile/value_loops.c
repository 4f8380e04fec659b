// Evaluating nests that walk rows between numbers from memory (dialects/affine/row_loops.c): loops that carry vectors,
// and reads at numbers that are the same along the vector dims.
//
//   %s = scf.for %r = %begin to %end iter_args(%a = %zero) -> (f32) { %v = memref.load %x[%r, %j] ... }
// at j = s0 * 64 + v0 becomes
//   %s = scf.for %r = %begin to %end ... -> (vector<64xf32>) { %v = "tile.load"(%x, %r, %s0) {map = ...} ... }
#include "lowering/affine_to_tile/value.h"

#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"

static const strata_tile_value_t no_value;

//===-- Indices --------------------------------------------------------------------------------------------------===//

static MlirAffineExpr index_of(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue value,
                               strata_size_t size);

// The one result of an affine op's map at the coordinates of its operands from |first| on.
static void apply_map(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op, intptr_t first,
                      MlirAffineExpr *out) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  MlirAffineExpr inputs[STRATA_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumInputs(map);
  for (intptr_t i = 0; i < n && i < STRATA_MAX_DIMS; i++)
    inputs[i] = index_of(b, frame, mlirOperationGetOperand(op, first + i), strata_size_constant(INT32_MAX));
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map) && !b->status; i++)
    out[i] = strata_tile_simplify(b, strata_affine_apply(map, i, inputs, STRATA_TILE_DIMS, b->sizes.count));
}

static MlirAffineExpr combined(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op,
                               strata_size_t size) {
  MlirAffineExpr lhs = index_of(b, frame, mlirOperationGetOperand(op, 0), size);
  MlirAffineExpr rhs = index_of(b, frame, mlirOperationGetOperand(op, 1), size);
  return strata_tile_simplify(b, mlirAffineAddExprGet(lhs, rhs));
}

// An index value as a coordinate: what is no sum of dims and numbers is a symbol in [0, size).
static MlirAffineExpr index_of(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue value,
                               strata_size_t size) {
  const strata_nest_t *nest = frame->nest;
  MlirAffineExpr expr = strata_tile_constant(b, 0);
  if (b->status)
    return expr;
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    if (mlirValueEqual(nest->dims[dim], value))
      return frame->point[dim];
  for (size_t i = frame->indices.count; i-- > 0;)
    if (mlirValueEqual(frame->indices.data[i].value, value))
      return frame->indices.data[i].expr;
  if (strata_symbol_of_value(value) >= 0)
    return mlirAffineSymbolExprGet(b->e.context, strata_symbol_of_value(value));
  MlirOperation op = strata_def(value);
  if (!mlirOperationIsNull(op) && strata_op_is(op, "arith.constant"))
    return strata_tile_constant(b, mlirIntegerAttrGetValueInt(strata_attr(op, "value")));
  if (!mlirOperationIsNull(op) && strata_op_is(op, "arith.addi"))
    return combined(b, frame, op, size);
  if (!mlirOperationIsNull(op) && strata_op_is(op, "affine.apply")) {
    apply_map(b, frame, op, 0, &expr);
    return expr;
  }
  strata_tile_value_t scalar = strata_tile_evaluate(b, frame, value);
  if (scalar.dims)
    strata_tile_fail(b, "affine-to-tile: a read at a number of each element");
  return b->status ? expr : strata_tile_counter(b, scalar.value, size);
}

strata_tile_value_t strata_tile_row_load(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  MlirValue buffer = mlirOperationGetOperand(op, 0);
  int rank = strata_memref_sizes(buffer, sizes);
  if (strata_op_is(op, "affine.load"))
    apply_map(b, frame, op, 1, coordinates);
  for (int i = 0; i < rank && strata_op_is(op, "memref.load"); i++)
    coordinates[i] = index_of(b, frame, mlirOperationGetOperand(op, 1 + i), sizes[i]);
  return b->status ? no_value : strata_tile_load(b, buffer, rank, coordinates);
}

//===-- Loops ----------------------------------------------------------------------------------------------------===//

// The bounds of a loop by 1.
static void bounds_of(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op, MlirValue *out_first,
                      MlirValue *out_end, strata_size_t *out_extent) {
  *out_extent = strata_size_constant(INT32_MAX);
  if (strata_op_is(op, "scf.for")) {
    *out_first = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, 0)).value;
    *out_end = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, 1)).value;
    return;
  }
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "upperBoundMap"));
  MlirAffineExpr inputs[STRATA_MAX_DIMS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumInputs(map) && i < STRATA_MAX_DIMS; i++)
    inputs[i] = index_of(b, frame, mlirOperationGetOperand(op, i), *out_extent);
  if (b->status)
    return;
  *out_extent = strata_size_of_expr(&b->sizes, strata_affine_apply(map, 0, inputs, 0, b->sizes.count));
  *out_first = strata_emit_index(&b->e, 0);
  *out_end = strata_tile_size(b, *out_extent);
}

// What the body, whose counter and carried values are bound in |frame|, yields.
static void yielded(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirBlock body, int n, uint32_t dims,
                    MlirValue *out) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (int i = 0; i < n && !b->status; i++) {
    strata_tile_value_t next = strata_tile_evaluate(b, frame, mlirOperationGetOperand(yield, i));
    if (!b->status)
      out[i] = strata_tile_broadcast(b, next, dims);
  }
}

void strata_tile_loop(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  enum { MOST = 8 };
  MlirValue first = {0}, end = {0}, values[MOST], carried[MOST];
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  uint32_t dims = (1u << b->space.n_vector) - 1;
  strata_size_t extent;
  int n = (int)mlirOperationGetNumResults(op);
  if (n > MOST)
    strata_tile_fail(b, "affine-to-tile: a loop that carries more than %d values", MOST);
  bounds_of(b, frame, op, &first, &end, &extent);
  intptr_t init = mlirOperationGetNumOperands(op) - n;
  for (int i = 0; i < n && !b->status; i++) {
    strata_tile_value_t start = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, init + i));
    if (!b->status)
      values[i] = strata_tile_broadcast(b, start, dims);
  }
  if (b->status)
    return;
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  size_t n_values = frame->values.count, n_indices = frame->indices.count;
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, end, 1, n, values, carried);
  *strata_vector_push(b->kernel->arena, &frame->indices) =
      (strata_tile_index_t){mlirBlockGetArgument(body, 0), strata_tile_counter(b, loop.induction, extent)};
  for (int i = 0; i < n; i++)
    strata_tile_bind(b, frame, mlirBlockGetArgument(body, 1 + i), (strata_tile_value_t){carried[i], dims});
  yielded(b, frame, body, n, dims, carried);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, n, carried, values);
  frame->values.count = n_values;
  frame->indices.count = n_indices;
  b->known = known;
  b->space.n_symbols = n_symbols;
  for (int i = 0; i < n; i++)
    strata_tile_bind(b, frame, mlirOperationGetResult(op, i), (strata_tile_value_t){values[i], dims});
}
