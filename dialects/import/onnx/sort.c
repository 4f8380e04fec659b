// The order of a graph's nodes. ONNX asks for a sorted graph, yet many writers do not sort; a depth-first walk in the
// given order keeps a sorted graph as it is.
#include "dialects/import/onnx/importer.h"

#include <string.h>

typedef struct {
  strata_arena_t *arena;
  strata_string_map_t producers; // of a value's name: the node's index + 1
  STRATA_VECTOR(size_t) edges;   // the nodes that a node depends on, one node's after the other's
} sorter_t;

// The names that a body defines for itself, and those of the bodies around it.
typedef struct body_names {
  const struct body_names *outer;
  strata_string_map_t names;
} body_names_t;

static void add_use(sorter_t *sorter, const char *name, const body_names_t *inside) {
  for (; inside; inside = inside->outer)
    if (strata_string_map_get(&inside->names, name))
      return;
  uintptr_t producer = (uintptr_t)strata_string_map_get(&sorter->producers, name);
  if (producer)
    *strata_vector_push(sorter->arena, &sorter->edges) = producer - 1;
}

static void add_node_uses(sorter_t *sorter, const Onnx__NodeProto *node, const body_names_t *inside);

static void add_body_uses(sorter_t *sorter, const Onnx__GraphProto *body, const body_names_t *outer) {
  body_names_t inside = {.outer = outer};
  for (size_t i = 0; i < body->n_input; i++)
    strata_string_map_put(sorter->arena, &inside.names, onnx_text(body->input[i]->name), sorter);
  for (size_t i = 0; i < body->n_node; i++)
    for (size_t k = 0; k < body->node[i]->n_output; k++)
      strata_string_map_put(sorter->arena, &inside.names, body->node[i]->output[k], sorter);
  for (size_t i = 0; i < body->n_node; i++)
    add_node_uses(sorter, body->node[i], &inside);
  for (size_t i = 0; i < body->n_output; i++)
    add_use(sorter, onnx_text(body->output[i]->name), &inside);
}

// Adds what |node| uses: its operands, and what its bodies take from outside.
static void add_node_uses(sorter_t *sorter, const Onnx__NodeProto *node, const body_names_t *inside) {
  for (size_t i = 0; i < node->n_input; i++)
    add_use(sorter, node->input[i], inside);
  for (size_t i = 0; i < node->n_attribute; i++)
    if (node->attribute[i]->g)
      add_body_uses(sorter, node->attribute[i]->g, inside);
}

enum { NEW, OPEN, DONE };

// Depth first with a stack of its own: graphs are deep. |first[i]| is where the edges of node i start.
static strata_status_t visit(strata_arena_t *arena, size_t n_nodes, Onnx__NodeProto **nodes, const size_t *first,
                             const size_t *edges, size_t *order) {
  char *state = strata_arena_array(arena, char, n_nodes + 1);
  size_t *next = strata_arena_copy(arena, first, n_nodes * sizeof *first);
  size_t *stack = strata_arena_array(arena, size_t, n_nodes + 1);
  size_t n_done = 0, depth = 0;
  for (size_t root = 0; root < n_nodes; root++) {
    if (state[root] == NEW) {
      stack[depth++] = root;
      state[root] = OPEN;
    }
    while (depth > 0) {
      size_t node = stack[depth - 1];
      if (next[node] == first[node + 1]) {
        state[node] = DONE;
        order[n_done++] = node;
        depth--;
        continue;
      }
      size_t producer = edges[next[node]++];
      if (state[producer] == OPEN)
        return strata_error(STRATA_PARSE, "the graph has a cycle through node '%s' (%s)", onnx_text(nodes[node]->name),
                            onnx_text(nodes[node]->op_type));
      if (state[producer] == NEW) {
        stack[depth++] = producer;
        state[producer] = OPEN;
      }
    }
  }
  return NULL;
}

strata_status_t onnx_sort_nodes(strata_arena_t *arena, size_t n_nodes, Onnx__NodeProto **nodes, size_t **out_order) {
  sorter_t sorter = {.arena = arena};
  for (size_t i = 0; i < n_nodes; i++)
    for (size_t k = 0; k < nodes[i]->n_output; k++)
      if (nodes[i]->output[k][0] &&
          strata_string_map_put(arena, &sorter.producers, nodes[i]->output[k], (void *)(uintptr_t)(i + 1)))
        return strata_error(STRATA_PARSE, "(node %s): value '%s' is defined twice", onnx_node_name(nodes[i]),
                            nodes[i]->output[k]);
  size_t *first = strata_arena_array(arena, size_t, n_nodes + 1);
  for (size_t i = 0; i < n_nodes; i++) {
    first[i] = sorter.edges.count;
    add_node_uses(&sorter, nodes[i], NULL);
  }
  first[n_nodes] = sorter.edges.count;
  *out_order = strata_arena_array(arena, size_t, n_nodes + 1);
  return visit(arena, n_nodes, nodes, first, sorter.edges.data, *out_order);
}
