// Operators that ask for shapes, change them, or move elements by rules known at compile time.
#include "dialects/import/onnx/onnx.h"

#include "dialects/integers.h"

#include <stdlib.h>
#include <string.h>

//===-- Shapes as values -----------------------------------------------------------------------------------------===//

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

void onnx_import_shape(onnx_node_t *n) {
  onnx_shape_t shape = onnx_operand_shape(n, 0);
  int64_t start = onnx_attr_int(n, "start", 0), end = onnx_attr_int(n, "end", shape.rank);
  start = clamp(start < 0 ? start + shape.rank : start, 0, shape.rank);
  end = clamp(end < 0 ? end + shape.rank : end, start, shape.rank);
  onnx_set(n, 0, onnx_ints_constant(n, 1, (int64_t[]){end - start}, shape.dims + start));
}

void onnx_import_size(onnx_node_t *n) {
  onnx_shape_t shape = onnx_operand_shape(n, 0);
  int64_t size = 1;
  for (int i = 0; i < shape.rank; i++)
    size = strata_times(size, shape.dims[i]);
  onnx_set(n, 0, onnx_ints_constant(n, 0, NULL, &size));
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

// Fills in the sizes that are 0 (as the operand's) and the one that is -1 (whatever is left).
static void complete_dims(onnx_node_t *n, const onnx_shape_t *x, bool allow_zero, int count, int64_t *dims) {
  int open = -1;
  for (int i = 0; i < count; i++) {
    if (dims[i] == 0 && !allow_zero && i < x->rank)
      dims[i] = x->dims[i];
    if (dims[i] == -1 && open < 0) {
      open = i;
      dims[i] = 1;
    }
    if (dims[i] < 0)
      onnx_invalid(n, "shape: expected sizes and at most one -1, got %lld at %d", (long long)dims[i], i);
  }
  if (open < 0 || onnx_failed(n))
    return;
  int64_t all = product(n, x->dims, x->rank), others = product(n, dims, count);
  if (others == 0 || all % others)
    onnx_invalid(n, "shape: %lld elements cannot be spread over the other sizes' %lld", (long long)all,
                 (long long)others);
  else
    dims[open] = all / others;
}

void onnx_import_reshape(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  int64_t count, dims[STRATA_MAX_RANK];
  const int64_t *sizes = onnx_required_ints(n, "shape", 1, &count);
  if (count > STRATA_MAX_RANK)
    onnx_unsupported(n, "expected at most %d dimensions, got %lld", STRATA_MAX_RANK, (long long)count);
  if (onnx_failed(n))
    return;
  memcpy(dims, sizes, (size_t)count * sizeof *dims);
  complete_dims(n, &shape, onnx_attr_int(n, "allowzero", 0), (int)count, dims);
  onnx_set_like(n, 0, onnx_reshape(n, x, (int)count, dims), 0);
}

// The dims before |axis| as one, the others as one.
void onnx_import_flatten(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  int64_t axis = onnx_attr_int(n, "axis", 1);
  if (axis != shape.rank)
    axis = onnx_axis(n, axis, shape.rank);
  int64_t dims[2] = {product(n, shape.dims, (int)axis), product(n, shape.dims + axis, shape.rank - (int)axis)};
  onnx_set_like(n, 0, onnx_reshape(n, x, 2, dims), 0);
}

void onnx_import_squeeze(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x), result = {.rank = 0};
  bool drop[STRATA_MAX_RANK];
  int64_t count;
  const int64_t *axes = onnx_ints(n, "axes", 1, &count);
  onnx_axes(n, axes, count, shape.rank, drop);
  for (int i = 0; i < shape.rank && !onnx_failed(n); i++) {
    if (!axes)
      drop[i] = shape.dims[i] == 1;
    if (drop[i] && shape.dims[i] != 1)
      onnx_invalid(n, "axes: dimension %d has size %lld, expected 1", i, (long long)shape.dims[i]);
    if (!drop[i])
      result.dims[result.rank++] = shape.dims[i];
  }
  onnx_set_like(n, 0, onnx_reshape(n, x, result.rank, result.dims), 0);
}

void onnx_import_unsqueeze(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  bool insert[STRATA_MAX_RANK];
  int64_t count, dims[STRATA_MAX_RANK];
  const int64_t *axes = onnx_required_ints(n, "axes", 1, &count);
  if (count > STRATA_MAX_RANK - shape.rank)
    onnx_unsupported(n, "expected at most %d dimensions", STRATA_MAX_RANK);
  if (onnx_failed(n))
    return;
  int rank = shape.rank + (int)count;
  onnx_axes(n, axes, count, rank, insert);
  for (int i = 0, from = 0; i < rank && !onnx_failed(n); i++)
    dims[i] = insert[i] ? 1 : shape.dims[from++];
  if (!onnx_failed(n))
    onnx_set_like(n, 0, onnx_reshape(n, x, rank, dims), 0);
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
  onnx_shape_t shape = onnx_shape(x);
  int64_t count, dims[STRATA_MAX_RANK];
  const int64_t *sizes = onnx_constant_ints(n, 1, &count);
  if (count > STRATA_MAX_RANK)
    onnx_unsupported(n, "expected at most %d dimensions", STRATA_MAX_RANK);
  if (onnx_failed(n))
    return;
  int rank = count > shape.rank ? (int)count : shape.rank;
  for (int i = 0; i < rank; i++) {
    int from_x = i - (rank - shape.rank), from_shape = i - (rank - (int)count);
    int64_t have = from_x >= 0 ? shape.dims[from_x] : 1, want = from_shape >= 0 ? sizes[from_shape] : 1;
    dims[i] = have == 1 ? want : have;
    if (want != 1 && want != dims[i])
      onnx_invalid(n, "shape: dimension %d of size %lld cannot become %lld", i, (long long)have, (long long)want);
  }
  onnx_set_like(n, 0, onnx_broadcast_to(n, x, rank, dims), 0);
}

// Each repeated dim gets a dim before it, which is broadcast and merged with it.
static MlirValue tile(onnx_node_t *n, MlirValue x, const int64_t *repeats) {
  for (int axis = onnx_shape(x).rank - 1; axis >= 0 && !onnx_failed(n); axis--) {
    if (repeats[axis] == 1)
      continue;
    onnx_shape_t shape = onnx_shape(x), wide = shape;
    if (shape.dims[axis] != 1) {
      x = onnx_insert_axis(n, x, axis);
      wide = onnx_shape(x);
    }
    wide.dims[axis] = repeats[axis];
    x = onnx_broadcast_to(n, x, wide.rank, wide.dims);
    if (__builtin_mul_overflow(shape.dims[axis], repeats[axis], &shape.dims[axis]))
      onnx_invalid(n, "the size overflows");
    x = onnx_reshape(n, x, shape.rank, shape.dims);
  }
  return x;
}

void onnx_import_tile(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int64_t count;
  const int64_t *repeats = onnx_constant_ints(n, 1, &count);
  if (!onnx_failed(n) && count != onnx_shape(x).rank)
    onnx_invalid(n, "repeats: expected %d, got %lld", onnx_shape(x).rank, (long long)count);
  for (int64_t i = 0; i < count && !onnx_failed(n); i++)
    if (repeats[i] < 0)
      onnx_invalid(n, "repeats: got %lld", (long long)repeats[i]);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, tile(n, x, repeats), 0);
}

//===-- Joining and cutting --------------------------------------------------------------------------------------===//

void onnx_import_concat(onnx_node_t *n) {
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, n->n_inputs);
  for (int i = 0; i < n->n_inputs; i++)
    parts[i] = onnx_operand(n, i);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 1), onnx_operand_shape(n, 0).rank);
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

void onnx_import_split(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  int64_t start = 0, *sizes = strata_arena_array(n->b->compile->arena, int64_t, n->n_outputs);
  if (onnx_failed(n))
    return;
  split_sizes(n, shape.dims[axis], n->n_outputs, sizes);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++) {
    onnx_set_like(n, i, onnx_slice_axis(n, x, axis, start, 1, sizes[i]), 0);
    start += sizes[i];
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

void onnx_import_slice(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  int64_t n_starts, n_ends, n_axes, n_steps;
  const int64_t *starts = onnx_required_ints(n, "starts", 1, &n_starts);
  const int64_t *ends = onnx_required_ints(n, "ends", 2, &n_ends);
  const int64_t *axes = onnx_ints(n, "axes", 3, &n_axes), *steps = onnx_constant_ints(n, 4, &n_steps);
  if (!onnx_failed(n) &&
      (n_starts != n_ends || (axes && n_axes != n_starts) || (steps && n_steps != n_starts) || n_starts > shape.rank))
    onnx_invalid(n, "starts, ends, axes and steps differ in number");
  int64_t first[STRATA_MAX_RANK] = {0}, step[STRATA_MAX_RANK];
  int list[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    step[i] = 1;
    list[i] = i;
  }
  if (axes && !onnx_failed(n))
    onnx_axis_list(n, axes, n_starts, shape.rank, list);
  for (int64_t i = 0; i < n_starts && !onnx_failed(n); i++) {
    int axis = list[i];
    int64_t by = steps ? steps[i] : 1;
    if (by == 0)
      onnx_invalid(n, "steps: a step is 0");
    if (onnx_failed(n))
      return;
    slice_range(shape.dims[axis], starts[i], ends[i], by, &first[axis], &shape.dims[axis]);
    step[axis] = shape.dims[axis] > 1 ? by : 1;
  }
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_slice(n->b, x, first, step, shape.dims), 0);
}

//===-- Padding --------------------------------------------------------------------------------------------------===//

// Which element of |size| stands at |i| outside, by the mode's rule.
static int64_t reflected(const char *mode, int64_t i, int64_t size) {
  if (!strcmp(mode, "edge") || size == 1)
    return clamp(i, 0, size - 1);
  if (!strcmp(mode, "wrap"))
    return (i % size + size) % size;
  int64_t period = 2 * (size - 1), at = (i % period + period) % period;
  return at < size ? at : period - at;
}

static MlirValue pad_by_gather(onnx_node_t *n, MlirValue x, const char *mode, int axis, int64_t low, int64_t high) {
  int64_t size = onnx_shape(x).dims[axis], padded;
  if (__builtin_add_overflow(low, high, &padded) || __builtin_add_overflow(padded, size, &padded) ||
      padded > INT32_MAX || size == 0) {
    onnx_invalid(n, "pads: %lld and %lld cannot be added to %lld elements", (long long)low, (long long)high,
                 (long long)size);
    return (MlirValue){0};
  }
  int64_t *indices = strata_arena_array(n->b->compile->arena, int64_t, padded);
  for (int64_t i = 0; i < padded; i++)
    indices[i] = reflected(mode, i - low, size);
  return onnx_take(n, x, axis, padded, indices);
}

// Cuts off what a negative padding removes.
static MlirValue crop(onnx_node_t *n, MlirValue x, int64_t *low, int64_t *high) {
  onnx_shape_t shape = onnx_shape(x);
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    int64_t left = strata_plus(strata_plus(shape.dims[i], strata_min(low[i], 0)), strata_min(high[i], 0));
    if (left < 0)
      onnx_invalid(n, "pads: %lld and %lld cannot be cut off the %lld elements of dimension %d", (long long)low[i],
                   (long long)high[i], (long long)shape.dims[i], i);
    starts[i] = low[i] < 0 ? strata_minus(0, low[i]) : 0;
    steps[i] = 1;
    shape.dims[i] = left;
    low[i] = strata_max(low[i], 0);
    high[i] = strata_max(high[i], 0);
  }
  return strata_build_slice(n->b, x, starts, steps, shape.dims);
}

// Padding with a value that is not known yet: zeros, and the value where the padding of ones has a zero.
static MlirValue pad_with(onnx_node_t *n, MlirValue x, const int64_t *low, const int64_t *high, MlirValue value) {
  onnx_shape_t shape = onnx_shape(x);
  MlirValue inside = strata_build_pad(n->b, onnx_splat(n, STRATA_TYPE_I1, shape.rank, shape.dims, 1), low, high, 0);
  return onnx_select(n, inside, strata_build_pad(n->b, x, low, high, 0), onnx_reshape(n, value, 0, NULL));
}

static MlirValue pad_constant(onnx_node_t *n, MlirValue x, const int64_t *low, const int64_t *high) {
  double *values;
  int64_t count;
  if (!onnx_has(n, 2))
    return strata_build_pad(n->b, x, low, high, onnx_attr_float(n, "value", 0));
  if (strata_constant_f64s(n->b->compile, onnx_operand(n, 2), &values, &count) && count == 1)
    return strata_build_pad(n->b, x, low, high, values[0]);
  return pad_with(n, x, low, high, onnx_operand(n, 2));
}

void onnx_import_pad(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  const char *mode = onnx_attr_string(n, "mode", "constant");
  int64_t low[STRATA_MAX_RANK] = {0}, high[STRATA_MAX_RANK] = {0}, count, n_axes;
  const int64_t *pads = onnx_required_ints(n, onnx_has_attr(n, "paddings") ? "paddings" : "pads", 1, &count);
  const int64_t *axes = onnx_constant_ints(n, 3, &n_axes);
  int64_t n_padded = axes ? n_axes : shape.rank;
  int list[STRATA_MAX_RANK];
  if (!onnx_failed(n) && count != 2 * n_padded)
    onnx_invalid(n, "pads: expected %lld numbers, got %lld", 2 * (long long)n_padded, (long long)count);
  if (!onnx_failed(n))
    onnx_axis_list(n, axes, n_padded, shape.rank, list);
  for (int64_t i = 0; i < n_padded && !onnx_failed(n); i++) {
    low[list[i]] = pads[i];
    high[list[i]] = pads[n_padded + i];
  }
  if (onnx_failed(n))
    return;
  x = crop(n, x, low, high);
  if (!strcmp(mode, "constant")) {
    onnx_set_like(n, 0, pad_constant(n, x, low, high), 0);
    return;
  }
  if (strcmp(mode, "reflect") && strcmp(mode, "edge") && strcmp(mode, "wrap"))
    onnx_invalid(n, "attribute 'mode': expected constant, reflect, edge or wrap, got %s", mode);
  for (int axis = 0; axis < shape.rank && !onnx_failed(n); axis++)
    if (low[axis] || high[axis])
      x = pad_by_gather(n, x, mode, axis, low[axis], high[axis]);
  onnx_set_like(n, 0, x, 0);
}

// Cuts or pads each axis around its centre.
void onnx_import_center_crop_pad(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  int64_t count, n_axes, low[STRATA_MAX_RANK] = {0}, high[STRATA_MAX_RANK] = {0};
  const int64_t *sizes = onnx_constant_ints(n, 1, &count), *axes = onnx_attr_ints(n, "axes", &n_axes);
  if (!onnx_failed(n) && count != (axes ? n_axes : shape.rank))
    onnx_invalid(n, "shape: expected one size an axis, got %lld", (long long)count);
  int list[STRATA_MAX_RANK];
  if (!onnx_failed(n))
    onnx_axis_list(n, axes, count, shape.rank, list);
  for (int64_t i = 0; i < count && !onnx_failed(n); i++) {
    int axis = list[i];
    if (sizes[i] < 0)
      onnx_invalid(n, "shape: got a size of %lld", (long long)sizes[i]);
    int64_t more = strata_max(sizes[i], 0) - shape.dims[axis];
    low[axis] = more > 0 ? more / 2 : -(-more / 2);
    high[axis] = more - low[axis];
  }
  if (onnx_failed(n))
    return;
  x = crop(n, x, low, high);
  onnx_set_like(n, 0, strata_build_pad(n->b, x, low, high, 0), 0);
}

//===-- Depth and space ------------------------------------------------------------------------------------------===//

static int64_t block_size(onnx_node_t *n, const onnx_shape_t *shape) {
  int64_t block = onnx_attr_int(n, "blocksize", 0);
  if (!onnx_failed(n) && (shape->rank != 4 || block < 1 || block > INT32_MAX))
    onnx_invalid(n, "expected 4 dimensions and a positive block size, got %d and %lld", shape->rank, (long long)block);
  return block;
}

void onnx_import_depth_to_space(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t s = onnx_shape(x);
  int64_t b = block_size(n, &s);
  if (onnx_failed(n))
    return;
  bool column_row = onnx_attr_is(n, "mode", "CRD"); // the block's place is inside the channel, not before it
  int64_t c = s.dims[1] / (b * b), h = s.dims[2], w = s.dims[3];
  int64_t blocks_first[6] = {s.dims[0], b, b, c, h, w}, channels_first[6] = {s.dims[0], c, b, b, h, w};
  x = onnx_reshape(n, x, 6, column_row ? channels_first : blocks_first);
  x = strata_build_transpose(n->b, x, column_row ? (int64_t[]){0, 1, 4, 2, 5, 3} : (int64_t[]){0, 3, 4, 1, 5, 2});
  onnx_set_like(n, 0, onnx_reshape(n, x, 4, (int64_t[]){s.dims[0], c, strata_times(h, b), strata_times(w, b)}), 0);
}

void onnx_import_space_to_depth(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t s = onnx_shape(x);
  int64_t b = block_size(n, &s);
  if (onnx_failed(n))
    return;
  int64_t c = s.dims[1], h = s.dims[2] / b, w = s.dims[3] / b;
  bool column_row = onnx_attr_is(n, "mode", "CRD");
  x = onnx_reshape(n, x, 6, (int64_t[]){s.dims[0], c, h, b, w, b});
  x = strata_build_transpose(n->b, x, column_row ? (int64_t[]){0, 1, 3, 5, 2, 4} : (int64_t[]){0, 3, 5, 1, 2, 4});
  onnx_set_like(n, 0, onnx_reshape(n, x, 4, (int64_t[]){s.dims[0], strata_times(b * b, c), h, w}), 0);
}
