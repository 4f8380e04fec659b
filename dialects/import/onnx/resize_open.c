// Resize along axes whose sizes, or the scale, are no numbers: repetition where the scale is a whole number and
// elements are taken as they are, else gathers at places that are computed, in f64, from the elements' numbers.
#include "dialects/import/onnx/resize.h"

#include "dialects/import/onnx/importer.h"
#include "dialects/strata/counted.h"

#include <math.h>
#include <string.h>

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

// floor(in * scale), in f32.
static strata_dim_t scaled_size(onnx_node_t *n, strata_dim_t in, strata_dim_t scale) {
  strata_dim_t zero = onnx_dim(n, 0);
  strata_dim_t size = onnx_derive(n, STRATA_SYMBOL_REAL + STRATA_REAL_OF, in, zero);
  size = onnx_derive(n, STRATA_SYMBOL_REAL + STRATA_REAL_SINGLE, size, zero);
  size = onnx_derive(n, STRATA_SYMBOL_REAL + STRATA_REAL_MUL, size, scale);
  size = onnx_derive(n, STRATA_SYMBOL_REAL + STRATA_REAL_SINGLE, size, zero);
  return onnx_derive(n, STRATA_SYMBOL_REAL + STRATA_REAL_FLOOR, size, zero);
}

// The same as a quotient of integers, which says more, where the scale is a short fraction.
static bool scale_by_fraction(onnx_resized_t *r, double scale) {
  enum { MAX_BITS = 12 };
  int bits = 0;
  while (bits < MAX_BITS && ldexp(scale, bits) != nearbyint(ldexp(scale, bits)))
    bits++;
  double numerator = ldexp(scale, bits);
  if (numerator != nearbyint(numerator) || numerator < 1 || numerator > INT32_MAX)
    return false;
  r->out_dim = strata_dim_floordiv(strata_dim_times(r->in_dim, (int64_t)numerator), INT64_C(1) << bits);
  return true;
}

// What is computed from data where the operand is.
static void scale_by_data(onnx_node_t *n, onnx_resized_t *r, int operand, int64_t index) {
  MlirValue scale = onnx_plain_element(n, operand, index);
  MlirValue in = strata_build_dim(n->b, r->in_dim, onnx_shape(scale).type);
  MlirValue size = onnx_unary(n, STRATA_OP_FLOOR, onnx_binary(n, STRATA_OP_MUL, in, scale));
  size = onnx_convert(n, size, false, STRATA_TYPE_I64, false);
  r->runtime = onnx_convert(n, scale, false, STRATA_TYPE_F64, false);
  onnx_scaled_data_dim(n, operand, size, r->in_dim, &r->out_dim);
}

void onnx_scale_open_axis(onnx_node_t *n, onnx_resized_t *r, strata_dim_t bits, int operand, int64_t index) {
  int64_t number;
  bool is_known = !mlirAffineExprIsNull(bits), is_number = is_known && strata_dim_is_constant(bits, &number);
  r->out_dim = r->in_dim;
  if (is_number && scale_by_fraction(r, r->scale = strata_real_value(number)))
    return;
  if (!is_known)
    scale_by_data(n, r, operand, index);
  else if (strata_dim_is_counted(&n->importer->symbols, r->in_dim))
    onnx_unsupported(n,
                     "a scale, element %lld of operand %d, that is no short fraction, of a size that depends on data",
                     (long long)index, operand);
  else
    r->out_dim = scaled_size(n, r->in_dim, bits);
  if (is_known && !is_number)
    r->runtime =
        strata_build_convert(n->b, STRATA_OP_BITCAST, strata_build_dim(n->b, bits, STRATA_TYPE_I64), STRATA_TYPE_F64);
}

//===-- Repetition -----------------------------------------------------------------------------------------------===//

double onnx_round_place(const char *rounding, double place) {
  if (!strcmp(rounding, "floor"))
    return floor(place);
  if (!strcmp(rounding, "ceil"))
    return ceil(place);
  return !strcmp(rounding, "round_prefer_ceil") ? floor(place + 0.5) : ceil(place - 0.5);
}

// Whether element o of the result is element o / scale, rounded down, wherever that is.
static bool repeats(const onnx_resize_t *options, const onnx_resized_t *r) {
  bool is_asymmetric = !strcmp(options->coordinates, "asymmetric");
  if (options->mode != ONNX_NEAREST || r->scale < 1 || r->scale != nearbyint(r->scale) || r->scale > 64 ||
      (!is_asymmetric && strcmp(options->coordinates, "half_pixel")))
    return false;
  for (int o = 0; o < (int)r->scale; o++) {
    double place = is_asymmetric ? o / r->scale : (o + 0.5) / r->scale - 0.5;
    if (onnx_round_place(options->rounding, place) != 0)
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

// Rank 0, f64.
static MlirValue number_of(onnx_node_t *n, strata_dim_t dim) { return strata_build_dim(n->b, dim, STRATA_TYPE_F64); }

static MlirValue scale_of(onnx_node_t *n, const onnx_resized_t *r) {
  if (!mlirValueIsNull(r->runtime))
    return r->runtime;
  return r->scale != 0 ? onnx_splat(n, STRATA_TYPE_F64, 0, NULL, r->scale)
                       : onnx_binary(n, STRATA_OP_DIV, number_of(n, r->out_dim), number_of(n, r->in_dim));
}

static bool crops(const onnx_resize_t *options) { return !strcmp(options->coordinates, "tf_crop_and_resize"); }

static bool is_scaled(const onnx_resized_t *r) { return r->scale != 0 || !mlirValueIsNull(r->runtime); }

// The result's size before it is rounded down.
static MlirValue width_of(onnx_node_t *n, const onnx_resized_t *r) {
  return is_scaled(r) ? onnx_binary(n, STRATA_OP_MUL, number_of(n, r->in_dim), scale_of(n, r))
                      : number_of(n, r->out_dim);
}

// From the first element to the last one; a single one is the first.
static MlirValue aligned_places(onnx_node_t *n, const onnx_resized_t *r, MlirValue o) {
  MlirValue last = onnx_with_number(n, STRATA_OP_SUB, width_of(n, r), 1);
  o = onnx_binary(n, STRATA_OP_MUL, o, number_of(n, strata_dim_plus(r->in_dim, -1)));
  return onnx_binary(n, STRATA_OP_DIV, o, onnx_with_number(n, STRATA_OP_MAX, last, 1));
}

// What keeps the middle where it is: half of what the part of an element that the result leaves out is in the input.
static MlirValue centred(onnx_node_t *n, const onnx_resized_t *r, MlirValue place) {
  MlirValue in = number_of(n, r->in_dim);
  MlirValue seen = onnx_binary(n, STRATA_OP_DIV, number_of(n, r->out_dim), scale_of(n, r));
  MlirValue rest = onnx_binary(n, STRATA_OP_SUB, in, seen);
  return onnx_binary(n, STRATA_OP_ADD, place, onnx_with_number(n, STRATA_OP_MUL, rest, 0.5));
}

// From where the region begins to where it ends, in elements; a single one is the middle.
static MlirValue cropped_places(onnx_node_t *n, const onnx_resized_t *r, MlirValue o) {
  MlirValue last = number_of(n, strata_dim_plus(r->in_dim, -1)), width = width_of(n, r);
  MlirValue begin = onnx_binary(n, STRATA_OP_MUL, r->crop[0], last);
  MlirValue span = onnx_binary(n, STRATA_OP_MUL, onnx_binary(n, STRATA_OP_SUB, r->crop[1], r->crop[0]), last);
  MlirValue is_single = onnx_with_number(n, STRATA_OP_EQ, width, 1);
  MlirValue steps = onnx_select(n, is_single, onnx_number(n, width, 1), onnx_with_number(n, STRATA_OP_SUB, width, 1));
  MlirValue far = onnx_binary(n, STRATA_OP_DIV, onnx_binary(n, STRATA_OP_MUL, o, span), steps);
  far = onnx_select(n, is_single, onnx_with_number(n, STRATA_OP_MUL, span, 0.5), far);
  return onnx_binary(n, STRATA_OP_ADD, far, begin);
}

// Where the elements of the result lie in the input, f64. Quotients by the scale, not products with its reciprocal: a
// place that is a whole number is to be that.
static MlirValue places_of(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r) {
  bool is_tf = !strcmp(options->coordinates, "tf_half_pixel_for_nn"); // half a pixel behind all others
  bool half = !is_tf && strstr(options->coordinates, "half_pixel");
  MlirValue o = onnx_iota_dims(n, STRATA_TYPE_F64, 1, &r->out_dim, 0);
  if (!strcmp(options->coordinates, "align_corners"))
    return aligned_places(n, r, o);
  if (crops(options))
    return cropped_places(n, r, o);
  if (half || is_tf)
    o = onnx_with_number(n, STRATA_OP_ADD, o, 0.5);
  MlirValue place = onnx_binary(n, STRATA_OP_DIV, o, scale_of(n, r));
  if (half)
    place = onnx_with_number(n, STRATA_OP_SUB, place, 0.5);
  if (!strcmp(options->coordinates, "half_pixel_symmetric"))
    place = centred(n, r, place);
  if (!strcmp(options->coordinates, "pytorch_half_pixel")) {
    MlirValue is_single = onnx_with_number(n, STRATA_OP_EQ, width_of(n, r), 1);
    place = onnx_select(n, is_single, onnx_number(n, place, -0.5), place);
  }
  return place;
}

// Whole numbers as places inside, of which a size that depends on data may have none.
static MlirValue indices_of(onnx_node_t *n, const onnx_resized_t *r, MlirValue places) {
  MlirValue index = onnx_convert(n, places, false, STRATA_TYPE_I64, false);
  index = onnx_with_dim(n, STRATA_OP_MIN, index, strata_dim_plus(r->in_dim, -1));
  return onnx_with_number(n, STRATA_OP_MAX, index, 0);
}

static MlirValue rounded(onnx_node_t *n, const char *rounding, MlirValue place) {
  if (!strcmp(rounding, "floor") || !strcmp(rounding, "ceil"))
    return onnx_unary(n, *rounding == 'f' ? STRATA_OP_FLOOR : STRATA_OP_CEIL, place);
  return !strcmp(rounding, "round_prefer_ceil")
             ? onnx_unary(n, STRATA_OP_FLOOR, onnx_with_number(n, STRATA_OP_ADD, place, 0.5))
             : onnx_unary(n, STRATA_OP_CEIL, onnx_with_number(n, STRATA_OP_SUB, place, 0.5));
}

//===-- Weights --------------------------------------------------------------------------------------------------===//

static MlirValue polynomial(onnx_node_t *n, MlirValue x, const double factors[4]) {
  MlirValue result = onnx_with_number(n, STRATA_OP_MUL, x, factors[0]);
  for (int i = 1; i < 4; i++) {
    result = onnx_with_number(n, STRATA_OP_ADD, result, factors[i]);
    result = i < 3 ? onnx_binary(n, STRATA_OP_MUL, result, x) : result;
  }
  return result;
}

// Of element |tap| of two, or of four, around a place that is |far| behind the last one in front of it.
static MlirValue weight_of(onnx_node_t *n, const onnx_resize_t *options, MlirValue far, int tap) {
  MlirValue near = onnx_binary(n, STRATA_OP_SUB, onnx_number(n, far, 1), far);
  if (options->mode == ONNX_LINEAR)
    return tap ? far : near;
  double a = options->cubic_a;
  MlirValue distance = tap < 2 ? far : near;
  if (tap == 1 || tap == 2)
    return polynomial(n, distance, (double[]){a + 2, -(a + 3), 0, 1});
  return polynomial(n, onnx_with_number(n, STRATA_OP_ADD, distance, 1), (double[]){a, -5 * a, 8 * a, -4 * a});
}

static MlirValue without_outside(onnx_node_t *n, const onnx_resized_t *r, MlirValue at, MlirValue weight) {
  MlirValue zero = onnx_number(n, weight, 0);
  weight = onnx_select(n, onnx_with_number(n, STRATA_OP_LT, at, 0), zero, weight);
  return onnx_select(n, onnx_with_dim(n, STRATA_OP_GE, at, r->in_dim), zero, weight);
}

// Weights of the neighbours of each place, where |first| and the next ones are; in f64 where their sum divides them,
// which may be next to nothing.
static void weights_of(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, strata_type_t type,
                       MlirValue place, MlirValue first, int n_taps, MlirValue *out_at, MlirValue *out) {
  MlirValue far = onnx_binary(n, STRATA_OP_SUB, place, first), total = {0};
  if (!options->exclude_outside)
    far = onnx_convert(n, far, false, type, false);
  for (int tap = 0; tap < n_taps; tap++) {
    int step = tap - (n_taps / 2 - 1);
    out_at[tap] = step ? onnx_with_number(n, STRATA_OP_ADD, first, step) : first;
    out[tap] = weight_of(n, options, far, tap);
    if (!options->exclude_outside)
      continue;
    out[tap] = without_outside(n, r, out_at[tap], out[tap]);
    total = tap ? onnx_binary(n, STRATA_OP_ADD, total, out[tap]) : out[tap];
  }
  for (int tap = 0; tap < n_taps && options->exclude_outside; tap++)
    out[tap] = onnx_convert(n, onnx_binary(n, STRATA_OP_DIV, out[tap], total), false, type, false);
}

// Neighbours by how near they are.
static MlirValue interpolate(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x,
                             MlirValue place) {
  enum { MOST_TAPS = 4 };
  strata_shape_t shape = onnx_shape(x);
  int n_taps = options->mode == ONNX_LINEAR ? 2 : MOST_TAPS;
  MlirValue at[MOST_TAPS], weights[MOST_TAPS], sum = {0};
  weights_of(n, options, r, shape.type, place, onnx_unary(n, STRATA_OP_FLOOR, place), n_taps, at, weights);
  for (int tap = 0; tap < n_taps; tap++) {
    MlirValue elements = strata_build_gather(n->b, x, indices_of(n, r, at[tap]), r->axis, 0);
    MlirValue term = onnx_binary(n, STRATA_OP_MUL, elements, onnx_along_axis(n, weights[tap], r->axis, shape.rank));
    sum = tap ? onnx_binary(n, STRATA_OP_ADD, sum, term) : term;
  }
  return sum;
}

//===-- Merged elements ------------------------------------------------------------------------------------------===//

// By how near an element is: the kernel of the mode at |distance|, which is not negative.
static MlirValue kernel_at(onnx_node_t *n, const onnx_resize_t *options, MlirValue distance) {
  MlirValue zero = onnx_number(n, distance, 0);
  if (options->mode == ONNX_LINEAR)
    return onnx_binary(n, STRATA_OP_MAX, onnx_binary(n, STRATA_OP_SUB, onnx_number(n, distance, 1), distance), zero);
  double a = options->cubic_a;
  MlirValue near = polynomial(n, distance, (double[]){a + 2, -(a + 3), 0, 1});
  MlirValue far = polynomial(n, distance, (double[]){a, -5 * a, 8 * a, -4 * a});
  far = onnx_select(n, onnx_with_number(n, STRATA_OP_LT, distance, 2), far, zero);
  return onnx_select(n, onnx_with_number(n, STRATA_OP_LE, distance, 1), near, far);
}

// With antialiasing: as many elements as the scale merges into one, so that each may count for each result. What the
// kernel covers in front of the first element and behind the last one counts for these, unless it is left out: rooms of
// as many elements as the operand has on either side, twice as many for a kernel that is as wide.
static MlirValue merge(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x,
                       MlirValue place) {
  int reach = options->exclude_outside ? 0 : options->mode == ONNX_CUBIC ? 2 : 1;
  strata_dim_t room = strata_dim_times(r->in_dim, 2 * reach + 1), front = strata_dim_times(r->in_dim, reach);
  MlirValue at = onnx_with_dim(n, STRATA_OP_SUB, onnx_iota_dims(n, STRATA_TYPE_F64, 1, &room, 0), front);
  MlirValue squeeze = onnx_with_number(n, STRATA_OP_MIN, scale_of(n, r), 1);
  MlirValue distance = onnx_binary(n, STRATA_OP_SUB, at, onnx_insert_axis(n, place, 1));
  distance = onnx_binary(n, STRATA_OP_MUL, onnx_unary(n, STRATA_OP_ABS, distance), squeeze);
  MlirValue weights = kernel_at(n, options, distance);
  MlirValue total = onnx_reduce(n, STRATA_COMBINER_ADD, weights, (bool[]){false, true}, true);
  MlirValue is_none = onnx_with_number(n, STRATA_OP_EQ, total, 0);
  weights = onnx_binary(n, STRATA_OP_DIV, weights, onnx_select(n, is_none, onnx_number(n, total, 1), total));
  weights = onnx_convert(n, weights, false, onnx_shape(x).type, false);
  return onnx_mix_elements(n, reach ? strata_build_gather(n->b, x, indices_of(n, r, at), r->axis, 0) : x, r->axis,
                           weights);
}

MlirValue onnx_extrapolate_open_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r,
                                     MlirValue x) {
  MlirValue place = places_of(n, options, r), last = number_of(n, strata_dim_plus(r->in_dim, -1));
  MlirValue is_inside = onnx_binary(n, STRATA_OP_AND, onnx_with_number(n, STRATA_OP_GE, place, 0),
                                    onnx_binary(n, STRATA_OP_LE, place, last));
  return onnx_select(n, onnx_along_axis(n, is_inside, r->axis, onnx_shape(x).rank), x,
                     onnx_number(n, x, options->extrapolation));
}

MlirValue onnx_resize_open_axis(onnx_node_t *n, const onnx_resize_t *options, const onnx_resized_t *r, MlirValue x) {
  bool is_same = r->scale == 1 || (!is_scaled(r) && strata_dim_equal(r->in_dim, r->out_dim));
  bool merges = options->antialias && r->scale < 1; // more elements than are known here
  if (is_same && !crops(options))
    return x;
  if (repeats(options, r))
    return repeat(n, r, x);
  MlirValue place = places_of(n, options, r);
  if (options->mode != ONNX_NEAREST)
    return merges ? merge(n, options, r, x, place) : interpolate(n, options, r, x, place);
  return strata_build_gather(n->b, x, indices_of(n, r, rounded(n, options->rounding, place)), r->axis, 0);
}
