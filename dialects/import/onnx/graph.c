// The walk over a graph's nodes: operands by name, the reader of each operator, functions inlined, and what to do with
// an operator that has no reader.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/model.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"
#include "runtime/base/wire.h"

#include <stdio.h>

enum {
  MAX_DEPTH = 64,         // of functions and bodies in each other
  FUNCTION_DEFAULTS = 11, // FunctionProto.attribute_proto, which onnx.proto has from 1.13 on
};

//===-- Names ----------------------------------------------------------------------------------------------------===//

const onnx_value_t *onnx_lookup(const onnx_scope_t *scope, const char *name) {
  for (; scope; scope = scope->parent) {
    const onnx_value_t *value = strata_string_map_get(&scope->values, name);
    if (value)
      return value;
  }
  return NULL;
}

strata_status_t onnx_define(onnx_importer_t *importer, onnx_scope_t *scope, const char *name, onnx_value_t value) {
  strata_arena_t *arena = importer->compile->arena;
  if (strata_string_map_put(arena, &scope->values, name, strata_arena_copy(arena, &value, sizeof value)))
    return strata_error(STRATA_PARSE, "value '%s' is defined twice", name);
  return NULL;
}

bool onnx_add_problem(onnx_importer_t *importer, const char *format, ...) {
  strata_arena_t *arena = importer->compile->arena;
  char text[1024];
  va_list args;
  importer->has_trial_failed = true;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *line = strata_arena_strdup(arena, text);
  if (importer->is_trial) {
    importer->trial_problem = importer->trial_problem ? importer->trial_problem : line;
    return false;
  }
  // The body of a loop is imported many times and its nodes are reported once.
  if (strata_string_map_put(arena, &importer->seen_problems, line, importer))
    return false;
  *strata_vector_push(arena, &importer->problems) = line;
  return true;
}

static void count_unsupported(onnx_importer_t *importer, const char *op) {
  for (size_t i = 0; i < importer->unsupported.count; i++)
    if (strcmp(importer->unsupported.data[i].op, op) == 0) {
      importer->unsupported.data[i].n_nodes++;
      return;
    }
  *strata_vector_push(importer->compile->arena, &importer->unsupported) = (onnx_unsupported_op_t){op, 1};
}

int64_t onnx_default_opset(size_t n_imports, Onnx__OperatorSetIdProto **imports) {
  for (size_t i = 0; i < n_imports; i++) {
    const char *domain = onnx_text(imports[i]->domain);
    if (!*domain || !strcmp(domain, "ai.onnx"))
      return imports[i]->version;
  }
  return 1;
}

//===-- What is read ---------------------------------------------------------------------------------------------===//

static void note_reads(onnx_importer_t *importer, size_t n_nodes, Onnx__NodeProto **nodes);

static void note_graph_reads(onnx_importer_t *importer, const Onnx__GraphProto *graph) {
  note_reads(importer, graph->n_node, graph->node);
  for (size_t i = 0; i < graph->n_output; i++)
    strata_string_map_put(importer->compile->arena, &importer->reads, onnx_text(graph->output[i]->name), importer);
}

static void note_reads(onnx_importer_t *importer, size_t n_nodes, Onnx__NodeProto **nodes) {
  for (size_t i = 0; i < n_nodes; i++) {
    for (size_t k = 0; k < nodes[i]->n_input; k++)
      strata_string_map_put(importer->compile->arena, &importer->reads, nodes[i]->input[k], importer);
    for (size_t k = 0; k < nodes[i]->n_attribute; k++)
      if (nodes[i]->attribute[k]->g)
        note_graph_reads(importer, nodes[i]->attribute[k]->g);
  }
}

void onnx_collect_reads(onnx_importer_t *importer) {
  const Onnx__ModelProto *model = importer->model;
  note_graph_reads(importer, model->graph);
  for (size_t i = 0; i < model->n_functions; i++) {
    note_reads(importer, model->functions[i]->n_node, model->functions[i]->node);
    for (size_t k = 0; k < model->functions[i]->n_output; k++)
      strata_string_map_put(importer->compile->arena, &importer->reads, model->functions[i]->output[k], importer);
  }
}

bool onnx_wants(const onnx_node_t *n, int i) {
  return i < n->n_outputs && n->proto->output[i][0] && strata_string_map_get(&n->importer->reads, n->proto->output[i]);
}

static bool are_read_by(size_t n_nodes, Onnx__NodeProto **nodes, const char *name);

// A body that computes a value of that name reads its own.
static bool is_read_by_body(const Onnx__GraphProto *body, const char *name) {
  for (size_t i = 0; i < body->n_node; i++)
    for (size_t k = 0; k < body->node[i]->n_output; k++)
      if (!strcmp(body->node[i]->output[k], name))
        return false;
  for (size_t i = 0; i < body->n_output; i++)
    if (!strcmp(onnx_text(body->output[i]->name), name))
      return true;
  return are_read_by(body->n_node, body->node, name);
}

static bool are_read_by(size_t n_nodes, Onnx__NodeProto **nodes, const char *name) {
  for (size_t i = 0; i < n_nodes; i++) {
    for (size_t k = 0; k < nodes[i]->n_input; k++)
      if (!strcmp(nodes[i]->input[k], name))
        return true;
    for (size_t k = 0; k < nodes[i]->n_attribute; k++)
      if (nodes[i]->attribute[k]->g && is_read_by_body(nodes[i]->attribute[k]->g, name))
        return true;
  }
  return false;
}

//===-- One node -------------------------------------------------------------------------------------------------===//

// The operator in a front end's own format; NULL in a model that was read from a file.
static const onnx_made_node_t *made_node(const onnx_importer_t *importer, const Onnx__NodeProto *proto) {
  return importer->made ? (const onnx_made_node_t *)proto : NULL;
}

static const char *operator_name(strata_arena_t *arena, const Onnx__NodeProto *proto) {
  const char *domain = onnx_text(proto->domain), *op = onnx_text(proto->op_type);
  return !*domain || !strcmp(domain, "ai.onnx") ? op : strata_arena_printf(arena, "%s.%s", domain, op);
}

const char *onnx_node_name(const Onnx__NodeProto *proto) {
  const char *name = onnx_text(proto->name);
  for (size_t i = 0; i < proto->n_output && !*name; i++)
    name = proto->output[i];
  return name;
}

static bool has_poisoned_input(const onnx_node_t *n) {
  for (int i = 0; i < n->n_inputs; i++)
    if (n->inputs[i].kind == ONNX_POISONED)
      return true;
  return false;
}

// The messages of the builder start with the location, which is the node's name: it is said already.
static const char *without_name(const char *message, const char *name) {
  size_t length = strlen(name);
  return length && !strncmp(message, name, length) && !strncmp(message + length, ": ", 2) ? message + length + 2
                                                                                          : message;
}

// An unsupported node is noted and its results are poisoned; any other error ends the import. Out of a body comes an
// error that names the innermost node already.
static strata_status_t settle(onnx_node_t *n, const char *op) {
  strata_status_t status = n->b->status;
  n->b->status = NULL;
  if (!status || !strncmp(strata_status_message(status), "(node ", 6))
    return status;
  strata_status_t named = NULL;
  const char *message = without_name(strata_status_message(status), n->name);
  if (strata_status_code(status) == STRATA_UNSUPPORTED) {
    if (onnx_add_problem(n->importer, "(node %s): %s is not supported: %s", n->name, op, message))
      count_unsupported(n->importer, op);
    onnx_poison_all(n);
  } else {
    named = strata_error(strata_status_code(status), "(node %s): %s: %s", n->name, op, message);
  }
  strata_status_free(status);
  return named;
}

static strata_status_t collect_inputs(onnx_node_t *n) {
  onnx_value_t *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, n->n_inputs);
  n->inputs = inputs;
  for (int i = 0; i < n->n_inputs; i++) {
    const char *name = n->proto->input[i];
    const onnx_value_t *value = *name ? onnx_lookup(n->scope, name) : NULL;
    if (*name && !value)
      return strata_error(STRATA_PARSE, "(node %s): operand %d: there is no value '%s'", n->name, i, name);
    inputs[i] = value ? *value : (onnx_value_t){.kind = ONNX_ABSENT};
  }
  return NULL;
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

// The default values of a function's attributes, which our onnx.proto does not know yet.
static strata_status_t read_defaults(strata_arena_t *arena, const Onnx__FunctionProto *function, onnx_scope_t *scope) {
  const ProtobufCMessage *message = &function->base;
  scope->defaults = strata_arena_array(arena, Onnx__AttributeProto *, message->n_unknown_fields);
  for (unsigned i = 0; i < message->n_unknown_fields; i++) {
    const ProtobufCMessageUnknownField *field = &message->unknown_fields[i];
    strata_wire_t wire = {.at = field->data, .end = field->data + field->len};
    uint64_t size;
    if (field->tag != FUNCTION_DEFAULTS || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED ||
        !strata_wire_number(&wire, STRATA_WIRE_VARINT, &size))
      continue;
    ProtobufCMessage *attribute;
    STRATA_TRY(
        onnx_read_message(arena, &onnx__attribute_proto__descriptor, wire.at, strata_wire_left(&wire), &attribute));
    scope->defaults[scope->n_defaults++] = (Onnx__AttributeProto *)attribute;
  }
  return NULL;
}

static strata_status_t inline_function(onnx_node_t *n, const Onnx__FunctionProto *function) {
  onnx_importer_t *importer = n->importer;
  onnx_scope_t scope = {.caller = n};
  int64_t opset = onnx_default_opset(function->n_opset_import, function->opset_import);
  scope.opset = (int)(opset < INT32_MAX ? opset : INT32_MAX);
  STRATA_TRY(read_defaults(importer->compile->arena, function, &scope));
  for (size_t i = 0; i < function->n_input; i++)
    STRATA_TRY(onnx_define(importer, &scope, function->input[i],
                           (int)i < n->n_inputs ? n->inputs[i] : (onnx_value_t){.kind = ONNX_ABSENT}));
  STRATA_TRY(onnx_import_nodes(importer, &scope, function->n_node, function->node));
  for (size_t i = 0; i < function->n_output && (int)i < n->n_outputs; i++) {
    const onnx_value_t *value = onnx_lookup(&scope, function->output[i]);
    if (!value)
      return strata_error(STRATA_PARSE, "function '%s' does not compute its result '%s'", onnx_text(function->name),
                          function->output[i]);
    n->outputs[i] = *value;
  }
  return NULL;
}

//===-- Dispatch -------------------------------------------------------------------------------------------------===//

// Nothing can be said of what needs an unsupported node's result, but its bodies may have unsupported nodes of their
// own.
static void skip_node(onnx_node_t *n) {
  for (size_t i = 0; i < n->proto->n_attribute; i++) {
    const Onnx__AttributeProto *attr = n->proto->attribute[i];
    int n_inputs = attr->g ? (int)attr->g->n_input : 0, count;
    onnx_value_t *results, *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, n_inputs);
    for (int k = 0; k < n_inputs; k++)
      inputs[k] = (onnx_value_t){.kind = ONNX_POISONED};
    if (attr->g && !onnx_import_body(n, onnx_text(attr->name), n_inputs, inputs, &count, &results))
      return;
  }
  onnx_poison_all(n);
}

// Reads a node whose operator has a row.
static void read_node(onnx_node_t *n) {
  const onnx_op_info_t *info = n->info;
  if (info->missing)
    onnx_unsupported(n, "%s", info->missing);
  else if (n->opset < info->since)
    onnx_unsupported(n, "its form before opset %d, got %d", info->since, n->opset);
  else if (n->opset > ONNX_LAST_OPSET)
    onnx_unsupported(n, "opset %d, expected 1 to %d", n->opset, ONNX_LAST_OPSET);
  else if (n->n_inputs < info->least || n->n_inputs > info->most)
    onnx_invalid(n, "expected at %s %d operands, got %d", n->n_inputs < info->least ? "least" : "most",
                 n->n_inputs < info->least ? info->least : info->most, n->n_inputs);
  else if (has_poisoned_input(n))
    skip_node(n);
  else if (onnx_check_signature(n))
    info->reader(n);
}

static void dispatch(onnx_node_t *n, const char *op) {
  onnx_importer_t *importer = n->importer;
  const Onnx__FunctionProto *function = strata_string_map_get(
      &importer->functions, strata_arena_printf(importer->compile->arena, "%s.%s", onnx_text(n->proto->domain),
                                                onnx_text(n->proto->op_type)));
  const onnx_made_node_t *made = made_node(importer, n->proto);
  n->info = strata_string_map_get(&importer->ops, op);
  if (importer->depth == MAX_DEPTH)
    onnx_invalid(n, "more than %d bodies inside each other", MAX_DEPTH);
  else if (made && made->refusal)
    onnx_unsupported(n, "%s", made->refusal);
  else if (function)
    strata_build_fail(n->b, inline_function(n, function));
  else if (n->info)
    read_node(n);
  else
    onnx_unsupported(n, "an unknown operator");
}

// Every result that is read must be there: a reader that left one out does not support it.
static void check_outputs(onnx_node_t *n) {
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++)
    if (onnx_wants(n, i) && (n->outputs[i].kind == ONNX_UNSET ||
                             (n->outputs[i].kind == ONNX_TENSOR && mlirValueIsNull(n->outputs[i].tensor))))
      onnx_unsupported(n, "result %d ('%s')", i, n->proto->output[i]);
}

static strata_status_t import_node(onnx_importer_t *importer, onnx_scope_t *scope, const Onnx__NodeProto *proto) {
  strata_compile_t *compile = importer->compile;
  const char *op = operator_name(compile->arena, proto), *name = onnx_node_name(proto);
  onnx_node_t n = {.importer = importer,
                   .scope = scope,
                   .proto = proto,
                   .name = name,
                   .opset = scope->opset,
                   .n_inputs = (int)proto->n_input,
                   .n_outputs = (int)proto->n_output,
                   .b = &importer->builder};
  MlirLocation outer = importer->builder.location;
  importer->builder.location =
      mlirLocationNameGet(compile->context, strata_str(name), mlirLocationUnknownGet(compile->context));
  STRATA_TRY(collect_inputs(&n));
  n.outputs = strata_arena_array(compile->arena, onnx_value_t, n.n_outputs);
  if (importer->n_nodes++ > importer->max_nodes)
    onnx_invalid(&n, "functions and loops expand to more than %zu nodes", importer->max_nodes);
  importer->depth++;
  if (!onnx_failed(&n))
    dispatch(&n, op);
  importer->depth--;
  onnx_fold_quotients(importer);
  check_outputs(&n);
  op = made_node(importer, proto) ? made_node(importer, proto)->op : op;
  STRATA_TRY(settle(&n, *op ? op : "an operator without a name"));
  importer->builder.location = outer;
  for (int i = 0; i < n.n_outputs; i++)
    if (proto->output[i][0])
      STRATA_TRY(
          strata_status_context(onnx_define(importer, scope, proto->output[i], n.outputs[i]), "(node %s)", name));
  return NULL;
}

strata_status_t onnx_import_nodes(onnx_importer_t *importer, onnx_scope_t *scope, size_t n_nodes,
                                  Onnx__NodeProto **nodes) {
  size_t *order;
  STRATA_TRY(onnx_sort_nodes(importer->compile->arena, n_nodes, nodes, &order));
  for (size_t i = 0; i < n_nodes; i++)
    STRATA_TRY(import_node(importer, scope, nodes[order[i]]));
  return NULL;
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

static strata_status_t import_graph(onnx_node_t *n, const Onnx__GraphProto *body, int n_inputs,
                                    const onnx_value_t *inputs, onnx_value_t *results) {
  onnx_importer_t *importer = n->importer;
  onnx_scope_t scope = {.parent = n->scope,
                        .caller = n->scope->caller,
                        .n_defaults = n->scope->n_defaults,
                        .defaults = n->scope->defaults,
                        .opset = n->opset};
  if ((int)body->n_input != n_inputs)
    return strata_error(STRATA_PARSE, "the body has %zu inputs, expected %d", body->n_input, n_inputs);
  for (int i = 0; i < n_inputs; i++)
    STRATA_TRY(onnx_define(importer, &scope, onnx_text(body->input[i]->name), inputs[i]));
  STRATA_TRY(onnx_import_initializers(importer, &scope, body));
  STRATA_TRY(onnx_import_nodes(importer, &scope, body->n_node, body->node));
  for (size_t i = 0; i < body->n_output; i++) {
    const onnx_value_t *value = onnx_lookup(&scope, onnx_text(body->output[i]->name));
    if (!value)
      return strata_error(STRATA_PARSE, "the body does not compute '%s'", onnx_text(body->output[i]->name));
    results[i] = *value;
  }
  return NULL;
}

bool onnx_import_graph(onnx_node_t *n, const Onnx__GraphProto *graph, int n_inputs, const onnx_value_t *inputs,
                       onnx_value_t *results) {
  // An iteration counts as a node, so that a loop of nothing ends too.
  if (n->importer->n_nodes++ > n->importer->max_nodes) {
    onnx_invalid(n, "functions and loops expand to more than %zu nodes", n->importer->max_nodes);
    return false;
  }
  MlirLocation outer = n->b->location;
  strata_status_t status = import_graph(n, graph, n_inputs, inputs, results);
  n->b->location = outer;
  if (status)
    strata_build_fail(n->b, status);
  return !status;
}

bool onnx_import_body(onnx_node_t *n, const char *attr, int n_inputs, const onnx_value_t *inputs, int *out_count,
                      onnx_value_t **out_results) {
  const Onnx__AttributeProto *proto = onnx_attr(n, attr);
  if (!proto || !proto->g) {
    onnx_invalid(n, "there is no attribute '%s' with a graph", attr);
    return false;
  }
  *out_count = (int)proto->g->n_output;
  *out_results = strata_arena_array(n->b->compile->arena, onnx_value_t, *out_count);
  return onnx_import_graph(n, proto->g, n_inputs, inputs, *out_results);
}
