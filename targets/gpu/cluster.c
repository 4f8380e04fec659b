// Clusters of blocks (docs/gpu.md): the cluster's barrier and its shared memory, or calls of the tests' driver.
//
//   "tile.cluster_store"(%v, %memory, %i, %rank)
//   %p = llvm.call_intrinsic "llvm.nvvm.mapa.shared.cluster"(%own, %rank)   llvm.store %v, %p : f32, !llvm.ptr<7>
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

#include <mlir-c/Dialect/LLVM.h>

enum { CLUSTER_SPACE = 7 }; // of NVPTX

static void build_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  bool is_wait = strata_op_is(op, STRATA_TILE_CLUSTER_WAIT);
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, is_wait ? "strata_emulated_cluster_wait" : "strata_emulated_cluster_arrive", 0, NULL,
                          (MlirType){0});
  else
    strata_gpu_build_leaf(kernel, op,
                          is_wait                            ? STRATA_GPU_LEAF_CLUSTER_WAIT
                          : strata_attr_flag(op, "releases") ? STRATA_GPU_LEAF_CLUSTER_ARRIVE
                                                             : STRATA_GPU_LEAF_CLUSTER_BEGIN,
                          0, NULL, (MlirType){0});
}

static void build_store(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirContext context = kernel->compile->context;
  bool is_emulated = strata_gpu_is_emulated(kernel);
  MlirType pointer = mlirLLVMPointerTypeGet(context, is_emulated ? 0 : CLUSTER_SPACE);
  MlirValue own = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 1), 2);
  MlirValue rank =
      strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, 3), mlirIntegerTypeGet(context, 32));
  MlirValue operands[] = {own, rank};
  MlirValue place = is_emulated
                        ? strata_gpu_build_call(op, "strata_emulated_cluster_place", 2, operands, pointer)
                        : strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_CLUSTER_PLACE, 2, operands, pointer);
  MlirValue stored[] = {mlirOperationGetOperand(op, 0), place};
  MlirOperation store =
      strata_op_create(mlirOperationGetLocation(op), "llvm.store", 2, stored, 0, NULL, 0, NULL, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, store);
}

strata_status_t strata_gpu_convert_cluster(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (kernel->device->max_cluster <= 1 || kernel->device->code == STRATA_GPU_AMDGCN)
    return strata_error(STRATA_UNSUPPORTED, "%s has no clusters of blocks", kernel->device->name);
  if (strata_op_is(op, STRATA_TILE_CLUSTER_STORE))
    build_store(kernel, op);
  else
    build_barrier(kernel, op);
  mlirOperationDestroy(op);
  return NULL;
}
