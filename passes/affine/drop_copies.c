// affine-drop-copies: on GPUs, what is only copied from a place in one buffer to a buffer of its own is read where it
// is.
//
//   nest: store(load %c[%i, %j + 64], %t[%i, %j])     load %t[%a, %b]
// becomes
//   load %c[%a, %b + 64]
//
// Such copies are left by affine-narrow: a part of a concat that a contraction reads rounded, while another one reads
// the whole rounded, as in a UNet or DenseNet of f32. What a copy turns stays as it is: its order in memory was chosen
// for those who read it.
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/copies.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/touched.h"
#include "passes/pass.h"
#include "passes/target.h"

typedef struct {
  strata_nest_graph_t graph;
  bool *is_changed; // by node: its record is stale
} dropping_t;

// The expression is dim |dim| and a constant.
static bool is_shifted_dim(MlirAffineExpr expr, int dim) {
  int64_t coefficient;
  return strata_affine_coefficient(expr, dim, &coefficient) && coefficient == 1 && !strata_affine_has_division(expr);
}

// The first dim from |dim| on that has more than one element.
static int next_long(const strata_nest_t *nest, int dim) {
  while (dim < nest->n_parallel && strata_size_is_one(nest->space.sizes[dim]))
    dim++;
  return dim;
}

// The buffer's coordinates are the nest's dims in order, each perhaps shifted, and constants.
static bool is_part(const strata_nest_t *nest, MlirAffineMap map) {
  int next = next_long(nest, 0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    bool is_next = next < nest->n_parallel && is_shifted_dim(expr, next);
    for (int dim = 0; dim < nest->n_parallel; dim++)
      if (!strata_size_is_one(nest->space.sizes[dim]) && mlirAffineExprIsFunctionOfDim(expr, dim) &&
          !(is_next && dim == next))
        return false;
    next = is_next ? next_long(nest, next + 1) : next;
  }
  return next == nest->n_parallel;
}

static bool is_identity(const strata_nest_t *nest, MlirAffineMap map) {
  if (mlirAffineMapGetNumResults(map) != nest->n_parallel)
    return false;
  for (int dim = 0; dim < nest->n_parallel; dim++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, dim);
    bool is_zero = strata_expr_is_zero(expr);
    bool is_dim = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == dim;
    if (!is_dim && !(is_zero && strata_size_is_one(nest->space.sizes[dim])))
      return false;
  }
  return true;
}

bool strata_nest_is_copy(const strata_nest_t *nest) {
  if (!strata_nest_is_unary(nest))
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  return mlirValueEqual(mlirOperationGetOperand(store->op, 0), load->value) && is_part(nest, load->map);
}

// True of a copy that is all of the buffer that it stores into.
static bool is_part_copy(const strata_nest_t *nest) {
  return strata_nest_is_copy(nest) && is_identity(nest, nest->accesses[1].map);
}

// True if nobody changes what the copy reads once it has been made.
static bool is_settled(const dropping_t *d, int copy) {
  const strata_nest_node_t *node = &d->graph.nodes.data[copy];
  const strata_access_t *load = &node->nest->accesses[0];
  for (MlirOpOperand use = mlirValueGetFirstUse(load->buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (strata_op_is(mlirOpOperandGetOwner(use), "memref.store"))
      return false;
  for (size_t i = (size_t)copy + 1; i < d->graph.nodes.count; i++) {
    const strata_nest_node_t *later = &d->graph.nodes.data[i];
    for (size_t j = 0; later->nest && j < later->buffers.count; j++) {
      const strata_access_t *access = &later->nest->accesses[j];
      if (access->is_store && later->buffers.data[j] == node->buffers.data[0] &&
          strata_accesses_meet(later->nest, access, node->nest, load))
        return false;
    }
  }
  return true;
}

// Reads of |buffer| by |node|, all of which can be made elsewhere.
static bool reads_plainly(const strata_nest_node_t *node, int buffer) {
  for (size_t i = 0; i < node->buffers.count; i++)
    if (node->buffers.data[i] == buffer &&
        (node->nest->accesses[i].is_store || mlirAffineMapIsNull(node->nest->accesses[i].map) || node->nest->is_serial))
      return false;
  return true;
}

static bool can_drop(const dropping_t *d, int copy) {
  const strata_nest_node_t *node = &d->graph.nodes.data[copy];
  if (!node->nest || d->is_changed[copy] || !is_part_copy(node->nest))
    return false;
  const strata_nest_buffer_t *from = &d->graph.buffers.data[node->buffers.data[0]],
                             *to = &d->graph.buffers.data[node->buffers.data[1]];
  if (!from->is_alloc || from->is_constant || !to->is_alloc || to->n_stores != 1 || !is_settled(d, copy))
    return false;
  for (size_t i = 0; i < to->readers.count; i++)
    if (d->is_changed[to->readers.data[i]] ||
        !reads_plainly(&d->graph.nodes.data[to->readers.data[i]], node->buffers.data[1]))
      return false;
  return true;
}

static void drop(dropping_t *d, int copy) {
  const strata_nest_node_t *node = &d->graph.nodes.data[copy];
  const strata_access_t *load = &node->nest->accesses[0];
  MlirValue to = node->nest->accesses[1].buffer;
  const strata_ints_t *readers = &d->graph.buffers.data[node->buffers.data[1]].readers;
  for (size_t i = 0; i < readers->count; i++) {
    const strata_nest_node_t *reader = &d->graph.nodes.data[readers->data[i]];
    for (size_t j = 0; j < reader->buffers.count; j++) {
      const strata_access_t *access = &reader->nest->accesses[j];
      if (reader->buffers.data[j] != node->buffers.data[1])
        continue;
      mlirOperationSetOperand(access->op, 0, load->buffer);
      strata_nest_set_map(access->op, strata_affine_compose(load->map, access->map, &reader->nest->space),
                          reader->nest->dims);
    }
    d->is_changed[readers->data[i]] = true;
  }
  d->is_changed[copy] = true;
  mlirOperationDestroy(node->nest->op);
  mlirOperationDestroy(strata_def(to));
}

static strata_status_t drop_in(strata_compile_t *compile, MlirOperation func) {
  for (bool changed = true; changed;) {
    dropping_t d = {0};
    changed = false;
    STRATA_TRY(strata_nest_graph_read(compile->arena, func, &d.graph));
    d.is_changed = strata_arena_array(compile->arena, bool, d.graph.nodes.count);
    for (int node = 0; node < (int)d.graph.nodes.count; node++)
      if (can_drop(&d, node)) {
        drop(&d, node);
        changed = true;
      }
  }
  return NULL;
}

strata_status_t strata_pass_affine_drop_copies(strata_compile_t *compile) {
  return strata_target_is_gpu(compile) ? strata_for_each_nest_function(compile, drop_in) : NULL;
}
