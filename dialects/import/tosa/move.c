// Operations of TOSA that move elements, and of sizes.
#include "dialects/import/tosa/tosa.h"

static int64_t axis_of(tir_op_t *o) {
  int64_t axis = tir_int(o, "axis", -1);
  int rank = tir_in_type(o, 0).rank;
  if (axis >= 0 && axis < rank)
    return axis;
  tir_refuse(o, "axis: expected 0 to %d", rank - 1);
  return -1;
}

static void concat(tir_op_t *o, int axis) {
  int count = tir_n_operands(o);
  const char **values = strata_arena_array(o->importer->compile->arena, const char *, count + 1);
  for (int i = 0; i < count; i++)
    values[i] = tir_in(o, i);
  if (count == 0)
    tir_refuse(o, "no operands");
  else
    tir_set(o, 0, tir_concat(o, axis, count, values));
}

void tosa_read_concat(tir_op_t *o) {
  int64_t axis = axis_of(o);
  if (axis >= 0)
    concat(o, (int)axis);
}

void tosa_read_concat_shape(tir_op_t *o) { concat(o, 0); }

void tosa_read_dim(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t axis = axis_of(o);
  if (axis >= 0)
    tir_set(o, 0, tir_size(o, tir_in(o, 0), &type, (int)axis));
}

// Sizes are not negative: rounded up is the same of what is one less than the divisor more.
void tosa_read_div_shape(tir_op_t *o) {
  const char *a = tir_in(o, 0), *b = tir_in(o, 1);
  if (!strcmp(o->info->op, "ceil"))
    a = tir_binary(o, "Add", a, tir_binary(o, "Sub", b, graph_int(o->g, 1)));
  tir_set(o, 0, tir_binary(o, "Div", a, b));
}

void tosa_read_reshape(tir_op_t *o) { tir_set(o, 0, tir_reshape(o, tir_in(o, 0), tir_in(o, 1))); }

void tosa_read_tile(tir_op_t *o) { tir_set(o, 0, tir_binary(o, "Tile", tir_in(o, 0), tir_in(o, 1))); }

void tosa_read_transpose(tir_op_t *o) {
  int rank = tir_in_type(o, 0).rank;
  int64_t permutation[TIR_MAX_RANK];
  if (tir_ints(o, "perms", rank, -1, permutation))
    tir_set(o, 0, tir_transpose(o, tir_in(o, 0), rank, permutation));
  else
    tir_refuse(o, "perms: expected %d dims", rank);
}

void tosa_read_reverse(tir_op_t *o) {
  int64_t axis = axis_of(o);
  if (axis >= 0)
    tir_set(o, 0, tir_slice_axis(o, tir_in(o, 0), (int)axis, -1, INT64_MIN, -1));
}

// A size of -1 is all that there is.
void tosa_read_slice(tir_op_t *o) {
  int rank = tir_in_type(o, 0).rank, n_starts, n_sizes;
  int64_t starts[TIR_MAX_RANK], sizes[TIR_MAX_RANK], axes[TIR_MAX_RANK];
  bool is_known = tir_constant_ints(tir_value(o, 1), TIR_MAX_RANK, starts, &n_starts) &&
                  tir_constant_ints(tir_value(o, 2), TIR_MAX_RANK, sizes, &n_sizes) && n_starts == rank &&
                  n_sizes == rank;
  for (int i = 0; i < rank; i++) {
    axes[i] = i;
    if (is_known)
      sizes[i] = sizes[i] < 0 || starts[i] > INT64_MAX - sizes[i] ? INT64_MAX : starts[i] + sizes[i];
  }
  const char *first = tir_cast(o, tir_in(o, 1), STRATA_DTYPE_I64);
  const char *end = is_known ? graph_ints(o->g, rank, sizes)
                             : tir_binary(o, "Add", first, tir_cast(o, tir_in(o, 2), STRATA_DTYPE_I64));
  if (is_known)
    first = graph_ints(o->g, rank, starts);
  tir_set(o, 0, graph_op(o->g, "Slice", GRAPH_VALUES(tir_in(o, 0), first, end, graph_ints(o->g, rank, axes))));
}

// Paddings of each dim, before and after it in turn.
void tosa_read_pad(tir_op_t *o) {
  int rank = tir_in_type(o, 0).rank;
  int64_t pairs[2] = {rank, 2}, swap[2] = {1, 0}, all = 2 * rank;
  const char *pads = tir_transpose(o, tir_reshape_static(o, tir_in(o, 1), 2, pairs), 2, swap);
  int64_t known[2 * TIR_MAX_RANK], ordered[2 * TIR_MAX_RANK];
  int count;
  pads = tir_reshape_static(o, pads, 1, &all);
  if (tir_constant_ints(tir_value(o, 1), 2 * TIR_MAX_RANK, known, &count) && count == 2 * rank) {
    for (int i = 0; i < count; i++)
      ordered[i] = known[i % rank * 2 + i / rank];
    pads = graph_ints(o->g, count, ordered);
  }
  const char *value = tir_reshape_static(o, tir_in(o, 2), 0, NULL);
  tir_set(o, 0, graph_op(o->g, "Pad", GRAPH_VALUES(tir_in(o, 0), pads, value)));
}

//===-- By index -------------------------------------------------------------------------------------------------===//

// [N, K, C] at [N, W]
void tosa_read_gather(tir_op_t *o) {
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(tir_in(o, 0), tir_in(o, 1)));
  graph_set_int(node, "axis", 1);
  graph_set_int(node, "batch_dims", 1);
  tir_set(o, 0, graph_result(node, NULL));
}

// Rows of all of the batch in one.
void tosa_read_scatter(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  const char *sizes[3], *x = tir_in(o, 0);
  int64_t minus_one = -1;
  if (type.rank != 3 || tir_n_operands(o) != 3) {
    tir_refuse(o, "expected values of three dims, indices and updates");
    return;
  }
  for (int i = 0; i < 3; i++)
    sizes[i] = tir_size(o, x, &type, i);
  const char *rows[2] = {graph_ints(o->g, 1, &minus_one), sizes[2]}, *flat = tir_concat(o, 0, 2, rows);
  const char *first = tir_binary(o, "Mul", tir_counting_along(o, sizes[0], 0, 2), tir_scalar(o, sizes[1]));
  const char *index = tir_binary(o, "Add", tir_cast(o, tir_in(o, 1), STRATA_DTYPE_I64), first);
  index = tir_reshape_static(o, index, 1, &minus_one);
  graph_node_t *node = graph_node(o->g, "strata.Scatter",
                                  GRAPH_VALUES(tir_reshape(o, x, flat), index, tir_reshape(o, tir_in(o, 2), flat)));
  graph_set_string(node, "kind", "none");
  tir_set(o, 0, tir_reshape(o, graph_result(node, NULL), tir_concat(o, 0, 3, sizes)));
}

//===-- Resizing -------------------------------------------------------------------------------------------------===//

typedef struct {
  int64_t numerator, denominator, offset, in, out;
} axis_t;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t inside(int64_t place, int64_t size) { return place < 0 ? 0 : place >= size ? size - 1 : place; }

// The sizes of a resize: scales are numerator and denominator of height, then width.
static bool read_resize(tir_op_t *o, axis_t axes[2]) {
  int64_t scale[4], offset[2];
  int n_scale, n_offset;
  tir_type_t in = tir_in_type(o, 0), out = tir_out_type(o, 0);
  if (in.rank != 4 || out.rank != 4 || !tir_constant_ints(tir_value(o, 1), 4, scale, &n_scale) || n_scale != 4 ||
      !tir_constant_ints(tir_value(o, 2), 2, offset, &n_offset) || n_offset != 2)
    return false;
  for (int i = 0; i < 2; i++) {
    axes[i] = (axis_t){scale[2 * i], scale[2 * i + 1], offset[i], in.dims[1 + i], out.dims[1 + i]};
    if (axes[i].numerator < 1 || axes[i].denominator < 1 || axes[i].numerator > 1 << 20 ||
        axes[i].denominator > 1 << 20 || offset[i] > 1 << 30 || offset[i] < -(1 << 30) || axes[i].in < 1 ||
        axes[i].out < 1 || axes[i].out > 1 << 20)
      return false;
  }
  return true;
}

static const char *gathered(tir_op_t *o, const char *x, int axis, int64_t count, const int64_t *places) {
  graph_node_t *node = graph_node(o->g, "Gather", GRAPH_VALUES(x, graph_ints(o->g, (int)count, places)));
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

static const char *nearest(tir_op_t *o, const char *x, int axis, const axis_t *a) {
  int64_t *places = strata_arena_array(o->importer->compile->arena, int64_t, (size_t)a->out);
  for (int64_t i = 0; i < a->out; i++) {
    int64_t at = i * a->denominator + a->offset, place = floor_div(at, a->numerator), rest = at - place * a->numerator;
    places[i] = inside(2 * rest >= a->numerator ? place + 1 : place, a->in);
  }
  return gathered(o, x, axis, a->out, places);
}

// Of integers times the numerator of the scale.
static const char *linear(tir_op_t *o, const char *x, int axis, const axis_t *a, strata_dtype_t dtype) {
  strata_arena_t *arena = o->importer->compile->arena;
  int64_t *places[2], shape[4] = {1, 1, 1, 1};
  bool is_float = tosa_is_float(dtype);
  for (int side = 0; side < 2; side++)
    places[side] = strata_arena_array(arena, int64_t, (size_t)a->out);
  int64_t *rests = strata_arena_array(arena, int64_t, (size_t)a->out);
  for (int64_t i = 0; i < a->out; i++) {
    int64_t at = i * a->denominator + a->offset, place = floor_div(at, a->numerator);
    rests[i] = at - place * a->numerator;
    for (int side = 0; side < 2; side++)
      places[side][i] = inside(place + side, a->in);
  }
  shape[axis] = a->out;
  const char *one = tir_cast(o, graph_int(o->g, a->numerator), dtype);
  const char *weight = tir_reshape_static(o, tir_cast(o, graph_ints(o->g, (int)a->out, rests), dtype), 4, shape);
  if (is_float) {
    weight = tir_binary(o, "Div", weight, one);
    one = tir_number(o, dtype, 1);
  }
  const char *low = tir_binary(o, "Mul", gathered(o, x, axis, a->out, places[0]), tir_binary(o, "Sub", one, weight));
  return tir_binary(o, "Add", low, tir_binary(o, "Mul", gathered(o, x, axis, a->out, places[1]), weight));
}

void tosa_read_resize(tir_op_t *o) {
  axis_t axes[2];
  strata_dtype_t dtype = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  bool is_linear = tosa_says(o, "mode", "BILINEAR");
  const char *x = tir_in(o, 0);
  if (!read_resize(o, axes)) {
    tir_refuse(o, "sizes or scales that are not known, or out of range");
    return;
  }
  if (is_linear && dtype != to)
    x = tir_cast(o, x, to);
  for (int i = 0; i < 2; i++)
    x = is_linear ? linear(o, x, 1 + i, &axes[i], to) : nearest(o, x, 1 + i, &axes[i]);
  tir_set(o, 0, x);
}

//===-- Control --------------------------------------------------------------------------------------------------===//

enum { MAX_STATES = 64 };

static const char *scalar_in(tir_op_t *o, int i) {
  return tir_in_type(o, i).rank ? tir_reshape_static(o, tir_in(o, i), 0, NULL) : tir_in(o, i);
}

static bool read_operands(tir_op_t *o, int first, const char **out) {
  int n = tir_n_operands(o) - first;
  if (n < 0 || n > MAX_STATES) {
    tir_refuse(o, "more than %d operands", MAX_STATES);
    return false;
  }
  for (int i = 0; i < n; i++)
    out[i] = tir_in(o, first + i);
  return true;
}

void tosa_read_cond_if(tir_op_t *o) {
  const char *arguments[MAX_STATES];
  if (!read_operands(o, 1, arguments))
    return;
  for (int i = 0; i < 2; i++)
    if (mlirBlockIsNull(tir_region(o, i)) || mlirBlockGetNumArguments(tir_region(o, i)) > tir_n_operands(o) - 1) {
      tir_refuse(o, "expected two branches that get the operands");
      return;
    }
  tir_branch(o, scalar_in(o, 0), arguments);
}

void tosa_read_while_loop(tir_op_t *o) {
  const char *first[MAX_STATES];
  tir_while_t w = {.n = tir_n_operands(o), .condition = tir_region(o, 0), .body = tir_region(o, 1)};
  if (!read_operands(o, 0, first))
    return;
  bool is_loop = tir_n_returned(w.condition) == 1 && !mlirBlockIsNull(w.body) &&
                 mlirBlockGetNumArguments(w.condition) == w.n && mlirBlockGetNumArguments(w.body) == w.n;
  w.outcome = tir_returned(w.condition, 0);
  if (is_loop)
    tir_loop_while(o, &w, first);
  else
    tir_refuse(o, "expected a condition and a body that get the operands");
}
