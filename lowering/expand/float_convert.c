// Conversions between f32 and smaller floats in integer arithmetic; see expand.h. Rounding is to nearest even, NaN
// stays NaN.
#include "lowering/expand/notation.h"

#include <math.h>

// The bits of a small float in an i32, and back.
static MlirValue widen(expander_t *x, MlirValue value) {
  unsigned width = mlirFloatTypeGetWidth(strata_type_element(mlirValueGetType(value)));
  MlirType type = strata_type_like(x->bits, mlirIntegerTypeGet(x->m->e->context, width));
  return strata_emit_cast(x->m->e, "arith.extui", strata_emit_cast(x->m->e, "arith.bitcast", value, type), x->bits);
}
static MlirValue narrow(expander_t *x, MlirValue value, MlirType element) {
  MlirType type = strata_type_like(x->bits, mlirIntegerTypeGet(x->m->e->context, mlirFloatTypeGetWidth(element)));
  MlirValue all = strata_emit_cast(x->m->e, "arith.trunci", value, type);
  return strata_emit_cast(x->m->e, "arith.bitcast", all, strata_type_like(x->bits, element));
}

// value >> shift, rounded to nearest even.
static MlirValue round_shift(expander_t *x, MlirValue value, int64_t shift) {
  MlirValue odd = integer(x, "arith.andi", integer(x, "arith.shrui", value, bits(x, shift)), bits(x, 1));
  MlirValue sum = integer(x, "arith.addi", value, bits(x, ((int64_t)1 << (shift - 1)) - 1));
  return integer(x, "arith.shrui", integer(x, "arith.addi", sum, odd), bits(x, shift));
}

//===-- bf16: the upper half of an f32 ---------------------------------------------------------------------------===//

static MlirValue extend_bf16(expander_t *x, MlirValue value) {
  return to_real(x, integer(x, "arith.shli", widen(x, value), bits(x, 16)));
}

static MlirValue truncate_to_bf16(expander_t *x, MlirValue value, MlirType bf16) {
  MlirValue all = to_bits(x, value), is_nan = strata_emit_cmpf(x->m->e, STRATA_UNO, value, value);
  MlirValue quiet = integer(x, "arith.ori", integer(x, "arith.shrui", all, bits(x, 16)), bits(x, 0x40));
  return narrow(x, select(x, is_nan, quiet, round_shift(x, all, 16)), bf16);
}

//===-- Floats of a smaller exponent -----------------------------------------------------------------------------===//

typedef struct {
  bool (*is)(MlirType type);
  int mantissa_bits, bias;
  int64_t overflow; // the bits of the f32 from which on none rounds to a finite number any more
  int64_t infinity; // what an overflow becomes: the first pattern that is no finite number
  int64_t nan;      // where it is the pattern of -0, there is no such number
} format_t;

static const format_t formats[] = {
    {mlirTypeIsAF16, 10, 15, (127 + 16) << 23, 0x7c00, 0x7e00},
    {mlirTypeIsAFloat8E5M2, 2, 15, (127 + 16) << 23, 0x7c, 0x7e},
    {mlirTypeIsAFloat8E4M3FN, 3, 7, 0x43f00000 /* 480 */, 0x7f, 0x7f}, // without infinity: NaN
    {mlirTypeIsAFloat8E5M2FNUZ, 2, 16, 0x47700000 /* 61440 */, 0x80, 0x80},
    {mlirTypeIsAFloat8E4M3FNUZ, 3, 8, 0x43780000 /* 248 */, 0x80, 0x80},
};

static const int64_t f32_infinity = 0x7f800000, f32_nan = 0x7fc00000;

static const format_t *format_of(MlirType element) {
  const format_t *format = formats;
  while (!format->is(element))
    format++;
  return format;
}

// Zero has no sign; its pattern with one is the NaN.
static bool is_fnuz(const format_t *format) { return format->nan == 0x80; }

// The exponent is off by the difference of the biases, which a multiplication puts right for denormals as well.
static MlirValue extend(expander_t *x, MlirValue value, const format_t *format) {
  int width = (int)mlirFloatTypeGetWidth(strata_type_element(mlirValueGetType(value)));
  MlirValue all = widen(x, value);
  MlirValue magnitude = integer(x, "arith.andi", all, bits(x, (1 << (width - 1)) - 1));
  MlirValue sign = integer(x, "arith.shli", integer(x, "arith.xori", all, magnitude), bits(x, 32 - width));
  MlirValue shifted = integer(x, "arith.shli", magnitude, bits(x, 23 - format->mantissa_bits));
  MlirValue rebase = strata_emit_real(x->m->e, x->real, ldexp(1, 127 - format->bias));
  MlirValue scaled = strata_emit_binary(x->m->e, "arith.mulf", to_real(x, shifted), rebase);
  MlirValue is_finite = strata_emit_cmpi(x->m->e, STRATA_SLT, magnitude, bits(x, format->infinity));
  MlirValue special = integer(x, "arith.ori", shifted, bits(x, f32_infinity));
  MlirValue result = integer(x, "arith.ori", select(x, is_finite, to_bits(x, scaled), special), sign);
  if (is_fnuz(format))
    result = select(x, strata_emit_cmpi(x->m->e, STRATA_EQ, all, bits(x, format->nan)), bits(x, f32_nan), result);
  return to_real(x, result);
}

// Below the normal numbers, adding a number whose last bit is the smallest denormal rounds to their spacing; above, the
// exponent is rebased and the mantissa cut.
static MlirValue truncate_to(expander_t *x, MlirValue value, MlirType element, const format_t *format) {
  strata_emitter_t *e = x->m->e;
  int mantissa = format->mantissa_bits, width = (int)mlirFloatTypeGetWidth(element);
  MlirValue all = to_bits(x, value), magnitude = integer(x, "arith.andi", all, bits(x, 0x7fffffff));
  MlirValue sign = integer(x, "arith.shrui", integer(x, "arith.xori", all, magnitude), bits(x, 32 - width));
  MlirValue large_unit = strata_emit_real(e, x->real, ldexp(1, 24 - format->bias - mantissa));
  MlirValue sum = to_bits(x, strata_emit_binary(e, "arith.addf", to_real(x, magnitude), large_unit));
  MlirValue denormal = integer(x, "arith.subi", sum, to_bits(x, large_unit));
  MlirValue rebased = integer(x, "arith.subi", magnitude, bits(x, (int64_t)(127 - format->bias) << 23));
  MlirValue normal = round_shift(x, rebased, 23 - mantissa);
  MlirValue is_nan = strata_emit_cmpi(e, STRATA_SGT, magnitude, bits(x, f32_infinity));
  MlirValue large = select(x, is_nan, bits(x, format->nan), bits(x, format->infinity));
  MlirValue is_small = strata_emit_cmpi(e, STRATA_SLT, magnitude, bits(x, (int64_t)(128 - format->bias) << 23));
  MlirValue is_large = strata_emit_cmpi(e, STRATA_SGE, magnitude, bits(x, format->overflow));
  MlirValue result = select(x, is_large, large, select(x, is_small, denormal, normal));
  if (is_fnuz(format))
    sign = select(x, strata_emit_cmpi(e, STRATA_EQ, result, bits(x, 0)), bits(x, 0), sign);
  return narrow(x, integer(x, "arith.ori", result, sign), element);
}

//===-- By instructions ------------------------------------------------------------------------------------------===//

static MlirValue convert_f8(expander_t *x, const char *op, MlirValue value, MlirType result, MlirType element) {
  strata_emitter_t *e = x->m->e;
  const char *format = mlirTypeIsAFloat8E5M2(element) || mlirTypeIsAFloat8E5M2FNUZ(element) ? "bf8" : "fp8";
  strata_named_attr_t attr = {"format", strata_str_attr(e->context, format)};
  return strata_emit_value(e, op, 1, &value, result, 1, &attr);
}

MlirValue strata_expand_extend_f8(expander_t *x, MlirValue value) {
  return convert_f8(x, "tile.f8_widen", widen(x, value), x->real, mlirValueGetType(value));
}

MlirValue strata_expand_truncate_f8(expander_t *x, MlirValue value, MlirType element) {
  return narrow(x, convert_f8(x, "tile.f8_narrow", value, x->bits, element), element);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

MlirValue strata_expand_extend(expander_t *x, MlirValue value) {
  MlirType element = strata_type_element(mlirValueGetType(value));
  return mlirTypeIsABF16(element) ? extend_bf16(x, value) : extend(x, value, format_of(element));
}

MlirValue strata_expand_truncate(expander_t *x, MlirValue value, MlirType element) {
  return mlirTypeIsABF16(element) ? truncate_to_bf16(x, value, element)
                                  : truncate_to(x, value, element, format_of(element));
}
