// Memory of a task: shared memory of its group, or the thread's own where that is the group.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"

enum { MAX_PRIVATE_BYTES = 16 * 1024 };

static MlirValue private_memory(strata_gpu_distribution_t *d, MlirType type) {
  const int32_t segments[2] = {0, 0};
  strata_named_attr_t attr = {"operandSegmentSizes", mlirDenseI32ArrayGet(d->e.context, 2, segments)};
  return strata_emit_value(&d->e, "memref.alloca", 0, NULL, type, 1, &attr);
}

strata_status_t strata_gpu_rule_alloc(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), memory;
  MlirType type = mlirValueGetType(result);
  int64_t sizes[STRATA_VALUE_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (!mlirShapedTypeHasStaticShape(type) || rank > STRATA_VALUE_RANK)
    return strata_gpu_missing(op, "a dynamic size");
  for (intptr_t dim = 0; dim < rank; dim++)
    sizes[dim] = mlirShapedTypeGetDimSize(type, dim);
  if (d->role.group == 1 && strata_buffer_bytes(type) > MAX_PRIVATE_BYTES)
    return strata_gpu_missing(op, "so much memory of a thread");
  if (d->role.group == 1)
    memory = private_memory(d, type);
  else
    STRATA_TRY(strata_shared_alloc_box(d, mlirShapedTypeGetElementType(type), (int)rank, sizes, &memory));
  strata_define_scalar(d, result, memory);
  return NULL;
}

strata_status_t strata_gpu_rule_dealloc(strata_gpu_distribution_t *d, MlirOperation op) {
  (void)d, (void)op;
  return NULL;
}

static strata_status_t emit_store(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue buffer = mlirOperationGetOperand(op, 1);
  if (mlirShapedTypeHasStaticShape(mlirValueGetType(buffer)))
    return strata_gpu_rule_structure(d, op);
  MlirValue operands[] = {strata_new_scalar(d, mlirOperationGetOperand(op, 0)), strata_new_scalar(d, buffer),
                          strata_gpu_emit_position(d, op, 1)};
  strata_emit_op(&d->e, "memref.store", 3, operands, 0, NULL, 0, NULL);
  return NULL;
}

// Every thread of the group has the value; one stores it.
strata_status_t strata_gpu_rule_scalar_store(strata_gpu_distribution_t *d, MlirOperation op) {
  if (d->role.group == 1)
    return emit_store(d, op);
  MlirValue first = strata_emit_cmpi(&d->e, STRATA_EQ, d->role.thread, strata_emit_index(&d->e, 0));
  if (!mlirValueIsNull(d->role.active))
    first = strata_emit_binary(&d->e, "arith.andi", first, d->role.active);
  strata_loop_t branch = strata_emit_if_begin(&d->e, first);
  STRATA_TRY(emit_store(d, op));
  strata_emit_if_end(&d->e, branch);
  return NULL;
}
