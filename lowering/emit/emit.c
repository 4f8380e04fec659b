// See emit.h.
#include "lowering/emit/emit.h"

#include <assert.h>

MlirOperation strata_emit_op(strata_emitter_t *e, const char *name, int n_operands, const MlirValue *operands,
                             int n_results, const MlirType *results, int n_attrs, const strata_named_attr_t *attrs) {
  MlirOperation op =
      strata_op_create(e->location, name, n_operands, operands, n_results, results, n_attrs, attrs, 0, NULL);
  mlirBlockAppendOwnedOperation(e->block, op);
  return op;
}

MlirValue strata_emit_value(strata_emitter_t *e, const char *name, int n_operands, const MlirValue *operands,
                            MlirType result, int n_attrs, const strata_named_attr_t *attrs) {
  return mlirOperationGetResult(strata_emit_op(e, name, n_operands, operands, 1, &result, n_attrs, attrs), 0);
}

MlirValue strata_emit_constant(strata_emitter_t *e, MlirType type, MlirAttribute scalar) {
  MlirAttribute value = mlirTypeIsAVector(type) ? mlirDenseElementsAttrSplatGet(type, scalar) : scalar;
  return strata_emit_value(e, "arith.constant", 0, NULL, type, 1, &(strata_named_attr_t){"value", value});
}

MlirValue strata_emit_index(strata_emitter_t *e, int64_t value) {
  MlirType type = mlirIndexTypeGet(e->context);
  return strata_emit_constant(e, type, mlirIntegerAttrGet(type, value));
}

MlirValue strata_emit_apply(strata_emitter_t *e, MlirAffineExpr expr, int n, const MlirValue *operands) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_emit_index(e, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return operands[mlirAffineDimExprGetPosition(expr)];
  MlirAffineMap map = mlirAffineMapGet(e->context, n, 0, 1, &expr);
  return strata_emit_value(e, "affine.apply", n, operands, mlirIndexTypeGet(e->context), 1,
                           &(strata_named_attr_t){"map", mlirAffineMapAttrGet(map)});
}

MlirValue strata_emit_flat(strata_emitter_t *e, MlirValue buffer) {
  MlirType type = mlirValueGetType(buffer);
  int64_t n_elements = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    n_elements *= mlirShapedTypeGetDimSize(type, i);
  MlirType flat = mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 1, &n_elements,
                                              mlirMemRefTypeGetMemorySpace(type));
  const int32_t segments[] = {1, 0, 0, 0};
  const int64_t zero = 0, one = 1;
  strata_named_attr_t attrs[] = {
      {"operandSegmentSizes", mlirDenseI32ArrayGet(e->context, 4, segments)},
      {"static_offsets", strata_i64s_attr(e->context, 1, &zero)},
      {"static_sizes", strata_i64s_attr(e->context, 1, &n_elements)},
      {"static_strides", strata_i64s_attr(e->context, 1, &one)},
  };
  return strata_emit_value(e, "memref.reinterpret_cast", 1, &buffer, flat, 4, attrs);
}

MlirValue strata_emit_scratch(strata_emitter_t *e, MlirType memref_type) {
  const int32_t segments[2] = {0, 0};
  strata_named_attr_t attrs[] = {
      {"operandSegmentSizes", mlirDenseI32ArrayGet(e->context, 2, segments)},
      {"tile.scratch", mlirUnitAttrGet(e->context)},
  };
  return strata_emit_value(e, "memref.alloc", 0, NULL, memref_type, 2, attrs);
}

static MlirBlock block_of(MlirLocation location, int n, const MlirType *types) {
  MlirLocation locations[1 + STRATA_EMIT_CARRIED];
  for (int i = 0; i < n; i++)
    locations[i] = location;
  return mlirBlockCreate(n, types, locations);
}

strata_loop_t strata_emit_for_begin(strata_emitter_t *e, MlirValue lower, MlirValue upper, int64_t step, int n_inits,
                                    const MlirValue *inits, MlirValue *out_args) {
  enum { MAX_INITS = STRATA_EMIT_CARRIED };
  MlirValue operands[3 + MAX_INITS] = {lower, upper, strata_emit_index(e, step)};
  MlirType types[1 + MAX_INITS] = {mlirIndexTypeGet(e->context)};
  assert(n_inits <= MAX_INITS);
  for (int i = 0; i < n_inits; i++) {
    operands[3 + i] = inits[i];
    types[1 + i] = mlirValueGetType(inits[i]);
  }
  MlirBlock body = block_of(e->location, 1 + n_inits, types);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperation op =
      strata_op_create(e->location, "scf.for", 3 + n_inits, operands, n_inits, types + 1, 0, NULL, 1, &region);
  mlirBlockAppendOwnedOperation(e->block, op);
  strata_loop_t loop = {.op = op, .outer = e->block, .induction = mlirBlockGetArgument(body, 0)};
  for (int i = 0; i < n_inits; i++)
    out_args[i] = mlirBlockGetArgument(body, 1 + i);
  e->block = body;
  return loop;
}

void strata_emit_for_end(strata_emitter_t *e, strata_loop_t loop, int n_yields, const MlirValue *yields,
                         MlirValue *out_results) {
  strata_emit_op(e, "scf.yield", n_yields, yields, 0, NULL, 0, NULL);
  e->block = loop.outer;
  for (int i = 0; i < n_yields; i++)
    out_results[i] = mlirOperationGetResult(loop.op, i);
}

strata_loop_t strata_emit_while_begin(strata_emitter_t *e, MlirValue end, int n, const MlirValue *inits,
                                      MlirValue *out_args) {
  enum { MAX_INITS = STRATA_EMIT_CARRIED };
  MlirType types[MAX_INITS];
  MlirValue operands[1 + MAX_INITS];
  assert(n > 0 && n <= MAX_INITS);
  for (int i = 0; i < n; i++)
    types[i] = mlirValueGetType(inits[i]);
  MlirBlock blocks[2]; // asking, doing
  MlirRegion regions[2];
  for (int i = 0; i < 2; i++) {
    regions[i] = mlirRegionCreate();
    blocks[i] = block_of(e->location, n, types);
    mlirRegionAppendOwnedBlock(regions[i], blocks[i]);
  }
  strata_loop_t loop = {.outer = e->block};
  loop.op = strata_op_create(e->location, "scf.while", n, inits, n, types, 0, NULL, 2, regions);
  mlirBlockAppendOwnedOperation(e->block, loop.op);
  e->block = blocks[0];
  const MlirValue compared[] = {mlirBlockGetArgument(blocks[0], 0), end};
  MlirAttribute predicate = strata_i64_attr(e->context, STRATA_ULT);
  operands[0] = strata_emit_value(e, "arith.cmpi", 2, compared, mlirIntegerTypeGet(e->context, 1), 1,
                                  &(strata_named_attr_t){"predicate", predicate});
  for (int i = 0; i < n; i++)
    operands[1 + i] = mlirBlockGetArgument(blocks[0], i);
  strata_emit_op(e, "scf.condition", 1 + n, operands, 0, NULL, 0, NULL);
  e->block = blocks[1];
  for (int i = 0; i < n; i++)
    out_args[i] = mlirBlockGetArgument(blocks[1], i);
  return loop;
}

void strata_emit_while_end(strata_emitter_t *e, strata_loop_t loop, int n, const MlirValue *yields,
                           MlirValue *out_results) {
  strata_emit_for_end(e, loop, n, yields, out_results);
}

// |value|: a number that is known at run time; null where |count| is.
static strata_loop_t forall_begin(strata_emitter_t *e, int64_t count, MlirValue value) {
  const int n_operands = mlirValueIsNull(value) ? 0 : 1;
  const int32_t segments[4] = {0, n_operands, 0, 0};
  const int64_t zero = 0, one = 1;
  strata_named_attr_t attrs[] = {
      {"staticLowerBound", strata_i64s_attr(e->context, 1, &zero)},
      {"staticUpperBound", strata_i64s_attr(e->context, 1, &count)},
      {"staticStep", strata_i64s_attr(e->context, 1, &one)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(e->context, 4, segments)},
  };
  MlirType index = mlirIndexTypeGet(e->context);
  MlirBlock body = mlirBlockCreate(1, &index, &e->location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperation op = strata_op_create(e->location, "scf.forall", n_operands, &value, 0, NULL, 4, attrs, 1, &region);
  mlirBlockAppendOwnedOperation(e->block, op);
  strata_loop_t loop = {.op = op, .outer = e->block, .induction = mlirBlockGetArgument(body, 0)};
  e->block = body;
  return loop;
}

strata_loop_t strata_emit_forall_begin(strata_emitter_t *e, int64_t count) {
  return forall_begin(e, count, (MlirValue){0});
}

strata_loop_t strata_emit_forall_begin_at_run_time(strata_emitter_t *e, MlirValue count) {
  return forall_begin(e, mlirShapedTypeGetDynamicSize(), count);
}

void strata_emit_forall_end(strata_emitter_t *e, strata_loop_t loop) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  mlirBlockAppendOwnedOperation(
      e->block, strata_op_create(e->location, "scf.forall.in_parallel", 0, NULL, 0, NULL, 0, NULL, 1, &region));
  e->block = loop.outer;
}

strata_loop_t strata_emit_choice_begin(strata_emitter_t *e, MlirValue condition, int n, const MlirType *types) {
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[0], body);
  MlirOperation op = strata_op_create(e->location, "scf.if", 1, &condition, n, types, 0, NULL, 2, regions);
  mlirBlockAppendOwnedOperation(e->block, op);
  strata_loop_t loop = {.op = op, .outer = e->block};
  e->block = body;
  return loop;
}

void strata_emit_choice_else(strata_emitter_t *e, strata_loop_t loop, int n, const MlirValue *yields) {
  strata_emit_op(e, "scf.yield", n, yields, 0, NULL, 0, NULL);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(loop.op, 1), body);
  e->block = body;
}

void strata_emit_choice_end(strata_emitter_t *e, strata_loop_t loop, int n, const MlirValue *yields,
                            MlirValue *out_results) {
  strata_emit_for_end(e, loop, n, yields, out_results);
}

strata_loop_t strata_emit_if_begin(strata_emitter_t *e, MlirValue condition) {
  return mlirValueIsNull(condition) ? (strata_loop_t){0} : strata_emit_choice_begin(e, condition, 0, NULL);
}

void strata_emit_if_else(strata_emitter_t *e, strata_loop_t loop) { strata_emit_choice_else(e, loop, 0, NULL); }

void strata_emit_if_end(strata_emitter_t *e, strata_loop_t loop) {
  if (!mlirOperationIsNull(loop.op))
    strata_emit_choice_end(e, loop, 0, NULL, NULL);
}
