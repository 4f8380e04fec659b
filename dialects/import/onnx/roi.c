// Windows whose size depends on data: RoiAlign with as many samples as a region has elements, and MaxRoiPool. Both are
// separable: along each spatial dim, a weight or a mask for every bin and element says what the bin is made of.
#include "dialects/import/onnx/arithmetic.h"
#include "dialects/import/onnx/window.h"

static MlirValue both(onnx_node_t *n, MlirValue x, MlirValue y) { return onnx_binary(n, STRATA_OP_AND, x, y); }
static MlirValue compare(onnx_node_t *n, strata_op_id_t op, MlirValue x, MlirValue y) {
  return onnx_binary(n, op, x, y);
}
static MlirValue at_least(onnx_node_t *n, MlirValue x, double c) { return onnx_with_number(n, STRATA_OP_MAX, x, c); }

// To a place of an element, of |size|.
static MlirValue inside_of(onnx_node_t *n, MlirValue place, strata_dim_t size) {
  return onnx_with_dim(n, STRATA_OP_MIN, at_least(n, place, 0), strata_dim_plus(size, -1));
}

// 0, 1, 2, ... along |axis| of |rank| dims.
static MlirValue count_along(onnx_node_t *n, MlirValue like, strata_dim_t count, int axis, int rank) {
  return onnx_along_axis(n, onnx_iota_dims(n, onnx_shape(like).type, 1, &count, 0), axis, rank);
}

// Column |i| of the regions as [regions, 1, 1, ...].
static MlirValue column(onnx_node_t *n, MlirValue rois, int i, int rank) {
  strata_dim_t dims[STRATA_MAX_RANK];
  for (int d = 0; d < rank; d++)
    dims[d] = d ? onnx_dim(n, 1) : onnx_shape(rois).dims[0];
  return onnx_reshape_dims(n, onnx_slice_axis(n, rois, 1, i, 1, 1), rank, dims);
}

//===-- RoiAlign -------------------------------------------------------------------------------------------------===//

// Several samples of a bin are at least half an element apart, so that this many, one more at either end for what
// rounding does, hold all that lie less than an element from a given one.
enum { NEAR_SAMPLES = 7 };

// What the samples of each bin weigh along one spatial dim.
typedef struct {
  MlirValue extent, step;  // of a bin and of a sample, [regions, 1, 1, 1]
  MlirValue count;         // of samples a bin, the same
  MlirValue first;         // the place of each bin, [regions, bins, 1, 1]
  MlirValue element;       // [1, 1, size, 1]
  MlirValue place, exists; // samples near an element, [regions, bins, size, NEAR_SAMPLES]
  MlirValue weight;        // of those that exist, at the element
  strata_dim_t size;
} line_t;

// How much sample |place| weighs at |element| of |size|: it is brought inside from up to one element outside.
static MlirValue sample_weight(onnx_node_t *n, MlirValue place, MlirValue element, strata_dim_t size) {
  MlirValue inside = both(n, onnx_with_number(n, STRATA_OP_GE, place, -1), onnx_with_dim(n, STRATA_OP_LE, place, size));
  MlirValue clamped = inside_of(n, place, size);
  MlirValue distance = onnx_unary(n, STRATA_OP_ABS, sub(n, clamped, element));
  MlirValue weight = at_least(n, plus(n, times(n, distance, -1), 1), 0);
  return onnx_select(n, inside, weight, onnx_number(n, weight, 0));
}

// One spatial dim. Sample k of a bin of |extent| lies at start + bin * extent + (k + 1/2) * extent / count.
static line_t adaptive_line(onnx_node_t *n, MlirValue start, MlirValue length, int64_t bins, strata_dim_t size) {
  line_t l = {.extent = times(n, length, 1 / (double)bins), .size = size};
  l.count = at_least(n, onnx_unary(n, STRATA_OP_CEIL, l.extent), 0);
  l.step = divide(n, l.extent, at_least(n, l.count, 1));
  l.step = onnx_select(n, onnx_with_number(n, STRATA_OP_GT, l.step, 0), l.step, onnx_number(n, l.step, 1));
  l.element = count_along(n, start, size, 2, 4);
  l.first = add(n, start, mul(n, count_along(n, start, onnx_dim(n, bins), 1, 4), l.extent));
  MlirValue nearest = divide(n, sub(n, plus(n, l.element, -1), l.first), l.step);
  MlirValue k = at_least(n, plus(n, onnx_unary(n, STRATA_OP_CEIL, plus(n, nearest, -0.5)), -1), 0);
  k = add(n, k, count_along(n, start, onnx_dim(n, NEAR_SAMPLES), 3, 4));
  l.place = add(n, l.first, mul(n, plus(n, k, 0.5), l.step));
  l.exists = compare(n, STRATA_OP_LT, k, l.count);
  MlirValue weight = sample_weight(n, l.place, l.element, size);
  l.weight = onnx_select(n, l.exists, weight, onnx_number(n, weight, 0));
  return l;
}

static MlirValue over_samples(onnx_node_t *n, strata_combiner_t kind, MlirValue x) {
  return onnx_reduce(n, kind, x, (const bool[]){false, false, false, true}, false);
}

// The sum of what the samples weigh at each element, [regions, bins, size].
static MlirValue line_weight(onnx_node_t *n, const line_t *l) {
  return over_samples(n, STRATA_COMBINER_ADD, l->weight);
}

static MlirValue line_count(onnx_node_t *n, const line_t *l) {
  return onnx_reshape_dims(n, l->count, 1, &onnx_shape(l->count).dims[0]);
}

// The weight of rows, zero in all images but the region's own: [regions, bins, images, size].
static MlirValue of_image(onnx_node_t *n, MlirValue weight, MlirValue batch, strata_dim_t images) {
  MlirValue image = onnx_along_axis(n, onnx_iota_dims(n, onnx_shape(batch).type, 1, &images, 0), 2, 4);
  MlirValue own = onnx_binary(n, STRATA_OP_EQ, onnx_along_axis(n, batch, 0, 4), image);
  MlirValue wide = onnx_insert_axis(n, weight, 2);
  return onnx_select(n, own, wide, onnx_number(n, wide, 0));
}

static void set_mean(onnx_node_t *n, const line_t *rows, const line_t *columns) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  MlirValue weight = of_image(n, line_weight(n, rows), onnx_operand(n, 2), shape.dims[0]);
  MlirValue lines = onnx_contract(n, "rinh,nchw->rciw", weight, x, shape.type, "matmul");
  MlirValue sum = onnx_contract(n, "rciw,rjw->rcij", lines, line_weight(n, columns), shape.type, "matmul");
  MlirValue count = at_least(n, mul(n, line_count(n, rows), line_count(n, columns)), 1);
  onnx_set(n, 0, divide(n, sum, onnx_along_axis(n, count, 0, 4)));
}

// Bins with a sample that lies on an element, or outside: its other tap weighs nothing, so that 0 is among the
// products. [regions, bins].
static MlirValue has_zero(onnx_node_t *n, const line_t *l) {
  MlirValue clamped = inside_of(n, l->place, l->size);
  MlirValue is_on = both(n, l->exists, compare(n, STRATA_OP_EQ, clamped, l->element));
  MlirValue on = onnx_reduce(n, STRATA_COMBINER_OR, is_on, (const bool[]){false, false, true, true}, false);
  MlirValue begin = add(n, l->first, times(n, l->step, 0.5));
  MlirValue end = add(n, l->first, mul(n, plus(n, l->count, -0.5), l->step));
  MlirValue outside = onnx_binary(n, STRATA_OP_OR, onnx_with_number(n, STRATA_OP_LT, begin, -1),
                                  onnx_with_dim(n, STRATA_OP_GT, end, l->size));
  return onnx_binary(n, STRATA_OP_OR, on, onnx_reshape_dims(n, outside, 2, onnx_shape(on).dims));
}

// |bins| [regions, bins, size] as [regions, 1, ..., bins, size], whose last dim is |last|.
static MlirValue beside_elements(onnx_node_t *n, MlirValue bins, int last) {
  strata_shape_t shape = onnx_shape(bins);
  strata_dim_t dims[STRATA_MAX_RANK];
  for (int i = 0; i <= last; i++)
    dims[i] = i == 0 ? shape.dims[0] : i == last - 1 ? shape.dims[1] : i == last ? shape.dims[2] : onnx_dim(n, 1);
  return onnx_reshape_dims(n, bins, last + 1, dims);
}

// Of each bin along the last dim of |x| [regions, channels, ..., size], the greatest product of an element and what a
// sample weighs there: one above zero is greatest with the largest weight, one below with the smallest.
static MlirValue greatest_product(onnx_node_t *n, MlirValue x, const line_t *l) {
  MlirValue none = onnx_number(n, l->weight, 2), is_near = onnx_with_number(n, STRATA_OP_GT, l->weight, 0);
  MlirValue most = over_samples(n, STRATA_COMBINER_MAX, l->weight);
  MlirValue least = over_samples(n, STRATA_COMBINER_MIN, onnx_select(n, is_near, l->weight, none));
  int last = onnx_shape(x).rank;
  bool axes[STRATA_MAX_RANK] = {false};
  axes[last] = true;
  most = beside_elements(n, most, last);
  least = beside_elements(n, least, last);
  x = onnx_insert_axis(n, x, last - 1);
  MlirValue product = mul(n, x, onnx_select(n, onnx_with_number(n, STRATA_OP_GE, x, 0), most, least));
  MlirValue lowest = onnx_number(n, product, -__builtin_inf());
  product = onnx_select(n, onnx_with_number(n, STRATA_OP_GT, most, 0), product, lowest);
  return onnx_reduce(n, STRATA_COMBINER_MAX, product, axes, false);
}

// ONNX takes the greatest product of a tap and its weight, not the greatest of the samples.
static void set_greatest(onnx_node_t *n, const line_t *rows, const line_t *columns) {
  MlirValue own = strata_build_gather(n->b, onnx_operand(n, 0), onnx_operand(n, 2), 0, 0);
  MlirValue lines = strata_build_transpose(n->b, greatest_product(n, own, columns), (int64_t[]){0, 1, 3, 2});
  MlirValue pool = strata_build_transpose(n->b, greatest_product(n, lines, rows), (int64_t[]){0, 1, 3, 2});
  strata_shape_t shape = onnx_shape(pool);
  strata_dim_t one = onnx_dim(n, 1);
  strata_dim_t row_dims[4] = {shape.dims[0], one, shape.dims[2], one},
               column_dims[4] = {shape.dims[0], one, one, shape.dims[3]};
  MlirValue of_rows = onnx_reshape_dims(n, has_zero(n, rows), 4, row_dims);
  MlirValue of_columns = onnx_reshape_dims(n, has_zero(n, columns), 4, column_dims);
  MlirValue zero = onnx_number(n, pool, 0), with_zero = onnx_binary(n, STRATA_OP_OR, of_rows, of_columns);
  pool = onnx_select(n, with_zero, at_least(n, pool, 0), pool);
  MlirValue is_empty = onnx_with_number(n, STRATA_OP_EQ, mul(n, rows->count, columns->count), 0);
  onnx_set(n, 0, onnx_select(n, is_empty, zero, pool));
}

void onnx_adaptive_roi_align(onnx_node_t *n, MlirValue rois, double scale, double offset, bool half_pixel, bool is_max,
                             int64_t height, int64_t width) {
  MlirValue start[2], length[2];
  strata_shape_t shape = onnx_shape(onnx_operand(n, 0));
  for (int i = 0; i < 2; i++) {
    start[i] = plus(n, times(n, column(n, rois, i, 4), scale), -offset);
    length[i] = sub(n, plus(n, times(n, column(n, rois, i + 2, 4), scale), -offset), start[i]);
    length[i] = half_pixel ? length[i] : at_least(n, length[i], 1);
  }
  line_t rows = adaptive_line(n, start[1], length[1], height, shape.dims[2]);
  line_t columns = adaptive_line(n, start[0], length[0], width, shape.dims[3]);
  if (is_max)
    set_greatest(n, &rows, &columns);
  else
    set_mean(n, &rows, &columns);
}

//===-- MaxRoiPool -----------------------------------------------------------------------------------------------===//

// To the nearest integer, half away from zero, as i64.
static MlirValue rounded(onnx_node_t *n, MlirValue x) {
  MlirValue size = onnx_unary(n, STRATA_OP_FLOOR, plus(n, onnx_unary(n, STRATA_OP_ABS, x), 0.5));
  MlirValue whole = onnx_select(n, onnx_with_number(n, STRATA_OP_LT, x, 0), times(n, size, -1), size);
  return onnx_convert(n, whole, false, STRATA_TYPE_I64, false);
}

// Which of |size| elements each bin has, [regions, bins, size]; the region's ends are columns |first| and |first| + 2.
// Bin i has those from floor(i length / bins) to before ceil((i + 1) length / bins), which integers say exactly.
static MlirValue bin_mask(onnx_node_t *n, MlirValue rois, int first, double scale, int64_t bins, strata_dim_t size) {
  MlirValue start = rounded(n, times(n, column(n, rois, first, 3), scale));
  MlirValue end = rounded(n, times(n, column(n, rois, first + 2, 3), scale));
  MlirValue length = at_least(n, plus(n, sub(n, end, start), 1), 1);
  MlirValue bin = count_along(n, start, onnx_dim(n, bins), 1, 3), element = count_along(n, start, size, 2, 3);
  MlirValue before = mul(n, bin, length), up_to = plus(n, mul(n, plus(n, bin, 1), length), (double)(bins - 1));
  MlirValue low = add(n, start, onnx_with_number(n, STRATA_OP_DIV, before, (double)bins));
  MlirValue high = add(n, start, onnx_with_number(n, STRATA_OP_DIV, up_to, (double)bins));
  return both(n, compare(n, STRATA_OP_GE, element, low), compare(n, STRATA_OP_LT, element, high));
}

// The greatest along the last dim of |x| [regions, channels, ..., size] of the elements in each bin.
static MlirValue greatest_in(onnx_node_t *n, MlirValue x, MlirValue mask) {
  int last = onnx_shape(x).rank;
  bool axes[STRATA_MAX_RANK] = {false};
  axes[last] = true;
  x = onnx_insert_axis(n, x, last - 1);
  MlirValue lowest = onnx_number(n, x, -__builtin_inf());
  return onnx_reduce(n, STRATA_COMBINER_MAX, onnx_select(n, beside_elements(n, mask, last), x, lowest), axes, false);
}

// x [N, C, H, W], rois [R, 5]: the image, x and y, first and last. A bin of nothing is 0.
void onnx_import_max_roi_pool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), rois = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(x), region = onnx_shape(rois);
  int64_t count;
  const int64_t *pooled = onnx_attr_ints(n, "pooled_shape", &count);
  double scale = onnx_attr_float(n, "spatial_scale", 1);
  if (!onnx_failed(n) && (shape.rank != 4 || region.rank != 2 || !strata_dim_is(region.dims[1], 5) || count != 2 ||
                          pooled[0] < 1 || pooled[1] < 1 || pooled[0] > 1 << 20 || pooled[1] > 1 << 20))
    onnx_invalid(n, "expected 4 dimensions, regions of 5 numbers and two positive sizes");
  if (onnx_failed(n))
    return;
  MlirValue image = onnx_remove_axis(n, onnx_slice_axis(n, rois, 1, 0, 1, 1), 1);
  image = onnx_convert(n, image, false, STRATA_TYPE_I64, false);
  MlirValue own = strata_build_gather(n->b, x, image, 0, 0);
  MlirValue columns = greatest_in(n, own, bin_mask(n, rois, 1, scale, pooled[1], shape.dims[3]));
  columns = strata_build_transpose(n->b, columns, (int64_t[]){0, 1, 3, 2});
  MlirValue pool = greatest_in(n, columns, bin_mask(n, rois, 2, scale, pooled[0], shape.dims[2]));
  pool = strata_build_transpose(n->b, pool, (int64_t[]){0, 1, 3, 2});
  MlirValue is_empty = onnx_with_number(n, STRATA_OP_EQ, pool, -__builtin_inf());
  onnx_set(n, 0, onnx_select(n, is_empty, onnx_number(n, pool, 0), pool));
}
