// What YOLO networks end with.
#include "dialects/import/openvino/openvino.h"

// Elements |start| up to |end| of dim 2.
static const char *part(ir_node_t *n, const char *x, int64_t start, int64_t end) {
  int64_t axis = 2;
  return graph_op(n->g, "Slice",
                  GRAPH_VALUES(x, graph_ints(n->g, 1, &start), graph_ints(n->g, 1, &end), graph_ints(n->g, 1, &axis)));
}

static const char *along_parts(ir_node_t *n, const char *op, int count, const char *const *operands) {
  graph_node_t *node = graph_node(n->g, op, count, operands);
  graph_set_int(node, "axis", 2);
  return graph_result(node, NULL);
}

// Of each region, in order: its centre and objectness by a sigmoid, its size as it is, its classes by a softmax or,
// in later networks, a sigmoid.
void ir_translate_region_yolo(ir_node_t *n) {
  bool is_softmax = ir_attr_bool(n, "do_softmax", true);
  int64_t coords = ir_attr_int(n, "coords", 4), classes = ir_attr_int(n, "classes", 1), regions;
  int n_mask = 0;
  if (!is_softmax)
    ir_attr_ints(n, "mask", &n_mask);
  regions = is_softmax ? ir_attr_int(n, "num", 1) : n_mask;
  const ir_port_t *port = ir_port(n, 0);
  if (!n->refusal && (ir_rank(n, 0) != 4 || coords < 2 || classes < 1 || regions < 1 || regions > INT32_MAX ||
                      classes > INT32_MAX || port->dims[1] != regions * (coords + classes + 1)))
    ir_refuse(n, "channels that are not those of %lld regions", (long long)regions);
  if (!n->refusal && is_softmax && (ir_attr_int(n, "axis", 1) != 1 || ir_attr_int(n, "end_axis", 3) % 4 != 3))
    ir_refuse(n, "other dims made one than all but the first");
  if (n->refusal)
    return;
  int64_t sizes[] = {0, regions, coords + classes + 1, -1}, flat[] = {0, -1};
  const char *x = ir_reshape(n, ir_operand(n, 0), 4, sizes);
  const char *found = part(n, x, coords, coords + 1), *kinds = part(n, x, coords + 1, coords + classes + 1);
  kinds = is_softmax ? along_parts(n, "Softmax", GRAPH_VALUES(kinds)) : ir_unary(n, "Sigmoid", kinds);
  const char *parts[] = {ir_unary(n, "Sigmoid", part(n, x, 0, 2)), ir_unary(n, "Sigmoid", found), kinds};
  x = coords > 2 ? along_parts(n, "Concat", GRAPH_VALUES(parts[0], part(n, x, 2, coords), parts[1], parts[2]))
                 : along_parts(n, "Concat", 3, parts);
  ir_set(n, 0,
         is_softmax ? ir_reshape(n, x, 2, flat) : ir_binary(n, "Reshape", x, ir_unary(n, "Shape", ir_operand(n, 0))));
}

// [N, C, H, W] read as [N, C / s^2, H, s, W, s], the steps in front, and the whole as an image 1 / s as large.
void ir_translate_reorg_yolo(ir_node_t *n) {
  static const int64_t order[] = {0, 3, 5, 1, 2, 4};
  int count;
  const int64_t *strides = ir_attr_ints(n, "stride", &count);
  int64_t stride = n->refusal || count != 1 ? 0 : strides[0];
  const ir_port_t *port = ir_port(n, 0);
  if (!n->refusal && (ir_rank(n, 0) != 4 || stride < 1 || stride > 1 << 12))
    ir_refuse(n, "a stride of %lld", (long long)stride);
  for (int i = 1; i < 4 && !n->refusal; i++)
    if (port->dims[i] < 1 || port->dims[i] % (i == 1 ? stride * stride : stride))
      ir_refuse(n, "a size that the stride does not divide, or that varies");
  if (n->refusal)
    return;
  int64_t channels = port->dims[1], rows = port->dims[2], columns = port->dims[3];
  int64_t wide[] = {0, channels / (stride * stride), rows, stride, columns, stride};
  int64_t small[] = {0, channels * stride * stride, rows / stride, columns / stride};
  const char *x = graph_transpose(n->g, ir_reshape(n, ir_operand(n, 0), 6, wide), 6, order);
  ir_set(n, 0, ir_reshape(n, x, 4, small));
}
