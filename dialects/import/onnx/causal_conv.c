// CausalConvWithState: a convolution of each channel that looks back alone, at what a state keeps of earlier calls.
#include "dialects/import/onnx/sizes.h"
#include "dialects/import/onnx/window.h"

enum { INPUT, WEIGHT, BIAS, PAST };

// com.microsoft's has attributes that ONNX's lacks: of these, those that change what is computed on every device.
static void check(onnx_node_t *n) {
  if (onnx_attr_int(n, "ndim", 1) != 1)
    onnx_unsupported(n, "a convolution of more than one spatial dimension");
  else if (onnx_attr_int(n, "state_window", 0) || onnx_attr_int(n, "state_update_capacity", 0) ||
           onnx_attr_int(n, "state_length", 0) || onnx_attr_int(n, "state_channels_last", -1) >= 0)
    onnx_unsupported(n, "states of other lengths or layouts");
  else if (onnx_attr_int(n, "input_channels", 0) || onnx_attr_int(n, "input_channel_offset", 0))
    onnx_unsupported(n, "a part of the channels");
  else if (onnx_attr_int(n, "dilation", 1) < 1 || onnx_attr_int(n, "dilation", 1) > INT32_MAX)
    onnx_invalid(n, "dilation: expected 1 or more, got %lld", (long long)onnx_attr_int(n, "dilation", 1));
}

// What the convolution reads, [batch, channels, state + length].
static MlirValue with_past(onnx_node_t *n, MlirValue x, bool is_last, int64_t state) {
  strata_shape_t shape = onnx_shape(x);
  if (state == 0 || onnx_failed(n))
    return x;
  if (!onnx_has(n, PAST))
    return onnx_pad_axis(n, x, 2, state, 0, 0);
  strata_dim_t dims[3] = {shape.dims[0], shape.dims[1], onnx_dim(n, state)};
  strata_dim_t swapped[3] = {dims[0], dims[2], dims[1]};
  onnx_expect_shape(n, PAST, 3, is_last ? swapped : dims);
  if (onnx_failed(n))
    return x;
  MlirValue past = is_last ? onnx_move_axis(n, onnx_operand(n, PAST), 2, 1) : onnx_operand(n, PAST);
  return strata_build_concat(n->b, 2, (MlirValue[]){past, x}, 2);
}

static MlirValue convolved(onnx_node_t *n, MlirValue x, strata_dim_t length, int64_t channels, int64_t taps) {
  onnx_window_t w = {.rank = 1, .kernel = {taps}, .strides = {1}, .dilations = {onnx_attr_int(n, "dilation", 1)}};
  strata_shape_t shape = onnx_shape(x);
  onnx_set_window_input(&w, &shape);
  w.out_dims[0] = length;
  strata_dim_is_constant(length, &w.out[0]);
  return onnx_convolve(n, x, onnx_operand(n, WEIGHT), channels, &w, shape.type);
}

static MlirValue activated(onnx_node_t *n, MlirValue x) {
  bool is_none = onnx_attr_is(n, "activation", "none") || onnx_attr_is(n, "activation", "");
  return is_none ? x : onnx_composite(n, STRATA_COMPOSITE_SILU, x);
}

void onnx_import_causal_conv(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, INPUT);
  onnx_shape_t weight = onnx_operand_sizes(n, WEIGHT);
  bool is_last = onnx_attr_int(n, "channels_last", 0);
  check(n);
  if (!onnx_failed(n) && (shape.rank != 3 || weight.rank != 3 || weight.dims[1] != 1 || weight.dims[2] < 1 ||
                          !onnx_agree(n, shape.dims[is_last ? 2 : 1], onnx_dim(n, weight.dims[0]))))
    onnx_invalid(n, "expected an input of 3 dimensions and a weight [channels, 1, taps]");
  if (onnx_failed(n))
    return;
  int64_t channels = weight.dims[0], state = (weight.dims[2] - 1) * onnx_attr_int(n, "dilation", 1);
  onnx_expect_sizes(n, BIAS, 1, &channels);
  MlirValue x = is_last ? onnx_move_axis(n, onnx_operand(n, INPUT), 2, 1) : onnx_operand(n, INPUT);
  strata_dim_t length = shape.dims[is_last ? 1 : 2];
  MlirValue whole = with_past(n, x, is_last, state);
  if (onnx_failed(n))
    return;
  MlirValue result = onnx_widen(n, convolved(n, whole, length, channels, weight.dims[2]));
  if (onnx_has(n, BIAS))
    result = onnx_binary(n, STRATA_OP_ADD, result, onnx_along_axis(n, onnx_widen(n, onnx_operand(n, BIAS)), 1, 3));
  result = onnx_round(n, activated(n, result), shape.type);
  onnx_set(n, 0, is_last ? onnx_move_axis(n, result, 1, 2) : result);
  if (!onnx_wants(n, 1) || onnx_failed(n))
    return;
  MlirValue present = onnx_slice_dims(n, whole, 2, length, 1, onnx_dim(n, state));
  onnx_set(n, 1, is_last ? onnx_move_axis(n, present, 1, 2) : present);
}
