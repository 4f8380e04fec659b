// See quantized.h.
#include "passes/strata/quantized.h"

static bool is_scale(MlirValue value) {
  strata_scalar_t scalar;
  MlirOperation broadcast = strata_def_if(value, STRATA_OP_BROADCAST);
  return mlirOperationIsNull(broadcast)
             ? strata_splat_of(value, &scalar)
             : !mlirOperationIsNull(strata_def_if(strata_operand(broadcast, 0), STRATA_OP_CONSTANT));
}

// Takes a constant shift off |*value|: x - zero, or x + (-zero).
static bool take_zero(MlirValue *value, int64_t *out_zero) {
  MlirOperation add = strata_def_if(*value, STRATA_OP_ADD), sub = strata_def_if(*value, STRATA_OP_SUB);
  MlirOperation shift = mlirOperationIsNull(add) ? sub : add;
  strata_scalar_t zero;
  *out_zero = 0;
  if (mlirOperationIsNull(shift))
    return true;
  if (!strata_splat_of(strata_operand(shift, 1), &zero))
    return false;
  bool is_float = strata_type_info[zero.type].kind == STRATA_TYPE_KIND_FLOAT;
  double number = is_float ? zero.f64 : (double)zero.i64;
  if (!(number >= -32767 && number <= 32767) || number != (double)(int64_t)number)
    return false;
  *out_zero = mlirOperationIsNull(add) ? (int64_t)number : -(int64_t)number;
  *value = strata_operand(shift, 0);
  return true;
}

bool strata_quantized_read_centered(MlirValue value, strata_quantized_t *out) {
  if (!take_zero(&value, &out->zero))
    return false;
  MlirOperation conversion = strata_def(value);
  strata_op_id_t id = mlirOperationIsNull(conversion) ? STRATA_OP_COUNT : strata_op_id(conversion);
  out->is_unsigned = id == STRATA_OP_CONVERT_U;
  if (id != STRATA_OP_CONVERT && id != STRATA_OP_CONVERT_U)
    return false;
  out->integers = strata_operand(conversion, 0);
  return strata_type_info[strata_shape_of(out->integers).type].kind == STRATA_TYPE_KIND_INTEGER;
}

bool strata_quantized_read(MlirValue value, strata_quantized_t *out) {
  MlirOperation mul = strata_def_if(value, STRATA_OP_MUL);
  if (mlirOperationIsNull(mul) || !is_scale(strata_operand(mul, 1)))
    return false;
  out->scale = strata_operand(mul, 1);
  return strata_quantized_read_centered(strata_operand(mul, 0), out);
}
