// affine-coalesce: in every kernel, dims of extent 1 go, and neighbouring dims that all accesses walk as one become
// one; the kernel's buffers lose those dims with them.
//
//   affine.parallel (%i, %j) = (0, 0) to (8, 64) { load %x[0, %i, %j]  store %y[%i, %j] }
// becomes
//   affine.parallel (%n) = (0) to (512) { load %x[%n]  store %y[%n] }
// and the call
//   %x1 = memref.collapse_shape %x [[0, 1, 2]]   %y1 = memref.collapse_shape %y [[0, 1]]   func.call @k(%x1, %y1)
//
// A pair of dims merges if every expression has their coefficients in the ratio of the second one's extent. Whatever
// is decided must hold on both sides of a buffer made and read in the kernel, so that producers and consumers keep
// walking the same points. All pairs are taken for mergeable first; those that turn out not to be are withdrawn until
// nothing changes.
#include "passes/affine/coalesce.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/nest.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <string.h>

static const strata_nest_t *nest_of(const strata_coalescing_t *coalescing, int node) {
  return coalescing->graph.nodes.data[node].nest;
}

int strata_coalesce_next(uint32_t mask, int dim) {
  for (int next = dim + 1; next < STRATA_MAX_DIMS; next++)
    if (strata_mask_has(mask, next))
      return next;
  return -1;
}

int strata_coalesce_next_dim(const strata_coalescing_t *coalescing, int node, int dim) {
  int next = strata_coalesce_next(coalescing->nests[node].kept, dim),
      n_parallel = nest_of(coalescing, node)->n_parallel;
  return (dim < n_parallel) == (next < n_parallel) ? next : -1;
}

//===-- What a nest's expressions allow --------------------------------------------------------------------------===//

MlirAffineMap strata_coalesce_conditions(const strata_nest_t *nest, MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(op, "condition"));
  MlirAffineExpr inputs[2 * STRATA_MAX_DIMS], constraints[2 * STRATA_MAX_DIMS];
  intptr_t n_inputs = mlirIntegerSetGetNumInputs(set), n_constraints = mlirIntegerSetGetNumConstraints(set);
  if (n_inputs > 2 * STRATA_MAX_DIMS || n_constraints > 2 * STRATA_MAX_DIMS)
    return (MlirAffineMap){0};
  for (intptr_t i = 0; i < n_inputs; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    int symbol = strata_symbol_of_value(operand);
    inputs[i] = symbol >= 0 ? mlirAffineSymbolExprGet(context, symbol) : (MlirAffineExpr){0};
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      if (mlirValueEqual(operand, nest->dims[dim]))
        inputs[i] = mlirAffineDimExprGet(context, dim);
    if (mlirAffineExprIsNull(inputs[i]))
      return (MlirAffineMap){0};
  }
  for (intptr_t i = 0; i < n_constraints; i++)
    constraints[i] = mlirIntegerSetGetConstraint(set, i);
  MlirAffineMap map = mlirAffineMapGet(context, mlirIntegerSetGetNumDims(set), mlirIntegerSetGetNumSymbols(set),
                                       n_constraints, constraints);
  for (intptr_t i = 0; i < n_constraints; i++)
    constraints[i] = strata_affine_apply(map, i, inputs, strata_nest_n_dims(nest), nest->space.n_symbols);
  return mlirAffineMapGet(context, strata_nest_n_dims(nest), nest->space.n_symbols, n_constraints, constraints);
}

MlirAffineMap strata_coalesce_map(const strata_nest_t *nest, MlirOperation op) {
  if (strata_op_is(op, "affine.load") || strata_op_is(op, "affine.store") || strata_op_is(op, "affine.apply"))
    return strata_nest_map(nest, op);
  return strata_op_is(op, "affine.if") ? strata_coalesce_conditions(nest, op) : (MlirAffineMap){0};
}

typedef struct {
  strata_coalescing_t *coalescing;
  int node;
  uint32_t pinned; // dims used as numbers, or in expressions that cannot be rewritten
} inspector_t;

static MlirWalkResult find_pinned(MlirOperation op, void *user) {
  inspector_t *inspector = user;
  const strata_nest_t *nest = nest_of(inspector->coalescing, inspector->node);
  if (!mlirAffineMapIsNull(strata_coalesce_map(nest, op)))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      if (mlirValueEqual(mlirOperationGetOperand(op, i), nest->dims[dim]))
        inspector->pinned |= 1u << dim;
  return MlirWalkResultAdvance;
}

static MlirAffineExpr extent_of(const strata_nest_t *nest, int dim) {
  return strata_size_expr(mlirOperationGetContext(nest->op), nest->space.sizes[dim]);
}

// expr depends on dim * extent(next) + next alone.
static bool walks_as_one(const strata_nest_t *nest, MlirAffineExpr expr, int dim, int next) {
  MlirAffineExpr first, second;
  if (!strata_affine_size_coefficient(expr, dim, &first) || !strata_affine_size_coefficient(expr, next, &second))
    return false;
  MlirAffineExpr product = mlirAffineMulExprGet(second, extent_of(nest, next));
  return mlirAffineExprEqual(strata_affine_simplify(first, &nest->space),
                             strata_affine_simplify(product, &nest->space));
}

// Withdraws the pairs that an expression of the nest does not walk as one.
static void inspect_expr(const inspector_t *inspector, MlirAffineExpr expr) {
  strata_coalesced_nest_t *record = &inspector->coalescing->nests[inspector->node];
  const strata_nest_t *nest = nest_of(inspector->coalescing, inspector->node);
  for (int dim = strata_coalesce_next(record->merged, -1); dim >= 0; dim = strata_coalesce_next(record->merged, dim))
    if (!walks_as_one(nest, expr, dim, strata_coalesce_next_dim(inspector->coalescing, inspector->node, dim)))
      record->merged &= ~(1u << dim);
}

static MlirWalkResult inspect_op(MlirOperation op, void *user) {
  const inspector_t *inspector = user;
  const strata_nest_t *nest = nest_of(inspector->coalescing, inspector->node);
  MlirAffineMap map = strata_coalesce_map(nest, op);
  if (mlirAffineMapIsNull(map))
    return MlirWalkResultAdvance;
  bool is_access = strata_op_is(op, "affine.load") || strata_op_is(op, "affine.store");
  if (is_access) {
    strata_size_t sizes[STRATA_MAX_DIMS];
    strata_memref_sizes(mlirOperationGetOperand(op, strata_op_is(op, "affine.store") ? 1 : 0), sizes);
    inspect_expr(inspector, strata_affine_linearize(map, sizes, &nest->space));
  }
  for (intptr_t i = 0; !is_access && i < mlirAffineMapGetNumResults(map); i++)
    inspect_expr(inspector, mlirAffineMapGetResult(map, i));
  return MlirWalkResultAdvance;
}

static bool has_reductions(const strata_coalescing_t *coalescing) {
  for (size_t i = 0; i < coalescing->graph.nodes.count; i++)
    if (coalescing->graph.nodes.data[i].nest->n_reduction > 0)
      return true;
  return false;
}

// Of a kernel that is no plain walk, many points whose number is known are better off on a cpu beside those whose
// number varies: what is left over of tiles of them is known. A GPU's tiles are cut by the copy engine or by masks in
// any case, and as one number the rows of a product are not divided to find them.
static bool should_merge(const strata_coalescing_t *coalescing, strata_size_t outer, strata_size_t inner) {
  enum { MANY = 16 };
  int64_t known;
  bool is_mixed = strata_size_varies(outer) != strata_size_varies(inner);
  if (strata_size_is_one(outer) || strata_size_is_one(inner))
    return false;
  return !is_mixed || strata_target_is_gpu(coalescing->compile) || !has_reductions(coalescing) ||
         strata_schedule_read(coalescing->graph.func).kind == STRATA_KERNEL_ATTENTION ||
         !strata_size_is_constant(strata_size_varies(outer) ? inner : outer, &known) || known < MANY;
}

static void inspect_nest(strata_coalescing_t *coalescing, int node) {
  const strata_nest_t *nest = nest_of(coalescing, node);
  strata_coalesced_nest_t *record = &coalescing->nests[node];
  inspector_t inspector = {.coalescing = coalescing, .node = node};
  mlirOperationWalk(nest->op, find_pinned, &inspector, MlirWalkPreOrder);
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    if (!strata_size_is_one(nest->space.sizes[dim]) || strata_mask_has(inspector.pinned, dim))
      record->kept |= 1u << dim;
  if ((record->kept & ((1u << nest->n_parallel) - 1)) == 0)
    record->kept |= 1u << (nest->n_parallel - 1); // a nest has at least one parallel dim
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
    int next = strata_coalesce_next_dim(coalescing, node, dim);
    if (!strata_mask_has(record->kept & ~inspector.pinned, dim) || next < 0 || strata_mask_has(inspector.pinned, next))
      continue;
    bool is_reduction = dim >= nest->n_parallel;
    bool merges = should_merge(coalescing, nest->space.sizes[dim], nest->space.sizes[next]);
    for (int loop = dim; is_reduction && merges && loop < next; loop++)
      merges = strata_loop_is_perfect(nest->loops[loop - nest->n_parallel], nest->loops[loop - nest->n_parallel + 1]);
    record->merged |= merges ? 1u << dim : 0;
  }
  mlirOperationWalk(nest->op, inspect_op, &inspector, MlirWalkPreOrder);
}

//===-- What buffers allow ---------------------------------------------------------------------------------------===//

static void inspect_buffer(strata_coalescing_t *coalescing, int buffer) {
  strata_coalesced_buffer_t *record = &coalescing->buffers[buffer];
  record->rank = strata_memref_sizes(coalescing->graph.buffers.data[buffer].value, record->sizes);
  for (int dim = 0; dim < record->rank; dim++)
    record->long_dims |= strata_size_is_one(record->sizes[dim]) ? 0 : 1u << dim;
}

typedef struct {
  int node, buffer;
  MlirAffineMap map;
} use_t;

// Calls |visit| for every access of the kernel.
typedef bool (*visit_use_t)(strata_coalescing_t *coalescing, const use_t *use);
static bool for_each_use(strata_coalescing_t *coalescing, visit_use_t visit) {
  bool changed = false;
  for (int node = 0; node < (int)coalescing->graph.nodes.count; node++) {
    const strata_nest_node_t *record = &coalescing->graph.nodes.data[node];
    for (size_t i = 0; i < record->buffers.count; i++)
      changed |= visit(coalescing, &(use_t){node, record->buffers.data[i], record->nest->accesses[i].map});
  }
  return changed;
}

// Sizes of 1 that are addressed with more than 0 (padding), and types that other ops rely on.
static bool find_long_dims(strata_coalescing_t *coalescing, const use_t *use) {
  strata_coalesced_buffer_t *buffer = &coalescing->buffers[use->buffer];
  buffer->is_fixed |= mlirAffineMapIsNull(use->map);
  for (int dim = 0; dim < buffer->rank && !mlirAffineMapIsNull(use->map); dim++) {
    if (!strata_expr_is_zero(mlirAffineMapGetResult(use->map, dim)))
      buffer->long_dims |= 1u << dim;
  }
  return false;
}

// True if the two coordinates are quotient and remainder of one number.
static bool are_digits(const strata_coalescing_t *coalescing, const use_t *use, int first, int second) {
  const strata_nest_t *nest = nest_of(coalescing, use->node);
  MlirAffineExpr high = mlirAffineMapGetResult(use->map, first), low = mlirAffineMapGetResult(use->map, second);
  if (!strata_affine_has_division(high) && !strata_affine_has_division(low))
    return false;
  MlirAffineExpr size = strata_size_expr(coalescing->compile->context, coalescing->buffers[use->buffer].sizes[second]);
  MlirAffineExpr scaled = mlirAffineMulExprGet(high, size);
  return !strata_affine_has_division(strata_affine_simplify(mlirAffineAddExprGet(scaled, low), &nest->space));
}

// True if |expr| is |dim|, or a number of which that is the last digit.
static bool ends_with(const strata_nest_t *nest, MlirAffineExpr expr, int dim) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr digit = mlirAffineDimExprGet(context, dim);
  MlirAffineExpr last = strata_affine_simplify(mlirAffineModExprGet(expr, extent_of(nest, dim)), &nest->space);
  return mlirAffineExprEqual(last, digit);
}

// True if the two coordinates are one number: digits of it, or a merged pair of dims, the first alone or behind others.
static bool is_bridged(const strata_coalescing_t *coalescing, const use_t *use, int first, int second) {
  MlirAffineExpr high = mlirAffineMapGetResult(use->map, first);
  int next = strata_expr_dim(mlirAffineMapGetResult(use->map, second));
  uint32_t merged = coalescing->nests[use->node].merged;
  for (int dim = strata_coalesce_next(merged, -1); dim >= 0 && next >= 0; dim = strata_coalesce_next(merged, dim))
    if (strata_coalesce_next_dim(coalescing, use->node, dim) == next && strata_affine_expr_uses(high, dim))
      return strata_expr_dim(high) == dim || ends_with(nest_of(coalescing, use->node), high, dim);
  return are_digits(coalescing, use, first, second);
}

// Closes the boundaries between dims that an access walks apart.
static bool close_boundaries(strata_coalescing_t *coalescing, const use_t *use) {
  strata_coalesced_buffer_t *buffer = &coalescing->buffers[use->buffer];
  uint32_t open = buffer->open;
  for (int dim = strata_coalesce_next(open, -1); dim >= 0 && !buffer->is_fixed; dim = strata_coalesce_next(open, dim)) {
    int next = strata_coalesce_next(buffer->long_dims, dim);
    bool is_constant = mlirAffineExprIsAConstant(mlirAffineMapGetResult(use->map, dim)) ||
                       mlirAffineExprIsAConstant(mlirAffineMapGetResult(use->map, next));
    if (!is_constant && !is_bridged(coalescing, use, dim, next))
      buffer->open &= ~(1u << dim);
  }
  return buffer->open != open;
}

// True if each coordinate walks the pair as one, or those that do not become one coordinate that does.
static bool can_cross(const strata_coalescing_t *coalescing, const use_t *use, int dim, int next) {
  const strata_coalesced_buffer_t *buffer = &coalescing->buffers[use->buffer];
  const strata_nest_t *nest = nest_of(coalescing, use->node);
  int first = -1, last = -1;
  for (int i = 0; i < buffer->rank && !mlirAffineMapIsNull(use->map); i++) {
    if (walks_as_one(nest, mlirAffineMapGetResult(use->map, i), dim, next))
      continue;
    first = first < 0 ? i : first;
    last = i;
  }
  if (first < 0)
    return true;
  MlirAffineExpr joined = mlirAffineMapGetResult(use->map, first);
  for (int at = first; at != last; at = strata_coalesce_next(buffer->long_dims, at)) {
    if (!strata_mask_has(buffer->open, at))
      return false;
    int after = strata_coalesce_next(buffer->long_dims, at);
    MlirAffineExpr size = strata_size_expr(coalescing->compile->context, buffer->sizes[after]);
    joined = mlirAffineAddExprGet(mlirAffineMulExprGet(joined, size), mlirAffineMapGetResult(use->map, after));
  }
  return walks_as_one(nest, strata_affine_simplify(joined, &nest->space), dim, next);
}

static bool withdraw_uncrossable(strata_coalescing_t *coalescing, const use_t *use) {
  strata_coalesced_nest_t *nest = &coalescing->nests[use->node];
  uint32_t merged = nest->merged;
  for (int dim = strata_coalesce_next(merged, -1); dim >= 0; dim = strata_coalesce_next(merged, dim))
    if (!can_cross(coalescing, use, dim, strata_coalesce_next_dim(coalescing, use->node, dim)))
      nest->merged &= ~(1u << dim);
  return nest->merged != merged;
}

static bool want_boundaries(strata_coalescing_t *coalescing, const use_t *use) {
  strata_coalesced_buffer_t *buffer = &coalescing->buffers[use->buffer];
  for (int dim = strata_coalesce_next(buffer->open, -1); dim >= 0; dim = strata_coalesce_next(buffer->open, dim))
    if (!mlirAffineMapIsNull(use->map) &&
        is_bridged(coalescing, use, dim, strata_coalesce_next(buffer->long_dims, dim)))
      buffer->wanted |= 1u << dim;
  return false;
}

//===-- What producers and consumers allow -----------------------------------------------------------------------===//

// The pair (dim, next) of the consumer, where it occurs in the producer's point, must be a merged pair there, or one
// number already.
static bool consumer_pair_holds(const strata_coalescing_t *coalescing, int consumer, int producer,
                                const MlirAffineExpr *point, int dim, int next) {
  const strata_nest_t *nest = nest_of(coalescing, producer);
  for (int i = 0; i < nest->n_parallel; i++) {
    if (walks_as_one(nest_of(coalescing, consumer), point[i], dim, next))
      continue;
    if (strata_affine_expr_uses(point[i], dim)) {
      int after = strata_coalesce_next_dim(coalescing, producer, i);
      if (strata_expr_dim(point[i]) != dim || !strata_mask_has(coalescing->nests[producer].merged, i) ||
          strata_expr_dim(point[after]) != next)
        return false;
    }
    if (strata_affine_expr_uses(point[i], next) && strata_expr_dim(point[i]) != next)
      return false;
  }
  return true;
}

// True if the producer's pair is read at quotient and remainder of one number.
static bool is_read_at_digits(const strata_coalescing_t *coalescing, int consumer, int producer,
                              const MlirAffineExpr *point, int dim, int next) {
  const strata_nest_t *nest = nest_of(coalescing, consumer);
  if (!strata_affine_has_division(point[dim]) || !strata_affine_has_division(point[next]))
    return false;
  MlirAffineExpr size = extent_of(nest_of(coalescing, producer), next);
  MlirAffineExpr joined = mlirAffineAddExprGet(mlirAffineMulExprGet(point[dim], size), point[next]);
  return !strata_affine_has_division(strata_affine_simplify(joined, &nest->space));
}

// The pair (dim, next) of the producer must be read at a merged pair, at one number, or at one place.
static bool producer_pair_holds(const strata_coalescing_t *coalescing, int consumer, int producer,
                                const MlirAffineExpr *point, int dim, int next) {
  if (mlirAffineExprIsAConstant(point[dim]) && mlirAffineExprIsAConstant(point[next]))
    return true;
  if (is_read_at_digits(coalescing, consumer, producer, point, dim, next))
    return true;
  int first = strata_expr_dim(point[dim]), second = strata_expr_dim(point[next]);
  return first >= 0 && second >= 0 && strata_mask_has(coalescing->nests[consumer].merged, first) &&
         strata_coalesce_next_dim(coalescing, consumer, first) == second;
}

static bool withdraw_for_read(strata_coalescing_t *coalescing, int consumer, const strata_nest_read_t *read) {
  MlirAffineExpr point[STRATA_MAX_DIMS];
  if (!strata_nest_graph_point(&coalescing->graph, &coalescing->graph.nodes.data[consumer], read, point))
    return false;
  uint32_t *merged = &coalescing->nests[consumer].merged, before = *merged;
  uint32_t *producer_merged = &coalescing->nests[read->producer].merged, producer_before = *producer_merged;
  uint32_t parallel = (1u << nest_of(coalescing, read->producer)->n_parallel) - 1; // the dims of |point|
  for (int dim = strata_coalesce_next(before, -1); dim >= 0; dim = strata_coalesce_next(before, dim))
    if (!consumer_pair_holds(coalescing, consumer, read->producer, point, dim,
                             strata_coalesce_next_dim(coalescing, consumer, dim)))
      *merged &= ~(1u << dim);
  for (int dim = strata_coalesce_next(producer_before & parallel, -1); dim >= 0;
       dim = strata_coalesce_next(producer_before & parallel, dim))
    if (!producer_pair_holds(coalescing, consumer, read->producer, point, dim,
                             strata_coalesce_next_dim(coalescing, read->producer, dim)))
      *producer_merged &= ~(1u << dim);
  return *merged != before || *producer_merged != producer_before;
}

static bool withdraw_for_reads(strata_coalescing_t *coalescing) {
  bool changed = false;
  for (int node = 0; node < (int)coalescing->graph.nodes.count; node++) {
    const strata_nest_node_t *record = &coalescing->graph.nodes.data[node];
    for (size_t i = 0; i < record->reads.count; i++)
      changed |= withdraw_for_read(coalescing, node, &record->reads.data[i]);
  }
  return changed;
}

//===-- What nests beside one another allow ----------------------------------------------------------------------===//

static bool walk_one_space(const strata_nest_t *a, const strata_nest_t *b) {
  return a->n_parallel == b->n_parallel && a->n_reduction == 0 && b->n_reduction == 0 &&
         strata_sizes_equal(a->n_parallel, a->space.sizes, b->space.sizes);
}

// Roots of one kernel that walk the same points must go on doing so, though no buffer lies between them: a broadcast
// of one number would merge all its dims.
static bool withdraw_for_siblings(strata_coalescing_t *coalescing) {
  bool changed = false;
  int n = (int)coalescing->graph.nodes.count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      uint32_t both = coalescing->nests[i].merged & coalescing->nests[j].merged;
      if (both == coalescing->nests[i].merged || !walk_one_space(nest_of(coalescing, i), nest_of(coalescing, j)))
        continue;
      coalescing->nests[i].merged = both;
      changed = true;
    }
  return changed;
}

//===-- Deciding -------------------------------------------------------------------------------------------------===//

int strata_coalesce_groups(const strata_coalesced_buffer_t *buffer, int *out_group) {
  int group = 0, last = -1; // the long dim before
  for (int dim = 0; dim < buffer->rank; dim++) {
    bool is_long = strata_mask_has(buffer->long_dims, dim);
    if (buffer->is_fixed ? dim > 0 : is_long && last >= 0 && !strata_mask_has(buffer->wanted, last))
      group++;
    if (is_long)
      last = dim;
    out_group[dim] = group;
  }
  return buffer->rank == 0 ? 0 : group + 1;
}

// Maps that say 0 for dims of extent 1.
static void simplify_maps(strata_coalescing_t *coalescing) {
  for (size_t i = 0; i < coalescing->graph.nodes.count; i++) {
    strata_nest_t *nest = coalescing->graph.nodes.data[i].nest;
    for (int j = 0; j < nest->n_accesses; j++)
      if (!mlirAffineMapIsNull(nest->accesses[j].map))
        nest->accesses[j].map = strata_affine_simplify_map(nest->accesses[j].map, &nest->space);
  }
}

static void decide(strata_coalescing_t *coalescing) {
  int n_nodes = (int)coalescing->graph.nodes.count, n_buffers = (int)coalescing->graph.buffers.count;
  coalescing->nests = strata_arena_array(coalescing->graph.arena, strata_coalesced_nest_t, n_nodes);
  coalescing->buffers = strata_arena_array(coalescing->graph.arena, strata_coalesced_buffer_t, n_buffers);
  simplify_maps(coalescing);
  for (int node = 0; node < n_nodes; node++)
    inspect_nest(coalescing, node);
  for (int buffer = 0; buffer < n_buffers; buffer++)
    inspect_buffer(coalescing, buffer);
  for_each_use(coalescing, find_long_dims);
  for (int i = 0; i < n_buffers; i++) {
    strata_coalesced_buffer_t *buffer = &coalescing->buffers[i];
    for (int dim = 0; dim < buffer->rank && !buffer->is_fixed; dim++)
      if (strata_mask_has(buffer->long_dims, dim) && strata_coalesce_next(buffer->long_dims, dim) >= 0)
        buffer->open |= 1u << dim;
  }
  for (bool changed = true; changed;) {
    changed = for_each_use(coalescing, close_boundaries);
    changed |= for_each_use(coalescing, withdraw_uncrossable);
    changed |= withdraw_for_reads(coalescing);
    changed |= withdraw_for_siblings(coalescing);
  }
  for_each_use(coalescing, want_boundaries);
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static bool has_serial_nest(const strata_nest_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++)
    if (!graph->nodes.data[i].nest || graph->nodes.data[i].nest->is_serial)
      return true;
  return false;
}

// *out_done is false for a kernel whose dims stay as they are.
static strata_status_t coalesce(strata_coalescing_t *coalescing, MlirOperation func, bool *out_done) {
  STRATA_TRY(strata_nest_graph_read(coalescing->compile->arena, func, &coalescing->graph));
  *out_done = !has_serial_nest(&coalescing->graph);
  if (!*out_done)
    return NULL;
  decide(coalescing);
  strata_coalesce_apply(coalescing);
  return NULL;
}

strata_status_t strata_coalesce_kernel(strata_compile_t *compile, MlirOperation func) {
  strata_coalescing_t coalescing = {.compile = compile};
  bool done;
  return coalesce(&coalescing, func, &done);
}

static strata_status_t coalesce_called(strata_compile_t *compile, strata_coalesced_calls_t *calls, MlirOperation func) {
  strata_coalescing_t coalescing = {.compile = compile};
  bool done;
  STRATA_TRY(coalesce(&coalescing, func, &done));
  if (done)
    strata_coalesced_calls_add(calls, &coalescing);
  return NULL;
}

strata_status_t strata_pass_affine_coalesce(strata_compile_t *compile) {
  strata_coalesced_calls_t *calls = strata_coalesced_calls_create(compile);
  MlirBlock module = mlirModuleGetBody(compile->module);
  for (MlirOperation op = mlirBlockGetFirstOperation(module); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_kernel(op))
      STRATA_TRY(coalesce_called(compile, calls, op));
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(functions.data[i])); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (strata_op_is(op, "func.call"))
        strata_coalesced_calls_rewrite(calls, op);
  return NULL;
}
