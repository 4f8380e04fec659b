// strata-keep-bytes: what moves or chooses quantised values works on their bytes, on devices that multiply bytes.
//
//   window((%q - z) * s) {kind = "max"}      ->   (window(%q) {kind = "max"} - z) * s, where s > 0
//   convert(round((%q - z) * s / s) + z)     ->   %q
//
// Both are exact: a greater byte is a greater number, and the quotient is nearer to the integer than to any other.
// Unsigned bytes are compared as signed ones of 128 less, and are themselves again by 128 more.
#include "passes/pass.h"
#include "passes/strata/quantized.h"
#include "passes/target.h"

#include <math.h>

enum { SIGN = 128 };

static bool is_byte(MlirValue value) { return strata_shape_of(value).type == STRATA_TYPE_I8; }

// Bytes times one number, greater than zero.
static bool read_bytes(MlirValue value, strata_quantized_t *out, double *out_scale) {
  strata_scalar_t scale;
  if (!strata_quantized_read(value, out) || !is_byte(out->integers) || !strata_splat_of(out->scale, &scale) ||
      scale.type != STRATA_TYPE_F32 || !isnormal((float)scale.f64) || !(scale.f64 > 0))
    return false;
  *out_scale = scale.f64;
  return true;
}

static MlirValue dequantise(strata_rewriter_t *r, MlirValue bytes, int64_t zero, double scale) {
  MlirValue value = strata_build_convert(&r->build, STRATA_OP_CONVERT, bytes, STRATA_TYPE_F32);
  strata_shape_t shape = strata_shape_of(value);
  if (zero)
    value = strata_build_binary(&r->build, STRATA_OP_ADD, value, strata_build_splat(&r->build, &shape, -(double)zero));
  return strata_build_binary(&r->build, STRATA_OP_MUL, value, strata_build_splat(&r->build, &shape, scale));
}

//===-- Windows --------------------------------------------------------------------------------------------------===//

typedef struct {
  int64_t window[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], dilations[STRATA_MAX_RANK], low[STRATA_MAX_RANK],
      high[STRATA_MAX_RANK];
} window_t;

// A window for the greatest, each of which has an element of the image.
static bool read_window(MlirOperation op, int rank, window_t *out) {
  if (strata_op_combiner(op) != STRATA_COMBINER_MAX ||
      strata_attr_i64s(op, "window", STRATA_MAX_RANK, out->window) != rank ||
      strata_attr_i64s(op, "strides", STRATA_MAX_RANK, out->strides) != rank ||
      strata_attr_i64s(op, "dilations", STRATA_MAX_RANK, out->dilations) != rank ||
      strata_attr_i64s(op, "low", STRATA_MAX_RANK, out->low) != rank ||
      strata_attr_i64s(op, "high", STRATA_MAX_RANK, out->high) != rank)
    return false;
  for (int i = 0; i < rank; i++)
    if (out->dilations[i] != 1 || out->low[i] >= out->window[i] || out->high[i] >= out->window[i])
      return false;
  return true;
}

static MlirValue choose_bytes(strata_rewriter_t *r, MlirOperation op) {
  strata_quantized_t q;
  window_t w;
  double scale;
  if (!read_bytes(strata_operand(op, 0), &q, &scale) || !read_window(op, strata_shape_of(strata_result(op)).rank, &w))
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(q.integers);
  MlirValue bytes = q.is_unsigned ? strata_build_binary(&r->build, STRATA_OP_ADD, q.integers,
                                                        strata_build_splat_int(&r->build, &shape, -SIGN))
                                  : q.integers;
  bytes = strata_build_window(&r->build, STRATA_COMBINER_MAX, bytes, w.window, w.strides, w.dilations, w.low, w.high);
  return dequantise(r, bytes, q.is_unsigned ? q.zero - SIGN : q.zero, scale);
}

//===-- Quantising again -----------------------------------------------------------------------------------------===//

// The quotient that is rounded, and what is added to that.
static MlirValue read_quotient(MlirOperation conversion, int64_t *out_zero) {
  MlirValue value = strata_operand(conversion, 0);
  MlirOperation add = strata_def_if(value, STRATA_OP_ADD), round, quotient;
  strata_scalar_t zero = {.f64 = 0};
  if (!mlirOperationIsNull(add)) {
    if (!strata_splat_of(strata_operand(add, 1), &zero) || zero.type != STRATA_TYPE_F32)
      return STRATA_NO_VALUE;
    value = strata_operand(add, 0);
  }
  round = strata_def_if(value, STRATA_OP_ROUND_EVEN);
  if (mlirOperationIsNull(round) || !(fabs(zero.f64) <= 2 * SIGN) || zero.f64 != (double)(int64_t)zero.f64)
    return STRATA_NO_VALUE;
  *out_zero = (int64_t)zero.f64;
  quotient = strata_def_if(strata_operand(round, 0), STRATA_OP_DIV_EXACT);
  return mlirOperationIsNull(quotient) ? STRATA_NO_VALUE : strata_result(quotient);
}

static MlirValue keep_bytes(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_quantized_t q;
  strata_scalar_t divisor;
  int64_t zero;
  double scale;
  bool is_unsigned = id == STRATA_OP_CONVERT_TO_U;
  if (!is_byte(strata_result(op)) || strata_shape_of(strata_operand(op, 0)).type != STRATA_TYPE_F32)
    return STRATA_NO_VALUE;
  MlirValue value = read_quotient(op, &zero);
  if (mlirValueIsNull(value))
    return STRATA_NO_VALUE;
  MlirOperation quotient = strata_def(value);
  if (!strata_splat_of(strata_operand(quotient, 1), &divisor) || !read_bytes(strata_operand(quotient, 0), &q, &scale) ||
      divisor.f64 != scale)
    return STRATA_NO_VALUE;
  int64_t more = q.is_unsigned == is_unsigned ? 0 : is_unsigned ? SIGN : -SIGN;
  if (zero != q.zero + more)
    return STRATA_NO_VALUE;
  strata_shape_t shape = strata_shape_of(q.integers);
  return more ? strata_build_binary(&r->build, STRATA_OP_ADD, q.integers,
                                    strata_build_splat_int(&r->build, &shape, -SIGN)) // in 8 bits the same as 128
              : q.integers;
}

static MlirValue work_on_bytes(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  if (id == STRATA_OP_WINDOW)
    return choose_bytes(r, op);
  return id == STRATA_OP_CONVERT || id == STRATA_OP_CONVERT_TO_U ? keep_bytes(r, op, id) : STRATA_NO_VALUE;
}

strata_status_t strata_pass_keep_bytes(strata_compile_t *compile) {
  strata_byte_products_t bytes;
  STRATA_TRY(strata_byte_products(compile, &bytes));
  return bytes ? strata_rewrite(compile, work_on_bytes) : NULL;
}
