// com.microsoft's PagedAttention: causal attention of tokens of several sequences, which follow one another without
// padding, to a cache in pages: block table row b has the pages of sequence b, in order. The operator writes what is
// new into the cache, where a token's position in its sequence says.
//
// Where there are as many tokens as sequences, as in a step of decoding, each token reads its sequence's pages by
// itself. Otherwise sequences have rows of their own, as many as there are tokens, so that each sequence's pages are
// read once.
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/cache.h"
#include "dialects/import/onnx/sizes.h"

enum { QUERY, KEY, VALUE, KEY_CACHE, VALUE_CACHE, OFFSETS, PAST, TABLE, COS, SIN };

typedef struct {
  int64_t heads, kv_heads;
  strata_dim_t tokens, batch, blocks, page, pages, size; // of a sequence |pages|
  MlirValue offsets, past, table;                        // i64
  MlirValue sequence, place;                             // i64 [tokens]: which each token is of, and where it is in it
} paged_t;

static MlirValue operand_i64(onnx_node_t *n, int i) {
  return onnx_convert(n, onnx_operand(n, i), false, STRATA_TYPE_I64, false);
}

static void check(onnx_node_t *n, const paged_t *p) {
  static const int ranks[] = {
      [QUERY] = 2, [KEY] = 2, [VALUE] = 2, [KEY_CACHE] = 4, [VALUE_CACHE] = 4, [OFFSETS] = 1, [PAST] = 1, [TABLE] = 2};
  for (int i = QUERY; i <= TABLE && !onnx_failed(n); i++)
    if (onnx_has(n, i) && onnx_operand_shape(n, i).rank != ranks[i])
      onnx_invalid(n, "operand %d ('%s'): expected %d dimensions, got %d", i, n->proto->input[i], ranks[i],
                   onnx_operand_shape(n, i).rank);
  if (!onnx_failed(n) && onnx_has(n, KEY) != onnx_has(n, VALUE))
    onnx_invalid(n, "expected keys and values, or neither");
  if (!onnx_failed(n) && (p->heads < 1 || p->kv_heads < 1 || p->heads % p->kv_heads))
    onnx_invalid(n, "expected heads that those of keys and values divide, got %lld and %lld", (long long)p->heads,
                 (long long)p->kv_heads);
}

static void read_sizes(onnx_node_t *n, paged_t *p) {
  strata_shape_t cache = onnx_operand_shape(n, KEY_CACHE), table = onnx_operand_shape(n, TABLE);
  p->tokens = onnx_operand_shape(n, QUERY).dims[0];
  p->blocks = cache.dims[0], p->page = cache.dims[1], p->size = cache.dims[3];
  p->batch = table.dims[0], p->pages = table.dims[1];
  strata_dim_t dims[4] = {p->blocks, p->page, onnx_dim(n, p->kv_heads), p->size};
  onnx_expect_shape(n, KEY_CACHE, 4, dims);
  onnx_expect_shape(n, VALUE_CACHE, 4, dims);
  onnx_expect_shape(n, PAST, 1, &p->batch);
  strata_dim_t ends = strata_dim_plus(p->batch, 1);
  onnx_expect_shape(n, OFFSETS, 1, &ends);
}

// Heads [first, first + count) of rows of |all|, [tokens, heads, size].
static MlirValue some_heads(onnx_node_t *n, const paged_t *p, int operand, int64_t all, int64_t first, int64_t count) {
  strata_dim_t row[2] = {p->tokens, strata_dim_times(p->size, all)};
  strata_dim_t dims[3] = {p->tokens, onnx_dim(n, all), p->size};
  onnx_expect_shape(n, operand, 2, row);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue x = onnx_reshape_dims(n, onnx_operand(n, operand), 3, dims);
  return count == all ? x : onnx_slice_axis(n, x, 1, first, 1, count);
}

static void read_rows(onnx_node_t *n, const paged_t *p, MlirValue out[3]) {
  const int64_t counts[3] = {p->heads, p->kv_heads, p->kv_heads};
  int64_t first = 0, all = p->heads + 2 * p->kv_heads;
  for (int i = 0; i < 3; first += counts[i++])
    out[i] = onnx_has(n, KEY) ? some_heads(n, p, QUERY + i, counts[i], 0, counts[i])
                              : some_heads(n, p, QUERY, all, first, counts[i]);
}

static MlirValue at(onnx_node_t *n, MlirValue x, MlirValue places) {
  return onnx_failed(n) ? x : strata_build_gather(n->b, x, places, 0, 0);
}

static void find_places(onnx_node_t *n, paged_t *p) {
  p->offsets = operand_i64(n, OFFSETS), p->past = operand_i64(n, PAST), p->table = operand_i64(n, TABLE);
  if (onnx_failed(n))
    return;
  p->sequence = onnx_convert(n, strata_build_segment_rows(n->b, p->offsets, p->tokens), false, STRATA_TYPE_I64, false);
  MlirValue token = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &p->tokens, 0);
  MlirValue behind = onnx_binary(n, STRATA_OP_SUB, token, at(n, p->offsets, p->sequence));
  p->place = onnx_binary(n, STRATA_OP_ADD, at(n, p->past, p->sequence), behind);
}

static MlirValue rotated(onnx_node_t *n, const paged_t *p, MlirValue x) {
  if (!onnx_attr_int(n, "do_rotary", 0) || onnx_failed(n))
    return x;
  MlirValue cos = at(n, onnx_operand(n, COS), p->place), sin = at(n, onnx_operand(n, SIN), p->place);
  x = onnx_rotate(n, onnx_insert_axis(n, x, 0), onnx_insert_axis(n, cos, 0), onnx_insert_axis(n, sin, 0),
                  onnx_attr_int(n, "rotary_interleaved", 0));
  return onnx_remove_axis(n, x, 0);
}

//===-- The cache ------------------------------------------------------------------------------------------------===//

// The cache's row of each token, counted through; -1 for those that are of no sequence or beyond the table.
static MlirValue cache_rows(onnx_node_t *n, const paged_t *p) {
  strata_dim_t entries = strata_dim_mul(p->batch, p->pages);
  MlirValue page = onnx_with_dim(n, STRATA_OP_DIV, p->place, p->page);
  MlirValue row = onnx_with_dim(n, STRATA_OP_REM, p->place, p->page);
  MlirValue entry = onnx_binary(n, STRATA_OP_ADD, onnx_with_dim(n, STRATA_OP_MUL, p->sequence, p->pages), page);
  MlirValue block = at(n, onnx_reshape_dims(n, p->table, 1, &entries), entry);
  row = onnx_binary(n, STRATA_OP_ADD, onnx_with_dim(n, STRATA_OP_MUL, block, p->page), row);
  MlirValue token = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &p->tokens, 0);
  MlirValue end = at(n, p->offsets, onnx_with_number(n, STRATA_OP_ADD, p->sequence, 1));
  MlirValue exists = onnx_both(n, onnx_binary(n, STRATA_OP_LT, token, end),
                               onnx_binary(n, STRATA_OP_LT, page, strata_build_dim(n->b, p->pages, STRATA_TYPE_I64)));
  return onnx_select(n, exists, row, onnx_number(n, row, -1));
}

static MlirValue written(onnx_node_t *n, const paged_t *p, int cache, MlirValue rows, MlirValue x) {
  strata_dim_t width = strata_dim_times(p->size, p->kv_heads);
  strata_dim_t all[2] = {strata_dim_mul(p->blocks, p->page), width}, new[2] = {p->tokens, width};
  strata_shape_t shape = onnx_operand_shape(n, cache);
  if (onnx_failed(n))
    return x;
  MlirValue result = strata_build_scatter(n->b, "distinct", onnx_reshape_dims(n, onnx_operand(n, cache), 2, all), rows,
                                          onnx_reshape_dims(n, x, 2, new));
  return onnx_reshape_dims(n, result, 4, shape.dims);
}

// The columns that |table| [rows, pages] finds, [rows, heads, columns, size].
static MlirValue columns(onnx_node_t *n, const paged_t *p, MlirValue cache, MlirValue table) {
  strata_dim_t dims[4] = {onnx_shape(table).dims[0], strata_dim_mul(p->pages, p->page), onnx_dim(n, p->kv_heads),
                          p->size};
  return onnx_swap_heads(n, onnx_reshape_dims(n, at(n, cache, table), 4, dims));
}

//===-- Attention ------------------------------------------------------------------------------------------------===//

// Columns up to |place| [rows, queries], and not further back than a window: [rows, 1, queries, columns].
static MlirValue visible(onnx_node_t *n, const paged_t *p, MlirValue place, strata_dim_t rows, strata_dim_t queries) {
  int64_t window = onnx_attr_int(n, "local_window_size", -1);
  strata_dim_t count = strata_dim_mul(p->pages, p->page), lined[4] = {rows, onnx_dim(n, 1), queries, onnx_dim(n, 1)};
  MlirValue column = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &count, 0);
  place = onnx_reshape_dims(n, place, 4, lined);
  MlirValue allowed = onnx_binary(n, STRATA_OP_LE, column, place);
  if (window > 0)
    allowed = onnx_both(
        n, allowed, onnx_binary(n, STRATA_OP_GT, column, onnx_with_number(n, STRATA_OP_SUB, place, (double)window)));
  return allowed;
}

static onnx_attention_t settings(onnx_node_t *n) {
  return (onnx_attention_t){.scale = onnx_attr_float(n, "scale", 0),
                            .softcap = onnx_attr_float(n, "softcap", 0),
                            .softmax_type = STRATA_TYPE_COUNT};
}

// Each token a row of its own.
static MlirValue attend_by_tokens(onnx_node_t *n, const paged_t *p, MlirValue q, const MlirValue caches[2]) {
  onnx_attention_t a = settings(n);
  MlirValue table = at(n, p->table, p->sequence);
  strata_dim_t dims[2] = {p->tokens, strata_dim_times(p->size, p->heads)};
  a.q = onnx_insert_axis(n, q, 2);
  a.k = columns(n, p, caches[0], table), a.v = columns(n, p, caches[1], table);
  a.allowed = visible(n, p, p->place, p->tokens, onnx_dim(n, 1));
  return onnx_reshape_dims(n, onnx_attend(n, &a, NULL), 2, dims);
}

// Each sequence a batch entry, which has room for all tokens.
static MlirValue attend_by_sequences(onnx_node_t *n, const paged_t *p, MlirValue q, const MlirValue caches[2]) {
  onnx_attention_t a = settings(n);
  strata_dim_t row[2] = {onnx_dim(n, 1), p->tokens}, one[2] = {p->batch, onnx_dim(n, 1)};
  strata_dim_t width = strata_dim_times(p->size, p->heads), flat[2] = {strata_dim_mul(p->batch, p->tokens), width};
  MlirValue number = onnx_iota_dims(n, STRATA_TYPE_I64, 2, row, 1);
  MlirValue begin = onnx_slice_dims(n, p->offsets, 0, onnx_dim(n, 0), 1, p->batch);
  MlirValue token = onnx_binary(n, STRATA_OP_ADD, onnx_reshape_dims(n, begin, 2, one), number);
  MlirValue place = onnx_binary(n, STRATA_OP_ADD, onnx_reshape_dims(n, p->past, 2, one), number);
  a.q = onnx_swap_heads(n, at(n, q, token));
  a.k = columns(n, p, caches[0], p->table), a.v = columns(n, p, caches[1], p->table);
  a.allowed = visible(n, p, place, p->batch, p->tokens);
  MlirValue result = onnx_reshape_dims(n, onnx_join_heads(n, onnx_attend(n, &a, NULL)), 2, flat);
  MlirValue behind = onnx_binary(n, STRATA_OP_SUB, p->place, at(n, p->past, p->sequence));
  return at(n, result, onnx_binary(n, STRATA_OP_ADD, onnx_with_dim(n, STRATA_OP_MUL, p->sequence, p->tokens), behind));
}

void onnx_import_paged_attention(onnx_node_t *n) {
  paged_t p = {.heads = onnx_attr_int(n, "num_heads", 0), .kv_heads = onnx_attr_int(n, "kv_num_heads", 0)};
  MlirValue parts[3], caches[2];
  check(n, &p);
  if (!onnx_failed(n))
    read_sizes(n, &p);
  if (onnx_failed(n))
    return;
  read_rows(n, &p, parts);
  find_places(n, &p);
  for (int i = 0; i < 2; i++)
    parts[i] = rotated(n, &p, parts[i]);
  MlirValue rows = onnx_failed(n) ? p.place : cache_rows(n, &p);
  for (int i = 0; i < 2; i++)
    caches[i] = written(n, &p, KEY_CACHE + i, rows, parts[1 + i]);
  if (onnx_failed(n))
    return;
  bool is_step = strata_dim_equal(onnx_resolve(n->importer, p.tokens), onnx_resolve(n->importer, p.batch));
  onnx_set(n, 0, is_step ? attend_by_tokens(n, &p, parts[0], caches) : attend_by_sequences(n, &p, parts[0], caches));
  for (int i = 0; i < 2; i++)
    if (onnx_updates_input(n, 1 + i, KEY_CACHE + i))
      onnx_set_update(n, 1 + i, caches[i], KEY_CACHE + i);
    else
      onnx_set(n, 1 + i, caches[i]);
}
