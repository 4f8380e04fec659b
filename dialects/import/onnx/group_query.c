// com.microsoft's GroupQueryAttention: causal attention to a cache that the operator extends, a place of its own for
// each batch entry.
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/cache.h"
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/recent_cache.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>

enum {
  QUERY,
  KEY,
  VALUE,
  PAST_KEY,
  PAST_VALUE,
  LAST_KEYS,
  TOTAL,
  COS,
  SIN,
  POSITIONS,
  BIAS,
  SINK,
  K_SCALE,
  V_SCALE,
  Q_NORM,
  K_NORM,
  N_QUERIES
};

typedef struct {
  int64_t heads, kv_heads;
  strata_dim_t batch, queries;
  strata_dim_t total, room; // keys of the longest batch entry, places of the cache that results
  strata_dim_t keys;        // that attention reads
  MlirValue begin;          // [batch, 1] where the new keys go: how many there were
  MlirValue count;          // and how many there are then
  MlirValue tokens;         // [batch, 1, 1, keys]: of a cache of the last tokens which the keys are, -1 where none is
} cache_t;

// Of keys and of values: how a cache of bytes is scaled.
static const char *const quant_types[2] = {"k_quant_type", "v_quant_type"};

static bool is_quantized(const onnx_node_t *n, int which) {
  return !onnx_attr_is(n, quant_types[which], "") && !onnx_attr_is(n, quant_types[which], "NONE");
}

// Two numbers are in a byte, the first in the low bits, with 8 added.
static bool is_packed(const onnx_node_t *n) { return onnx_attr_int(n, "kv_cache_bit_width", 8) == 4; }

static void check_quantized(onnx_node_t *n, int operand) {
  strata_type_t type = onnx_operand_shape(n, operand).type;
  int64_t bits = onnx_attr_int(n, "kv_cache_bit_width", 8);
  bool is_signed = type == STRATA_TYPE_I8 && !onnx_is_unsigned(n, operand);
  if (bits != 4 && bits != 8)
    onnx_invalid(n, "attribute 'kv_cache_bit_width': expected 4 or 8, got %lld", (long long)bits);
  else if (is_packed(n) ? type != STRATA_TYPE_I8 || is_signed : type != STRATA_TYPE_E4M3 && !is_signed)
    onnx_invalid(n, "operand %d ('%s'): expected a cache of %s", operand, n->proto->input[operand],
                 is_packed(n) ? "u8" : "i8 or float8e4m3fn");
}

static void check_caches(onnx_node_t *n) {
  bool has_scales = onnx_has(n, K_SCALE) && onnx_has(n, V_SCALE) && onnx_has(n, PAST_KEY) && onnx_has(n, PAST_VALUE);
  if (is_quantized(n, 0) != is_quantized(n, 1))
    onnx_unsupported(n, "a cache that is quantised in part");
  else if (is_quantized(n, 0) && !has_scales)
    onnx_invalid(n, "expected a past and scales for a quantised cache");
  for (int i = PAST_KEY; i <= PAST_VALUE && onnx_has(n, i) && !onnx_failed(n); i++) {
    strata_type_t type = onnx_operand_shape(n, i).type;
    if (is_quantized(n, 0))
      check_quantized(n, i);
    else if (type != onnx_operand_shape(n, QUERY).type)
      onnx_invalid(n, "operand %d ('%s'): expected the type of the queries", i, n->proto->input[i]);
  }
}

// Whether the caches have the last tokens alone.
static bool is_recent(const onnx_node_t *n) { return onnx_attr_int(n, "sliding_window_cache", 0); }

static void check(onnx_node_t *n) {
  check_caches(n);
  bool has_window = onnx_attr_int(n, "local_window_size", -1) > 0 && onnx_attr_int(n, "causal", 1);
  if (is_recent(n) && !(has_window && onnx_has(n, PAST_KEY)))
    onnx_invalid(n, "expected a past, causal attention and a local_window_size for a sliding_window_cache");
  else if (is_recent(n) && onnx_wants(n, 3))
    onnx_unsupported(n, "result 3 ('qk_output'), scores of all keys, beside a sliding_window_cache, which drops some");
  if (onnx_has(n, N_QUERIES) && !(onnx_has(n, PAST_KEY) && onnx_attr_int(n, "causal", 1)))
    onnx_invalid(n, "operand %d ('%s'): expected a past, and causal attention", N_QUERIES, n->proto->input[N_QUERIES]);
  if (!onnx_failed(n) && (onnx_has(n, PAST_KEY) != onnx_has(n, PAST_VALUE) || onnx_has(n, KEY) != onnx_has(n, VALUE)))
    onnx_invalid(n, "expected keys and values, or neither");
  if (!onnx_failed(n) && onnx_operand_shape(n, QUERY).rank != 3)
    onnx_invalid(n, "operand 0 ('%s'): expected 3 dimensions", n->proto->input[QUERY]);
}

//===-- Queries, keys, values ------------------------------------------------------------------------------------===//

// Heads [first, first + count) of |x|, [batch, length, heads, size].
static MlirValue some_heads(onnx_node_t *n, MlirValue x, int64_t all, int64_t first, int64_t count) {
  x = onnx_swap_heads(n, onnx_split_heads(n, x, all));
  return first == 0 && count == all ? x : onnx_slice_axis(n, x, 2, first, 1, count);
}

// Keys and values are of as many positions as queries.
static bool agree(onnx_node_t *n, const cache_t *c) {
  strata_dim_t dims[2] = {c->batch, c->queries};
  for (int i = KEY; i <= PAST_VALUE && !onnx_failed(n); i++) {
    strata_shape_t shape = onnx_has(n, i) ? onnx_operand_shape(n, i) : (strata_shape_t){.rank = 0};
    int count = i <= VALUE ? 2 : 1;
    for (int k = 0; onnx_has(n, i) && k < count && !onnx_failed(n); k++)
      if (shape.rank != (i <= VALUE ? 3 : 4) || !onnx_agree(n, shape.dims[k], dims[k]))
        onnx_invalid(n, "operand %d ('%s'): expected %d dimensions, and a size of %s at %d", i, n->proto->input[i],
                     i <= VALUE ? 3 : 4, onnx_dim_text(n, dims[k]), k);
  }
  return !onnx_failed(n);
}

static void read_operands(onnx_node_t *n, const cache_t *c, MlirValue out[3]) {
  MlirValue query = onnx_operand(n, QUERY);
  int64_t all = c->heads + 2 * c->kv_heads;
  if (onnx_has(n, KEY)) {
    out[0] = some_heads(n, query, c->heads, 0, c->heads);
    out[1] = some_heads(n, onnx_operand(n, KEY), c->kv_heads, 0, c->kv_heads);
    out[2] = some_heads(n, onnx_operand(n, VALUE), c->kv_heads, 0, c->kv_heads);
    return;
  }
  out[0] = some_heads(n, query, all, 0, c->heads);
  out[1] = some_heads(n, query, all, c->heads, c->kv_heads);
  out[2] = some_heads(n, query, all, c->heads + c->kv_heads, c->kv_heads);
}

static MlirValue normalized(onnx_node_t *n, MlirValue x, int weight, const char *epsilon) {
  if (!onnx_has(n, weight) || onnx_failed(n))
    return x;
  int64_t axis = 3;
  strata_attr_value_t attrs[2] = {{.n_i64s = 1, .i64s = &axis},
                                  {.f64 = onnx_attr_float(n, epsilon, onnx_attr_float(n, "qk_norm_epsilon", 1e-6))}};
  strata_type_t type = onnx_shape(x).type;
  MlirValue operands[2] = {onnx_widen(n, x), onnx_widen(n, onnx_operand(n, weight))};
  return onnx_round(n, strata_build_composite(n->b, STRATA_COMPOSITE_RMS_NORM, 2, operands, 2, attrs), type);
}

// The positions of the queries, [batch, length].
static MlirValue positions(onnx_node_t *n, const cache_t *c) {
  if (onnx_has(n, POSITIONS))
    return onnx_operand(n, POSITIONS);
  strata_dim_t dims[2] = {onnx_dim(n, 1), c->queries};
  return onnx_binary(n, STRATA_OP_ADD, c->begin, onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1));
}

static void rotate(onnx_node_t *n, const cache_t *c, MlirValue parts[3]) {
  if (!onnx_attr_int(n, "do_rotary", 0) || onnx_failed(n))
    return;
  MlirValue places = positions(n, c);
  MlirValue cos = onnx_operand(n, COS), sin = onnx_operand(n, SIN);
  if (onnx_failed(n))
    return;
  cos = strata_build_gather(n->b, cos, places, 0, 0);
  sin = strata_build_gather(n->b, sin, places, 0, 0);
  for (int i = 0; i < 2; i++)
    parts[i] = onnx_rotate(n, parts[i], cos, sin, onnx_attr_int(n, "rotary_interleaved", 0));
}

//===-- The cache ------------------------------------------------------------------------------------------------===//

// The numbers of an operand of any shape, of which there must be |count|.
static void expect_numbers(onnx_node_t *n, int operand, strata_dim_t count) {
  strata_shape_t shape = onnx_operand_shape(n, operand);
  strata_dim_t found = onnx_dim(n, 1);
  for (int i = 0; i < shape.rank; i++)
    found = strata_dim_mul(found, shape.dims[i]);
  if (!onnx_failed(n) && !onnx_agree(n, found, count))
    onnx_invalid(n, "operand %d ('%s'): expected %s numbers, got %s", operand, n->proto->input[operand],
                 onnx_dim_text(n, count), onnx_dim_text(n, found));
}

// An operand of one number a batch entry, [batch, 1].
static MlirValue column(onnx_node_t *n, const cache_t *c, int operand) {
  expect_numbers(n, operand, c->batch);
  MlirValue x = onnx_convert(n, onnx_operand(n, operand), false, STRATA_TYPE_I64, false);
  return onnx_reshape_dims(n, x, 2, (strata_dim_t[]){c->batch, onnx_dim(n, 1)});
}

static onnx_recent_t recent_of(onnx_node_t *n, const cache_t *c) {
  return (onnx_recent_t){.window = onnx_attr_int(n, "local_window_size", -1),
                         .batch = c->batch,
                         .queries = c->queries,
                         .room = c->room,
                         .begin = c->begin,
                         .count = c->count};
}

static void read_recent(onnx_node_t *n, cache_t *c) {
  onnx_recent_t r = recent_of(n, c);
  if (!onnx_failed(n) && !onnx_require(n->importer, c->room, onnx_dim(n, r.window), 0, INT64_MAX))
    onnx_invalid(n, "operand %d ('%s'): expected places for the window's %lld tokens, got %s", PAST_KEY,
                 n->proto->input[PAST_KEY], (long long)r.window, onnx_dim_text(n, c->room));
  if (onnx_failed(n))
    return;
  c->keys = strata_dim_add(c->room, c->queries);
  c->tokens = onnx_reshape_dims(n, onnx_recent_tokens(n, &r), 4,
                                (strata_dim_t[]){c->batch, onnx_dim(n, 1), onnx_dim(n, 1), c->keys});
}

// Operand TOTAL is how many keys there are with the new ones, of the longest batch entry. The cache has room for those,
// or for as many as before if that is more; one of the last tokens has as many places as before.
static void read_room(onnx_node_t *n, cache_t *c) {
  strata_shape_t past = onnx_has(n, PAST_KEY) ? onnx_operand_shape(n, PAST_KEY) : (strata_shape_t){.rank = 4};
  int64_t count = 1;
  const strata_dim_t *total = is_recent(n) ? &past.dims[2] : onnx_dims(n, TOTAL, &count);
  if (!onnx_failed(n) && count != 1)
    onnx_invalid(n, "operand %d ('%s'): expected one number", TOTAL, n->proto->input[TOTAL]);
  else if (!onnx_failed(n) && past.rank != 4)
    onnx_invalid(n, "operand %d ('%s'): expected 4 dimensions", PAST_KEY, n->proto->input[PAST_KEY]);
  if (onnx_failed(n))
    return;
  c->total = c->room = total[0];
  if (onnx_has(n, PAST_KEY) && !is_recent(n))
    c->room = onnx_derive(n, STRATA_SYMBOL_MAX, total[0], past.dims[2]);
  c->keys = c->room;
}

// Operand N_QUERIES is how many of the new keys are meant: those behind are written, too, where the next ones will be.
static void read_cache(onnx_node_t *n, cache_t *c) {
  strata_shape_t query = onnx_operand_shape(n, QUERY);
  c->batch = query.dims[0];
  c->queries = query.dims[1];
  read_room(n, c);
  if (onnx_failed(n))
    return;
  c->count = onnx_with_number(n, STRATA_OP_ADD, column(n, c, LAST_KEYS), 1);
  MlirValue begin = onnx_has(n, N_QUERIES) ? onnx_binary(n, STRATA_OP_SUB, c->count, column(n, c, N_QUERIES))
                                           : onnx_with_dim(n, STRATA_OP_SUB, c->count, c->queries);
  c->begin = onnx_with_number(n, STRATA_OP_MAX, begin, 0);
  if (is_recent(n))
    read_recent(n, c);
}

// What was in the cache, [batch, heads, room, size]; 0 behind.
static MlirValue older(onnx_node_t *n, const cache_t *c, int operand, MlirValue like) {
  strata_shape_t shape = onnx_shape(like);
  if (!onnx_has(n, operand))
    return onnx_number(n, like, 0);
  MlirValue past = onnx_operand(n, operand);
  strata_shape_t old = onnx_shape(past);
  strata_dim_t low[4], high[4],
      missing = strata_dim_sub(onnx_resolve(n->importer, c->room), onnx_resolve(n->importer, old.dims[2]));
  for (int i = 0; i < 4 && !onnx_failed(n); i++) {
    low[i] = high[i] = onnx_dim(n, 0);
    if (i != 2)
      onnx_agree(n, old.dims[i], shape.dims[i]);
  }
  high[2] = missing;
  return strata_dim_is(missing, 0) ? onnx_operand(n, operand)
                                   : strata_build_pad_dims(n->b, onnx_operand(n, operand), low, high, 0);
}

// The cache is an input of the model, has room for what is new, and is given back: it can be written where it is.
static bool is_updated(const onnx_node_t *n, const cache_t *c, int past) {
  if (is_recent(n) || !onnx_updates_input(n, past - PAST_KEY + 1, past))
    return false;
  strata_shape_t old = onnx_shape(n->inputs[past].tensor);
  return strata_dim_equal(onnx_resolve(n->importer, c->room), onnx_resolve(n->importer, old.dims[2]));
}

// The cache with the new values |x|, [batch, length, heads, size]: what attention reads.
static MlirValue extended(onnx_node_t *n, const cache_t *c, int past, MlirValue x) {
  if (onnx_failed(n))
    return x;
  if (is_recent(n))
    return onnx_recent_joined(n, onnx_operand(n, past), onnx_swap_heads(n, x));
  if (is_updated(n, c, past)) {
    strata_shape_t old = onnx_operand_shape(n, past), new = onnx_shape(x);
    if (!onnx_agree(n, old.dims[1], new.dims[2]) || !onnx_agree(n, old.dims[3], new.dims[3]))
      onnx_invalid(n, "operand %d ('%s'): the heads differ from those of what is new", past, n->proto->input[past]);
    return onnx_written(n, onnx_operand(n, past), onnx_swap_heads(n, x), 2, c->begin, false);
  }
  strata_dim_t row[2] = {onnx_dim(n, 1), c->room};
  MlirValue place = onnx_iota_dims(n, STRATA_TYPE_I64, 2, row, 1);
  MlirValue from = onnx_binary(n, STRATA_OP_SUB, place, c->begin);
  MlirValue new = onnx_swap_heads(n, strata_build_gather(n->b, x, from, 1, 1));
  strata_dim_t lined[4] = {c->batch, onnx_dim(n, 1), c->room, onnx_dim(n, 1)};
  MlirValue is_new = onnx_both(n, onnx_with_number(n, STRATA_OP_GE, from, 0),
                               onnx_binary(n, STRATA_OP_LT, from, strata_build_dim(n->b, c->queries, STRATA_TYPE_I64)));
  return onnx_select(n, onnx_reshape_dims(n, is_new, 4, lined), new, older(n, c, past, new));
}

//===-- Caches of bytes ------------------------------------------------------------------------------------------===//

// The scale of keys or values: a number, or one for each element of a head, [heads, size], with a dim of 1 between
// these if |has_places|.
static MlirValue scale_of(onnx_node_t *n, const cache_t *c, int which, strata_dim_t size, bool has_places) {
  strata_dim_t heads = onnx_dim(n, c->kv_heads), one = onnx_dim(n, 1);
  if (!onnx_attr_is(n, quant_types[which], "PER_CHANNEL"))
    return onnx_scalar(n, K_SCALE + which, STRATA_TYPE_F32);
  expect_numbers(n, K_SCALE + which, strata_dim_mul(heads, size));
  MlirValue scale = onnx_operand(n, K_SCALE + which);
  return has_places ? onnx_reshape_dims(n, scale, 3, (strata_dim_t[]){heads, one, size})
                    : onnx_reshape_dims(n, scale, 2, (strata_dim_t[]){heads, size});
}

// |x|, whole numbers from 0 to 15 of an even number in each row, two in a byte.
static MlirValue pack(onnx_node_t *n, MlirValue x) {
  int64_t size = 0;
  if (!strata_dim_is_constant(onnx_shape(x).dims[3], &size) || size % 2)
    onnx_invalid(n, "expected heads of an even number of elements, got %s", onnx_dim_text(n, onnx_shape(x).dims[3]));
  if (onnx_failed(n))
    return x;
  MlirValue low = onnx_slice_axis(n, x, 3, 0, 2, size / 2), high = onnx_slice_axis(n, x, 3, 1, 2, size / 2);
  MlirValue bytes = onnx_binary(n, STRATA_OP_ADD, low, onnx_with_number(n, STRATA_OP_MUL, high, 16));
  return onnx_convert(n, bytes, false, STRATA_TYPE_I8, true);
}

// The numbers from -8 to 7 of a cache of bytes, [batch, heads, room, bytes].
static MlirValue unpack(onnx_node_t *n, MlirValue x) {
  strata_shape_t shape = onnx_shape(x);
  int64_t bytes = 0;
  if (!strata_dim_is_constant(shape.dims[3], &bytes))
    onnx_unsupported(n, "heads of %s bytes, which must be a number", onnx_dim_text(n, shape.dims[3]));
  if (onnx_failed(n))
    return x;
  strata_dim_t rows = strata_dim_product(n->b->compile->context, 3, shape.dims);
  x = onnx_convert(n, onnx_unpack_bits(n, x, 4, rows, 2 * bytes), true, STRATA_TYPE_F32, false);
  shape.dims[3] = onnx_dim(n, 2 * bytes);
  return onnx_with_number(n, STRATA_OP_SUB, onnx_reshape_dims(n, x, 4, shape.dims), 8);
}

// What is new, [batch, length, heads, size], as the cache has it.
static MlirValue to_cache(onnx_node_t *n, const cache_t *c, int which, MlirValue x) {
  if (!is_quantized(n, which) || onnx_failed(n))
    return x;
  MlirValue scale = scale_of(n, c, which, onnx_shape(x).dims[3], false);
  x = onnx_binary(n, STRATA_OP_DIV, onnx_widen(n, x), scale);
  if (!is_packed(n))
    return onnx_quantized(n, x, (MlirValue){0}, onnx_operand_shape(n, PAST_KEY + which).type, false);
  x = onnx_with_number(n, STRATA_OP_ADD, onnx_unary(n, STRATA_OP_ROUND_EVEN, x), 8);
  return pack(n, onnx_with_number(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, x, 0), 15));
}

// The cache, [batch, heads, room, size], as numbers of |type|.
static MlirValue of_cache(onnx_node_t *n, const cache_t *c, int which, MlirValue x, strata_type_t type) {
  if (!is_quantized(n, which) || onnx_failed(n))
    return x;
  x = is_packed(n) ? unpack(n, x) : onnx_convert(n, x, false, STRATA_TYPE_F32, false);
  MlirValue scale = scale_of(n, c, which, onnx_shape(x).dims[3], true);
  return onnx_convert(n, onnx_binary(n, STRATA_OP_MUL, x, scale), false, type, false);
}

//===-- The operator ---------------------------------------------------------------------------------------------===//

// Key <= begin + query, or any key there is; not further back than a window. [batch, 1, queries, keys]
static MlirValue visible(onnx_node_t *n, const cache_t *c) {
  strata_dim_t dims[2] = {c->queries, c->keys};
  MlirValue row = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 0);
  MlirValue key = is_recent(n) ? c->tokens : onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1);
  int64_t window = onnx_attr_int(n, "local_window_size", -1);
  strata_dim_t lined[4] = {c->batch, onnx_dim(n, 1), onnx_dim(n, 1), onnx_dim(n, 1)};
  if (!onnx_attr_int(n, "causal", 1))
    return onnx_binary(n, STRATA_OP_LT, key, onnx_reshape_dims(n, c->count, 4, lined));
  MlirValue last = onnx_binary(n, STRATA_OP_ADD, row, onnx_reshape_dims(n, c->begin, 4, lined));
  MlirValue allowed = onnx_binary(n, STRATA_OP_LE, key, last);
  if (window > 0)
    allowed = onnx_both(n, allowed,
                        onnx_binary(n, STRATA_OP_GT, key, onnx_with_number(n, STRATA_OP_SUB, last, (double)window)));
  return is_recent(n) ? onnx_both(n, allowed, onnx_with_number(n, STRATA_OP_GE, key, 0)) : allowed;
}

// The bias, whose columns are all tokens that there have been, of the keys.
static MlirValue bias_of(onnx_node_t *n, const cache_t *c) {
  MlirValue bias = onnx_operand(n, BIAS);
  if (!is_recent(n))
    return onnx_to_room(n, bias, c->room);
  strata_shape_t shape = onnx_shape(bias);
  if (onnx_failed(n) || shape.rank != 4 || strata_dim_is(shape.dims[3], 1))
    return bias;
  shape.dims[0] = c->batch;
  strata_dim_t columns[2] = {c->batch, c->keys};
  return strata_build_gather(n->b, onnx_broadcast_dims(n, bias, 4, shape.dims),
                             onnx_reshape_dims(n, c->tokens, 2, columns), 3, 1);
}

// Result |1 + i|, of the cache that attention reads.
static void set_present(onnx_node_t *n, const cache_t *c, int i, MlirValue cache) {
  onnx_recent_t r = recent_of(n, c);
  if (is_updated(n, c, PAST_KEY + i))
    onnx_set_update(n, 1 + i, cache, PAST_KEY + i);
  else if (onnx_has(n, PAST_KEY + i))
    onnx_set_like(n, 1 + i, is_recent(n) ? onnx_recent_kept(n, &r, cache) : cache, PAST_KEY + i);
  else
    onnx_set(n, 1 + i, cache);
}

// Scores as 'qk_output' asks for them, in front of the softmax or behind it, of as many keys as TOTAL says; 0 where a
// query does not see a key.
static MlirValue shown(onnx_node_t *n, const cache_t *c, MlirValue allowed, const MlirValue *stages) {
  int64_t which = onnx_attr_int(n, "qk_output", 0);
  if (which != 1 && which != 2)
    onnx_invalid(n, "attribute 'qk_output': expected 1 or 2 for result 3, got %lld", (long long)which);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue x = stages[which == 1 ? ONNX_BIASED : ONNX_PROBABILITIES];
  return onnx_slice_dims(n, onnx_select(n, allowed, x, onnx_number(n, x, 0)), 3, onnx_dim(n, 0), 1, c->total);
}

void onnx_import_group_query_attention(onnx_node_t *n) {
  cache_t c = {.heads = onnx_attr_int(n, "num_heads", 0), .kv_heads = onnx_attr_int(n, "kv_num_heads", 0)};
  MlirValue parts[3] = {{0}};
  check(n);
  if (!onnx_failed(n) && (c.heads < 1 || c.kv_heads < 1 || c.heads % c.kv_heads))
    onnx_invalid(n, "expected heads that those of keys and values divide, got %lld and %lld", (long long)c.heads,
                 (long long)c.kv_heads);
  if (!onnx_failed(n))
    read_cache(n, &c);
  if (onnx_failed(n) || !agree(n, &c))
    return;
  read_operands(n, &c, parts);
  parts[0] = normalized(n, parts[0], Q_NORM, "q_norm_epsilon");
  parts[1] = normalized(n, parts[1], K_NORM, "k_norm_epsilon");
  rotate(n, &c, parts);
  MlirValue caches[2];
  for (int i = 0; i < 2; i++)
    caches[i] = extended(n, &c, PAST_KEY + i, to_cache(n, &c, i, parts[1 + i]));
  if (onnx_failed(n))
    return;
  onnx_attention_t a = {.q = onnx_swap_heads(n, parts[0]),
                        .k = of_cache(n, &c, 0, caches[0], onnx_shape(parts[0]).type),
                        .v = of_cache(n, &c, 1, caches[1], onnx_shape(parts[0]).type),
                        .scale = onnx_attr_float(n, "scale", 0),
                        .softcap = onnx_attr_float(n, "softcap", 0),
                        .softmax_type = STRATA_TYPE_COUNT};
  if (onnx_failed(n))
    return;
  a.allowed = visible(n, &c);
  if (onnx_has(n, BIAS))
    a.bias = bias_of(n, &c);
  if (onnx_has(n, SINK))
    a.sink = onnx_operand(n, SINK);
  else if (onnx_attr_int(n, "smooth_softmax", 0))
    a.sink = onnx_splat(n, onnx_shape(a.q).type, 0, NULL, 0);
  MlirValue stages[ONNX_N_STAGES] = {{0}};
  onnx_set(n, 0, onnx_join_heads(n, onnx_attend(n, &a, onnx_wants(n, 3) ? stages : NULL)));
  if (onnx_wants(n, 3))
    onnx_set(n, 3, shown(n, &c, a.allowed, stages));
  for (int i = 0; i < 2; i++)
    set_present(n, &c, i, caches[i]);
}
