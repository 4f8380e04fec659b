// strata-sink-views: transposes and reshapes move towards their readers, until contracts take them in.
//
//   add(reshape(x), broadcast(b))        ->   reshape(add(x, broadcast(b)))
//   mul(transpose(x), transpose(y))      ->   transpose(mul(x, y))
//   reduce(reshape(x))                   ->   reshape(reduce(x))
//   slice(transpose(x))                  ->   transpose(slice(x))
//   contract(view(x), y)                 ->   contract(x, y), transpose(contract(x, y)) -> contract(x, y)
//   relu(concat(contract, contract))     ->   concat(relu(contract), relu(contract)), see sink_concats.c
//   gather(table, slice(positions))      ->   slice(gather(table, positions)) of constants, see sink_slices.c
//
// So what is computed between two contracts is in the order in which the first leaves it, and kernels have no reshapes
// inside. A view passes an op if all that the op reads can be seen from before the view: constants, broadcasts whose
// dims the view keeps whole, and the same view of something else.
#include "passes/pass.h"
#include "passes/strata/simplify.h"
#include "passes/strata/views.h"

//===-- Seeing an operand from before a view ---------------------------------------------------------------------===//

static bool is_view(MlirOperation op) {
  strata_op_id_t id = mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op);
  return id == STRATA_OP_TRANSPOSE || id == STRATA_OP_RESHAPE;
}

static bool same_dims(MlirValue x, MlirValue y) {
  strata_shape_t a = strata_shape_of(x), b = strata_shape_of(y);
  bool same = a.rank == b.rank;
  for (int i = 0; same && i < a.rank; i++)
    same = strata_dim_equal(a.dims[i], b.dims[i]);
  return same;
}

// |op| is a view like |view|, of a value with the same dims.
static bool is_same_view(MlirOperation op, MlirOperation view) {
  if (!is_view(op) || strata_op_id(op) != strata_op_id(view))
    return false;
  return same_dims(strata_operand(op, 0), strata_operand(view, 0)) &&
         (strata_op_id(op) == STRATA_OP_RESHAPE ||
          mlirAttributeEqual(strata_attr(op, "permutation"), strata_attr(view, "permutation")));
}

// |x| has the dims of the view's result: can it have those of its operand without being moved at run time?
static bool can_unview(const strata_rewriter_t *r, MlirValue x, MlirOperation view) {
  strata_broadcast_plan_t plan;
  MlirOperation op = strata_def(x);
  if (mlirOperationIsNull(op))
    return false;
  strata_scalar_t scalar;
  if (is_same_view(op, view) || strata_splat_of(x, &scalar))
    return true;
  if (strata_op_id(op) == STRATA_OP_BROADCAST)
    return strata_plan_broadcast(op, view, STRATA_BACKWARD, &plan);
  return strata_rewriter_is_constant(r, x);
}

static MlirValue unview_constant(strata_builder_t *b, MlirValue x, MlirOperation view, const strata_shape_t *shape) {
  int64_t permutation[STRATA_MAX_RANK], inverse[STRATA_MAX_RANK];
  if (strata_op_id(view) == STRATA_OP_RESHAPE)
    return strata_build_reshape(b, x, shape->rank, shape->dims);
  strata_permutation_of(view, permutation);
  for (int i = 0; i < shape->rank; i++)
    inverse[permutation[i]] = i;
  return strata_build_transpose(b, x, inverse);
}

static MlirValue unview(strata_builder_t *b, MlirValue x, MlirOperation view) {
  strata_broadcast_plan_t plan;
  MlirOperation op = strata_def(x);
  strata_shape_t shape = strata_shape_of(strata_operand(view, 0));
  shape.type = strata_shape_of(x).type;
  strata_scalar_t scalar;
  if (is_same_view(op, view))
    return strata_operand(op, 0);
  if (strata_splat_of(x, &scalar))
    return strata_build_scalar_splat(b, &shape, scalar);
  if (strata_op_id(op) != STRATA_OP_BROADCAST)
    return unview_constant(b, x, view, &shape);
  strata_plan_broadcast(op, view, STRATA_BACKWARD, &plan);
  return strata_build_planned(b, op, &plan, &shape);
}

// The view of |x|, which has the dims of the view's operand.
static MlirValue view_again(strata_builder_t *b, MlirValue x, MlirOperation view) {
  int64_t permutation[STRATA_MAX_RANK];
  strata_shape_t shape = strata_shape_of(strata_result(view));
  if (strata_op_id(view) == STRATA_OP_RESHAPE)
    return strata_build_reshape(b, x, shape.rank, shape.dims);
  strata_permutation_of(view, permutation);
  return strata_build_transpose(b, x, permutation);
}

//===-- Passing ops ----------------------------------------------------------------------------------------------===//

static MlirValue pass_elementwise(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirOperation view = {NULL};
  MlirValue operands[3];
  int n = strata_op_info[id].n_operands;
  for (int i = 0; i < n && !is_view(view); i++)
    if (!strata_rewriter_is_constant(r, strata_operand(op, i)))
      view = strata_def(strata_operand(op, i));
  if (!is_view(view) || strata_joins_pages(view, strata_operand(view, 0)))
    return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    if (!can_unview(r, strata_operand(op, i), view))
      return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    operands[i] = unview(&r->build, strata_operand(op, i), view);
  return view_again(&r->build, strata_build_elementwise(&r->build, op, operands), view);
}

// reduce(transpose(x)): the same axes of x; what is left is in x's order.
static MlirValue reduce_transpose(strata_rewriter_t *r, MlirOperation op, MlirOperation view, strata_combiner_t kind) {
  int64_t axes[STRATA_MAX_RANK], permutation[STRATA_MAX_RANK], left[STRATA_MAX_RANK], rest[STRATA_MAX_RANK];
  bool reduced[STRATA_MAX_RANK] = {false};
  int n = strata_attr_i64s(op, "axes", STRATA_MAX_RANK, axes), n_left = 0, n_rest = 0;
  strata_permutation_of(view, permutation);
  for (int i = 0; i < n; i++) {
    axes[i] = permutation[axes[i]];
    reduced[axes[i]] = true;
  }
  int rank = strata_rank_of(strata_result(view));
  for (int i = 0; i < rank; i++)
    left[i] = reduced[i] ? -1 : n_left++; // where dim i of x is in reduce(x)
  for (int i = 0; i < rank; i++)
    if (left[permutation[i]] >= 0)
      rest[n_rest++] = left[permutation[i]];
  MlirValue small = strata_build_reduce(&r->build, kind, strata_operand(view, 0), n, axes, false);
  return strata_build_transpose(&r->build, small, rest);
}

// The axes of a reshape's operand that |reduced| dims of its result are made of; -1 if a run of dims is reduced in
// part.
static int axes_before_reshape(MlirOperation view, const bool *reduced, int64_t *axes) {
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  int n_groups = strata_reshape_op_groups(view, groups), n = 0;
  for (int g = 0; g < n_groups; g++) {
    int n_reduced = 0;
    for (int i = groups[g].out; i < groups[g].out + groups[g].n_out; i++)
      n_reduced += reduced[i];
    if (n_reduced != 0 && n_reduced != groups[g].n_out)
      return -1;
    for (int i = groups[g].in; n_reduced && i < groups[g].in + groups[g].n_in; i++)
      axes[n++] = i;
  }
  return n_groups < 0 ? -1 : n;
}

static MlirValue reduce_reshape(strata_rewriter_t *r, MlirOperation op, MlirOperation view, strata_combiner_t kind) {
  int64_t axes[STRATA_MAX_RANK];
  bool reduced[STRATA_MAX_RANK] = {false};
  int n = strata_attr_i64s(op, "axes", STRATA_MAX_RANK, axes);
  for (int i = 0; i < n; i++)
    reduced[axes[i]] = true;
  n = axes_before_reshape(view, reduced, axes);
  if (n < 0)
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(strata_result(op));
  MlirValue small = strata_build_reduce(&r->build, kind, strata_operand(view, 0), n, axes, false);
  return strata_build_reshape(&r->build, small, shape.rank, shape.dims);
}

static MlirValue pass_reduce(strata_rewriter_t *r, MlirOperation op) {
  MlirOperation view = strata_def(strata_operand(op, 0));
  strata_combiner_t kind = strata_op_combiner(op);
  if (!is_view(view))
    return STRATA_NO_VALUE;
  return strata_op_id(view) == STRATA_OP_TRANSPOSE ? reduce_transpose(r, op, view, kind)
                                                   : reduce_reshape(r, op, view, kind);
}

static MlirValue slice_transpose(strata_rewriter_t *r, MlirOperation view, const strata_slice_t *slice) {
  int64_t permutation[STRATA_MAX_RANK];
  strata_slice_t before = {.rank = slice->rank};
  strata_permutation_of(view, permutation);
  for (int i = 0; i < slice->rank; i++) {
    before.starts[permutation[i]] = slice->starts[i];
    before.steps[permutation[i]] = slice->steps[i];
    before.sizes[permutation[i]] = slice->sizes[i];
  }
  return strata_build_transpose(&r->build, strata_slice_build(&r->build, strata_operand(view, 0), &before),
                                permutation);
}

// What |slice| takes of the |group| of a view's dims, with these |sizes|, as a slice of the dim they are split from. It
// must be in one piece: single elements of the outer dims, a range of one, all of the inner ones.
static bool join_range(const strata_slice_t *slice, strata_dim_group_t group, const strata_dim_t *sizes,
                       strata_slice_t *before) {
  int64_t start = 0;
  strata_dim_t count = slice->sizes[group.out];
  bool in_range = false; // a dim is taken in part or whole, and so the dims inside it must be taken whole
  for (int i = group.out; i < group.out + group.n_out; i++) {
    int64_t size, taken;
    bool is_single = strata_dim_is_constant(slice->sizes[i], &taken) && taken <= 1;
    if (in_range ? !strata_slice_is_whole(slice, i, sizes[i]) : !is_single && slice->steps[i] != 1)
      return false;
    if (start && !strata_dim_is_constant(sizes[i], &size))
      return false;
    in_range = in_range || !is_single;
    start = (start ? start * size : 0) + slice->starts[i];
    count = i > group.out ? strata_dim_mul(count, slice->sizes[i]) : count;
  }
  before->starts[group.in] = start;
  before->steps[group.in] = 1;
  before->sizes[group.in] = count;
  return true;
}

static bool slice_group(const strata_slice_t *slice, strata_dim_group_t group, const strata_shape_t *in,
                        const strata_shape_t *out, strata_slice_t *before) {
  if (group.n_in == 1 && group.n_out == 1) {
    before->starts[group.in] = slice->starts[group.out];
    before->steps[group.in] = slice->steps[group.out];
    before->sizes[group.in] = slice->sizes[group.out];
    return true;
  }
  if (group.n_in == 1 && group.n_out > 1)
    return join_range(slice, group, out->dims, before);
  for (int i = group.out; i < group.out + group.n_out; i++)
    if (!strata_dim_equal(slice->sizes[i], out->dims[i]) || slice->steps[i] != 1)
      return false;
  for (int i = group.in; i < group.in + group.n_in; i++) {
    before->starts[i] = 0;
    before->steps[i] = 1;
    before->sizes[i] = in->dims[i];
  }
  return true;
}

static MlirValue slice_reshape(strata_rewriter_t *r, MlirOperation op, MlirOperation view,
                               const strata_slice_t *slice) {
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  strata_shape_t in = strata_shape_of(strata_operand(view, 0)), out = strata_shape_of(strata_result(view));
  strata_slice_t before = {.rank = in.rank};
  int n = strata_reshape_groups(&in, &out, groups);
  for (int g = 0; g < n; g++)
    if (!slice_group(slice, groups[g], &in, &out, &before))
      return STRATA_NO_VALUE;
  if (n < 0)
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(strata_result(op));
  MlirValue cut = strata_slice_build(&r->build, strata_operand(view, 0), &before);
  return strata_build_reshape(&r->build, cut, shape.rank, shape.dims);
}

static MlirValue pass_slice(strata_rewriter_t *r, MlirOperation op) {
  MlirOperation view = strata_def(strata_operand(op, 0));
  strata_slice_t slice;
  if (!is_view(view) || !strata_slice_read(op, &slice))
    return STRATA_NO_VALUE;
  return strata_op_id(view) == STRATA_OP_TRANSPOSE ? slice_transpose(r, view, &slice)
                                                   : slice_reshape(r, op, view, &slice);
}

static MlirValue pass_concat(strata_rewriter_t *r, MlirOperation op) {
  MlirOperation first = strata_def_if(strata_operand(op, 0), STRATA_OP_TRANSPOSE);
  MlirOperation second = strata_def_if(strata_operand(op, 1), STRATA_OP_TRANSPOSE);
  int64_t permutation[STRATA_MAX_RANK];
  if (mlirOperationIsNull(first) || mlirOperationIsNull(second) ||
      !mlirAttributeEqual(strata_attr(first, "permutation"), strata_attr(second, "permutation")))
    return STRATA_NO_VALUE;
  strata_permutation_of(first, permutation);
  MlirValue operands[] = {strata_operand(first, 0), strata_operand(second, 0)};
  MlirValue joined = strata_build_concat(&r->build, 2, operands, permutation[strata_attr_i64(op, "axis", 0)]);
  return strata_build_transpose(&r->build, joined, permutation);
}

static int append_dims(int64_t *dims, int n, strata_dim_group_t group) {
  for (int i = group.in; i < group.in + group.n_in; i++)
    dims[n++] = i;
  return n;
}

// transpose(reshape(x)) -> reshape(transpose(x)) where the reshape splits no dim, so that the transpose meets a
// contract.
static MlirValue transpose_first(strata_rewriter_t *r, MlirOperation op) {
  MlirOperation reshape = strata_def_if(strata_operand(op, 0), STRATA_OP_RESHAPE);
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  int64_t permutation[STRATA_MAX_RANK], before[STRATA_MAX_RANK];
  int group_of[STRATA_MAX_RANK] = {0}; // by dim of the reshape's result
  int n_groups = mlirOperationIsNull(reshape) ? -1 : strata_reshape_op_groups(reshape, groups), n = 0;
  strata_permutation_of(op, permutation);
  for (int g = 0; g < n_groups; g++) {
    if (groups[g].n_out > 1)
      return STRATA_NO_VALUE;
    if (groups[g].n_out == 1)
      group_of[groups[g].out] = g;
    else
      n = append_dims(before, n, groups[g]); // of size 1: anywhere
  }
  if (n_groups < 0)
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(strata_result(op));
  for (int i = 0; i < shape.rank; i++)
    n = append_dims(before, n, groups[group_of[permutation[i]]]);
  MlirValue moved = strata_build_transpose(&r->build, strata_operand(reshape, 0), before);
  return strata_build_reshape(&r->build, moved, shape.rank, shape.dims);
}

static MlirValue sink_transpose(strata_rewriter_t *r, MlirOperation op) {
  MlirValue moved = strata_transpose_contract(r, op);
  return mlirValueIsNull(moved) ? transpose_first(r, op) : moved;
}

static MlirValue sink(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  if (strata_is_elementwise(id))
    return pass_elementwise(r, op, id);
  switch (id) {
  case STRATA_OP_CONTRACT:
    return strata_absorb_view(r, op);
  case STRATA_OP_REDUCE:
    return pass_reduce(r, op);
  case STRATA_OP_SLICE:
    return pass_slice(r, op);
  case STRATA_OP_CONCAT:
    return pass_concat(r, op);
  case STRATA_OP_TRANSPOSE:
    return sink_transpose(r, op);
  case STRATA_OP_RESHAPE:
    return strata_reshape_contract(r, op);
  default:
    return STRATA_NO_VALUE;
  }
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static bool can_reshape_freely(MlirValue x, MlirOperation reshape) {
  MlirOperation broadcast = strata_def_if(x, STRATA_OP_BROADCAST);
  strata_broadcast_plan_t plan;
  strata_scalar_t scalar;
  return mlirOperationIsNull(broadcast) || strata_splat_of(x, &scalar) ||
         strata_plan_broadcast(broadcast, reshape, STRATA_FORWARD, &plan);
}

static MlirValue reshape_freely(strata_rewriter_t *r, MlirValue x, MlirOperation reshape) {
  MlirOperation broadcast = strata_def_if(x, STRATA_OP_BROADCAST);
  strata_shape_t shape = strata_shape_of(strata_result(reshape));
  strata_broadcast_plan_t plan;
  strata_scalar_t scalar;
  shape.type = strata_shape_of(x).type;
  if (strata_splat_of(x, &scalar))
    return strata_build_scalar_splat(&r->build, &shape, scalar);
  if (mlirOperationIsNull(broadcast))
    return strata_build_reshape(&r->build, x, shape.rank, shape.dims);
  strata_plan_broadcast(broadcast, reshape, STRATA_FORWARD, &plan);
  return strata_build_planned(&r->build, broadcast, &plan, &shape);
}

// True of a reshape of what is computed element by element of a cache's pages, which it joins.
static bool joins_computed_pages(MlirOperation reshape) {
  MlirOperation op = strata_def(strata_operand(reshape, 0));
  while (!mlirOperationIsNull(op) && strata_is_elementwise(strata_op_id(op))) {
    if (strata_joins_pages(reshape, strata_operand(op, 0)))
      return true;
    op = strata_def(strata_operand(op, 0));
  }
  return false;
}

// reshape(mul(c, d)) -> mul(reshape(c), reshape(d)): among constants, which are computed in advance, reshapes move the
// other way, up to the named constant that can just as well have the other shape. So do those that join pages of a
// cache, up to what gathers them.
static MlirValue hoist_reshape(strata_rewriter_t *r, MlirOperation reshape) {
  MlirOperation op = strata_def(strata_operand(reshape, 0));
  strata_op_id_t id = mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op);
  MlirValue operands[3];
  if (!strata_is_elementwise(id) || !strata_value_has_one_use(strata_result(op)))
    return STRATA_NO_VALUE;
  for (int i = 0; i < strata_op_info[id].n_operands; i++)
    if (!can_reshape_freely(strata_operand(op, i), reshape))
      return STRATA_NO_VALUE;
  for (int i = 0; i < strata_op_info[id].n_operands; i++)
    operands[i] = reshape_freely(r, strata_operand(op, i), reshape);
  return strata_build_elementwise(&r->build, op, operands);
}

static MlirValue sink_or_simplify(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue moved = strata_pass_slice(r, op, id);
  if (!mlirValueIsNull(moved))
    return moved;
  if (!strata_rewriter_is_constant(r, strata_result(op)))
    moved = sink(r, op, id);
  if (mlirValueIsNull(moved) && id == STRATA_OP_RESHAPE &&
      (strata_rewriter_is_constant(r, strata_result(op)) || joins_computed_pages(op)))
    moved = hoist_reshape(r, op);
  return mlirValueIsNull(moved) ? strata_simplify_op(r, op, id) : moved;
}

// Once views are where they stay, as those in front of an op decide whether it passes a concat.
static MlirValue sink_past_concats(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue moved = STRATA_NO_VALUE;
  if (strata_is_elementwise(id) && !strata_rewriter_is_constant(r, strata_result(op)))
    moved = strata_pass_concat(r, op, id);
  return mlirValueIsNull(moved) ? sink_or_simplify(r, op, id) : moved;
}

strata_status_t strata_pass_sink_views(strata_compile_t *compile) {
  STRATA_TRY(strata_rewrite(compile, sink_or_simplify));
  return strata_rewrite(compile, sink_past_concats);
}
