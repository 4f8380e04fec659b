// See scales.h.
#include "passes/strata/scales.h"

MlirValue strata_under_rounding(MlirValue value) {
  MlirOperation convert = strata_def_if(value, STRATA_OP_CONVERT);
  bool rounds = !mlirOperationIsNull(convert) && strata_shape_of(strata_operand(convert, 0)).type == STRATA_TYPE_F32;
  return rounds ? strata_operand(convert, 0) : value;
}

bool strata_is_scale(MlirValue value) {
  strata_scalar_t scalar;
  return strata_splat_of(value, &scalar) || !mlirOperationIsNull(strata_def_if(value, STRATA_OP_BROADCAST));
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

// Which dim of a value dim |dim| of the contract is; -1: none.
typedef int (*place_of_t)(const strata_contract_t *c, int k, int dim);

static bool place(const strata_contract_t *c, int k, MlirValue scale, MlirContext context, place_of_t place_of,
                  MlirAffineExpr *out_exprs) {
  MlirOperation broadcast = strata_def_if(scale, STRATA_OP_BROADCAST);
  for (int i = 0; !mlirOperationIsNull(broadcast) && i < mlirAffineMapGetNumResults(strata_map(broadcast)); i++) {
    int at = strata_expr_dim(mlirAffineMapGetResult(strata_map(broadcast), i)); // -1: of one element
    int dim = at < 0 ? -1 : strata_expr_dim(c->exprs[k][at]);
    int place = dim < 0 ? -1 : place_of(c, k, dim);
    if (at >= 0 && place < 0)
      return false;
    out_exprs[i] = at < 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, place);
  }
  return true;
}

static int dim_of_result(const strata_contract_t *c, int k, int dim) {
  (void)k;
  return dim < c->result_rank ? dim : -1;
}

static int dim_of_other(const strata_contract_t *c, int k, int dim) { return strata_contract_position(c, 1 - k, dim); }

bool strata_scale_place_in_result(const strata_contract_t *c, int k, MlirValue scale, MlirContext context,
                                  MlirAffineExpr *out_exprs) {
  return place(c, k, scale, context, dim_of_result, out_exprs);
}

bool strata_scale_place_in_other(const strata_contract_t *c, int k, MlirValue scale, MlirContext context,
                                 MlirAffineExpr *out_exprs) {
  return place(c, k, scale, context, dim_of_other, out_exprs);
}

//===-- Products with scales -------------------------------------------------------------------------------------===//

MlirValue strata_scale_at(strata_rewriter_t *r, MlirValue value, MlirValue scale, const MlirAffineExpr *exprs) {
  strata_scalar_t scalar;
  strata_shape_t shape = strata_shape_of(value);
  if (strata_splat_of(scale, &scalar))
    return strata_build_binary(&r->build, STRATA_OP_MUL, value, strata_build_splat(&r->build, &shape, scalar.f64));
  MlirOperation broadcast = strata_def(scale);
  MlirValue source = strata_build_convert(&r->build, STRATA_OP_CONVERT, strata_operand(broadcast, 0), shape.type);
  MlirAffineMap map =
      mlirAffineMapGet(r->compile->context, shape.rank, 0, mlirAffineMapGetNumResults(strata_map(broadcast)),
                       (MlirAffineExpr *)(uintptr_t)exprs);
  return strata_build_binary(&r->build, STRATA_OP_MUL, value, strata_build_broadcast(&r->build, source, &shape, map));
}

MlirValue strata_scale_result(strata_rewriter_t *r, const strata_contract_t *c, int k, MlirValue result,
                              MlirValue scale) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  strata_scale_place_in_result(c, k, scale, r->compile->context, exprs);
  return strata_scale_at(r, result, scale, exprs);
}
