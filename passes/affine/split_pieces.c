// Mean and variance on the cpu of rows that are pieces in memory, as the few channels of a group in each pixel where
// channels lie last: vectors go down what lies side by side of all rows, in parts. Else each task would read pieces of
// lines, in vectors as short as these, and store pieces of lines that others store to.
#include "passes/affine/split_reductions.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/pieces.h"
#include "passes/affine/split_dims.h"
#include "passes/affine/split_moments.h"

#include <math.h>

//===-- Loops that are one ---------------------------------------------------------------------------------------===//

static bool walks_as_one(const strata_nest_t *nest, const strata_access_t *access, int dim) {
  int64_t outer, inner;
  return !strata_sizes_vary(2, nest->space.sizes + dim) && strata_access_stride(nest, access, dim, &outer) &&
         strata_access_stride(nest, access, dim + 1, &inner) &&
         outer == inner * strata_nest_static_extent(nest, dim + 1);
}

// True if another reader of what |access| reads has one dim for the loops of |dim| and the next.
static bool has_one_reader(const strata_nest_graph_t *graph, const strata_nest_node_t *node, const strata_nest_t *nest,
                           const strata_access_t *access, int dim) {
  const strata_ints_t *readers = &graph->buffers.data[node->buffers.data[access - nest->accesses]].readers;
  strata_size_t extent = strata_size_product(nest->space.sizes[dim], nest->space.sizes[dim + 1]);
  int64_t inner, own;
  strata_access_stride(nest, access, dim + 1, &inner);
  for (size_t i = 0; i < readers->count; i++) {
    const strata_nest_t *reader = graph->nodes.data[readers->data[i]].nest;
    const strata_access_t *load =
        reader ? strata_moments_load(&graph->nodes.data[readers->data[i]], access->buffer) : NULL;
    for (int other = 0; load && reader != node->nest && other < strata_nest_n_dims(reader); other++)
      if (strata_size_equal(reader->space.sizes[other], extent) && strata_access_stride(reader, load, other, &own) &&
          own == inner)
        return true;
  }
  return false;
}

// True if the loops of |dim| and the next one only sum up what is walked as one, and is elsewhere.
static bool are_one(const strata_nest_graph_t *graph, const strata_nest_node_t *node, const strata_nest_t *nest,
                    int dim) {
  int loop = dim - nest->n_parallel;
  bool is_walked = false;
  for (int i = 0; i < nest->n_accesses; i++) {
    const strata_access_t *access = &nest->accesses[i];
    if (!mlirOperationIsNull(access->guard) || !walks_as_one(nest, access, dim))
      return false;
    is_walked |= !access->is_store && has_one_reader(graph, node, nest, access, dim);
  }
  return is_walked && strata_loop_is_perfect(nest->loops[loop], nest->loops[loop + 1]);
}

// Makes one of the loop of |dim| and the next.
static void merge(const strata_nest_t *nest, int dim) {
  MlirContext context = mlirOperationGetContext(nest->op);
  MlirAffineExpr dims[STRATA_MAX_DIMS], size = strata_size_expr(context, nest->space.sizes[dim + 1]);
  strata_size_t sizes[STRATA_MAX_DIMS];
  for (int i = 0; i < strata_nest_n_dims(nest); i++) {
    dims[i] = mlirAffineDimExprGet(context, i);
    sizes[i] = nest->space.sizes[i];
  }
  dims[dim] = mlirAffineFloorDivExprGet(dims[dim + 1], size);
  dims[dim + 1] = mlirAffineModExprGet(dims[dim + 1], size);
  sizes[dim + 1] = strata_size_product(sizes[dim + 1], sizes[dim]);
  sizes[dim] = strata_size_constant(1);
  strata_space_t space = nest->space;
  space.sizes = sizes;
  MlirAffineMap apart = mlirAffineMapGet(context, strata_nest_n_dims(nest), 0, strata_nest_n_dims(nest), dims);
  for (int i = 0; i < nest->n_accesses; i++)
    strata_nest_set_map(nest->accesses[i].op, strata_affine_compose(nest->accesses[i].map, apart, &space), nest->dims);
  strata_loop_set_size(nest->loops[dim - nest->n_parallel + 1], sizes[dim + 1]);
  strata_loop_inline(nest->loops[dim - nest->n_parallel]);
}

// Merges the loops of a sum of one load where others walk what it reads as one: dims of an image that was computed in
// phases.
static strata_status_t merge_loops(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                   const strata_nest_node_t *node, bool *out_any) {
  strata_nest_t nest = *node->nest;
  for (int i = 0; i < nest.n_accesses; i++)
    if (mlirAffineMapIsNull(nest.accesses[i].map))
      return NULL;
  for (int dim = nest.n_parallel; nest.n_accesses == 2 && dim + 1 < strata_nest_n_dims(&nest);) {
    if (!are_one(graph, node, &nest, dim)) {
      dim++;
      continue;
    }
    merge(&nest, dim);
    *out_any = true;
    STRATA_TRY(strata_nest_read(compile->arena, nest.op, &nest));
  }
  return NULL;
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

// Parts of each row that lies in pieces shorter than a vector, beside those of its neighbours. 0: the row is read well
// as it is, or is not worth two kernels more.
static double parts_of_pieces(const strata_cpu_device_t *device, const strata_moments_t *m, bool *out_is_across) {
  enum { TASKS = 64, MIN_PART = 32, MIN_BYTES = 1 << 17 };
  const strata_nest_t *sum = m->sum->nest;
  uint32_t loops = ((1u << strata_nest_n_dims(sum)) - 1) & ~((1u << sum->n_parallel) - 1);
  int64_t element = strata_piece_bytes(sum, m->x, 0), piece = strata_piece_bytes(sum, m->x, loops), stride;
  bool has_neighbours = false;
  for (int dim = 0; dim < sum->n_parallel; dim++)
    has_neighbours |= !strata_size_is_one(sum->space.sizes[dim]) && strata_access_stride(sum, m->x, dim, &stride) &&
                      stride * element == piece;
  double columns = (double)(piece / element), length = m->sum->trips / m->sum->points / columns;
  double parts = fmin(TASKS, length / MIN_PART);
  bool is_worth_it = parts >= 2 && m->sum->trips * (double)element >= MIN_BYTES;
  *out_is_across = piece == element;
  return has_neighbours && piece < device->vector_bytes && is_worth_it ? parts * columns : 0;
}

static strata_status_t prepare_sums(strata_compile_t *compile, MlirOperation func, strata_nest_graph_t *out_graph) {
  bool any = false;
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, out_graph));
  for (size_t i = 0; i < out_graph->nodes.count; i++)
    if (strata_split_is_possible(&out_graph->nodes.data[i]) && out_graph->nodes.data[i].class == STRATA_NEST_ROW)
      STRATA_TRY(merge_loops(compile, out_graph, &out_graph->nodes.data[i], &any));
  return any ? strata_nest_graph_read(compile->arena, func, out_graph) : NULL;
}

strata_status_t strata_split_pieces(strata_compile_t *compile, MlirOperation func) {
  const strata_cpu_device_t *device;
  strata_nest_graph_t graph;
  bool is_split = false;
  STRATA_TRY(strata_cpu_device(compile, &device));
  STRATA_TRY(prepare_sums(compile, func, &graph));
  bool *is_done = strata_arena_array(compile->arena, bool, graph.nodes.count); // split with another one
  for (size_t i = 0; i < graph.nodes.count; i++) {
    strata_moments_t m;
    bool is_across;
    int squares = -1;
    if (is_done[i] || !strata_split_is_possible(&graph.nodes.data[i]) || !strata_moments_find(&graph, (int)i, &m))
      continue;
    double parts = parts_of_pieces(device, &m, &is_across);
    if (parts > 0)
      STRATA_TRY(strata_split_moments(compile, &graph, (int)i, parts,
                                      is_across ? STRATA_PARTS_ACROSS : STRATA_PARTS_COLUMNS, &squares));
    if (squares >= 0)
      is_split = is_done[squares] = true;
  }
  return is_split ? strata_split_dims(compile, func) : NULL;
}
