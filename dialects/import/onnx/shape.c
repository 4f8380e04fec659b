// Operators that ask for shapes, change them, or move elements by rules known at compile time.
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <stdlib.h>
#include <string.h>

//===-- Shapes as values -----------------------------------------------------------------------------------------===//

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

void onnx_import_shape(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, 0);
  int64_t start = onnx_attr_int(n, "start", 0), end = onnx_attr_int(n, "end", shape.rank);
  start = clamp(start < 0 ? start + shape.rank : start, 0, shape.rank);
  end = clamp(end < 0 ? end + shape.rank : end, start, shape.rank);
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

//===-- Joining and cutting --------------------------------------------------------------------------------------===//

void onnx_import_concat(onnx_node_t *n) {
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, n->n_inputs);
  for (int i = 0; i < n->n_inputs; i++)
    parts[i] = onnx_operand(n, i);
  int rank = onnx_operand_shape(n, 0).rank, axis = onnx_axis(n, onnx_attr_int(n, "axis", 1), rank);
  for (int i = 1; i < n->n_inputs && !onnx_failed(n); i++)
    for (int d = 0; d < rank && onnx_shape(parts[i]).rank == rank; d++)
      if (d != axis)
        onnx_agree(n, onnx_shape(parts[0]).dims[d], onnx_shape(parts[i]).dims[d]);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_concat(n->b, n->n_inputs, parts, axis), 0);
}

// Sizes by attribute or operand; else equal ones, of which the last may be smaller.
static void split_sizes(onnx_node_t *n, int64_t size, int parts, int64_t *out) {
  int64_t count, sum = 0;
  const int64_t *sizes = onnx_ints(n, "split", 1, &count);
  int64_t chunk = parts ? strata_ceil_div(size, parts) : 0;
  if (!sizes && !onnx_has_attr(n, "num_outputs") && parts && size % parts)
    onnx_invalid(n, "%lld elements cannot be split into %d equal parts", (long long)size, parts);
  if (sizes && count != parts)
    onnx_invalid(n, "split: expected %d sizes, got %lld", parts, (long long)count);
  for (int i = 0; i < parts && !onnx_failed(n); i++) {
    out[i] = sizes ? sizes[i] : clamp(size - sum, 0, chunk);
    if (out[i] < 0 || out[i] > size - sum)
      onnx_invalid(n, "split: the sizes do not add up to %lld", (long long)size);
    sum += out[i];
  }
  if (!onnx_failed(n) && sum != size)
    onnx_invalid(n, "split: the sizes do not add up to %lld", (long long)size);
}

// The same of sizes that are not all numbers: equal parts, or parts that say themselves what they are.
static void split_dims(onnx_node_t *n, strata_dim_t size, int parts, strata_dim_t *out) {
  int64_t count;
  const strata_dim_t *sizes = onnx_dims_or_attr(n, "split", 1, &count);
  strata_dim_t sum = onnx_dim(n, 0);
  if (!onnx_failed(n) && sizes && count != parts)
    onnx_invalid(n, "split: expected %d sizes, got %lld", parts, (long long)count);
  if (onnx_failed(n) || !parts)
    return;
  bool divides = strata_dim_divisor(size, &n->importer->symbols) % parts == 0;
  if (!sizes && onnx_has_attr(n, "num_outputs") && !divides)
    onnx_unsupported(n, "parts of which the last may be smaller, of %s elements", onnx_dim_text(n, size));
  for (int i = 0; i < parts && !onnx_failed(n); i++) {
    out[i] = sizes ? sizes[i] : strata_dim_floordiv(size, parts);
    sum = strata_dim_add(sum, out[i]);
  }
  if (!onnx_failed(n) && sizes && !onnx_agree(n, sum, size))
    onnx_invalid(n, "split: the sizes do not add up to %s", onnx_dim_text(n, size));
}

bool onnx_has_data_parts(onnx_node_t *n) {
  int64_t count;
  if (!onnx_has(n, 1) || onnx_failed(n) || onnx_operand_shape(n, 1).rank != 1)
    return false;
  const strata_dim_t *sizes = onnx_place_dims(n, "split", 1, &count);
  bool is_open = false;
  for (int64_t i = 0; sizes && i < count; i++)
    is_open |= mlirAffineExprIsNull(sizes[i]);
  return is_open;
}

// A part has no more elements than those in front of it leave, and the last one has what is left.
const MlirValue *onnx_parts_by_data(onnx_node_t *n, int64_t axis, int64_t *out_count) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int at = onnx_axis(n, axis, shape.rank);
  strata_dim_t start = onnx_dim(n, 0), size = onnx_failed(n) ? start : shape.dims[at];
  MlirValue left = strata_build_dim(n->b, size, STRATA_TYPE_I64);
  *out_count = 0;
  if (onnx_failed(n) || !strata_dim_is_constant(onnx_operand_shape(n, 1).dims[0], out_count))
    return NULL;
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, *out_count);
  for (int64_t i = 0; i < *out_count; i++) {
    MlirValue own = onnx_binary(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, onnx_element(n, 1, i), 0), left);
    bool is_last = i + 1 == *out_count;
    strata_dim_t part = is_last ? strata_dim_sub(size, start) : onnx_counted_dim(n, own, size, false);
    parts[i] = onnx_slice_dims(n, x, at, start, 1, part);
    start = strata_dim_add(start, part);
    left = onnx_binary(n, STRATA_OP_SUB, left, own);
  }
  return parts;
}

static void split_by_data(onnx_node_t *n) {
  int64_t count;
  const MlirValue *parts = onnx_parts_by_data(n, onnx_attr_int(n, "axis", 0), &count);
  if (!onnx_failed(n) && count != n->n_outputs)
    onnx_invalid(n, "split: expected %d sizes, got %lld", n->n_outputs, (long long)count);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++)
    onnx_set_like(n, i, parts[i], 0);
}

void onnx_import_split(onnx_node_t *n) {
  if (onnx_has_data_parts(n)) {
    split_by_data(n);
    return;
  }
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  int64_t size, *sizes = strata_arena_array(n->b->compile->arena, int64_t, n->n_outputs);
  strata_dim_t start = onnx_dim(n, 0), *dims = strata_arena_array(n->b->compile->arena, strata_dim_t, n->n_outputs);
  if (onnx_failed(n))
    return;
  bool is_number = strata_dim_is_constant(shape.dims[axis], &size);
  if (is_number)
    split_sizes(n, size, n->n_outputs, sizes);
  else
    split_dims(n, shape.dims[axis], n->n_outputs, dims);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++) {
    if (is_number)
      dims[i] = onnx_dim(n, sizes[i]);
    onnx_set_like(n, i, onnx_slice_dims(n, x, axis, start, 1, dims[i]), 0);
    start = strata_dim_add(start, dims[i]);
  }
}

// Start and number of the elements from |start| to before |end| by |step|, counted from the end if negative, clamped.
static void slice_range(int64_t size, int64_t start, int64_t end, int64_t step, int64_t *out_start,
                        int64_t *out_count) {
  if (start < 0)
    start += size;
  if (end < 0)
    end += end >= -size ? size : 0;
  start = step > 0 ? clamp(start, 0, size) : clamp(start, -1, size - 1);
  end = step > 0 ? clamp(end, 0, size) : clamp(end, -1, size - 1);
  int64_t distance = step > 0 ? end - start : start - end;
  uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
  *out_count = distance > 0 ? (int64_t)(((uint64_t)distance - 1) / stride) + 1 : 0;
  *out_start = *out_count ? start : 0;
}

// A place on an axis of symbolic size: counted from the end if negative, clamped. A place may be a size itself, which
// is never negative; of others it must be known whether they are.
static strata_dim_t slice_place(onnx_node_t *n, strata_dim_t size, strata_dim_t place) {
  strata_range_t range = onnx_dim_range(n, place), sizes = onnx_dim_range(n, size);
  if (range.min >= sizes.max)
    return size;
  if (range.min >= 0)
    return onnx_derive(n, STRATA_SYMBOL_MIN, place, size);
  if (range.max >= 0)
    onnx_unsupported(n, "a place, %s, that may be negative or not", onnx_dim_text(n, place));
  if (range.max <= strata_minus(0, sizes.max))
    return onnx_dim(n, 0);
  return onnx_derive(n, STRATA_SYMBOL_MAX, strata_dim_add(size, place), onnx_dim(n, 0));
}

// Start and number of the elements where not all of it are numbers.
static void slice_dims(onnx_node_t *n, strata_dim_t size, strata_dim_t start, strata_dim_t end, int64_t step,
                       strata_dim_t *out_start, strata_dim_t *out_count) {
  int64_t from, to;
  if (step > 0) {
    *out_start = slice_place(n, size, start);
    strata_dim_t distance = strata_dim_sub(slice_place(n, size, end), *out_start);
    distance = onnx_derive(n, STRATA_SYMBOL_MAX, distance, onnx_dim(n, 0));
    *out_count = strata_dim_floordiv(strata_dim_plus(distance, step - 1), step);
    return;
  }
  // The whole axis, backwards.
  bool is_whole = strata_dim_is_constant(start, &from) && strata_dim_is_constant(end, &to) &&
                  (from == -1 || from >= onnx_dim_range(n, size).max - 1) && to < -onnx_dim_range(n, size).max;
  if (!is_whole || step == INT64_MIN)
    onnx_unsupported(n, "some of %s elements, backwards", onnx_dim_text(n, size));
  *out_start = strata_dim_plus(size, -1);
  *out_count = is_whole ? strata_dim_floordiv(strata_dim_plus(size, -step - 1), -step) : onnx_dim(n, 0);
}

static void slice_axis(onnx_node_t *n, strata_dim_t *size, strata_dim_t start, strata_dim_t end, int64_t step,
                       strata_dim_t *out_start) {
  int64_t known, from, to;
  if (!strata_dim_is_constant(*size, &known) || !strata_dim_is_constant(start, &from) ||
      !strata_dim_is_constant(end, &to)) {
    slice_dims(n, *size, start, end, step, out_start, size);
    return;
  }
  slice_range(known, from, to, step, &from, &known);
  *out_start = onnx_dim(n, from);
  *size = onnx_dim(n, known);
}

// Element |index| of operand |i|; one that depends on data is counted from the end here if it is negative, and clamped.
static strata_dim_t place_of(onnx_node_t *n, int i, int64_t index, strata_dim_t known, strata_dim_t size) {
  if (!mlirAffineExprIsNull(known) || onnx_failed(n))
    return known;
  MlirValue at = onnx_element(n, i, index), zero = onnx_integer(n, at, 0);
  at = onnx_select(n, onnx_binary(n, STRATA_OP_LT, at, zero), onnx_with_dim(n, STRATA_OP_ADD, at, size), at);
  at = onnx_with_dim(n, STRATA_OP_MIN, onnx_binary(n, STRATA_OP_MAX, at, zero), size);
  return onnx_counted_dim(n, at, size, false);
}

// An end that is a number behind the start, wherever that is: so many elements at most.
static void bound_by_distance(onnx_node_t *n, int64_t index, int64_t step, strata_dim_t *count) {
  MlirValue end = onnx_operand(n, 2), start = onnx_operand(n, 1);
  MlirOperation sum = strata_def(end);
  const int64_t *more;
  int64_t n_more;
  if (mlirOperationIsNull(sum) || strata_op_id(sum) != STRATA_OP_ADD)
    return;
  for (int i = 0; i < 2; i++) {
    MlirValue other = mlirOperationGetOperand(sum, 1 - i);
    if (!strata_value_equal(mlirOperationGetOperand(sum, i), start) || !onnx_known_ints(n, other, &more, &n_more) ||
        index >= n_more || more[index] < 0)
      continue;
    *count = onnx_derive(n, STRATA_SYMBOL_MIN, *count, onnx_dim(n, strata_ceil_div(more[index], step)));
    return;
  }
}

// What it is in the last iteration or in the first, whichever is more; or less.
static strata_dim_t end_of_course(const onnx_number_t *course, bool is_most) {
  if (!course->loop || (course->step > 0) != is_most)
    return course->first;
  return strata_dim_add(course->first, strata_dim_times(strata_dim_plus(course->count, -1), course->step));
}

// Places that a loop's iterations count through, as many elements in each and always inside: the start is a size that
// is never clamped.
static bool slice_in_loop(onnx_node_t *n, int64_t index, strata_dim_t *size, strata_dim_t *out_start) {
  onnx_number_t start, end;
  int64_t count;
  MlirValue first = onnx_element(n, 1, index);
  if (!n->importer->numbers.count || !onnx_find_course(n, first, &start) || !start.loop ||
      !onnx_find_course(n, onnx_element(n, 2, index), &end) || end.loop != start.loop || end.step != start.step ||
      mlirAffineExprIsNull(start.count) || !strata_dim_is_constant(strata_dim_sub(end.first, start.first), &count))
    return false;
  strata_dim_t least = end_of_course(&start, false), most = end_of_course(&start, true);
  if (count < 1 || onnx_dim_range(n, least).min < 0 ||
      onnx_dim_range(n, strata_dim_sub(*size, strata_dim_plus(most, count))).min < 0)
    return false;
  *out_start = onnx_counted_dim(n, first, most, false);
  *size = onnx_dim(n, count);
  return true;
}

void onnx_import_slice(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int64_t n_starts, n_ends, n_axes, n_steps;
  const strata_dim_t *starts = onnx_place_dims(n, "starts", 1, &n_starts);
  const strata_dim_t *ends = onnx_place_dims(n, "ends", 2, &n_ends);
  const int64_t *axes = onnx_ints(n, "axes", 3, &n_axes), *steps = onnx_constant_ints(n, 4, &n_steps);
  if (!onnx_failed(n) &&
      (n_starts != n_ends || (axes && n_axes != n_starts) || (steps && n_steps != n_starts) || n_starts > shape.rank))
    onnx_invalid(n, "starts, ends, axes and steps differ in number");
  strata_dim_t first[STRATA_MAX_RANK];
  int64_t step[STRATA_MAX_RANK];
  int list[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    first[i] = onnx_dim(n, 0);
    step[i] = 1;
    list[i] = i;
  }
  if (axes && !onnx_failed(n))
    onnx_axis_list(n, axes, n_starts, shape.rank, list);
  for (int64_t i = 0; i < n_starts && !onnx_failed(n); i++) {
    int axis = list[i];
    int64_t by = steps ? steps[i] : 1, count;
    if (by == 0)
      onnx_invalid(n, "steps: a step is 0");
    if (onnx_failed(n))
      return;
    bool is_known = !mlirAffineExprIsNull(starts[i]) && !mlirAffineExprIsNull(ends[i]);
    strata_dim_t size = shape.dims[axis];
    if (!is_known && by < 0)
      onnx_unsupported(n, "places that depend on data, backwards");
    if (is_known || by != 1 || !slice_in_loop(n, i, &shape.dims[axis], &first[axis])) {
      strata_dim_t start = place_of(n, 1, i, starts[i], size), end = place_of(n, 2, i, ends[i], size);
      if (onnx_failed(n))
        return;
      slice_axis(n, &shape.dims[axis], start, end, by, &first[axis]);
      if (!is_known && !onnx_failed(n))
        bound_by_distance(n, i, by, &shape.dims[axis]);
    }
    step[axis] = strata_dim_is_constant(shape.dims[axis], &count) && count <= 1 ? 1 : by;
  }
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_slice_dims(n->b, x, first, step, shape.dims), 0);
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
