// Products and windows.
#include "dialects/import/openvino/openvino.h"

#include <string.h>

//===-- Products -------------------------------------------------------------------------------------------------===//

// The operand with its last two dims turned, if the attribute says so; of one dim it says nothing.
static const char *factor(ir_node_t *n, int i, const char *attribute) {
  int64_t order[STRATA_MAX_RANK];
  int rank = ir_rank(n, i);
  if (!ir_attr_bool(n, attribute, false) || rank < 2)
    return ir_operand(n, i);
  for (int d = 0; d < rank; d++)
    order[d] = d < rank - 2 ? d : d == rank - 2 ? rank - 1 : rank - 2;
  return graph_transpose(n->g, ir_operand(n, i), rank, order);
}

void ir_translate_mat_mul(ir_node_t *n) {
  ir_set(n, 0, ir_binary(n, "MatMul", factor(n, 0, "transpose_a"), factor(n, 1, "transpose_b")));
}

void ir_translate_einsum(ir_node_t *n) {
  const char *equation = ir_attr(n, "equation");
  graph_node_t *node = ir_node_of_all(n, "Einsum");
  graph_set_string(node, "equation", equation ? equation : "");
  ir_set_node(n, node);
}

//===-- Windows --------------------------------------------------------------------------------------------------===//

static void set_list(ir_node_t *n, graph_node_t *node, const char *name, const char *attribute) {
  int count;
  const int64_t *values = ir_attr_ints(n, attribute, &count);
  if (count)
    graph_set_ints(node, name, count, values);
}

static void set_strides(ir_node_t *n, graph_node_t *node) {
  set_list(n, node, "strides", "strides");
  set_list(n, node, "dilations", "dilations");
  set_list(n, node, "kernel_shape", "kernel");
}

static void set_windows(ir_node_t *n, graph_node_t *node) {
  int n_begins, n_ends;
  int64_t pads[2 * STRATA_MAX_RANK];
  const int64_t *begins = ir_attr_ints(n, "pads_begin", &n_begins), *ends = ir_attr_ints(n, "pads_end", &n_ends);
  set_strides(n, node);
  if (n_begins != n_ends || n_begins > STRATA_MAX_RANK)
    ir_refuse(n, "pads_begin and pads_end of different lengths");
  if (ir_attr_is(n, "auto_pad", "same_upper", false) || ir_attr_is(n, "auto_pad", "same_lower", false)) {
    graph_set_string(node, "auto_pad", ir_attr_is(n, "auto_pad", "same_upper", false) ? "SAME_UPPER" : "SAME_LOWER");
  } else if (!ir_attr_is(n, "auto_pad", "valid", false) && n_begins && !n->refusal) {
    for (int i = 0; i < n_begins; i++) {
      pads[i] = begins[i];
      pads[n_begins + i] = ends[i];
    }
    graph_set_ints(node, "pads", 2 * n_begins, pads);
  }
}

// Weights [group, a, b, ...] as [group * a, b, ...]. In those of a transposed convolution the channels of the operand
// come first, which the group goes with: so it is the same.
static const char *without_group(ir_node_t *n, int64_t *out_group) {
  const ir_port_t *port = ir_port(n, 1);
  int rank = ir_rank(n, 1);
  int64_t dims[STRATA_MAX_RANK];
  *out_group = 1;
  if (rank < 4 || port->dims[0] < 1) {
    ir_refuse(n, "input 1: expected weights of a known number of groups");
    return "";
  }
  for (int i = 1; i < rank; i++)
    if (port->dims[i] < 1)
      ir_refuse(n, "input 1: sizes that vary");
  dims[0] = port->dims[0] * port->dims[1];
  for (int i = 2; i < rank; i++)
    dims[i - 1] = port->dims[i];
  *out_group = port->dims[0];
  return graph_reshape(n->g, ir_operand(n, 1), rank - 1, dims);
}

static void translate_convolution(ir_node_t *n, const char *weights, int64_t group) {
  graph_node_t *node = graph_node(n->g, "Conv", GRAPH_VALUES(ir_operand(n, 0), weights));
  set_windows(n, node);
  graph_set_int(node, "group", group);
  ir_set_node(n, node);
}

void ir_translate_convolution(ir_node_t *n) { translate_convolution(n, ir_operand(n, 1), 1); }

void ir_translate_group_convolution(ir_node_t *n) {
  int64_t group;
  const char *weights = without_group(n, &group);
  translate_convolution(n, weights, group);
}

// The pads with which the result has the shape that an operand says. Of an odd number one more is in front for upper:
// what is cut off the result is what a convolution back would pad.
static void set_pads_of_shape(ir_node_t *n, graph_node_t *node) {
  int count, n_strides, n_dilations, n_more, rank = ir_rank(n, 0);
  const int64_t *shape = ir_constant_ints(n, 2, &count), *strides = ir_attr_ints(n, "strides", &n_strides);
  const int64_t *dilations = ir_attr_ints(n, "dilations", &n_dilations);
  const int64_t *more = ir_attr_ints(n, "output_padding", &n_more);
  const ir_port_t *x = ir_port(n, 0), *weights = ir_port(n, 1);
  int first = ir_rank(n, 1) - count; // of the kernel's sizes
  int64_t pads[2 * STRATA_MAX_RANK];
  if (!n->refusal && (count != rank - 2 || n_strides != count || n_dilations != count || first < 2))
    ir_refuse(n, "input 2: expected a size for each dimension of the image");
  for (int i = 0; i < count && !n->refusal; i++) {
    int64_t size = x->dims[i + 2], span = dilations[i] * (weights->dims[first + i] - 1) + 1;
    int64_t total = strides[i] * (size - 1) + span + (i < n_more ? more[i] : 0) - shape[i];
    if (size < 1 || weights->dims[first + i] < 1 || total < 0)
      ir_refuse(n, "a shape of the result that no pads give");
    bool more_in_front = ir_attr_is(n, "auto_pad", "same_upper", false);
    pads[i] = more_in_front ? total - total / 2 : total / 2;
    pads[count + i] = total - pads[i];
  }
  if (!n->refusal)
    graph_set_ints(node, "pads", 2 * count, pads);
}

static void translate_backprop(ir_node_t *n, const char *weights, int64_t group) {
  graph_node_t *node = graph_node(n->g, "ConvTranspose", GRAPH_VALUES(ir_operand(n, 0), weights));
  bool is_same = ir_attr_is(n, "auto_pad", "same_upper", false) || ir_attr_is(n, "auto_pad", "same_lower", false);
  if (ir_has(n, 2) != is_same)
    ir_refuse(n, is_same ? "auto_pad without a shape of the result" : "a shape of the result without auto_pad");
  if (is_same)
    set_strides(n, node);
  else
    set_windows(n, node);
  set_list(n, node, "output_padding", "output_padding");
  graph_set_int(node, "group", group);
  if (is_same)
    set_pads_of_shape(n, node);
  ir_set_node(n, node);
}

void ir_translate_convolution_backprop(ir_node_t *n) { translate_backprop(n, ir_operand(n, 1), 1); }

void ir_translate_group_convolution_backprop(ir_node_t *n) {
  int64_t group;
  const char *weights = without_group(n, &group);
  translate_backprop(n, weights, group);
}

void ir_translate_deformable_convolution(ir_node_t *n) {
  const char *operands[] = {ir_operand(n, 0), ir_operand(n, 2), ir_operand(n, 1), "", ir_operand(n, 3)};
  if (ir_attr_bool(n, "bilinear_interpolation_pad", false))
    ir_refuse(n, "bilinear_interpolation_pad");
  graph_node_t *node = graph_node(n->g, "DeformConv", 5, operands);
  set_windows(n, node);
  graph_set_int(node, "group", ir_attr_int(n, "group", 1));
  graph_set_int(node, "offset_group", ir_attr_int(n, "deformable_group", 1));
  if (ir_attr_is(n, "auto_pad", "same_upper", false) || ir_attr_is(n, "auto_pad", "same_lower", false))
    ir_refuse(n, "auto_pad '%s'", ir_attr(n, "auto_pad"));
  ir_set_node(n, node);
}

void ir_translate_col2im(ir_node_t *n) {
  graph_node_t *node =
      graph_node(n->g, "Col2Im", GRAPH_VALUES(ir_operand(n, 0), ir_ints_operand(n, 1), ir_ints_operand(n, 2)));
  set_windows(n, node);
  ir_set_node(n, node);
}

//===-- Pooling --------------------------------------------------------------------------------------------------===//

// Rounded up, a window may begin in the padding behind in OpenVINO, but not in ONNX. The two have as many windows where
// the result says so.
static void check_rounding(ir_node_t *n) {
  int n_kernel, n_strides, n_begins, n_ends, n_dilations, rank = ir_rank(n, 0);
  const int64_t *kernel = ir_attr_ints(n, "kernel", &n_kernel), *strides = ir_attr_ints(n, "strides", &n_strides);
  const int64_t *begins = ir_attr_ints(n, "pads_begin", &n_begins), *ends = ir_attr_ints(n, "pads_end", &n_ends);
  const int64_t *dilations = ir_attr_ints(n, "dilations", &n_dilations);
  if (!ir_attr_is(n, "rounding_type", "ceil", false) || !ir_attr_is(n, "auto_pad", "explicit", true))
    return;
  for (int i = 0; i < rank - 2 && !n->refusal; i++) {
    int64_t size = ir_port(n, 0)->dims[i + 2], dilation = i < n_dilations ? dilations[i] : 1;
    if (size < 0 || i >= n_kernel || i >= n_strides || i >= n_begins || i >= n_ends || strides[i] < 1) {
      ir_refuse(n, "windows rounded up over a size that varies");
      return;
    }
    int64_t span = size + begins[i] + ends[i] - dilation * (kernel[i] - 1) - 1;
    int64_t windows = (span + strides[i] - 1) / strides[i] + 1;
    if (span >= 0 && (windows - 1) * strides[i] >= size + begins[i])
      ir_refuse(n, "windows that begin in the padding behind");
  }
}

void ir_translate_pool(ir_node_t *n) {
  bool is_average = !strcmp(n->op->detail, "AveragePool");
  graph_node_t *node = graph_node(n->g, n->op->detail, GRAPH_VALUES(ir_operand(n, 0)));
  check_rounding(n);
  set_windows(n, node);
  graph_set_int(node, "ceil_mode", !ir_attr_is(n, "rounding_type", "floor", true));
  if (is_average)
    graph_set_int(node, "count_include_pad", !ir_attr_bool(n, "exclude-pad", true));
  if (ir_wants(n, 1))
    ir_refuse(n, "the places of the maxima");
  ir_set_node(n, node);
}

// Windows of one size where the result's sizes divide the operand's.
void ir_translate_adaptive_pool(ir_node_t *n) {
  int count, rank = ir_rank(n, 0);
  const int64_t *sizes = ir_constant_ints(n, 1, &count);
  int64_t kernel[STRATA_MAX_RANK], axes[STRATA_MAX_RANK];
  bool is_global = true, is_average = !strcmp(n->op->detail, "AveragePool");
  if (!n->refusal && (count != rank - 2 || ir_wants(n, 1)))
    ir_refuse(n, "expected %d sizes and no places", rank - 2);
  for (int i = 0; i < count && !n->refusal; i++) {
    int64_t size = ir_port(n, 0)->dims[i + 2];
    is_global = is_global && sizes[i] == 1;
    axes[i] = i + 2;
    kernel[i] = size > 0 && sizes[i] > 0 && size % sizes[i] == 0 ? size / sizes[i] : 0;
  }
  for (int i = 0; i < count && !n->refusal && !is_global; i++)
    if (!kernel[i])
      ir_refuse(n, "windows of several sizes");
  if (n->refusal)
    return;
  graph_node_t *node;
  if (is_global) {
    node = graph_node(n->g, is_average ? "ReduceMean" : "ReduceMax",
                      GRAPH_VALUES(ir_operand(n, 0), graph_ints(n->g, count, axes)));
  } else {
    node = graph_node(n->g, n->op->detail, GRAPH_VALUES(ir_operand(n, 0)));
    graph_set_ints(node, "kernel_shape", count, kernel);
    graph_set_ints(node, "strides", count, kernel);
  }
  ir_set_node(n, node);
}
