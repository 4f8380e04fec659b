// Resize and Upsample. The work is separable: along each axis that changes, every result element is a weighted sum of a
// few elements at places known at compile time. Where a size is no number the places are computed (resize_open.c).
#include "dialects/import/onnx/resize.h"

#include "dialects/import/onnx/importer.h"
#include "dialects/strata/symbols.h"

#include <math.h>
#include <string.h>

//===-- Places ---------------------------------------------------------------------------------------------------===//

// Where element |o| of the result lies in the input.
static double source_place(const onnx_resize_t *options, const onnx_resized_t *r, double o) {
  double in = (double)r->in, width = r->scale * in;
  const char *mode = options->coordinates;
  if (!strcmp(mode, "align_corners"))
    return width == 1 ? 0 : o * (in - 1) / (width - 1);
  if (!strcmp(mode, "asymmetric"))
    return o / r->scale;
  if (!strcmp(mode, "tf_half_pixel_for_nn"))
    return (o + 0.5) / r->scale;
  if (!strcmp(mode, "tf_crop_and_resize")) {
    double span = (r->roi_end - r->roi_start) * (in - 1);
    return r->roi_start * (in - 1) + (width == 1 ? span / 2 : o * span / (width - 1));
  }
  if (!strcmp(mode, "pytorch_half_pixel") && width == 1)
    return -0.5;
  double half_pixel = (o + 0.5) / r->scale - 0.5;
  if (!strcmp(mode, "half_pixel_symmetric"))
    return half_pixel + in / 2 * (1 - (double)r->out / width);
  return half_pixel;
}

// The weight of an element at |distance|.
static double kernel(const onnx_resize_t *options, double distance) {
  double d = fabs(distance), a = options->cubic_a;
  if (options->mode == ONNX_LINEAR)
    return d < 1 ? 1 - d : 0;
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// |n_taps| elements for each of the result; weights and places are [tap][element].
typedef struct {
  int64_t n_taps;
  int64_t *places;
  double *weights;
} taps_t;

static void fill_taps(const onnx_resize_t *options, const onnx_resized_t *r, double squeeze, int64_t o, taps_t *taps) {
  double place = source_place(options, r, (double)o), sum = 0;
  double first = options->mode == ONNX_NEAREST ? onnx_round_place(options->rounding, place)
                                               : floor(place) - (double)(taps->n_taps / 2 - 1);
  for (int64_t t = 0; t < taps->n_taps; t++) {
    double at = first + (double)t, last = (double)(r->in - 1);
    bool outside = at < 0 || at > last;
    double weight = options->mode == ONNX_NEAREST ? 1 : kernel(options, (at - place) * squeeze);
    taps->weights[t * r->out + o] = outside && options->exclude_outside ? 0 : weight;
    taps->places[t * r->out + o] = (int64_t)(at > last ? last : at > 0 ? at : 0);
    sum += taps->weights[t * r->out + o];
  }
  for (int64_t t = 0; t < taps->n_taps && (options->antialias || options->exclude_outside) && sum != 0; t++)
    taps->weights[t * r->out + o] /= sum;
}

// With antialiasing the kernel covers as many elements as are merged into one.
static taps_t compute_taps(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r) {
  double squeeze = options->antialias && r->scale < 1 ? r->scale : 1;
  int64_t support = (int64_t)ceil((options->mode == ONNX_CUBIC ? 2 : 1) / squeeze);
  taps_t taps = {.n_taps = options->mode == ONNX_NEAREST ? 1 : 2 * support};
  taps.places = strata_arena_array(n->b->compile->arena, int64_t, taps.n_taps * r->out);
  taps.weights = strata_arena_array(n->b->compile->arena, double, taps.n_taps * r->out);
  for (int64_t o = 0; o < r->out; o++)
    fill_taps(options, r, squeeze, o, &taps);
  return taps;
}

//===-- One axis -------------------------------------------------------------------------------------------------===//

enum { MAX_GATHERS = 4 }; // more taps are a product with the matrix of all weights

static MlirValue sum_of_gathers(onnx_node_t *n, MlirValue x, const onnx_resized_t *r, const taps_t *taps) {
  strata_shape_t shape = onnx_shape(x);
  MlirValue sum = {0};
  for (int64_t t = 0; t < taps->n_taps; t++) {
    MlirValue weights = onnx_floats(n, shape.type, 1, &r->out, taps->weights + t * r->out);
    MlirValue term = onnx_binary(n, STRATA_OP_MUL, onnx_take(n, x, r->axis, r->out, taps->places + t * r->out),
                                 onnx_along_axis(n, weights, r->axis, shape.rank));
    sum = t ? onnx_binary(n, STRATA_OP_ADD, sum, term) : term;
  }
  return sum;
}

MlirValue onnx_mix_elements(onnx_node_t *n, MlirValue x, int axis, MlirValue matrix) {
  strata_shape_t shape = onnx_shape(x);
  char in[STRATA_MAX_RANK + 1] = {0}, out[STRATA_MAX_RANK + 1] = {0};
  for (int i = 0; i < shape.rank; i++)
    in[i] = out[i] = (char)(i == axis ? 'i' : 'A' + i);
  out[axis] = 'o';
  const char *letters = strata_arena_printf(n->b->compile->arena, "%s,oi->%s", in, out);
  return onnx_contract(n, letters, x, matrix, shape.type, "");
}

static MlirValue matrix_product(onnx_node_t *n, MlirValue x, const onnx_resized_t *r, const taps_t *taps) {
  strata_type_t type = onnx_shape(x).type;
  double *matrix = strata_arena_array(n->b->compile->arena, double, r->out * r->in);
  for (int64_t t = 0; t < taps->n_taps; t++)
    for (int64_t o = 0; o < r->out; o++)
      matrix[o * r->in + taps->places[t * r->out + o]] += taps->weights[t * r->out + o];
  return onnx_mix_elements(n, x, r->axis, onnx_floats(n, type, 2, (int64_t[]){r->out, r->in}, matrix));
}

static MlirValue resize_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x) {
  taps_t taps = compute_taps(n, options, r);
  if (options->mode == ONNX_NEAREST)
    return onnx_take(n, x, r->axis, r->out, taps.places);
  return taps.n_taps <= MAX_GATHERS ? sum_of_gathers(n, x, r, &taps) : matrix_product(n, x, r, &taps);
}

// Outside the cropped region the result is a number; |x| is resized already.
static MlirValue extrapolate(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x) {
  double *inside = strata_arena_array(n->b->compile->arena, double, r->out);
  bool all = true;
  for (int64_t o = 0; o < r->out; o++) {
    double place = source_place(options, r, (double)o);
    inside[o] = place >= 0 && place <= (double)(r->in - 1);
    all = all && inside[o] != 0;
  }
  if (all)
    return x;
  MlirValue mask = onnx_convert(n, onnx_floats(n, STRATA_TYPE_F32, 1, &r->out, inside), false, STRATA_TYPE_I1, false);
  return onnx_select(n, onnx_along_axis(n, mask, r->axis, onnx_shape(x).rank), x,
                     onnx_number(n, x, options->extrapolation));
}

//===-- The operators --------------------------------------------------------------------------------------------===//

static bool read_options(onnx_node_t *n, onnx_resize_t *options) {
  bool is_old = n->opset < 11;
  const char *mode = onnx_attr_string(n, "mode", "nearest");
  *options = (onnx_resize_t){
      .mode = !strcmp(mode, "nearest") ? ONNX_NEAREST
              : !strcmp(mode, "cubic") ? ONNX_CUBIC
                                       : ONNX_LINEAR,
      .coordinates = onnx_attr_string(n, "coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel"),
      .rounding = onnx_attr_string(n, "nearest_mode", is_old ? "floor" : "round_prefer_floor"),
      .cubic_a = onnx_attr_float(n, "cubic_coeff_a", -0.75),
      .extrapolation = onnx_attr_float(n, "extrapolation_value", 0),
      .exclude_outside = onnx_attr_int(n, "exclude_outside", 0),
      .antialias = onnx_attr_int(n, "antialias", 0)};
  return !onnx_failed(n);
}

static int scales_operand(const onnx_node_t *n) { return n->opset < 11 ? 1 : 2; }

// Numbers, as sizes of a call would make them; an error where one is not positive.
static const strata_dim_t *constant_scales(onnx_node_t *n, int64_t count, const double *scales) {
  strata_dim_t *result = strata_arena_array(n->b->compile->arena, strata_dim_t, count + 1);
  for (int64_t i = 0; i < count; i++) {
    int64_t bits;
    if (!strata_real_bits(scales[i], &bits) || scales[i] == 0)
      onnx_invalid(n, "scale %lld: expected a number above 0, got %g", (long long)i, scales[i]);
    result[i] = onnx_dim(n, bits);
  }
  return result;
}

// The scales, as bits of f64 (runtime/base/real.h), of which those that data decide are null; NULL where there are
// none.
static const strata_dim_t *read_scales(onnx_node_t *n, int64_t *out_count) {
  const Onnx__AttributeProto *attr = onnx_attr(n, "scales");
  const strata_dim_t *reals;
  int operand = scales_operand(n);
  if (!attr && onnx_has(n, operand) && !onnx_is_known(n, onnx_operand(n, operand)) &&
      strata_dim_reals(n->b->compile, &n->importer->symbols, onnx_operand(n, operand), &reals, out_count))
    return reals;
  const double *scales = attr ? NULL : onnx_constant_floats(n, operand, out_count);
  if (!attr)
    return scales ? constant_scales(n, *out_count, scales) : NULL;
  double *values = strata_arena_array(n->b->compile->arena, double, attr->n_floats + 1);
  for (size_t i = 0; i < attr->n_floats; i++)
    values[i] = (double)attr->floats[i];
  *out_count = (int64_t)attr->n_floats;
  return constant_scales(n, *out_count, values);
}

// The result's size, which is a number as the operand's is.
static void set_size(onnx_node_t *n, onnx_resized_t *r, double size) {
  r->out = size > 0 && size < (1 << 30) ? (int64_t)size : 0;
  if (r->out < 1 || r->in < 1)
    onnx_invalid(n, "dimension %d of size %lld cannot get size %g", r->axis, (long long)r->in, size);
}

// Sizes are products in f32, as in ONNX's own shape inference.
static void scale_axis(onnx_node_t *n, onnx_resized_t *r, strata_dim_t bits, int64_t index) {
  int64_t number;
  if (r->is_open || mlirAffineExprIsNull(bits) || !strata_dim_is_constant(bits, &number)) {
    r->is_open = true;
    onnx_scale_open_axis(n, r, bits, scales_operand(n), index);
    return;
  }
  r->scale = strata_real_value(number);
  set_size(n, r, floor((double)((float)r->in * (float)r->scale)));
}

static void size_axis(onnx_node_t *n, onnx_resized_t *r, strata_dim_t size) {
  int64_t number;
  r->out_dim = size;
  r->is_open |= !strata_dim_is_constant(size, &number);
  if (r->is_open)
    return;
  r->scale = (double)number / (double)r->in;
  set_size(n, r, (double)number);
}

// One scale for all axes, the least or the greatest.
static void keep_aspect_ratio(onnx_node_t *n, int count, onnx_resized_t *resized, bool smallest) {
  double common = smallest ? INFINITY : 0;
  for (int i = 0; i < count && !onnx_failed(n); i++) {
    common = smallest ? fmin(common, resized[i].scale) : fmax(common, resized[i].scale);
    if (resized[i].is_open)
      onnx_unsupported(n, "keep_aspect_ratio_policy with sizes that are no numbers");
  }
  for (int i = 0; i < count && !onnx_failed(n); i++) {
    resized[i].scale = common;
    set_size(n, &resized[i], floor(common * (double)resized[i].in + 0.5));
  }
}

// Sizes from scales or from sizes, of which the policy may ask to keep the aspect ratio.
static void read_sizes(onnx_node_t *n, int count, onnx_resized_t *resized) {
  int64_t n_scales = 0, n_sizes = 0;
  const strata_dim_t *scales = read_scales(n, &n_scales);
  const strata_dim_t *sizes = n->opset < 11 ? NULL : onnx_dims(n, 3, &n_sizes);
  if (onnx_failed(n))
    return;
  if (n_scales != count && n_sizes != count)
    onnx_invalid(n, "expected %d scales or sizes, got %lld and %lld", count, (long long)n_scales, (long long)n_sizes);
  bool by_size = n_sizes == count, smallest = onnx_attr_is(n, "keep_aspect_ratio_policy", "not_larger");
  for (int i = 0; i < count && !onnx_failed(n); i++)
    if (by_size)
      size_axis(n, &resized[i], sizes[i]);
    else
      scale_axis(n, &resized[i], scales[i], i);
  if (by_size && (smallest || onnx_attr_is(n, "keep_aspect_ratio_policy", "not_smaller")))
    keep_aspect_ratio(n, count, resized, smallest);
}

// Where the region is not known all axes are open.
static void read_roi(onnx_node_t *n, int count, onnx_resized_t *resized) {
  int64_t n_roi;
  bool is_known = !onnx_has(n, 1) || onnx_is_known(n, onnx_operand(n, 1));
  const double *roi = is_known ? onnx_constant_floats(n, 1, &n_roi) : NULL;
  if (!is_known &&
      (onnx_operand_shape(n, 1).rank != 1 || !strata_dim_is_constant(onnx_operand_shape(n, 1).dims[0], &n_roi)))
    onnx_unsupported(n, "roi: expected one dimension, whose size is a number");
  if (!onnx_failed(n) && n_roi != 2 * count)
    onnx_invalid(n, "roi: expected %d numbers, got %lld", 2 * count, (long long)n_roi);
  for (int i = 0; i < count && !onnx_failed(n); i++) {
    onnx_resized_t *r = &resized[i];
    if (is_known) {
      r->roi_start = roi[i];
      r->roi_end = roi[count + i];
    } else if (!r->is_open) {
      r->is_open = true;
      r->out_dim = onnx_dim(n, r->out);
    }
    for (int k = 0; k < 2 && r->is_open; k++)
      r->crop[k] = onnx_convert(n, onnx_plain_element(n, 1, i + k * count), false, STRATA_TYPE_F64, false);
  }
}

void onnx_import_resize(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  onnx_resize_t options;
  onnx_resized_t resized[STRATA_MAX_RANK];
  int64_t count;
  const int64_t *axes = onnx_attr_ints(n, "axes", &count);
  count = axes ? count : shape.rank;
  int list[STRATA_MAX_RANK];
  count = read_options(n, &options) ? onnx_axis_list(n, axes, count, shape.rank, list) : 0;
  if (onnx_failed(n))
    return;
  for (int i = 0; i < count; i++)
    resized[i] = (onnx_resized_t){.axis = list[i], .in_dim = shape.dims[list[i]]};
  for (int i = 0; i < count; i++)
    resized[i].is_open = !strata_dim_is_constant(resized[i].in_dim, &resized[i].in);
  bool crops = !strcmp(options.coordinates, "tf_crop_and_resize");
  read_sizes(n, (int)count, resized);
  if (crops)
    read_roi(n, (int)count, resized);
  strata_type_t type = options.mode == ONNX_NEAREST || shape.type == STRATA_TYPE_F64 ? shape.type : STRATA_TYPE_F32;
  x = onnx_convert(n, x, onnx_is_unsigned(n, 0), type, false);
  for (int i = 0; i < count && !onnx_failed(n); i++)
    if (resized[i].is_open)
      x = onnx_resize_open_axis(n, &options, &resized[i], x);
    else if (crops || resized[i].out != resized[i].in || resized[i].scale != 1)
      x = resize_axis(n, &options, &resized[i], x);
  for (int i = 0; i < count && crops && !onnx_failed(n); i++)
    x = resized[i].is_open ? onnx_extrapolate_open_axis(n, &options, &resized[i], x)
                           : extrapolate(n, &options, &resized[i], x);
  onnx_set_like(n, 0, onnx_convert(n, x, false, shape.type, onnx_is_unsigned(n, 0)), 0);
}
