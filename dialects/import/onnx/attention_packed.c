// com.microsoft's PackedAttention and PackedMultiHeadAttention: attention within sequences whose rows follow one
// another, without padding (docs/jagged.md).
#include "dialects/import/onnx/attention.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>

// Where the operands are that both have.
typedef struct {
  int offsets, attention_bias;
} places_t;

// [rows, heads * size] as [rows, heads, size].
static MlirValue split(onnx_node_t *n, MlirValue x, int64_t heads) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t size;
  if (onnx_failed(n) || shape.rank == 3)
    return x;
  if (shape.rank != 2 || heads < 1 || !strata_dim_divide(shape.dims[1], onnx_dim(n, heads), &size)) {
    onnx_invalid(n, "expected rows of 2 dimensions, of which %lld heads divide the last", (long long)heads);
    return x;
  }
  return onnx_reshape_dims(n, x, 3, (strata_dim_t[]){shape.dims[0], onnx_dim(n, heads), size});
}

// Rows [rows, heads, size] attend to those of their sequence; sets the result, [rows, heads * size].
static void attend(onnx_node_t *n, const MlirValue parts[3], places_t at) {
  int64_t causal = 0, size = 1;
  strata_shape_t q = onnx_shape(parts[0]), offsets = onnx_operand_shape(n, at.offsets);
  if (onnx_has(n, at.attention_bias))
    onnx_unsupported(n, "a bias of the scores");
  for (int i = 1; i < 3 && !onnx_failed(n); i++)
    for (int k = 0; k < (i == 1 ? 3 : 2); k++)
      if (onnx_shape(parts[i]).rank != 3 || !onnx_agree(n, q.dims[k], onnx_shape(parts[i]).dims[k]))
        onnx_invalid(n, "the shapes of queries, keys and values do not fit each other");
  if (!onnx_failed(n) && (offsets.rank != 1 || !onnx_narrow(n->importer, offsets.dims[0], 2, INT64_MAX) ||
                          !onnx_narrow(n->importer, q.dims[0], 1, INT64_MAX)))
    onnx_invalid(n, "operand %d ('%s'): expected the beginnings of one sequence or more, and the end", at.offsets,
                 n->proto->input[at.offsets]);
  if (!onnx_failed(n) && !strata_dim_is_constant(q.dims[2], &size))
    onnx_unsupported(n, "heads of %s elements, which must be a number", onnx_dim_text(n, q.dims[2]));
  if (onnx_failed(n))
    return;
  MlirValue bounds = onnx_operand(n, at.offsets), operands[5] = {parts[0], parts[1], parts[2], bounds, bounds};
  double scale = onnx_attr_float(n, "scale", 0);
  const strata_attr_value_t attrs[2] = {{.n_i64s = 1, .i64s = &causal},
                                        {.f64 = scale != 0 ? scale : 1 / sqrt((double)size)}};
  MlirValue result = strata_build_composite(n->b, STRATA_COMPOSITE_JAGGED_ATTENTION, 5, operands, 2, attrs);
  strata_shape_t shape = onnx_shape(result);
  if (!onnx_failed(n))
    onnx_set(
        n, 0,
        onnx_reshape_dims(n, result, 2, (strata_dim_t[]){shape.dims[0], strata_dim_mul(shape.dims[1], shape.dims[2])}));
}

// Columns [*start, *start + width) of |x|, or of a vector, its last dim.
static MlirValue columns(onnx_node_t *n, MlirValue x, int64_t *start, int64_t width) {
  MlirValue part = onnx_slice_axis(n, x, onnx_shape(x).rank - 1, *start, 1, width);
  *start += width;
  return part;
}

// input, weights, bias, token offsets, beginnings of sequences, attention bias
void onnx_import_packed_attention(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, 0);
  onnx_shape_t weights = onnx_operand_sizes(n, 1);
  int64_t heads = onnx_attr_int(n, "num_heads", 0), widths[3], start = 0;
  if (!onnx_failed(n) && (shape.rank != 2 || weights.rank != 2))
    onnx_invalid(n, "expected an input and weights of 2 dimensions");
  if (onnx_failed(n) || !onnx_projection_widths(n, weights.dims[1], heads, widths))
    return;
  onnx_expect_sizes(n, 2, 1, &weights.dims[1]);
  MlirValue all = onnx_contract(n, "mk,kn->mn", onnx_operand(n, 0), onnx_operand(n, 1), shape.type, "matmul"), parts[3];
  if (onnx_has(n, 2) && !onnx_failed(n))
    all = onnx_binary(n, STRATA_OP_ADD, all, onnx_operand(n, 2));
  for (int i = 0; i < 3; i++)
    parts[i] = split(n, columns(n, all, &start, widths[i]), heads);
  attend(n, parts, (places_t){.offsets = 4, .attention_bias = 5});
}

// query, key, value, bias, token offsets, beginnings of sequences, attention bias; queries of 4 dimensions are all
// three.
void onnx_import_packed_multi_head_attention(onnx_node_t *n) {
  enum { QUERY, KEY, VALUE, BIAS };
  int64_t heads = onnx_attr_int(n, "num_heads", 0), start = 0, width;
  MlirValue parts[3] = {{0}};
  bool is_packed = onnx_operand_shape(n, QUERY).rank == 4;
  if (!onnx_failed(n) && !is_packed && (!onnx_has(n, KEY) || !onnx_has(n, VALUE)))
    onnx_invalid(n, "expected keys and values, or queries of 4 dimensions that are all");
  for (int i = 0; i < 3 && !onnx_failed(n); i++) {
    parts[i] = is_packed ? onnx_remove_axis(n, onnx_slice_axis(n, onnx_operand(n, QUERY), 2, i, 1, 1), 2)
                         : split(n, onnx_operand(n, i), heads);
    strata_shape_t shape = onnx_shape(parts[i]);
    if (!onnx_has(n, BIAS) || onnx_failed(n))
      continue;
    if (!strata_dim_is_constant(strata_dim_mul(shape.dims[1], shape.dims[2]), &width)) {
      onnx_unsupported(n, "a bias of heads whose size varies");
      return;
    }
    MlirValue bias = onnx_reshape_dims(n, columns(n, onnx_operand(n, BIAS), &start, width), 2, shape.dims + 1);
    parts[i] = onnx_binary(n, STRATA_OP_ADD, parts[i], bias);
  }
  attend(n, parts, (places_t){.offsets = 5, .attention_bias = 6});
}
