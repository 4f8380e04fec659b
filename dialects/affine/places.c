// See places.h.
#include "dialects/affine/places.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

MlirAffineExpr strata_place_fail(strata_place_reader_t *r) {
  r->failed = true;
  return mlirAffineConstantExprGet(r->context, 0);
}

MlirAffineExpr strata_place_map_result(strata_place_reader_t *r, MlirOperation op, const char *name, intptr_t first,
                                       intptr_t result) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, name));
  MlirAffineExpr inputs[STRATA_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumInputs(map);
  if (n > STRATA_MAX_DIMS)
    return strata_place_fail(r);
  for (intptr_t i = 0; i < n; i++)
    inputs[i] = strata_place_expr(r, mlirOperationGetOperand(op, first + i));
  return strata_affine_apply(map, result, inputs, r->n_dims, r->nest->space.n_symbols);
}

MlirAffineExpr strata_place_expr(strata_place_reader_t *r, MlirValue value) {
  for (int dim = 0; dim < r->nest->n_parallel; dim++)
    if (mlirValueEqual(value, r->nest->dims[dim]))
      return mlirAffineDimExprGet(r->context, dim);
  if (mlirValueIsABlockArgument(value))
    return r->other(r, value);
  MlirOperation op = mlirOpResultGetOwner(value);
  if (strata_symbol_of_value(value) >= 0)
    return mlirAffineSymbolExprGet(r->context, strata_symbol_of_value(value));
  if (strata_op_is(op, "arith.constant"))
    return mlirAffineConstantExprGet(r->context, mlirIntegerAttrGetValueInt(strata_attr(op, "value")));
  return strata_op_is(op, "affine.apply") ? strata_place_map_result(r, op, "map", 0, 0) : r->other(r, value);
}

strata_place_t strata_place_read(strata_place_reader_t *r, const strata_access_t *access) {
  MlirAffineExpr results[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(access->buffer, sizes), first = access->is_store ? 2 : 1;
  bool is_affine = strata_op_is(access->op, "affine.load") || strata_op_is(access->op, "affine.store");
  for (int i = 0; i < rank; i++)
    results[i] = is_affine ? strata_place_map_result(r, access->op, "map", first, i)
                           : strata_place_expr(r, mlirOperationGetOperand(access->op, first + i));
  return (strata_place_t){access->buffer,
                          mlirAffineMapGet(r->context, r->n_dims, r->nest->space.n_symbols, rank, results)};
}
