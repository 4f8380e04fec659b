// Conversions of jagged tensors that undo one another: padded_to_jagged of what jagged_to_padded made by the same
// offsets, and of what is made of such element by element, is made of the rows instead.
//
//   %p = "strata.jagged_to_padded"(%x, %o)  %q = "strata.relu"(%p)  %y = "strata.padded_to_jagged"(%q, %o)
//   ->  %y = "strata.relu"(%x)
#include "dialects/strata/jagged.h"

#include "dialects/mlir_util.h"

enum { MAX_DEPTH = 32 };

typedef struct {
  strata_builder_t builder;
  MlirValue offsets;
  strata_dim_t total;
  int depth;
} rows_t;

static MlirOperation composite_of(MlirValue value, strata_composite_id_t id) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_composite(op) == id ? op : (MlirOperation){0};
}

// What make_jagged was given, if it was for rows as many.
static MlirValue raw_offsets(MlirValue offsets, strata_dim_t total) {
  for (;;) {
    MlirOperation op = composite_of(offsets, STRATA_COMPOSITE_MAKE_JAGGED);
    if (mlirOperationIsNull(op) || !strata_dim_equal(strata_shape_of(mlirOperationGetOperand(op, 0)).dims[0], total))
      return offsets;
    offsets = mlirOperationGetOperand(op, 1);
  }
}

static strata_shape_t shape_of_rows(const rows_t *r, MlirValue padded) {
  strata_shape_t shape = strata_shape_of(padded);
  shape.rank--;
  shape.dims[0] = r->total;
  for (int i = 1; i < shape.rank; i++)
    shape.dims[i] = shape.dims[i + 1];
  return shape;
}

// The same for every place in every sequence: a broadcast along these dims, where |padded| is one.
static MlirValue of_broadcast(rows_t *r, MlirOperation op, MlirValue padded) {
  MlirContext context = r->builder.compile->context;
  strata_shape_t shape = shape_of_rows(r, padded);
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  MlirAffineExpr dims[STRATA_MAX_RANK], results[STRATA_MAX_RANK];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), 0) ||
        mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), 1))
      return (MlirValue){0};
  for (int i = 0; i <= shape.rank; i++)
    dims[i] = i < 2 ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, i - 1);
  MlirAffineMap rename = mlirAffineMapGet(context, shape.rank, 0, shape.rank + 1, dims);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), rename);
  return strata_build_broadcast(&r->builder, mlirOperationGetOperand(op, 0), &shape,
                                mlirAffineMapGet(context, shape.rank, 0, mlirAffineMapGetNumResults(map), results));
}

static MlirValue of_constant(rows_t *r, MlirValue padded) {
  double *values;
  int64_t count;
  strata_shape_t shape = shape_of_rows(r, padded);
  MlirAttribute value = strata_attr(strata_def(padded), "value");
  if (mlirAttributeIsNull(value) || !mlirDenseElementsAttrIsSplat(value) || shape.type == STRATA_TYPE_I64 ||
      !strata_constant_f64s(r->builder.compile, padded, &values, &count) || count == 0)
    return (MlirValue){0};
  return strata_build_splat(&r->builder, &shape, values[0]);
}

// Computed element by element of operands of one shape, by one number each.
static bool is_elementwise(MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  strata_composite_id_t composite = strata_op_composite(op);
  bool is_one = id != STRATA_OP_COUNT && strata_op_info[id].kind == STRATA_KIND_ELEMENTWISE;
  if (composite != STRATA_COMPOSITE_COUNT && !strata__composite_is_jagged(composite)) {
    const strata__signature_t *signature = strata__composite_signature(composite);
    is_one = !strstr(strata_composite_info[composite].body, "per_channel");
    for (int i = 0; i < signature->n_attrs; i++)
      is_one &= signature->attrs[i].kind == STRATA__ATTR_F64;
  }
  if (!is_one || mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) > STRATA__MAX_OPERANDS)
    return false;
  strata_shape_t result = strata_shape_of(mlirOperationGetResult(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    strata_shape_t shape = strata_shape_of(mlirOperationGetOperand(op, i));
    for (int dim = 0; dim < result.rank; dim++)
      if (shape.rank != result.rank || !strata_dim_equal(shape.dims[dim], result.dims[dim]))
        return false;
  }
  return true;
}

// |op| on |operands|.
static MlirValue copy_on(rows_t *r, MlirOperation op, const MlirValue *operands) {
  strata_shape_t shape = shape_of_rows(r, mlirOperationGetResult(op, 0));
  MlirType type = strata_shape_to_type(r->builder.compile->context, &shape);
  MlirOperationState state = mlirOperationStateGet(strata_op_name(op), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, mlirOperationGetNumOperands(op), operands);
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(r->builder.block, r->builder.before, copy);
  return mlirOperationGetResult(copy, 0);
}

// The rows that |padded| has in the sequences; a null value where they would have to be taken out of it.
static MlirValue rows_of(rows_t *r, MlirValue padded) {
  MlirOperation op = strata_def(padded);
  MlirValue operands[STRATA__MAX_OPERANDS], none = {0};
  if (mlirOperationIsNull(op) || r->depth == MAX_DEPTH || strata_shape_of(padded).rank < 2)
    return none;
  if (strata_op_composite(op) == STRATA_COMPOSITE_JAGGED_TO_PADDED) {
    MlirValue x = mlirOperationGetOperand(op, 0);
    bool is_same = mlirValueEqual(raw_offsets(mlirOperationGetOperand(op, 1), r->total), r->offsets) &&
                   strata_dim_equal(strata_shape_of(x).dims[0], r->total);
    return is_same ? x : none;
  }
  if (strata_op_id(op) == STRATA_OP_BROADCAST)
    return of_broadcast(r, op, padded);
  if (strata_op_id(op) == STRATA_OP_CONSTANT)
    return of_constant(r, padded);
  if (!is_elementwise(op))
    return none;
  r->depth++;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    operands[i] = rows_of(r, mlirOperationGetOperand(op, i));
    if (mlirValueIsNull(operands[i]))
      return none;
  }
  r->depth--;
  return copy_on(r, op, operands);
}

strata_status_t strata__drop_conversion(strata_compile_t *compile, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_dim_t total = strata_shape_of(result).dims[0];
  rows_t r = {.builder = {.compile = compile,
                          .block = mlirOperationGetBlock(op),
                          .before = op,
                          .location = mlirOperationGetLocation(op)},
              .offsets = raw_offsets(mlirOperationGetOperand(op, 1), total),
              .total = total};
  MlirValue rows = rows_of(&r, mlirOperationGetOperand(op, 0));
  STRATA_TRY(r.builder.status);
  if (!mlirValueIsNull(rows) && mlirTypeEqual(mlirValueGetType(rows), mlirValueGetType(result)))
    mlirValueReplaceAllUsesOfWith(result, rows);
  return NULL;
}
