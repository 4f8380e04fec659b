// The part of strata-simplify that is about views: a view that changes nothing goes, a view of a view is one view.
//
//   transpose(transpose(x, p), q) -> transpose(x, p . q)        broadcast(reshape(x)) -> broadcast(x), if sizes 1 came
//   reshape(reshape(x)) -> reshape(x)                           slice(slice(x)) -> slice(x)
//   transpose(broadcast(x)) -> broadcast(x)                     slice(concat(x, y)) -> slice(x)
//   transpose that only moves sizes 1 -> reshape                gather(x, consecutive constants) -> slice(x)
//   slice(product(x)) -> product(slice(x)), raise_slices.c      slice(dims) -> the sizes that it takes
#include "passes/strata/simplify.h"
#include "passes/strata/views.h"

static MlirContext context_of(const strata_rewriter_t *r) { return r->compile->context; }

static bool is_size(strata_dim_t dim, int64_t expected) {
  int64_t size;
  return strata_dim_is_constant(dim, &size) && size == expected;
}

static MlirValue reshape_like(strata_rewriter_t *r, MlirValue x, MlirOperation op) {
  strata_shape_t shape = strata_shape_of(strata_result(op));
  return strata_build_reshape(&r->build, x, shape.rank, shape.dims);
}

static MlirValue view_of_broadcast(strata_rewriter_t *r, MlirOperation op, MlirOperation broadcast) {
  strata_broadcast_plan_t plan;
  strata_shape_t shape = strata_shape_of(strata_result(op));
  if (!strata_plan_broadcast(broadcast, op, STRATA_FORWARD, &plan))
    return STRATA_NO_VALUE;
  return strata_build_planned(&r->build, broadcast, &plan, &shape);
}

//===-- Transpose ------------------------------------------------------------------------------------------------===//

static MlirValue merge_transposes(strata_rewriter_t *r, MlirOperation inner, const int64_t *outer) {
  int64_t permutation[STRATA_MAX_RANK], merged[STRATA_MAX_RANK];
  strata_permutation_of(inner, permutation);
  for (int i = 0; i < strata_rank_of(strata_result(inner)); i++)
    merged[i] = permutation[outer[i]];
  return strata_build_transpose(&r->build, strata_operand(inner, 0), merged);
}

// The dims of other sizes than 1 keep their order.
static bool moves_ones_only(MlirValue x, const int64_t *permutation) {
  strata_shape_t shape = strata_shape_of(x);
  int64_t last = -1;
  for (int i = 0; i < shape.rank; i++) {
    if (is_size(shape.dims[permutation[i]], 1))
      continue;
    if (permutation[i] < last)
      return false;
    last = permutation[i];
  }
  return true;
}

static MlirValue simplify_transpose(strata_rewriter_t *r, MlirOperation op) {
  MlirValue x = strata_operand(op, 0);
  int64_t permutation[STRATA_MAX_RANK];
  strata_permutation_of(op, permutation);
  if (moves_ones_only(x, permutation))
    return reshape_like(r, x, op);
  MlirOperation inner = strata_def_if(x, STRATA_OP_TRANSPOSE), broadcast = strata_def_if(x, STRATA_OP_BROADCAST);
  if (!mlirOperationIsNull(inner))
    return merge_transposes(r, inner, permutation);
  return mlirOperationIsNull(broadcast) ? STRATA_NO_VALUE : view_of_broadcast(r, op, broadcast);
}

//===-- Reshape --------------------------------------------------------------------------------------------------===//

static MlirValue simplify_reshape(strata_rewriter_t *r, MlirOperation op) {
  MlirValue x = strata_operand(op, 0);
  if (mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(strata_result(op))))
    return x;
  MlirOperation inner = strata_def_if(x, STRATA_OP_RESHAPE), broadcast = strata_def_if(x, STRATA_OP_BROADCAST);
  if (!mlirOperationIsNull(inner))
    return reshape_like(r, strata_operand(inner, 0), op);
  return mlirOperationIsNull(broadcast) ? STRATA_NO_VALUE : view_of_broadcast(r, op, broadcast);
}

//===-- Broadcast ------------------------------------------------------------------------------------------------===//

// The map of op . inner, where result i of |inner| is read at dim exprs[i] of op; the exprs for inner's operand.
static bool compose_view(MlirOperation inner, const MlirAffineExpr *exprs, MlirAffineExpr zero, MlirAffineExpr *out) {
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  int64_t permutation[STRATA_MAX_RANK];
  int n;
  switch (strata_op_id(inner)) {
  case STRATA_OP_TRANSPOSE:
    strata_permutation_of(inner, permutation);
    for (int i = 0; i < strata_rank_of(strata_result(inner)); i++)
      out[permutation[i]] = exprs[i];
    return true;
  case STRATA_OP_BROADCAST:
    for (int i = 0; i < strata_rank_of(strata_operand(inner, 0)); i++) {
      int dim = strata_expr_dim(mlirAffineMapGetResult(strata_map(inner), i));
      out[i] = dim < 0 ? zero : exprs[dim];
    }
    return true;
  case STRATA_OP_RESHAPE:
    n = strata_reshape_op_groups(inner, groups);
    for (int g = 0; g < n; g++) {
      if (groups[g].n_in > 1 || (groups[g].n_in == 1 && groups[g].n_out > 1))
        return false;
      if (groups[g].n_in == 1)
        out[groups[g].in] = groups[g].n_out ? exprs[groups[g].out] : zero;
    }
    return n >= 0;
  default:
    return false;
  }
}

// Each dim of the result is read at its own place: nothing is repeated.
static bool is_permutation(MlirAffineMap map, const strata_shape_t *result, int64_t *permutation) {
  bool used[STRATA_MAX_RANK] = {false};
  if (mlirAffineMapGetNumResults(map) != result->rank)
    return false;
  for (int i = 0; i < result->rank; i++) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    if (dim < 0 || used[dim])
      return false;
    used[dim] = true;
    permutation[dim] = i;
  }
  return true;
}

// Only dims of size 1 are added.
static bool adds_ones_only(MlirAffineMap map, const strata_shape_t *result) {
  int last = -1;
  bool used[STRATA_MAX_RANK] = {false};
  for (int i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    if (dim >= 0 && dim <= last)
      return false;
    last = dim >= 0 ? dim : last;
    if (dim >= 0)
      used[dim] = true;
  }
  for (int i = 0; i < result->rank; i++)
    if (!used[i] && !is_size(result->dims[i], 1))
      return false;
  return true;
}

static MlirValue simplify_broadcast(strata_rewriter_t *r, MlirOperation op) {
  MlirValue x = strata_operand(op, 0);
  MlirAffineMap map = strata_map(op);
  MlirAffineExpr exprs[STRATA_MAX_RANK], composed[STRATA_MAX_RANK];
  int64_t permutation[STRATA_MAX_RANK];
  strata_shape_t shape = strata_shape_of(strata_result(op));
  if (adds_ones_only(map, &shape))
    return reshape_like(r, x, op);
  if (is_permutation(map, &shape, permutation))
    return strata_build_transpose(&r->build, x, permutation);
  MlirOperation inner = strata_def(x);
  for (int i = 0; i < mlirAffineMapGetNumResults(map); i++)
    exprs[i] = mlirAffineMapGetResult(map, i);
  if (mlirOperationIsNull(inner) || !compose_view(inner, exprs, mlirAffineConstantExprGet(context_of(r), 0), composed))
    return STRATA_NO_VALUE;
  int rank = strata_rank_of(strata_operand(inner, 0));
  return strata_build_broadcast(&r->build, strata_operand(inner, 0), &shape,
                                mlirAffineMapGet(context_of(r), shape.rank, 0, rank, composed));
}

//===-- Slice ----------------------------------------------------------------------------------------------------===//

static MlirValue slice_of_slice(strata_rewriter_t *r, MlirOperation inner, strata_slice_t slice) {
  strata_slice_t first;
  if (!strata_slice_read(inner, &first))
    return STRATA_NO_VALUE;
  for (int i = 0; i < slice.rank; i++) {
    slice.starts[i] = first.starts[i] + slice.starts[i] * first.steps[i];
    slice.steps[i] *= first.steps[i];
  }
  return strata_slice_build(&r->build, strata_operand(inner, 0), &slice);
}

// The slice of the innermost operand of nested concats in which all of it lies.
static MlirValue slice_of_concat(strata_rewriter_t *r, MlirOperation concat, strata_slice_t slice) {
  MlirValue x = STRATA_NO_VALUE;
  for (; !mlirOperationIsNull(concat); concat = strata_def_if(x, STRATA_OP_CONCAT)) {
    int64_t axis = strata_attr_i64(concat, "axis", 0), first = slice.starts[axis], taken, size;
    strata_shape_t shape = strata_shape_of(strata_operand(concat, 0));
    if (!strata_dim_is_constant(slice.sizes[axis], &taken) || !strata_dim_is_constant(shape.dims[axis], &size))
      break;
    int64_t last = first + (taken - 1) * slice.steps[axis];
    if ((first >= size) != (last >= size))
      break;
    bool in_second = first >= size;
    slice.starts[axis] -= in_second ? size : 0;
    x = strata_operand(concat, in_second);
  }
  return mlirValueIsNull(x) ? x : strata_slice_build(&r->build, x, &slice);
}

// Along a dim that x does not have nothing is cut but the size.
static MlirValue slice_of_broadcast(strata_rewriter_t *r, MlirOperation op, MlirOperation broadcast,
                                    strata_slice_t slice) {
  strata_slice_t inner = {.rank = strata_rank_of(strata_operand(broadcast, 0))};
  strata_dim_t one = strata_dim_constant(context_of(r), 1);
  MlirAffineMap map = strata_map(broadcast);
  for (int i = 0; i < inner.rank; i++) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    inner.starts[i] = dim < 0 ? 0 : slice.starts[dim];
    inner.steps[i] = dim < 0 ? 1 : slice.steps[dim];
    inner.sizes[i] = dim < 0 ? one : slice.sizes[dim];
  }
  strata_shape_t shape = strata_shape_of(strata_result(op));
  return strata_build_broadcast(&r->build, strata_slice_build(&r->build, strata_operand(broadcast, 0), &inner), &shape,
                                map);
}

// Sizes of which none varies any more are numbers.
static MlirValue slice_of_dims(strata_rewriter_t *r, MlirOperation dims, strata_slice_t slice) {
  strata_dim_t left[STRATA_MAX_RANK];
  MlirAttribute values = strata_attr(dims, "values");
  int64_t count;
  if (!mlirAttributeIsAAffineMap(values) || slice.rank != 1 || !strata_dim_is_constant(slice.sizes[0], &count) ||
      count > STRATA_MAX_RANK)
    return STRATA_NO_VALUE;
  MlirAffineMap map = mlirAffineMapAttrGetValue(values);
  for (int64_t i = 0; i < count; i++)
    left[i] = mlirAffineMapGetResult(map, slice.starts[0] + i * slice.steps[0]);
  return strata_build_dims(&r->build, (int)count, left);
}

static MlirValue simplify_slice(strata_rewriter_t *r, MlirOperation op) {
  strata_slice_t slice;
  MlirOperation inner = strata_def(strata_operand(op, 0));
  strata_shape_t from = strata_shape_of(strata_operand(op, 0));
  if (!strata_slice_read(op, &slice))
    return STRATA_NO_VALUE;
  bool is_whole = true;
  for (int i = 0; i < slice.rank; i++)
    is_whole = is_whole && strata_slice_is_whole(&slice, i, from.dims[i]);
  if (is_whole)
    return strata_operand(op, 0);
  if (mlirOperationIsNull(inner))
    return STRATA_NO_VALUE;
  switch (strata_op_id(inner)) {
  case STRATA_OP_SLICE:
    return slice_of_slice(r, inner, slice);
  case STRATA_OP_CONCAT:
    return slice_of_concat(r, inner, slice);
  case STRATA_OP_BROADCAST:
    return slice_of_broadcast(r, op, inner, slice);
  case STRATA_OP_DIMS:
    return slice_of_dims(r, inner, slice);
  default:
    return strata_raise_slice(r, op);
  }
}

//===-- Pad, concat, gather --------------------------------------------------------------------------------------===//

static MlirValue simplify_pad(strata_rewriter_t *r, MlirOperation op) {
  MlirOperation inner = strata_def_if(strata_operand(op, 0), STRATA_OP_PAD);
  if (mlirTypeEqual(mlirValueGetType(strata_operand(op, 0)), mlirValueGetType(strata_result(op))))
    return strata_operand(op, 0);
  MlirAttribute value = strata_attr(op, "value");
  if (mlirOperationIsNull(inner) || !mlirAttributeEqual(value, strata_attr(inner, "value")) ||
      !mlirAttributeIsAFloat(value))
    return STRATA_NO_VALUE;
  int64_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK], more[STRATA_MAX_RANK];
  int rank = strata_attr_i64s(op, "low", STRATA_MAX_RANK, low);
  if (rank < 0 || strata_attr_i64s(inner, "low", STRATA_MAX_RANK, more) != rank)
    return STRATA_NO_VALUE;
  for (int i = 0; i < rank; i++)
    low[i] += more[i];
  if (strata_attr_i64s(op, "high", STRATA_MAX_RANK, high) != rank ||
      strata_attr_i64s(inner, "high", STRATA_MAX_RANK, more) != rank)
    return STRATA_NO_VALUE;
  for (int i = 0; i < rank; i++)
    high[i] += more[i];
  return strata_build_pad(&r->build, strata_operand(inner, 0), low, high, mlirFloatAttrGetValueDouble(value));
}

// concat(slice(x, a to b), slice(x, b to c)) -> slice(x, a to c)
static MlirValue join_slices(strata_rewriter_t *r, MlirOperation first, MlirOperation second, int64_t axis) {
  strata_slice_t a, b;
  if (!mlirValueEqual(strata_operand(first, 0), strata_operand(second, 0)) || !strata_slice_read(first, &a) ||
      !strata_slice_read(second, &b))
    return STRATA_NO_VALUE;
  int64_t taken;
  if (!strata_dim_is_constant(a.sizes[axis], &taken))
    return STRATA_NO_VALUE;
  for (int i = 0; i < a.rank; i++)
    if (a.steps[i] != b.steps[i] || b.starts[i] != a.starts[i] + (i == axis ? taken * a.steps[i] : 0))
      return STRATA_NO_VALUE;
  a.sizes[axis] = strata_dim_add(a.sizes[axis], b.sizes[axis]);
  return strata_slice_build(&r->build, strata_operand(first, 0), &a);
}

static MlirValue simplify_concat(strata_rewriter_t *r, MlirOperation op) {
  int64_t axis = strata_attr_i64(op, "axis", 0);
  strata_shape_t first = strata_shape_of(strata_operand(op, 0)), second = strata_shape_of(strata_operand(op, 1));
  if (is_size(first.dims[axis], 0))
    return strata_operand(op, 1);
  if (is_size(second.dims[axis], 0))
    return strata_operand(op, 0);
  MlirOperation a = strata_def_if(strata_operand(op, 0), STRATA_OP_SLICE);
  MlirOperation b = strata_def_if(strata_operand(op, 1), STRATA_OP_SLICE);
  return mlirOperationIsNull(a) || mlirOperationIsNull(b) ? STRATA_NO_VALUE : join_slices(r, a, b, axis);
}

// True if the values are start, start + step, … inside [0, size).
static bool is_progression(const int64_t *values, int64_t count, int64_t size, int64_t *out_step) {
  if (count < 1)
    return false;
  *out_step = count > 1 ? values[1] - values[0] : 1;
  for (int64_t i = 0; i < count; i++)
    if (values[i] < 0 || values[i] >= size || values[i] != values[0] + i * *out_step)
      return false;
  return *out_step != 0;
}

static MlirValue simplify_gather(strata_rewriter_t *r, MlirOperation op) {
  int64_t axis = strata_attr_i64(op, "axis", 0), *values, count, size;
  strata_shape_t indices = strata_shape_of(strata_operand(op, 1)), from = strata_shape_of(strata_operand(op, 0));
  strata_slice_t slice = strata_slice_all(&from);
  if (!strata_dim_is_constant(from.dims[axis], &size) || strata_attr_i64(op, "batch_dims", 0) != 0 ||
      strata_shape_count(&indices) > STRATA_FOLD_LIMIT ||
      !strata_constant_i64s(r->compile, strata_operand(op, 1), &values, &count))
    return STRATA_NO_VALUE;
  if (!is_progression(values, count, size, &slice.steps[axis]))
    return STRATA_NO_VALUE;
  slice.starts[axis] = values[0];
  slice.sizes[axis] = strata_dim_constant(context_of(r), count);
  return reshape_like(r, strata_slice_build(&r->build, strata_operand(op, 0), &slice), op);
}

MlirValue strata_simplify_view(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  switch (id) {
  case STRATA_OP_TRANSPOSE:
    return simplify_transpose(r, op);
  case STRATA_OP_RESHAPE:
    return simplify_reshape(r, op);
  case STRATA_OP_BROADCAST:
    return simplify_broadcast(r, op);
  case STRATA_OP_SLICE:
    return simplify_slice(r, op);
  case STRATA_OP_PAD:
    return simplify_pad(r, op);
  case STRATA_OP_CONCAT:
    return simplify_concat(r, op);
  case STRATA_OP_GATHER:
    return simplify_gather(r, op);
  default:
    return STRATA_NO_VALUE;
  }
}
