// Shapes and movement.
#include "dialects/import/openvino/openvino.h"

#include <limits.h>
#include <string.h>

void ir_translate_reshape(ir_node_t *n) {
  graph_node_t *node = graph_node(n->g, "Reshape", GRAPH_VALUES(ir_operand(n, 0), ir_ints_operand(n, 1)));
  graph_set_int(node, "allowzero", !ir_attr_bool(n, "special_zero", false));
  ir_set_node(n, node);
}

void ir_translate_squeeze(ir_node_t *n) {
  const char *axes = ir_has(n, 1) ? ir_ints_operand(n, 1) : "";
  ir_set(n, 0, graph_op(n->g, "Squeeze", GRAPH_VALUES(ir_operand(n, 0), axes)));
}

void ir_translate_unsqueeze(ir_node_t *n) {
  ir_set(n, 0, ir_binary(n, "Unsqueeze", ir_operand(n, 0), ir_ints_operand(n, 1)));
}

// An empty order turns the dims around, as ONNX's does that is left out.
void ir_translate_transpose(ir_node_t *n) {
  int count = 0;
  const int64_t *order = ir_has(n, 1) ? ir_constant_ints(n, 1, &count) : NULL;
  graph_node_t *node = graph_node(n->g, "Transpose", GRAPH_VALUES(ir_operand(n, 0)));
  if (count)
    graph_set_ints(node, "perm", count, order);
  ir_set_node(n, node);
}

void ir_translate_concat(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, "Concat");
  graph_set_int(node, "axis", ir_attr_int(n, "axis", 0));
  ir_set_node(n, node);
}

static void set_parts(ir_node_t *n, graph_node_t *node) {
  for (int i = 0; i < n->layer->n_outputs; i++)
    ir_set(n, i, graph_result(node, NULL));
}

void ir_translate_split(ir_node_t *n) {
  graph_node_t *node = graph_node(n->g, "Split", GRAPH_VALUES(ir_operand(n, 0)));
  graph_set_int(node, "axis", ir_constant_int(n, 1, 0));
  graph_set_int(node, "num_outputs", n->layer->n_outputs);
  if (ir_attr_int(n, "num_splits", n->layer->n_outputs) != n->layer->n_outputs)
    ir_refuse(n, "expected %d parts, got %s", n->layer->n_outputs, ir_attr(n, "num_splits"));
  set_parts(n, node);
}

// A length of -1 is what the others leave.
static void fill_length(ir_node_t *n, int64_t axis, int count, int64_t *lengths) {
  int64_t total = ir_port(n, 0)->dims[axis], sum = 0;
  int open = -1;
  for (int i = 0; i < count; i++) {
    if (lengths[i] == -1)
      open = i;
    else
      sum += lengths[i];
  }
  if (open < 0)
    return;
  if (total < 0)
    ir_refuse(n, "a part of what is left of a size that varies");
  lengths[open] = total - sum;
}

void ir_translate_variadic_split(ir_node_t *n) {
  int count, rank = ir_rank(n, 0);
  const int64_t *given = ir_constant_ints(n, 2, &count);
  int64_t axis = ir_axis(n, ir_constant_int(n, 1, 0), rank);
  if (n->refusal)
    return;
  int64_t *lengths = strata_arena_copy(graph_arena(n->g), given, sizeof *given * (size_t)(count + 1));
  fill_length(n, axis, count, lengths);
  graph_node_t *node = graph_node(n->g, "Split", GRAPH_VALUES(ir_operand(n, 0), graph_ints(n->g, count, lengths)));
  graph_set_int(node, "axis", axis);
  set_parts(n, node);
}

void ir_translate_tile(ir_node_t *n) {
  int count, rank = ir_rank(n, 0);
  const char *x = ir_operand(n, 0), *repeats = ir_ints_operand(n, 1);
  strata_tensor_t tensor;
  if (ir_find_constant(n, 1, &tensor)) { // numbers of dims that differ are filled up with ones in front
    const int64_t *given = ir_constant_ints(n, 1, &count);
    int64_t filled[STRATA_MAX_RANK], axes[STRATA_MAX_RANK];
    if (count > STRATA_MAX_RANK)
      ir_refuse(n, "more than %d dimensions", STRATA_MAX_RANK);
    for (int i = 0; i < rank && !n->refusal; i++)
      filled[i] = i < rank - count ? 1 : given[i - (rank - count)];
    for (int i = 0; i < count - rank && !n->refusal; i++)
      axes[i] = i;
    if (n->refusal)
      return;
    if (count > rank)
      x = graph_unsqueeze(n->g, x, count - rank, axes);
    else
      repeats = graph_ints(n->g, rank, filled);
  }
  ir_set(n, 0, ir_binary(n, "Tile", x, repeats));
}

// Dim i of the operand is dim axes[i] of the result.
static const char *line_up(ir_node_t *n) {
  int count, rank = ir_rank(n, 0);
  const int64_t *axes = ir_constant_ints(n, 2, &count);
  const ir_port_t *target = ir_port(n, 1);
  if (!axes || count != rank || !target || target->rank != 1 || target->dims[0] < rank ||
      target->dims[0] > STRATA_MAX_RANK) {
    ir_refuse(n, "input 2: expected an axis of a known number for each dimension");
    return "";
  }
  int64_t missing[STRATA_MAX_RANK];
  int n_missing = 0, next = 0;
  for (int64_t d = 0; d < target->dims[0]; d++) {
    if (next < count && axes[next] == d)
      next++;
    else
      missing[n_missing++] = d;
  }
  if (next != count)
    ir_refuse(n, "input 2: axes that do not rise");
  return n_missing ? graph_unsqueeze(n->g, ir_operand(n, 0), n_missing, missing) : ir_operand(n, 0);
}

void ir_translate_broadcast(ir_node_t *n) {
  const char *x = ir_attr_is(n, "mode", "explicit", false) ? line_up(n) : ir_operand(n, 0);
  ir_set(n, 0, ir_binary(n, "Expand", x, ir_ints_operand(n, 1)));
}

void ir_translate_shape_of(ir_node_t *n) {
  strata_dtype_t type = ir_attr_dtype(n, "output_type", STRATA_DTYPE_I64);
  const char *shape = ir_unary(n, "Shape", ir_operand(n, 0));
  ir_set(n, 0, type == STRATA_DTYPE_I64 ? shape : graph_cast(n->g, shape, type));
}

// Lengths in front of all dims, then behind all.
void ir_translate_pad(ir_node_t *n) {
  const char *mode = ir_attr_is(n, "pad_mode", "edge", false)      ? "edge"
                     : ir_attr_is(n, "pad_mode", "reflect", false) ? "reflect"
                                                                   : "constant";
  graph_node_t *both = graph_node(n->g, "Concat", GRAPH_VALUES(ir_ints_operand(n, 1), ir_ints_operand(n, 2)));
  graph_set_int(both, "axis", 0);
  const char *value = ir_has(n, 3) && !strcmp(mode, "constant") ? ir_operand(n, 3) : "";
  graph_node_t *node = graph_node(n->g, "Pad", GRAPH_VALUES(ir_operand(n, 0), graph_result(both, NULL), value));
  graph_set_string(node, "mode", mode);
  ir_set_node(n, node);
}

void ir_translate_range(ir_node_t *n) {
  strata_dtype_t type = ir_attr_dtype(n, "output_type", ir_dtype(n, 0));
  const char *operands[3];
  for (int i = 0; i < 3; i++) {
    operands[i] = ir_dtype(n, i) == type ? ir_operand(n, i) : graph_cast(n->g, ir_operand(n, i), type);
    if (ir_rank(n, i) != 0)
      operands[i] = graph_reshape(n->g, operands[i], 0, NULL);
  }
  ir_set(n, 0, graph_op(n->g, "Range", 3, operands));
}

void ir_translate_one_hot(ir_node_t *n) {
  bool is_normal = ir_attr_is(n, "negative_indices_mode", "normalize", false);
  const char *values[2];
  for (int i = 0; i < 2; i++)
    values[i] = graph_unsqueeze(n->g, ir_operand(n, 3 - i), 1, (int64_t[]){0});
  graph_node_t *both = graph_node(n->g, "Concat", 2, values);
  graph_set_int(both, "axis", 0);
  const char *indices = ir_operand(n, 0), *depth = ir_operand(n, 1);
  if (!is_normal) { // ONNX counts them from the end: beyond the end there is nothing
    const char *minus = graph_op(n->g, "Less", GRAPH_VALUES(indices, ir_number_like(n, 0, 0)));
    const char *outside = ir_dtype(n, 0) == ir_dtype(n, 1) ? depth : graph_cast(n->g, depth, ir_dtype(n, 0));
    indices = graph_op(n->g, "Where", GRAPH_VALUES(minus, outside, indices));
  }
  graph_node_t *node = graph_node(n->g, "OneHot", GRAPH_VALUES(indices, depth, graph_result(both, NULL)));
  graph_set_int(node, "axis", ir_attr_int(n, "axis", -1));
  ir_set_node(n, node);
}

// Ones at (i, i + k): by comparing rows and columns.
void ir_translate_eye(ir_node_t *n) {
  strata_dtype_t type = ir_attr_dtype(n, "output_type", STRATA_DTYPE_F32);
  const char *counts[2], *zero = graph_int(n->g, 0), *one = graph_int(n->g, 1);
  if (ir_has(n, 3))
    ir_refuse(n, "a batch");
  for (int i = 0; i < 2; i++) {
    const char *count = graph_reshape(n->g, ir_ints_operand(n, i), 0, NULL);
    counts[i] = graph_op(n->g, "Range", GRAPH_VALUES(zero, count, one));
  }
  const char *rows = graph_unsqueeze(n->g, counts[0], 1, (int64_t[]){1});
  const char *diagonal = ir_binary(n, "Add", rows, ir_ints_operand(n, 2));
  ir_set(n, 0, graph_cast(n->g, ir_binary(n, "Equal", diagonal, counts[1]), type));
}

//===-- Blocks ---------------------------------------------------------------------------------------------------===//

// blocks_first is ONNX's DCR, depth_first its CRD.
static void translate_blocks(ir_node_t *n, const char *op) {
  graph_node_t *node = graph_node(n->g, op, GRAPH_VALUES(ir_operand(n, 0)));
  graph_set_int(node, "blocksize", ir_attr_int(n, "block_size", 1));
  bool is_depth_first = ir_attr_is(n, "mode", "depth_first", false);
  if (ir_rank(n, 0) != 4)
    ir_refuse(n, "other than 4 dimensions");
  if (!strcmp(op, "DepthToSpace"))
    graph_set_string(node, "mode", is_depth_first ? "CRD" : "DCR");
  else if (is_depth_first)
    ir_refuse(n, "mode 'depth_first'");
  ir_set_node(n, node);
}

void ir_translate_depth_to_space(ir_node_t *n) { translate_blocks(n, "DepthToSpace"); }
void ir_translate_space_to_depth(ir_node_t *n) { translate_blocks(n, "SpaceToDepth"); }

// [.., group, C / group, ..] turned to [.., C / group, group, ..].
void ir_translate_shuffle_channels(ir_node_t *n) {
  int rank = ir_rank(n, 0);
  int64_t axis = ir_axis(n, ir_attr_int(n, "axis", 1), rank), group = ir_attr_int(n, "group", 1);
  const ir_port_t *port = ir_port(n, 0);
  if (!n->refusal && (rank == STRATA_MAX_RANK || port->dims[axis] < 0 || group < 1 || port->dims[axis] % group))
    ir_refuse(n, "channels that are not a number of groups");
  if (n->refusal)
    return;
  int64_t split[STRATA_MAX_RANK], joined[STRATA_MAX_RANK], order[STRATA_MAX_RANK];
  for (int i = 0; i <= rank; i++) {
    split[i] = i == axis ? group : i == axis + 1 ? port->dims[axis] / group : 0;
    order[i] = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
  }
  // 0 is the operand's own dim of that place, which the dims behind the axis are not.
  for (int i = (int)axis + 2; i <= rank; i++)
    split[i] = port->dims[i - 1];
  for (int i = 0; i < rank; i++)
    joined[i] = port->dims[i];
  for (int i = 0; i < rank; i++)
    if (i != axis && port->dims[i] < 0 && i > axis)
      ir_refuse(n, "a size behind the channels that varies");
  for (int i = 0; i < axis; i++)
    joined[i] = 0;
  const char *x = graph_transpose(n->g, graph_reshape(n->g, ir_operand(n, 0), rank + 1, split), rank + 1, order);
  ir_set(n, 0, graph_reshape(n->g, x, rank, joined));
}
