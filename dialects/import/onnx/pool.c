// Pooling: reductions over sliding windows; and Col2Im, their reverse.
#include "dialects/import/onnx/window.h"
#include "dialects/integers.h"

#include <math.h>
#include <string.h>

enum { MAX_PLACES = 1 << 16 }; // of a window whose elements are taken one by one

// The window with an entry for every dim of [N, C, spatial...]; batch and channels have windows of one.
typedef struct {
  int64_t size[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], dilations[STRATA_MAX_RANK];
  int64_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
} full_window_t;

// The padding after the input is what the last window needs: more than given where sizes were rounded up.
static full_window_t full_window(const onnx_window_t *w) {
  full_window_t full = {.size = {1, 1}, .strides = {1, 1}, .dilations = {1, 1}};
  for (int i = 0; i < w->rank; i++) {
    int64_t reach = w->is_open[i] ? 0 : (w->out[i] - 1) * w->strides[i] + onnx_window_span(w, i);
    full.size[i + 2] = w->kernel[i];
    full.strides[i + 2] = w->strides[i];
    full.dilations[i + 2] = w->dilations[i];
    full.low[i + 2] = w->low[i];
    full.high[i + 2] = w->is_open[i] ? w->high[i] : reach > w->in[i] + w->low[i] ? reach - w->in[i] - w->low[i] : 0;
  }
  return full;
}

static MlirValue pool(onnx_node_t *n, strata_combiner_t kind, MlirValue x, const onnx_window_t *w) {
  full_window_t f = full_window(w);
  return strata_build_window(n->b, kind, x, f.size, f.strides, f.dilations, f.low, f.high);
}

//===-- Averages -------------------------------------------------------------------------------------------------===//

// How many elements window |o| of dim |i| has: of the input, or also of the padding that was asked for.
static double window_count(const onnx_window_t *w, int i, int64_t o, bool include_pad) {
  int64_t first = include_pad ? 0 : w->low[i], end = w->low[i] + w->in[i] + (include_pad ? w->high[i] : 0);
  double count = 0;
  for (int64_t k = 0; k < w->kernel[i]; k++) {
    int64_t at = o * w->strides[i] + k * w->dilations[i];
    count += at >= first && at < end;
  }
  return count;
}

static bool count_varies(const onnx_window_t *w, int i, bool include_pad) {
  if (w->is_open[i])
    return !include_pad && (w->low[i] > 0 || w->high[i] > 0);
  for (int64_t o = 0; o < w->out[i]; o++)
    if (window_count(w, i, o, include_pad) != (double)w->kernel[i])
      return true;
  return false;
}

// How many elements of the input each window has, summed up like the elements: where a size is no number.
static MlirValue counted(onnx_node_t *n, strata_type_t type, const onnx_window_t *w) {
  strata_dim_t dims[STRATA_MAX_RANK] = {onnx_dim(n, 1), onnx_dim(n, 1)};
  memcpy(dims + 2, w->in_dims, (size_t)w->rank * sizeof *dims);
  return pool(n, STRATA_COMBINER_ADD, onnx_splat_dims(n, type, w->rank + 2, dims, 1), w);
}

// Divides the sums by the numbers of elements: one number where all windows are full, else one along each dim that
// varies.
static MlirValue divide_by_counts(onnx_node_t *n, MlirValue sum, const onnx_window_t *w, bool include_pad) {
  double common = 1;
  strata_shape_t shape = onnx_shape(sum);
  MlirValue divisor = {0};
  for (int i = 0; i < w->rank; i++) {
    if (!count_varies(w, i, include_pad)) {
      common *= (double)w->kernel[i];
      continue;
    }
    if (w->is_open[i])
      return onnx_binary(n, STRATA_OP_DIV, sum, counted(n, shape.type, w));
    double *counts = strata_arena_array(n->b->compile->arena, double, w->out[i]);
    for (int64_t o = 0; o < w->out[i]; o++)
      counts[o] = window_count(w, i, o, include_pad);
    MlirValue along = onnx_along_axis(n, onnx_floats(n, shape.type, 1, &w->out[i], counts), i + 2, shape.rank);
    divisor = mlirValueIsNull(divisor) ? along : onnx_binary(n, STRATA_OP_MUL, divisor, along);
  }
  if (common != 1)
    sum = onnx_with_number(n, STRATA_OP_DIV, sum, common);
  return mlirValueIsNull(divisor) ? sum : onnx_binary(n, STRATA_OP_DIV, sum, divisor);
}

MlirValue onnx_window_means(onnx_node_t *n, MlirValue x) {
  strata_shape_t shape = onnx_shape(x);
  onnx_window_t w;
  if (!onnx_read_window(n, &shape, NULL, &w))
    return x;
  MlirValue sum = pool(n, STRATA_COMBINER_ADD, onnx_widen(n, x), &w);
  if (strata_type_info[shape.type].kind == STRATA_TYPE_KIND_INTEGER)
    sum = onnx_convert(n, sum, false, STRATA_TYPE_F32, false);
  return divide_by_counts(n, sum, &w, onnx_attr_int(n, "count_include_pad", 0));
}

void onnx_import_average_pool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_set(n, 0, onnx_round(n, onnx_window_means(n, x), onnx_shape(x).type));
}

void onnx_import_lp_pool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  double p = n->opset < 2 ? onnx_attr_float(n, "p", 2) : (double)onnx_attr_int(n, "p", 2);
  onnx_window_t w;
  if (!onnx_read_window(n, &shape, NULL, &w))
    return;
  MlirValue powers = onnx_with_number(n, STRATA_OP_POW, onnx_unary(n, STRATA_OP_ABS, onnx_widen(n, x)), p);
  MlirValue norm = onnx_with_number(n, STRATA_OP_POW, pool(n, STRATA_COMBINER_ADD, powers, &w), 1 / p);
  onnx_set(n, 0, onnx_round(n, norm, shape.type));
}

//===-- Maxima ---------------------------------------------------------------------------------------------------===//

// A number below or at all others of the type.
static double lowest(strata_type_t type, bool is_unsigned) {
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT)
    return -INFINITY;
  return is_unsigned ? 0 : -ldexp(1, strata_type_info[type].bits - 1);
}

// The elements of all windows on a new last dim, in row-major order of the kernel: one strided slice for each of its
// places.
static MlirValue unfold(onnx_node_t *n, MlirValue x, const onnx_window_t *w) {
  full_window_t f = full_window(w);
  onnx_shape_t shape = onnx_sizes(n, x);
  x = strata_build_pad(n->b, x, f.low, f.high, lowest(shape.type, onnx_is_unsigned(n, 0)));
  memcpy(shape.dims + 2, w->out, (size_t)w->rank * sizeof *w->out);
  int64_t count = 1;
  for (int i = 0; i < w->rank; i++)
    count = strata_times(count, w->kernel[i]);
  if (count > MAX_PLACES)
    onnx_unsupported(n, "indices of windows of %lld elements", (long long)count);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue *slices = strata_arena_array(n->b->compile->arena, MlirValue, count);
  for (int64_t place = 0; place < count; place++) {
    int64_t starts[STRATA_MAX_RANK] = {0}, rest = place;
    for (int i = w->rank - 1; i >= 0; rest /= w->kernel[i--])
      starts[i + 2] = rest % w->kernel[i] * w->dilations[i];
    slices[place] = onnx_insert_axis(n, strata_build_slice(n->b, x, starts, f.strides, shape.dims), shape.rank);
  }
  return strata_build_concat(n->b, (int)count, slices, shape.rank);
}

// Distance in the flat input between neighbours in each spatial dim; the first dim is the fastest if |column_major|.
static void flat_strides(const onnx_window_t *w, bool column_major, int64_t *out) {
  int64_t stride = 1;
  for (int k = 0; k < w->rank; k++) {
    int i = column_major ? k : w->rank - 1 - k;
    out[i] = stride;
    stride *= w->in[i];
  }
}

// The flat index of the greatest element of each window: the place in the kernel that won, where that lies relative to
// the window's start, and where the window starts.
static MlirValue max_indices(onnx_node_t *n, MlirValue x, const onnx_window_t *w) {
  MlirValue windows = unfold(n, x, w);
  onnx_shape_t shape = onnx_sizes(n, windows);
  int rank = shape.rank - 1;
  int64_t strides[STRATA_MAX_RANK], *offsets = strata_arena_array(n->b->compile->arena, int64_t, shape.dims[rank]);
  flat_strides(w, onnx_attr_int(n, "storage_order", 0), strides);
  for (int64_t place = 0; place < shape.dims[rank]; place++)
    for (int64_t i = w->rank - 1, rest = place; i >= 0; rest /= w->kernel[i--])
      offsets[place] += (rest % w->kernel[i] * w->dilations[i] - w->low[i]) * strides[i];
  MlirValue winner = strata_build_arg_reduce(n->b, STRATA_COMBINER_MAX, windows, rank, false);
  MlirValue table = onnx_ints_constant(n, 1, &shape.dims[rank], offsets);
  MlirValue index = strata_build_gather(n->b, table, winner, 0, 0);
  int64_t plane = 1;
  for (int i = 0; i < w->rank; i++) {
    MlirValue start = onnx_iota(n, STRATA_TYPE_I64, rank, shape.dims, i + 2);
    index = onnx_binary(n, STRATA_OP_ADD, index,
                        onnx_binary(n, STRATA_OP_MUL, start, onnx_integer(n, start, w->strides[i] * strides[i])));
    plane *= w->in[i];
  }
  // Indices count through all planes.
  MlirValue image = onnx_binary(n, STRATA_OP_ADD,
                                onnx_binary(n, STRATA_OP_MUL, onnx_iota(n, STRATA_TYPE_I64, rank, shape.dims, 0),
                                            onnx_integer(n, index, shape.dims[1])),
                                onnx_iota(n, STRATA_TYPE_I64, rank, shape.dims, 1));
  return onnx_binary(n, STRATA_OP_ADD, index, onnx_binary(n, STRATA_OP_MUL, image, onnx_integer(n, image, plane)));
}

void onnx_import_max_pool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  onnx_window_t w;
  if (!onnx_read_window(n, &shape, NULL, &w))
    return;
  strata_combiner_t kind = onnx_is_unsigned(n, 0) ? STRATA_COMBINER_MAX_U : STRATA_COMBINER_MAX;
  onnx_set_like(n, 0, pool(n, kind, x, &w), 0);
  if (onnx_wants(n, 1) && onnx_window_is_static(n, &w))
    onnx_set(n, 1, max_indices(n, x, &w));
}

// The size that pooling was given, which the sizes of what it made do not tell.
static void unpooled_dims(onnx_node_t *n, onnx_shape_t *shape) {
  int rank = shape->rank - 2;
  int64_t kernel[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], pads[2 * STRATA_MAX_RANK];
  onnx_attr_ints_or(n, "kernel_shape", rank, 1, kernel);
  onnx_attr_ints_or(n, "strides", rank, 1, strides);
  onnx_attr_ints_or(n, "pads", 2 * rank, 0, pads);
  for (int i = 0; i < rank && !onnx_failed(n); i++) {
    int64_t *dim = &shape->dims[i + 2];
    if (strides[i] < 1 || strides[i] > INT32_MAX || *dim > INT32_MAX || kernel[i] < 1 || kernel[i] > INT32_MAX ||
        pads[i] < 0 || pads[i] > INT32_MAX || pads[rank + i] < 0 || pads[rank + i] > INT32_MAX)
      onnx_invalid(n, "expected positive kernel and strides, and padding that is not negative");
    else
      *dim = (*dim - 1) * strides[i] + kernel[i] - pads[i] - pads[rank + i];
  }
}

// Puts each element where the index, into the flat result, says; zeros elsewhere. A larger size that is asked for is
// filled with zeros.
void onnx_import_max_unpool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), indices = onnx_operand(n, 1);
  onnx_shape_t shape = onnx_sizes(n, x), result = shape;
  int64_t n_sizes, count = 1, total = 1;
  const int64_t *sizes = onnx_constant_ints(n, 2, &n_sizes);
  if (!onnx_failed(n) && (shape.rank < 3 || shape.rank > STRATA_MAX_RANK / 2 || (sizes && n_sizes != shape.rank)))
    onnx_invalid(n, "expected 3 dimensions or more and as many sizes, got %d", shape.rank);
  if (!onnx_failed(n))
    unpooled_dims(n, &result);
  for (int i = 0; i < shape.rank; i++) {
    count = strata_times(count, shape.dims[i]);
    if (result.dims[i] < 0 || __builtin_mul_overflow(total, result.dims[i], &total))
      onnx_invalid(n, "dimension %d of the result would have size %lld", i, (long long)result.dims[i]);
  }
  if (onnx_failed(n))
    return;
  MlirValue zeros = onnx_splat(n, shape.type, 1, &total, 0);
  MlirValue flat =
      strata_build_scatter(n->b, "none", zeros, onnx_reshape(n, indices, 1, &count), onnx_reshape(n, x, 1, &count));
  MlirValue unpooled = onnx_reshape(n, flat, shape.rank, result.dims);
  for (int i = 0; sizes && i < shape.rank; i++)
    unpooled = onnx_pad_axis(n, unpooled, i, 0, strata_minus(sizes[i], result.dims[i]), 0);
  onnx_set(n, 0, unpooled);
}

//===-- Col2Im ---------------------------------------------------------------------------------------------------===//

// Where in the flat image each element of the windows belongs, [kernel places * windows]; past its end what is padding.
static MlirValue image_places(onnx_node_t *n, const onnx_window_t *w, int64_t n_places, int64_t n_windows,
                              int64_t size) {
  int64_t count = n_places * n_windows, *places = strata_arena_array(n->b->compile->arena, int64_t, count);
  for (int64_t e = 0; e < count; e++) {
    int64_t place = e / n_windows, window = e % n_windows, stride = 1;
    for (int i = w->rank - 1; i >= 0; i--) {
      int64_t at = window % w->out[i] * w->strides[i] + place % w->kernel[i] * w->dilations[i] - w->low[i];
      places[e] = at < 0 || at >= w->in[i] || places[e] == size ? size : places[e] + at * stride;
      window /= w->out[i];
      place /= w->kernel[i];
      stride *= w->in[i];
    }
  }
  return onnx_ints_constant(n, 1, &count, places);
}

// The sizes of |x| but for the first, which may vary.
static bool sizes_behind_first(onnx_node_t *n, MlirValue x, onnx_shape_t *out) {
  strata_shape_t shape = onnx_shape(x);
  *out = (onnx_shape_t){.type = shape.type, .rank = shape.rank};
  for (int i = 1; i < shape.rank && !onnx_failed(n); i++)
    if (!strata_dim_is_constant(shape.dims[i], &out->dims[i]))
      onnx_unsupported(n, "a dimension of size %s, which must be a number: give it with --dim",
                       onnx_dim_text(n, shape.dims[i]));
  return !onnx_failed(n);
}

// x [N, C * kernel, windows], image and kernel sizes: the sums of all windows where they overlap.
void onnx_import_col2im(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int64_t rank, n_kernel, size = 1, n_places = 1, n_windows = 1;
  const int64_t *image = onnx_constant_ints(n, 1, &rank), *kernel = onnx_constant_ints(n, 2, &n_kernel);
  onnx_shape_t shape;
  strata_shape_t result = {.rank = (int)rank + 2};
  onnx_window_t w;
  if (onnx_failed(n) || !sizes_behind_first(n, x, &shape))
    return;
  if (shape.rank != 3 || rank != n_kernel || rank > STRATA_MAX_RANK / 2 - 2)
    onnx_invalid(n, "expected 3 dimensions, and as many sizes of the kernel as of the image");
  if (onnx_failed(n))
    return;
  for (int i = 0; i < (int)rank; i++)
    result.dims[i + 2] = onnx_dim(n, image[i]);
  if (!onnx_read_window(n, &result, kernel, &w))
    return;
  for (int i = 0; i < w.rank; i++) {
    n_places = strata_times(n_places, w.kernel[i]);
    n_windows = strata_times(n_windows, w.out[i]);
    size = strata_times(size, w.in[i]);
  }
  if (n_places < 1 || n_windows != shape.dims[2] || shape.dims[1] % n_places ||
      strata_times(n_places, n_windows) > INT32_MAX || size > INT32_MAX) {
    onnx_invalid(n, "expected %lld windows of %lld places", (long long)n_windows, (long long)n_places);
    return;
  }
  int64_t channels = shape.dims[1] / n_places;
  result.dims[0] = onnx_shape(x).dims[0];
  result.dims[1] = onnx_dim(n, channels);
  strata_dim_t places[] = {result.dims[0], result.dims[1], onnx_dim(n, n_places * n_windows)};
  strata_dim_t pixels[] = {onnx_dim(n, size), result.dims[0], result.dims[1]};
  x = onnx_reshape_dims(n, x, 3, places);
  MlirValue zeros = onnx_splat_dims(n, shape.type, 3, pixels, 0);
  MlirValue flat = strata_build_scatter(n->b, "add", zeros, image_places(n, &w, n_places, n_windows, size),
                                        onnx_move_axis(n, x, 2, 0));
  onnx_set(n, 0, onnx_reshape_dims(n, onnx_move_axis(n, flat, 0, 2), result.rank, result.dims));
}
