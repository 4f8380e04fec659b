// tile.mma as a matrix instruction. Fragments are passed as 32-bit words, whatever the elements are.
//
//   %d = "tile.mma"(%a, %b, %c) {kind = "m16n8k16.f16"}
//   %s = llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, ...};" ... -> !llvm.struct<(f32, ...)>
#include "targets/gpu/kernel.h"

#include <mlir-c/Dialect/LLVM.h>

enum { N_OPERANDS = 3, MAX_WORDS = STRATA_MMA_WORDS_A + STRATA_MMA_WORDS_B + STRATA_MMA_WORDS_C };

static const int words_of[N_OPERANDS] = {STRATA_MMA_WORDS_A, STRATA_MMA_WORDS_B, STRATA_MMA_WORDS_C};

// MLIR's names of the element types and PTX's.
static const struct {
  const char *mlir, *ptx;
} types[] = {{"f16", "f16"}, {"bf16", "bf16"}, {"i8", "s8"}, {"ui8", "u8"}, {"i32", "s32"}};

// f32 is tf32 as an operand: its low bits are not read, so whoever made the fragments has rounded them.
static const char *ptx_type(const char *name, const char *f32) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(name, types[i].mlir) == 0)
      return types[i].ptx;
  return f32;
}

static MlirType vector_of(MlirType element, int64_t size) { return mlirVectorTypeGet(1, &size, element); }

// The words of all three fragments, those of the sum in its own type.
static void split_fragments(MlirOperation op, MlirType sum, MlirValue *out_words) {
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  for (int f = 0, at = 0; f < N_OPERANDS; f++) {
    MlirType type = vector_of(f == N_OPERANDS - 1 ? sum : i32, words_of[f]);
    MlirValue words = strata_gpu_build_cast(op, "llvm.bitcast", mlirOperationGetOperand(op, f), type);
    for (int i = 0; i < words_of[f]; i++)
      out_words[at++] = strata_gpu_build_extract(op, words, i);
  }
}

// "{$4, $5}"
static const char *registers(strata_arena_t *arena, int first, int count) {
  const char *text = "{";
  for (int i = 0; i < count; i++)
    text = strata_arena_printf(arena, "%s$%d%s", text, first + i, i + 1 < count ? ", " : "}");
  return text;
}

static MlirValue build_ptx(const strata_gpu_kernel_t *kernel, MlirOperation op, const strata_mma_t *row, MlirType sum) {
  strata_arena_t *arena = kernel->compile->arena;
  MlirValue words[MAX_WORDS];
  split_fragments(op, sum, words);
  const char *d = ptx_type(row->sum, "f32");
  const char *text =
      strata_arena_printf(arena, "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s", row->m, row->n, row->k, d,
                          ptx_type(row->operands[0], "tf32"), ptx_type(row->operands[1], "tf32"), d);
  int at = STRATA_MMA_WORDS_C;
  text = strata_arena_printf(arena, "%s %s", text, registers(arena, 0, STRATA_MMA_WORDS_C));
  for (int f = 0; f < N_OPERANDS; at += words_of[f++])
    text = strata_arena_printf(arena, "%s, %s", text, registers(arena, at, words_of[f]));
  char kind = mlirTypeIsAF32(sum) ? 'f' : 'r';
  const char *constraints = strata_arena_printf(arena, "=%c,=%c,=%c,=%c,r,r,r,r,r,r,%c,%c,%c,%c", kind, kind, kind,
                                                kind, kind, kind, kind, kind);
  const strata_named_attr_t attrs[] = {
      {"asm_string", strata_str_attr(kernel->compile->context, strata_arena_printf(arena, "%s;", text))},
      {"constraints", strata_str_attr(kernel->compile->context, constraints)},
  };
  MlirType sums[STRATA_MMA_WORDS_C] = {sum, sum, sum, sum};
  MlirType type = mlirLLVMStructTypeLiteralGet(kernel->compile->context, STRATA_MMA_WORDS_C, sums, false);
  MlirValue result = strata_gpu_build(op, "llvm.inline_asm", MAX_WORDS, words, type, 2, attrs);
  MlirValue parts[STRATA_MMA_WORDS_C];
  for (int64_t i = 0; i < STRATA_MMA_WORDS_C; i++) {
    strata_named_attr_t position = {"position", strata_i64s_attr(kernel->compile->context, 1, &i)};
    parts[i] = strata_gpu_build(op, "llvm.extractvalue", 1, &result, sum, 1, &position);
  }
  return strata_gpu_build(op, "vector.from_elements", STRATA_MMA_WORDS_C, parts, vector_of(sum, STRATA_MMA_WORDS_C), 0,
                          NULL);
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

int64_t strata_gpu_mma_number(const strata_mma_t *row) {
  static const char *const names[] = {
#define MMA(name, ...) name,
#include "devices/gpu/mma.def"
  };
  int64_t number = 0;
  while (strcmp(names[number], row->name) != 0)
    number++;
  return number;
}

static MlirValue build_call(const strata_gpu_kernel_t *kernel, MlirOperation op, const strata_mma_t *row) {
  enum { N_SCALES = 2 };
  bool is_scaled = mlirOperationGetNumOperands(op) > N_OPERANDS;
  MlirValue operands[N_OPERANDS + 2 + N_SCALES] = {strata_gpu_build_i32(op, strata_gpu_mma_number(row))};
  for (int f = 0; f < N_OPERANDS; f++) {
    MlirValue fragment = mlirOperationGetOperand(op, f);
    operands[f + 1] = strata_gpu_build_place(kernel, mlirValueGetType(fragment));
    strata_gpu_build(op, "llvm.store", 2, (MlirValue[]){fragment, operands[f + 1]}, (MlirType){0}, 0, NULL);
  }
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue result = operands[N_OPERANDS + 1] = strata_gpu_build_place(kernel, type);
  for (int i = 0; is_scaled && i < N_SCALES; i++)
    operands[N_OPERANDS + 2 + i] = mlirOperationGetOperand(op, N_OPERANDS + i);
  strata_gpu_build_call(op, is_scaled ? "strata_emulated_mma_scaled" : "strata_emulated_mma",
                        N_OPERANDS + 2 + (is_scaled ? N_SCALES : 0), operands, (MlirType){0});
  return strata_gpu_build(op, "llvm.load", 1, &result, type, 0, NULL);
}

//===-- Both -----------------------------------------------------------------------------------------------------===//

strata_status_t strata_gpu_read_mma(const strata_gpu_kernel_t *kernel, MlirOperation op, const char *family,
                                    const strata_mma_t **out_row) {
  MlirStringRef kind = strata_attr_str(op, "kind");
  *out_row = strata_mma_named(kind);
  if (!*out_row || !strata_mma_is_of(*out_row, family))
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %s has no matrix instruction '%.*s'",
                        kernel->device->name, (int)kind.length, kind.data);
  return NULL;
}

strata_status_t strata_gpu_convert_mma(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  const strata_mma_t *row;
  STRATA_TRY(strata_gpu_read_mma(kernel, op, kernel->device->mma, &row));
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType sum = mlirShapedTypeGetElementType(mlirValueGetType(result)), type = mlirValueGetType(result);
  MlirValue value = {0};
  switch (kernel->device->code) {
  case STRATA_GPU_NVPTX:
    value = build_ptx(kernel, op, row, sum);
    break;
  case STRATA_GPU_AMDGCN:
    strata_gpu_pin_amdgcn_mma(op);
    value = strata_gpu_build_amdgcn_mma(op, row);
    break;
  case STRATA_GPU_EMULATED:
    value = build_call(kernel, op, row);
    break;
  }
  mlirValueReplaceAllUsesOfWith(result, strata_gpu_build_cast(op, "llvm.bitcast", value, type));
  mlirOperationDestroy(op);
  return NULL;
}

//===-- Loads of fragments ---------------------------------------------------------------------------------------===//

// On the emulated device: what the driver makes of the caller's |address|.
static MlirValue load_emulated(const strata_gpu_kernel_t *kernel, MlirOperation op, const char *function,
                               MlirValue address) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue operands[2] = {address, strata_gpu_build_place(kernel, type)};
  strata_gpu_build_call(op, function, 2, operands, (MlirType){0});
  return strata_gpu_build(op, "llvm.load", 1, &operands[1], type, 0, NULL);
}

// %v = "tile.load_matrices"(%memory, %at)
// %s = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"(%p) -> !llvm.struct<(i32, i32, i32, i32)>
static MlirValue load_matrices(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue address) {
  enum { WORDS = 4 };
  MlirType i32 = mlirIntegerTypeGet(kernel->compile->context, 32);
  MlirType type =
      mlirLLVMStructTypeLiteralGet(kernel->compile->context, WORDS, (MlirType[]){i32, i32, i32, i32}, false);
  MlirValue all = strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_LOAD_MATRICES, 1, &address, type), words[WORDS];
  for (int64_t i = 0; i < WORDS; i++) {
    strata_named_attr_t position = {"position", strata_i64s_attr(kernel->compile->context, 1, &i)};
    words[i] = strata_gpu_build(op, "llvm.extractvalue", 1, &all, i32, 1, &position);
  }
  return strata_gpu_build(op, "vector.from_elements", WORDS, words, vector_of(i32, WORDS), 0, NULL);
}

strata_status_t strata_gpu_convert_load_matrices(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), value;
  MlirType type = mlirValueGetType(result);
  MlirValue address = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1);
  if (strcmp(kernel->device->mma, "mma.sync") != 0)
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %s loads no matrices", kernel->device->name);
  if (strata_gpu_is_emulated(kernel))
    value = load_emulated(kernel, op, "strata_emulated_load_matrices", address);
  else
    value = strata_gpu_build_cast(op, "llvm.bitcast", load_matrices(kernel, op, address), type);
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
  return NULL;
}

// %v = "tile.load_crossed"(%memory, %at)
// %v = llvm.call_intrinsic "llvm.amdgcn.ds.read.tr16.b64"(%p) -> vector<4xf16>; of bytes
// %w = llvm.call_intrinsic "llvm.amdgcn.ds.read.tr8.b64"(%p) -> vector<2xi32>
static MlirValue load_crossed(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue address) {
  enum { BYTES = 8, WORDS = 2 };
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_of_bytes = mlirShapedTypeGetDimSize(type, 0) == BYTES;
  if (strata_gpu_is_emulated(kernel))
    return load_emulated(kernel, op, is_of_bytes ? "strata_emulated_load_crossed_8" : "strata_emulated_load_crossed",
                         address);
  if (!is_of_bytes)
    return strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_LOAD_CROSSED, 1, &address, type);
  MlirType words = vector_of(mlirIntegerTypeGet(kernel->compile->context, 32), WORDS);
  MlirValue value = strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_LOAD_CROSSED_8, 1, &address, words);
  return strata_gpu_build_cast(op, "llvm.bitcast", value, type);
}

strata_status_t strata_gpu_convert_load_crossed(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue address = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1);
  if (!strata_mma_family_loads_crossed(kernel->device->mma))
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %s loads nothing crossed", kernel->device->name);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), load_crossed(kernel, op, address));
  mlirOperationDestroy(op);
  return NULL;
}

// %v = "tile.load_turned"(%memory, %at)
// %v = llvm.call_intrinsic "llvm.amdgcn.global.load.tr.b128"(%p) -> vector<8xf16>
strata_status_t strata_gpu_convert_load_turned(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), value;
  MlirValue address = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1);
  if (!strata_mma_family_loads_turned(kernel->device->mma))
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: %s loads nothing turned", kernel->device->name);
  if (strata_gpu_is_emulated(kernel))
    value = load_emulated(kernel, op, "strata_emulated_load_turned", address);
  else
    value = strata_gpu_build_leaf(kernel, op, STRATA_GPU_LEAF_LOAD_TURNED, 1, &address, mlirValueGetType(result));
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
  return NULL;
}
