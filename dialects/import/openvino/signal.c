// Fourier transforms, of several axes one after another. Complex numbers are two elements of the last dim.
#include "dialects/import/openvino/openvino.h"

#include <string.h>

typedef struct {
  bool is_inverse, is_real; // of the real side of which only half of the other side is there
  int n_axes;
  int64_t axes[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK]; // -1: as it is
} transform_t;

// Axes count from the end without the dim of the parts.
static transform_t read_transform(ir_node_t *n) {
  bool is_inverse = n->op->detail[0] == 'I', is_real = strchr(n->op->detail, 'R');
  transform_t t = {.is_inverse = is_inverse, .is_real = is_real};
  int rank = ir_rank(n, 0) - !(is_real && !is_inverse), n_sizes = 0;
  const int64_t *axes = ir_constant_ints(n, 1, &t.n_axes), *sizes = NULL;
  if (ir_has(n, 2))
    sizes = ir_constant_ints(n, 2, &n_sizes);
  if (!n->refusal && (t.n_axes < 1 || t.n_axes > rank || (sizes && n_sizes != t.n_axes)))
    ir_refuse(n, "%d axes and %d sizes of %d dimensions", t.n_axes, n_sizes, rank);
  for (int i = 0; i < t.n_axes && !n->refusal; i++) {
    t.axes[i] = ir_axis(n, axes[i], rank);
    t.sizes[i] = sizes ? sizes[i] : -1;
  }
  return t;
}

static const char *transform(ir_node_t *n, const transform_t *t, const char *x, int i, bool is_half) {
  const char *size = t->sizes[i] < 0 ? "" : graph_int(n->g, t->sizes[i]);
  graph_node_t *node = graph_node(n->g, "DFT", GRAPH_VALUES(x, size, graph_int(n->g, t->axes[i])));
  graph_set_int(node, "inverse", t->is_inverse);
  graph_set_int(node, "onesided", is_half);
  return graph_result(node, NULL);
}

// As many elements of the half side as the result's size needs.
static const char *cut(ir_node_t *n, const transform_t *t, const char *x) {
  int64_t axis = t->axes[t->n_axes - 1], end = t->sizes[t->n_axes - 1] / 2 + 1, zero = 0;
  if (t->sizes[t->n_axes - 1] < 0)
    return x;
  return graph_op(n->g, "Slice",
                  GRAPH_VALUES(x, graph_ints(n->g, 1, &zero), graph_ints(n->g, 1, &end), graph_ints(n->g, 1, &axis)));
}

// Real numbers have the last of the axes transformed first, or last on the way back.
void ir_translate_dft(ir_node_t *n) {
  transform_t t = read_transform(n);
  int64_t last = -1;
  const char *x = ir_operand(n, 0);
  if (n->refusal)
    return;
  if (t.is_real && !t.is_inverse)
    x = transform(n, &t, graph_unsqueeze(n->g, x, 1, &last), t.n_axes - 1, true);
  for (int i = 0; i < t.n_axes - t.is_real; i++)
    x = transform(n, &t, x, i, false);
  if (t.is_real && t.is_inverse)
    x = graph_squeeze(n->g, transform(n, &t, cut(n, &t, x), t.n_axes - 1, true), 1, &last);
  ir_set(n, 0, x);
}
