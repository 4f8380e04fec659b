// See rewrite.h. Every op of the block has a node; the queue holds indices of nodes. An op's address may come back
// after the op was destroyed, so the map from ops to nodes forgets it then, and a node outlives its op as a dead one.
#include "passes/strata/rewrite.h"

#include "dialects/pointer_map.h"

enum { REWRITES_AN_OP = 64 }; // beyond this it is left as it is: no input may take for ever

typedef struct {
  MlirOperation op; // null: destroyed
  bool is_queued, is_constant;
} node_t;

struct strata__rewrite_state {
  strata_arena_t *arena;
  strata_pointer_map_t node_of; // op -> index of its node
  STRATA_VECTOR(node_t) nodes;
  STRATA_VECTOR(size_t) queue;
  size_t head; // of the queue
};

typedef struct strata__rewrite_state state_t;

static node_t *find_node(const state_t *state, MlirOperation op) {
  const int64_t *index = strata_pointer_map_get(&state->node_of, op.ptr);
  return index ? &state->nodes.data[*index] : NULL;
}

MlirValue strata_rewriter_splat(strata_rewriter_t *rewriter, MlirValue value, double number) {
  strata_shape_t shape = strata_shape_of(value);
  return strata_build_splat(&rewriter->build, &shape, number);
}

bool strata_rewriter_is_constant(const strata_rewriter_t *rewriter, MlirValue value) {
  MlirOperation op = strata_def(value);
  const node_t *node = mlirOperationIsNull(op) ? NULL : find_node(rewriter->state, op);
  return node && node->is_constant;
}

static bool computes_constant(const state_t *state, MlirOperation op) {
  if (!strata_op_is_pure(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation def = strata_def(mlirOperationGetOperand(op, i));
    const node_t *node = mlirOperationIsNull(def) ? NULL : find_node(state, def);
    if (!node || !node->is_constant)
      return false;
  }
  return true;
}

static void enqueue(state_t *state, MlirOperation op) {
  node_t *node = mlirOperationIsNull(op) ? NULL : find_node(state, op);
  if (!node || node->is_queued)
    return;
  node->is_queued = true;
  *strata_vector_push(state->arena, &state->queue) = (size_t)(node - state->nodes.data);
}

static void enqueue_users(state_t *state, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      enqueue(state, mlirOpOperandGetOwner(use));
}

static void add_node(state_t *state, MlirOperation op) {
  node_t node = {.op = op, .is_constant = computes_constant(state, op)};
  *strata_pointer_map_put(&state->node_of, op.ptr) = (int64_t)state->nodes.count;
  *strata_vector_push(state->arena, &state->nodes) = node;
  enqueue(state, op);
}

// Gives nodes to the ops behind |op| that have none yet: those that a rewrite has just built.
static void add_new_nodes(state_t *state, MlirOperation op) {
  if (mlirOperationIsNull(op) || find_node(state, op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    add_new_nodes(state, strata_def(mlirOperationGetOperand(op, i)));
  add_node(state, op);
}

static bool is_unused(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (strata_value_has_uses(mlirOperationGetResult(op, i)))
      return false;
  return strata_op_is_pure(op);
}

// Destroys an unused op and then those that only it used; the others that it used are looked at again.
static void destroy(state_t *state, MlirOperation first) {
  strata_ops_t unused = {0};
  *strata_vector_push(state->arena, &unused) = first;
  while (unused.count) {
    MlirOperation op = unused.data[--unused.count];
    node_t *node = find_node(state, op);
    if (!node || !is_unused(op)) {
      enqueue(state, op);
      continue;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirOperation def = strata_def(mlirOperationGetOperand(op, i));
      if (!mlirOperationIsNull(def))
        *strata_vector_push(state->arena, &unused) = def;
    }
    node->op = (MlirOperation){NULL};
    strata_pointer_map_remove(&state->node_of, op.ptr);
    mlirOperationDestroy(op);
  }
}

static void replace(state_t *state, MlirOperation op, MlirValue with) {
  add_new_nodes(state, strata_def(with));
  enqueue_users(state, op);
  mlirValueReplaceAllUsesOfWith(strata_result(op), with);
  destroy(state, op);
}

static strata_status_t visit(strata_rewriter_t *rewriter, MlirOperation op, strata_rewrite_t rewrite, bool *changed) {
  state_t *state = rewriter->state;
  strata_op_id_t id = strata_op_id(op);
  if (is_unused(op)) {
    destroy(state, op);
    return NULL;
  }
  if (id == STRATA_OP_COUNT || mlirOperationGetNumResults(op) != 1)
    return NULL;
  rewriter->build = (strata_builder_t){.compile = rewriter->compile,
                                       .block = mlirOperationGetBlock(op),
                                       .before = op,
                                       .location = mlirOperationGetLocation(op),
                                       .no_fold = rewriter->compile->options->disable_constant_folding,
                                       .keep_form = true};
  MlirValue with = rewrite(rewriter, op, id);
  STRATA_TRY(rewriter->build.status);
  *changed = !mlirValueIsNull(with) && !mlirValueEqual(with, strata_result(op));
  if (*changed)
    replace(state, op, with);
  return NULL;
}

static strata_status_t rewrite_body(strata_compile_t *compile, MlirBlock body, void *user) {
  strata_rewrite_t rewrite = *(strata_rewrite_t *)user;
  state_t state = {.arena = compile->arena, .node_of = strata_pointer_map_create(compile->arena)};
  strata_rewriter_t rewriter = {.compile = compile, .state = &state};
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = 0; i < ops.count; i++)
    add_node(&state, ops.data[i]);
  size_t most_changes = REWRITES_AN_OP * (ops.count + 16);
  for (size_t n_changes = 0; state.head < state.queue.count && n_changes < most_changes;) {
    node_t *node = &state.nodes.data[state.queue.data[state.head++]];
    if (mlirOperationIsNull(node->op))
      continue;
    node->is_queued = false;
    bool changed = false;
    if (computes_constant(&state, node->op) != node->is_constant) {
      node->is_constant = !node->is_constant;
      enqueue_users(&state, node->op);
    }
    STRATA_TRY(visit(&rewriter, node->op, rewrite, &changed));
    n_changes += changed;
  }
  return NULL;
}

strata_status_t strata_rewrite(strata_compile_t *compile, strata_rewrite_t rewrite) {
  return strata_for_each_body(compile, rewrite_body, &rewrite);
}
