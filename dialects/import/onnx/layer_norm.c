// Normalisations of rows, alone and behind a sum. All of it in f32, whatever the operands are.
#include "dialects/import/onnx/onnx.h"
#include "dialects/import/onnx/sizes.h"

// A norm over the dims from |axis| on.
typedef struct {
  int axis;
  double epsilon;
  bool is_simple; // no mean is subtracted
} norm_t;

static MlirValue composite(onnx_node_t *n, const norm_t *norm, strata_composite_id_t id, int count,
                           const MlirValue *operands) {
  int64_t list[STRATA_MAX_RANK];
  strata_attr_value_t attrs[2] = {{.i64s = list}, {.f64 = norm->epsilon}};
  for (int i = norm->axis; i < onnx_shape(operands[0]).rank; i++)
    list[attrs[0].n_i64s++] = i;
  return strata_build_composite(n->b, id, count, operands, 2, attrs);
}

// |scale| and |bias|: operands; a norm may lack its bias.
static MlirValue normalize(onnx_node_t *n, MlirValue x, const norm_t *norm, int scale, int bias) {
  MlirValue factor = onnx_to_float(n, onnx_operand(n, scale));
  if (onnx_failed(n))
    return x;
  if (norm->is_simple)
    return composite(n, norm, STRATA_COMPOSITE_RMS_NORM, 2, (MlirValue[]){x, factor});
  if (!onnx_has(n, bias))
    return onnx_binary(n, STRATA_OP_MUL, composite(n, norm, STRATA_COMPOSITE_NORMALIZE, 1, &x), factor);
  return composite(n, norm, STRATA_COMPOSITE_LAYER_NORM, 3,
                   (MlirValue[]){x, factor, onnx_to_float(n, onnx_operand(n, bias))});
}

static MlirValue mean(onnx_node_t *n, MlirValue x, int axis) {
  bool axes[STRATA_MAX_RANK];
  for (int i = 0; i < onnx_shape(x).rank; i++)
    axes[i] = i >= axis;
  return onnx_mean(n, x, axes, true);
}

static MlirValue mean_square(onnx_node_t *n, MlirValue x, int axis) {
  return mean(n, strata_build_binary(n->b, STRATA_OP_MUL, x, x), axis);
}

static MlirValue inverse_deviation(onnx_node_t *n, MlirValue x, const norm_t *norm) {
  MlirValue square = mean_square(n, x, norm->axis);
  return onnx_unary(n, STRATA_OP_RSQRT, onnx_with_number(n, STRATA_OP_ADD, square, norm->epsilon));
}

// Mean and inverse deviation are results too; of a simple norm the latter alone.
static void set_statistics(onnx_node_t *n, MlirValue x, const norm_t *norm) {
  if (norm->is_simple && onnx_wants(n, 1))
    onnx_set(n, 1, inverse_deviation(n, x, norm));
  if (norm->is_simple || (!onnx_wants(n, 1) && !onnx_wants(n, 2)))
    return;
  MlirValue center = mean(n, x, norm->axis);
  onnx_set(n, 1, center);
  onnx_set(n, 2, inverse_deviation(n, onnx_binary(n, STRATA_OP_SUB, x, center), norm));
}

// The row's detail: whether the norm is a simple one. The result is of the type of the operand, or of the scale.
void onnx_import_layer_normalization(onnx_node_t *n) {
  MlirValue x = onnx_widen(n, onnx_operand(n, 0));
  norm_t norm = {.epsilon = onnx_attr_float(n, "epsilon", 1e-5), .is_simple = n->info->detail};
  strata_type_t type = onnx_operand_shape(n, norm.is_simple ? 1 : 0).type;
  strata_shape_t shape = onnx_shape(x);
  norm.axis = onnx_axis(n, onnx_attr_int(n, "axis", -1), shape.rank);
  for (int i = 1; i < 3 && !onnx_failed(n); i++)
    onnx_expect_broadcast(n, i, shape.rank, shape.dims);
  if (onnx_failed(n))
    return;
  onnx_set(n, 0, onnx_convert(n, normalize(n, x, &norm, 1, 2), false, type, false));
  set_statistics(n, x, &norm);
}

// The norm of a sum: x + skip + bias, which is result 3. Operands of a simple one are x, skip, scale and bias, of
// another x, skip, scale, the norm's bias and the sum's.
void onnx_import_skip_layer_normalization(onnx_node_t *n) {
  bool is_simple = n->info->detail;
  strata_shape_t shape = onnx_operand_shape(n, 0);
  norm_t norm = {.axis = shape.rank - 1, .epsilon = onnx_attr_float(n, "epsilon", 1e-12), .is_simple = is_simple};
  int sum_bias = is_simple ? 3 : 4;
  if (!onnx_failed(n) && shape.rank < 1)
    onnx_invalid(n, "expected 1 dimension or more");
  onnx_expect_broadcast(n, 1, shape.rank, shape.dims);
  for (int i = 2; i < 5 && !onnx_failed(n); i++)
    onnx_expect_shape(n, i, 1, &shape.dims[shape.rank - 1]);
  if (onnx_failed(n))
    return;
  MlirValue sum = onnx_binary(n, STRATA_OP_ADD, onnx_widen(n, onnx_operand(n, 0)), onnx_widen(n, onnx_operand(n, 1)));
  if (onnx_has(n, sum_bias))
    sum = onnx_binary(n, STRATA_OP_ADD, sum, onnx_widen(n, onnx_operand(n, sum_bias)));
  onnx_set(n, 0, onnx_round(n, normalize(n, sum, &norm, 2, 3), shape.type));
  MlirValue center = onnx_wants(n, 1) || (onnx_wants(n, 2) && !is_simple) ? mean(n, sum, norm.axis) : (MlirValue){0};
  onnx_set(n, 1, center);
  if (onnx_wants(n, 2))
    onnx_set(n, 2, inverse_deviation(n, is_simple ? sum : onnx_binary(n, STRATA_OP_SUB, sum, center), &norm));
  onnx_set(n, 3, onnx_round(n, sum, shape.type));
}

// The rows of table |table| that operand |ids| names, or its first |length| rows in order.
static MlirValue rows_of(onnx_node_t *n, int table, int ids, strata_dim_t length) {
  MlirValue rows = onnx_operand(n, table);
  if (onnx_failed(n))
    return rows;
  strata_dim_t n_rows = onnx_shape(rows).dims[0];
  if (!onnx_has(n, ids) && !onnx_require(n->importer, n_rows, length, 0, INT64_MAX)) {
    onnx_invalid(n, "operand %d has %s rows, fewer than %s", table, onnx_dim_text(n, n_rows), onnx_dim_text(n, length));
    return rows;
  }
  if (!onnx_has(n, ids))
    return onnx_slice_dims(n, rows, 0, onnx_dim(n, 0), 1, length);
  return strata_build_gather(n->b, rows, onnx_operand(n, ids), 0, 0);
}

// ids, segment ids, tables of words, positions and segments, scale, bias, mask, positions. The second result is how
// many of a row's mask are 1, the third the sum that is normalised.
void onnx_import_embed_layer_normalization(onnx_node_t *n) {
  strata_shape_t ids = onnx_operand_shape(n, 0), words = onnx_operand_shape(n, 2);
  if (!onnx_failed(n) && (ids.rank != 2 || words.rank != 2))
    onnx_invalid(n, "expected ids and words of 2 dimensions, got %d and %d", ids.rank, words.rank);
  onnx_expect_shape(n, 1, 2, ids.dims);
  onnx_expect_shape(n, 7, 2, ids.dims);
  if (!onnx_failed(n) && onnx_has(n, 1) != onnx_has(n, 4))
    onnx_invalid(n, "expected segments with their table, or neither");
  if (onnx_failed(n))
    return;
  MlirValue sum = onnx_binary(n, STRATA_OP_ADD, onnx_widen(n, rows_of(n, 2, 0, ids.dims[1])),
                              onnx_widen(n, rows_of(n, 3, 8, ids.dims[1])));
  if (onnx_has(n, 1))
    sum = onnx_binary(n, STRATA_OP_ADD, sum, onnx_widen(n, rows_of(n, 4, 1, ids.dims[1])));
  norm_t norm = {.axis = 2, .epsilon = onnx_attr_float(n, "epsilon", 1e-12)};
  onnx_set(n, 0, onnx_round(n, normalize(n, sum, &norm, 5, 6), words.type));
  onnx_set(n, 2, onnx_round(n, sum, words.type));
  if (!onnx_wants(n, 1) || onnx_failed(n))
    return;
  MlirValue count = onnx_splat_dims(n, STRATA_TYPE_I32, 1, ids.dims, 0);
  if (onnx_has(n, 7)) {
    MlirValue ones = onnx_with_number(n, STRATA_OP_EQ, onnx_operand(n, 7), 1);
    count = onnx_reduce(n, STRATA_COMBINER_ADD, onnx_convert(n, ones, false, STRATA_TYPE_I32, false),
                        (bool[STRATA_MAX_RANK]){false, true}, false);
  }
  onnx_set(n, 1, count);
}
