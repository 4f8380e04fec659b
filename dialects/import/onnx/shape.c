// Operators that ask for shapes, change them, or move elements by rules known at compile time.
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"

#include <string.h>

//===-- Shapes as values -----------------------------------------------------------------------------------------===//

void onnx_import_shape(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, 0);
  int64_t start = onnx_attr_int(n, "start", 0), end = onnx_attr_int(n, "end", shape.rank);
  start = strata_clamp(start < 0 ? start + shape.rank : start, 0, shape.rank);
  end = strata_clamp(end < 0 ? end + shape.rank : end, start, shape.rank);
  onnx_set(n, 0, strata_build_dims(n->b, (int)(end - start), shape.dims + start));
}

static strata_dim_t product_of(onnx_node_t *n, int count, const strata_dim_t *dims) {
  return strata_dim_product(n->b->compile->context, count, dims);
}

void onnx_import_size(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, 0);
  strata_dim_t count = product_of(n, shape.rank, shape.dims);
  int64_t size;
  if (strata_dim_is_constant(count, &size))
    onnx_set(n, 0, onnx_ints_constant(n, 0, NULL, &size));
  else
    onnx_set(n, 0, strata_build_dim(n->b, count, STRATA_TYPE_I64));
}

//===-- Reshape and its kin --------------------------------------------------------------------------------------===//

// The product of |count| sizes; an error where it overflows.
static int64_t product(onnx_node_t *n, const int64_t *sizes, int count) {
  int64_t result = 1;
  for (int i = 0; i < count; i++)
    if (__builtin_mul_overflow(result, sizes[i], &result)) {
      onnx_invalid(n, "the size overflows");
      return 1;
    }
  return result;
}

// Whether all of the dims are numbers, which |out| gets.
static bool are_numbers(int count, const strata_dim_t *dims, int64_t *out) {
  for (int i = 0; i < count; i++)
    if (!strata_dim_is_constant(dims[i], &out[i]))
      return false;
  return true;
}

// The size that is left for dim |open|, which is 1 so far.
static strata_dim_t remaining_size(onnx_node_t *n, const strata_shape_t *x, int count, const strata_dim_t *dims) {
  int64_t sizes[STRATA_MAX_RANK], known[STRATA_MAX_RANK];
  if (!are_numbers(x->rank, x->dims, sizes) || !are_numbers(count, dims, known))
    return onnx_derive(n, STRATA_SYMBOL_FLOORDIV, product_of(n, x->rank, x->dims), product_of(n, count, dims));
  int64_t all = product(n, sizes, x->rank), others = product(n, known, count);
  if (!onnx_failed(n) && (others == 0 || all % others))
    onnx_invalid(n, "shape: %lld elements cannot be spread over the other sizes' %lld", (long long)all,
                 (long long)others);
  return onnx_failed(n) ? onnx_dim(n, 1) : onnx_dim(n, all / others);
}

// Fills in the sizes that are 0 (as the operand's) and the one that is -1 (whatever is left).
static void complete_dims(onnx_node_t *n, const strata_shape_t *x, bool allow_zero, int count, strata_dim_t *dims) {
  int open = -1;
  for (int i = 0; i < count; i++) {
    int64_t size;
    if (strata_dim_is(dims[i], 0) && !allow_zero && i < x->rank)
      dims[i] = x->dims[i];
    if (strata_dim_is(dims[i], -1) && open < 0) {
      open = i;
      dims[i] = onnx_dim(n, 1);
    }
    if (strata_dim_is_constant(dims[i], &size) && size < 0)
      onnx_invalid(n, "shape: expected sizes and at most one -1, got %lld at %d", (long long)size, i);
  }
  if (open >= 0 && !onnx_failed(n))
    dims[open] = remaining_size(n, x, count, dims);
  // The counts of elements may say that sizes are equal; what they do not say is a condition.
  strata_dim_t before = product_of(n, x->rank, x->dims), after = product_of(n, count, dims);
  if (!onnx_failed(n) && !(open < 0 && onnx_agree(n, before, after)) && !onnx_require(n->importer, before, after, 0, 0))
    onnx_invalid(n, "shape: %s elements cannot become %s", onnx_dim_text(n, before), onnx_dim_text(n, after));
}

void onnx_import_reshape(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int64_t count;
  strata_dim_t dims[STRATA_MAX_RANK];
  const strata_dim_t *sizes = onnx_required_dims(n, "shape", 1, &count);
  if (count > STRATA_MAX_RANK)
    onnx_unsupported(n, "expected at most %d dimensions, got %lld", STRATA_MAX_RANK, (long long)count);
  if (onnx_failed(n))
    return;
  memcpy(dims, sizes, (size_t)count * sizeof *dims);
  complete_dims(n, &shape, onnx_attr_int(n, "allowzero", 0), (int)count, dims);
  onnx_set_like(n, 0, onnx_reshape_dims(n, x, (int)count, dims), 0);
}

// The dims before |axis| as one, the others as one.
void onnx_import_flatten(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int64_t axis = onnx_attr_int(n, "axis", 1), sizes[STRATA_MAX_RANK];
  if (axis != shape.rank)
    axis = onnx_axis(n, axis, shape.rank);
  if (are_numbers(shape.rank, shape.dims, sizes)) { // an error where the product overflows
    product(n, sizes, (int)axis);
    product(n, sizes + axis, shape.rank - (int)axis);
  }
  if (onnx_failed(n))
    return;
  strata_dim_t dims[2] = {product_of(n, (int)axis, shape.dims),
                          product_of(n, shape.rank - (int)axis, shape.dims + axis)};
  onnx_set_like(n, 0, onnx_reshape_dims(n, x, 2, dims), 0);
}

void onnx_import_squeeze(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x), result = {.rank = 0};
  bool drop[STRATA_MAX_RANK];
  int64_t count;
  const int64_t *axes = onnx_ints(n, "axes", 1, &count);
  onnx_axes(n, axes, count, shape.rank, drop);
  for (int i = 0; i < shape.rank && !onnx_failed(n); i++) {
    if (!axes)
      drop[i] = strata_dim_is(shape.dims[i], 1);
    if (drop[i] && !onnx_agree(n, shape.dims[i], onnx_dim(n, 1)))
      onnx_invalid(n, "axes: dimension %d has size %s, expected 1", i, onnx_dim_text(n, shape.dims[i]));
    if (!drop[i])
      result.dims[result.rank++] = shape.dims[i];
  }
  onnx_set_like(n, 0, onnx_reshape_dims(n, x, result.rank, result.dims), 0);
}

void onnx_import_unsqueeze(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  bool insert[STRATA_MAX_RANK];
  int64_t count;
  strata_dim_t dims[STRATA_MAX_RANK];
  const int64_t *axes = onnx_required_ints(n, "axes", 1, &count);
  if (count > STRATA_MAX_RANK - shape.rank)
    onnx_unsupported(n, "expected at most %d dimensions", STRATA_MAX_RANK);
  if (onnx_failed(n))
    return;
  int rank = shape.rank + (int)count;
  onnx_axes(n, axes, count, rank, insert);
  for (int i = 0, from = 0; i < rank && !onnx_failed(n); i++)
    dims[i] = insert[i] ? onnx_dim(n, 1) : shape.dims[from++];
  if (!onnx_failed(n))
    onnx_set_like(n, 0, onnx_reshape_dims(n, x, rank, dims), 0);
}

void onnx_import_transpose(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int rank = onnx_shape(x).rank, axes[STRATA_MAX_RANK];
  int64_t permutation[STRATA_MAX_RANK], count;
  const int64_t *perm = onnx_attr_ints(n, "perm", &count);
  if (!onnx_failed(n) && perm && count != rank)
    onnx_invalid(n, "attribute 'perm': expected %d integers, got %lld", rank, (long long)count);
  if (perm && !onnx_failed(n))
    onnx_axis_list(n, perm, count, rank, axes);
  for (int i = 0; i < rank && !onnx_failed(n); i++)
    permutation[i] = perm ? axes[i] : rank - 1 - i;
  if (onnx_failed(n))
    return;
  onnx_set_like(n, 0, strata_build_transpose(n->b, x, permutation), 0);
}

void onnx_import_identity(onnx_node_t *n) {
  if (n->n_inputs > 0)
    onnx_set_value(n, 0, n->inputs[0]);
}

//===-- Repetition -----------------------------------------------------------------------------------------------===//

// Broadcasting in both directions: where the shape says 1 the operand's size stays.
void onnx_import_expand(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int64_t count;
  strata_dim_t dims[STRATA_MAX_RANK];
  const strata_dim_t *sizes = onnx_dims(n, 1, &count);
  if (count > STRATA_MAX_RANK)
    onnx_unsupported(n, "expected at most %d dimensions", STRATA_MAX_RANK);
  if (onnx_failed(n))
    return;
  int rank = count > shape.rank ? (int)count : shape.rank;
  for (int i = 0; i < rank; i++) {
    int from_x = i - (rank - shape.rank), from_shape = i - (rank - (int)count);
    strata_dim_t have = from_x >= 0 ? shape.dims[from_x] : onnx_dim(n, 1),
                 want = from_shape >= 0 ? sizes[from_shape] : onnx_dim(n, 1);
    dims[i] = strata_dim_is(have, 1) ? want : have;
    if (!strata_dim_is(want, 1) && !onnx_agree(n, want, dims[i]))
      onnx_invalid(n, "shape: dimension %d of size %s cannot become %s", i, onnx_dim_text(n, have),
                   onnx_dim_text(n, want));
  }
  onnx_set_like(n, 0, onnx_broadcast_dims(n, x, rank, dims), 0);
}

// Each repeated dim gets a dim before it, which is broadcast and merged with it.
static MlirValue tile(onnx_node_t *n, MlirValue x, const strata_dim_t *repeats) {
  for (int axis = onnx_shape(x).rank - 1; axis >= 0 && !onnx_failed(n); axis--) {
    if (strata_dim_is(repeats[axis], 1))
      continue;
    strata_shape_t shape = onnx_shape(x), wide = shape;
    if (!strata_dim_is(shape.dims[axis], 1)) {
      x = onnx_insert_axis(n, x, axis);
      wide = onnx_shape(x);
    }
    int64_t size, times;
    wide.dims[axis] = repeats[axis];
    x = onnx_broadcast_dims(n, x, wide.rank, wide.dims);
    if (strata_dim_is_constant(shape.dims[axis], &size) && strata_dim_is_constant(repeats[axis], &times) &&
        __builtin_mul_overflow(size, times, &size))
      onnx_invalid(n, "the size overflows");
    else
      shape.dims[axis] = strata_dim_mul(shape.dims[axis], repeats[axis]);
    x = onnx_reshape_dims(n, x, shape.rank, shape.dims);
  }
  return x;
}

void onnx_import_tile(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int64_t count, known;
  const strata_dim_t *repeats = onnx_dims(n, 1, &count);
  if (!onnx_failed(n) && count != onnx_shape(x).rank)
    onnx_invalid(n, "repeats: expected %d, got %lld", onnx_shape(x).rank, (long long)count);
  for (int64_t i = 0; i < count && !onnx_failed(n); i++)
    if (strata_dim_is_constant(repeats[i], &known) && known < 0)
      onnx_invalid(n, "repeats: got %lld", (long long)known);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, tile(n, x, repeats), 0);
}

//===-- Depth and space ------------------------------------------------------------------------------------------===//

static int64_t block_size(onnx_node_t *n, const strata_shape_t *shape) {
  int64_t block = onnx_attr_int(n, "blocksize", 0);
  if (!onnx_failed(n) && (shape->rank != 4 || block < 1 || block > INT32_MAX))
    onnx_invalid(n, "expected 4 dimensions and a positive block size, got %d and %lld", shape->rank, (long long)block);
  return block;
}

void onnx_import_depth_to_space(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t s = onnx_shape(x);
  int64_t block = block_size(n, &s);
  if (onnx_failed(n))
    return;
  bool column_row = onnx_attr_is(n, "mode", "CRD"); // the block's place is inside the channel, not before it
  strata_dim_t b = onnx_dim(n, block), c = strata_dim_floordiv(s.dims[1], block * block), h = s.dims[2], w = s.dims[3];
  strata_dim_t blocks_first[6] = {s.dims[0], b, b, c, h, w}, channels_first[6] = {s.dims[0], c, b, b, h, w};
  x = onnx_reshape_dims(n, x, 6, column_row ? channels_first : blocks_first);
  x = strata_build_transpose(n->b, x, column_row ? (int64_t[]){0, 1, 4, 2, 5, 3} : (int64_t[]){0, 3, 4, 1, 5, 2});
  strata_dim_t dims[4] = {s.dims[0], c, strata_dim_times(h, block), strata_dim_times(w, block)};
  onnx_set_like(n, 0, onnx_reshape_dims(n, x, 4, dims), 0);
}

void onnx_import_space_to_depth(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t s = onnx_shape(x);
  int64_t block = block_size(n, &s);
  if (onnx_failed(n))
    return;
  strata_dim_t b = onnx_dim(n, block), c = s.dims[1], h = strata_dim_floordiv(s.dims[2], block),
               w = strata_dim_floordiv(s.dims[3], block);
  bool column_row = onnx_attr_is(n, "mode", "CRD");
  x = onnx_reshape_dims(n, x, 6, (strata_dim_t[]){s.dims[0], c, h, b, w, b});
  x = strata_build_transpose(n->b, x, column_row ? (int64_t[]){0, 1, 3, 5, 2, 4} : (int64_t[]){0, 3, 5, 1, 2, 4});
  strata_dim_t dims[4] = {s.dims[0], strata_dim_times(c, block * block), h, w};
  onnx_set_like(n, 0, onnx_reshape_dims(n, x, 4, dims), 0);
}
