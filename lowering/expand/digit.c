// See digit.h. Elements of fewer than 32 bits are computed with as words, of which the upper bits are anything.
#include "lowering/expand/digit.h"

#include "lowering/expand/ops.h"

enum { WORD = 32 };

typedef struct {
  strata_emitter_t *e;
  MlirType type; // of the number: i32 or i64
  unsigned bits; // of the element
} number_t;

static MlirValue constant(const number_t *n, uint64_t value) {
  return strata_emit_integer(n->e, n->type, n->bits <= WORD ? (int32_t)(uint32_t)value : (int64_t)value);
}
static MlirValue with(const number_t *n, const char *name, MlirValue x, uint64_t value) {
  return strata_emit_binary(n->e, name, x, constant(n, value));
}
static uint64_t sign_of(const number_t *n) { return UINT64_C(1) << (n->bits - 1); }

// The bits of infinity without a sign; of the types with as many bits there are.
static uint64_t infinity_of(MlirType type) {
  if (mlirTypeIsAF16(type))
    return UINT64_C(0x7C00);
  if (mlirTypeIsABF16(type))
    return UINT64_C(0x7F80);
  return mlirTypeIsAF32(type) ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
}

static MlirValue order_of_float(const number_t *n, MlirValue x, MlirType type) {
  strata_emitter_t *e = n->e;
  uint64_t sign = sign_of(n);
  MlirValue size = with(n, "arith.andi", x, sign - 1);
  MlirValue is_negative = strata_emit_cmpi(e, STRATA_NE, with(n, "arith.andi", x, sign), constant(n, 0));
  MlirValue is_zero = strata_emit_cmpi(e, STRATA_EQ, size, constant(n, 0));
  MlirValue is_nan = strata_emit_cmpi(e, STRATA_ULT, constant(n, infinity_of(type)), size);
  MlirValue order =
      strata_emit_select(e, is_negative, with(n, "arith.xori", size, sign - 1), with(n, "arith.ori", size, sign));
  order = strata_emit_select(e, is_zero, constant(n, sign), order);
  return strata_emit_select(e, is_nan, constant(n, UINT64_MAX), order);
}

MlirValue strata_emit_digit(strata_emitter_t *e, MlirValue element, const strata_sort_digit_t *digit) {
  MlirType type = mlirValueGetType(element), i32 = mlirIntegerTypeGet(e->context, WORD);
  bool is_float = mlirTypeIsAFloat(type);
  number_t n = {.e = e, .bits = (unsigned)strata_element_bits(type)};
  n.type = n.bits <= WORD ? i32 : mlirIntegerTypeGet(e->context, 64);
  MlirValue order = element;
  if (is_float)
    order = strata_emit_cast(e, "arith.bitcast", order, mlirIntegerTypeGet(e->context, n.bits));
  if (n.bits < WORD)
    order = strata_emit_cast(e, "arith.extui", order, i32);
  if (is_float)
    order = order_of_float(&n, order, type);
  else if (!digit->is_unsigned)
    order = with(&n, "arith.xori", order, sign_of(&n));
  if (digit->descending)
    order = with(&n, "arith.xori", order, UINT64_MAX);
  if (digit->shift)
    order = with(&n, "arith.shrui", order, (uint64_t)digit->shift);
  order = with(&n, "arith.andi", order, (UINT64_C(1) << digit->bits) - 1);
  return n.bits <= WORD ? order : strata_emit_cast(e, "arith.trunci", order, i32);
}
