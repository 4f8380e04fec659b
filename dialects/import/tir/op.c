// What a reader sees of its operation; see tir.h.
#include "dialects/import/tir/tir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdio.h>
#include <stdlib.h>

//===-- Types ----------------------------------------------------------------------------------------------------===//

typedef struct {
  char text[64];
} type_text_t;

static void append_text(MlirStringRef part, void *user) {
  type_text_t *t = user;
  size_t used = strlen(t->text);
  snprintf(t->text + used, sizeof t->text - used, "%.*s", (int)part.length, part.data);
}

// The type of a name; a quantised one is what its numbers are stored as, "!quant.uniform<i8:f32, ...>".
static strata_dtype_t dtype_named(const char *text) {
  static const struct {
    const char *name;
    strata_dtype_t dtype;
  } names[] = {
#define TIR_DTYPE(name, dtype) {name, STRATA_DTYPE_##dtype},
#include "dialects/import/tir/dtypes.def"
  };
  static const char quantised[] = "!quant.uniform<";
  bool is_quantised = !strncmp(text, quantised, sizeof quantised - 1);
  text += is_quantised ? sizeof quantised - 1 : 0;
  size_t length = is_quantised ? strcspn(text, ":<") : strlen(text);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (length == strlen(names[i].name) && !memcmp(text, names[i].name, length))
      return names[i].dtype;
  return STRATA_DTYPE_NONE;
}

// A number, or a list of sizes of TOSA's.
static tir_type_t scalar_type(const char *text) {
  static const char shape[] = "!tosa.shape<";
  tir_type_t type = {.dtype = dtype_named(text)};
  if (strncmp(text, shape, sizeof shape - 1))
    return type;
  return (tir_type_t){.dtype = STRATA_DTYPE_I64, .rank = 1, .dims = {strtoll(text + sizeof shape - 1, NULL, 10)}};
}

tir_type_t tir_type_of(MlirValue value) {
  tir_type_t type = {.dtype = STRATA_DTYPE_NONE};
  MlirType tensor = mlirValueGetType(value);
  bool is_tensor = mlirTypeIsARankedTensor(tensor);
  if (is_tensor && mlirShapedTypeGetRank(tensor) > TIR_MAX_RANK)
    return type;
  type_text_t element = {""};
  mlirTypePrint(is_tensor ? mlirShapedTypeGetElementType(tensor) : tensor, append_text, &element);
  if (!is_tensor)
    return scalar_type(element.text);
  type.dtype = dtype_named(element.text);
  type.rank = (int)mlirShapedTypeGetRank(tensor);
  for (int i = 0; i < type.rank; i++)
    type.dims[i] = mlirShapedTypeIsDynamicDim(tensor, i) ? -1 : mlirShapedTypeGetDimSize(tensor, i);
  return type;
}

//===-- Operands and results -------------------------------------------------------------------------------------===//

static const char *name_in(const tir_importer_t *importer, const strata_pointer_map_t *names, MlirValue value) {
  int64_t *number = strata_pointer_map_get(names, value.ptr);
  return number ? importer->texts.data[*number] : "";
}

static void set_name_in(tir_importer_t *importer, strata_pointer_map_t *names, MlirValue value, const char *name) {
  *strata_pointer_map_put(names, value.ptr) = (int64_t)importer->texts.count;
  *strata_vector_push(importer->compile->arena, &importer->texts) = name;
}

const char *tir_name(const tir_importer_t *importer, MlirValue value) {
  return name_in(importer, &importer->names, value);
}

void tir_set_name(tir_importer_t *importer, MlirValue value, const char *name) {
  set_name_in(importer, &importer->names, value, name);
}

int tir_n_operands(const tir_op_t *o) { return (int)mlirOperationGetNumOperands(o->op); }

MlirValue tir_value(const tir_op_t *o, int i) { return mlirOperationGetOperand(o->op, i); }

// Which map has the name that the reader means.
static strata_pointer_map_t *names_of(const tir_op_t *o, MlirValue value) {
  return o->is_imaginary && tir_is_complex(value) ? &o->importer->imaginary : &o->importer->names;
}

const char *tir_in(tir_op_t *o, int i) {
  return i < tir_n_operands(o) ? name_in(o->importer, names_of(o, tir_value(o, i)), tir_value(o, i)) : "";
}

tir_type_t tir_in_type(tir_op_t *o, int i) {
  return i < tir_n_operands(o) ? tir_type_of(tir_value(o, i)) : (tir_type_t){.dtype = STRATA_DTYPE_NONE};
}

tir_type_t tir_out_type(tir_op_t *o, int i) {
  return i < mlirOperationGetNumResults(o->op) ? tir_type_of(mlirOperationGetResult(o->op, i))
                                               : (tir_type_t){.dtype = STRATA_DTYPE_NONE};
}

void tir_set(tir_op_t *o, int i, const char *name) {
  if (i >= mlirOperationGetNumResults(o->op))
    return;
  MlirValue result = mlirOperationGetResult(o->op, i);
  set_name_in(o->importer, names_of(o, result), result, name);
}

void tir_refuse(tir_op_t *o, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  graph_node_t *node = graph_refuse(o->g, "%s", text);
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++) {
    MlirValue result = mlirOperationGetResult(o->op, i);
    const char *name = graph_result(node, NULL);
    set_name_in(o->importer, &o->importer->names, result, name);
    set_name_in(o->importer, &o->importer->imaginary, result, name);
  }
}

//===-- Attributes -----------------------------------------------------------------------------------------------===//

// The elements of an array attribute of 32 or 64 bits; -1 if it is none.
static int64_t array_count(MlirAttribute attr) {
  bool is_array = mlirAttributeIsADenseI64Array(attr) || mlirAttributeIsADenseI32Array(attr);
  return is_array ? mlirDenseArrayGetNumElements(attr) : -1;
}

static int64_t array_element(MlirAttribute attr, int64_t i) {
  return mlirAttributeIsADenseI64Array(attr) ? mlirDenseI64ArrayGetElement(attr, i)
                                             : mlirDenseI32ArrayGetElement(attr, i);
}

int tir_int_list(const tir_op_t *o, const char *name, int capacity, int64_t *out) {
  MlirAttribute attr = strata_attr(o->op, name);
  if (mlirAttributeIsNull(attr))
    return 0;
  bool is_dense = mlirAttributeIsADenseIntElements(attr);
  int64_t count = is_dense ? mlirElementsAttrGetNumElements(attr) : array_count(attr);
  if (count < 0 || count > capacity)
    return -1;
  if (is_dense && mlirIntegerTypeGetWidth(mlirShapedTypeGetElementType(mlirAttributeGetType(attr))) != 64)
    return -1;
  for (int64_t i = 0; i < count; i++)
    out[i] = is_dense ? mlirDenseElementsAttrGetInt64Value(attr, i) : array_element(attr, i);
  return (int)count;
}

bool tir_ints(const tir_op_t *o, const char *name, int count, int64_t otherwise, int64_t *out) {
  if (!mlirAttributeIsNull(strata_attr(o->op, name)))
    return tir_int_list(o, name, count, out) == count;
  for (int i = 0; i < count; i++)
    out[i] = otherwise;
  return true;
}

int64_t tir_int(const tir_op_t *o, const char *name, int64_t otherwise) {
  return strata_attr_i64(o->op, name, otherwise);
}
