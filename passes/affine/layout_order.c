// The order in which nests walk their dims; see layout.h.
#include "passes/affine/layout.h"

#include "dialects/affine/nest.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/order_rows.h"

enum { MAX_GUIDES = 16 }; // readers of a buffer that are looked at for the order of a reduction's loops

int strata_layout_buffer(const strata_layout_choice_t *layout, MlirValue value) {
  const int64_t *index = strata_pointer_map_get(&layout->graph.buffer_of, value.ptr);
  return (int)*index - 1;
}

// Reads a nest whose maps have changed; what the first reading accepted, the second does.
static bool read_again(const strata_layout_choice_t *layout, const strata_nest_node_t *node, strata_nest_t *out_nest) {
  strata_status_t status = strata_nest_read(layout->graph.arena, node->nest->op, out_nest);
  strata_status_free(status);
  return !status;
}

// True if the loops do nothing but reduce, so that their order is free.
static bool has_perfect_loops(const strata_nest_t *nest) {
  for (int i = 0; i + 1 < nest->n_reduction; i++)
    if (!strata_loop_is_perfect(nest->loops[i], nest->loops[i + 1]))
      return false;
  return true;
}

// The read whose order a nest's loops take: of a contraction that of the operand that is not constant, of rows the one
// of their elements, where one alone has all of them.
static const strata_access_t *leading_read(const strata_layout_choice_t *layout, const strata_nest_node_t *node,
                                           const strata_nest_t *nest) {
  strata_contraction_t c;
  const strata_access_t *read = NULL;
  if (nest->n_reduction < 2 || !has_perfect_loops(nest))
    return NULL;
  if (strata_nest_contraction(nest, &c))
    return layout->graph.buffers.data[strata_layout_buffer(layout, c.lhs->buffer)].is_constant ? c.rhs : c.lhs;
  for (int i = 0; i < nest->n_accesses && node->class == STRATA_NEST_ROW; i++) {
    if (!nest->accesses[i].in_reduction)
      continue;
    if (read)
      return NULL;
    read = &nest->accesses[i];
  }
  return read;
}

// The dim of |nest| that has this stride and extent in an access; -1 if there is none.
static int dim_of_stride(const strata_nest_t *nest, const strata_access_t *access, MlirAffineExpr stride,
                         strata_size_t extent) {
  MlirAffineExpr own;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (strata_size_equal(nest->space.sizes[dim], extent) && strata_access_size_stride(nest, access, dim, &own) &&
        mlirAffineExprEqual(own, stride))
      return dim;
  return -1;
}

// Puts the loops of a reduction over rows in the order in which |guide|, elementwise, walks what both read. False if it
// does not walk the same elements.
static bool order_like(const strata_nest_t *nest, const strata_access_t *read, const strata_nest_t *guide,
                       const strata_access_t *guide_read, int *out_order) {
  int places[STRATA_MAX_DIMS];
  for (int i = 0; i < nest->n_reduction; i++) {
    int dim = nest->n_parallel + i, at = i;
    MlirAffineExpr stride;
    if (!strata_access_size_stride(nest, read, dim, &stride))
      return false;
    int place = dim_of_stride(guide, guide_read, stride, nest->space.sizes[dim]);
    if (place < 0)
      return false;
    for (; at > 0 && places[at - 1] > place; at--) {
      places[at] = places[at - 1];
      out_order[at] = out_order[at - 1];
    }
    places[at] = place;
    out_order[at] = dim;
  }
  return true;
}

// The buffer of which |buffer| is a copy, element by element, in another type; -1 if it is none.
static int copied_buffer(const strata_layout_choice_t *layout, int buffer) {
  const strata_nest_buffer_t *record = &layout->graph.buffers.data[buffer];
  strata_nest_t writer;
  if (!record->is_alloc || record->n_stores != 1 || layout->graph.nodes.data[record->writer].class != STRATA_NEST_MAP ||
      !read_again(layout, &layout->graph.nodes.data[record->writer], &writer) || writer.n_accesses != 2)
    return -1;
  int load = writer.accesses[0].is_store;
  bool is_same = !mlirAffineMapIsNull(writer.accesses[0].map) && !mlirAffineMapIsNull(writer.accesses[1].map) &&
                 mlirAffineMapEqual(writer.accesses[0].map, writer.accesses[1].map);
  strata_size_t sizes[2][STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(writer.accesses[0].buffer, sizes[0]);
  strata_memref_sizes(writer.accesses[1].buffer, sizes[1]);
  return is_same && strata_sizes_equal(rank, sizes[0], sizes[1])
             ? strata_layout_buffer(layout, writer.accesses[load].buffer)
             : -1;
}

// The same by the first guide there is: rows are reduced and then walked again, and what has the same elements side by
// side in one has them so in the other.
static bool order_like_readers(const strata_layout_choice_t *layout, const strata_nest_t *nest,
                               const strata_access_t *read, int buffer, int *out_order) {
  const strata_ints_t *readers = &layout->graph.buffers.data[buffer].readers;
  for (size_t i = 0; i < readers->count && i < MAX_GUIDES; i++) {
    const strata_nest_node_t *node = &layout->graph.nodes.data[readers->data[i]];
    strata_nest_t guide;
    if (node->class != STRATA_NEST_MAP || !read_again(layout, node, &guide))
      continue;
    for (int j = 0; j < guide.n_accesses; j++)
      if (!guide.accesses[j].is_store && strata_layout_buffer(layout, guide.accesses[j].buffer) == buffer &&
          guide.n_parallel > nest->n_parallel && order_like(nest, read, &guide, &guide.accesses[j], out_order))
        return true;
  }
  int copied = copied_buffer(layout, buffer);
  return copied >= 0 && order_like_readers(layout, nest, read, copied, out_order);
}

static bool order_loops(const strata_layout_choice_t *layout, const strata_nest_node_t *node, const strata_nest_t *nest,
                        int *out_order) {
  const strata_access_t *read = leading_read(layout, node, nest);
  if (!read)
    return false;
  return (node->class == STRATA_NEST_ROW &&
          order_like_readers(layout, nest, read, strata_layout_buffer(layout, read->buffer), out_order)) ||
         strata_nest_order_by_stride(nest, read, nest->n_parallel, nest->n_reduction, out_order);
}

static void order_nest(const strata_layout_choice_t *layout, const strata_nest_node_t *node) {
  strata_nest_t nest;
  if (!read_again(layout, node, &nest))
    return;
  const strata_access_t *store = NULL;
  for (int i = 0; i < nest.n_accesses && !store; i++)
    store = nest.accesses[i].is_store ? &nest.accesses[i] : NULL;
  int order[STRATA_MAX_DIMS];
  for (int i = 0; i < strata_nest_n_dims(&nest); i++)
    order[i] = i;
  if (!store || !strata_nest_order_by_stride(&nest, store, 0, nest.n_parallel, order))
    return;
  if (!order_loops(layout, node, &nest, order + nest.n_parallel))
    for (int i = nest.n_parallel; i < strata_nest_n_dims(&nest); i++)
      order[i] = i;
  strata_order_rows(&nest, store, order);
  strata_nest_reorder_dims(&nest, order);
}

void strata_layout_order_nests(const strata_layout_choice_t *layout) {
  for (int pass = 0; pass < 2; pass++) // reductions follow others
    for (size_t i = 0; i < layout->graph.nodes.count; i++) {
      const strata_nest_node_t *node = &layout->graph.nodes.data[i];
      if (node->nest && !node->nest->is_serial && (node->class == STRATA_NEST_ROW) == (pass == 1))
        order_nest(layout, node);
    }
}
