// What a nest reads or computes only where a guard, its affine.if, holds. See value.h.
#include "lowering/affine_to_tile/value_parts.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/strata/strata.h"

#include <mlir-c/IntegerSet.h>

static const strata_tile_value_t no_value;

static MlirValue yielded(MlirOperation guard, int region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, region));
  return mlirOperationGetOperand(mlirBlockGetTerminator(block), 0);
}

// Constraint |i| of the guard at the frame's point: an expression that must be >= 0 (or == 0).
static MlirAffineExpr constraint_at(strata_tile_builder_t *b, const strata_tile_frame_t *frame, MlirOperation guard,
                                    intptr_t i) {
  const strata_nest_t *nest = frame->nest;
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  MlirAffineExpr inputs[STRATA_MAX_DIMS], constraint = mlirIntegerSetGetConstraint(set, i);
  intptr_t n_inputs = mlirIntegerSetGetNumInputs(set);
  for (intptr_t j = 0; j < n_inputs && j < STRATA_MAX_DIMS; j++) {
    inputs[j] = strata_tile_constant(b, 0);
    int symbol = strata_symbol_of_value(mlirOperationGetOperand(guard, j));
    if (symbol >= 0)
      inputs[j] = mlirAffineSymbolExprGet(b->e.context, symbol);
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      if (mlirValueEqual(nest->dims[dim], mlirOperationGetOperand(guard, j)))
        inputs[j] = frame->point[dim];
  }
  MlirAffineMap map =
      mlirAffineMapGet(b->e.context, mlirIntegerSetGetNumDims(set), mlirIntegerSetGetNumSymbols(set), 1, &constraint);
  return strata_tile_simplify(b, strata_affine_apply(map, 0, inputs, STRATA_TILE_DIMS, b->sizes.count));
}

// True if every constraint of the guard says that one coordinate of the read lies inside its buffer: the read with
// padding says the same.
static bool guard_is_bounds(strata_tile_builder_t *b, const strata_tile_frame_t *frame, MlirOperation guard,
                            MlirValue buffer, int rank, const MlirAffineExpr *coordinates) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(buffer, sizes);
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++) {
    MlirAffineExpr constraint = constraint_at(b, frame, guard, i);
    bool found = false;
    for (int j = 0; j < rank && !found; j++) {
      MlirAffineExpr upper = mlirAffineMulExprGet(coordinates[j], strata_tile_constant(b, -1));
      MlirAffineExpr last = mlirAffineAddExprGet(strata_size_expr(b->e.context, sizes[j]), strata_tile_constant(b, -1));
      upper = strata_tile_simplify(b, mlirAffineAddExprGet(upper, last));
      found = mlirAffineExprEqual(constraint, coordinates[j]) || mlirAffineExprEqual(constraint, upper);
    }
    if (!found || mlirIntegerSetIsConstraintEq(set, i))
      return false;
  }
  return true;
}

// The padded read that a guard around a plain load of an outside buffer amounts to.
static bool guarded_load(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation guard,
                         strata_tile_value_t *out_value) {
  MlirValue inside = yielded(guard, 0), outside = yielded(guard, 1);
  const strata_nest_t *nest = frame->nest;
  const strata_access_t *access = NULL, *store = NULL;
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store && mlirValueEqual(nest->accesses[i].value, inside))
      access = &nest->accesses[i];
  if (!access || !mlirValueIsAOpResult(outside) || !strata_op_is(mlirOpResultGetOwner(outside), "arith.constant") ||
      strata_kernel_producer(b->kernel, access->buffer, &store))
    return false;
  for (const strata_tile_moved_t *moved = b->moved; moved; moved = moved->next)
    if (mlirValueEqual(moved->buffer, access->buffer))
      return false;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = strata_tile_access_coordinates(b, nest, access, frame->point, coordinates);
  if (!guard_is_bounds(b, frame, guard, access->buffer, rank, coordinates))
    return false;
  MlirAttribute pad = strata_attr(mlirOpResultGetOwner(outside), "value");
  *out_value = strata_tile_load_memory(b, access->buffer, rank, coordinates, pad);
  return true;
}

static strata_tile_value_t true_value(strata_tile_builder_t *b) {
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1);
  return (strata_tile_value_t){strata_emit_constant(&b->e, i1, mlirIntegerAttrGet(i1, 1)), 0};
}

// |mask| and that |expr| is zero, or not negative.
static strata_tile_value_t and_holds(strata_tile_builder_t *b, strata_tile_value_t mask, MlirAffineExpr expr,
                                     bool is_equality) {
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1), i64 = mlirIntegerTypeGet(b->e.context, 64);
  strata_tile_value_t value = strata_tile_index_value(b, expr);
  strata_tile_value_t zero = {strata_emit_index(&b->e, 0), 0};
  enum { PREDICATE_EQ = 0, PREDICATE_SGE = 5 };
  strata_named_attr_t attr = {"predicate", mlirIntegerAttrGet(i64, is_equality ? PREDICATE_EQ : PREDICATE_SGE)};
  MlirValue compared[2] = {value.value, strata_tile_broadcast(b, zero, value.dims)};
  MlirValue holds = strata_emit_value(&b->e, "arith.cmpi", 2, compared, strata_tile_type(b, i1, value.dims), 1, &attr);
  uint32_t dims = mask.dims | value.dims;
  MlirValue both[2] = {strata_tile_broadcast(b, mask, dims),
                       strata_tile_broadcast(b, (strata_tile_value_t){holds, value.dims}, dims)};
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.andi", 2, both, strata_tile_type(b, i1, dims), 0, NULL),
                               dims};
}

// Whether |expr| is not negative: where it falls by one with the only vector dim in it, a comparison of that dim's
// numbers with a scalar.
static strata_tile_value_t is_within(strata_tile_builder_t *b, MlirAffineExpr expr) {
  enum { PREDICATE_SLE = 3 };
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1), i64 = mlirIntegerTypeGet(b->e.context, 64);
  uint32_t dims = strata_tile_dims_of(b, 1, &expr);
  int dim = 0;
  int64_t step;
  while (dim + 1 < b->space.n_vector && !(dims & 1u << dim))
    dim++;
  if (dims != 1u << dim || !strata_affine_coefficient(expr, dim, &step) || step != -1)
    return and_holds(b, true_value(b), expr, false);
  MlirAffineExpr number = mlirAffineDimExprGet(b->e.context, dim), last = strata_tile_scaled(b, expr, 1, number);
  MlirValue compared[2] = {strata_tile_indices(b, number, dims), strata_tile_indices(b, last, dims)};
  strata_named_attr_t attr = {"predicate", mlirIntegerAttrGet(i64, PREDICATE_SLE)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.cmpi", 2, compared, strata_tile_type(b, i1, dims), 1, &attr), dims};
}

strata_tile_value_t strata_tile_within(strata_tile_builder_t *b, int n, const MlirAffineExpr *exprs) {
  strata_tile_value_t all = is_within(b, exprs[0]);
  for (int i = 1; i < n; i++) {
    strata_tile_value_t one = is_within(b, exprs[i]);
    uint32_t dims = all.dims | one.dims;
    MlirValue both[2] = {strata_tile_broadcast(b, all, dims), strata_tile_broadcast(b, one, dims)};
    MlirType type = strata_tile_type(b, mlirIntegerTypeGet(b->e.context, 1), dims);
    all = (strata_tile_value_t){strata_emit_value(&b->e, "arith.andi", 2, both, type, 0, NULL), dims};
  }
  return all;
}

// i1 values: the conjunction of the guard's constraints.
static strata_tile_value_t guard_mask(strata_tile_builder_t *b, const strata_tile_frame_t *frame, MlirOperation guard) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  strata_tile_value_t mask = true_value(b);
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++)
    mask = and_holds(b, mask, constraint_at(b, frame, guard, i), mlirIntegerSetIsConstraintEq(set, i));
  return mask;
}

MlirValue strata_tile_tails_hold(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point) {
  MlirAffineExpr last[STRATA_MAX_DIMS];
  MlirValue all = {NULL};
  strata_tile_frame_t frame = {.nest = nest, .point = last};
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
    strata_size_t size = strata_size_sum(nest->space.sizes[dim], strata_size_constant(-1));
    last[dim] = dim < nest->n_parallel ? point[dim] : strata_size_expr(b->e.context, size);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->inner); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "affine.if") || !strata_attr_flag(op, STRATA_TAIL))
      continue;
    strata_tile_value_t mask = guard_mask(b, &frame, op);
    if (mask.dims)
      return (MlirValue){NULL};
    MlirValue both[2] = {all, mask.value};
    all = mlirValueIsNull(all) ? mask.value
                               : strata_emit_value(&b->e, "arith.andi", 2, both, mlirValueGetType(mask.value), 0, NULL);
  }
  return all;
}

strata_tile_value_t strata_tile_guard(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation guard) {
  strata_tile_value_t value;
  if (b->tails_hold && strata_attr_flag(guard, STRATA_TAIL))
    return strata_tile_evaluate(b, frame, yielded(guard, 0));
  if (guarded_load(b, frame, guard, &value))
    return value;
  strata_tile_value_t mask = guard_mask(b, frame, guard);
  b->guard_depth++;
  strata_tile_value_t inside = strata_tile_evaluate(b, frame, yielded(guard, 0));
  b->guard_depth--;
  strata_tile_value_t outside = strata_tile_evaluate(b, frame, yielded(guard, 1));
  if (b->status)
    return no_value;
  uint32_t dims = mask.dims | inside.dims | outside.dims;
  MlirValue operands[3] = {strata_tile_broadcast(b, mask, dims), strata_tile_broadcast(b, inside, dims),
                           strata_tile_broadcast(b, outside, dims)};
  MlirType type = strata_tile_type(b, mlirValueGetType(mlirOperationGetResult(guard, 0)), dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.select", 3, operands, type, 0, NULL), dims};
}
