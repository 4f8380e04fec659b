// com.microsoft's GatherBlockQuantized: rows of a table of few bits, in blocks along an axis each of which has a scale
// and a zero point. The rows are fetched as they are stored and dequantised then.
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"

enum { DATA, INDICES, SCALES, ZERO_POINTS };

typedef struct {
  int gather, quantize; // axes
  int64_t block, bits;
  bool is_float, is_packed; // bytes that hold several numbers
  onnx_shape_t table;       // in numbers, not bytes
  MlirValue places;         // i64, counted from the beginning
} gather_t;

static bool read_attributes(onnx_node_t *n, gather_t *g) {
  g->table = onnx_operand_sizes(n, DATA);
  bool is_byte = g->table.type == STRATA_TYPE_I8;
  g->is_float = strata_type_info[g->table.type].kind == STRATA_TYPE_KIND_FLOAT;
  g->bits = is_byte ? onnx_attr_int(n, "bits", 4) : 8;
  g->is_packed = is_byte && g->bits < 8;
  g->block = onnx_attr_int(n, "block_size", 128);
  g->gather = onnx_axis(n, onnx_attr_int(n, "gather_axis", 0), g->table.rank);
  g->quantize = onnx_axis(n, onnx_attr_int(n, "quantize_axis", 1), g->table.rank);
  if (onnx_failed(n))
    return false;
  if (is_byte && (!onnx_is_unsigned(n, DATA) || (g->bits != 2 && g->bits != 4 && g->bits != 8)))
    onnx_invalid(n, "operand 0 ('%s'): expected 2, 4 or 8 bits in u8", n->proto->input[DATA]);
  else if (!is_byte && !g->is_float && g->table.type != STRATA_TYPE_I4)
    onnx_invalid(n, "operand 0 ('%s'): expected i4, u4, u8 or floats of 8 bits or fewer", n->proto->input[DATA]);
  else if (g->is_packed && (g->gather != 0 || g->quantize == 0 || g->table.rank < 2))
    onnx_invalid(n, "packed bytes are gathered along axis 0, and quantised along another one");
  else if (g->is_float && onnx_has(n, ZERO_POINTS))
    onnx_invalid(n, "floats have no zero points");
  if (g->is_packed)
    g->table.dims[g->table.rank - 1] = strata_times(g->table.dims[g->table.rank - 1], 8 / g->bits);
  if (g->is_float && g->block == 0)
    g->block = g->table.dims[g->quantize];
  else if (!onnx_failed(n) && (!strata_is_power_of_two(g->block) || g->block < 16 || g->block > INT32_MAX))
    onnx_invalid(n, "block_size: expected a power of 2 from 16 on, got %lld", (long long)g->block);
  return !onnx_failed(n);
}

// One number a block.
static onnx_shape_t block_shape(const gather_t *g) {
  onnx_shape_t shape = g->table;
  shape.dims[g->quantize] = strata_ceil_div(shape.dims[g->quantize], g->block);
  return shape;
}

static bool check_shapes(onnx_node_t *n, const gather_t *g) {
  onnx_shape_t blocks = block_shape(g);
  for (int i = 0; i < blocks.rank && !onnx_failed(n); i++)
    if (blocks.dims[i] < 1)
      onnx_invalid(n, "operand 0 ('%s'): dimension %d has no elements", n->proto->input[DATA], i);
  if (g->is_float)
    onnx_expect_broadcast(n, SCALES, blocks.rank,
                          onnx_shape(onnx_splat(n, STRATA_TYPE_F32, blocks.rank, blocks.dims, 0)).dims);
  else
    onnx_expect_sizes(n, SCALES, blocks.rank, blocks.dims);
  if (g->is_packed)
    blocks.dims[blocks.rank - 1] = strata_ceil_div(blocks.dims[blocks.rank - 1], 8 / g->bits);
  if (onnx_has(n, ZERO_POINTS))
    onnx_expect_sizes(n, ZERO_POINTS, blocks.rank, blocks.dims);
  if (!onnx_failed(n) && onnx_has(n, ZERO_POINTS) &&
      (onnx_operand_shape(n, ZERO_POINTS).type != g->table.type ||
       onnx_is_unsigned(n, ZERO_POINTS) != onnx_is_unsigned(n, DATA)))
    onnx_invalid(n, "operand 3 ('%s'): expected zero points of the type of the table", n->proto->input[ZERO_POINTS]);
  return !onnx_failed(n);
}

// The elements of |x| at the places, along the gathered axis, as f32; |count| of them in the last dim of a row whose
// bytes hold several.
static MlirValue rows_of(onnx_node_t *n, const gather_t *g, MlirValue x, MlirValue places, bool is_packed,
                         int64_t count) {
  bool is_unsigned = strata_type_info[onnx_shape(x).type].kind == STRATA_TYPE_KIND_INTEGER && onnx_is_unsigned(n, DATA);
  MlirValue rows = strata_build_gather(n->b, x, places, g->gather, 0);
  if (is_packed) {
    strata_shape_t shape = onnx_shape(rows);
    strata_dim_t n_rows = strata_dim_product(n->b->compile->context, shape.rank - 1, shape.dims);
    shape.dims[shape.rank - 1] = onnx_dim(n, count);
    rows = onnx_reshape_dims(n, onnx_unpack_bits(n, rows, g->bits, n_rows, count), shape.rank, shape.dims);
  }
  return onnx_convert(n, rows, is_unsigned, STRATA_TYPE_F32, false);
}

// What is one a block, [blocks...], for each element of the gathered rows.
static MlirValue spread(onnx_node_t *n, const gather_t *g, MlirValue x, bool is_packed) {
  onnx_shape_t blocks = block_shape(g);
  if (g->gather == g->quantize)
    return rows_of(n, g, x, onnx_with_number(n, STRATA_OP_DIV, g->places, (double)g->block), false, 0);
  x = rows_of(n, g, x, g->places, is_packed, blocks.dims[blocks.rank - 1]);
  int axis = g->quantize < g->gather ? g->quantize : g->quantize + onnx_shape(g->places).rank - 1;
  strata_shape_t wide = onnx_shape(onnx_insert_axis(n, x, axis + 1)), flat = onnx_shape(x);
  wide.dims[axis + 1] = onnx_dim(n, g->block);
  flat.dims[axis] = strata_dim_times(flat.dims[axis], g->block);
  x = onnx_broadcast_dims(n, onnx_insert_axis(n, x, axis + 1), wide.rank, wide.dims);
  return onnx_slice_axis(n, onnx_reshape_dims(n, x, flat.rank, flat.dims), axis, 0, 1, g->table.dims[g->quantize]);
}

// Places behind the end or in front of the beginning have zeros.
static MlirValue where_inside(onnx_node_t *n, const gather_t *g, MlirValue x) {
  MlirValue inside = onnx_with_number(n, STRATA_OP_GE, g->places, 0);
  inside = onnx_binary(n, STRATA_OP_AND, inside,
                       onnx_with_number(n, STRATA_OP_LT, g->places, (double)g->table.dims[g->gather]));
  strata_shape_t places = onnx_shape(g->places), lined = onnx_shape(x);
  for (int i = 0; i < lined.rank; i++)
    lined.dims[i] = i < g->gather || i >= g->gather + places.rank ? onnx_dim(n, 1) : places.dims[i - g->gather];
  return onnx_select(n, onnx_reshape_dims(n, inside, lined.rank, lined.dims), x, onnx_number(n, x, 0));
}

void onnx_import_gather_block_quantized(onnx_node_t *n) {
  gather_t g = {0};
  if (!read_attributes(n, &g) || !check_shapes(n, &g))
    return;
  strata_type_t type = onnx_operand_shape(n, SCALES).type;
  MlirValue places = onnx_convert(n, onnx_operand(n, INDICES), false, STRATA_TYPE_I64, false);
  MlirValue negative = onnx_with_number(n, STRATA_OP_LT, places, 0);
  g.places =
      onnx_select(n, negative, onnx_with_number(n, STRATA_OP_ADD, places, (double)g.table.dims[g.gather]), places);
  MlirValue x = rows_of(n, &g, onnx_operand(n, DATA), g.places, g.is_packed, g.table.dims[g.table.rank - 1]);
  if (onnx_has(n, ZERO_POINTS))
    x = onnx_binary(n, STRATA_OP_SUB, x, spread(n, &g, onnx_operand(n, ZERO_POINTS), g.is_packed));
  else if (g.table.type == STRATA_TYPE_I8)
    x = onnx_with_number(n, STRATA_OP_SUB, x, (double)(1 << (g.bits - 1)));
  onnx_shape_t blocks = block_shape(&g);
  MlirValue scales = onnx_broadcast_to(n, onnx_operand(n, SCALES), blocks.rank, blocks.dims);
  if (onnx_failed(n))
    return;
  x = onnx_binary(n, STRATA_OP_MUL, x, spread(n, &g, scales, false));
  onnx_set(n, 0, onnx_convert(n, where_inside(n, &g, x), false, type, false));
}
