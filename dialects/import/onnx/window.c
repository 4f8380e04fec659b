// The geometry of windows; see window.h.
#include "dialects/import/onnx/window.h"

#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"

#include <string.h>

enum { MAX_SIZE = 1 << 30 }; // of kernels, strides, dilations and padding, so that no sum overflows

int64_t onnx_window_span(const onnx_window_t *w, int i) { return (w->kernel[i] - 1) * w->dilations[i] + 1; }

static bool in_range(const int64_t *values, int count, int64_t least) {
  for (int i = 0; i < count; i++)
    if (values[i] < least || values[i] > MAX_SIZE)
      return false;
  return true;
}

bool onnx_window_is_valid(const onnx_window_t *w) {
  for (int i = 0; i < w->rank; i++)
    if (!w->is_open[i] && !in_range(&w->in[i], 1, 0))
      return false;
  return in_range(w->kernel, w->rank, 1) && in_range(w->strides, w->rank, 1) && in_range(w->dilations, w->rank, 1) &&
         in_range(w->low, w->rank, 0) && in_range(w->high, w->rank, 0);
}

// The same of a size that is no number: of one that strides divide, or with strides of one, the padding is one.
static void pad_same_open(onnx_node_t *n, onnx_window_t *w, int i, bool upper) {
  int64_t stride = w->strides[i], total = strata_max(onnx_window_span(w, i) - stride, 0);
  if (strata_dim_divisor(w->in_dims[i], &n->importer->symbols) % stride)
    onnx_unsupported(n, "auto_pad for %s elements, which need not be a multiple of the stride, %lld: say so with --dim",
                     onnx_dim_text(n, w->in_dims[i]), (long long)stride);
  w->out_dims[i] = strata_dim_floordiv(w->in_dims[i], stride);
  w->low[i] = upper ? total / 2 : total - total / 2;
  w->high[i] = total - w->low[i];
}

// Padding that gives ceil(in / stride) windows; what is odd goes to the end or to the start.
static void pad_same(onnx_node_t *n, onnx_window_t *w, bool upper) {
  for (int i = 0; i < w->rank; i++) {
    if (w->is_open[i]) {
      pad_same_open(n, w, i, upper);
      continue;
    }
    w->out[i] = strata_ceil_div(w->in[i], w->strides[i]);
    int64_t total = (w->out[i] - 1) * w->strides[i] + onnx_window_span(w, i) - w->in[i];
    total = total < 0 ? 0 : total;
    w->low[i] = upper ? total / 2 : total - total / 2;
    w->high[i] = total - w->low[i];
  }
}

// Whether 'pads' is what counts, and not 'auto_pad'. Many writers give both, with zeros for pads.
static bool has_explicit_pads(onnx_node_t *n, int count, const int64_t *pads) {
  const char *auto_pad = onnx_attr_string(n, "auto_pad", "NOTSET");
  bool is_explicit = !strcmp(auto_pad, "NOTSET");
  for (int i = 0; i < count && !is_explicit && !onnx_failed(n); i++)
    if (pads[i] != 0)
      onnx_invalid(n, "expected one of 'pads' and 'auto_pad', got both (auto_pad = %s)", auto_pad);
  return is_explicit && !onnx_failed(n);
}

bool onnx_read_pads(onnx_node_t *n, onnx_window_t *w) {
  int64_t pads[2 * STRATA_MAX_RANK];
  onnx_attr_ints_or(n, "pads", 2 * w->rank, 0, pads);
  if (!has_explicit_pads(n, 2 * w->rank, pads))
    return false;
  memcpy(w->low, pads, (size_t)w->rank * sizeof *pads);
  memcpy(w->high, pads + w->rank, (size_t)w->rank * sizeof *pads);
  return true;
}

void onnx_read_kernel(onnx_node_t *n, onnx_window_t *w, const int64_t *kernel) {
  onnx_attr_ints_or(n, "kernel_shape", w->rank, 1, w->kernel);
  for (int i = 0; i < w->rank && kernel && !onnx_failed(n); i++) {
    if (onnx_has_attr(n, "kernel_shape") && w->kernel[i] != kernel[i])
      onnx_invalid(n, "attribute 'kernel_shape': dimension %d has size %lld, that of the weight %lld", i,
                   (long long)w->kernel[i], (long long)kernel[i]);
    w->kernel[i] = kernel[i];
  }
}

// The same of a size that is no number; a window that would start in the padding behind the input must not be possible.
static void count_open_windows(onnx_node_t *n, onnx_window_t *w, int i, bool ceil_mode) {
  int64_t span = onnx_window_span(w, i), stride = w->strides[i];
  if (ceil_mode && span < w->high[i] + stride)
    onnx_unsupported(n, "ceil_mode with windows of %lld elements by %lld, of %s elements", (long long)span,
                     (long long)stride, onnx_dim_text(n, w->in_dims[i]));
  if (ceil_mode)
    w->high[i] += stride - 1;
  strata_dim_t room = strata_dim_plus(w->in_dims[i], w->low[i] + w->high[i] - span);
  if (!onnx_require(n->importer, room, onnx_dim(n, 0), 0, INT64_MAX)) // smaller sizes the model does not take
    onnx_invalid(n, "a window that spans %lld does not fit into dimension %d of size %s with its padding",
                 (long long)span, i + 2, onnx_dim_text(n, w->in_dims[i]));
  w->out_dims[i] = strata_dim_plus(strata_dim_floordiv(room, stride), 1);
}

// The number of windows, rounded up in ceil mode as long as the last one starts inside the input or the padding before
// it.
static void count_windows(onnx_node_t *n, onnx_window_t *w) {
  bool ceil_mode = onnx_attr_int(n, "ceil_mode", 0);
  for (int i = 0; i < w->rank; i++) {
    if (w->is_open[i]) {
      count_open_windows(n, w, i, ceil_mode);
      continue;
    }
    int64_t room = w->in[i] + w->low[i] + w->high[i] - onnx_window_span(w, i), stride = w->strides[i];
    if (room < 0) {
      onnx_invalid(n, "a window that spans %lld does not fit into dimension %d of size %lld with its padding",
                   (long long)onnx_window_span(w, i), i + 2, (long long)w->in[i]);
      return;
    }
    w->out[i] = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    if (ceil_mode && (w->out[i] - 1) * stride >= w->in[i] + w->low[i])
      w->out[i]--;
  }
}

void onnx_set_window_input(onnx_window_t *w, const strata_shape_t *input) {
  for (int i = 0; i < w->rank; i++) {
    w->in_dims[i] = input->dims[i + 2];
    w->is_open[i] = !strata_dim_is_constant(w->in_dims[i], &w->in[i]);
  }
}

void onnx_close_window(onnx_node_t *n, onnx_window_t *w) {
  for (int i = 0; i < w->rank; i++)
    if (!w->is_open[i])
      w->out_dims[i] = onnx_dim(n, w->out[i]);
}

bool onnx_window_is_static(onnx_node_t *n, const onnx_window_t *w) {
  for (int i = 0; i < w->rank && !onnx_failed(n); i++)
    if (w->is_open[i])
      onnx_unsupported(n, "a dimension of size %s, which must be a number: give it with --dim",
                       onnx_dim_text(n, w->in_dims[i]));
  return !onnx_failed(n);
}

bool onnx_read_window(onnx_node_t *n, const strata_shape_t *input, const int64_t *kernel, onnx_window_t *w) {
  *w = (onnx_window_t){.rank = input->rank - 2};
  if (!onnx_failed(n) && (w->rank < 1 || w->rank > STRATA_MAX_RANK / 2 - 2))
    onnx_invalid(n, "expected 3 to %d dimensions, got %d", STRATA_MAX_RANK / 2, input->rank);
  if (onnx_failed(n))
    return false;
  onnx_set_window_input(w, input);
  onnx_read_kernel(n, w, kernel);
  onnx_attr_ints_or(n, "strides", w->rank, 1, w->strides);
  onnx_attr_ints_or(n, "dilations", w->rank, 1, w->dilations);
  const char *auto_pad = onnx_attr_string(n, "auto_pad", "NOTSET");
  onnx_read_pads(n, w);
  if (!onnx_failed(n) && !onnx_window_is_valid(w))
    onnx_invalid(n, "expected positive kernel, strides and dilations, and padding that is not negative");
  if (onnx_failed(n))
    return false;
  if (!strcmp(auto_pad, "SAME_UPPER") || !strcmp(auto_pad, "SAME_LOWER")) {
    pad_same(n, w, !strcmp(auto_pad, "SAME_UPPER"));
  } else {
    count_windows(n, w);
  }
  onnx_close_window(n, w);
  return !onnx_failed(n);
}
