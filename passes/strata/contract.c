// See contract.h.
#include "passes/strata/contract.h"

bool strata_contract_read(strata_compile_t *compile, MlirOperation op, strata_contract_t *out) {
  strata_shape_t result = strata_shape_of(strata_result(op));
  MlirStringRef origin = strata_attr_str(op, "origin");
  *out = (strata_contract_t){.operands = {strata_operand(op, 0), strata_operand(op, 1)},
                             .type = result.type,
                             .result_rank = result.rank,
                             .zero_pad = strata_attr_flag(op, "zero_pad"),
                             .unsigned_lhs = strata_attr_flag(op, "unsigned_lhs"),
                             .origin = strata_arena_printf(compile->arena, "%.*s", (int)origin.length, origin.data)};
  out->n_dims = strata_contract_dims(op, out->dims);
  for (int k = 0; k < 2; k++) {
    MlirAffineMap map = strata_contract_map(op, k);
    out->n_exprs[k] = (int)mlirAffineMapGetNumResults(map);
    for (int i = 0; i < out->n_exprs[k]; i++)
      out->exprs[k][i] = mlirAffineMapGetResult(map, i);
  }
  return out->n_dims >= 0;
}

static strata_shape_t result_shape(const strata_contract_t *c) {
  strata_shape_t shape = {.type = c->type, .rank = c->result_rank};
  for (int i = 0; i < c->result_rank; i++)
    shape.dims[i] = c->dims[i];
  return shape;
}

static void make_maps(MlirContext context, const strata_contract_t *c, MlirAffineMap maps[3]) {
  MlirAffineExpr result[STRATA_MAX_RANK], exprs[STRATA_MAX_RANK];
  for (int i = 0; i < c->result_rank; i++)
    result[i] = mlirAffineDimExprGet(context, i);
  for (int k = 0; k < 2; k++) {
    memcpy(exprs, c->exprs[k], sizeof exprs);
    maps[k] = mlirAffineMapGet(context, c->n_dims, 0, c->n_exprs[k], exprs);
  }
  maps[2] = mlirAffineMapGet(context, c->n_dims, 0, c->result_rank, result);
}

bool strata_contract_is_valid(MlirContext context, const strata_contract_t *c) {
  MlirAffineMap maps[3];
  strata_dim_t dims[STRATA_MAX_RANK];
  strata_shape_t shapes[3] = {strata_shape_of(c->operands[0]), strata_shape_of(c->operands[1]), result_shape(c)};
  if (c->n_dims > STRATA_MAX_RANK)
    return false;
  make_maps(context, c, maps);
  if (strata_contract_extents(shapes, maps, c->zero_pad, dims) != c->n_dims)
    return false;
  for (int i = 0; i < c->n_dims; i++)
    if (!strata_dim_equal(dims[i], c->dims[i]))
      return false;
  return true;
}

MlirValue strata_contract_build(strata_builder_t *b, const strata_contract_t *c) {
  MlirAffineMap maps[3];
  strata_shape_t result = result_shape(c);
  make_maps(b->compile->context, c, maps);
  return strata_build_contract_of(b, c->operands[0], c->operands[1], maps, &result, c->zero_pad, c->origin,
                                  c->unsigned_lhs);
}

MlirValue strata_contract_build_scaled(strata_builder_t *b, const strata_contract_t *c, MlirValue scales, int axis) {
  MlirAffineMap maps[3];
  strata_shape_t result = result_shape(c);
  make_maps(b->compile->context, c, maps);
  return strata_build_scaled_contract(b, (MlirValue[]){c->operands[0], c->operands[1], scales}, maps, &result,
                                      c->zero_pad, c->origin, axis);
}

void strata_contract_substitute(MlirContext context, strata_contract_t *c, const MlirAffineExpr *substitutions,
                                int n_dims, const strata_dim_t *dims, int result_rank) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  memcpy(exprs, substitutions, (size_t)c->n_dims * sizeof *exprs);
  MlirAffineMap map = mlirAffineMapGet(context, n_dims, 0, c->n_dims, exprs);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < c->n_exprs[k]; i++)
      c->exprs[k][i] = mlirAffineExprCompose(c->exprs[k][i], map);
  memcpy(c->dims, dims, (size_t)n_dims * sizeof *dims);
  c->n_dims = n_dims;
  c->result_rank = result_rank;
}

int strata_contract_position(const strata_contract_t *c, int operand, int dim) {
  for (int i = 0; i < c->n_exprs[operand]; i++)
    if (strata_expr_dim(c->exprs[operand][i]) == dim)
      return i;
  return -1;
}

bool strata_contract_is_sliceable(const strata_contract_t *c, int dim) {
  for (int k = 0; k < 2; k++) {
    int place = strata_contract_position(c, k, dim);
    for (int i = 0; i < c->n_exprs[k]; i++)
      if (i != place && mlirAffineExprIsFunctionOfDim(c->exprs[k][i], dim))
        return false;
  }
  return true;
}

enum { SMALL_SLICE = 8 }; // times smaller than the whole: not worth rounding the whole

static MlirValue round_slice(strata_rewriter_t *r, MlirOperation slice, strata_type_t type) {
  MlirValue value = strata_result(slice);
  strata_shape_t whole = strata_shape_of(strata_operand(slice, 0)), part = strata_shape_of(value);
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  bool is_plain = strata_attr_i64s(slice, "starts", STRATA_MAX_RANK, starts) == whole.rank &&
                  strata_attr_i64s(slice, "steps", STRATA_MAX_RANK, steps) == whole.rank;
  if (!is_plain || strata_shape_count(&whole) > SMALL_SLICE * strata_shape_count(&part))
    return strata_build_convert(&r->build, STRATA_OP_CONVERT, value, type);
  strata_shape_t from = strata_shape_static(r->compile->context, STRATA_TYPE_I64, whole.rank, starts);
  return strata_build_slice_dims(&r->build, strata_round_operand(r, strata_operand(slice, 0), type), from.dims, steps,
                                 part.dims);
}

MlirValue strata_round_constant(strata_builder_t *b, MlirValue value, strata_type_t type) {
  bool no_fold = b->no_fold;
  b->no_fold = true;
  MlirValue rounded = strata_build_convert(b, STRATA_OP_CONVERT, value, type);
  b->no_fold = no_fold;
  return rounded;
}

MlirValue strata_round_operand(strata_rewriter_t *r, MlirValue value, strata_type_t type) {
  MlirOperation op = strata_def(value);
  int64_t permutation[STRATA_MAX_RANK];
  strata_shape_t shape = strata_shape_of(value);
  if (mlirOperationIsNull(op) || strata_rewriter_is_constant(r, value))
    return strata_round_constant(&r->build, value, type);
  if (strata_op_id(op) == STRATA_OP_SLICE)
    return round_slice(r, op, type);
  if (strata_op_id(op) == STRATA_OP_RESHAPE)
    return strata_build_reshape(&r->build, strata_round_operand(r, strata_operand(op, 0), type), shape.rank,
                                shape.dims);
  if (strata_op_id(op) == STRATA_OP_TRANSPOSE &&
      strata_attr_i64s(op, "permutation", STRATA_MAX_RANK, permutation) == shape.rank)
    return strata_build_transpose(&r->build, strata_round_operand(r, strata_operand(op, 0), type), permutation);
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, value, type);
}
