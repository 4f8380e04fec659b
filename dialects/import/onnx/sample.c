// Operators that interpolate at places computed at run time: GridSample, DeformConv, RoiAlign; AffineGrid.
//
// Along each dim a place gives a few taps: an index and a weight each, tensors both. The result is the sum over all
// combinations of one tap a dim of the elements gathered there times the product of the weights.
#include "dialects/import/onnx/arithmetic.h"
#include "dialects/import/onnx/window.h"

#include <string.h>

enum { MAX_DIMS = 3, MAX_TAPS = 4 };

// Of one dim: float tensors, indices inside the dim.
typedef struct {
  int count;
  MlirValue index[MAX_TAPS], weight[MAX_TAPS];
} taps_t;

// To a place of an element, of |size|.
static MlirValue clamp(onnx_node_t *n, MlirValue x, strata_dim_t size) {
  return onnx_with_dim(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, x, 0), strata_dim_plus(size, -1));
}

// Visits every combination of one tap a dim: sums, or with |take_max| takes the greatest, of gathered times weight.
// |data| is [..., places] and |base|, if not null, is added to the places; indices and weights broadcast together.
static MlirValue combine(onnx_node_t *n, MlirValue data, MlirValue base, int batch_dims, int rank, const taps_t *taps,
                         const strata_dim_t *sizes, bool take_max) {
  int combinations = 1, last = onnx_shape(data).rank - 1;
  MlirValue result = {0};
  for (int d = 0; d < rank; d++)
    combinations *= taps[d].count;
  for (int c = 0; c < combinations && !onnx_failed(n); c++) {
    MlirValue place = {0}, weight = {0};
    for (int d = 0, rest = c; d < rank; rest /= taps[d++].count) {
      const taps_t *t = &taps[d];
      int tap = rest % t->count;
      MlirValue index = onnx_convert(n, t->index[tap], false, STRATA_TYPE_I64, false);
      place = d ? add(n, onnx_with_dim(n, STRATA_OP_MUL, place, sizes[d]), index) : index;
      weight = d ? mul(n, weight, t->weight[tap]) : t->weight[tap];
    }
    if (!mlirValueIsNull(base))
      place = add(n, place, base);
    MlirValue term = strata_build_gather(n->b, data, place, last, batch_dims);
    // The weight has the batch dims and the dims of the places; between them come those of the data.
    strata_shape_t shape = onnx_shape(weight), wide = shape;
    wide.rank = onnx_shape(term).rank;
    for (int i = 0; i < wide.rank; i++)
      wide.dims[i] = i < batch_dims ? shape.dims[i] : i < last ? onnx_dim(n, 1) : shape.dims[i - last + batch_dims];
    term = mul(n, term, onnx_reshape_dims(n, weight, wide.rank, wide.dims));
    result = c ? onnx_binary(n, take_max ? STRATA_OP_MAX : STRATA_OP_ADD, result, term) : term;
  }
  return result;
}

//===-- GridSample -----------------------------------------------------------------------------------------------===//

typedef enum { ZEROS, BORDER, REFLECTION } outside_t;

typedef struct {
  int n_taps; // 1: nearest, 2: linear, 4: cubic
  outside_t outside;
  bool align_corners;
} grid_t;

// From [-1, 1] to places in |size| elements.
static MlirValue denormalize(onnx_node_t *n, const grid_t *grid, MlirValue x, strata_dim_t size) {
  MlirValue part = plus(n, x, 1);
  if (grid->align_corners)
    return times(n, onnx_with_dim(n, STRATA_OP_MUL, part, strata_dim_plus(size, -1)), 0.5);
  return times(n, plus(n, onnx_with_dim(n, STRATA_OP_MUL, part, size), -1), 0.5);
}

// Mirrors at the borders until inside: a triangle wave.
static MlirValue reflect(onnx_node_t *n, const grid_t *grid, MlirValue x, strata_dim_t size) {
  double low = grid->align_corners ? 0 : -0.5;
  strata_dim_t range = grid->align_corners ? strata_dim_plus(size, -1) : size;
  if (strata_dim_is(range, 0))
    return onnx_number(n, x, 0);
  range = onnx_derive(n, STRATA_SYMBOL_MAX, range, onnx_dim(n, 1)); // of one element any is the place
  MlirValue phase =
      onnx_with_dim(n, STRATA_OP_REM, onnx_unary(n, STRATA_OP_ABS, plus(n, x, -low)), strata_dim_times(range, 2));
  MlirValue distance = onnx_unary(n, STRATA_OP_ABS, onnx_with_dim(n, STRATA_OP_SUB, phase, range));
  return plus(n, onnx_with_dim(n, STRATA_OP_ADD, onnx_unary(n, STRATA_OP_NEG, distance), range), low);
}

// Keys' cubic kernel for the four taps around a place |x| behind the second.
static void cubic_weights(onnx_node_t *n, MlirValue x, MlirValue *out) {
  const double a = -0.75;
  for (int t = 0; t < 4; t++) {
    MlirValue d = t == 0   ? plus(n, x, 1)
                  : t == 1 ? x
                  : t == 2 ? plus(n, times(n, x, -1), 1)
                           : plus(n, times(n, x, -1), 2);
    bool is_inner = t == 1 || t == 2;
    MlirValue inner = plus(n, mul(n, mul(n, plus(n, times(n, d, a + 2), -(a + 3)), d), d), 1);
    MlirValue outer = plus(n, mul(n, plus(n, mul(n, plus(n, times(n, d, a), -5 * a), d), 8 * a), d), -4 * a);
    out[t] = is_inner ? inner : outer;
  }
}

// Brings a tap inside, or makes it weigh nothing.
static void settle_tap(onnx_node_t *n, const grid_t *grid, strata_dim_t size, MlirValue *index, MlirValue *weight) {
  if (grid->outside == ZEROS) {
    MlirValue inside = onnx_binary(n, STRATA_OP_AND, onnx_with_number(n, STRATA_OP_GE, *index, 0),
                                   onnx_with_dim(n, STRATA_OP_LE, *index, strata_dim_plus(size, -1)));
    *weight = onnx_select(n, inside, *weight, onnx_number(n, *weight, 0));
  }
  if (grid->outside == REFLECTION)
    *index = onnx_unary(n, STRATA_OP_ROUND_EVEN, reflect(n, grid, *index, size));
  *index = clamp(n, *index, size);
}

// The taps of places in |size| elements.
static taps_t place_taps(onnx_node_t *n, const grid_t *grid, MlirValue x, strata_dim_t size) {
  taps_t taps = {.count = grid->n_taps};
  MlirValue floor = onnx_unary(n, STRATA_OP_FLOOR, x), behind = sub(n, x, floor);
  if (grid->n_taps == 4)
    cubic_weights(n, behind, taps.weight);
  for (int t = 0; t < grid->n_taps; t++) {
    taps.index[t] = plus(n, grid->n_taps == 1 ? x : floor, grid->n_taps == 4 ? t - 1 : t);
    if (grid->n_taps == 1)
      taps.weight[t] = onnx_number(n, x, 1);
    if (grid->n_taps == 2)
      taps.weight[t] = t ? behind : plus(n, times(n, behind, -1), 1);
    settle_tap(n, grid, size, &taps.index[t], &taps.weight[t]);
  }
  return taps;
}

static taps_t grid_taps(onnx_node_t *n, const grid_t *grid, MlirValue x, strata_dim_t size) {
  x = denormalize(n, grid, x, size);
  if (grid->n_taps == 1)
    x = onnx_unary(n, STRATA_OP_ROUND_EVEN, x);
  // Cubic weights are those of the place itself, and taps outside are brought to the border one by one (settle_tap).
  if (grid->outside == BORDER && grid->n_taps < 4)
    x = clamp(n, x, size);
  if (grid->outside == REFLECTION)
    x = reflect(n, grid, x, size);
  return place_taps(n, grid, x, size);
}

static bool read_grid(onnx_node_t *n, grid_t *grid) {
  const char *mode = onnx_attr_string(n, "mode", "linear"), *padding = onnx_attr_string(n, "padding_mode", "zeros");
  grid->n_taps = !strcmp(mode, "nearest") ? 1 : !strcmp(mode, "cubic") || !strcmp(mode, "bicubic") ? 4 : 2;
  grid->outside = !strcmp(padding, "border") ? BORDER : !strcmp(padding, "reflection") ? REFLECTION : ZEROS;
  grid->align_corners = onnx_attr_int(n, "align_corners", 0);
  return !onnx_failed(n);
}

// x [N, C, spatial...], grid [N, places..., number of spatial dims], the last spatial dim's place first.
void onnx_import_grid_sample(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), places = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(x), at = onnx_shape(places);
  int rank = shape.rank - 2, last = at.rank - 1;
  grid_t grid;
  taps_t taps[MAX_DIMS];
  if (!onnx_failed(n) && (rank < 1 || rank > MAX_DIMS || at.rank != shape.rank || !strata_dim_is(at.dims[last], rank)))
    onnx_invalid(n, "the shapes of input and grid do not fit each other");
  if (onnx_failed(n) || !read_grid(n, &grid))
    return;
  strata_dim_t flat[3] = {shape.dims[0], shape.dims[1],
                          strata_dim_product(n->b->compile->context, rank, shape.dims + 2)};
  for (int d = 0; d < rank; d++) {
    MlirValue place = onnx_remove_axis(n, onnx_slice_axis(n, places, last, rank - 1 - d, 1, 1), last);
    place = onnx_convert(n, place, false, shape.type, false);
    taps[d] = grid_taps(n, &grid, place, shape.dims[d + 2]);
  }
  onnx_set(n, 0, combine(n, onnx_reshape_dims(n, x, 3, flat), (MlirValue){0}, 1, rank, taps, shape.dims + 2, false));
}

//===-- DeformConv -----------------------------------------------------------------------------------------------===//

// The places that the windows read in spatial dim |i|, [N, groups, kernel, out...]: those of a convolution plus
// offsets.
static MlirValue deformed_places(onnx_node_t *n, const onnx_window_t *w, MlirValue offsets, int i) {
  onnx_shape_t shape = onnx_sizes(n, offsets); // [N, groups, kernel, 2, out...]
  MlirValue own = onnx_remove_axis(n, onnx_slice_axis(n, offsets, 3, i, 1, 1), 3);
  int64_t n_places = w->kernel[0] * w->kernel[1];
  double *taps = strata_arena_array(n->b->compile->arena, double, n_places);
  double *starts = strata_arena_array(n->b->compile->arena, double, w->out[i]);
  for (int64_t k = 0; k < n_places; k++)
    taps[k] = (double)((i ? k % w->kernel[1] : k / w->kernel[1]) * w->dilations[i] - w->low[i]);
  for (int64_t o = 0; o < w->out[i]; o++)
    starts[o] = (double)(o * w->strides[i]);
  MlirValue tap = onnx_along_axis(n, onnx_floats(n, shape.type, 1, &n_places, taps), 2, 5);
  MlirValue start = onnx_along_axis(n, onnx_floats(n, shape.type, 1, &w->out[i], starts), 3 + i, 5);
  return add(n, own, add(n, tap, start));
}

static bool check_deform_conv(onnx_node_t *n, int64_t groups, int64_t offset_groups) {
  onnx_shape_t x = onnx_operand_sizes(n, 0), weight = onnx_operand_sizes(n, 1);
  if (!onnx_failed(n) && (x.rank != 4 || weight.rank != 4 || groups < 1 || offset_groups < 1 || x.dims[1] % groups ||
                          x.dims[1] % offset_groups || weight.dims[0] % groups || weight.dims[1] * groups != x.dims[1]))
    onnx_invalid(n, "expected 4 dimensions and channels that the groups divide");
  return !onnx_failed(n);
}

// x [N, C, H, W], weight [F, C / groups, kernel...], offset [N, offset groups * kernel * 2, out...], bias [F],
// mask [N, offset groups * kernel, out...]: the windows' elements are gathered and a product does the rest.
void onnx_import_deform_conv(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), weight = onnx_operand(n, 1);
  onnx_shape_t s = onnx_sizes(n, x), ws = onnx_sizes(n, weight);
  int64_t groups = onnx_attr_int(n, "group", 1), og = onnx_attr_int(n, "offset_group", 1);
  const grid_t grid = {.n_taps = 2, .outside = ZEROS};
  strata_shape_t input = onnx_shape(x);
  onnx_window_t w;
  if (!check_deform_conv(n, groups, og) || !onnx_read_window(n, &input, ws.dims + 2, &w))
    return;
  int64_t n_places = w.kernel[0] * w.kernel[1], size = s.dims[0], channels = s.dims[1];
  MlirValue offsets = onnx_reshape(n, onnx_operand(n, 2), 6, (int64_t[]){size, og, n_places, 2, w.out[0], w.out[1]});
  taps_t taps[2];
  for (int i = 0; i < 2; i++)
    taps[i] = place_taps(n, &grid, deformed_places(n, &w, offsets, i), input.dims[i + 2]);
  x = onnx_reshape(n, x, 4, (int64_t[]){size, og, channels / og, w.in[0] * w.in[1]});
  MlirValue read = combine(n, x, (MlirValue){0}, 2, 2, taps, input.dims + 2, false);
  if (onnx_has(n, 4))
    read = mul(n, read, onnx_reshape(n, onnx_operand(n, 4), 6, (int64_t[]){size, og, 1, n_places, w.out[0], w.out[1]}));
  int64_t in_group = channels / groups, out_group = ws.dims[0] / groups;
  read = onnx_reshape(n, read, 6, (int64_t[]){size, groups, in_group, n_places, w.out[0], w.out[1]});
  weight = onnx_reshape(n, weight, 4, (int64_t[]){groups, out_group, in_group, n_places});
  MlirValue y = onnx_contract(n, "ngckhw,gfck->ngfhw", read, weight, s.type, "conv");
  y = onnx_reshape(n, y, 4, (int64_t[]){size, ws.dims[0], w.out[0], w.out[1]});
  onnx_expect_sizes(n, 3, 1, &ws.dims[0]);
  onnx_set(n, 0, onnx_has(n, 3) && !onnx_failed(n) ? add(n, y, onnx_along_axis(n, onnx_operand(n, 3), 1, 4)) : y);
}

//===-- RoiAlign -------------------------------------------------------------------------------------------------===//

typedef struct {
  int64_t samples; // a bin and dim
  double scale, offset;
  bool half_pixel;
} roi_t;

// Sampling places along one dim, [regions, bins * samples], from its first and last place in |rois|.
static MlirValue roi_places(onnx_node_t *n, const roi_t *roi, MlirValue rois, int first, int64_t bins) {
  MlirValue start = plus(n, times(n, onnx_slice_axis(n, rois, 1, first, 1, 1), roi->scale), -roi->offset);
  MlirValue end = plus(n, times(n, onnx_slice_axis(n, rois, 1, first + 2, 1, 1), roi->scale), -roi->offset);
  MlirValue size = sub(n, end, start);
  if (!roi->half_pixel)
    size = onnx_with_number(n, STRATA_OP_MAX, size, 1);
  int64_t count = bins * roi->samples;
  double *steps = strata_arena_array(n->b->compile->arena, double, count);
  for (int64_t i = 0; i < count; i++)
    steps[i] = ((double)i + 0.5) / (double)count;
  MlirValue step = onnx_floats(n, onnx_shape(rois).type, 2, (int64_t[]){1, count}, steps);
  return add(n, start, mul(n, size, step));
}

// Two taps; places more than one element outside weigh nothing.
static taps_t roi_taps(onnx_node_t *n, MlirValue place, strata_dim_t size) {
  taps_t taps = {.count = 2};
  MlirValue inside = onnx_binary(n, STRATA_OP_AND, onnx_with_number(n, STRATA_OP_GE, place, -1),
                                 onnx_with_dim(n, STRATA_OP_LE, place, size));
  place = clamp(n, place, size);
  taps.index[0] = onnx_unary(n, STRATA_OP_FLOOR, place);
  taps.index[1] = clamp(n, plus(n, taps.index[0], 1), size);
  MlirValue behind = sub(n, place, taps.index[0]), none = onnx_number(n, behind, 0);
  taps.weight[0] = onnx_select(n, inside, plus(n, times(n, behind, -1), 1), none);
  taps.weight[1] = onnx_select(n, inside, behind, none);
  return taps;
}

static void spread_taps(onnx_node_t *n, taps_t *taps, int axis) {
  for (int t = 0; t < taps->count; t++) {
    taps->index[t] = onnx_insert_axis(n, taps->index[t], axis);
    taps->weight[t] = onnx_insert_axis(n, taps->weight[t], axis);
  }
}

// x [N, C, H, W], rois [R, 4] of x and y, first and last; batch_indices [R].
void onnx_import_roi_align(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), rois = onnx_operand(n, 1), batch = onnx_operand(n, 2);
  strata_shape_t shape = onnx_shape(x), region = onnx_shape(rois);
  int64_t height = onnx_attr_int(n, "output_height", 1), width = onnx_attr_int(n, "output_width", 1);
  roi_t roi = {.samples = onnx_attr_int(n, "sampling_ratio", 0), .scale = onnx_attr_float(n, "spatial_scale", 1)};
  roi.half_pixel = n->opset >= 16 && !onnx_attr_is(n, "coordinate_transformation_mode", "output_half_pixel");
  roi.offset = roi.half_pixel ? 0.5 : 0;
  bool is_max = onnx_attr_is(n, "mode", "max");
  if (!onnx_failed(n) && (shape.rank != 4 || region.rank != 2 || !strata_dim_is(region.dims[1], 4) || height < 1 ||
                          width < 1 || height > 1 << 20 || width > 1 << 20 || roi.samples > 1 << 10))
    onnx_invalid(n, "expected 4 dimensions, regions of 4 numbers and positive sizes");
  if (onnx_failed(n))
    return;
  onnx_expect_shape(n, 2, 1, &region.dims[0]);
  if (roi.samples < 1) {
    onnx_adaptive_roi_align(n, rois, roi.scale, roi.offset, roi.half_pixel, is_max, height, width);
    return;
  }
  taps_t taps[2] = {roi_taps(n, roi_places(n, &roi, rois, 1, height), shape.dims[2]),
                    roi_taps(n, roi_places(n, &roi, rois, 0, width), shape.dims[3])};
  spread_taps(n, &taps[0], 2);
  spread_taps(n, &taps[1], 1);
  // Images behind each other in one dim, so that a place tells the image too.
  strata_dim_t plane = strata_dim_mul(shape.dims[2], shape.dims[3]);
  MlirValue flat = onnx_reshape_dims(n, onnx_move_axis(n, x, 1, 0), 2,
                                     (strata_dim_t[]){shape.dims[1], strata_dim_mul(shape.dims[0], plane)});
  MlirValue base = onnx_with_dim(n, STRATA_OP_MUL, onnx_convert(n, batch, false, STRATA_TYPE_I64, false), plane);
  base = onnx_reshape_dims(n, base, 3, (strata_dim_t[]){region.dims[0], onnx_dim(n, 1), onnx_dim(n, 1)});
  MlirValue sampled = combine(n, flat, base, 0, 2, taps, shape.dims + 2, is_max);
  strata_dim_t samples = onnx_dim(n, roi.samples);
  strata_dim_t split[6] = {shape.dims[1], region.dims[0], onnx_dim(n, height), samples, onnx_dim(n, width), samples};
  MlirValue bins = strata_build_reduce(n->b, is_max ? STRATA_COMBINER_MAX : STRATA_COMBINER_ADD,
                                       onnx_reshape_dims(n, sampled, 6, split), 2, (int64_t[]){3, 5}, false);
  if (!is_max)
    bins = onnx_with_number(n, STRATA_OP_DIV, bins, (double)(roi.samples * roi.samples));
  onnx_set(n, 0, onnx_move_axis(n, bins, 0, 1));
}

//===-- AffineGrid -----------------------------------------------------------------------------------------------===//

// The places of |size| elements in [-1, 1].
static MlirValue grid_line(onnx_node_t *n, strata_type_t type, int64_t size, bool align_corners) {
  double *places = strata_arena_array(n->b->compile->arena, double, size), count = (double)size;
  for (int64_t i = 0; i < size; i++)
    places[i] = align_corners ? (size > 1 ? -1 + 2 * (double)i / (count - 1) : -1) : (2 * (double)i + 1) / count - 1;
  return onnx_floats(n, type, 1, &size, places);
}

// theta [N, d, d + 1] times (place, 1) for all places of the size [N, C, spatial...].
void onnx_import_affine_grid(onnx_node_t *n) {
  MlirValue theta = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_sizes(n, theta), grid = {.type = shape.type};
  int64_t count;
  const int64_t *size = onnx_constant_ints(n, 1, &count);
  int rank = (int)count - 2;
  if (!onnx_failed(n) &&
      (rank < 2 || rank > MAX_DIMS || shape.rank != 3 || shape.dims[1] != rank || shape.dims[2] != rank + 1))
    onnx_invalid(n, "the shapes of theta and size do not fit each other");
  for (int i = 0; i < rank && !onnx_failed(n); i++)
    if (size[i + 2] < 1 || size[i + 2] > INT32_MAX)
      onnx_invalid(n, "size: got %lld", (long long)size[i + 2]);
  if (onnx_failed(n))
    return;
  grid.rank = rank + 1;
  memcpy(grid.dims, size + 2, (size_t)rank * sizeof *size);
  grid.dims[rank] = 1;
  MlirValue parts[MAX_DIMS + 1];
  for (int i = 0; i < rank; i++) {
    int axis = rank - 1 - i;
    MlirValue line = grid_line(n, shape.type, size[axis + 2], onnx_attr_int(n, "align_corners", 0));
    parts[i] = onnx_broadcast_to(n, onnx_along_axis(n, line, axis, grid.rank), grid.rank, grid.dims);
  }
  parts[rank] = onnx_splat(n, shape.type, grid.rank, grid.dims, 1);
  MlirValue places = strata_build_concat(n->b, rank + 1, parts, rank);
  onnx_set(n, 0,
           onnx_contract(n, rank == 2 ? "HWk,ndk->nHWd" : "DHWk,ndk->nDHWd", places, theta, shape.type, "matmul"));
}
