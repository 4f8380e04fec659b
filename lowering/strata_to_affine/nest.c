// The nest being built: affine.parallel, and affine.for inside it. The affine.parallel joins @main when it is complete,
// so that the buffers it turns out to need come before it.
#include "lowering/strata_to_affine/lower.h"

#include "dialects/affine/segment_contract.h"

//===-- Expressions over the dims --------------------------------------------------------------------------------===//

MlirAffineExpr strata__dim(const strata__nest_t *nest, int index) {
  return mlirAffineDimExprGet(nest->lowering->context, index);
}

MlirAffineExpr strata__constant(const strata__nest_t *nest, int64_t value) {
  return mlirAffineConstantExprGet(nest->lowering->context, value);
}

MlirAffineExpr strata__linear(const strata__nest_t *nest, MlirAffineExpr expr, int64_t scale, int64_t offset) {
  return mlirAffineAddExprGet(mlirAffineMulExprGet(expr, strata__constant(nest, scale)),
                              strata__constant(nest, offset));
}

MlirValue strata__index_of(strata__nest_t *nest, MlirAffineExpr expr) {
  if (strata_expr_symbols(expr) == 0)
    return strata_emit_apply(&nest->e, expr, nest->n_dims, nest->dims);
  MlirValue operands[STRATA_MAX_DIMS + STRATA__MAX_SYMBOLS];
  int n = nest->n_dims;
  for (int i = 0; i < n; i++)
    operands[i] = nest->dims[i];
  MlirAffineMap map = strata__bind_symbols(nest->lowering, strata__map(nest->lowering, n, 1, &expr), operands, &n);
  return strata_emit_value(&nest->e, "affine.apply", n, operands, mlirIndexTypeGet(nest->e.context), 1,
                           &(strata_named_attr_t){"map", mlirAffineMapAttrGet(map)});
}

MlirAffineExpr strata__plus(const strata__nest_t *nest, MlirAffineExpr expr, strata_size_t size) {
  return mlirAffineAddExprGet(expr, strata_size_expr(nest->lowering->context, size));
}

MlirAffineExpr strata__minus(const strata__nest_t *nest, MlirAffineExpr expr, strata_size_t size) {
  MlirAffineExpr negative =
      mlirAffineMulExprGet(strata_size_expr(nest->lowering->context, size), strata__constant(nest, -1));
  return mlirAffineAddExprGet(expr, negative);
}

MlirValue strata__size(strata__nest_t *nest, strata_size_t size) {
  return strata__index_of(nest, strata_size_expr(nest->lowering->context, size));
}

void strata__substitute(const strata__nest_t *nest, MlirAffineMap map, const MlirAffineExpr *dims,
                        MlirAffineExpr *out_results) {
  MlirAffineExpr copies[STRATA_MAX_DIMS];
  intptr_t n_dims = mlirAffineMapGetNumDims(map);
  for (intptr_t i = 0; i < n_dims; i++)
    copies[i] = dims[i];
  MlirAffineMap inner = mlirAffineMapGet(nest->lowering->context, nest->n_dims, 0, n_dims, copies);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    out_results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), inner);
}

//===-- Parallel dims --------------------------------------------------------------------------------------------===//

static void add_dim(strata__nest_t *nest, strata_size_t extent, MlirValue induction) {
  nest->extents[nest->n_dims] = extent;
  nest->dims[nest->n_dims++] = induction;
}

void strata__nest_begin(strata__lowering_t *l, strata__nest_t *nest, MlirOperation source, const char *name, int rank,
                        const strata_size_t *sizes) {
  const strata_size_t one = strata_size_constant(1);
  MlirType types[STRATA_MAX_DIMS];
  MlirLocation locations[STRATA_MAX_DIMS];
  *nest = (strata__nest_t){.lowering = l, .name = name, .fast_math = l->fast_math};
  nest->n_parallel = rank > 0 ? rank : 1;
  nest->e = (strata_emitter_t){.context = l->context, .location = mlirOperationGetLocation(source)};
  for (int i = 0; i < nest->n_parallel; i++) {
    types[i] = mlirIndexTypeGet(l->context);
    locations[i] = nest->e.location;
  }
  nest->body = nest->e.block = mlirBlockCreate(nest->n_parallel, types, locations);
  for (int i = 0; i < nest->n_parallel; i++)
    add_dim(nest, rank > 0 ? sizes[i] : one, mlirBlockGetArgument(nest->body, i));
}

void strata__nest_begin_for(strata__lowering_t *l, strata__nest_t *nest, MlirOperation source, const char *name,
                            const strata__tensor_t *tensor, MlirAffineExpr *out_point) {
  const strata__tensor_t *order = tensor->order.shape ? tensor->order.shape : tensor;
  MlirAffineExpr dims[STRATA_MAX_RANK];
  bool shares_bytes = tensor->type == STRATA_TYPE_I4;
  strata__nest_begin(l, nest, source, name, shares_bytes ? 0 : order->rank, order->sizes);
  nest->is_serial = shares_bytes;
  for (int i = 0; i < order->rank; i++) {
    if (shares_bytes)
      nest->outer_loops[nest->n_outer_loops++] = strata__for_begin(nest, order->sizes[i], 0, NULL, NULL);
    dims[i] = strata__dim(nest, shares_bytes ? nest->n_dims - 1 : i);
  }
  if (tensor->order.shape)
    strata__substitute(nest, tensor->order.map, dims, out_point);
  else
    memcpy(out_point, dims, sizeof *dims * (size_t)tensor->rank);
}

enum { MOST_ATTRS = 9 }; // of a nest

// The attributes of an affine.parallel from 0 to the extents, by 1, and its operands.
static int parallel_attrs(const strata__nest_t *nest, strata_named_attr_t *attrs, MlirValue *operands,
                          int *n_operands) {
  MlirContext context = nest->lowering->context;
  MlirAffineExpr lower[STRATA_MAX_DIMS], upper[STRATA_MAX_DIMS];
  MlirAttribute steps[STRATA_MAX_DIMS];
  int n = nest->n_parallel;
  for (int i = 0; i < n; i++) {
    lower[i] = strata__constant(nest, 0);
    upper[i] = strata_size_expr(context, nest->extents[i]);
    steps[i] = strata_i64_attr(context, 1);
  }
  const int64_t shape = n;
  MlirType groups_type = mlirRankedTensorTypeGet(1, &shape, mlirIntegerTypeGet(context, 32), mlirAttributeGetNull());
  MlirAttribute groups = mlirDenseElementsAttrInt32SplatGet(groups_type, 1);
  MlirAffineMap bounds =
      strata__bind_symbols(nest->lowering, strata__map(nest->lowering, 0, n, upper), operands, n_operands);
  int count = 0;
  attrs[count++] = (strata_named_attr_t){"reductions", mlirArrayAttrGet(context, 0, NULL)};
  attrs[count++] =
      (strata_named_attr_t){"lowerBoundsMap", mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, n, lower))};
  attrs[count++] = (strata_named_attr_t){"lowerBoundsGroups", groups};
  attrs[count++] = (strata_named_attr_t){"upperBoundsMap", mlirAffineMapAttrGet(bounds)};
  attrs[count++] = (strata_named_attr_t){"upperBoundsGroups", groups};
  attrs[count++] = (strata_named_attr_t){"steps", mlirArrayAttrGet(context, n, steps)};
  attrs[count++] = (strata_named_attr_t){"strata.nest", strata_str_attr(context, nest->name)};
  if (nest->is_serial)
    attrs[count++] = (strata_named_attr_t){"strata.serial", mlirUnitAttrGet(context)};
  if (nest->tile_rows)
    attrs[count++] = (strata_named_attr_t){STRATA_SEGMENT_TILE_ATTR, strata_i64_attr(context, nest->tile_rows)};
  return count;
}

void strata__nest_end(strata__nest_t *nest) {
  strata_named_attr_t attrs[MOST_ATTRS];
  while (nest->n_outer_loops > 0)
    strata__for_end(nest, nest->outer_loops[--nest->n_outer_loops], 0, NULL, NULL);
  strata_emit_op(&nest->e, "affine.yield", 0, NULL, 0, NULL, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, nest->body);
  MlirValue operands[STRATA__MAX_SYMBOLS];
  int n_operands = 0, n_attrs = parallel_attrs(nest, attrs, operands, &n_operands);
  MlirOperation op =
      strata_op_create(nest->e.location, "affine.parallel", n_operands, operands, 0, NULL, n_attrs, attrs, 1, &region);
  mlirBlockAppendOwnedOperation(nest->lowering->body, op);
}

//===-- Loops ----------------------------------------------------------------------------------------------------===//

strata__loop_t strata__for_begin(strata__nest_t *nest, strata_size_t extent, int n_inits, const MlirValue *inits,
                                 MlirValue *out_args) {
  enum { MAX_INITS = 4 };
  MlirContext context = nest->lowering->context;
  MlirType types[1 + MAX_INITS] = {mlirIndexTypeGet(context)};
  MlirLocation locations[1 + MAX_INITS] = {nest->e.location};
  MlirValue operands[STRATA__MAX_SYMBOLS + MAX_INITS];
  MlirAffineExpr bound = strata_size_expr(context, extent);
  int n_bounds = 0;
  MlirAffineMap upper =
      strata__bind_symbols(nest->lowering, strata__map(nest->lowering, 0, 1, &bound), operands, &n_bounds);
  const int32_t segments[3] = {0, n_bounds, n_inits};
  for (int i = 0; i < n_inits; i++) {
    operands[n_bounds + i] = inits[i];
    types[1 + i] = mlirValueGetType(inits[i]);
    locations[1 + i] = nest->e.location;
  }
  strata_named_attr_t attrs[] = {
      {"lowerBoundMap", mlirAffineMapAttrGet(mlirAffineMapConstantGet(context, 0))},
      {"upperBoundMap", mlirAffineMapAttrGet(upper)},
      {"step", mlirIntegerAttrGet(mlirIndexTypeGet(context), 1)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(context, 3, segments)},
  };
  MlirBlock body = mlirBlockCreate(1 + n_inits, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  strata__loop_t loop = {.outer = nest->e.block};
  loop.op = strata_op_create(nest->e.location, "affine.for", n_bounds + n_inits, operands, n_inits, types + 1, 4, attrs,
                             1, &region);
  mlirBlockAppendOwnedOperation(nest->e.block, loop.op);
  add_dim(nest, extent, mlirBlockGetArgument(body, 0));
  for (int i = 0; i < n_inits; i++)
    out_args[i] = mlirBlockGetArgument(body, 1 + i);
  nest->e.block = body;
  return loop;
}

void strata__for_end(strata__nest_t *nest, strata__loop_t loop, int n_yields, const MlirValue *yields,
                     MlirValue *out_results) {
  strata_emit_op(&nest->e, "affine.yield", n_yields, yields, 0, NULL, 0, NULL);
  nest->e.block = loop.outer;
  nest->n_dims--;
  for (int i = 0; i < n_yields; i++)
    out_results[i] = mlirOperationGetResult(loop.op, i);
}

void strata__reduction_begin(strata__nest_t *nest, strata__reduction_t *reduction, int n, const strata_size_t *extents,
                             MlirValue neutral) {
  *reduction = (strata__reduction_t){.accumulator = neutral};
  for (int i = 0; i < n; i++) {
    reduction->dims[i] = strata__constant(nest, 0);
    if (strata_size_is_one(extents[i]))
      continue;
    MlirValue outer = reduction->accumulator;
    reduction->dims[i] = strata__dim(nest, nest->n_dims);
    reduction->loops[reduction->n_loops++] = strata__for_begin(nest, extents[i], 1, &outer, &reduction->accumulator);
  }
}

MlirValue strata__reduction_end(strata__nest_t *nest, strata__reduction_t *reduction, MlirValue value) {
  while (reduction->n_loops > 0) {
    MlirValue inner = value;
    strata__for_end(nest, reduction->loops[--reduction->n_loops], 1, &inner, &value);
  }
  return value;
}
