// The domain "strata": rows in sequences (docs/jagged.md). A jagged tensor is the tensor of its rows; what depends on
// sequences has their offsets as an operand.
#include "dialects/import/onnx/sizes.h"

#include <math.h>

// Makes the two one size; an error where they cannot be.
static void agree(onnx_node_t *n, strata_dim_t a, strata_dim_t b, const char *what) {
  if (!onnx_failed(n) && !onnx_agree(n, a, b))
    onnx_invalid(n, "%s: %s and %s differ", what, onnx_dim_text(n, a), onnx_dim_text(n, b));
}

static strata_dim_t dim_of(onnx_node_t *n, int operand, int dim, int rank) {
  strata_shape_t shape = onnx_operand_shape(n, operand);
  if (!onnx_failed(n) && shape.rank < rank)
    onnx_invalid(n, "operand %d: expected %d dims or more, got %d", operand, rank, shape.rank);
  return onnx_failed(n) ? onnx_dim(n, 1) : shape.dims[dim];
}

static strata_dim_t sequences(onnx_node_t *n, int offsets) { return strata_dim_plus(dim_of(n, offsets, 0, 1), -1); }

// There are rows and a sequence at least, of operand 0 and the offsets: what gathers from none would read something.
static void expect_some(onnx_node_t *n, int offsets) {
  strata_dim_t rows = dim_of(n, 0, 0, 1), count = dim_of(n, offsets, 0, 1);
  if (!onnx_failed(n) &&
      (!onnx_narrow(n->importer, rows, 1, INT64_MAX) || !onnx_narrow(n->importer, count, 2, INT64_MAX)))
    onnx_invalid(n, "expected a row and a sequence or more, got %s rows and %s offsets", onnx_dim_text(n, rows),
                 onnx_dim_text(n, count));
}

static void build(onnx_node_t *n, int n_operands, const MlirValue *operands, int n_attrs,
                  const strata_attr_value_t *attrs, const strata_shape_t *result) {
  if (!onnx_failed(n))
    onnx_set_like(
        n, 0,
        strata_build_jagged(n->b, (strata_composite_id_t)n->info->detail, n_operands, operands, n_attrs, attrs, result),
        0);
}

void onnx_import_jagged(onnx_node_t *n) {
  const MlirValue operands[2] = {onnx_operand(n, 0), onnx_operand(n, 1)};
  expect_some(n, 1);
  build(n, 2, operands, 0, NULL, &(strata_shape_t){0});
}

void onnx_import_make_jagged(onnx_node_t *n) {
  const MlirValue operands[2] = {onnx_operand(n, 0), onnx_operand(n, 1)};
  expect_some(n, 1);
  if (!onnx_failed(n))
    onnx_set(n, 0, strata_build_composite(n->b, STRATA_COMPOSITE_MAKE_JAGGED, 2, operands, 0, NULL));
}

void onnx_import_jagged_to_padded(onnx_node_t *n) {
  const MlirValue operands[2] = {onnx_operand(n, 0), onnx_operand(n, 1)};
  expect_some(n, 1);
  int64_t length = onnx_attr_int(n, "max_length", 0);
  strata_attr_value_t value = {.f64 = onnx_attr_float(n, "value", 0)};
  strata_shape_t result = {.rank = 2};
  if (!onnx_failed(n) && length < 1)
    onnx_invalid(n, "max_length: expected 1 or more, got %lld", (long long)length);
  result.dims[1] = onnx_dim(n, length);
  build(n, 2, operands, 1, &value, &result);
}

// Rows as many as operand 2 has, of what there is one of for each sequence.
void onnx_import_rows_like(onnx_node_t *n) {
  const MlirValue operands[2] = {onnx_operand(n, 0), onnx_operand(n, 1)};
  expect_some(n, 1);
  strata_shape_t result = {.rank = 1, .dims = {dim_of(n, 2, 0, 1)}};
  agree(n, dim_of(n, 0, 0, 1), sequences(n, 1), "sequences");
  result.dims[0] = dim_of(n, 2, 0, 1);
  build(n, 2, operands, 0, NULL, &result);
}

void onnx_import_jagged_mat_mul(onnx_node_t *n) {
  const MlirValue operands[3] = {onnx_operand(n, 0), onnx_operand(n, 1), onnx_operand(n, 2)};
  expect_some(n, 2);
  agree(n, dim_of(n, 1, 0, 3), sequences(n, 2), "sequences");
  agree(n, dim_of(n, 0, 1, 2), dim_of(n, 1, 1, 3), "summands");
  build(n, 3, operands, 0, NULL, &(strata_shape_t){0});
}

// [rows, heads * size] as [rows, heads, size], where an attribute says how many heads there are.
static MlirValue split_heads(onnx_node_t *n, int operand, const char *attr) {
  MlirValue x = onnx_operand(n, operand);
  strata_shape_t shape = onnx_operand_shape(n, operand);
  int64_t heads = onnx_attr_int(n, attr, 0), size;
  if (onnx_failed(n) || shape.rank == 3)
    return x;
  if (shape.rank != 2 || heads < 1 || !strata_dim_is_constant(shape.dims[1], &size) || size % heads) {
    onnx_invalid(n, "operand %d: expected [rows, heads, size], or [rows, heads * size] and the attribute '%s'", operand,
                 attr);
    return x;
  }
  const strata_dim_t dims[3] = {shape.dims[0], onnx_dim(n, heads), onnx_dim(n, size / heads)};
  return onnx_reshape_dims(n, x, 3, dims);
}

void onnx_import_jagged_attention(onnx_node_t *n) {
  int key_offsets = onnx_has(n, 4) ? 4 : 3, rank = onnx_operand_shape(n, 0).rank;
  expect_some(n, 3);
  agree(n, dim_of(n, 1, 0, 2), dim_of(n, 2, 0, 2), "rows of keys and values");
  if (key_offsets == 3)
    agree(n, dim_of(n, 0, 0, 2), dim_of(n, 1, 0, 2), "rows of queries and keys");
  agree(n, dim_of(n, 3, 0, 1), dim_of(n, key_offsets, 0, 1), "offsets");
  const MlirValue operands[5] = {split_heads(n, 0, "q_num_heads"), split_heads(n, 1, "kv_num_heads"),
                                 split_heads(n, 2, "kv_num_heads"), onnx_operand(n, 3), onnx_operand(n, key_offsets)};
  int64_t is_causal = onnx_attr_int(n, "is_causal", 0), size = 1;
  if (onnx_failed(n))
    return;
  strata_dim_is_constant(onnx_shape(operands[0]).dims[2], &size);
  const strata_attr_value_t attrs[2] = {
      {.n_i64s = 1, .i64s = &is_causal},
      {.f64 = onnx_attr_float(n, "scale", 1 / sqrt((double)size))},
  };
  MlirValue result = strata_build_composite(n->b, STRATA_COMPOSITE_JAGGED_ATTENTION, 5, operands, 2, attrs);
  strata_shape_t shape = onnx_shape(result);
  if (onnx_failed(n))
    return;
  const strata_dim_t flat[2] = {shape.dims[0], strata_dim_mul(shape.dims[1], shape.dims[2])};
  onnx_set(n, 0, rank == 2 ? onnx_reshape_dims(n, result, 2, flat) : result);
}
