// OpenVINO's IR, .xml and .bin, as a graph of ONNX nodes: inputs, outputs, variables and the walk over the layers.
// ops.def has the operators.
#include "dialects/import/openvino/openvino.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

//===-- Operators ------------------------------------------------------------------------------------------------===//

enum { MANY = INT_MAX };

static const ir_op_t op_table[] = {
#define IR_OP(type, since, least, most, results, attributes, translator, detail)                                       \
  {type, since, least, most, results, attributes, ir_translate_##translator, detail},
#define IR_MISSING(type, reason) {type, 1, 0, MANY, MANY, "", NULL, reason},
#include "dialects/import/openvino/ops.def"
};
enum { N_OPS = sizeof op_table / sizeof op_table[0] };

// The row of a layer's type with the latest form that its opset has; old files write some types in other case.
static const ir_op_t *find_op(const char *type, int version) {
  const ir_op_t *found = NULL;
  for (int i = 0; i < N_OPS; i++)
    if (!strcasecmp(op_table[i].type, type) && op_table[i].since <= version &&
        (!found || op_table[i].since > found->since))
      found = &op_table[i];
  return found;
}

// "opset8" as 8; 0 for sets of operators that are not OpenVINO's own.
static int version_of(const char *text) {
  if (!strcmp(text, "experimental") || !strcmp(text, "extension"))
    return 6;
  if (strncmp(text, "opset", 5) || strspn(text + 5, "0123456789") != strlen(text + 5))
    return 0;
  long version = strtol(text + 5, NULL, 10);
  return version > 0 && version < 1000 ? (int)version : 0;
}

// Whether |value| is one of those with '|' between them up to a blank.
static bool is_among(const char *value, const char *values) {
  size_t length = strlen(value);
  while (true) {
    size_t own = strcspn(values, "| ");
    if (own == length && !strncasecmp(values, value, length))
      return true;
    if (values[own] != '|')
      return false;
    values += own + 1;
  }
}

// An attribute must be in the row, "name name=value|value": one that is ignored may mean something.
static void check_attribute(ir_node_t *n, const xml_attribute_t *attribute) {
  size_t length = strlen(attribute->name);
  for (const char *at = n->op->attributes; *at; at += strspn(at, " ")) {
    size_t own = strcspn(at, "= ");
    const char *values = at[own] == '=' ? at + own + 1 : NULL;
    if (own == length && !strncmp(at, attribute->name, own)) {
      if (values && !is_among(attribute->value, values))
        ir_refuse(n, "attribute '%s': expected %.*s, got '%s'", attribute->name, (int)strcspn(values, " "), values,
                  attribute->value);
      return;
    }
    at += strcspn(at, " ");
  }
  ir_refuse(n, "attribute '%s' = '%s' is not known", attribute->name, attribute->value);
}

static void translate_op(ir_node_t *n) {
  const ir_op_t *op = n->op;
  if (!op)
    ir_refuse(n, "an unknown operator");
  else if (!op->translate)
    ir_refuse(n, "%s", op->detail);
  else if (n->layer->n_inputs < op->least || n->layer->n_inputs > op->most)
    ir_refuse(n, "expected %d inputs or %s, got %d", n->layer->n_inputs < op->least ? op->least : op->most,
              n->layer->n_inputs < op->least ? "more" : "fewer", n->layer->n_inputs);
  else if (n->layer->n_outputs > op->results)
    ir_refuse(n, "expected at most %d outputs, got %d", op->results, n->layer->n_outputs);
  for (int i = 0; !n->refusal && i < op->least; i++)
    if (!ir_has(n, i))
      ir_refuse(n, "input %d has no edge", i);
  for (const xml_attribute_t *a = n->layer->data ? n->layer->data->attributes : NULL; a && !n->refusal; a = a->next)
    check_attribute(n, a);
  if (!n->refusal)
    op->translate(n);
}

//===-- Layers ---------------------------------------------------------------------------------------------------===//

static void translate_layer(ir_importer_t *importer, graph_t *g, ir_layer_t *layer) {
  ir_node_t n = {.importer = importer, .g = g, .layer = layer, .version = version_of(layer->version)};
  n.label = n.version ? strata_arena_printf(importer->compile->arena, "%s-%d", layer->type, n.version) : layer->type;
  graph_origin(g, n.label, layer->name);
  size_t mark = graph_mark(g);
  if (n.version == 0)
    ir_refuse(&n, "an operator of '%s'", layer->version);
  n.op = find_op(layer->type, n.version);
  if (!n.refusal)
    translate_op(&n);
  for (int i = 0; i < layer->n_outputs && !n.refusal; i++)
    if (layer->is_read[i] && !layer->values[i])
      ir_refuse(&n, "output %d", i);
  if (!n.refusal)
    return;
  graph_roll_back(g, mark);
  graph_node_t *refused = graph_refuse(g, "%s", n.refusal);
  for (int i = 0; i < layer->n_outputs; i++)
    layer->values[i] = graph_result(refused, NULL);
}

static bool is_a(const ir_layer_t *layer, const char *type) { return !strcmp(layer->type, type); }

// A result, and what is assigned to a variable, may be read by other layers: as the value that it is given.
static void pass_on(ir_layer_t *layer) {
  for (int i = 0; i < layer->n_outputs; i++)
    layer->values[i] = ir_result_value(layer);
}

// Of layers that are no nodes; the others' values are there, or those of a refused node are.
static strata_status_t check_values(const ir_layer_t *layer) {
  for (int i = 0; i < layer->n_outputs; i++)
    if (layer->is_read[i] && !layer->values[i])
      return strata_error(STRATA_PARSE, "layer '%s': output %d of this %s is read, but nothing is bound to it",
                          layer->name, i, layer->type);
  return NULL;
}

strata_status_t ir_translate_layers(ir_importer_t *importer, graph_t *g, ir_graph_t *graph) {
  for (size_t i = 0; i < graph->n_order; i++) {
    ir_layer_t *layer = graph->order[i];
    if (is_a(layer, "Result") || is_a(layer, "Assign"))
      pass_on(layer);
    else if (!is_a(layer, "Parameter"))
      translate_layer(importer, g, layer);
    STRATA_TRY(check_values(layer));
  }
  return NULL;
}

const char *ir_result_value(const ir_layer_t *result) {
  const ir_input_t *input = result->n_inputs ? &result->inputs[0] : NULL;
  return input && input->from ? input->from->values[input->output] : NULL;
}

//===-- Inputs ---------------------------------------------------------------------------------------------------===//

// A size of a shape's text: "3", "?" or "-1", "1..8", "2.."; false for something else. |*at| is moved behind it.
static bool parse_dim(const char **at, graph_dim_t *out) {
  char *end;
  const char *text = *at + strspn(*at, " ");
  *out = (graph_dim_t){.size = -1, .max = INT32_MAX};
  if (*text == '?') {
    *out = (graph_dim_t){.size = -1};
    *at = text + 1;
    return true;
  }
  long long first = strtoll(text, &end, 10);
  bool has_first = end != text, is_range = !strncmp(end, "..", 2);
  out->min = has_first ? first : 0;
  if (is_range) {
    text = end + 2;
    long long last = strtoll(text, &end, 10);
    out->max = end != text && last < INT32_MAX ? last : INT32_MAX;
  }
  *at = end;
  if (!is_range)
    *out = (graph_dim_t){.size = first};
  return is_range ? out->min >= 0 && out->min <= out->max && out->max > 0 : has_first && first >= -1;
}

// The number of sizes; -1 where the text is something else.
static int parse_shape(const char *text, graph_dim_t *dims) {
  int rank = 0;
  for (text += strspn(text, " "); *text;) {
    if (rank == STRATA_MAX_RANK || !parse_dim(&text, &dims[rank++]))
      return -1;
    text += strspn(text, " ");
    if (*text && *text++ != ',')
      return -1;
  }
  return rank;
}

// An input of the library, or a line in the error.
static const char *add_input(ir_importer_t *importer, graph_t *g, const char *name, const ir_port_t *port,
                             const char *shape, bool is_variable) {
  graph_dim_t dims[STRATA_MAX_RANK];
  int rank = shape ? parse_shape(shape, dims) : port->rank;
  for (int i = 0; !shape && i < rank && i < STRATA_MAX_RANK; i++)
    dims[i] = (graph_dim_t){.size = port->dims[i]};
  if (!port->type || port->type->dtype == STRATA_DTYPE_NONE || port->type->table != IR_TABLE_NONE)
    return graph_result(graph_refuse(g, "an input of this element type"), NULL);
  if (rank < 0 || rank > STRATA_MAX_RANK)
    return graph_result(
        graph_refuse(g, "an input of the shape '%s', expected at most %d sizes", shape ? shape : "?", STRATA_MAX_RANK),
        NULL);
  for (int i = 0; is_variable && i < rank; i++)
    if (dims[i].size < 0 && dims[i].max == 0)
      dims[i].max = INT32_MAX; // from 0 on, as they begin empty
  graph_input(g, name, port->type->dtype, rank, dims);
  strata_string_map_put(importer->compile->arena, &importer->names, name, importer);
  return name;
}

static strata_status_t add_parameters(ir_importer_t *importer, graph_t *g, ir_graph_t *graph) {
  for (size_t i = 0; i < graph->n_layers; i++) {
    ir_layer_t *layer = &graph->layers[i];
    if (!is_a(layer, "Parameter"))
      continue;
    if (layer->n_outputs != 1)
      return strata_error(STRATA_PARSE, "layer '%s': expected one output, got %d", layer->name, layer->n_outputs);
    graph_origin(g, "Parameter", layer->name);
    layer->values[0] =
        add_input(importer, g, layer->name, &layer->outputs[0], xml_attribute(layer->data, "shape"), false);
  }
  return NULL;
}

// A variable's value when a call begins is an input of its name.
void ir_translate_read_value(ir_node_t *n) {
  const char *name = ir_attr(n, "variable_id");
  if (!name || n->layer->n_outputs != 1)
    ir_refuse(n, "expected a variable and one output");
  if (n->refusal)
    return;
  const char *value = strata_string_map_get(&n->importer->variables, name);
  if (!value) {
    value = add_input(n->importer, n->g, name, &n->layer->outputs[0], ir_attr(n, "variable_shape"), true);
    strata_string_map_put(graph_arena(n->g), &n->importer->variables, name, (void *)(uintptr_t)value);
  }
  ir_set(n, 0, value);
}

//===-- Outputs --------------------------------------------------------------------------------------------------===//

// Takes |name| unless it is taken.
static bool take_name(ir_importer_t *importer, const char *name) {
  return *name && !strata_string_map_put(importer->compile->arena, &importer->names, name, importer);
}

// The first name of a port's, which are between commas; "\," is part of a name.
static const char *first_name(strata_arena_t *arena, const char *names) {
  char *name = strata_arena_strdup(arena, names), *to = name;
  for (const char *at = names; *at && *at != ','; at++) {
    at += *at == '\\' && at[1];
    *to++ = *at;
  }
  *to = 0;
  return name;
}

// The tensor's name, or that of the layer that computes it, or else the result's own.
static const char *output_name(ir_importer_t *importer, const ir_layer_t *result) {
  const ir_input_t *input = &result->inputs[0];
  const char *tensor = first_name(importer->compile->arena, input->from->outputs[input->output].names);
  const char *given = xml_attribute(result->element, "output_names");
  given = given ? first_name(importer->compile->arena, given) : "";
  return take_name(importer, given)               ? given
         : take_name(importer, tensor)            ? tensor
         : take_name(importer, input->from->name) ? input->from->name
                                                  : result->name;
}

static strata_status_t add_output(ir_importer_t *importer, graph_t *g, const ir_layer_t *layer) {
  const char *value = ir_result_value(layer), *variable = xml_attribute(layer->data, "variable_id");
  bool is_variable = is_a(layer, "Assign");
  if (!value || (is_variable && !variable))
    return strata_error(STRATA_PARSE, "layer '%s': a %s without an input or a name", layer->name, layer->type);
  graph_origin(g, layer->type, layer->name);
  const char *name =
      is_variable ? strata_arena_printf(graph_arena(g), "%s.next", variable) : output_name(importer, layer);
  graph_output(g, name, value);
  return NULL;
}

// Variables come after the network's own outputs.
static strata_status_t add_outputs(ir_importer_t *importer, graph_t *g, const ir_graph_t *graph) {
  static const char *const types[] = {"Result", "Assign"};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < graph->n_layers; i++)
      if (is_a(&graph->layers[i], types[k]))
        STRATA_TRY(add_output(importer, g, &graph->layers[i]));
  return NULL;
}

//===-- The model ------------------------------------------------------------------------------------------------===//

// The .bin beside the .xml; a network without constants needs none.
static strata_status_t map_weights(ir_importer_t *importer) {
  strata_arena_t *arena = importer->compile->arena;
  const char *suffix = strrchr(importer->path, '.');
  int length = (int)(suffix && !strcmp(suffix, ".xml") ? suffix - importer->path : (long)strlen(importer->path));
  importer->weights_path = strata_arena_printf(arena, "%.*s.bin", length, importer->path);
  strata_status_t status = strata_map_file(arena, importer->weights_path, &importer->weights);
  importer->has_weights = !status;
  if (!status)
    *strata_vector_push(arena, &importer->compile->data_files) = importer->weights_path;
  if (strata_status_code(status) != STRATA_NOT_FOUND)
    return status;
  strata_status_free(status);
  return NULL;
}

static strata_status_t build(ir_importer_t *importer, graph_t *g, ir_graph_t *graph) {
  STRATA_TRY(add_parameters(importer, g, graph));
  STRATA_TRY(ir_translate_layers(importer, g, graph));
  return add_outputs(importer, g, graph);
}

strata_status_t strata_import_openvino(strata_compile_t *compile, const char *path,
                                       const strata_import_options_t *options) {
  ir_importer_t importer = {.compile = compile, .path = path};
  ir_graph_t graph;
  STRATA_TRY(ir_document_read(compile->arena, path, &graph));
  STRATA_TRY(map_weights(&importer));
  graph_t *g = graph_create(compile->arena);
  STRATA_TRY(strata_status_context(build(&importer, g, &graph), "%s", path));
  return graph_import(g, compile, path, options);
}
