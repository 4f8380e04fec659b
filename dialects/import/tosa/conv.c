// Products, convolutions and pooling; channels are last.
#include "dialects/import/tosa/tosa.h"

enum { MAX_SPATIAL = 3 };

//===-- Products -------------------------------------------------------------------------------------------------===//

void tosa_read_matmul(tir_op_t *o) {
  strata_dtype_t from = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  bool has_zero = tosa_zero_point(o, 2) || tosa_zero_point(o, 3);
  const char *operands[2] = {tir_in(o, 0), tir_in(o, 1)};
  if (from != tir_in_type(o, 1).dtype || (has_zero && tosa_is_integer(from))) {
    for (int i = 0; i < 2; i++)
      operands[i] = tosa_is_integer(from) ? tosa_centered(o, i, 2 + i, to) : tir_cast(o, operands[i], to);
    from = to;
  }
  graph_node_t *node = graph_node(o->g, "strata.Contract", 2, operands);
  graph_set_string(node, "equation", "nhc,ncw->nhw");
  if (from != to)
    graph_set_int(node, "to", strata_dtype_info[to].onnx_type);
  tir_set(o, 0, graph_result(node, NULL));
}

//===-- Convolutions ---------------------------------------------------------------------------------------------===//

typedef struct {
  int n; // spatial dims
  int64_t pads[2 * MAX_SPATIAL], strides[MAX_SPATIAL], dilations[MAX_SPATIAL];
  int64_t groups;
} conv_t;

// pad: before and after each dim in turn; here all before first.
static bool read_pads(tir_op_t *o, const char *name, int n, int64_t *out) {
  int64_t pads[2 * MAX_SPATIAL];
  if (!tir_ints(o, name, 2 * n, 0, pads))
    return false;
  for (int i = 0; i < n; i++) {
    out[i] = pads[2 * i];
    out[n + i] = pads[2 * i + 1];
  }
  return true;
}

static bool read_conv(tir_op_t *o, const char *pads, conv_t *c) {
  c->n = tir_in_type(o, 0).rank - 2;
  c->groups = 1;
  bool is_conv = c->n >= 1 && c->n <= MAX_SPATIAL && tir_in_type(o, 1).rank == c->n + 2 && tir_n_operands(o) >= 3 &&
                 read_pads(o, pads, c->n, c->pads) && tir_ints(o, "stride", c->n, 1, c->strides) &&
                 tir_ints(o, "dilation", c->n, 1, c->dilations);
  if (!is_conv)
    tir_refuse(o, "expected pads, strides and dilations of %d dims", c->n);
  return is_conv;
}

// From channels last to channels second, or back.
static const char *channels_second(tir_op_t *o, const char *x, int rank) {
  int64_t permutation[MAX_SPATIAL + 2] = {0, rank - 1};
  for (int i = 2; i < rank; i++)
    permutation[i] = i - 1;
  return tir_transpose(o, x, rank, permutation);
}

static const char *channels_last(tir_op_t *o, const char *x, int rank) {
  int64_t permutation[MAX_SPATIAL + 2] = {0};
  for (int i = 1; i < rank - 1; i++)
    permutation[i] = i + 1;
  permutation[rank - 1] = 1;
  return tir_transpose(o, x, rank, permutation);
}

// The type in which operands are multiplied and summed: that of the result, f16's for f8, and f64, which is exact, for
// integers of more than a byte.
static strata_dtype_t sum_type(tir_op_t *o, bool has_bytes_node) {
  strata_dtype_t x = tir_in_type(o, 0).dtype, to = tir_out_type(o, 0).dtype;
  if (!tosa_is_integer(x))
    return to;
  bool is_bytes = x == STRATA_DTYPE_I8 && to == STRATA_DTYPE_I32 && has_bytes_node;
  return is_bytes ? STRATA_DTYPE_I8 : STRATA_DTYPE_F64;
}

static const char *converted(tir_op_t *o, int i, int zero_point, strata_dtype_t type) {
  if (type == STRATA_DTYPE_I8)
    return tir_in_type(o, i).dtype == type ? tir_in(o, i) : tir_cast(o, tir_in(o, i), type);
  if (tosa_is_integer(tir_in_type(o, i).dtype))
    return tosa_centered(o, i, zero_point, type);
  return tir_in_type(o, i).dtype == type ? tir_in(o, i) : tir_cast(o, tir_in(o, i), type);
}

static void set_windows(graph_node_t *node, const conv_t *c, const int64_t *pads) {
  graph_set_ints(node, "strides", c->n, c->strides);
  graph_set_ints(node, "dilations", c->n, c->dilations);
  graph_set_ints(node, "pads", 2 * c->n, pads);
  graph_set_int(node, "group", c->groups);
}

// Adds the bias, one number or one a channel, which are last.
static void set_with_bias(tir_op_t *o, const char *y) {
  strata_dtype_t to = tir_out_type(o, 0).dtype, bias = tir_in_type(o, 2).dtype;
  double number;
  bool is_zero = tir_constant_number(tir_value(o, 2), &number) && number == 0;
  const char *b = bias == to ? tir_in(o, 2) : tir_cast(o, tir_in(o, 2), to);
  tir_set(o, 0, is_zero ? y : tir_binary(o, "Add", y, b));
}

// |x| with channels second, |kernel| as ONNX has it; both of |type|.
static const char *convolved(tir_op_t *o, const conv_t *c, const char *x, const char *kernel, strata_dtype_t type) {
  strata_dtype_t to = tir_out_type(o, 0).dtype;
  const char *zeros[2] = {"", ""};
  for (int i = 0; i < 2 && type == STRATA_DTYPE_I8; i++) {
    zeros[i] = tosa_zero_point(o, 3 + i);
    zeros[i] = zeros[i] ? tir_cast(o, zeros[i], STRATA_DTYPE_I8) : "";
  }
  bool is_bytes = type == STRATA_DTYPE_I8;
  graph_node_t *node = is_bytes ? graph_node(o->g, "ConvInteger", GRAPH_VALUES(x, kernel, zeros[0], zeros[1]))
                                : graph_node(o->g, "Conv", GRAPH_VALUES(x, kernel));
  set_windows(node, c, c->pads);
  const char *y = graph_result(node, NULL);
  return is_bytes || type == to ? y : tir_cast(o, y, to);
}

void tosa_read_conv(tir_op_t *o) {
  conv_t c;
  if (!read_conv(o, "pad", &c))
    return;
  int rank = c.n + 2;
  strata_dtype_t type = sum_type(o, true);
  const char *x = channels_second(o, converted(o, 0, 3, type), rank);
  const char *kernel = channels_second(o, converted(o, 1, 4, type), rank);
  set_with_bias(o, channels_last(o, convolved(o, &c, x, kernel, type), rank));
}

// The kernel [height, width, channels, multiples].
void tosa_read_depthwise_conv(tir_op_t *o) {
  conv_t c;
  tir_type_t kernel_type = tir_in_type(o, 1);
  static const int64_t permutation[4] = {2, 3, 0, 1};
  if (!read_conv(o, "pad", &c))
    return;
  const int64_t *d = kernel_type.dims;
  if (c.n != 2 || d[0] < 0 || d[1] < 0 || d[2] < 1 || d[3] < 1 || d[2] > INT32_MAX || d[3] > INT32_MAX) {
    tir_refuse(o, "a kernel whose sizes are not known, or out of range");
    return;
  }
  c.groups = d[2];
  strata_dtype_t type = sum_type(o, true);
  const char *x = channels_second(o, converted(o, 0, 3, type), 4);
  const char *kernel = tir_transpose(o, converted(o, 1, 4, type), 4, permutation);
  kernel = tir_reshape_static(o, kernel, 4, (int64_t[]){d[2] * d[3], 1, d[0], d[1]});
  set_with_bias(o, channels_last(o, convolved(o, &c, x, kernel, type), 4));
}

// out_pad enlarges the result, or, where it is negative, cuts it.
void tosa_read_transpose_conv(tir_op_t *o) {
  conv_t c;
  static const int64_t permutation[4] = {3, 0, 1, 2};
  if (!read_conv(o, "out_pad", &c))
    return;
  if (c.n != 2) {
    tir_refuse(o, "expected two spatial dims");
    return;
  }
  int64_t cut[4], outer[8] = {0};
  bool is_enlarged = false;
  for (int i = 0; i < 4; i++) {
    cut[i] = c.pads[i] < 0 ? -c.pads[i] : 0;
    outer[i / 2 * 4 + 2 + i % 2] = c.pads[i] > 0 ? c.pads[i] : 0;
    is_enlarged |= c.pads[i] > 0;
  }
  strata_dtype_t type = sum_type(o, false), to = tir_out_type(o, 0).dtype;
  const char *x = channels_second(o, converted(o, 0, 3, type), 4);
  const char *kernel = tir_transpose(o, converted(o, 1, 4, type), 4, permutation);
  graph_node_t *node = graph_node(o->g, "ConvTranspose", GRAPH_VALUES(x, kernel));
  set_windows(node, &c, cut);
  const char *y = graph_result(node, NULL);
  y = is_enlarged ? graph_op(o->g, "Pad", GRAPH_VALUES(y, graph_ints(o->g, 8, outer))) : y;
  set_with_bias(o, channels_last(o, type == to ? y : tir_cast(o, y, to), 4));
}

//===-- Pooling --------------------------------------------------------------------------------------------------===//

typedef struct {
  int64_t kernel[4], strides[4], pads[8]; // of all dims
} pool_t;

static bool read_pool(tir_op_t *o, pool_t *p) {
  int64_t kernel[2], strides[2], pads[4];
  if (tir_in_type(o, 0).rank != 4 || !tir_ints(o, "kernel", 2, 1, kernel) || !tir_ints(o, "stride", 2, 1, strides) ||
      !read_pads(o, "pad", 2, pads)) {
    tir_refuse(o, "expected a kernel, strides and pads of two dims");
    return false;
  }
  *p = (pool_t){.kernel = {1, kernel[0], kernel[1], 1},
                .strides = {1, strides[0], strides[1], 1},
                .pads = {0, pads[0], pads[1], 0, 0, pads[2], pads[3], 0}};
  return true;
}

static const char *pooled(tir_op_t *o, const pool_t *p, const char *kind, const char *x) {
  graph_node_t *node = graph_node(o->g, "strata.Window", GRAPH_VALUES(x));
  graph_set_string(node, "kind", kind);
  graph_set_ints(node, "kernel_shape", 4, p->kernel);
  graph_set_ints(node, "strides", 4, p->strides);
  graph_set_ints(node, "pads", 8, p->pads);
  return graph_result(node, NULL);
}

void tosa_read_max_pool(tir_op_t *o) {
  pool_t p;
  if (tosa_says(o, "nan_mode", "IGNORE") && tosa_is_float(tir_in_type(o, 0).dtype))
    tir_refuse(o, "extremes that NaNs lose");
  else if (read_pool(o, &p))
    tir_set(o, 0, pooled(o, &p, "max", tir_in(o, 0)));
}

// How many elements of each window there are: of a tensor [1, height, width, 1] of ones.
static const char *counts(tir_op_t *o, const pool_t *p, strata_dtype_t dtype) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t one = 1;
  const char *sizes[4];
  for (int i = 0; i < 4; i++)
    sizes[i] = i == 1 || i == 2 ? tir_size(o, tir_in(o, 0), &type, i) : graph_ints(o->g, 1, &one);
  return pooled(o, p, "add", tir_expand(o, tir_number(o, dtype, 1), tir_concat(o, 0, 4, sizes)));
}

// 1 / count as a multiplier of 30 or 31 bits and a shift.
static const char *divided(tir_op_t *o, const char *sum, const char *count) {
  const char *one = graph_int(o->g, 1),
             *zeros = tir_leading_zeros(o, tir_binary(o, "Sub", count, one), STRATA_DTYPE_I64);
  const char *bits = tir_binary(o, "Sub", graph_int(o->g, 64), zeros);
  graph_node_t *wide = graph_node(o->g, "BitShift", GRAPH_VALUES(graph_int(o->g, (INT64_C(1) << 30) + 1), bits));
  graph_set_string(wide, "direction", "LEFT");
  const char *multiplier = tir_binary(o, "Div", graph_result(wide, NULL), count);
  return tosa_scaled(o, sum, multiplier, tir_binary(o, "Add", bits, graph_int(o->g, 30)), false);
}

void tosa_read_avg_pool(tir_op_t *o) {
  pool_t p;
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  if (!read_pool(o, &p))
    return;
  if (tosa_is_integer(dtype)) {
    const char *sum = pooled(o, &p, "add", tosa_centered(o, 0, 1, STRATA_DTYPE_I32));
    const char *y = divided(o, tir_cast(o, sum, STRATA_DTYPE_I64), counts(o, &p, STRATA_DTYPE_I64));
    const char *zero = tosa_zero_point(o, 2);
    y = zero ? tir_binary(o, "Add", y, tir_cast(o, zero, STRATA_DTYPE_I64)) : y;
    tir_set(o, 0, tosa_saturated(o, y, dtype));
    return;
  }
  strata_dtype_t wide = dtype == STRATA_DTYPE_F64 ? dtype : STRATA_DTYPE_F32;
  const char *x = dtype == wide ? tir_in(o, 0) : tir_cast(o, tir_in(o, 0), wide);
  const char *y = tir_binary(o, "Div", pooled(o, &p, "add", x), counts(o, &p, wide));
  tir_set(o, 0, dtype == wide ? y : tir_cast(o, y, dtype));
}
