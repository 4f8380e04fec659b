// Building ops before another one; see kernel.h.
#include "targets/gpu/kernel.h"

#include "lowering/expand/ops.h"
#include "targets/llvm/convert.h"

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

MlirValue strata_gpu_build_binary(MlirOperation before, const char *name, MlirValue a, MlirValue b) {
  return strata_gpu_build(before, name, 2, (MlirValue[]){a, b}, mlirValueGetType(a), 0, NULL);
}

MlirType strata_gpu_int_type(MlirOperation op, unsigned bits) {
  return mlirIntegerTypeGet(mlirOperationGetContext(op), bits);
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

MlirValue strata_gpu_build_number(MlirOperation before, MlirType type, double value) {
  MlirAttribute scalar = mlirFloatAttrDoubleGet(mlirOperationGetContext(before), strata_type_element(type), value);
  strata_named_attr_t attr = {"value", mlirTypeIsAVector(type) ? mlirDenseElementsAttrSplatGet(type, scalar) : scalar};
  return strata_gpu_build(before, "arith.constant", 0, NULL, type, 1, &attr);
}

MlirValue strata_gpu_build_choice(MlirOperation before, int predicate, MlirValue a, MlirValue b, MlirValue yes,
                                  MlirValue no) {
  MlirContext context = mlirOperationGetContext(before);
  strata_named_attr_t attr = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), predicate)};
  MlirType truth = strata_type_like(mlirValueGetType(a), mlirIntegerTypeGet(context, 1));
  MlirValue is_so = strata_gpu_build(before, "arith.cmpf", 2, (MlirValue[]){a, b}, truth, 1, &attr);
  return strata_gpu_build(before, "arith.select", 3, (MlirValue[]){is_so, yes, no}, mlirValueGetType(yes), 0, NULL);
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

static MlirValue build_inline(MlirOperation before, const char *text, const char *constraints, bool has_effects,
                              int n_operands, const MlirValue *operands, MlirType result) {
  MlirContext context = mlirOperationGetContext(before);
  const strata_named_attr_t attrs[] = {
      {"asm_string", strata_str_attr(context, text)},
      {"constraints", strata_str_attr(context, constraints)},
      {"has_side_effects", mlirUnitAttrGet(context)},
  };
  return strata_gpu_build(before, "llvm.inline_asm", n_operands, operands, result, has_effects ? 3 : 2, attrs);
}

MlirValue strata_gpu_build_assembly(MlirOperation before, const char *text, const char *constraints, int n_operands,
                                    const MlirValue *operands, MlirType result) {
  return build_inline(before, text, constraints, false, n_operands, operands, result);
}

MlirValue strata_gpu_build_ptx(MlirOperation before, const char *text, const char *constraints, int n_operands,
                               const MlirValue *operands, MlirType result) {
  return build_inline(before, text, constraints, true, n_operands, operands, result);
}

MlirValue strata_gpu_build_place(const strata_gpu_kernel_t *kernel, MlirType type) {
  MlirOperation first = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel->func, 0)));
  MlirValue one = strata_gpu_build_i32(first, 1);
  strata_named_attr_t attr = {"elem_type", mlirTypeAttrGet(type)};
  return strata_gpu_build(first, "llvm.alloca", 1, &one, mlirLLVMPointerTypeGet(kernel->compile->context, 0), 1, &attr);
}

MlirValue strata_gpu_build_call(MlirOperation before, const char *function, int n_operands, const MlirValue *operands,
                                MlirType result) {
  MlirContext context = mlirOperationGetContext(before);
  const int32_t segments[] = {n_operands, 0};
  const strata_named_attr_t attrs[] = {
      {"callee", mlirFlatSymbolRefAttrGet(context, strata_str(function))},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(context, 0, NULL)},
  };
  return strata_gpu_build(before, "llvm.call", n_operands, operands, result, 3, attrs);
}

// Declares what |op| calls.
static MlirWalkResult declare(MlirOperation op, void *user) {
  enum { MAX_PARAMETERS = 16 };
  const MlirBlock *module = user;
  MlirAttribute callee = strata_op_is(op, "llvm.call")
                             ? mlirOperationGetInherentAttributeByName(op, strata_str("callee"))
                             : (MlirAttribute){NULL};
  if (mlirAttributeIsNull(callee) || strata_llvm_has_symbol(*module, mlirFlatSymbolRefAttrGetValue(callee)))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirType types[MAX_PARAMETERS];
  int n = (int)mlirOperationGetNumOperands(op);
  assert(n <= MAX_PARAMETERS);
  for (int i = 0; i < n; i++)
    types[i] = mlirValueGetType(mlirOperationGetOperand(op, i));
  MlirType result = mlirOperationGetNumResults(op) > 0 ? mlirValueGetType(mlirOperationGetResult(op, 0))
                                                       : mlirLLVMVoidTypeGet(context);
  const strata_named_attr_t attrs[] = {
      {"sym_name", mlirStringAttrGet(context, mlirFlatSymbolRefAttrGetValue(callee))},
      {"function_type", mlirTypeAttrGet(mlirLLVMFunctionTypeGet(result, n, types, false))},
  };
  MlirRegion region = mlirRegionCreate();
  MlirOperation declaration =
      strata_op_create(mlirLocationUnknownGet(context), "llvm.func", 0, NULL, 0, NULL, 2, attrs, 1, &region);
  mlirBlockInsertOwnedOperation(*module, 0, declaration);
  return MlirWalkResultAdvance;
}

void strata_gpu_declare_callees(MlirBlock module) {
  for (MlirOperation op = mlirBlockGetFirstOperation(module); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, declare, &module, MlirWalkPreOrder);
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

bool strata_gpu_find_byte(MlirValue byte, MlirValue *out_vector, int64_t *out_count, int64_t *out_place) {
  enum { BYTE = 8 };
  MlirOperation extract = strata_def_named(byte, "vector.extract");
  if (mlirOperationIsNull(extract) || mlirOperationGetNumOperands(extract) != 1 ||
      !strata_type_is_integer(mlirValueGetType(byte), BYTE))
    return false;
  *out_vector = mlirOperationGetOperand(extract, 0);
  MlirType type = mlirValueGetType(*out_vector);
  *out_count = mlirShapedTypeGetRank(type) == 1 ? mlirShapedTypeGetDimSize(type, 0) : 0;
  return *out_count > 0 && strata_attr_i64s(extract, "static_position", 1, out_place) == 1;
}

MlirValue strata_gpu_build_word(MlirOperation before, MlirValue vector, int64_t i) {
  enum { WORD_BYTES = 4 };
  int64_t n_words = mlirShapedTypeGetDimSize(mlirValueGetType(vector), 0) / WORD_BYTES;
  MlirType words = mlirVectorTypeGet(1, &n_words, mlirIntegerTypeGet(mlirOperationGetContext(before), 32));
  return strata_gpu_build_extract(before, strata_gpu_build_cast(before, "llvm.bitcast", vector, words), i);
}

void strata_gpu_replace(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), value);
  mlirOperationDestroy(op);
}
