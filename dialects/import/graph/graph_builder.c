// The parts of an ONNX model, made by protobuf-c's initial values; all memory is the arena's.
#include "dialects/import/graph/graph_builder.h"

#include "dialects/import/onnx/made_model.h"

#include <stdio.h>
#include <string.h>

// What all graphs of a model have in common.
typedef struct {
  strata_arena_t *arena;
  const char *op, *node; // whatever is added is made for these
  size_t n_fresh;
  STRATA_VECTOR(strata_import_dim_t) dims, bounds;
} model_t;

struct graph {
  model_t *model;
  Onnx__GraphProto proto;
  STRATA_VECTOR(Onnx__NodeProto *) nodes;
  STRATA_VECTOR(Onnx__ValueInfoProto *) inputs, outputs;
  STRATA_VECTOR(Onnx__TensorProto *) constants;
};

struct graph_node {
  onnx_made_node_t made;
  graph_t *graph;
  STRATA_VECTOR(char *) results;
  STRATA_VECTOR(Onnx__AttributeProto *) attributes;
};

static graph_t *new_graph(model_t *model) {
  graph_t *g = strata_arena_new(model->arena, graph_t);
  g->model = model;
  onnx__graph_proto__init(&g->proto);
  return g;
}

graph_t *graph_create(strata_arena_t *arena) {
  model_t *model = strata_arena_new(arena, model_t);
  model->arena = arena;
  model->op = model->node = "";
  return new_graph(model);
}

graph_t *graph_create_body(graph_t *outer) { return new_graph(outer->model); }

strata_arena_t *graph_arena(const graph_t *g) { return g->model->arena; }

void graph_origin(graph_t *g, const char *op, const char *name) {
  g->model->op = op;
  g->model->node = name;
}

// protobuf-c's strings are not const, but nobody writes to them.
static char *text(const char *string) { return (char *)(uintptr_t)string; }

static void *copy_list(graph_t *g, const void *list, int count, size_t size) {
  return count ? strata_arena_copy(graph_arena(g), list, (size_t)count * size) : NULL;
}

//===-- Inputs and outputs ---------------------------------------------------------------------------------------===//

static Onnx__ValueInfoProto *new_value_info(graph_t *g, const char *name) {
  Onnx__ValueInfoProto *info = strata_arena_new(graph_arena(g), Onnx__ValueInfoProto);
  onnx__value_info_proto__init(info);
  info->name = text(name);
  return info;
}

static void add_input(graph_t *g, Onnx__ValueInfoProto *info) {
  *strata_vector_push(graph_arena(g), &g->inputs) = info;
  g->proto.input = g->inputs.data;
  g->proto.n_input = g->inputs.count;
}

// Notes what the model says of a size that varies; of one name, all that it says.
static void note_range(graph_t *g, const char *name, const graph_dim_t *dim) {
  model_t *model = g->model;
  if (dim->max <= 0)
    return;
  for (size_t i = 0; i < model->dims.count; i++) {
    strata_import_dim_t *known = &model->dims.data[i];
    if (strcmp(known->name, name))
      continue;
    known->min = dim->min > known->min ? dim->min : known->min;
    known->max = dim->max < known->max ? dim->max : known->max;
    return;
  }
  *strata_vector_push(model->arena, &model->dims) =
      (strata_import_dim_t){.name = name, .is_range = true, .min = dim->min, .max = dim->max, .multiple = 1};
}

static Onnx__TensorShapeProto__Dimension *new_dim(graph_t *g, const char *input, int axis, const graph_dim_t *dim) {
  Onnx__TensorShapeProto__Dimension *proto = strata_arena_new(graph_arena(g), Onnx__TensorShapeProto__Dimension);
  onnx__tensor_shape_proto__dimension__init(proto);
  proto->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
  proto->dim_value = dim->size;
  if (dim->size >= 0)
    return proto;
  const char *name = dim->name ? dim->name : strata_arena_printf(graph_arena(g), "%s.%d", input, axis);
  proto->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
  proto->dim_param = text(name);
  note_range(g, name, dim);
  return proto;
}

void graph_input(graph_t *g, const char *name, strata_dtype_t dtype, int rank, const graph_dim_t *dims) {
  strata_arena_t *arena = graph_arena(g);
  Onnx__TensorShapeProto *shape = strata_arena_new(arena, Onnx__TensorShapeProto);
  onnx__tensor_shape_proto__init(shape);
  shape->n_dim = (size_t)rank;
  shape->dim = strata_arena_array(arena, Onnx__TensorShapeProto__Dimension *, rank);
  for (int i = 0; i < rank; i++)
    shape->dim[i] = new_dim(g, name, i, &dims[i]);
  Onnx__TypeProto__Tensor *tensor = strata_arena_new(arena, Onnx__TypeProto__Tensor);
  onnx__type_proto__tensor__init(tensor);
  tensor->has_elem_type = true;
  tensor->elem_type = strata_dtype_info[dtype].onnx_type;
  tensor->shape = shape;
  Onnx__ValueInfoProto *info = new_value_info(g, name);
  info->type = strata_arena_new(arena, Onnx__TypeProto);
  onnx__type_proto__init(info->type);
  info->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  info->type->tensor_type = tensor;
  add_input(g, info);
}

void graph_body_input(graph_t *body, const char *name) { add_input(body, new_value_info(body, name)); }

void graph_output(graph_t *g, const char *name, const char *value) {
  if (strcmp(name, value))
    graph_result(graph_node(g, "Identity", GRAPH_VALUES(value)), name);
  *strata_vector_push(graph_arena(g), &g->outputs) = new_value_info(g, name);
  g->proto.output = g->outputs.data;
  g->proto.n_output = g->outputs.count;
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

const char *graph_constant(graph_t *g, const char *name, const strata_tensor_t *tensor) {
  onnx_made_tensor_t *made = strata_arena_new(graph_arena(g), onnx_made_tensor_t);
  onnx__tensor_proto__init(&made->proto);
  made->tensor = (strata_tensor_proto_t){.name = name, .tensor = *tensor, .location = "", .length = -1};
  *strata_vector_push(graph_arena(g), &g->constants) = &made->proto;
  g->proto.initializer = g->constants.data;
  g->proto.n_initializer = g->constants.count;
  return name;
}

static const char *own_constant(graph_t *g, strata_dtype_t dtype, int rank, int64_t count, const void *data) {
  strata_tensor_t tensor = {.dtype = dtype, .rank = rank, .shape = {count}};
  strata_dtype_size(dtype, count, &tensor.size);
  tensor.data = strata_arena_alloc(graph_arena(g), tensor.size + 1); // one more, as it may be empty
  if (tensor.size)
    memcpy(tensor.data, data, tensor.size);
  return graph_constant(g, graph_fresh(g, "constant"), &tensor);
}

const char *graph_ints(graph_t *g, int count, const int64_t *values) {
  return own_constant(g, STRATA_DTYPE_I64, 1, count, values);
}

const char *graph_int(graph_t *g, int64_t value) { return own_constant(g, STRATA_DTYPE_I64, 0, 1, &value); }

const char *graph_number(graph_t *g, strata_dtype_t dtype, double value) {
  uint64_t bytes = 0;
  strata_dtype_store(dtype, &bytes, 0, value);
  return own_constant(g, dtype, 0, 1, &bytes);
}

//===-- Nodes ----------------------------------------------------------------------------------------------------===//

static graph_node_t *new_node(graph_t *g) {
  graph_node_t *node = strata_arena_new(graph_arena(g), graph_node_t);
  onnx__node_proto__init(&node->made.proto);
  node->made.proto.name = text(g->model->node);
  node->made.op = g->model->op;
  node->graph = g;
  *strata_vector_push(graph_arena(g), &g->nodes) = &node->made.proto;
  g->proto.node = g->nodes.data;
  g->proto.n_node = g->nodes.count;
  return node;
}

graph_node_t *graph_node(graph_t *g, const char *op, int n_operands, const char *const *operands) {
  graph_node_t *node = new_node(g);
  Onnx__NodeProto *proto = &node->made.proto;
  const char *dot = strrchr(op, '.');
  proto->op_type = text(dot ? dot + 1 : op);
  proto->domain = text(dot ? strata_arena_printf(graph_arena(g), "%.*s", (int)(dot - op), op) : "");
  while (n_operands > 0 && !*operands[n_operands - 1]) // those left out at the end are not there at all
    n_operands--;
  proto->n_input = (size_t)n_operands;
  proto->input = copy_list(g, operands, n_operands, sizeof *operands);
  return node;
}

const char *graph_result(graph_node_t *node, const char *name) {
  graph_t *g = node->graph;
  name = name ? name : graph_fresh(g, g->model->node);
  *strata_vector_push(graph_arena(g), &node->results) = text(name);
  node->made.proto.output = node->results.data;
  node->made.proto.n_output = node->results.count;
  return name;
}

const char *graph_op(graph_t *g, const char *op, int n_operands, const char *const *operands) {
  return graph_result(graph_node(g, op, n_operands, operands), NULL);
}

graph_node_t *graph_refuse(graph_t *g, const char *format, ...) {
  char reason[512];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  graph_node_t *node = new_node(g);
  node->made.refusal = strata_arena_strdup(graph_arena(g), reason);
  return node;
}

size_t graph_mark(const graph_t *g) { return g->nodes.count; }

void graph_roll_back(graph_t *g, size_t mark) { g->nodes.count = g->proto.n_node = mark; }

//===-- Attributes -----------------------------------------------------------------------------------------------===//

static Onnx__AttributeProto *add_attribute(graph_node_t *node, const char *name,
                                           Onnx__AttributeProto__AttributeType type) {
  strata_arena_t *arena = graph_arena(node->graph);
  Onnx__AttributeProto *attr = strata_arena_new(arena, Onnx__AttributeProto);
  onnx__attribute_proto__init(attr);
  attr->name = text(name);
  attr->has_type = true;
  attr->type = type;
  *strata_vector_push(arena, &node->attributes) = attr;
  node->made.proto.attribute = node->attributes.data;
  node->made.proto.n_attribute = node->attributes.count;
  return attr;
}

static ProtobufCBinaryData bytes_of(const char *value) {
  return (ProtobufCBinaryData){.len = strlen(value), .data = (uint8_t *)text(value)};
}

void graph_set_int(graph_node_t *node, const char *name, int64_t value) {
  Onnx__AttributeProto *attr = add_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
  attr->has_i = true;
  attr->i = value;
}

void graph_set_float(graph_node_t *node, const char *name, double value) {
  Onnx__AttributeProto *attr = add_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
  attr->has_f = true;
  attr->f = (float)value;
}

void graph_set_string(graph_node_t *node, const char *name, const char *value) {
  Onnx__AttributeProto *attr = add_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
  attr->has_s = true;
  attr->s = bytes_of(value);
}

void graph_set_ints(graph_node_t *node, const char *name, int count, const int64_t *values) {
  Onnx__AttributeProto *attr = add_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
  attr->n_ints = (size_t)count;
  attr->ints = copy_list(node->graph, values, count, sizeof *values);
}

void graph_set_strings(graph_node_t *node, const char *name, int count, const char *const *values) {
  Onnx__AttributeProto *attr = add_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
  attr->n_strings = (size_t)count;
  attr->strings = strata_arena_array(graph_arena(node->graph), ProtobufCBinaryData, count);
  for (int i = 0; i < count; i++)
    attr->strings[i] = bytes_of(values[i]);
}

void graph_set_body(graph_node_t *node, const char *name, graph_t *body) {
  add_attribute(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH)->g = &body->proto;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

void graph_bound(graph_t *g, const char *value, int64_t most) {
  *strata_vector_push(graph_arena(g), &g->model->bounds) =
      (strata_import_dim_t){.name = value, .min = most, .max = most};
}

const char *graph_fresh(graph_t *g, const char *hint) {
  return strata_arena_printf(graph_arena(g), "%s#%zu", hint, g->model->n_fresh++);
}

const char *graph_cast(graph_t *g, const char *value, strata_dtype_t dtype) {
  graph_node_t *node = graph_node(g, "Cast", GRAPH_VALUES(value));
  graph_set_int(node, "to", strata_dtype_info[dtype].onnx_type);
  return graph_result(node, NULL);
}

const char *graph_reshape(graph_t *g, const char *value, int rank, const int64_t *dims) {
  return graph_op(g, "Reshape", GRAPH_VALUES(value, graph_ints(g, rank, dims)));
}

const char *graph_transpose(graph_t *g, const char *value, int rank, const int64_t *permutation) {
  graph_node_t *node = graph_node(g, "Transpose", GRAPH_VALUES(value));
  graph_set_ints(node, "perm", rank, permutation);
  return graph_result(node, NULL);
}

const char *graph_count_to(graph_t *g, const char *end) {
  return graph_op(g, "Range", GRAPH_VALUES(graph_int(g, 0), end, graph_int(g, 1)));
}

const char *graph_unsqueeze(graph_t *g, const char *value, int count, const int64_t *axes) {
  return graph_op(g, "Unsqueeze", GRAPH_VALUES(value, graph_ints(g, count, axes)));
}

const char *graph_squeeze(graph_t *g, const char *value, int count, const int64_t *axes) {
  return graph_op(g, "Squeeze", GRAPH_VALUES(value, graph_ints(g, count, axes)));
}

const char *graph_dft(graph_t *g, const char *value, int64_t axis, int64_t length, bool is_inverse, bool is_half) {
  graph_node_t *node = graph_node(g, "DFT", GRAPH_VALUES(value, graph_int(g, length), graph_int(g, axis)));
  graph_set_int(node, "inverse", is_inverse);
  graph_set_int(node, "onesided", is_half);
  return graph_result(node, NULL);
}

strata_status_t graph_import(graph_t *g, strata_compile_t *compile, const char *path,
                             const strata_import_options_t *options) {
  Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opsets[] = {&opset};
  opset.has_version = true;
  opset.version = GRAPH_OPSET;
  Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
  model.n_opset_import = 1;
  model.opset_import = opsets;
  model.graph = &g->proto;
  onnx_made_model_t made = {.model = &model,
                            .dims = g->model->dims.data,
                            .n_dims = g->model->dims.count,
                            .bounds = g->model->bounds.data,
                            .n_bounds = g->model->bounds.count};
  return onnx_import_made_model(compile, path, &made, options);
}
