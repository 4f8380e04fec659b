// Sizes that vary: the values of symbols are arguments of the kernel, and elements of buffers with such sizes, which
// are pointers here, are found at positions that are computed from them.
//
//   %n = "strata.size"() {symbol = 0 : i64} : () -> index                 ->  an argument
//   memref.load %x[%i, %j] : memref<?x?xf32, {sizes = ()[s0] -> (4, s0)}> ->  memref.load %x[%i * %n + %j]
#include "dialects/affine/symbols.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "lowering/tile_to_cpu/distribute.h"

enum { MAX_SYMBOLS = 256, MAX_OPERANDS = 64 };

// The value of a symbol. What a padded read asks of the first dim of a buffer is known only here, so that an argument
// may be missing: it goes in front of those of the symbols behind it.
static MlirValue symbol_value(strata_distribution_t *d, int symbol) {
  if (!mlirValueIsNull(d->symbols[symbol]))
    return d->symbols[symbol];
  if (symbol < d->sizes.count && !strata_size_varies(d->sizes.sizes[symbol]))
    return strata_emit_index(&d->e, d->sizes.sizes[symbol].min);
  intptr_t place = mlirBlockArgumentGetArgNumber(d->begin);
  for (int i = symbol + 1; i < d->n_symbols; i++)
    place -= !mlirValueIsNull(d->symbols[i]) && mlirValueIsABlockArgument(d->symbols[i]);
  d->symbols[symbol] = mlirBlockInsertArgument(mlirBlockArgumentGetOwner(d->begin), place,
                                               mlirIndexTypeGet(d->e.context), d->e.location);
  return d->symbols[symbol];
}

strata_status_t strata_rule_size(strata_distribution_t *d, MlirOperation op) {
  int64_t symbol = strata_attr_i64(op, "symbol", -1);
  if (symbol < 0 || symbol >= d->n_symbols)
    return strata_rule_missing(op, "this symbol");
  strata_scalar_define(d, mlirOperationGetResult(op, 0), symbol_value(d, (int)symbol));
  return NULL;
}

MlirValue strata_emit_over_sizes(strata_distribution_t *d, MlirAffineExpr expr, int n, const MlirValue *operands) {
  MlirValue values[MAX_OPERANDS + MAX_SYMBOLS];
  int symbols[MAX_SYMBOLS], n_used;
  MlirAffineMap map = mlirAffineMapGet(d->e.context, n, d->n_symbols, 1, &expr);
  map = strata_map_over_used_symbols(map, MAX_SYMBOLS, symbols, &n_used);
  for (int i = 0; i < n && i < MAX_OPERANDS; i++)
    values[i] = operands[i];
  for (int i = 0; i < n_used; i++)
    values[n + i] = symbol_value(d, symbols[i]);
  return strata_emit_value(&d->e, "affine.apply", n + n_used, values, mlirIndexTypeGet(d->e.context), 1,
                           &(strata_named_attr_t){"map", mlirAffineMapAttrGet(map)});
}

MlirValue strata_emit_size(strata_distribution_t *d, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_emit_index(&d->e, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsASymbol(expr))
    return symbol_value(d, (int)mlirAffineSymbolExprGetPosition(expr));
  return strata_emit_over_sizes(d, expr, 0, NULL);
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

static void copy_prefetch(strata_distribution_t *d, MlirOperation op, const MlirValue *operands) {
  static const char *const names[] = {"isWrite", "localityHint", "isDataCache"};
  enum { N = sizeof names / sizeof *names };
  strata_named_attr_t attrs[N];
  for (int i = 0; i < N; i++)
    attrs[i] = (strata_named_attr_t){names[i], strata_attr(op, names[i])};
  strata_emit_op(&d->e, "memref.prefetch", 2, operands, 0, NULL, N, attrs);
}

// memref.load, memref.store and memref.prefetch: of a buffer whose sizes vary, at a position of its elements.
strata_status_t strata_rule_element(strata_distribution_t *d, MlirOperation op) {
  int at = strata_op_is(op, "memref.store") ? 1 : 0;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  if (mlirShapedTypeHasStaticShape(type))
    return strata_rule_structure(d, op);
  int rank = (int)mlirShapedTypeGetRank(type);
  MlirValue position = strata_emit_index(&d->e, 0);
  for (int dim = 0; dim < rank; dim++) {
    MlirValue index = strata_scalar_of(d, mlirOperationGetOperand(op, at + 1 + dim));
    if (dim > 0)
      position = strata_emit_binary(&d->e, "arith.muli", position, strata_emit_size(d, strata_type_dim(type, dim)));
    position = dim > 0 ? strata_emit_binary(&d->e, "arith.addi", position, index) : index;
  }
  MlirValue operands[3];
  for (int i = 0; i <= at; i++)
    operands[i] = strata_scalar_of(d, mlirOperationGetOperand(op, i));
  operands[at + 1] = position;
  if (at == 1)
    strata_emit_op(&d->e, "memref.store", 3, operands, 0, NULL, 0, NULL);
  else if (strata_op_is(op, "memref.prefetch"))
    copy_prefetch(d, op, operands);
  else
    strata_scalar_define(
        d, mlirOperationGetResult(op, 0),
        strata_emit_value(&d->e, "memref.load", 2, operands, mlirShapedTypeGetElementType(type), 0, NULL));
  return NULL;
}
