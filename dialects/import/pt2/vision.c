// Operators of torchvision.
#include "dialects/import/pt2/shape.h"

// [boxes, 4] and [boxes]; the places of those that are left.
void pt2_import_nms(pt2_node_t *n) {
  static const int64_t boxes_shape[] = {1, -1, 4}, scores_shape[] = {1, 1, -1}, place[] = {2}, all[] = {-1};
  pt2_value_t boxes = pt2_tensor(n, "dets"), scores = pt2_tensor(n, "scores");
  const char *threshold = pt2_operand(n, "iou_threshold", STRATA_DTYPE_F32);
  if (n->has_failed)
    return;
  const char *left = graph_op(n->g, "NonMaxSuppression",
                              GRAPH_VALUES(graph_reshape(n->g, boxes.name, 3, boxes_shape),
                                           graph_reshape(n->g, scores.name, 3, scores_shape),
                                           graph_op(n->g, "Size", GRAPH_VALUES(scores.name)), threshold));
  pt2_set(n, 0, graph_reshape(n->g, pt2_gather(n, left, graph_ints(n->g, 1, place), 1), 1, all));
}

// Columns |start| up to |end| of the regions [count, 5]: which image, and a box.
static const char *region_columns(pt2_node_t *n, const char *regions, int64_t start, int64_t end) {
  int64_t one = 1;
  return pt2_slice(n, regions, 1, pt2_known_ints(n, 1, &start), pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &one));
}

void pt2_import_roi_align(pt2_node_t *n) {
  int64_t all = -1, samples = pt2_int(n, "sampling_ratio");
  pt2_value_t input = pt2_tensor(n, "input"), regions = pt2_tensor(n, "rois");
  if (n->has_failed)
    return;
  const char *images = graph_reshape(n->g, region_columns(n, regions.name, 0, 1), 1, &all);
  graph_node_t *node = graph_node(
      n->g, "RoiAlign",
      GRAPH_VALUES(input.name, region_columns(n, regions.name, 1, 5), graph_cast(n->g, images, STRATA_DTYPE_I64)));
  graph_set_string(node, "coordinate_transformation_mode", pt2_bool(n, "aligned") ? "half_pixel" : "output_half_pixel");
  graph_set_int(node, "output_height", pt2_int(n, "pooled_height"));
  graph_set_int(node, "output_width", pt2_int(n, "pooled_width"));
  graph_set_int(node, "sampling_ratio", samples > 0 ? samples : 0);
  graph_set_float(node, "spatial_scale", pt2_number(n, "spatial_scale"));
  pt2_set(n, 0, graph_result(node, NULL));
}

void pt2_import_deform_conv(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input"), weight = pt2_tensor(n, "weight"), offset = pt2_tensor(n, "offset");
  pt2_value_t bias = pt2_tensor(n, "bias"), mask = pt2_tensor(n, "mask");
  int64_t high = pt2_int(n, "pad_h"), wide = pt2_int(n, "pad_w"), pads[] = {high, wide, high, wide};
  int64_t strides[] = {pt2_int(n, "stride_h"), pt2_int(n, "stride_w")};
  int64_t dilations[] = {pt2_int(n, "dilation_h"), pt2_int(n, "dilation_w")};
  int n_operands = pt2_bool(n, "use_mask") ? 5 : 4;
  graph_node_t *node = pt2_node(n, "DeformConv", n_operands,
                                (const char *[]){input.name, weight.name, offset.name, bias.name, mask.name});
  if (!node)
    return;
  graph_set_int(node, "group", pt2_int(n, "groups"));
  graph_set_int(node, "offset_group", pt2_int(n, "offset_groups"));
  graph_set_ints(node, "pads", 4, pads);
  graph_set_ints(node, "strides", 2, strides);
  graph_set_ints(node, "dilations", 2, dilations);
  pt2_set(n, 0, graph_result(node, NULL));
}
