// strata-fold-batch-norm: a constant scale of a contract's result becomes one of its weights.
//
//   mul(contract(x, w), broadcast(s))           ->  contract(x, mul(w, broadcast(s)))
//   mul(add(contract(x, w), b), s)              ->  add(contract(x, mul(w, s)), mul(b, s))
//   mul(contract(q, k), splat), q as above      ->  contract(mul(q, splat), k), and the scale goes on into q's weights
//   contract(mul(q, splat), k), q not as above  ->  mul(contract(q, k), splat), to be fused behind the contract, and
//                                                   operands are read as another kernel has left them
//
// where w, b and s depend on constants only, and s varies along dims of w only. A batch norm is such a scale and a sum.
// The product of the weights is computed once, by the preparation program. This changes how results are rounded, so it
// is off under --polyblocks-disable-unsafe-math-canonicalizations.
#include "passes/pass.h"
#include "passes/strata/contract.h"
#include "passes/strata/simplify.h"

#define LEAST_SCALE 0.03125 // that f16 does without: of attention with 1024 elements a head

static bool is_constant(const strata_rewriter_t *r, MlirValue value) { return strata_rewriter_is_constant(r, value); }

//===-- What can take a scale ------------------------------------------------------------------------------------===//

// What an operand was before it was rounded to the type that is multiplied: scales apply to that.
static MlirValue unrounded(MlirValue value) {
  MlirOperation convert = strata_def_if(value, STRATA_OP_CONVERT);
  if (mlirOperationIsNull(convert) || !strata_value_has_one_use(value))
    return value;
  strata_type_t from = strata_shape_of(strata_operand(convert, 0)).type;
  bool is_rounding = (from == STRATA_TYPE_F32 || from == STRATA_TYPE_F64) &&
                     strata_type_info[strata_shape_of(value).type].kind == STRATA_TYPE_KIND_FLOAT;
  return is_rounding ? strata_operand(convert, 0) : value;
}

// A contract with one constant operand: that operand's index; -1 if there is none.
static int weights_of(const strata_rewriter_t *r, MlirOperation contract) {
  for (int k = 0; k < 2; k++)
    if (is_constant(r, strata_operand(contract, k)) && !is_constant(r, strata_operand(contract, 1 - k)))
      return k;
  return -1;
}

// The scale's map over the dims of the weights: *out_places[i] is the dim of the weights that dim i of the scale's
// source goes along, -1 for one of size 1. False if the scale varies along a dim that the weights do not have.
static bool place_scale(MlirOperation contract, int weights, MlirValue scale, int64_t *out_places) {
  MlirOperation broadcast = strata_def_if(scale, STRATA_OP_BROADCAST);
  MlirAffineMap map = strata_map(broadcast), weights_map = strata_contract_map(contract, weights);
  for (int i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    out_places[i] = -1;
    for (int j = 0; dim >= 0 && j < mlirAffineMapGetNumResults(weights_map); j++)
      if (strata_expr_dim(mlirAffineMapGetResult(weights_map, j)) == dim)
        out_places[i] = j;
    if (dim >= 0 && out_places[i] < 0)
      return false;
  }
  return true;
}

static bool contract_takes(const strata_rewriter_t *r, MlirOperation contract, MlirValue scale) {
  strata_scalar_t scalar;
  int64_t places[STRATA_MAX_RANK];
  int k = weights_of(r, contract);
  if (k < 0 || strata_shape_of(unrounded(strata_operand(contract, k))).type != strata_shape_of(scale).type)
    return false;
  if (strata_splat_of(scale, &scalar))
    return true;
  return !mlirOperationIsNull(strata_def_if(scale, STRATA_OP_BROADCAST)) && place_scale(contract, k, scale, places);
}

// |value| times |scale| is free at run time: it is contract(x, weights), perhaps plus a constant, and has one reader.
static bool takes_scale(const strata_rewriter_t *r, MlirValue value, MlirValue scale) {
  MlirOperation add = strata_def_if(value, STRATA_OP_ADD);
  if (!strata_value_has_one_use(value))
    return false;
  if (!mlirOperationIsNull(add) && is_constant(r, strata_operand(add, 1)))
    value = strata_operand(add, 0);
  MlirOperation contract = strata_def_if(value, STRATA_OP_CONTRACT);
  return !mlirOperationIsNull(contract) && strata_value_has_one_use(value) && contract_takes(r, contract, scale);
}

//===-- Rewriting ------------------------------------------------------------------------------------------------===//

static MlirValue scale_like(strata_rewriter_t *r, MlirOperation contract, int weights, MlirValue scale) {
  strata_scalar_t scalar;
  strata_shape_t shape = strata_shape_of(unrounded(strata_operand(contract, weights)));
  int64_t places[STRATA_MAX_RANK];
  MlirContext context = r->compile->context;
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  if (strata_splat_of(scale, &scalar))
    return strata_build_scalar_splat(&r->build, &shape, scalar);
  place_scale(contract, weights, scale, places);
  MlirValue source = strata_operand(strata_def(scale), 0);
  int n = (int)mlirAffineMapGetNumResults(strata_map(strata_def(scale)));
  for (int i = 0; i < n; i++)
    exprs[i] = places[i] < 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, places[i]);
  return strata_build_broadcast(&r->build, source, &shape, mlirAffineMapGet(context, shape.rank, 0, n, exprs));
}

static MlirValue scale_contract(strata_rewriter_t *r, MlirOperation contract, MlirValue scale) {
  strata_contract_t c;
  int k = weights_of(r, contract);
  if (!strata_contract_read(r->compile, contract, &c))
    return STRATA_NO_VALUE;
  MlirValue scaled =
      strata_build_binary(&r->build, STRATA_OP_MUL, unrounded(c.operands[k]), scale_like(r, contract, k, scale));
  c.operands[k] = strata_round_constant(&r->build, scaled, strata_shape_of(c.operands[k]).type);
  return strata_contract_build(&r->build, &c);
}

// The scaled value, of one that takes_scale.
static MlirValue apply_scale(strata_rewriter_t *r, MlirValue value, MlirValue scale) {
  MlirOperation op = strata_def(value);
  if (strata_op_id(op) == STRATA_OP_CONTRACT)
    return scale_contract(r, op, scale);
  MlirValue scaled = scale_contract(r, strata_def(strata_operand(op, 0)), scale);
  return strata_build_binary(&r->build, STRATA_OP_ADD, scaled,
                             strata_build_binary(&r->build, STRATA_OP_MUL, strata_operand(op, 1), scale));
}

static MlirValue splat_for(strata_rewriter_t *r, MlirValue value, strata_scalar_t scalar) {
  strata_shape_t shape = strata_shape_of(value);
  return strata_build_scalar_splat(&r->build, &shape, scalar);
}

// mul(contract(q, k), splat) where q or k takes the scale.
static MlirValue scale_operand(strata_rewriter_t *r, MlirOperation contract, strata_scalar_t scalar) {
  strata_contract_t c;
  if (!strata_value_has_one_use(strata_result(contract)) || !strata_contract_read(r->compile, contract, &c))
    return STRATA_NO_VALUE;
  for (int k = 0; k < 2; k++) {
    // The splat of the operand's shape is needed to ask; it is forgotten if the answer is no.
    MlirValue operand = unrounded(c.operands[k]), scale = splat_for(r, operand, scalar);
    if (c.type != scalar.type || strata_shape_of(operand).type != scalar.type || !takes_scale(r, operand, scale))
      continue;
    c.operands[k] = strata_build_convert(&r->build, STRATA_OP_CONVERT, apply_scale(r, operand, scale),
                                         strata_shape_of(c.operands[k]).type);
    return strata_contract_build(&r->build, &c);
  }
  return STRATA_NO_VALUE;
}

static MlirValue fold_mul(strata_rewriter_t *r, MlirOperation op) {
  MlirValue value = strata_operand(op, 0), scale = strata_operand(op, 1);
  MlirOperation contract = strata_def_if(value, STRATA_OP_CONTRACT);
  strata_scalar_t scalar;
  if (!is_constant(r, scale) || strata_type_info[strata_shape_of(scale).type].kind != STRATA_TYPE_KIND_FLOAT)
    return STRATA_NO_VALUE;
  if (takes_scale(r, value, scale))
    return apply_scale(r, value, scale);
  bool is_splat = strata_splat_of(scale, &scalar);
  return is_splat && !mlirOperationIsNull(contract) ? scale_operand(r, contract, scalar) : STRATA_NO_VALUE;
}

// True if |value| is a contract's result, or a part of one, perhaps plus a constant.
static bool is_projection(const strata_rewriter_t *r, MlirValue value) {
  MlirOperation slice = strata_def_if(value, STRATA_OP_SLICE);
  value = mlirOperationIsNull(slice) ? value : strata_operand(slice, 0);
  MlirOperation add = strata_def_if(value, STRATA_OP_ADD);
  if (!mlirOperationIsNull(add) && is_constant(r, strata_operand(add, 1)))
    value = strata_operand(add, 0);
  return !mlirOperationIsNull(strata_def_if(value, STRATA_OP_CONTRACT));
}

// An operand that is rounded to a type of a smaller range than the scale's needs its scale first: a mean's sum may be
// beyond it. Not so the scale of attention: what is projected is of the range of other operands.
static bool may_lose_range(const strata_rewriter_t *r, MlirValue operand, MlirOperation mul, double scale) {
  bool is_rounded = !mlirValueEqual(unrounded(operand), operand) && strata_shape_of(operand).type != STRATA_TYPE_BF16;
  return is_rounded && !(scale >= LEAST_SCALE && is_projection(r, strata_operand(mul, 0)));
}

// contract(mul(q, splat), k): the scale goes behind the contract, unless q would take it.
static MlirValue unscale_operand(strata_rewriter_t *r, MlirOperation op) {
  strata_contract_t c;
  strata_scalar_t scalar;
  for (int k = 0; k < 2; k++) {
    MlirOperation mul = strata_def_if(unrounded(strata_operand(op, k)), STRATA_OP_MUL);
    if (mlirOperationIsNull(mul) || is_constant(r, strata_result(mul)) ||
        !strata_value_has_one_use(strata_result(mul)) || !strata_splat_of(strata_operand(mul, 1), &scalar) ||
        may_lose_range(r, strata_operand(op, k), mul, scalar.f64) ||
        scalar.type != strata_shape_of(strata_result(op)).type ||
        (scalar.type != STRATA_TYPE_F32 && scalar.type != STRATA_TYPE_F64) ||
        takes_scale(r, strata_operand(mul, 0), strata_operand(mul, 1)) || !strata_contract_read(r->compile, op, &c))
      continue;
    c.operands[k] = strata_round_operand(r, strata_operand(mul, 0), strata_shape_of(c.operands[k]).type);
    MlirValue product = strata_contract_build(&r->build, &c);
    return strata_build_binary(&r->build, STRATA_OP_MUL, product, splat_for(r, product, scalar));
  }
  return STRATA_NO_VALUE;
}

static MlirValue fold_scales(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue folded = STRATA_NO_VALUE;
  if (id == STRATA_OP_MUL && !is_constant(r, strata_result(op)))
    folded = fold_mul(r, op);
  else if (id == STRATA_OP_CONTRACT && !is_constant(r, strata_result(op)))
    folded = unscale_operand(r, op);
  return mlirValueIsNull(folded) ? strata_simplify_op(r, op, id) : folded;
}

strata_status_t strata_pass_fold_batch_norm(strata_compile_t *compile) {
  return compile->options->disable_unsafe_math ? NULL : strata_rewrite(compile, fold_scales);
}
