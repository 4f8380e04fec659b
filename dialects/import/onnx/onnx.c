// ONNX model in, module of the strata dialect out:
//
//   func.func @main(%x: tensor<1x3xf32> {strata.name = "x"}) -> (tensor<1x3xf32> {strata.name = "y"}) {
//     %y = "strata.relu"(%x) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("the node's name")
//     return %y : tensor<1x3xf32>
//   }
//
// This file does outputs and the function; inputs.c has inputs, graph.c walks the nodes, ops.def has the operators.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/model.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/symbols.h"

#include <stdlib.h>

enum {
  MAX_EXPANSION = 1 << 17, // nodes that functions and unrolled loops may add to those of the file
};

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
      if (!onnx_dim_has_size(said->dim[k]) && strata_dim_equal(onnx_resolve(importer, shape.dims[k]), dim))
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
    if (!onnx_dim_has_size(said->dim[i]))
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
  *out_attrs = onnx_port_attrs(importer, name, value);
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
  STRATA_TRY(onnx_import_inputs(importer, &scope, graph));
  STRATA_TRY(onnx_import_nodes(importer, &scope, graph->n_node, graph->node));
  onnx_check_bounds(importer);
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
