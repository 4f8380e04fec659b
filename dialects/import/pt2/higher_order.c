// Operators with graphs in them: branches, loops, scans. The graphs are bodies of ONNX's, which see the values outside;
// what a graph of PyTorch gets as an operand, and is the same in all iterations, is the value outside.
#include "dialects/import/pt2/convert.h"

#include <string.h>

static const pt2_item_t *item_of(const pt2_call_t *call, size_t i) {
  static const pt2_item_t none = {.kind = PT2_NONE};
  return i < call->n_inputs && call->inputs[i].count ? &call->inputs[i].items[0] : &none;
}

static const pt2_graph_t *graph_of(pt2_node_t *n, size_t i) {
  const pt2_item_t *item = item_of(n->call, i);
  if (item->kind != PT2_GRAPH)
    pt2_refuse(n, "without a graph");
  return item->kind == PT2_GRAPH ? item->graph : NULL;
}

//===-- Lists of values ------------------------------------------------------------------------------------------===//

typedef struct {
  int count;
  pt2_value_t *values;
} values_t;

static values_t new_values(pt2_node_t *n, int count) {
  return (values_t){.count = count, .values = strata_arena_array(n->arena, pt2_value_t, count + 1)};
}

static values_t read_items(pt2_node_t *n, int count, const pt2_item_t *items) {
  values_t list = new_values(n, count);
  for (int i = 0; i < count; i++)
    list.values[i] = items[i].kind == PT2_INT
                         ? (pt2_value_t){.name = graph_int(n->g, items[i].integer), .dtype = STRATA_DTYPE_I64}
                         : pt2_item_tensor(n, &items[i]);
  return list;
}

// Those of argument |i|, a list.
static values_t read_list(pt2_node_t *n, size_t i) {
  const pt2_argument_t *list = i < n->call->n_inputs ? &n->call->inputs[i] : NULL;
  if (!list || (list->count && !list->is_list))
    pt2_refuse(n, "expected a list of operands");
  return n->has_failed ? new_values(n, 0) : read_items(n, (int)list->count, list->items);
}

static values_t joined(pt2_node_t *n, values_t a, values_t b) {
  values_t list = new_values(n, a.count + b.count);
  memcpy(list.values, a.values, (size_t)a.count * sizeof *a.values);
  memcpy(list.values + a.count, b.values, (size_t)b.count * sizeof *b.values);
  return list;
}

// The same values as a body's inputs.
static values_t body_inputs(pt2_node_t *n, graph_t *body, values_t list) {
  values_t inputs = new_values(n, list.count);
  for (int i = 0; i < list.count; i++) {
    inputs.values[i] = (pt2_value_t){.name = graph_fresh(body, "state"), .dtype = list.values[i].dtype};
    graph_body_input(body, inputs.values[i].name);
  }
  return inputs;
}

static void add_outputs(pt2_node_t *n, graph_t *body, size_t count, const char *const *results) {
  for (size_t i = 0; i < count && !n->has_failed; i++) {
    if (!results[i])
      pt2_refuse(n, "a graph whose result %zu is no tensor", i);
    else // under a name of its own: a result may be an operand, or given twice
      graph_output(body, graph_fresh(body, "result"), results[i]);
  }
}

static void set_results(pt2_node_t *n, graph_node_t *node) {
  for (int i = 0; node && i < n->n_results; i++)
    pt2_set(n, i, graph_result(node, NULL));
}

//===-- Once -----------------------------------------------------------------------------------------------------===//

// A graph and its operands, without a mode that matters when it is computed.
void pt2_import_wrapped(pt2_node_t *n) {
  size_t at = 0;
  while (at < n->call->n_inputs && item_of(n->call, at)->kind != PT2_GRAPH)
    at++;
  bool is_autocast = strstr(n->info->name, "autocast");
  if (is_autocast && (item_of(n->call, 2)->kind != PT2_BOOL || item_of(n->call, 2)->integer))
    pt2_refuse(n, "autocast; export after run_decompositions()");
  const pt2_graph_t *graph = graph_of(n, at);
  if (n->has_failed)
    return;
  int count = (int)(n->call->n_inputs - at - 1);
  pt2_item_t *items = strata_arena_array(n->arena, pt2_item_t, count + 1);
  for (int i = 0; i < count; i++)
    items[i] = *item_of(n->call, at + 1 + (size_t)i);
  values_t operands = read_items(n, count, items);
  const char **results = pt2_inline(n, n->g, graph, operands.count, operands.values);
  for (int i = 0; results && i < n->n_results && (size_t)i < graph->n_outputs; i++)
    if (results[i])
      pt2_set(n, i, results[i]);
}

static graph_t *branch(pt2_node_t *n, size_t i, values_t operands) {
  graph_t *body = graph_create_body(n->g);
  const pt2_graph_t *graph = graph_of(n, i);
  const char **results = graph ? pt2_inline(n, body, graph, operands.count, operands.values) : NULL;
  if (results)
    add_outputs(n, body, graph->n_outputs, results);
  return body;
}

// cond(predicate, true graph, false graph, operands)
void pt2_import_cond(pt2_node_t *n) {
  const char *condition = pt2_item_value(n, item_of(n->call, 0), STRATA_DTYPE_BOOL);
  values_t operands = read_list(n, 3);
  graph_t *then_branch = branch(n, 1, operands), *else_branch = branch(n, 2, operands);
  graph_node_t *node = pt2_node(n, "If", GRAPH_VALUES(condition));
  if (!node)
    return;
  graph_set_body(node, "then_branch", then_branch);
  graph_set_body(node, "else_branch", else_branch);
  set_results(n, node);
}

//===-- Again and again ------------------------------------------------------------------------------------------===//

// Whether a loop whose states are |states| goes on.
static const char *goes_on(pt2_node_t *n, graph_t *g, values_t states) {
  const pt2_graph_t *graph = graph_of(n, 0);
  const char **results = graph ? pt2_inline(n, g, graph, states.count, states.values) : NULL;
  if (results && (graph->n_outputs != 1 || !results[0]))
    pt2_refuse(n, "a condition that is no tensor");
  return n->has_failed ? "" : graph_reshape(g, results[0], 0, NULL);
}

static graph_t *loop_body(pt2_node_t *n, values_t states, values_t more) {
  graph_t *body = graph_create_body(n->g);
  const pt2_graph_t *graph = graph_of(n, 1);
  graph_body_input(body, graph_fresh(body, "iteration"));
  graph_body_input(body, graph_fresh(body, "goes_on"));
  values_t inputs = joined(n, body_inputs(n, body, states), more);
  const char **results = graph ? pt2_inline(n, body, graph, inputs.count, inputs.values) : NULL;
  if (!results || graph->n_outputs != (size_t)states.count) {
    pt2_refuse(n, "a body of %zu results for %d states", graph ? graph->n_outputs : 0, states.count);
    return body;
  }
  values_t next = new_values(n, states.count);
  for (int i = 0; i < states.count; i++)
    next.values[i] = (pt2_value_t){.name = results[i] ? results[i] : "", .dtype = states.values[i].dtype};
  graph_output(body, graph_fresh(body, "result"), goes_on(n, body, joined(n, next, more)));
  add_outputs(n, body, graph->n_outputs, results);
  return body;
}

// while_loop(condition's graph, body's graph, states, what is the same in all iterations)
void pt2_import_while_loop(pt2_node_t *n) {
  values_t states = read_list(n, 2), more = read_list(n, 3);
  const char *condition = goes_on(n, n->g, joined(n, states, more));
  graph_t *body = loop_body(n, states, more);
  const char **operands = strata_arena_array(n->arena, const char *, states.count + 2);
  operands[0] = ""; // no limit
  operands[1] = condition;
  for (int i = 0; i < states.count; i++)
    operands[i + 2] = states.values[i].name;
  graph_node_t *node = pt2_node(n, "Loop", states.count + 2, operands);
  if (!node)
    return;
  graph_set_body(node, "body", body);
  set_results(n, node);
}

// The graph on each row of |rows|, with what it gave for the one before.
static void scan(pt2_node_t *n, values_t states, values_t rows, values_t more) {
  const pt2_graph_t *graph = graph_of(n, 0);
  graph_t *body = graph_create_body(n->g);
  values_t operands = joined(n, states, rows), inputs = joined(n, body_inputs(n, body, operands), more);
  const char **results = graph ? pt2_inline(n, body, graph, inputs.count, inputs.values) : NULL;
  if (results)
    add_outputs(n, body, graph->n_outputs, results);
  const char **names = strata_arena_array(n->arena, const char *, operands.count + 1);
  for (int i = 0; i < operands.count; i++)
    names[i] = operands.values[i].name;
  if (!rows.count)
    pt2_refuse(n, "without rows");
  graph_node_t *node = pt2_node(n, "Scan", operands.count, names);
  if (!node)
    return;
  graph_set_int(node, "num_scan_inputs", rows.count);
  graph_set_body(node, "body", body);
  set_results(n, node);
}

// scan(graph, states, rows, what is the same in all iterations)
void pt2_import_scan(pt2_node_t *n) { scan(n, read_list(n, 1), read_list(n, 2), read_list(n, 3)); }

// map_impl(graph, rows, what is the same in all iterations)
void pt2_import_map(pt2_node_t *n) { scan(n, new_values(n, 0), read_list(n, 1), read_list(n, 2)); }
