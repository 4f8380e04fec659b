// Copies into shared memory that threads go on beside (docs/gpu.md): PTX's cp.async, loads to LDS of AMD's, or calls of
// the tests' driver.
//
//   "tile.copy_async"(%memory, %at, %x, %position, %inside)
//   %size = llvm.select %inside, 16, 0
//   llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%to, %from, %size)
// or, where the threads of a warp copy side by side, from %at, which all of them have, on,
//   llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load.lds"(%buffer, %to, 16, %position in bytes, 0, 0, 0)
// of a buffer of less than 4 GiB. The other one of AMD's, global_load_lds, LLVM 22 takes to be counted with accesses to
// LDS as well, and then has these waited for too late.
// These have no groups: they are counted with all other accesses, and all of these are waited for.
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "passes/affine/launch_list.h"

enum { BYTES = 16 };

static bool is_of_warps(const strata_gpu_kernel_t *kernel) { return kernel->device->copies == STRATA_GPU_COPIES_WARPS; }

static MlirValue build_with(MlirOperation op, const char *name, MlirValue value, int64_t constant) {
  MlirType type = mlirValueGetType(value);
  strata_named_attr_t attr = {"value", mlirIntegerAttrGet(type, constant)};
  MlirValue operands[] = {value, strata_gpu_build(op, "arith.constant", 0, NULL, type, 1, &attr)};
  return strata_gpu_build(op, name, 2, operands, type, 0, NULL);
}

// Of the running thread, where |first| is that of its warp's first.
static MlirValue build_own_place(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue first) {
  MlirType i64 = mlirIntegerTypeGet(kernel->compile->context, 64);
  MlirValue lane = build_with(op, "arith.andi", kernel->thread, kernel->device->lanes - 1);
  MlirValue sum[] = {strata_gpu_build_cast(op, "llvm.ptrtoint", first, i64), build_with(op, "arith.muli", lane, BYTES)};
  return strata_gpu_build_cast(op, "llvm.inttoptr", strata_gpu_build(op, "arith.addi", 2, sum, i64, 0, NULL),
                               mlirValueGetType(first));
}

// What buffer loads take for a pointer: its extent is the buffer's.
static MlirValue build_resource(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue memref, int64_t bytes) {
  enum { RAW_WORDS = 0x27000 }; // elements of 32 bits, none of them swizzled
  MlirContext context = kernel->compile->context;
  strata_named_attr_t zero = {"value", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 16), 0)};
  strata_named_attr_t size = {"value", strata_i64_attr(context, bytes)};
  MlirValue operands[] = {
      strata_gpu_build_address(kernel, op, memref, STRATA_GPU_FIRST),
      strata_gpu_build(op, "arith.constant", 0, NULL, mlirIntegerTypeGet(context, 16), 1, &zero), // bytes of a record
      strata_gpu_build(op, "arith.constant", 0, NULL, mlirIntegerTypeGet(context, 64), 1, &size),
      strata_gpu_build_i32(op, RAW_WORDS)};
  return strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_BUFFER, 4, operands,
                               mlirTypeParseGet(context, strata_str("!llvm.ptr<8>")));
}

static strata_status_t build_warp_copy(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue to) {
  MlirValue inside = mlirOperationGetOperand(op, 4), from = mlirOperationGetOperand(op, 2);
  MlirType type = mlirValueGetType(from), i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  int64_t element = strata_element_bytes(mlirShapedTypeGetElementType(type));
  if (!strata_value_is_constant(inside) || !mlirIntegerAttrGetValueInt(strata_attr(strata_def(inside), "value")))
    return strata_error(STRATA_UNSUPPORTED, "%s has no copies under a condition", kernel->device->name);
  MlirValue position = strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, 3), i32);
  MlirValue zero = strata_gpu_build_i32(op, 0);
  MlirValue operands[] = {build_resource(kernel, op, from, strata_memref_size(type)),
                          to,
                          strata_gpu_build_i32(op, BYTES),
                          build_with(op, "arith.muli", position, element),
                          zero,
                          zero,
                          zero};
  strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_ASYNC, 7, operands, (MlirType){0});
  return NULL;
}

static strata_status_t convert_copy(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirType i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  MlirValue inside = mlirOperationGetOperand(op, 4);
  MlirValue operands[] = {strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1),
                          strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 2), 3),
                          {0}};
  if (strata_gpu_is_emulated(kernel)) {
    if (is_of_warps(kernel))
      operands[0] = build_own_place(kernel, op, operands[0]);
    operands[2] = strata_gpu_build_cast(op, "arith.extui", inside, i32);
    strata_gpu_build_call(op, "strata_emulated_copy_async", 3, operands, (MlirType){0});
    return NULL;
  }
  if (is_of_warps(kernel))
    return build_warp_copy(kernel, op, operands[0]);
  MlirValue sizes[] = {inside, strata_gpu_build_i32(op, BYTES), strata_gpu_build_i32(op, 0)};
  operands[2] = strata_gpu_build(op, "arith.select", 3, sizes, i32, 0, NULL);
  strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_ASYNC, 3, operands, (MlirType){0});
  return NULL;
}

static void convert_commit(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, "strata_emulated_copy_commit", 0, NULL, (MlirType){0});
  else if (!is_of_warps(kernel))
    strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_COMMIT, 0, NULL, (MlirType){0});
}

static strata_status_t convert_wait(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  // Of s_waitcnt: no access to memory may be left, nor to LDS, which the barrier behind it waits for anyway. As many as
  // its field holds LLVM takes for a wait as well, as if no more could be under way.
  enum { NO_ACCESS = 0x70 };
  int64_t left = strata_attr_i64(op, "pending", 0);
  if (is_of_warps(kernel) && left)
    return strata_error(STRATA_UNSUPPORTED, "%s waits for all copies, got %lld to be left", kernel->device->name,
                        (long long)left);
  bool is_of_all = is_of_warps(kernel) && !strata_gpu_is_emulated(kernel);
  MlirValue pending = strata_gpu_build_i32(op, is_of_all ? NO_ACCESS : left);
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, "strata_emulated_copy_wait", 1, &pending, (MlirType){0});
  else
    strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_COPY_WAIT, 1, &pending, (MlirType){0});
  return NULL;
}

strata_status_t strata_gpu_convert_copy(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (kernel->device->copies == STRATA_GPU_COPIES_NONE)
    return strata_error(STRATA_UNSUPPORTED, "%s has no copies that threads go on beside", kernel->device->name);
  if (strata_op_is(op, STRATA_TILE_COPY_ASYNC))
    STRATA_TRY(convert_copy(kernel, op));
  else if (strata_op_is(op, STRATA_TILE_COPY_COMMIT))
    convert_commit(kernel, op);
  else
    STRATA_TRY(convert_wait(kernel, op));
  mlirOperationDestroy(op);
  return NULL;
}
