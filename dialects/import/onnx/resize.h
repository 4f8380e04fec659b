// What the readers of Resize share.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_RESIZE_H
#define STRATA_DIALECTS_IMPORT_ONNX_RESIZE_H

#include "dialects/import/onnx/onnx.h"

typedef enum { ONNX_NEAREST, ONNX_LINEAR, ONNX_CUBIC } onnx_interpolation_t;

typedef struct {
  onnx_interpolation_t mode;
  const char *coordinates, *rounding;
  double cubic_a, extrapolation;
  bool exclude_outside, antialias;
} onnx_resize_t;

// One axis.
typedef struct {
  int axis;
  int64_t in, out;
  double scale, roi_start, roi_end;
  strata_dim_t in_dim;
  bool is_open;         // a size is no number:
  strata_dim_t out_dim; // then this is the result's; |scale| is 0 where it is what the sizes make
} onnx_resized_t;

// The size of an open axis: |scale| times its own, or |size| where that is 0.
void onnx_read_open_axis(onnx_node_t *n, onnx_resized_t *r, double scale, strata_dim_t size);
MlirValue onnx_resize_open_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x);

#endif
