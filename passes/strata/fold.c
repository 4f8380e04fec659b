// strata-fold: ops whose operands are all constant become constants, if that is small: the builders evaluate what has
// at most STRATA_FOLD_LIMIT elements, and what is made of splats is folded at any size.
//
//   %c = "strata.mul"(splat 2.0, splat 3.0)            ->   splat 6.0
//   %c = "strata.transpose"(splat 2.0)                 ->   splat 2.0
//   %c = "strata.add"(dense<[1, 2]>, dense<[3, 4]>)    ->   dense<[4, 6]>
//   %c = "strata.reshape"({data = "w"})                ->   {data = "w"} of the other type
//
//   %c = dense<[[1.0, 2.0], [1.0, 2.0]]>               ->   "strata.broadcast"(dense<[1.0, 2.0]>)
//
// Broadcasts of floats stay, and are even restored, for passes want to know along which dims a bias is the same; so do
// bytes as floats, for they may be quantised weights.
// Ops on large weights stay: the preparation program computes them with our own kernels.
#include "passes/pass.h"
#include "passes/strata/simplify.h"

static bool all_splats(MlirOperation op, strata_scalar_t *out_scalars) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!strata_splat_of(mlirOperationGetOperand(op, i), &out_scalars[i]))
      return false;
  return mlirOperationGetNumOperands(op) > 0;
}

// Elementwise: computed once, on scalars.
static MlirValue fold_elementwise(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id,
                                  const strata_scalar_t *scalars) {
  strata_builder_t *b = &r->build;
  strata_shape_t shape = strata_shape_of(strata_result(op));
  MlirValue operands[3];
  for (int i = 0; i < strata_op_info[id].n_operands; i++)
    operands[i] = strata_build_scalar_splat(b, &(strata_shape_t){.type = scalars[i].type}, scalars[i]);
  MlirValue folded = strata_build_elementwise(b, op, operands);
  strata_scalar_t scalar;
  return !mlirValueIsNull(folded) && strata_splat_of(folded, &scalar) ? strata_build_scalar_splat(b, &shape, scalar)
                                                                      : STRATA_NO_VALUE;
}

static bool equal_scalars(strata_scalar_t a, strata_scalar_t b) {
  return memcmp(&a.f64, &b.f64, sizeof a.f64) == 0 && a.i64 == b.i64;
}

// Movement: the elements stay what they are.
static bool keeps_splat(strata_op_id_t id, const strata_scalar_t *scalars) {
  if (id == STRATA_OP_CONCAT)
    return equal_scalars(scalars[0], scalars[1]);
  return id != STRATA_OP_PAD && strata_op_info[id].kind == STRATA_KIND_MOVEMENT;
}

// What a splat of a symbolic shape is: nothing to do.
static bool is_repeated_scalar(MlirOperation op, strata_op_id_t id) {
  return id == STRATA_OP_BROADCAST && strata_type_is_symbolic(mlirValueGetType(strata_result(op))) &&
         strata_shape_of(strata_operand(op, 0)).rank == 0 &&
         !mlirOperationIsNull(strata_def_if(strata_operand(op, 0), STRATA_OP_CONSTANT));
}

MlirValue strata_fold_splats(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_scalar_t scalars[3];
  if (is_repeated_scalar(op, id) || r->compile->options->disable_constant_folding || !all_splats(op, scalars))
    return STRATA_NO_VALUE;
  if (strata_is_elementwise(id))
    return fold_elementwise(r, op, id, scalars);
  strata_shape_t shape = strata_shape_of(strata_result(op));
  return keeps_splat(id, scalars) ? strata_build_scalar_splat(&r->build, &shape, scalars[0]) : STRATA_NO_VALUE;
}

// The number of elements, if it is small; -1 otherwise.
static int64_t small_count(MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  int64_t count = strata_shape_count(&shape);
  return count <= STRATA_FOLD_LIMIT ? count : -1;
}

static void *result_memory(strata_compile_t *compile, MlirOperation op) {
  strata_shape_t shape = strata_shape_of(strata_result(op));
  return strata_arena_alloc(compile->arena, (size_t)strata_type_storage_size(shape.type, strata_shape_count(&shape)));
}

// The bytes of a small constant, or of a broadcast of one.
static bool small_bytes(strata_compile_t *compile, MlirValue value, const void **out_data) {
  bool is_splat;
  MlirOperation broadcast = strata_def_if(value, STRATA_OP_BROADCAST);
  if (small_count(value) < 0)
    return false;
  if (mlirOperationIsNull(broadcast))
    return strata_constant_bytes(compile, value, out_data, &is_splat);
  const void *operand;
  if (!small_bytes(compile, strata_operand(broadcast, 0), &operand))
    return false;
  void *data = result_memory(compile, broadcast);
  strata_status_t status = strata_evaluate(compile, broadcast, &operand, &data);
  strata_status_free(status);
  *out_data = data;
  return !status;
}

static MlirValue fold_small(strata_rewriter_t *r, MlirOperation op) {
  enum { MAX_PRODUCTS = 1 << 20 }; // of a contract
  strata_compile_t *compile = r->compile;
  const void *operands[3];
  int n = (int)mlirOperationGetNumOperands(op);
  if (small_count(strata_result(op)) < 0)
    return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    if (!strata_rewriter_is_constant(r, strata_operand(op, i)) ||
        !small_bytes(compile, strata_operand(op, i), &operands[i]))
      return STRATA_NO_VALUE;
  if (strata_op_id(op) == STRATA_OP_CONTRACT &&
      small_count(strata_result(op)) * small_count(strata_operand(op, 0)) > MAX_PRODUCTS)
    return STRATA_NO_VALUE;
  void *data = result_memory(compile, op);
  strata_status_t status = strata_evaluate(compile, op, operands, &data);
  strata_shape_t shape = strata_shape_of(strata_result(op));
  if (!status)
    return strata_build_constant(&r->build, &shape, "folded", data);
  strata_status_free(status); // the evaluator has no rule for it: the op stays
  return STRATA_NO_VALUE;
}

// The bytes of a named constant are those of its reshape.
static MlirValue retype_constant(strata_rewriter_t *r, MlirOperation op) {
  MlirOperation constant = strata_def_if(strata_operand(op, 0), STRATA_OP_CONSTANT);
  MlirAttribute data = mlirOperationIsNull(constant) ? mlirAttributeGetNull() : strata_attr(constant, "data");
  if (mlirAttributeIsNull(data))
    return STRATA_NO_VALUE;
  MlirType type = mlirValueGetType(strata_result(op));
  strata_named_attr_t attr = {"data", data};
  MlirOperation retyped = strata_op_create(mlirOperationGetLocation(constant), strata_op_info[STRATA_OP_CONSTANT].name,
                                           0, NULL, 1, &type, 1, &attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(r->build.block, op, retyped);
  return strata_result(retyped);
}

// True if the elements do not depend on dim |dim| of a tensor of |sizes|.
static bool is_same_along(const char *data, size_t element, int rank, const int64_t *sizes, int dim) {
  size_t inner = element, outer = 1;
  for (int i = dim + 1; i < rank; i++)
    inner *= (size_t)sizes[i];
  for (int i = 0; i < dim; i++)
    outer *= (size_t)sizes[i];
  for (size_t o = 0; o < outer; o++, data += inner * (size_t)sizes[dim])
    for (int64_t i = 1; i < sizes[dim]; i++)
      if (memcmp(data, data + (size_t)i * inner, inner) != 0)
        return false;
  return true;
}

// A small constant of floats that is a broadcast in disguise.
static MlirValue restore_broadcast(strata_rewriter_t *r, MlirOperation op) {
  strata_shape_t shape = strata_shape_of(strata_result(op)), narrow = {.type = shape.type};
  int64_t sizes[STRATA_MAX_RANK], starts[STRATA_MAX_RANK] = {0}, steps[STRATA_MAX_RANK], kept[STRATA_MAX_RANK];
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  const void *data;
  bool is_splat;
  if (strata_type_info[shape.type].kind != STRATA_TYPE_KIND_FLOAT || !strata_shape_sizes(&shape, sizes) ||
      small_count(strata_result(op)) <= 1 || !strata_constant_bytes(r->compile, strata_result(op), &data, &is_splat))
    return STRATA_NO_VALUE;
  size_t element = (size_t)strata_type_storage_size(shape.type, 1);
  for (int i = 0; i < shape.rank; i++) {
    bool is_same = sizes[i] == 1 || is_same_along(data, element, shape.rank, sizes, i);
    kept[i] = is_same ? 1 : sizes[i];
    steps[i] = 1;
    if (!is_same) {
      exprs[narrow.rank] = mlirAffineDimExprGet(r->compile->context, i);
      narrow.dims[narrow.rank++] = shape.dims[i];
    }
  }
  int64_t count = strata_shape_count(&narrow);
  if (count == 1 || count == strata_shape_count(&shape))
    return STRATA_NO_VALUE;
  MlirValue small = strata_build_slice(&r->build, strata_result(op), starts, steps, kept);
  small = strata_build_reshape(&r->build, small, narrow.rank, narrow.dims);
  MlirAffineMap map = mlirAffineMapGet(r->compile->context, shape.rank, 0, narrow.rank, exprs);
  return strata_build_broadcast(&r->build, small, &shape, map);
}

// What the builders keep under keep_form.
static bool is_form(MlirOperation op, strata_op_id_t id) {
  if (strata_type_info[strata_shape_of(strata_result(op)).type].kind != STRATA_TYPE_KIND_FLOAT)
    return false;
  if (id != STRATA_OP_CONVERT && id != STRATA_OP_CONVERT_U)
    return id == STRATA_OP_BROADCAST;
  const strata_type_info_t *from = &strata_type_info[strata_shape_of(strata_operand(op, 0)).type];
  return from->kind == STRATA_TYPE_KIND_INTEGER && from->bits <= 8;
}

static MlirValue fold(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  if (id == STRATA_OP_CONSTANT)
    return restore_broadcast(r, op);
  MlirValue folded = strata_fold_splats(r, op, id);
  if (mlirValueIsNull(folded) && id == STRATA_OP_RESHAPE)
    folded = retype_constant(r, op);
  return mlirValueIsNull(folded) && !is_form(op, id) ? fold_small(r, op) : folded;
}

strata_status_t strata_pass_fold(strata_compile_t *compile) {
  return compile->options->disable_constant_folding ? NULL : strata_rewrite(compile, fold);
}
