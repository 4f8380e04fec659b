// Constants of the IR: their bytes in storage format, and dense attributes of bytes.
//
//   "strata.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>     small, or a splat of any size
//   "strata.constant"() {data = "conv1.weight"} : () -> tensor<64x3x7x7xf32>              bytes of the compile's table
#include "dialects/mlir_util.h"
#include "dialects/strata/number.h"
#include "dialects/strata/record.h"

static bool is_constant(MlirValue value) {
  return !mlirValueIsNull(value) && mlirValueIsAOpResult(value) &&
         strata_op_id(mlirOpResultGetOwner(value)) == STRATA_OP_CONSTANT;
}

// MLIR keeps elements as we do, but i1 and i4, which it does not pack as we do.
static bool has_own_format(strata_type_t type) { return type == STRATA_TYPE_I1 || type == STRATA_TYPE_I4; }

//===-- To attributes --------------------------------------------------------------------------------------------===//

static MlirAttribute dense_bools(strata_arena_t *arena, MlirType tensor, int64_t count, const void *data) {
  int *values = strata_arena_array(arena, int, count);
  for (int64_t i = 0; i < count; i++)
    values[i] = (int)strata__load_i64(STRATA_TYPE_I1, data, i);
  return mlirDenseElementsAttrBoolGet(tensor, count, values);
}

static MlirAttribute dense_nibbles(strata_arena_t *arena, MlirType tensor, int64_t count, const void *data) {
  int8_t *values = strata_arena_array(arena, int8_t, count);
  for (int64_t i = 0; i < count; i++)
    values[i] = (int8_t)strata__load_i64(STRATA_TYPE_I4, data, i);
  return mlirDenseElementsAttrRawBufferGet(tensor, (size_t)count, values);
}

MlirAttribute strata__dense_attr(strata_arena_t *arena, MlirType tensor, strata_type_t type, int64_t count,
                                 const void *data, bool is_splat) {
  if (is_splat && type == STRATA_TYPE_I1)
    return mlirDenseElementsAttrBoolSplatGet(tensor, strata__load_i64(type, data, 0));
  if (type == STRATA_TYPE_I1)
    return dense_bools(arena, tensor, count, data);
  if (type == STRATA_TYPE_I4)
    return dense_nibbles(arena, tensor, is_splat ? 1 : count, data);
  return mlirDenseElementsAttrRawBufferGet(tensor, (size_t)strata_type_storage_size(type, is_splat ? 1 : count), data);
}

//===-- From attributes ------------------------------------------------------------------------------------------===//

// The first |count| elements of i1 or i4 in our format.
static const void *repacked(strata_arena_t *arena, MlirAttribute dense, strata_type_t type, int64_t count) {
  uint8_t *bytes = strata_arena_alloc(arena, (size_t)strata_type_storage_size(type, count));
  const int8_t *raw = mlirDenseElementsAttrGetRawData(dense);
  bool is_splat = mlirDenseElementsAttrIsSplat(dense);
  for (int64_t i = 0; i < count; i++)
    strata__store_i64(type, bytes, i,
                      type == STRATA_TYPE_I1 ? mlirDenseElementsAttrGetBoolValue(dense, i) : raw[is_splat ? 0 : i]);
  return bytes;
}

static const void *expanded(strata_arena_t *arena, const void *element, size_t size, int64_t count) {
  char *bytes = strata_arena_alloc(arena, size * (size_t)count);
  for (int64_t i = 0; i < count; i++)
    memcpy(bytes + (size_t)i * size, element, size);
  return bytes;
}

static const void *dense_bytes(strata_arena_t *arena, MlirAttribute dense, const strata_shape_t *shape,
                               bool *out_is_splat) {
  int64_t count = strata_shape_count(shape);
  bool is_splat = count > 0 && mlirDenseElementsAttrIsSplat(dense);
  *out_is_splat = is_splat && count > STRATA_FOLD_LIMIT;
  if (has_own_format(shape->type))
    return repacked(arena, dense, shape->type, *out_is_splat ? 1 : count);
  const void *raw = count > 0 ? mlirDenseElementsAttrGetRawData(dense) : "";
  if (!is_splat || *out_is_splat)
    return raw;
  return expanded(arena, raw, (size_t)strata_type_storage_size(shape->type, 1), count);
}

bool strata__constant_bytes(strata_compile_t *compile, strata_arena_t *arena, MlirValue value, const void **out_data,
                            bool *out_is_splat) {
  if (!is_constant(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  strata_shape_t shape = strata_shape_of(value);
  MlirAttribute dense = strata_attr(op, "value");
  *out_is_splat = false;
  if (mlirAttributeIsNull(dense)) {
    MlirStringRef name = strata_attr_str(op, "data");
    const char *text = strata_arena_printf(arena, "%.*s", (int)name.length, name.data);
    const strata_constant_data_t *constant = strata_compile_find_constant(compile, text);
    *out_data = constant && constant->data ? constant->data : "";
    return constant != NULL;
  }
  if (!mlirAttributeIsADenseElements(dense) || shape.type == STRATA_TYPE_COUNT)
    return false;
  *out_data = dense_bytes(arena, dense, &shape, out_is_splat);
  return true;
}

bool strata_constant_bytes(strata_compile_t *compile, MlirValue value, const void **out_data, bool *out_is_splat) {
  return strata__constant_bytes(compile, compile->arena, value, out_data, out_is_splat);
}

bool strata_constant_is_filled(strata_compile_t *compile, MlirValue value, double number) {
  strata_shape_t shape = strata_shape_of(value);
  uint64_t element = 0;
  const char *data;
  bool is_splat;
  int64_t count = strata_shape_count(&shape);
  if (shape.type == STRATA_TYPE_COUNT || count < 1 ||
      !strata_constant_bytes(compile, value, (const void **)&data, &is_splat))
    return false;
  size_t size = (size_t)strata_type_storage_size(shape.type, 1);
  size_t all = is_splat ? size : (size_t)strata_type_storage_size(shape.type, count);
  if (strata_type_info[shape.type].kind == STRATA_TYPE_KIND_FLOAT)
    strata__store_f64(shape.type, &element, 0, number);
  else
    strata__store_i64(shape.type, &element, 0, (int64_t)number);
  bool has_bytes = size <= sizeof element && (is_splat || all == size * (size_t)count);
  return has_bytes && !memcmp(data, &element, size) && !memcmp(data, data + size, all - size);
}

bool strata_constant_i64s(strata_compile_t *compile, MlirValue value, int64_t **out_values, int64_t *out_count) {
  const void *data;
  bool is_splat;
  strata_shape_t shape = strata_shape_of(value);
  if (shape.type == STRATA_TYPE_COUNT || strata_type_info[shape.type].kind == STRATA_TYPE_KIND_FLOAT ||
      !strata_constant_bytes(compile, value, &data, &is_splat))
    return false;
  *out_count = strata_shape_count(&shape);
  *out_values = strata_arena_array(compile->arena, int64_t, *out_count);
  for (int64_t i = 0; i < *out_count; i++)
    (*out_values)[i] = strata__load_i64(shape.type, data, is_splat ? 0 : i);
  return true;
}

bool strata_constant_f64s(strata_compile_t *compile, MlirValue value, double **out_values, int64_t *out_count) {
  const void *data;
  bool is_splat;
  strata_shape_t shape = strata_shape_of(value);
  if (!strata_constant_bytes(compile, value, &data, &is_splat))
    return false;
  bool is_float = strata_type_info[shape.type].kind == STRATA_TYPE_KIND_FLOAT;
  *out_count = strata_shape_count(&shape);
  *out_values = strata_arena_array(compile->arena, double, *out_count);
  for (int64_t i = 0; i < *out_count; i++) {
    int64_t at = is_splat ? 0 : i;
    (*out_values)[i] =
        is_float ? strata__load_f64(shape.type, data, at) : (double)strata__load_i64(shape.type, data, at);
  }
  return true;
}
