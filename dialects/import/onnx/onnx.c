// ONNX model in, module of the strata dialect out:
//
//   func.func @main(%x: tensor<1x3xf32> {strata.name = "x"}) -> (tensor<1x3xf32> {strata.name = "y"}) {
//     %y = "strata.relu"(%x) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("the node's name")
//     return %y : tensor<1x3xf32>
//   }
//
// This file does inputs and outputs; graph.c walks the nodes, ops.def has the operators.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/model.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/symbols.h"
#include "runtime/base/nearest.h"
#include "runtime/base/quote.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_EXPANSION = 1 << 17, // nodes that functions and unrolled loops may add to those of the file
};

//===-- Types of inputs ------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name;
  strata_type_t type;
  bool is_unsigned;
  int rank;
  strata_dim_t dims[STRATA_MAX_RANK];
  bool is_known; // its shape is
} port_t;

static const strata_import_binding_t *find_binding(const strata_import_binding_t *bindings, size_t n,
                                                   const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(bindings[i].name, name))
      return &bindings[i];
  return NULL;
}

// Whether a dimension has a size in the file. Writers without a better way say -1 or 0 for one that is not known.
static bool has_size(const Onnx__TensorShapeProto__Dimension *dim) {
  return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value > 0;
}

// A problem that an option solves.
static void note_open(onnx_importer_t *importer, const char *problem, const char *option, const char *value) {
  strata_arena_t *arena = importer->compile->arena;
  option = strata_arena_printf(arena, "%s %s", option, strata_shell_quote(arena, value));
  *strata_vector_push(arena, &importer->open_options) = option;
  onnx_add_problem(importer, "%s; set it with %s", problem, option);
}

// The dimension |axis| of an input: a size, or what its name stands for, which is INPUT.AXIS where it has none.
static strata_status_t read_dim(onnx_importer_t *importer, const Onnx__TensorShapeProto__Dimension *dim,
                                const char *input, int axis, strata_dim_t *out) {
  if (has_size(dim)) {
    *out = strata_dim_constant(importer->compile->context, dim->dim_value);
    return NULL;
  }
  if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value < -1)
    return strata_error(STRATA_INVALID_ARGUMENT,
                        "input '%s': dimension %d: expected a size, or -1 for one that varies, got %lld", input, axis,
                        (long long)dim->dim_value);
  bool has_symbol = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
  const char *name = has_symbol ? onnx_text(dim->dim_param) : "";
  if (!*name)
    name = strata_arena_printf(importer->compile->arena, "%s.%d", input, axis);
  return strata_status_context(onnx_named_dim(importer, name, out), "input '%s'", input);
}

// Sizes with 'x' between them, '?' for one that stays open, or the word "scalar".
static strata_status_t parse_sizes(onnx_importer_t *importer, const char *text, port_t *port, bool *out_good) {
  port->rank = 0;
  *out_good = false;
  for (text += strcmp(text, "scalar") ? 0 : strlen(text); *text;) {
    char *end = (char *)(uintptr_t)text + 1;
    if ((!isdigit((unsigned char)*text) && *text != '?') || port->rank == STRATA_MAX_RANK)
      return NULL;
    int axis = port->rank++;
    int64_t size = *text == '?' ? 0 : strtoll(text, &end, 10);
    if (size == INT64_MAX || (*end && (*end != 'x' || !end[1])))
      return NULL;
    port->dims[axis] = strata_dim_constant(importer->compile->context, size);
    if (*text == '?')
      STRATA_TRY(onnx_named_dim(importer, strata_arena_printf(importer->compile->arena, "%s.%d", port->name, axis),
                                &port->dims[axis]));
    text = end + (*end == 'x');
  }
  *out_good = true;
  return NULL;
}

// The shape that --shape gives an input must be what the model says of it, as far as that says something.
static strata_status_t read_given_dims(onnx_importer_t *importer, const strata_import_binding_t *given,
                                       const Onnx__TensorShapeProto *shape, port_t *port) {
  bool is_good;
  STRATA_TRY(parse_sizes(importer, given->text, port, &is_good));
  if (!is_good)
    return strata_error(STRATA_INVALID_ARGUMENT, "--shape %s=%s: expected at most %d sizes with x between them",
                        given->name, given->text, STRATA_MAX_RANK);
  if (shape && (int)shape->n_dim != port->rank)
    return strata_error(STRATA_INVALID_ARGUMENT, "--shape %s=%s: expected %zu sizes, got %d", given->name, given->text,
                        shape->n_dim, port->rank);
  for (int i = 0; shape && i < port->rank; i++)
    if (has_size(shape->dim[i]) && !strata_dim_is(port->dims[i], shape->dim[i]->dim_value))
      return strata_error(STRATA_INVALID_ARGUMENT, "--shape %s=%s: dimension %d has size %lld in the model",
                          given->name, given->text, i, (long long)shape->dim[i]->dim_value);
  return NULL;
}

static strata_status_t read_dims(onnx_importer_t *importer, const Onnx__TensorShapeProto *shape, port_t *port) {
  port->rank = (int)shape->n_dim;
  if (shape->n_dim > STRATA_MAX_RANK)
    return strata_error(STRATA_UNSUPPORTED, "input '%s': expected at most %d dimensions, got %zu", port->name,
                        STRATA_MAX_RANK, shape->n_dim);
  for (int i = 0; i < port->rank; i++)
    STRATA_TRY(read_dim(importer, shape->dim[i], port->name, i, &port->dims[i]));
  return NULL;
}

// What there is in the place of an element type that C has no number for.
static const char *advice_on_type(int64_t data_type) {
  switch (data_type) {
  case ONNX__TENSOR_PROTO__DATA_TYPE__STRING:
    return ": the arguments of a library are numbers";
  case ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX64:
  case ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX128:
    return ": the arguments of a library are real numbers, a complex one two of them in a last dimension";
  default:
    return "";
  }
}

static strata_status_t read_element_type(int64_t data_type, port_t *port) {
  if (onnx_element_type(data_type, &port->type, &port->is_unsigned))
    return NULL;
  return strata_error(STRATA_UNSUPPORTED, "input '%s': element type %s is not supported%s", port->name,
                      onnx_data_type_name(data_type), advice_on_type(data_type));
}

static strata_status_t read_input_type(onnx_importer_t *importer, const Onnx__ValueInfoProto *info, port_t *out_port) {
  *out_port = (port_t){.name = onnx_text(info->name)};
  if (!info->type || info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
    return strata_error(STRATA_UNSUPPORTED, "input '%s' is not supported: it is no tensor", out_port->name);
  const Onnx__TypeProto__Tensor *tensor = info->type->tensor_type;
  STRATA_TRY(read_element_type(tensor->elem_type, out_port));
  const strata_import_options_t *options = importer->options;
  const strata_import_binding_t *given = find_binding(options->shapes, options->n_shapes, out_port->name);
  out_port->is_known = given || tensor->shape;
  if (given)
    return read_given_dims(importer, given, tensor->shape, out_port);
  if (!tensor->shape) {
    strata_arena_t *arena = importer->compile->arena;
    note_open(importer, strata_arena_printf(arena, "input '%s': the shape is not known", out_port->name), "--shape",
              strata_arena_printf(arena, "%s=1x3x224x224", out_port->name));
    return NULL;
  }
  return read_dims(importer, tensor->shape, out_port);
}

//===-- Inputs ---------------------------------------------------------------------------------------------------===//

static MlirAttribute port_attrs(onnx_importer_t *importer, const char *name, const onnx_value_t *value) {
  MlirContext context = importer->compile->context;
  const MlirAttribute none = {0};
  const strata_named_attr_t given[] = {{"strata.name", strata_str_attr(context, name)},
                                       {"strata.unsigned", value->is_unsigned ? mlirUnitAttrGet(context) : none},
                                       {"strata.note", value->note ? strata_str_attr(context, value->note) : none},
                                       {"strata.alias", value->alias ? strata_str_attr(context, value->alias) : none}};
  enum { MOST = sizeof given / sizeof *given };
  MlirNamedAttribute attrs[MOST];
  int count = 0;
  for (int i = 0; i < MOST; i++)
    if (!mlirAttributeIsNull(given[i].attr))
      attrs[count++] = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(given[i].name)), given[i].attr);
  return mlirDictionaryAttrGet(context, count, attrs);
}

// An argument of @main.
static strata_status_t add_argument(onnx_importer_t *importer, onnx_scope_t *scope, const port_t *port) {
  strata_builder_t *b = &importer->builder;
  MlirContext context = importer->compile->context;
  strata_shape_t shape = {.type = port->type, .rank = port->rank};
  memcpy(shape.dims, port->dims, sizeof shape.dims);
  int64_t sizes[STRATA_MAX_RANK], count = strata_shape_count(&shape);
  bool is_static = strata_shape_sizes(&shape, sizes);
  if (is_static && (count < 0 || strata_type_storage_size(port->type, count) < 0))
    return strata_error(STRATA_INVALID_ARGUMENT, "input '%s' is too large", port->name);
  MlirLocation location = mlirLocationNameGet(context, strata_str(port->name), mlirLocationUnknownGet(context));
  MlirValue value = mlirBlockAddArgument(b->block, strata_shape_to_type(context, &shape), location);
  *strata_vector_push(importer->compile->arena, &importer->argument_attrs) =
      port_attrs(importer, port->name, &(onnx_value_t){.is_unsigned = port->is_unsigned});
  return onnx_define(importer, scope, port->name,
                     (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = port->is_unsigned, .tensor = value});
}

// A tensor of a file must be what the input says it is; where that leaves a dimension open, any size is right.
static strata_status_t check_bound(const Onnx__ValueInfoProto *info, const strata_tensor_t *tensor) {
  port_t port = {.name = onnx_text(info->name)};
  bool is_unsigned;
  if (!info->type || info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
    return strata_error(STRATA_UNSUPPORTED, "input '%s' is not supported: it is no tensor", port.name);
  const Onnx__TypeProto__Tensor *type = info->type->tensor_type;
  STRATA_TRY(read_element_type(type->elem_type, &port));
  if (onnx_dtype_element_type(tensor->dtype, &is_unsigned) != port.type || is_unsigned != port.is_unsigned)
    return strata_error(STRATA_INVALID_ARGUMENT, "input '%s': expected elements of type %s, got %s", port.name,
                        onnx_data_type_name(type->elem_type), strata_dtype_info[tensor->dtype].name);
  if (!type->shape)
    return NULL;
  bool fits = (int)type->shape->n_dim == tensor->rank;
  for (int i = 0; i < tensor->rank && fits; i++) {
    const Onnx__TensorShapeProto__Dimension *dim = type->shape->dim[i];
    fits = !has_size(dim) || dim->dim_value == tensor->shape[i];
  }
  return fits ? NULL
              : strata_error(STRATA_INVALID_ARGUMENT, "input '%s': the shapes of model and file differ", port.name);
}

static strata_status_t bind_constant(onnx_importer_t *importer, onnx_scope_t *scope, const Onnx__ValueInfoProto *info,
                                     const char *file) {
  strata_tensor_t tensor;
  onnx_value_t value;
  STRATA_TRY(strata_tensor_read(importer->compile->arena, file, &tensor));
  STRATA_TRY(strata_status_context(check_bound(info, &tensor), "%s", file));
  STRATA_TRY(onnx_tensor_constant(importer, onnx_text(info->name), &tensor, &value));
  return onnx_define(importer, scope, onnx_text(info->name), value);
}

// Inputs that have an initializer are constants, as in models older than IR version 4.
static strata_status_t import_input(onnx_importer_t *importer, onnx_scope_t *scope, const Onnx__ValueInfoProto *info) {
  const strata_import_options_t *options = importer->options;
  const char *name = onnx_text(info->name);
  const strata_import_binding_t *binding = find_binding(options->constants, options->n_constants, name);
  if (strata_string_map_put(importer->compile->arena, &importer->inputs, name, importer))
    return strata_error(STRATA_PARSE, "input '%s' is given twice", name);
  *strata_vector_push(importer->compile->arena, &importer->input_names) = name;
  if (onnx_lookup(scope, name))
    return binding ? strata_error(STRATA_INVALID_ARGUMENT, "--bind-constant %s: it is a constant of the model", name)
                   : NULL;
  if (binding)
    return bind_constant(importer, scope, info, binding->text);
  port_t port;
  strata_status_t status = read_input_type(importer, info, &port);
  if (!status && port.is_known)
    return add_argument(importer, scope, &port);
  if (!status)
    return onnx_define(importer, scope, name, (onnx_value_t){.kind = ONNX_POISONED});
  if (strata_status_code(status) != STRATA_UNSUPPORTED)
    return status;
  onnx_add_problem(importer, "%s", strata_status_message(status));
  strata_status_free(status);
  return onnx_define(importer, scope, name, (onnx_value_t){.kind = ONNX_POISONED});
}

static void unknown_name(onnx_importer_t *importer, const char *what, const char *name, size_t n_known,
                         const char *const *known) {
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = 0; i < n_known; i++)
    strata_nearest_try(&nearest, known[i], strlen(known[i]));
  onnx_add_problem(importer, "%s '%s'%s", what, name, strata_nearest_hint(importer->compile->arena, &nearest));
}

static strata_status_t import_inputs(onnx_importer_t *importer, onnx_scope_t *scope, const Onnx__GraphProto *graph) {
  const strata_import_options_t *options = importer->options;
  for (size_t i = 0; i < graph->n_input; i++)
    STRATA_TRY(import_input(importer, scope, graph->input[i]));
  for (size_t i = 0; i < options->n_dims; i++)
    if (!strata_string_map_get(&importer->dims, options->dims[i].name))
      unknown_name(importer, "--dim: the model has no dimension", options->dims[i].name, importer->dim_names.count,
                   importer->dim_names.data);
  for (size_t i = 0; i < options->n_constants; i++)
    if (!strata_string_map_get(&importer->inputs, options->constants[i].name))
      unknown_name(importer, "--bind-constant: the model has no input", options->constants[i].name,
                   importer->input_names.count, importer->input_names.data);
  for (size_t i = 0; i < options->n_shapes; i++)
    if (!strata_string_map_get(&importer->inputs, options->shapes[i].name))
      unknown_name(importer, "--shape: the model has no input", options->shapes[i].name, importer->input_names.count,
                   importer->input_names.data);
  return NULL;
}

static void check_bounds(onnx_importer_t *importer) {
  const strata_import_options_t *options = importer->options;
  for (size_t i = 0; i < options->n_bounds; i++)
    if (!strata_string_map_get(&importer->bounded, options->bounds[i].name))
      unknown_name(importer, "--bound: no size is read from a value", options->bounds[i].name,
                   importer->bounded_names.count, importer->bounded_names.data);
}

// --seed-input comes after the model's own inputs.
static strata_status_t add_seed_input(onnx_importer_t *importer, onnx_scope_t *scope) {
  port_t port = {.name = importer->options->seed_input, .type = STRATA_TYPE_I64};
  if (!port.name)
    return NULL;
  if (onnx_lookup(scope, port.name))
    return strata_error(STRATA_INVALID_ARGUMENT, "--seed-input: the model has a value '%s' already", port.name);
  STRATA_TRY(add_argument(importer, scope, &port));
  importer->seed_input = onnx_lookup(scope, port.name)->tensor;
  return NULL;
}

// Weights that are inputs come after those of the model, unless they are among them.
static strata_status_t add_weights(onnx_importer_t *importer, onnx_scope_t *scope, size_t n_initializers) {
  for (size_t i = 0; importer->weights && i < n_initializers; i++) {
    const strata_tensor_proto_t *weight = &importer->weights[i];
    port_t port = {.name = weight->name, .rank = weight->tensor.rank};
    if (!weight->name || onnx_lookup(scope, weight->name))
      continue;
    if (port.rank > STRATA_MAX_RANK)
      return strata_error(STRATA_UNSUPPORTED, "tensor '%s': expected at most %d dimensions, got %d", port.name,
                          STRATA_MAX_RANK, port.rank);
    port.type = onnx_dtype_element_type(weight->tensor.dtype, &port.is_unsigned);
    for (int d = 0; d < port.rank; d++)
      port.dims[d] = strata_dim_constant(importer->compile->context, weight->tensor.shape[d]);
    STRATA_TRY(add_argument(importer, scope, &port));
  }
  return NULL;
}

//===-- Outputs --------------------------------------------------------------------------------------------------===//

static const Onnx__TensorShapeProto *said_shape(const Onnx__ValueInfoProto *info) {
  bool is_tensor = info->type && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  return is_tensor ? info->type->tensor_type->shape : NULL;
}

// Converters of classifiers say that there is one label, and leave open how many rows of probabilities there are: an
// output that leaves a size open is believed then.
static bool is_open_elsewhere(onnx_importer_t *importer, const onnx_scope_t *scope, const Onnx__GraphProto *graph,
                              strata_dim_t dim) {
  int64_t number;
  if (strata_dim_is_constant(dim, &number))
    return false;
  for (size_t i = 0; i < graph->n_output; i++) {
    const onnx_value_t *value = onnx_lookup(scope, onnx_text(graph->output[i]->name));
    const Onnx__TensorShapeProto *said = said_shape(graph->output[i]);
    if (!value || value->kind != ONNX_TENSOR || !said || (int)said->n_dim != onnx_shape(value->tensor).rank)
      continue;
    strata_shape_t shape = onnx_shape(value->tensor);
    for (int k = 0; k < shape.rank; k++)
      if (!has_size(said->dim[k]) && strata_dim_equal(onnx_resolve(importer, shape.dims[k]), dim))
        return true;
  }
  return false;
}

// Callers size their buffers by what the model says, as far as it says a number.
static strata_status_t check_output_shape(onnx_importer_t *importer, const onnx_scope_t *scope,
                                          const Onnx__GraphProto *graph, const char *name,
                                          const Onnx__TensorShapeProto *said, MlirValue value) {
  strata_shape_t shape = onnx_shape(value);
  if (said && (int)said->n_dim != shape.rank)
    return strata_error(STRATA_INVALID_ARGUMENT,
                        "output '%s': the model says %zu dimensions, but what it computes has %d", name, said->n_dim,
                        shape.rank);
  for (int i = 0; said && i < shape.rank; i++) {
    if (!has_size(said->dim[i]))
      continue;
    strata_dim_t size = strata_dim_constant(importer->compile->context, said->dim[i]->dim_value);
    if (said->dim[i]->dim_value == 1 &&
        is_open_elsewhere(importer, scope, graph, onnx_resolve(importer, shape.dims[i])))
      continue;
    if (!onnx_unify(importer, shape.dims[i], size))
      return strata_error(
          STRATA_INVALID_ARGUMENT,
          "output '%s': the model says that dimension %d has size %lld, but what it computes has %s", name, i,
          (long long)said->dim[i]->dim_value,
          strata_symbols_text(importer->compile->arena, &importer->symbols, onnx_resolve(importer, shape.dims[i])));
  }
  return NULL;
}

// What the model says of an output must be true of what it computes.
static strata_status_t check_output(onnx_importer_t *importer, const onnx_scope_t *scope, const Onnx__GraphProto *graph,
                                    const Onnx__ValueInfoProto *info, const onnx_value_t *value) {
  if (value->kind != ONNX_TENSOR)
    return strata_error(STRATA_UNSUPPORTED, "output '%s' is not supported: it is no tensor", onnx_text(info->name));
  if (!info->type || info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
    return NULL;
  strata_type_t type;
  bool is_unsigned;
  int64_t data_type = info->type->tensor_type->elem_type;
  if (data_type && onnx_element_type(data_type, &type, &is_unsigned) &&
      (type != onnx_shape(value->tensor).type || is_unsigned != value->is_unsigned))
    return strata_error(STRATA_INVALID_ARGUMENT, "output '%s': the model says %s, but what it computes is %s",
                        onnx_text(info->name), onnx_data_type_name(data_type),
                        onnx_type_name(onnx_shape(value->tensor).type, value->is_unsigned));
  return check_output_shape(importer, scope, graph, onnx_text(info->name), said_shape(info), value->tensor);
}

static strata_status_t import_output(onnx_importer_t *importer, const onnx_scope_t *scope,
                                     const Onnx__GraphProto *graph, const Onnx__ValueInfoProto *info,
                                     MlirValue *out_value, MlirAttribute *out_attrs) {
  const char *name = onnx_text(info->name);
  const onnx_value_t *value = onnx_lookup(scope, name);
  if (!value)
    return strata_error(STRATA_PARSE, "nothing computes the output '%s'", name);
  if (strata_string_map_put(importer->compile->arena, &importer->outputs, name, importer))
    return strata_error(STRATA_PARSE, "output '%s' is given twice", name);
  *out_value = value->tensor;
  *out_attrs = port_attrs(importer, name, value);
  if (value->kind == ONNX_POISONED)
    return NULL; // its problem is noted
  strata_status_t status = check_output(importer, scope, graph, info, value);
  if (strata_status_code(status) != STRATA_UNSUPPORTED)
    return status;
  onnx_add_problem(importer, "%s", strata_status_message(status));
  strata_status_free(status);
  return NULL;
}

// All sizes to give as options, and all operators that are missing, where each has several lines above.
static void sum_up(onnx_importer_t *importer) {
  strata_arena_t *arena = importer->compile->arena;
  const char *options = "", *ops = "";
  for (size_t i = 0; i < importer->open_options.count; i++)
    options = strata_arena_printf(arena, "%s %s", options, importer->open_options.data[i]);
  if (importer->open_options.count > 1)
    onnx_add_problem(importer, "all that is not known:%s", options);
  size_t n_nodes = 0;
  for (size_t i = 0; i < importer->unsupported.count; i++) {
    const onnx_unsupported_op_t *op = &importer->unsupported.data[i];
    ops = strata_arena_printf(arena, "%s%s%zu %s", ops, i ? ", " : "", op->n_nodes, op->op);
    n_nodes += op->n_nodes;
  }
  if (n_nodes > importer->unsupported.count)
    onnx_add_problem(importer, "nodes that are not supported: %s", ops);
}

// One error for everything that is unsupported or missing, a line each.
static strata_status_t problems_error(onnx_importer_t *importer) {
  strata_arena_t *arena = importer->compile->arena;
  STRATA_VECTOR(char) lines = {0};
  sum_up(importer);
  for (size_t i = 0; i < importer->problems.count; i++) {
    const char *problem = importer->problems.data[i];
    const char *line =
        strata_arena_printf(arena, "%s%s%s%s", i ? "\n" : "", importer->path, *problem == '(' ? " " : ": ", problem);
    for (; *line; line++)
      *strata_vector_push(arena, &lines) = *line;
  }
  *strata_vector_push(arena, &lines) = 0;
  bool is_given = importer->unsupported.count == 0 && importer->open_options.count > 0;
  return strata_error(is_given ? STRATA_INVALID_ARGUMENT : STRATA_UNSUPPORTED, "%s", lines.data);
}

//===-- The function ---------------------------------------------------------------------------------------------===//

// Makes func.func @main of the region whose block has been filled.
static void create_main(onnx_importer_t *importer, MlirRegion region, size_t n_results, const MlirValue *results,
                        const MlirAttribute *result_attrs) {
  MlirContext context = importer->compile->context;
  MlirBlock block = importer->main;
  MlirLocation location = mlirLocationUnknownGet(context);
  size_t n_arguments = (size_t)mlirBlockGetNumArguments(block);
  mlirBlockAppendOwnedOperation(
      block, strata_op_create(location, "func.return", (int)n_results, results, 0, NULL, 0, NULL, 0, NULL));
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, "main")},
      {"function_type", mlirTypeAttrGet(strata_block_function_type(importer->compile->arena, block))},
      {"arg_attrs", mlirArrayAttrGet(context, (intptr_t)n_arguments, importer->argument_attrs.data)},
      {"res_attrs", mlirArrayAttrGet(context, (intptr_t)n_results, result_attrs)}};
  MlirOperation main = strata_op_create(location, "func.func", 0, NULL, 0, NULL, 4, attrs, 1, &region);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(importer->compile->module), main);
}

// The sizes of a module that is complete.
static strata_status_t finish_sizes(onnx_importer_t *importer) {
  STRATA_TRY(strata_bound_counts(importer->compile, &importer->symbols, &importer->counts));
  STRATA_TRY(onnx_settle_symbols(importer));
  strata_symbols_write(importer->compile->module, &importer->symbols);
  return NULL;
}

static strata_status_t import_graph(onnx_importer_t *importer, const Onnx__GraphProto *graph, int opset,
                                    MlirRegion region) {
  strata_arena_t *arena = importer->compile->arena;
  onnx_scope_t scope = {.opset = opset};
  STRATA_TRY(onnx_check_given_dims(importer));
  STRATA_TRY(onnx_select_weights(importer, graph));
  STRATA_TRY(onnx_import_initializers(importer, &scope, graph));
  STRATA_TRY(import_inputs(importer, &scope, graph));
  STRATA_TRY(add_seed_input(importer, &scope));
  STRATA_TRY(add_weights(importer, &scope, graph->n_initializer));
  STRATA_TRY(onnx_import_nodes(importer, &scope, graph->n_node, graph->node));
  check_bounds(importer);
  MlirValue *results = strata_arena_array(arena, MlirValue, graph->n_output);
  MlirAttribute *attrs = strata_arena_array(arena, MlirAttribute, graph->n_output);
  for (size_t i = 0; i < graph->n_output; i++)
    STRATA_TRY(import_output(importer, &scope, graph, graph->output[i], &results[i], &attrs[i]));
  if (!importer->problems.count)
    onnx_settle_bounds(importer, graph->n_output, results);
  if (importer->problems.count)
    return NULL;
  create_main(importer, region, graph->n_output, results, attrs);
  return NULL;
}

//===-- The model ------------------------------------------------------------------------------------------------===//

enum { MANY = INT32_MAX };

static const onnx_op_info_t op_table[] = {
#define ONNX_OP(name_, since_, least_, most_, operands_, results_, attributes_, reader_, ...)                          \
  {.name = name_,                                                                                                      \
   .since = since_,                                                                                                    \
   .least = least_,                                                                                                    \
   .most = most_,                                                                                                      \
   .operands = operands_,                                                                                              \
   .results = results_,                                                                                                \
   .attributes = attributes_,                                                                                          \
   .reader = onnx_import_##reader_,                                                                                    \
   __VA_ARGS__},
#define ONNX_MISSING(name_, reason) {.name = name_, .missing = reason},
#include "dialects/import/onnx/ops.def"
};

static void index_operators(onnx_importer_t *importer) {
  strata_arena_t *arena = importer->compile->arena;
  const Onnx__ModelProto *model = importer->model;
  for (size_t i = 0; i < sizeof op_table / sizeof *op_table; i++)
    strata_string_map_put(arena, &importer->ops, op_table[i].name, (void *)(uintptr_t)&op_table[i]);
  for (size_t i = 0; i < model->n_functions; i++)
    strata_string_map_put(arena, &importer->functions,
                          strata_arena_printf(arena, "%s.%s", onnx_text(model->functions[i]->domain),
                                              onnx_text(model->functions[i]->name)),
                          model->functions[i]);
}

static strata_status_t import_model(onnx_importer_t *importer) {
  const Onnx__ModelProto *model = importer->model;
  int64_t opset = onnx_default_opset(model->n_opset_import, model->opset_import);
  if (!model->graph)
    return strata_error(STRATA_PARSE, "the model has no graph");
  if (opset < 1 || opset > ONNX_LAST_OPSET)
    return strata_error(STRATA_UNSUPPORTED, "opset %lld is not supported, expected 1 to %d", (long long)opset,
                        ONNX_LAST_OPSET);
  MlirRegion region = mlirRegionCreate();
  importer->main = importer->builder.block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, importer->main);
  importer->max_nodes = model->graph->n_node + MAX_EXPANSION;
  index_operators(importer);
  onnx_collect_reads(importer);
  strata_status_t status = import_graph(importer, model->graph, (int)opset, region);
  if (!status && !importer->problems.count)
    return finish_sizes(importer); // the region is the module's now
  mlirRegionDestroy(region);
  return status;
}

static strata_status_t import(strata_compile_t *compile, const char *path, const Onnx__ModelProto *model,
                              const onnx_made_model_t *made, const strata_import_options_t *options) {
  onnx_importer_t importer = {.compile = compile,
                              .options = options,
                              .path = path,
                              .model = model,
                              .made = made,
                              .builder = {.compile = compile,
                                          .before = {NULL},
                                          .location = mlirLocationUnknownGet(compile->context),
                                          .no_fold = compile->options->disable_constant_folding,
                                          .keep_form = true}};
  importer.counting = (strata_counting_t){&importer.symbols, &importer.counts};
  importer.builder.counting = &importer.counting;
  strata_status_t status = import_model(&importer);
  if (!status)
    return importer.problems.count ? problems_error(&importer) : NULL;
  const char *message = strata_status_message(status);
  strata_status_t error =
      strata_error(strata_status_code(status), "%s%s%s", path, *message == '(' ? " " : ": ", message);
  strata_status_free(status);
  return error;
}

strata_status_t onnx_import_made_model(strata_compile_t *compile, const char *path, const onnx_made_model_t *made,
                                       const strata_import_options_t *options) {
  return import(compile, path, made->model, made, options);
}

strata_status_t strata_import_onnx(strata_compile_t *compile, const char *path,
                                   const strata_import_options_t *options) {
  Onnx__ModelProto *model;
  STRATA_TRY(onnx_read_model(compile->arena, path, &model));
  return import(compile, path, model, NULL, options);
}
