#include "lowering/distribute/structure.h"

enum { MAX_REGIONS = 2 };

static void define_all(const strata_structure_t *s, intptr_t n, const MlirValue *old, const MlirValue *registers) {
  for (intptr_t i = 0; i < n; i++)
    registers = s->define(s->distribution, old[i], registers);
}

static MlirValue *arguments(const strata_structure_t *s, MlirBlock block) {
  intptr_t n = mlirBlockGetNumArguments(block);
  MlirValue *values = strata_arena_array(s->arena, MlirValue, n + 1);
  for (intptr_t i = 0; i < n; i++)
    values[i] = mlirBlockGetArgument(block, i);
  return values;
}

static MlirValue *results(const strata_structure_t *s, MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  MlirValue *values = strata_arena_array(s->arena, MlirValue, n + 1);
  for (intptr_t i = 0; i < n; i++)
    values[i] = mlirOperationGetResult(op, i);
  return values;
}

MlirBlock strata_structure_block(const strata_structure_t *s, MlirBlock old) {
  strata_types_t types = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); i++)
    s->push_types(s->distribution, mlirBlockGetArgument(old, i), &types);
  MlirLocation *locations = strata_arena_array(s->arena, MlirLocation, types.count + 1);
  for (size_t i = 0; i < types.count; i++)
    locations[i] = s->e->location;
  MlirBlock block = mlirBlockCreate((intptr_t)types.count, types.data, locations);
  define_all(s, mlirBlockGetNumArguments(old), arguments(s, old), arguments(s, block));
  return block;
}

void strata_structure_push_results(const strata_structure_t *s, MlirOperation op, strata_types_t *out_types) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    s->push_types(s->distribution, mlirOperationGetResult(op, i), out_types);
}

void strata_structure_define_results(const strata_structure_t *s, MlirOperation op, MlirOperation copy) {
  define_all(s, mlirOperationGetNumResults(op), results(s, op), results(s, copy));
}

static strata_status_t copy_region(const strata_structure_t *s, MlirRegion old, MlirRegion region) {
  MlirBlock outer = s->e->block;
  strata_status_t status = NULL;
  for (MlirBlock block = mlirRegionGetFirstBlock(old); !mlirBlockIsNull(block) && !status;
       block = mlirBlockGetNextInRegion(block)) {
    s->e->block = strata_structure_block(s, block);
    mlirRegionAppendOwnedBlock(region, s->e->block);
    status = s->distribute(s->distribution, block);
  }
  s->e->block = outer;
  return status;
}

bool strata_structure_is_copied(MlirOperation op) {
  return mlirOperationGetNumSuccessors(op) == 0 && mlirOperationGetNumRegions(op) <= MAX_REGIONS;
}

strata_status_t strata_structure_copy(const strata_structure_t *s, MlirOperation op, const strata_values_t *operands) {
  strata_types_t types = {0};
  strata_structure_push_results(s, op, &types);
  MlirOperationState state = mlirOperationStateGet(strata_op_name(op), s->e->location);
  mlirOperationStateAddOperands(&state, (intptr_t)operands->count, operands->data);
  mlirOperationStateAddResults(&state, (intptr_t)types.count, types.data);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirRegion regions[MAX_REGIONS];
  intptr_t n_regions = mlirOperationGetNumRegions(op);
  strata_status_t status = NULL;
  for (intptr_t i = 0; i < n_regions; i++) {
    regions[i] = mlirRegionCreate();
    if (!status)
      status = copy_region(s, mlirOperationGetRegion(op, i), regions[i]);
  }
  mlirOperationStateAddOwnedRegions(&state, n_regions, regions);
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(s->e->block, copy);
  strata_structure_define_results(s, op, copy);
  return status;
}

bool strata_op_handles_vectors(MlirOperation op) {
  bool result = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    result |= mlirTypeIsAVector(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    result |= mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, i)));
  return result;
}
