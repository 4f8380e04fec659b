// Operations that make, move and cut tensors.
#include "dialects/import/stablehlo/stablehlo.h"

#include <mlir-c/BuiltinAttributes.h>

//===-- Numbers --------------------------------------------------------------------------------------------------===//

// The number of each place along one axis, converted.
void hlo_read_iota(tir_op_t *o) {
  tir_type_t type = tir_out_type(o, 0);
  int64_t axis = tir_int(o, "iota_dimension", 0), ones[TIR_MAX_RANK];
  if (type.dtype == STRATA_DTYPE_NONE || axis < 0 || axis >= type.rank) {
    tir_refuse(o, "a result of this type, or an axis that it does not have");
    return;
  }
  const char *sizes =
      tir_n_operands(o) ? tir_cast(o, tir_in(o, 0), STRATA_DTYPE_I64) : graph_ints(o->g, type.rank, type.dims);
  const char *size =
      type.dims[axis] >= 0 ? graph_ints(o->g, 1, &type.dims[axis]) : tir_slice_axis(o, sizes, 0, axis, axis + 1, 1);
  const char *numbers = tir_cast(o, tir_counting(o, size), type.dtype);
  for (int i = 0; i < type.rank; i++)
    ones[i] = i == axis ? -1 : 1;
  if (type.rank > 1)
    numbers = graph_op(o->g, "Expand", GRAPH_VALUES(tir_reshape_static(o, numbers, type.rank, ones), sizes));
  tir_set(o, 0, numbers);
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

void hlo_read_get_dimension_size(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t axis = tir_int(o, "dimension", 0), first = 0;
  if (axis < 0 || axis >= type.rank)
    tir_refuse(o, "dimension: expected 0 to %d, got %lld", type.rank - 1, (long long)axis);
  else
    tir_set(o, 0,
            tir_cast(o, graph_squeeze(o->g, tir_size(o, tir_in(o, 0), &type, (int)axis), 1, &first), STRATA_DTYPE_I32));
}

void hlo_read_reshape(tir_op_t *o) {
  tir_type_t type = tir_out_type(o, 0);
  const char *sizes =
      tir_n_operands(o) > 1 ? tir_cast(o, tir_in(o, 1), STRATA_DTYPE_I64) : graph_ints(o->g, type.rank, type.dims);
  tir_set(o, 0, tir_reshape(o, tir_in(o, 0), sizes));
}

// Dim i of the operand is dim places[i] of the result, in whose other dims it is repeated.
void hlo_read_broadcast(tir_op_t *o) {
  tir_type_t from = tir_in_type(o, 0), to = tir_out_type(o, 0);
  int64_t places[TIR_MAX_RANK], permutation[TIR_MAX_RANK], added[TIR_MAX_RANK];
  int n_added = 0, n_placed = 0;
  if (!tir_ints(o, "broadcast_dimensions", from.rank, 0, places)) {
    tir_refuse(o, "broadcast_dimensions: expected %d", from.rank);
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
    tir_refuse(o, "broadcast_dimensions: expected dims of the result, each at most once");
    return;
  }
  const char *x = tir_transpose(o, tir_in(o, 0), from.rank, permutation);
  x = n_added ? graph_unsqueeze(o->g, x, n_added, added) : x;
  bool is_same = n_added == 0 && tir_n_operands(o) == 1;
  for (int i = 0; i < from.rank && is_same; i++)
    is_same = from.dims[i] == to.dims[places[i]];
  const char *sizes =
      tir_n_operands(o) > 1 ? tir_cast(o, tir_in(o, 1), STRATA_DTYPE_I64) : graph_ints(o->g, to.rank, to.dims);
  tir_set(o, 0, is_same ? x : graph_op(o->g, "Expand", GRAPH_VALUES(x, sizes)));
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

void hlo_read_transpose(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t permutation[TIR_MAX_RANK];
  if (tir_ints(o, "permutation", type.rank, 0, permutation))
    tir_set(o, 0, tir_transpose(o, tir_in(o, 0), type.rank, permutation));
  else
    tir_refuse(o, "permutation: expected %d dims", type.rank);
}

void hlo_read_concatenate(tir_op_t *o) {
  int count = tir_n_operands(o);
  const char **values = strata_arena_array(o->importer->compile->arena, const char *, count);
  for (int i = 0; i < count; i++)
    values[i] = tir_in(o, i);
  tir_set(o, 0, tir_concat(o, (int)tir_int(o, "dimension", 0), count, values));
}

void hlo_read_slice(tir_op_t *o) {
  int rank = tir_in_type(o, 0).rank;
  int64_t starts[TIR_MAX_RANK], limits[TIR_MAX_RANK], steps[TIR_MAX_RANK];
  if (tir_ints(o, "start_indices", rank, 0, starts) && tir_ints(o, "limit_indices", rank, 0, limits) &&
      tir_ints(o, "strides", rank, 1, steps))
    tir_set(o, 0, tir_slice(o, tir_in(o, 0), rank, starts, limits, steps));
  else
    tir_refuse(o, "expected starts, limits and strides of %d dims", rank);
}

void hlo_read_reverse(tir_op_t *o) {
  int64_t axes[TIR_MAX_RANK], starts[TIR_MAX_RANK], limits[TIR_MAX_RANK], steps[TIR_MAX_RANK];
  int count = tir_int_list(o, "dimensions", TIR_MAX_RANK, axes);
  for (int i = 0; i < count; i++)
    starts[i] = -1, limits[i] = INT64_MIN, steps[i] = -1;
  if (count < 0)
    tir_refuse(o, "dimensions: expected at most %d", TIR_MAX_RANK);
  else if (count == 0)
    tir_set(o, 0, tir_in(o, 0));
  else
    tir_set(o, 0,
            graph_op(o->g, "Slice",
                     GRAPH_VALUES(tir_in(o, 0), graph_ints(o->g, count, starts), graph_ints(o->g, count, limits),
                                  graph_ints(o->g, count, axes), graph_ints(o->g, count, steps))));
}

//===-- Padding --------------------------------------------------------------------------------------------------===//

// |count| elements of |value| between each two of |axis|: rows of one element and the padding, without the last one's.
static const char *spread(tir_op_t *o, const char *x, tir_type_t *type, int axis, int64_t count, const char *value) {
  int64_t place = axis + 1, pads[2 * (TIR_MAX_RANK + 1)] = {0};
  const char *parts[TIR_MAX_RANK], *wider = graph_ints(o->g, 1, (int64_t[]){count + 1});
  pads[2 * (type->rank + 1) - (type->rank - axis)] = count;
  for (int i = 0; i < type->rank; i++) {
    parts[i] = tir_size(o, x, type, i);
    parts[i] = i == axis ? graph_op(o->g, "Mul", GRAPH_VALUES(parts[i], wider)) : parts[i];
  }
  const char *sizes = tir_concat(o, 0, type->rank, parts);
  x = graph_op(o->g, "Pad",
               GRAPH_VALUES(graph_unsqueeze(o->g, x, 1, &place), graph_ints(o->g, 2 * (type->rank + 1), pads), value));
  x = tir_slice_axis(o, tir_reshape(o, x, sizes), axis, 0, -count, 1);
  type->dims[axis] = type->dims[axis] < 0 ? -1 : type->dims[axis] * (count + 1) - count;
  return x;
}

static bool is_zero(int count, const int64_t *list) {
  for (int i = 0; i < count; i++)
    if (list[i])
      return false;
  return true;
}

void hlo_read_pad(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t pads[2 * TIR_MAX_RANK], between[TIR_MAX_RANK];
  if (!tir_ints(o, "edge_padding_low", type.rank, 0, pads) ||
      !tir_ints(o, "edge_padding_high", type.rank, 0, pads + type.rank) ||
      !tir_ints(o, "interior_padding", type.rank, 0, between)) {
    tir_refuse(o, "expected paddings of %d dims", type.rank);
    return;
  }
  const char *x = tir_in(o, 0);
  for (int i = 0; i < type.rank; i++)
    if (between[i] > 0)
      x = spread(o, x, &type, i, between[i], tir_in(o, 1));
  if (!is_zero(2 * type.rank, pads))
    x = graph_op(o->g, "Pad", GRAPH_VALUES(x, graph_ints(o->g, 2 * type.rank, pads), tir_in(o, 1)));
  tir_set(o, 0, x);
}

void hlo_read_dynamic_pad(tir_op_t *o) {
  int64_t between[TIR_MAX_RANK];
  int count;
  if (!tir_constant_ints(tir_value(o, 4), TIR_MAX_RANK, between, &count) || !is_zero(count, between)) {
    tir_refuse(o, "padding between elements whose amount is not a constant 0");
    return;
  }
  const char *pads[2] = {tir_cast(o, tir_in(o, 2), STRATA_DTYPE_I64), tir_cast(o, tir_in(o, 3), STRATA_DTYPE_I64)};
  tir_set(o, 0, graph_op(o->g, "Pad", GRAPH_VALUES(tir_in(o, 0), tir_concat(o, 0, 2, pads), tir_in(o, 1))));
}
