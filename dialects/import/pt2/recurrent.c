// Recurrent layers, and their cells, as ONNX's. Gates are in another order, and a layer of several is one after
// another.
#include "dialects/import/pt2/shape.h"

#include <string.h>

enum { MOST_GATES = 4 };

// What one of PyTorch's layers is of: the row names "LSTM", "GRU", "RNN Tanh" or "RNN Relu".
typedef struct {
  const char *op; // ONNX's
  const char *activation;
  int n_gates, order[MOST_GATES]; // of PyTorch's gates as ONNX has them
  int n_states, directions;
  bool has_biases, is_projected;
  int64_t hidden;
} kind_t;

// The tensors of a layer, once for each direction: W, R, their biases, and what projects the state.
static int n_weights(const kind_t *kind) { return (kind->has_biases ? 4 : 2) + kind->is_projected; }

static kind_t read_kind(const pt2_node_t *n) {
  const char *detail = n->info->detail;
  if (!strcmp(detail, "LSTM")) // input, forget, cell, output
    return (kind_t){.op = "LSTM", .n_gates = 4, .order = {0, 3, 1, 2}, .n_states = 2, .directions = 1};
  if (!strcmp(detail, "GRU")) // reset, update, new
    return (kind_t){.op = "GRU", .n_gates = 3, .order = {1, 0, 2}, .n_states = 1, .directions = 1};
  return (kind_t){
      .op = "RNN", .activation = strchr(detail, ' ') + 1, .n_gates = 1, .order = {0}, .n_states = 1, .directions = 1};
}

//===-- Weights --------------------------------------------------------------------------------------------------===//

// Gates are along the first dim.
static const char *reorder(pt2_node_t *n, const kind_t *kind, const char *value) {
  const char *gates[MOST_GATES], *ordered[MOST_GATES];
  graph_node_t *split = kind->n_gates > 1 ? pt2_node(n, "Split", GRAPH_VALUES(value)) : NULL;
  if (!split)
    return value;
  graph_set_int(split, "axis", 0);
  graph_set_int(split, "num_outputs", kind->n_gates);
  for (int i = 0; i < kind->n_gates; i++)
    gates[i] = graph_result(split, NULL);
  for (int i = 0; i < kind->n_gates; i++)
    ordered[i] = gates[kind->order[i]];
  return pt2_concat(n, kind->n_gates, ordered, 0);
}

// Tensor |which| of each direction, with the directions in front.
static const char *weights(pt2_node_t *n, const kind_t *kind, const pt2_item_t *items, int which) {
  const char *parts[2] = {"", ""};
  int64_t front = 0;
  bool has_gates = !kind->is_projected || which + 1 < n_weights(kind);
  for (int i = 0; i < kind->directions && !n->has_failed; i++) {
    const char *value = pt2_item_tensor(n, &items[i * n_weights(kind) + which]).name;
    value = n->has_failed || !has_gates ? value : reorder(n, kind, value);
    parts[i] = n->has_failed ? "" : graph_unsqueeze(n->g, value, 1, &front);
  }
  return kind->directions == 1 ? parts[0] : pt2_concat(n, 2, parts, 0);
}

static const char *biases(pt2_node_t *n, const kind_t *kind, const pt2_item_t *items) {
  if (!kind->has_biases)
    return "";
  return pt2_concat(n, 2, (const char *[]){weights(n, kind, items, 2), weights(n, kind, items, 3)}, 1);
}

//===-- One layer ------------------------------------------------------------------------------------------------===//

// Of |input| [T, B, I], states [D, B, H], and the tensors of one layer.
static graph_node_t *layer(pt2_node_t *n, const kind_t *kind, const char *input, const char *const *states,
                           const pt2_item_t *items) {
  static const char *const directions[] = {"forward", "bidirectional"};
  const char *operands[] = {input,
                            weights(n, kind, items, 0),
                            weights(n, kind, items, 1),
                            biases(n, kind, items),
                            "",
                            states[0],
                            kind->n_states == 2 ? states[1] : "",
                            "",
                            kind->is_projected ? weights(n, kind, items, n_weights(kind) - 1) : ""};
  graph_node_t *node =
      kind->is_projected ? pt2_node(n, "strata.ProjectedLSTM", 9, operands) : pt2_node(n, kind->op, 7, operands);
  if (!node)
    return NULL;
  graph_set_string(node, "direction", directions[kind->directions - 1]);
  graph_set_int(node, "hidden_size", kind->hidden);
  if (!strcmp(kind->op, "GRU"))
    graph_set_int(node, "linear_before_reset", 1);
  if (kind->activation)
    graph_set_strings(node, "activations", kind->directions, (const char *[]){kind->activation, kind->activation});
  return node;
}

// The hidden size is what the last weight has: the state's, or what projects it.
static void check_weight(pt2_node_t *n, kind_t *kind, const pt2_item_t *items) {
  pt2_value_t weight = pt2_item_tensor(n, &items[kind->is_projected ? n_weights(kind) - 1 : 1]);
  if (!n->has_failed && (weight.rank != 2 || weight.sizes[1].number < 1))
    pt2_refuse(n, "a weight of %d dims", weight.rank);
  else if (!n->has_failed)
    kind->hidden = weight.sizes[1].number;
}

//===-- Layers ---------------------------------------------------------------------------------------------------===//

// Rows |start| to |end| of the first dim.
static const char *rows(pt2_node_t *n, const char *value, int64_t start, int64_t end) {
  int64_t one = 1;
  return pt2_slice(n, value, 0, pt2_known_ints(n, 1, &start), pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &one));
}

// [T, D, B, H] as [T, B, D H].
static const char *beside(pt2_node_t *n, const char *value) {
  static const int64_t order[] = {0, 2, 1, 3}, shape[] = {0, 0, -1};
  return n->has_failed ? "" : graph_reshape(n->g, graph_transpose(n->g, value, 4, order), 3, shape);
}

static const char *swap_batch(pt2_node_t *n, const char *value) {
  static const int64_t order[] = {1, 0, 2};
  return pt2_bool(n, "batch_first") ? pt2_transpose(n, value, 3, order) : value;
}

static int read_layers(pt2_node_t *n, kind_t *kind, int n_items) {
  int64_t layers = pt2_int(n, "num_layers");
  kind->has_biases = pt2_bool(n, "has_biases");
  kind->directions = pt2_bool(n, "bidirectional") ? 2 : 1;
  if (pt2_has(n, "batch_sizes"))
    pt2_refuse(n, "a packed sequence");
  if (pt2_bool(n, "train") && pt2_number(n, "dropout") != 0)
    pt2_refuse(n, "dropout; export model.eval()");
  bool may_be = layers >= 1 && layers <= n_items;
  kind->is_projected = may_be && !strcmp(kind->op, "LSTM") && n_items > layers * kind->directions * n_weights(kind);
  if (!may_be || n_items != layers * kind->directions * n_weights(kind))
    pt2_refuse(n, "%lld layers of %d weights", (long long)layers, n_items);
  return may_be ? (int)layers : 0;
}

void pt2_import_recurrent(pt2_node_t *n) {
  kind_t kind = read_kind(n);
  int n_hidden, n_items;
  const pt2_item_t *hidden = pt2_items(n, "hx", &n_hidden), *items = pt2_items(n, "params", &n_items);
  int layers = read_layers(n, &kind, n_items), stride = n->has_failed ? 0 : n_items / layers;
  if (n_hidden != kind.n_states || pt2_tensor(n, "input").rank != 3)
    pt2_refuse(n, "states or an operand of another kind");
  if (n->has_failed)
    return;
  const char **ends[] = {strata_arena_array(n->arena, const char *, layers),
                         strata_arena_array(n->arena, const char *, layers)};
  const char *value = swap_batch(n, pt2_tensor(n, "input").name);
  check_weight(n, &kind, items);
  for (int i = 0; i < layers && !n->has_failed; i++) {
    const char *states[2] = {"", ""};
    for (int k = 0; k < kind.n_states; k++)
      states[k] = rows(n, pt2_item_tensor(n, &hidden[k]).name, i * kind.directions, (i + 1) * kind.directions);
    graph_node_t *node = layer(n, &kind, value, states, items + i * stride);
    if (!node)
      return;
    value = beside(n, graph_result(node, NULL));
    for (int k = 0; k < kind.n_states; k++)
      ends[k][i] = graph_result(node, NULL);
  }
  pt2_set(n, 0, swap_batch(n, value));
  for (int k = 0; k < kind.n_states; k++)
    pt2_set(n, 1 + k, layers == 1 ? ends[k][0] : pt2_concat(n, layers, ends[k], 0));
}

//===-- Cells ----------------------------------------------------------------------------------------------------===//

// A sequence of one.
void pt2_import_recurrent_cell(pt2_node_t *n) {
  static const char *const names[] = {"w_ih", "w_hh", "b_ih", "b_hh"};
  kind_t kind = read_kind(n);
  pt2_item_t items[4] = {0};
  int count;
  int64_t front = 0;
  kind.has_biases = pt2_has(n, "b_ih") && pt2_has(n, "b_hh");
  for (int i = 0; i < (kind.has_biases ? 4 : 2); i++) {
    const pt2_item_t *item = pt2_items(n, names[i], &count);
    if (count == 1)
      items[i] = *item;
  }
  const pt2_item_t *hidden = pt2_items(n, "hx", &count);
  if (count != kind.n_states || pt2_tensor(n, "input").rank != 2)
    pt2_refuse(n, "states or an operand of another kind");
  check_weight(n, &kind, items);
  const char *states[2] = {"", ""};
  for (int i = 0; i < kind.n_states && !n->has_failed; i++)
    states[i] = graph_unsqueeze(n->g, pt2_item_tensor(n, &hidden[i]).name, 1, &front);
  if (n->has_failed)
    return;
  graph_node_t *node = layer(n, &kind, graph_unsqueeze(n->g, pt2_tensor(n, "input").name, 1, &front), states, items);
  if (!node)
    return;
  graph_result(node, "");
  for (int i = 0; i < kind.n_states; i++)
    pt2_set(n, i, graph_squeeze(n->g, graph_result(node, NULL), 1, &front));
}
