// Slices, taken and put in.
#include "dialects/import/linalg/linalg.h"
#include "dialects/import/linalg/mixed.h"

typedef struct {
  mixed_t starts, sizes, steps;
} slice_t;

// So that no sum or product of two overflows.
static bool is_small(int64_t value) { return value >= -INT32_MAX && value <= INT32_MAX; }

// The operands from |first| segments on.
static bool read_slice(tir_op_t *o, int first, int rank, slice_t *s) {
  if (!tensor_mixed(o, "static_offsets", tensor_segment(o, first), &s->starts) ||
      !tensor_mixed(o, "static_sizes", tensor_segment(o, first + 1), &s->sizes) ||
      !tensor_mixed(o, "static_strides", tensor_segment(o, first + 2), &s->steps))
    return false;
  bool is_slice = s->starts.n == rank && s->sizes.n == rank && s->steps.n == rank;
  for (int i = 0; i < rank && is_slice; i++)
    is_slice = is_small(s->starts.values[i]) && is_small(s->sizes.values[i]) && is_small(s->steps.values[i]);
  if (is_slice)
    return true;
  tir_refuse(o, "expected an offset, a size and a stride for each dim, none of them out of range");
  return false;
}

// The dims of |sizes| that a tensor of fewer dims, |type|, does not have: each of size 1.
static bool dropped_dims(const mixed_t *sizes, const tir_type_t *type, int64_t *out, int *out_count) {
  int next = 0;
  *out_count = 0;
  for (int i = 0; i < sizes->n; i++) {
    int64_t size = sizes->names[i] ? -1 : sizes->values[i];
    bool is_kept = next < type->rank && (type->dims[next] == size || type->dims[next] < 0 || size < 0) &&
                   (size != 1 || sizes->n - i <= type->rank - next || type->dims[next] == 1);
    if (is_kept)
      next++;
    else if (size == 1)
      out[(*out_count)++] = i;
    else
      return false;
  }
  return next == type->rank;
}

// Whether |value| is computed of sizes and constants alone, so that it is known as soon as these are.
static bool is_of_sizes(MlirValue value, int depth) {
  MlirOperation def = strata_def(value);
  if (depth == 0 || mlirOperationIsNull(def))
    return false;
  if (strata_op_is(def, "tensor.dim") || strata_op_is(def, "arith.constant"))
    return true;
  MlirStringRef name = strata_op_name(def);
  bool is_index =
      name.length > 6 && (!memcmp(name.data, "arith.", 6) || (name.length > 7 && !memcmp(name.data, "affine.", 7)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(def) && is_index; i++)
    is_index = is_of_sizes(mlirOperationGetOperand(def, i), depth - 1);
  return is_index;
}

enum { MAX_DEPTH = 8 }; // of what computes a start

// Whether the start in dim |i| depends on data.
static bool is_data(const slice_t *s, int i) {
  return s->starts.names[i] && !is_of_sizes(s->starts.operands[i], MAX_DEPTH);
}

// Elements start, start + step, ... of |axis|.
static const char *taken(tir_op_t *o, const char *x, const slice_t *s, int axis) {
  const char *places = tir_counting(o, tensor_mixed_item(o, &s->sizes, axis));
  places = tir_binary(o, "Mul", places, tensor_mixed_item(o, &s->steps, axis));
  graph_node_t *node = graph_node(
      o->g, "strata.Gather", GRAPH_VALUES(x, tir_binary(o, "Add", places, tensor_mixed_item(o, &s->starts, axis))));
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

static bool is_known(const slice_t *s, int axis) {
  return !s->starts.names[axis] && !s->sizes.names[axis] && !s->steps.names[axis];
}

// The place behind the last element, a list of one.
static const char *end_of(tir_op_t *o, const slice_t *s, int axis) {
  int64_t size = s->sizes.values[axis], start = s->starts.values[axis];
  int64_t last = size == 0 ? start : start + (size - 1) * s->steps.values[axis] + 1;
  if (is_known(s, axis))
    return graph_ints(o->g, 1, &last);
  const char *length =
      tir_binary(o, "Mul", tensor_mixed_item(o, &s->sizes, axis), tensor_mixed_item(o, &s->steps, axis));
  return tir_binary(o, "Add", tensor_mixed_item(o, &s->starts, axis), length);
}

void tensor_read_extract_slice(tir_op_t *o) {
  slice_t s;
  tir_type_t from = tir_in_type(o, 0), to = tir_out_type(o, 0);
  int64_t dropped[TIR_MAX_RANK];
  int n_dropped;
  if (!read_slice(o, 1, from.rank, &s))
    return;
  if (!dropped_dims(&s.sizes, &to, dropped, &n_dropped)) {
    tir_refuse(o, "sizes that are not those of the result");
    return;
  }
  const char *x = tir_in(o, 0), *starts[TIR_MAX_RANK], *ends[TIR_MAX_RANK], *steps[TIR_MAX_RANK];
  int64_t axes[TIR_MAX_RANK];
  int n = 0;
  for (int i = 0; i < from.rank; i++) {
    bool is_whole =
        is_known(&s, i) && s.starts.values[i] == 0 && s.steps.values[i] == 1 && s.sizes.values[i] == from.dims[i];
    if (is_data(&s, i) || s.steps.names[i]) {
      x = taken(o, x, &s, i);
    } else if (!is_whole) {
      starts[n] = tensor_mixed_item(o, &s.starts, i);
      ends[n] = end_of(o, &s, i);
      steps[n] = tensor_mixed_item(o, &s.steps, i);
      axes[n++] = i;
    }
  }
  if (n > 0)
    x = graph_op(o->g, "Slice",
                 GRAPH_VALUES(x, tir_concat(o, 0, n, starts), tir_concat(o, 0, n, ends), graph_ints(o->g, n, axes),
                              tir_concat(o, 0, n, steps)));
  tir_set(o, 0, n_dropped ? graph_squeeze(o->g, x, n_dropped, dropped) : x);
}

//===-- Putting in -----------------------------------------------------------------------------------------------===//

// The only dim that the slice does not have all of; -1 if there are others, or something is not known.
static int only_axis(const slice_t *s, const tir_type_t *type) {
  int axis = -1;
  for (int i = 0; i < type->rank; i++) {
    if (s->starts.names[i] || s->sizes.names[i] || s->steps.names[i] || s->steps.values[i] != 1 || type->dims[i] < 0)
      return -1;
    if (s->starts.values[i] == 0 && s->sizes.values[i] == type->dims[i])
      continue;
    if (axis >= 0)
      return -1;
    axis = i;
  }
  return axis;
}

enum { MAX_PIECES = 1024 };

// Slices that are put side by side, from the last one of the chain on: all elements are theirs.
static const char *concatenated(tir_op_t *o, int axis, const tir_type_t *type) {
  const char *pieces[MAX_PIECES];
  int64_t end = type->dims[axis];
  int n = 0;
  for (MlirOperation op = o->op; n < MAX_PIECES; n++) {
    tir_op_t part = {.importer = o->importer, .g = o->g, .op = op, .info = o->info};
    slice_t s;
    int own = -1;
    if (!strata_op_is(op, "tensor.insert_slice") || tir_in_type(&part, 0).rank != type->rank ||
        !read_slice(&part, 2, type->rank, &s) || (own = only_axis(&s, type)) != axis ||
        s.starts.values[axis] + s.sizes.values[axis] != end)
      return NULL;
    pieces[MAX_PIECES - 1 - n] = tir_in(&part, 0);
    end = s.starts.values[axis];
    if (end == 0)
      return tir_concat(o, axis, n + 1, pieces + MAX_PIECES - 1 - n);
    op = strata_def(tir_value(&part, 1));
    if (mlirOperationIsNull(op))
      return NULL;
  }
  return NULL;
}

// What lies before the slice, the slice, and what lies behind it.
static const char *beside(tir_op_t *o, const char *source, int axis, const slice_t *s, const tir_type_t *type) {
  int64_t start = s->starts.values[axis], end = start + s->sizes.values[axis];
  const char *pieces[3];
  int n = 0;
  if (start > 0)
    pieces[n++] = tir_slice_axis(o, tir_in(o, 1), axis, 0, start, 1);
  pieces[n++] = source;
  if (end < type->dims[axis])
    pieces[n++] = tir_slice_axis(o, tir_in(o, 1), axis, end, type->dims[axis], 1);
  return tir_concat(o, axis, n, pieces);
}

// Every element of the result: of the slice, where it is one of it.
static const char *selected(tir_op_t *o, const char *source, const slice_t *s, const tir_type_t *type) {
  const char *is_in = NULL, *zero = graph_int(o->g, 0);
  for (int i = 0; i < type->rank; i++) {
    const char *size = tir_scalar(o, tensor_mixed_item(o, &s->sizes, i)), *step = tensor_mixed_item(o, &s->steps, i);
    const char *at = tir_counting(o, tir_size(o, tir_in(o, 1), type, i));
    at = tir_binary(o, "Sub", at, tensor_mixed_item(o, &s->starts, i));
    const char *place = arith_floor_div(o, at, step);
    const char *own =
        tir_binary(o, "And", tir_binary(o, "GreaterOrEqual", place, zero), tir_binary(o, "Less", place, size));
    own = tir_binary(o, "And", own, tir_binary(o, "Equal", tir_binary(o, "Mul", place, step), at));
    graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(source, place));
    graph_set_int(node, "axis", i);
    source = graph_result(node, NULL);
    int64_t shape[TIR_MAX_RANK];
    for (int k = 0; k < type->rank; k++)
      shape[k] = k == i ? -1 : 1;
    own = tir_reshape_static(o, own, type->rank, shape);
    is_in = is_in ? tir_binary(o, "And", is_in, own) : own;
  }
  return is_in ? tir_select(o, is_in, source, tir_in(o, 1)) : source;
}

void tensor_read_insert_slice(tir_op_t *o) {
  slice_t s;
  tir_type_t from = tir_in_type(o, 0), type = tir_in_type(o, 1);
  int64_t dropped[TIR_MAX_RANK];
  int n_dropped;
  if (!read_slice(o, 2, type.rank, &s))
    return;
  if (!dropped_dims(&s.sizes, &from, dropped, &n_dropped)) {
    tir_refuse(o, "sizes that are not those of the slice");
    return;
  }
  const char *source = n_dropped ? graph_unsqueeze(o->g, tir_in(o, 0), n_dropped, dropped) : tir_in(o, 0);
  int axis = only_axis(&s, &type);
  const char *result = axis >= 0 && !n_dropped ? concatenated(o, axis, &type) : NULL;
  if (!result)
    result = axis >= 0 ? beside(o, source, axis, &s, &type) : selected(o, source, &s, &type);
  tir_set(o, 0, result);
}

// One element at indices that are operands.
void tensor_read_insert(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 1);
  if (tir_n_operands(o) != 2 + type.rank) {
    tir_refuse(o, "expected an index for each dim");
    return;
  }
  slice_t s = {.starts = {.n = type.rank}, .sizes = {.n = type.rank}, .steps = {.n = type.rank}};
  int64_t ones[TIR_MAX_RANK];
  for (int i = 0; i < type.rank; i++) {
    s.starts.values[i] = -1;
    s.starts.names[i] = tir_in(o, 2 + i);
    s.sizes.values[i] = s.steps.values[i] = ones[i] = 1;
  }
  tir_set(o, 0, selected(o, tir_reshape_static(o, tir_in(o, 0), type.rank, ones), &s, &type));
}
