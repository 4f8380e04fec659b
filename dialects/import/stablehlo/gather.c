// Reads at places given by a tensor of indices.
#include "dialects/import/stablehlo/places.h"

typedef struct {
  tir_type_t type; // of the operand
  hlo_indices_t indices;
  int64_t offset[TIR_MAX_RANK], collapsed[TIR_MAX_RANK], batch[TIR_MAX_RANK], index_batch[TIR_MAX_RANK],
      mapped[TIR_MAX_RANK];
  int n_offset, n_collapsed, n_batch, n_mapped;
  int64_t windows[TIR_MAX_RANK]; // the size of each dim's slice; -1: not known here
} gather_t;

static bool read_gather(tir_op_t *o, gather_t *g) {
  const char *text = hlo_text(o, "dimension_numbers");
  g->type = tir_in_type(o, 0);
  g->n_offset = hlo_field(text, "offset_dims", TIR_MAX_RANK, g->offset);
  g->n_collapsed = hlo_field(text, "collapsed_slice_dims", TIR_MAX_RANK, g->collapsed);
  g->n_batch = hlo_field(text, "operand_batching_dims", TIR_MAX_RANK, g->batch);
  g->n_mapped = hlo_field(text, "start_index_map", TIR_MAX_RANK, g->mapped);
  tir_type_t result = tir_out_type(o, 0);
  if (hlo_field(text, "start_indices_batching_dims", TIR_MAX_RANK, g->index_batch) != g->n_batch ||
      !hlo_indices_of(o, text, &g->indices) || g->n_mapped < 1)
    return false;
  int next = 0;
  for (int d = 0; d < g->type.rank; d++) {
    bool is_one = tir_holds(g->n_collapsed, g->collapsed, d) || tir_holds(g->n_batch, g->batch, d);
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
static const char *window(tir_op_t *o, const gather_t *g, int64_t dim) {
  if (g->windows[dim] >= 0)
    return graph_ints(o->g, 1, &g->windows[dim]);
  return tir_n_operands(o) > 2 ? tir_slice_axis(o, hlo_as_i64(o, tir_in(o, 2)), 0, dim, dim + 1, 1)
                               : tir_size(o, tir_in(o, 0), &g->type, (int)dim);
}

static bool constant_starts(tir_op_t *o, const gather_t *g, int64_t *starts) {
  int count;
  double number;
  if (g->indices.n_batch > 0)
    return false;
  if (tir_constant_ints(tir_value(o, 1), TIR_MAX_RANK, starts, &count))
    return count == g->n_mapped;
  if (!tir_constant_number(tir_value(o, 1), &number))
    return false;
  for (int i = 0; i < g->n_mapped; i++)
    starts[i] = (int64_t)number;
  return true;
}

// One place, which is known: a slice.
static void gather_slice(tir_op_t *o, const gather_t *g, const int64_t *starts) {
  const char *x = tir_in(o, 0);
  for (int i = 0; i < g->n_mapped; i++) {
    int64_t dim = g->mapped[i], start = starts[i] > 0 ? starts[i] : 0;
    int64_t last = g->type.dims[dim] >= 0 && g->windows[dim] >= 0 ? g->type.dims[dim] - g->windows[dim] : start;
    start = start < last ? start : last;
    const char *from = graph_ints(o->g, 1, &start);
    x = graph_op(o->g, "Slice",
                 GRAPH_VALUES(x, from, tir_binary(o, "Add", from, window(o, g, dim)), graph_ints(o->g, 1, &dim)));
  }
  for (int d = 0; d < g->type.rank; d++)
    if (!tir_holds(g->n_mapped, g->mapped, d) && g->windows[d] >= 0 && g->windows[d] != g->type.dims[d])
      x = tir_slice_axis(o, x, d, 0, g->windows[d], 1);
  tir_set(o, 0, g->n_collapsed ? graph_squeeze(o->g, x, g->n_collapsed, g->collapsed) : x);
}

// The places' dims, the batch dims of both operands first.
static void order_batch(const gather_t *g, int64_t *order) {
  int n = 0;
  for (int i = 0; i < g->n_batch; i++)
    order[n++] = g->index_batch[i];
  for (int i = 0; i < g->indices.n_batch; i++)
    if (!tir_holds(g->n_batch, g->index_batch, g->indices.batch[i]))
      order[n++] = g->indices.batch[i];
}

static bool is_window(const gather_t *g, int64_t dim) { return !tir_holds(g->n_collapsed, g->collapsed, dim); }

// The index of each mapped dim at each place, and in each element of its slice.
static void gather_places(tir_op_t *o, const gather_t *g, const int64_t *order, hlo_places_t *p) {
  int n_windows = 0, next = 0, rank = g->indices.n_batch;
  int64_t axes[TIR_MAX_RANK];
  for (int d = 0; d < g->type.rank; d++)
    if (tir_holds(g->n_mapped, g->mapped, d) && is_window(g, d)) {
      axes[n_windows] = rank + n_windows;
      n_windows++;
    }
  bool is_clamped_anyway = g->n_mapped == 1 && n_windows == 0;
  for (int d = 0; d < g->type.rank; d++)
    for (int i = 0; i < g->n_mapped; i++) {
      if (g->mapped[i] != d)
        continue;
      const char *index = hlo_index(o, &g->indices, i, order);
      if (!is_clamped_anyway)
        index = hlo_clamp_index(o, index, tir_size(o, tir_in(o, 0), &g->type, d), window(o, g, d));
      index = n_windows ? graph_unsqueeze(o->g, index, n_windows, axes) : index;
      if (is_window(g, d))
        index = tir_binary(o, "Add", index, tir_counting_along(o, window(o, g, d), rank + next++, rank + n_windows));
      hlo_add_place(p, d, index);
    }
}

// The dims of the result as they come: of the places, of slices of mapped dims, of the others.
static void gather_result(tir_op_t *o, const gather_t *g, const int64_t *order, const int64_t *dims, int first_other,
                          const char *x) {
  int64_t now[2 * TIR_MAX_RANK], permutation[2 * TIR_MAX_RANK]; // batch dims as -1 - dim
  int n = 0, next_offset = 0, next_batch = 0, rank = g->n_offset + g->indices.n_batch;
  for (int i = 0; i < g->indices.n_batch; i++)
    now[n++] = -1 - order[i];
  for (int d = 0; d < g->type.rank; d++)
    if (tir_holds(g->n_mapped, g->mapped, d) && is_window(g, d))
      now[n++] = d;
  for (int i = first_other; i < g->type.rank; i++)
    if (is_window(g, dims[i]))
      now[n++] = dims[i];
  int64_t kept[TIR_MAX_RANK];
  int n_kept = 0;
  for (int d = 0; d < g->type.rank; d++)
    if (is_window(g, d) && !tir_holds(g->n_batch, g->batch, d))
      kept[n_kept++] = d;
  for (int i = 0; i < rank; i++) {
    int64_t wanted = tir_holds(g->n_offset, g->offset, i) ? kept[next_offset++] : -1 - g->indices.batch[next_batch++];
    for (int k = 0; k < n; k++)
      permutation[i] = now[k] == wanted ? k : permutation[i];
  }
  tir_set(o, 0, tir_transpose(o, x, rank, permutation));
}

void hlo_read_gather(tir_op_t *o) {
  gather_t g;
  memset(&g, 0, sizeof g);
  int64_t starts[TIR_MAX_RANK], order[TIR_MAX_RANK], dims[TIR_MAX_RANK], squeezed[TIR_MAX_RANK];
  if (!read_gather(o, &g)) {
    tir_refuse(o, "dimension numbers that are not those of a gather of its operands");
    return;
  }
  if (constant_starts(o, &g, starts)) {
    gather_slice(o, &g, starts);
    return;
  }
  hlo_places_t p = {0};
  order_batch(&g, order);
  gather_places(o, &g, order, &p);
  int first_other = hlo_places_first(&p, g.n_batch, g.batch, g.type.rank, dims), n_squeezed = 0;
  const char *x = tir_in(o, 0), *flat = hlo_linear(o, &p, x, &g.type);
  x = hlo_merge_dims(o, tir_transpose(o, x, g.type.rank, dims), &g.type, dims, g.n_batch, first_other);
  for (int i = first_other; i < g.type.rank; i++) {
    int64_t at = i - p.n + 1;
    if (g.windows[dims[i]] >= 0 && g.windows[dims[i]] != g.type.dims[dims[i]])
      x = tir_slice_axis(o, x, (int)at, 0, g.windows[dims[i]], 1);
    if (!is_window(&g, dims[i]))
      squeezed[n_squeezed++] = at;
  }
  x = n_squeezed ? graph_squeeze(o->g, x, n_squeezed, squeezed) : x;
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(x, flat));
  graph_set_int(node, "axis", g.n_batch);
  graph_set_int(node, "batch_dims", g.n_batch);
  gather_result(o, &g, order, dims, first_other, graph_result(node, NULL));
}
