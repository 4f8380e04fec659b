// Operations that read or write at places given by tensors of indices.
//
// Gathers and scatters of several indexed dims go by one number a place: the indexed dims come first and are one, in
// which a place is the sum of its indices, each times the number of elements that it skips.
#include "dialects/import/stablehlo/stablehlo.h"

static bool holds(int count, const int64_t *list, int64_t item) {
  for (int i = 0; i < count; i++)
    if (list[i] == item)
      return true;
  return false;
}

static const char *scalar(hlo_op_t *o, const char *list_of_one) {
  int64_t axis = 0;
  return graph_squeeze(o->g, list_of_one, 1, &axis);
}

static const char *as_i64(hlo_op_t *o, const char *value) { return hlo_cast(o, value, STRATA_DTYPE_I64); }

static const char *binary(hlo_op_t *o, const char *op, const char *x, const char *y) {
  return graph_op(o->g, op, GRAPH_VALUES(x, y));
}

// |index| moved inside, so that |window| elements from there on are in a dim of |size|; both lists of one.
static const char *clamp(hlo_op_t *o, const char *index, const char *size, const char *window) {
  const char *last = scalar(o, binary(o, "Sub", size, window));
  return binary(o, "Max", binary(o, "Min", index, last), graph_int(o->g, 0));
}

// 0, 1, ... along dim |axis| of |rank|.
static const char *counting_along(hlo_op_t *o, const char *size, int axis, int rank) {
  int64_t shape[2 * HLO_MAX_RANK];
  for (int i = 0; i < rank; i++)
    shape[i] = i == axis ? -1 : 1;
  return hlo_reshape_static(o, hlo_counting(o, size), rank, shape);
}

//===-- Indices --------------------------------------------------------------------------------------------------===//

// The tensor of indices: |n_batch| dims, the places, of which each has a number for each of some dims of the operand.
typedef struct {
  const char *value;
  int n_batch;
  int64_t batch[HLO_MAX_RANK]; // the tensor's dims that they are
  hlo_type_t type;
  int64_t vector; // the dim of a place's numbers; the rank: there is one number a place
} indices_t;

static bool read_indices(hlo_op_t *o, const char *text, indices_t *out) {
  *out = (indices_t){.value = as_i64(o, hlo_in(o, 1)), .type = hlo_in_type(o, 1)};
  hlo_field(text, "index_vector_dim", 1, &out->vector);
  if (out->vector < 0 || out->vector > out->type.rank)
    return false;
  for (int i = 0; i < out->type.rank; i++)
    if (i != out->vector)
      out->batch[out->n_batch++] = i;
  return true;
}

// Number |i| of each place, with the batch dims in the order |batch|.
static const char *component(hlo_op_t *o, const indices_t *x, int i, const int64_t *batch) {
  const char *value = x->value;
  int64_t permutation[HLO_MAX_RANK];
  if (x->vector < x->type.rank) {
    value = hlo_slice_axis(o, value, (int)x->vector, i, i + 1, 1);
    value = graph_squeeze(o->g, value, 1, &x->vector);
  }
  for (int k = 0; k < x->n_batch; k++)
    permutation[k] = batch[k] - (batch[k] > x->vector);
  return hlo_transpose(o, value, x->n_batch, permutation);
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

// What a place is made of: some dims of the operand, in order, with the index in each; all of one shape, or repeated.
typedef struct {
  int n;
  int64_t dims[HLO_MAX_RANK];
  const char *index[HLO_MAX_RANK];
  bool is_checked; // places outside are none
} places_t;

static void add_place(places_t *p, int64_t dim, const char *index) {
  int at = p->n++;
  for (; at > 0 && p->dims[at - 1] > dim; at--) {
    p->dims[at] = p->dims[at - 1];
    p->index[at] = p->index[at - 1];
  }
  p->dims[at] = dim;
  p->index[at] = index;
}

// The places' numbers. Those with an index outside are -1, if anybody wants to know.
static const char *linear(hlo_op_t *o, const places_t *p, const char *x, const hlo_type_t *type) {
  const char *place = NULL, *is_inside = NULL;
  for (int i = 0; i < p->n; i++) {
    const char *size = scalar(o, hlo_size(o, x, type, (int)p->dims[i]));
    place = place ? binary(o, "Add", binary(o, "Mul", place, size), p->index[i]) : p->index[i];
    if (!p->is_checked)
      continue;
    const char *is_low = binary(o, "GreaterOrEqual", p->index[i], graph_int(o->g, 0));
    const char *is_good = binary(o, "And", is_low, binary(o, "Less", p->index[i], size));
    is_inside = is_inside ? binary(o, "And", is_inside, is_good) : is_good;
  }
  return is_inside && p->n > 1 ? graph_op(o->g, "Where", GRAPH_VALUES(is_inside, place, graph_int(o->g, -1))) : place;
}

// The dims of the operand with |first|, then the places', then the others.
static int places_first(const places_t *p, int n_first, const int64_t *first, int rank, int64_t *out) {
  int n = 0;
  for (int i = 0; i < n_first; i++)
    out[n++] = first[i];
  for (int i = 0; i < p->n; i++)
    out[n++] = p->dims[i];
  for (int d = 0; d < rank; d++)
    if (!holds(n_first, first, d) && !holds(p->n, p->dims, d))
      out[n++] = d;
  return n_first + p->n; // where the others begin
}

// |x|, whose dims are |order|, with those from |from| up to |to| as one.
static const char *merge(hlo_op_t *o, const char *x, const hlo_type_t *type, const int64_t *order, int from, int to) {
  const char *sizes[HLO_MAX_RANK];
  int n = 0;
  if (to - from == 1)
    return x;
  hlo_type_t moved = {.dtype = type->dtype, .rank = type->rank};
  for (int i = 0; i < type->rank; i++)
    moved.dims[i] = type->dims[order[i]];
  for (int i = 0; i < type->rank; i++)
    if (i == from)
      sizes[n++] = graph_ints(o->g, 1, (int64_t[]){-1});
    else if (i < from || i >= to)
      sizes[n++] = hlo_size(o, x, &moved, i);
  return hlo_reshape(o, x, hlo_concat(o, 0, n, sizes));
}

//===-- Gather ---------------------------------------------------------------------------------------------------===//

typedef struct {
  hlo_type_t type; // of the operand
  indices_t indices;
  int64_t offset[HLO_MAX_RANK], collapsed[HLO_MAX_RANK], batch[HLO_MAX_RANK], index_batch[HLO_MAX_RANK],
      mapped[HLO_MAX_RANK];
  int n_offset, n_collapsed, n_batch, n_mapped;
  int64_t windows[HLO_MAX_RANK]; // the size of each dim's slice; -1: not known here
} gather_t;

static bool read_gather(hlo_op_t *o, gather_t *g) {
  const char *text = hlo_text(o, "dimension_numbers");
  g->type = hlo_in_type(o, 0);
  g->n_offset = hlo_field(text, "offset_dims", HLO_MAX_RANK, g->offset);
  g->n_collapsed = hlo_field(text, "collapsed_slice_dims", HLO_MAX_RANK, g->collapsed);
  g->n_batch = hlo_field(text, "operand_batching_dims", HLO_MAX_RANK, g->batch);
  g->n_mapped = hlo_field(text, "start_index_map", HLO_MAX_RANK, g->mapped);
  hlo_type_t result = hlo_out_type(o, 0);
  if (hlo_field(text, "start_indices_batching_dims", HLO_MAX_RANK, g->index_batch) != g->n_batch ||
      !read_indices(o, text, &g->indices) || g->n_mapped < 1)
    return false;
  int next = 0;
  for (int d = 0; d < g->type.rank; d++) {
    bool is_one = holds(g->n_collapsed, g->collapsed, d) || holds(g->n_batch, g->batch, d);
    if (!is_one && (next >= g->n_offset || g->offset[next] >= result.rank))
      return false;
    g->windows[d] = is_one ? 1 : result.dims[g->offset[next++]];
  }
  for (int i = 0; i < g->n_mapped; i++)
    if (g->mapped[i] < 0 || g->mapped[i] >= g->type.rank)
      return false;
  return next == g->n_offset && result.rank == g->n_offset + g->indices.n_batch;
}

// The size of a dim's slice, a list of one.
static const char *window(hlo_op_t *o, const gather_t *g, int64_t dim) {
  if (g->windows[dim] >= 0)
    return graph_ints(o->g, 1, &g->windows[dim]);
  return hlo_n_operands(o) > 2 ? hlo_slice_axis(o, as_i64(o, hlo_in(o, 2)), 0, dim, dim + 1, 1)
                               : hlo_size(o, hlo_in(o, 0), &g->type, (int)dim);
}

static bool constant_starts(hlo_op_t *o, const gather_t *g, int64_t *starts) {
  int count;
  double number;
  if (g->indices.n_batch > 0)
    return false;
  if (hlo_constant_ints(hlo_value(o, 1), HLO_MAX_RANK, starts, &count))
    return count == g->n_mapped;
  if (!hlo_constant_number(hlo_value(o, 1), &number))
    return false;
  for (int i = 0; i < g->n_mapped; i++)
    starts[i] = (int64_t)number;
  return true;
}

// One place, which is known: a slice.
static void gather_slice(hlo_op_t *o, const gather_t *g, const int64_t *starts) {
  const char *x = hlo_in(o, 0);
  for (int i = 0; i < g->n_mapped; i++) {
    int64_t dim = g->mapped[i], start = starts[i] > 0 ? starts[i] : 0;
    int64_t last = g->type.dims[dim] >= 0 && g->windows[dim] >= 0 ? g->type.dims[dim] - g->windows[dim] : start;
    start = start < last ? start : last;
    const char *from = graph_ints(o->g, 1, &start);
    x = graph_op(o->g, "Slice",
                 GRAPH_VALUES(x, from, binary(o, "Add", from, window(o, g, dim)), graph_ints(o->g, 1, &dim)));
  }
  for (int d = 0; d < g->type.rank; d++)
    if (!holds(g->n_mapped, g->mapped, d) && g->windows[d] >= 0 && g->windows[d] != g->type.dims[d])
      x = hlo_slice_axis(o, x, d, 0, g->windows[d], 1);
  hlo_set(o, 0, g->n_collapsed ? graph_squeeze(o->g, x, g->n_collapsed, g->collapsed) : x);
}

// The places' dims, the batch dims of both operands first.
static void order_batch(const gather_t *g, int64_t *order) {
  int n = 0;
  for (int i = 0; i < g->n_batch; i++)
    order[n++] = g->index_batch[i];
  for (int i = 0; i < g->indices.n_batch; i++)
    if (!holds(g->n_batch, g->index_batch, g->indices.batch[i]))
      order[n++] = g->indices.batch[i];
}

static bool is_window(const gather_t *g, int64_t dim) { return !holds(g->n_collapsed, g->collapsed, dim); }

// The index of each mapped dim at each place, and in each element of its slice.
static void gather_places(hlo_op_t *o, const gather_t *g, const int64_t *order, places_t *p) {
  int n_windows = 0, next = 0, rank = g->indices.n_batch;
  int64_t axes[HLO_MAX_RANK];
  for (int d = 0; d < g->type.rank; d++)
    if (holds(g->n_mapped, g->mapped, d) && is_window(g, d)) {
      axes[n_windows] = rank + n_windows;
      n_windows++;
    }
  bool is_clamped_anyway = g->n_mapped == 1 && n_windows == 0;
  for (int d = 0; d < g->type.rank; d++)
    for (int i = 0; i < g->n_mapped; i++) {
      if (g->mapped[i] != d)
        continue;
      const char *index = component(o, &g->indices, i, order);
      if (!is_clamped_anyway)
        index = clamp(o, index, hlo_size(o, hlo_in(o, 0), &g->type, d), window(o, g, d));
      index = n_windows ? graph_unsqueeze(o->g, index, n_windows, axes) : index;
      if (is_window(g, d))
        index = binary(o, "Add", index, counting_along(o, window(o, g, d), rank + next++, rank + n_windows));
      add_place(p, d, index);
    }
}

// The dims of the result as they come: of the places, of slices of mapped dims, of the others.
static void gather_result(hlo_op_t *o, const gather_t *g, const int64_t *order, const int64_t *dims, int first_other,
                          const char *x) {
  int64_t now[2 * HLO_MAX_RANK], permutation[2 * HLO_MAX_RANK]; // batch dims as -1 - dim
  int n = 0, next_offset = 0, next_batch = 0, rank = g->n_offset + g->indices.n_batch;
  for (int i = 0; i < g->indices.n_batch; i++)
    now[n++] = -1 - order[i];
  for (int d = 0; d < g->type.rank; d++)
    if (holds(g->n_mapped, g->mapped, d) && is_window(g, d))
      now[n++] = d;
  for (int i = first_other; i < g->type.rank; i++)
    if (is_window(g, dims[i]))
      now[n++] = dims[i];
  int64_t kept[HLO_MAX_RANK];
  int n_kept = 0;
  for (int d = 0; d < g->type.rank; d++)
    if (is_window(g, d) && !holds(g->n_batch, g->batch, d))
      kept[n_kept++] = d;
  for (int i = 0; i < rank; i++) {
    int64_t wanted = holds(g->n_offset, g->offset, i) ? kept[next_offset++] : -1 - g->indices.batch[next_batch++];
    for (int k = 0; k < n; k++)
      permutation[i] = now[k] == wanted ? k : permutation[i];
  }
  hlo_set(o, 0, hlo_transpose(o, x, rank, permutation));
}

void hlo_read_gather(hlo_op_t *o) {
  gather_t g;
  memset(&g, 0, sizeof g);
  int64_t starts[HLO_MAX_RANK], order[HLO_MAX_RANK], dims[HLO_MAX_RANK], squeezed[HLO_MAX_RANK];
  if (!read_gather(o, &g)) {
    hlo_refuse(o, "dimension numbers that are not those of a gather of its operands");
    return;
  }
  if (constant_starts(o, &g, starts)) {
    gather_slice(o, &g, starts);
    return;
  }
  places_t p = {0};
  order_batch(&g, order);
  gather_places(o, &g, order, &p);
  int first_other = places_first(&p, g.n_batch, g.batch, g.type.rank, dims), n_squeezed = 0;
  const char *x = hlo_in(o, 0), *flat = linear(o, &p, x, &g.type);
  x = merge(o, hlo_transpose(o, x, g.type.rank, dims), &g.type, dims, g.n_batch, first_other);
  for (int i = first_other; i < g.type.rank; i++) {
    int64_t at = i - p.n + 1;
    if (g.windows[dims[i]] >= 0 && g.windows[dims[i]] != g.type.dims[dims[i]])
      x = hlo_slice_axis(o, x, (int)at, 0, g.windows[dims[i]], 1);
    if (!is_window(&g, dims[i]))
      squeezed[n_squeezed++] = at;
  }
  x = n_squeezed ? graph_squeeze(o->g, x, n_squeezed, squeezed) : x;
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(x, flat));
  graph_set_int(node, "axis", g.n_batch);
  graph_set_int(node, "batch_dims", g.n_batch);
  gather_result(o, &g, order, dims, first_other, graph_result(node, NULL));
}

//===-- Scatter --------------------------------------------------------------------------------------------------===//

// Stores, or combines, |updates|, whose dims are those of the places, then the operand's others, into the operand.
static const char *scatter(hlo_op_t *o, const char *kind, const places_t *p, const char *updates,
                           const hlo_type_t *type) {
  int64_t dims[HLO_MAX_RANK], back[HLO_MAX_RANK], one = -1;
  const char *x = hlo_in(o, 0), *sizes[HLO_MAX_RANK], *row_sizes[HLO_MAX_RANK + 1];
  int first_other = places_first(p, 0, NULL, type->rank, dims), n_rows = 0;
  const char *rows = hlo_reshape_static(o, linear(o, p, x, type), 1, &one);
  row_sizes[n_rows++] = graph_ints(o->g, 1, &one);
  for (int i = 0; i < type->rank; i++) {
    sizes[i] = hlo_size(o, x, type, (int)dims[i]);
    back[dims[i]] = i;
    if (i >= first_other)
      row_sizes[n_rows++] = sizes[i];
  }
  x = merge(o, hlo_transpose(o, x, type->rank, dims), type, dims, 0, first_other);
  updates = hlo_reshape(o, updates, hlo_concat(o, 0, n_rows, row_sizes));
  graph_node_t *node = graph_node(o->g, "strata.Scatter", GRAPH_VALUES(x, rows, updates));
  graph_set_string(node, "kind", kind);
  x = hlo_reshape(o, graph_result(node, NULL), hlo_concat(o, 0, type->rank, sizes));
  return hlo_transpose(o, x, type->rank, back);
}

typedef struct {
  hlo_type_t type, updates;
  indices_t indices;
  int64_t windows[HLO_MAX_RANK], inserted[HLO_MAX_RANK], batch[HLO_MAX_RANK], index_batch[HLO_MAX_RANK],
      mapped[HLO_MAX_RANK];
  int n_windows, n_inserted, n_batch, n_mapped;
  int64_t window_of[HLO_MAX_RANK]; // the dim of the updates that is that of the operand; -1: none is
} scatter_t;

static bool read_scatter(hlo_op_t *o, scatter_t *s) {
  const char *text = hlo_text(o, "scatter_dimension_numbers");
  s->type = hlo_in_type(o, 0);
  s->updates = hlo_in_type(o, 2);
  s->n_windows = hlo_field(text, "update_window_dims", HLO_MAX_RANK, s->windows);
  s->n_inserted = hlo_field(text, "inserted_window_dims", HLO_MAX_RANK, s->inserted);
  s->n_batch = hlo_field(text, "input_batching_dims", HLO_MAX_RANK, s->batch);
  s->n_mapped = hlo_field(text, "scatter_dims_to_operand_dims", HLO_MAX_RANK, s->mapped);
  if (hlo_field(text, "scatter_indices_batching_dims", HLO_MAX_RANK, s->index_batch) != s->n_batch ||
      !read_indices(o, text, &s->indices) || s->n_mapped + s->n_batch < 1)
    return false;
  int next = 0;
  for (int d = 0; d < s->type.rank; d++) {
    bool is_one = holds(s->n_inserted, s->inserted, d) || holds(s->n_batch, s->batch, d);
    if (!is_one && next >= s->n_windows)
      return false;
    s->window_of[d] = is_one ? -1 : s->windows[next++];
    if (!is_one && (s->window_of[d] < 0 || s->window_of[d] >= s->updates.rank))
      return false;
  }
  return next == s->n_windows && s->updates.rank == s->n_windows + s->indices.n_batch;
}

// Whether a dim has places: an index, or a slice that is shorter than it.
static bool has_places(const scatter_t *s, int64_t dim) {
  if (holds(s->n_mapped, s->mapped, dim) || holds(s->n_batch, s->batch, dim) || s->window_of[dim] < 0)
    return true;
  return s->updates.dims[s->window_of[dim]] != s->type.dims[dim];
}

static const char *index_of(hlo_op_t *o, const scatter_t *s, int64_t dim) {
  for (int i = 0; i < s->n_mapped; i++)
    if (s->mapped[i] == dim)
      return component(o, &s->indices, i, s->indices.batch);
  for (int i = 0; i < s->n_batch; i++)
    for (int k = 0; k < s->indices.n_batch && s->batch[i] == dim; k++)
      if (s->indices.batch[k] == s->index_batch[i])
        return counting_along(o, hlo_size(o, s->indices.value, &s->indices.type, (int)s->index_batch[i]), k,
                              s->indices.n_batch);
  return graph_int(o->g, 0);
}

// The places of the updates' elements, and those in the order of the places: *out_order gets the updates' dims.
static void scatter_places(hlo_op_t *o, const scatter_t *s, places_t *p, int64_t *out_order) {
  int64_t axes[HLO_MAX_RANK];
  const char *index[HLO_MAX_RANK];
  int n_windows = 0, n = 0, rank = s->indices.n_batch;
  for (int d = 0; d < s->updates.rank; d++)
    if (!holds(s->n_windows, s->windows, d))
      out_order[n++] = d;
  for (int d = 0; d < s->type.rank; d++)
    if (has_places(s, d) && s->window_of[d] >= 0) {
      axes[n_windows] = rank + n_windows;
      n_windows++;
      out_order[n++] = s->window_of[d];
    }
  int next = rank;
  for (int d = 0; d < s->type.rank; d++) {
    if (!has_places(s, d)) {
      out_order[n++] = s->window_of[d];
      continue;
    }
    bool is_indexed = holds(s->n_mapped, s->mapped, d) || holds(s->n_batch, s->batch, d);
    index[d] = index_of(o, s, d);
    if (is_indexed && n_windows)
      index[d] = graph_unsqueeze(o->g, index[d], n_windows, axes);
    if (s->window_of[d] >= 0)
      index[d] = binary(o, "Add", index[d],
                        counting_along(o, hlo_size(o, hlo_in(o, 2), &s->updates, (int)s->window_of[d]), next++,
                                       rank + n_windows));
    add_place(p, d, index[d]);
  }
}

static const char *scatter_kind(hlo_op_t *o) {
  MlirBlock body = hlo_region(o, 0);
  if (hlo_n_returned(body) != 1)
    return NULL;
  if (hlo_argument_number(body, hlo_returned(body, 0)) == 1)
    return "none";
  static const char *const kinds[][2] = {{"add", "add"}, {"multiply", "mul"}, {"maximum", "max"}, {"minimum", "min"}};
  const char *name = hlo_combiner(body, 0, 1);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(name, kinds[i][0]))
      return hlo_in_type(o, 0).dtype == STRATA_DTYPE_BOOL ? NULL : kinds[i][1];
  return NULL;
}

// What all places' elements have in common is repeated for each.
static const char *for_each_place(hlo_op_t *o, const scatter_t *s, const char *index, const int64_t *order, int n) {
  const char *sizes[HLO_MAX_RANK];
  for (int i = 0; i < n; i++)
    sizes[i] = hlo_size(o, hlo_in(o, 2), &s->updates, (int)order[i]);
  return n ? graph_op(o->g, "Expand", GRAPH_VALUES(index, hlo_concat(o, 0, n, sizes))) : index;
}

void hlo_read_scatter(hlo_op_t *o) {
  scatter_t s;
  memset(&s, 0, sizeof s);
  int64_t order[HLO_MAX_RANK];
  const char *kind = hlo_n_operands(o) == 3 ? scatter_kind(o) : NULL;
  if (!kind) {
    hlo_refuse(o, "several operands, or a region that neither replaces, adds, multiplies nor takes an extreme");
    return;
  }
  if (!read_scatter(o, &s)) {
    hlo_refuse(o, "dimension numbers that are not those of a scatter of its operands");
    return;
  }
  places_t p = {.is_checked = true};
  scatter_places(o, &s, &p, order);
  int n_places = s.indices.n_batch;
  for (int i = 0; i < p.n; i++)
    n_places += s.window_of[p.dims[i]] >= 0;
  p.index[0] = for_each_place(o, &s, p.index[0], order, n_places);
  const char *updates = hlo_transpose(o, hlo_in(o, 2), s.updates.rank, order);
  hlo_set(o, 0, scatter(o, kind, &p, updates, &s.type));
}

//===-- Slices at places that are not known ----------------------------------------------------------------------===//

static MlirValue behind_reshapes(MlirValue value) {
  for (MlirOperation def = strata_def(value); !mlirOperationIsNull(def) && hlo_op_is(def, "reshape");
       def = strata_def(value))
    value = mlirOperationGetOperand(def, 0);
  return value;
}

// Element |i| of a list that is put together of single ones; null if it is not.
static MlirValue piece(MlirValue list, int i) {
  MlirOperation def = strata_def(list);
  if (mlirOperationIsNull(def) || !hlo_op_is(def, "concatenate") || i >= mlirOperationGetNumOperands(def))
    return (MlirValue){0};
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(def); k++) {
    hlo_type_t type = hlo_type_of(mlirOperationGetOperand(def, k));
    if (type.rank != 1 || type.dims[0] != 1)
      return (MlirValue){0};
  }
  return behind_reshapes(mlirOperationGetOperand(def, i));
}

// Operand |i| of the operation |name| that gives |value|; null if another one does.
static MlirValue operand_of(MlirValue value, const char *name, int i) {
  MlirOperation def = mlirValueIsNull(value) ? (MlirOperation){0} : strata_def(value);
  return !mlirOperationIsNull(def) && hlo_op_is(def, name) && i < mlirOperationGetNumOperands(def)
             ? mlirOperationGetOperand(def, i)
             : (MlirValue){0};
}

// Sizes that vary make a dynamic_slice of JAX a real_dynamic_slice from clamp(0, start, dims - sizes) to that + sizes.
typedef struct {
  MlirValue start, sizes, dims; // lists
} clamped_t;

static bool read_clamped(MlirOperation op, clamped_t *out) {
  MlirValue from = mlirOperationGetOperand(op, 1), limit = mlirOperationGetOperand(op, 2);
  MlirValue least = operand_of(from, "clamp", 0), last = operand_of(from, "clamp", 2);
  double zero;
  if (mlirValueIsNull(least) || !mlirValueEqual(operand_of(limit, "add", 0), from))
    return false;
  MlirValue first = piece(least, 0);
  out->start = operand_of(from, "clamp", 1);
  out->sizes = operand_of(limit, "add", 1);
  out->dims = operand_of(last, "subtract", 0);
  return !mlirValueIsNull(out->dims) && mlirValueEqual(operand_of(last, "subtract", 1), out->sizes) &&
         !mlirValueIsNull(first) && hlo_constant_number(first, &zero) && zero == 0;
}

MlirValue hlo_start(MlirOperation op, int dim) {
  clamped_t clamped;
  if (hlo_op_is(op, "dynamic_slice") && 1 + dim < mlirOperationGetNumOperands(op))
    return mlirOperationGetOperand(op, 1 + dim);
  if (hlo_op_is(op, "real_dynamic_slice") && read_clamped(op, &clamped))
    return piece(clamped.start, dim);
  return (MlirValue){0};
}

bool hlo_is_whole(MlirOperation op, int dim) {
  hlo_type_t part = hlo_type_of(mlirOperationGetResult(op, 0)), all = hlo_type_of(mlirOperationGetOperand(op, 0));
  clamped_t clamped;
  if (all.dims[dim] >= 0 || part.dims[dim] >= 0)
    return all.dims[dim] == part.dims[dim];
  if (!hlo_op_is(op, "real_dynamic_slice") || !read_clamped(op, &clamped))
    return false;
  MlirValue size = piece(clamped.sizes, dim);
  return !mlirValueIsNull(size) && mlirValueEqual(size, piece(clamped.dims, dim));
}

// Slices of |window| elements, a list of one, of one dim from a start on that may be known.
static const char *slice_from(hlo_op_t *o, const char *x, int dim, MlirValue start, const char *window, int64_t size) {
  hlo_type_t type = hlo_in_type(o, 0);
  const char *all = hlo_size(o, hlo_in(o, 0), &type, dim);
  const char *index = as_i64(o, hlo_name(o->importer, start) ? hlo_name(o->importer, start) : "");
  int64_t one = -1;
  index = hlo_type_of(start).rank > 0 ? scalar(o, index) : index;
  if (size == 1)
    index = hlo_reshape_static(o, index, 1, &one);
  else
    index = binary(o, "Add", clamp(o, index, all, window), hlo_counting(o, window));
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(x, index));
  graph_set_int(node, "axis", dim);
  return graph_result(node, NULL);
}

static const char *slice_at(hlo_op_t *o, const char *x, int dim, double start, int64_t size) {
  int64_t last = hlo_in_type(o, 0).dims[dim] - size;
  int64_t from = start < 0 ? 0 : start > (double)last ? last : (int64_t)start;
  return hlo_slice_axis(o, x, dim, from, from + size, 1);
}

// The slice of dims whose size the types say, or a list.
static void read_slice(hlo_op_t *o, const char *sizes) {
  hlo_type_t type = hlo_in_type(o, 0), part = hlo_out_type(o, 0);
  const char *x = hlo_in(o, 0);
  for (int d = 0; d < type.rank; d++) {
    MlirValue start = hlo_start(o->op, d);
    double number;
    if (hlo_is_whole(o->op, d))
      continue;
    if (hlo_constant_number(start, &number) && type.dims[d] >= 0 && part.dims[d] >= 0)
      x = slice_at(o, x, d, number, part.dims[d]);
    else
      x = slice_from(o, x, d, start,
                     part.dims[d] >= 0 ? graph_ints(o->g, 1, &part.dims[d])
                                       : hlo_slice_axis(o, sizes, 0, d, d + 1, 1),
                     part.dims[d]);
  }
  hlo_set(o, 0, x);
}

void hlo_read_dynamic_slice(hlo_op_t *o) {
  int rank = hlo_in_type(o, 0).rank;
  if (hlo_n_operands(o) != 1 + rank || hlo_out_type(o, 0).rank != rank)
    hlo_refuse(o, "expected %d starts", rank);
  else
    read_slice(o, "");
}

void hlo_read_real_dynamic_slice(hlo_op_t *o) {
  int rank = hlo_in_type(o, 0).rank;
  int64_t axes[HLO_MAX_RANK];
  const char *bounds[3];
  clamped_t clamped;
  bool has_starts = hlo_out_type(o, 0).rank == rank && read_clamped(o->op, &clamped);
  for (int i = 0; i < rank; i++) {
    axes[i] = i;
    has_starts = has_starts && !mlirValueIsNull(hlo_start(o->op, i));
  }
  if (has_starts) {
    const char *sizes = hlo_name(o->importer, clamped.sizes);
    read_slice(o, as_i64(o, sizes ? sizes : ""));
    return;
  }
  for (int i = 0; i < 3; i++)
    bounds[i] = as_i64(o, hlo_in(o, 1 + i));
  hlo_set(o, 0, graph_op(o->g, "Slice",
                         GRAPH_VALUES(hlo_in(o, 0), bounds[0], bounds[1], graph_ints(o->g, rank, axes), bounds[2])));
}

void hlo_read_dynamic_update_slice(hlo_op_t *o) {
  hlo_type_t type = hlo_in_type(o, 0), updates = hlo_in_type(o, 1);
  places_t p = {0};
  int64_t order[HLO_MAX_RANK], windows[HLO_MAX_RANK];
  int n_windows = 0, n = 0;
  if (updates.rank != type.rank || hlo_n_operands(o) != 2 + type.rank) {
    hlo_refuse(o, "expected an update of %d dims, and as many starts", type.rank);
    return;
  }
  for (int d = 0; d < type.rank; d++)
    if (updates.dims[d] != type.dims[d])
      windows[n_windows++] = order[n++] = d;
  for (int d = 0; d < type.rank; d++)
    if (!holds(n_windows, windows, d))
      order[n++] = d;
  for (int i = 0; i < n_windows; i++) {
    int d = (int)windows[i];
    const char *size = hlo_size(o, hlo_in(o, 1), &updates, d);
    const char *start = clamp(o, as_i64(o, hlo_in(o, 2 + d)), hlo_size(o, hlo_in(o, 0), &type, d), size);
    add_place(&p, d, binary(o, "Add", start, counting_along(o, size, i, n_windows)));
  }
  const char *moved = hlo_transpose(o, hlo_in(o, 1), type.rank, order);
  hlo_set(o, 0, n_windows ? scatter(o, "none", &p, moved, &type) : hlo_in(o, 1));
}
