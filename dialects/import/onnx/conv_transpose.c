// Transposed convolutions, as the phases of their results:
//
//   y[n, f, s * q + r] = sum over c, t of x[n, c, q + t] * weight[c, f, r + low - s * t]
//
// Along a dim of stride s the elements of one phase r are a convolution of stride 1 with every s-th tap of the mirrored
// kernel. Neighbouring phases that read the same elements of x are one part: one strata.contract that has the phase
// among the dims of its result. What the parts of all dims compute interleaves, which a concat along the phases and a
// reshape say. No zeros are put between the elements of x.
#include "dialects/import/onnx/window.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <string.h>

// Neighbouring phases of a dim: first, first + 1, ... Phase first + i at place q sums up, over taps j,
//   x[q + base + j * step] * weight[last + i - j * stride]
typedef struct {
  int64_t first, count, taps, base, step, last, stride;
} part_t;

// The parts of a spatial dim: those that multiply no more than they must, or all phases together.
typedef struct {
  int64_t phases;
  strata_dim_t places; // phases * places is the size of the result, or the next multiple
  int64_t more;        // places than elements of the input
  int n_parts;
  part_t *parts;
  part_t whole; // count is 0 where there is no such part
  bool needs_whole, takes_whole;
} phases_t;

typedef struct {
  onnx_node_t *node;
  onnx_window_t w;
  MlirValue x, weight;
  int64_t groups, channels, filters; // the latter two of a group
  phases_t dims[STRATA_MAX_RANK];
} transposed_t;

//===-- Phases ---------------------------------------------------------------------------------------------------===//

static int64_t greatest_divisor(int64_t a, int64_t b) { return b == 0 ? a : greatest_divisor(b, a % b); }

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Phase |r| of dim |i| alone. The taps whose products fall on it are those with (r + low - tap * dilation) a multiple
// of the stride.
static part_t phase_of(const onnx_window_t *w, int i, int64_t r) {
  int64_t stride = w->strides[i], dilation = w->dilations[i], divisor = greatest_divisor(stride, dilation);
  part_t part = {.first = r, .count = 1, .step = dilation / divisor, .stride = stride / divisor};
  for (int64_t tap = 0; tap < w->kernel[i] && tap < part.stride; tap++)
    if ((r + w->low[i] - tap * dilation) % stride == 0) {
      part.taps = (w->kernel[i] - 1 - tap) / part.stride + 1;
      part.last = tap + (part.taps - 1) * part.stride;
      part.base = (r + w->low[i] - part.last * dilation) / stride;
      return part;
    }
  return part;
}

// One part for all phases of dim |i|, of the elements that any of them reads: some taps lie outside of the kernel, and
// are zero.
static part_t whole_of(const onnx_window_t *w, int i, int64_t phases) {
  int64_t stride = w->strides[i], low = w->low[i];
  int64_t first = -floor_div(w->kernel[i] - 1 - low, stride), last = floor_div(phases - 1 + low, stride);
  return (part_t){.count = phases,
                  .taps = last - first + 1,
                  .base = first,
                  .step = 1,
                  .last = low - stride * first,
                  .stride = stride};
}

// The result is as long as the input times the stride and a number.
static phases_t read_phases(const onnx_node_t *n, const onnx_window_t *w, int i) {
  int64_t stride = w->strides[i], size, rest = 0;
  bool is_known = strata_dim_is_constant(w->out_dims[i], &size), has_empty = false;
  strata_dim_is_constant(strata_dim_sub(w->out_dims[i], strata_dim_times(w->in_dims[i], stride)), &rest);
  phases_t p = {.phases = is_known ? strata_min(stride, size) : stride, .more = floor_div(rest + stride - 1, stride)};
  p.places = strata_dim_plus(w->in_dims[i], p.more);
  p.parts = strata_arena_array(n->b->compile->arena, part_t, (size_t)p.phases);
  for (int64_t r = 0; r < p.phases; r++) {
    part_t part = phase_of(w, i, r), *before = p.n_parts > 0 ? &p.parts[p.n_parts - 1] : NULL;
    has_empty = has_empty || part.taps == 0;
    if (before && before->taps == part.taps && before->base == part.base && before->last + before->count == part.last)
      before->count++;
    else
      p.parts[p.n_parts++] = part;
  }
  if (w->dilations[i] == 1 && p.n_parts > 1)
    p.whole = whole_of(w, i, p.phases);
  p.needs_whole = has_empty && p.whole.count > 0; // phases without taps
  return p;
}

static int n_parts_of(const phases_t *p) { return p->takes_whole ? 1 : p->n_parts; }
static const part_t *part_of(const phases_t *p, int index) { return p->takes_whole ? &p->whole : &p->parts[index]; }

//===-- The choice of parts --------------------------------------------------------------------------------------===//

// What all parts from dim |i| on multiply for one place, given the taps and phases of those before: filters and phases
// side by side fill vectors and tiles, which are multiplied as a whole. The channels of a depthwise one do instead.
static double work_of(const transposed_t *t, int i, double taps, int64_t phases) {
  enum { LANES = 16 };
  double sum = 0;
  bool is_depthwise = t->groups > 1 && t->channels == 1;
  if (i == t->w.rank)
    return taps * (double)(is_depthwise ? phases * t->filters : strata_round_up(phases * t->filters, LANES));
  for (int k = 0; k < n_parts_of(&t->dims[i]); k++) {
    const part_t *part = part_of(&t->dims[i], k);
    sum += work_of(t, i + 1, taps * (double)part->taps, phases * part->count);
  }
  return sum;
}

// Takes the whole of the dims in |choice|, the parts of the others; false if some dim has no such choice.
static bool take(transposed_t *t, int choice) {
  for (int i = 0; i < t->w.rank; i++) {
    phases_t *p = &t->dims[i];
    p->takes_whole = choice >> i & 1;
    if (p->takes_whole ? p->whole.count == 0 : p->needs_whole)
      return false;
  }
  return true;
}

// Takes for each dim the parts, or the whole, with which least is multiplied; of equals the fewest products.
static void choose_parts(transposed_t *t) {
  double least = -1;
  int best = 0;
  for (int choice = 0; choice < 1 << t->w.rank; choice++) {
    double work = take(t, choice) ? work_of(t, 0, 1, 1) : -1;
    if (work >= 0 && (least < 0 || work <= least)) {
      least = work;
      best = choice;
    }
  }
  take(t, best);
}

//===-- One product ----------------------------------------------------------------------------------------------===//

// The dims of a contraction, -1 where one is left out because its size is 1.
typedef struct {
  MlirContext context;
  int count;
  int group, filter, channel;
  int place[STRATA_MAX_RANK], phase[STRATA_MAX_RANK], tap[STRATA_MAX_RANK];
} dims_t;

static dims_t assign_dims(const transposed_t *t, const part_t *const *parts) {
  dims_t d = {.context = t->node->b->compile->context, .count = 1, .group = -1, .filter = -1, .channel = -1};
  if (t->groups > 1)
    d.group = d.count++;
  if (t->groups == 1 || t->filters > 1)
    d.filter = d.count++;
  for (int i = 0; i < t->w.rank; i++) {
    d.place[i] = d.count++;
    d.phase[i] = parts[i]->count > 1 ? d.count++ : -1;
  }
  if (t->channels > 1)
    d.channel = d.count++;
  for (int i = 0; i < t->w.rank; i++)
    d.tap[i] = parts[i]->taps > 1 ? d.count++ : -1;
  return d;
}

static MlirAffineExpr dim(const dims_t *d, int index) { return mlirAffineDimExprGet(d->context, index); }

static MlirAffineExpr linear(const dims_t *d, MlirAffineExpr expr, int64_t factor, int64_t offset) {
  expr = mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(d->context, factor));
  return mlirAffineAddExprGet(expr, mlirAffineConstantExprGet(d->context, offset));
}

static MlirAffineMap input_map(const transposed_t *t, const part_t *const *parts, const dims_t *d) {
  MlirAffineExpr exprs[STRATA_MAX_RANK] = {dim(d, 0)};
  int count = 1;
  if (d->group >= 0 && d->channel >= 0)
    exprs[count++] = mlirAffineAddExprGet(linear(d, dim(d, d->group), t->channels, 0), dim(d, d->channel));
  else if (d->group >= 0 || d->channel >= 0)
    exprs[count++] = dim(d, d->channel >= 0 ? d->channel : d->group);
  for (int i = 0; i < t->w.rank; i++) {
    exprs[count] = linear(d, dim(d, d->place[i]), 1, parts[i]->base);
    if (d->tap[i] >= 0)
      exprs[count] = mlirAffineAddExprGet(exprs[count], linear(d, dim(d, d->tap[i]), parts[i]->step, 0));
    count++;
  }
  return mlirAffineMapGet(d->context, d->count, 0, count, exprs);
}

static int append_dim(const dims_t *d, int index, MlirAffineExpr *exprs, int count) {
  if (index >= 0)
    exprs[count++] = dim(d, index);
  return count;
}

static MlirAffineMap weight_map(const transposed_t *t, const dims_t *d) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  int count = append_dim(d, d->filter, exprs, append_dim(d, d->channel, exprs, append_dim(d, d->group, exprs, 0)));
  for (int i = 0; i < t->w.rank; i++)
    count = append_dim(d, d->phase[i], exprs, append_dim(d, d->tap[i], exprs, count));
  return mlirAffineMapGet(d->context, d->count, 0, count, exprs);
}

// |axis| of |weight| as the taps of a part and, if they are several, its phases behind them. Taps outside the kernel
// are zeros.
static MlirValue weight_axis(onnx_node_t *n, MlirValue weight, int axis, const part_t *part) {
  onnx_shape_t shape = onnx_sizes(n, weight);
  int64_t size = shape.dims[axis], start = part->last - (part->taps - 1) * part->stride;
  if (part->count == 1)
    return part->taps == 1 && size == 1 ? weight
                                        : onnx_slice_axis(n, weight, axis, part->last, -part->stride, part->taps);
  int64_t low = strata_max(0, -start), end = start + part->taps * part->stride;
  if (low > 0 || end > size)
    weight = onnx_pad_axis(n, weight, axis, low, strata_max(0, end - size), 0);
  weight = onnx_slice_axis(n, weight, axis, start + low, 1, part->taps * part->stride);
  memmove(shape.dims + axis + 2, shape.dims + axis + 1, (size_t)(shape.rank - axis - 1) * sizeof *shape.dims);
  shape.dims[axis] = part->taps;
  shape.dims[axis + 1] = part->stride;
  weight = onnx_reshape(n, weight, shape.rank + 1, shape.dims);
  if (part->count < part->stride)
    weight = onnx_slice_axis(n, weight, axis + 1, 0, 1, part->count);
  return part->taps == 1 ? weight : onnx_slice_axis(n, weight, axis, part->taps - 1, -1, part->taps);
}

// The weight as its map wants it: groups, channels, filters, then taps and phases of each dim; without those of size 1.
static MlirValue mapped_weight(const transposed_t *t, const part_t *const *parts, const dims_t *d) {
  MlirValue weight = t->weight;
  int64_t dims[STRATA_MAX_RANK];
  int rank = 0;
  for (int i = t->w.rank; i-- > 0 && !onnx_failed(t->node);)
    weight = weight_axis(t->node, weight, i + 2, parts[i]);
  if (d->group >= 0)
    dims[rank++] = t->groups;
  if (d->channel >= 0)
    dims[rank++] = t->channels;
  if (d->filter >= 0)
    dims[rank++] = t->filters;
  for (int i = 0; i < t->w.rank; i++) {
    if (d->tap[i] >= 0)
      dims[rank++] = parts[i]->taps;
    if (d->phase[i] >= 0)
      dims[rank++] = parts[i]->count;
  }
  return onnx_failed(t->node) ? weight : onnx_reshape(t->node, weight, rank, dims);
}

// The input without its channels where there is but one, and without what nothing reads of a dim that is read at its
// place alone.
static MlirValue mapped_input(const transposed_t *t, const part_t *const *parts, const dims_t *d) {
  MlirValue x = t->x;
  for (int i = 0; i < t->w.rank; i++)
    if (d->tap[i] < 0 && parts[i]->base == 0 && t->dims[i].more < 0)
      x = onnx_slice_dims(t->node, x, i + 2, onnx_dim(t->node, 0), 1, t->dims[i].places);
  return d->group >= 0 || d->channel >= 0 ? x : onnx_remove_axis(t->node, x, 1);
}

static bool reads_outside(const transposed_t *t, const part_t *const *parts) {
  for (int i = 0; i < t->w.rank; i++)
    if (parts[i]->base < 0 || t->dims[i].more + parts[i]->base + (parts[i]->taps - 1) * parts[i]->step > 0)
      return true;
  return false;
}

// What the parts, one of each dim, compute: [N, F, places, phases, places, phases, ...].
static MlirValue build_product(const transposed_t *t, const part_t *const *parts) {
  onnx_node_t *n = t->node;
  dims_t d = assign_dims(t, parts);
  strata_dim_t whole[2 * STRATA_MAX_RANK] = {onnx_shape(t->x).dims[0], onnx_dim(n, t->groups * t->filters)};
  bool is_zero = false;
  for (int i = 0; i < t->w.rank; i++) {
    whole[2 + 2 * i] = t->dims[i].places;
    whole[3 + 2 * i] = onnx_dim(n, parts[i]->count);
    is_zero = is_zero || parts[i]->taps == 0;
  }
  strata_type_t type = onnx_shape(t->x).type;
  if (is_zero)
    return onnx_splat_dims(n, type, 2 + 2 * t->w.rank, whole, 0);
  if (d.count > STRATA_MAX_RANK) {
    onnx_unsupported(n, "a convolution of %d dimensions", d.count);
    return (MlirValue){0};
  }
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  strata_shape_t shape = {.type = type, .rank = 1, .dims = {whole[0]}};
  if (d.group >= 0)
    shape.dims[shape.rank++] = onnx_dim(n, t->groups);
  if (d.filter >= 0)
    shape.dims[shape.rank++] = onnx_dim(n, t->filters);
  for (int i = 0; i < t->w.rank; i++) {
    shape.dims[shape.rank++] = t->dims[i].places;
    if (d.phase[i] >= 0)
      shape.dims[shape.rank++] = onnx_dim(n, parts[i]->count);
  }
  for (int i = 0; i < shape.rank; i++)
    exprs[i] = dim(&d, i);
  MlirValue x = mapped_input(t, parts, &d), weight = mapped_weight(t, parts, &d);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue product = strata_build_contract(n->b, x, weight, input_map(t, parts, &d), weight_map(t, &d),
                                            mlirAffineMapGet(d.context, d.count, 0, shape.rank, exprs), &shape,
                                            reads_outside(t, parts), "conv");
  return onnx_reshape_dims(n, product, 2 + 2 * t->w.rank, whole);
}

//===-- All products ---------------------------------------------------------------------------------------------===//

// The products of all parts of the dims from |i| on, given those of the dims before, side by side along the phases.
static MlirValue build_from(const transposed_t *t, int i, const part_t **parts) {
  if (i == t->w.rank)
    return build_product(t, parts);
  int n = n_parts_of(&t->dims[i]);
  MlirValue *values = strata_arena_array(t->node->b->compile->arena, MlirValue, (size_t)n);
  for (int k = 0; k < n; k++) {
    parts[i] = part_of(&t->dims[i], k);
    values[k] = build_from(t, i + 1, parts);
    if (onnx_failed(t->node))
      return (MlirValue){0};
  }
  return n == 1 ? values[0] : strata_build_concat(t->node->b, n, values, 3 + 2 * i);
}

MlirValue onnx_convolve_transposed(onnx_node_t *n, MlirValue x, MlirValue weight, int64_t groups,
                                   const onnx_window_t *w) {
  onnx_shape_t weight_shape = onnx_sizes(n, weight);
  const part_t *parts[STRATA_MAX_RANK];
  strata_dim_t sizes[STRATA_MAX_RANK] = {onnx_shape(x).dims[0], onnx_dim(n, groups * weight_shape.dims[1])};
  transposed_t t = {.node = n,
                    .w = *w,
                    .x = x,
                    .weight = weight,
                    .groups = groups,
                    .channels = weight_shape.dims[0] / groups,
                    .filters = weight_shape.dims[1]};
  for (int i = 0; i < w->rank; i++) {
    t.dims[i] = read_phases(n, w, i);
    sizes[2 + i] = strata_dim_times(t.dims[i].places, t.dims[i].phases);
  }
  choose_parts(&t);
  MlirValue result = build_from(&t, 0, parts);
  if (onnx_failed(n))
    return result;
  result = onnx_reshape_dims(n, result, w->rank + 2, sizes);
  for (int i = 0; i < w->rank; i++)
    if (!strata_dim_equal(sizes[2 + i], w->out_dims[i]))
      result = onnx_slice_dims(n, result, 2 + i, onnx_dim(n, 0), 1, w->out_dims[i]);
  return result;
}
