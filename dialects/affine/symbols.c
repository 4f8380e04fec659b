// See symbols.h.
#include "dialects/affine/symbols.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

enum { MAX_RANK = 24, MAX_DIMS = 64, MAX_SYMBOLS = 256 };

//===-- The list -------------------------------------------------------------------------------------------------===//

static MlirAttribute symbols_attr(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !strata_op_is(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  if (mlirOperationIsNull(op))
    return (MlirAttribute){0};
  MlirOperation main = strata_find_func(mlirModuleFromOperation(op), "main");
  return mlirOperationIsNull(main) ? (MlirAttribute){0} : strata_attr(main, STRATA_SYMBOLS);
}

bool strata_module_is_symbolic(MlirModule module) {
  return !mlirAttributeIsNull(symbols_attr(mlirModuleGetOperation(module)));
}

static int64_t entry_i64(MlirAttribute entry, const char *name, int64_t otherwise) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(entry, strata_str(name));
  return mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr) ? otherwise : mlirIntegerAttrGetValueInt(attr);
}

// The first likely size, an i64 array or an array of integers; where there is none, the least size that is no edge.
static int64_t likely_of(MlirAttribute entry, strata_size_t size) {
  enum { ANY = 8 };
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(entry, strata_str("likely"));
  int64_t likely = strata_max(size.min, strata_min(size.max, ANY * size.divisor));
  if (mlirAttributeIsNull(attr))
    return likely;
  if (mlirAttributeIsADenseI64Array(attr) && mlirDenseArrayGetNumElements(attr) > 0)
    likely = mlirDenseI64ArrayGetElement(attr, 0);
  if (mlirAttributeIsAArray(attr) && mlirArrayAttrGetNumElements(attr) > 0)
    likely = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(attr, 0));
  return strata_max(size.min, strata_min(size.max, likely));
}

strata_size_symbols_t strata_symbols_of(strata_arena_t *arena, MlirOperation op) {
  MlirAttribute list = symbols_attr(op);
  if (mlirAttributeIsNull(list))
    return (strata_size_symbols_t){0};
  int count = (int)mlirArrayAttrGetNumElements(list);
  strata_size_t *sizes = strata_arena_array(arena, strata_size_t, count);
  int64_t *likely = strata_arena_array(arena, int64_t, count);
  for (int i = 0; i < count; i++) {
    MlirAttribute entry = mlirArrayAttrGetElement(list, i);
    sizes[i] = (strata_size_t){.expr = mlirAffineSymbolExprGet(mlirAttributeGetContext(list), i),
                               .min = entry_i64(entry, "min", 1),
                               .max = entry_i64(entry, "max", INT32_MAX),
                               .divisor = entry_i64(entry, "multiple", 1)};
    likely[i] = likely_of(entry, sizes[i]);
  }
  return (strata_size_symbols_t){count, sizes, likely};
}

strata_size_symbols_t strata_symbols_used_around(strata_arena_t *arena, MlirOperation op) {
  MlirOperation first = mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
  return strata_op_is(first, STRATA_SIZE) ? strata_symbols_of(arena, op) : (strata_size_symbols_t){0};
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

int strata_expr_symbols(MlirAffineExpr expr) {
  if (mlirAffineExprIsASymbol(expr))
    return (int)mlirAffineSymbolExprGetPosition(expr) + 1;
  if (!mlirAffineExprIsABinary(expr))
    return 0;
  return (int)strata_max(strata_expr_symbols(mlirAffineBinaryOpExprGetLHS(expr)),
                         strata_expr_symbols(mlirAffineBinaryOpExprGetRHS(expr)));
}

// Quotients and remainders by a positive size.
static strata_size_t divide(MlirAffineExpr expr, strata_size_t a, strata_size_t b) {
  int64_t divisor, low = strata_max(1, b.min), high = strata_max(1, b.max);
  bool is_exact = strata_size_is_constant(b, &divisor) && divisor > 0 && a.divisor % divisor == 0;
  if (mlirAffineExprIsAMod(expr))
    return is_exact ? strata_size_constant(0) : (strata_size_t){.expr = expr, .min = 0, .max = high - 1, .divisor = 1};
  bool up = mlirAffineExprIsACeilDiv(expr);
  strata_size_t quotient = {.expr = expr, .divisor = is_exact ? a.divisor / divisor : 1};
  quotient.min = up ? a.min / high + (a.min % high > 0) : a.min / high - (a.min % high < 0);
  quotient.max = up ? a.max / low + (a.max % low > 0) : a.max / low - (a.max % low < 0);
  return quotient;
}

strata_size_t strata_size_of_expr(const strata_size_symbols_t *symbols, MlirAffineExpr expr) {
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
    size = strata_size_sum(a, b);
  else if (mlirAffineExprIsAMul(expr))
    size = strata_size_product(a, b);
  else
    size = divide(expr, a, b);
  size.expr = expr;
  return size;
}

static int64_t likely_value(const strata_size_symbols_t *symbols, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return mlirAffineConstantExprGetValue(expr);
  if (mlirAffineExprIsASymbol(expr))
    return symbols->likely[mlirAffineSymbolExprGetPosition(expr)];
  int64_t a = likely_value(symbols, mlirAffineBinaryOpExprGetLHS(expr));
  int64_t b = likely_value(symbols, mlirAffineBinaryOpExprGetRHS(expr));
  if (mlirAffineExprIsAAdd(expr))
    return strata_plus(a, b);
  if (mlirAffineExprIsAMul(expr))
    return strata_times(a, b);
  b = strata_max(b, 1);
  int64_t quotient = a / b - (a % b < 0);
  if (mlirAffineExprIsAMod(expr))
    return a - quotient * b;
  return quotient + (mlirAffineExprIsACeilDiv(expr) && a != quotient * b);
}

int64_t strata_size_likely(const strata_size_symbols_t *symbols, strata_size_t size) {
  int64_t value;
  return strata_size_is_constant(size, &value) ? value : likely_value(symbols, size.expr);
}

bool strata_affine_is_below(MlirAffineExpr expr, strata_size_t size, const strata_space_t *space) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr negative = mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(context, -1));
  MlirAffineExpr last = mlirAffineAddExprGet(strata_size_expr(context, size), mlirAffineConstantExprGet(context, -1));
  return strata_affine_is_nonnegative(mlirAffineAddExprGet(last, negative), space);
}

//===-- Buffers --------------------------------------------------------------------------------------------------===//

MlirAffineMap strata_memref_type_map(MlirType type) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  if (mlirAttributeIsNull(space) || !mlirAttributeIsADictionary(space))
    return (MlirAffineMap){0};
  MlirAttribute sizes = mlirDictionaryAttrGetElementByName(space, strata_str("sizes"));
  if (mlirAttributeIsNull(sizes) || !mlirAttributeIsAAffineMap(sizes))
    return (MlirAffineMap){0};
  return mlirAffineMapAttrGetValue(sizes);
}

MlirAffineExpr strata_memref_type_size(MlirType type, intptr_t dim) {
  if (!mlirShapedTypeIsDynamicDim(type, dim))
    return mlirAffineConstantExprGet(mlirTypeGetContext(type), mlirShapedTypeGetDimSize(type, dim));
  return mlirAffineMapGetResult(strata_memref_type_map(type), dim);
}

double strata_memref_likely_elements(const strata_size_symbols_t *symbols, MlirType type) {
  double elements = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    elements *= (double)likely_value(symbols, strata_memref_type_size(type, i));
  return elements;
}

MlirType strata_memref_type_of(MlirType element, int rank, const strata_size_t *sizes) {
  MlirContext context = mlirTypeGetContext(element);
  MlirAffineExpr exprs[MAX_RANK];
  int64_t numbers[MAX_RANK];
  int n_symbols = 0;
  bool is_static = true;
  for (int i = 0; i < rank; i++) {
    exprs[i] = strata_size_expr(context, sizes[i]);
    n_symbols = (int)strata_max(n_symbols, strata_expr_symbols(exprs[i]));
    if (!strata_size_is_constant(sizes[i], &numbers[i])) {
      numbers[i] = mlirShapedTypeGetDynamicSize();
      is_static = false;
    }
  }
  if (is_static)
    return mlirMemRefTypeContiguousGet(element, rank, numbers, mlirAttributeGetNull());
  MlirAttribute map = mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, n_symbols, rank, exprs));
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

static void find_symbols(MlirAffineExpr expr, bool *used) {
  if (mlirAffineExprIsASymbol(expr))
    used[mlirAffineSymbolExprGetPosition(expr)] = true;
  if (!mlirAffineExprIsABinary(expr))
    return;
  find_symbols(mlirAffineBinaryOpExprGetLHS(expr), used);
  find_symbols(mlirAffineBinaryOpExprGetRHS(expr), used);
}

MlirAffineMap strata_map_over_used_symbols(MlirAffineMap map, int capacity, int *out_symbols, int *out_count) {
  bool used[MAX_SYMBOLS] = {false};
  MlirAffineExpr results[MAX_DIMS];
  MlirContext context = mlirAffineMapGetContext(map);
  intptr_t n_dims = mlirAffineMapGetNumDims(map), n = mlirAffineMapGetNumResults(map), n_symbols = 0;
  for (intptr_t i = 0; i < n; i++) {
    find_symbols(mlirAffineMapGetResult(map, i), used);
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
