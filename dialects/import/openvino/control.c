// Bodies: If and Loop as ONNX's, TensorIterator as its Scan. What a body does not get by iteration it sees as the value
// outside.
#include "dialects/import/openvino/openvino.h"

#include <string.h>

//===-- Maps -----------------------------------------------------------------------------------------------------===//

enum { MAX_MAPPED = 256 };

// An entry of a <port_map>.
typedef struct {
  const xml_element_t *entry;
  ir_layer_t *layer; // a Parameter or Result of the body
  int port;          // an input or output of the layer; -1: none
  bool is_sliced;    // by iteration, along |axis|
  int64_t axis;
  bool is_backward;
  int back; // of an input, which output of the map it gets after an iteration; of an output, whether one does; -1
} mapped_t;

typedef struct {
  int n_inputs, n_outputs;
  mapped_t inputs[MAX_MAPPED], outputs[MAX_MAPPED];
  const char *condition_id; // of the Result that says whether it goes on
} map_t;

static bool is_attribute(const xml_element_t *entry, const char *name, const char *value) {
  const char *given = xml_attribute(entry, name);
  return given && !strcmp(given, value);
}

static int64_t entry_int(ir_node_t *n, const xml_element_t *entry, const char *name, int64_t otherwise) {
  const char *text = xml_attribute(entry, name);
  int64_t value = otherwise;
  if (text && ir_parse_ints(text, 1, &value) != 1)
    ir_refuse(n, "attribute '%s' of a port map: expected an integer, got '%s'", name, text);
  return value;
}

// All that is there, one element an iteration: from the front or from the end.
static void read_slices(ir_node_t *n, mapped_t *m) {
  int64_t stride = entry_int(n, m->entry, "stride", 1), start = entry_int(n, m->entry, "start", stride < 0 ? -1 : 0);
  int64_t end = entry_int(n, m->entry, "end", stride < 0 ? 0 : -1), size = entry_int(n, m->entry, "part_size", 1);
  m->axis = entry_int(n, m->entry, "axis", -1);
  m->is_sliced = xml_attribute(m->entry, "axis") && m->axis >= 0;
  m->is_backward = stride < 0;
  if (m->is_sliced &&
      (size != 1 || (stride != 1 && stride != -1) || start != (stride < 0 ? -1 : 0) || end != (stride < 0 ? 0 : -1)))
    ir_refuse(n, "parts of a tensor other than all its elements one by one");
}

static void read_entry(ir_node_t *n, const ir_graph_t *body, const xml_element_t *entry, bool is_input, map_t *map) {
  const char *outside = xml_attribute(entry, "external_port_id"), *inside = xml_attribute(entry, "internal_layer_id");
  int *count = is_input ? &map->n_inputs : &map->n_outputs;
  ir_layer_t *layer = inside ? ir_find_layer(body, inside) : NULL;
  bool is_good = layer && outside && *count < MAX_MAPPED && (is_input ? layer->n_outputs : layer->n_inputs) == 1 &&
                 !strcmp(layer->type, is_input ? "Parameter" : "Result");
  if (!is_good) {
    ir_refuse(n, "a port map that does not fit the body");
    return;
  }
  mapped_t *m = &(is_input ? map->inputs : map->outputs)[(*count)++];
  *m = (mapped_t){.entry = entry, .layer = layer, .back = -1};
  m->port = is_input ? ir_find_input(n->layer, outside) : ir_find_output(n->layer, outside);
  read_slices(n, m);
}

static void read_map(ir_node_t *n, const ir_graph_t *body, const char *name, map_t *map) {
  const xml_element_t *list = xml_child(n->layer->element, name);
  for (const xml_element_t *e = list ? list->children : NULL; e && !n->refusal; e = e->next) {
    if (is_attribute(e, "purpose", "execution_condition"))
      map->condition_id = xml_attribute(e, "internal_layer_id");
    if (!strcmp(e->name, "input") || !strcmp(e->name, "output"))
      read_entry(n, body, e, !strcmp(e->name, "input"), map);
  }
}

static int find_mapped(const mapped_t *list, int count, const char *layer_id) {
  for (int i = 0; layer_id && i < count; i++)
    if (!strcmp(list[i].layer->id, layer_id))
      return i;
  return -1;
}

// A Result goes back to a Parameter; it need not be an output.
static void read_back_edges(ir_node_t *n, const ir_graph_t *body, map_t *map) {
  const xml_element_t *list = xml_child(n->layer->element, "back_edges");
  for (const xml_element_t *e = xml_child(list, "edge"); e && !n->refusal; e = xml_find(e->next, "edge")) {
    int to = find_mapped(map->inputs, map->n_inputs, xml_attribute(e, "to-layer"));
    const char *from = xml_attribute(e, "from-layer");
    int result = find_mapped(map->outputs, map->n_outputs, from);
    ir_layer_t *layer = from ? ir_find_layer(body, from) : NULL;
    if (result < 0 && layer && layer->n_inputs == 1 && map->n_outputs < MAX_MAPPED) {
      result = map->n_outputs++;
      map->outputs[result] = (mapped_t){.entry = e, .layer = layer, .port = -1, .back = -1};
    }
    if (to < 0 || result < 0 || map->inputs[to].port < 0 || map->inputs[to].is_sliced || map->inputs[to].back >= 0) {
      ir_refuse(n, "a back edge that does not fit the body");
      return;
    }
    map->inputs[to].back = result;
  }
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

static ir_graph_t *body_of(ir_node_t *n, ir_body_t which) {
  if (!n->layer->bodies[which])
    ir_refuse(n, "there is no body");
  return n->layer->bodies[which];
}

// Parameters that are the same in all iterations are the values outside.
static void bind_outside(ir_node_t *n, map_t *map) {
  for (int i = 0; i < map->n_inputs; i++)
    if (map->inputs[i].port >= 0 && !map->inputs[i].is_sliced && map->inputs[i].back < 0)
      map->inputs[i].layer->values[0] = ir_operand(n, map->inputs[i].port);
}

static void translate_body(ir_node_t *n, graph_t *body, ir_graph_t *layers) {
  strata_status_t status = n->refusal ? NULL : ir_translate_layers(n->importer, body, layers);
  if (status)
    ir_refuse(n, "%s", strata_status_message(status));
  strata_status_free(status);
  graph_origin(n->g, n->label, n->layer->name);
}

// The value of a Result as an output of the body.
static void add_output(ir_node_t *n, graph_t *body, const char *value) {
  if (value)
    graph_output(body, graph_fresh(body, n->layer->name), value);
  else
    ir_refuse(n, "a result of the body without an edge");
}

static int n_states(const map_t *map) {
  int count = 0;
  for (int i = 0; i < map->n_inputs; i++)
    count += map->inputs[i].back >= 0;
  return count;
}

// What an iteration gives the next one, in the order of the inputs.
static void add_state_outputs(ir_node_t *n, graph_t *body, const map_t *map) {
  for (int i = 0; i < map->n_inputs && !n->refusal; i++)
    if (map->inputs[i].back >= 0)
      add_output(n, body, ir_result_value(map->outputs[map->inputs[i].back].layer));
}

// What all iterations give, without the dim along which it is put together.
static void add_collected_outputs(ir_node_t *n, graph_t *body, const map_t *map) {
  for (int i = 0; i < map->n_outputs && !n->refusal; i++) {
    const char *value = map->outputs[i].is_sliced ? ir_result_value(map->outputs[i].layer) : "";
    if (map->outputs[i].is_sliced)
      add_output(n, body, value ? graph_squeeze(body, value, 1, &map->outputs[i].axis) : NULL);
  }
}

// Final states are results of the node in the order of the inputs; a layer's output that is one gets it.
static void set_states(ir_node_t *n, graph_node_t *node, const map_t *map) {
  for (int i = 0; i < map->n_inputs; i++) {
    if (map->inputs[i].back < 0)
      continue;
    const char *value = graph_result(node, NULL);
    const ir_layer_t *result = map->outputs[map->inputs[i].back].layer;
    for (int k = 0; k < map->n_outputs; k++)
      if (map->outputs[k].layer == result && !map->outputs[k].is_sliced && map->outputs[k].port >= 0)
        ir_set(n, map->outputs[k].port, value);
  }
}

//===-- If -------------------------------------------------------------------------------------------------------===//

static graph_t *translate_branch(ir_node_t *n, ir_body_t which, const char *name) {
  ir_graph_t *layers = body_of(n, which);
  graph_t *branch = graph_create_body(n->g);
  map_t *map = strata_arena_new(graph_arena(n->g), map_t);
  if (n->refusal)
    return branch;
  read_map(n, layers, name, map);
  bind_outside(n, map);
  translate_body(n, branch, layers);
  for (int i = 0; i < n->layer->n_outputs && !n->refusal; i++) {
    int found = -1;
    for (int k = 0; k < map->n_outputs; k++)
      found = map->outputs[k].port == i ? k : found;
    add_output(n, branch, found < 0 ? NULL : ir_result_value(map->outputs[found].layer));
  }
  return branch;
}

static const char *scalar(graph_t *g, const char *value) { return graph_reshape(g, value, 0, NULL); }

void ir_translate_if(ir_node_t *n) {
  graph_t *then_branch = translate_branch(n, IR_THEN, "then_port_map");
  graph_t *else_branch = translate_branch(n, IR_ELSE, "else_port_map");
  const char *condition = ir_operand(n, 0);
  graph_node_t *node = graph_node(n->g, "If", GRAPH_VALUES(ir_rank(n, 0) ? scalar(n->g, condition) : condition));
  graph_set_body(node, "then_branch", then_branch);
  graph_set_body(node, "else_branch", else_branch);
  for (int i = 0; i < n->layer->n_outputs; i++)
    ir_set(n, i, graph_result(node, NULL));
}

//===-- Loop -----------------------------------------------------------------------------------------------------===//

// The number of the iteration, as the type and shape that the body's Parameter has.
static const char *iteration(ir_node_t *n, graph_t *body, const ir_layer_t *parameter, const char *number) {
  const ir_port_t *port = &parameter->outputs[0];
  if (!port->type || port->type->dtype == STRATA_DTYPE_NONE || port->rank > 1)
    ir_refuse(n, "the number of the iteration in this form");
  else if (port->type->dtype != STRATA_DTYPE_I64)
    number = graph_cast(body, number, port->type->dtype);
  return port->rank == 1 ? graph_reshape(body, number, 1, (int64_t[]){1}) : number;
}

static void bind_loop_inputs(ir_node_t *n, graph_t *body, map_t *map, const char *number) {
  for (int i = 0; i < map->n_inputs; i++) {
    mapped_t *m = &map->inputs[i];
    if (is_attribute(m->entry, "purpose", "current_iteration")) {
      m->layer->values[0] = iteration(n, body, m->layer, number);
    } else if (m->back >= 0) {
      m->layer->values[0] = graph_fresh(body, m->layer->name);
      graph_body_input(body, m->layer->values[0]);
    } else if (m->is_sliced) {
      if (m->is_backward)
        ir_refuse(n, "parts of a tensor from its end");
      const char *place = graph_reshape(body, number, 1, (int64_t[]){1});
      graph_node_t *gather = graph_node(body, "Gather", GRAPH_VALUES(ir_operand(n, m->port), place));
      graph_set_int(gather, "axis", m->axis);
      m->layer->values[0] = graph_result(gather, NULL);
    }
  }
}

// ONNX stacks along a new dim in front.
static void set_collected(ir_node_t *n, graph_node_t *node, const map_t *map) {
  for (int i = 0; i < map->n_outputs && !n->refusal; i++) {
    const mapped_t *m = &map->outputs[i];
    int64_t order[STRATA_MAX_RANK];
    if (!m->is_sliced)
      continue;
    const char *value = graph_result(node, NULL);
    int rank = m->port >= 0 ? n->layer->outputs[m->port].rank : -1;
    if (rank < 1 || rank > STRATA_MAX_RANK || m->axis >= rank) {
      ir_refuse(n, "a collected result of a number of dimensions that is not known");
      return;
    }
    for (int d = 0; d < rank; d++)
      order[d] = d < m->axis ? d + 1 : d == m->axis ? 0 : d;
    ir_set(n, m->port, m->axis ? graph_transpose(n->g, value, rank, order) : value);
  }
}

// A trip count of -1 is no limit.
static const char *trip_count(ir_node_t *n) {
  strata_tensor_t tensor;
  if (ir_find_constant(n, 0, &tensor) && strata_tensor_count(&tensor) == 1) {
    int64_t count = ir_constant_int(n, 0, 0);
    return count < 0 ? "" : graph_int(n->g, count);
  }
  return scalar(n->g, ir_ints_operand(n, 0));
}

void ir_translate_loop(ir_node_t *n) {
  ir_graph_t *layers = body_of(n, IR_BODY);
  map_t *map = strata_arena_new(graph_arena(n->g), map_t);
  graph_t *body = graph_create_body(n->g);
  const char *number = graph_fresh(body, "iteration"), *goes_on = graph_fresh(body, "goes on");
  if (!n->refusal)
    read_map(n, layers, "port_map", map);
  if (n->refusal)
    return;
  read_back_edges(n, layers, map);
  graph_body_input(body, number);
  graph_body_input(body, goes_on);
  bind_outside(n, map);
  bind_loop_inputs(n, body, map, number);
  translate_body(n, body, layers);
  const ir_layer_t *condition = map->condition_id ? ir_find_layer(layers, map->condition_id) : NULL;
  const char *value = condition ? ir_result_value(condition) : goes_on;
  if (!n->refusal)
    add_output(n, body, condition && value ? scalar(body, value) : value);
  add_state_outputs(n, body, map);
  add_collected_outputs(n, body, map);
  const char **operands = strata_arena_array(graph_arena(n->g), const char *, 2 + n_states(map));
  int count = 2;
  operands[0] = trip_count(n);
  operands[1] = scalar(n->g, ir_operand(n, 1));
  for (int i = 0; i < map->n_inputs; i++)
    if (map->inputs[i].back >= 0)
      operands[count++] = ir_operand(n, map->inputs[i].port);
  graph_node_t *node = graph_node(n->g, "Loop", count, operands);
  graph_set_body(node, "body", body);
  set_states(n, node, map);
  set_collected(n, node, map);
}

//===-- TensorIterator -------------------------------------------------------------------------------------------===//

// States first, then what is read one by one, in which ONNX leaves the dim out.
static void bind_scan_inputs(graph_t *body, map_t *map) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < map->n_inputs; i++) {
      mapped_t *m = &map->inputs[i];
      if (pass ? !m->is_sliced : m->back < 0)
        continue;
      const char *value = graph_fresh(body, m->layer->name);
      graph_body_input(body, value);
      m->layer->values[0] = pass ? graph_unsqueeze(body, value, 1, &m->axis) : value;
    }
}

static void set_scan_axes(graph_node_t *node, const mapped_t *list, int n, const char *axes, const char *directions) {
  int64_t places[MAX_MAPPED], ways[MAX_MAPPED];
  int count = 0;
  for (int i = 0; i < n; i++)
    if (list[i].is_sliced) {
      places[count] = list[i].axis;
      ways[count++] = list[i].is_backward;
    }
  if (!count)
    return;
  graph_set_ints(node, axes, count, places);
  graph_set_ints(node, directions, count, ways);
}

static graph_node_t *scan_node(ir_node_t *n, const map_t *map) {
  const char **operands = strata_arena_array(graph_arena(n->g), const char *, map->n_inputs);
  int count = 0, n_sliced = 0;
  for (int i = 0; i < map->n_inputs; i++)
    if (map->inputs[i].back >= 0)
      operands[count++] = ir_operand(n, map->inputs[i].port);
  for (int i = 0; i < map->n_inputs; i++)
    if (map->inputs[i].is_sliced) {
      operands[count++] = ir_operand(n, map->inputs[i].port);
      n_sliced++;
    }
  if (!n_sliced)
    ir_refuse(n, "nothing that says how many iterations there are");
  graph_node_t *node = graph_node(n->g, "Scan", count, operands);
  graph_set_int(node, "num_scan_inputs", n_sliced);
  set_scan_axes(node, map->inputs, map->n_inputs, "scan_input_axes", "scan_input_directions");
  set_scan_axes(node, map->outputs, map->n_outputs, "scan_output_axes", "scan_output_directions");
  return node;
}

void ir_translate_tensor_iterator(ir_node_t *n) {
  ir_graph_t *layers = body_of(n, IR_BODY);
  map_t *map = strata_arena_new(graph_arena(n->g), map_t);
  graph_t *body = graph_create_body(n->g);
  if (!n->refusal)
    read_map(n, layers, "port_map", map);
  if (n->refusal)
    return;
  read_back_edges(n, layers, map);
  bind_outside(n, map);
  bind_scan_inputs(body, map);
  translate_body(n, body, layers);
  add_state_outputs(n, body, map);
  add_collected_outputs(n, body, map);
  graph_node_t *node = scan_node(n, map);
  graph_set_body(node, "body", body);
  set_states(n, node, map);
  for (int i = 0; i < map->n_outputs; i++)
    if (map->outputs[i].is_sliced) {
      const char *value = graph_result(node, NULL);
      ir_set(n, map->outputs[i].port < 0 ? n->layer->n_outputs : map->outputs[i].port, value);
    }
}
