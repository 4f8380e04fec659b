// Operators that read or write at places given by a tensor of indices.
#include "dialects/import/onnx/onnx.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"

#include <string.h>

// Indices below 0 count from the end of |size| elements.
static MlirValue wrap(onnx_node_t *n, MlirValue indices, int operand, strata_dim_t size) {
  if (onnx_is_unsigned(n, operand))
    return indices;
  MlirValue negative = onnx_with_number(n, STRATA_OP_LT, indices, 0);
  return onnx_select(n, negative, onnx_with_dim(n, STRATA_OP_ADD, indices, size), indices);
}

// Wrapped indices as i64, for arithmetic on places.
static MlirValue wrapped_i64(onnx_node_t *n, MlirValue indices, int operand, strata_dim_t size) {
  MlirValue wide = onnx_convert(n, indices, onnx_is_unsigned(n, operand), STRATA_TYPE_I64, false);
  return wrap(n, wide, operand, size);
}

static MlirValue scaled(onnx_node_t *n, MlirValue x, strata_dim_t factor) {
  return strata_dim_is(factor, 1) ? x : onnx_with_dim(n, STRATA_OP_MUL, x, factor);
}

// Where every |repeat| neighbouring indices are the same, they are repetitions; a progression is a slice.
static bool is_progression(int64_t count, const int64_t *indices, int64_t repeat) {
  int64_t step = count > repeat ? indices[repeat] - indices[0] : 1;
  for (int64_t i = 0; i < count; i++)
    if (indices[i] != indices[0] + i / repeat * step)
      return false;
  return step != 0;
}

MlirValue onnx_take(onnx_node_t *n, MlirValue x, int axis, int64_t count, const int64_t *indices) {
  int64_t repeat = 1;
  while (repeat < count && indices[repeat] == indices[0])
    repeat++;
  if (count < 1 || count % repeat || !is_progression(count, indices, repeat))
    return strata_build_gather(n->b, x, onnx_ints_constant(n, 1, &count, indices), axis, 0);
  int64_t step = count > repeat ? indices[repeat] - indices[0] : 1;
  x = onnx_slice_axis(n, x, axis, indices[0], step, count / repeat);
  if (repeat == 1)
    return x;
  strata_shape_t shape = onnx_shape(x), wide = onnx_shape(onnx_insert_axis(n, x, axis + 1));
  wide.dims[axis + 1] = onnx_dim(n, repeat);
  x = onnx_broadcast_dims(n, onnx_insert_axis(n, x, axis + 1), wide.rank, wide.dims);
  shape.dims[axis] = onnx_dim(n, count);
  return onnx_reshape_dims(n, x, shape.rank, shape.dims);
}

// There is something to be read, unless nothing is: a loop over what is empty has no iterations.
static void expect_some(onnx_node_t *n, const strata_shape_t *data, int first, int count, MlirValue indices) {
  strata_shape_t index = onnx_shape(indices);
  bool may_be_none = !mlirBlockIsNull(strata_build_open_body(n->b, 0));
  for (int i = 0; i < index.rank; i++)
    may_be_none |= onnx_dim_range(n, index.dims[i]).min <= 0;
  for (int i = first; i < first + count && !may_be_none; i++)
    if (onnx_dim_range(n, data->dims[i]).max > 0 &&
        !onnx_require(n->importer, data->dims[i], onnx_dim(n, 0), 1, INT64_MAX))
      onnx_invalid(n, "dimension %d of size %s has nothing to read", i, onnx_dim_text(n, data->dims[i]));
}

void onnx_import_gather(onnx_node_t *n) {
  MlirValue data = onnx_operand(n, 0), indices = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(data);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  const int64_t *known;
  int64_t count;
  if (onnx_failed(n))
    return;
  // One known element of an axis is a slice, which needs no read by index.
  expect_some(n, &shape, axis, 1, indices);
  int64_t least = onnx_dim_range(n, shape.dims[axis]).min;
  if (onnx_shape(indices).rank == 0 && onnx_known_ints(n, indices, &known, &count) && known[0] >= -least &&
      known[0] < least) {
    strata_dim_t place = known[0] < 0 ? strata_dim_plus(shape.dims[axis], known[0]) : onnx_dim(n, known[0]);
    MlirValue slice = onnx_slice_dims(n, data, axis, place, 1, onnx_dim(n, 1));
    onnx_set_like(n, 0, onnx_remove_axis(n, slice, axis), 0);
    return;
  }
  onnx_set_like(n, 0, strata_build_gather(n->b, data, wrap(n, indices, 1, shape.dims[axis]), axis, 0), 0);
}

// result[i][j] = data[indices[i][j]][j] for axis 0: with the axis last, a gather in which all other dims are batch
// dims.
void onnx_import_gather_elements(onnx_node_t *n) {
  MlirValue data = onnx_operand(n, 0), indices = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(data), result = onnx_shape(indices);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank), last = shape.rank - 1;
  if (!onnx_failed(n) && result.rank != shape.rank)
    onnx_invalid(n, "expected indices of %d dimensions, got %d", shape.rank, result.rank);
  if (onnx_failed(n))
    return;
  for (int i = 0; i < shape.rank; i++) {
    if (i == axis)
      continue;
    if (onnx_dim_range(n, strata_dim_sub(result.dims[i], shape.dims[i])).max > 0 &&
        !onnx_agree(n, result.dims[i], shape.dims[i]))
      onnx_invalid(n, "indices: dimension %d has size %s, expected at most %s", i, onnx_dim_text(n, result.dims[i]),
                   onnx_dim_text(n, shape.dims[i]));
    else
      data = onnx_slice_dims(n, data, i, onnx_dim(n, 0), 1, result.dims[i]);
  }
  expect_some(n, &shape, axis, 1, indices);
  indices = onnx_move_axis(n, wrap(n, indices, 1, shape.dims[axis]), axis, last);
  MlirValue gathered = strata_build_gather(n->b, onnx_move_axis(n, data, axis, last), indices, last, last);
  onnx_set_like(n, 0, onnx_move_axis(n, gathered, last, axis), 0);
}

// The place in row-major order that the tuples along the last axis of |indices| mean; |dims| are those they index.
static MlirValue linear_places(onnx_node_t *n, MlirValue indices, int operand, int count, const strata_dim_t *dims) {
  int last = onnx_shape(indices).rank - 1;
  MlirValue place = {0};
  for (int i = 0; i < count; i++) {
    MlirValue one = onnx_remove_axis(n, onnx_slice_axis(n, indices, last, i, 1, 1), last);
    one = wrapped_i64(n, one, operand, dims[i]);
    place = i ? strata_build_binary(n->b, STRATA_OP_ADD, scaled(n, place, dims[i]), one) : one;
  }
  return place;
}

static strata_dim_t product(onnx_node_t *n, const strata_dim_t *dims, int count) {
  return strata_dim_product(n->b->compile->context, count, dims);
}

// The width of the tuples along the last axis of |index|, 0 after an error: at least 1, at most |most|.
static int tuple_width(onnx_node_t *n, const strata_shape_t *index, int most) {
  int64_t width = 0;
  bool is_number = index->rank > 0 && strata_dim_is_constant(index->dims[index->rank - 1], &width);
  if (!onnx_failed(n) && (!is_number || width < 1 || width > most))
    onnx_invalid(n, "indices: expected tuples of 1 to %d numbers", most);
  return onnx_failed(n) ? 0 : (int)width;
}

void onnx_import_gather_nd(onnx_node_t *n) {
  MlirValue data = onnx_operand(n, 0), indices = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(data), index = onnx_shape(indices);
  int64_t batch = onnx_attr_int(n, "batch_dims", 0);
  if (!onnx_failed(n) && (batch < 0 || batch >= index.rank || index.rank < 1))
    onnx_invalid(n, "indices: expected tuples of 1 to %d numbers", shape.rank - (int)batch);
  int b = (int)batch, width = onnx_failed(n) ? 0 : tuple_width(n, &index, shape.rank - b);
  if (onnx_failed(n))
    return;
  for (int i = 0; i < b; i++)
    onnx_agree(n, shape.dims[i], index.dims[i]);
  expect_some(n, &shape, b, width, indices);
  MlirValue places = linear_places(n, indices, 1, width, shape.dims + b);
  // The indexed dims become one.
  strata_shape_t flat = shape;
  flat.rank = shape.rank - width + 1;
  flat.dims[b] = product(n, shape.dims + b, width);
  memmove(flat.dims + b + 1, shape.dims + b + width, (size_t)(shape.rank - b - width) * sizeof *shape.dims);
  data = onnx_reshape_dims(n, data, flat.rank, flat.dims);
  onnx_set_like(n, 0, strata_build_gather(n->b, data, places, b, b), 0);
}

//===-- Scatter --------------------------------------------------------------------------------------------------===//

// The combiner of the attribute 'reduction', "none" where there is none.
static const char *reduction(onnx_node_t *n) {
  static const char *const names[][3] = {{"none", "none", "none"},
                                         {"add", "add", "add"},
                                         {"mul", "mul", "mul"},
                                         {"max", "max", "max_u"},
                                         {"min", "min", "min_u"}};
  const char *name = onnx_attr_string(n, "reduction", "none");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i][0], name))
      return names[i][onnx_is_unsigned(n, 0) ? 2 : 1];
  onnx_unsupported(n, "reduction '%s'", name);
  return "none";
}

// Of ScatterND: a part of the data, of shape dims[width..], for each of the tuples.
static void expect_updates(onnx_node_t *n, const strata_shape_t *index, int width, const strata_shape_t *data) {
  strata_dim_t dims[STRATA_MAX_RANK];
  int rank = index->rank - 1 + data->rank - width;
  if (!onnx_failed(n) && rank > STRATA_MAX_RANK)
    onnx_unsupported(n, "updates of %d dimensions", rank);
  if (onnx_failed(n))
    return;
  memcpy(dims, index->dims, (size_t)(index->rank - 1) * sizeof *dims);
  memcpy(dims + index->rank - 1, data->dims + width, (size_t)(data->rank - width) * sizeof *dims);
  onnx_expect_shape(n, 2, rank, dims);
}

void onnx_import_scatter_nd(onnx_node_t *n) {
  MlirValue data = onnx_operand(n, 0), indices = onnx_operand(n, 1), updates = onnx_operand(n, 2);
  strata_shape_t shape = onnx_shape(data), index = onnx_shape(indices);
  const char *kind = reduction(n);
  int width = tuple_width(n, &index, shape.rank);
  expect_updates(n, &index, width, &shape);
  if (onnx_failed(n))
    return;
  shape = onnx_shape(data), index = onnx_shape(indices);
  strata_dim_t n_updates = product(n, index.dims, index.rank - 1);
  strata_shape_t flat = {.rank = shape.rank - width + 1, .dims = {product(n, shape.dims, width)}};
  memcpy(flat.dims + 1, shape.dims + width, (size_t)(shape.rank - width) * sizeof *shape.dims);
  MlirValue places = onnx_reshape_dims(n, linear_places(n, indices, 1, width, shape.dims), 1, &n_updates);
  data = onnx_reshape_dims(n, data, flat.rank, flat.dims);
  flat.dims[0] = n_updates;
  updates = onnx_reshape_dims(n, updates, flat.rank, flat.dims);
  MlirValue result = strata_build_scatter(n->b, kind, data, places, updates);
  onnx_set_like(n, 0, onnx_reshape_dims(n, result, shape.rank, shape.dims), 0);
}

// result[indices[i][j]][j] = updates[i][j] for axis 0: a scatter of single elements of the flat tensor.
void onnx_import_scatter_elements(onnx_node_t *n) {
  MlirValue data = onnx_operand(n, 0), indices = onnx_operand(n, 1), updates = onnx_operand(n, 2);
  strata_shape_t shape = onnx_shape(data), index = onnx_shape(indices);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  const char *kind = reduction(n);
  if (!onnx_failed(n) && index.rank != shape.rank)
    onnx_invalid(n, "expected indices of %d dimensions, got %d", shape.rank, index.rank);
  if (!onnx_failed(n))
    onnx_expect_shape(n, 2, index.rank, index.dims);
  if (onnx_failed(n))
    return;
  shape = onnx_shape(data), index = onnx_shape(indices);
  MlirValue place = {0};
  for (int i = 0; i < shape.rank; i++) {
    MlirValue one = i == axis ? wrapped_i64(n, indices, 1, shape.dims[i])
                              : onnx_iota_dims(n, STRATA_TYPE_I64, index.rank, index.dims, i);
    place = i ? strata_build_binary(n->b, STRATA_OP_ADD, scaled(n, place, shape.dims[i]), one) : one;
  }
  strata_dim_t n_elements = product(n, shape.dims, shape.rank), n_updates = product(n, index.dims, index.rank);
  MlirValue result =
      strata_build_scatter(n->b, kind, onnx_reshape_dims(n, data, 1, &n_elements),
                           onnx_reshape_dims(n, place, 1, &n_updates), onnx_reshape_dims(n, updates, 1, &n_updates));
  onnx_set_like(n, 0, onnx_reshape_dims(n, result, shape.rank, shape.dims), 0);
}

//===-- Sequences in reverse -------------------------------------------------------------------------------------===//

// The first sequence_lens[b] steps of each batch entry come in reverse.
void onnx_import_reverse_sequence(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), lengths = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(x);
  int64_t batch_axis = onnx_attr_int(n, "batch_axis", 1), time_axis = onnx_attr_int(n, "time_axis", 0);
  if (!onnx_failed(n) && (shape.rank < 2 || (batch_axis != 0 && batch_axis != 1) || time_axis != (batch_axis == 0)))
    onnx_invalid(n, "expected the axes 0 and 1");
  if (onnx_failed(n))
    return;
  onnx_expect_shape(n, 1, 1, &shape.dims[batch_axis]);
  shape = onnx_shape(x);
  x = onnx_move_axis(n, x, (int)batch_axis, 0);
  strata_dim_t dims[2] = {shape.dims[batch_axis], shape.dims[time_axis]};
  MlirValue step = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1);
  MlirValue length = onnx_broadcast_dims(n, onnx_insert_axis(n, lengths, 1), 2, dims);
  MlirValue mirrored = onnx_with_number(n, STRATA_OP_SUB, onnx_binary(n, STRATA_OP_SUB, length, step), 1);
  MlirValue from = onnx_select(n, onnx_binary(n, STRATA_OP_LT, step, length), mirrored, step);
  onnx_set_like(n, 0, onnx_move_axis(n, strata_build_gather(n->b, x, from, 1, 1), 0, (int)batch_axis), 0);
}
