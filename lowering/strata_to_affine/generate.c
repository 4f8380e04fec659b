// Values from nothing. Constants have no nest: a splat is a number in the bodies of its readers, any other a
// memref.global whose bytes are in the compile's table. iota is a nest that stores a coordinate.
#include "lowering/strata_to_affine/lower.h"

//===-- Constants ------------------------------------------------------------------------------------------------===//

// A name for a constant that has none yet: that of its location, if it has one.
static const char *name_of_location(MlirLocation location, strata_arena_t *arena) {
  if (!mlirLocationIsAName(location))
    return "constant";
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
  return strata_arena_printf(arena, "%.*s", (int)name.length, name.data);
}

static strata__buffer_t *new_global(strata__lowering_t *l, const strata_constant_data_t *data,
                                    const strata__tensor_t *tensor, MlirLocation location) {
  const char *symbol = data->name;
  if (!strcmp(symbol, "prepare") || !mlirOperationIsNull(strata_find_func(l->compile->module, symbol)))
    symbol = strata_compile_add_constant(l->compile, "constant", data->data, data->size);
  MlirType type = strata__memref_type(l->context, tensor->type, tensor->rank, tensor->sizes);
  strata_named_attr_t attrs[] = {{"sym_name", strata_str_attr(l->context, symbol)},
                                 {"sym_visibility", strata_str_attr(l->context, "private")},
                                 {"type", mlirTypeAttrGet(type)}};
  MlirOperation op = strata_op_create(location, "memref.global", 0, NULL, 0, NULL, 3, attrs, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(l->compile->module), l->main, op);
  strata__buffer_t *buffer = strata__new_buffer(l, tensor->type, tensor->rank, tensor->sizes, location);
  buffer->symbol = symbol;
  return buffer;
}

// The buffer of a constant of the table; one for all its uses.
static strata__buffer_t *global_buffer(strata__lowering_t *l, const strata_constant_data_t *data,
                                       const strata__tensor_t *tensor, MlirLocation location) {
  int64_t *known = strata_pointer_map_get(&l->constant_index, data);
  strata__buffer_t *buffer = known ? l->constants.data[*known] : NULL;
  if (buffer && buffer->type == tensor->type)
    return buffer;
  if (buffer) // the same bytes read as another type: a buffer of its own
    data = strata_compile_find_constant(l->compile,
                                        strata_compile_add_constant(l->compile, data->name, data->data, data->size));
  *strata_pointer_map_put(&l->constant_index, data) = (int64_t)l->constants.count;
  return *strata_vector_push(l->compile->arena, &l->constants) = new_global(l, data, tensor, location);
}

// The table's entry of a constant op; small constants join the table here. NULL if the bytes cannot be had.
static const strata_constant_data_t *constant_data(strata__lowering_t *l, MlirOperation op) {
  strata_arena_t *arena = l->compile->arena;
  const void *bytes;
  bool is_splat;
  MlirStringRef name = strata_attr_str(op, "data");
  if (name.length > 0)
    return strata_compile_find_constant(l->compile, strata_arena_printf(arena, "%.*s", (int)name.length, name.data));
  if (!strata_constant_bytes(l->compile, mlirOperationGetResult(op, 0), &bytes, &is_splat) || is_splat)
    return NULL;
  const strata__tensor_t *tensor = strata__result(l, op, 0);
  int64_t count = strata_size_static_value(strata__count(tensor->rank, tensor->sizes));
  const char *unique = strata_compile_add_constant(l->compile, name_of_location(mlirOperationGetLocation(op), arena),
                                                   bytes, (size_t)strata_type_storage_size(tensor->type, count));
  return strata_compile_find_constant(l->compile, unique);
}

static strata_status_t lower_constant(strata__lowering_t *l, MlirOperation op) {
  strata__tensor_t *tensor = strata__result(l, op, 0);
  MlirAttribute value = strata_attr(op, "value");
  if (!mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value)) {
    tensor->splat = mlirDenseElementsAttrGetSplatValue(value);
    return NULL;
  }
  const strata_constant_data_t *data = constant_data(l, op);
  if (!data)
    return strata_error(STRATA_INVALID_ARGUMENT, "constant: the compile has no data for it");
  tensor->buffer = global_buffer(l, data, tensor, mlirOperationGetLocation(op));
  tensor->map = strata__reshape_map(l, tensor->rank, tensor->sizes, tensor->buffer->rank, tensor->buffer->sizes);
  return NULL;
}

//===-- Iota -----------------------------------------------------------------------------------------------------===//

static MlirValue number_of_index(strata__nest_t *nest, MlirValue index, strata_type_t type) {
  MlirType math = strata__math_type(nest->lowering->context, type);
  if (!mlirTypeIsAFloat(math))
    return strata__cast(nest, "arith.index_cast", index, math);
  MlirType i64 = mlirIntegerTypeGet(nest->lowering->context, 64);
  return strata__cast(nest, "arith.sitofp", strata__cast(nest, "arith.index_cast", index, i64), math);
}

static void lower_iota(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *result = strata__result(l, op, 0);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  strata__nest_begin_for(l, &nest, op, "iota", result, point);
  MlirValue index = strata__index_of(&nest, point[strata_attr_i64(op, "axis", 0)]);
  strata__store(&nest, result, point, number_of_index(&nest, index, result->type));
  strata__nest_end(&nest);
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

// A nest of one point for each.
static void lower_dims(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *result = strata__result(l, op, 0);
  strata_size_t sizes[STRATA_MAX_RANK];
  int count = strata__dims_attr(l, op, "values", sizes);
  for (int i = 0; i < count; i++) {
    strata__nest_t nest;
    strata__nest_begin(l, &nest, op, "dims", 0, NULL);
    MlirAffineExpr point = strata__constant(&nest, i);
    strata__store(&nest, result, &point, number_of_index(&nest, strata__size(&nest, sizes[i]), result->type));
    strata__nest_end(&nest);
  }
}

strata_status_t strata__lower_generate(strata__lowering_t *l, MlirOperation op) {
  if (strata_op_id(op) == STRATA_OP_CONSTANT)
    return lower_constant(l, op);
  if (strata_op_id(op) == STRATA_OP_DIMS) {
    lower_dims(l, op);
    return NULL;
  }
  lower_iota(l, op);
  return NULL;
}
