// Blocks of space as examples of the batch, and back.
#include "dialects/import/openvino/openvino.h"

typedef struct {
  int rank;
  const int64_t *sizes, *begins, *ends; // of blocks, and of padding or what is cut off
} blocks_t;

static blocks_t read_blocks(ir_node_t *n) {
  blocks_t b = {.rank = ir_rank(n, 0)};
  int counts[3] = {0};
  b.sizes = ir_constant_ints(n, 1, &counts[0]);
  b.begins = ir_constant_ints(n, 2, &counts[1]);
  b.ends = ir_constant_ints(n, 3, &counts[2]);
  for (int i = 0; i < 3 && !n->refusal; i++)
    if (counts[i] != b.rank)
      ir_refuse(n, "%d sizes of blocks for %d dimensions", counts[i], b.rank);
  for (int i = 0; i < b.rank && !n->refusal; i++)
    if (b.sizes[i] < 1 || b.begins[i] < 0 || b.ends[i] < 0 || ir_port(n, 0)->dims[i] < 0)
      ir_refuse(n, "blocks of dimensions whose size varies");
  if (!n->refusal && (b.rank < 2 || 2 * b.rank - 1 > STRATA_MAX_RANK))
    ir_refuse(n, "of %d dimensions", b.rank);
  return b;
}

// [N, D1, D2] by way of [N, D1 / b1, b1, D2 / b2, b2] and [b1, b2, N, D1 / b1, D2 / b2].
void ir_translate_space_to_batch(ir_node_t *n) {
  blocks_t b = read_blocks(n);
  int64_t pads[2 * STRATA_MAX_RANK], cut[STRATA_MAX_RANK], order[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  if (n->refusal)
    return;
  sizes[0] = ir_port(n, 0)->dims[0];
  cut[0] = sizes[0];
  order[b.rank - 1] = 0;
  for (int i = 0; i < b.rank; i++) {
    pads[i] = b.begins[i];
    pads[b.rank + i] = b.ends[i];
    int64_t size = ir_port(n, 0)->dims[i] + b.begins[i] + b.ends[i];
    if (size % b.sizes[i] || (i == 0 && (b.sizes[0] != 1 || pads[0] || b.ends[0])))
      ir_refuse(n, "blocks of %lld of a dimension of %lld", (long long)b.sizes[i], (long long)size);
    if (i == 0)
      continue;
    cut[2 * i - 1] = sizes[i] = size / b.sizes[i];
    cut[2 * i] = b.sizes[i];
    sizes[0] *= b.sizes[i];
    order[i - 1] = 2 * i;
    order[b.rank - 1 + i] = 2 * i - 1;
  }
  if (n->refusal)
    return;
  const char *x = graph_op(n->g, "Pad", GRAPH_VALUES(ir_operand(n, 0), graph_ints(n->g, 2 * b.rank, pads)));
  x = graph_transpose(n->g, ir_reshape(n, x, 2 * b.rank - 1, cut), 2 * b.rank - 1, order);
  ir_set(n, 0, ir_reshape(n, x, b.rank, sizes));
}

// The other way: [b1, b2, N, D1, D2], then [N, D1, b1, D2, b2], and without what is cut off.
void ir_translate_batch_to_space(ir_node_t *n) {
  blocks_t b = read_blocks(n);
  int64_t parts[STRATA_MAX_RANK], order[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK], ends[STRATA_MAX_RANK], product = 1;
  if (n->refusal)
    return;
  const int64_t *dims = ir_port(n, 0)->dims;
  for (int i = 1; i < b.rank; i++) {
    parts[i - 1] = b.sizes[i];
    parts[b.rank - 1 + i] = dims[i];
    order[2 * i - 1] = b.rank - 1 + i;
    order[2 * i] = i - 1;
    sizes[i] = dims[i] * b.sizes[i];
    ends[i] = sizes[i] - b.ends[i];
    product *= b.sizes[i];
  }
  if (b.sizes[0] != 1 || b.begins[0] || b.ends[0] || dims[0] % product) {
    ir_refuse(n, "a batch of %lld, no multiple of the blocks", (long long)dims[0]);
    return;
  }
  order[0] = b.rank - 1;
  parts[b.rank - 1] = sizes[0] = ends[0] = dims[0] / product;
  const char *x = ir_reshape(n, ir_operand(n, 0), 2 * b.rank - 1, parts);
  x = ir_reshape(n, graph_transpose(n->g, x, 2 * b.rank - 1, order), b.rank, sizes);
  ir_set(n, 0,
         graph_op(n->g, "Slice", GRAPH_VALUES(x, graph_ints(n->g, b.rank, b.begins), graph_ints(n->g, b.rank, ends))));
}
