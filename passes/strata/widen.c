// strata-widen: in f16 and bf16, what sums are made of and what is made of sums is f32, however the model wrote it
// down.
//
//   %s = mul(%x, %x) : f16   %m = reduce(%s) : f16   %r = sqrt(add(%m, 1e-5)) : f16   %y = div(%x, broadcast(%r)) : f16
//     -> the same in f32 from convert(%x) on, and %y = convert(...) : f16
//
// Squares of more than 255, their sum and their mean have no f16, but the norm that is made of them does. So f32 are
//   terms       elementwise ops of which nothing but sums are made, from where one may leave the range of its operands;
//   statistics  sums, and what is made of them and of constants, where it may leave the range;
//   meetings    the ops at which a statistic meets something else: their result is rounded.
// All else keeps its type and its roundings. A mean that the front end computes in f32 is seen by the implied
// conversions around it (STRATA_IMPLIED): those that the model asked for are never dropped here.
#include "dialects/pointer_map.h"
#include "passes/pass.h"
#include "passes/strata/graph.h"

typedef struct {
  MlirOperation op;
  strata_op_id_t id;
  bool is_constant, is_term;
  bool is_reduced; // made of a reduction, not only of windows
  bool has_grown;  // made of something that may leave the range of its operands
  MlirValue wide;  // the result in f32; null where there is only the rounded one
} node_t;

typedef struct {
  strata_builder_t build;
  strata_pointer_map_t index; // op -> node; also the ops that were built in a node's place
  node_t *nodes;
  size_t count;
} graph_t;

static bool is_narrow(MlirValue value) {
  strata_type_t type = strata_shape_of(value).type;
  return type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16;
}

static node_t *node_of_op(graph_t *g, MlirOperation op) {
  const int64_t *index = mlirOperationIsNull(op) ? NULL : strata_pointer_map_get(&g->index, op.ptr);
  return index ? &g->nodes[*index] : NULL;
}

static node_t *node_of(graph_t *g, MlirValue value) { return node_of_op(g, strata_def(value)); }

//===-- Kinds of ops ---------------------------------------------------------------------------------------------===//

static bool is_view(strata_op_id_t id) {
  return id == STRATA_OP_TRANSPOSE || id == STRATA_OP_RESHAPE || id == STRATA_OP_BROADCAST;
}

static bool is_implied(const node_t *node) {
  return node->id == STRATA_OP_CONVERT && strata_attr_flag(node->op, STRATA_IMPLIED);
}

static bool is_conversion(strata_op_id_t id) { return strata_op_info[id].rule == STRATA_RULE_RESULT; }

static bool is_arithmetic(strata_op_id_t id) { return strata_is_elementwise(id) && !is_conversion(id); }

static bool combines(const node_t *node) { return node->id == STRATA_OP_REDUCE || node->id == STRATA_OP_WINDOW; }

// A sum (or product) of narrow elements.
static bool is_sum(const node_t *node) {
  strata_combiner_t combiner = combines(node) ? strata_op_combiner(node->op) : STRATA_COMBINER_COUNT;
  return (combiner == STRATA_COMBINER_ADD || combiner == STRATA_COMBINER_MUL) && is_narrow(strata_result(node->op));
}

// The result may be of another magnitude than the operands.
static bool grows(strata_op_id_t id) {
  switch (id) {
  case STRATA_OP_MUL:
  case STRATA_OP_DIV:
  case STRATA_OP_POW:
  case STRATA_OP_EXP:
  case STRATA_OP_EXP2:
  case STRATA_OP_EXPM1:
  case STRATA_OP_SINH:
  case STRATA_OP_COSH:
    return true;
  default:
    return false;
  }
}

//===-- Terms, from the last op to the first ---------------------------------------------------------------------===//

static bool takes_wide(graph_t *g, MlirOperation user) {
  const node_t *node = node_of_op(g, user);
  return node && (node->is_term || is_sum(node) || is_implied(node));
}

static bool is_term(graph_t *g, const node_t *node) {
  if (node->id == STRATA_OP_COUNT || !(is_arithmetic(node->id) || is_view(node->id)) ||
      !is_narrow(strata_result(node->op)))
    return false;
  MlirOpOperand use = mlirValueGetFirstUse(strata_result(node->op));
  bool all = !mlirOpOperandIsNull(use);
  for (; all && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    all = takes_wide(g, mlirOpOperandGetOwner(use));
  return all;
}

//===-- Rewriting ------------------------------------------------------------------------------------------------===//

static MlirType type_like(MlirValue value, strata_type_t type) {
  strata_shape_t shape = strata_shape_of(value);
  shape.type = type;
  return strata_shape_to_type(mlirTypeGetContext(mlirValueGetType(value)), &shape);
}

static MlirValue convert(graph_t *g, MlirOperation before, MlirValue x, strata_type_t type) {
  g->build.before = before;
  g->build.location = mlirOperationGetLocation(before);
  return strata_build_implied_convert(&g->build, x, type);
}

static void stand_for(graph_t *g, MlirValue value, const node_t *node) {
  *strata_pointer_map_put(&g->index, strata_def(value).ptr) = node - g->nodes;
}

// The same op on f32, before |op|.
static MlirOperation clone_wide(graph_t *g, MlirOperation op) {
  MlirOperation wide = mlirOperationClone(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, wide);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue x = mlirOperationGetOperand(op, i);
    const node_t *def = node_of(g, x);
    if (def && !mlirValueIsNull(def->wide))
      mlirOperationSetOperand(wide, i, def->wide);
    else if (is_narrow(x))
      mlirOperationSetOperand(wide, i, convert(g, wide, x, STRATA_TYPE_F32));
  }
  if (is_narrow(strata_result(op)))
    mlirValueSetType(strata_result(wide), type_like(strata_result(op), STRATA_TYPE_F32));
  return wide;
}

// Puts the op on f32 in the place of the node's; |keeps| the unrounded result for those that take it.
static void widen(graph_t *g, node_t *node, bool keeps) {
  MlirOperation op = node->op, wide = clone_wide(g, op);
  MlirValue result = strata_result(op), replacement = strata_result(wide);
  if (is_narrow(result)) {
    node->wide = keeps ? replacement : (MlirValue){NULL};
    replacement = convert(g, op, replacement, strata_shape_of(result).type);
  }
  strata_pointer_map_remove(&g->index, op.ptr);
  mlirValueReplaceAllUsesOfWith(result, replacement);
  mlirOperationDestroy(op);
  node->op = wide;
  stand_for(g, strata_result(wide), node);
  stand_for(g, replacement, node);
}

//===-- Statistics, from the first op to the last ----------------------------------------------------------------===//

// What an op's narrow operands are.
typedef struct {
  bool any_wide, any_grown, any_other; // other: neither f32 nor constant
} operands_t;

static operands_t look_at_operands(graph_t *g, MlirOperation op) {
  operands_t seen = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue x = mlirOperationGetOperand(op, i);
    const node_t *node = node_of(g, x);
    bool is_wide = node && !mlirValueIsNull(node->wide);
    seen.any_wide |= is_wide;
    seen.any_grown |= is_wide && node->has_grown;
    seen.any_other |= is_narrow(x) && !is_wide && !(node && node->is_constant);
  }
  return seen;
}

static void visit_arithmetic(graph_t *g, node_t *node) {
  operands_t seen = look_at_operands(g, node->op);
  bool may_grow = seen.any_grown || grows(node->id);
  bool is_statistic = seen.any_wide && !seen.any_other;
  node->has_grown = may_grow && (node->is_term || is_statistic);
  if (node->has_grown || seen.any_grown)
    widen(g, node, node->has_grown);
}

// A sum is kept in f32 if it is made of terms, or if something may be made of it.
static void visit_sum(graph_t *g, node_t *node) {
  bool is_used = look_at_operands(g, node->op).any_wide;
  for (MlirOpOperand use = mlirValueGetFirstUse(strata_result(node->op)); !is_used && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const node_t *user = node_of_op(g, mlirOpOperandGetOwner(use));
    is_used = user && user->id != STRATA_OP_COUNT && (strata_is_elementwise(user->id) || is_view(user->id));
  }
  node->has_grown = true;
  if (is_used)
    widen(g, node, true);
}

static void visit_implied(graph_t *g, node_t *node) {
  const node_t *operand = node_of(g, strata_operand(node->op, 0));
  if (!is_narrow(strata_result(node->op))) {
    if (operand && !mlirValueIsNull(operand->wide))
      mlirValueReplaceAllUsesOfWith(strata_result(node->op), operand->wide);
    return;
  }
  node->has_grown = operand && operand->has_grown;
  if (operand && (operand->has_grown || operand->is_reduced))
    node->wide = strata_operand(node->op, 0);
}

// What the front end computes in f32.
static void pass_on(graph_t *g, node_t *node) {
  node->is_reduced = node->id == STRATA_OP_REDUCE;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); i++) {
    const node_t *operand = node_of(g, mlirOperationGetOperand(node->op, i));
    node->has_grown |= operand && operand->has_grown;
    node->is_reduced |= operand && operand->is_reduced;
  }
}

static bool is_constant(graph_t *g, const node_t *node) {
  bool all = node->id == STRATA_OP_CONSTANT || is_view(node->id) || strata_is_elementwise(node->id);
  for (intptr_t i = 0; all && i < mlirOperationGetNumOperands(node->op); i++) {
    const node_t *operand = node_of(g, mlirOperationGetOperand(node->op, i));
    all = operand && operand->is_constant;
  }
  return all;
}

static void visit(graph_t *g, node_t *node) {
  if (node->id == STRATA_OP_COUNT)
    return;
  node->is_constant = is_constant(g, node);
  if (node->is_constant)
    return;
  if (is_sum(node))
    visit_sum(g, node);
  else if (is_implied(node))
    visit_implied(g, node);
  else if (is_arithmetic(node->id) && is_narrow(strata_operand(node->op, strata_op_info[node->id].n_operands - 1)))
    visit_arithmetic(g, node);
  else if (is_view(node->id) && look_at_operands(g, node->op).any_wide) {
    pass_on(g, node);
    widen(g, node, true);
  } else if (is_arithmetic(node->id) || is_view(node->id) || combines(node))
    pass_on(g, node);
}

static strata_status_t widen_body(strata_compile_t *compile, MlirBlock body, void *user) {
  (void)user;
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  graph_t g = {.build = {.compile = compile, .block = body, .no_fold = true, .keep_form = true},
               .index = strata_pointer_map_create(compile->arena),
               .nodes = strata_arena_array(compile->arena, node_t, ops.count),
               .count = ops.count};
  for (size_t i = 0; i < ops.count; i++) {
    g.nodes[i] = (node_t){.op = ops.data[i], .id = strata_op_id(ops.data[i])};
    *strata_pointer_map_put(&g.index, ops.data[i].ptr) = (int64_t)i;
  }
  for (size_t i = g.count; i-- > 0;)
    g.nodes[i].is_term = is_term(&g, &g.nodes[i]);
  for (size_t i = 0; i < g.count && !g.build.status; i++)
    visit(&g, &g.nodes[i]);
  return g.build.status;
}

strata_status_t strata_pass_widen(strata_compile_t *compile) { return strata_for_each_body(compile, widen_body, NULL); }
