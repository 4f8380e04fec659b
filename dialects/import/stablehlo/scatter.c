// Stores at places given by a tensor of indices.
#include "dialects/import/stablehlo/places.h"

// Stores, or combines, |updates|, whose dims are those of the places, then the operand's others, into the operand.
const char *hlo_scatter(tir_op_t *o, const char *kind, const hlo_places_t *p, const char *updates,
                        const tir_type_t *type) {
  int64_t dims[TIR_MAX_RANK], back[TIR_MAX_RANK], one = -1;
  const char *x = tir_in(o, 0), *sizes[TIR_MAX_RANK], *row_sizes[TIR_MAX_RANK + 1];
  int first_other = hlo_places_first(p, 0, NULL, type->rank, dims), n_rows = 0;
  const char *rows = tir_reshape_static(o, hlo_linear(o, p, x, type), 1, &one);
  row_sizes[n_rows++] = graph_ints(o->g, 1, &one);
  for (int i = 0; i < type->rank; i++) {
    sizes[i] = tir_size(o, x, type, (int)dims[i]);
    back[dims[i]] = i;
    if (i >= first_other)
      row_sizes[n_rows++] = sizes[i];
  }
  x = hlo_merge_dims(o, tir_transpose(o, x, type->rank, dims), type, dims, 0, first_other);
  updates = tir_reshape(o, updates, tir_concat(o, 0, n_rows, row_sizes));
  graph_node_t *node = graph_node(o->g, "strata.Scatter", GRAPH_VALUES(x, rows, updates));
  graph_set_string(node, "kind", kind);
  x = tir_reshape(o, graph_result(node, NULL), tir_concat(o, 0, type->rank, sizes));
  return tir_transpose(o, x, type->rank, back);
}

typedef struct {
  tir_type_t type, updates;
  hlo_indices_t indices;
  int64_t windows[TIR_MAX_RANK], inserted[TIR_MAX_RANK], batch[TIR_MAX_RANK], index_batch[TIR_MAX_RANK],
      mapped[TIR_MAX_RANK];
  int n_windows, n_inserted, n_batch, n_mapped;
  int64_t window_of[TIR_MAX_RANK]; // the dim of the updates that is that of the operand; -1: none is
} scatter_t;

static bool read_scatter(tir_op_t *o, scatter_t *s) {
  const char *text = hlo_text(o, "scatter_dimension_numbers");
  s->type = tir_in_type(o, 0);
  s->updates = tir_in_type(o, 2);
  s->n_windows = hlo_field(text, "update_window_dims", TIR_MAX_RANK, s->windows);
  s->n_inserted = hlo_field(text, "inserted_window_dims", TIR_MAX_RANK, s->inserted);
  s->n_batch = hlo_field(text, "input_batching_dims", TIR_MAX_RANK, s->batch);
  s->n_mapped = hlo_field(text, "scatter_dims_to_operand_dims", TIR_MAX_RANK, s->mapped);
  if (hlo_field(text, "scatter_indices_batching_dims", TIR_MAX_RANK, s->index_batch) != s->n_batch ||
      !hlo_indices_of(o, text, &s->indices) || s->n_mapped + s->n_batch < 1)
    return false;
  int next = 0;
  for (int d = 0; d < s->type.rank; d++) {
    bool is_one = tir_holds(s->n_inserted, s->inserted, d) || tir_holds(s->n_batch, s->batch, d);
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
  if (tir_holds(s->n_mapped, s->mapped, dim) || tir_holds(s->n_batch, s->batch, dim) || s->window_of[dim] < 0)
    return true;
  return s->updates.dims[s->window_of[dim]] != s->type.dims[dim];
}

static const char *index_of(tir_op_t *o, const scatter_t *s, int64_t dim) {
  for (int i = 0; i < s->n_mapped; i++)
    if (s->mapped[i] == dim)
      return hlo_index(o, &s->indices, i, s->indices.batch);
  for (int i = 0; i < s->n_batch; i++)
    for (int k = 0; k < s->indices.n_batch && s->batch[i] == dim; k++)
      if (s->indices.batch[k] == s->index_batch[i])
        return tir_counting_along(o, tir_size(o, s->indices.value, &s->indices.type, (int)s->index_batch[i]), k,
                                  s->indices.n_batch);
  return graph_int(o->g, 0);
}

// The places of the updates' elements, and those in the order of the places: *out_order gets the updates' dims.
static void scatter_places(tir_op_t *o, const scatter_t *s, hlo_places_t *p, int64_t *out_order) {
  int64_t axes[TIR_MAX_RANK];
  const char *index[TIR_MAX_RANK];
  int n_windows = 0, n = 0, rank = s->indices.n_batch;
  for (int d = 0; d < s->updates.rank; d++)
    if (!tir_holds(s->n_windows, s->windows, d))
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
    bool is_indexed = tir_holds(s->n_mapped, s->mapped, d) || tir_holds(s->n_batch, s->batch, d);
    index[d] = index_of(o, s, d);
    if (is_indexed && n_windows)
      index[d] = graph_unsqueeze(o->g, index[d], n_windows, axes);
    if (s->window_of[d] >= 0)
      index[d] = tir_binary(o, "Add", index[d],
                            tir_counting_along(o, tir_size(o, tir_in(o, 2), &s->updates, (int)s->window_of[d]), next++,
                                               rank + n_windows));
    hlo_add_place(p, d, index[d]);
  }
}

static const char *scatter_kind(tir_op_t *o) {
  MlirBlock body = tir_region(o, 0);
  if (tir_n_returned(body) != 1)
    return NULL;
  if (tir_argument_number(body, tir_returned(body, 0)) == 1)
    return "none";
  static const char *const kinds[][2] = {{"add", "add"}, {"multiply", "mul"}, {"maximum", "max"}, {"minimum", "min"}};
  const char *name = hlo_combiner(body, 0, 1);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(name, kinds[i][0]))
      return tir_in_type(o, 0).dtype == STRATA_DTYPE_BOOL ? NULL : kinds[i][1];
  return NULL;
}

// What all places' elements have in common is repeated for each.
static const char *for_each_place(tir_op_t *o, const scatter_t *s, const char *index, const int64_t *order, int n) {
  const char *sizes[TIR_MAX_RANK];
  for (int i = 0; i < n; i++)
    sizes[i] = tir_size(o, tir_in(o, 2), &s->updates, (int)order[i]);
  return n ? graph_op(o->g, "Expand", GRAPH_VALUES(index, tir_concat(o, 0, n, sizes))) : index;
}

void hlo_read_scatter(tir_op_t *o) {
  scatter_t s;
  memset(&s, 0, sizeof s);
  int64_t order[TIR_MAX_RANK];
  const char *kind = tir_n_operands(o) == 3 ? scatter_kind(o) : NULL;
  if (!kind) {
    tir_refuse(o, "several operands, or a region that neither replaces, adds, multiplies nor takes an extreme");
    return;
  }
  if (!read_scatter(o, &s)) {
    tir_refuse(o, "dimension numbers that are not those of a scatter of its operands");
    return;
  }
  hlo_places_t p = {.is_checked = true};
  scatter_places(o, &s, &p, order);
  int n_places = s.indices.n_batch;
  for (int i = 0; i < p.n; i++)
    n_places += s.window_of[p.dims[i]] >= 0;
  p.index[0] = for_each_place(o, &s, p.index[0], order, n_places);
  const char *updates = tir_transpose(o, tir_in(o, 2), s.updates.rank, order);
  tir_set(o, 0, hlo_scatter(o, kind, &p, updates, &s.type));
}
