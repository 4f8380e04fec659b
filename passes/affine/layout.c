// affine-layout: the order in which the dims of intermediate buffers are stored, and nests walk them.
//
//   %t : memref<1x64x56x56xf32>, read by a convolution as %t[%n, %c, %h + %r, %w + %s]
// becomes
//   %t : memref<1x56x56x64xf32>, read as %t[%n, %h + %r, %w + %s, %c]
//
// A contraction with a constant operand wants what both it and its consumer walk in one go innermost: its other
// operand's reduced dims last, its result's dims that come from the constant last. So convolutions keep channels last
// and matrix products stay as they are. Nests without such a wish pass on the order of the buffers around them. Where
// wishes for one buffer differ, the contraction with the most work has its way. On the cpu that includes what is found
// by numbers in memory, as the pixels of an enlarged image. On a GPU rows between such a contraction and one of two
// values, as attention's are, which takes and leaves them in any order, are stored as the contraction has them on its
// other side: there they are one dim. Arguments and constants stay as they are. In the end the parallel dims of every
// nest are put in the order of what it stores, the rows of a contraction and its loops, or those of a reduction over
// rows, in that of what it reads; channels last where a copy engine brings pixels.
#include "passes/affine/layout.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/pass.h"
#include "passes/target.h"

enum { MAX_MADE = 64 }; // buffers that are looked at for who reads one

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

static void wish(strata_layout_choice_t *layout, int buffer, double weight, const int *order) {
  strata_stored_t *stored = &layout->buffers[buffer];
  if (!stored->is_free || weight <= stored->weight)
    return;
  stored->weight = weight;
  memcpy(stored->order, order, (size_t)stored->rank * sizeof *order);
  stored->is_decided = true;
}

static int buffer_of(const strata_layout_choice_t *layout, MlirValue value) {
  return strata_layout_buffer(layout, value);
}

// A product of two values, as attention's, takes and leaves rows in any order.
static bool is_of_values(const strata_layout_choice_t *layout, const strata_nest_node_t *node) {
  strata_contraction_t c;
  return node->class == STRATA_NEST_ANCHOR && strata_nest_contraction(node->nest, &c) &&
         !layout->graph.buffers.data[buffer_of(layout, c.lhs->buffer)].is_constant &&
         !layout->graph.buffers.data[buffer_of(layout, c.rhs->buffer)].is_constant;
}

static bool is_left_by_values(const strata_layout_choice_t *layout, int buffer) {
  const strata_nest_buffer_t *record = &layout->graph.buffers.data[buffer];
  return layout->buffers[buffer].is_free && record->n_stores == 1 &&
         is_of_values(layout, &layout->graph.nodes.data[record->writer]);
}

// True if products of values alone read what is in |buffer|, and what is made of it element by element.
static bool is_taken_by_values(const strata_layout_choice_t *layout, int buffer, int *budget) {
  const strata_ints_t *readers = &layout->graph.buffers.data[buffer].readers;
  if (!layout->buffers[buffer].is_free || !readers->count || (*budget)-- <= 0)
    return false;
  for (size_t i = 0; i < readers->count; i++) {
    const strata_nest_node_t *node = &layout->graph.nodes.data[readers->data[i]];
    if (node->nest && is_of_values(layout, node))
      continue;
    if (!node->nest || node->class != STRATA_NEST_MAP)
      return false;
    for (size_t j = 0; j < node->buffers.count; j++)
      if (node->nest->accesses[j].is_store && !is_taken_by_values(layout, node->buffers.data[j], budget))
        return false;
  }
  return true;
}

// Where |expr|'s one dim of |rows| is read in |map|; its rank where it is not.
static int place_in(MlirAffineExpr expr, MlirAffineMap map, uint32_t rows) {
  int n_dims = (int)mlirAffineMapGetNumDims(map), rank = (int)mlirAffineMapGetNumResults(map);
  uint32_t own = dims_of(expr, n_dims) & rows;
  for (int i = 0; i < rank; i++)
    if (own && dims_of(mlirAffineMapGetResult(map, i), n_dims) & own)
      return i;
  return rank;
}

// Puts the dims of |map|'s buffer that depend on |rows|, of |order|'s first ones, in the order in which |like| has
// them.
static void order_rows_like(MlirAffineMap map, MlirAffineMap like, uint32_t rows, int *order) {
  int n_dims = (int)mlirAffineMapGetNumDims(map), rank = (int)mlirAffineMapGetNumResults(map);
  for (int i = 1; i < rank && dims_of(mlirAffineMapGetResult(map, order[i]), n_dims) & rows; i++) {
    int dim = order[i], place = place_in(mlirAffineMapGetResult(map, dim), like, rows), at = i;
    for (; at > 0 && place_in(mlirAffineMapGetResult(map, order[at - 1]), like, rows) > place; at--)
      order[at] = order[at - 1];
    order[at] = dim;
  }
}

static void wish_for_contraction(strata_layout_choice_t *layout, const strata_nest_node_t *node) {
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
  int order[STRATA_MAX_DIMS], budget = MAX_MADE, read = lhs_is_constant ? rhs : lhs,
                              stored = buffer_of(layout, c.store->buffer);
  bool is_gpu = strata_target_is_gpu(layout->compile), is_left = is_gpu && is_left_by_values(layout, read),
       is_taken = is_gpu && is_taken_by_values(layout, stored, &budget);
  order_by(data->map, rows, ~rows, order);
  if (is_left && !is_taken)
    order_rows_like(data->map, c.store->map, rows, order);
  wish(layout, read, node->trips, order);
  order_by(c.store->map, rows, ~rows, order);
  if (is_taken && !is_left)
    order_rows_like(c.store->map, data->map, rows, order);
  wish(layout, stored, node->trips, order);
}

//===-- Where an access goes -------------------------------------------------------------------------------------===//

// The nest's dims that |value|, an index, is computed from: of a number that is loaded those of its place.
static uint32_t index_dims(const strata_nest_t *nest, MlirValue value, int depth) {
  uint32_t mask = 0;
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    if (mlirValueEqual(value, nest->dims[dim]))
      return 1u << dim;
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || depth == 0)
    return mlirOperationIsNull(op) ? 0 : ~0u;
  MlirAffineMap map = strata_op_is(op, "affine.load") ? strata_nest_map(nest, op) : (MlirAffineMap){0};
  for (intptr_t i = 0; !mlirAffineMapIsNull(map) && i < mlirAffineMapGetNumResults(map); i++)
    mask |= dims_of(mlirAffineMapGetResult(map, i), strata_nest_n_dims(nest));
  for (intptr_t i = 0; mlirAffineMapIsNull(map) && i < mlirOperationGetNumOperands(op); i++)
    mask |= index_dims(nest, mlirOperationGetOperand(op, i), depth - 1);
  return mask;
}

// The dims along which an access moves, as a map of one dim or a constant for each dim of its buffer. On the cpu it
// says that, too, of rows whose numbers are in memory, each read from place to place of one dim. The null map if it is
// not known.
static MlirAffineMap places_of(const strata_layout_choice_t *layout, const strata_nest_t *nest,
                               const strata_access_t *access) {
  enum { MAX_DEPTH = 8 };
  MlirContext context = layout->compile->context;
  MlirAffineExpr exprs[STRATA_MAX_DIMS];
  int rank = (int)mlirOperationGetNumOperands(access->op) - 1;
  if (!mlirAffineMapIsNull(access->map) || strata_target_is_gpu(layout->compile) ||
      !strata_op_is(access->op, "memref.load"))
    return access->map;
  for (int i = 0; i < rank; i++) {
    uint32_t mask = index_dims(nest, mlirOperationGetOperand(access->op, i + 1), MAX_DEPTH);
    if (mask & (mask - 1))
      return access->map;
    exprs[i] = mask ? mlirAffineDimExprGet(context, __builtin_ctz(mask)) : mlirAffineConstantExprGet(context, 0);
  }
  return mlirAffineMapGet(context, strata_nest_n_dims(nest), 0, rank, exprs);
}

//===-- Passing on -----------------------------------------------------------------------------------------------===//

// The nest's dims in the order in which the buffer behind an access stores them; their number.
static int dims_in_order(const strata_nest_t *nest, MlirAffineMap map, const strata_stored_t *stored, int *out_dims) {
  int count = 0;
  for (int i = 0; i < stored->rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, stored->order[i]);
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      if (!strata_size_is_one(nest->space.sizes[dim]) && strata_affine_expr_uses(expr, dim))
        out_dims[count++] = dim;
  }
  return count;
}

// Where |expr|'s one dim stands in |dims|: -1 for a constant, |count| for anything else.
static int rank_in(const strata_nest_t *nest, MlirAffineExpr expr, const int *dims, int count) {
  int rank = -1;
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
    if (strata_size_is_one(nest->space.sizes[dim]) || !strata_affine_expr_uses(expr, dim))
      continue;
    if (rank >= 0)
      return count;
    for (rank = 0; rank < count && dims[rank] != dim;)
      rank++;
  }
  return rank;
}

// Stores an undecided buffer in the order of |dims|, if each of its dims is one of them.
static void follow(strata_layout_choice_t *layout, const strata_nest_t *nest, const strata_access_t *access, int buffer,
                   const int *dims, int count) {
  strata_stored_t *stored = &layout->buffers[buffer];
  if (!stored->is_free || stored->is_decided)
    return;
  MlirAffineMap map = places_of(layout, nest, access);
  if (mlirAffineMapIsNull(map))
    return;
  int ranks[STRATA_MAX_DIMS];
  for (int i = 0; i < stored->rank; i++) {
    ranks[i] = rank_in(nest, mlirAffineMapGetResult(map, i), dims, count);
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

// True if what is made of |buffer| element by element ends in a result, whose order is given.
static bool ends_in_result(const strata_layout_choice_t *layout, int buffer, int *budget) {
  const strata_ints_t *readers = &layout->graph.buffers.data[buffer].readers;
  for (size_t i = 0; i < readers->count; i++) {
    const strata_nest_node_t *node = &layout->graph.nodes.data[readers->data[i]];
    for (size_t j = 0; node->class == STRATA_NEST_MAP && j < node->buffers.count; j++)
      if (node->nest->accesses[j].is_store && (*budget)-- > 0 &&
          (!layout->buffers[node->buffers.data[j]].is_free || ends_in_result(layout, node->buffers.data[j], budget)))
        return true;
  }
  return false;
}

// True if what |node| finds by numbers in |buffer| had better be stored in another order: it ends in a result, and is
// turned while it is found.
static bool keeps_order(const strata_layout_choice_t *layout, const strata_nest_node_t *node,
                        const strata_access_t *access, int buffer) {
  enum { MAX_LOOKED_AT = 64 };
  int budget = MAX_LOOKED_AT;
  for (size_t i = 0; mlirAffineMapIsNull(access->map) && i < node->buffers.count; i++)
    if (node->nest->accesses[i].is_store && node->buffers.data[i] != buffer &&
        ends_in_result(layout, node->buffers.data[i], &budget))
      return true;
  return false;
}

static void pass_on_through(strata_layout_choice_t *layout, int node, int buffer) {
  const strata_nest_node_t *record = &layout->graph.nodes.data[node];
  if (!passes_on(record))
    return;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_access_t *access = &record->nest->accesses[i];
    MlirAffineMap map = record->buffers.data[i] == buffer ? places_of(layout, record->nest, access) : access->map;
    if (record->buffers.data[i] != buffer || mlirAffineMapIsNull(map) || keeps_order(layout, record, access, buffer))
      continue;
    int dims[STRATA_MAX_DIMS * STRATA_MAX_DIMS];
    int count = dims_in_order(record->nest, map, &layout->buffers[buffer], dims);
    for (size_t j = 0; j < record->buffers.count; j++)
      follow(layout, record->nest, &record->nest->accesses[j], record->buffers.data[j], dims, count);
  }
}

static void pass_on(strata_layout_choice_t *layout) {
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

static bool is_in_order(const strata_stored_t *stored) {
  for (int i = 0; i < stored->rank; i++)
    if (stored->order[i] != i)
      return false;
  return true;
}

static void permute_affine(MlirOperation op, const strata_stored_t *stored) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  MlirAffineExpr results[STRATA_MAX_DIMS];
  for (int i = 0; i < stored->rank; i++)
    results[i] = mlirAffineMapGetResult(map, stored->order[i]);
  MlirAffineMap permuted = mlirAffineMapGet(mlirOperationGetContext(op), mlirAffineMapGetNumDims(map),
                                            mlirAffineMapGetNumSymbols(map), stored->rank, results);
  strata_set_attr(op, "map", mlirAffineMapAttrGet(permuted));
}

static void permute_indices(MlirOperation op, const strata_stored_t *stored, bool is_store) {
  MlirValue indices[STRATA_MAX_DIMS];
  intptr_t first = is_store ? 2 : 1;
  for (int i = 0; i < stored->rank; i++)
    indices[i] = mlirOperationGetOperand(op, first + stored->order[i]);
  for (int i = 0; i < stored->rank; i++)
    mlirOperationSetOperand(op, first + i, indices[i]);
}

static void permute_access(const strata_access_t *access, const strata_stored_t *stored) {
  if (strata_op_is(access->op, "affine.load") || strata_op_is(access->op, "affine.store"))
    permute_affine(access->op, stored);
  else
    permute_indices(access->op, stored, access->is_store);
}

static MlirType permuted_type(MlirValue buffer, const strata_stored_t *stored) {
  strata_size_t sizes[STRATA_MAX_DIMS], permuted[STRATA_MAX_DIMS];
  strata_memref_sizes(buffer, sizes);
  for (int i = 0; i < stored->rank; i++)
    permuted[i] = sizes[stored->order[i]];
  return strata_memref_type_of(mlirShapedTypeGetElementType(mlirValueGetType(buffer)), stored->rank, permuted);
}

static void permute_buffers(strata_layout_choice_t *layout) {
  for (size_t i = 0; i < layout->graph.nodes.count; i++) {
    const strata_nest_node_t *node = &layout->graph.nodes.data[i];
    for (size_t j = 0; j < node->buffers.count; j++) {
      const strata_stored_t *stored = &layout->buffers[node->buffers.data[j]];
      if (!is_in_order(stored))
        permute_access(&node->nest->accesses[j], stored);
    }
  }
  for (size_t i = 0; i < layout->graph.buffers.count; i++) {
    MlirValue value = layout->graph.buffers.data[i].value;
    if (!is_in_order(&layout->buffers[i]))
      strata_buffer_set_type(value, permuted_type(value, &layout->buffers[i]));
  }
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static void init_buffers(strata_layout_choice_t *layout) {
  layout->buffers = strata_arena_array(layout->graph.arena, strata_stored_t, layout->graph.buffers.count);
  int *n_accesses = strata_arena_array(layout->graph.arena, int, layout->graph.buffers.count);
  for (size_t i = 0; i < layout->graph.nodes.count; i++)
    for (size_t j = 0; j < layout->graph.nodes.data[i].buffers.count; j++)
      n_accesses[layout->graph.nodes.data[i].buffers.data[j]]++;
  for (size_t i = 0; i < layout->graph.buffers.count; i++) {
    strata_stored_t *stored = &layout->buffers[i];
    MlirValue value = layout->graph.buffers.data[i].value;
    stored->is_free = layout->graph.buffers.data[i].is_alloc && !strata_nest_has_other_uses(value, n_accesses[i]);
    stored->rank = (int)mlirShapedTypeGetRank(mlirValueGetType(value));
    for (int dim = 0; dim < stored->rank; dim++)
      stored->order[dim] = dim;
  }
}

static strata_status_t lay_out(strata_compile_t *compile, MlirOperation func) {
  strata_layout_choice_t layout = {.compile = compile};
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
  strata_layout_order_nests(&layout);
  return NULL;
}

strata_status_t strata_pass_affine_layout(strata_compile_t *compile) {
  return strata_for_each_nest_function(compile, lay_out);
}
