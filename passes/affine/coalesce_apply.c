// Carries out what affine-coalesce has decided; see coalesce.h.
#include "passes/affine/coalesce.h"

#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/nest_edit.h"

typedef struct {
  const strata_coalescing_t *coalescing;
  const strata_nest_t *nest;
  int n_dims, n_parallel;               // after
  strata_size_t sizes[STRATA_MAX_DIMS]; // after
  int carrier[STRATA_MAX_DIMS];         // of the new dims: the old dim that goes on
  MlirAffineMap old_dims;               // new dims -> old dims, right for the expressions that allow it
} rewrite_t;

static rewrite_t plan_rewrite(const strata_coalescing_t *coalescing, int node) {
  MlirContext context = coalescing->compile->context;
  const strata_coalesced_nest_t *record = &coalescing->nests[node];
  rewrite_t r = {.coalescing = coalescing, .nest = coalescing->graph.nodes.data[node].nest};
  MlirAffineExpr old_dims[STRATA_MAX_DIMS];
  strata_size_t size = strata_size_constant(1);
  int n_old = r.nest->n_parallel + r.nest->n_reduction;
  for (int dim = 0; dim < n_old; dim++) {
    old_dims[dim] = mlirAffineConstantExprGet(context, 0);
    size = strata_size_product(size, r.nest->space.sizes[dim]);
    if (!strata_mask_has(record->kept & ~record->merged, dim))
      continue; // dropped, or a part of the next one
    old_dims[dim] = mlirAffineDimExprGet(context, r.n_dims);
    r.carrier[r.n_dims] = dim;
    r.sizes[r.n_dims++] = size;
    r.n_parallel += dim < r.nest->n_parallel;
    size = strata_size_constant(1);
  }
  r.old_dims = mlirAffineMapGet(context, r.n_dims, 0, n_old, old_dims);
  return r;
}

// The coordinates of an access in the new shape of its buffer, over the old dims' |space|; simplified, for merged dims
// are replaced as if one by one.
static MlirAffineMap in_new_shape(const strata_coalescing_t *coalescing, int buffer, MlirAffineMap map,
                                  const strata_space_t *space) {
  const strata_coalesced_buffer_t *record = &coalescing->buffers[buffer];
  MlirContext context = coalescing->compile->context;
  MlirAffineExpr results[STRATA_MAX_DIMS];
  int group[STRATA_MAX_DIMS], rank = strata_coalesce_groups(record, group);
  for (int i = 0; i < rank; i++)
    results[i] = mlirAffineConstantExprGet(context, 0);
  for (int dim = 0; dim < record->rank; dim++) {
    MlirAffineExpr size = strata_size_expr(context, record->sizes[dim]);
    results[group[dim]] =
        mlirAffineAddExprGet(mlirAffineMulExprGet(results[group[dim]], size), mlirAffineMapGetResult(map, dim));
  }
  return strata_affine_simplify_map(
      mlirAffineMapGet(context, mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map), rank, results), space);
}

static void set_map(const rewrite_t *r, MlirOperation op, MlirAffineMap map) {
  MlirValue dims[STRATA_MAX_DIMS];
  for (int i = 0; i < r->n_dims; i++)
    dims[i] = r->nest->dims[r->carrier[i]];
  strata_space_t space = r->nest->space;
  space.n_dims = r->n_dims;
  space.sizes = r->sizes;
  strata_nest_set_map(op, strata_affine_compose(map, r->old_dims, &space), dims);
}

static MlirWalkResult rewrite_op(MlirOperation op, void *user) {
  const rewrite_t *r = user;
  if (strata_op_is(op, "affine.apply")) {
    set_map(r, op, strata_nest_map(r->nest, op));
  } else if (strata_op_is(op, "affine.if")) {
    MlirAffineMap conditions = strata_coalesce_conditions(r->nest, op);
    if (!mlirAffineMapIsNull(conditions))
      set_map(r, op, conditions);
  }
  return MlirWalkResultAdvance;
}

static void rewrite_loops(const rewrite_t *r) {
  const strata_nest_t *nest = r->nest;
  bool stays[STRATA_MAX_DIMS] = {false};
  for (int i = 0; i < r->n_dims; i++) {
    stays[r->carrier[i]] = true;
    if (i >= r->n_parallel)
      strata_loop_set_size(nest->loops[r->carrier[i] - nest->n_parallel], r->sizes[i]);
  }
  for (int i = 0; i < nest->n_reduction; i++)
    if (!stays[nest->n_parallel + i])
      strata_loop_inline(nest->loops[i]);
  for (int dim = nest->n_parallel; dim-- > 0;)
    if (!stays[dim])
      mlirBlockEraseArgument(nest->body, (unsigned)dim);
  strata_nest_set_sizes(nest->op, r->n_parallel, r->sizes);
}

static void rewrite_nest(const strata_coalescing_t *coalescing, int node) {
  const strata_nest_node_t *record = &coalescing->graph.nodes.data[node];
  rewrite_t r = plan_rewrite(coalescing, node);
  // affine.apply last among the maps: those of the accesses are read through them.
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_access_t *access = &record->nest->accesses[i];
    if (!mlirAffineMapIsNull(access->map))
      set_map(&r, access->op, in_new_shape(coalescing, record->buffers.data[i], access->map, &r.nest->space));
  }
  mlirOperationWalk(record->nest->op, rewrite_op, &r, MlirWalkPreOrder);
  rewrite_loops(&r);
}

static MlirType new_type(const strata_coalescing_t *coalescing, int buffer) {
  const strata_coalesced_buffer_t *record = &coalescing->buffers[buffer];
  MlirType type = mlirValueGetType(coalescing->graph.buffers.data[buffer].value);
  strata_size_t sizes[STRATA_MAX_DIMS];
  int group[STRATA_MAX_DIMS], rank = strata_coalesce_groups(record, group);
  if (rank == record->rank)
    return type;
  for (int i = 0; i < rank; i++)
    sizes[i] = strata_size_constant(1);
  for (int dim = 0; dim < record->rank; dim++)
    sizes[group[dim]] = strata_size_product(sizes[group[dim]], record->sizes[dim]);
  return strata_memref_type_of(mlirShapedTypeGetElementType(type), rank, sizes);
}

void strata_coalesce_apply(const strata_coalescing_t *coalescing) {
  for (int node = 0; node < (int)coalescing->graph.nodes.count; node++)
    rewrite_nest(coalescing, node);
  for (int buffer = 0; buffer < (int)coalescing->graph.buffers.count; buffer++)
    strata_buffer_set_type(coalescing->graph.buffers.data[buffer].value, new_type(coalescing, buffer));
  strata_update_function_type(coalescing->graph.arena, coalescing->graph.func);
}
