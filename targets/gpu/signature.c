// The function around a kernel: see kernel.h.
//
//   level 4         func.func @k(%x: memref<...>, %n: index, %shared: memref<Nxi8, 3>) attributes {strata.maps = [...]}
//   NVPTX, AMDGCN   llvm.func @k(%x: !llvm.ptr<1>, %n: i64, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, ...})
//                     attributes {nvvm.kernel | rocdl.kernel, threads of a block}
//   emulated        llvm.func @k(%x: !llvm.ptr, %n: i64, %map: !llvm.ptr, %block: i64, %thread: i64, %shared:
//   !llvm.ptr)
#include "targets/gpu/kernel.h"

#include "dialects/integers.h"

#include <mlir-c/Dialect/LLVM.h>

enum { MAX_PARAMETERS = 1024, SHARED_ALIGNMENT = 128, SHARED_ALIGNMENT_EXCHANGED = 1024, MAX_PREFETCHED_MAPS = 8 };
// Between the two steps.
static const char alignment_attr[] = "strata.shared_alignment", registers_attr[] = "strata.registers",
                  launches_attr[] = "strata.launches";

static int collect_types(MlirBlock block, MlirType *types) {
  int n = (int)mlirBlockGetNumArguments(block);
  for (int i = 0; i < n; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(block, i));
  return n;
}

static int count_maps(MlirOperation func) {
  MlirAttribute maps = strata_attr(func, "strata.maps");
  return mlirAttributeIsNull(maps) ? 0 : (int)mlirArrayAttrGetNumElements(maps);
}

void strata_gpu_align_shared(const strata_gpu_kernel_t *kernel) {
  strata_set_attr(kernel->func, alignment_attr, strata_i64_attr(kernel->compile->context, SHARED_ALIGNMENT_EXCHANGED));
}

void strata_gpu_claim_registers(const strata_gpu_kernel_t *kernel) {
  strata_set_attr(kernel->func, registers_attr, mlirUnitAttrGet(kernel->compile->context));
}

void strata_gpu_claim_launches(const strata_gpu_kernel_t *kernel) {
  strata_set_attr(kernel->func, launches_attr, mlirUnitAttrGet(kernel->compile->context));
}

// Sizes, behind the buffers, are parameters of 64 bits, however many indices have.
static void widen_sizes(const strata_gpu_kernel_t *kernel) {
  MlirBlock block = strata_func_body(kernel->func);
  MlirType i64 = mlirIntegerTypeGet(kernel->compile->context, 64);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue size = mlirBlockGetArgument(block, i);
    MlirType index = mlirValueGetType(size);
    if (!mlirTypeIsAIndex(index))
      continue;
    MlirValue wide = mlirBlockInsertArgument(block, i, i64, mlirOperationGetLocation(kernel->func));
    MlirOperation first = mlirBlockGetFirstOperation(block);
    mlirValueReplaceAllUsesOfWith(size, strata_gpu_build(first, "arith.index_cast", 1, &wide, index, 0, NULL));
    mlirBlockEraseArgument(block, (unsigned)i + 1);
  }
}

// A parameter a tensor map, behind the buffers and sizes.
static void add_maps(strata_gpu_kernel_t *kernel) {
  MlirBlock block = strata_func_body(kernel->func);
  MlirType pointer = mlirLLVMPointerTypeGet(kernel->compile->context, 0);
  kernel->n_maps = count_maps(kernel->func);
  MlirValue *maps = strata_arena_array(kernel->compile->arena, MlirValue, kernel->n_maps);
  for (int i = 0; i < kernel->n_maps; i++)
    maps[i] = mlirBlockInsertArgument(block, mlirBlockGetNumArguments(block) - 1, pointer,
                                      mlirOperationGetLocation(kernel->func));
  kernel->maps = maps;
  if (kernel->n_maps > 0)
    strata_gpu_align_shared(kernel);
}

void strata_gpu_prepare_signature(strata_gpu_kernel_t *kernel) {
  MlirContext context = kernel->compile->context;
  MlirBlock block = strata_func_body(kernel->func);
  widen_sizes(kernel);
  add_maps(kernel);
  if (strata_gpu_is_emulated(kernel)) {
    MlirType i64 = mlirIntegerTypeGet(context, 64);
    MlirLocation location = mlirOperationGetLocation(kernel->func);
    intptr_t shared = mlirBlockGetNumArguments(block) - 1;
    kernel->block = mlirBlockInsertArgument(block, shared, i64, location);
    kernel->thread = mlirBlockInsertArgument(block, shared + 1, i64, location);
  }
  mlirOperationRemoveAttributeByName(kernel->func, strata_str("arg_attrs"));
  MlirType types[MAX_PARAMETERS];
  int n = collect_types(block, types);
  strata_set_attr(kernel->func, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(context, n, types, 0, NULL)));
}

//===-- After upstream's conversions -----------------------------------------------------------------------------===//

// Shared memory is sized by the launch: a global of no size.
static void replace_shared(const strata_gpu_kernel_t *kernel, int alignment) {
  MlirContext context = kernel->compile->context;
  MlirBlock block = strata_func_body(kernel->func);
  unsigned last = (unsigned)mlirBlockGetNumArguments(block) - 1;
  MlirValue shared = mlirBlockGetArgument(block, last);
  MlirStringRef name = strata_attr_str(kernel->func, "sym_name");
  const char *global = strata_arena_printf(kernel->compile->arena, "%.*s_shared", (int)name.length, name.data);
  if (strata_value_has_uses(shared)) {
    const char *text = strata_arena_printf(
        kernel->compile->arena,
        "llvm.mlir.global external @%s() {addr_space = 3 : i32, alignment = %d : i64} : !llvm.array<0 x i8>", global,
        alignment);
    strata_gpu_build_text(kernel->func, text);
    strata_named_attr_t attr = {"global_name", mlirFlatSymbolRefAttrGet(context, strata_str(global))};
    mlirValueReplaceAllUsesOfWith(shared, strata_gpu_build(mlirBlockGetFirstOperation(block), "llvm.mlir.addressof", 0,
                                                           NULL, mlirValueGetType(shared), 1, &attr));
  }
  mlirBlockEraseArgument(block, last);
  mlirOperationRemoveAttributeByName(kernel->func, strata_str("arg_attrs"));
  MlirType types[MAX_PARAMETERS];
  int n = collect_types(block, types);
  strata_set_attr(kernel->func, "function_type",
                  mlirTypeAttrGet(mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(context), n, types, false)));
}

// What the launch passes is a copy of the map itself, which the copy engine reads where the launch has put it.
static void describe_maps(const strata_gpu_kernel_t *kernel, int n_maps) {
  MlirContext context = kernel->compile->context;
  int n = (int)mlirBlockGetNumArguments(strata_func_body(kernel->func));
  MlirAttribute attrs[MAX_PARAMETERS];
  MlirAttribute map = mlirAttributeParseGet(
      context, strata_str("{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"));
  for (int i = 0; i < n; i++)
    attrs[i] = i < n - n_maps ? mlirDictionaryAttrGet(context, 0, NULL) : map;
  strata_set_attr(kernel->func, "arg_attrs", mlirArrayAttrGet(context, n, attrs));
}

// The next kernel may be put on the device from the start of this one on, and waits for its end before it goes on.
static void overlap_launches(const strata_gpu_kernel_t *kernel) {
  MlirOperation first = mlirBlockGetFirstOperation(strata_func_body(kernel->func));
  strata_gpu_build_intrinsic(first, "llvm.nvvm.griddepcontrol.launch.dependents", 0, NULL, (MlirType){0});
  strata_gpu_build_launch_wait(first);
}

// What a launch that begins early can do before it waits: the first copy by a map would otherwise fetch the map first.
// One thread's work; the first few maps are those of the operands.
static void prefetch_maps(const strata_gpu_kernel_t *kernel, int n_maps) {
  MlirBlock block = strata_func_body(kernel->func);
  MlirOperation first = mlirBlockGetFirstOperation(block);
  intptr_t n = mlirBlockGetNumArguments(block);
  for (int i = 0; i < n_maps && i < MAX_PREFETCHED_MAPS; i++) {
    MlirValue map = mlirBlockGetArgument(block, n - n_maps + i);
    strata_gpu_build_ptx(first,
                         "{ .reg .pred first; .reg .b32 thread; mov.u32 thread, %tid.x; setp.eq.u32 first, thread, 0; "
                         "@first prefetch.tensormap [$0]; }",
                         "l,~{memory}", 1, &map, (MlirType){0});
  }
}

// Waves of a scheduler at most, of blocks that have |shared| bytes of shared memory; 0: as many as there may be.
static int64_t waves_by_shared(const strata_gpu_device_t *device, int64_t threads, int64_t shared) {
  enum { SCHEDULERS = 4 };
  int64_t blocks = shared ? device->shared_bytes_processor / shared : device->threads_resident;
  int64_t resident = strata_max(blocks, 1) * threads;
  return resident < device->threads_resident ? strata_ceil_div(resident, device->lanes * SCHEDULERS) : 0;
}

// How many registers AMD's threads may have follows from how many threads there are, and how few they are to do with
// from how many waves there may be: LLVM does not know what a launch gives of shared memory. Sums stay where all
// instructions reach them: in a loop, LLVM copies those in accumulation registers once each time round.
static void describe_registers(const strata_gpu_kernel_t *kernel, int32_t threads, int64_t shared) {
  MlirContext context = kernel->compile->context;
  strata_arena_t *arena = kernel->compile->arena;
  int64_t waves = waves_by_shared(kernel->device, threads, shared);
  const char *most =
      waves ? strata_arena_printf(arena, ", [\"amdgpu-waves-per-eu\", \"1,%lld\"]", (long long)waves) : "";
  strata_set_attr(kernel->func, "rocdl.flat_work_group_size",
                  strata_str_attr(context, strata_arena_printf(arena, "%d,%d", threads, threads)));
  strata_set_attr(kernel->func, "passthrough",
                  mlirAttributeParseGet(
                      context, strata_str(strata_arena_printf(arena, "[[\"amdgpu-agpr-alloc\", \"0\"]%s]", most))));
}

void strata_gpu_finish_signature(const strata_gpu_kernel_t *kernel) {
  MlirContext context = kernel->compile->context;
  int32_t threads = (int32_t)strata_attr_i64(kernel->func, "strata.threads", 1);
  // The assembler knows what threads begin with only where it is told that one block may have all registers.
  bool has_registers = !mlirAttributeIsNull(strata_attr(kernel->func, registers_attr));
  bool begins_early = strata_attr_flag(kernel->func, "strata.programmatic");
  bool has_launches = !mlirAttributeIsNull(strata_attr(kernel->func, launches_attr));
  int64_t resident = has_registers ? 1 : strata_attr_i64(kernel->func, "strata.resident", 0);
  int64_t shared = strata_attr_i64(kernel->func, "strata.shared", 0);
  bool has_many_parts = strata_attr_flag(kernel->func, "strata.many_parts");
  int n_maps = count_maps(kernel->func);
  int alignment = (int)strata_attr_i64(kernel->func, alignment_attr, SHARED_ALIGNMENT);
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(kernel->func); i-- > 0;)
    mlirOperationRemoveDiscardableAttributeByName(
        kernel->func, mlirIdentifierStr(mlirOperationGetDiscardableAttribute(kernel->func, i).name));
  if (strata_gpu_is_emulated(kernel))
    return;
  replace_shared(kernel, alignment);
  if (n_maps > 0)
    describe_maps(kernel, n_maps);
  else if (has_many_parts)
    strata_gpu_pack_parameters(kernel);
  const char *prefix = kernel->device->code == STRATA_GPU_NVPTX ? "nvvm" : "rocdl";
  strata_arena_t *arena = kernel->compile->arena;
  strata_set_attr(kernel->func, strata_arena_printf(arena, "%s.kernel", prefix), mlirUnitAttrGet(context));
  const char *size = kernel->device->code == STRATA_GPU_NVPTX ? "nvvm.reqntid" : "rocdl.reqd_work_group_size";
  strata_set_attr(kernel->func, size, mlirDenseI32ArrayGet(context, 3, (int32_t[]){threads, 1, 1}));
  if (kernel->device->code == STRATA_GPU_NVPTX && resident > 0)
    strata_set_attr(kernel->func, "nvvm.minctasm", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), resident));
  if (kernel->device->code == STRATA_GPU_AMDGCN)
    describe_registers(kernel, threads, shared);
  if (kernel->device->has_programmatic_launch && !has_launches)
    overlap_launches(kernel);
  if (begins_early)
    prefetch_maps(kernel, n_maps);
}
