// Records from ops and back; see record.h.
#include "dialects/strata/record.h"

#include "dialects/mlir_util.h"

strata__record_t strata__record(strata_op_id_t id) {
  return (strata__record_t){.id = id,
                            .n_operands = strata_op_info[id].n_operands,
                            .n_results = strata__n_results(id)};
}

int strata__n_results(strata_op_id_t id) {
  strata_op_kind_t kind = strata_op_info[id].kind;
  return kind == STRATA_KIND_SORT || kind == STRATA_KIND_SUPPRESS ? 2 : 1;
}

static int find(const strata__record_t *record, const char *name) {
  const strata__signature_t *signature = strata__op_signature(record->id);
  int i = 0;
  while (i < signature->n_attrs - 1 && !strata_str_equal(signature->attrs[i].name, name))
    i++;
  return i;
}

const strata__attr_t *strata__get(const strata__record_t *record, const char *name) {
  return &record->attrs[find(record, name)];
}

void strata__set_i64(strata__record_t *record, const char *name, int64_t value) {
  strata__set_i64s(record, name, 1, &value);
}

void strata__set_i64s(strata__record_t *record, const char *name, int count, const int64_t *values) {
  strata__attr_t *attr = &record->attrs[find(record, name)];
  attr->count = count < STRATA_MAX_RANK ? count : STRATA_MAX_RANK;
  for (int i = 0; i < attr->count; i++)
    attr->i64s[i] = values[i];
}

void strata__set_dims(strata__record_t *record, const char *name, int count, const strata_dim_t *values) {
  strata__attr_t *attr = &record->attrs[find(record, name)];
  attr->count = count < STRATA_MAX_RANK ? count : STRATA_MAX_RANK;
  attr->is_symbolic = false;
  for (int i = 0; i < attr->count; i++) {
    attr->dims[i] = values[i];
    attr->is_symbolic |= !strata_dim_is_constant(values[i], &attr->i64s[i]);
  }
}

strata_dim_t strata__dim_at(MlirContext context, const strata__record_t *record, const char *name, int i) {
  const strata__attr_t *attr = strata__get(record, name);
  return attr->is_symbolic ? attr->dims[i] : strata_dim_constant(context, attr->i64s[i]);
}

bool strata__has_symbols(const strata__record_t *record) {
  bool found = false;
  for (int i = 0; i < strata__op_signature(record->id)->n_attrs; i++)
    found |= record->attrs[i].is_symbolic;
  return found;
}

void strata__set_f64(strata__record_t *record, const char *name, double value) {
  record->attrs[find(record, name)].f64 = value;
}

void strata__set_string(strata__record_t *record, const char *name, const char *value) {
  record->attrs[find(record, name)].string = strata_str(value);
}

void strata__set_maps(strata__record_t *record, const char *name, int count, const MlirAffineMap *maps) {
  strata__attr_t *attr = &record->attrs[find(record, name)];
  attr->count = count;
  for (int i = 0; i < count; i++)
    attr->maps[i] = maps[i];
}

void strata__set_any(strata__record_t *record, const char *name, MlirAttribute value) {
  record->attrs[find(record, name)].any = value;
}

//===-- To attributes --------------------------------------------------------------------------------------------===//

static MlirAttribute encode_maps(MlirContext context, const strata__attr_t *attr) {
  MlirAttribute maps[3];
  for (int i = 0; i < attr->count; i++)
    maps[i] = mlirAffineMapAttrGet(attr->maps[i]);
  return mlirArrayAttrGet(context, attr->count, maps);
}

MlirAttribute strata__encode_attr(MlirContext context, const strata__record_t *record, int index) {
  const strata__attr_t *attr = &record->attrs[index];
  switch (strata__op_signature(record->id)->attrs[index].kind) {
  case STRATA__ATTR_I64:
    return strata_i64_attr(context, attr->i64s[0]);
  case STRATA__ATTR_I64S:
    return strata_i64s_attr(context, attr->count, attr->i64s);
  case STRATA__ATTR_DIMS:
    return attr->is_symbolic ? mlirAffineMapAttrGet(strata_exprs_map(context, attr->count, attr->dims))
                             : strata_i64s_attr(context, attr->count, attr->i64s);
  case STRATA__ATTR_BOOL:
    return strata_bool_attr(context, attr->i64s[0]);
  case STRATA__ATTR_FLAG:
    return attr->i64s[0] ? strata_bool_attr(context, true) : mlirAttributeGetNull();
  case STRATA__ATTR_STRING:
    return mlirStringAttrGet(context, attr->string);
  case STRATA__ATTR_MAP:
    return mlirAffineMapAttrGet(attr->maps[0]);
  case STRATA__ATTR_MAPS:
    return encode_maps(context, attr);
  case STRATA__ATTR_ANY:
    return attr->any;
  case STRATA__ATTR_F64:
    return mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), attr->f64);
  case STRATA__ATTR_KIND_COUNT:
    break;
  }
  return mlirAttributeGetNull();
}

//===-- From ops -------------------------------------------------------------------------------------------------===//

static bool decode_i64s(MlirAttribute attr, strata__attr_t *out) {
  if (!mlirAttributeIsADenseI64Array(attr) || mlirDenseArrayGetNumElements(attr) > STRATA_MAX_RANK)
    return false;
  out->count = (int)mlirDenseArrayGetNumElements(attr);
  for (int i = 0; i < out->count; i++)
    out->i64s[i] = mlirDenseI64ArrayGetElement(attr, i);
  return true;
}

static bool decode_dims(MlirAttribute attr, strata__attr_t *out) {
  if (!mlirAttributeIsAAffineMap(attr))
    return decode_i64s(attr, out);
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  if (mlirAffineMapGetNumDims(map) != 0 || mlirAffineMapGetNumResults(map) > STRATA_MAX_RANK)
    return false;
  out->count = (int)mlirAffineMapGetNumResults(map);
  for (int i = 0; i < out->count; i++) {
    out->dims[i] = strata_dim_normal(mlirAffineMapGetResult(map, i));
    out->is_symbolic |= !strata_dim_is_constant(out->dims[i], &out->i64s[i]);
  }
  return true;
}

static bool decode_i64(MlirAttribute attr, strata__attr_t *out) {
  if (!mlirAttributeIsAInteger(attr) || !mlirTypeIsAInteger(mlirAttributeGetType(attr)) ||
      mlirIntegerTypeGetWidth(mlirAttributeGetType(attr)) > 64)
    return false;
  out->count = 1;
  out->i64s[0] = mlirIntegerAttrGetValueInt(attr);
  return true;
}

static bool decode_bool(MlirAttribute attr, strata__attr_t *out) {
  if (!mlirAttributeIsABool(attr))
    return false;
  out->count = 1;
  out->i64s[0] = mlirBoolAttrGetValue(attr);
  return true;
}

static bool decode_maps(MlirAttribute attr, strata__attr_t *out) {
  if (!mlirAttributeIsAArray(attr) || mlirArrayAttrGetNumElements(attr) != 3)
    return false;
  out->count = 3;
  for (int i = 0; i < 3; i++) {
    MlirAttribute element = mlirArrayAttrGetElement(attr, i);
    if (!mlirAttributeIsAAffineMap(element))
      return false;
    out->maps[i] = mlirAffineMapAttrGetValue(element);
  }
  return true;
}

static bool decode_attr(MlirAttribute attr, strata__attr_kind_t kind, strata__attr_t *out) {
  if (mlirAttributeIsNull(attr)) {
    out->count = 1;
    out->i64s[0] = false;
    return kind == STRATA__ATTR_FLAG;
  }
  switch (kind) {
  case STRATA__ATTR_I64:
    return decode_i64(attr, out);
  case STRATA__ATTR_I64S:
    return decode_i64s(attr, out);
  case STRATA__ATTR_DIMS:
    return decode_dims(attr, out);
  case STRATA__ATTR_BOOL:
  case STRATA__ATTR_FLAG:
    return decode_bool(attr, out);
  case STRATA__ATTR_MAPS:
    return decode_maps(attr, out);
  case STRATA__ATTR_ANY:
    out->any = attr;
    return true;
  case STRATA__ATTR_STRING:
    if (!mlirAttributeIsAString(attr))
      return false;
    out->string = mlirStringAttrGetValue(attr);
    return true;
  case STRATA__ATTR_MAP:
    if (!mlirAttributeIsAAffineMap(attr))
      return false;
    out->count = 1;
    out->maps[0] = mlirAffineMapAttrGetValue(attr);
    return true;
  case STRATA__ATTR_F64:
    if (!mlirAttributeIsAFloat(attr))
      return false;
    out->f64 = mlirFloatAttrGetValueDouble(attr);
    return true;
  case STRATA__ATTR_KIND_COUNT:
    break;
  }
  return false;
}

strata_status_t strata__decode_attrs(MlirOperation op, const strata__signature_t *signature, strata__attr_t *out) {
  for (int i = 0; i < signature->n_attrs; i++) {
    MlirStringRef name = signature->attrs[i].name;
    if (!decode_attr(mlirOperationGetAttributeByName(op, name), signature->attrs[i].kind, &out[i]))
      return strata__invalid("attribute '%.*s' is missing or not of the declared kind", (int)name.length, name.data);
  }
  return NULL;
}

strata_status_t strata__decode(MlirOperation op, strata__record_t *out) {
  *out = strata__record(strata_op_id(op));
  if (mlirOperationGetNumOperands(op) != out->n_operands || mlirOperationGetNumResults(op) != out->n_results)
    return strata__invalid("expected %d operands and %d results, got %d and %d", out->n_operands, out->n_results,
                           (int)mlirOperationGetNumOperands(op), (int)mlirOperationGetNumResults(op));
  for (int i = 0; i < out->n_operands; i++)
    out->operands[i] = strata_shape_of(mlirOperationGetOperand(op, i));
  for (int i = 0; i < out->n_results; i++)
    out->results[i] = strata_shape_of(mlirOperationGetResult(op, i));
  return strata__decode_attrs(op, strata__op_signature(out->id), out->attrs);
}
