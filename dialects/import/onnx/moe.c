// com.microsoft's mixtures of experts, MoE and QMoE: each token goes to the k experts that its router prefers. The
// tokens' rows are sorted by experts, so that what an expert does is a product of consecutive rows with its matrix, of
// as many as the data say (docs/jagged.md).
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"

#include <string.h>

enum { NONE = 64 }; // no operand

// A layer of all experts: its operands.
typedef struct {
  int weights, scales, bias, zero_points;
  const char *bits; // the attribute that is in the place of 'expert_weight_bits'
} layer_t;

enum { FC1, FC2, FC3, N_LAYERS };
enum { INPUT, LOGITS, ROUTER_WEIGHTS = 14 };

typedef struct {
  onnx_node_t *n;
  bool is_quantized, is_fused; // |is_fused|: the gate's and the other factor are one layer
  const layer_t *layers;
  strata_type_t type;
  int64_t experts, hidden, inner, k;
  strata_dim_t tokens, slots; // a slot is a token at one of its experts
  MlirValue sorted;           // [slots]: the expert of each row, in order
  MlirValue order;            // [slots]: the slot that each row is
  MlirValue map;              // |sorted| by the offsets at which the rows of each expert begin, which ascend
} moe_t;

//===-- Operands -------------------------------------------------------------------------------------------------===//

static bool has_layer(const moe_t *m, int layer) { return onnx_has(m->n, m->layers[layer].weights); }

static void check_attributes(onnx_node_t *n) {
  if (onnx_attr_int(n, "use_sparse_mixer", 0))
    onnx_unsupported(n, "the sparse mixer");
  else if (onnx_attr_int(n, "swiglu_limit_after_activation", 0))
    onnx_unsupported(n, "a limit behind the activation");
  else if (!onnx_attr_is(n, "quant_type", "") && !onnx_attr_is(n, "quant_type", "int"))
    onnx_unsupported(n, "weights of the type '%s'", onnx_attr_string(n, "quant_type", ""));
  else if (onnx_attr_int(n, "weights_prepacked", 0) > 0)
    onnx_unsupported(n, "weights in another order");
  for (int i = ROUTER_WEIGHTS + 1; i < n->n_inputs && !onnx_failed(n); i++)
    if (onnx_has(n, i))
      onnx_unsupported(n, "operand %d ('%s'): other scales", i, n->proto->input[i]);
}

static bool is_gated(const onnx_node_t *n) {
  return onnx_attr_is(n, "activation_type", "swiglu") || onnx_attr_is(n, "activation_type", "geglu");
}

static bool read_sizes(moe_t *m) {
  onnx_node_t *n = m->n;
  strata_shape_t x = onnx_operand_shape(n, INPUT), logits = onnx_operand_shape(n, LOGITS);
  onnx_shape_t first = onnx_operand_sizes(n, m->layers[FC1].weights);
  m->is_fused = is_gated(n) && onnx_attr_int(n, "swiglu_fusion", 0);
  m->k = onnx_attr_int(n, "k", 1);
  m->type = x.type;
  if (onnx_failed(n))
    return false;
  if ((x.rank != 2 && x.rank != 3) || logits.rank != 2 || first.rank != 3) {
    onnx_invalid(n, "expected an input of 2 or 3 dimensions, a router's result of 2 and weights of 3");
    return false;
  }
  m->tokens = x.rank == 2 ? x.dims[0] : strata_dim_mul(x.dims[0], x.dims[1]);
  m->experts = first.dims[0];
  m->inner = m->is_fused ? first.dims[1] / 2 : first.dims[1];
  if (!strata_dim_is_constant(x.dims[x.rank - 1], &m->hidden))
    onnx_unsupported(n, "rows of %s elements, which must be a number", onnx_dim_text(n, x.dims[x.rank - 1]));
  else if (m->k < 1 || m->k > m->experts || (m->is_fused && first.dims[1] % 2))
    onnx_invalid(n, "expected 1 to %lld experts a token, and an even number of fused rows", (long long)m->experts);
  onnx_expect_shape(n, LOGITS, 2, (strata_dim_t[]){m->tokens, onnx_dim(n, m->experts)});
  if (!onnx_failed(n) && is_gated(n) && m->is_fused == has_layer(m, FC3))
    onnx_invalid(n, "expected fc3, or swiglu_fusion, which makes it a part of fc1");
  if (!onnx_failed(n) && !onnx_narrow(n->importer, m->tokens, 1, INT64_MAX))
    onnx_invalid(n, "expected a token or more");
  m->slots = strata_dim_times(m->tokens, m->k);
  return !onnx_failed(n);
}

static int64_t bits_of(const moe_t *m, int layer) {
  int64_t bits = onnx_attr_int(m->n, m->layers[layer].bits, onnx_attr_int(m->n, "expert_weight_bits", 4));
  if (bits != 2 && bits != 4 && bits != 8)
    onnx_unsupported(m->n, "weights of %lld bits", (long long)bits);
  return onnx_failed(m->n) ? 8 : bits;
}

// Quantised weights as floats, [experts * rows, columns]; |block| numbers have one scale.
static MlirValue dequantized(const moe_t *m, int layer, int64_t rows, int64_t columns, int64_t bits) {
  onnx_node_t *n = m->n;
  const layer_t *l = &m->layers[layer];
  int64_t given = onnx_attr_int(n, "block_size", 0), block = given > 0 ? given : columns;
  if (columns % block || columns * bits % 8)
    onnx_invalid(n, "expected rows that blocks of %lld numbers divide, got %lld", (long long)block, (long long)columns);
  int64_t n_blocks = columns / block, n_rows = m->experts * rows;
  // One scale a row has no dim of blocks; zero points are packed along the last dim.
  int64_t scales[3] = {m->experts, rows, n_blocks}, zeros[3] = {m->experts, rows, strata_ceil_div(n_blocks * bits, 8)};
  if (given <= 0)
    zeros[1] = strata_ceil_div(rows * bits, 8);
  if (!onnx_has(n, l->scales))
    onnx_invalid(n, "operand %d, the scales of the weights, is missing", l->scales);
  onnx_expect_sizes(n, l->scales, given > 0 ? 3 : 2, scales);
  onnx_expect_sizes(n, l->zero_points, given > 0 ? 3 : 2, zeros);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue x = onnx_numbers_of_bits(n, l->weights, bits, n_rows, columns);
  x = onnx_reshape(n, x, 3, (int64_t[]){n_rows, n_blocks, block});
  int64_t each[3] = {n_rows, n_blocks, 1};
  if (onnx_has(n, l->zero_points)) {
    MlirValue zero = given > 0 ? onnx_numbers_of_bits(n, l->zero_points, bits, n_rows, n_blocks)
                               : onnx_numbers_of_bits(n, l->zero_points, bits, m->experts, rows);
    x = onnx_binary(n, STRATA_OP_SUB, x, onnx_reshape(n, zero, 3, each));
  } else {
    x = onnx_with_number(n, STRATA_OP_SUB, x, (double)(1 << (bits - 1)));
  }
  MlirValue scale = onnx_convert(n, onnx_operand(n, l->scales), false, STRATA_TYPE_F32, false);
  x = onnx_binary(n, STRATA_OP_MUL, x, onnx_reshape(n, scale, 3, each));
  return onnx_convert(n, x, false, m->type, false);
}

// The weights of a layer, [experts, columns, rows].
static MlirValue matrices(const moe_t *m, int layer, int64_t rows, int64_t columns) {
  onnx_node_t *n = m->n;
  const layer_t *l = &m->layers[layer];
  int64_t bits = m->is_quantized ? bits_of(m, layer) : 8;
  int64_t dims[3] = {m->experts, rows, m->is_quantized ? columns * bits / 8 : columns};
  onnx_expect_sizes(n, l->weights, 3, dims);
  if (!onnx_failed(n) && m->is_quantized &&
      (onnx_operand_shape(n, l->weights).type != STRATA_TYPE_I8 || !onnx_is_unsigned(n, l->weights)))
    onnx_invalid(n, "operand %d ('%s'): expected u8", l->weights, n->proto->input[l->weights]);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue x = m->is_quantized ? dequantized(m, layer, rows, columns, bits) : onnx_operand(n, l->weights);
  return onnx_move_axis(n, onnx_reshape(n, x, 3, (int64_t[]){m->experts, rows, columns}), 1, 2);
}

//===-- Routing --------------------------------------------------------------------------------------------------===//

// Chooses the experts; returns their shares, [tokens, k], before they are normalised: those of the softmax by which
// they are chosen, or weights of the router's own.
static MlirValue route(moe_t *m) {
  onnx_node_t *n = m->n;
  MlirValue logits = onnx_widen(n, onnx_operand(n, LOGITS)), chosen;
  int64_t axis = 1;
  strata_attr_value_t axes = {.n_i64s = 1, .i64s = &axis};
  MlirValue shares = strata_build_composite(n->b, STRATA_COMPOSITE_SOFTMAX, 1, &logits, 1, &axes);
  shares = onnx_slice_axis(n, strata_build_sort(n->b, shares, 1, true, false, &chosen), 1, 0, 1, m->k);
  chosen = onnx_slice_axis(n, chosen, 1, 0, 1, m->k);
  if (onnx_has(n, ROUTER_WEIGHTS)) {
    onnx_expect_shape(n, ROUTER_WEIGHTS, 2, (strata_dim_t[]){m->tokens, onnx_dim(n, m->experts)});
    MlirValue weights = onnx_widen(n, onnx_operand(n, ROUTER_WEIGHTS));
    if (onnx_failed(n))
      return (MlirValue){0};
    shares = strata_build_gather(n->b, weights, chosen, 1, 1);
  }
  chosen = onnx_reshape_dims(n, chosen, 1, &m->slots);
  m->sorted = strata_build_sort(n->b, chosen, 0, false, false, &m->order);
  // Expert e begins behind as many rows as there are of those in front of it.
  strata_dim_t dims[2] = {onnx_dim(n, m->experts + 1), m->slots};
  MlirValue before =
      onnx_binary(n, STRATA_OP_LT, onnx_insert_axis(n, m->sorted, 0), onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 0));
  MlirValue offsets = onnx_reduce(n, STRATA_COMBINER_ADD, onnx_convert(n, before, false, STRATA_TYPE_I64, false),
                                  (bool[STRATA_MAX_RANK]){false, true}, false);
  m->map = strata_build_segment_rows(n->b, offsets, m->slots);
  return shares;
}

// What the experts give, [slots, hidden] in the order of |m->order|, added up for each token, [tokens, hidden]. A sum
// is divided by that of its shares, not each of these: all of it is then one kernel behind the one that fetches the
// rows.
static MlirValue combine(const moe_t *m, MlirValue rows, MlirValue shares) {
  onnx_node_t *n = m->n;
  const bool along_slots[STRATA_MAX_RANK] = {false, true};
  strata_dim_t slots[3] = {m->tokens, onnx_dim(n, m->k), onnx_dim(n, m->hidden)};
  MlirValue numbers = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &m->slots, 0);
  MlirValue places = strata_build_scatter(n->b, "distinct", numbers, m->order, numbers); // of each slot among the rows
  rows = onnx_reshape_dims(n, strata_build_gather(n->b, rows, places, 0, 0), 3, slots);
  rows = onnx_binary(n, STRATA_OP_MUL, onnx_widen(n, rows), onnx_insert_axis(n, shares, 2));
  MlirValue sums = onnx_reduce(n, STRATA_COMBINER_ADD, rows, along_slots, false);
  if (!onnx_attr_int(n, "normalize_routing_weights", 0))
    return sums;
  return onnx_binary(n, STRATA_OP_DIV, sums, onnx_reduce(n, STRATA_COMBINER_ADD, shares, along_slots, true));
}

//===-- Experts --------------------------------------------------------------------------------------------------===//

// Rows, sorted by experts, through one layer of these; in the layer's type, or f32 with a bias. That is a jagged
// product whose offsets need no check.
static MlirValue layer(const moe_t *m, int which, MlirValue x, int64_t rows, int64_t columns) {
  onnx_node_t *n = m->n;
  MlirValue weights = matrices(m, which, rows, columns);
  int bias = m->layers[which].bias;
  onnx_expect_sizes(n, bias, 2, (int64_t[]){m->experts, rows});
  if (onnx_failed(n))
    return x;
  MlirValue result = onnx_round(n, strata_build_segment_contract(n->b, x, weights, m->map), m->type);
  if (!onnx_has(n, bias))
    return result;
  MlirValue biases = strata_build_gather(n->b, onnx_operand(n, bias), m->sorted, 0, 0);
  return onnx_binary(n, STRATA_OP_ADD, onnx_widen(n, result), onnx_widen(n, biases));
}

static MlirValue limited(onnx_node_t *n, MlirValue x, bool both) {
  double limit = onnx_attr_float(n, "swiglu_limit", 0);
  if (!onnx_has_attr(n, "swiglu_limit"))
    return x;
  x = both ? onnx_with_number(n, STRATA_OP_MAX, x, -limit) : x;
  return onnx_with_number(n, STRATA_OP_MIN, x, limit);
}

// gate * sigmoid(alpha * gate) * (other + beta), or the gelu of the gate by the other.
static MlirValue gated(onnx_node_t *n, MlirValue gate, MlirValue other) {
  if (onnx_attr_is(n, "activation_type", "geglu"))
    return onnx_binary(n, STRATA_OP_MUL, onnx_composite(n, STRATA_COMPOSITE_GELU_TANH, gate), other);
  gate = limited(n, gate, false);
  other = onnx_with_number(n, STRATA_OP_ADD, limited(n, other, true), onnx_attr_float(n, "activation_beta", 0));
  MlirValue slope = onnx_with_number(n, STRATA_OP_MUL, gate, onnx_attr_float(n, "activation_alpha", 1));
  gate = onnx_binary(n, STRATA_OP_MUL, gate, onnx_composite(n, STRATA_COMPOSITE_SIGMOID, slope));
  return onnx_binary(n, STRATA_OP_MUL, gate, other);
}

static MlirValue activated(onnx_node_t *n, MlirValue x) {
  const char *name = onnx_attr_string(n, "activation_type", "relu");
  if (!strcmp(name, "relu2")) {
    x = onnx_composite(n, STRATA_COMPOSITE_RELU, x);
    return onnx_binary(n, STRATA_OP_MUL, x, x);
  }
  return !strcmp(name, "identity") ? x
                                   : onnx_composite(n,
                                                    !strcmp(name, "gelu")   ? STRATA_COMPOSITE_GELU_TANH
                                                    : !strcmp(name, "silu") ? STRATA_COMPOSITE_SILU
                                                                            : STRATA_COMPOSITE_RELU,
                                                    x);
}

// Gate and other factor of a fused layer: in turn, or one behind the other.
static MlirValue half(const moe_t *m, MlirValue x, int64_t which) {
  bool in_turn = onnx_attr_int(m->n, "swiglu_fusion", 0) == 1;
  return onnx_slice_axis(m->n, x, 1, in_turn ? which : which * m->inner, in_turn ? 2 : 1, m->inner);
}

static MlirValue hidden_layer(const moe_t *m, MlirValue rows) {
  onnx_node_t *n = m->n;
  MlirValue x = layer(m, FC1, rows, m->is_fused ? 2 * m->inner : m->inner, m->hidden), other = {0};
  if (has_layer(m, FC3))
    other = layer(m, FC3, rows, m->inner, m->hidden);
  if (onnx_failed(n))
    return x;
  x = onnx_widen(n, x);
  other = mlirValueIsNull(other) ? other : onnx_widen(n, other);
  if (m->is_fused)
    return gated(n, half(m, x, 0), half(m, x, 1));
  if (is_gated(n))
    return gated(n, x, other);
  x = activated(n, x);
  return has_layer(m, FC3) ? onnx_binary(n, STRATA_OP_MUL, x, other) : x;
}

static void import(onnx_node_t *n, const layer_t *layers, bool is_quantized) {
  moe_t m = {.n = n, .layers = layers, .is_quantized = is_quantized};
  check_attributes(n);
  if (onnx_failed(n) || !read_sizes(&m))
    return;
  strata_shape_t shape = onnx_operand_shape(n, INPUT);
  MlirValue x = onnx_reshape_dims(n, onnx_operand(n, INPUT), 2, (strata_dim_t[]){m.tokens, onnx_dim(n, m.hidden)});
  MlirValue shares = route(&m);
  if (onnx_failed(n))
    return;
  MlirValue token = onnx_with_number(n, STRATA_OP_DIV, m.order, (double)m.k);
  MlirValue rows = strata_build_gather(n->b, x, token, 0, 0);
  MlirValue inner = onnx_round(n, hidden_layer(&m, rows), m.type);
  MlirValue result = layer(&m, FC2, inner, m.hidden, m.inner);
  if (onnx_failed(n))
    return;
  result = combine(&m, result, shares);
  onnx_set(n, 0, onnx_round(n, onnx_reshape_dims(n, result, shape.rank, shape.dims), m.type));
}

void onnx_import_moe(onnx_node_t *n) {
  static const layer_t layers[N_LAYERS] = {
      [FC1] = {.weights = 2, .bias = 3, .scales = NONE, .zero_points = NONE},
      [FC2] = {.weights = 4, .bias = 5, .scales = NONE, .zero_points = NONE},
      [FC3] = {.weights = 6, .bias = 7, .scales = NONE, .zero_points = NONE},
  };
  import(n, layers, false);
}

void onnx_import_quantized_moe(onnx_node_t *n) {
  static const layer_t layers[N_LAYERS] = {
      [FC1] = {.weights = 2, .scales = 3, .bias = 4, .zero_points = 11, .bits = "fc1_expert_weight_bits"},
      [FC2] = {.weights = 5, .scales = 6, .bias = 7, .zero_points = 12, .bits = "fc2_expert_weight_bits"},
      [FC3] = {.weights = 8, .scales = 9, .bias = 10, .zero_points = 13, .bits = "fc3_expert_weight_bits"},
  };
  import(n, layers, true);
}
