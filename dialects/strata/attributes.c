// Checks the attributes of attributes.def, which nothing of MLIR's knows, so that their readers may take them at their
// word.
#include "dialects/affine/schedule.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

typedef enum { TEXT, INTEGER, SIZE, INTEGERS, UNIT, TYPE, SYMBOL, DICTIONARIES, SCHEDULE } kind_t;

static const struct {
  const char *name;
  kind_t kind;
} attributes[] = {
#define ATTRIBUTE(name, kind) {name, kind},
#include "dialects/strata/attributes.def"
};

static bool are_dictionaries(MlirAttribute value) {
  bool good = mlirAttributeIsAArray(value);
  for (intptr_t i = 0; good && i < mlirArrayAttrGetNumElements(value); i++)
    good = mlirAttributeIsADictionary(mlirArrayAttrGetElement(value, i));
  return good;
}

static bool is_i64(MlirAttribute value) {
  return mlirAttributeIsAInteger(value) && mlirTypeIsAInteger(mlirAttributeGetType(value)) &&
         mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) == 64;
}

static bool is_size(MlirAttribute value) {
  if (!mlirAttributeIsAAffineMap(value))
    return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(value);
  return mlirAffineMapGetNumDims(map) == 0 && mlirAffineMapGetNumResults(map) == 1;
}

// Of an entry of a schedule.
static bool has_negative(MlirAttribute value) {
  bool found = is_i64(value) && mlirIntegerAttrGetValueInt(value) < 0;
  for (intptr_t i = 0; mlirAttributeIsADenseI64Array(value) && i < mlirDenseArrayGetNumElements(value); i++)
    found |= mlirDenseI64ArrayGetElement(value, i) < 0;
  return found;
}

static bool is_schedule(MlirAttribute value) {
  bool good = mlirAttributeIsADictionary(value);
  for (intptr_t i = 0; good && i < mlirDictionaryAttrGetNumElements(value); i++) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(value, i);
    good = strata_schedule_has_key(mlirIdentifierStr(entry.name), entry.attribute) && !has_negative(entry.attribute);
  }
  return good;
}

static bool is_of(MlirAttribute value, kind_t kind) {
  switch (kind) {
  case TEXT:
    return mlirAttributeIsAString(value) && mlirStringAttrGetValue(value).length > 0 &&
           !memchr(mlirStringAttrGetValue(value).data, 0, mlirStringAttrGetValue(value).length);
  case INTEGER:
    return is_i64(value);
  case SIZE:
    return is_i64(value) || is_size(value);
  case INTEGERS:
    return mlirAttributeIsADenseI64Array(value);
  case UNIT:
    return mlirAttributeIsAUnit(value);
  case TYPE:
    return mlirAttributeIsAType(value);
  case SYMBOL:
    return mlirAttributeIsAFlatSymbolRef(value);
  case DICTIONARIES:
    return are_dictionaries(value);
  case SCHEDULE:
    return is_schedule(value);
  }
  return false;
}

static strata_status_t check(MlirNamedAttribute attribute) {
  static const char *const words[] = {[TEXT] = "text",
                                      [INTEGER] = "an i64",
                                      [SIZE] = "an i64, or a map of symbols with one result",
                                      [INTEGERS] = "array<i64>",
                                      [UNIT] = "no value",
                                      [TYPE] = "a type",
                                      [SYMBOL] = "a symbol",
                                      [DICTIONARIES] = "an array of dictionaries",
                                      [SCHEDULE] = "a dictionary of a schedule's keys and values"};
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
    if (strata_str_equal(name, attributes[i].name) && !is_of(attribute.attribute, attributes[i].kind))
      return strata__invalid("%s: expected %s", attributes[i].name, words[attributes[i].kind]);
  return NULL;
}

// |list|: an array with a dictionary for each argument or result; null where there is none.
static strata_status_t check_list(MlirAttribute list) {
  bool is_array = !mlirAttributeIsNull(list) && mlirAttributeIsAArray(list);
  for (intptr_t i = 0; is_array && i < mlirArrayAttrGetNumElements(list); i++) {
    MlirAttribute entries = mlirArrayAttrGetElement(list, i);
    if (!mlirAttributeIsADictionary(entries))
      return strata__invalid("expected a dictionary of attributes");
    for (intptr_t j = 0; j < mlirDictionaryAttrGetNumElements(entries); j++)
      STRATA_TRY(check(mlirDictionaryAttrGetElement(entries, j)));
  }
  return NULL;
}

strata_status_t strata__check_attributes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(op); i++)
    STRATA_TRY(check(mlirOperationGetDiscardableAttribute(op, i)));
  if (!strata_op_is(op, "func.func"))
    return NULL;
  STRATA_TRY(check_list(strata_attr(op, "arg_attrs")));
  return check_list(strata_attr(op, "res_attrs"));
}
