// Alignment of nests with the outer space of a group; see group.h.
//
// A consumer reads its producer at point Q(c), the inverse of the store applied to the load. If P takes the producer's
// points to outer points, the consumer's outer map is P(Q(c)), provided that it only picks dims: then one iteration of
// the outer loops computes both, and what one hands to the other stays there. From consumer to producer the same
// equation is solved for P.
#include "passes/affine/group.h"
#include "passes/affine/pieces.h"
#include "passes/target.h"

#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"

static MlirContext context_of(const strata_grouping_t *grouping) { return grouping->compile->context; }

static const strata_nest_t *nest_of(const strata_grouping_t *grouping, int node) {
  return grouping->graph.nodes.data[node].nest;
}

MlirAffineMap strata_group_identity(const strata_grouping_t *grouping, int node) {
  const strata_nest_t *nest = nest_of(grouping, node);
  MlirAffineExpr outer[STRATA_MAX_DIMS];
  for (int dim = 0; dim < nest->n_parallel; dim++)
    outer[dim] = strata_size_is_one(nest->space.sizes[dim]) ? mlirAffineConstantExprGet(context_of(grouping), 0)
                                                            : mlirAffineDimExprGet(context_of(grouping), dim);
  return mlirAffineMapGet(context_of(grouping), nest->n_parallel, 0, nest->n_parallel, outer);
}

// True if |expr| is a parallel dim of the nest with this extent.
static bool is_dim_of_size(const strata_nest_t *nest, MlirAffineExpr expr, strata_size_t size) {
  if (!mlirAffineExprIsADim(expr))
    return false;
  int dim = (int)mlirAffineDimExprGetPosition(expr);
  return dim < nest->n_parallel && strata_size_equal(nest->space.sizes[dim], size);
}

// The map, if every outer dim longer than 1 is a dim of its own of the nest.
static MlirAffineMap checked_outer(const strata_grouping_t *grouping, const strata_group_t *group,
                                   const strata_nest_t *nest, MlirAffineExpr *outer) {
  uint32_t seen = 0;
  for (int i = 0; i < group->n_outer; i++) {
    if (strata_size_is_one(group->outer.sizes[i])) {
      outer[i] = mlirAffineConstantExprGet(context_of(grouping), 0);
      continue;
    }
    if (mlirAffineExprIsNull(outer[i]) || !is_dim_of_size(nest, outer[i], group->outer.sizes[i]))
      return (MlirAffineMap){0};
    uint32_t bit = 1u << mlirAffineDimExprGetPosition(outer[i]);
    if (seen & bit)
      return (MlirAffineMap){0};
    seen |= bit;
  }
  return mlirAffineMapGet(context_of(grouping), nest->n_parallel, 0, group->n_outer, outer);
}

static MlirAffineMap outer_of_consumer(const strata_grouping_t *grouping, const strata_group_t *group, int consumer,
                                       const strata_nest_read_t *read) {
  const strata_nest_t *nest = nest_of(grouping, consumer);
  MlirAffineExpr point[STRATA_MAX_DIMS], outer[STRATA_MAX_DIMS];
  if (!strata_nest_graph_point(&grouping->graph, &grouping->graph.nodes.data[consumer], read, point))
    return (MlirAffineMap){0};
  int n_dims = nest->n_parallel + nest->n_reduction;
  int n_point = nest_of(grouping, read->producer)->n_parallel;
  MlirAffineMap at = mlirAffineMapGet(context_of(grouping), n_dims, nest->space.n_symbols, n_point, point);
  MlirAffineMap producer_outer = grouping->nodes[read->producer].outer;
  for (int i = 0; i < group->n_outer; i++)
    outer[i] =
        strata_affine_simplify(mlirAffineExprCompose(mlirAffineMapGetResult(producer_outer, i), at), &nest->space);
  return checked_outer(grouping, group, nest, outer);
}

static MlirAffineMap outer_of_producer(const strata_grouping_t *grouping, const strata_group_t *group, int consumer,
                                       const strata_nest_read_t *read) {
  const strata_nest_t *nest = nest_of(grouping, read->producer);
  MlirAffineExpr point[STRATA_MAX_DIMS], outer[STRATA_MAX_DIMS];
  if (!strata_nest_graph_point(&grouping->graph, &grouping->graph.nodes.data[consumer], read, point))
    return (MlirAffineMap){0};
  for (int i = 0; i < group->n_outer; i++) {
    MlirAffineExpr wanted = mlirAffineMapGetResult(grouping->nodes[consumer].outer, i);
    outer[i] = (MlirAffineExpr){0};
    for (int dim = 0; dim < nest->n_parallel; dim++)
      if (mlirAffineExprEqual(point[dim], wanted))
        outer[i] = mlirAffineDimExprGet(context_of(grouping), dim);
  }
  return checked_outer(grouping, group, nest, outer);
}

// Takes |found| for the outer map, or checks that it is the same; false if not.
static bool agree(MlirAffineMap *outer, MlirAffineMap found) {
  if (mlirAffineMapIsNull(found))
    return false;
  if (mlirAffineMapIsNull(*outer))
    *outer = found;
  return mlirAffineMapEqual(*outer, found);
}

static bool is_aligned_member(const strata_grouping_t *grouping, int group, int node) {
  return strata_group_has(grouping, group, node) && !mlirAffineMapIsNull(grouping->nodes[node].outer);
}

static bool agree_with_reads(const strata_grouping_t *grouping, int group, int reader, int node, MlirAffineMap *outer) {
  const strata_nest_node_t *record = &grouping->graph.nodes.data[reader];
  for (size_t i = 0; i < record->reads.count; i++) {
    const strata_nest_read_t *read = &record->reads.data[i];
    if (read->producer != node)
      continue;
    // A reader that is computed anywhere asks for any point.
    if (mlirAffineMapIsNull(grouping->nodes[reader].outer) ||
        !agree(outer, outer_of_producer(grouping, &grouping->groups.data[group], reader, read)))
      return false;
  }
  return true;
}

MlirAffineMap strata_group_align(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = &grouping->graph.nodes.data[node];
  MlirAffineMap outer = {0};
  for (size_t i = 0; i < record->reads.count; i++) {
    const strata_nest_read_t *read = &record->reads.data[i];
    if (is_aligned_member(grouping, group, read->producer) &&
        !agree(&outer, outer_of_consumer(grouping, &grouping->groups.data[group], node, read)))
      return (MlirAffineMap){0};
  }
  for (size_t i = 0; i < record->after.count; i++)
    if (strata_group_has(grouping, group, record->after.data[i]) &&
        !agree_with_reads(grouping, group, record->after.data[i], node, &outer))
      return (MlirAffineMap){0};
  return outer;
}

// The map picks a dim of its own for every outer dim longer than 1; it remains to count.
bool strata_group_is_bijective(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_t *nest = nest_of(grouping, node);
  const strata_group_t *record = &grouping->groups.data[group];
  int n_long = 0, n_outer_long = 0;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    n_long += !strata_size_is_one(nest->space.sizes[dim]);
  for (int i = 0; i < record->n_outer; i++)
    n_outer_long += !strata_size_is_one(record->outer.sizes[i]);
  return n_long == n_outer_long;
}

bool strata_group_reads_pieces(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = &grouping->graph.nodes.data[node];
  const strata_nest_t *nest = record->nest;
  MlirAffineMap outer = grouping->nodes[node].outer;
  uint32_t inner = 0;
  for (int dim = 0; dim < nest->n_parallel + nest->n_reduction; dim++) {
    inner |= 1u << dim;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(outer); i++)
      if (strata_affine_expr_uses(mlirAffineMapGetResult(outer, i), dim))
        inner &= ~(1u << dim);
  }
  bool is_gpu = strata_target_is_gpu(grouping->compile), reads = false;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_access_t *access = &nest->accesses[i];
    const strata_nest_buffer_t *read = &grouping->graph.buffers.data[record->buffers.data[i]];
    bool is_read = access->is_store || (read->n_stores > 0 && strata_group_has(grouping, group, read->writer));
    for (size_t j = 0; j < read->readers.count; j++)
      is_read |= strata_group_has(grouping, group, read->readers.data[j]);
    int64_t piece = strata_piece_bytes(nest, access, inner);
    // Of single elements neighbouring rows may be read together, as a GPU's threads do.
    bool has_piece = piece > strata_piece_bytes(nest, access, 0) || !is_gpu;
    bool is_short = has_piece && piece < grouping->prices.piece_bytes && read->elements >= record->trips;
    if (!is_gpu && access->is_store && !is_short)
      return false; // what it stores has whole rows: what it reads is turned
    reads |= is_short && !is_read;
  }
  return reads;
}

// True if |reader| reads what |node| makes, or what others make of that element by element; or may do so, far away.
static bool needs(const strata_grouping_t *grouping, int reader, int node, int depth) {
  const strata_nest_node_t *record = &grouping->graph.nodes.data[reader];
  for (size_t i = 0; i < record->reads.count; i++) {
    int producer = record->reads.data[i].producer;
    bool is_between = producer > node && grouping->graph.nodes.data[producer].class == STRATA_NEST_MAP;
    if (producer == node || (is_between && (depth == 0 || needs(grouping, producer, node, depth - 1))))
      return true;
  }
  return false;
}

bool strata_group_follows_rows(const strata_grouping_t *grouping, int group, int node) {
  enum { DEPTH = 6 }; // nests between a reduction and what it needs
  const strata_ints_t *members = &grouping->groups.data[group].members;
  for (size_t i = 0; i < members->count; i++)
    if (grouping->graph.nodes.data[members->data[i]].class == STRATA_NEST_ROW &&
        needs(grouping, members->data[i], node, DEPTH))
      return false;
  return true;
}
