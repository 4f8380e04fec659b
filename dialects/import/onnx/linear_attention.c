// LinearAttention: a state of keys by values for each head, which each position updates and reads.
//
//   S = exp(decay) S + beta k (v - S' k)    y = scale q S    S': the state that has decayed; S' = 0 without 'delta'
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>
#include <string.h>

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA };
enum { MAX_STEPS = 4096 /* unrolled */, MAX_INPUTS = 5 };

// Rows by position: [length, batch, heads of keys, ...].
typedef struct {
  onnx_node_t *n;
  strata_dim_t batch, length;
  int64_t heads, shared, key_size, value_size; // |shared|: queries for each head of keys
  bool has_decay, has_delta;
  int n_inputs;
  MlirValue inputs[MAX_INPUTS]; // queries, keys, values, then exp(decay) and beta as far as they are there
} attention_t;

static bool read_rule(onnx_node_t *n, attention_t *a) {
  const char *rule = onnx_attr_string(n, "update_rule", "gated_delta");
  a->has_decay = !strcmp(rule, "gated") || !strcmp(rule, "gated_delta");
  a->has_delta = !strcmp(rule, "delta") || !strcmp(rule, "gated_delta");
  if (onnx_attr_int(n, "state_window", 0))
    onnx_unsupported(n, "the states of several positions");
  if (!onnx_failed(n) && a->has_decay && !onnx_has(n, DECAY))
    onnx_invalid(n, "update_rule '%s' needs operand %d, the decay", rule, DECAY);
  if (!onnx_failed(n) && a->has_delta && !onnx_has(n, BETA))
    onnx_invalid(n, "update_rule '%s' needs operand %d, the update rate", rule, BETA);
  return !onnx_failed(n);
}

// The size of a head of operand |i|, [batch, length, heads * size].
static int64_t head_size(onnx_node_t *n, const attention_t *a, int i, int64_t heads) {
  strata_shape_t shape = onnx_operand_shape(n, i);
  int64_t width = 0;
  if (!onnx_failed(n) &&
      (shape.rank != 3 || !onnx_agree(n, shape.dims[0], a->batch) || !onnx_agree(n, shape.dims[1], a->length) ||
       !strata_dim_is_constant(shape.dims[2], &width) || width < 1 || width % heads))
    onnx_invalid(n, "operand %d ('%s'): expected [%s, %s, %lld * size]", i, n->proto->input[i],
                 onnx_dim_text(n, a->batch), onnx_dim_text(n, a->length), (long long)heads);
  return onnx_failed(n) ? 1 : width / heads;
}

static bool read_sizes(onnx_node_t *n, attention_t *a) {
  strata_shape_t query = onnx_operand_shape(n, QUERY);
  int64_t q_heads = onnx_attr_int(n, "q_num_heads", 0);
  a->heads = onnx_attr_int(n, "kv_num_heads", 0);
  if (!onnx_failed(n) && (a->heads < 1 || q_heads < 1 || q_heads % a->heads))
    onnx_invalid(n, "expected heads of keys that divide those of queries, got %lld and %lld", (long long)a->heads,
                 (long long)q_heads);
  if (!onnx_failed(n) && query.rank != 3)
    onnx_invalid(n, "operand 0 ('%s'): expected 3 dimensions, got %d", n->proto->input[QUERY], query.rank);
  if (onnx_failed(n))
    return false;
  a->batch = query.dims[0];
  a->length = query.dims[1];
  a->shared = q_heads / a->heads;
  a->key_size = head_size(n, a, QUERY, q_heads);
  a->value_size = head_size(n, a, VALUE, a->heads);
  if (head_size(n, a, KEY, a->heads) != a->key_size && !onnx_failed(n))
    onnx_invalid(n, "the heads of queries and keys differ in size");
  if (!onnx_failed(n) && strata_dim_is(a->length, 0))
    onnx_unsupported(n, "a sequence without positions");
  return !onnx_failed(n);
}

// [batch, length, heads * rest] as [length, batch, heads, rest], in f32.
static MlirValue by_position(onnx_node_t *n, const attention_t *a, int operand, int64_t heads, int64_t size) {
  strata_dim_t dims[4] = {a->batch, a->length, onnx_dim(n, heads), onnx_dim(n, size)};
  MlirValue x = onnx_convert(n, onnx_operand(n, operand), false, STRATA_TYPE_F32, false);
  return onnx_move_axis(n, onnx_reshape_dims(n, x, 4, dims), 1, 0);
}

static void read_inputs(onnx_node_t *n, attention_t *a) {
  double scale = onnx_attr_float(n, "scale", 0);
  MlirValue q = by_position(n, a, QUERY, a->heads, a->shared * a->key_size);
  strata_dim_t dims[5] = {a->length, a->batch, onnx_dim(n, a->heads), onnx_dim(n, a->shared), onnx_dim(n, a->key_size)};
  q = onnx_reshape_dims(n, q, 5, dims);
  a->inputs[a->n_inputs++] = onnx_with_number(n, STRATA_OP_MUL, q, scale != 0 ? scale : 1 / sqrt((double)a->key_size));
  a->inputs[a->n_inputs++] = by_position(n, a, KEY, a->heads, a->key_size);
  a->inputs[a->n_inputs++] = by_position(n, a, VALUE, a->heads, a->value_size);
  if (a->has_decay && !onnx_failed(n)) {
    int64_t size = head_size(n, a, DECAY, a->heads);
    if (!onnx_failed(n) && size != 1 && size != a->key_size)
      onnx_invalid(n, "operand %d ('%s'): expected one number a head, or one for each element of its keys", DECAY,
                   n->proto->input[DECAY]);
    a->inputs[a->n_inputs++] = onnx_unary(n, STRATA_OP_EXP, by_position(n, a, DECAY, a->heads, size));
  }
  if (a->has_delta && !onnx_failed(n)) {
    bool is_shared = strata_dim_is(onnx_operand_shape(n, BETA).dims[2], 1);
    int64_t heads = is_shared ? 1 : a->heads;
    if (head_size(n, a, BETA, heads) != 1 && !onnx_failed(n))
      onnx_invalid(n, "operand %d ('%s'): expected one number a head, or one", BETA, n->proto->input[BETA]);
    a->inputs[a->n_inputs++] = by_position(n, a, BETA, heads, 1);
  }
}

// One position; |rows| as |inputs| without their first dim. Returns [batch, heads, shared, value size].
static MlirValue step(const attention_t *a, const MlirValue *rows, MlirValue *state) {
  onnx_node_t *n = a->n;
  MlirValue key = rows[KEY], value = rows[VALUE], s = *state;
  if (a->has_decay)
    s = onnx_binary(n, STRATA_OP_MUL, s, onnx_insert_axis(n, rows[VALUE + 1], 3));
  if (a->has_delta) {
    value = onnx_binary(n, STRATA_OP_SUB, value, onnx_contract(n, "bhk,bhkv->bhv", key, s, STRATA_TYPE_F32, "matmul"));
    value = onnx_binary(n, STRATA_OP_MUL, value, rows[VALUE + 1 + a->has_decay]);
  }
  MlirValue update = onnx_binary(n, STRATA_OP_MUL, onnx_insert_axis(n, key, 3), onnx_insert_axis(n, value, 2));
  *state = onnx_binary(n, STRATA_OP_ADD, s, update);
  return onnx_contract(n, "bhgk,bhkv->bhgv", rows[QUERY], *state, STRATA_TYPE_F32, "matmul");
}

// The results of all positions, [length, ...]; a null value where it cannot be a loop.
static MlirValue run_loop(const attention_t *a, MlirValue *state) {
  const bool reversed[MAX_INPUTS] = {false};
  MlirValue args[1 + MAX_INPUTS], results[2];
  strata_loop_builder_t *loop =
      strata_build_loop_begin(a->n->b, a->length, 1, state, a->n_inputs, a->inputs, reversed, args);
  if (!loop)
    return (MlirValue){0};
  results[1] = step(a, args + 1, &args[0]);
  results[0] = args[0];
  if (!strata_build_loop_end(loop, 2, results, reversed, results))
    return (MlirValue){0};
  *state = results[0];
  return results[1];
}

static MlirValue run_unrolled(const attention_t *a, int64_t length, MlirValue *state) {
  onnx_node_t *n = a->n;
  MlirValue *all = strata_arena_array(n->b->compile->arena, MlirValue, length), rows[MAX_INPUTS];
  for (int64_t t = 0; t < length && !onnx_failed(n); t++) {
    for (int i = 0; i < a->n_inputs; i++)
      rows[i] = onnx_remove_axis(n, onnx_slice_axis(n, a->inputs[i], 0, t, 1, 1), 0);
    all[t] = onnx_insert_axis(n, step(a, rows, state), 0);
  }
  return onnx_failed(n) ? (MlirValue){0} : strata_build_concat(n->b, (int)length, all, 0);
}

static MlirValue run(const attention_t *a, MlirValue *state) {
  int64_t length;
  bool is_known = strata_dim_is_constant(a->length, &length);
  MlirValue all = {0};
  if (!is_known || length > ONNX_MAX_UNROLLED)
    all = run_loop(a, state);
  if (mlirValueIsNull(all) && (!is_known || length > MAX_STEPS))
    onnx_unsupported(a->n, "a sequence of %s positions of constants", onnx_dim_text(a->n, a->length));
  return mlirValueIsNull(all) && !onnx_failed(a->n) ? run_unrolled(a, length, state) : all;
}

void onnx_import_linear_attention(onnx_node_t *n) {
  attention_t a = {.n = n};
  if (!read_rule(n, &a) || !read_sizes(n, &a))
    return;
  read_inputs(n, &a);
  strata_dim_t dims[4] = {a.batch, onnx_dim(n, a.heads), onnx_dim(n, a.key_size), onnx_dim(n, a.value_size)};
  onnx_expect_shape(n, PAST, 4, dims);
  if (onnx_failed(n))
    return;
  strata_type_t type = onnx_operand_shape(n, QUERY).type;
  MlirValue state = onnx_has(n, PAST) ? onnx_convert(n, onnx_operand(n, PAST), false, STRATA_TYPE_F32, false)
                                      : onnx_splat_dims(n, STRATA_TYPE_F32, 4, dims, 0);
  MlirValue all = run(&a, &state);
  if (onnx_failed(n))
    return;
  strata_dim_t flat[3] = {a.batch, a.length, onnx_dim(n, a.heads * a.shared * a.value_size)};
  all = onnx_reshape_dims(n, onnx_move_axis(n, all, 0, 1), 3, flat);
  onnx_set(n, 0, onnx_convert(n, all, false, type, false));
  onnx_set(n, 1, onnx_convert(n, state, false, onnx_has(n, PAST) ? onnx_operand_shape(n, PAST).type : type, false));
}
