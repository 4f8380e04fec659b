// ONNX's Attention and TensorScatter, which updates the keys and values that it reads.
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/cache.h"
#include "dialects/import/onnx/sizes.h"

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, N_KEYS };

static MlirValue heads_of(onnx_node_t *n, int operand, const char *attr) {
  MlirValue x = onnx_operand(n, operand);
  return onnx_shape(x).rank == 3 ? onnx_split_heads(n, x, onnx_attr_int(n, attr, 0)) : x;
}

// What was before, and then what is new, along the sequence.
static MlirValue after_past(onnx_node_t *n, int past, MlirValue x) {
  if (!onnx_has(n, past))
    return x;
  MlirValue before = onnx_operand(n, past);
  strata_shape_t shape = onnx_shape(x), old = onnx_shape(before);
  if (!onnx_failed(n) && old.rank != 4)
    onnx_invalid(n, "operand %d ('%s'): expected 4 dimensions, got %d", past, n->proto->input[past], old.rank);
  for (int i = 0; i < 4 && !onnx_failed(n); i++)
    if (i != 2)
      onnx_agree(n, shape.dims[i], old.dims[i]);
  return onnx_failed(n) ? x : strata_build_concat(n->b, 2, (MlirValue[]){before, x}, 2);
}

// One number a batch entry as [batch, 1, 1, 1].
static MlirValue per_batch(onnx_node_t *n, MlirValue x) { return onnx_along_axis(n, x, 0, 4); }

// Key - query - offset compared with |bound|, where there is one offset a batch entry: [batch, 1, queries, keys].
static MlirValue shifted_band(onnx_node_t *n, strata_op_id_t compare, strata_dim_t queries, strata_dim_t keys,
                              MlirValue offsets, int64_t bound) {
  strata_dim_t dims[2] = {queries, keys};
  MlirValue row = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 0), key = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1);
  MlirValue last = onnx_binary(n, STRATA_OP_ADD, row, onnx_with_number(n, STRATA_OP_ADD, offsets, (double)bound));
  return onnx_binary(n, compare, key, last);
}

typedef struct {
  strata_dim_t queries, keys, offset;
  MlirValue offsets; // in the place of |offset|: one a batch entry
} frame_t;

static MlirValue limited(onnx_node_t *n, const frame_t *f, strata_op_id_t compare, int64_t bound) {
  if (mlirValueIsNull(f->offsets))
    return onnx_band(n, compare, f->queries, f->keys, f->offset, bound);
  return shifted_band(n, compare, f->queries, f->keys, f->offsets, bound);
}

// Keys that attributes and counts let a query see.
static MlirValue visible(onnx_node_t *n, frame_t *f) {
  MlirValue allowed = {0};
  if (onnx_has(n, N_KEYS)) {
    MlirValue count = per_batch(n, onnx_operand(n, N_KEYS));
    MlirValue key = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &f->keys, 0);
    allowed = onnx_binary(n, STRATA_OP_LT, key, count);
    if (!onnx_has(n, PAST_KEY))
      f->offsets = onnx_with_dim(n, STRATA_OP_SUB, count, f->queries);
  }
  int64_t left = onnx_attr_int(n, "left_window_size", -1), right = onnx_attr_int(n, "right_window_size", -1);
  if (onnx_attr_int(n, "is_causal", 0))
    allowed = onnx_both(n, allowed, limited(n, f, STRATA_OP_LE, 0));
  if (left >= 0)
    allowed = onnx_both(n, allowed, limited(n, f, STRATA_OP_GE, -left));
  if (right >= 0)
    allowed = onnx_both(n, allowed, limited(n, f, STRATA_OP_LE, right));
  return allowed;
}

// The mask may be shorter than there are keys (since opset 24): the others are not allowed. Adds to |*out_allowed|
// that those are not.
static MlirValue read_mask(onnx_node_t *n, strata_dim_t keys, MlirValue *out_allowed) {
  MlirValue mask = onnx_operand(n, MASK);
  strata_shape_t shape = onnx_shape(mask);
  if (onnx_failed(n) || shape.rank < 1 || strata_dim_is(shape.dims[shape.rank - 1], 1))
    return mask;
  strata_dim_t size = onnx_resolve(n->importer, shape.dims[shape.rank - 1]);
  strata_dim_t missing = strata_dim_sub(onnx_resolve(n->importer, keys), size);
  if (onnx_dim_range(n, missing).min <= 0) {
    if (!onnx_agree(n, size, keys))
      onnx_invalid(n, "operand %d ('%s'): expected %s keys, got %s", MASK, n->proto->input[MASK],
                   onnx_dim_text(n, keys), onnx_dim_text(n, size));
    return mask;
  }
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++)
    low[i] = high[i] = onnx_dim(n, 0);
  high[shape.rank - 1] = missing;
  MlirValue key = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &keys, 0);
  *out_allowed =
      onnx_both(n, *out_allowed, onnx_binary(n, STRATA_OP_LT, key, strata_build_dim(n->b, size, STRATA_TYPE_I64)));
  return strata_build_pad_dims(n->b, mask, low, high, 0);
}

static void set_mask(onnx_node_t *n, onnx_attention_t *a, strata_dim_t keys) {
  MlirValue mask = read_mask(n, keys, &a->allowed);
  a->has_empty_rows = true;
  if (onnx_shape(mask).type == STRATA_TYPE_I1)
    a->allowed = onnx_both(n, mask, a->allowed);
  else
    a->bias = onnx_convert(n, mask, onnx_is_unsigned(n, MASK), onnx_shape(a->q).type, false);
}

static void read_softmax_type(onnx_node_t *n, onnx_attention_t *a) {
  int64_t precision = onnx_attr_int(n, "softmax_precision", 0);
  bool is_unsigned;
  if (precision && (!onnx_element_type(precision, &a->softmax_type, &is_unsigned) ||
                    strata_type_info[a->softmax_type].kind != STRATA_TYPE_KIND_FLOAT))
    onnx_invalid(n, "attribute 'softmax_precision': expected a float type, got %s", onnx_data_type_name(precision));
}

void onnx_import_attention(onnx_node_t *n) {
  bool is_rows = onnx_operand_shape(n, Q).rank == 3;
  onnx_attention_t a = {.q = heads_of(n, Q, "q_num_heads"),
                        .k = heads_of(n, K, "kv_num_heads"),
                        .v = heads_of(n, V, "kv_num_heads"),
                        .scale = onnx_attr_float(n, "scale", 0),
                        .softcap = onnx_attr_float(n, "softcap", 0),
                        .softmax_type = STRATA_TYPE_COUNT};
  read_softmax_type(n, &a);
  if (!onnx_failed(n) && (onnx_shape(a.q).rank != 4 || onnx_shape(a.k).rank != 4 || onnx_shape(a.v).rank != 4))
    onnx_invalid(n, "expected queries, keys and values of 3 or 4 dimensions");
  if (!onnx_failed(n) && onnx_has(n, PAST_KEY) != onnx_has(n, PAST_VALUE))
    onnx_invalid(n, "expected past keys and values, or neither");
  if (onnx_failed(n))
    return;
  a.k = after_past(n, PAST_KEY, a.k);
  a.v = after_past(n, PAST_VALUE, a.v);
  frame_t frame = {.queries = onnx_shape(a.q).dims[2], .keys = onnx_shape(a.k).dims[2], .offset = onnx_dim(n, 0)};
  if (onnx_has(n, PAST_KEY))
    frame.offset = onnx_operand_shape(n, PAST_KEY).dims[2];
  a.allowed = visible(n, &frame);
  a.has_empty_rows = onnx_has(n, N_KEYS) || onnx_attr_int(n, "left_window_size", -1) >= 0;
  a.sees_a_key = !a.has_empty_rows && !onnx_has(n, MASK); // of a band the first one
  if (onnx_has(n, MASK))
    set_mask(n, &a, frame.keys);
  MlirValue stages[ONNX_N_STAGES] = {{0}};
  MlirValue result = onnx_attend(n, &a, onnx_wants(n, 3) ? stages : NULL);
  onnx_set(n, 0, is_rows ? onnx_join_heads(n, result) : result);
  onnx_set(n, 1, a.k);
  onnx_set(n, 2, a.v);
  int64_t mode = onnx_attr_int(n, "qk_matmul_output_mode", 0);
  onnx_set(n, 3, stages[mode]);
}

// Each batch entry's cache with the update written from its place on; |circular|: behind the end comes the beginning.
void onnx_import_tensor_scatter(onnx_node_t *n) {
  MlirValue cache = onnx_operand(n, 0), update = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(cache), new = onnx_shape(update);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", -2), shape.rank);
  bool is_circular = onnx_attr_is(n, "mode", "circular");
  if (!onnx_failed(n) && (axis == 0 || new.rank != shape.rank))
    onnx_invalid(n, "expected an axis behind the batch, and an update of %d dimensions", shape.rank);
  for (int i = 0; i < shape.rank && !onnx_failed(n); i++)
    if (i != axis && !onnx_agree(n, shape.dims[i], new.dims[i]))
      onnx_invalid(n, "operand 1 ('%s'): dimension %d has size %s, expected %s", n->proto->input[1], i,
                   onnx_dim_text(n, new.dims[i]), onnx_dim_text(n, shape.dims[i]));
  if (onnx_failed(n))
    return;
  strata_dim_t size = shape.dims[axis], count = new.dims[axis], dims[2] = {shape.dims[0], size};
  bool fits = onnx_dim_range(n, strata_dim_sub(count, size)).max <= 0;
  if (onnx_updates_input(n, 0, 0) && (fits || !is_circular)) {
    strata_dim_t none[2] = {onnx_dim(n, 1), onnx_dim(n, 1)};
    onnx_expect_shape(n, 2, 1, shape.dims);
    MlirValue first =
        onnx_has(n, 2) ? onnx_insert_axis(n, onnx_operand(n, 2), 1) : onnx_splat_dims(n, STRATA_TYPE_I64, 2, none, 0);
    onnx_set_update(n, 0, onnx_written(n, cache, update, axis, first, is_circular), 0);
    return;
  }
  // Each place of the cache reads the update where the update has it, else the cache.
  MlirValue from = onnx_iota_dims(n, STRATA_TYPE_I64, 2, dims, 1);
  if (onnx_has(n, 2)) {
    onnx_expect_shape(n, 2, 1, shape.dims);
    from = onnx_binary(n, STRATA_OP_SUB, from, onnx_insert_axis(n, onnx_operand(n, 2), 1));
  }
  if (is_circular) {
    from = onnx_binary(n, STRATA_OP_REM, from, strata_build_dim(n->b, size, STRATA_TYPE_I64));
    MlirValue wrapped = onnx_with_dim(n, STRATA_OP_ADD, from, size);
    from = onnx_select(n, onnx_with_number(n, STRATA_OP_LT, from, 0), wrapped, from);
  }
  MlirValue is_new = onnx_both(n, onnx_with_number(n, STRATA_OP_GE, from, 0),
                               onnx_binary(n, STRATA_OP_LT, from, strata_build_dim(n->b, count, STRATA_TYPE_I64)));
  MlirValue values =
      onnx_move_axis(n, strata_build_gather(n->b, onnx_move_axis(n, update, axis, 1), from, 1, 1), 1, axis);
  strata_dim_t lined[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++)
    lined[i] = i == 0 || i == axis ? shape.dims[i] : onnx_dim(n, 1);
  onnx_set_like(n, 0, onnx_select(n, onnx_reshape_dims(n, is_new, shape.rank, lined), values, cache), 0);
}
