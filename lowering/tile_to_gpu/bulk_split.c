// See bulk_split.h.
#include "lowering/tile_to_gpu/bulk_split.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"

enum { RANK = 2 };

bool strata_bulk_concerns_steps(const strata_bulk_t *bulk, MlirAffineExpr expr) {
  for (int i = 1; i < bulk->box.space.n_dims; i++)
    if ((i == 1 || bulk->box.space.kinds[i] == STRATA_INDEX_COUNTER) && mlirAffineExprIsFunctionOfDim(expr, i))
      return true;
  return false;
}

// Makes two dims of dim |i| of the buffer where all elements of the access lie in every |n|th place along it: which of
// these, and which n-th that is.
static void split_dim(strata_gpu_box_t *box, int i, int64_t n, MlirAffineExpr quotient, MlirAffineExpr rest) {
  for (int k = box->rank++; k > i + 1; k--) {
    box->coordinates[k] = box->coordinates[k - 1];
    box->sizes[k] = box->sizes[k - 1];
  }
  box->sizes[i] = strata_size_constant(strata_size_static_value(box->sizes[i]) / n);
  box->sizes[i + 1] = strata_size_constant(n);
  box->coordinates[i] = quotient;
  box->coordinates[i + 1] = rest;
}

// True if whatever lies outside dim |i| has one element.
static bool is_outermost(const strata_gpu_box_t *box, int i) {
  while (i-- > 0)
    if (!strata_size_is_one(box->sizes[i]))
      return false;
  return true;
}

int strata_bulk_split_strides(strata_bulk_t *bulk, bool splits_rows) {
  strata_gpu_box_t *box = &bulk->box;
  const strata_index_space_t *space = &box->space;
  int split = STRATA_BULK_NO_DIM;
  for (int i = 0; i < box->rank && box->rank < STRATA_BOX_RANK; i++) {
    int64_t n = 1, size;
    for (int v = 0; v < RANK && n == 1; v++)
      if (!strata_affine_coefficient(box->coordinates[i], v, &n) || n == 0)
        n = 1;
    if (n <= 1 || !strata_size_is_constant(box->sizes[i], &size) || (size % n && !is_outermost(box, i)))
      continue;
    MlirAffineExpr by = mlirAffineConstantExprGet(space->d->e.context, n);
    MlirAffineExpr rest = strata_index_simplify(space, mlirAffineModExprGet(box->coordinates[i], by));
    MlirAffineExpr quotient = strata_index_simplify(space, mlirAffineFloorDivExprGet(box->coordinates[i], by));
    bool is_whole = size % n == 0, is_same = mlirAffineExprIsAConstant(rest);
    bool has_steps = strata_bulk_concerns_steps(bulk, rest); // rows side by side in a buffer that has no dim for them
    if (mlirAffineExprIsFunctionOfDim(rest, 0) || (has_steps && !(splits_rows && is_whole)) || !(is_whole || is_same))
      continue;
    int64_t left = is_whole ? 0 : mlirAffineConstantExprGetValue(rest);
    box->sizes[i] =
        strata_size_constant(strata_round_up(size - left, n)); // none of the n-th places is beyond the buffer's end
    split_dim(box, i, n, quotient, rest);
    split = i++;
  }
  return split;
}

// Of a dim that |constraint|, n - 1 - x with x from 0 on, ends: coordinate n * q + x becomes (q, x).
static bool split_row(strata_bulk_t *bulk, int i, MlirAffineExpr constraint) {
  strata_gpu_box_t *box = &bulk->box;
  const strata_index_space_t *space = &box->space;
  MlirContext context = space->d->e.context;
  int64_t least, last, size;
  if (!strata_size_is_constant(box->sizes[i], &size) || !strata_index_range(space, constraint, &least, &last) ||
      last < 0 || size % (last + 1) || size == last + 1)
    return false;
  MlirAffineExpr n = mlirAffineConstantExprGet(context, last + 1), minus_one = mlirAffineConstantExprGet(context, -1);
  MlirAffineExpr others = mlirAffineAddExprGet(box->coordinates[i], constraint); // n * q + n - 1
  others = mlirAffineAddExprGet(others, mlirAffineConstantExprGet(context, -last));
  others = strata_index_simplify(space, others);
  if (strata_expr_is_zero(others))
    return false; // the first row alone: the map may end there
  MlirAffineExpr rest = strata_index_simplify(space, mlirAffineModExprGet(others, n));
  if (!mlirAffineExprIsAConstant(rest) || mlirAffineConstantExprGetValue(rest) != 0)
    return false;
  MlirAffineExpr x =
      mlirAffineAddExprGet(mlirAffineConstantExprGet(context, last), mlirAffineMulExprGet(constraint, minus_one));
  split_dim(box, i, last + 1, strata_index_simplify(space, mlirAffineFloorDivExprGet(others, n)),
            strata_index_simplify(space, x));
  return true;
}

void strata_bulk_split_rows(strata_bulk_t *bulk, MlirOperation op, int buffer) {
  for (intptr_t j = 0; j < strata_gpu_mask_count(strata_attr(op, "mask")); j++) {
    MlirAffineExpr constraint;
    if (strata_gpu_mask_constraint(&bulk->box, op, buffer + 1, j, &constraint) ||
        !strata_bulk_concerns_steps(bulk, constraint))
      continue;
    for (int i = 0; i < bulk->box.rank && bulk->box.rank < STRATA_BOX_RANK; i++)
      if (split_row(bulk, i, constraint))
        break;
  }
}
