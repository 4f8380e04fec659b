// Dimensions and shapes; see strata.h.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

#include <stdio.h>

//===-- Dimensions -----------------------------------------------------------------------------------------------===//

strata_dim_t strata_dim_constant(MlirContext context, int64_t size) { return mlirAffineConstantExprGet(context, size); }

bool strata_dim_is_constant(strata_dim_t dim, int64_t *out_size) {
  if (!mlirAffineExprIsAConstant(dim))
    return false;
  *out_size = mlirAffineConstantExprGetValue(dim);
  return true;
}

bool strata_dim_equal(strata_dim_t a, strata_dim_t b) { return mlirAffineExprEqual(a, b); }
strata_dim_t strata_dim_add(strata_dim_t a, strata_dim_t b) { return mlirAffineAddExprGet(a, b); }
strata_dim_t strata_dim_mul(strata_dim_t a, strata_dim_t b) { return mlirAffineMulExprGet(a, b); }

strata_dim_t strata_dim_floordiv(strata_dim_t a, int64_t b) {
  return mlirAffineFloorDivExprGet(a, mlirAffineConstantExprGet(mlirAffineExprGetContext(a), b));
}

//===-- Shapes ---------------------------------------------------------------------------------------------------===//

static const strata_shape_t no_shape = {.type = STRATA_TYPE_COUNT};

strata_shape_t strata_shape_from_type(MlirType type) {
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type) > STRATA_MAX_RANK)
    return no_shape;
  MlirContext context = mlirTypeGetContext(type);
  strata_shape_t shape = {.type = strata_type_from_mlir(mlirShapedTypeGetElementType(type)),
                          .rank = (int)mlirShapedTypeGetRank(type)};
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  MlirAffineMap map = {0};
  if (!mlirAttributeIsNull(encoding) && mlirAttributeIsAAffineMap(encoding))
    map = mlirAffineMapAttrGetValue(encoding);
  for (int i = 0; i < shape.rank; i++) {
    if (!mlirShapedTypeIsDynamicDim(type, i))
      shape.dims[i] = strata_dim_constant(context, mlirShapedTypeGetDimSize(type, i));
    else if (!mlirAffineMapIsNull(map) && mlirAffineMapGetNumResults(map) == shape.rank)
      shape.dims[i] = mlirAffineMapGetResult(map, i);
    else
      return no_shape;
  }
  return shape;
}

strata_shape_t strata_shape_of(MlirValue value) {
  return mlirValueIsNull(value) ? no_shape : strata_shape_from_type(mlirValueGetType(value));
}

// One more than the highest symbol of |expr|.
static intptr_t count_symbols(MlirAffineExpr expr) {
  if (mlirAffineExprIsASymbol(expr))
    return mlirAffineSymbolExprGetPosition(expr) + 1;
  if (!mlirAffineExprIsABinary(expr))
    return 0;
  intptr_t lhs = count_symbols(mlirAffineBinaryOpExprGetLHS(expr));
  intptr_t rhs = count_symbols(mlirAffineBinaryOpExprGetRHS(expr));
  return lhs > rhs ? lhs : rhs;
}

MlirType strata_shape_to_type(MlirContext context, const strata_shape_t *shape) {
  int64_t sizes[STRATA_MAX_RANK];
  MlirAttribute encoding = mlirAttributeGetNull();
  if (!strata_shape_sizes(shape, sizes)) {
    intptr_t n_symbols = 0;
    for (int i = 0; i < shape->rank; i++) {
      intptr_t n = count_symbols(shape->dims[i]);
      n_symbols = n > n_symbols ? n : n_symbols;
      if (!strata_dim_is_constant(shape->dims[i], &sizes[i]))
        sizes[i] = mlirShapedTypeGetDynamicSize();
    }
    MlirAffineExpr dims[STRATA_MAX_RANK];
    memcpy(dims, shape->dims, sizeof dims);
    encoding = mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, n_symbols, shape->rank, dims));
  }
  return mlirRankedTensorTypeGet(shape->rank, sizes, strata_type_to_mlir(context, shape->type), encoding);
}

strata_shape_t strata_shape_static(MlirContext context, strata_type_t type, int rank, const int64_t *sizes) {
  strata_shape_t shape = {.type = type, .rank = rank};
  for (int i = 0; i < rank && i < STRATA_MAX_RANK; i++)
    shape.dims[i] = strata_dim_constant(context, sizes[i]);
  return shape;
}

bool strata_shape_sizes(const strata_shape_t *shape, int64_t *out_sizes) {
  for (int i = 0; i < shape->rank; i++)
    if (!strata_dim_is_constant(shape->dims[i], &out_sizes[i]))
      return false;
  return true;
}

int64_t strata_shape_count(const strata_shape_t *shape) {
  int64_t sizes[STRATA_MAX_RANK], count = 1;
  if (!strata_shape_sizes(shape, sizes))
    return -1;
  for (int i = 0; i < shape->rank; i++)
    if (sizes[i] < 0 || __builtin_mul_overflow(count, sizes[i], &count))
      return -1;
  return count;
}

//===-- Text -----------------------------------------------------------------------------------------------------===//

typedef struct {
  char *text;
  size_t used, size;
} buffer_t;

static void append(MlirStringRef piece, void *user) {
  buffer_t *buffer = user;
  size_t room = buffer->size - 1 - buffer->used, length = piece.length < room ? piece.length : room;
  memcpy(buffer->text + buffer->used, piece.data, length);
  buffer->used += length;
  buffer->text[buffer->used] = 0;
}

static void append_number(buffer_t *buffer, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  append(strata_str(text), buffer);
}

const char *strata__shape_text(const strata_shape_t *shape, char *text, size_t size) {
  buffer_t buffer = {.text = text, .size = size};
  append(strata_str("tensor<"), &buffer);
  for (int i = 0; i < shape->rank; i++) {
    int64_t dim;
    if (strata_dim_is_constant(shape->dims[i], &dim))
      append_number(&buffer, dim);
    else
      mlirAffineExprPrint(shape->dims[i], append, &buffer);
    append(strata_str("x"), &buffer);
  }
  append(strata_str(shape->type < STRATA_TYPE_COUNT ? strata_type_info[shape->type].mlir_name : "?"), &buffer);
  append(strata_str(">"), &buffer);
  return text;
}

strata_status_t strata__at(strata_status_t status, MlirLocation location, const char *name) {
  char text[256];
  status = strata_status_context(status, "%s", name);
  return *strata_location_text(location, text, sizeof text) ? strata_status_context(status, "%s", text) : status;
}
