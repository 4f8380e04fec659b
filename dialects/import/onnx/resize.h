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
  bool is_open;         // a size or the scale is no number:
  strata_dim_t out_dim; // then this is the result's, and |scale| is 0 where it is no number
  MlirValue runtime;    // the scale that sizes or data decide, an f64 of rank 0; null where it is what the sizes make
  MlirValue crop[2];    // where the region begins and ends, of tf_crop_and_resize
} onnx_resized_t;

// The number of the element that is nearest to |place|, by ONNX's nearest_mode.
double onnx_round_place(const char *rounding, double place);
// What the scale, element |index| of operand |operand|, makes of an open axis: |bits| of an f64 (runtime/base/real.h),
// null where data decide it.
void onnx_scale_open_axis(onnx_node_t *n, onnx_resized_t *r, strata_dim_t bits, int operand, int64_t index);
MlirValue onnx_resize_open_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x);
// |x|, resized along an open axis, with the extrapolation's value outside of what the operand has.
MlirValue onnx_extrapolate_open_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r,
                                     MlirValue x);
// Along |axis| the sums of the elements by the rows of |matrix|.
MlirValue onnx_mix_elements(onnx_node_t *n, MlirValue x, int axis, MlirValue matrix);

#endif
