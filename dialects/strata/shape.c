// Shapes; see strata.h.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

#include <stdio.h>

//===-- Shapes ---------------------------------------------------------------------------------------------------===//

static const strata_shape_t no_shape = {.type = STRATA_TYPE_COUNT};

strata_shape_t strata_shape_from_type(MlirType type) {
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type) > STRATA_MAX_RANK)
    return no_shape;
  strata_shape_t shape = {.type = strata_type_from_mlir(mlirShapedTypeGetElementType(type)),
                          .rank = (int)mlirShapedTypeGetRank(type)};
  for (int i = 0; i < shape.rank; i++) {
    MlirAffineExpr dim = strata_type_dim(type, i);
    if (mlirAffineExprIsNull(dim))
      return no_shape;
    shape.dims[i] = strata_dim_normal(dim);
  }
  return shape;
}

strata_shape_t strata_shape_of(MlirValue value) {
  return mlirValueIsNull(value) ? no_shape : strata_shape_from_type(mlirValueGetType(value));
}

MlirType strata_shape_to_type(MlirContext context, const strata_shape_t *shape) {
  int64_t sizes[STRATA_MAX_RANK];
  MlirAttribute encoding = mlirAttributeGetNull();
  if (!strata_shape_sizes(shape, sizes)) {
    for (int i = 0; i < shape->rank; i++)
      if (!strata_dim_is_constant(shape->dims[i], &sizes[i]))
        sizes[i] = mlirShapedTypeGetDynamicSize();
    encoding = mlirAffineMapAttrGet(strata_exprs_map(context, shape->rank, shape->dims));
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
