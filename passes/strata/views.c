// See views.h.
#include "passes/strata/views.h"

static bool is_one(strata_dim_t dim) {
  int64_t size;
  return strata_dim_is_constant(dim, &size) && size == 1;
}

// A product of sizes; of numbers alone it is one.
typedef struct {
  strata_dim_t varying; // null: 1
  int64_t number;
} count_t;

static bool multiply(count_t *count, strata_dim_t size) {
  int64_t number;
  if (strata_dim_is_constant(size, &number))
    return number != 0 && !__builtin_mul_overflow(count->number, number, &count->number);
  count->varying = mlirAffineExprIsNull(count->varying) ? size : strata_dim_mul(count->varying, size);
  return true;
}

static strata_dim_t count_dim(const count_t *count, MlirContext context) {
  return mlirAffineExprIsNull(count->varying) ? strata_dim_constant(context, count->number)
                                              : strata_dim_times(count->varying, count->number);
}

// Whether the side of |a| is the one to take a dim more of: one that the other is a multiple of, or which no multiple
// of the other is.
static bool is_behind(const count_t *a, const count_t *b, MlirContext context) {
  strata_dim_t quotient;
  if (mlirAffineExprIsNull(a->varying) && mlirAffineExprIsNull(b->varying))
    return a->number < b->number;
  return !strata_dim_divide(count_dim(a, context), count_dim(b, context), &quotient);
}

// Grows the run that starts at |group| until both sides have the same number of elements.
static bool grow_group(const strata_shape_t *in, const strata_shape_t *out, strata_dim_group_t *group) {
  MlirContext context = mlirAffineExprGetContext(in->rank ? in->dims[0] : out->dims[0]);
  count_t in_count = {.number = 1}, out_count = {.number = 1};
  while (group->n_in == 0 || group->n_out == 0 ||
         !strata_dim_equal(count_dim(&in_count, context), count_dim(&out_count, context))) {
    bool grow_in = group->n_in == 0 || (group->n_out > 0 && is_behind(&in_count, &out_count, context));
    int next = grow_in ? group->in + group->n_in++ : group->out + group->n_out++;
    const strata_shape_t *shape = grow_in ? in : out;
    if (next >= shape->rank || !multiply(grow_in ? &in_count : &out_count, shape->dims[next]))
      return false;
  }
  return true;
}

int strata_reshape_groups(const strata_shape_t *in, const strata_shape_t *out,
                          strata_dim_group_t groups[2 * STRATA_MAX_RANK]) {
  int n = 0;
  for (int i = 0, o = 0; i < in->rank || o < out->rank; n++) {
    strata_dim_group_t group = {.in = i, .out = o};
    bool has_in = i < in->rank, has_out = o < out->rank;
    if (has_in && has_out && strata_dim_equal(in->dims[i], out->dims[o]))
      group.n_in = group.n_out = 1;
    else if (has_in && is_one(in->dims[i]))
      group.n_in = 1;
    else if (has_out && is_one(out->dims[o]))
      group.n_out = 1;
    else if (!grow_group(in, out, &group))
      return -1;
    i += group.n_in;
    o += group.n_out;
    groups[n] = group;
  }
  return n;
}

int strata_reshape_op_groups(MlirOperation op, strata_dim_group_t groups[2 * STRATA_MAX_RANK]) {
  strata_shape_t in = strata_shape_of(strata_operand(op, 0)), out = strata_shape_of(strata_result(op));
  return strata_reshape_groups(&in, &out, groups);
}

int strata_rank_of(MlirValue value) { return (int)mlirShapedTypeGetRank(mlirValueGetType(value)); }

void strata_permutation_of(MlirOperation transpose, int64_t permutation[STRATA_MAX_RANK]) {
  strata_attr_i64s(transpose, "permutation", STRATA_MAX_RANK, permutation);
}

// Bits of the dims of |value|, a gather or its transpose: of the numbers that it finds something by, and of what that
// is.
static bool gathered_dims(MlirValue value, uint32_t *out_numbers, uint32_t *out_found) {
  MlirOperation op = strata_def(value);
  int64_t permutation[STRATA_MAX_RANK];
  uint32_t numbers, found;
  switch (mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op)) {
  case STRATA_OP_GATHER: {
    int axis = (int)strata_attr_i64(op, "axis", 0), batch = (int)strata_attr_i64(op, "batch_dims", 0);
    int end = axis + strata_rank_of(strata_operand(op, 1)) - batch;
    *out_numbers = ((1u << end) - 1) & ~((1u << axis) - 1);
    *out_found = ((1u << strata_rank_of(value)) - 1) & ~((1u << end) - 1);
    return true;
  }
  case STRATA_OP_TRANSPOSE:
    if (!gathered_dims(strata_operand(op, 0), &numbers, &found))
      return false;
    strata_permutation_of(op, permutation);
    *out_numbers = *out_found = 0;
    for (int i = 0; i < strata_rank_of(value); i++) {
      *out_numbers |= (numbers >> permutation[i] & 1) << i;
      *out_found |= (found >> permutation[i] & 1) << i;
    }
    return true;
  default:
    return false;
  }
}

bool strata_joins_pages(MlirOperation reshape, MlirValue value) {
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  uint32_t numbers, found;
  if (strata_op_id(reshape) != STRATA_OP_RESHAPE || !gathered_dims(value, &numbers, &found))
    return false;
  int n = strata_reshape_op_groups(reshape, groups);
  for (int g = 0; g < n; g++) {
    uint32_t joined = ((1u << groups[g].n_in) - 1) << groups[g].in;
    if (groups[g].n_out == 1 && (joined & numbers) && (joined & found))
      return true;
  }
  return false;
}

//===-- Slices ---------------------------------------------------------------------------------------------------===//

bool strata_slice_read(MlirOperation op, strata_slice_t *out) {
  strata_shape_t shape = strata_shape_of(strata_result(op));
  out->rank = shape.rank;
  memcpy(out->sizes, shape.dims, sizeof out->sizes);
  for (int i = 0; i < shape.rank; i++)
    if (strata_dim_is(shape.dims[i], 0))
      return false;
  return strata_attr_i64s(op, "starts", STRATA_MAX_RANK, out->starts) == shape.rank &&
         strata_attr_i64s(op, "steps", STRATA_MAX_RANK, out->steps) == shape.rank;
}

strata_slice_t strata_slice_all(const strata_shape_t *x) {
  strata_slice_t slice = {.rank = x->rank};
  memcpy(slice.sizes, x->dims, sizeof slice.sizes);
  for (int i = 0; i < x->rank; i++)
    slice.steps[i] = 1;
  return slice;
}

bool strata_slice_is_whole(const strata_slice_t *slice, int i, strata_dim_t size) {
  return strata_dim_equal(slice->sizes[i], size) && (slice->steps[i] == 1 || is_one(size));
}

MlirValue strata_slice_build(strata_builder_t *b, MlirValue x, const strata_slice_t *slice) {
  strata_dim_t starts[STRATA_MAX_RANK];
  for (int i = 0; i < slice->rank; i++)
    starts[i] = strata_dim_constant(b->compile->context, slice->starts[i]);
  return strata_build_slice_dims(b, x, starts, slice->steps, slice->sizes);
}

//===-- Views of broadcasts --------------------------------------------------------------------------------------===//

// The dims of the broadcast's result as runs that the view moves as a whole: a transpose moves single dims.
typedef struct {
  int n;
  strata_dim_group_t groups[2 * STRATA_MAX_RANK]; // in: of the broadcast's result, out: of the planned one's
  strata_shape_t in, out;
} runs_t;

static bool find_runs(MlirOperation view, strata_direction_t direction, runs_t *out) {
  bool forward = direction == STRATA_FORWARD;
  int64_t permutation[STRATA_MAX_RANK];
  out->in = strata_shape_of(forward ? strata_operand(view, 0) : strata_result(view));
  out->out = strata_shape_of(forward ? strata_result(view) : strata_operand(view, 0));
  if (strata_op_id(view) == STRATA_OP_RESHAPE) {
    out->n = strata_reshape_groups(&out->in, &out->out, out->groups);
    return out->n >= 0;
  }
  out->n = out->in.rank;
  strata_permutation_of(view, permutation);
  for (int i = 0; i < out->n; i++) {
    int in = forward ? (int)permutation[i] : i, place = forward ? i : (int)permutation[i];
    out->groups[i] = (strata_dim_group_t){.in = in, .n_in = 1, .out = place, .n_out = 1};
  }
  return true;
}

static const strata_dim_group_t *run_of(const runs_t *runs, int dim) {
  for (int g = 0; g < runs->n; g++)
    if (dim >= runs->groups[g].in && dim < runs->groups[g].in + runs->groups[g].n_in)
      return &runs->groups[g];
  return NULL;
}

static void plan_dim(strata_broadcast_plan_t *plan, strata_dim_t dim, int64_t place) {
  plan->dims[plan->rank] = dim;
  plan->places[plan->rank++] = place;
}

// Plans the run that dim |i| of the operand begins; returns the dim after those that belong to it, -1 if they are not
// all of the run, in order.
static int plan_run(strata_broadcast_plan_t *plan, MlirAffineMap map, const strata_shape_t *x, const runs_t *runs,
                    int i) {
  int first = strata_expr_dim(mlirAffineMapGetResult(map, i));
  const strata_dim_group_t *run = run_of(runs, first);
  if (run->n_in == 1 && run->n_out == 1) {
    plan_dim(plan, x->dims[i], run->out);
    return i + 1;
  }
  for (int dim = run->in; dim < run->in + run->n_in; dim++) {
    bool is_read = i < x->rank && strata_expr_dim(mlirAffineMapGetResult(map, i)) == dim;
    if (!is_read && !is_one(runs->in.dims[dim]))
      return -1;
    i += is_read;
  }
  for (int out = run->out; out < run->out + run->n_out; out++) {
    if (plan->rank == STRATA_MAX_RANK)
      return -1;
    plan_dim(plan, runs->out.dims[out], out);
  }
  return i;
}

bool strata_plan_broadcast(MlirOperation broadcast, MlirOperation view, strata_direction_t direction,
                           strata_broadcast_plan_t *out_plan) {
  runs_t runs;
  MlirAffineMap map = strata_map(broadcast);
  strata_shape_t x = strata_shape_of(strata_operand(broadcast, 0));
  *out_plan = (strata_broadcast_plan_t){0};
  if (!find_runs(view, direction, &runs))
    return false;
  for (int i = 0; i >= 0 && i < x.rank;) {
    if (out_plan->rank == STRATA_MAX_RANK)
      return false;
    if (is_one(x.dims[i]))
      plan_dim(out_plan, x.dims[i++], -1);
    else
      i = plan_run(out_plan, map, &x, &runs, i);
    if (i < 0)
      return false;
  }
  return true;
}

MlirValue strata_build_planned(strata_builder_t *b, MlirOperation broadcast, const strata_broadcast_plan_t *plan,
                               const strata_shape_t *result) {
  MlirContext context = b->compile->context;
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  for (int i = 0; i < plan->rank; i++)
    exprs[i] =
        plan->places[i] < 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, plan->places[i]);
  MlirValue x = strata_build_reshape(b, strata_operand(broadcast, 0), plan->rank, plan->dims);
  return strata_build_broadcast(b, x, result, mlirAffineMapGet(context, result->rank, 0, plan->rank, exprs));
}
