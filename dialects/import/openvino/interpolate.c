// Interpolation.
#include "dialects/import/openvino/openvino.h"

#include <string.h>

static void check_pads(ir_node_t *n, const char *attribute) {
  int count;
  const int64_t *pads = ir_attr_ints(n, attribute, &count);
  for (int i = 0; i < count; i++)
    if (pads[i])
      ir_refuse(n, "attribute '%s'", attribute);
}

// The axes are those of the last operand, which may be left out.
static void set_axes(ir_node_t *n, graph_node_t *node, int operand) {
  int count;
  if (!ir_has(n, operand))
    return;
  const int64_t *axes = ir_constant_ints(n, operand, &count);
  if (axes)
    graph_set_ints(node, "axes", count, axes);
}

static const char *scales_operand(ir_node_t *n, int i) {
  return ir_dtype(n, i) == STRATA_DTYPE_F32 ? ir_operand(n, i) : graph_cast(n->g, ir_operand(n, i), STRATA_DTYPE_F32);
}

// Opset 4 has an operand for sizes and one for scales, opset 11 one for either.
void ir_translate_interpolate(ir_node_t *n) {
  bool by_scales = ir_attr_is(n, "shape_calculation_mode", "scales", false), is_first = n->op->since < 11;
  const char *scales = by_scales ? scales_operand(n, is_first ? 2 : 1) : "";
  const char *sizes = by_scales ? "" : ir_ints_operand(n, 1);
  const char *mode = ir_attr(n, "mode"), *place = ir_attr(n, "coordinate_transformation_mode");
  const char *nearest = ir_attr(n, "nearest_mode");
  graph_node_t *node = graph_node(n->g, "Resize", GRAPH_VALUES(ir_operand(n, 0), "", scales, sizes));
  check_pads(n, "pads_begin");
  check_pads(n, "pads_end");
  set_axes(n, node, is_first ? 3 : 2);
  if (nearest && !strcmp(nearest, "simple") && mode && !strcmp(mode, "nearest"))
    ir_refuse(n, "nearest_mode 'simple'");
  graph_set_string(node, "mode", !mode || !strncmp(mode, "linear", 6) ? "linear" : mode);
  graph_set_string(node, "coordinate_transformation_mode", place ? place : "half_pixel");
  if (mode && !strcmp(mode, "nearest"))
    graph_set_string(node, "nearest_mode", nearest ? nearest : "round_prefer_floor");
  graph_set_float(node, "cubic_coeff_a", ir_attr_float(n, "cube_coeff", -0.75));
  ir_set_node(n, node);
}

void ir_translate_grid_sample(ir_node_t *n) {
  const char *padding = ir_attr(n, "padding_mode");
  graph_node_t *node = ir_node_of_all(n, "GridSample");
  graph_set_int(node, "align_corners", ir_attr_bool(n, "align_corners", false));
  graph_set_string(node, "mode",
                   ir_attr_is(n, "mode", "nearest", false)   ? "nearest"
                   : ir_attr_is(n, "mode", "bicubic", false) ? "cubic"
                                                             : "linear");
  graph_set_string(node, "padding_mode", padding ? padding : "zeros");
  ir_set_node(n, node);
}

void ir_translate_roi_align(ir_node_t *n) {
  static const char *const sizes[][2] = {
      {"pooled_h", "output_height"}, {"pooled_w", "output_width"}, {"sampling_ratio", "sampling_ratio"}};
  const char *which = graph_cast(n->g, ir_operand(n, 2), STRATA_DTYPE_I64);
  bool is_shifted = ir_attr_is(n, "aligned_mode", "half_pixel", false),
       is_half = !ir_attr_is(n, "aligned_mode", "asymmetric", true);
  const char *boxes = ir_operand(n, 1); // half_pixel: counted from the middles of elements before they are scaled, too
  if (is_shifted)
    boxes = ir_binary(n, "Add", boxes, ir_number_like(n, 1, 0.5));
  graph_node_t *node = graph_node(n->g, "RoiAlign", GRAPH_VALUES(ir_operand(n, 0), boxes, which));
  for (int i = 0; i < 3; i++)
    graph_set_int(node, sizes[i][1], ir_attr_int(n, sizes[i][0], i < 2));
  graph_set_float(node, "spatial_scale", ir_attr_float(n, "spatial_scale", 1));
  graph_set_string(node, "mode", "avg");
  graph_set_string(node, "coordinate_transformation_mode", is_half ? "half_pixel" : "output_half_pixel");
  ir_set_node(n, node);
}
