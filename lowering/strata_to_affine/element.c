// Reading and writing elements. An element has three forms: as the buffer holds it; raw, as a value of its own type
// (i1 for the byte of a boolean, i8 for an i4); and in the type arithmetic runs in (f16 as f32).
//
//   %0 = affine.load %x[%i, %j] : memref<8x64xf16>   %1 = arith.extf %0 : f16 to f32
#include "lowering/strata_to_affine/lower.h"

enum { NIBBLE_BITS = 4 };

static MlirType integer_type(const strata__nest_t *nest, unsigned bits) {
  return mlirIntegerTypeGet(nest->lowering->context, bits);
}

//===-- Forms ----------------------------------------------------------------------------------------------------===//

static MlirType raw_type(const strata__nest_t *nest, strata_type_t type) {
  return type == STRATA_TYPE_I4 ? integer_type(nest, 8) : strata_type_to_mlir(nest->lowering->context, type);
}

static MlirType stored_type(const strata__nest_t *nest, strata_type_t type) {
  return type == STRATA_TYPE_I1 ? integer_type(nest, 8) : raw_type(nest, type);
}

MlirType strata__math_type(MlirContext context, strata_type_t type) {
  return strata_type_to_mlir(context, strata_type_info[type].math_type);
}

MlirValue strata__to_math(strata__nest_t *nest, strata_type_t type, MlirValue raw) {
  MlirType math = strata__math_type(nest->lowering->context, type);
  if (mlirTypeEqual(mlirValueGetType(raw), math))
    return raw;
  return strata__cast(nest, strata_type_is_float(type) ? "arith.extf" : "arith.extsi", raw, math);
}

static MlirValue to_raw(strata__nest_t *nest, strata_type_t type, MlirValue value) {
  MlirType raw = raw_type(nest, type);
  if (mlirTypeEqual(mlirValueGetType(value), raw))
    return value;
  return strata__cast(nest, strata_type_is_float(type) ? "arith.truncf" : "arith.trunci", value, raw);
}

// A number as a constant of |type|, which is the number's own or wider. (Of a boolean, 0 or 1.)
static MlirValue number(strata__nest_t *nest, MlirAttribute attr, MlirType type) {
  if (mlirTypeEqual(mlirAttributeGetType(attr), type))
    return strata_emit_constant(&nest->e, type, attr);
  if (mlirAttributeIsAFloat(attr))
    return strata__float_constant(nest, type, mlirFloatAttrGetValueDouble(attr));
  if (mlirAttributeIsABool(attr))
    return strata__int_constant(nest, type, mlirBoolAttrGetValue(attr));
  return strata__int_constant(nest, type, mlirIntegerAttrGetValueInt(attr));
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

static MlirOperation access(strata__nest_t *nest, const char *name, MlirValue stored, MlirValue memref,
                            MlirAffineMap map, MlirType result) {
  MlirValue operands[2 + STRATA_MAX_DIMS + STRATA__MAX_SYMBOLS];
  int n = 0;
  if (!mlirValueIsNull(stored))
    operands[n++] = stored;
  operands[n++] = memref;
  for (int i = 0; i < nest->n_dims; i++)
    operands[n++] = nest->dims[i];
  strata_named_attr_t attr = {"map", mlirAffineMapAttrGet(strata__bind_symbols(nest->lowering, map, operands, &n))};
  return strata_emit_op(&nest->e, name, n, operands, mlirTypeIsNull(result) ? 0 : 1, &result, 1, &attr);
}

// The coordinates in the buffer of a tensor's element.
static MlirAffineMap buffer_map(const strata__nest_t *nest, const strata__tensor_t *tensor,
                                const MlirAffineExpr *coordinates) {
  MlirAffineExpr copies[STRATA_MAX_RANK];
  for (int i = 0; i < tensor->rank; i++)
    copies[i] = coordinates[i];
  MlirAffineMap point = strata__map(nest->lowering, nest->n_dims, tensor->rank, copies);
  const strata_space_t *space = STRATA__NEST_SPACE(nest);
  MlirAffineMap map = strata_affine_compose(tensor->map, point, NULL);
  return !strata_sizes_vary(tensor->buffer->rank, tensor->buffer->sizes) &&
                 !strata_sizes_vary(nest->n_dims, nest->extents)
             ? strata_affine_simplify_places(map, tensor->buffer->sizes, space)
             : strata_affine_simplify_map(map, space);
}

static MlirValue load_affine(strata__nest_t *nest, const strata__tensor_t *tensor, MlirAffineMap map) {
  MlirValue memref = strata__memref(nest->lowering, tensor->buffer);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memref));
  return mlirOperationGetResult(access(nest, "affine.load", (MlirValue){0}, memref, map, element), 0);
}

static MlirAffineMap one_result(const strata__nest_t *nest, MlirAffineExpr expr) {
  return strata__map(nest->lowering, nest->n_dims, 1, &expr);
}

static MlirValue truth_of_byte(strata__nest_t *nest, MlirValue byte) {
  return strata__compare(nest, "ne", byte, strata__int_constant(nest, integer_type(nest, 8), 0));
}

//===-- Nibbles --------------------------------------------------------------------------------------------------===//
// i4 are two to a byte, the even position in the low half.

// 0 or 4 as an i8, from an index that is 0 or 1.
static MlirValue nibble_shift(strata__nest_t *nest, MlirValue half) {
  MlirType byte = integer_type(nest, 8);
  return strata__binary(nest, "arith.muli", strata__cast(nest, "arith.index_cast", half, byte),
                        strata__int_constant(nest, byte, NIBBLE_BITS));
}

// The nibble as a signed byte: shifted to the top, then down.
static MlirValue extract_nibble(strata__nest_t *nest, MlirValue byte, MlirValue half) {
  MlirValue bits = strata__int_constant(nest, integer_type(nest, 8), NIBBLE_BITS);
  MlirValue up = strata__binary(nest, "arith.subi", bits, nibble_shift(nest, half));
  return strata__binary(nest, "arith.shrsi", strata__binary(nest, "arith.shli", byte, up), bits);
}

static MlirValue insert_nibble(strata__nest_t *nest, MlirValue byte, MlirValue half, MlirValue value) {
  MlirType type = integer_type(nest, 8);
  MlirValue shift = nibble_shift(nest, half), low = strata__int_constant(nest, type, 15);
  MlirValue mask = strata__binary(nest, "arith.shli", low, shift);
  MlirValue others = strata__binary(nest, "arith.xori", mask, strata__int_constant(nest, type, -1));
  MlirValue bits = strata__binary(nest, "arith.shli", strata__binary(nest, "arith.andi", value, low), shift);
  return strata__binary(nest, "arith.ori", strata__binary(nest, "arith.andi", byte, others), bits);
}

// The byte of the packed buffer that holds coordinates |map|; *out_half gets the expression of the half.
static MlirAffineMap nibble_byte(const strata__nest_t *nest, const strata__buffer_t *buffer, MlirAffineMap map,
                                 MlirAffineExpr *out_half) {
  MlirAffineExpr position = strata_affine_linearize(map, buffer->sizes, STRATA__NEST_SPACE(nest));
  MlirAffineExpr two = strata__constant(nest, 2);
  *out_half = strata_affine_simplify(mlirAffineModExprGet(position, two), STRATA__NEST_SPACE(nest));
  MlirAffineExpr byte = strata_affine_simplify(mlirAffineFloorDivExprGet(position, two), STRATA__NEST_SPACE(nest));
  return one_result(nest, byte);
}

//===-- Affine coordinates ---------------------------------------------------------------------------------------===//

// An element as its buffer holds it: a boolean's byte. (An i4 is a raw one: it has no place of its own.)
static MlirValue load_stored(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates) {
  if (!tensor->buffer)
    return number(nest, tensor->splat, stored_type(nest, tensor->type));
  MlirAffineMap map = buffer_map(nest, tensor, coordinates);
  if (tensor->type != STRATA_TYPE_I4)
    return load_affine(nest, tensor, map);
  MlirAffineExpr half;
  MlirAffineMap byte_map = nibble_byte(nest, tensor->buffer, map, &half);
  MlirValue byte = load_affine(nest, tensor, byte_map);
  return extract_nibble(nest, byte, strata__index_of(nest, half));
}

static MlirValue stored_to_raw(strata__nest_t *nest, strata_type_t type, MlirValue stored) {
  return type == STRATA_TYPE_I1 ? truth_of_byte(nest, stored) : stored;
}

MlirValue strata__load_raw(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates) {
  if (!tensor->buffer)
    return number(nest, tensor->splat, raw_type(nest, tensor->type));
  return stored_to_raw(nest, tensor->type, load_stored(nest, tensor, coordinates));
}

MlirValue strata__load(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates) {
  if (!tensor->buffer)
    return number(nest, tensor->splat, strata__math_type(nest->lowering->context, tensor->type));
  return strata__to_math(nest, tensor->type, strata__load_raw(nest, tensor, coordinates));
}

void strata__store(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates,
                   MlirValue value) {
  MlirAffineMap map = buffer_map(nest, tensor, coordinates);
  MlirValue raw = to_raw(nest, tensor->type, value);
  if (tensor->type == STRATA_TYPE_I4) {
    MlirAffineExpr half;
    map = nibble_byte(nest, tensor->buffer, map, &half);
    MlirValue byte = load_affine(nest, tensor, map);
    raw = insert_nibble(nest, byte, strata__index_of(nest, half), raw);
  } else if (tensor->type == STRATA_TYPE_I1) {
    raw = strata__cast(nest, "arith.extui", raw, integer_type(nest, 8));
  }
  access(nest, "affine.store", raw, strata__memref(nest->lowering, tensor->buffer), map, (MlirType){0});
}

//===-- Coordinates that may be outside --------------------------------------------------------------------------===//

// The constraints "expr >= 0" that can fail for coordinates to be inside.
static int bounds_that_can_fail(const strata__nest_t *nest, const strata__tensor_t *tensor,
                                const MlirAffineExpr *coordinates, MlirAffineExpr *out) {
  int count = 0;
  for (int i = 0; i < tensor->rank; i++) {
    int64_t min, max;
    MlirAffineExpr expr = strata_affine_simplify(coordinates[i], STRATA__NEST_SPACE(nest));
    bool known = strata_affine_range(expr, STRATA__NEST_SPACE(nest), &min, &max);
    if (!known || min < 0)
      out[count++] = expr;
    if ((!known || max >= strata_size_min(tensor->sizes[i])) &&
        !strata_affine_is_below(expr, tensor->sizes[i], STRATA__NEST_SPACE(nest)))
      out[count++] = strata_affine_simplify(strata__plus(nest, strata__linear(nest, expr, -1, -1), tensor->sizes[i]),
                                            STRATA__NEST_SPACE(nest));
  }
  return count;
}

static MlirBlock guard_branch(MlirRegion *out_region) {
  *out_region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(*out_region, block);
  return block;
}

static void yield(strata__nest_t *nest, MlirValue value) {
  strata_emit_op(&nest->e, "affine.yield", 1, &value, 0, NULL, 0, NULL);
}

// An element under the guard of |n| constraints; |outside| where they do not hold, a value or, if that is null, |pad|.
static MlirValue guarded(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates, int n,
                         const MlirAffineExpr *constraints, MlirValue outside, MlirAttribute pad) {
  const bool is_equality[2 * STRATA_MAX_RANK] = {false};
  MlirBlock before = nest->e.block;
  MlirRegion regions[2];
  nest->e.block = guard_branch(&regions[0]);
  MlirValue inside = load_stored(nest, tensor, coordinates);
  MlirType type = mlirValueGetType(inside);
  yield(nest, inside);
  nest->e.block = guard_branch(&regions[1]);
  yield(nest, mlirValueIsNull(outside) ? number(nest, pad, type) : outside);
  nest->e.block = before;
  MlirValue operands[STRATA_MAX_DIMS + STRATA__MAX_SYMBOLS];
  int n_operands = 0;
  for (; n_operands < nest->n_dims; n_operands++)
    operands[n_operands] = nest->dims[n_operands];
  MlirAffineMap map = strata__bind_symbols(nest->lowering, strata__map(nest->lowering, nest->n_dims, n, constraints),
                                           operands, &n_operands);
  MlirAffineExpr bound[2 * STRATA_MAX_RANK];
  for (int i = 0; i < n; i++)
    bound[i] = mlirAffineMapGetResult(map, i);
  MlirIntegerSet set =
      mlirIntegerSetGet(nest->lowering->context, nest->n_dims, mlirAffineMapGetNumSymbols(map), n, bound, is_equality);
  strata_named_attr_t condition = {"condition", mlirIntegerSetAttrGet(set)};
  MlirOperation op =
      strata_op_create(nest->e.location, "affine.if", n_operands, operands, 1, &type, 1, &condition, 2, regions);
  mlirBlockAppendOwnedOperation(before, op);
  return mlirOperationGetResult(op, 0);
}

MlirValue strata__load_or(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates,
                          MlirAttribute outside) {
  MlirAffineExpr bounds[2 * STRATA_MAX_RANK];
  if (strata__is_empty(tensor))
    return number(nest, outside, raw_type(nest, tensor->type));
  int count = bounds_that_can_fail(nest, tensor, coordinates, bounds);
  if (count == 0)
    return strata__load_raw(nest, tensor, coordinates);
  return stored_to_raw(nest, tensor->type, guarded(nest, tensor, coordinates, count, bounds, (MlirValue){0}, outside));
}

MlirValue strata__load_pieces(strata__nest_t *nest, int n, const strata__tensor_t *const *tensors,
                              const MlirAffineExpr *const *coordinates) {
  MlirAffineExpr bounds[2 * STRATA_MAX_RANK];
  MlirValue value = {0};
  MlirAttribute zero =
      strata__neutral(STRATA_COMBINER_ADD, strata_type_to_mlir(nest->lowering->context, tensors[0]->type));
  for (int i = 0; i < n; i++) {
    int count = bounds_that_can_fail(nest, tensors[i], coordinates[i], bounds);
    value = guarded(nest, tensors[i], coordinates[i], count, bounds, value, zero);
  }
  return stored_to_raw(nest, tensors[0]->type, value);
}

//===-- Coordinates that depend on data --------------------------------------------------------------------------===//

// An expression over any index values, as arithmetic: affine.apply takes loop dims only.
static MlirValue emit_expr(strata__nest_t *nest, MlirAffineExpr expr, const MlirValue *dims) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_emit_index(&nest->e, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return dims[mlirAffineDimExprGetPosition(expr)];
  if (mlirAffineExprIsASymbol(expr))
    return strata__index_of(nest, expr);
  MlirValue lhs = emit_expr(nest, mlirAffineBinaryOpExprGetLHS(expr), dims);
  MlirValue rhs = emit_expr(nest, mlirAffineBinaryOpExprGetRHS(expr), dims);
  if (mlirAffineExprIsAAdd(expr) || mlirAffineExprIsAMul(expr))
    return strata__binary(nest, mlirAffineExprIsAAdd(expr) ? "arith.addi" : "arith.muli", lhs, rhs);
  MlirValue quotient = strata__binary(nest, "arith.floordivsi", lhs, rhs);
  if (mlirAffineExprIsAFloorDiv(expr))
    return quotient;
  return strata__binary(nest, "arith.subi", lhs, strata__binary(nest, "arith.muli", quotient, rhs));
}

// The memref and its indices; of an i4, the byte's, and *out_half.
static int dynamic_access(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirValue *coordinates,
                          MlirValue *out_operands, MlirValue *out_half) {
  int n = 0;
  out_operands[n++] = strata__memref(nest->lowering, tensor->buffer);
  if (tensor->type == STRATA_TYPE_I4) {
    MlirAffineExpr position =
        strata_affine_linearize(tensor->map, tensor->buffer->sizes, STRATA__SPACE(nest->lowering, tensor));
    MlirAffineExpr two = strata__constant(nest, 2);
    *out_half = emit_expr(nest, mlirAffineModExprGet(position, two), coordinates);
    out_operands[n++] = emit_expr(nest, mlirAffineFloorDivExprGet(position, two), coordinates);
    return n;
  }
  for (int i = 0; i < tensor->buffer->rank; i++)
    out_operands[n++] = emit_expr(nest, mlirAffineMapGetResult(tensor->map, i), coordinates);
  return n;
}

static MlirValue load_operands(strata__nest_t *nest, int n, const MlirValue *operands) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(operands[0]));
  return strata_emit_value(&nest->e, "memref.load", n, operands, element, 0, NULL);
}

MlirValue strata__load_at(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirValue *coordinates) {
  MlirValue operands[1 + STRATA_MAX_RANK], half;
  if (!tensor->buffer)
    return number(nest, tensor->splat, raw_type(nest, tensor->type));
  int n = dynamic_access(nest, tensor, coordinates, operands, &half);
  MlirValue value = load_operands(nest, n, operands);
  if (tensor->type == STRATA_TYPE_I4)
    return extract_nibble(nest, value, half);
  return tensor->type == STRATA_TYPE_I1 ? truth_of_byte(nest, value) : value;
}

void strata__store_at(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirValue *coordinates,
                      MlirValue value) {
  MlirValue operands[2 + STRATA_MAX_RANK], half;
  MlirValue raw = to_raw(nest, tensor->type, value);
  int n = dynamic_access(nest, tensor, coordinates, operands + 1, &half);
  if (tensor->type == STRATA_TYPE_I4)
    raw = insert_nibble(nest, load_operands(nest, n, operands + 1), half, raw);
  else if (tensor->type == STRATA_TYPE_I1)
    raw = strata__cast(nest, "arith.extui", raw, integer_type(nest, 8));
  operands[0] = raw;
  strata_emit_op(&nest->e, "memref.store", n + 1, operands, 0, NULL, 0, NULL);
}
