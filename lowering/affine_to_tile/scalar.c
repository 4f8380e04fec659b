// Any nests as scalar loops: what the vector paths do not take. One nest is cut into tasks along its outer dims;
// several run one after the other in one task, their private buffers in scratch memory. Where a group of threads has a
// task, all of it do the same, but for loops over lanes (scalar_lanes.c).
//
// Affine ops become scf, memref and arith ones here, since tasks and loop counters are no affine dims.
#include "lowering/affine_to_tile/scalar.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "passes/affine/nest_graph.h"

#include <mlir-c/IntegerSet.h>

void strata_scalar_map(strata_scalar_t *c, MlirValue from, MlirValue to) {
  *strata_vector_push(c->b->kernel->arena, &c->values) = (strata_scalar_mapping_t){from, to};
}

// A value of the nest as it is in the new code; values from outside stay.
MlirValue strata_scalar_mapped(const strata_scalar_t *c, MlirValue value) {
  for (size_t i = c->values.count; i-- > 0;)
    if (mlirValueEqual(c->values.data[i].from, value))
      return c->values.data[i].to;
  return value;
}

static void clone_block(strata_scalar_t *c, MlirBlock block);

//===-- Affine ops -----------------------------------------------------------------------------------------------===//

enum { MAX_VALUES = 32 };

// The results of an affine op's map on its mapped operands from |first| on.
static int apply_map(strata_scalar_t *c, MlirOperation op, const char *attr, intptr_t first, intptr_t count,
                     MlirValue *out_values) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, attr));
  MlirValue operands[MAX_VALUES];
  for (intptr_t i = 0; i < count && i < MAX_VALUES; i++)
    operands[i] = strata_scalar_mapped(c, mlirOperationGetOperand(op, first + i));
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineMap one = mlirAffineMapGetSubMap(map, 1, &i);
    MlirAffineExpr expr = mlirAffineMapGetResult(one, 0);
    if (mlirAffineExprIsAConstant(expr)) {
      out_values[i] = strata_emit_index(&c->b->e, mlirAffineConstantExprGetValue(expr));
      continue;
    }
    strata_named_attr_t named = {"map", mlirAffineMapAttrGet(one)};
    out_values[i] =
        strata_emit_value(&c->b->e, "affine.apply", (int)count, operands, mlirIndexTypeGet(c->b->e.context), 1, &named);
  }
  return (int)mlirAffineMapGetNumResults(map);
}

static void clone_load(strata_scalar_t *c, MlirOperation op) {
  MlirValue operands[1 + MAX_VALUES] = {strata_scalar_mapped(c, mlirOperationGetOperand(op, 0))};
  int rank = apply_map(c, op, "map", 1, mlirOperationGetNumOperands(op) - 1, operands + 1);
  MlirValue loaded = mlirOperationGetResult(op, 0);
  strata_scalar_map(c, loaded,
                    strata_emit_value(&c->b->e, "memref.load", 1 + rank, operands, mlirValueGetType(loaded), 0, NULL));
}

static void clone_store(strata_scalar_t *c, MlirOperation op) {
  MlirValue operands[2 + MAX_VALUES] = {strata_scalar_mapped(c, mlirOperationGetOperand(op, 0)),
                                        strata_scalar_mapped(c, mlirOperationGetOperand(op, 1))};
  int rank = apply_map(c, op, "map", 2, mlirOperationGetNumOperands(op) - 2, operands + 2);
  strata_emit_op(&c->b->e, "memref.store", 2 + rank, operands, 0, NULL, 0, NULL);
}

// affine.for from a constant to a size.
static void clone_for(strata_scalar_t *c, MlirOperation op) {
  MlirAffineMap lower = mlirAffineMapAttrGetValue(strata_attr(op, "lowerBoundMap"));
  MlirAffineMap upper = mlirAffineMapAttrGetValue(strata_attr(op, "upperBoundMap"));
  MlirAffineExpr from = mlirAffineMapGetResult(lower, 0);
  int n_inits = (int)mlirOperationGetNumResults(op), n_sizes = (int)mlirAffineMapGetNumInputs(upper);
  if (!mlirAffineExprIsAConstant(from) || mlirAffineMapGetNumInputs(lower) > 0 ||
      mlirAffineMapGetNumResults(upper) != 1 || n_inits > MAX_VALUES) {
    strata_tile_fail(c->b, "affine-to-tile: a loop from or to more than a number or a size");
    return;
  }
  MlirValue inits[MAX_VALUES], args[MAX_VALUES], yields[MAX_VALUES], results[MAX_VALUES], to;
  for (int i = 0; i < n_inits; i++)
    inits[i] = strata_scalar_mapped(c, mlirOperationGetOperand(op, n_sizes + i));
  strata_emitter_t *e = &c->b->e;
  apply_map(c, op, "upperBoundMap", 0, n_sizes, &to);
  MlirValue first = strata_emit_index(e, mlirAffineConstantExprGetValue(from));
  strata_loop_t loop =
      strata_emit_for_begin(e, first, to, mlirIntegerAttrGetValueInt(strata_attr(op, "step")), n_inits, inits, args);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  strata_scalar_map(c, mlirBlockGetArgument(body, 0), loop.induction);
  for (int i = 0; i < n_inits; i++)
    strata_scalar_map(c, mlirBlockGetArgument(body, 1 + i), args[i]);
  clone_block(c, body);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (int i = 0; i < n_inits; i++)
    yields[i] = strata_scalar_mapped(c, mlirOperationGetOperand(yield, i));
  strata_emit_for_end(e, loop, n_inits, yields, results);
  for (int i = 0; i < n_inits; i++)
    strata_scalar_map(c, mlirOperationGetResult(op, i), results[i]);
}

// The conjunction of an integer set's constraints on the mapped operands of |op|.
static MlirValue emit_condition(strata_scalar_t *c, MlirOperation op) {
  strata_emitter_t *e = &c->b->e;
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(op, "condition"));
  MlirValue operands[MAX_VALUES];
  int n_inputs = (int)mlirIntegerSetGetNumInputs(set);
  for (int i = 0; i < n_inputs && i < MAX_VALUES; i++)
    operands[i] = strata_scalar_mapped(c, mlirOperationGetOperand(op, i));
  MlirType i1 = mlirIntegerTypeGet(e->context, 1), i64 = mlirIntegerTypeGet(e->context, 64);
  MlirValue condition = strata_emit_constant(e, i1, mlirIntegerAttrGet(i1, 1));
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++) {
    enum { PREDICATE_EQ = 0, PREDICATE_SGE = 5 };
    bool is_equality = mlirIntegerSetIsConstraintEq(set, i);
    MlirAffineMap map = mlirAffineMapGet(e->context, mlirIntegerSetGetNumDims(set), mlirIntegerSetGetNumSymbols(set), 1,
                                         (MlirAffineExpr[]){mlirIntegerSetGetConstraint(set, i)});
    strata_named_attr_t map_attr = {"map", mlirAffineMapAttrGet(map)};
    MlirValue compared[2] = {
        strata_emit_value(e, "affine.apply", n_inputs, operands, mlirIndexTypeGet(e->context), 1, &map_attr),
        strata_emit_index(e, 0)};
    strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(i64, is_equality ? PREDICATE_EQ : PREDICATE_SGE)};
    MlirValue both[2] = {condition, strata_emit_value(e, "arith.cmpi", 2, compared, i1, 1, &predicate)};
    condition = strata_emit_value(e, "arith.andi", 2, both, i1, 0, NULL);
  }
  return condition;
}

//===-- Other ops ------------------------------------------------------------------------------------------------===//

// Clones the blocks of |from|, whose terminator is renamed to |terminator| unless that is NULL.
static void clone_region(strata_scalar_t *c, MlirRegion from, MlirRegion to, const char *terminator) {
  MlirBlock saved = c->b->e.block;
  for (MlirBlock block = mlirRegionGetFirstBlock(from); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirBlock copy = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(to, copy);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
      MlirValue arg = mlirBlockGetArgument(block, i);
      strata_scalar_map(c, arg, mlirBlockAddArgument(copy, mlirValueGetType(arg), c->b->e.location));
    }
    c->b->e.block = copy;
    clone_block(c, block);
    MlirOperation end = mlirBlockGetTerminator(block);
    MlirValue operands[MAX_VALUES];
    int n = (int)mlirOperationGetNumOperands(end);
    for (int i = 0; i < n && i < MAX_VALUES; i++)
      operands[i] = strata_scalar_mapped(c, mlirOperationGetOperand(end, i));
    strata_emit_op(&c->b->e, terminator ? terminator : strata_op_name(end).data, n, operands, 0, NULL, 0, NULL);
  }
  c->b->e.block = saved;
}

// |op| under |name| with |operands| and clones of its regions.
static void clone_as(strata_scalar_t *c, MlirOperation op, const char *name, int n_operands, const MlirValue *operands,
                     bool with_attrs, const char *terminator) {
  MlirType types[MAX_VALUES];
  strata_named_attr_t attrs[MAX_VALUES];
  MlirRegion regions[4];
  int n_results = (int)mlirOperationGetNumResults(op), n_regions = (int)mlirOperationGetNumRegions(op);
  int n_attrs = with_attrs ? (int)mlirOperationGetNumAttributes(op) : 0;
  if (n_results > MAX_VALUES || n_attrs >= MAX_VALUES || n_regions > 4) {
    strata_tile_fail(c->b, "affine-to-tile: an op too large to copy");
    return;
  }
  for (int i = 0; i < n_results; i++)
    types[i] = mlirValueGetType(mlirOperationGetResult(op, i));
  for (int i = 0; i < n_attrs; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    attrs[i] = (strata_named_attr_t){mlirIdentifierStr(named.name).data, named.attribute};
  }
  if (!strcmp(name, "memref.alloc"))
    attrs[n_attrs++] = (strata_named_attr_t){"tile.scratch", mlirUnitAttrGet(c->b->e.context)};
  for (int i = 0; i < n_regions; i++) {
    regions[i] = mlirRegionCreate();
    clone_region(c, mlirOperationGetRegion(op, i), regions[i], terminator);
  }
  MlirOperation copy = strata_op_create(c->b->e.location, name, n_operands, operands, n_results, types, n_attrs, attrs,
                                        n_regions, regions);
  mlirBlockAppendOwnedOperation(c->b->e.block, copy);
  for (int i = 0; i < n_results; i++)
    strata_scalar_map(c, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
}

void strata_scalar_clone(strata_scalar_t *c, MlirOperation op) {
  if (strata_op_is(op, "affine.load")) {
    clone_load(c, op);
  } else if (strata_op_is(op, "affine.store")) {
    clone_store(c, op);
  } else if (strata_op_is(op, "affine.for")) {
    clone_for(c, op);
  } else if (strata_attr_i64(op, STRATA_LANES, 0) && c->b->schedule.group > 1) {
    strata_scalar_lanes(c, op);
  } else if (strata_op_is(op, "affine.if")) {
    MlirValue condition = emit_condition(c, op);
    clone_as(c, op, "scf.if", 1, &condition, false, "scf.yield");
  } else {
    MlirValue operands[MAX_VALUES];
    int n_operands = (int)mlirOperationGetNumOperands(op);
    for (int i = 0; i < n_operands && i < MAX_VALUES; i++)
      operands[i] = strata_scalar_mapped(c, mlirOperationGetOperand(op, i));
    clone_as(c, op, strata_op_name(op).data, n_operands, operands, true, NULL);
  }
}

// Everything but the terminator, which the caller replaces.
static void clone_block(strata_scalar_t *c, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !mlirOperationEqual(op, end) && !c->b->status; op = mlirOperationGetNextInBlock(op))
    strata_scalar_clone(c, op);
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

typedef struct {
  strata_scalar_t *cloner;
  const strata_nest_t *nest;
} scalar_t;

static void scalar_body(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  (void)vector;
  scalar_t *scalar = user;
  size_t n_values = scalar->cloner->values.count;
  for (int dim = 0; dim < scalar->nest->n_parallel; dim++)
    strata_scalar_map(scalar->cloner, scalar->nest->dims[dim], strata_tile_index(b, outer[dim]));
  clone_block(scalar->cloner, scalar->nest->body);
  scalar->cloner->values.count = n_values;
}

static strata_tile_walk_t walk_of(const strata_nest_t *nest) {
  strata_tile_walk_t walk = {
      .outer = nest->space.sizes, .n_outer = nest->n_parallel, .vector = strata_size_constant(1), .tile = 1, .work = 8};
  for (int i = 0; i < nest->n_reduction; i++)
    walk.work *= strata_nest_likely_extent(nest, nest->n_parallel + i);
  // Loops of serial nests are no reductions.
  walk.work = strata_max(walk.work, (int64_t)strata_nest_work(nest).work);
  return walk;
}

strata_status_t strata_tile_scalar(strata_tile_builder_t *b) {
  strata_scalar_t cloner = {.b = b};
  if (b->kernel->n_nests == 1) {
    scalar_t scalar = {&cloner, &b->kernel->nests[0]};
    strata_tile_walk_t walk = walk_of(scalar.nest);
    strata_tile_walk(b, &walk, scalar_body, &scalar);
    return b->status;
  }
  strata_loop_t forall = strata_emit_forall_begin(&b->e, 1);
  for (MlirOperation op = mlirBlockGetFirstOperation(b->kernel->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "memref.alloc"))
      strata_scalar_clone(&cloner, op);
  for (int i = 0; i < b->kernel->n_nests && !b->status; i++) {
    scalar_t scalar = {&cloner, &b->kernel->nests[i]};
    strata_tile_walk_t walk = walk_of(scalar.nest);
    strata_tile_walk_here(b, &walk, scalar_body, &scalar);
  }
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
