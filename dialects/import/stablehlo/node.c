// What a reader sees of its operation; see stablehlo.h.
#include "dialects/import/stablehlo/stablehlo.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdio.h>
#include <stdlib.h>

//===-- Types ----------------------------------------------------------------------------------------------------===//

static void append_text(MlirStringRef part, void *user) {
  char *text = user;
  size_t used = strlen(text);
  snprintf(text + used, 32 - used, "%.*s", (int)part.length, part.data);
}

static strata_dtype_t element_type(MlirType type) {
  static const struct {
    const char *name;
    strata_dtype_t dtype;
  } names[] = {
#define HLO_DTYPE(name, dtype) {name, STRATA_DTYPE_##dtype},
#include "dialects/import/stablehlo/dtypes.def"
  };
  char text[32] = "";
  mlirTypePrint(type, append_text, text);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(text, names[i].name))
      return names[i].dtype;
  return STRATA_DTYPE_NONE;
}

hlo_type_t hlo_type_of(MlirValue value) {
  hlo_type_t type = {.dtype = STRATA_DTYPE_NONE};
  MlirType tensor = mlirValueGetType(value);
  if (!mlirTypeIsARankedTensor(tensor) || mlirShapedTypeGetRank(tensor) > HLO_MAX_RANK)
    return type;
  type.dtype = element_type(mlirShapedTypeGetElementType(tensor));
  type.rank = (int)mlirShapedTypeGetRank(tensor);
  for (int i = 0; i < type.rank; i++)
    type.dims[i] = mlirShapedTypeIsDynamicDim(tensor, i) ? -1 : mlirShapedTypeGetDimSize(tensor, i);
  return type;
}

//===-- Operands and results -------------------------------------------------------------------------------------===//

const char *hlo_name(const hlo_importer_t *importer, MlirValue value) {
  int64_t *number = strata_pointer_map_get(&importer->names, value.ptr);
  return number ? importer->texts.data[*number] : "";
}

void hlo_set_name(hlo_importer_t *importer, MlirValue value, const char *name) {
  *strata_pointer_map_put(&importer->names, value.ptr) = (int64_t)importer->texts.count;
  *strata_vector_push(importer->compile->arena, &importer->texts) = name;
}

int hlo_n_operands(const hlo_op_t *o) { return (int)mlirOperationGetNumOperands(o->op); }

MlirValue hlo_value(const hlo_op_t *o, int i) { return mlirOperationGetOperand(o->op, i); }

const char *hlo_in(hlo_op_t *o, int i) { return i < hlo_n_operands(o) ? hlo_name(o->importer, hlo_value(o, i)) : ""; }

hlo_type_t hlo_in_type(hlo_op_t *o, int i) {
  return i < hlo_n_operands(o) ? hlo_type_of(hlo_value(o, i)) : (hlo_type_t){.dtype = STRATA_DTYPE_NONE};
}

hlo_type_t hlo_out_type(hlo_op_t *o, int i) {
  return i < mlirOperationGetNumResults(o->op) ? hlo_type_of(mlirOperationGetResult(o->op, i))
                                               : (hlo_type_t){.dtype = STRATA_DTYPE_NONE};
}

void hlo_set(hlo_op_t *o, int i, const char *name) {
  if (i < mlirOperationGetNumResults(o->op))
    hlo_set_name(o->importer, mlirOperationGetResult(o->op, i), name);
}

void hlo_refuse(hlo_op_t *o, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  graph_node_t *node = graph_refuse(o->g, "%s", text);
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    hlo_set(o, i, graph_result(node, NULL));
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static MlirAttribute constant_elements(MlirValue value) {
  MlirOperation def = strata_def(value);
  MlirAttribute attr =
      mlirOperationIsNull(def) || !hlo_op_is(def, "constant") ? (MlirAttribute){0} : strata_attr(def, "value");
  return !mlirAttributeIsNull(attr) && mlirAttributeIsADenseElements(attr) ? attr : (MlirAttribute){0};
}

// What only repeats or converts one number has it everywhere.
static MlirValue behind_repetitions(MlirValue value) {
  for (MlirOperation def = strata_def(value); !mlirOperationIsNull(def); def = strata_def(value)) {
    if (!hlo_op_is(def, "broadcast_in_dim") && !hlo_op_is(def, "dynamic_broadcast_in_dim") &&
        !hlo_op_is(def, "reshape") && !hlo_op_is(def, "convert"))
      break;
    value = mlirOperationGetOperand(def, 0);
  }
  return value;
}

static double element(MlirAttribute elements, strata_dtype_t dtype, intptr_t i) {
  if (dtype == STRATA_DTYPE_BOOL)
    return mlirDenseElementsAttrGetBoolValue(elements, i);
  return strata_dtype_load(dtype, mlirDenseElementsAttrGetRawData(elements),
                           mlirDenseElementsAttrIsSplat(elements) ? 0 : (size_t)i);
}

bool hlo_constant_number(MlirValue value, double *out) {
  value = behind_repetitions(value);
  MlirAttribute elements = constant_elements(value);
  hlo_type_t type = hlo_type_of(value);
  if (mlirAttributeIsNull(elements) || type.dtype == STRATA_DTYPE_NONE || strata_dtype_info[type.dtype].bits < 8)
    return false;
  if (!mlirDenseElementsAttrIsSplat(elements) && mlirElementsAttrGetNumElements(elements) != 1)
    return false;
  *out = element(elements, type.dtype, 0);
  return true;
}

bool hlo_constant_ints(MlirValue value, int capacity, int64_t *out, int *out_count) {
  MlirAttribute elements = constant_elements(value);
  hlo_type_t type = hlo_type_of(value);
  if (mlirAttributeIsNull(elements) || mlirElementsAttrGetNumElements(elements) > capacity)
    return false;
  if (type.dtype == STRATA_DTYPE_NONE || strata_dtype_info[type.dtype].bits < 8)
    return false;
  *out_count = (int)mlirElementsAttrGetNumElements(elements);
  for (int i = 0; i < *out_count; i++)
    out[i] = (int64_t)element(elements, type.dtype, i);
  return true;
}

//===-- Attributes -----------------------------------------------------------------------------------------------===//

int hlo_int_list(const hlo_op_t *o, const char *name, int capacity, int64_t *out) {
  MlirAttribute attr = strata_attr(o->op, name);
  if (mlirAttributeIsNull(attr))
    return 0;
  bool is_array = mlirAttributeIsADenseI64Array(attr), is_dense = mlirAttributeIsADenseIntElements(attr);
  int64_t count = is_array ? mlirDenseArrayGetNumElements(attr) : is_dense ? mlirElementsAttrGetNumElements(attr) : -1;
  if (count < 0 || count > capacity)
    return -1;
  if (is_dense && mlirIntegerTypeGetWidth(mlirShapedTypeGetElementType(mlirAttributeGetType(attr))) != 64)
    return -1;
  for (int64_t i = 0; i < count; i++)
    out[i] = is_array ? mlirDenseI64ArrayGetElement(attr, i) : mlirDenseElementsAttrGetInt64Value(attr, i);
  return (int)count;
}

bool hlo_ints(const hlo_op_t *o, const char *name, int count, int64_t otherwise, int64_t *out) {
  if (!mlirAttributeIsNull(strata_attr(o->op, name)))
    return hlo_int_list(o, name, count, out) == count;
  for (int i = 0; i < count; i++)
    out[i] = otherwise;
  return true;
}

int64_t hlo_int(const hlo_op_t *o, const char *name, int64_t otherwise) {
  return strata_attr_i64(o->op, name, otherwise);
}

const char *hlo_text(const hlo_op_t *o, const char *name) {
  MlirAttribute attr = strata_attr(o->op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAOpaque(attr))
    return "";
  MlirStringRef text = mlirOpaqueAttrGetData(attr);
  return strata_arena_printf(o->importer->compile->arena, "%.*s", (int)text.length, text.data);
}

const char *hlo_word(const hlo_op_t *o, const char *name) {
  const char *text = hlo_text(o, name), *word = strrchr(text, ' ');
  return word ? word + 1 : text;
}

int hlo_field(const char *text, const char *field, int capacity, int64_t *out) {
  size_t length = strlen(field);
  for (const char *at = strstr(text, field); at; at = strstr(at + 1, field)) {
    bool is_whole = at > text && (at[-1] == ' ' || at[-1] == '<' || at[-1] == ',') && !strncmp(at + length, " = ", 3);
    if (!is_whole)
      continue;
    at += length + 3;
    int count = 0;
    bool is_list = *at == '[';
    for (at += is_list; *at && *at != ']' && count < capacity;) {
      char *end;
      out[count] = strtoll(at, &end, 10);
      if (end == at)
        break;
      count++;
      at = end + strspn(end, ", ");
      if (!is_list)
        break;
    }
    return count;
  }
  return 0;
}

//===-- Building -------------------------------------------------------------------------------------------------===//

const char *hlo_cast(hlo_op_t *o, const char *value, strata_dtype_t dtype) { return graph_cast(o->g, value, dtype); }

static bool is_static(const hlo_type_t *type) {
  for (int i = 0; i < type->rank; i++)
    if (type->dims[i] < 0)
      return false;
  return true;
}

const char *hlo_sizes(hlo_op_t *o, const char *value, const hlo_type_t *type) {
  return is_static(type) ? graph_ints(o->g, type->rank, type->dims) : graph_op(o->g, "Shape", GRAPH_VALUES(value));
}

const char *hlo_size(hlo_op_t *o, const char *value, const hlo_type_t *type, int axis) {
  if (type->dims[axis] >= 0)
    return graph_ints(o->g, 1, &type->dims[axis]);
  graph_node_t *node = graph_node(o->g, "Shape", GRAPH_VALUES(value));
  graph_set_int(node, "start", axis);
  graph_set_int(node, "end", axis + 1);
  return graph_result(node, NULL);
}

const char *hlo_reshape(hlo_op_t *o, const char *value, const char *sizes) {
  graph_node_t *node = graph_node(o->g, "Reshape", GRAPH_VALUES(value, sizes));
  graph_set_int(node, "allowzero", 1);
  return graph_result(node, NULL);
}

const char *hlo_reshape_static(hlo_op_t *o, const char *value, int rank, const int64_t *dims) {
  return hlo_reshape(o, value, graph_ints(o->g, rank, dims));
}

const char *hlo_concat(hlo_op_t *o, int axis, int count, const char *const *values) {
  if (count == 1)
    return values[0];
  graph_node_t *node = graph_node(o->g, "Concat", count, values);
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

const char *hlo_transpose(hlo_op_t *o, const char *value, int rank, const int64_t *permutation) {
  for (int i = 0; i < rank; i++)
    if (permutation[i] != i)
      return graph_transpose(o->g, value, rank, permutation);
  return value;
}

const char *hlo_slice(hlo_op_t *o, const char *value, int rank, const int64_t *starts, const int64_t *limits,
                      const int64_t *steps) {
  int64_t axes[HLO_MAX_RANK];
  for (int i = 0; i < rank; i++)
    axes[i] = i;
  return graph_op(o->g, "Slice",
                  GRAPH_VALUES(value, graph_ints(o->g, rank, starts), graph_ints(o->g, rank, limits),
                               graph_ints(o->g, rank, axes), graph_ints(o->g, rank, steps)));
}

const char *hlo_slice_axis(hlo_op_t *o, const char *value, int axis, int64_t start, int64_t limit, int64_t step) {
  int64_t place = axis;
  return graph_op(o->g, "Slice",
                  GRAPH_VALUES(value, graph_ints(o->g, 1, &start), graph_ints(o->g, 1, &limit),
                               graph_ints(o->g, 1, &place), graph_ints(o->g, 1, &step)));
}

const char *hlo_counting(hlo_op_t *o, const char *size) {
  int64_t axis = 0;
  const char *count = graph_squeeze(o->g, size, 1, &axis);
  return graph_op(o->g, "Range", GRAPH_VALUES(graph_int(o->g, 0), count, graph_int(o->g, 1)));
}

const char *hlo_number(hlo_op_t *o, strata_dtype_t dtype, double value) { return graph_number(o->g, dtype, value); }
