// strata-byte-products: products of quantised operands are products of their bytes, where a cpu adds up the products of
// four unsigned bytes with four signed ones at once (strata_cpu_device_t, quad_products).
//
//   contract((%q - z) * s, %p * t)   ->   convert(contract(%q + 128, %p) {unsigned_lhs} - (z + 128) * sum(%p)) * s * t
//
// where %q and %p are signed bytes; an unsigned %q is taken as it is. Sums of bytes are exact, in another order than
// that of floats all the same: not where maths is to be exact. Where a window reaches beyond its image the byte read
// there, 0, must be the zero point, as it is behind a relu; and so must that of operands that are both computed, whose
// sums nobody knows before.
#include "passes/pass.h"
#include "passes/strata/quantized.h"
#include "passes/target.h"

enum { QUAD = 4, SIGN = 128 };

static bool is_byte(MlirValue value) { return strata_shape_of(value).type == STRATA_TYPE_I8; }

// The zero point where the bytes are unsigned.
static int64_t unsigned_zero(const strata_quantized_t *q) { return q->is_unsigned ? q->zero : q->zero + SIGN; }

// Whether bytes that follow one another can be those of one dim of the sum.
static bool sums_quads(const strata_contract_t *c) {
  int64_t size;
  for (int dim = c->result_rank; dim < c->n_dims; dim++)
    if (strata_contract_position(c, 0, dim) >= 0 && strata_contract_position(c, 1, dim) >= 0 &&
        strata_contract_is_sliceable(c, dim) && strata_dim_is_constant(c->dims[dim], &size) && size % QUAD == 0)
      return true;
  return false;
}

static bool read_operands(strata_rewriter_t *r, const strata_contract_t *c, strata_quantized_t q[2]) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  for (int k = 0; k < 2; k++)
    if (!strata_quantized_read(c->operands[k], &q[k]) || !is_byte(q[k].integers) ||
        !strata_quantized_place_scale(c, k, q[k].scale, r->compile->context, exprs))
      return false;
  int64_t zero = unsigned_zero(&q[0]);
  bool is_known = !c->zero_pad && strata_rewriter_is_constant(r, q[1].integers);
  return !q[1].is_unsigned && q[1].zero == 0 && zero >= 0 && zero <= UINT8_MAX && (zero == 0 || is_known);
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
  return strata_build_broadcast(&r->build, sums, result,
                                mlirAffineMapGet(context, c->result_rank, 0, n_exprs, exprs));
}

static MlirValue unsigned_bytes(strata_rewriter_t *r, const strata_quantized_t *q) {
  strata_shape_t shape = strata_shape_of(q->integers);
  return q->is_unsigned ? q->integers
                        : strata_build_binary(&r->build, STRATA_OP_ADD, q->integers,
                                              strata_build_splat_int(&r->build, &shape, -SIGN));
}

static MlirValue multiply_bytes(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_contract_t c;
  strata_quantized_t q[2];
  if (id != STRATA_OP_CONTRACT || strata_shape_of(strata_result(op)).type != STRATA_TYPE_F32 ||
      strata_shape_of(strata_operand(op, 0)).type != STRATA_TYPE_F32 || !strata_contract_read(r->compile, op, &c) ||
      !sums_quads(&c) || !read_operands(r, &c, q))
    return STRATA_NO_VALUE;
  c.operands[0] = unsigned_bytes(r, &q[0]);
  c.operands[1] = q[1].integers;
  c.type = STRATA_TYPE_I32;
  c.unsigned_lhs = true;
  MlirValue sum = strata_contract_build(&r->build, &c);
  strata_shape_t shape = strata_shape_of(sum);
  if (unsigned_zero(&q[0])) {
    MlirValue zero = strata_build_splat_int(&r->build, &shape, unsigned_zero(&q[0]));
    MlirValue shift = strata_build_binary(&r->build, STRATA_OP_MUL, sums_of(r, &c, c.operands[1], &shape), zero);
    sum = strata_build_binary(&r->build, STRATA_OP_SUB, sum, shift);
  }
  MlirValue result = strata_build_convert(&r->build, STRATA_OP_CONVERT, sum, STRATA_TYPE_F32);
  for (int k = 0; k < 2 && !r->build.status; k++)
    result = strata_quantized_scale(r, &c, k, result, q[k].scale);
  return result;
}

strata_status_t strata_pass_byte_products(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile) || compile->options->disable_unsafe_math ||
      compile->options->precision != STRATA_PRECISION_DEFAULT)
    return NULL;
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  return device->quad_products ? strata_rewrite(compile, multiply_bytes) : NULL;
}
