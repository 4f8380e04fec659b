// Checks the attributes of attributes.def, which nothing of MLIR's knows, so that their readers may take them at their
// word.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

typedef enum { TEXT, INTEGER, UNIT, TYPE, DICTIONARY } kind_t;

static const struct {
  const char *name;
  kind_t kind;
} attributes[] = {
#define ATTRIBUTE(name, kind) {name, kind},
#include "dialects/strata/attributes.def"
};

static bool is_of(MlirAttribute value, kind_t kind) {
  switch (kind) {
  case TEXT:
    return mlirAttributeIsAString(value) && mlirStringAttrGetValue(value).length > 0 &&
           !memchr(mlirStringAttrGetValue(value).data, 0, mlirStringAttrGetValue(value).length);
  case INTEGER:
    return mlirAttributeIsAInteger(value) && mlirTypeIsAInteger(mlirAttributeGetType(value)) &&
           mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) == 64;
  case UNIT:
    return mlirAttributeIsAUnit(value);
  case TYPE:
    return mlirAttributeIsAType(value);
  case DICTIONARY:
    return mlirAttributeIsADictionary(value);
  }
  return false;
}

static strata_status_t check(MlirNamedAttribute attribute) {
  static const char *const words[] = {
      [TEXT] = "text", [INTEGER] = "an i64", [UNIT] = "no value", [TYPE] = "a type", [DICTIONARY] = "a dictionary"};
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
