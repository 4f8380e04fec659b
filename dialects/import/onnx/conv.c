// Convolutions. Each is one strata.contract whose maps say where a window reads:
//
//   result[n, f, i, j] = sum over c, k, l of x[n, c, i * stride + k * dilation - low, ...] * weight[f, c, k, l]
//
// Dims of size 1 are left out of the sum, so that a 1x1 convolution is a matrix product; groups are a dim of their own.
#include "dialects/import/onnx/activation.h"
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/import/onnx/window.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <string.h>

// The dims of the contraction, -1 where one is left out.
typedef struct {
  MlirContext context;
  int count;
  int batch, group, filter, channel;
  int out[STRATA_MAX_RANK], kernel[STRATA_MAX_RANK];
} conv_dims_t;

static MlirAffineExpr dim(const conv_dims_t *d, int index) { return mlirAffineDimExprGet(d->context, index); }

static MlirAffineExpr scaled(const conv_dims_t *d, int index, int64_t factor) {
  return mlirAffineMulExprGet(dim(d, index), mlirAffineConstantExprGet(d->context, factor));
}

static MlirAffineMap make_map(const conv_dims_t *d, int count, MlirAffineExpr *exprs) {
  return mlirAffineMapGet(d->context, d->count, 0, count, exprs);
}

// Appends group * size + inner, as far as they exist.
static int append_grouped(const conv_dims_t *d, int inner, int64_t size, MlirAffineExpr *exprs, int count) {
  if (d->group >= 0 && inner >= 0)
    exprs[count++] = mlirAffineAddExprGet(scaled(d, d->group, size), dim(d, inner));
  else if (d->group >= 0 || inner >= 0)
    exprs[count++] = dim(d, inner >= 0 ? inner : d->group);
  return count;
}

static conv_dims_t assign_dims(onnx_node_t *n, int64_t groups, int64_t filters, int64_t channels,
                               const onnx_window_t *w) {
  conv_dims_t d = {.context = n->b->compile->context, .batch = 0, .count = 1, .group = -1, .filter = -1, .channel = -1};
  if (groups > 1)
    d.group = d.count++;
  if (groups == 1 || filters > 1)
    d.filter = d.count++;
  for (int i = 0; i < w->rank; i++)
    d.out[i] = d.count++;
  if (channels > 1)
    d.channel = d.count++;
  for (int i = 0; i < w->rank; i++)
    d.kernel[i] = w->kernel[i] > 1 ? d.count++ : -1;
  return d;
}

// Where a window reads in spatial dim |i|.
static MlirAffineExpr read_place(const conv_dims_t *d, const onnx_window_t *w, int i) {
  MlirAffineExpr place = scaled(d, d->out[i], w->strides[i]);
  if (d->kernel[i] >= 0)
    place = mlirAffineAddExprGet(place, scaled(d, d->kernel[i], w->dilations[i]));
  return mlirAffineAddExprGet(place, mlirAffineConstantExprGet(d->context, -w->low[i]));
}

static MlirAffineMap input_map(const conv_dims_t *d, int64_t channels, const onnx_window_t *w) {
  MlirAffineExpr exprs[STRATA_MAX_RANK] = {dim(d, d->batch)};
  int count = append_grouped(d, d->channel, channels, exprs, 1);
  for (int i = 0; i < w->rank; i++)
    exprs[count++] = read_place(d, w, i);
  return make_map(d, count, exprs);
}

static int append_dim(const conv_dims_t *d, int index, MlirAffineExpr *exprs, int count) {
  if (index >= 0)
    exprs[count++] = dim(d, index);
  return count;
}

static MlirAffineMap weight_map(const conv_dims_t *d, int64_t filters, const onnx_window_t *w) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  int count = append_dim(d, d->channel, exprs, append_grouped(d, d->filter, filters, exprs, 0));
  for (int i = 0; i < w->rank; i++)
    if (d->kernel[i] >= 0)
      exprs[count++] = dim(d, d->kernel[i]);
  return make_map(d, count, exprs);
}

// The weight without the dims of size 1 that its map leaves out.
static MlirValue mapped_weight(onnx_node_t *n, MlirValue weight, const conv_dims_t *d, const onnx_window_t *w) {
  strata_shape_t shape = onnx_shape(weight), result = {.rank = 0};
  if (d->group >= 0 || d->filter >= 0)
    result.dims[result.rank++] = shape.dims[0];
  if (d->channel >= 0)
    result.dims[result.rank++] = shape.dims[1];
  for (int i = 0; i < w->rank; i++)
    if (d->kernel[i] >= 0)
      result.dims[result.rank++] = shape.dims[i + 2];
  return onnx_reshape_dims(n, weight, result.rank, result.dims);
}

// The input without its channels where there is but one, and without what no window reaches in a dim that is read at
// its place alone.
static MlirValue mapped_input(onnx_node_t *n, MlirValue x, const conv_dims_t *d, const onnx_window_t *w) {
  for (int i = 0; i < w->rank; i++)
    if (!w->is_open[i] && d->kernel[i] < 0 && w->strides[i] == 1 && w->low[i] == 0 && w->out[i] < w->in[i])
      x = onnx_slice_axis(n, x, i + 2, 0, 1, w->out[i]);
  return d->group >= 0 || d->channel >= 0 ? x : onnx_remove_axis(n, x, 1);
}

static bool reads_outside(const onnx_window_t *w) {
  for (int i = 0; i < w->rank; i++)
    if (w->low[i] > 0 || (w->is_open[i] && w->high[i] > 0) ||
        (!w->is_open[i] && (w->out[i] - 1) * w->strides[i] + onnx_window_span(w, i) - w->low[i] > w->in[i]))
      return true;
  return false;
}

// Whether tap |k| of dim |i| is inside the input at any place.
static bool is_read(const onnx_window_t *w, int i, int64_t k) {
  int64_t at = k * w->dilations[i] - w->low[i], stride = w->strides[i];
  if (w->is_open[i])
    return true;
  if (at < 0)
    at += strata_min(strata_ceil_div(-at, stride), w->out[i] - 1) * stride;
  return at >= 0 && at < w->in[i];
}

// Leaves out taps at the kernel's ends that read nothing but padding, as those of large dilations do in small images.
static MlirValue without_padding_taps(onnx_node_t *n, MlirValue weight, onnx_window_t *w) {
  for (int i = 0; i < w->rank; i++) {
    int64_t first = 0, end = w->kernel[i];
    while (end > 1 && !is_read(w, i, end - 1))
      end--;
    while (first + 1 < end && !is_read(w, i, first))
      first++;
    if (end - first == w->kernel[i])
      continue;
    weight = onnx_slice_axis(n, weight, i + 2, first, 1, end - first);
    w->kernel[i] = end - first;
    w->low[i] -= first * w->dilations[i];
  }
  return weight;
}

MlirValue onnx_convolve(onnx_node_t *n, MlirValue x, MlirValue weight, int64_t groups, const onnx_window_t *window,
                        strata_type_t type) {
  onnx_window_t whole = *window;
  const onnx_window_t *w = &whole;
  weight = without_padding_taps(n, weight, &whole);
  onnx_shape_t weight_shape = onnx_sizes(n, weight);
  strata_shape_t x_shape = onnx_shape(x), result = {.type = type};
  int64_t channels = weight_shape.dims[1], filters = weight_shape.dims[0] / groups;
  conv_dims_t d = assign_dims(n, groups, filters, channels, w);
  result.dims[result.rank++] = x_shape.dims[0];
  if (d.group >= 0)
    result.dims[result.rank++] = onnx_dim(n, groups);
  if (d.filter >= 0)
    result.dims[result.rank++] = onnx_dim(n, filters);
  for (int i = 0; i < w->rank; i++)
    result.dims[result.rank++] = w->out_dims[i];
  if (d.count > STRATA_MAX_RANK) {
    onnx_unsupported(n, "a convolution of %d dimensions", d.count);
    return (MlirValue){0};
  }
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  for (int i = 0; i < result.rank; i++)
    exprs[i] = dim(&d, i);
  MlirValue product = strata_build_contract(n->b, mapped_input(n, x, &d, w), mapped_weight(n, weight, &d, w),
                                            input_map(&d, channels, w), weight_map(&d, filters, w),
                                            make_map(&d, result.rank, exprs), &result, reads_outside(w), "conv");
  strata_dim_t dims[STRATA_MAX_RANK] = {x_shape.dims[0], onnx_dim(n, groups * filters)};
  memcpy(dims + 2, w->out_dims, (size_t)w->rank * sizeof *dims);
  return onnx_reshape_dims(n, product, w->rank + 2, dims);
}

//===-- Operators ------------------------------------------------------------------------------------------------===//

// Checks the shapes of operands 0 and |weight|, and reads the geometry.
static bool read_conv(onnx_node_t *n, int weight, int64_t *out_groups, onnx_window_t *w) {
  strata_shape_t x_shape = onnx_operand_shape(n, 0);
  onnx_shape_t weight_shape = onnx_operand_sizes(n, weight);
  int64_t groups = *out_groups = onnx_attr_int(n, "group", 1);
  if (!onnx_failed(n) && (x_shape.rank < 3 || weight_shape.rank != x_shape.rank))
    onnx_invalid(n, "expected input and weight of one rank, at least 3, got %d and %d", x_shape.rank,
                 weight_shape.rank);
  if (!onnx_failed(n) && (groups < 1 || weight_shape.dims[0] % groups ||
                          !onnx_agree(n, x_shape.dims[1], onnx_dim(n, strata_times(weight_shape.dims[1], groups)))))
    onnx_invalid(n, "%s channels in %lld groups do not fit a weight of %lld by %lld channels",
                 onnx_dim_text(n, x_shape.dims[1]), (long long)groups, (long long)weight_shape.dims[0],
                 (long long)weight_shape.dims[1]);
  return !onnx_failed(n) && onnx_read_window(n, &x_shape, weight_shape.dims + 2, w);
}

static MlirValue add_bias(onnx_node_t *n, MlirValue x, int operand) {
  if (!onnx_has(n, operand))
    return x;
  strata_shape_t shape = onnx_shape(x);
  onnx_expect_shape(n, operand, 1, &shape.dims[1]);
  if (onnx_failed(n))
    return x;
  return onnx_binary(n, STRATA_OP_ADD, x, onnx_along_axis(n, onnx_operand(n, operand), 1, onnx_shape(x).rank));
}

static MlirValue conv(onnx_node_t *n) {
  onnx_window_t w;
  int64_t groups;
  if (!read_conv(n, 1, &groups, &w))
    return (MlirValue){0};
  MlirValue x = onnx_operand(n, 0), result = onnx_convolve(n, x, onnx_operand(n, 1), groups, &w, onnx_shape(x).type);
  return add_bias(n, result, 2);
}

void onnx_import_conv(onnx_node_t *n) { onnx_set(n, 0, conv(n)); }

// com.microsoft's: with a sum and an activation behind it.
void onnx_import_fused_conv(onnx_node_t *n) {
  MlirValue x = conv(n);
  strata_shape_t shape = onnx_shape(x);
  const Onnx__AttributeProto *parameters = onnx_attr(n, "activation_params");
  if (onnx_has(n, 3) && !onnx_failed(n)) {
    onnx_expect_shape(n, 3, shape.rank, shape.dims);
    x = onnx_failed(n) ? x : onnx_binary(n, STRATA_OP_ADD, x, onnx_operand(n, 3));
  }
  if (!onnx_failed(n))
    onnx_set(n, 0,
             onnx_activate_named(n, x, parameters ? parameters->n_floats : 0, parameters ? parameters->floats : NULL));
}

// The padding that gives the output the size asked for, or that the automatic modes mean.
static void transposed_padding(onnx_node_t *n, onnx_window_t *w, const int64_t *extra) {
  const char *auto_pad = onnx_attr_string(n, "auto_pad", "NOTSET");
  bool same = !strncmp(auto_pad, "SAME", 4), upper = !strcmp(auto_pad, "SAME_UPPER");
  int64_t sizes[STRATA_MAX_RANK], n_sizes;
  const int64_t *asked = onnx_attr_ints(n, "output_shape", &n_sizes);
  if (asked && n_sizes == w->rank + 2)
    asked += 2;
  else if (asked && n_sizes != w->rank)
    onnx_invalid(n, "output_shape: expected %d sizes, got %lld", w->rank, (long long)n_sizes);
  for (int i = 0; i < w->rank && !onnx_failed(n); i++) {
    int64_t whole = w->strides[i] * (w->in[i] - 1) + extra[i] + onnx_window_span(w, i);
    sizes[i] = asked ? asked[i] : same ? w->in[i] * w->strides[i] : whole - w->low[i] - w->high[i];
    if (asked || same) {
      int64_t total = strata_max(strata_minus(whole, sizes[i]), 0);
      w->low[i] = upper ? total / 2 : total - total / 2;
    }
    w->out[i] = sizes[i];
    if (sizes[i] < 1)
      onnx_invalid(n, "dimension %d of the result would have size %lld", i + 2, (long long)sizes[i]);
  }
}

// The same where a size is no number: the padding is, unless it makes up for an output size that was asked for.
static void open_transposed_padding(onnx_node_t *n, onnx_window_t *w, const int64_t *extra) {
  const char *auto_pad = onnx_attr_string(n, "auto_pad", "NOTSET");
  bool same = !strncmp(auto_pad, "SAME", 4), upper = !strcmp(auto_pad, "SAME_UPPER");
  int64_t count;
  if (onnx_attr_ints(n, "output_shape", &count))
    onnx_unsupported(n, "output_shape for dimensions whose sizes are no numbers");
  for (int i = 0; i < w->rank; i++) {
    int64_t more = extra[i] + onnx_window_span(w, i) - w->strides[i], total = strata_max(more, 0);
    if (same) {
      w->low[i] = upper ? total / 2 : total - total / 2;
      w->high[i] = more - w->low[i];
    }
    w->out_dims[i] = strata_dim_plus(strata_dim_times(w->in_dims[i], w->strides[i]), more - w->low[i] - w->high[i]);
    if (!onnx_require(n->importer, w->out_dims[i], onnx_dim(n, 0), 1, INT64_MAX))
      onnx_invalid(n, "dimension %d of the result has no elements", i + 2);
  }
}

void onnx_import_conv_transpose(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), weight = onnx_operand(n, 1);
  strata_shape_t x_shape = onnx_shape(x);
  onnx_shape_t weight_shape = onnx_sizes(n, weight);
  int64_t groups = onnx_attr_int(n, "group", 1), extra[STRATA_MAX_RANK];
  onnx_window_t w = {.rank = x_shape.rank - 2};
  if (!onnx_failed(n) &&
      (w.rank < 1 || weight_shape.rank != x_shape.rank || w.rank > STRATA_MAX_RANK / 2 - 2 || groups < 1 ||
       weight_shape.dims[0] % groups || !onnx_agree(n, x_shape.dims[1], onnx_dim(n, weight_shape.dims[0]))))
    onnx_invalid(n, "the shapes of input and weight do not fit each other");
  if (onnx_failed(n))
    return;
  onnx_set_window_input(&w, &x_shape);
  onnx_read_kernel(n, &w, weight_shape.dims + 2);
  onnx_attr_ints_or(n, "strides", w.rank, 1, w.strides);
  onnx_attr_ints_or(n, "dilations", w.rank, 1, w.dilations);
  onnx_attr_ints_or(n, "output_padding", w.rank, 0, extra);
  onnx_read_pads(n, &w);
  bool valid = onnx_window_is_valid(&w), is_open = false;
  for (int i = 0; i < w.rank; i++)
    is_open = is_open || w.is_open[i];
  for (int i = 0; i < w.rank; i++)
    valid = valid && extra[i] >= 0 && (extra[i] < w.strides[i] || extra[i] < w.dilations[i]);
  if (!onnx_failed(n) && !valid)
    onnx_invalid(n, "expected positive strides and dilations, padding that is not negative, and less output padding "
                    "than stride or dilation");
  if (!onnx_failed(n) && is_open) {
    open_transposed_padding(n, &w, extra);
  } else if (!onnx_failed(n)) {
    transposed_padding(n, &w, extra);
    onnx_close_window(n, &w);
  }
  if (!onnx_failed(n))
    onnx_set(n, 0, add_bias(n, onnx_convolve_transposed(n, x, weight, groups, &w), 2));
}

//===-- Integers -------------------------------------------------------------------------------------------------===//

void onnx_import_conv_integer(onnx_node_t *n) {
  onnx_window_t w;
  int64_t groups;
  if (read_conv(n, 1, &groups, &w))
    onnx_set(n, 0, onnx_convolve(n, onnx_centered(n, 0, 2, 1), onnx_centered(n, 1, 3, 0), groups, &w, STRATA_TYPE_I32));
}

// x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias: an integer convolution, requantized.
void onnx_import_qlinear_conv(onnx_node_t *n) {
  onnx_window_t w;
  int64_t groups;
  if (!read_conv(n, 3, &groups, &w))
    return;
  MlirValue sum = onnx_convolve(n, onnx_centered(n, 0, 2, 1), onnx_centered(n, 3, 5, 0), groups, &w, STRATA_TYPE_I32);
  onnx_requantize(n, add_bias(n, sum, 8), 1);
}
