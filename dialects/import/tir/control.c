// Branches and loops, which TOSA and scf have alike.
#include "dialects/import/tir/tir.h"

enum { MAX_STATES = 256 };

void tir_give(tir_op_t *o, graph_t *body, const char *value) { graph_output(body, graph_fresh(o->g, "result"), value); }

const char *tir_body_input(tir_op_t *o, graph_t *body, const char *hint) {
  const char *name = graph_fresh(o->g, hint);
  graph_body_input(body, name);
  return name;
}

static graph_t *branch(tir_op_t *o, MlirBlock block, const char *const *arguments) {
  graph_t *g = graph_create_body(o->g);
  tir_read_block(o->importer, g, block, arguments);
  for (int i = 0; i < tir_n_returned(block); i++)
    tir_give(o, g, tir_name(o->importer, tir_returned(block, i)));
  return g;
}

static void set_results(tir_op_t *o, graph_node_t *node) {
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    tir_set(o, i, graph_result(node, NULL));
}

void tir_branch(tir_op_t *o, const char *condition, const char *const *arguments) {
  if (mlirOperationGetNumResults(o->op) == 0)
    return;
  MlirBlock blocks[2] = {tir_region(o, 0), tir_region(o, 1)};
  for (int i = 0; i < 2; i++)
    if (tir_n_returned(blocks[i]) != mlirOperationGetNumResults(o->op)) {
      tir_refuse(o, "expected two branches that give the results");
      return;
    }
  graph_t *bodies[2] = {branch(o, blocks[0], arguments), branch(o, blocks[1], arguments)};
  tir_set_origin(o);
  graph_node_t *node = graph_node(o->g, "If", GRAPH_VALUES(condition));
  graph_set_body(node, "then_branch", bodies[0]);
  graph_set_body(node, "else_branch", bodies[1]);
  set_results(o, node);
}

// Reads the block of a condition, and gives its outcome; the values that the other block gets are |out_states|.
static const char *condition(tir_op_t *o, graph_t *g, const tir_while_t *w, const char *const *states,
                             const char **out_states) {
  tir_read_block(o->importer, g, w->condition, states);
  for (int i = 0; i < w->n; i++)
    out_states[i] = w->passed ? tir_name(o->importer, w->passed[i]) : states[i];
  return tir_name(o->importer, w->outcome);
}

// The states are those that the condition has passed on: the first is asked before the loop, the next ones in it.
void tir_loop_while(tir_op_t *o, const tir_while_t *w, const char *const *first) {
  const char *states[MAX_STATES], *passed[MAX_STATES], *next[MAX_STATES], *operands[MAX_STATES + 2] = {""};
  if (w->n > MAX_STATES || w->n < 1 || mlirBlockGetNumArguments(w->condition) > MAX_STATES ||
      tir_n_returned(w->body) != mlirBlockGetNumArguments(w->condition)) {
    tir_refuse(o, "expected 1 to %d states, which the body gives anew", MAX_STATES);
    return;
  }
  operands[1] = condition(o, o->g, w, first, &operands[2]);
  graph_t *g = graph_create_body(o->g);
  tir_body_input(o, g, "iteration");
  tir_body_input(o, g, "condition");
  for (int i = 0; i < w->n; i++)
    states[i] = tir_body_input(o, g, "state");
  tir_read_block(o->importer, g, w->body, states);
  int n_given = tir_n_returned(w->body);
  for (int i = 0; i < n_given; i++)
    next[i] = tir_name(o->importer, tir_returned(w->body, i));
  tir_give(o, g, condition(o, g, w, next, passed));
  for (int i = 0; i < w->n; i++)
    tir_give(o, g, passed[i]);
  tir_set_origin(o);
  graph_node_t *node = graph_node(o->g, "Loop", w->n + 2, operands);
  graph_set_body(node, "body", g);
  set_results(o, node);
}

void tir_loop_count(tir_op_t *o, const char *count, MlirBlock block, int n, const char *const *first,
                    tir_counter_t *counter, void *user) {
  const char *states[MAX_STATES + 1], *operands[MAX_STATES + 2] = {count, ""};
  if (n > MAX_STATES || n < 1 || tir_n_returned(block) != n || mlirBlockGetNumArguments(block) != n + 1) {
    tir_refuse(o, "expected 1 to %d states, which the body gives anew", MAX_STATES);
    return;
  }
  graph_t *g = graph_create_body(o->g), *around = o->g;
  const char *iteration = tir_body_input(o, g, "iteration"), *goes_on = tir_body_input(o, g, "condition");
  o->g = g;
  states[0] = counter(o, iteration, user);
  o->g = around;
  for (int i = 0; i < n; i++) {
    operands[2 + i] = first[i];
    states[1 + i] = tir_body_input(o, g, "state");
  }
  tir_read_block(o->importer, g, block, states);
  tir_give(o, g, goes_on);
  for (int i = 0; i < n; i++)
    tir_give(o, g, tir_name(o->importer, tir_returned(block, i)));
  tir_set_origin(o);
  graph_node_t *node = graph_node(o->g, "Loop", n + 2, operands);
  graph_set_body(node, "body", g);
  set_results(o, node);
}
