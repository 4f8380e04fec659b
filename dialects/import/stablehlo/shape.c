// Operations that make, move and cut tensors.
#include "dialects/import/stablehlo/stablehlo.h"

#include <mlir-c/BuiltinAttributes.h>

//===-- Constants ------------------------------------------------------------------------------------------------===//

// MLIR has the elements as we do, but those of booleans and of less than a byte, and one for all that are the same.
static void *constant_bytes(hlo_op_t *o, MlirAttribute elements, strata_dtype_t dtype, int64_t count, size_t size) {
  const void *raw = mlirDenseElementsAttrGetRawData(elements);
  bool is_splat = mlirDenseElementsAttrIsSplat(elements), is_boolean = dtype == STRATA_DTYPE_BOOL;
  if (!is_splat && !is_boolean && strata_dtype_info[dtype].bits >= 8)
    return (void *)(uintptr_t)raw;
  uint8_t *bytes = strata_arena_alloc(o->importer->compile->arena, size ? size : 1);
  for (int64_t i = 0; i < count; i++) {
    double value = is_boolean ? mlirDenseElementsAttrGetBoolValue(elements, i)
                              : strata_dtype_load(STRATA_DTYPE_I8, raw, is_splat ? 0 : (size_t)i);
    if (strata_dtype_info[dtype].bits < 8 || is_boolean)
      strata_dtype_store(dtype, bytes, (size_t)i, value);
    else
      memcpy(bytes + (size_t)i * (size / (size_t)count), raw, size / (size_t)count);
  }
  return bytes;
}

// One number everywhere: a scalar that is repeated.
static const char *repeated(hlo_op_t *o, MlirAttribute elements, const hlo_type_t *type) {
  strata_tensor_t tensor = {.dtype = type->dtype};
  strata_dtype_size(type->dtype, 1, &tensor.size);
  tensor.data = constant_bytes(o, elements, type->dtype, 1, tensor.size);
  const char *scalar = graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor);
  return graph_op(o->g, "Expand", GRAPH_VALUES(scalar, graph_ints(o->g, type->rank, type->dims)));
}

void hlo_read_constant(hlo_op_t *o) {
  MlirAttribute elements = strata_attr(o->op, "value");
  hlo_type_t type = hlo_out_type(o, 0);
  strata_tensor_t tensor = {.dtype = type.dtype, .rank = type.rank};
  memcpy(tensor.shape, type.dims, sizeof type.dims);
  if (type.dtype == STRATA_DTYPE_NONE || mlirAttributeIsNull(elements) || !mlirAttributeIsADenseElements(elements)) {
    hlo_refuse(o, "a constant of this type or form: expected dense elements of numbers");
    return;
  }
  int64_t count = strata_tensor_count(&tensor);
  if (count > 1 && mlirDenseElementsAttrIsSplat(elements)) {
    hlo_set(o, 0, repeated(o, elements, &type));
    return;
  }
  strata_dtype_size(type.dtype, count, &tensor.size);
  tensor.data = constant_bytes(o, elements, type.dtype, count, tensor.size);
  hlo_set(o, 0, graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor));
}

// The number of each place along one axis, converted.
void hlo_read_iota(hlo_op_t *o) {
  hlo_type_t type = hlo_out_type(o, 0);
  int64_t axis = hlo_int(o, "iota_dimension", 0), ones[HLO_MAX_RANK];
  if (type.dtype == STRATA_DTYPE_NONE || axis < 0 || axis >= type.rank) {
    hlo_refuse(o, "a result of this type, or an axis that it does not have");
    return;
  }
  const char *sizes =
      hlo_n_operands(o) ? hlo_cast(o, hlo_in(o, 0), STRATA_DTYPE_I64) : graph_ints(o->g, type.rank, type.dims);
  const char *size =
      type.dims[axis] >= 0 ? graph_ints(o->g, 1, &type.dims[axis]) : hlo_slice_axis(o, sizes, 0, axis, axis + 1, 1);
  const char *numbers = hlo_cast(o, hlo_counting(o, size), type.dtype);
  for (int i = 0; i < type.rank; i++)
    ones[i] = i == axis ? -1 : 1;
  if (type.rank > 1)
    numbers = graph_op(o->g, "Expand", GRAPH_VALUES(hlo_reshape_static(o, numbers, type.rank, ones), sizes));
  hlo_set(o, 0, numbers);
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

void hlo_read_get_dimension_size(hlo_op_t *o) {
  hlo_type_t type = hlo_in_type(o, 0);
  int64_t axis = hlo_int(o, "dimension", 0), first = 0;
  if (axis < 0 || axis >= type.rank)
    hlo_refuse(o, "dimension: expected 0 to %d, got %lld", type.rank - 1, (long long)axis);
  else
    hlo_set(o, 0,
            hlo_cast(o, graph_squeeze(o->g, hlo_size(o, hlo_in(o, 0), &type, (int)axis), 1, &first), STRATA_DTYPE_I32));
}

void hlo_read_reshape(hlo_op_t *o) {
  hlo_type_t type = hlo_out_type(o, 0);
  const char *sizes =
      hlo_n_operands(o) > 1 ? hlo_cast(o, hlo_in(o, 1), STRATA_DTYPE_I64) : graph_ints(o->g, type.rank, type.dims);
  hlo_set(o, 0, hlo_reshape(o, hlo_in(o, 0), sizes));
}

// Dim i of the operand is dim places[i] of the result, in whose other dims it is repeated.
void hlo_read_broadcast(hlo_op_t *o) {
  hlo_type_t from = hlo_in_type(o, 0), to = hlo_out_type(o, 0);
  int64_t places[HLO_MAX_RANK], permutation[HLO_MAX_RANK], added[HLO_MAX_RANK];
  int n_added = 0, n_placed = 0;
  if (!hlo_ints(o, "broadcast_dimensions", from.rank, 0, places)) {
    hlo_refuse(o, "broadcast_dimensions: expected %d", from.rank);
    return;
  }
  for (int d = 0; d < to.rank; d++) {
    int source = -1;
    for (int i = 0; i < from.rank; i++)
      source = places[i] == d ? i : source;
    if (source < 0)
      added[n_added++] = d;
    else
      permutation[n_placed++] = source;
  }
  if (n_placed != from.rank) {
    hlo_refuse(o, "broadcast_dimensions: expected dims of the result, each at most once");
    return;
  }
  const char *x = hlo_transpose(o, hlo_in(o, 0), from.rank, permutation);
  x = n_added ? graph_unsqueeze(o->g, x, n_added, added) : x;
  bool is_same = n_added == 0 && hlo_n_operands(o) == 1;
  for (int i = 0; i < from.rank && is_same; i++)
    is_same = from.dims[i] == to.dims[places[i]];
  const char *sizes =
      hlo_n_operands(o) > 1 ? hlo_cast(o, hlo_in(o, 1), STRATA_DTYPE_I64) : graph_ints(o->g, to.rank, to.dims);
  hlo_set(o, 0, is_same ? x : graph_op(o->g, "Expand", GRAPH_VALUES(x, sizes)));
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

void hlo_read_transpose(hlo_op_t *o) {
  hlo_type_t type = hlo_in_type(o, 0);
  int64_t permutation[HLO_MAX_RANK];
  if (hlo_ints(o, "permutation", type.rank, 0, permutation))
    hlo_set(o, 0, hlo_transpose(o, hlo_in(o, 0), type.rank, permutation));
  else
    hlo_refuse(o, "permutation: expected %d dims", type.rank);
}

void hlo_read_concatenate(hlo_op_t *o) {
  int count = hlo_n_operands(o);
  const char **values = strata_arena_array(o->importer->compile->arena, const char *, count);
  for (int i = 0; i < count; i++)
    values[i] = hlo_in(o, i);
  hlo_set(o, 0, hlo_concat(o, (int)hlo_int(o, "dimension", 0), count, values));
}

void hlo_read_slice(hlo_op_t *o) {
  int rank = hlo_in_type(o, 0).rank;
  int64_t starts[HLO_MAX_RANK], limits[HLO_MAX_RANK], steps[HLO_MAX_RANK];
  if (hlo_ints(o, "start_indices", rank, 0, starts) && hlo_ints(o, "limit_indices", rank, 0, limits) &&
      hlo_ints(o, "strides", rank, 1, steps))
    hlo_set(o, 0, hlo_slice(o, hlo_in(o, 0), rank, starts, limits, steps));
  else
    hlo_refuse(o, "expected starts, limits and strides of %d dims", rank);
}

void hlo_read_reverse(hlo_op_t *o) {
  int64_t axes[HLO_MAX_RANK], starts[HLO_MAX_RANK], limits[HLO_MAX_RANK], steps[HLO_MAX_RANK];
  int count = hlo_int_list(o, "dimensions", HLO_MAX_RANK, axes);
  for (int i = 0; i < count; i++)
    starts[i] = -1, limits[i] = INT64_MIN, steps[i] = -1;
  if (count < 0)
    hlo_refuse(o, "dimensions: expected at most %d", HLO_MAX_RANK);
  else if (count == 0)
    hlo_set(o, 0, hlo_in(o, 0));
  else
    hlo_set(o, 0,
            graph_op(o->g, "Slice",
                     GRAPH_VALUES(hlo_in(o, 0), graph_ints(o->g, count, starts), graph_ints(o->g, count, limits),
                                  graph_ints(o->g, count, axes), graph_ints(o->g, count, steps))));
}

//===-- Padding --------------------------------------------------------------------------------------------------===//

// |count| elements of |value| between each two of |axis|: rows of one element and the padding, without the last one's.
static const char *spread(hlo_op_t *o, const char *x, hlo_type_t *type, int axis, int64_t count, const char *value) {
  int64_t place = axis + 1, pads[2 * (HLO_MAX_RANK + 1)] = {0};
  const char *parts[HLO_MAX_RANK], *wider = graph_ints(o->g, 1, (int64_t[]){count + 1});
  pads[2 * (type->rank + 1) - (type->rank - axis)] = count;
  for (int i = 0; i < type->rank; i++) {
    parts[i] = hlo_size(o, x, type, i);
    parts[i] = i == axis ? graph_op(o->g, "Mul", GRAPH_VALUES(parts[i], wider)) : parts[i];
  }
  const char *sizes = hlo_concat(o, 0, type->rank, parts);
  x = graph_op(o->g, "Pad",
               GRAPH_VALUES(graph_unsqueeze(o->g, x, 1, &place), graph_ints(o->g, 2 * (type->rank + 1), pads), value));
  x = hlo_slice_axis(o, hlo_reshape(o, x, sizes), axis, 0, -count, 1);
  type->dims[axis] = type->dims[axis] < 0 ? -1 : type->dims[axis] * (count + 1) - count;
  return x;
}

static bool is_zero(int count, const int64_t *list) {
  for (int i = 0; i < count; i++)
    if (list[i])
      return false;
  return true;
}

void hlo_read_pad(hlo_op_t *o) {
  hlo_type_t type = hlo_in_type(o, 0);
  int64_t pads[2 * HLO_MAX_RANK], between[HLO_MAX_RANK];
  if (!hlo_ints(o, "edge_padding_low", type.rank, 0, pads) ||
      !hlo_ints(o, "edge_padding_high", type.rank, 0, pads + type.rank) ||
      !hlo_ints(o, "interior_padding", type.rank, 0, between)) {
    hlo_refuse(o, "expected paddings of %d dims", type.rank);
    return;
  }
  const char *x = hlo_in(o, 0);
  for (int i = 0; i < type.rank; i++)
    if (between[i] > 0)
      x = spread(o, x, &type, i, between[i], hlo_in(o, 1));
  if (!is_zero(2 * type.rank, pads))
    x = graph_op(o->g, "Pad", GRAPH_VALUES(x, graph_ints(o->g, 2 * type.rank, pads), hlo_in(o, 1)));
  hlo_set(o, 0, x);
}

void hlo_read_dynamic_pad(hlo_op_t *o) {
  int64_t between[HLO_MAX_RANK];
  int count;
  if (!hlo_constant_ints(hlo_value(o, 4), HLO_MAX_RANK, between, &count) || !is_zero(count, between)) {
    hlo_refuse(o, "padding between elements whose amount is not a constant 0");
    return;
  }
  const char *pads[2] = {hlo_cast(o, hlo_in(o, 2), STRATA_DTYPE_I64), hlo_cast(o, hlo_in(o, 3), STRATA_DTYPE_I64)};
  hlo_set(o, 0, graph_op(o->g, "Pad", GRAPH_VALUES(hlo_in(o, 0), hlo_concat(o, 0, 2, pads), hlo_in(o, 1))));
}
