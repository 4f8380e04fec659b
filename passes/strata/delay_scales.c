// strata-delay-scales: on GPUs, what a product of 16-bit floats reads as scaled bytes it reads as bytes, so that its
// kernel can widen them on their way (attention over quantised caches); the scale comes behind the product:
//
//   contract(q, convert(mul(convert(%k: i8), broadcast(%s))))  ->  mul(contract(q, convert(%k)), broadcast(%s))
//
// where the scale does not vary along what is summed up. One that does, as that of each cached value, comes to the
// other operand if it varies along that one's dims alone:
//
//   contract(p, mul(convert(%v: f8), broadcast(%t)))  ->  contract(mul(p, broadcast(%t)), convert(%v))
//
// So does one number that a computed operand is scaled by, behind, as queries are: a kernel less where a product reads
// it more often than once. Sums and what is scaled are f32; nothing is rounded that was not before.
#include "passes/pass.h"
#include "passes/strata/scales.h"
#include "passes/target.h"

// Weights in f16 are multiplied by as much more, since scales may be tiny. What they scale has to be finite in f16, so
// that no scale of bytes is beyond 512.
#define HEADROOM 64

typedef struct {
  MlirValue source; // as the product is to read it, before it is converted to its type
  MlirValue scale;  // a splat or a broadcast
  bool is_unsigned; // integers
} scaled_t;

static bool is_half(strata_type_t type) { return type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16; }

static bool is_byte(strata_type_t type) {
  return type == STRATA_TYPE_I8 || type == STRATA_TYPE_E4M3 || type == STRATA_TYPE_E5M2;
}

// Bytes, converted and scaled.
static bool read_bytes(MlirValue value, scaled_t *out) {
  MlirOperation mul = strata_def_if(strata_under_rounding(value), STRATA_OP_MUL);
  for (int i = 0; !mlirOperationIsNull(mul) && i < 2; i++) {
    MlirOperation convert = strata_def(strata_operand(mul, i));
    strata_op_id_t id = mlirOperationIsNull(convert) ? STRATA_OP_COUNT : strata_op_id(convert);
    if ((id != STRATA_OP_CONVERT && id != STRATA_OP_CONVERT_U) || !strata_is_scale(strata_operand(mul, 1 - i)))
      continue;
    *out = (scaled_t){strata_operand(convert, 0), strata_operand(mul, 1 - i), id == STRATA_OP_CONVERT_U};
    return is_byte(strata_shape_of(out->source).type);
  }
  return false;
}

// A 16-bit float times one number.
static bool read_multiple(MlirValue value, scaled_t *out) {
  strata_scalar_t scalar;
  MlirOperation mul = strata_def_if(value, STRATA_OP_MUL);
  if (mlirOperationIsNull(mul) || !strata_value_has_one_use(value) || !strata_splat_of(strata_operand(mul, 1), &scalar))
    return false;
  *out = (scaled_t){strata_operand(mul, 0), strata_operand(mul, 1), false};
  return true;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static MlirValue narrow(strata_rewriter_t *r, const scaled_t *scaled, strata_type_t type) {
  return strata_build_convert(&r->build, scaled->is_unsigned ? STRATA_OP_CONVERT_U : STRATA_OP_CONVERT, scaled->source,
                              type);
}

static MlirValue with_scale_behind(strata_rewriter_t *r, strata_contract_t *c, int k, const scaled_t *scaled,
                                   const MlirAffineExpr *exprs) {
  strata_type_t type = c->type;
  c->operands[k] = narrow(r, scaled, strata_shape_of(c->operands[k]).type);
  c->type = STRATA_TYPE_F32;
  MlirValue result = strata_scale_at(r, strata_contract_build(&r->build, c), scaled->scale, exprs);
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, result, type);
}

static MlirValue with_scale_beside(strata_rewriter_t *r, strata_contract_t *c, int k, const scaled_t *scaled,
                                   const MlirAffineExpr *exprs) {
  strata_type_t type = c->type, operands = strata_shape_of(c->operands[k]).type;
  double headroom = operands == STRATA_TYPE_F16 ? HEADROOM : 1;
  MlirValue other =
      strata_build_convert(&r->build, STRATA_OP_CONVERT, strata_under_rounding(c->operands[1 - k]), STRATA_TYPE_F32);
  strata_shape_t shape = strata_shape_of(other);
  other = strata_scale_at(r, other, scaled->scale, exprs);
  if (headroom != 1)
    other = strata_build_binary(&r->build, STRATA_OP_MUL, other, strata_build_splat(&r->build, &shape, headroom));
  c->operands[1 - k] = strata_build_convert(&r->build, STRATA_OP_CONVERT, other, operands);
  c->operands[k] = narrow(r, scaled, operands);
  c->type = STRATA_TYPE_F32;
  MlirValue result = strata_contract_build(&r->build, c);
  shape = strata_shape_of(result);
  if (headroom != 1)
    result = strata_build_binary(&r->build, STRATA_OP_MUL, result, strata_build_splat(&r->build, &shape, 1 / headroom));
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, result, type);
}

static bool is_known(const strata_rewriter_t *r, const strata_contract_t *c) {
  return strata_rewriter_is_constant(r, c->operands[0]) || strata_rewriter_is_constant(r, c->operands[1]);
}

static MlirValue delay_scale(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_contract_t c;
  scaled_t scaled;
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  MlirContext context = r->compile->context;
  if (id != STRATA_OP_CONTRACT || !strata_contract_read(r->compile, op, &c) || c.zero_pad || is_known(r, &c))
    return STRATA_NO_VALUE;
  for (int k = 0; k < 2; k++) {
    if (!is_half(strata_shape_of(c.operands[k]).type))
      return STRATA_NO_VALUE;
    bool are_bytes = read_bytes(c.operands[k], &scaled);
    if (!are_bytes && !read_multiple(c.operands[k], &scaled))
      continue;
    if (strata_scale_place_in_result(&c, k, scaled.scale, context, exprs))
      return with_scale_behind(r, &c, k, &scaled, exprs);
    if (strata_scale_place_in_other(&c, k, scaled.scale, context, exprs))
      return with_scale_beside(r, &c, k, &scaled, exprs);
  }
  return STRATA_NO_VALUE;
}

strata_status_t strata_pass_delay_scales(strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  if (!strata_target_is_gpu(compile) || options->disable_unsafe_math || options->disable_fast_math)
    return NULL;
  return strata_rewrite(compile, delay_scale);
}
