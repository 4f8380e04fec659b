// Recurrent layers as ONNX's, with the batch in front (layout 1). Gates of an LSTM are in another order, and the biases
// of operand and state are one.
#include "dialects/import/openvino/openvino.h"

#include <ctype.h>
#include <string.h>

typedef struct {
  const char *op;
  int n_gates, n_states;
  int64_t directions, hidden;
} layer_t;

static const char *concat(ir_node_t *n, int count, const char *const *parts, int axis) {
  graph_node_t *node = graph_node(n->g, "Concat", count, parts);
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

// Gates are along dim 1: f i c o as i o f c.
static const char *reorder(ir_node_t *n, const layer_t *l, const char *value) {
  static const int order[4] = {1, 3, 0, 2};
  const char *gates[4], *ordered[4];
  if (strcmp(l->op, "LSTM"))
    return value;
  graph_node_t *split = graph_node(n->g, "Split", GRAPH_VALUES(value));
  graph_set_int(split, "axis", 1);
  graph_set_int(split, "num_outputs", 4);
  for (int i = 0; i < 4; i++)
    gates[i] = graph_result(split, NULL);
  for (int i = 0; i < 4; i++)
    ordered[i] = gates[order[i]];
  return concat(n, 4, ordered, 1);
}

static const char *zeros(ir_node_t *n, const layer_t *l, int64_t n_gates, int like) {
  int64_t dims[2] = {l->directions, n_gates * l->hidden};
  return ir_binary(n, "Expand", ir_number_like(n, like, 0), graph_ints(n->g, 2, dims));
}

// The bias of the state's part of a GRU's last gate is apart with linear_before_reset: [z, r, x, h].
static const char *gru_biases(ir_node_t *n, const layer_t *l, const char *bias, int like) {
  int64_t lengths[2] = {3 * l->hidden, l->hidden};
  graph_node_t *split = graph_node(n->g, "Split", GRAPH_VALUES(bias, graph_ints(n->g, 2, lengths)));
  graph_set_int(split, "axis", 1);
  const char *first = graph_result(split, NULL), *last = graph_result(split, NULL);
  return concat(n, 3, (const char *[]){first, zeros(n, l, 2, like), last}, 1);
}

static const char *biases(ir_node_t *n, const layer_t *l, const char *bias, int like) {
  if (ir_attr_bool(n, "linear_before_reset", false))
    return gru_biases(n, l, bias, like);
  return concat(n, 2, (const char *[]){reorder(n, l, bias), zeros(n, l, l->n_gates, like)}, 1);
}

// "sigmoid,tanh,tanh" for each direction, with capitals.
static void set_activations(ir_node_t *n, const layer_t *l, graph_node_t *node) {
  enum { MOST = 6 };
  const char *given = ir_attr(n, "activations"), *names[MOST];
  int count = 0;
  for (const char *at = given ? given : ""; *at;) {
    at += strspn(at, ", ");
    size_t length = strcspn(at, ", ");
    if (!length)
      break;
    char *name = strata_arena_printf(graph_arena(n->g), "%.*s", (int)length, at);
    *name = (char)toupper((unsigned char)*name);
    if (count < MOST / 2)
      names[count] = name;
    count++;
    at += length;
  }
  int n_alphas, n_betas;
  ir_attr_ints(n, "activations_alpha", &n_alphas);
  ir_attr_ints(n, "activations_beta", &n_betas);
  if (n_alphas || n_betas || count > MOST / 2)
    ir_refuse(n, "activations with parameters");
  if (n->refusal || !count)
    return;
  for (int i = 0; i < count; i++)
    names[count + i] = names[i];
  graph_set_strings(node, "activations", count * (int)l->directions, names);
}

// |values|: X [B, T, I], the states [B, D, H], lengths or "", W, R and the bias.
static graph_node_t *build(ir_node_t *n, const layer_t *l, const char *const *values, const char *lengths,
                           const char *const *weights, int like) {
  const char *operands[] = {
      values[0], reorder(n, l, weights[0]),        reorder(n, l, weights[1]), biases(n, l, weights[2], like), lengths,
      values[1], l->n_states == 2 ? values[2] : ""};
  graph_node_t *node = graph_node(n->g, l->op, 7, operands);
  const char *direction = ir_attr(n, "direction");
  double clip = ir_attr_float(n, "clip", 0);
  char *lower = strata_arena_strdup(graph_arena(n->g), direction ? direction : "forward");
  for (char *c = lower; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  graph_set_string(node, "direction", lower);
  graph_set_int(node, "hidden_size", l->hidden);
  graph_set_int(node, "layout", 1);
  if (clip > 0)
    graph_set_float(node, "clip", clip);
  if (!strcmp(l->op, "GRU"))
    graph_set_int(node, "linear_before_reset", ir_attr_bool(n, "linear_before_reset", false));
  set_activations(n, l, node);
  return node;
}

static layer_t read_layer(ir_node_t *n) {
  layer_t l = {.op = n->op->detail, .hidden = ir_attr_int(n, "hidden_size", 0), .directions = 1, .n_states = 1};
  l.n_gates = !strcmp(l.op, "LSTM") ? 4 : !strcmp(l.op, "GRU") ? 3 : 1;
  l.n_states = l.n_gates == 4 ? 2 : 1;
  l.directions = ir_attr_is(n, "direction", "bidirectional", false) ? 2 : 1;
  if (l.hidden < 1 || l.hidden > INT32_MAX)
    ir_refuse(n, "attribute 'hidden_size': expected a size");
  return l;
}

// Lengths that are all the same as the operand's need no mention.
static const char *lengths_operand(ir_node_t *n, int i) {
  int count;
  strata_tensor_t tensor;
  const ir_port_t *x = ir_port(n, 0);
  bool is_whole = ir_find_constant(n, i, &tensor) && x->rank == 3;
  const int64_t *lengths = is_whole ? ir_constant_ints(n, i, &count) : NULL;
  for (int k = 0; lengths && k < count; k++)
    is_whole = is_whole && lengths[k] == x->dims[1];
  return is_whole && !n->refusal              ? ""
         : ir_dtype(n, i) == STRATA_DTYPE_I32 ? ir_operand(n, i)
                                              : graph_cast(n->g, ir_operand(n, i), STRATA_DTYPE_I32);
}

void ir_translate_recurrent_sequence(ir_node_t *n) {
  layer_t l = read_layer(n);
  int first = 2 + l.n_states; // of the weights
  const char *values[] = {ir_operand(n, 0), ir_operand(n, 1), ir_operand(n, 2)};
  const char *weights[] = {ir_operand(n, first), ir_operand(n, first + 1), ir_operand(n, first + 2)};
  graph_node_t *node = build(n, &l, values, lengths_operand(n, 1 + l.n_states), weights, 0);
  // [B, T, D, H] as [B, D, T, H].
  ir_set(n, 0, graph_transpose(n->g, graph_result(node, NULL), 4, (int64_t[]){0, 2, 1, 3}));
  for (int i = 0; i < l.n_states; i++)
    ir_set(n, 1 + i, graph_result(node, NULL));
}

// One step of a sequence: [B, 1, I], and states [B, 1, H].
void ir_translate_recurrent_cell(ir_node_t *n) {
  layer_t l = read_layer(n);
  const char *values[3] = {"", "", ""}, *weights[3];
  for (int i = 0; i <= l.n_states; i++)
    values[i] = graph_unsqueeze(n->g, ir_operand(n, i), 1, (int64_t[]){1});
  for (int i = 0; i < 3; i++)
    weights[i] = graph_unsqueeze(n->g, ir_operand(n, 1 + l.n_states + i), 1, (int64_t[]){0});
  graph_node_t *node = build(n, &l, values, "", weights, 0);
  graph_result(node, "");
  for (int i = 0; i < l.n_states; i++)
    ir_set(n, i, graph_squeeze(n->g, graph_result(node, NULL), 1, (int64_t[]){1}));
}
