// The inputs of a model: their types and open sizes, what options bind, and the arguments of @main that they become.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/model.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"
#include "runtime/base/nearest.h"
#include "runtime/base/quote.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

bool onnx_dim_has_size(const Onnx__TensorShapeProto__Dimension *dim) {
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
  if (onnx_dim_has_size(dim)) {
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
    if (onnx_dim_has_size(shape->dim[i]) && !strata_dim_is(port->dims[i], shape->dim[i]->dim_value))
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

MlirAttribute onnx_port_attrs(onnx_importer_t *importer, const char *name, const onnx_value_t *value) {
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
      onnx_port_attrs(importer, port->name, &(onnx_value_t){.is_unsigned = port->is_unsigned});
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
    fits = !onnx_dim_has_size(dim) || dim->dim_value == tensor->shape[i];
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

static strata_status_t import_own_inputs(onnx_importer_t *importer, onnx_scope_t *scope,
                                         const Onnx__GraphProto *graph) {
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

void onnx_check_bounds(onnx_importer_t *importer) {
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

strata_status_t onnx_import_inputs(onnx_importer_t *importer, onnx_scope_t *scope, const Onnx__GraphProto *graph) {
  STRATA_TRY(import_own_inputs(importer, scope, graph));
  STRATA_TRY(add_seed_input(importer, scope));
  return add_weights(importer, scope, graph->n_initializer);
}
