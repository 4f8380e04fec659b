// See symbols.h. Expressions are evaluated with the arithmetic of emitted libraries.
#include "dialects/symbols.h"

#include "dialects/mlir_util.h"
#include "runtime/base/checked.h"

//===-- The table ------------------------------------------------------------------------------------------------===//

static const char *const op_names[] = {
    [STRATA_SYMBOL_MAX] = "max",
    [STRATA_SYMBOL_MIN] = "min",
    [STRATA_SYMBOL_FLOORDIV] = "floordiv",
    [STRATA_SYMBOL_MOD] = "mod",
    [STRATA_SYMBOL_CHECK] = "check",
    [STRATA_SYMBOL_REAL + STRATA_REAL_OF] = "real",
    [STRATA_SYMBOL_REAL + STRATA_REAL_ADD] = "real_add",
    [STRATA_SYMBOL_REAL + STRATA_REAL_SUB] = "real_sub",
    [STRATA_SYMBOL_REAL + STRATA_REAL_MUL] = "real_mul",
    [STRATA_SYMBOL_REAL + STRATA_REAL_DIV] = "real_div",
    [STRATA_SYMBOL_REAL + STRATA_REAL_SINGLE] = "real_single",
    [STRATA_SYMBOL_REAL + STRATA_REAL_FLOOR] = "real_floor",
    [STRATA_SYMBOL_REAL + STRATA_REAL_CEIL] = "real_ceil",
    [STRATA_SYMBOL_REAL + STRATA_REAL_RINT] = "real_rint",
};
enum { N_OPS = sizeof op_names / sizeof *op_names };

const char *strata_symbol_op_name(strata_symbol_op_t op) { return op_names[op]; }

static MlirAttribute get(MlirAttribute entry, const char *name) {
  return mlirDictionaryAttrGetElementByName(entry, strata_str(name));
}

// A number, |otherwise| where there is none.
static bool read_number(MlirAttribute attr, int64_t otherwise, int64_t *out) {
  *out = otherwise;
  if (mlirAttributeIsNull(attr))
    return true;
  if (!mlirAttributeIsAInteger(attr))
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

// The one result of a map over the first |n_earlier| symbols.
static bool read_expr(MlirAttribute attr, size_t n_earlier, MlirAffineExpr *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  if (mlirAffineMapGetNumDims(map) != 0 || mlirAffineMapGetNumResults(map) != 1)
    return false;
  *out = mlirAffineMapGetResult(map, 0);
  return (size_t)strata_expr_symbols(*out) <= n_earlier;
}

static bool read_likely(MlirAttribute attr, strata_symbol_t *out) {
  if (mlirAttributeIsNull(attr))
    return true;
  if (!mlirAttributeIsAArray(attr) || mlirArrayAttrGetNumElements(attr) > STRATA_MAX_LIKELY)
    return false;
  for (; out->n_likely < mlirArrayAttrGetNumElements(attr); out->n_likely++)
    if (!read_number(mlirArrayAttrGetElement(attr, out->n_likely), 0, &out->likely[out->n_likely]))
      return false;
  return true;
}

static bool read_derivation(MlirAttribute entry, MlirAttribute op, size_t n_earlier, strata_symbol_t *out) {
  for (int i = STRATA_SYMBOL_GIVEN + 1; i < N_OPS && mlirAttributeIsAString(op); i++)
    if (strata_str_equal(mlirStringAttrGetValue(op), op_names[i]))
      out->op = (strata_symbol_op_t)i;
  return out->op != STRATA_SYMBOL_GIVEN && read_expr(get(entry, "lhs"), n_earlier, &out->lhs) &&
         read_expr(get(entry, "rhs"), n_earlier, &out->rhs);
}

static bool read_symbol(strata_arena_t *arena, MlirAttribute entry, size_t n_earlier, strata_symbol_t *out) {
  *out = (strata_symbol_t){.op = STRATA_SYMBOL_GIVEN};
  MlirAttribute name = mlirAttributeIsADictionary(entry) ? get(entry, "name") : (MlirAttribute){0};
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return false;
  MlirStringRef text = mlirStringAttrGetValue(name);
  out->name = strata_arena_printf(arena, "%.*s", (int)text.length, text.data);
  MlirAttribute op = get(entry, "op");
  bool is_given = mlirAttributeIsNull(op);
  return read_number(get(entry, "min"), is_given ? 1 : INT64_MIN, &out->min) &&
         read_number(get(entry, "max"), is_given ? INT32_MAX : INT64_MAX, &out->max) &&
         read_number(get(entry, "multiple"), 1, &out->multiple) && out->min <= out->max && out->multiple >= 1 &&
         (is_given ? read_likely(get(entry, "likely"), out) : read_derivation(entry, op, n_earlier, out));
}

static MlirAttribute attr_of(MlirModule module) {
  MlirOperation main = strata_find_func(module, "main");
  return mlirOperationIsNull(main) ? (MlirAttribute){0} : strata_attr(main, STRATA_SYMBOLS);
}

bool strata_module_is_symbolic(MlirModule module) { return !mlirAttributeIsNull(attr_of(module)); }

strata_status_t strata_symbols_read(strata_arena_t *arena, MlirModule module, strata_symbols_t *out) {
  *out = (strata_symbols_t){{0}};
  MlirAttribute attr = attr_of(module);
  if (mlirAttributeIsNull(attr))
    return NULL;
  if (!mlirAttributeIsAArray(attr))
    return strata_error(STRATA_INVALID_ARGUMENT, STRATA_SYMBOLS ": expected an array of dictionaries");
  bool has_derived = false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attr); i++) {
    strata_symbol_t symbol;
    bool is_one = read_symbol(arena, mlirArrayAttrGetElement(attr, i), (size_t)i, &symbol);
    if (!is_one || (has_derived && symbol.op == STRATA_SYMBOL_GIVEN))
      return strata_error(STRATA_INVALID_ARGUMENT,
                          STRATA_SYMBOLS
                          ": entry %d: expected name, min, max and multiple, and likely sizes or, behind "
                          "all of those, op, lhs and rhs over earlier symbols",
                          (int)i);
    has_derived = symbol.op != STRATA_SYMBOL_GIVEN;
    *strata_vector_push(arena, &out->list) = symbol;
  }
  return NULL;
}

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
    entries[count++] = named(context, "op", strata_str_attr(context, op_names[symbol->op]));
    entries[count++] = named(context, "lhs", mlirAffineMapAttrGet(strata_exprs_map(context, 1, &symbol->lhs)));
    entries[count++] = named(context, "rhs", mlirAffineMapAttrGet(strata_exprs_map(context, 1, &symbol->rhs)));
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

void strata_symbols_write(MlirModule module, const strata_symbols_t *symbols) {
  MlirOperation main = strata_find_func(module, "main");
  if (symbols->list.count)
    strata_set_attr(main, STRATA_SYMBOLS, strata_symbols_attr(mlirModuleGetContext(module), symbols));
  else
    mlirOperationRemoveAttributeByName(main, strata_str(STRATA_SYMBOLS));
}

size_t strata_symbols_given(const strata_symbols_t *symbols) {
  size_t n = 0;
  while (n < symbols->list.count && symbols->list.data[n].op == STRATA_SYMBOL_GIVEN)
    n++;
  return n;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

static bool apply(MlirAffineExpr expr, int64_t lhs, int64_t rhs, int64_t *out) {
  if (mlirAffineExprIsAAdd(expr))
    return strata_checked_add(lhs, rhs, out);
  if (mlirAffineExprIsAMul(expr))
    return strata_checked_mul(lhs, rhs, out);
  if (mlirAffineExprIsAFloorDiv(expr))
    return strata_checked_floordiv(lhs, rhs, out);
  return mlirAffineExprIsACeilDiv(expr) ? strata_checked_ceildiv(lhs, rhs, out) : strata_checked_mod(lhs, rhs, out);
}

bool strata_expr_evaluate(MlirAffineExpr expr, const int64_t *values, int64_t *out) {
  if (mlirAffineExprIsADim(expr))
    return false;
  if (mlirAffineExprIsAConstant(expr)) {
    *out = mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (mlirAffineExprIsASymbol(expr)) {
    *out = values[mlirAffineSymbolExprGetPosition(expr)];
    return true;
  }
  int64_t lhs, rhs;
  return strata_expr_evaluate(mlirAffineBinaryOpExprGetLHS(expr), values, &lhs) &&
         strata_expr_evaluate(mlirAffineBinaryOpExprGetRHS(expr), values, &rhs) && apply(expr, lhs, rhs, out);
}

bool strata_symbol_derive(const strata_symbol_t *symbol, const int64_t *values, int64_t *out) {
  int64_t lhs, rhs;
  strata_real_op_t real;
  if (symbol->op == STRATA_SYMBOL_GIVEN || !strata_expr_evaluate(symbol->lhs, values, &lhs) ||
      !strata_expr_evaluate(symbol->rhs, values, &rhs))
    return false;
  if (strata_symbol_op_is_real(symbol->op, &real))
    return strata_real_compute(real, lhs, rhs, out);
  switch (symbol->op) {
  case STRATA_SYMBOL_MAX:
    *out = lhs > rhs ? lhs : rhs;
    return true;
  case STRATA_SYMBOL_MIN:
    *out = lhs < rhs ? lhs : rhs;
    return true;
  case STRATA_SYMBOL_FLOORDIV:
    return strata_checked_floordiv(lhs, rhs, out);
  case STRATA_SYMBOL_MOD:
    return strata_checked_mod(lhs, rhs, out);
  case STRATA_SYMBOL_CHECK:
    return !__builtin_sub_overflow(lhs, rhs, out);
  default:
    return false;
  }
}

bool strata_symbols_evaluate(const strata_symbols_t *symbols, int64_t *values) {
  for (size_t i = strata_symbols_given(symbols); i < symbols->list.count; i++) {
    const strata_symbol_t *symbol = &symbols->list.data[i];
    if (!strata_symbol_derive(symbol, values, &values[i]) || values[i] < symbol->min || values[i] > symbol->max)
      return false;
  }
  return true;
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

int strata_expr_symbols(MlirAffineExpr expr) {
  if (mlirAffineExprIsASymbol(expr))
    return (int)mlirAffineSymbolExprGetPosition(expr) + 1;
  if (!mlirAffineExprIsABinary(expr))
    return 0;
  int lhs = strata_expr_symbols(mlirAffineBinaryOpExprGetLHS(expr));
  int rhs = strata_expr_symbols(mlirAffineBinaryOpExprGetRHS(expr));
  return lhs > rhs ? lhs : rhs;
}

void strata_expr_use_symbols(MlirAffineExpr expr, int capacity, bool *used) {
  if (mlirAffineExprIsASymbol(expr) && mlirAffineSymbolExprGetPosition(expr) < capacity)
    used[mlirAffineSymbolExprGetPosition(expr)] = true;
  if (!mlirAffineExprIsABinary(expr))
    return;
  strata_expr_use_symbols(mlirAffineBinaryOpExprGetLHS(expr), capacity, used);
  strata_expr_use_symbols(mlirAffineBinaryOpExprGetRHS(expr), capacity, used);
}

MlirAffineMap strata_exprs_map(MlirContext context, int count, const MlirAffineExpr *exprs) {
  int n_symbols = 0;
  for (int i = 0; i < count; i++) {
    int n = strata_expr_symbols(exprs[i]);
    n_symbols = n > n_symbols ? n : n_symbols;
  }
  return mlirAffineMapGet(context, 0, n_symbols, count, (MlirAffineExpr *)exprs);
}

MlirAffineExpr strata_round_up_expr(MlirAffineExpr expr, int64_t multiple) {
  if (mlirAffineExprIsMultipleOf(expr, multiple))
    return expr;
  MlirAffineExpr unit = mlirAffineConstantExprGet(mlirAffineExprGetContext(expr), multiple);
  return mlirAffineMulExprGet(mlirAffineCeilDivExprGet(expr, unit), unit);
}

// A sum's terms are each a product of a constant and what is never negative.
bool strata_expr_is_never_negative(const strata_symbols_t *symbols, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return mlirAffineConstantExprGetValue(expr) >= 0;
  if (mlirAffineExprIsASymbol(expr)) {
    size_t symbol = (size_t)mlirAffineSymbolExprGetPosition(expr);
    return symbol < symbols->list.count && symbols->list.data[symbol].min >= 0;
  }
  if (mlirAffineExprIsADim(expr))
    return false;
  bool lhs = strata_expr_is_never_negative(symbols, mlirAffineBinaryOpExprGetLHS(expr));
  return lhs && strata_expr_is_never_negative(symbols, mlirAffineBinaryOpExprGetRHS(expr));
}

//===-- Text -----------------------------------------------------------------------------------------------------===//

enum { SUM, PRODUCT, ATOM }; // how tightly it holds together

static int tightness_of(MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr) || mlirAffineExprIsASymbol(expr) || mlirAffineExprIsADim(expr))
    return ATOM;
  return mlirAffineExprIsAAdd(expr) ? SUM : PRODUCT;
}

static const char *text_within(strata_arena_t *arena, const strata_symbols_t *symbols, MlirAffineExpr expr, int least) {
  const char *text = strata_symbols_text(arena, symbols, expr);
  return tightness_of(expr) >= least ? text : strata_arena_printf(arena, "(%s)", text);
}

// The factor of a product by a constant; 1 of anything else.
static int64_t factor_of(MlirAffineExpr expr, MlirAffineExpr *out_rest) {
  *out_rest = expr;
  if (!mlirAffineExprIsAMul(expr) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr)))
    return 1;
  *out_rest = mlirAffineBinaryOpExprGetLHS(expr);
  return mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(expr));
}

// A term behind the first of a sum, with its sign.
static const char *term_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirAffineExpr expr) {
  MlirAffineExpr rest;
  int64_t factor = factor_of(expr, &rest);
  if (mlirAffineExprIsAConstant(expr) && mlirAffineConstantExprGetValue(expr) < 0)
    return strata_arena_printf(arena, " - %llu", 0 - (unsigned long long)mlirAffineConstantExprGetValue(expr));
  if (factor == -1)
    return strata_arena_printf(arena, " - %s", text_within(arena, symbols, rest, PRODUCT));
  if (factor < 0)
    return strata_arena_printf(arena, " - %llu * %s", 0 - (unsigned long long)factor,
                               text_within(arena, symbols, rest, ATOM));
  return strata_arena_printf(arena, " + %s", text_within(arena, symbols, expr, PRODUCT));
}

const char *strata_symbols_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_arena_printf(arena, "%lld", (long long)mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsASymbol(expr)) {
    size_t symbol = (size_t)mlirAffineSymbolExprGetPosition(expr);
    return symbol < symbols->list.count ? symbols->list.data[symbol].name : strata_arena_printf(arena, "s%zu", symbol);
  }
  if (mlirAffineExprIsADim(expr))
    return "?";
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr), rest;
  if (mlirAffineExprIsAAdd(expr))
    return strata_arena_printf(arena, "%s%s", strata_symbols_text(arena, symbols, lhs), term_text(arena, symbols, rhs));
  int64_t factor = factor_of(expr, &rest);
  if (factor != 1)
    return factor == -1
               ? strata_arena_printf(arena, "-%s", text_within(arena, symbols, rest, ATOM))
               : strata_arena_printf(arena, "%lld * %s", (long long)factor, text_within(arena, symbols, rest, ATOM));
  const char *op = mlirAffineExprIsAMul(expr)        ? "*"
                   : mlirAffineExprIsAFloorDiv(expr) ? "floordiv"
                   : mlirAffineExprIsACeilDiv(expr)  ? "ceildiv"
                                                     : "mod";
  return strata_arena_printf(arena, "%s %s %s", text_within(arena, symbols, lhs, PRODUCT), op,
                             text_within(arena, symbols, rhs, ATOM));
}

//===-- Types ----------------------------------------------------------------------------------------------------===//

MlirAffineMap strata_type_sizes(MlirType type) {
  MlirAttribute attr = {0};
  if (mlirTypeIsARankedTensor(type))
    attr = mlirRankedTensorTypeGetEncoding(type);
  else if (mlirTypeIsAMemRef(type))
    attr = mlirMemRefTypeGetMemorySpace(type);
  if (!mlirAttributeIsNull(attr) && mlirAttributeIsADictionary(attr))
    attr = get(attr, "sizes");
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return (MlirAffineMap){0};
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  bool is_one = mlirAffineMapGetNumDims(map) == 0 && mlirAffineMapGetNumResults(map) == mlirShapedTypeGetRank(type);
  return is_one ? map : (MlirAffineMap){0};
}

MlirAffineExpr strata_type_dim(MlirType type, intptr_t dim) {
  if (!mlirShapedTypeIsDynamicDim(type, dim))
    return mlirAffineConstantExprGet(mlirTypeGetContext(type), mlirShapedTypeGetDimSize(type, dim));
  MlirAffineMap sizes = strata_type_sizes(type);
  return mlirAffineMapIsNull(sizes) ? (MlirAffineExpr){0} : mlirAffineMapGetResult(sizes, dim);
}

bool strata_type_is_symbolic(MlirType type) { return !mlirShapedTypeHasStaticShape(type); }
