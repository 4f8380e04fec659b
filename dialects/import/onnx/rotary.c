// Rotary position embeddings.
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/sizes.h"

// Every |step|th of |count| elements of the last dim.
static MlirValue part(onnx_node_t *n, MlirValue x, int64_t start, int64_t step, int64_t count) {
  return onnx_slice_axis(n, x, onnx_shape(x).rank - 1, start, step, count);
}

static MlirValue join_pairs(onnx_node_t *n, MlirValue first, MlirValue second, bool interleaved) {
  strata_shape_t shape = onnx_shape(first);
  int last = shape.rank - 1;
  if (onnx_failed(n))
    return first;
  if (!interleaved)
    return strata_build_concat(n->b, 2, (MlirValue[]){first, second}, last);
  MlirValue parts[2] = {onnx_insert_axis(n, first, last + 1), onnx_insert_axis(n, second, last + 1)};
  shape.dims[last] = strata_dim_times(shape.dims[last], 2);
  return onnx_reshape_dims(n, strata_build_concat(n->b, 2, parts, last + 1), shape.rank, shape.dims);
}

MlirValue onnx_rotate(onnx_node_t *n, MlirValue x, MlirValue cos, MlirValue sin, bool interleaved) {
  strata_type_t type = onnx_shape(x).type;
  int64_t pairs = 0, size = 0;
  strata_shape_t shape = onnx_shape(x), angles = onnx_shape(cos);
  if (onnx_failed(n))
    return x;
  if (shape.rank != 4 || angles.rank != 3 || !strata_dim_is_constant(angles.dims[2], &pairs) ||
      !strata_dim_is_constant(shape.dims[3], &size) || pairs < 1 || 2 * pairs > size) {
    onnx_invalid(n, "expected cosines for at most half of a head, got %s for %s",
                 angles.rank ? onnx_dim_text(n, angles.dims[angles.rank - 1]) : "one",
                 shape.rank ? onnx_dim_text(n, shape.dims[shape.rank - 1]) : "one");
    return x;
  }
  cos = onnx_widen(n, onnx_insert_axis(n, cos, 2));
  sin = onnx_widen(n, onnx_insert_axis(n, sin, 2));
  MlirValue wide = onnx_widen(n, x);
  MlirValue re = part(n, wide, 0, interleaved ? 2 : 1, pairs),
            im = part(n, wide, interleaved ? 1 : pairs, interleaved ? 2 : 1, pairs);
  MlirValue first =
      onnx_binary(n, STRATA_OP_SUB, onnx_binary(n, STRATA_OP_MUL, re, cos), onnx_binary(n, STRATA_OP_MUL, im, sin));
  MlirValue second =
      onnx_binary(n, STRATA_OP_ADD, onnx_binary(n, STRATA_OP_MUL, re, sin), onnx_binary(n, STRATA_OP_MUL, im, cos));
  MlirValue rotated = join_pairs(n, onnx_round(n, first, type), onnx_round(n, second, type), interleaved);
  if (2 * pairs == size || onnx_failed(n))
    return rotated;
  return strata_build_concat(n->b, 2, (MlirValue[]){rotated, part(n, x, 2 * pairs, 1, size - 2 * pairs)}, 3);
}

// The rows of a table at |positions| [batch, length]; a place to begin at [1] means those that follow it.
static MlirValue look_up(onnx_node_t *n, MlirValue table, int positions, strata_dim_t length) {
  MlirValue places = onnx_operand(n, positions);
  strata_shape_t shape = onnx_shape(places);
  if (onnx_failed(n))
    return table;
  if (shape.rank < 2) {
    strata_dim_t dims[2] = {onnx_dim(n, 1), length};
    places = onnx_binary(n, STRATA_OP_ADD, onnx_reshape(n, places, 0, NULL), onnx_iota_dims(n, shape.type, 2, dims, 1));
  }
  return strata_build_gather(n->b, table, places, 0, 0);
}

// The size of a head where the operand does not say: an attribute does, or there are as many as there are angles for.
static int64_t heads_of(onnx_node_t *n, MlirValue x, strata_dim_t pairs, bool is_partial) {
  int64_t heads = onnx_attr_int(n, "num_heads", 0), angles, width;
  strata_shape_t shape = onnx_shape(x);
  if (heads > 0 || is_partial || !strata_dim_is_constant(pairs, &angles) || angles < 1 ||
      !strata_dim_is_constant(shape.dims[shape.rank - 1], &width))
    return heads;
  return width / (2 * angles);
}

// Operands are x, cosines, sines and positions; of com.microsoft's (|detail|) the positions come second. Their tables
// are [positions, pairs]; where there are no positions, the cosines themselves, [batch, length, pairs].
void onnx_import_rotary_embedding(onnx_node_t *n) {
  int positions = n->info->detail ? 1 : 3, table = n->info->detail ? 2 : 1;
  MlirValue x = onnx_operand(n, 0), cos = onnx_operand(n, table), sin = onnx_operand(n, table + 1);
  strata_shape_t shape = onnx_shape(x), angles = onnx_shape(cos);
  bool has_positions = onnx_has(n, positions), is_rows = shape.rank == 3;
  int64_t rotated = onnx_attr_int(n, "rotary_embedding_dim", 0);
  if (onnx_attr_float(n, "scale", 1) != 1)
    onnx_unsupported(n, "a scale");
  if (!onnx_failed(n) && ((shape.rank != 3 && shape.rank != 4) || angles.rank != (has_positions ? 2 : 3)))
    onnx_invalid(n, "expected an operand of 3 or 4 dimensions and cosines of %d, got %d and %d", has_positions ? 2 : 3,
                 shape.rank, angles.rank);
  if (!onnx_failed(n) && rotated > 0 && !onnx_agree(n, angles.dims[angles.rank - 1], onnx_dim(n, rotated / 2)))
    onnx_invalid(n, "operand %d ('%s'): expected %lld angles, got %s", table, n->proto->input[table],
                 (long long)rotated / 2, onnx_dim_text(n, angles.dims[angles.rank - 1]));
  if (!onnx_failed(n))
    onnx_expect_shape(n, table + 1, angles.rank, angles.dims);
  if (onnx_failed(n))
    return;
  if (has_positions) {
    cos = look_up(n, cos, positions, shape.dims[is_rows ? 1 : 2]);
    sin = look_up(n, sin, positions, shape.dims[is_rows ? 1 : 2]);
  }
  if (is_rows)
    x = onnx_split_heads(n, x, heads_of(n, x, angles.dims[angles.rank - 1], rotated > 0));
  x = onnx_swap_heads(n, onnx_rotate(n, onnx_swap_heads(n, x), cos, sin, onnx_attr_int(n, "interleaved", 0)));
  onnx_set(n, 0, is_rows ? onnx_join_heads(n, x) : x);
}
