// strata-byte-products: products of quantised operands are products of their bytes, where a cpu adds up the products of
// four unsigned bytes with four signed ones at once (strata_cpu_device_t, quad_products).
//
//   contract((%q - z) * s, %p * t)   ->   convert(contract(%q + 128, %p) {unsigned_lhs} - (z + 128) * sum(%p)) * s * t
//
// where %q and %p are signed bytes; an unsigned %q is taken as it is, and a %p of zero point 128 is one of 0 with a
// sign. Where the device multiplies signed bytes alone (MFMA), %q is taken as it is, and an unsigned one less 128. So
// are products of i32 to which bytes have been widened. Sums of bytes are exact, in another order than that of floats
// all the same: not where maths is to be exact. Where a window reaches beyond its image and the zero point is not 0, as
// it is behind a relu where bytes have no sign, the image gets a margin of it; and where no dim of the sum is a
// multiple of four, one is made so: an image of three channels has a fourth. The right operand is constant unless the
// left one's zero point is 0: nobody knows its sums before.
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "passes/pass.h"
#include "passes/strata/quantized.h"
#include "passes/strata/scales.h"
#include "passes/target.h"

#include <math.h>

enum { QUAD = 4, SIGN = 128 };

static bool is_byte(MlirValue value) { return strata_shape_of(value).type == STRATA_TYPE_I8; }

// The zero point where the bytes are unsigned, and where they are what the device multiplies.
static int64_t unsigned_zero(const strata_quantized_t *q) { return q->is_unsigned ? q->zero : q->zero + SIGN; }

static int64_t zero_of(const strata_quantized_t *q, strata_byte_products_t bytes) {
  return unsigned_zero(q) - (bytes == STRATA_BYTE_PRODUCTS_SIGNED ? SIGN : 0);
}

static strata_byte_products_t multiplied_bytes(strata_rewriter_t *r) {
  strata_byte_products_t bytes = STRATA_BYTE_PRODUCTS_NONE;
  strata_status_t status = strata_byte_products(r->compile, &bytes);
  r->build.status = r->build.status ? r->build.status : status;
  return bytes;
}

static int64_t quads_up(int64_t size) { return strata_ceil_div(size, QUAD) * QUAD; }

// The dim of the sum whose bytes are taken four at a time: one of a multiple of four, or else the longest of three at
// least, which is made one. -1: there is none.
static int quad_dim(const strata_contract_t *c) {
  enum { LEAST = 3 };
  int best = -1;
  int64_t size, longest = LEAST - 1;
  for (int dim = c->result_rank; dim < c->n_dims; dim++) {
    if (strata_contract_position(c, 0, dim) < 0 || strata_contract_position(c, 1, dim) < 0 ||
        !strata_contract_is_sliceable(c, dim) || !strata_dim_is_constant(c->dims[dim], &size))
      continue;
    if (size % QUAD == 0)
      return dim;
    if (size > longest) {
      best = dim;
      longest = size;
    }
  }
  return best;
}

// Whether no sum of products of bytes leaves i32.
static bool has_small_sums(const strata_contract_t *c) {
  int64_t size, terms = 1, most = INT32_MAX / (UINT8_MAX * SIGN);
  for (int dim = c->result_rank; dim < c->n_dims && terms <= most; dim++) {
    if (!strata_dim_is_constant(c->dims[dim], &size))
      return false;
    terms *= quads_up(size);
  }
  return terms <= most;
}

static bool is_multiple(const strata_contract_t *c, int dim) {
  int64_t size;
  return strata_dim_is_constant(c->dims[dim], &size) && size % QUAD == 0;
}

//===-- Padding --------------------------------------------------------------------------------------------------===//

// Whether |expr| is over dims of known sizes alone; |extents| are those, 1 of others.
static bool has_known_sizes(const strata_contract_t *c, MlirAffineExpr expr, int64_t *extents) {
  bool are_known = true;
  for (int i = 0; i < c->n_dims; i++)
    if (!strata_dim_is_constant(c->dims[i], &extents[i])) {
      are_known &= !mlirAffineExprIsFunctionOfDim(expr, i);
      extents[i] = 1;
    }
  return are_known;
}

// How far reads of operand |k| go beyond its ends; false if that is not known. A dim of the product read as it is, a
// batch whose size varies, is as long as the operand's.
static bool read_margins(const strata_contract_t *c, int k, int64_t *out_low, int64_t *out_high) {
  int64_t extents[STRATA_MAX_RANK], size, least, greatest;
  strata_shape_t shape = strata_shape_of(c->operands[k]);
  for (int i = 0; i < shape.rank; i++) {
    int dim = strata_expr_dim(c->exprs[k][i]);
    out_low[i] = out_high[i] = 0;
    if (dim >= 0 && strata_dim_equal(c->dims[dim], shape.dims[i]))
      continue;
    if (!strata_dim_is_constant(shape.dims[i], &size) || !has_known_sizes(c, c->exprs[k][i], extents) ||
        !strata_affine_range(c->exprs[k][i], STRATA_STATIC_SPACE(c->n_dims, extents), &least, &greatest))
      return false;
    out_low[i] = strata_max(0, -least);
    out_high[i] = strata_max(0, greatest - (size - 1));
  }
  return true;
}

// Puts |zero| around operand |k| where it is read beyond its ends.
static void pad_operand(strata_rewriter_t *r, strata_contract_t *c, int k, int64_t zero) {
  int64_t low[STRATA_MAX_RANK] = {0}, high[STRATA_MAX_RANK] = {0};
  read_margins(c, k, low, high);
  c->operands[k] = strata_build_pad(&r->build, c->operands[k], low, high, (double)(int8_t)(uint8_t)zero);
  for (int i = 0; i < c->n_exprs[k]; i++)
    c->exprs[k][i] = mlirAffineAddExprGet(c->exprs[k][i], mlirAffineConstantExprGet(r->compile->context, low[i]));
}

static bool needs_padding(const strata_contract_t *c, int64_t zero) {
  return (c->zero_pad && zero) || !is_multiple(c, quad_dim(c));
}

// Makes the dim of quads a multiple of four and what is read beyond the image its zero point; weights are zero there.
static void pad_operands(strata_rewriter_t *r, strata_contract_t *c, int64_t zero) {
  int dim = quad_dim(c);
  int64_t size;
  if (strata_dim_is_constant(c->dims[dim], &size))
    c->dims[dim] = strata_dim_constant(r->compile->context, quads_up(size));
  pad_operand(r, c, 0, zero);
  pad_operand(r, c, 1, 0);
  c->zero_pad = false;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static bool read_operand(strata_rewriter_t *r, const strata_contract_t *c, int k, strata_quantized_t *q) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  if (strata_shape_of(c->operands[k]).type == STRATA_TYPE_I32)
    return strata_quantized_read_centered(c->operands[k], q) && is_byte(q->integers);
  return strata_quantized_read(c->operands[k], q) && is_byte(q->integers) &&
         strata_scale_place_in_result(c, k, q->scale, r->compile->context, exprs);
}

static bool read_operands(strata_rewriter_t *r, const strata_contract_t *c, strata_byte_products_t bytes,
                          strata_quantized_t q[2]) {
  int64_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  if (!read_operand(r, c, 0, &q[0]) || !read_operand(r, c, 1, &q[1]))
    return false;
  int64_t zero = zero_of(&q[0], bytes), of_bytes = unsigned_zero(&q[0]);
  bool is_known = strata_rewriter_is_constant(r, q[1].integers);
  if (needs_padding(c, zero) && !(is_known && read_margins(c, 0, low, high) && read_margins(c, 1, low, high)))
    return false;
  return unsigned_zero(&q[1]) == SIGN && of_bytes >= 0 && of_bytes <= UINT8_MAX && (zero == 0 || is_known);
}

// The sums of the right operand along what is contracted, over the result.
static MlirValue sums_of(strata_rewriter_t *r, const strata_contract_t *c, MlirValue bytes,
                         const strata_shape_t *result) {
  MlirContext context = r->compile->context;
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  int64_t axes[STRATA_MAX_RANK];
  int n_axes = 0, n_exprs = 0;
  for (int i = 0; i < c->n_exprs[1]; i++) {
    int dim = strata_expr_dim(c->exprs[1][i]);
    if (dim >= 0 && dim < c->result_rank)
      exprs[n_exprs++] = c->exprs[1][i];
    else
      axes[n_axes++] = i;
  }
  MlirValue wide = strata_build_convert(&r->build, STRATA_OP_CONVERT, bytes, STRATA_TYPE_I32);
  MlirValue sums = strata_build_reduce(&r->build, STRATA_COMBINER_ADD, wide, n_axes, axes, false);
  return strata_build_broadcast(&r->build, sums, result, mlirAffineMapGet(context, c->result_rank, 0, n_exprs, exprs));
}

// The bytes with or without a sign: 128 more or less.
static MlirValue bytes_of(strata_rewriter_t *r, const strata_quantized_t *q, bool are_unsigned) {
  strata_shape_t shape = strata_shape_of(q->integers);
  return q->is_unsigned == are_unsigned ? q->integers
                                        : strata_build_binary(&r->build, STRATA_OP_ADD, q->integers,
                                                              strata_build_splat_int(&r->build, &shape, -SIGN));
}

// A product of floats or of integers, to be read.
static bool may_be_of_bytes(MlirOperation op) {
  strata_type_t type = strata_shape_of(strata_result(op)).type;
  return (type == STRATA_TYPE_F32 || type == STRATA_TYPE_I32) && strata_shape_of(strata_operand(op, 0)).type == type &&
         strata_shape_of(strata_operand(op, 1)).type == type;
}

static MlirValue multiply_bytes(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_contract_t c;
  strata_quantized_t q[2];
  if (id != STRATA_OP_CONTRACT || !may_be_of_bytes(op) || !strata_contract_read(r->compile, op, &c) ||
      !has_small_sums(&c) || quad_dim(&c) < 0)
    return STRATA_NO_VALUE;
  strata_byte_products_t bytes = multiplied_bytes(r);
  if (!read_operands(r, &c, bytes, q))
    return STRATA_NO_VALUE;
  bool is_float = c.type == STRATA_TYPE_F32;
  int64_t zero_point = zero_of(&q[0], bytes);
  c.operands[0] = bytes_of(r, &q[0], bytes == STRATA_BYTE_PRODUCTS_UNSIGNED);
  c.operands[1] = bytes_of(r, &q[1], false);
  if (needs_padding(&c, zero_point))
    pad_operands(r, &c, zero_point);
  c.type = STRATA_TYPE_I32;
  c.unsigned_lhs = bytes == STRATA_BYTE_PRODUCTS_UNSIGNED;
  MlirValue sum = strata_contract_build(&r->build, &c);
  strata_shape_t shape = strata_shape_of(sum);
  if (zero_point) {
    MlirValue zero = strata_build_splat_int(&r->build, &shape, zero_point);
    MlirValue shift = strata_build_binary(&r->build, STRATA_OP_MUL, sums_of(r, &c, c.operands[1], &shape), zero);
    sum = strata_build_binary(&r->build, STRATA_OP_SUB, sum, shift);
  }
  if (!is_float)
    return sum;
  MlirValue result = strata_build_convert(&r->build, STRATA_OP_CONVERT, sum, STRATA_TYPE_F32);
  for (int k = 0; k < 2 && !r->build.status; k++)
    result = strata_scale_result(r, &c, k, result, q[k].scale);
  return result;
}

//===-- Other readers of shifted bytes ---------------------------------------------------------------------------===//

// True if products take |bytes| shifted by 128.
static bool is_shifted(MlirValue bytes) {
  strata_scalar_t shift;
  for (MlirOpOperand use = mlirValueGetFirstUse(bytes); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (strata_op_id(op) == STRATA_OP_ADD && mlirOpOperandGetOperandNumber(use) == 0 &&
        strata_splat_of(strata_operand(op, 1), &shift) && shift.i64 == -SIGN)
      return true;
  }
  return false;
}

// Who dequantises bytes that products take shifted does so, too: else both would be in memory.
static MlirValue dequantise_shifted(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_quantized_t q;
  if (id != STRATA_OP_MUL || !strata_quantized_read(strata_result(op), &q) || !is_byte(q.integers))
    return STRATA_NO_VALUE;
  strata_byte_products_t bytes = multiplied_bytes(r);
  bool are_unsigned = bytes == STRATA_BYTE_PRODUCTS_UNSIGNED;
  if (q.is_unsigned == are_unsigned || !is_shifted(q.integers))
    return STRATA_NO_VALUE;
  MlirValue value = strata_build_convert(&r->build, are_unsigned ? STRATA_OP_CONVERT_U : STRATA_OP_CONVERT,
                                         bytes_of(r, &q, are_unsigned), STRATA_TYPE_F32);
  strata_shape_t shape = strata_shape_of(value);
  if (zero_of(&q, bytes))
    value = strata_build_binary(&r->build, STRATA_OP_ADD, value,
                                strata_build_splat(&r->build, &shape, -(double)zero_of(&q, bytes)));
  return strata_build_binary(&r->build, STRATA_OP_MUL, value, q.scale);
}

//===-- Quotients of sums ----------------------------------------------------------------------------------------===//

static bool is_dequantised(MlirValue value) {
  strata_quantized_t q;
  return strata_quantized_read(value, &q);
}

static bool is_sum_of_bytes(MlirValue value, strata_byte_products_t bytes) {
  MlirOperation op = strata_def_if(value, STRATA_OP_SUB);
  op = strata_def_if(mlirOperationIsNull(op) ? value : strata_operand(op, 0), STRATA_OP_CONTRACT);
  bool is_unsigned = bytes == STRATA_BYTE_PRODUCTS_UNSIGNED;
  return !mlirOperationIsNull(op) && is_byte(strata_operand(op, 0)) && is_byte(strata_operand(op, 1)) &&
         strata_attr_flag(op, "unsigned_lhs") == is_unsigned;
}

// Whether |value| is computed by rounding from sums of products, or is the sum of two dequantised values.
static bool is_rounded(MlirValue value, strata_byte_products_t bytes) {
  enum { DEPTH = 16 };
  for (int i = 0; i < DEPTH; i++) {
    MlirOperation op = strata_def(value);
    strata_op_id_t id = mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op);
    if (id == STRATA_OP_CONVERT)
      return is_sum_of_bytes(strata_operand(op, 0), bytes);
    if (id == STRATA_OP_ADD && is_dequantised(strata_operand(op, 0)) && is_dequantised(strata_operand(op, 1)))
      return true;
    bool passes_on = id == STRATA_OP_MUL || id == STRATA_OP_ADD || id == STRATA_OP_MAX || id == STRATA_OP_MIN ||
                     id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE;
    if (!passes_on)
      return false;
    value = strata_operand(op, 0);
  }
  return false;
}

// A quotient that is rounded to a quantised value is divided out as long as it may be a whole number
// (strata-exact-quotients); of such sums nobody knows.
static MlirValue multiply_by_reciprocal(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_scalar_t scale;
  if (id != STRATA_OP_DIV_EXACT || strata_shape_of(strata_result(op)).type != STRATA_TYPE_F32 ||
      !strata_splat_of(strata_operand(op, 1), &scale) || !isnormal((float)(1 / scale.f64)) ||
      !is_rounded(strata_operand(op, 0), multiplied_bytes(r)))
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(strata_result(op));
  return strata_build_binary(&r->build, STRATA_OP_MUL, strata_operand(op, 0),
                             strata_build_splat(&r->build, &shape, 1 / scale.f64));
}

strata_status_t strata_pass_byte_products(strata_compile_t *compile) {
  strata_byte_products_t bytes;
  if (!strata_may_sum_as_bytes(compile) && compile->options->precision != STRATA_PRECISION_MIXED_INT8_INT32)
    return NULL;
  STRATA_TRY(strata_byte_products(compile, &bytes));
  if (!bytes)
    return NULL;
  STRATA_TRY(strata_rewrite(compile, multiply_bytes));
  STRATA_TRY(strata_rewrite(compile, dequantise_shifted));
  return strata_rewrite(compile, multiply_by_reciprocal);
}
