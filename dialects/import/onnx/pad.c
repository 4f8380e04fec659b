// Pad and CenterCropPad.
#include "dialects/import/onnx/onnx.h"

#include "dialects/integers.h"

#include <string.h>

// Which element of |size| stands at |i| outside, by the mode's rule.
static int64_t reflected(const char *mode, int64_t i, int64_t size) {
  if (!strcmp(mode, "edge") || size == 1)
    return strata_max(0, strata_min(i, size - 1));
  if (!strcmp(mode, "wrap"))
    return (i % size + size) % size;
  int64_t period = 2 * (size - 1), at = (i % period + period) % period;
  return at < size ? at : period - at;
}

// The same of the numbers |i|, of any number of elements |last| + 1: places that are no further outside than there are
// elements.
static MlirValue reflected_places(onnx_node_t *n, const char *mode, MlirValue i, strata_dim_t last) {
  if (!strcmp(mode, "edge"))
    return onnx_with_dim(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, i, 0), last);
  if (!strcmp(mode, "wrap")) {
    strata_dim_t size = strata_dim_plus(last, 1);
    return onnx_with_dim(n, STRATA_OP_REM, onnx_with_dim(n, STRATA_OP_ADD, i, size), size);
  }
  MlirValue before = onnx_unary(n, STRATA_OP_ABS, i), end = onnx_with_dim(n, STRATA_OP_SUB, before, last);
  MlirValue from_end = onnx_unary(n, STRATA_OP_NEG, onnx_unary(n, STRATA_OP_ABS, end));
  return onnx_with_dim(n, STRATA_OP_ADD, from_end, last);
}

static MlirValue pad_by_gather(onnx_node_t *n, MlirValue x, const char *mode, int axis, strata_dim_t low_dim,
                               strata_dim_t high_dim) {
  int64_t size, low, high, padded;
  strata_dim_t dim = onnx_shape(x).dims[axis];
  if (!strata_dim_is_constant(dim, &size) || !strata_dim_is_constant(low_dim, &low) ||
      !strata_dim_is_constant(high_dim, &high)) {
    strata_dim_t all = strata_dim_add(dim, strata_dim_add(low_dim, high_dim));
    MlirValue place = onnx_with_dim(n, STRATA_OP_SUB, onnx_iota_dims(n, STRATA_TYPE_I64, 1, &all, 0), low_dim);
    return strata_build_gather(n->b, x, reflected_places(n, mode, place, strata_dim_plus(dim, -1)), axis, 0);
  }
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

// Takes what is cut off out of a padding: how much that is.
static strata_dim_t take_crop(onnx_node_t *n, strata_dim_t *pad) {
  strata_range_t range = onnx_dim_range(n, *pad);
  strata_dim_t cut = onnx_dim(n, 0);
  if (range.max < 0) {
    cut = strata_dim_times(*pad, -1);
    *pad = onnx_dim(n, 0);
  } else if (range.min < 0) {
    onnx_unsupported(n, "a padding, %s, that may be negative or not", onnx_dim_text(n, *pad));
  }
  return cut;
}

// Cuts off what a negative padding removes.
static MlirValue crop(onnx_node_t *n, MlirValue x, strata_dim_t *low, strata_dim_t *high) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t starts[STRATA_MAX_RANK];
  int64_t steps[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    strata_dim_t whole = shape.dims[i], pads[2] = {low[i], high[i]};
    starts[i] = take_crop(n, &low[i]);
    shape.dims[i] = strata_dim_sub(strata_dim_sub(whole, starts[i]), take_crop(n, &high[i]));
    steps[i] = 1;
    if (onnx_dim_range(n, shape.dims[i]).max < 0)
      onnx_invalid(n, "pads: %s and %s cannot be cut off the %s elements of dimension %d", onnx_dim_text(n, pads[0]),
                   onnx_dim_text(n, pads[1]), onnx_dim_text(n, whole), i);
  }
  return onnx_failed(n) ? x : strata_build_slice_dims(n->b, x, starts, steps, shape.dims);
}

// Padding with a value that is not known yet: zeros, and the value where the padding of ones has a zero.
static MlirValue pad_with(onnx_node_t *n, MlirValue x, const strata_dim_t *low, const strata_dim_t *high,
                          MlirValue value) {
  strata_shape_t shape = onnx_shape(x);
  MlirValue ones = onnx_splat_dims(n, STRATA_TYPE_I1, shape.rank, shape.dims, 1);
  MlirValue inside = strata_build_pad_dims(n->b, ones, low, high, 0);
  return onnx_select(n, inside, strata_build_pad_dims(n->b, x, low, high, 0), onnx_reshape(n, value, 0, NULL));
}

static MlirValue pad_constant(onnx_node_t *n, MlirValue x, const strata_dim_t *low, const strata_dim_t *high) {
  double *values;
  int64_t count;
  if (!onnx_has(n, 2))
    return strata_build_pad_dims(n->b, x, low, high, onnx_attr_float(n, "value", 0));
  if (strata_constant_f64s(n->b->compile, onnx_operand(n, 2), &values, &count) && count == 1)
    return strata_build_pad_dims(n->b, x, low, high, values[0]);
  return pad_with(n, x, low, high, onnx_operand(n, 2));
}

void onnx_import_pad(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  const char *mode = onnx_attr_string(n, "mode", "constant");
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  int64_t count, n_axes;
  const strata_dim_t *pads = onnx_required_dims(n, onnx_has_attr(n, "paddings") ? "paddings" : "pads", 1, &count);
  const int64_t *axes = onnx_constant_ints(n, 3, &n_axes);
  int64_t n_padded = axes ? n_axes : shape.rank;
  int list[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    low[i] = high[i] = onnx_dim(n, 0);
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
  if (onnx_failed(n))
    return;
  if (!strcmp(mode, "constant")) {
    onnx_set_like(n, 0, pad_constant(n, x, low, high), 0);
    return;
  }
  if (strcmp(mode, "reflect") && strcmp(mode, "edge") && strcmp(mode, "wrap"))
    onnx_invalid(n, "attribute 'mode': expected constant, reflect, edge or wrap, got %s", mode);
  for (int axis = 0; axis < shape.rank && !onnx_failed(n); axis++)
    if (!strata_dim_is(low[axis], 0) || !strata_dim_is(high[axis], 0))
      x = pad_by_gather(n, x, mode, axis, low[axis], high[axis]);
  onnx_set_like(n, 0, x, 0);
}

// Cuts or pads each axis around its centre.
void onnx_import_center_crop_pad(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_sizes(n, x);
  int64_t count, n_axes;
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  const int64_t *sizes = onnx_constant_ints(n, 1, &count), *axes = onnx_attr_ints(n, "axes", &n_axes);
  if (!onnx_failed(n) && count != (axes ? n_axes : shape.rank))
    onnx_invalid(n, "shape: expected one size an axis, got %lld", (long long)count);
  int list[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    low[i] = high[i] = onnx_dim(n, 0);
  if (!onnx_failed(n))
    onnx_axis_list(n, axes, count, shape.rank, list);
  for (int64_t i = 0; i < count && !onnx_failed(n); i++) {
    int axis = list[i];
    if (sizes[i] < 0)
      onnx_invalid(n, "shape: got a size of %lld", (long long)sizes[i]);
    int64_t more = strata_max(sizes[i], 0) - shape.dims[axis];
    int64_t before = more > 0 ? more / 2 : -(-more / 2);
    low[axis] = onnx_dim(n, before);
    high[axis] = onnx_dim(n, more - before);
  }
  if (onnx_failed(n))
    return;
  x = crop(n, x, low, high);
  onnx_set_like(n, 0, strata_build_pad_dims(n->b, x, low, high, 0), 0);
}
