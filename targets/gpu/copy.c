// Copies into shared memory that threads go on beside (docs/gpu.md): PTX's cp.async, or calls of the tests' driver.
//
//   "tile.copy_async"(%memory, %at, %x, %position, %inside)
//   %size = llvm.select %inside, 16, 0
//   llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%to, %from, %size)
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

enum { BYTES = 16 };

static bool is_emulated(const strata_gpu_kernel_t *kernel) { return kernel->device->code == STRATA_GPU_EMULATED; }

static void convert_copy(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirType i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  MlirValue inside = mlirOperationGetOperand(op, 4);
  MlirValue operands[] = {strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1),
                          strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 2), 3),
                          {0}};
  if (is_emulated(kernel)) {
    operands[2] = strata_gpu_build_cast(op, "arith.extui", inside, i32);
    strata_gpu_build_call(op, "strata_emulated_copy_async", 3, operands, (MlirType){0});
    return;
  }
  MlirValue sizes[] = {inside, strata_gpu_build_i32(op, BYTES), strata_gpu_build_i32(op, 0)};
  operands[2] = strata_gpu_build(op, "arith.select", 3, sizes, i32, 0, NULL);
  strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_ASYNC, 3, operands, (MlirType){0});
}

static void convert_commit(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (is_emulated(kernel))
    strata_gpu_build_call(op, "strata_emulated_copy_commit", 0, NULL, (MlirType){0});
  else
    strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_COMMIT, 0, NULL, (MlirType){0});
}

static void convert_wait(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue pending = strata_gpu_build_i32(op, strata_attr_i64(op, "pending", 0));
  if (is_emulated(kernel))
    strata_gpu_build_call(op, "strata_emulated_copy_wait", 1, &pending, (MlirType){0});
  else
    strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_WAIT, 1, &pending, (MlirType){0});
}

strata_status_t strata_gpu_convert_copy(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (!kernel->device->has_async_copy)
    return strata_error(STRATA_UNSUPPORTED, "%s has no copies that threads go on beside", kernel->device->name);
  if (strata_op_is(op, STRATA_TILE_COPY_ASYNC))
    convert_copy(kernel, op);
  else if (strata_op_is(op, STRATA_TILE_COPY_COMMIT))
    convert_commit(kernel, op);
  else
    convert_wait(kernel, op);
  mlirOperationDestroy(op);
  return NULL;
}
