// tile.mma as an instruction of AMD's.
//
//   %d = "tile.mma"(%a, %b, %c) {kind = "mfma.16x16x16.f16"}
//   %d = llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x16f16"(%b, %a, %c, 0, 0, 0)
//
//   %d = "tile.mma"(%a, %b, %c, %s, %t) {kind = "mfma.32x32x64.e4m3"}
//   %d = llvm.call_intrinsic "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4"(%b, %a, %c, 0, 0, 0, %t, 0, %s)
#include "targets/gpu/kernel.h"

typedef enum { MFMA, WMMA, S8_S8, U8_S8, S8_U8, E4M3, E5M2 } form_t;

typedef struct {
  const char *name;
  form_t form;
  const char *operand, *intrinsic;
} call_t;

static const call_t calls[] = {
#define MMA_CALL(...) {__VA_ARGS__},
#include "targets/gpu/mma_amdgcn.def"
};

static const call_t *find_call(const strata_mma_t *row) {
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (strcmp(calls[i].name, row->name) == 0)
      return &calls[i];
  return NULL;
}

static MlirValue flag(MlirOperation op, bool value) {
  MlirType i1 = mlirIntegerTypeGet(mlirOperationGetContext(op), 1);
  strata_named_attr_t attr = {"value", mlirIntegerAttrGet(i1, value)};
  return strata_gpu_build(op, "arith.constant", 0, NULL, i1, 1, &attr);
}

//===-- Where it stays -------------------------------------------------------------------------------------------===//

// All lanes have to be active in the instruction. LLVM does not know that of WMMA, and would move one whose sums are
// only stored under a condition of each thread's under that condition: an empty text reads them in front of it.
static void pin(MlirOperation after, MlirValue sum) {
  MlirValue pinned =
      strata_gpu_build_ptx(mlirOperationGetNextInBlock(after), "", "=v,0", 1, &sum, mlirValueGetType(sum));
  MlirOperation reader = mlirOpResultGetOwner(pinned);
  mlirValueReplaceAllUsesExcept(sum, pinned, 1, &reader);
}

void strata_gpu_pin_amdgcn_mma(MlirOperation op) {
  MlirValue sum = mlirOperationGetResult(op, 0);
  bool is_read = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(sum); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use), parent = mlirOperationGetParentOperation(reader);
    if (strata_op_is(reader, "scf.yield"))
      pin(parent, mlirOperationGetResult(parent, mlirOpOperandGetOperandNumber(use)));
    else
      is_read |= !strata_op_is(reader, "tile.mma");
  }
  if (is_read)
    pin(op, sum);
}

//===-- The call -------------------------------------------------------------------------------------------------===//

// Our left operand is the instruction's right one (mma.def).
MlirValue strata_gpu_build_amdgcn_mma(MlirOperation op, const strata_mma_t *row) {
  enum { LEFT, RIGHT, SUM, LEFT_SCALE, RIGHT_SCALE, MAX_ARGUMENTS = 9, SCALES_AT = 6 };
  const call_t *call = find_call(row);
  MlirType type = mlirTypeParseGet(mlirOperationGetContext(op), strata_str(call->operand));
  MlirValue left = strata_gpu_build_cast(op, "llvm.bitcast", mlirOperationGetOperand(op, LEFT), type);
  MlirValue right = strata_gpu_build_cast(op, "llvm.bitcast", mlirOperationGetOperand(op, RIGHT), type);
  MlirValue sum = mlirOperationGetOperand(op, SUM), arguments[MAX_ARGUMENTS];
  bool is_of_integers = call->form == S8_S8 || call->form == U8_S8 || call->form == S8_U8;
  int n = 0;
  if (is_of_integers)
    arguments[n++] = flag(op, call->form != S8_U8);
  arguments[n++] = right;
  if (is_of_integers)
    arguments[n++] = flag(op, call->form != U8_S8);
  arguments[n++] = left;
  arguments[n++] = sum;
  int n_flags = call->form == MFMA ? 3 : call->form == E4M3 || call->form == E5M2 ? 6 : 0;
  for (int i = 0; i < n_flags; i++)
    arguments[n++] = strata_gpu_build_i32(op, i < 2 && call->form == E5M2);
  if (mlirOperationGetNumOperands(op) > SUM + 1) { // each behind the number of its byte
    arguments[SCALES_AT] = mlirOperationGetOperand(op, RIGHT_SCALE);
    arguments[SCALES_AT + 2] = mlirOperationGetOperand(op, LEFT_SCALE);
  }
  if (is_of_integers)
    arguments[n++] = flag(op, false);
  return strata_gpu_build_intrinsic(op, call->intrinsic, n, arguments, mlirValueGetType(sum));
}
