// com.microsoft's MatMulNBits: a product with weights of 2, 4 or 8 bits in blocks along their rows, each of which has a
// scale and a zero point.
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/window.h"
#include "dialects/integers.h"

typedef struct {
  int64_t rows, columns, block, n_blocks, bits;
  strata_type_t type; // of the product
} weights_t;

MlirValue onnx_unpack_bits(onnx_node_t *n, MlirValue bytes, int64_t bits, strata_dim_t rows, int64_t count) {
  int64_t per_byte = 8 / bits, n_bytes = strata_ceil_div(count, per_byte);
  MlirValue parts[4];
  bytes = onnx_reshape_dims(n, bytes, 3, (strata_dim_t[]){rows, onnx_dim(n, n_bytes), onnx_dim(n, 1)});
  for (int i = 0; i < per_byte && !onnx_failed(n); i++) {
    parts[i] = i ? strata_build_binary(n->b, STRATA_OP_SHR_U, bytes, onnx_integer(n, bytes, i * bits)) : bytes;
    if (per_byte > 1)
      parts[i] = strata_build_binary(n->b, STRATA_OP_AND, parts[i], onnx_integer(n, bytes, (1 << bits) - 1));
  }
  MlirValue all = onnx_failed(n) ? bytes : strata_build_concat(n->b, (int)per_byte, parts, 2);
  all = onnx_reshape_dims(n, all, 2, (strata_dim_t[]){rows, onnx_dim(n, n_bytes * per_byte)});
  return onnx_slice_axis(n, all, 1, 0, 1, count);
}

// Numbers of 4 bits that are known are two to a byte as they are.
static MlirValue nibbles(onnx_node_t *n, int operand, int64_t rows, int64_t count) {
  const void *data;
  bool is_splat;
  if (count % 2 || !strata_constant_bytes(n->b->compile, onnx_operand(n, operand), &data, &is_splat) || is_splat)
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_static(n->b->compile->context, STRATA_TYPE_I4, 2, (int64_t[]){rows, count});
  return strata_build_constant(n->b, &shape, n->proto->input[operand], data);
}

MlirValue onnx_numbers_of_bits(onnx_node_t *n, int operand, int64_t bits, int64_t rows, int64_t count) {
  MlirValue packed = bits == 4 ? nibbles(n, operand, rows, count) : (MlirValue){0};
  if (mlirValueIsNull(packed))
    packed = onnx_unpack_bits(n, onnx_operand(n, operand), bits, onnx_dim(n, rows), count);
  return onnx_convert(n, packed, true, STRATA_TYPE_F32, false);
}

// One a block, [rows, blocks, 1]: packed as the weights are, or floats.
static MlirValue zero_points(onnx_node_t *n, const weights_t *w) {
  int64_t dims[3] = {w->rows, w->n_blocks, 1};
  if (!onnx_has(n, 3))
    return onnx_splat(n, STRATA_TYPE_F32, 0, NULL, (double)(1 << (w->bits - 1)));
  MlirValue zero = onnx_operand(n, 3);
  if (strata_type_info[onnx_shape(zero).type].kind != STRATA_TYPE_KIND_FLOAT)
    zero = onnx_unpack_bits(n, zero, w->bits, onnx_dim(n, w->rows), w->n_blocks);
  return onnx_reshape(n, onnx_convert(n, zero, true, STRATA_TYPE_F32, false), 3, dims);
}

static MlirValue weights(onnx_node_t *n, const weights_t *w) {
  int64_t blocks[3] = {w->rows, w->n_blocks, w->block}, flat[2] = {w->rows, w->n_blocks * w->block};
  MlirValue x = onnx_reshape(n, onnx_numbers_of_bits(n, 1, w->bits, w->rows, w->n_blocks * w->block), 3, blocks);
  x = onnx_binary(n, STRATA_OP_SUB, x, zero_points(n, w));
  MlirValue scale = onnx_convert(n, onnx_operand(n, 2), false, STRATA_TYPE_F32, false);
  x = onnx_binary(n, STRATA_OP_MUL, x, onnx_reshape(n, scale, 3, (int64_t[]){w->rows, w->n_blocks, 1}));
  x = onnx_slice_axis(n, onnx_reshape(n, x, 2, flat), 1, 0, 1, w->columns);
  return onnx_convert(n, x, false, w->type, false);
}

// An operand with so many numbers for each block of each row, of any shape if it is known, else of 2 or 3 dims.
static void expect_blocks(onnx_node_t *n, const weights_t *w, int operand, int64_t per_row, int64_t per_block) {
  strata_shape_t shape = onnx_has(n, operand) ? onnx_operand_shape(n, operand) : (strata_shape_t){.rank = 0};
  int64_t count = strata_shape_count(&shape), dims[3] = {w->rows, per_row, per_block};
  if (!onnx_has(n, operand) || onnx_failed(n))
    return;
  if (count < 0)
    onnx_expect_sizes(n, operand, per_block > 1 ? 3 : 2, dims);
  else if (count != w->rows * per_row * per_block)
    onnx_invalid(n, "operand %d ('%s'): expected %lld rows of %lld numbers, got %lld in all", operand,
                 n->proto->input[operand], (long long)w->rows, (long long)(per_row * per_block), (long long)count);
}

static bool has_float_zero_points(onnx_node_t *n) {
  return strata_type_info[onnx_operand_shape(n, 3).type].kind == STRATA_TYPE_KIND_FLOAT;
}

static bool is_well_formed(onnx_node_t *n, const weights_t *w) {
  if (w->bits != 2 && w->bits != 4 && w->bits != 8)
    onnx_unsupported(n, "weights of %lld bits", (long long)w->bits);
  else if (onnx_attr_int(n, "weight_prepacked", 0) || onnx_has(n, 4))
    onnx_unsupported(n, "weights in another order");
  if (onnx_failed(n))
    return false;
  expect_blocks(n, w, 1, w->n_blocks, w->block * w->bits / 8);
  expect_blocks(n, w, 2, w->n_blocks, 1);
  if (onnx_has(n, 3) && !onnx_failed(n))
    expect_blocks(n, w, 3, has_float_zero_points(n) ? w->n_blocks : strata_ceil_div(w->n_blocks * w->bits, 8), 1);
  onnx_expect_sizes(n, 5, 1, &w->rows);
  return !onnx_failed(n);
}

void onnx_import_matmul_nbits(onnx_node_t *n) {
  weights_t w = {.rows = onnx_attr_int(n, "N", 0),
                 .columns = onnx_attr_int(n, "K", 0),
                 .block = onnx_attr_int(n, "block_size", 0),
                 .bits = onnx_attr_int(n, "bits", 4)};
  strata_shape_t shape = onnx_operand_shape(n, 0);
  int64_t most = INT32_MAX;
  if (!onnx_failed(n) && (w.rows < 1 || w.columns < 1 || w.block < 8 || w.rows > most || w.columns > most ||
                          w.block > most || w.block % 8 || shape.rank < 1))
    onnx_invalid(n, "expected positive sizes and blocks of 8 numbers or more");
  if (onnx_failed(n))
    return;
  w.n_blocks = strata_ceil_div(w.columns, w.block);
  w.type = shape.type;
  if (!is_well_formed(n, &w))
    return;
  MlirValue x = onnx_operand(n, 0);
  if (!onnx_agree(n, shape.dims[shape.rank - 1], onnx_dim(n, w.columns)))
    onnx_invalid(n, "operand 0 ('%s'): expected rows of %lld", n->proto->input[0], (long long)w.columns);
  x = onnx_matmul(n, x, strata_build_transpose(n->b, weights(n, &w), (int64_t[]){1, 0}), shape.type);
  if (onnx_has(n, 5))
    x = onnx_binary(n, STRATA_OP_ADD, x, onnx_operand(n, 5));
  onnx_set(n, 0, x);
}
