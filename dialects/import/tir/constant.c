// Constants of the dialects: dense elements, numbers, and resources at the end of the file.
#define _GNU_SOURCE // memmem
#include "dialects/import/tir/tir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Support.h>

//===-- What is known of values ----------------------------------------------------------------------------------===//

MlirAttribute tir_constant(MlirOperation op) {
  static const struct {
    const char *name, *attr;
  } constants[] = {{"stablehlo.constant", "value"},
                   {"arith.constant", "value"},
                   {"tosa.const", "values"},
                   {"tosa.const_shape", "values"}};
  for (size_t i = 0; i < sizeof constants / sizeof *constants && !mlirOperationIsNull(op); i++)
    if (strata_op_is(op, constants[i].name))
      return strata_attr(op, constants[i].attr);
  return (MlirAttribute){0};
}

static bool is_in(MlirOperation op, size_t count, const char *const *names) {
  for (size_t i = 0; i < count; i++)
    if (strata_op_is(op, names[i]))
      return true;
  return false;
}

// What only repeats, moves or converts one number has it everywhere; its first operand is what it has it of.
static MlirValue behind_repetitions(MlirValue value) {
  static const char *const repeaters[] = {
      "stablehlo.broadcast_in_dim",
      "stablehlo.dynamic_broadcast_in_dim",
      "stablehlo.reshape",
      "stablehlo.convert",
      "linalg.fill",
      "linalg.broadcast",
      "linalg.transpose",
      "tensor.splat",
      "tensor.cast",
      "tensor.expand_shape",
      "tensor.collapse_shape",
      "tensor.extract_slice",
      "tensor.reshape",
      "tensor.extract",
      "arith.index_cast",
      "tosa.reshape",
      "tosa.tile",
      "tosa.identity",
      "tosa.transpose",
      "arith.sitofp",
  };
  for (MlirOperation def = strata_def(value); !mlirOperationIsNull(def); def = strata_def(value)) {
    if (!is_in(def, sizeof repeaters / sizeof *repeaters, repeaters) || mlirOperationGetNumOperands(def) < 1)
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

static bool scalar_number(MlirAttribute attr, double *out) {
  if (mlirAttributeIsAFloat(attr))
    *out = mlirFloatAttrGetValueDouble(attr);
  else if (mlirAttributeIsABool(attr))
    *out = mlirBoolAttrGetValue(attr);
  else if (mlirAttributeIsAInteger(attr) && mlirTypeIsAIndex(mlirAttributeGetType(attr)))
    *out = (double)mlirIntegerAttrGetValueInt(attr);
  else if (mlirAttributeIsAInteger(attr) && mlirIntegerTypeGetWidth(mlirAttributeGetType(attr)) <= 64)
    *out = (double)(mlirIntegerTypeIsUnsigned(mlirAttributeGetType(attr)) ? (int64_t)mlirIntegerAttrGetValueUInt(attr)
                    : mlirIntegerTypeIsSigned(mlirAttributeGetType(attr)) ? mlirIntegerAttrGetValueSInt(attr)
                                                                          : mlirIntegerAttrGetValueInt(attr));
  else
    return false;
  return true;
}

// Elements of 48 bits are six bytes to MLIR, and i64 to us.
static bool is_six_bytes(MlirAttribute elements) {
  return strata_type_is_integer(mlirShapedTypeGetElementType(mlirAttributeGetType(elements)), 48);
}

static bool is_dense(MlirAttribute attr, const tir_type_t *type) {
  return !mlirAttributeIsNull(attr) && mlirAttributeIsADenseElements(attr) && type->dtype != STRATA_DTYPE_NONE &&
         strata_dtype_info[type->dtype].bits >= 8 && !is_six_bytes(attr) &&
         !mlirTypeIsAComplex(mlirShapedTypeGetElementType(mlirAttributeGetType(attr)));
}

bool tir_constant_number(MlirValue value, double *out) {
  if (mlirValueIsNull(value))
    return false;
  value = behind_repetitions(value);
  MlirAttribute attr = tir_constant(strata_def(value));
  tir_type_t type = tir_type_of(value);
  if (!mlirAttributeIsNull(attr) && scalar_number(attr, out))
    return true;
  if (!is_dense(attr, &type) || (!mlirDenseElementsAttrIsSplat(attr) && mlirElementsAttrGetNumElements(attr) != 1))
    return false;
  *out = element(attr, type.dtype, 0);
  return true;
}

bool tir_constant_ints(MlirValue value, int capacity, int64_t *out, int *out_count) {
  MlirAttribute elements = tir_constant(strata_def(value));
  tir_type_t type = tir_type_of(value);
  if (!is_dense(elements, &type) || mlirElementsAttrGetNumElements(elements) > capacity)
    return false;
  *out_count = (int)mlirElementsAttrGetNumElements(elements);
  for (int i = 0; i < *out_count; i++)
    out[i] = (int64_t)element(elements, type.dtype, i);
  return true;
}

//===-- Into the graph -------------------------------------------------------------------------------------------===//

static void widen_six_bytes(const uint8_t *from, uint8_t *to) {
  memcpy(to, from, 6);
  to[6] = to[7] = from[5] & 0x80 ? 0xff : 0;
}

// MLIR has the elements as we do, but those of booleans and of less than a byte, and one for all that are the same.
static void *constant_bytes(tir_op_t *o, MlirAttribute elements, strata_dtype_t dtype, int64_t count, size_t size) {
  const void *raw = mlirDenseElementsAttrGetRawData(elements);
  bool is_splat = mlirDenseElementsAttrIsSplat(elements), is_boolean = dtype == STRATA_DTYPE_BOOL;
  bool is_short = is_six_bytes(elements);
  if (!is_splat && !is_boolean && !is_short && strata_dtype_info[dtype].bits >= 8)
    return (void *)(uintptr_t)raw;
  uint8_t *bytes = strata_arena_alloc(o->importer->compile->arena, size ? size : 1);
  for (int64_t i = 0; i < count && is_short; i++)
    widen_six_bytes((const uint8_t *)raw + (is_splat ? 0 : 6 * i), bytes + 8 * i);
  if (is_short)
    return bytes;
  for (int64_t i = 0; i < count; i++) {
    double value = is_boolean ? mlirDenseElementsAttrGetBoolValue(elements, i)
                              : strata_dtype_load(STRATA_DTYPE_I8, raw, is_splat ? 0 : (size_t)i);
    if (strata_dtype_info[dtype].bits < 8 || is_boolean)
      strata_dtype_store(dtype, bytes, (size_t)i, value);
    else
      memcpy(bytes + (size_t)i * (size / (size_t)count), raw, size / (size_t)count);
  }
  return bytes;
}

// One number everywhere: a scalar that is repeated.
static const char *repeated(tir_op_t *o, MlirAttribute elements, const tir_type_t *type) {
  strata_tensor_t tensor = {.dtype = type->dtype};
  strata_dtype_size(type->dtype, 1, &tensor.size);
  tensor.data = constant_bytes(o, elements, type->dtype, 1, tensor.size);
  const char *scalar = graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor);
  return graph_op(o->g, "Expand", GRAPH_VALUES(scalar, graph_ints(o->g, type->rank, type->dims)));
}

typedef struct {
  char *text;
  size_t size, used;
} text_t;

static void append_text(MlirStringRef part, void *user) {
  text_t *t = user;
  size_t count = part.length < t->size - 1 - t->used ? part.length : t->size - 1 - t->used;
  memcpy(t->text + t->used, part.data, count);
  t->used += count;
  t->text[t->used] = 0;
}

static int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// Where the digits of the resource begin in the file's text, behind "0x" and four bytes of its alignment; NULL if it is
// not there.
static const char *find_resource(const tir_importer_t *importer, const char *name) {
  const char *end = importer->text + importer->text_size;
  const char *section = memmem(importer->text, importer->text_size, "{-#", 3);
  const char *key = strata_arena_printf(importer->compile->arena, "%s: \"0x", name);
  const char *at = section ? memmem(section, (size_t)(end - section), key, strlen(key)) : NULL;
  at = at ? at + strlen(key) : NULL;
  return at && end - at > 8 ? at + 8 : NULL;
}

// MLIR's interface has no bytes of resources, but the file's text does.
static bool read_resource(tir_op_t *o, MlirAttribute attr, strata_tensor_t *tensor) {
  char text[512] = "", *end;
  mlirAttributePrint(attr, append_text, &(text_t){.text = text, .size = sizeof text});
  char *name = strchr(text, '<');
  end = name ? strstr(name, "> : ") : NULL;
  if (strncmp(text, "dense_resource<", 15) || !end)
    return false;
  *end = 0;
  const char *digits = find_resource(o->importer, name + 1);
  const char *last = o->importer->text + o->importer->text_size;
  if (!digits || (size_t)(last - digits) / 2 < tensor->size || strata_dtype_info[tensor->dtype].bits < 8)
    return false;
  uint8_t *bytes = strata_arena_alloc(o->importer->compile->arena, tensor->size + 1);
  for (size_t i = 0; i < tensor->size; i++) {
    int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    bytes[i] = (uint8_t)(high << 4 | low);
  }
  tensor->data = bytes;
  return digits + 2 * tensor->size < last && digits[2 * tensor->size] == '"';
}

static const char *scalar_value(tir_op_t *o, double number, const tir_type_t *type, MlirAttribute value) {
  strata_tensor_t tensor = {.dtype = type->dtype};
  strata_dtype_size(type->dtype, 1, &tensor.size);
  tensor.data = strata_arena_alloc(o->importer->compile->arena, sizeof(int64_t));
  if (mlirAttributeIsAInteger(value) && strata_dtype_info[type->dtype].bits == 64) { // which doubles do not hold
    int64_t integer = mlirIntegerAttrGetValueInt(value);
    memcpy(tensor.data, &integer, sizeof integer);
  } else {
    strata_dtype_store(type->dtype, tensor.data, 0, number);
  }
  return graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor);
}

const char *tir_constant_value(tir_op_t *o, MlirAttribute value, const tir_type_t *type) {
  strata_tensor_t tensor = {.dtype = type->dtype, .rank = type->rank};
  double number;
  memcpy(tensor.shape, type->dims, sizeof type->dims);
  if (type->dtype == STRATA_DTYPE_NONE || mlirAttributeIsNull(value))
    return NULL;
  if (type->rank == 0 && scalar_number(value, &number))
    return scalar_value(o, number, type, value);
  for (int i = 0; i < type->rank; i++)
    if (type->dims[i] < 0)
      return NULL;
  int64_t count = strata_tensor_count(&tensor);
  strata_dtype_size(type->dtype, count, &tensor.size);
  if (!mlirAttributeIsADenseElements(value))
    return read_resource(o, value, &tensor) ? graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor) : NULL;
  if (mlirElementsAttrGetNumElements(value) != count)
    return NULL;
  if (count > 1 && mlirDenseElementsAttrIsSplat(value))
    return repeated(o, value, type);
  tensor.data = constant_bytes(o, value, type->dtype, count, tensor.size);
  return graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor);
}

void tir_read_constant(tir_op_t *o) {
  tir_type_t type = tir_out_type(o, 0);
  const char *value = tir_constant_value(o, tir_constant(o->op), &type);
  if (value)
    tir_set(o, 0, value);
  else
    tir_refuse(o, "a constant of this type or form: expected dense elements of numbers");
}
