// --weights=argument: the model's weights become further inputs instead of constants.
//
// A weight is an initializer with more than one element: of at least two dimensions, or of one and not of i64, i32 or
// bool, which are shapes, axes and the like. What an operator must know while compiling is none.
#include "dialects/import/onnx/importer.h"

#include <string.h>

// Operators whose operands, but for the first, must be constants although they look like weights.
static bool needs_constants(const char *op_type) { return !strcmp(op_type, "Resize") || !strcmp(op_type, "Upsample"); }

static bool is_weight(const strata_tensor_t *tensor) {
  bool is_shape_like = tensor->rank < 2 && (tensor->dtype == STRATA_DTYPE_I64 || tensor->dtype == STRATA_DTYPE_I32 ||
                                            tensor->dtype == STRATA_DTYPE_BOOL);
  return tensor->rank > 0 && strata_tensor_count(tensor) > 1 && !is_shape_like;
}

strata_status_t onnx_select_weights(onnx_importer_t *importer, const Onnx__GraphProto *graph) {
  strata_arena_t *arena = importer->compile->arena;
  strata_string_map_t constants = {0};
  if (!importer->options->weights_as_inputs)
    return NULL;
  for (size_t i = 0; i < graph->n_node; i++)
    for (size_t j = 1; needs_constants(onnx_text(graph->node[i]->op_type)) && j < graph->node[i]->n_input; j++)
      strata_string_map_put(arena, &constants, onnx_text(graph->node[i]->input[j]), importer);
  importer->weights = strata_arena_array(arena, strata_tensor_proto_t, graph->n_initializer);
  for (size_t i = 0; i < graph->n_initializer; i++) {
    strata_tensor_proto_t proto;
    strata_status_t status = onnx_parse_tensor(importer, graph->initializer[i], &proto);
    if (!status && *proto.name && is_weight(&proto.tensor) && !strata_string_map_get(&constants, proto.name))
      importer->weights[i] = proto;
    strata_status_free(status); // whoever imports it as a constant reports it
  }
  return NULL;
}
