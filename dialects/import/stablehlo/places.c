// See places.h.
#include "dialects/import/stablehlo/places.h"

const char *hlo_as_i64(tir_op_t *o, const char *value) { return tir_cast(o, value, STRATA_DTYPE_I64); }

// |index| moved inside, so that |window| elements from there on are in a dim of |size|; both lists of one.
const char *hlo_clamp_index(tir_op_t *o, const char *index, const char *size, const char *window) {
  const char *last = tir_scalar(o, tir_binary(o, "Sub", size, window));
  return tir_binary(o, "Max", tir_binary(o, "Min", index, last), graph_int(o->g, 0));
}

// 0, 1, ... along dim |axis| of |rank|.
//===-- Indices --------------------------------------------------------------------------------------------------===//

bool hlo_indices_of(tir_op_t *o, const char *text, hlo_indices_t *out) {
  *out = (hlo_indices_t){.value = hlo_as_i64(o, tir_in(o, 1)), .type = tir_in_type(o, 1)};
  hlo_field(text, "index_vector_dim", 1, &out->vector);
  if (out->vector < 0 || out->vector > out->type.rank)
    return false;
  for (int i = 0; i < out->type.rank; i++)
    if (i != out->vector)
      out->batch[out->n_batch++] = i;
  return true;
}

// Number |i| of each place, with the batch dims in the order |batch|.
const char *hlo_index(tir_op_t *o, const hlo_indices_t *x, int i, const int64_t *batch) {
  const char *value = x->value;
  int64_t permutation[TIR_MAX_RANK];
  if (x->vector < x->type.rank) {
    value = tir_slice_axis(o, value, (int)x->vector, i, i + 1, 1);
    value = graph_squeeze(o->g, value, 1, &x->vector);
  }
  for (int k = 0; k < x->n_batch; k++)
    permutation[k] = batch[k] - (batch[k] > x->vector);
  return tir_transpose(o, value, x->n_batch, permutation);
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

void hlo_add_place(hlo_places_t *p, int64_t dim, const char *index) {
  int at = p->n++;
  for (; at > 0 && p->dims[at - 1] > dim; at--) {
    p->dims[at] = p->dims[at - 1];
    p->index[at] = p->index[at - 1];
  }
  p->dims[at] = dim;
  p->index[at] = index;
}

// The places' numbers. Those with an index outside are -1, if anybody wants to know.
const char *hlo_linear(tir_op_t *o, const hlo_places_t *p, const char *x, const tir_type_t *type) {
  const char *place = NULL, *is_inside = NULL;
  for (int i = 0; i < p->n; i++) {
    const char *size = tir_scalar(o, tir_size(o, x, type, (int)p->dims[i]));
    place = place ? tir_binary(o, "Add", tir_binary(o, "Mul", place, size), p->index[i]) : p->index[i];
    if (!p->is_checked)
      continue;
    const char *is_low = tir_binary(o, "GreaterOrEqual", p->index[i], graph_int(o->g, 0));
    const char *is_good = tir_binary(o, "And", is_low, tir_binary(o, "Less", p->index[i], size));
    is_inside = is_inside ? tir_binary(o, "And", is_inside, is_good) : is_good;
  }
  return is_inside && p->n > 1 ? graph_op(o->g, "Where", GRAPH_VALUES(is_inside, place, graph_int(o->g, -1))) : place;
}

// The dims of the operand with |first|, then the places', then the others.
int hlo_places_first(const hlo_places_t *p, int n_first, const int64_t *first, int rank, int64_t *out) {
  int n = 0;
  for (int i = 0; i < n_first; i++)
    out[n++] = first[i];
  for (int i = 0; i < p->n; i++)
    out[n++] = p->dims[i];
  for (int d = 0; d < rank; d++)
    if (!tir_holds(n_first, first, d) && !tir_holds(p->n, p->dims, d))
      out[n++] = d;
  return n_first + p->n; // where the others begin
}

// |x|, whose dims are |order|, with those from |from| up to |to| as one.
const char *hlo_merge_dims(tir_op_t *o, const char *x, const tir_type_t *type, const int64_t *order, int from, int to) {
  const char *sizes[TIR_MAX_RANK];
  int n = 0;
  if (to - from == 1)
    return x;
  tir_type_t moved = {.dtype = type->dtype, .rank = type->rank};
  for (int i = 0; i < type->rank; i++)
    moved.dims[i] = type->dims[order[i]];
  for (int i = 0; i < type->rank; i++)
    if (i == from)
      sizes[n++] = graph_ints(o->g, 1, (int64_t[]){-1});
    else if (i < from || i >= to)
      sizes[n++] = tir_size(o, x, &moved, i);
  return tir_reshape(o, x, tir_concat(o, 0, n, sizes));
}
