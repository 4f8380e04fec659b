// Floats smaller than f32 as integers of their width, once a kernel is distributed: by then they are only moved, and
// LLVM moves integers of 8 and 16 bits in vectors of any length, which it does not for bfloat and, without the
// instructions, half.
//
//   %x = vector.load %m[%i] : memref<17xbf16>, vector<17xbf16>   ->   ... : memref<17xi16>, vector<17xi16>
//   %y = arith.extf %h : f16 to f32                              ->   %b = arith.bitcast %i : i16 to f16 ...
#include "dialects/strata/strata.h"
#include "lowering/expand/arithmetic.h"
#include "lowering/expand/ops.h"

static bool is_small_float(MlirType type, unsigned most_bits) {
  return mlirTypeIsAFloat(type) && mlirFloatTypeGetWidth(type) <= most_bits;
}

static MlirType storage_element(MlirType element) {
  return mlirIntegerTypeGet(mlirTypeGetContext(element), mlirFloatTypeGetWidth(element));
}

// |type| with integers in place of small floats.
static MlirType storage_type(MlirType type, unsigned most_bits) {
  bool is_memref = mlirTypeIsAMemRef(type);
  MlirType element = is_memref ? mlirShapedTypeGetElementType(type) : strata_type_element(type);
  if (!is_small_float(element, most_bits))
    return type;
  if (!is_memref)
    return strata_type_like(type, storage_element(element));
  int64_t sizes[STRATA_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; i++)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirMemRefTypeGet(storage_element(element), rank, sizes, mlirMemRefTypeGetLayout(type),
                           mlirMemRefTypeGetMemorySpace(type));
}

static bool is_stored(MlirValue value, unsigned most_bits) {
  MlirType type = mlirValueGetType(value);
  return !mlirTypeEqual(storage_type(type, most_bits), type);
}

static void retype(MlirValue value, unsigned most_bits) {
  mlirValueSetType(value, storage_type(mlirValueGetType(value), most_bits));
}

// The same bits as an attribute of |type|: a number or dense elements.
static MlirAttribute bits_of(MlirAttribute value, MlirType type) {
  if (mlirAttributeIsADenseElements(value)) {
    intptr_t count = mlirDenseElementsAttrIsSplat(value) ? 1 : mlirElementsAttrGetNumElements(value);
    intptr_t bytes = mlirIntegerTypeGetWidth(strata_type_element(type)) / 8;
    return mlirDenseElementsAttrRawBufferGet(type, (size_t)(count * bytes), mlirDenseElementsAttrGetRawData(value));
  }
  const int64_t one = 1;
  MlirType lane = mlirVectorTypeGet(1, &one, mlirAttributeGetType(value));
  const void *data = mlirDenseElementsAttrGetRawData(mlirDenseElementsAttrSplatGet(lane, value));
  int64_t bits = mlirIntegerTypeGetWidth(type) == 8 ? *(const int8_t *)data : *(const int16_t *)data;
  return mlirIntegerAttrGet(type, bits);
}

static MlirValue bitcast(MlirOperation before, MlirOperation after, MlirValue value, MlirType type) {
  MlirOperation at = mlirOperationIsNull(before) ? after : before;
  MlirOperation cast =
      strata_op_create(mlirOperationGetLocation(at), "arith.bitcast", 1, &value, 1, &type, 0, NULL, 0, NULL);
  (mlirOperationIsNull(before) ? mlirBlockInsertOwnedOperationAfter
                               : mlirBlockInsertOwnedOperationBefore)(mlirOperationGetBlock(at), at, cast);
  return mlirOperationGetResult(cast, 0);
}

// The instructions of f16 keep it: arith.extf as operand (which is retyped already), arith.truncf as result.
static void keep_operand(MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  MlirType f16 = mlirF16TypeGet(mlirOperationGetContext(op));
  if (mlirTypeIsAInteger(strata_type_element(mlirValueGetType(operand))))
    mlirOperationSetOperand(op, 0,
                            bitcast(op, (MlirOperation){0}, operand, strata_type_like(mlirValueGetType(operand), f16)));
}

static void keep_result(MlirOperation op, unsigned most_bits) {
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!is_stored(result, most_bits))
    return;
  MlirValue bits = bitcast((MlirOperation){0}, op, result, storage_type(mlirValueGetType(result), most_bits));
  MlirOperation cast = mlirOpResultGetOwner(bits);
  mlirValueReplaceAllUsesExcept(result, bits, 1, &cast);
}

static void retype_arguments(MlirOperation op, unsigned most_bits) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); k++)
        retype(mlirBlockGetArgument(block, k), most_bits);
}

static void retype_results(MlirOperation op, unsigned most_bits) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    retype(mlirOperationGetResult(op, i), most_bits);
}

static void retype_constant(MlirOperation op, unsigned most_bits) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (is_stored(mlirOperationGetResult(op, 0), most_bits))
    strata_set_attr(op, "value", bits_of(strata_attr(op, "value"), storage_type(type, most_bits)));
  retype_results(op, most_bits);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  unsigned most_bits = *(const unsigned *)user;
  retype_arguments(op, most_bits);
  if (strata_op_is(op, "arith.extf"))
    keep_operand(op);
  else if (strata_op_is(op, "arith.truncf"))
    keep_result(op, most_bits);
  else if (strata_op_is(op, "arith.constant"))
    retype_constant(op, most_bits);
  else
    retype_results(op, most_bits);
  return MlirWalkResultAdvance;
}

void strata_store_small_floats(MlirBlock kernel, unsigned most_bits) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(kernel); i++)
    retype(mlirBlockGetArgument(kernel, i), most_bits);
  for (MlirOperation op = mlirBlockGetFirstOperation(kernel); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, visit, &most_bits, MlirWalkPreOrder);
}
