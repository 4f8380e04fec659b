// See loads_first.h. Of a norm of short rows:
//
//   %x = "tile.load"(%in, ...); %s = vector.multi_reduction %x; ...; %g = "tile.load"(%scale, ...)
// becomes
//   %x = "tile.load"(%in, ...); %g = "tile.load"(%scale, ...); %s = vector.multi_reduction %x; ...
#include "lowering/tile_to_gpu/loads_first.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "passes/affine/calls.h"

// A load of a vector from a buffer of the caller that the kernel does not write.
static bool may_move(const strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue buffer = mlirOperationGetOperand(op, 0);
  return mlirValueIsABlockArgument(buffer) && mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         !strata_kernel_writes(d->func, mlirBlockArgumentGetArgNumber(buffer));
}

static int64_t count_elements(MlirOperation load) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(load, 0));
  int64_t elements = 1;
  for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++)
    elements *= mlirShapedTypeGetDimSize(type, dim);
  return elements;
}

// True if |load| could be where |first| is.
static bool is_known_at(MlirOperation load, MlirOperation first) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(load); i++) {
    MlirValue operand = mlirOperationGetOperand(load, i);
    MlirOperation def = mlirValueIsAOpResult(operand) ? mlirOpResultGetOwner(operand) : (MlirOperation){0};
    bool is_here =
        !mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(first));
    if (is_here && !mlirOperationIsBeforeInBlock(def, first))
      return false;
  }
  return true;
}

// The assembler would put them behind the reduction again.
static void mark_end(MlirOperation last) {
  MlirLocation location = mlirOperationGetLocation(last);
  strata_named_attr_t awaited = {STRATA_TILE_AWAITED, mlirUnitAttrGet(mlirOperationGetContext(last))};
  MlirOperation end = strata_op_create(location, STRATA_TILE_LOADS_BEGUN, 0, NULL, 0, NULL, 1, &awaited, 0, NULL);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(last), last, end);
}

// All that a task loads behind its first load, or none: one that stays would be waited for all the same. What is under
// way together takes three quarters at most of the registers that a thread has however many there are: 1001 rows of
// 8192 whose threads hold 32 elements took 0.88 of the static rate with the scales in front (an rmsnorm).
static void put_first(const strata_gpu_distribution_t *d, MlirBlock body, int64_t group) {
  MlirOperation first = {0}, last;
  STRATA_VECTOR(MlirOperation) others = {0};
  int64_t elements = 0; // of a thread
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, STRATA_TILE_LOAD) || !may_move(d, op))
      continue;
    if (mlirOperationIsNull(first))
      first = op;
    else if (is_known_at(op, first))
      *strata_vector_push(d->compile->arena, &others) = op;
    else
      continue;
    elements += strata_ceil_div(count_elements(op), group);
  }
  if (others.count == 0 || elements > d->device->registers / d->device->threads_resident * 3 / 4)
    return;
  last = first;
  for (size_t i = 0; i < others.count; i++) {
    mlirOperationMoveAfter(others.data[i], last);
    last = others.data[i];
  }
  mark_end(last);
}

void strata_gpu_put_loads_first(strata_gpu_distribution_t *d) {
  if (d->sizes.count == 0 || strata_schedule_read(d->func).kind != STRATA_KERNEL_ROWS)
    return;
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(d->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "scf.forall"))
      put_first(d, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
                strata_attr_i64(op, "tile.group", d->role.group));
}
