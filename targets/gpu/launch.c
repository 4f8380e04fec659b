// The seam between a kernel and the next (docs/gpu.md): PTX's griddepcontrol. Devices without programmatic launches
// begin a kernel when the one before has ended.
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

// LLVM's intrinsic is no access to memory: loads might move in front of it.
void strata_gpu_build_launch_wait(MlirOperation before) {
  strata_gpu_build_ptx(before, "griddepcontrol.wait;", "~{memory}", 0, NULL, (MlirType){0});
}

strata_status_t strata_gpu_convert_launch(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (!*kernel->device->mma_async)
    return strata_error(STRATA_UNSUPPORTED, "%s has no pipelined products, got %s", kernel->device->name,
                        strata_op_name(op).data);
  strata_gpu_claim_launches(kernel);
  bool is_wait = strata_op_is(op, STRATA_TILE_LAUNCH_WAIT), is_emulated = strata_gpu_is_emulated(kernel);
  if (is_emulated && is_wait)
    strata_gpu_build_call(op, "strata_emulated_launch_wait", 0, NULL, (MlirType){0});
  else if (kernel->device->has_programmatic_launch && is_wait)
    strata_gpu_build_launch_wait(op);
  else if (kernel->device->has_programmatic_launch && !is_emulated)
    strata_gpu_build_intrinsic(op, "llvm.nvvm.griddepcontrol.launch.dependents", 0, NULL, (MlirType){0});
  mlirOperationDestroy(op);
  return NULL;
}
