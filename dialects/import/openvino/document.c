// From the tree of elements to linked layers.
#include "dialects/import/openvino/document.h"

#include "dialects/import/string_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_PORTS = 4096, // of a layer
  MAX_NESTING = 32, // of bodies
};

typedef struct {
  strata_arena_t *arena;
  int nesting;
} document_t;

static const ir_type_t types[] = {
#define IR_TYPE(name, precision, bits, dtype, table) {name, precision, bits, STRATA_DTYPE_##dtype, IR_TABLE_##table},
#include "dialects/import/openvino/element_types.def"
};
enum { N_TYPES = sizeof types / sizeof types[0] };

const ir_type_t *ir_type_by_name(const char *name) {
  for (int i = 0; i < N_TYPES; i++)
    if (!strcmp(types[i].name, name) || !strcmp(types[i].precision, name))
      return &types[i];
  return NULL;
}

// |element| is where, for the line.
static strata_status_t malformed(const xml_element_t *element, const char *format, ...) STRATA_PRINTF(2, 3);
static strata_status_t malformed(const xml_element_t *element, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_status_t status = strata_error_v(STRATA_PARSE, format, args);
  va_end(args);
  return strata_status_context(status, "line %d: <%s>", element->line, element->name);
}

static strata_status_t required(const xml_element_t *element, const char *name, const char **out_value) {
  *out_value = xml_attribute(element, name);
  return *out_value ? NULL : malformed(element, "the attribute '%s' is missing", name);
}

static size_t count_children(const xml_element_t *element, const char *name) {
  size_t count = 0;
  for (const xml_element_t *e = xml_child(element, name); e; e = xml_find(e->next, name))
    count++;
  return count;
}

int ir_parse_ints(const char *text, int most, int64_t *out) {
  int count = 0;
  text += strspn(text, " ");
  while (*text) {
    char *end;
    errno = 0;
    int64_t value = strtoll(text, &end, 10);
    if (end == text || errno || count == most)
      return -1;
    out[count++] = value;
    text = end + strspn(end, " ");
    if (*text && *text != ',')
      return -1;
    text += *text == ',';
    text += strspn(text, " ");
  }
  return count;
}

//===-- Ports ----------------------------------------------------------------------------------------------------===//

static strata_status_t read_port(document_t *d, const xml_element_t *element, ir_port_t *port) {
  const char *precision = xml_attribute(element, "precision"), *names = xml_attribute(element, "names");
  STRATA_TRY(required(element, "id", &port->id));
  port->names = names ? names : "";
  port->type = precision ? ir_type_by_name(precision) : NULL;
  port->rank = (int)count_children(element, "dim");
  port->dims = strata_arena_array(d->arena, int64_t, port->rank);
  int axis = 0;
  for (const xml_element_t *dim = xml_child(element, "dim"); dim; dim = xml_find(dim->next, "dim"), axis++)
    if (ir_parse_ints(dim->text, 1, &port->dims[axis]) != 1 || port->dims[axis] < -1)
      return malformed(dim, "expected a size or -1, got '%s'", dim->text);
  if (xml_child(element, "rank")) // IR's way to say that not even the number of dims is known
    port->rank = -1;
  return NULL;
}

static strata_status_t read_ports(document_t *d, const xml_element_t *list, int *out_count, ir_port_t **out_ports) {
  size_t count = count_children(list, "port");
  if (count > MAX_PORTS)
    return malformed(list, "more than %d ports", MAX_PORTS);
  ir_port_t *ports = strata_arena_array(d->arena, ir_port_t, count);
  *out_count = 0;
  *out_ports = ports;
  for (const xml_element_t *port = xml_child(list, "port"); port; port = xml_find(port->next, "port"))
    STRATA_TRY(read_port(d, port, &ports[(*out_count)++]));
  return NULL;
}

int ir_find_input(const ir_layer_t *layer, const char *id) {
  for (int i = 0; i < layer->n_inputs; i++)
    if (!strcmp(layer->inputs[i].id, id))
      return i;
  return -1;
}

int ir_find_output(const ir_layer_t *layer, const char *id) {
  for (int i = 0; i < layer->n_outputs; i++)
    if (!strcmp(layer->outputs[i].id, id))
      return i;
  return -1;
}

//===-- Layers ---------------------------------------------------------------------------------------------------===//

static strata_status_t read_graph(document_t *d, const xml_element_t *element, ir_graph_t *out_graph);

static strata_status_t read_bodies(document_t *d, ir_layer_t *layer) {
  static const char *const names[IR_N_BODIES] = {"body", "then_body", "else_body"};
  for (int i = 0; i < IR_N_BODIES; i++) {
    const xml_element_t *body = xml_child(layer->element, names[i]);
    if (!body)
      continue;
    if (d->nesting == MAX_NESTING)
      return malformed(body, "more than %d bodies inside each other", MAX_NESTING);
    layer->bodies[i] = strata_arena_new(d->arena, ir_graph_t);
    d->nesting++;
    STRATA_TRY(read_graph(d, body, layer->bodies[i]));
    d->nesting--;
  }
  return NULL;
}

static strata_status_t read_layer(document_t *d, const xml_element_t *element, ir_layer_t *layer) {
  ir_port_t *inputs;
  layer->element = element;
  layer->data = xml_child(element, "data");
  STRATA_TRY(required(element, "id", &layer->id));
  STRATA_TRY(required(element, "type", &layer->type));
  layer->name = xml_attribute(element, "name");
  layer->name = layer->name ? layer->name : layer->id;
  layer->version = xml_attribute(element, "version");
  layer->version = layer->version ? layer->version : "";
  STRATA_TRY(read_ports(d, xml_child(element, "input"), &layer->n_inputs, &inputs));
  STRATA_TRY(read_ports(d, xml_child(element, "output"), &layer->n_outputs, &layer->outputs));
  layer->values = strata_arena_array(d->arena, const char *, layer->n_outputs);
  layer->is_read = strata_arena_array(d->arena, bool, layer->n_outputs);
  layer->inputs = strata_arena_array(d->arena, ir_input_t, layer->n_inputs);
  for (int i = 0; i < layer->n_inputs; i++)
    layer->inputs[i].id = inputs[i].id;
  return read_bodies(d, layer);
}

//===-- Edges ----------------------------------------------------------------------------------------------------===//

static strata_status_t link_edge(const strata_string_map_t *layers, const xml_element_t *edge) {
  const char *from_layer, *from_port, *to_layer, *to_port;
  STRATA_TRY(required(edge, "from-layer", &from_layer));
  STRATA_TRY(required(edge, "from-port", &from_port));
  STRATA_TRY(required(edge, "to-layer", &to_layer));
  STRATA_TRY(required(edge, "to-port", &to_port));
  ir_layer_t *from = strata_string_map_get(layers, from_layer), *to = strata_string_map_get(layers, to_layer);
  if (!from || !to)
    return malformed(edge, "there is no layer %s", from ? to_layer : from_layer);
  int output = ir_find_output(from, from_port), input = ir_find_input(to, to_port);
  if (output < 0 || input < 0)
    return malformed(edge, "layer '%s' has no %s port %s", output < 0 ? from->name : to->name,
                     output < 0 ? "output" : "input", output < 0 ? from_port : to_port);
  if (to->inputs[input].from)
    return malformed(edge, "layer '%s' has two edges to port %s", to->name, to_port);
  to->inputs[input].from = from;
  to->inputs[input].output = output;
  return NULL;
}

// A variable is what the caller says it is; how it begins is not asked.
static int n_needed(const ir_layer_t *layer) { return strcmp(layer->type, "ReadValue") ? layer->n_inputs : 0; }

// Puts |root| and what it needs in order, by a stack of layers: graphs may be deep. The layer of a cycle, or NULL.
static const ir_layer_t *order_from(strata_arena_t *arena, ir_graph_t *graph, ir_layer_t *root) {
  STRATA_VECTOR(ir_layer_t *) stack = {0};
  *strata_vector_push(arena, &stack) = root;
  root->is_reached = true;
  while (stack.count) {
    ir_layer_t *layer = stack.data[stack.count - 1];
    if (layer->next_input == n_needed(layer)) {
      layer->next_input++; // done
      graph->order[graph->n_order++] = layer;
      stack.count--;
      continue;
    }
    const ir_input_t *input = &layer->inputs[layer->next_input++];
    if (!input->from)
      continue;
    input->from->is_read[input->output] = true;
    if (!input->from->is_reached)
      *strata_vector_push(arena, &stack) = input->from;
    else if (input->from->next_input <= n_needed(input->from))
      return input->from;
    input->from->is_reached = true;
  }
  return NULL;
}

// Only what results and assigned variables need counts.
static strata_status_t order_layers(strata_arena_t *arena, ir_graph_t *graph) {
  const ir_layer_t *cycle = NULL;
  graph->order = strata_arena_array(arena, ir_layer_t *, graph->n_layers);
  for (size_t i = 0; i < graph->n_layers && !cycle; i++) {
    ir_layer_t *layer = &graph->layers[i];
    if (!layer->is_reached && (!strcmp(layer->type, "Result") || !strcmp(layer->type, "Assign")))
      cycle = order_from(arena, graph, layer);
  }
  return cycle ? malformed(cycle->element, "layer '%s' needs its own result", cycle->name) : NULL;
}

static strata_status_t read_graph(document_t *d, const xml_element_t *element, ir_graph_t *out_graph) {
  const xml_element_t *layers = xml_child(element, "layers"), *edges = xml_child(element, "edges");
  if (!layers)
    return malformed(element, "there are no <layers>");
  size_t count = count_children(layers, "layer"), i = 0;
  *out_graph = (ir_graph_t){.n_layers = count, .layers = strata_arena_array(d->arena, ir_layer_t, count)};
  strata_string_map_t by_id = {0};
  for (const xml_element_t *e = xml_child(layers, "layer"); e; e = xml_find(e->next, "layer")) {
    ir_layer_t *layer = &out_graph->layers[i++];
    STRATA_TRY(read_layer(d, e, layer));
    if (strata_string_map_put(d->arena, &by_id, layer->id, layer))
      return malformed(e, "there are two layers %s", layer->id);
  }
  for (const xml_element_t *e = xml_child(edges, "edge"); e; e = xml_find(e->next, "edge"))
    STRATA_TRY(link_edge(&by_id, e));
  return order_layers(d->arena, out_graph);
}

ir_layer_t *ir_find_layer(const ir_graph_t *graph, const char *id) {
  for (size_t i = 0; i < graph->n_layers; i++)
    if (!strcmp(graph->layers[i].id, id))
      return &graph->layers[i];
  return NULL;
}

//===-- The network ----------------------------------------------------------------------------------------------===//

static strata_status_t read_net(strata_arena_t *arena, const xml_element_t *net, ir_graph_t *out_graph) {
  document_t d = {.arena = arena};
  const char *version = xml_attribute(net, "version");
  if (strcmp(net->name, "net"))
    return malformed(net, "expected <net>, the network of an OpenVINO IR");
  if (!version || (strcmp(version, "10") && strcmp(version, "11")))
    return malformed(net, "expected version 10 or 11 of the IR, got '%s'", version ? version : "");
  return read_graph(&d, net, out_graph);
}

strata_status_t ir_document_read(strata_arena_t *arena, const char *path, ir_graph_t *out_graph) {
  xml_element_t *root;
  STRATA_TRY(xml_tree_read(arena, path, &root));
  return strata_status_context(read_net(arena, root, out_graph), "%s", path);
}
