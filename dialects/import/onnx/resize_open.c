// Resize along axes whose sizes are no numbers: repetition where the scale is a whole number and elements are taken as
// they are, else gathers at places that are computed, in f64, from the elements' numbers.
#include "dialects/import/onnx/resize.h"

#include <math.h>
#include <string.h>

enum { MAX_BITS = 12 }; // of a scale's fraction

void onnx_read_open_axis(onnx_node_t *n, onnx_resized_t *r, double scale, strata_dim_t size) {
  r->scale = scale;
  r->out_dim = size;
  if (scale == 0)
    return;
  int bits = 0;
  while (bits < MAX_BITS && ldexp(scale, bits) != nearbyint(ldexp(scale, bits)))
    bits++;
  double numerator = ldexp(scale, bits);
  if (numerator != nearbyint(numerator) || numerator < 1 || numerator > INT32_MAX)
    onnx_unsupported(n, "a scale, %g, of a dimension of size %s that is no short fraction", scale,
                     onnx_dim_text(n, r->in_dim));
  else
    r->out_dim = strata_dim_floordiv(strata_dim_times(r->in_dim, (int64_t)numerator), INT64_C(1) << bits);
}

//===-- Repetition -----------------------------------------------------------------------------------------------===//

static double round_place(const char *rounding, double place) {
  if (!strcmp(rounding, "floor"))
    return floor(place);
  if (!strcmp(rounding, "ceil"))
    return ceil(place);
  return !strcmp(rounding, "round_prefer_ceil") ? floor(place + 0.5) : ceil(place - 0.5);
}

static bool is_half_pixel(const char *coordinates) { return strstr(coordinates, "half_pixel") != NULL; }

// Whether element o of the result is element o / scale, rounded down, wherever that is.
static bool repeats(const onnx_resize_t *options, const onnx_resized_t *r) {
  bool is_asymmetric = !strcmp(options->coordinates, "asymmetric");
  if (options->mode != ONNX_NEAREST || r->scale < 1 || r->scale != nearbyint(r->scale) || r->scale > 64 ||
      (!is_asymmetric && strcmp(options->coordinates, "half_pixel")))
    return false;
  for (int o = 0; o < (int)r->scale; o++) {
    double place = is_asymmetric ? o / r->scale : (o + 0.5) / r->scale - 0.5;
    if (round_place(options->rounding, place) != 0)
      return false;
  }
  return true;
}

static MlirValue repeat(onnx_node_t *n, const onnx_resized_t *r, MlirValue x) {
  strata_shape_t result = onnx_shape(x);
  x = onnx_insert_axis(n, x, r->axis + 1);
  strata_shape_t wide = onnx_shape(x);
  wide.dims[r->axis + 1] = onnx_dim(n, (int64_t)r->scale);
  result.dims[r->axis] = r->out_dim;
  return onnx_reshape_dims(n, onnx_broadcast_dims(n, x, wide.rank, wide.dims), result.rank, result.dims);
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

// How far apart, in the input, neighbours in the result are.
static MlirValue step_of(onnx_node_t *n, const onnx_resized_t *r, bool aligns_corners) {
  strata_dim_t one = onnx_dim(n, 1), in = r->in_dim, out = r->out_dim;
  if (!aligns_corners && r->scale != 0)
    return onnx_splat(n, STRATA_TYPE_F64, 0, NULL, 1 / r->scale);
  if (aligns_corners) {
    in = strata_dim_plus(in, -1);
    out = onnx_derive(n, STRATA_SYMBOL_MAX, strata_dim_plus(out, -1), one);
  }
  return onnx_binary(n, STRATA_OP_DIV, strata_build_dim(n->b, in, STRATA_TYPE_F64),
                     strata_build_dim(n->b, out, STRATA_TYPE_F64));
}

// Where the elements of the result lie in the input, f64.
static MlirValue places_of(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r) {
  bool aligns_corners = !strcmp(options->coordinates, "align_corners"), half = is_half_pixel(options->coordinates);
  MlirValue o = onnx_iota_dims(n, STRATA_TYPE_F64, 1, &r->out_dim, 0);
  if (half || !strcmp(options->coordinates, "tf_half_pixel_for_nn"))
    o = onnx_with_number(n, STRATA_OP_ADD, o, 0.5);
  MlirValue place = onnx_binary(n, STRATA_OP_MUL, o, step_of(n, r, aligns_corners));
  if (half)
    place = onnx_with_number(n, STRATA_OP_SUB, place, 0.5);
  if (!strcmp(options->coordinates, "pytorch_half_pixel")) { // a single element is the first
    MlirValue size = strata_build_dim(n->b, r->out_dim, STRATA_TYPE_I64);
    place = onnx_select(n, onnx_with_number(n, STRATA_OP_EQ, size, 1), onnx_number(n, place, 0), place);
  }
  return place;
}

// Whole numbers as places inside.
static MlirValue indices_of(onnx_node_t *n, const onnx_resized_t *r, MlirValue places) {
  MlirValue index = onnx_convert(n, places, false, STRATA_TYPE_I64, false);
  return onnx_with_dim(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, index, 0), strata_dim_plus(r->in_dim, -1));
}

static MlirValue rounded(onnx_node_t *n, const char *rounding, MlirValue place) {
  if (!strcmp(rounding, "floor") || !strcmp(rounding, "ceil"))
    return onnx_unary(n, *rounding == 'f' ? STRATA_OP_FLOOR : STRATA_OP_CEIL, place);
  return !strcmp(rounding, "round_prefer_ceil")
             ? onnx_unary(n, STRATA_OP_FLOOR, onnx_with_number(n, STRATA_OP_ADD, place, 0.5))
             : onnx_unary(n, STRATA_OP_CEIL, onnx_with_number(n, STRATA_OP_SUB, place, 0.5));
}

// Two neighbours by how near they are.
static MlirValue interpolate(onnx_node_t *n, const onnx_resized_t *r, MlirValue x, MlirValue place) {
  strata_shape_t shape = onnx_shape(x);
  MlirValue first = onnx_unary(n, STRATA_OP_FLOOR, place);
  MlirValue far = onnx_convert(n, onnx_binary(n, STRATA_OP_SUB, place, first), false, shape.type, false);
  MlirValue near = onnx_binary(n, STRATA_OP_SUB, onnx_number(n, far, 1), far), sum = {0};
  for (int tap = 0; tap < 2; tap++) {
    MlirValue index = indices_of(n, r, tap ? onnx_with_number(n, STRATA_OP_ADD, first, 1) : first);
    MlirValue weight = onnx_along_axis(n, tap ? far : near, r->axis, shape.rank);
    MlirValue term = onnx_binary(n, STRATA_OP_MUL, strata_build_gather(n->b, x, index, r->axis, 0), weight);
    sum = tap ? onnx_binary(n, STRATA_OP_ADD, sum, term) : term;
  }
  return sum;
}

MlirValue onnx_resize_open_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x) {
  bool is_same = r->scale == 1 || (r->scale == 0 && strata_dim_equal(r->in_dim, r->out_dim));
  bool is_known = !strcmp(options->coordinates, "asymmetric") || !strcmp(options->coordinates, "half_pixel") ||
                  !strcmp(options->coordinates, "pytorch_half_pixel") ||
                  !strcmp(options->coordinates, "align_corners") ||
                  !strcmp(options->coordinates, "tf_half_pixel_for_nn");
  if (is_same && is_known)
    return x;
  if (options->mode == ONNX_CUBIC || options->antialias || options->exclude_outside || !is_known)
    onnx_unsupported(n, "mode cubic, antialias, exclude_outside and coordinates %s of a dimension of size %s",
                     options->coordinates, onnx_dim_text(n, r->in_dim));
  if (onnx_failed(n))
    return x;
  if (repeats(options, r))
    return repeat(n, r, x);
  MlirValue place = places_of(n, options, r);
  if (options->mode == ONNX_LINEAR)
    return interpolate(n, r, x, place);
  return strata_build_gather(n->b, x, indices_of(n, r, rounded(n, options->rounding, place)), r->axis, 0);
}
