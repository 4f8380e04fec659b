// com.microsoft's Attention and MultiHeadAttention.
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/cache.h"
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>

//===-- Masks ----------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_dim_t batch, queries, past;
  strata_dim_t keys, room; // keys that masks are of, and those that the cache has places for
} frame_t;

// What is added to scores where |allowed| is false. Several are added up.
static void add_filter(onnx_node_t *n, onnx_attention_t *a, MlirValue allowed) {
  double filter = onnx_attr_float(n, "mask_filter_value", -10000);
  strata_type_t type = onnx_shape(a->q).type;
  if (onnx_failed(n))
    return;
  strata_shape_t shape = onnx_shape(allowed);
  MlirValue zero = onnx_splat_dims(n, type, shape.rank, shape.dims, 0);
  MlirValue bias =
      onnx_select(n, allowed, zero, onnx_number(n, zero, type == STRATA_TYPE_F16 ? fmax(filter, -65504) : filter));
  a->bias = mlirValueIsNull(a->bias) ? bias : onnx_binary(n, STRATA_OP_ADD, a->bias, bias);
}

// Entries [0, count) of the mask's |count|, or those behind.
static MlirValue half(onnx_node_t *n, MlirValue mask, strata_dim_t start, strata_dim_t count) {
  return onnx_along_axis(n, onnx_slice_dims(n, mask, 0, start, 1, count), 0, 4);
}

// A mask of one dim: the end of each batch entry's keys, or all ends and then all beginnings.
static MlirValue ends_mask(onnx_node_t *n, MlirValue mask, const frame_t *f) {
  strata_dim_t count = onnx_resolve(n->importer, onnx_shape(mask).dims[0]), batch = onnx_resolve(n->importer, f->batch);
  MlirValue key = onnx_iota_dims(n, STRATA_TYPE_I32, 1, &f->room, 0);
  bool has_starts = strata_dim_equal(count, strata_dim_times(batch, 2));
  if (!has_starts && !onnx_agree(n, count, batch)) {
    onnx_unsupported(n, "a mask of %s numbers for a batch of %s", onnx_dim_text(n, count), onnx_dim_text(n, batch));
    return (MlirValue){0};
  }
  MlirValue allowed = onnx_binary(n, STRATA_OP_LT, key, half(n, mask, onnx_dim(n, 0), batch));
  if (has_starts)
    allowed = onnx_both(n, allowed, onnx_binary(n, STRATA_OP_GE, key, half(n, mask, batch, batch)));
  return allowed;
}

// A mask of 0 and 1: [batch, keys] or [batch, queries, keys].
static MlirValue elements_mask(onnx_node_t *n, int operand, const frame_t *f) {
  MlirValue mask = onnx_operand(n, operand);
  strata_dim_t dims[3] = {f->batch, f->queries, f->keys};
  int rank = onnx_shape(mask).rank;
  if (rank == 2)
    onnx_expect_shape(n, operand, 2, (strata_dim_t[]){f->batch, f->keys});
  else
    onnx_expect_shape(n, operand, 3, dims);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue allowed = onnx_with_number(n, STRATA_OP_GT, onnx_to_room(n, mask, f->room), 0);
  return onnx_insert_axis(n, rank == 2 ? onnx_insert_axis(n, allowed, 1) : allowed, 1);
}

static void add_masks(onnx_node_t *n, onnx_attention_t *a, int mask, int bias, const frame_t *f) {
  if (onnx_has(n, bias))
    a->bias = onnx_to_room(n, onnx_operand(n, bias), f->room);
  if (onnx_has(n, mask)) {
    int rank = onnx_operand_shape(n, mask).rank;
    if (rank < 1 || rank > 3)
      onnx_unsupported(n, "a mask of %d dimensions", rank);
    else if (rank == 1)
      add_filter(n, a, ends_mask(n, onnx_operand(n, mask), f));
    else
      add_filter(n, a, elements_mask(n, mask, f));
  }
}

// Later keys are none, also of a query that the mask leaves no other.
static void forbid_later(onnx_node_t *n, onnx_attention_t *a, const frame_t *f) {
  if (!onnx_attr_int(n, "unidirectional", 0))
    return;
  a->allowed = onnx_band(n, STRATA_OP_LE, f->queries, f->keys, f->past, 0);
  a->sees_a_key = mlirValueIsNull(a->bias);
}

static onnx_attention_t settings(onnx_node_t *n) {
  return (onnx_attention_t){.scale = onnx_attr_float(n, "scale", 0), .softmax_type = STRATA_TYPE_COUNT};
}

static frame_t frame_of(onnx_node_t *n, const onnx_attention_t *a, strata_dim_t past) {
  strata_shape_t q = onnx_shape(a->q), k = onnx_shape(a->k);
  if (onnx_failed(n) || q.rank != 4 || k.rank != 4)
    return (frame_t){onnx_dim(n, 1), onnx_dim(n, 1), onnx_dim(n, 0), onnx_dim(n, 1), onnx_dim(n, 1)};
  return (frame_t){q.dims[0], q.dims[2], past, k.dims[2], k.dims[2]};
}

//===-- Attention ------------------------------------------------------------------------------------------------===//

// Part |index| of the past [2, batch, heads, length, size].
static MlirValue past_part(onnx_node_t *n, int operand, int64_t index) {
  return onnx_remove_axis(n, onnx_slice_axis(n, onnx_operand(n, operand), 0, index, 1, 1), 0);
}

static MlirValue joined(onnx_node_t *n, MlirValue past, MlirValue x) {
  strata_shape_t a = onnx_shape(past), b = onnx_shape(x);
  for (int i = 0; i < 4 && !onnx_failed(n) && a.rank == 4 && b.rank == 4; i++)
    if (i != 2)
      onnx_agree(n, a.dims[i], b.dims[i]);
  return onnx_failed(n) ? x : strata_build_concat(n->b, 2, (MlirValue[]){past, x}, 2);
}

bool onnx_projection_widths(onnx_node_t *n, int64_t total, int64_t heads, int64_t out[3]) {
  int64_t count;
  const int64_t *given = onnx_attr_ints(n, "qkv_hidden_sizes", &count);
  bool is_good = heads > 0 && (given ? count == 3 : total % 3 == 0);
  for (int i = 0; i < 3 && is_good; i++)
    out[i] = given ? given[i] : total / 3;
  for (int i = 0; i < 3 && is_good; i++)
    is_good = out[i] > 0 && out[i] % heads == 0;
  if (!onnx_failed(n) && (!is_good || out[0] != out[1] || out[0] + out[1] + out[2] != total))
    onnx_invalid(n, "expected weights for queries, keys and values of %lld heads, got %lld columns", (long long)heads,
                 (long long)total);
  return !onnx_failed(n);
}

// Where Attention's operands are, and those of operators that have the same.
typedef struct {
  int mask, past, bias;
} places_t;

static bool check_projection(onnx_node_t *n, int64_t widths[3], int64_t heads) {
  strata_shape_t shape = onnx_operand_shape(n, 0), weights = onnx_operand_shape(n, 1);
  int64_t total = 0;
  if (onnx_attr_int(n, "do_rotary", 0) || onnx_attr_int(n, "past_present_share_buffer", 0))
    onnx_unsupported(n, "rotary embeddings and a past in a buffer that is longer");
  if (!onnx_failed(n) && (shape.rank != 3 || weights.rank != 2 || !strata_dim_is_constant(weights.dims[1], &total)))
    onnx_invalid(n, "expected an input of 3 dimensions and weights of 2");
  if (!onnx_failed(n))
    onnx_expect_shape(n, 2, 1, &weights.dims[1]);
  return !onnx_failed(n) && onnx_projection_widths(n, total, heads, widths);
}

// Queries, keys and values beside each other, [batch, length, widths].
static void attend_projected(onnx_node_t *n, MlirValue all, const int64_t widths[3], int64_t heads, places_t at) {
  MlirValue parts[3];
  int64_t start = 0;
  for (int i = 0; i < 3; start += widths[i++])
    parts[i] = onnx_split_heads(n, onnx_slice_axis(n, all, 2, start, 1, widths[i]), heads);
  onnx_attention_t a = settings(n);
  a.q = parts[0], a.k = parts[1], a.v = parts[2];
  strata_dim_t past = onnx_dim(n, 0);
  if (onnx_has(n, at.past) && !onnx_failed(n)) {
    if (onnx_operand_shape(n, at.past).rank != 5)
      onnx_invalid(n, "operand %d ('%s'): expected 5 dimensions", at.past, n->proto->input[at.past]);
    else
      past = onnx_operand_shape(n, at.past).dims[3];
    a.k = joined(n, past_part(n, at.past, 0), a.k);
    a.v = joined(n, past_part(n, at.past, 1), a.v);
  }
  frame_t frame = frame_of(n, &a, past);
  add_masks(n, &a, at.mask, at.bias, &frame);
  forbid_later(n, &a, &frame);
  onnx_set(n, 0, onnx_join_heads(n, onnx_attend(n, &a, NULL)));
  if (onnx_wants(n, 1) && !onnx_failed(n))
    onnx_set(n, 1,
             strata_build_concat(n->b, 2, (MlirValue[]){onnx_insert_axis(n, a.k, 0), onnx_insert_axis(n, a.v, 0)}, 0));
}

// input, weights, bias, mask, past, attention bias
void onnx_import_microsoft_attention(onnx_node_t *n) {
  int64_t heads = onnx_attr_int(n, "num_heads", 0), widths[3];
  if (onnx_has(n, 6))
    onnx_unsupported(n, "a past in a buffer that is longer");
  if (onnx_failed(n) || !check_projection(n, widths, heads))
    return;
  MlirValue input = onnx_operand(n, 0);
  MlirValue all = onnx_contract(n, "bmk,kn->bmn", input, onnx_operand(n, 1), onnx_shape(input).type, "matmul");
  if (onnx_has(n, 2))
    all = onnx_binary(n, STRATA_OP_ADD, all, onnx_operand(n, 2));
  attend_projected(n, all, widths, heads, (places_t){.mask = 3, .past = 4, .bias = 5});
}

// input, weights, bias, input scale, weight scale, mask, input zero, weight zero, past: the projection is a product of
// integers.
void onnx_import_quantized_attention(onnx_node_t *n) {
  enum { NONE = 9 }; // no attention bias
  int64_t heads = onnx_attr_int(n, "num_heads", 0), widths[3];
  if (!check_projection(n, widths, heads))
    return;
  MlirValue input = onnx_centered(n, 0, 6, 0), weights = onnx_centered(n, 1, 7, 1);
  MlirValue scale = onnx_scalar(n, 3, STRATA_TYPE_F32);
  strata_type_t type = onnx_operand_shape(n, 2).type;
  if (onnx_has(n, 6))
    onnx_scalar(n, 6, STRATA_TYPE_F32); // one number, too
  if (onnx_failed(n))
    return;
  MlirValue all = onnx_contract(n, "bmk,kn->bmn", input, weights, STRATA_TYPE_I32, "matmul");
  all = onnx_binary(n, STRATA_OP_MUL, onnx_convert(n, all, false, STRATA_TYPE_F32, false), scale);
  MlirValue column = onnx_lined_scale(n, 4, all, 2);
  if (onnx_failed(n))
    return;
  all = onnx_binary(n, STRATA_OP_MUL, all, column);
  all = onnx_binary(n, STRATA_OP_ADD, all, onnx_convert(n, onnx_operand(n, 2), false, STRATA_TYPE_F32, false));
  all = onnx_convert(n, all, false, type, false);
  attend_projected(n, all, widths, heads, (places_t){.mask = 5, .past = 8, .bias = NONE});
}

//===-- MultiHeadAttention ---------------------------------------------------------------------------------------===//

enum { QUERY, KEY, VALUE, BIAS, MASK, ATTENTION_BIAS, PAST_KEY, PAST_VALUE, PAST_LENGTH, INDIRECTION };

// Part |index| of what is packed, [batch, length, heads, parts, size], heads first.
static MlirValue packed_part(onnx_node_t *n, int operand, int64_t index) {
  MlirValue part = onnx_remove_axis(n, onnx_slice_axis(n, onnx_operand(n, operand), 3, index, 1, 1), 3);
  return onnx_swap_heads(n, part);
}

// The projection's bias of |x|, whose part of it begins at *start.
static MlirValue with_bias(onnx_node_t *n, MlirValue x, int64_t *start) {
  strata_shape_t shape = onnx_shape(x);
  int64_t heads, size;
  if (!onnx_has(n, BIAS) || onnx_failed(n))
    return x;
  if (!strata_dim_is_constant(shape.dims[1], &heads) || !strata_dim_is_constant(shape.dims[3], &size)) {
    onnx_unsupported(n, "a bias of heads whose size varies");
    return x;
  }
  MlirValue bias = onnx_slice_axis(n, onnx_operand(n, BIAS), 0, *start, 1, heads * size);
  *start += heads * size;
  return onnx_binary(n, STRATA_OP_ADD, x, onnx_reshape(n, bias, 3, (int64_t[]){heads, 1, size}));
}

static void read_queries(onnx_node_t *n, onnx_attention_t *a, int64_t heads) {
  int q_rank = onnx_operand_shape(n, QUERY).rank;
  if (q_rank == 5) {
    a->q = packed_part(n, QUERY, 0), a->k = packed_part(n, QUERY, 1), a->v = packed_part(n, QUERY, 2);
    return;
  }
  a->q = onnx_split_heads(n, onnx_operand(n, QUERY), heads);
  if (onnx_operand_shape(n, KEY).rank == 5) {
    a->k = packed_part(n, KEY, 0), a->v = packed_part(n, KEY, 1);
    return;
  }
  a->k = onnx_operand(n, KEY), a->v = onnx_operand(n, VALUE); // of 4 dims: what there was, projected already
  if (onnx_shape(a->k).rank == 3)
    a->k = onnx_split_heads(n, a->k, heads);
  if (onnx_shape(a->v).rank == 3)
    a->v = onnx_split_heads(n, a->v, heads);
}

// Keys and values into a past that has room for more, behind the PAST_LENGTH that it holds: what is behind these is not
// seen.
static void write_past(onnx_node_t *n, onnx_attention_t *a) {
  if (!onnx_has(n, PAST_KEY))
    onnx_invalid(n, "operand %d ('%s'): expected past keys and values", PAST_LENGTH, n->proto->input[PAST_LENGTH]);
  MlirValue begin = onnx_reshape(n, onnx_scalar(n, PAST_LENGTH, STRATA_TYPE_I64), 2, (int64_t[]){1, 1});
  strata_shape_t new = onnx_shape(a->k), other = onnx_shape(a->v), old = onnx_operand_shape(n, PAST_KEY);
  if (!onnx_failed(n) && (new.rank != 4 || other.rank != 4 || old.rank != 4))
    onnx_invalid(n, "expected keys and values, and a past of 4 dimensions");
  if (onnx_failed(n))
    return;
  onnx_expect_shape(n, PAST_KEY, 4, (strata_dim_t[]){new.dims[0], new.dims[1], old.dims[2], new.dims[3]});
  onnx_expect_shape(n, PAST_VALUE, 4, (strata_dim_t[]){new.dims[0], new.dims[1], old.dims[2], other.dims[3]});
  if (onnx_failed(n))
    return;
  a->k = onnx_written(n, onnx_operand(n, PAST_KEY), a->k, 2, begin, false);
  a->v = onnx_written(n, onnx_operand(n, PAST_VALUE), a->v, 2, begin, false);
  strata_dim_t dims[2] = {onnx_shape(a->q).dims[2], old.dims[2]};
  MlirValue row = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 0), key = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1);
  if (onnx_attr_int(n, "unidirectional", 0))
    a->allowed = onnx_binary(n, STRATA_OP_LE, key, onnx_binary(n, STRATA_OP_ADD, row, begin));
  else
    a->allowed = onnx_binary(n, STRATA_OP_LT, key, onnx_with_dim(n, STRATA_OP_ADD, begin, new.dims[2]));
}

// How many keys the masks are of, where the past has room for more than there are.
static strata_dim_t masked_keys(onnx_node_t *n, strata_dim_t room) {
  strata_dim_t keys = room;
  for (int i = ATTENTION_BIAS; i >= MASK && !onnx_failed(n); i--) {
    strata_shape_t shape = onnx_has(n, i) ? onnx_operand_shape(n, i) : (strata_shape_t){.rank = 0};
    if (shape.rank > 1 && (i == MASK || !strata_dim_is(shape.dims[shape.rank - 1], 1)))
      keys = shape.dims[shape.rank - 1];
  }
  if (!onnx_failed(n) && !onnx_require(n->importer, room, keys, 0, INT64_MAX))
    onnx_invalid(n, "expected masks of at most %s keys, got %s", onnx_dim_text(n, room), onnx_dim_text(n, keys));
  return keys;
}

// A past with room that is an input, and an output of the model, is written where it is.
static void set_present(onnx_node_t *n, int result, MlirValue x, int past) {
  if (onnx_has(n, PAST_LENGTH) && onnx_updates_input(n, result, past))
    onnx_set_update(n, result, x, past);
  else
    onnx_set(n, result, x);
}

void onnx_import_multi_head_attention(onnx_node_t *n) {
  onnx_attention_t a = settings(n);
  int64_t start = 0;
  bool is_projected =
      onnx_operand_shape(n, QUERY).rank == 3 && onnx_has(n, KEY) && onnx_operand_shape(n, KEY).rank == 4;
  if (onnx_has(n, INDIRECTION))
    onnx_unsupported(n, "a past of several beams");
  if (!onnx_failed(n) && onnx_has(n, PAST_KEY) != onnx_has(n, PAST_VALUE))
    onnx_invalid(n, "expected past keys and values, or neither");
  read_queries(n, &a, onnx_attr_int(n, "num_heads", 0));
  a.q = with_bias(n, a.q, &start);
  if (!is_projected) {
    a.k = with_bias(n, a.k, &start);
    a.v = with_bias(n, a.v, &start);
  }
  strata_dim_t past = onnx_dim(n, 0);
  if (onnx_has(n, PAST_LENGTH)) {
    write_past(n, &a);
  } else if (onnx_has(n, PAST_KEY) && !onnx_failed(n)) {
    past = onnx_operand_shape(n, PAST_KEY).dims[2];
    a.k = joined(n, onnx_operand(n, PAST_KEY), a.k);
    a.v = joined(n, onnx_operand(n, PAST_VALUE), a.v);
  }
  frame_t frame = frame_of(n, &a, past);
  if (onnx_has(n, PAST_LENGTH))
    frame.keys = masked_keys(n, frame.room);
  add_masks(n, &a, MASK, ATTENTION_BIAS, &frame);
  if (!onnx_has(n, PAST_LENGTH))
    forbid_later(n, &a, &frame);
  MlirValue stages[ONNX_N_STAGES] = {{0}};
  onnx_set(n, 0, onnx_join_heads(n, onnx_attend(n, &a, onnx_wants(n, 3) ? stages : NULL)));
  set_present(n, 1, a.k, PAST_KEY);
  set_present(n, 2, a.v, PAST_VALUE);
  onnx_set(n, 3, stages[ONNX_BIASED]);
}
