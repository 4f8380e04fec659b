// See size_arguments.h.
#include "lowering/distribute/size_arguments.h"

#include "dialects/mlir_util.h"

enum { MAX_SYMBOLS = 256 };

static MlirWalkResult use_op(MlirOperation op, void *used) {
  if (strata_op_is(op, STRATA_SIZE))
    strata_expr_use_symbols(strata_symbol_expr_of_value(mlirOperationGetResult(op, 0)), MAX_SYMBOLS, used);
  return MlirWalkResultAdvance;
}

int strata_used_symbols(strata_arena_t *arena, MlirOperation func, int first_dim, bool **out_used) {
  bool *used = *out_used = strata_arena_array(arena, bool, MAX_SYMBOLS);
  mlirOperationWalk(func, use_op, used, MlirWalkPreOrder);
  MlirBlock body = strata_func_body(func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    for (intptr_t dim = first_dim; mlirTypeIsAMemRef(type) && dim < mlirShapedTypeGetRank(type); dim++)
      strata_expr_use_symbols(strata_type_dim(type, dim), MAX_SYMBOLS, used);
  }
  int count = MAX_SYMBOLS;
  while (count > 0 && !used[count - 1])
    count--;
  return count;
}

MlirType strata_pointer_type(MlirType type) {
  const int64_t unknown = 0;
  if (!mlirTypeIsAMemRef(type) || mlirShapedTypeHasStaticShape(type))
    return type;
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 1, &unknown, (MlirAttribute){0});
}

MlirAttribute strata_size_attr(MlirContext context, strata_size_t size) {
  int64_t number;
  return strata_size_is_constant(size, &number) ? strata_i64_attr(context, number)
                                                : mlirAffineMapAttrGet(strata_exprs_map(context, 1, &size.expr));
}

void strata_set_size_arguments(MlirOperation declaration, int count, const MlirValue *symbols) {
  MlirContext context = mlirOperationGetContext(declaration);
  MlirAffineExpr exprs[MAX_SYMBOLS];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (!mlirValueIsNull(symbols[i]) && mlirValueIsABlockArgument(symbols[i]))
      exprs[n++] = mlirAffineSymbolExprGet(context, i);
  if (n > 0)
    strata_set_attr(declaration, "strata.sizes", mlirAffineMapAttrGet(strata_exprs_map(context, n, exprs)));
}
