// See symbol_table.h. Expressions are evaluated with the arithmetic of emitted libraries.
#include "dialects/symbol_table.h"

#include "dialects/mlir_util.h"
#include "runtime/base/checked.h"

#include <mlir-c/AffineMap.h>

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static const char *const op_names[] = {
    [STRATA_SYMBOL_MAX] = "max",
    [STRATA_SYMBOL_MIN] = "min",
    [STRATA_SYMBOL_FLOORDIV] = "floordiv",
    [STRATA_SYMBOL_MOD] = "mod",
};
enum { N_OPS = sizeof op_names / sizeof *op_names };

static MlirAttribute get(MlirAttribute row, const char *name) {
  return mlirDictionaryAttrGetElementByName(row, strata_str(name));
}

static int64_t get_i64(MlirAttribute row, const char *name, int64_t otherwise) {
  MlirAttribute attr = get(row, name);
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAInteger(attr) ? mlirIntegerAttrGetValueInt(attr) : otherwise;
}

// The one result of a map; null if there is none such.
static MlirAffineExpr get_expr(MlirAttribute row, const char *name) {
  MlirAttribute attr = get(row, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return (MlirAffineExpr){0};
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  return mlirAffineMapGetNumResults(map) == 1 && mlirAffineMapGetNumDims(map) == 0 ? mlirAffineMapGetResult(map, 0)
                                                                                   : (MlirAffineExpr){0};
}

// An array of integers, dense or not.
static void read_likely(strata_arena_t *arena, MlirAttribute attr, strata_symbol_row_t *symbol) {
  if (mlirAttributeIsNull(attr))
    return;
  bool is_dense = mlirAttributeIsADenseI64Array(attr), is_array = mlirAttributeIsAArray(attr);
  intptr_t n = is_dense ? mlirDenseArrayGetNumElements(attr) : is_array ? mlirArrayAttrGetNumElements(attr) : 0;
  int64_t *likely = strata_arena_array(arena, int64_t, n + 1);
  for (intptr_t i = 0; i < n; i++)
    likely[i] =
        is_dense ? mlirDenseI64ArrayGetElement(attr, i) : mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(attr, i));
  symbol->likely = likely;
  symbol->n_likely = (size_t)n;
}

static strata_symbol_kind_t kind_of(MlirAttribute op) {
  for (int i = STRATA_SYMBOL_MAX; i < N_OPS; i++)
    if (!mlirAttributeIsNull(op) && mlirAttributeIsAString(op) &&
        strata_str_equal(mlirStringAttrGetValue(op), op_names[i]))
      return (strata_symbol_kind_t)i;
  return STRATA_SYMBOL_INDEPENDENT;
}

static strata_status_t read_row(strata_arena_t *arena, MlirAttribute row, bool may_be_independent,
                                strata_symbol_row_t *out) {
  MlirAttribute name = mlirAttributeIsADictionary(row) ? get(row, "name") : (MlirAttribute){0};
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return strata_error(STRATA_INTERNAL, "strata.symbols: expected dictionaries with a name");
  MlirStringRef text = mlirStringAttrGetValue(name);
  *out = (strata_symbol_row_t){.name = strata_arena_printf(arena, "%.*s", (int)text.length, text.data),
                               .kind = kind_of(get(row, "op"))};
  bool is_derived = out->kind != STRATA_SYMBOL_INDEPENDENT;
  out->min = get_i64(row, "min", is_derived ? INT64_MIN : 1);
  out->max = get_i64(row, "max", is_derived ? INT64_MAX : INT32_MAX);
  out->multiple = get_i64(row, "multiple", 1);
  read_likely(arena, get(row, "likely"), out);
  if (is_derived) {
    out->lhs = get_expr(row, "lhs");
    out->rhs = get_expr(row, "rhs");
  }
  bool has_operands = !mlirAffineExprIsNull(out->lhs) && !mlirAffineExprIsNull(out->rhs);
  if (is_derived ? !has_operands : !may_be_independent || !mlirAttributeIsNull(get(row, "op")))
    return strata_error(STRATA_INTERNAL, "strata.symbols: %s: expected op, lhs and rhs of a derived symbol", out->name);
  if (out->min > out->max || out->multiple < 1)
    return strata_error(STRATA_INTERNAL, "strata.symbols: %s: expected a range and a multiple", out->name);
  return NULL;
}

strata_status_t strata_symbol_table_read(strata_compile_t *compile, MlirOperation main,
                                         strata_symbol_table_t *out_symbols) {
  *out_symbols = (strata_symbol_table_t){0};
  MlirAttribute rows = strata_attr(main, "strata.symbols");
  if (mlirAttributeIsNull(rows))
    return NULL;
  if (!mlirAttributeIsAArray(rows))
    return strata_error(STRATA_INTERNAL, "strata.symbols: expected an array");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(rows); i++) {
    strata_symbol_row_t *row = strata_vector_push(compile->arena, &out_symbols->rows);
    bool only_independent = out_symbols->n_independent == (size_t)i;
    STRATA_TRY(read_row(compile->arena, mlirArrayAttrGetElement(rows, i), only_independent, row));
    out_symbols->n_independent += row->kind == STRATA_SYMBOL_INDEPENDENT;
  }
  return NULL;
}

static MlirNamedAttribute entry(MlirContext context, const char *name, MlirAttribute attr) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(name)), attr);
}

static MlirAttribute expr_attr(MlirContext context, int n_symbols, MlirAffineExpr expr) {
  return mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, n_symbols, 1, &expr));
}

// A derived row.
static MlirAttribute write_row(MlirContext context, const strata_symbol_row_t *row, int number) {
  const MlirNamedAttribute entries[] = {
      entry(context, "name", strata_str_attr(context, row->name)),
      entry(context, "op", strata_str_attr(context, op_names[row->kind])),
      entry(context, "lhs", expr_attr(context, number, row->lhs)),
      entry(context, "rhs", expr_attr(context, number, row->rhs)),
      entry(context, "min", strata_i64_attr(context, row->min)),
      entry(context, "max", strata_i64_attr(context, row->max)),
      entry(context, "multiple", strata_i64_attr(context, row->multiple)),
  };
  return mlirDictionaryAttrGet(context, sizeof entries / sizeof *entries, entries);
}

void strata_symbol_table_append(strata_compile_t *compile, MlirOperation main, const strata_symbol_table_t *symbols) {
  MlirAttribute old = strata_attr(main, "strata.symbols");
  size_t n_old = mlirAttributeIsNull(old) ? 0 : (size_t)mlirArrayAttrGetNumElements(old), n = symbols->rows.count;
  if (n == n_old)
    return;
  MlirAttribute *rows = strata_arena_array(compile->arena, MlirAttribute, n + 1);
  for (size_t i = 0; i < n; i++)
    rows[i] = i < n_old ? mlirArrayAttrGetElement(old, (intptr_t)i)
                        : write_row(compile->context, &symbols->rows.data[i], (int)i);
  strata_set_attr(main, "strata.symbols", mlirArrayAttrGet(compile->context, (intptr_t)n, rows));
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

static bool derive(strata_symbol_kind_t kind, int64_t lhs, int64_t rhs, int64_t *out) {
  switch (kind) {
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
  case STRATA_SYMBOL_INDEPENDENT:
    break;
  }
  return false;
}

bool strata_symbol_table_derive(const strata_symbol_table_t *symbols, int64_t *values) {
  for (size_t i = symbols->n_independent; i < symbols->rows.count; i++) {
    const strata_symbol_row_t *row = &symbols->rows.data[i];
    int64_t lhs, rhs;
    if (!strata_expr_evaluate(row->lhs, values, &lhs) || !strata_expr_evaluate(row->rhs, values, &rhs) ||
        !derive(row->kind, lhs, rhs, &values[i]) || values[i] < row->min || values[i] > row->max)
      return false;
  }
  return true;
}

MlirAffineExpr strata_round_up_expr(MlirAffineExpr expr, int64_t multiple) {
  if (mlirAffineExprIsMultipleOf(expr, multiple))
    return expr;
  MlirAffineExpr unit = mlirAffineConstantExprGet(mlirAffineExprGetContext(expr), multiple);
  return mlirAffineMulExprGet(mlirAffineCeilDivExprGet(expr, unit), unit);
}

// A sum's terms are each a product of a constant and what is never negative.
bool strata_expr_is_never_negative(const strata_symbol_table_t *symbols, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return mlirAffineConstantExprGetValue(expr) >= 0;
  if (mlirAffineExprIsASymbol(expr)) {
    size_t symbol = (size_t)mlirAffineSymbolExprGetPosition(expr);
    return symbol < symbols->rows.count && symbols->rows.data[symbol].min >= 0;
  }
  if (mlirAffineExprIsADim(expr))
    return false;
  bool lhs = strata_expr_is_never_negative(symbols, mlirAffineBinaryOpExprGetLHS(expr));
  return lhs && strata_expr_is_never_negative(symbols, mlirAffineBinaryOpExprGetRHS(expr));
}

//===-- Types ----------------------------------------------------------------------------------------------------===//

// The map of the sizes; null if there is none.
static MlirAffineMap sizes_of(MlirType type) {
  MlirAttribute attr = {0};
  if (mlirTypeIsARankedTensor(type))
    attr = mlirRankedTensorTypeGetEncoding(type);
  else if (mlirTypeIsAMemRef(type))
    attr = mlirMemRefTypeGetMemorySpace(type);
  if (!mlirAttributeIsNull(attr) && mlirAttributeIsADictionary(attr))
    attr = get(attr, "sizes");
  bool is_map = !mlirAttributeIsNull(attr) && mlirAttributeIsAAffineMap(attr);
  return is_map ? mlirAffineMapAttrGetValue(attr) : (MlirAffineMap){0};
}

MlirAffineExpr strata_type_dim(MlirType type, intptr_t dim) {
  if (!mlirShapedTypeIsDynamicDim(type, dim))
    return mlirAffineConstantExprGet(mlirTypeGetContext(type), mlirShapedTypeGetDimSize(type, dim));
  MlirAffineMap sizes = sizes_of(type);
  return !mlirAffineMapIsNull(sizes) && dim < mlirAffineMapGetNumResults(sizes) ? mlirAffineMapGetResult(sizes, dim)
                                                                                : (MlirAffineExpr){0};
}

bool strata_type_is_symbolic(MlirType type) { return !mlirShapedTypeHasStaticShape(type); }
