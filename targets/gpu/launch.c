// The seam between a kernel and the next (docs/gpu.md): PTX's griddepcontrol, and fetches into the second-level cache
// that may be under way before it. Devices without programmatic launches begin a kernel when the one before has ended.
//
//   "tile.launch_prefetch"(%c, %r) {map = 0}
//   llvm.inline_asm "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [$0, {$1, $2}];", "l,r,r" %map, %c, %r
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

enum { MAX_RANK = 5 };

static strata_status_t build_prefetch(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  strata_arena_t *arena = kernel->compile->arena;
  int64_t map = strata_attr_i64(op, "map", -1);
  int rank = (int)mlirOperationGetNumOperands(op);
  if (map < 0 || map >= kernel->n_maps || rank < 1 || rank > MAX_RANK)
    return strata_error(STRATA_INTERNAL, "expected map 0 to %d and 1 to %d coordinates, got %lld and %d",
                        kernel->n_maps - 1, MAX_RANK, (long long)map, rank);
  MlirValue operands[1 + MAX_RANK] = {kernel->maps[map]};
  const char *list = "", *constraints = "l";
  for (int i = 0; i < rank; i++) {
    operands[1 + i] = strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, i),
                                            mlirIntegerTypeGet(kernel->compile->context, 32));
    list = strata_arena_printf(arena, "%s%s$%d", list, i ? ", " : "", 1 + i);
    constraints = strata_arena_printf(arena, "%s,r", constraints);
  }
  const char *text =
      strata_arena_printf(arena, "cp.async.bulk.prefetch.tensor.%dd.L2.global.tile [$0, {%s}];", rank, list);
  strata_gpu_build_ptx(op, text, strata_arena_printf(arena, "%s,~{memory}", constraints), 1 + rank, operands,
                       (MlirType){0});
  return NULL;
}

strata_status_t strata_gpu_convert_launch(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (!*kernel->device->mma_async)
    return strata_error(STRATA_UNSUPPORTED, "%s has no pipelined products, got %s", kernel->device->name,
                        strata_op_name(op).data);
  strata_gpu_claim_launches(kernel);
  if (kernel->device->has_programmatic_launch) {
    if (strata_op_is(op, STRATA_TILE_LAUNCH_PREFETCH))
      STRATA_TRY(build_prefetch(kernel, op));
    else if (strata_op_is(op, STRATA_TILE_LAUNCH_WAIT))
      strata_gpu_build_intrinsic(op, "llvm.nvvm.griddepcontrol.wait", 0, NULL, (MlirType){0});
    else
      strata_gpu_build_intrinsic(op, "llvm.nvvm.griddepcontrol.launch.dependents", 0, NULL, (MlirType){0});
  }
  mlirOperationDestroy(op);
  return NULL;
}
