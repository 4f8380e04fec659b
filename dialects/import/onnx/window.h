// The geometry that convolutions and pooling share: kernel, strides, dilations and padding of each spatial dim.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_WINDOW_H
#define STRATA_DIALECTS_IMPORT_ONNX_WINDOW_H

#include "dialects/import/onnx/onnx.h"

typedef struct {
  int rank;                                                         // number of spatial dims
  strata_dim_t in_dims[STRATA_MAX_RANK], out_dims[STRATA_MAX_RANK]; // sizes
  bool is_open[STRATA_MAX_RANK]; // those of the dim are no numbers: else also in, out
  int64_t in[STRATA_MAX_RANK], kernel[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], dilations[STRATA_MAX_RANK];
  int64_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  int64_t out[STRATA_MAX_RANK];
} onnx_window_t;

// Reads strides, dilations, pads, auto_pad and ceil_mode for an input [N, C, spatial...] and the given kernel, or the
// attribute kernel_shape where that is NULL; computes |out|. |high| is what was asked for; of an open dim, what gives
// |out| windows rounded down. False after an error.
bool onnx_read_window(onnx_node_t *n, const strata_shape_t *input, const int64_t *kernel, onnx_window_t *out_window);
// Takes the sizes of the spatial dims.
void onnx_set_window_input(onnx_window_t *w, const strata_shape_t *input);
// |out| of a dim that is not open, as a dim.
void onnx_close_window(onnx_node_t *n, onnx_window_t *w);
// An error, UNSUPPORTED, where a dim is open.
bool onnx_window_is_static(onnx_node_t *n, const onnx_window_t *w);

// Reads 'kernel_shape', which must be |kernel| where that is not NULL; and 'pads', which is false, and leaves them
// zero, where 'auto_pad' takes their place. Both need |rank|.
void onnx_read_kernel(onnx_node_t *n, onnx_window_t *w, const int64_t *kernel);
bool onnx_read_pads(onnx_node_t *n, onnx_window_t *w);

// Whether all sizes are in the range in which no sum or product of two of them overflows.
bool onnx_window_is_valid(const onnx_window_t *w);

// Elements that one window spans in dim |i|.
int64_t onnx_window_span(const onnx_window_t *w, int i);

// The means of the windows that a node's attributes describe, in the wide type of |x|, f32 of integers, which are
// summed up as such.
MlirValue onnx_window_means(onnx_node_t *n, MlirValue x);

// The convolution of |x| [N, C, spatial...] with |weight| [F, C / groups, kernel...]: a strata.contract with result
// [N, F, out...].
MlirValue onnx_convolve(onnx_node_t *n, MlirValue x, MlirValue weight, int64_t groups, const onnx_window_t *w,
                        strata_type_t type);

// The transposed convolution of |x| with |weight| [C, F / groups, kernel...]: one or several of them, as a tensor [N,
// F, out...].
MlirValue onnx_convolve_transposed(onnx_node_t *n, MlirValue x, MlirValue weight, int64_t groups,
                                   const onnx_window_t *w);

// The matrix product of NumPy's matmul, as one strata.contract accumulated in |type|.
MlirValue onnx_matmul(onnx_node_t *n, MlirValue lhs, MlirValue rhs, strata_type_t type);

// RoiAlign's mean, or greatest, of as many samples a bin as the regions have elements in one: |rois| are [regions, 4],
// places are |scale| times theirs less |offset|. Sets result 0.
void onnx_adaptive_roi_align(onnx_node_t *n, MlirValue rois, double scale, double offset, bool half_pixel, bool is_max,
                             int64_t height, int64_t width);

#endif
