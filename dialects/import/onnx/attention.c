// Attention, made of two products and a softmax between them.
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>

//===-- Heads ----------------------------------------------------------------------------------------------------===//

MlirValue onnx_swap_heads(onnx_node_t *n, MlirValue x) {
  return onnx_failed(n) ? x : strata_build_transpose(n->b, x, (int64_t[]){0, 2, 1, 3});
}

MlirValue onnx_split_heads(onnx_node_t *n, MlirValue x, int64_t heads) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t size;
  if (onnx_failed(n))
    return x;
  if (shape.rank != 3 || heads < 1 || !strata_dim_divide(shape.dims[2], onnx_dim(n, heads), &size)) {
    onnx_invalid(n, "expected 3 dimensions, of which %lld heads divide the last, got %s elements in %d",
                 (long long)heads, shape.rank ? onnx_dim_text(n, shape.dims[shape.rank - 1]) : "1", shape.rank);
    return x;
  }
  strata_dim_t dims[4] = {shape.dims[0], shape.dims[1], onnx_dim(n, heads), size};
  return onnx_swap_heads(n, onnx_reshape_dims(n, x, 4, dims));
}

MlirValue onnx_join_heads(onnx_node_t *n, MlirValue x) {
  if (onnx_failed(n))
    return x;
  x = onnx_swap_heads(n, x);
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t dims[3] = {shape.dims[0], shape.dims[1], strata_dim_mul(shape.dims[2], shape.dims[3])};
  return onnx_reshape_dims(n, x, 3, dims);
}

// Each head of |x| as often as it serves one of |heads|.
static MlirValue repeat_heads(onnx_node_t *n, MlirValue x, strata_dim_t heads) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t times;
  if (strata_dim_equal(shape.dims[1], heads))
    return x;
  if (!strata_dim_divide(heads, shape.dims[1], &times) && !onnx_agree(n, heads, shape.dims[1])) {
    onnx_invalid(n, "expected heads of keys and values that divide the %s of queries, got %s", onnx_dim_text(n, heads),
                 onnx_dim_text(n, shape.dims[1]));
    return x;
  }
  if (onnx_resolve(n->importer, shape.dims[1]).ptr == onnx_resolve(n->importer, heads).ptr)
    return x;
  strata_dim_t wide[5] = {shape.dims[0], shape.dims[1], times, shape.dims[2], shape.dims[3]};
  strata_dim_t dims[4] = {shape.dims[0], heads, shape.dims[2], shape.dims[3]};
  return onnx_reshape_dims(n, onnx_broadcast_dims(n, onnx_insert_axis(n, x, 2), 5, wide), 4, dims);
}

//===-- Masks ----------------------------------------------------------------------------------------------------===//

MlirValue onnx_to_room(onnx_node_t *n, MlirValue x, strata_dim_t room) {
  strata_shape_t shape = onnx_shape(x);
  if (onnx_failed(n) || shape.rank < 1 || strata_dim_is(shape.dims[shape.rank - 1], 1))
    return x;
  strata_dim_t missing =
      strata_dim_sub(onnx_resolve(n->importer, room), onnx_resolve(n->importer, shape.dims[shape.rank - 1]));
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++)
    low[i] = high[i] = onnx_dim(n, 0);
  high[shape.rank - 1] = missing;
  return strata_dim_is(missing, 0) ? x : strata_build_pad_dims(n->b, x, low, high, 0);
}

MlirValue onnx_both(onnx_node_t *n, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a) || mlirValueIsNull(b))
    return mlirValueIsNull(a) ? b : a;
  return onnx_binary(n, STRATA_OP_AND, a, b);
}

MlirValue onnx_band(onnx_node_t *n, strata_op_id_t compare, strata_dim_t queries, strata_dim_t keys,
                    strata_dim_t offset, int64_t bound) {
  strata_dim_t dims[2] = {queries, keys};
  MlirValue row = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 0), key = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1);
  offset = strata_dim_plus(offset, bound);
  if (!strata_dim_is(offset, 0))
    row = onnx_with_dim(n, STRATA_OP_ADD, row, offset);
  return strata_build_binary(n->b, compare, key, row);
}

// The score of a key that is not allowed: -inf, or where a row may have no other the least number of its type, by which
// the softmax is no NaN.
static double forbidden(const onnx_attention_t *a, strata_type_t type) {
  return a->sees_a_key              ? -INFINITY
         : type == STRATA_TYPE_F16  ? -65504
         : type == STRATA_TYPE_BF16 ? -0x1.fep127
         : type == STRATA_TYPE_F32  ? -0x1.fffffep127
                                    : -0x1.fffffffffffffp1023;
}

static MlirValue any_along_keys(onnx_node_t *n, MlirValue x, strata_combiner_t combiner) {
  bool axes[STRATA_MAX_RANK] = {false};
  strata_shape_t shape = onnx_shape(x);
  if (shape.rank > 0)
    axes[shape.rank - 1] = true;
  return onnx_reduce(n, combiner, x, axes, true);
}

// The result where a query has a key, 0 elsewhere. The bias takes keys away, too, by -inf.
static MlirValue clear_empty_rows(onnx_node_t *n, const onnx_attention_t *a, MlirValue result) {
  MlirValue left = a->allowed;
  if (!mlirValueIsNull(a->bias))
    left = onnx_both(n, left, onnx_with_number(n, STRATA_OP_GT, a->bias, -INFINITY));
  if (mlirValueIsNull(left))
    return result;
  return onnx_select(n, any_along_keys(n, left, STRATA_COMBINER_OR), result, onnx_number(n, result, 0));
}

//===-- Softmax --------------------------------------------------------------------------------------------------===//

// With one more score a row that has no value.
static MlirValue softmax_with_sink(onnx_node_t *n, MlirValue scores, MlirValue sink) {
  strata_type_t type = onnx_shape(scores).type;
  scores = onnx_widen(n, scores);
  strata_shape_t shape = onnx_shape(scores);
  sink = onnx_convert(n, sink, false, shape.type, false);
  strata_dim_t dims[4] = {onnx_dim(n, 1), shape.dims[1], onnx_dim(n, 1), onnx_dim(n, 1)};
  if (onnx_shape(sink).rank)
    sink = onnx_reshape_dims(n, sink, 4, dims);
  MlirValue greatest = onnx_binary(n, STRATA_OP_MAX, any_along_keys(n, scores, STRATA_COMBINER_MAX), sink);
  MlirValue e = onnx_unary(n, STRATA_OP_EXP, onnx_binary(n, STRATA_OP_SUB, scores, greatest));
  MlirValue own = onnx_unary(n, STRATA_OP_EXP, onnx_binary(n, STRATA_OP_SUB, sink, greatest));
  MlirValue sum = onnx_binary(n, STRATA_OP_ADD, any_along_keys(n, e, STRATA_COMBINER_ADD), own);
  return onnx_round(n, onnx_binary(n, STRATA_OP_DIV, e, sum), type);
}

static MlirValue softmax(onnx_node_t *n, const onnx_attention_t *a, MlirValue scores) {
  if (onnx_failed(n))
    return scores;
  if (!mlirValueIsNull(a->sink))
    return softmax_with_sink(n, scores, a->sink);
  strata_type_t type = onnx_shape(scores).type;
  if (a->softmax_type != STRATA_TYPE_COUNT)
    scores = onnx_convert(n, scores, false, a->softmax_type, false);
  int64_t axis = 3;
  strata_attr_value_t axes = {.n_i64s = 1, .i64s = &axis};
  scores = strata_build_composite(n->b, STRATA_COMPOSITE_SOFTMAX, 1, &scores, 1, &axes);
  return onnx_convert(n, scores, false, type, false);
}

//===-- All of it ------------------------------------------------------------------------------------------------===//

// scale * q: fewer elements than scores, and 16-bit floats do not overflow on the way.
static MlirValue scale_queries(onnx_node_t *n, const onnx_attention_t *a) {
  double scale = a->scale;
  int64_t size;
  if (scale == 0) {
    strata_dim_t dim = onnx_resolve(n->importer, onnx_shape(a->q).dims[3]);
    if (!strata_dim_is_constant(dim, &size)) {
      MlirValue root = onnx_unary(n, STRATA_OP_RSQRT, strata_build_dim(n->b, dim, STRATA_TYPE_F32));
      return onnx_binary(n, STRATA_OP_MUL, a->q, onnx_convert(n, root, false, onnx_shape(a->q).type, false));
    }
    scale = 1 / sqrt((double)(size > 0 ? size : 1));
  }
  return scale == 1 ? a->q : onnx_with_number(n, STRATA_OP_MUL, a->q, scale);
}

static MlirValue cap(onnx_node_t *n, const onnx_attention_t *a, MlirValue scores) {
  if (a->softcap == 0)
    return scores;
  scores = onnx_unary(n, STRATA_OP_TANH, onnx_with_number(n, STRATA_OP_MUL, scores, 1 / a->softcap));
  return onnx_with_number(n, STRATA_OP_MUL, scores, a->softcap);
}

// |least|: the score of what is not allowed.
static MlirValue mask(onnx_node_t *n, const onnx_attention_t *a, MlirValue scores, double least) {
  if (!mlirValueIsNull(a->bias)) {
    scores = onnx_binary(n, STRATA_OP_ADD, scores, a->bias);
    if (a->has_empty_rows)
      scores = onnx_with_number(n, STRATA_OP_MAX, scores, least);
  }
  if (!mlirValueIsNull(a->allowed))
    scores = onnx_select(n, a->allowed, scores, onnx_number(n, scores, least));
  return scores;
}

static bool is_well_formed(onnx_node_t *n, const onnx_attention_t *a) {
  strata_shape_t q = onnx_shape(a->q), k = onnx_shape(a->k), v = onnx_shape(a->v);
  if (!onnx_failed(n) && (q.rank != 4 || k.rank != 4 || v.rank != 4))
    onnx_invalid(n, "expected queries, keys and values of 3 or 4 dimensions");
  for (int i = 0; i < 3 && !onnx_failed(n); i++)
    if ((i != 1 && !onnx_agree(n, q.dims[i ? 3 : 0], k.dims[i ? 3 : 0])) || !onnx_agree(n, k.dims[i], v.dims[i]))
      onnx_invalid(n, "the shapes of queries, keys and values do not fit each other");
  return !onnx_failed(n);
}

MlirValue onnx_attend(onnx_node_t *n, const onnx_attention_t *attention, MlirValue out_stages[ONNX_N_STAGES]) {
  onnx_attention_t a = *attention;
  MlirValue stages[ONNX_N_STAGES];
  if (!is_well_formed(n, &a))
    return (MlirValue){0};
  strata_dim_t heads = onnx_shape(a.q).dims[1];
  a.k = repeat_heads(n, a.k, heads);
  a.v = repeat_heads(n, a.v, heads);
  if (onnx_failed(n))
    return (MlirValue){0};
  strata_type_t type = onnx_shape(a.q).type;
  stages[ONNX_SCORES] = onnx_contract(n, "bhqd,bhkd->bhqk", scale_queries(n, &a), a.k, type, "matmul");
  stages[ONNX_CAPPED] = cap(n, &a, stages[ONNX_SCORES]);
  stages[ONNX_BIASED] = mask(n, &a, stages[ONNX_CAPPED], forbidden(&a, type));
  stages[ONNX_PROBABILITIES] = softmax(n, &a, stages[ONNX_BIASED]);
  MlirValue shares = onnx_convert(n, stages[ONNX_PROBABILITIES], false, onnx_shape(a.v).type, false);
  MlirValue result = onnx_contract(n, "bhqk,bhkd->bhqd", shares, a.v, onnx_shape(a.v).type, "matmul");
  if (a.has_empty_rows && out_stages && !onnx_failed(n))
    stages[ONNX_PROBABILITIES] = clear_empty_rows(n, &a, stages[ONNX_PROBABILITIES]);
  if (out_stages && !onnx_failed(n))
    stages[ONNX_BIASED] = mask(n, &a, stages[ONNX_CAPPED], -INFINITY);
  for (int i = 0; i < ONNX_N_STAGES && out_stages; i++)
    out_stages[i] = stages[i];
  result = onnx_convert(n, result, false, type, false);
  return a.has_empty_rows && !onnx_failed(n) ? clear_empty_rows(n, &a, result) : result;
}
