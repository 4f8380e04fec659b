// See symbols.h.
#include "dialects/affine/symbols.h"

#include "dialects/affine/simplify.h"
#include "dialects/affine/when.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

enum { MAX_RANK = 24, MAX_DIMS = 64, MAX_SYMBOLS = 256 };

//===-- The list -------------------------------------------------------------------------------------------------===//

// The likely size in the middle: a sequence that is one token at times is not planned for as if it were always. Where
// there is none, the least size that is no edge. Of a derived one what its operands' likely sizes, |values|, make of
// it.
static int64_t likely_of(const strata_symbol_t *symbol, const int64_t *values) {
  enum { ANY = 8 };
  int64_t likely = symbol->n_likely ? symbol->likely[(symbol->n_likely - 1) / 2] : ANY * symbol->multiple;
  if (symbol->op != STRATA_SYMBOL_GIVEN)
    strata_symbol_derive(symbol, values, &likely);
  return strata_max(symbol->min, strata_min(symbol->max, likely));
}

strata_size_symbols_t strata_symbols_of(strata_arena_t *arena, MlirOperation op) {
  MlirIntegerSet when = strata_when_around(op);
  while (!mlirOperationIsNull(op) && !strata_op_is(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  strata_symbols_t symbols = {{0}};
  if (!mlirOperationIsNull(op)) // an error is the verifier's to report
    strata_status_free(strata_symbols_read(arena, mlirModuleFromOperation(op), &symbols));
  int count = (int)symbols.list.count;
  strata_size_t *sizes = strata_arena_array(arena, strata_size_t, count + 1);
  int64_t *likely = strata_arena_array(arena, int64_t, count + 1);
  for (int i = 0; i < count; i++) {
    const strata_symbol_t *symbol = &symbols.list.data[i];
    sizes[i] = (strata_size_t){.expr = mlirAffineSymbolExprGet(mlirOperationGetContext(op), i),
                               .min = symbol->min,
                               .max = symbol->max,
                               .divisor = symbol->multiple};
    likely[i] = likely_of(symbol, likely);
  }
  strata_size_symbols_t all = {.count = count, .sizes = sizes, .likely = likely};
  if (count && !mlirIntegerSetIsNull(when))
    strata_when_narrow(arena, when, &symbols, &all, sizes, likely);
  return all;
}

// A function with buffers whose sizes vary need not ask for a size: it may be one of a part that has static ones.
// @main, which may have very many arguments, is asked for the symbols themselves.
static bool uses_symbols(MlirBlock body) {
  MlirOperation func = mlirBlockGetParentOperation(body);
  if (mlirStringRefEqual(strata_attr_str(func, "sym_name"), strata_str("main")))
    return !mlirAttributeIsNull(strata_attr(func, STRATA_SYMBOLS));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (!mlirAffineMapIsNull(strata_type_sizes(mlirValueGetType(mlirBlockGetArgument(body, i)))))
      return true;
  return strata_op_is(mlirBlockGetFirstOperation(body), STRATA_SIZE);
}

strata_size_symbols_t strata_symbols_used_around(strata_arena_t *arena, MlirOperation op) {
  return uses_symbols(mlirOperationGetBlock(op)) ? strata_symbols_of(arena, op) : (strata_size_symbols_t){0};
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

// Quotients and remainders by a positive size.
static strata_size_t divide(MlirAffineExpr expr, strata_size_t a, strata_size_t b) {
  int64_t divisor, low = strata_max(1, b.min), high = strata_max(1, b.max);
  bool is_exact = strata_size_is_constant(b, &divisor) && divisor > 0 && a.divisor % divisor == 0;
  if (mlirAffineExprIsAMod(expr))
    return is_exact ? strata_size_constant(0) : (strata_size_t){.expr = expr, .min = 0, .max = high - 1, .divisor = 1};
  bool up = mlirAffineExprIsACeilDiv(expr);
  strata_size_t quotient = {.expr = expr, .divisor = is_exact ? a.divisor / divisor : 1};
  quotient.min = up ? a.min / high + (a.min % high > 0) : strata_floor_div(a.min, high);
  quotient.max = up ? a.max / low + (a.max % low > 0) : strata_floor_div(a.max, low);
  return quotient;
}

static strata_size_t size_of_expr(const strata_size_symbols_t *symbols, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_size_constant(mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsASymbol(expr)) {
    intptr_t symbol = mlirAffineSymbolExprGetPosition(expr);
    return symbol < symbols->count ? symbols->sizes[symbol]
                                   : (strata_size_t){.expr = expr, .min = 0, .max = INT64_MAX, .divisor = 1};
  }
  strata_size_t a = strata_size_of_expr(symbols, mlirAffineBinaryOpExprGetLHS(expr));
  strata_size_t b = strata_size_of_expr(symbols, mlirAffineBinaryOpExprGetRHS(expr)), size;
  if (mlirAffineExprIsAAdd(expr))
    size = strata_size_known_of_sum(a, b);
  else if (mlirAffineExprIsAMul(expr))
    size = strata_size_known_of_product(a, b);
  else
    size = divide(expr, a, b);
  size.expr = expr;
  return size;
}

strata_size_t strata_size_of_expr(const strata_size_symbols_t *symbols, MlirAffineExpr expr) {
  return strata_when_narrowed(symbols, expr, size_of_expr(symbols, expr));
}

int64_t strata_size_likely(const strata_size_symbols_t *symbols, strata_size_t size) {
  int64_t value;
  bool is_known = strata_size_is_constant(size, &value) || (strata_expr_symbols(size.expr) <= symbols->count &&
                                                            strata_expr_evaluate(size.expr, symbols->likely, &value));
  return is_known ? value : size.max;
}

bool strata_affine_is_below(MlirAffineExpr expr, strata_size_t size, const strata_space_t *space) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr negative = mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(context, -1));
  MlirAffineExpr last = mlirAffineAddExprGet(strata_size_expr(context, size), mlirAffineConstantExprGet(context, -1));
  return strata_affine_is_nonnegative(mlirAffineAddExprGet(last, negative), space);
}

MlirAffineMap strata_map_without_symbols(MlirAffineMap map) {
  int symbols[1], count;
  return strata_map_over_used_symbols(map, 1, symbols, &count);
}

bool strata_map_uses_symbols(MlirAffineMap map) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (strata_expr_symbols(mlirAffineMapGetResult(map, i)) > 0)
      return true;
  return false;
}

//===-- Buffers --------------------------------------------------------------------------------------------------===//

double strata_memref_likely_elements(const strata_size_symbols_t *symbols, MlirType type) {
  double elements = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    elements *= (double)strata_size_likely(symbols, strata_size_of_expr(symbols, strata_type_dim(type, i)));
  return elements;
}

MlirType strata_memref_type_of(MlirType element, int rank, const strata_size_t *sizes) {
  MlirContext context = mlirTypeGetContext(element);
  MlirAffineExpr exprs[MAX_RANK];
  int64_t numbers[MAX_RANK];
  bool is_static = true;
  for (int i = 0; i < rank; i++) {
    exprs[i] = strata_size_expr(context, sizes[i]);
    if (!strata_size_is_constant(sizes[i], &numbers[i])) {
      numbers[i] = mlirShapedTypeGetDynamicSize();
      is_static = false;
    }
  }
  if (is_static)
    return mlirMemRefTypeContiguousGet(element, rank, numbers, mlirAttributeGetNull());
  MlirAttribute map = mlirAffineMapAttrGet(strata_exprs_map(context, rank, exprs));
  MlirNamedAttribute entry = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("sizes")), map);
  return mlirMemRefTypeContiguousGet(element, rank, numbers, mlirDictionaryAttrGet(context, 1, &entry));
}

// Symbols are dims before they are replaced, as what replaces them may be symbols too.
MlirAffineExpr strata_affine_apply(MlirAffineMap map, intptr_t result, const MlirAffineExpr *inputs, intptr_t n_dims,
                                   intptr_t n_symbols) {
  MlirContext context = mlirAffineMapGetContext(map);
  intptr_t map_dims = mlirAffineMapGetNumDims(map), map_symbols = mlirAffineMapGetNumSymbols(map);
  for (intptr_t i = 0; i < map_symbols; i++)
    map = mlirAffineMapReplace(map, mlirAffineSymbolExprGet(context, i), mlirAffineDimExprGet(context, map_dims + i),
                               map_dims + map_symbols, map_symbols);
  MlirAffineMap replacement =
      mlirAffineMapGet(context, n_dims, n_symbols, map_dims + map_symbols, (MlirAffineExpr *)inputs);
  return mlirAffineExprCompose(mlirAffineMapGetResult(map, result), replacement);
}

MlirAffineMap strata_map_over_used_symbols(MlirAffineMap map, int capacity, int *out_symbols, int *out_count) {
  bool used[MAX_SYMBOLS] = {false};
  MlirAffineExpr results[MAX_DIMS];
  MlirContext context = mlirAffineMapGetContext(map);
  intptr_t n_dims = mlirAffineMapGetNumDims(map), n = mlirAffineMapGetNumResults(map), n_symbols = 0;
  for (intptr_t i = 0; i < n; i++) {
    strata_expr_use_symbols(mlirAffineMapGetResult(map, i), MAX_SYMBOLS, used);
    n_symbols = strata_max(n_symbols, strata_expr_symbols(mlirAffineMapGetResult(map, i)));
  }
  *out_count = 0;
  // Numbers only become smaller, one after the other: none is taken twice.
  for (int i = 0; i < n_symbols && *out_count < capacity; i++) {
    if (!used[i])
      continue;
    if (i != *out_count)
      map = mlirAffineMapReplace(map, mlirAffineSymbolExprGet(context, i), mlirAffineSymbolExprGet(context, *out_count),
                                 n_dims, n_symbols);
    out_symbols[(*out_count)++] = i;
  }
  for (intptr_t i = 0; i < n && i < MAX_DIMS; i++)
    results[i] = mlirAffineMapGetResult(map, i);
  return mlirAffineMapGet(context, n_dims, *out_count, n, results);
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

int strata_symbol_of_value(MlirValue value) {
  MlirOperation op = strata_def(value);
  return mlirOperationIsNull(op) || !strata_op_is(op, STRATA_SIZE) ? -1 : (int)strata_attr_i64(op, "symbol", -1);
}

MlirValue strata_symbol_value(MlirBlock body, int symbol, MlirLocation location) {
  MlirOperation first = mlirBlockGetFirstOperation(body), op = first;
  for (; !mlirOperationIsNull(op) && strata_op_is(op, STRATA_SIZE); op = mlirOperationGetNextInBlock(op))
    if (strata_attr_i64(op, "symbol", -1) == symbol)
      return mlirOperationGetResult(op, 0);
  MlirContext context = mlirLocationGetContext(location);
  MlirType index = mlirIndexTypeGet(context);
  strata_named_attr_t attr = {"symbol", strata_i64_attr(context, symbol)};
  MlirOperation size = strata_op_create(location, STRATA_SIZE, 0, NULL, 1, &index, 1, &attr, 0, NULL);
  if (mlirOperationIsNull(op))
    mlirBlockAppendOwnedOperation(body, size);
  else
    mlirBlockInsertOwnedOperationBefore(body, op, size);
  return mlirOperationGetResult(size, 0);
}

static MlirAffineExpr apply_expr(MlirOperation op) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  intptr_t n_inputs = mlirAffineMapGetNumInputs(map);
  MlirAffineExpr inputs[MAX_DIMS];
  if (n_inputs > MAX_DIMS)
    return (MlirAffineExpr){0};
  for (intptr_t i = 0; i < n_inputs; i++) {
    inputs[i] = strata_symbol_expr_of_value(mlirOperationGetOperand(op, i));
    if (mlirAffineExprIsNull(inputs[i]))
      return (MlirAffineExpr){0};
  }
  return strata_affine_apply(map, 0, inputs, 0, MAX_SYMBOLS);
}

MlirAffineExpr strata_symbol_expr_of_value(MlirValue value) {
  MlirContext context = mlirTypeGetContext(mlirValueGetType(value));
  MlirOperation op = strata_def(value);
  int64_t number;
  int symbol = strata_symbol_of_value(value);
  if (symbol >= 0)
    return mlirAffineSymbolExprGet(context, symbol);
  if (strata_value_integer(value, &number))
    return mlirAffineConstantExprGet(context, number);
  if (!mlirOperationIsNull(op) && strata_op_is(op, "affine.apply"))
    return apply_expr(op);
  return (MlirAffineExpr){0};
}
