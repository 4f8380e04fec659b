// See size_arguments.h.
#include "lowering/distribute/size_arguments.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

typedef struct {
  int count;
  bool *used;
} symbols_t;

static MlirWalkResult use_op(MlirOperation op, void *user) {
  const symbols_t *symbols = user;
  if (strata_op_is(op, STRATA_SIZE))
    strata_expr_use_symbols(strata_symbol_expr_of_value(mlirOperationGetResult(op, 0)), symbols->count, symbols->used);
  return MlirWalkResultAdvance;
}

int strata_used_symbols(strata_arena_t *arena, MlirOperation func, int first_dim, bool **out_used) {
  int count = strata_symbols_of(arena, func).count;
  bool *used = *out_used = strata_arena_array(arena, bool, count + 1);
  symbols_t symbols = {count, used};
  mlirOperationWalk(func, use_op, &symbols, MlirWalkPreOrder);
  MlirBlock body = strata_func_body(func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    for (intptr_t dim = first_dim; mlirTypeIsAMemRef(type) && dim < mlirShapedTypeGetRank(type); dim++)
      strata_expr_use_symbols(strata_type_dim(type, dim), count, used);
  }
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

void strata_set_size_arguments(strata_arena_t *arena, MlirOperation declaration, int count, const MlirValue *symbols) {
  MlirContext context = mlirOperationGetContext(declaration);
  MlirAffineExpr *exprs = strata_arena_array(arena, MlirAffineExpr, count + 1);
  int n = 0;
  for (int i = 0; i < count; i++)
    if (!mlirValueIsNull(symbols[i]) && mlirValueIsABlockArgument(symbols[i]))
      exprs[n++] = mlirAffineSymbolExprGet(context, i);
  if (n > 0)
    strata_set_attr(declaration, "strata.sizes", mlirAffineMapAttrGet(strata_exprs_map(context, n, exprs)));
}
