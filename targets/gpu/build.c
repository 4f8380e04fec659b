// Building ops before another one; see kernel.h.
#include "targets/gpu/kernel.h"

#include <assert.h>

#include <mlir-c/Dialect/LLVM.h>

static MlirOperation insert(MlirOperation before, const char *name, int n_operands, const MlirValue *operands,
                            MlirType result, int n_attrs, const strata_named_attr_t *attrs) {
  MlirOperation op = strata_op_create(mlirOperationGetLocation(before), name, n_operands, operands,
                                      mlirTypeIsNull(result) ? 0 : 1, &result, n_attrs, attrs, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return op;
}

MlirValue strata_gpu_build(MlirOperation before, const char *name, int n_operands, const MlirValue *operands,
                           MlirType result, int n_attrs, const strata_named_attr_t *attrs) {
  MlirOperation op = insert(before, name, n_operands, operands, result, n_attrs, attrs);
  return mlirTypeIsNull(result) ? (MlirValue){0} : mlirOperationGetResult(op, 0);
}

MlirValue strata_gpu_build_cast(MlirOperation before, const char *name, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value
                                                      : strata_gpu_build(before, name, 1, &value, type, 0, NULL);
}

MlirValue strata_gpu_build_i32(MlirOperation before, int64_t value) {
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(before), 32);
  strata_named_attr_t attr = {"value", mlirIntegerAttrGet(type, value)};
  return strata_gpu_build(before, "arith.constant", 0, NULL, type, 1, &attr);
}

MlirValue strata_gpu_build_intrinsic(MlirOperation before, const char *intrinsic, int n_operands,
                                     const MlirValue *operands, MlirType result) {
  MlirContext context = mlirOperationGetContext(before);
  const int32_t segments[] = {n_operands, 0}; // no bundles
  const strata_named_attr_t attrs[] = {
      {"intrin", strata_str_attr(context, intrinsic)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(context, 0, NULL)},
  };
  return strata_gpu_build(before, "llvm.call_intrinsic", n_operands, operands, result, 3, attrs);
}

MlirValue strata_gpu_build_ptx(MlirOperation before, const char *text, const char *constraints, int n_operands,
                               const MlirValue *operands, MlirType result) {
  MlirContext context = mlirOperationGetContext(before);
  const strata_named_attr_t attrs[] = {
      {"asm_string", strata_str_attr(context, text)},
      {"constraints", strata_str_attr(context, constraints)},
      {"has_side_effects", mlirUnitAttrGet(context)},
  };
  return strata_gpu_build(before, "llvm.inline_asm", n_operands, operands, result, 3, attrs);
}

MlirValue strata_gpu_build_place(const strata_gpu_kernel_t *kernel, MlirType type) {
  MlirOperation first = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel->func, 0)));
  MlirValue one = strata_gpu_build_i32(first, 1);
  strata_named_attr_t attr = {"elem_type", mlirTypeAttrGet(type)};
  return strata_gpu_build(first, "llvm.alloca", 1, &one, mlirLLVMPointerTypeGet(kernel->compile->context, 0), 1, &attr);
}

// The outermost module around |op|: @kernels, or a part of it in the making.
static MlirBlock module_body(MlirOperation op) {
  while (!strata_op_is(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static void declare(MlirOperation user, const char *function, int n_operands, const MlirValue *operands,
                    MlirType result) {
  enum { MAX_PARAMETERS = 16 };
  MlirContext context = mlirOperationGetContext(user);
  MlirBlock body = module_body(user);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_str_equal(strata_attr_str(op, "sym_name"), function))
      return;
  MlirType types[MAX_PARAMETERS];
  assert(n_operands <= MAX_PARAMETERS);
  for (int i = 0; i < n_operands; i++)
    types[i] = mlirValueGetType(operands[i]);
  if (mlirTypeIsNull(result))
    result = mlirLLVMVoidTypeGet(context);
  MlirType type = mlirLLVMFunctionTypeGet(result, n_operands, types, false);
  const strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, function)},
      {"function_type", mlirTypeAttrGet(type)},
  };
  MlirRegion region = mlirRegionCreate();
  MlirOperation declaration =
      strata_op_create(mlirLocationUnknownGet(context), "llvm.func", 0, NULL, 0, NULL, 2, attrs, 1, &region);
  mlirBlockInsertOwnedOperation(body, 0, declaration);
}

MlirValue strata_gpu_build_call(MlirOperation before, const char *function, int n_operands, const MlirValue *operands,
                                MlirType result) {
  MlirContext context = mlirOperationGetContext(before);
  declare(before, function, n_operands, operands, result);
  const int32_t segments[] = {n_operands, 0};
  const strata_named_attr_t attrs[] = {
      {"callee", mlirFlatSymbolRefAttrGet(context, strata_str(function))},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(context, 0, NULL)},
  };
  return strata_gpu_build(before, "llvm.call", n_operands, operands, result, 3, attrs);
}

void strata_gpu_build_text(MlirOperation before, const char *text) {
  MlirOperation op = mlirOperationCreateParse(mlirOperationGetContext(before), strata_str(text), strata_str("leaf"));
  mlirOperationSetLocation(op, mlirOperationGetLocation(before));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
}

MlirValue strata_gpu_build_extract(MlirOperation before, MlirValue vector, int64_t i) {
  strata_named_attr_t attr = {"static_position", strata_i64s_attr(mlirOperationGetContext(before), 1, &i)};
  return strata_gpu_build(before, "vector.extract", 1, &vector, mlirShapedTypeGetElementType(mlirValueGetType(vector)),
                          1, &attr);
}
