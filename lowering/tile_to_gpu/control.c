// Loops, branches and everything that is copied as it stands; block-level values flow through as their registers.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/values.h"

typedef STRATA_VECTOR(MlirValue) values_t;
typedef STRATA_VECTOR(MlirType) types_t;

//===-- Registers as lists ---------------------------------------------------------------------------------------===//

// The registers of |old| in |layout|.
static strata_status_t push_value(strata_gpu_distribution_t *d, MlirValue old, const strata_layout_t *layout,
                                  values_t *out) {
  strata_registers_t registers;
  STRATA_TRY(strata_registers_as(d, old, layout, &registers));
  for (int64_t i = 0; i < registers.count; i++)
    *strata_vector_push(d->compile->arena, out) = registers.values[i];
  return NULL;
}

static void push_types(strata_gpu_distribution_t *d, MlirValue old, types_t *out) {
  strata_registers_t shape = strata_registers_shape(mlirValueGetType(old), strata_layout_of(d, old));
  for (int64_t i = 0; i < shape.count; i++)
    *strata_vector_push(d->compile->arena, out) = shape.element;
}

// Defines |old| as the new values from |*at| on.
static void define_next(strata_gpu_distribution_t *d, MlirValue old, MlirValue (*get)(const void *owner, intptr_t at),
                        const void *owner, intptr_t *at) {
  strata_registers_t registers = strata_registers_new(d, old);
  for (int64_t i = 0; i < registers.count; i++)
    registers.values[i] = get(owner, (*at)++);
  strata_registers_define(d, old, &registers);
}

static MlirValue get_result(const void *owner, intptr_t at) {
  return mlirOperationGetResult(*(const MlirOperation *)owner, at);
}

static MlirValue get_argument(const void *owner, intptr_t at) {
  return mlirBlockGetArgument(*(const MlirBlock *)owner, at);
}

static MlirBlock create_block(strata_gpu_distribution_t *d, MlirBlock old) {
  types_t types = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); i++)
    push_types(d, mlirBlockGetArgument(old, i), &types);
  MlirLocation *locations = strata_arena_array(d->compile->arena, MlirLocation, types.count + 1);
  for (size_t i = 0; i < types.count; i++)
    locations[i] = d->e.location;
  MlirBlock block = mlirBlockCreate((intptr_t)types.count, types.data, locations);
  intptr_t at = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); i++)
    define_next(d, mlirBlockGetArgument(old, i), get_argument, &block, &at);
  return block;
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

static strata_status_t copy_region(strata_gpu_distribution_t *d, MlirRegion old, MlirRegion region) {
  MlirBlock outer = d->e.block;
  strata_status_t status = NULL;
  for (MlirBlock block = mlirRegionGetFirstBlock(old); !mlirBlockIsNull(block) && !status;
       block = mlirBlockGetNextInRegion(block)) {
    d->e.block = create_block(d, block);
    mlirRegionAppendOwnedBlock(region, d->e.block);
    status = strata_gpu_distribute_block(d, block);
  }
  d->e.block = outer;
  return status;
}

// An op with the name, attributes and regions of |op| on |operands|, whose results are |types|; the old results are
// defined as its own.
static strata_status_t copy_op(strata_gpu_distribution_t *d, MlirOperation op, const values_t *operands,
                               const types_t *types) {
  MlirLocation location = d->e.location;
  MlirRegion regions[2];
  intptr_t n_regions = mlirOperationGetNumRegions(op);
  if (n_regions > 2 || mlirOperationGetNumSuccessors(op) > 0)
    return strata_gpu_missing(op, "a branch to a block, or more than two regions,");
  for (intptr_t i = 0; i < n_regions; i++)
    regions[i] = mlirRegionCreate();
  MlirOperationState state = mlirOperationStateGet(strata_op_name(op), location);
  mlirOperationStateAddOperands(&state, (intptr_t)operands->count, operands->data);
  mlirOperationStateAddResults(&state, (intptr_t)types->count, types->data);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  strata_status_t status = NULL;
  for (intptr_t i = 0; i < n_regions; i++)
    if (!status)
      status = copy_region(d, mlirOperationGetRegion(op, i), regions[i]);
  mlirOperationStateAddOwnedRegions(&state, n_regions, regions);
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(d->e.block, copy);
  intptr_t at = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    define_next(d, mlirOperationGetResult(op, i), get_result, &copy, &at);
  return status;
}

static bool handles_vectors(MlirOperation op) {
  bool result = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    result |= mlirTypeIsAVector(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    result |= mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, i)));
  return result;
}

strata_status_t strata_gpu_rule_structure(strata_gpu_distribution_t *d, MlirOperation op) {
  if (handles_vectors(op))
    return strata_gpu_missing(op, "this op on vectors");
  values_t operands = {0};
  types_t types = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue old = mlirOperationGetOperand(op, i);
    *strata_vector_push(d->compile->arena, &operands) = strata_new_scalar(d, old);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    push_types(d, mlirOperationGetResult(op, i), &types);
  return copy_op(d, op, &operands, &types);
}

//===-- Control flow ---------------------------------------------------------------------------------------------===//

strata_status_t strata_gpu_rule_apply(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  MlirAffineExpr expr = strata_index_resolve(&space, result);
  bool is_unknown = mlirAffineExprIsASymbol(expr); // nothing is known of it but what it is
  if (is_unknown)
    return strata_gpu_rule_structure(d, op);
  strata_define_scalar(d, result, strata_index_emit(&space, expr));
  return NULL;
}

// A loop of known bounds counts from 0 by 1, so that positions can be computed from how often it has run.
static void push_bounds(strata_gpu_distribution_t *d, MlirOperation op, values_t *out) {
  MlirValue induction = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), 0);
  int64_t bounds[3] = {0, 0, 1}, lower, step;
  bool is_known = strata_index_bounds(induction, &lower, &step, &bounds[1]);
  for (int i = 0; i < 3; i++)
    *strata_vector_push(d->compile->arena, out) =
        is_known ? strata_emit_index(&d->e, bounds[i]) : strata_new_scalar(d, mlirOperationGetOperand(op, i));
}

static void define_induction(strata_gpu_distribution_t *d, MlirValue old) {
  int64_t lower, step, trips;
  if (!strata_index_bounds(old, &lower, &step, &trips))
    return;
  strata_gpu_record_of(d, old)->counter = strata_new_scalar(d, old);
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  MlirAffineExpr expr = strata_index_resolve(&space, old);
  strata_define_scalar(d, old, strata_index_emit(&space, expr));
}

// What one iteration wrote or read, the next one reads or writes.
static strata_status_t distribute_loop_body(strata_gpu_distribution_t *d, MlirOperation op, MlirRegion region) {
  MlirBlock outer = d->e.block, old = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  bool was_dirty = d->is_dirty, was_read = d->is_read;
  d->is_dirty = d->is_read = true;
  d->loop_depth++;
  d->e.block = create_block(d, old);
  mlirRegionAppendOwnedBlock(region, d->e.block);
  define_induction(d, mlirBlockGetArgument(old, 0));
  strata_status_t status = strata_gpu_distribute_block(d, old);
  d->e.block = outer;
  d->loop_depth--;
  d->is_dirty |= was_dirty;
  d->is_read |= was_read;
  return status;
}

strata_status_t strata_gpu_rule_for(strata_gpu_distribution_t *d, MlirOperation op) {
  if (strata_attr_flag(op, "tile.pipeline"))
    return strata_gpu_pipeline(d, op);
  values_t operands = {0};
  types_t types = {0};
  MlirLocation location = d->e.location;
  push_bounds(d, op, &operands);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    STRATA_TRY(push_value(d, mlirOperationGetOperand(op, 3 + i), strata_layout_of(d, result), &operands));
    push_types(d, result, &types);
  }
  MlirRegion region = mlirRegionCreate();
  strata_status_t status = distribute_loop_body(d, op, region);
  MlirOperation loop = strata_op_create(location, "scf.for", (int)operands.count, operands.data, (int)types.count,
                                        types.data, 0, NULL, 1, &region);
  mlirBlockAppendOwnedOperation(d->e.block, loop);
  intptr_t at = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    define_next(d, mlirOperationGetResult(op, i), get_result, &loop, &at);
  return status;
}

strata_status_t strata_gpu_rule_if(strata_gpu_distribution_t *d, MlirOperation op) {
  values_t operands = {0};
  types_t types = {0};
  *strata_vector_push(d->compile->arena, &operands) = strata_new_scalar(d, mlirOperationGetOperand(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    push_types(d, mlirOperationGetResult(op, i), &types);
  bool was_dirty = d->is_dirty, was_read = d->is_read;
  d->branch_depth++;
  strata_status_t status = copy_op(d, op, &operands, &types);
  d->branch_depth--;
  d->is_dirty |= was_dirty;
  d->is_read |= was_read;
  return status;
}

strata_status_t strata_gpu_rule_yield(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  values_t operands = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    bool has_result = i < mlirOperationGetNumResults(parent);
    MlirValue like = has_result ? mlirOperationGetResult(parent, i) : value;
    STRATA_TRY(push_value(d, value, strata_layout_of(d, like), &operands));
  }
  strata_emit_op(&d->e, "scf.yield", (int)operands.count, operands.data, 0, NULL, 0, NULL);
  return NULL;
}
