// Loops, branches and everything that is copied as it stands; block-level values flow through as their registers.
#include "lowering/distribute/structure.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/contract.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/values.h"

//===-- Registers as lists ---------------------------------------------------------------------------------------===//

// The registers of |old| in |layout|.
static strata_status_t push_value(strata_gpu_distribution_t *d, MlirValue old, const strata_layout_t *layout,
                                  strata_values_t *out) {
  strata_registers_t registers;
  STRATA_TRY(strata_registers_as(d, old, layout, &registers));
  for (int64_t i = 0; i < registers.count; i++)
    *strata_vector_push(d->compile->arena, out) = registers.values[i];
  return NULL;
}

static void push_types(void *distribution, MlirValue old, strata_types_t *out_types) {
  strata_gpu_distribution_t *d = distribution;
  strata_registers_t shape = strata_registers_shape(mlirValueGetType(old), strata_layout_of(d, old));
  for (int64_t i = 0; i < shape.count; i++)
    *strata_vector_push(d->compile->arena, out_types) = shape.element;
}

static const MlirValue *define(void *distribution, MlirValue old, const MlirValue *values) {
  strata_registers_t registers = strata_registers_new(distribution, old);
  for (int64_t i = 0; i < registers.count; i++)
    registers.values[i] = values[i];
  strata_registers_define(distribution, old, &registers);
  return values + registers.count;
}

static strata_status_t distribute(void *distribution, MlirBlock block) {
  return strata_gpu_distribute_block(distribution, block);
}

static strata_structure_t structure_of(strata_gpu_distribution_t *d) {
  return (strata_structure_t){&d->e, d->compile->arena, d, push_types, define, distribute};
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

static strata_status_t copy_op(strata_gpu_distribution_t *d, MlirOperation op, const strata_values_t *operands) {
  const strata_structure_t structure = structure_of(d);
  if (!strata_structure_is_copied(op))
    return strata_gpu_missing(op, "a branch to a block, or more than two regions,");
  return strata_structure_copy(&structure, op, operands);
}

strata_status_t strata_gpu_rule_structure(strata_gpu_distribution_t *d, MlirOperation op) {
  if (strata_op_handles_vectors(op))
    return strata_gpu_missing(op, "this op on vectors");
  strata_values_t operands = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue old = mlirOperationGetOperand(op, i);
    *strata_vector_push(d->compile->arena, &operands) = strata_new_scalar(d, old);
  }
  return copy_op(d, op, &operands);
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
static void push_bounds(strata_gpu_distribution_t *d, MlirOperation op, strata_values_t *out) {
  MlirValue induction = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), 0);
  int64_t lower, step;
  strata_size_t bounds[3] = {strata_size_constant(0), strata_size_constant(0), strata_size_constant(1)};
  bool is_known = strata_index_bounds(d, induction, &lower, &step, &bounds[1]);
  for (int i = 0; i < 3; i++)
    *strata_vector_push(d->compile->arena, out) =
        is_known ? strata_gpu_emit_size(d, bounds[i]) : strata_new_scalar(d, mlirOperationGetOperand(op, i));
}

static void define_induction(strata_gpu_distribution_t *d, MlirValue old) {
  int64_t lower, step;
  strata_size_t trips;
  if (!strata_index_bounds(d, old, &lower, &step, &trips))
    return;
  strata_gpu_record_of(d, old)->counter = strata_new_scalar(d, old);
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  MlirAffineExpr expr = strata_index_resolve(&space, old);
  strata_define_scalar(d, old, strata_index_emit(&space, expr));
}

// What one iteration wrote or read, the next one reads or writes.
static strata_status_t distribute_loop_body(strata_gpu_distribution_t *d, MlirOperation op, MlirRegion region) {
  const strata_structure_t structure = structure_of(d);
  MlirBlock outer = d->e.block, old = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  bool was_dirty = d->shared.is_dirty, was_read = d->shared.is_read;
  d->shared.is_dirty = d->shared.is_read = true;
  d->nest.loops++;
  d->e.block = strata_structure_block(&structure, old);
  mlirRegionAppendOwnedBlock(region, d->e.block);
  define_induction(d, mlirBlockGetArgument(old, 0));
  strata_status_t status = strata_gpu_distribute_block(d, old);
  d->e.block = outer;
  d->nest.loops--;
  d->shared.is_dirty |= was_dirty;
  d->shared.is_read |= was_read;
  return status;
}

strata_status_t strata_gpu_rule_for(strata_gpu_distribution_t *d, MlirOperation op) {
  if (strata_attr_flag(op, "tile.pipeline"))
    return strata_gpu_pipeline(d, op);
  const strata_structure_t structure = structure_of(d);
  strata_values_t operands = {0};
  strata_types_t types = {0};
  MlirLocation location = d->e.location;
  STRATA_TRY(strata_contract_store_ahead(d, op));
  push_bounds(d, op, &operands);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    const strata_layout_t *layout = strata_layout_of(d, mlirOperationGetResult(op, i));
    STRATA_TRY(push_value(d, mlirOperationGetOperand(op, 3 + i), layout, &operands));
  }
  strata_structure_push_results(&structure, op, &types);
  MlirRegion region = mlirRegionCreate();
  strata_status_t status = distribute_loop_body(d, op, region);
  MlirOperation loop = strata_op_create(location, "scf.for", (int)operands.count, operands.data, (int)types.count,
                                        types.data, 0, NULL, 1, &region);
  mlirBlockAppendOwnedOperation(d->e.block, loop);
  strata_structure_define_results(&structure, op, loop);
  return status;
}

strata_status_t strata_gpu_rule_if(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_values_t operands = {0};
  *strata_vector_push(d->compile->arena, &operands) = strata_new_scalar(d, mlirOperationGetOperand(op, 0));
  bool was_dirty = d->shared.is_dirty, was_read = d->shared.is_read;
  d->nest.branches++;
  strata_status_t status = copy_op(d, op, &operands);
  d->nest.branches--;
  d->shared.is_dirty |= was_dirty;
  d->shared.is_read |= was_read;
  return status;
}

strata_status_t strata_gpu_rule_yield(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  strata_values_t operands = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    bool has_result = i < mlirOperationGetNumResults(parent);
    MlirValue like = has_result ? mlirOperationGetResult(parent, i) : value;
    STRATA_TRY(push_value(d, value, strata_layout_of(d, like), &operands));
  }
  strata_emit_op(&d->e, "scf.yield", (int)operands.count, operands.data, 0, NULL, 0, NULL);
  return NULL;
}
