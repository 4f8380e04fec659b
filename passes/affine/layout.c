// affine-layout: the order in which the dims of intermediate buffers are stored, and nests walk them.
//
//   %t : memref<1x64x56x56xf32>, read by a convolution as %t[%n, %c, %h + %r, %w + %s]
// becomes
//   %t : memref<1x56x56x64xf32>, read as %t[%n, %h + %r, %w + %s, %c]
//
// A contraction with a constant operand wants what both it and its consumer walk in one go innermost: its other
// operand's reduced dims last, its result's dims that come from the constant last. So convolutions keep channels last
// and matrix products stay as they are. Nests without such a wish pass on the order of the buffers around them. Where
// wishes for one buffer differ, the contraction with the most work has its way. Arguments and constants stay as they
// are. In the end the parallel dims of every nest are put in the order of what it stores, the rows of a contraction and
// its loops, or those of a reduction over rows, in that of what it reads.
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/order_rows.h"
#include "passes/pass.h"

#include <stdlib.h>

enum { MAX_GUIDES = 16 }; // readers of a buffer that are looked at for the order of a reduction's loops

typedef struct {
  bool is_free; // may be stored in another order
  bool is_decided;
  double weight; // of the wish followed so far
  int rank;
  int order[STRATA_MAX_DIMS]; // which old dim is stored at each place
} stored_t;

typedef struct {
  strata_compile_t *compile;
  strata_nest_graph_t graph;
  stored_t *buffers;   // by buffer of the graph
  strata_ints_t queue; // decided buffers whose neighbours have not heard of it
} layout_t;

static int n_dims_of(const strata_nest_t *nest) { return nest->n_parallel + nest->n_reduction; }

static uint32_t dims_of(MlirAffineExpr expr, int n_dims) {
  uint32_t mask = 0;
  for (int dim = 0; dim < n_dims; dim++)
    mask |= strata_affine_expr_uses(expr, dim) ? 1u << dim : 0;
  return mask;
}

//===-- Wishes ---------------------------------------------------------------------------------------------------===//

// The dims of |map|'s buffer, those that depend on |inner| last; within both, as they are. Dims of |outer| win.
static void order_by(MlirAffineMap map, uint32_t outer, uint32_t inner, int *out_order) {
  int n_dims = (int)mlirAffineMapGetNumDims(map), rank = (int)mlirAffineMapGetNumResults(map), count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < rank; i++) {
      uint32_t used = dims_of(mlirAffineMapGetResult(map, i), n_dims);
      bool is_inner = (used & inner) && !(used & outer);
      if (is_inner == (pass == 1))
        out_order[count++] = i;
    }
}

static void wish(layout_t *layout, int buffer, double weight, const int *order) {
  stored_t *stored = &layout->buffers[buffer];
  if (!stored->is_free || weight <= stored->weight)
    return;
  stored->weight = weight;
  memcpy(stored->order, order, (size_t)stored->rank * sizeof *order);
  stored->is_decided = true;
}

static int buffer_of(const layout_t *layout, MlirValue value) {
  const int64_t *index = strata_pointer_map_get(&layout->graph.buffer_of, value.ptr);
  return (int)*index - 1;
}

static void wish_for_contraction(layout_t *layout, const strata_nest_node_t *node) {
  strata_contraction_t c;
  if (node->class != STRATA_NEST_ANCHOR || !strata_nest_contraction(node->nest, &c) ||
      mlirAffineMapIsNull(c.store->map))
    return;
  int lhs = buffer_of(layout, c.lhs->buffer), rhs = buffer_of(layout, c.rhs->buffer);
  bool lhs_is_constant = layout->graph.buffers.data[lhs].is_constant;
  if (lhs_is_constant == layout->graph.buffers.data[rhs].is_constant)
    return;
  const strata_access_t *data = lhs_is_constant ? c.rhs : c.lhs;
  uint32_t data_dims = lhs_is_constant ? c.rhs_dims : c.lhs_dims;
  uint32_t constant_dims = lhs_is_constant ? c.lhs_dims : c.rhs_dims;
  uint32_t parallel = (uint32_t)((1ull << node->nest->n_parallel) - 1);
  uint32_t rows = data_dims & ~constant_dims & parallel; // dims of the data alone
  int order[STRATA_MAX_DIMS];
  order_by(data->map, rows, ~rows, order);
  wish(layout, lhs_is_constant ? rhs : lhs, node->trips, order);
  order_by(c.store->map, rows, ~rows, order);
  wish(layout, buffer_of(layout, c.store->buffer), node->trips, order);
}

//===-- Passing on -----------------------------------------------------------------------------------------------===//

// The nest's dims in the order in which the buffer behind an access stores them; their number.
static int dims_in_order(const strata_nest_t *nest, MlirAffineMap map, const stored_t *stored, int *out_dims) {
  int count = 0;
  for (int i = 0; i < stored->rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, stored->order[i]);
    for (int dim = 0; dim < n_dims_of(nest); dim++)
      if (nest->extents[dim] > 1 && strata_affine_expr_uses(expr, dim))
        out_dims[count++] = dim;
  }
  return count;
}

// Where |expr|'s one dim stands in |dims|: -1 for a constant, |count| for anything else.
static int rank_in(const strata_nest_t *nest, MlirAffineExpr expr, const int *dims, int count) {
  int rank = -1;
  for (int dim = 0; dim < n_dims_of(nest); dim++) {
    if (nest->extents[dim] == 1 || !strata_affine_expr_uses(expr, dim))
      continue;
    if (rank >= 0)
      return count;
    for (rank = 0; rank < count && dims[rank] != dim;)
      rank++;
  }
  return rank;
}

// Stores an undecided buffer in the order of |dims|, if each of its dims is one of them.
static void follow(layout_t *layout, const strata_nest_t *nest, const strata_access_t *access, int buffer,
                   const int *dims, int count) {
  stored_t *stored = &layout->buffers[buffer];
  if (!stored->is_free || stored->is_decided || mlirAffineMapIsNull(access->map))
    return;
  int ranks[STRATA_MAX_DIMS];
  for (int i = 0; i < stored->rank; i++) {
    ranks[i] = rank_in(nest, mlirAffineMapGetResult(access->map, i), dims, count);
    if (ranks[i] == count)
      return;
  }
  for (int i = 1; i < stored->rank; i++) {
    int dim = stored->order[i], at = i;
    for (; at > 0 && ranks[stored->order[at - 1]] > ranks[dim]; at--)
      stored->order[at] = stored->order[at - 1];
    stored->order[at] = dim;
  }
  stored->is_decided = true;
  *strata_vector_push(layout->graph.arena, &layout->queue) = buffer;
}

static bool passes_on(const strata_nest_node_t *node) {
  strata_contraction_t c;
  return node->nest && !node->nest->is_serial && !strata_nest_contraction(node->nest, &c);
}

static void pass_on_through(layout_t *layout, int node, int buffer) {
  const strata_nest_node_t *record = &layout->graph.nodes.data[node];
  if (!passes_on(record))
    return;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_access_t *access = &record->nest->accesses[i];
    if (record->buffers.data[i] != buffer || mlirAffineMapIsNull(access->map))
      continue;
    int dims[STRATA_MAX_DIMS * STRATA_MAX_DIMS];
    int count = dims_in_order(record->nest, access->map, &layout->buffers[buffer], dims);
    for (size_t j = 0; j < record->buffers.count; j++)
      follow(layout, record->nest, &record->nest->accesses[j], record->buffers.data[j], dims, count);
  }
}

static void pass_on(layout_t *layout) {
  // By buffer, the nests that access it.
  strata_arena_t *arena = layout->graph.arena;
  strata_ints_t *users = strata_arena_array(arena, strata_ints_t, layout->graph.buffers.count);
  for (size_t i = 0; i < layout->graph.nodes.count; i++)
    for (size_t j = 0; j < layout->graph.nodes.data[i].buffers.count; j++)
      *strata_vector_push(arena, &users[layout->graph.nodes.data[i].buffers.data[j]]) = (int)i;
  for (size_t i = 0; i < layout->queue.count; i++) {
    int buffer = layout->queue.data[i];
    for (size_t j = 0; j < users[buffer].count; j++)
      pass_on_through(layout, users[buffer].data[j], buffer);
  }
}

//===-- Buffers --------------------------------------------------------------------------------------------------===//

static bool is_in_order(const stored_t *stored) {
  for (int i = 0; i < stored->rank; i++)
    if (stored->order[i] != i)
      return false;
  return true;
}

static void permute_affine(MlirOperation op, const stored_t *stored) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  MlirAffineExpr results[STRATA_MAX_DIMS];
  for (int i = 0; i < stored->rank; i++)
    results[i] = mlirAffineMapGetResult(map, stored->order[i]);
  MlirAffineMap permuted = mlirAffineMapGet(mlirOperationGetContext(op), mlirAffineMapGetNumDims(map),
                                            mlirAffineMapGetNumSymbols(map), stored->rank, results);
  strata_set_attr(op, "map", mlirAffineMapAttrGet(permuted));
}

static void permute_indices(MlirOperation op, const stored_t *stored, bool is_store) {
  MlirValue indices[STRATA_MAX_DIMS];
  intptr_t first = is_store ? 2 : 1;
  for (int i = 0; i < stored->rank; i++)
    indices[i] = mlirOperationGetOperand(op, first + stored->order[i]);
  for (int i = 0; i < stored->rank; i++)
    mlirOperationSetOperand(op, first + i, indices[i]);
}

static void permute_access(const strata_access_t *access, const stored_t *stored) {
  if (strata_op_is(access->op, "affine.load") || strata_op_is(access->op, "affine.store"))
    permute_affine(access->op, stored);
  else
    permute_indices(access->op, stored, access->is_store);
}

static MlirType permuted_type(MlirType type, const stored_t *stored) {
  int64_t sizes[STRATA_MAX_DIMS];
  for (int i = 0; i < stored->rank; i++)
    sizes[i] = mlirShapedTypeGetDimSize(type, stored->order[i]);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), stored->rank, sizes, (MlirAttribute){0});
}

static void permute_buffers(layout_t *layout) {
  for (size_t i = 0; i < layout->graph.nodes.count; i++) {
    const strata_nest_node_t *node = &layout->graph.nodes.data[i];
    for (size_t j = 0; j < node->buffers.count; j++) {
      const stored_t *stored = &layout->buffers[node->buffers.data[j]];
      if (!is_in_order(stored))
        permute_access(&node->nest->accesses[j], stored);
    }
  }
  for (size_t i = 0; i < layout->graph.buffers.count; i++) {
    MlirValue value = layout->graph.buffers.data[i].value;
    if (!is_in_order(&layout->buffers[i]))
      mlirValueSetType(value, permuted_type(mlirValueGetType(value), &layout->buffers[i]));
  }
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

// Puts dims first .. first + count of the nest in the order of falling strides of an access; dims of one stride, and
// those the access does not depend on, keep their places. *out_order[i] is the old dim at place i. False if some stride
// is not known.
static bool order_by_stride(const strata_nest_t *nest, const strata_access_t *access, int first, int count,
                            int *out_order) {
  int64_t strides[STRATA_MAX_DIMS];
  for (int i = 0; i < count; i++) {
    out_order[i] = first + i;
    if (!strata_access_stride(nest, access, first + i, &strides[i]))
      return false;
  }
  for (int i = 1; i < count; i++) {
    int dim = out_order[i], at = i;
    for (; at > 0 && nest->extents[out_order[at - 1]] > 1 && nest->extents[dim] > 1 &&
           llabs(strides[out_order[at - 1] - first]) < llabs(strides[dim - first]);
         at--)
      out_order[at] = out_order[at - 1];
    out_order[at] = dim;
  }
  return true;
}

typedef struct {
  const strata_nest_t *nest;
  MlirValue now[STRATA_MAX_DIMS]; // what takes the place of each dim
} renaming_t;

static MlirWalkResult rename_operands(MlirOperation op, void *user) {
  const renaming_t *renaming = user;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    for (int dim = 0; dim < n_dims_of(renaming->nest); dim++)
      if (mlirValueEqual(mlirOperationGetOperand(op, i), renaming->nest->dims[dim])) {
        mlirOperationSetOperand(op, i, renaming->now[dim]);
        break;
      }
  return MlirWalkResultAdvance;
}

// Reorders all dims of a nest; *order[i] is the old dim at place i.
static void reorder_dims(const strata_nest_t *nest, const int *order) {
  renaming_t renaming = {.nest = nest};
  int64_t extents[STRATA_MAX_DIMS];
  bool is_in_place = true;
  for (int i = 0; i < n_dims_of(nest); i++) {
    renaming.now[order[i]] = nest->dims[i];
    extents[i] = nest->extents[order[i]];
    is_in_place = is_in_place && order[i] == i;
  }
  if (is_in_place)
    return;
  mlirOperationWalk(nest->op, rename_operands, &renaming, MlirWalkPreOrder);
  strata_nest_set_extents(nest->op, nest->n_parallel, extents);
  for (int i = 0; i < nest->n_reduction; i++)
    strata_loop_set_extent(nest->loops[i], extents[nest->n_parallel + i]);
}

// Reads a nest whose maps have changed; what the first reading accepted, the second does.
static bool read_again(const layout_t *layout, const strata_nest_node_t *node, strata_nest_t *out_nest) {
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
static const strata_access_t *leading_read(const layout_t *layout, const strata_nest_node_t *node,
                                           const strata_nest_t *nest) {
  strata_contraction_t c;
  const strata_access_t *read = NULL;
  if (nest->n_reduction < 2 || !has_perfect_loops(nest))
    return NULL;
  if (strata_nest_contraction(nest, &c))
    return layout->graph.buffers.data[buffer_of(layout, c.lhs->buffer)].is_constant ? c.rhs : c.lhs;
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
static int dim_of_stride(const strata_nest_t *nest, const strata_access_t *access, int64_t stride, int64_t extent) {
  int64_t own;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (nest->extents[dim] == extent && strata_access_stride(nest, access, dim, &own) && own == stride)
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
    int64_t stride;
    if (!strata_access_stride(nest, read, dim, &stride))
      return false;
    int place = dim_of_stride(guide, guide_read, stride, nest->extents[dim]);
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
static int copied_buffer(const layout_t *layout, int buffer) {
  const strata_nest_buffer_t *record = &layout->graph.buffers.data[buffer];
  strata_nest_t writer;
  if (!record->is_alloc || record->n_stores != 1 || layout->graph.nodes.data[record->writer].class != STRATA_NEST_MAP ||
      !read_again(layout, &layout->graph.nodes.data[record->writer], &writer) || writer.n_accesses != 2)
    return -1;
  int load = writer.accesses[0].is_store;
  bool is_same = !mlirAffineMapIsNull(writer.accesses[0].map) && !mlirAffineMapIsNull(writer.accesses[1].map) &&
                 mlirAffineMapEqual(writer.accesses[0].map, writer.accesses[1].map);
  int64_t sizes[2][STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(writer.accesses[0].buffer, sizes[0]);
  strata_memref_sizes(writer.accesses[1].buffer, sizes[1]);
  return is_same && !memcmp(sizes[0], sizes[1], (size_t)rank * sizeof **sizes)
             ? buffer_of(layout, writer.accesses[load].buffer)
             : -1;
}

// The same by the first guide there is: rows are reduced and then walked again, and what has the same elements side by
// side in one has them so in the other.
static bool order_like_readers(const layout_t *layout, const strata_nest_t *nest, const strata_access_t *read,
                               int buffer, int *out_order) {
  const strata_ints_t *readers = &layout->graph.buffers.data[buffer].readers;
  for (size_t i = 0; i < readers->count && i < MAX_GUIDES; i++) {
    const strata_nest_node_t *node = &layout->graph.nodes.data[readers->data[i]];
    strata_nest_t guide;
    if (node->class != STRATA_NEST_MAP || !read_again(layout, node, &guide))
      continue;
    for (int j = 0; j < guide.n_accesses; j++)
      if (!guide.accesses[j].is_store && buffer_of(layout, guide.accesses[j].buffer) == buffer &&
          guide.n_parallel > nest->n_parallel && order_like(nest, read, &guide, &guide.accesses[j], out_order))
        return true;
  }
  int copied = copied_buffer(layout, buffer);
  return copied >= 0 && order_like_readers(layout, nest, read, copied, out_order);
}

static bool order_loops(const layout_t *layout, const strata_nest_node_t *node, const strata_nest_t *nest,
                        int *out_order) {
  const strata_access_t *read = leading_read(layout, node, nest);
  if (!read)
    return false;
  return (node->class == STRATA_NEST_ROW &&
          order_like_readers(layout, nest, read, buffer_of(layout, read->buffer), out_order)) ||
         order_by_stride(nest, read, nest->n_parallel, nest->n_reduction, out_order);
}

static void order_nest(const layout_t *layout, const strata_nest_node_t *node) {
  strata_nest_t nest;
  if (!read_again(layout, node, &nest))
    return;
  const strata_access_t *store = NULL;
  for (int i = 0; i < nest.n_accesses && !store; i++)
    store = nest.accesses[i].is_store ? &nest.accesses[i] : NULL;
  int order[STRATA_MAX_DIMS];
  for (int i = 0; i < n_dims_of(&nest); i++)
    order[i] = i;
  if (!store || !order_by_stride(&nest, store, 0, nest.n_parallel, order))
    return;
  if (!order_loops(layout, node, &nest, order + nest.n_parallel))
    for (int i = nest.n_parallel; i < n_dims_of(&nest); i++)
      order[i] = i;
  strata_order_rows(&nest, store, order);
  reorder_dims(&nest, order);
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static bool has_other_uses(MlirValue value, int n_accesses) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    n_accesses--;
  return n_accesses < 0;
}

static void init_buffers(layout_t *layout) {
  layout->buffers = strata_arena_array(layout->graph.arena, stored_t, layout->graph.buffers.count);
  int *n_accesses = strata_arena_array(layout->graph.arena, int, layout->graph.buffers.count);
  for (size_t i = 0; i < layout->graph.nodes.count; i++)
    for (size_t j = 0; j < layout->graph.nodes.data[i].buffers.count; j++)
      n_accesses[layout->graph.nodes.data[i].buffers.data[j]]++;
  for (size_t i = 0; i < layout->graph.buffers.count; i++) {
    stored_t *stored = &layout->buffers[i];
    MlirValue value = layout->graph.buffers.data[i].value;
    stored->is_free = layout->graph.buffers.data[i].is_alloc && !has_other_uses(value, n_accesses[i]);
    stored->rank = (int)mlirShapedTypeGetRank(mlirValueGetType(value));
    for (int dim = 0; dim < stored->rank; dim++)
      stored->order[dim] = dim;
  }
}

static strata_status_t lay_out(strata_compile_t *compile, MlirOperation func) {
  layout_t layout = {.compile = compile};
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &layout.graph));
  init_buffers(&layout);
  for (size_t i = 0; i < layout.graph.nodes.count; i++)
    if (layout.graph.nodes.data[i].nest)
      wish_for_contraction(&layout, &layout.graph.nodes.data[i]);
  for (size_t i = 0; i < layout.graph.buffers.count; i++)
    if (layout.buffers[i].is_decided)
      *strata_vector_push(compile->arena, &layout.queue) = (int)i;
  pass_on(&layout);
  permute_buffers(&layout);
  for (int pass = 0; pass < 2; pass++) // reductions follow others
    for (size_t i = 0; i < layout.graph.nodes.count; i++) {
      const strata_nest_node_t *node = &layout.graph.nodes.data[i];
      if (node->nest && !node->nest->is_serial && (node->class == STRATA_NEST_ROW) == (pass == 1))
        order_nest(&layout, node);
    }
  return NULL;
}

strata_status_t strata_pass_affine_layout(strata_compile_t *compile) {
  return strata_for_each_nest_function(compile, lay_out);
}
