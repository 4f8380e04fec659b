// Helpers over the MLIR C API; see mlir_util.h.
#include "dialects/mlir_util.h"

#include <mlir-c/Support.h>
#include <stdio.h>

bool strata_op_is_conversion(MlirOperation op) {
  static const char *const names[] = {"arith.extf",   "arith.truncf", "arith.extsi", "arith.extui",
                                      "arith.trunci", "arith.sitofp", "arith.uitofp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strata_op_is(op, names[i]))
      return true;
  return false;
}

MlirOperation strata_def(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){0};
}

MlirOperation strata_def_named(MlirValue value, const char *name) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, name) ? op : (MlirOperation){0};
}

MlirAttribute strata_attr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, strata_str(name));
}

int64_t strata_attr_i64(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute attr = strata_attr(op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr))
    return otherwise;
  return mlirIntegerAttrGetValueInt(attr);
}

bool strata_attr_flag(MlirOperation op, const char *name) {
  MlirAttribute attr = strata_attr(op, name);
  if (mlirAttributeIsNull(attr))
    return false;
  return mlirAttributeIsAUnit(attr) || (mlirAttributeIsABool(attr) && mlirBoolAttrGetValue(attr));
}

MlirStringRef strata_attr_str(MlirOperation op, const char *name) {
  MlirAttribute attr = strata_attr(op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr))
    return mlirStringRefCreate("", 0);
  return mlirStringAttrGetValue(attr);
}

bool strata_attr_is_zero(MlirAttribute attr) {
  return mlirAttributeIsAFloat(attr) ? mlirFloatAttrGetValueDouble(attr) == 0
                                     : mlirAttributeIsAInteger(attr) && mlirIntegerAttrGetValueInt(attr) == 0;
}

bool strata_value_is_zero(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (strata_op_is(op, "vector.broadcast"))
    return strata_value_is_zero(mlirOperationGetOperand(op, 0));
  MlirAttribute attr = strata_attr(op, "value");
  if (!strata_op_is(op, "arith.constant"))
    return false;
  if (mlirAttributeIsADenseElements(attr) && mlirDenseElementsAttrIsSplat(attr))
    attr = mlirDenseElementsAttrGetSplatValue(attr);
  return strata_attr_is_zero(attr);
}

int strata_attr_i64s(MlirOperation op, const char *name, int capacity, int64_t *out) {
  MlirAttribute attr = strata_attr(op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI64Array(attr))
    return -1;
  intptr_t count = mlirDenseArrayGetNumElements(attr);
  if (count > capacity)
    return -1;
  for (intptr_t i = 0; i < count; i++)
    out[i] = mlirDenseI64ArrayGetElement(attr, i);
  return (int)count;
}

void strata_set_attr(MlirOperation op, const char *name, MlirAttribute attr) {
  mlirOperationSetAttributeByName(op, strata_str(name), attr);
}

bool strata_op_attrs_equal(MlirOperation a, MlirOperation b) {
  intptr_t n = mlirOperationGetNumAttributes(a);
  bool same = n == mlirOperationGetNumAttributes(b);
  for (intptr_t i = 0; i < n && same; i++) {
    MlirNamedAttribute in_a = mlirOperationGetAttribute(a, i), in_b = mlirOperationGetAttribute(b, i);
    same = mlirIdentifierEqual(in_a.name, in_b.name) && mlirAttributeEqual(in_a.attribute, in_b.attribute);
  }
  return same;
}

MlirAttribute strata_port_attr(MlirOperation func, const char *ports, intptr_t index, const char *name) {
  MlirAttribute all = strata_attr(func, ports);
  MlirAttribute own = mlirAttributeIsNull(all) ? all : mlirArrayAttrGetElement(all, index);
  return mlirAttributeIsNull(own) ? own : mlirDictionaryAttrGetElementByName(own, strata_str(name));
}

void strata_set_port_attr(strata_arena_t *arena, MlirOperation func, const char *ports, intptr_t index,
                          const char *name, MlirAttribute attr) {
  MlirAttribute all = strata_attr(func, ports), own = mlirArrayAttrGetElement(all, index);
  MlirContext context = mlirAttributeGetContext(all);
  intptr_t n_ports = mlirArrayAttrGetNumElements(all), n = mlirDictionaryAttrGetNumElements(own);
  MlirNamedAttribute *named = strata_arena_array(arena, MlirNamedAttribute, n + 1);
  for (intptr_t i = 0; i < n; i++)
    named[i] = mlirDictionaryAttrGetElement(own, i);
  named[n] = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(name)), attr);
  MlirAttribute *attrs = strata_arena_array(arena, MlirAttribute, n_ports);
  for (intptr_t i = 0; i < n_ports; i++)
    attrs[i] = mlirArrayAttrGetElement(all, i);
  attrs[index] = mlirDictionaryAttrGet(context, n + 1, named);
  strata_set_attr(func, ports, mlirArrayAttrGet(context, n_ports, attrs));
}

void strata_copy_attr(MlirOperation from, MlirOperation to, const char *name) {
  MlirAttribute attr = strata_attr(from, name);
  if (!mlirAttributeIsNull(attr))
    strata_set_attr(to, name, attr);
}

MlirAttribute strata_i64_attr(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

MlirAttribute strata_i64s_attr(MlirContext context, int n, const int64_t *values) {
  return mlirDenseI64ArrayGet(context, n, values);
}

MlirAttribute strata_str_attr(MlirContext context, const char *text) {
  return mlirStringAttrGet(context, strata_str(text));
}

MlirAttribute strata_bool_attr(MlirContext context, bool value) { return mlirBoolAttrGet(context, value); }

bool strata_type_is_integer(MlirType type, unsigned bits) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}

MlirType strata_type_element(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

int64_t strata_element_bits(MlirType element) {
  if (mlirTypeIsAFloat(element))
    return mlirFloatTypeGetWidth(element);
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 64;
}

int64_t strata_element_bytes(MlirType element) { return (strata_element_bits(element) + 7) / 8; }

int strata_expr_dim(MlirAffineExpr expr) {
  return mlirAffineExprIsADim(expr) ? (int)mlirAffineDimExprGetPosition(expr) : -1;
}

bool strata_expr_is_zero(MlirAffineExpr expr) {
  return mlirAffineExprIsAConstant(expr) && mlirAffineConstantExprGetValue(expr) == 0;
}

MlirOperation strata_op_create(MlirLocation location, const char *name, int n_operands, const MlirValue *operands,
                               int n_results, const MlirType *results, int n_attrs, const strata_named_attr_t *attrs,
                               int n_regions, const MlirRegion *regions) {
  MlirContext context = mlirLocationGetContext(location);
  MlirOperationState state = mlirOperationStateGet(strata_str(name), location);
  mlirOperationStateAddOperands(&state, n_operands, operands);
  mlirOperationStateAddResults(&state, n_results, results);
  mlirOperationStateAddOwnedRegions(&state, n_regions, regions);
  for (int i = 0; i < n_attrs; i++) {
    MlirIdentifier identifier = mlirIdentifierGet(context, strata_str(attrs[i].name));
    MlirNamedAttribute named = mlirNamedAttributeGet(identifier, attrs[i].attr);
    mlirOperationStateAddAttributes(&state, 1, &named);
  }
  return mlirOperationCreate(&state);
}

MlirOperation strata_find_func(MlirModule module, const char *name) {
  return strata_find_symbol(module, strata_str(name));
}

MlirOperation strata_find_symbol(MlirModule module, MlirStringRef name) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.func") && mlirStringRefEqual(strata_attr_str(op, "sym_name"), name))
      return op;
  return op;
}

MlirBlock strata_func_body(MlirOperation func) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)); }

bool strata_value_has_uses(MlirValue value) { return !mlirOpOperandIsNull(mlirValueGetFirstUse(value)); }

void strata_erase_unused(MlirOperation op, bool (*may)(MlirOperation op)) {
  enum { MOST = 64 };                 // of what is more some stays
  MlirOperation waiting[MOST] = {op}; // each once, so that none is destroyed while it is among them
  int n = 1;
  while (n > 0) {
    MlirOperation unused = waiting[--n];
    MlirValue operands[MOST];
    intptr_t count = mlirOperationGetNumOperands(unused);
    if (mlirOperationGetNumResults(unused) != 1 || strata_value_has_uses(mlirOperationGetResult(unused, 0)))
      continue;
    for (intptr_t i = 0; i < count && i < MOST; i++)
      operands[i] = mlirOperationGetOperand(unused, i);
    mlirOperationDestroy(unused);
    for (intptr_t i = 0; i < count && i < MOST && n < MOST; i++) {
      MlirOperation source = strata_def(operands[i]);
      bool is_new = !mlirOperationIsNull(source) && (!may || may(source));
      for (int j = 0; is_new && j < n; j++)
        is_new = !mlirOperationEqual(waiting[j], source);
      if (is_new)
        waiting[n++] = source;
    }
  }
}

MlirType strata_block_function_type(strata_arena_t *arena, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t n = mlirBlockGetNumArguments(block), n_results = mlirOperationGetNumOperands(end);
  MlirType *types = strata_arena_array(arena, MlirType, n + n_results);
  for (intptr_t i = 0; i < n; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(block, i));
  for (intptr_t i = 0; i < n_results; i++)
    types[n + i] = mlirValueGetType(mlirOperationGetOperand(end, i));
  return mlirFunctionTypeGet(mlirOperationGetContext(end), n, types, n_results, types + n);
}

void strata_update_function_type(strata_arena_t *arena, MlirOperation func) {
  MlirType type = strata_block_function_type(arena, strata_func_body(func));
  strata_set_attr(func, "function_type", mlirTypeAttrGet(type));
}

const char *strata_location_text(MlirLocation location, char *text, size_t size) {
  text[0] = 0;
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    snprintf(text, size, "%.*s", (int)name.length, name.data);
  } else if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    snprintf(text, size, "%.*s:%d:%d", (int)file.length, file.data, mlirLocationFileLineColRangeGetStartLine(location),
             mlirLocationFileLineColRangeGetStartColumn(location));
  } else if (mlirLocationIsAFused(location)) {
    MlirLocation parts[16]; // the first speaks for a few; of more than that nobody is the place
    intptr_t n_parts = mlirLocationFusedGetNumLocations(location);
    if (n_parts > 0 && n_parts <= 16) {
      mlirLocationFusedGetLocations(location, parts);
      return strata_location_text(parts[0], text, size);
    }
  }
  return text;
}

bool strata_value_is_constant(MlirValue value) {
  return mlirValueIsAOpResult(value) && strata_op_is(mlirOpResultGetOwner(value), "arith.constant");
}

bool strata_value_integer(MlirValue value, int64_t *out) {
  if (!strata_value_is_constant(value))
    return false;
  *out = mlirIntegerAttrGetValueInt(strata_attr(mlirOpResultGetOwner(value), "value"));
  return true;
}

bool strata_value_number(MlirValue value, double *out) {
  MlirAttribute number =
      strata_value_is_constant(value) ? strata_attr(mlirOpResultGetOwner(value), "value") : mlirAttributeGetNull();
  if (mlirAttributeIsNull(number) || !mlirAttributeIsAFloat(number))
    return false;
  *out = mlirFloatAttrGetValueDouble(number);
  return true;
}

bool strata_value_is_number(MlirValue value, double number) {
  double found;
  return strata_value_number(value, &found) && found == number;
}

bool strata_value_has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

MlirAttribute strata_zero_attr(MlirType element) {
  return mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(element), element, 0)
                                   : mlirIntegerAttrGet(element, 0);
}
