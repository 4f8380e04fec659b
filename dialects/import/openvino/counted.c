// Operators whose results have a size that data decide: the ONNX importer counts what there is (docs/sizes.md).
#include "dialects/import/openvino/openvino.h"

static const char *converted(ir_node_t *n, const char *value, strata_dtype_t type) {
  return type == STRATA_DTYPE_I64 ? value : graph_cast(n->g, value, type);
}

void ir_translate_non_zero(ir_node_t *n) {
  ir_set(n, 0,
         converted(n, ir_unary(n, "NonZero", ir_operand(n, 0)), ir_attr_dtype(n, "output_type", STRATA_DTYPE_I64)));
}

// The elements, or slices along the axis that operand 1 names, that differ: where each is first, which of them each
// element is, and how often each is there.
void ir_translate_unique(ir_node_t *n) {
  strata_dtype_t places = ir_attr_dtype(n, "index_element_type", STRATA_DTYPE_I64);
  strata_dtype_t counts = ir_attr_dtype(n, "count_element_type", STRATA_DTYPE_I64);
  graph_node_t *node = graph_node(n->g, "Unique", GRAPH_VALUES(ir_operand(n, 0)));
  graph_set_int(node, "sorted", ir_attr_bool(n, "sorted", true));
  if (ir_has(n, 1))
    graph_set_int(node, "axis", ir_axis(n, ir_constant_int(n, 1, 0), ir_rank(n, 0)));
  ir_set(n, 0, graph_result(node, NULL));
  for (int i = 1; i < 4; i++)
    ir_set(n, i, converted(n, graph_result(node, NULL), i == 3 ? counts : places));
}

//===-- Boxes ----------------------------------------------------------------------------------------------------===//

// Rows of three, image, class and box, with the highest scores in front.
static const char *sorted_by_score(ir_node_t *n, const char *rows, const char *scores) {
  graph_node_t *sort = graph_node(n->g, "TopK", GRAPH_VALUES(scores, graph_op(n->g, "Shape", GRAPH_VALUES(scores))));
  graph_result(sort, "");
  return ir_binary(n, "Gather", rows, graph_result(sort, NULL));
}

// Operand |i| as ONNX has it, of an element type |type|, or a number where it is left out.
static const char *limit(ir_node_t *n, int i, strata_dtype_t type, double otherwise) {
  return ir_has(n, i) ? graph_cast(n->g, ir_operand(n, i), type) : graph_number(n->g, type, otherwise);
}

// [count, 3] of numbers: image, class and score.
static const char *score_rows(ir_node_t *n, const char *rows, const char *scores, strata_dtype_t type) {
  static const int64_t from[] = {0}, to[] = {2}, column[] = {1};
  const char *places =
      graph_op(n->g, "Slice",
               GRAPH_VALUES(rows, graph_ints(n->g, 1, from), graph_ints(n->g, 1, to), graph_ints(n->g, 1, column)));
  graph_node_t *node = graph_node(
      n->g, "Concat", GRAPH_VALUES(graph_cast(n->g, places, type), graph_unsqueeze(n->g, scores, 1, column)));
  graph_set_int(node, "axis", 1);
  return graph_result(node, NULL);
}

void ir_translate_non_max_suppression(ir_node_t *n) {
  int64_t one = 1;
  strata_dtype_t type = ir_attr_dtype(n, "output_type", STRATA_DTYPE_I64);
  if (ir_constant_number(n, 5, 0) != 0)
    ir_refuse(n, "scores that boxes nearby lower (soft_nms_sigma)");
  graph_node_t *node = graph_node(n->g, "NonMaxSuppression",
                                  GRAPH_VALUES(ir_operand(n, 0), ir_operand(n, 1), limit(n, 2, STRATA_DTYPE_I64, 0),
                                               limit(n, 3, STRATA_DTYPE_F32, 0), limit(n, 4, STRATA_DTYPE_F32, 0)));
  graph_set_int(node, "center_point_box", ir_attr_is(n, "box_encoding", "center", false));
  const char *rows = graph_result(node, NULL), *scores = ir_binary(n, "GatherND", ir_operand(n, 1), rows);
  if (ir_attr_bool(n, "sort_result_descending", true)) {
    rows = sorted_by_score(n, rows, scores);
    scores = ir_binary(n, "GatherND", ir_operand(n, 1), rows);
  }
  ir_set(n, 0, converted(n, rows, type));
  if (ir_wants(n, 1))
    ir_set(n, 1, score_rows(n, rows, scores, ir_dtype(n, 1)));
  if (ir_wants(n, 2)) // as many as there are
    ir_set(n, 2, converted(n, ir_reshape(n, graph_op(n->g, "Size", GRAPH_VALUES(scores)), 1, &one), type));
}
