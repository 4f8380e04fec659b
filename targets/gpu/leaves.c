// Leaf ops: which thread this is, barriers and shuffles, as the intrinsics of leaves.def or, on the emulated device, as
// calls of the tests' driver.
//
//   %t = gpu.thread_id x         %t32 = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
//                                %t = arith.index_castui %t32 : i32 to index
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

#include <stdio.h>

static const char *const intrinsics[][2] = {
#define LEAF(id, nvptx, amdgcn) [STRATA_GPU_LEAF_##id] = {[STRATA_GPU_NVPTX] = nvptx, [STRATA_GPU_AMDGCN] = amdgcn},
#include "targets/gpu/leaves.def"
};

MlirValue strata_gpu_build_leaf(const strata_gpu_kernel_t *kernel, MlirOperation before, strata_gpu_leaf_t leaf,
                                int n_operands, const MlirValue *operands, MlirType result) {
  return strata_gpu_build_intrinsic(before, intrinsics[leaf][kernel->device->code], n_operands, operands, result);
}

//===-- Which thread ---------------------------------------------------------------------------------------------===//

static void replace_id(const strata_gpu_kernel_t *kernel, MlirOperation op, strata_gpu_leaf_t leaf,
                       MlirValue emulated) {
  MlirType index = mlirIndexTypeGet(mlirOperationGetContext(op));
  if (strata_gpu_is_emulated(kernel))
    return strata_gpu_replace(op, strata_gpu_build_cast(op, "arith.index_castui", emulated, index));
  MlirValue id = strata_gpu_build_leaf(kernel, op, leaf, 0, NULL, strata_gpu_int_type(op, 32));
  strata_gpu_replace(op, strata_gpu_build_cast(op, "arith.index_castui", id, index));
}

static strata_status_t convert_thread_id(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  replace_id(kernel, op, STRATA_GPU_LEAF_THREAD_ID, kernel->thread);
  return NULL;
}

static strata_status_t convert_block_id(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  replace_id(kernel, op, STRATA_GPU_LEAF_BLOCK_ID, kernel->block);
  return NULL;
}

//===-- Barriers -------------------------------------------------------------------------------------------------===//

// The instruction alone orders no memory. Where not all of it is to be ordered loads under way are not waited for.
static void build_amdgcn_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  static const char of_shared[] = " {llvm.mmra = #llvm.mmra_tag<\"amdgpu-synchronize-as\":\"local\">}";
  static const char *const orders[] = {"release", "acquire"};
  const char *attrs = strata_attr_flag(op, "tile.shared") ? of_shared : "";
  for (int i = 0; i < 2; i++) {
    const char *text = "llvm.fence syncscope(\"workgroup\") %s%s";
    strata_gpu_build_text(op, strata_arena_printf(kernel->compile->arena, text, orders[i], attrs));
    if (i == 0)
      strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_BARRIER, 0, NULL, (MlirType){0});
  }
}

static strata_status_t convert_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  switch (kernel->device->code) {
  case STRATA_GPU_NVPTX: {
    MlirValue barrier = strata_gpu_build_i32(op, 0);
    strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_BARRIER, 1, &barrier, (MlirType){0});
    break;
  }
  case STRATA_GPU_AMDGCN:
    build_amdgcn_barrier(kernel, op);
    break;
  case STRATA_GPU_EMULATED:
    strata_gpu_build_call(op, "strata_emulated_barrier", 0, NULL, (MlirType){0});
    break;
  }
  mlirOperationDestroy(op);
  return NULL;
}

// All lanes of AMD's do the same at the same time; only the order of their accesses is to be kept.
static strata_status_t convert_warp_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  switch (kernel->device->code) {
  case STRATA_GPU_NVPTX: {
    MlirValue all = strata_gpu_build_i32(op, -1);
    strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_WARP_BARRIER, 1, &all, (MlirType){0});
    break;
  }
  case STRATA_GPU_AMDGCN:
    strata_gpu_build_text(op, "llvm.fence syncscope(\"wavefront\") acq_rel");
    break;
  case STRATA_GPU_EMULATED: {
    MlirValue none = strata_gpu_build_i32(op, 0);
    strata_gpu_build_call(op, "strata_emulated_ballot", 1, &none, strata_gpu_int_type(op, 64));
    break;
  }
  }
  mlirOperationDestroy(op);
  return NULL;
}

static strata_status_t convert_ballot(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue own = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (strata_gpu_is_emulated(kernel)) {
    own = strata_gpu_build_cast(op, "arith.extui", own, strata_gpu_int_type(op, 32));
    own = strata_gpu_build_call(op, "strata_emulated_ballot", 1, &own, strata_gpu_int_type(op, 64));
    strata_gpu_replace(op, strata_gpu_build_cast(op, "arith.trunci", own, type));
    return NULL;
  }
  MlirValue operands[2] = {strata_gpu_build_i32(op, -1), own};
  bool names_lanes = kernel->device->code == STRATA_GPU_NVPTX;
  strata_gpu_replace(op, strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_BALLOT, names_lanes ? 2 : 1,
                                               operands + !names_lanes, type));
  return NULL;
}

//===-- Shuffles of 32 bits --------------------------------------------------------------------------------------===//

typedef struct {
  bool is_xor;    // lane is what the caller's lane is combined with; else the lane itself
  MlirValue lane; // i32
} shuffle_t;

static bool is_zero(MlirValue value) {
  return strata_value_is_constant(value) && mlirIntegerAttrGetValueInt(strata_attr(strata_def(value), "value")) == 0;
}

// ds_bpermute takes the other lane's number, times four. What the first lane has all have, in a scalar register.
static MlirValue shuffle_amdgcn(const strata_gpu_kernel_t *kernel, MlirOperation op, shuffle_t shuffle,
                                MlirValue value) {
  MlirType i32 = strata_gpu_int_type(op, 32);
  MlirValue lane = shuffle.lane;
  if (!shuffle.is_xor && is_zero(lane))
    return strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_OF_FIRST_LANE, 1, &value, i32);
  if (shuffle.is_xor) {
    MlirValue all = strata_gpu_build_i32(op, -1), zero = strata_gpu_build_i32(op, 0);
    MlirValue low = strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_LANE_LOW, 2, (MlirValue[]){all, zero}, i32);
    MlirValue own = strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_LANE_HIGH, 2, (MlirValue[]){all, low}, i32);
    lane = strata_gpu_build(op, "arith.xori", 2, (MlirValue[]){own, lane}, i32, 0, NULL);
  }
  MlirValue place =
      strata_gpu_build(op, "arith.shli", 2, (MlirValue[]){lane, strata_gpu_build_i32(op, 2)}, i32, 0, NULL);
  return strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_SHUFFLE_INDEX, 2, (MlirValue[]){place, value}, i32);
}

static MlirValue shuffle_32(const strata_gpu_kernel_t *kernel, MlirOperation op, shuffle_t shuffle, MlirValue value) {
  MlirType i32 = strata_gpu_int_type(op, 32);
  if (strata_gpu_is_emulated(kernel))
    return strata_gpu_build_call(op, shuffle.is_xor ? "strata_emulated_shuffle_xor" : "strata_emulated_shuffle", 2,
                                 (MlirValue[]){value, shuffle.lane}, i32);
  if (kernel->device->code == STRATA_GPU_AMDGCN)
    return shuffle_amdgcn(kernel, op, shuffle, value);
  MlirValue all = strata_gpu_build_i32(op, -1), clamp = strata_gpu_build_i32(op, 31);
  return strata_gpu_build_leaf(kernel, op, shuffle.is_xor ? STRATA_GPU_LEAF_SHUFFLE_XOR : STRATA_GPU_LEAF_SHUFFLE_INDEX,
                               4, (MlirValue[]){all, value, shuffle.lane, clamp}, i32);
}

//===-- Shuffles of any type -------------------------------------------------------------------------------------===//

static MlirValue shuffle_64(const strata_gpu_kernel_t *kernel, MlirOperation op, shuffle_t shuffle, MlirValue value) {
  MlirType i32 = strata_gpu_int_type(op, 32), i64 = strata_gpu_int_type(op, 64);
  strata_named_attr_t attr = {"value", mlirIntegerAttrGet(i64, 32)};
  MlirValue half = strata_gpu_build(op, "arith.constant", 0, NULL, i64, 1, &attr);
  MlirValue high = strata_gpu_build(op, "arith.shrui", 2, (MlirValue[]){value, half}, i64, 0, NULL);
  MlirValue parts[] = {strata_gpu_build_cast(op, "arith.trunci", value, i32),
                       strata_gpu_build_cast(op, "arith.trunci", high, i32)};
  for (int i = 0; i < 2; i++)
    parts[i] = strata_gpu_build_cast(op, "arith.extui", shuffle_32(kernel, op, shuffle, parts[i]), i64);
  high = strata_gpu_build(op, "arith.shli", 2, (MlirValue[]){parts[1], half}, i64, 0, NULL);
  return strata_gpu_build(op, "arith.ori", 2, (MlirValue[]){parts[0], high}, i64, 0, NULL);
}

static unsigned type_bits(MlirType type) {
  unsigned count = mlirTypeIsAVector(type) ? (unsigned)mlirShapedTypeGetDimSize(type, 0) : 1;
  return count * (unsigned)strata_element_bits(strata_type_element(type));
}

// |mode| is #gpu<shuffle_mode xor> or another.
static void note_mode(MlirStringRef text, void *user) {
  char *mode = user;
  strncat(mode, text.data, 31 - strlen(mode) < text.length ? 31 - strlen(mode) : text.length);
}

static strata_status_t convert_shuffle(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  char mode[32] = "";
  mlirAttributePrint(strata_attr(op, "mode"), note_mode, mode);
  shuffle_t shuffle = {strstr(mode, "xor") != NULL, mlirOperationGetOperand(op, 1)};
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(value);
  unsigned bits = type_bits(type);
  if (bits > 64 || (!shuffle.is_xor && !strstr(mode, "idx")))
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: gpu.shuffle of %u bits with mode %s", bits, mode);
  MlirType raw = strata_gpu_int_type(op, bits);
  value = strata_gpu_build_cast(op, "llvm.bitcast", value, raw);
  if (bits <= 32) {
    value = strata_gpu_build_cast(op, "arith.extui", value, strata_gpu_int_type(op, 32));
    value = strata_gpu_build_cast(op, "arith.trunci", shuffle_32(kernel, op, shuffle, value), raw);
  } else {
    value = strata_gpu_build_cast(op, "arith.extui", value, strata_gpu_int_type(op, 64));
    value = strata_gpu_build_cast(op, "arith.trunci", shuffle_64(kernel, op, shuffle, value), raw);
  }
  strata_gpu_replace(op, strata_gpu_build_cast(op, "llvm.bitcast", value, type));
  return NULL;
}

// LLVM moves no load past what may be an access to memory, not even where it chooses instructions; there is none. ptxas
// does, but for a fence.
static strata_status_t convert_loads_begun(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  const char *text = strata_attr_flag(op, STRATA_TILE_AWAITED) ? "fence.acq_rel.cta;" : "";
  if (kernel->device->code == STRATA_GPU_NVPTX)
    strata_gpu_build_ptx(op, text, "~{memory}", 0, NULL, (MlirType){0});
  mlirOperationDestroy(op);
  return NULL;
}

//===-- All of them ----------------------------------------------------------------------------------------------===//

typedef strata_status_t (*convert_t)(const strata_gpu_kernel_t *kernel, MlirOperation op);

static const struct {
  const char *prefix; // of the op's name
  convert_t convert;
} rules[] = {
    {"gpu.thread_id", convert_thread_id},
    {"gpu.block_id", convert_block_id},
    {"gpu.barrier", convert_barrier},
    {"gpu.shuffle", convert_shuffle},
    {STRATA_TILE_BALLOT, convert_ballot},
    {STRATA_TILE_WARP_BARRIER, convert_warp_barrier},
    {"tile.mma_", strata_gpu_convert_product},
    {"tile.mma", strata_gpu_convert_mma},
    {"tile.load_matrices", strata_gpu_convert_load_matrices},
    {"tile.load_crossed", strata_gpu_convert_load_crossed},
    {"tile.load_turned", strata_gpu_convert_load_turned},
    {"tile.copy_", strata_gpu_convert_copy},
    {"tile.cluster_", strata_gpu_convert_cluster},
    {STRATA_TILE_LOADS_BEGUN, convert_loads_begun},
    {"tile.launch_", strata_gpu_convert_launch},
    {"tile.funnel", strata_gpu_convert_funnel},
    {"tile.f8_", strata_gpu_convert_f8},
    {"tile.widen", strata_gpu_convert_widen},
    {"tile.", strata_gpu_convert_async},
    {"vector.load", strata_gpu_convert_load},
    {"vector.store", strata_gpu_convert_store},
    {"memref.load", strata_gpu_convert_load},
    {"memref.store", strata_gpu_convert_store},
    {"math.", strata_gpu_convert_math},
    {"arith.divf", strata_gpu_convert_math},
    {"arith.ori", strata_gpu_convert_or},
    {"arith.bitcast", strata_gpu_convert_bitcast},
    {"arith.extf", strata_gpu_convert_extension},
    {"arith.uitofp", strata_gpu_convert_byte},
    {"arith.xori", strata_gpu_convert_signed_byte},
    {"arith.maximumf", strata_gpu_convert_extreme},
    {"arith.minimumf", strata_gpu_convert_extreme},
};

typedef struct {
  strata_arena_t *arena;
  const char *name;
  strata_gpu_ops_t ops;
} finder_t;

static MlirWalkResult find(MlirOperation op, void *user) {
  finder_t *finder = user;
  if (!finder->name || strata_op_is(op, finder->name))
    *strata_vector_push(finder->arena, &finder->ops) = op;
  return MlirWalkResultAdvance;
}

strata_gpu_ops_t strata_gpu_find_ops(const strata_gpu_kernel_t *kernel, const char *name) {
  finder_t finder = {.arena = kernel->compile->arena, .name = name};
  mlirOperationWalk(kernel->func, find, &finder, MlirWalkPostOrder);
  return finder.ops;
}

strata_status_t strata_gpu_convert_leaves(const strata_gpu_kernel_t *kernel) {
  strata_gpu_pack_bytes(kernel);
  strata_gpu_ops_t ops = strata_gpu_find_ops(kernel, NULL);
  for (size_t i = 0; i < ops.count; i++) {
    MlirStringRef name = strata_op_name(ops.data[i]);
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
      if (name.length >= strlen(rules[r].prefix) && memcmp(name.data, rules[r].prefix, strlen(rules[r].prefix)) == 0) {
        STRATA_TRY(rules[r].convert(kernel, ops.data[i]));
        break;
      }
  }
  return NULL;
}
