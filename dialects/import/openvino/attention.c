// Scaled dot product attention.
#include "dialects/import/openvino/openvino.h"

#include <math.h>

// Heads of ONNX's operator, which has batch and heads in front of rows and columns.
static const char *with_heads(ir_node_t *n, const char *value, int rank) {
  if (rank == 3)
    return graph_unsqueeze(n->g, value, 1, (int64_t[]){1});
  if (rank != 4)
    ir_refuse(n, "operands of %d dimensions, expected 3 or 4", rank);
  return value;
}

// A scalar 0 in the place of the mask only keeps the place.
static bool has_mask(ir_node_t *n) {
  strata_tensor_t tensor;
  if (!ir_has(n, 3) || ir_attr_bool(n, "causal", false))
    return false;
  if (ir_rank(n, 3) > 0)
    return true;
  if (!ir_find_constant(n, 3, &tensor) || strata_dtype_load(tensor.dtype, tensor.data, 0) != 0)
    ir_refuse(n, "a mask without dimensions");
  return false;
}

static const char *mask_operand(ir_node_t *n) {
  int rank = ir_rank(n, 3);
  if (rank == 1)
    return graph_unsqueeze(n->g, ir_operand(n, 3), 1, (int64_t[]){0});
  return rank == 3 ? graph_unsqueeze(n->g, ir_operand(n, 3), 1, (int64_t[]){1}) : ir_operand(n, 3);
}

void ir_translate_attention(ir_node_t *n) {
  const char *operands[4] = {"", "", "", ""};
  int rank = ir_rank(n, 0);
  for (int i = 0; i < 3; i++)
    operands[i] = with_heads(n, ir_operand(n, i), ir_rank(n, i));
  if (has_mask(n))
    operands[3] = mask_operand(n);
  graph_node_t *node = graph_node(n->g, "Attention", 4, operands);
  graph_set_int(node, "is_causal", ir_attr_bool(n, "causal", false));
  if (ir_has(n, 4))
    graph_set_float(node, "scale", ir_constant_number(n, 4, 1));
  const char *result = graph_result(node, NULL);
  ir_set(n, 0, rank == 3 ? graph_squeeze(n->g, result, 1, (int64_t[]){1}) : result);
}
