// Barriers and copies of pipelined products (docs/gpu.md): PTX's mbarrier and cp.async.bulk, or calls of the tests'
// driver, where copies are done at once and need no groups.
//
//   "tile.barrier_arrive"(%barriers, %i)
//   %p = llvm.getelementptr %base[%i] ; llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.shared"(%p)
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

enum { MAX_RANK = 5, MAX_OFFSETS = 3 };

static MlirValue attr_value(MlirOperation op, const char *name) {
  return strata_gpu_build_i32(op, strata_attr_i64(op, name, 0));
}

// Addresses of shared memory have 32 bits in PTX.
static MlirValue shared_address(const strata_gpu_kernel_t *kernel, MlirOperation op, int operand) {
  MlirValue pointer = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, operand), operand + 1);
  return strata_gpu_is_emulated(kernel)
             ? pointer
             : strata_gpu_build_cast(op, "llvm.ptrtoint", pointer, strata_gpu_int_type(op, 32));
}

//===-- Barriers -------------------------------------------------------------------------------------------------===//

// How an op on a barrier is said; |attr|: its number, if it has one.
typedef struct {
  const char *name, *attr;
  strata_gpu_leaf_t leaf;
  bool has_result; // of the intrinsic: the barrier's state, which nobody asks for
  const char *function;
} barrier_t;

static const barrier_t barriers[] = {
    {STRATA_TILE_BARRIER_INIT, "count", STRATA_GPU_LEAF_PHASE_INIT, false, "strata_emulated_phase_init"},
    {STRATA_TILE_BARRIER_ARRIVE, NULL, STRATA_GPU_LEAF_PHASE_ARRIVE, true, "strata_emulated_phase_arrive"},
    {STRATA_TILE_BARRIER_EXPECT, "bytes", STRATA_GPU_LEAF_PHASE_EXPECT, true, "strata_emulated_phase_expect"},
};

static strata_status_t convert_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  enum { FEWER = 2 }; // bytes to come than the attribute says
  const barrier_t *barrier = barriers;
  while (!strata_op_is(op, barrier->name))
    barrier++;
  MlirValue operands[2] = {strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1), {0}};
  int n = barrier->attr ? 2 : 1;
  if (mlirOperationGetNumOperands(op) > FEWER && strata_op_is(op, STRATA_TILE_BARRIER_EXPECT))
    operands[1] =
        strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, FEWER), strata_gpu_int_type(op, 32));
  else if (n == 2)
    operands[1] = attr_value(op, barrier->attr);
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, barrier->function, n, operands, (MlirType){0});
  else
    strata_gpu_build_leaf(kernel, op, barrier->leaf, n, operands,
                          barrier->has_result ? strata_gpu_int_type(op, 64) : (MlirType){0});
  return NULL;
}

// The hardware waits for a while each time it is asked. Labels are the braces' own.
static const char wait_text[] = "{\n"
                                "\t.reg .pred done;\n"
                                "WAIT:\n"
                                "\tmbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
                                "\t@!done bra WAIT;\n"
                                "\t}";

static strata_status_t convert_wait(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue operands[] = {shared_address(kernel, op, 0), mlirOperationGetOperand(op, 2)};
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, "strata_emulated_phase_wait", 2, operands, (MlirType){0});
  else
    strata_gpu_build_ptx(op, wait_text, "r,r,~{memory}", 2, operands, (MlirType){0});
  return NULL;
}

// Without a scope: what a thread has read is read, and nothing that it wrote is waited for. Release to the cluster
// would wait for all its stores to memory (4096^3: 251 us instead of 176).
static const char signal_text[] = "{\n"
                                  "\t.reg .b32 place;\n"
                                  "\tmapa.shared::cluster.u32 place, $0, $1;\n"
                                  "\tmbarrier.arrive.shared::cluster.b64 _, [place];\n"
                                  "\t}";

static strata_status_t convert_signal(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue rank =
      strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, 2), strata_gpu_int_type(op, 32));
  MlirValue operands[] = {shared_address(kernel, op, 0), rank};
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, "strata_emulated_phase_signal", 2, operands, (MlirType){0});
  else
    strata_gpu_build_ptx(op, signal_text, "r,r,~{memory}", 2, operands, (MlirType){0});
  return NULL;
}

static strata_status_t convert_group_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  bool waits = strata_op_is(op, STRATA_TILE_GROUP_BARRIER);
  MlirValue id =
      strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, 0), strata_gpu_int_type(op, 32));
  MlirValue operands[] = {id, attr_value(op, "threads")};
  if (strata_gpu_is_emulated(kernel))
    strata_gpu_build_call(op, waits ? "strata_emulated_group_barrier" : "strata_emulated_group_arrive", 2, operands,
                          (MlirType){0});
  else
    strata_gpu_build_leaf(kernel, op, waits ? STRATA_GPU_LEAF_GROUP_BARRIER : STRATA_GPU_LEAF_GROUP_ARRIVE, 2, operands,
                          (MlirType){0});
  return NULL;
}

//===-- Flags ----------------------------------------------------------------------------------------------------===//

// What the block's threads have written before a barrier of theirs is written where the flag is seen.
static const char raise_text[] = "st.release.gpu.global.u32 [$0], $1;";
static const char await_text[] = "{\n"
                                 "\t.reg .pred up;\n"
                                 "\t.reg .b32 flag;\n"
                                 "WAIT:\n"
                                 "\tld.acquire.gpu.global.u32 flag, [$0];\n"
                                 "\tsetp.ne.u32 up, flag, 0;\n"
                                 "\t@!up bra WAIT;\n"
                                 "\t}";

static strata_status_t convert_flag(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  bool raises = strata_op_is(op, STRATA_TILE_FLAG_RAISE);
  MlirValue operands[] = {strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1), {0}};
  if (strata_gpu_is_emulated(kernel)) {
    const char *function = raises ? "strata_emulated_flag_raise" : "strata_emulated_flag_await";
    strata_gpu_build_call(op, function, 1, operands, (MlirType){0});
    return NULL;
  }
  if (raises)
    operands[1] = strata_gpu_build_i32(op, 1);
  strata_gpu_build_ptx(op, raises ? raise_text : await_text, raises ? "l,r,~{memory}" : "l,~{memory}", raises ? 2 : 1,
                       operands, (MlirType){0});
  return NULL;
}

// Orders nothing else: what is counted says which block does what, not that anything is there.
static strata_status_t convert_flag_count(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue flag = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1);
  MlirType i32 = strata_gpu_int_type(op, 32);
  MlirValue before =
      strata_gpu_is_emulated(kernel)
          ? strata_gpu_build_call(op, "strata_emulated_flag_count", 1, &flag, i32)
          : strata_gpu_build_ptx(op, "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;", "=r,l,~{memory}", 1, &flag, i32);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), before);
  return NULL;
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

// By what a copy is: a load, a load for several blocks, a store.
typedef struct {
  const char *name, *function;
  int n_fixed; // operands before the coordinates
  int n_first; // values before them: memory, map, a load's barrier, the blocks it is for
  const char *constraints, *format;
} copy_t;

static const copy_t copies[] = {
    {STRATA_TILE_BULK_LOAD, "strata_emulated_bulk_load", 4, 3, "r,l,r",
     "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, %s], [$2];"},
    {STRATA_TILE_BULK_MULTICAST, "strata_emulated_bulk_multicast", 5, 4, "r,l,r,h",
     "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, "
     "%s], [$2], $3;"},
    {STRATA_TILE_BULK_STORE, "strata_emulated_bulk_store", 2, 2, "r,l",
     "cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group [$1, %s], [$0];"},
};

static const copy_t *copy_named(MlirOperation op) {
  const copy_t *copy = copies;
  while (!strata_op_is(op, copy->name))
    copy++;
  return copy;
}

// "{$3, $4}"
static const char *operand_list(strata_arena_t *arena, int first, int count) {
  const char *list = "{";
  for (int i = 0; i < count; i++)
    list = strata_arena_printf(arena, "%s$%d%s", list, first + i, i + 1 < count ? ", " : "}");
  return list;
}

// The text of a copy with its map's number, a comment: copies by different maps, in branches, do not become one whose
// map's address is chosen at run time, which an assembler has no constant for.
static const char *of_map(strata_arena_t *arena, MlirOperation op, const char *text) {
  return strata_arena_printf(arena, "%s // map %lld", text, (long long)strata_attr_i64(op, "map", 0));
}

static void build_copy_ptx(const strata_gpu_kernel_t *kernel, MlirOperation op, const copy_t *copy, int n,
                           const MlirValue *operands) {
  strata_arena_t *arena = kernel->compile->arena;
  int rank = n - copy->n_first;
  const char *constraints = copy->constraints;
  for (int i = 0; i < rank; i++)
    constraints = strata_arena_printf(arena, "%s,r", constraints);
  const char *text = strata_arena_printf(arena, copy->format, rank, operand_list(arena, copy->n_first, rank));
  strata_gpu_build_ptx(op, of_map(arena, op, text), strata_arena_printf(arena, "%s,~{memory}", constraints), n,
                       operands, (MlirType){0});
}

static const char window_format[] = "cp.async.bulk.tensor.%dd.shared::cluster.global.im2col.mbarrier::complete_tx::"
                                    "bytes [$0], [$1, %s], [$2], %s;";

// Offsets in a window have 16 bits.
static void build_window_ptx(const strata_gpu_kernel_t *kernel, MlirOperation op, int rank, int n,
                             MlirValue *operands) {
  enum { FIRST = 3 };
  strata_arena_t *arena = kernel->compile->arena;
  const char *constraints = "r,l,r";
  for (int i = FIRST; i < n; i++) {
    bool is_offset = i >= FIRST + rank;
    if (is_offset)
      operands[i] = strata_gpu_build_cast(op, "arith.trunci", operands[i], strata_gpu_int_type(op, 16));
    constraints = strata_arena_printf(arena, "%s,%s", constraints, is_offset ? "h" : "r");
  }
  const char *text = strata_arena_printf(arena, window_format, rank, operand_list(arena, FIRST, rank),
                                         operand_list(arena, FIRST + rank, n - FIRST - rank));
  strata_gpu_build_ptx(op, of_map(arena, op, text), strata_arena_printf(arena, "%s,~{memory}", constraints), n,
                       operands, (MlirType){0});
}

// Coordinates, then offsets, each as many as there may be.
static void build_window_call(MlirOperation op, int rank, int n, MlirValue *operands) {
  enum { FIRST = 3 };
  MlirValue all[FIRST + MAX_RANK + MAX_OFFSETS] = {operands[1], operands[0], operands[2]};
  for (int i = 0; i < MAX_RANK + MAX_OFFSETS; i++) {
    int from = i < MAX_RANK ? (i < rank ? FIRST + i : n) : FIRST + rank + i - MAX_RANK;
    all[FIRST + i] = from < n ? operands[from] : strata_gpu_build_i32(op, 0);
  }
  strata_gpu_build_call(op, "strata_emulated_bulk_window", FIRST + MAX_RANK + MAX_OFFSETS, all, (MlirType){0});
}

static void build_copy_call(MlirOperation op, const copy_t *copy, int n, MlirValue *operands) {
  int all = copy->n_first + MAX_RANK;
  while (n < all)
    operands[n++] = strata_gpu_build_i32(op, 0);
  MlirValue memory = operands[0];
  operands[0] = operands[1];
  operands[1] = memory;
  strata_gpu_build_call(op, copy->function, all, operands, (MlirType){0});
}

static int map_rank(const strata_gpu_kernel_t *kernel, int64_t map) {
  MlirAttribute attr = mlirArrayAttrGetElement(strata_attr(kernel->func, "strata.maps"), map);
  return (int)mlirDenseArrayGetNumElements(mlirDictionaryAttrGetElementByName(attr, strata_str("box")));
}

// Memory, map, barrier of a load, the blocks that it is for, coordinates and offsets.
static strata_status_t convert_copy(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  enum { BLOCKS = 4, MAX_FIRST = 4 };
  const copy_t *copy = copy_named(op);
  int64_t map = strata_attr_i64(op, "map", -1);
  int n_coordinates = (int)mlirOperationGetNumOperands(op) - copy->n_fixed, n = 0;
  if (map < 0 || map >= kernel->n_maps || n_coordinates < 1 || n_coordinates > MAX_RANK + MAX_OFFSETS)
    return strata_error(STRATA_INTERNAL, "expected map 0 to %d and 1 to %d coordinates, got %lld and %d",
                        kernel->n_maps - 1, MAX_RANK, (long long)map, n_coordinates);
  int rank = map_rank(kernel, map);
  bool has_window = n_coordinates > rank;
  if (has_window && copy->n_first != 3)
    return strata_error(STRATA_UNSUPPORTED, "%s by a map with a window", copy->name);
  MlirValue operands[MAX_FIRST + MAX_RANK + MAX_OFFSETS];
  operands[n++] = shared_address(kernel, op, 0);
  operands[n++] = kernel->maps[map];
  if (copy->n_first > n)
    operands[n++] = shared_address(kernel, op, 2);
  if (copy->n_first > n)
    operands[n++] =
        strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, BLOCKS), strata_gpu_int_type(op, 16));
  for (int i = 0; i < n_coordinates; i++)
    operands[n++] = strata_gpu_build_cast(op, "arith.index_cast", mlirOperationGetOperand(op, copy->n_fixed + i),
                                          strata_gpu_int_type(op, 32));
  if (has_window && strata_gpu_is_emulated(kernel))
    build_window_call(op, rank, n, operands);
  else if (has_window)
    build_window_ptx(kernel, op, rank, n, operands);
  else if (strata_gpu_is_emulated(kernel))
    build_copy_call(op, copy, n, operands);
  else
    build_copy_ptx(kernel, op, copy, n, operands);
  return NULL;
}

//===-- What the host has no need of -----------------------------------------------------------------------------===//

// |attr|: the intrinsic's operand; NULL: it has none.
static strata_status_t build_hint(const strata_gpu_kernel_t *kernel, MlirOperation op, strata_gpu_leaf_t leaf,
                                  const char *attr) {
  if (strata_gpu_is_emulated(kernel))
    return NULL;
  MlirValue operand = attr ? attr_value(op, attr) : (MlirValue){0};
  strata_gpu_build_leaf(kernel, op, leaf, attr ? 1 : 0, &operand, (MlirType){0});
  return NULL;
}

static strata_status_t convert_bulk_commit(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  return build_hint(kernel, op, STRATA_GPU_LEAF_BULK_COMMIT, NULL);
}

static strata_status_t convert_bulk_wait(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  return build_hint(kernel, op, STRATA_GPU_LEAF_BULK_WAIT, "pending");
}

static strata_status_t build_warp_barrier(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (strata_gpu_is_emulated(kernel))
    return NULL;
  MlirValue all = strata_gpu_build_i32(op, -1);
  strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_WARP_BARRIER, 1, &all, (MlirType){0});
  return NULL;
}

static strata_status_t convert_fence(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  bool is_shared = strata_str_equal(strata_attr_str(op, "of"), "shared");
  if (strata_str_equal(strata_attr_str(op, "of"), "warp"))
    return build_warp_barrier(kernel, op);
  return build_hint(kernel, op, is_shared ? STRATA_GPU_LEAF_FENCE_SHARED : STRATA_GPU_LEAF_FENCE_BARRIERS, NULL);
}

static strata_status_t convert_registers(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  bool is_more = strata_attr_flag(op, "more");
  strata_gpu_claim_registers(kernel);
  return build_hint(kernel, op, is_more ? STRATA_GPU_LEAF_REGISTERS_MORE : STRATA_GPU_LEAF_REGISTERS_LESS, "count");
}

//===-- All of them ----------------------------------------------------------------------------------------------===//

static const struct {
  const char *name;
  strata_status_t (*convert)(const strata_gpu_kernel_t *kernel, MlirOperation op);
  bool needs_async; // false: of teams of any kernel, not of pipelined products alone
} rules[] = {
    {STRATA_TILE_BARRIER_INIT, convert_barrier, true},
    {STRATA_TILE_BARRIER_ARRIVE, convert_barrier, true},
    {STRATA_TILE_BARRIER_EXPECT, convert_barrier, true},
    {STRATA_TILE_BARRIER_SIGNAL, convert_signal, true},
    {STRATA_TILE_BARRIER_WAIT, convert_wait, true},
    {STRATA_TILE_GROUP_BARRIER, convert_group_barrier, false},
    {STRATA_TILE_GROUP_ARRIVE, convert_group_barrier, false},
    {STRATA_TILE_FLAG_RAISE, convert_flag, true},
    {STRATA_TILE_FLAG_AWAIT, convert_flag, true},
    {STRATA_TILE_FLAG_COUNT, convert_flag_count, true},
    {STRATA_TILE_BULK_LOAD, convert_copy, true},
    {STRATA_TILE_BULK_MULTICAST, convert_copy, true},
    {STRATA_TILE_BULK_STORE, convert_copy, true},
    {STRATA_TILE_BULK_COMMIT, convert_bulk_commit, true},
    {STRATA_TILE_BULK_WAIT, convert_bulk_wait, true},
    {STRATA_TILE_FENCE, convert_fence, true},
    {STRATA_TILE_REGISTERS, convert_registers, true},
};

strata_status_t strata_gpu_convert_async(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (strata_op_is(op, rules[i].name)) {
      if (!*kernel->device->mma_async && rules[i].needs_async)
        return strata_error(STRATA_UNSUPPORTED, "%s has no pipelined products, got %s", kernel->device->name,
                            rules[i].name);
      STRATA_TRY(rules[i].convert(kernel, op));
      mlirOperationDestroy(op);
      return NULL;
    }
  return NULL;
}
