// The part of strata-sink-views where views end: a contract reads through its maps what the view would have moved.
//
//   contract(transpose(x), w)   (m, n, k) -> (k, m)  becomes  (m, n, k) -> (m, k) of x
//   contract(broadcast(x), w)   the dims that x does not have are left out
//   contract(reshape(x), w)     x [s, 768] as [s, 12, 64]: (…, h, d) of the view is (…, h * 64 + d) of x
//                               x [s, 12, 64] as [s, 768]: dim k is split into h and d everywhere
//   contract(pad(x, 0), w)      reads outside x are zero
//   transpose(contract(x, w))   the dims of the result change places
//
// Splitting a dim of the result leaves a reshape behind the contract, which sinks further.
#include "dialects/affine/simplify.h"
#include "passes/strata/contract.h"
#include "passes/strata/views.h"

typedef struct {
  MlirContext context;
  strata_contract_t *contract;
  int operand;
  MlirAffineExpr exprs[STRATA_MAX_RANK];     // where the view's operand is read, over the old dims
  strata_dim_group_t split[STRATA_MAX_RANK]; // of an old dim: the view's operand dims it becomes; n_in 0: it stays
} absorption_t;

// The view's dim is read from end to end, so that it may be replaced by something of the same size.
static bool reads_whole_dim(const absorption_t *a, int view_dim) {
  int dim = strata_expr_dim(a->contract->exprs[a->operand][view_dim]);
  strata_shape_t view = strata_shape_of(a->contract->operands[a->operand]);
  return dim >= 0 && strata_dim_equal(a->contract->dims[dim], view.dims[view_dim]);
}

// Where padding counts, a dim that is not read plainly must stay as it is.
static bool may_replace(const absorption_t *a, int view_dim) {
  return !a->contract->zero_pad || reads_whole_dim(a, view_dim);
}

static bool absorb_transpose(absorption_t *a, MlirOperation view) {
  int64_t permutation[STRATA_MAX_RANK];
  strata_permutation_of(view, permutation);
  for (int i = 0; i < strata_rank_of(strata_result(view)); i++)
    a->exprs[permutation[i]] = a->contract->exprs[a->operand][i];
  return true;
}

static bool absorb_broadcast(absorption_t *a, MlirOperation view) {
  MlirAffineMap map = strata_map(view);
  for (int i = 0; i < strata_rank_of(strata_result(view)); i++)
    if (!may_replace(a, i))
      return false;
  for (int i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    a->exprs[i] = dim < 0 ? mlirAffineConstantExprGet(a->context, 0) : a->contract->exprs[a->operand][dim];
  }
  return true;
}

// A size that varies may be anything, as far as maps without symbols are concerned.
static strata_size_t size_of(strata_dim_t dim) {
  int64_t size;
  return strata_dim_is_constant(dim, &size) ? strata_size_constant(size)
                                            : (strata_size_t){.expr = dim, .max = INT64_MAX, .divisor = 1};
}

// The run's row-major position in the view, written as coordinates of the view's operand. This fails where it needs
// divisions, unless they go away with the sizes of the contract's dims.
static bool renumber(absorption_t *a, const strata_shape_t *view, const strata_shape_t *x, strata_dim_group_t group) {
  const strata_contract_t *c = a->contract;
  strata_size_t extents[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  const strata_space_t space = {.n_dims = c->n_dims, .sizes = extents};
  MlirAffineExpr position = mlirAffineConstantExprGet(a->context, 0);
  for (int i = group.out; i < group.out + group.n_out; i++) {
    int64_t size;
    if ((group.n_out > 1 || group.n_in > 1) && !may_replace(a, i))
      return false;
    if (i > group.out && !strata_dim_is_constant(view->dims[i], &size))
      return false; // maps have no symbols
    position = mlirAffineAddExprGet(mlirAffineMulExprGet(position, view->dims[i]), c->exprs[a->operand][i]);
  }
  a->exprs[group.in] = position;
  if (group.n_in == 1)
    return true;
  for (int i = 0; i < c->n_dims; i++)
    extents[i] = size_of(c->dims[i]);
  for (int i = 0; i < group.n_in; i++)
    sizes[i] = size_of(x->dims[group.in + i]);
  for (int i = 1; i < group.n_in; i++)
    if (strata_size_varies(sizes[i]))
      return false; // maps have no symbols
  MlirAffineMap map = strata_affine_delinearize(position, group.n_in, sizes, &space);
  for (int i = 0; i < group.n_in; i++)
    a->exprs[group.in + i] = mlirAffineMapGetResult(map, i);
  for (int i = 0; i < group.n_in; i++)
    if (strata_affine_has_division(a->exprs[group.in + i]))
      return false;
  return true;
}

// Several dims of the view's operand are one of the view's: the contract's dim is split.
static bool split_dim(absorption_t *a, const strata_shape_t *x, strata_dim_group_t group) {
  int64_t size;
  if (group.n_out != 1 || !reads_whole_dim(a, group.out))
    return false;
  for (int i = group.in + 1; i < group.in + group.n_in; i++)
    if (!strata_dim_is_constant(x->dims[i], &size))
      return false; // maps have no symbols
  int dim = strata_expr_dim(a->contract->exprs[a->operand][group.out]);
  if (a->split[dim].n_in > 0)
    return false;
  a->split[dim] = group;
  memset(&a->exprs[group.in], 0, (size_t)group.n_in * sizeof a->exprs[0]);
  return true;
}

// Columns that are pages of a cache go on as one dim: attention reads them where they lie.
static bool absorb_reshape(absorption_t *a, MlirOperation view) {
  if (strata_joins_pages(view, strata_operand(view, 0)))
    return false;
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  strata_shape_t x = strata_shape_of(strata_operand(view, 0)), shape = strata_shape_of(strata_result(view));
  int n = strata_reshape_groups(&x, &shape, groups);
  for (int g = 0; g < n; g++) {
    bool is_added = groups[g].n_in == 0;
    if (is_added ? !may_replace(a, groups[g].out) : !renumber(a, &shape, &x, groups[g]) && !split_dim(a, &x, groups[g]))
      return false;
  }
  return n >= 0;
}

static bool absorb_pad(absorption_t *a, MlirOperation view) {
  bool is_zero = strata_attr_is_zero(strata_attr(view, "value"));
  int64_t low[STRATA_MAX_RANK];
  int rank = strata_attr_i64s(view, "low", STRATA_MAX_RANK, low);
  if (rank < 0) // symbolic
    return false;
  for (int i = 0; i < rank; i++)
    a->exprs[i] =
        mlirAffineAddExprGet(a->contract->exprs[a->operand][i], mlirAffineConstantExprGet(a->context, -low[i]));
  a->contract->zero_pad = true;
  return is_zero;
}

// Adds the new dims that old dim |dim| becomes and returns its expression over them. Parts of size 1 are no dims.
static MlirAffineExpr add_dims(absorption_t *a, int dim, const strata_shape_t *x, strata_dim_t *dims, int *n_dims,
                               int *new_dim_of) {
  strata_dim_group_t parts = a->split[dim];
  MlirAffineExpr sum = mlirAffineConstantExprGet(a->context, 0);
  if (parts.n_in == 0) {
    dims[*n_dims] = a->contract->dims[dim];
    return mlirAffineDimExprGet(a->context, (*n_dims)++);
  }
  for (int i = parts.in; i < parts.in + parts.n_in; i++) {
    int64_t size;
    if (strata_dim_is_constant(x->dims[i], &size) && size == 1)
      continue;
    MlirAffineExpr part = mlirAffineDimExprGet(a->context, *n_dims);
    sum = mlirAffineAddExprGet(mlirAffineMulExprGet(sum, x->dims[i]), part);
    dims[*n_dims] = x->dims[i];
    new_dim_of[i] = (*n_dims)++;
  }
  return sum;
}

// Carries out the splits: the contract gets its new dims, and the operand the exprs at which |x| is read.
static bool substitute(absorption_t *a, const strata_shape_t *x) {
  strata_contract_t *c = a->contract;
  MlirAffineExpr substitutions[STRATA_MAX_RANK], zero = mlirAffineConstantExprGet(a->context, 0);
  strata_dim_t dims[2 * STRATA_MAX_RANK];
  int n = 0, result_rank = 0, new_dim_of[STRATA_MAX_RANK];
  memset(new_dim_of, -1, sizeof new_dim_of);
  for (int i = 0; i < c->n_dims; i++) {
    substitutions[i] = add_dims(a, i, x, dims, &n, new_dim_of);
    result_rank = i < c->result_rank ? n : result_rank;
  }
  if (n > STRATA_MAX_RANK)
    return false;
  c->n_exprs[a->operand] = x->rank;
  for (int i = 0; i < x->rank; i++)
    c->exprs[a->operand][i] = mlirAffineExprIsNull(a->exprs[i]) ? zero : a->exprs[i];
  strata_contract_substitute(a->context, c, substitutions, n, dims, result_rank);
  for (int i = 0; i < x->rank; i++)
    if (new_dim_of[i] >= 0)
      c->exprs[a->operand][i] = mlirAffineDimExprGet(a->context, new_dim_of[i]);
  return true;
}

static bool absorb(absorption_t *a) {
  MlirOperation view = strata_def(a->contract->operands[a->operand]);
  bool done = false;
  switch (mlirOperationIsNull(view) ? STRATA_OP_COUNT : strata_op_id(view)) {
  case STRATA_OP_TRANSPOSE:
    done = absorb_transpose(a, view);
    break;
  case STRATA_OP_BROADCAST:
    done = absorb_broadcast(a, view);
    break;
  case STRATA_OP_RESHAPE:
    done = absorb_reshape(a, view);
    break;
  case STRATA_OP_PAD:
    done = absorb_pad(a, view);
    break;
  default:
    return false;
  }
  if (!done)
    return false;
  strata_shape_t x = strata_shape_of(strata_operand(view, 0));
  a->contract->operands[a->operand] = strata_operand(view, 0);
  if (!substitute(a, &x))
    return false;
  return strata_contract_is_valid(a->context, a->contract);
}

//===-- Constant operands ----------------------------------------------------------------------------------------===//

// The dims of which |expr|, which indexes a dim of |size|, is the row-major position, outermost first: d1, d2 for
// d1 * 64 + d2 where d2 < 64 and size is 64 times that of d1. Returns how many, 0 if it is no such sum.
static int split_position(const strata_contract_t *c, MlirAffineExpr expr, int64_t size, int *out_dims) {
  int64_t extents[STRATA_MAX_RANK], coefficients[STRATA_MAX_RANK], low, high;
  int n = 0;
  for (int i = 0; i < c->n_dims; i++)
    if (!strata_dim_is_constant(c->dims[i], &extents[i]) || !strata_affine_coefficient(expr, i, &coefficients[i]))
      return 0;
  if (!strata_affine_range(expr, STRATA_STATIC_SPACE(c->n_dims, extents), &low, &high) || low != 0 || high != size - 1)
    return 0;
  // By falling coefficient; each must be the product of the sizes inside it.
  for (int64_t inner = 1; inner < size;) {
    int next = 0;
    while (next < c->n_dims && (coefficients[next] != inner || extents[next] == 1))
      next++;
    if (next == c->n_dims || n == STRATA_MAX_RANK)
      return 0;
    memmove(out_dims + 1, out_dims, (size_t)n++ * sizeof *out_dims);
    out_dims[0] = next;
    inner *= extents[next];
  }
  return n;
}

// A constant that is read at sums of dims is reshaped, which costs nothing, so that it is read at single ones.
static bool split_constant(strata_rewriter_t *r, strata_contract_t *c, int operand) {
  strata_shape_t shape = strata_shape_of(c->operands[operand]), split = {.type = shape.type};
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    int dims[STRATA_MAX_RANK], n = 0;
    int64_t size;
    if (strata_expr_dim(c->exprs[operand][i]) < 0 && strata_dim_is_constant(shape.dims[i], &size))
      n = split_position(c, c->exprs[operand][i], size, dims);
    if (split.rank + (n > 0 ? n : 1) > STRATA_MAX_RANK)
      return false;
    for (int j = 0; j < n; j++) {
      exprs[split.rank] = mlirAffineDimExprGet(r->compile->context, dims[j]);
      split.dims[split.rank++] = c->dims[dims[j]];
    }
    if (n == 0) {
      exprs[split.rank] = c->exprs[operand][i];
      split.dims[split.rank++] = shape.dims[i];
    }
  }
  if (split.rank == shape.rank)
    return false;
  c->operands[operand] = strata_build_reshape(&r->build, c->operands[operand], split.rank, split.dims);
  c->n_exprs[operand] = split.rank;
  memcpy(c->exprs[operand], exprs, sizeof exprs);
  return true;
}

//===-- Entry points ---------------------------------------------------------------------------------------------===//

MlirValue strata_absorb_view(strata_rewriter_t *r, MlirOperation op) {
  strata_contract_t contract;
  for (int k = 0; k < 2; k++) {
    if (!strata_contract_read(r->compile, op, &contract))
      return STRATA_NO_VALUE;
    absorption_t a = {.context = r->compile->context, .contract = &contract, .operand = k};
    bool is_constant = strata_rewriter_is_constant(r, contract.operands[k]);
    bool is_reshape = !mlirOperationIsNull(strata_def_if(contract.operands[k], STRATA_OP_RESHAPE));
    if (is_constant && is_reshape ? false : absorb(&a) || (is_constant && split_constant(r, &contract, k))) {
      strata_shape_t shape = strata_shape_of(strata_result(op));
      return strata_build_reshape(&r->build, strata_contract_build(&r->build, &contract), shape.rank, shape.dims);
    }
  }
  return STRATA_NO_VALUE;
}

// The contract behind a view, if nothing else reads it.
static bool read_producer(strata_rewriter_t *r, MlirOperation view, strata_contract_t *out) {
  MlirOperation op = strata_def_if(strata_operand(view, 0), STRATA_OP_CONTRACT);
  return !mlirOperationIsNull(op) && strata_value_has_one_use(strata_result(op)) &&
         strata_contract_read(r->compile, op, out);
}

MlirValue strata_transpose_contract(strata_rewriter_t *r, MlirOperation transpose) {
  strata_contract_t c;
  int64_t permutation[STRATA_MAX_RANK];
  MlirAffineExpr substitutions[STRATA_MAX_RANK];
  strata_dim_t dims[STRATA_MAX_RANK];
  if (!read_producer(r, transpose, &c))
    return STRATA_NO_VALUE;
  strata_permutation_of(transpose, permutation);
  for (int i = 0; i < c.n_dims; i++) {
    int64_t old = i < c.result_rank ? permutation[i] : i;
    substitutions[old] = mlirAffineDimExprGet(r->compile->context, i);
    dims[i] = c.dims[old];
  }
  strata_contract_substitute(r->compile->context, &c, substitutions, c.n_dims, dims, c.result_rank);
  return strata_contract_build(&r->build, &c);
}

MlirValue strata_reshape_contract(strata_rewriter_t *r, MlirOperation reshape) {
  MlirContext context = r->compile->context;
  strata_contract_t c;
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  MlirAffineExpr substitutions[STRATA_MAX_RANK];
  strata_dim_t dims[2 * STRATA_MAX_RANK];
  if (!read_producer(r, reshape, &c))
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(strata_result(reshape));
  int n_groups = strata_reshape_op_groups(reshape, groups), n = shape.rank;
  for (int g = 0; g < n_groups; g++) {
    if (groups[g].n_in > 1 || groups[g].n_out > 1)
      return STRATA_NO_VALUE;
    if (groups[g].n_in == 1)
      substitutions[groups[g].in] =
          groups[g].n_out ? mlirAffineDimExprGet(context, groups[g].out) : mlirAffineConstantExprGet(context, 0);
  }
  memcpy(dims, shape.dims, (size_t)shape.rank * sizeof *dims);
  for (int i = c.result_rank; i < c.n_dims; i++) {
    substitutions[i] = mlirAffineDimExprGet(context, n);
    dims[n++] = c.dims[i];
  }
  if (n_groups < 0 || n > STRATA_MAX_RANK)
    return STRATA_NO_VALUE;
  strata_contract_substitute(context, &c, substitutions, n, dims, shape.rank);
  return strata_contract_is_valid(context, &c) ? strata_contract_build(&r->build, &c) : STRATA_NO_VALUE;
}
