// Changing nests in place; see nest_edit.h.
#include "passes/affine/nest_edit.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/symbols.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <stdlib.h>

enum { MAX_SYMBOLS = 32 }; // of one map

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

// The body of the function that |op| is in.
static MlirBlock function_body(MlirOperation op) {
  while (!strata_op_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  return strata_func_body(op);
}

// |map| over those of its symbols alone that it uses; their values are added to the |*n| operands.
static MlirAffineMap bind_symbols(MlirOperation op, MlirAffineMap map, MlirValue *operands, int *n) {
  int symbols[MAX_SYMBOLS], count;
  if (mlirAffineMapGetNumSymbols(map) == 0)
    return map;
  map = strata_map_over_used_symbols(map, MAX_SYMBOLS, symbols, &count);
  for (int i = 0; i < count; i++)
    operands[(*n)++] = strata_symbol_value(function_body(op), symbols[i], mlirOperationGetLocation(op));
  return map;
}

// The sizes as an upper bound of |op|, whose operands are added.
static MlirAffineMap bind_sizes(MlirOperation op, int count, const strata_size_t *sizes, MlirValue *operands, int *n) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAffineExpr upper[STRATA_MAX_DIMS];
  for (int i = 0; i < count; i++)
    upper[i] = strata_size_expr(context, sizes[i]);
  return bind_symbols(op, strata_exprs_map(context, count, upper), operands, n);
}

// The value of a size in front of |op|.
static MlirValue size_before(MlirOperation op, MlirAffineExpr size) {
  MlirContext context = mlirOperationGetContext(op);
  MlirValue inputs[MAX_SYMBOLS];
  int n = 0;
  MlirAffineMap map = bind_symbols(op, strata_exprs_map(context, 1, &size), inputs, &n);
  if (mlirAffineExprIsASymbol(size))
    return inputs[0];
  MlirType index = mlirIndexTypeGet(context);
  strata_named_attr_t attr = {"map", mlirAffineMapAttrGet(map)};
  MlirOperation apply =
      strata_op_create(mlirOperationGetLocation(op), "affine.apply", n, inputs, 1, &index, 1, &attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, apply);
  return mlirOperationGetResult(apply, 0);
}

void strata_buffer_set_type(MlirValue buffer, MlirType type) {
  MlirOperation alloc = strata_def(buffer);
  MlirValue operands[STRATA_MAX_DIMS];
  int n = 0;
  mlirValueSetType(buffer, type);
  if (mlirOperationIsNull(alloc) || !strata_op_is(alloc, "memref.alloc"))
    return;
  for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++)
    if (mlirShapedTypeIsDynamicDim(type, dim))
      operands[n++] = size_before(alloc, strata_type_dim(type, dim));
  mlirOperationSetOperands(alloc, n, operands);
  const int32_t segments[2] = {n, 0};
  strata_set_attr(alloc, "operandSegmentSizes", mlirDenseI32ArrayGet(mlirOperationGetContext(alloc), 2, segments));
}

//===-- Maps -----------------------------------------------------------------------------------------------------===//

// |map| over the dims it uses alone; their values are added to |operands| and their number returned.
static int compress(MlirAffineMap *map, const MlirValue *dims, MlirValue *operands) {
  MlirContext context = mlirAffineMapGetContext(*map);
  int n_dims = (int)mlirAffineMapGetNumDims(*map), n_results = (int)mlirAffineMapGetNumResults(*map), n_used = 0;
  MlirAffineExpr renumbered[STRATA_MAX_DIMS], results[2 * STRATA_MAX_DIMS];
  for (int dim = 0; dim < n_dims; dim++) {
    bool is_used = false;
    for (int i = 0; i < n_results; i++)
      is_used |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(*map, i), dim);
    renumbered[dim] = mlirAffineDimExprGet(context, is_used ? n_used : 0);
    if (is_used)
      operands[n_used++] = dims[dim];
  }
  // The replacement has a dim even where none is used, so that it is a map over the right number of dims.
  MlirAffineMap renumber = mlirAffineMapGet(context, n_used ? n_used : 1, 0, n_dims, renumbered);
  for (int i = 0; i < n_results; i++)
    results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(*map, i), renumber);
  *map = mlirAffineMapGet(context, n_used, mlirAffineMapGetNumSymbols(*map), n_results, results);
  return n_used;
}

static void set_conditions(MlirOperation op, MlirAffineMap map) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(op, "condition"));
  MlirAffineExpr constraints[2 * STRATA_MAX_DIMS];
  bool is_equality[2 * STRATA_MAX_DIMS];
  intptr_t count = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < count; i++) {
    constraints[i] = mlirAffineMapGetResult(map, i);
    is_equality[i] = mlirIntegerSetIsConstraintEq(set, i);
  }
  MlirIntegerSet changed = mlirIntegerSetGet(mlirOperationGetContext(op), mlirAffineMapGetNumDims(map),
                                             mlirAffineMapGetNumSymbols(map), count, constraints, is_equality);
  strata_set_attr(op, "condition", mlirIntegerSetAttrGet(changed));
}

void strata_nest_set_map(MlirOperation op, MlirAffineMap map, const MlirValue *dims) {
  MlirValue operands[2 + STRATA_MAX_DIMS + MAX_SYMBOLS];
  int n_fixed = strata_op_is(op, "affine.load") ? 1 : strata_op_is(op, "affine.store") ? 2 : 0;
  for (int i = 0; i < n_fixed; i++)
    operands[i] = mlirOperationGetOperand(op, i);
  int n = n_fixed + compress(&map, dims, operands + n_fixed);
  map = bind_symbols(op, map, operands, &n);
  mlirOperationSetOperands(op, n, operands);
  if (strata_op_is(op, "affine.if"))
    set_conditions(op, map);
  else
    strata_set_attr(op, "map", mlirAffineMapAttrGet(map));
}

void strata_nest_set_sizes(MlirOperation parallel, int count, const strata_size_t *sizes) {
  MlirContext context = mlirOperationGetContext(parallel);
  MlirAffineExpr lower[STRATA_MAX_DIMS];
  MlirAttribute steps[STRATA_MAX_DIMS];
  MlirValue operands[MAX_SYMBOLS];
  int n_operands = 0;
  MlirAffineMap upper = bind_sizes(parallel, count, sizes, operands, &n_operands);
  for (int i = 0; i < count; i++) {
    lower[i] = mlirAffineConstantExprGet(context, 0);
    steps[i] = strata_i64_attr(context, 1);
  }
  const int64_t shape = count;
  MlirType groups_type = mlirRankedTensorTypeGet(1, &shape, mlirIntegerTypeGet(context, 32), mlirAttributeGetNull());
  MlirAttribute groups = mlirDenseElementsAttrInt32SplatGet(groups_type, 1);
  strata_set_attr(parallel, "lowerBoundsMap", mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, count, lower)));
  strata_set_attr(parallel, "upperBoundsMap", mlirAffineMapAttrGet(upper));
  strata_set_attr(parallel, "lowerBoundsGroups", groups);
  strata_set_attr(parallel, "upperBoundsGroups", groups);
  strata_set_attr(parallel, "steps", mlirArrayAttrGet(context, count, steps));
  mlirOperationSetOperands(parallel, n_operands, operands);
}

//===-- Loops ----------------------------------------------------------------------------------------------------===//

void strata_loop_set_size(MlirOperation loop, strata_size_t size) {
  MlirValue operands[MAX_SYMBOLS + STRATA_MAX_DIMS];
  int n = 0, n_starts = (int)mlirOperationGetNumResults(loop);
  MlirAffineMap upper = bind_sizes(loop, 1, &size, operands, &n);
  const int32_t segments[3] = {0, n, n_starts};
  for (int i = 0; i < n_starts; i++)
    operands[n++] = strata_loop_start(loop, i);
  mlirOperationSetOperands(loop, n, operands);
  strata_set_attr(loop, "upperBoundMap", mlirAffineMapAttrGet(upper));
  strata_set_attr(loop, "operandSegmentSizes", mlirDenseI32ArrayGet(mlirOperationGetContext(loop), 3, segments));
}

MlirOperation strata_loop_wrap(MlirOperation loop, strata_size_t size) {
  MlirContext context = mlirOperationGetContext(loop);
  MlirLocation location = mlirOperationGetLocation(loop);
  int n = (int)mlirOperationGetNumResults(loop);
  MlirType types[1 + STRATA_MAX_DIMS] = {mlirIndexTypeGet(context)};
  MlirLocation locations[1 + STRATA_MAX_DIMS] = {location};
  MlirValue starts[STRATA_MAX_DIMS], results[STRATA_MAX_DIMS];
  for (int i = 0; i < n; i++) {
    results[i] = mlirOperationGetResult(loop, i);
    starts[i] = strata_loop_start(loop, i);
    types[1 + i] = mlirValueGetType(results[i]);
    locations[1 + i] = location;
  }
  MlirBlock body = mlirBlockCreate(1 + n, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  const int32_t segments[3] = {0, 0, n};
  strata_named_attr_t attrs[] = {{"operandSegmentSizes", mlirDenseI32ArrayGet(context, 3, segments)}};
  MlirOperation wrap = strata_op_create(location, "affine.for", n, starts, n, types + 1, 1, attrs, 1, &region);
  for (const char *const *name = (const char *const[]){"lowerBoundMap", "step", NULL}; *name; name++)
    strata_copy_attr(loop, wrap, *name);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop, wrap);
  strata_loop_set_size(wrap, size);
  for (int i = 0; i < n; i++) {
    mlirValueReplaceAllUsesOfWith(results[i], mlirOperationGetResult(wrap, i));
    mlirOperationSetOperand(loop, mlirOperationGetNumOperands(loop) - n + i, mlirBlockGetArgument(body, 1 + i));
  }
  mlirOperationRemoveFromParent(loop);
  mlirBlockAppendOwnedOperation(body, loop);
  mlirBlockAppendOwnedOperation(body,
                                strata_op_create(location, "affine.yield", n, results, 0, NULL, 0, NULL, 0, NULL));
  return wrap;
}

bool strata_loop_is_perfect(MlirOperation loop, MlirOperation inner) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (!mlirOperationEqual(mlirBlockGetFirstOperation(body), inner) ||
      !mlirOperationEqual(mlirOperationGetNextInBlock(inner), yield))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
    if (!mlirValueEqual(strata_loop_start(inner, i), mlirBlockGetArgument(body, 1 + i)) ||
        !mlirValueEqual(mlirOperationGetOperand(yield, i), mlirOperationGetResult(inner, i)))
      return false;
  return true;
}

void strata_loop_inline(MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), outer = mlirOperationGetBlock(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 1 + i), strata_loop_start(loop, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetOperand(yield, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, yield);
       op = mlirBlockGetFirstOperation(body)) {
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(outer, loop, op);
  }
  mlirOperationDestroy(loop);
}

void strata_nest_erase_unused(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetTerminator(block); !mlirOperationIsNull(op);) {
    MlirOperation before = {NULL};
    for (MlirOperation o = mlirBlockGetFirstOperation(block); !mlirOperationEqual(o, op);
         o = mlirOperationGetNextInBlock(o))
      before = o;
    bool is_used = mlirOperationGetNumResults(op) == 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      is_used |= strata_value_has_uses(mlirOperationGetResult(op, i));
    if (!is_used)
      mlirOperationDestroy(op);
    op = before;
  }
}

bool strata_nest_order_by_stride(const strata_nest_t *nest, const strata_access_t *access, int first, int count,
                                 int *out_order) {
  int64_t strides[STRATA_MAX_DIMS];
  for (int i = 0; i < count; i++) {
    out_order[i] = first + i;
    if (!strata_access_likely_stride(nest, access, first + i, &strides[i]))
      return false;
  }
  for (int i = 1; i < count; i++) {
    int dim = out_order[i], at = i;
    for (; at > 0 && !strata_size_is_one(nest->space.sizes[out_order[at - 1]]) &&
           !strata_size_is_one(nest->space.sizes[dim]) &&
           llabs(strides[out_order[at - 1] - first]) < llabs(strides[dim - first]);
         at--)
      out_order[at] = out_order[at - 1];
    out_order[at] = dim;
  }
  return true;
}

typedef struct {
  const strata_nest_t *nest;
  MlirValue now[STRATA_MAX_DIMS]; // what takes the place of each dim
} renaming_t;

static MlirWalkResult rename_operands(MlirOperation op, void *user) {
  const renaming_t *renaming = user;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    for (int dim = 0; dim < strata_nest_n_dims(renaming->nest); dim++)
      if (mlirValueEqual(mlirOperationGetOperand(op, i), renaming->nest->dims[dim])) {
        mlirOperationSetOperand(op, i, renaming->now[dim]);
        break;
      }
  return MlirWalkResultAdvance;
}

void strata_nest_reorder_dims(const strata_nest_t *nest, const int *order) {
  renaming_t renaming = {.nest = nest};
  strata_size_t sizes[STRATA_MAX_DIMS];
  bool is_in_place = true;
  for (int i = 0; i < strata_nest_n_dims(nest); i++) {
    renaming.now[order[i]] = nest->dims[i];
    sizes[i] = nest->space.sizes[order[i]];
    is_in_place = is_in_place && order[i] == i;
  }
  if (is_in_place)
    return;
  mlirOperationWalk(nest->op, rename_operands, &renaming, MlirWalkPreOrder);
  strata_nest_set_sizes(nest->op, nest->n_parallel, sizes);
  for (int i = 0; i < nest->n_reduction; i++)
    strata_loop_set_size(nest->loops[i], sizes[nest->n_parallel + i]);
}
