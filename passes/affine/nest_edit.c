// Changing nests in place; see nest_edit.h.
#include "passes/affine/nest_edit.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

#include <stdlib.h>

enum { MAX_SYMBOLS = 24 }; // of one map

// Of the function that |op| is in.
static MlirBlock body_around(MlirOperation op) {
  while (!strata_op_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  return strata_func_body(op);
}

// |map| over the dims and symbols it uses alone; their values are added to |operands| and their number returned.
static int compress(MlirOperation op, MlirAffineMap *map, const MlirValue *dims, MlirValue *operands) {
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
  int symbols[MAX_SYMBOLS], n_symbols;
  *map = mlirAffineMapGet(context, n_used, mlirAffineMapGetNumSymbols(*map), n_results, results);
  *map = strata_map_over_used_symbols(*map, MAX_SYMBOLS, symbols, &n_symbols);
  for (int i = 0; i < n_symbols; i++)
    operands[n_used + i] = strata_symbol_value(body_around(op), symbols[i], mlirOperationGetLocation(op));
  return n_used + n_symbols;
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
  int n_used = compress(op, &map, dims, operands + n_fixed);
  mlirOperationSetOperands(op, n_fixed + n_used, operands);
  if (strata_op_is(op, "affine.if"))
    set_conditions(op, map);
  else
    strata_set_attr(op, "map", mlirAffineMapAttrGet(map));
}

void strata_nest_set_sizes(MlirOperation parallel, int count, const strata_size_t *sizes) {
  MlirContext context = mlirOperationGetContext(parallel);
  MlirAffineExpr lower[STRATA_MAX_DIMS], upper[STRATA_MAX_DIMS];
  MlirAttribute steps[STRATA_MAX_DIMS];
  for (int i = 0; i < count; i++) {
    lower[i] = mlirAffineConstantExprGet(context, 0);
    upper[i] = mlirAffineConstantExprGet(context, strata_size_static_value(sizes[i]));
    steps[i] = strata_i64_attr(context, 1);
  }
  const int64_t shape = count;
  MlirType groups_type = mlirRankedTensorTypeGet(1, &shape, mlirIntegerTypeGet(context, 32), mlirAttributeGetNull());
  MlirAttribute groups = mlirDenseElementsAttrInt32SplatGet(groups_type, 1);
  strata_set_attr(parallel, "lowerBoundsMap", mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, count, lower)));
  strata_set_attr(parallel, "upperBoundsMap", mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, count, upper)));
  strata_set_attr(parallel, "lowerBoundsGroups", groups);
  strata_set_attr(parallel, "upperBoundsGroups", groups);
  strata_set_attr(parallel, "steps", mlirArrayAttrGet(context, count, steps));
}

void strata_loop_set_size(MlirOperation loop, strata_size_t size) {
  MlirContext context = mlirOperationGetContext(loop);
  MlirAffineExpr upper = mlirAffineConstantExprGet(context, strata_size_static_value(size));
  strata_set_attr(loop, "upperBoundMap", mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, 1, &upper)));
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
    starts[i] = mlirOperationGetOperand(loop, i); // the bounds are constant
    types[1 + i] = mlirValueGetType(results[i]);
    locations[1 + i] = location;
  }
  MlirBlock body = mlirBlockCreate(1 + n, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperation wrap = strata_op_create(location, "affine.for", n, starts, n, types + 1, 0, NULL, 1, &region);
  for (const char *const *name = (const char *const[]){"lowerBoundMap", "step", "operandSegmentSizes", NULL}; *name;
       name++)
    strata_copy_attr(loop, wrap, *name);
  strata_loop_set_size(wrap, size);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop, wrap);
  for (int i = 0; i < n; i++) {
    mlirValueReplaceAllUsesOfWith(results[i], mlirOperationGetResult(wrap, i));
    mlirOperationSetOperand(loop, i, mlirBlockGetArgument(body, 1 + i));
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
    if (!mlirValueEqual(mlirOperationGetOperand(inner, i), mlirBlockGetArgument(body, 1 + i)) ||
        !mlirValueEqual(mlirOperationGetOperand(yield, i), mlirOperationGetResult(inner, i)))
      return false;
  return true;
}

void strata_loop_inline(MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), outer = mlirOperationGetBlock(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 1 + i), mlirOperationGetOperand(loop, i));
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
    if (!strata_access_stride(nest, access, first + i, &strides[i]))
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
