// The table of symbols: to and from @main, derived ones, and other symbols or numbers in their place; see symbols.h.
#include "dialects/strata/symbols.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

static const struct {
  const char *name, *text; // in the attribute; as people read it, with the two operands
} ops[] = {[STRATA_SYMBOL_GIVEN] = {"", ""},
           [STRATA_SYMBOL_MAX] = {"max", "max(%s, %s)"},
           [STRATA_SYMBOL_MIN] = {"min", "min(%s, %s)"},
           [STRATA_SYMBOL_FLOORDIV] = {"floordiv", "(%s) floordiv (%s)"},
           [STRATA_SYMBOL_MOD] = {"mod", "(%s) mod (%s)"}};
enum { N_OPS = sizeof ops / sizeof ops[0] };

//===-- The attribute --------------------------------------------------------------------------------------------===//

static MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(name)), value);
}

static MlirAttribute symbol_attr(MlirContext context, const strata_symbol_t *symbol) {
  MlirNamedAttribute entries[8];
  MlirAttribute likely[STRATA_MAX_LIKELY];
  int count = 0;
  entries[count++] = named(context, "name", strata_str_attr(context, symbol->name));
  entries[count++] = named(context, "min", strata_i64_attr(context, symbol->min));
  entries[count++] = named(context, "max", strata_i64_attr(context, symbol->max));
  entries[count++] = named(context, "multiple", strata_i64_attr(context, symbol->multiple));
  if (symbol->op == STRATA_SYMBOL_GIVEN) {
    for (int i = 0; i < symbol->n_likely; i++)
      likely[i] = strata_i64_attr(context, symbol->likely[i]);
    entries[count++] = named(context, "likely", mlirArrayAttrGet(context, symbol->n_likely, likely));
  } else {
    entries[count++] = named(context, "op", strata_str_attr(context, ops[symbol->op].name));
    entries[count++] = named(context, "lhs", mlirAffineMapAttrGet(strata_dims_map(context, 1, &symbol->lhs)));
    entries[count++] = named(context, "rhs", mlirAffineMapAttrGet(strata_dims_map(context, 1, &symbol->rhs)));
  }
  return mlirDictionaryAttrGet(context, count, entries);
}

MlirAttribute strata_symbols_attr(MlirContext context, const strata_symbols_t *symbols) {
  strata_arena_t *arena = strata_arena_create();
  MlirAttribute *list = strata_arena_array(arena, MlirAttribute, symbols->list.count);
  for (size_t i = 0; i < symbols->list.count; i++)
    list[i] = symbol_attr(context, &symbols->list.data[i]);
  MlirAttribute attr = mlirArrayAttrGet(context, (intptr_t)symbols->list.count, list);
  strata_arena_destroy(arena);
  return attr;
}

static MlirAttribute entry(MlirAttribute dictionary, const char *name) {
  return mlirDictionaryAttrGetElementByName(dictionary, strata_str(name));
}

static bool read_number(MlirAttribute attr, int64_t *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr) || mlirTypeIsAIndex(mlirAttributeGetType(attr)) ||
      mlirIntegerTypeGetWidth(mlirAttributeGetType(attr)) != 64)
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

// The largest number of a symbol in |map|, plus one, must not be above |n_earlier|.
static bool read_dim(MlirAttribute attr, size_t n_earlier, strata_dim_t *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  if (mlirAffineMapGetNumDims(map) != 0 || mlirAffineMapGetNumResults(map) != 1 ||
      (size_t)mlirAffineMapGetNumSymbols(map) > n_earlier)
    return false;
  *out = strata_dim_normal(mlirAffineMapGetResult(map, 0));
  return true;
}

static bool read_likely(MlirAttribute attr, strata_symbol_t *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAArray(attr) ||
      mlirArrayAttrGetNumElements(attr) > STRATA_MAX_LIKELY)
    return false;
  out->n_likely = (int)mlirArrayAttrGetNumElements(attr);
  for (int i = 0; i < out->n_likely; i++)
    if (!read_number(mlirArrayAttrGetElement(attr, i), &out->likely[i]))
      return false;
  return true;
}

static bool read_derivation(MlirAttribute attr, size_t n_earlier, strata_symbol_t *out) {
  MlirAttribute op = entry(attr, "op");
  for (int i = STRATA_SYMBOL_GIVEN + 1; i < N_OPS && mlirAttributeIsAString(op); i++)
    if (strata_str_equal(mlirStringAttrGetValue(op), ops[i].name))
      out->op = (strata_symbol_op_t)i;
  return out->op != STRATA_SYMBOL_GIVEN && read_dim(entry(attr, "lhs"), n_earlier, &out->lhs) &&
         read_dim(entry(attr, "rhs"), n_earlier, &out->rhs);
}

static bool read_symbol(strata_arena_t *arena, MlirAttribute attr, size_t n_earlier, strata_symbol_t *out) {
  *out = (strata_symbol_t){.op = STRATA_SYMBOL_GIVEN};
  if (!mlirAttributeIsADictionary(attr))
    return false;
  MlirAttribute name = entry(attr, "name");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return false;
  MlirStringRef text = mlirStringAttrGetValue(name);
  out->name = strata_arena_printf(arena, "%.*s", (int)text.length, text.data);
  bool is_given = mlirAttributeIsNull(entry(attr, "op"));
  return read_number(entry(attr, "min"), &out->min) && read_number(entry(attr, "max"), &out->max) &&
         read_number(entry(attr, "multiple"), &out->multiple) && out->min <= out->max && out->multiple >= 1 &&
         (is_given ? read_likely(entry(attr, "likely"), out) : read_derivation(attr, n_earlier, out));
}

strata_status_t strata_symbols_read(strata_compile_t *compile, strata_symbols_t *out) {
  *out = (strata_symbols_t){{0}};
  MlirOperation main = strata_find_func(compile->module, "main");
  MlirAttribute attr = mlirOperationIsNull(main) ? mlirAttributeGetNull() : strata_attr(main, STRATA_SYMBOLS);
  if (mlirAttributeIsNull(attr))
    return NULL;
  if (!mlirAttributeIsAArray(attr))
    return strata__invalid(STRATA_SYMBOLS ": expected an array of dictionaries");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attr); i++) {
    strata_symbol_t symbol;
    if (!read_symbol(compile->arena, mlirArrayAttrGetElement(attr, i), (size_t)i, &symbol))
      return strata__invalid(STRATA_SYMBOLS ": entry %d: expected name, min, max and multiple, and likely sizes or op, "
                                            "lhs and rhs over earlier symbols",
                             (int)i);
    *strata_vector_push(compile->arena, &out->list) = symbol;
  }
  return NULL;
}

//===-- Text -----------------------------------------------------------------------------------------------------===//

static const char *expr_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirAffineExpr expr, int level) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_arena_printf(arena, "%lld", (long long)mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsASymbol(expr)) {
    size_t symbol = (size_t)mlirAffineSymbolExprGetPosition(expr);
    return symbol < symbols->list.count ? symbols->list.data[symbol].name : strata_arena_printf(arena, "s%zu", symbol);
  }
  if (!mlirAffineExprIsABinary(expr))
    return "?";
  int own = mlirAffineExprIsAAdd(expr) ? 0 : 1;
  const char *op = mlirAffineExprIsAAdd(expr)        ? " + "
                   : mlirAffineExprIsAMul(expr)      ? " * "
                   : mlirAffineExprIsAFloorDiv(expr) ? " floordiv "
                   : mlirAffineExprIsAMod(expr)      ? " mod "
                                                     : " ceildiv ";
  const char *lhs = expr_text(arena, symbols, mlirAffineBinaryOpExprGetLHS(expr), own),
             *rhs = expr_text(arena, symbols, mlirAffineBinaryOpExprGetRHS(expr), own + 1);
  return strata_arena_printf(arena, own < level ? "(%s%s%s)" : "%s%s%s", lhs, op, rhs);
}

const char *strata_dim_text(strata_arena_t *arena, const strata_symbols_t *symbols, strata_dim_t dim) {
  return expr_text(arena, symbols, dim, 0);
}

//===-- Derived symbols ------------------------------------------------------------------------------------------===//

// What needs no symbol.
static bool simplify(strata_arena_t *arena, strata_symbols_t *symbols, strata_symbol_op_t op, strata_dim_t lhs,
                     strata_dim_t rhs, strata_dim_t *out) {
  MlirContext context = mlirAffineExprGetContext(lhs);
  strata_range_t difference = strata_dim_range(strata_dim_sub(lhs, rhs), symbols);
  int64_t divisor;
  switch (op) {
  case STRATA_SYMBOL_MAX:
  case STRATA_SYMBOL_MIN:
    *out = (difference.min >= 0) == (op == STRATA_SYMBOL_MAX) ? lhs : rhs;
    return difference.min >= 0 || difference.max <= 0;
  case STRATA_SYMBOL_FLOORDIV:
    if (strata_dim_is_constant(rhs, &divisor) && divisor > 0)
      *out = strata_dim_floordiv(lhs, divisor);
    else if (!strata_dim_divide(lhs, rhs, out))
      return false;
    return true;
  case STRATA_SYMBOL_MOD: {
    strata_dim_t quotient;
    if (strata_dim_range(lhs, symbols).min >= 0 && difference.max < 0)
      return *out = lhs, true;
    if (!simplify(arena, symbols, STRATA_SYMBOL_FLOORDIV, lhs, rhs, &quotient))
      return false;
    *out = strata_dim_sub(lhs, strata_dim_mul(quotient, rhs));
    return true;
  }
  case STRATA_SYMBOL_GIVEN:
    break;
  }
  *out = strata_dim_constant(context, 0);
  return false;
}

static strata_range_t range_of(strata_symbol_op_t op, strata_range_t a, strata_range_t b) {
  if (op == STRATA_SYMBOL_MAX)
    return (strata_range_t){strata_max(a.min, b.min), strata_max(a.max, b.max)};
  if (op == STRATA_SYMBOL_MIN)
    return (strata_range_t){strata_min(a.min, b.min), strata_min(a.max, b.max)};
  if (op == STRATA_SYMBOL_MOD)
    return (strata_range_t){0, b.max > 0 && b.max < INT64_MAX ? b.max - 1 : INT64_MAX};
  bool is_plain = a.min >= 0 && b.min >= 1;
  return is_plain ? (strata_range_t){a.min / b.max, a.max / b.min} : (strata_range_t){INT64_MIN, INT64_MAX};
}

static bool is_same(const strata_symbol_t *symbol, strata_symbol_op_t op, strata_dim_t lhs, strata_dim_t rhs) {
  bool commutes = op == STRATA_SYMBOL_MAX || op == STRATA_SYMBOL_MIN;
  return symbol->op == op && op != STRATA_SYMBOL_GIVEN &&
         ((strata_dim_equal(symbol->lhs, lhs) && strata_dim_equal(symbol->rhs, rhs)) ||
          (commutes && strata_dim_equal(symbol->lhs, rhs) && strata_dim_equal(symbol->rhs, lhs)));
}

strata_dim_t strata_symbols_derive(strata_arena_t *arena, strata_symbols_t *symbols, strata_symbol_op_t op,
                                   strata_dim_t lhs, strata_dim_t rhs) {
  strata_dim_t result;
  if (simplify(arena, symbols, op, lhs, rhs, &result))
    return result;
  MlirContext context = mlirAffineExprGetContext(lhs);
  for (size_t i = 0; i < symbols->list.count; i++)
    if (is_same(&symbols->list.data[i], op, lhs, rhs))
      return strata_dim_symbol(context, (int)i);
  strata_range_t range = range_of(op, strata_dim_range(lhs, symbols), strata_dim_range(rhs, symbols));
  int64_t multiple = 1;
  if (op == STRATA_SYMBOL_MAX || op == STRATA_SYMBOL_MIN)
    multiple = strata_max(1, strata_gcd(strata_dim_divisor(lhs, symbols), strata_dim_divisor(rhs, symbols)));
  const char *l = strata_dim_text(arena, symbols, lhs), *r = strata_dim_text(arena, symbols, rhs);
  const char *name = op == STRATA_SYMBOL_MAX        ? strata_arena_printf(arena, "max(%s, %s)", l, r)
                     : op == STRATA_SYMBOL_MIN      ? strata_arena_printf(arena, "min(%s, %s)", l, r)
                     : op == STRATA_SYMBOL_FLOORDIV ? strata_arena_printf(arena, "floordiv(%s, %s)", l, r)
                                                    : strata_arena_printf(arena, "mod(%s, %s)", l, r);
  *strata_vector_push(arena, &symbols->list) = (strata_symbol_t){
      .name = name, .op = op, .lhs = lhs, .rhs = rhs, .min = range.min, .max = range.max, .multiple = multiple};
  return strata_dim_symbol(context, (int)symbols->list.count - 1);
}

//===-- Replacing ------------------------------------------------------------------------------------------------===//

typedef struct {
  int n_symbols;
  const strata_dim_t *values;
} replacement_t;

static void replace_dims(const replacement_t *with, int count, strata_dim_t *dims) {
  for (int i = 0; i < count; i++)
    dims[i] = strata_dim_substitute(dims[i], with->n_symbols, with->values);
}

static MlirType replace_type(const replacement_t *with, MlirType type) {
  strata_shape_t shape = strata_shape_from_type(type);
  int64_t sizes[STRATA_MAX_RANK];
  if (shape.type == STRATA_TYPE_COUNT || strata_shape_sizes(&shape, sizes))
    return type;
  replace_dims(with, shape.rank, shape.dims);
  return strata_shape_to_type(mlirTypeGetContext(type), &shape);
}

static void replace_value(const replacement_t *with, MlirValue value) {
  mlirValueSetType(value, replace_type(with, mlirValueGetType(value)));
}

// An attribute of an op of ours that says dims: numbers once they are known, unless it is the op's only form.
static void replace_attr(const replacement_t *with, MlirOperation op, const strata__attr_spec_t *spec) {
  MlirAttribute attr = mlirOperationGetAttributeByName(op, spec->name);
  strata_dim_t dims[STRATA_MAX_RANK];
  int64_t sizes[STRATA_MAX_RANK];
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  int count = (int)mlirAffineMapGetNumResults(map);
  if (mlirAffineMapGetNumSymbols(map) == 0 || count > STRATA_MAX_RANK)
    return;
  for (int i = 0; i < count; i++)
    dims[i] = mlirAffineMapGetResult(map, i);
  replace_dims(with, count, dims);
  bool are_known = spec->kind == STRATA__ATTR_DIMS;
  for (int i = 0; i < count; i++)
    are_known = are_known && strata_dim_is_constant(dims[i], &sizes[i]);
  MlirContext context = mlirOperationGetContext(op);
  mlirOperationSetAttributeByName(op, spec->name,
                                  are_known ? strata_i64s_attr(context, count, sizes)
                                            : mlirAffineMapAttrGet(strata_dims_map(context, count, dims)));
}

static void replace_function_type(const replacement_t *with, MlirOperation func) {
  MlirAttribute attr = strata_attr(func, "function_type");
  if (mlirAttributeIsNull(attr))
    return;
  MlirType type = mlirTypeAttrGetValue(attr);
  intptr_t n_inputs = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  strata_arena_t *arena = strata_arena_create();
  MlirType *types = strata_arena_array(arena, MlirType, n_inputs + n_results);
  for (intptr_t i = 0; i < n_inputs; i++)
    types[i] = replace_type(with, mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < n_results; i++)
    types[n_inputs + i] = replace_type(with, mlirFunctionTypeGetResult(type, i));
  strata_set_attr(func, "function_type",
                  mlirTypeAttrGet(mlirFunctionTypeGet(mlirOperationGetContext(func), n_inputs, types, n_results,
                                                      types + n_inputs)));
  strata_arena_destroy(arena);
}

static void replace_block(const replacement_t *with, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    replace_value(with, mlirBlockGetArgument(block, i));
}

static MlirWalkResult replace_op(MlirOperation op, void *user) {
  const replacement_t *with = user;
  strata_op_id_t id = strata_op_id(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    replace_value(with, mlirOperationGetResult(op, i));
  for (int i = 0; id != STRATA_OP_COUNT && i < strata__op_signature(id)->n_attrs; i++)
    replace_attr(with, op, &strata__op_signature(id)->attrs[i]);
  if (strata_op_is(op, "func.func"))
    replace_function_type(with, op);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      replace_block(with, block);
  return MlirWalkResultAdvance;
}

void strata_symbols_replace(MlirBlock block, int n_symbols, const strata_dim_t *values) {
  replacement_t with = {n_symbols, values};
  replace_block(&with, block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, replace_op, &with, MlirWalkPreOrder);
}
