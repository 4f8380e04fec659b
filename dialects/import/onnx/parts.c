// Operators that join values, or cut parts out of one: Concat, Split, Slice.
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

void onnx_import_concat(onnx_node_t *n) {
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, n->n_inputs);
  for (int i = 0; i < n->n_inputs; i++)
    parts[i] = onnx_operand(n, i);
  int rank = onnx_operand_shape(n, 0).rank, axis = onnx_axis(n, onnx_attr_int(n, "axis", 1), rank);
  for (int i = 1; i < n->n_inputs && !onnx_failed(n); i++)
    for (int d = 0; d < rank && onnx_shape(parts[i]).rank == rank; d++)
      if (d != axis)
        onnx_agree(n, onnx_shape(parts[0]).dims[d], onnx_shape(parts[i]).dims[d]);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_concat(n->b, n->n_inputs, parts, axis), 0);
}

// Sizes by attribute or operand; else equal ones, of which the last may be smaller.
static void split_sizes(onnx_node_t *n, int64_t size, int parts, int64_t *out) {
  int64_t count, sum = 0;
  const int64_t *sizes = onnx_ints(n, "split", 1, &count);
  int64_t chunk = parts ? strata_ceil_div(size, parts) : 0;
  if (!sizes && !onnx_has_attr(n, "num_outputs") && parts && size % parts)
    onnx_invalid(n, "%lld elements cannot be split into %d equal parts", (long long)size, parts);
  if (sizes && count != parts)
    onnx_invalid(n, "split: expected %d sizes, got %lld", parts, (long long)count);
  for (int i = 0; i < parts && !onnx_failed(n); i++) {
    out[i] = sizes ? sizes[i] : strata_clamp(size - sum, 0, chunk);
    if (out[i] < 0 || out[i] > size - sum)
      onnx_invalid(n, "split: the sizes do not add up to %lld", (long long)size);
    sum += out[i];
  }
  if (!onnx_failed(n) && sum != size)
    onnx_invalid(n, "split: the sizes do not add up to %lld", (long long)size);
}

// The same of sizes that are not all numbers: equal parts, or parts that say themselves what they are.
static void split_dims(onnx_node_t *n, strata_dim_t size, int parts, strata_dim_t *out) {
  int64_t count;
  const strata_dim_t *sizes = onnx_dims_or_attr(n, "split", 1, &count);
  strata_dim_t sum = onnx_dim(n, 0);
  if (!onnx_failed(n) && sizes && count != parts)
    onnx_invalid(n, "split: expected %d sizes, got %lld", parts, (long long)count);
  if (onnx_failed(n) || !parts)
    return;
  bool divides = strata_dim_divisor(size, &n->importer->symbols) % parts == 0;
  if (!sizes && onnx_has_attr(n, "num_outputs") && !divides)
    onnx_unsupported(n, "parts of which the last may be smaller, of %s elements", onnx_dim_text(n, size));
  for (int i = 0; i < parts && !onnx_failed(n); i++) {
    out[i] = sizes ? sizes[i] : strata_dim_floordiv(size, parts);
    sum = strata_dim_add(sum, out[i]);
  }
  if (!onnx_failed(n) && sizes && !onnx_agree(n, sum, size))
    onnx_invalid(n, "split: the sizes do not add up to %s", onnx_dim_text(n, size));
}

bool onnx_has_data_parts(onnx_node_t *n) {
  int64_t count;
  if (!onnx_has(n, 1) || onnx_failed(n) || onnx_operand_shape(n, 1).rank != 1)
    return false;
  const strata_dim_t *sizes = onnx_place_dims(n, "split", 1, &count);
  bool is_open = false;
  for (int64_t i = 0; sizes && i < count; i++)
    is_open |= mlirAffineExprIsNull(sizes[i]);
  return is_open;
}

// A part has no more elements than those in front of it leave, and the last one has what is left.
const MlirValue *onnx_parts_by_data(onnx_node_t *n, int64_t axis, int64_t *out_count) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int at = onnx_axis(n, axis, shape.rank);
  strata_dim_t start = onnx_dim(n, 0), size = onnx_failed(n) ? start : shape.dims[at];
  MlirValue left = strata_build_dim(n->b, size, STRATA_TYPE_I64);
  *out_count = 0;
  if (onnx_failed(n) || !strata_dim_is_constant(onnx_operand_shape(n, 1).dims[0], out_count))
    return NULL;
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, *out_count);
  for (int64_t i = 0; i < *out_count; i++) {
    MlirValue own = onnx_binary(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, onnx_element(n, 1, i), 0), left);
    bool is_last = i + 1 == *out_count;
    strata_dim_t part = is_last ? strata_dim_sub(size, start) : onnx_counted_dim(n, own, size, false);
    parts[i] = onnx_slice_dims(n, x, at, start, 1, part);
    start = strata_dim_add(start, part);
    left = onnx_binary(n, STRATA_OP_SUB, left, own);
  }
  return parts;
}

static void split_by_data(onnx_node_t *n) {
  int64_t count;
  const MlirValue *parts = onnx_parts_by_data(n, onnx_attr_int(n, "axis", 0), &count);
  if (!onnx_failed(n) && count != n->n_outputs)
    onnx_invalid(n, "split: expected %d sizes, got %lld", n->n_outputs, (long long)count);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++)
    onnx_set_like(n, i, parts[i], 0);
}

void onnx_import_split(onnx_node_t *n) {
  if (onnx_has_data_parts(n)) {
    split_by_data(n);
    return;
  }
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  int64_t size, *sizes = strata_arena_array(n->b->compile->arena, int64_t, n->n_outputs);
  strata_dim_t start = onnx_dim(n, 0), *dims = strata_arena_array(n->b->compile->arena, strata_dim_t, n->n_outputs);
  if (onnx_failed(n))
    return;
  bool is_number = strata_dim_is_constant(shape.dims[axis], &size);
  if (is_number)
    split_sizes(n, size, n->n_outputs, sizes);
  else
    split_dims(n, shape.dims[axis], n->n_outputs, dims);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++) {
    if (is_number)
      dims[i] = onnx_dim(n, sizes[i]);
    onnx_set_like(n, i, onnx_slice_dims(n, x, axis, start, 1, dims[i]), 0);
    start = strata_dim_add(start, dims[i]);
  }
}

// Start and number of the elements from |start| to before |end| by |step|, counted from the end if negative, clamped.
static void slice_range(int64_t size, int64_t start, int64_t end, int64_t step, int64_t *out_start,
                        int64_t *out_count) {
  if (start < 0)
    start += size;
  if (end < 0)
    end += end >= -size ? size : 0;
  start = step > 0 ? strata_clamp(start, 0, size) : strata_clamp(start, -1, size - 1);
  end = step > 0 ? strata_clamp(end, 0, size) : strata_clamp(end, -1, size - 1);
  int64_t distance = step > 0 ? end - start : start - end;
  uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
  *out_count = distance > 0 ? (int64_t)(((uint64_t)distance - 1) / stride) + 1 : 0;
  *out_start = *out_count ? start : 0;
}

// A place on an axis of symbolic size: counted from the end if negative, clamped. A place may be a size itself, which
// is never negative; of others it must be known whether they are.
static strata_dim_t slice_place(onnx_node_t *n, strata_dim_t size, strata_dim_t place) {
  strata_range_t range = onnx_dim_range(n, place), sizes = onnx_dim_range(n, size);
  if (range.min >= sizes.max)
    return size;
  if (range.min >= 0)
    return onnx_derive(n, STRATA_SYMBOL_MIN, place, size);
  if (range.max >= 0)
    onnx_unsupported(n, "a place, %s, that may be negative or not", onnx_dim_text(n, place));
  if (range.max <= strata_minus(0, sizes.max))
    return onnx_dim(n, 0);
  return onnx_derive(n, STRATA_SYMBOL_MAX, strata_dim_add(size, place), onnx_dim(n, 0));
}

// Start and number of the elements where not all of it are numbers.
static void slice_dims(onnx_node_t *n, strata_dim_t size, strata_dim_t start, strata_dim_t end, int64_t step,
                       strata_dim_t *out_start, strata_dim_t *out_count) {
  int64_t from, to;
  if (step > 0) {
    *out_start = slice_place(n, size, start);
    strata_dim_t distance = strata_dim_sub(slice_place(n, size, end), *out_start);
    distance = onnx_derive(n, STRATA_SYMBOL_MAX, distance, onnx_dim(n, 0));
    *out_count = strata_dim_floordiv(strata_dim_plus(distance, step - 1), step);
    return;
  }
  // The whole axis, backwards.
  bool is_whole = strata_dim_is_constant(start, &from) && strata_dim_is_constant(end, &to) &&
                  (from == -1 || from >= onnx_dim_range(n, size).max - 1) && to < -onnx_dim_range(n, size).max;
  if (!is_whole || step == INT64_MIN)
    onnx_unsupported(n, "some of %s elements, backwards", onnx_dim_text(n, size));
  *out_start = strata_dim_plus(size, -1);
  *out_count = is_whole ? strata_dim_floordiv(strata_dim_plus(size, -step - 1), -step) : onnx_dim(n, 0);
}

static void slice_axis(onnx_node_t *n, strata_dim_t *size, strata_dim_t start, strata_dim_t end, int64_t step,
                       strata_dim_t *out_start) {
  int64_t known, from, to;
  if (!strata_dim_is_constant(*size, &known) || !strata_dim_is_constant(start, &from) ||
      !strata_dim_is_constant(end, &to)) {
    slice_dims(n, *size, start, end, step, out_start, size);
    return;
  }
  slice_range(known, from, to, step, &from, &known);
  *out_start = onnx_dim(n, from);
  *size = onnx_dim(n, known);
}

// Element |index| of operand |i|; one that depends on data is counted from the end here if it is negative, and clamped.
static strata_dim_t place_of(onnx_node_t *n, int i, int64_t index, strata_dim_t known, strata_dim_t size) {
  if (!mlirAffineExprIsNull(known) || onnx_failed(n))
    return known;
  MlirValue at = onnx_element(n, i, index), zero = onnx_integer(n, at, 0);
  at = onnx_select(n, onnx_binary(n, STRATA_OP_LT, at, zero), onnx_with_dim(n, STRATA_OP_ADD, at, size), at);
  at = onnx_with_dim(n, STRATA_OP_MIN, onnx_binary(n, STRATA_OP_MAX, at, zero), size);
  return onnx_counted_dim(n, at, size, false);
}

// An end that is a number behind the start, wherever that is: so many elements at most.
static void bound_by_distance(onnx_node_t *n, int64_t index, int64_t step, strata_dim_t *count) {
  MlirValue end = onnx_operand(n, 2), start = onnx_operand(n, 1);
  MlirOperation sum = strata_def(end);
  const int64_t *more;
  int64_t n_more;
  if (mlirOperationIsNull(sum) || strata_op_id(sum) != STRATA_OP_ADD)
    return;
  for (int i = 0; i < 2; i++) {
    MlirValue other = mlirOperationGetOperand(sum, 1 - i);
    if (!strata_value_equal(mlirOperationGetOperand(sum, i), start) || !onnx_known_ints(n, other, &more, &n_more) ||
        index >= n_more || more[index] < 0)
      continue;
    *count = onnx_derive(n, STRATA_SYMBOL_MIN, *count, onnx_dim(n, strata_ceil_div(more[index], step)));
    return;
  }
}

// What it is in the last iteration or in the first, whichever is more; or less.
static strata_dim_t end_of_course(const onnx_number_t *course, bool is_most) {
  if (!course->loop || (course->step > 0) != is_most)
    return course->first;
  return strata_dim_add(course->first, strata_dim_times(strata_dim_plus(course->count, -1), course->step));
}

// Places that a loop's iterations count through, as many elements in each and always inside: the start is a size that
// is never clamped.
static bool slice_in_loop(onnx_node_t *n, int64_t index, strata_dim_t *size, strata_dim_t *out_start) {
  onnx_number_t start, end;
  int64_t count;
  MlirValue first = onnx_element(n, 1, index);
  if (!n->importer->numbers.count || !onnx_find_course(n, first, &start) || !start.loop ||
      !onnx_find_course(n, onnx_element(n, 2, index), &end) || end.loop != start.loop || end.step != start.step ||
      mlirAffineExprIsNull(start.count) || !strata_dim_is_constant(strata_dim_sub(end.first, start.first), &count))
    return false;
  strata_dim_t least = end_of_course(&start, false), most = end_of_course(&start, true);
  if (count < 1 || onnx_dim_range(n, least).min < 0 ||
      onnx_dim_range(n, strata_dim_sub(*size, strata_dim_plus(most, count))).min < 0)
    return false;
  *out_start = onnx_counted_dim(n, first, most, false);
  *size = onnx_dim(n, count);
  return true;
}

void onnx_import_slice(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int64_t n_starts, n_ends, n_axes, n_steps;
  const strata_dim_t *starts = onnx_place_dims(n, "starts", 1, &n_starts);
  const strata_dim_t *ends = onnx_place_dims(n, "ends", 2, &n_ends);
  const int64_t *axes = onnx_ints(n, "axes", 3, &n_axes), *steps = onnx_constant_ints(n, 4, &n_steps);
  if (!onnx_failed(n) &&
      (n_starts != n_ends || (axes && n_axes != n_starts) || (steps && n_steps != n_starts) || n_starts > shape.rank))
    onnx_invalid(n, "starts, ends, axes and steps differ in number");
  strata_dim_t first[STRATA_MAX_RANK];
  int64_t step[STRATA_MAX_RANK];
  int list[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    first[i] = onnx_dim(n, 0);
    step[i] = 1;
    list[i] = i;
  }
  if (axes && !onnx_failed(n))
    onnx_axis_list(n, axes, n_starts, shape.rank, list);
  for (int64_t i = 0; i < n_starts && !onnx_failed(n); i++) {
    int axis = list[i];
    int64_t by = steps ? steps[i] : 1, count;
    if (by == 0)
      onnx_invalid(n, "steps: a step is 0");
    if (onnx_failed(n))
      return;
    bool is_known = !mlirAffineExprIsNull(starts[i]) && !mlirAffineExprIsNull(ends[i]);
    strata_dim_t size = shape.dims[axis];
    if (!is_known && by < 0)
      onnx_unsupported(n, "places that depend on data, backwards");
    if (is_known || by != 1 || !slice_in_loop(n, i, &shape.dims[axis], &first[axis])) {
      strata_dim_t start = place_of(n, 1, i, starts[i], size), end = place_of(n, 2, i, ends[i], size);
      if (onnx_failed(n))
        return;
      slice_axis(n, &shape.dims[axis], start, end, by, &first[axis]);
      if (!is_known && !onnx_failed(n))
        bound_by_distance(n, i, by, &shape.dims[axis]);
    }
    step[axis] = strata_dim_is_constant(shape.dims[axis], &count) && count <= 1 ? 1 : by;
  }
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_slice_dims(n->b, x, first, step, shape.dims), 0);
}
