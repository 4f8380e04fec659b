// Products of a warp group whose operands lie in shared memory. The sums go through every op that may touch them, so
// that neither LLVM nor the assembler moves anything between a product and the wait for it.
//
//   %d:64 = "tile.mma_async"(%left, %at, %right, %at, %c#0, ...) {kind = "wgmma.bf16", n = 128 : i64, ...}
//   %s = llvm.inline_asm has_side_effects "... wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {$0, ...}, $128,
//   $129,
//        p, 1, 1, 0, 0; ..." "=f,...,0,...,l,l" -> !llvm.struct<(f32, ...)>
#include "targets/gpu/kernel.h"

#include "dialects/tile/tile.h"

#include <mlir-c/Dialect/LLVM.h>
#include <stdio.h>

enum { MAX_SUMS = 256, MAX_N = 256, N_LAYOUT = 4, N_WORDS = STRATA_MMA_WORDS_A, REGISTER_TEXT = 8 };

static int n_sums(MlirOperation op) { return (int)mlirOperationGetNumResults(op); }

static MlirType sum_type(MlirOperation op) { return mlirValueGetType(mlirOperationGetResult(op, 0)); }

static void replace_results(MlirOperation op, const MlirValue *values) {
  for (int i = 0; i < n_sums(op); i++)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), values[i]);
  mlirOperationDestroy(op);
}

static bool has_registers(MlirOperation op) { return strata_op_is(op, STRATA_TILE_MMA_REGISTERS); }

// Operands of a product before its sums.
static int n_fixed(MlirOperation op) {
  return has_registers(op) ? N_WORDS + 2 : strata_op_is(op, STRATA_TILE_MMA_ASYNC) ? 4 : 0;
}

// The sums that go in, the last operands: as many as come out, or none, of a product that starts them.
static int read_sums(MlirOperation op, MlirValue *out) {
  int first = n_fixed(op), n = (int)mlirOperationGetNumOperands(op) - first;
  for (int i = 0; i < n; i++)
    out[i] = mlirOperationGetOperand(op, first + i);
  return n;
}

//===-- PTX with sums ---------------------------------------------------------------------------------------------===//

// Every sum is an output and, tied to it, an input, if |n_in| are; |others| are the constraints of what follows.
static const char *constraints(const strata_gpu_kernel_t *kernel, MlirOperation op, char kind, int n_in,
                               const char *others) {
  char text[2 * MAX_SUMS * REGISTER_TEXT] = "";
  size_t at = 0;
  for (int i = 0; i < n_sums(op); i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "=%c,", kind);
  for (int i = 0; i < n_in; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%d,", i);
  return strata_arena_printf(kernel->compile->arena, "%s%s~{memory}", text, others);
}

// PTX that gives |op|'s results, of |type|, in place of |values|: the |n_in| sums that go in, then |n_others| more.
static void build_ptx(const strata_gpu_kernel_t *kernel, MlirOperation op, const char *text, MlirType type, int n_in,
                      int n_others, const char *others, MlirValue *values) {
  MlirContext context = kernel->compile->context;
  int n = n_sums(op);
  MlirType types[MAX_SUMS], all = type;
  for (int i = 0; i < n; i++)
    types[i] = type;
  if (n > 1)
    all = mlirLLVMStructTypeLiteralGet(context, n, types, false);
  const char *list = constraints(kernel, op, mlirTypeIsAF32(type) ? 'f' : 'r', n_in, others);
  MlirValue result = strata_gpu_build_ptx(op, text, list, n_in + n_others, values, all);
  for (int64_t i = 0; i < n; i++) {
    strata_named_attr_t position = {"position", strata_i64s_attr(context, 1, &i)};
    values[i] = n == 1 ? result : strata_gpu_build(op, "llvm.extractvalue", 1, &result, type, 1, &position);
  }
}

// Replaces |op| by PTX that takes its sums and |others|, and gives the new sums.
static void replace_by_ptx(const strata_gpu_kernel_t *kernel, MlirOperation op, const char *text, int n_others,
                           const char *kinds, const MlirValue *others) {
  MlirValue values[MAX_SUMS + N_WORDS + 1];
  if (n_sums(op) == 0) { // a fence before sums that are only written
    strata_gpu_build_ptx(op, text, "~{memory}", 0, NULL, (MlirType){0});
    mlirOperationDestroy(op);
    return;
  }
  int n_in = read_sums(op, values);
  for (int i = 0; i < n_others; i++)
    values[n_in + i] = others[i];
  build_ptx(kernel, op, text, sum_type(op), n_in, n_others, kinds, values);
  replace_results(op, values);
}

// Pairs of 16 bits, and f32, go as words.
static void replace_left(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue values[MAX_SUMS];
  MlirType pair = sum_type(op), i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  int n = read_sums(op, values);
  for (int i = 0; i < n; i++)
    values[i] = strata_gpu_build_cast(op, "llvm.bitcast", values[i], i32);
  build_ptx(kernel, op, "", i32, n, 0, "", values);
  for (int i = 0; i < n; i++)
    values[i] = strata_gpu_build_cast(op, "llvm.bitcast", values[i], pair);
  replace_results(op, values);
}

//===-- Where an operand lies ------------------------------------------------------------------------------------===//

typedef struct {
  bool crossed;
  int64_t swizzle, lead, stride; // bytes
} layout_t;

static layout_t read_layout(MlirOperation op, const char *name) {
  int64_t parts[N_LAYOUT] = {0};
  strata_attr_i64s(op, name, N_LAYOUT, parts);
  return (layout_t){parts[0] != 0, parts[1], parts[2], parts[3]};
}

enum { UNIT_BITS = 4, ADDRESS_MASK = 0x3fff, LEAD_AT = 16, STRIDE_AT = 32, SWIZZLE_AT = 62 };

// The half of a descriptor that does not depend on the address, and the rest of the other half.
static uint64_t upper_half(const layout_t *layout) {
  uint64_t code = layout->swizzle == 128 ? 1 : layout->swizzle == 64 ? 2 : layout->swizzle == 32 ? 3 : 0;
  uint64_t stride = (uint64_t)layout->stride >> UNIT_BITS;
  return code << SWIZZLE_AT | (stride & ADDRESS_MASK) << STRIDE_AT;
}

static int64_t lead_bits(const layout_t *layout) {
  int64_t lead = !layout->crossed && layout->swizzle ? 1 : layout->lead >> UNIT_BITS;
  return (lead & ADDRESS_MASK) << LEAD_AT;
}

static MlirValue constant(MlirOperation before, MlirType type, int64_t value) {
  strata_named_attr_t attr = {"value", mlirIntegerAttrGet(type, value)};
  return strata_gpu_build(before, "arith.constant", 0, NULL, type, 1, &attr);
}

// The address of |memory| in units of 16 bytes, without the upper bits, which name the block of a cluster.
static MlirValue build_base(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue memory) {
  MlirType i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  MlirValue base = strata_gpu_build_address(kernel, op, memory, STRATA_GPU_FIRST);
  base = strata_gpu_build_binary(op, "arith.shrui", strata_gpu_build_cast(op, "llvm.ptrtoint", base, i32),
                                 constant(op, i32, UNIT_BITS));
  return strata_gpu_build_binary(op, "arith.andi", base, constant(op, i32, ADDRESS_MASK));
}

// Everything that does not change from step to step is apart from |at|, so that a step costs an addition.
static MlirValue build_descriptor(const strata_gpu_kernel_t *kernel, MlirOperation op, int operand,
                                  const layout_t *layout) {
  MlirContext context = kernel->compile->context;
  MlirType i32 = mlirIntegerTypeGet(context, 32), i64 = mlirIntegerTypeGet(context, 64);
  MlirValue memory = mlirOperationGetOperand(op, operand), at = mlirOperationGetOperand(op, operand + 1);
  strata_named_attr_t flags = {"overflowFlags",
                               mlirAttributeParseGet(context, strata_str("#arith.overflow<nsw, nuw>"))};
  MlirValue low =
      strata_gpu_build_binary(op, "arith.ori", build_base(kernel, op, memory), constant(op, i32, lead_bits(layout)));
  at = strata_gpu_build_cast(op, "arith.index_cast", at, i32);
  MlirValue bytes = constant(op, i32, strata_element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(memory))));
  at = strata_gpu_build(op, "arith.muli", 2, (MlirValue[]){at, bytes}, i32, 1, &flags);
  at = strata_gpu_build_binary(op, "arith.shrui", at, constant(op, i32, UNIT_BITS));
  low = strata_gpu_build(op, "arith.addi", 2, (MlirValue[]){low, at}, i32, 1, &flags);
  low = strata_gpu_build_cast(op, "arith.extui", low, i64);
  return strata_gpu_build_binary(op, "arith.ori", low, constant(op, i64, (int64_t)upper_half(layout)));
}

//===-- The instruction ------------------------------------------------------------------------------------------===//

// PTX's names of mma.def's types. f32 is tf32 as an operand: its low bits are not read.
static const struct {
  const char *mlir, *ptx;
} operand_types[] = {{"f16", "f16"}, {"bf16", "bf16"},     {"tf32", "tf32"},  {"i8", "s8"},
                     {"ui8", "u8"},  {"f8E4M3FN", "e4m3"}, {"f8E5M2", "e5m2"}};

static const char *operand_type(const strata_mma_t *row, int side) {
  size_t i = 0;
  while (strcmp(operand_types[i].mlir, row->operands[side]) != 0)
    i++;
  return operand_types[i].ptx;
}

static bool is_float_sum(const strata_mma_t *row) { return strcmp(row->sum, "f32") == 0; }

// Only of these may an operand be crossed.
static bool has_16_bits(const strata_mma_t *row) { return row->k == 16; }

// "{$0, $1}"
static const char *operand_list(strata_arena_t *arena, int first, int count) {
  char text[MAX_SUMS * REGISTER_TEXT];
  size_t at = 0;
  for (int i = 0; i < count; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s$%d", i ? ", " : "", first + i);
  return strata_arena_printf(arena, "{%s}", text);
}

// The left operand is a descriptor, or registers, which cannot be crossed. Sums that do not go in start from zero.
static const char *instruction(const strata_gpu_kernel_t *kernel, MlirOperation op, const strata_mma_t *row,
                               const layout_t *left, const layout_t *right) {
  strata_arena_t *arena = kernel->compile->arena;
  int n = n_sums(op), n_in = (int)mlirOperationGetNumOperands(op) - n_fixed(op), at = n + n_in;
  const char *last = is_float_sum(row) ? ", 1, 1" : "";
  const char *first = strata_arena_printf(arena, "$%d", at);
  if (has_registers(op))
    first = operand_list(arena, at, N_WORDS);
  at += has_registers(op) ? N_WORDS : 1;
  if (has_16_bits(row) && !has_registers(op))
    last = strata_arena_printf(arena, "%s, %d", last, left->crossed);
  if (has_16_bits(row))
    last = strata_arena_printf(arena, "%s, %d", last, right->crossed);
  return strata_arena_printf(arena,
                             "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %d, 0;\n"
                             "\twgmma.mma_async.sync.aligned.m%dn%dk%d.%s.%s.%s %s, %s, $%d, p%s;\n\t}",
                             n_in > 0, row->m, 2 * n, row->k, is_float_sum(row) ? "f32" : "s32", operand_type(row, 0),
                             operand_type(row, 1), operand_list(arena, 0, n), first, at, last);
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

static MlirValue element(MlirOperation before, MlirValue array, MlirType type, int32_t i) {
  const strata_named_attr_t attrs[] = {
      {"elem_type", mlirTypeAttrGet(type)},
      {"rawConstantIndices", mlirDenseI32ArrayGet(mlirOperationGetContext(before), 1, &i)},
  };
  return strata_gpu_build(before, "llvm.getelementptr", 1, &array, mlirValueGetType(array), 2, attrs);
}

static void store(MlirOperation before, MlirValue value, MlirValue array, int32_t i) {
  MlirValue place = element(before, array, mlirValueGetType(value), i);
  strata_gpu_build(before, "llvm.store", 2, (MlirValue[]){value, place}, (MlirType){0}, 0, NULL);
}

// The left operand's is all zeros where it lies in registers.
static MlirValue build_layouts(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  static const char *const sides[] = {"left", "right"};
  MlirType i64 = mlirIntegerTypeGet(kernel->compile->context, 64);
  MlirValue array = strata_gpu_build_place(kernel, mlirLLVMArrayTypeGet(i64, 2 * N_LAYOUT));
  for (int32_t side = 0; side < 2; side++) {
    int64_t parts[N_LAYOUT] = {0};
    strata_attr_i64s(op, sides[side], N_LAYOUT, parts);
    for (int32_t i = 0; i < N_LAYOUT; i++)
      store(op, constant(op, i64, parts[i]), array, N_LAYOUT * side + i);
  }
  return array;
}

// The thread's registers of the left operand, one behind the other.
static MlirValue build_registers(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirValue array = strata_gpu_build_place(kernel, mlirLLVMArrayTypeGet(type, N_WORDS));
  for (int i = 0; i < N_WORDS; i++)
    store(op, mlirOperationGetOperand(op, i), array, i);
  return array;
}

// The sums through memory.
static void replace_by_call(const strata_gpu_kernel_t *kernel, MlirOperation op, const strata_mma_t *row) {
  MlirType type = sum_type(op);
  MlirValue sums[MAX_SUMS], array = strata_gpu_build_place(kernel, mlirLLVMArrayTypeGet(type, (unsigned)n_sums(op)));
  int n_in = read_sums(op, sums), right = n_fixed(op) - 2;
  strata_named_attr_t zero = {"value", mlirFloatAttrDoubleGet(kernel->compile->context, type, 0)};
  for (int i = 0; i < n_sums(op); i++)
    store(op, i < n_in ? sums[i] : strata_gpu_build(op, "arith.constant", 0, NULL, type, 1, &zero), array, i);
  MlirValue operands[] = {
      strata_gpu_build_i32(op, strata_gpu_mma_number(row)),
      strata_gpu_build_i32(op, 2 * n_sums(op)),
      has_registers(op) ? build_registers(kernel, op)
                        : strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1),
      strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, right), right + 1),
      build_layouts(kernel, op),
      array,
  };
  strata_gpu_build_call(op, has_registers(op) ? "strata_emulated_mma_registers" : "strata_emulated_mma_async", 6,
                        operands, (MlirType){0});
  for (int i = 0; i < n_sums(op); i++) {
    MlirValue place = element(op, array, type, i);
    sums[i] = strata_gpu_build(op, "llvm.load", 1, &place, type, 0, NULL);
  }
  replace_results(op, sums);
}

//===-- All of them ----------------------------------------------------------------------------------------------===//

static strata_status_t check_product(const strata_gpu_kernel_t *kernel, MlirOperation op, const strata_mma_t *row,
                                     bool is_crossed) {
  int multiple = is_float_sum(row) ? 8 : 16; // of i8, 24 is one more
  int n = 2 * n_sums(op);
  if (is_crossed && !has_16_bits(row))
    return strata_error(STRATA_UNSUPPORTED, "operands of %s's '%s' cannot be crossed", kernel->device->name, row->name);
  if (n < 8 || n > MAX_N || (n % multiple != 0 && n != 8 && n != 24))
    return strata_error(STRATA_UNSUPPORTED, "expected a multiple of %d up to %d as n of '%s', got %d", multiple, MAX_N,
                        row->name, n);
  if (is_float_sum(row) != mlirTypeIsAF32(sum_type(op)))
    return strata_error(STRATA_INTERNAL, "expected sums of %s for '%s'", row->sum, row->name);
  return NULL;
}

// What comes behind the sums: the left operand's registers or descriptor, the right one's descriptor.
static void replace_by_instruction(const strata_gpu_kernel_t *kernel, MlirOperation op, const strata_mma_t *row,
                                   const layout_t *left, const layout_t *right) {
  MlirType i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  MlirValue others[N_WORDS + 1];
  const char *text = instruction(kernel, op, row, left, right);
  if (!has_registers(op)) {
    others[0] = build_descriptor(kernel, op, 0, left);
    others[1] = build_descriptor(kernel, op, 2, right);
    replace_by_ptx(kernel, op, text, 2, "l,l,", others);
    return;
  }
  for (int i = 0; i < N_WORDS; i++)
    others[i] = strata_gpu_build_cast(op, "llvm.bitcast", mlirOperationGetOperand(op, i), i32);
  others[N_WORDS] = build_descriptor(kernel, op, N_WORDS, right);
  replace_by_ptx(kernel, op, text, N_WORDS + 1, "r,r,r,r,l,", others);
}

static strata_status_t convert_product(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  const strata_mma_t *row;
  STRATA_TRY(strata_gpu_read_mma(kernel, op, kernel->device->mma_async, &row));
  layout_t left = read_layout(op, "left"), right = read_layout(op, "right");
  if (has_registers(op) && !has_16_bits(row) && !strata_mma_rounds(row))
    return strata_error(STRATA_UNSUPPORTED, "the left operand of '%s' from registers", row->name);
  STRATA_TRY(check_product(kernel, op, row, left.crossed || right.crossed));
  strata_gpu_align_shared(kernel);
  if (strata_gpu_is_emulated(kernel))
    replace_by_call(kernel, op, row);
  else
    replace_by_instruction(kernel, op, row, &left, &right);
  return NULL;
}

// The host multiplies at once, and has nothing to fence, commit and wait for.
static void convert_order(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (strata_gpu_is_emulated(kernel)) {
    MlirValue sums[MAX_SUMS];
    read_sums(op, sums);
    return replace_results(op, sums);
  }
  if (strata_op_is(op, STRATA_TILE_MMA_FENCE))
    return replace_by_ptx(kernel, op, "wgmma.fence.sync.aligned;", 0, "", NULL);
  if (strata_op_is(op, STRATA_TILE_MMA_LEFT))
    return replace_left(kernel, op);
  if (strata_op_is(op, STRATA_TILE_MMA_WAIT)) {
    const char *text = strata_arena_printf(kernel->compile->arena, "wgmma.wait_group.sync.aligned %d;",
                                           (int)strata_attr_i64(op, "pending", 0));
    return replace_by_ptx(kernel, op, text, 0, "", NULL);
  }
  strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_MMA_COMMIT, 0, NULL, (MlirType){0});
  mlirOperationDestroy(op);
}

strata_status_t strata_gpu_convert_product(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (!*kernel->device->mma_async)
    return strata_error(STRATA_UNSUPPORTED, "%s has no pipelined products", kernel->device->name);
  if (strata_op_is(op, STRATA_TILE_MMA_ASYNC) || has_registers(op))
    return convert_product(kernel, op);
  convert_order(kernel, op);
  return NULL;
}
