// affine-spread-stores: what several concats have among their parts, or one has several times, is stored into each
// place by the kernel that makes it, not copied from one to the others.
//
//   nest: store(f(...), %c[%i, %j + 64])     nest: store(load %c[%i, %j + 64], %d[%i, %j])
// becomes
//   nest: store(f(...), %t[%i, %j])     nest: store(load %t[%i, %j], %c[%i, %j + 64])
//   nest: store(load %t[%i, %j], %d[%i, %j])
//
// which grouping makes one kernel: %t has one writer, and is read at the points at which it is made. A buffer that is
// written in parts is no such value.
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/copies.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/touched.h"
#include "passes/pass.h"

typedef struct {
  strata_nest_graph_t graph;
  bool *is_changed; // by node: its record is stale
} spreading_t;

// The access of |node| that stores into |buffer|, if it is the node's only store; NULL if it has others.
static const strata_access_t *only_store(const strata_nest_node_t *node, int buffer) {
  const strata_access_t *store = strata_nest_only_store(node->nest);
  return store && node->buffers.data[store - node->nest->accesses] == buffer ? store : NULL;
}

static bool meets(const strata_nest_node_t *node, int buffer, const strata_nest_node_t *copy) {
  for (size_t i = 0; node->nest && i < node->buffers.count; i++)
    if (node->buffers.data[i] == buffer && node->nest->accesses[i].is_store &&
        strata_accesses_meet(node->nest, &node->nest->accesses[i], copy->nest, &copy->nest->accesses[0]))
      return true;
  return false;
}

// The node that alone stores what |copy| reads, all of which it reads; negative if there is none. What has been changed
// still stores the same places in the end, by itself or by its copy back: the record of it holds for others.
static int writer_of(const spreading_t *s, int copy) {
  const strata_nest_node_t *node = &s->graph.nodes.data[copy];
  int buffer = node->buffers.data[0], writer = -1;
  for (int i = 0; i < (int)s->graph.nodes.count; i++) {
    if (!meets(&s->graph.nodes.data[i], buffer, node))
      continue;
    if (writer >= 0 || i > copy)
      return -1;
    writer = i;
  }
  const strata_nest_node_t *record = writer < 0 ? NULL : &s->graph.nodes.data[writer];
  bool is_whole = record && record->points == node->points && record->class != STRATA_NEST_SCALAR &&
                  !record->is_constant && !s->is_changed[writer] && only_store(record, buffer) &&
                  !mlirAffineMapIsNull(only_store(record, buffer)->map);
  return is_whole ? writer : -1;
}

// Where the writer stores in a buffer of the copy's dims what it stores at |stored|, which the copy reads at |read|.
static MlirAffineMap store_map(const strata_nest_t *writer, const strata_nest_t *copy, MlirAffineMap stored,
                               MlirAffineMap read) {
  MlirContext context = mlirAffineMapGetContext(read);
  MlirAffineExpr exprs[STRATA_MAX_DIMS], zeros[STRATA_MAX_DIMS];
  int n_dims = writer->n_parallel + writer->n_reduction;
  for (int dim = 0; dim < copy->n_parallel; dim++)
    exprs[dim] = zeros[dim] = mlirAffineConstantExprGet(context, 0);
  MlirAffineMap origin = mlirAffineMapGet(context, 0, 0, copy->n_parallel, zeros);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(read); i++)
    for (int dim = 0; dim < copy->n_parallel; dim++)
      if (!strata_size_is_one(copy->space.sizes[dim]) &&
          mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(read, i), dim)) {
        MlirAffineExpr first = mlirAffineExprCompose(mlirAffineMapGetResult(read, i), origin);
        MlirAffineExpr minus = mlirAffineMulExprGet(first, mlirAffineConstantExprGet(context, -1));
        exprs[dim] =
            strata_affine_simplify(mlirAffineAddExprGet(mlirAffineMapGetResult(stored, i), minus), &writer->space);
      }
  return mlirAffineMapGet(context, n_dims, 0, copy->n_parallel, exprs);
}

static strata_status_t spread(spreading_t *s, int copy, int writer) {
  const strata_nest_t *to = s->graph.nodes.data[copy].nest, *from = s->graph.nodes.data[writer].nest;
  const strata_access_t *load = &to->accesses[0];
  const strata_access_t *store = only_store(&s->graph.nodes.data[writer], s->graph.nodes.data[copy].buffers.data[0]);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(load->buffer));
  MlirValue own = strata_alloc_before(from->op, strata_memref_type_of(element, to->n_parallel, to->space.sizes));
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(mlirOperationGetContext(to->op), to->n_parallel);
  MlirAffineMap map = store_map(from, to, store->map, load->map);
  MlirOperation back = mlirOperationClone(to->op);
  strata_nest_t nest;
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(from->op), from->op, back);
  STRATA_TRY(strata_nest_read(s->graph.arena, back, &nest));
  mlirOperationSetOperand(nest.accesses[1].op, 1, load->buffer);
  strata_nest_set_map(nest.accesses[1].op, load->map, nest.dims);
  mlirOperationSetOperand(nest.accesses[0].op, 0, own);
  strata_nest_set_map(nest.accesses[0].op, identity, nest.dims);
  mlirOperationSetOperand(load->op, 0, own);
  strata_nest_set_map(load->op, identity, to->dims);
  mlirOperationSetOperand(store->op, 1, own);
  strata_nest_set_map(store->op, map, from->dims);
  s->is_changed[copy] = s->is_changed[writer] = true;
  return NULL;
}

static bool is_candidate(const spreading_t *s, int node) {
  const strata_nest_node_t *record = &s->graph.nodes.data[node];
  return record->nest && !s->is_changed[node] && strata_nest_is_copy(record->nest) &&
         s->graph.buffers.data[record->buffers.data[0]].n_stores > 1;
}

static strata_status_t spread_in(strata_compile_t *compile, MlirOperation func) {
  for (bool changed = true; changed;) {
    spreading_t s = {0};
    changed = false;
    STRATA_TRY(strata_nest_graph_read(compile->arena, func, &s.graph));
    s.is_changed = strata_arena_array(compile->arena, bool, s.graph.nodes.count);
    for (int node = 0; node < (int)s.graph.nodes.count; node++) {
      int writer = is_candidate(&s, node) ? writer_of(&s, node) : -1;
      if (writer < 0)
        continue;
      STRATA_TRY(spread(&s, node, writer));
      changed = true;
    }
  }
  return NULL;
}

strata_status_t strata_pass_affine_spread_stores(strata_compile_t *compile) {
  return compile->options->disable_fusion ? NULL : strata_for_each_nest_function(compile, spread_in);
}
