// Logic of three operands. The assembler makes two instructions of `and` and `or` by constants, as one has room for one
// immediate number alone; `lop3` takes the other from a register. See kernel.h.
#include "targets/gpu/kernel.h"

// True of an i32 that is |name| of another value and a constant, where both are known.
static bool is_by_constant(MlirValue value, const char *name, MlirValue *out_other, int64_t *out_constant) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !strata_op_is(op, name))
    return false;
  MlirType type = mlirValueGetType(value);
  *out_other = mlirOperationGetOperand(op, 0);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32 &&
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
  MlirContext context = kernel->compile->context;
  const char *text = strata_arena_printf(kernel->compile->arena, "lop3.b32 $0, $1, %lld, $2, %d;",
                                         (long long)(uint32_t)mask, AND_THEN_OR);
  const strata_named_attr_t attrs[] = {{"asm_string", strata_str_attr(context, text)},
                                       {"constraints", strata_str_attr(context, "=r,r,r")}};
  MlirValue operands[] = {word, strata_gpu_build_i32(op, bits)};
  MlirValue value = strata_gpu_build(op, "llvm.inline_asm", 2, operands, mlirValueGetType(result), 2, attrs);
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
  return NULL;
}
