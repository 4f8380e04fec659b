// Logic of words where the assembler has to be helped. See kernel.h.
#include "targets/gpu/kernel.h"

static void replace_by_assembly(MlirOperation op, const char *text, const char *constraints, int n,
                                const MlirValue *operands) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirValue value = strata_gpu_build_assembly(op, text, constraints, n, operands, mlirValueGetType(result));
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
}

//===-- Three operands -------------------------------------------------------------------------------------------===//
// The assembler makes two instructions of `and` and `or` by constants, as one has room for one immediate number alone;
// `lop3` takes the other from a register.

// True of an i32 that is |name| of another value and a constant, where both are known.
static bool is_by_constant(MlirValue value, const char *name, MlirValue *out_other, int64_t *out_constant) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !strata_op_is(op, name))
    return false;
  *out_other = mlirOperationGetOperand(op, 0);
  return strata_type_is_integer(mlirValueGetType(value), 32) &&
         strata_value_integer(mlirOperationGetOperand(op, 1), out_constant);
}

// %v = arith.ori (arith.andi %w, mask), bits: one instruction of NVIDIA's.
strata_status_t strata_gpu_convert_or(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  enum { AND_THEN_OR = 0xea }; // a and b, or c: its truth table
  MlirValue result = mlirOperationGetResult(op, 0), masked, word;
  int64_t bits, mask;
  if (kernel->device->code != STRATA_GPU_NVPTX || !is_by_constant(result, "arith.ori", &masked, &bits) ||
      !is_by_constant(masked, "arith.andi", &word, &mask))
    return NULL;
  const char *text = strata_arena_printf(kernel->compile->arena, "lop3.b32 $0, $1, %lld, $2, %d;",
                                         (long long)(uint32_t)mask, AND_THEN_OR);
  replace_by_assembly(op, text, "=r,r,r", 2, (MlirValue[]){word, strata_gpu_build_i32(op, bits)});
  return NULL;
}

//===-- Bits of floats -------------------------------------------------------------------------------------------===//
// Where a byte is stored from a register that holds the result of float arithmetic, the assembler (12.9, 13.0) converts
// the number to a byte instead of storing its low bits. A register of its own, moved to, has no such type, and the move
// is no instruction in the end.

// True if a byte is cut from the word, or from a sum of it and something else.
static bool becomes_byte(MlirValue word, bool is_sum) {
  for (MlirOpOperand use = mlirValueGetFirstUse(word); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (strata_op_is(op, "arith.trunci") && strata_type_is_integer(mlirValueGetType(mlirOperationGetResult(op, 0)), 8))
      return true;
    if (!is_sum && strata_op_is(op, "arith.addi") && becomes_byte(mlirOperationGetResult(op, 0), true))
      return true;
  }
  return false;
}

strata_status_t strata_gpu_convert_bitcast(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  MlirValue value = mlirOperationGetOperand(op, 0);
  if (kernel->device->code == STRATA_GPU_NVPTX && mlirTypeIsAF32(mlirValueGetType(value)) &&
      becomes_byte(mlirOperationGetResult(op, 0), false))
    replace_by_assembly(op, "mov.b32 $0, $1;", "=r,f", 1, &value);
  return NULL;
}
