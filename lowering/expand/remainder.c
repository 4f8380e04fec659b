// The remainder of floats, C's fmod, for machines without libm: exact.
//
// What is left of x after subtracting a multiple of m, where x / m < 2^bits, is a multiple of the last places of both
// and below m: a float. So one multiply-add gives it without rounding, from a quotient that may be one too large.
// Larger quotients go through multiples of y by powers of two, the largest first.
#include "lowering/expand/notation.h"

#include <math.h>

// |levels| multiples y * 2^(3 third), y * 2^(6 third), ... reach from the least denormal to the largest number.
typedef struct {
  int third, levels;
} ladder_t;

static ladder_t ladder(expander_t *x) {
  return mlirTypeIsAF64(strata_type_element(x->real)) ? (ladder_t){17, 41} : (ladder_t){7, 13};
}

// |a| modulo |m|, both positive, where m is at most a; else a.
static MlirValue reduce(expander_t *x, MlirValue a, MlirValue m) {
  strata_emitter_t *e = x->m->e;
  MlirValue quotient = strata_emit_unary(e, "math.trunc", strata_emit_binary(e, "arith.divf", a, m));
  MlirValue operands[] = {strata_emit_unary(e, "arith.negf", quotient), m, a};
  MlirValue left = strata_emit_value(e, "math.fma", 3, operands, x->real, 0, NULL);
  left = select(x, compare(x, STRATA_OLT, left, 0), add(x, left, m), left);
  return select(x, strata_emit_cmpf(e, STRATA_OLE, m, a), left, a);
}

// The number of multiples that are not above |a| in some lane, or one more: by the exponents. A denormal's is too large
// by up to the length of the mantissa.
static MlirValue count_multiples(expander_t *x, MlirValue a, MlirValue m, int mantissa_bits) {
  strata_emitter_t *e = x->m->e;
  ladder_t steps = ladder(x);
  MlirValue place = bits(x, mantissa_bits), difference;
  difference = integer(x, "arith.subi", integer(x, "arith.shrui", to_bits(x, a), place),
                       integer(x, "arith.shrui", to_bits(x, m), place));
  MlirValue needed =
      integer(x, "arith.divsi", integer(x, "arith.addi", difference, bits(x, mantissa_bits)), bits(x, 3 * steps.third));
  needed = integer(x, "arith.minsi", integer(x, "arith.addi", needed, bits(x, 1)), bits(x, steps.levels));
  if (!mlirTypeIsAVector(x->bits))
    return needed;
  strata_named_attr_t kind = {"kind", mlirAttributeParseGet(e->context, strata_str("#vector.kind<maxsi>"))};
  return strata_emit_value(e, "vector.reduction", 1, &needed, strata_type_element(x->bits), 1, &kind);
}

// 2^(third * count) in all lanes.
static MlirValue first_factor(expander_t *x, MlirValue count, int mantissa_bits) {
  strata_emitter_t *e = x->m->e;
  int64_t bias = mantissa_bits == 52 ? 1023 : 127;
  MlirType type = mlirValueGetType(count);
  MlirValue exponent = strata_emit_binary(e, "arith.muli", count, strata_emit_integer(e, type, ladder(x).third));
  exponent = strata_emit_binary(e, "arith.addi", exponent, strata_emit_integer(e, type, bias));
  exponent = strata_emit_binary(e, "arith.shli", exponent, strata_emit_integer(e, type, mantissa_bits));
  MlirValue factor = strata_emit_cast(e, "arith.bitcast", exponent, strata_type_element(x->real));
  return mlirTypeIsAVector(x->real) ? strata_lanes_splat(e, factor, mlirShapedTypeGetDimSize(x->real, 0)) : factor;
}

// From the largest multiple down; those that overflow are larger than any a.
static void descend(expander_t *x, const void *user, MlirValue *out_left) {
  const MlirValue *sizes = user;
  strata_emitter_t *e = x->m->e;
  ladder_t steps = ladder(x);
  int mantissa_bits = mlirTypeIsAF64(strata_type_element(x->real)) ? 52 : 23;
  MlirValue count = count_multiples(x, sizes[0], sizes[1], mantissa_bits);
  MlirValue inits[] = {sizes[0], first_factor(x, count, mantissa_bits)}, carried[2], results[2];
  MlirValue end = strata_emit_cast(e, "arith.index_cast", count, mlirIndexTypeGet(e->context));
  strata_loop_t loop = strata_emit_for_begin(e, strata_emit_index(e, 0), end, 1, 2, inits, carried);
  MlirValue factor = carried[1], multiple = mul(x, mul(x, mul(x, sizes[1], factor), factor), factor);
  MlirValue yields[] = {reduce(x, carried[0], multiple), mul(x, factor, real(x, ldexp(1, -steps.third)))};
  strata_emit_for_end(e, loop, 2, yields, results);
  *out_left = results[0];
}

MlirValue strata_alone_remainder(expander_t *x, const MlirValue *operands) {
  strata_emitter_t *e = x->m->e;
  MlirValue sizes[] = {magnitude(x, operands[0]), magnitude(x, operands[1])}, left = sizes[0];
  MlirValue many = mul(x, sizes[1], real(x, ldexp(1, 3 * ladder(x).third)));
  strata_expand_rarely(x, strata_emit_cmpf(e, STRATA_OGE, sizes[0], many), descend, sizes, 1, &left);
  MlirValue value = with_sign(x, reduce(x, left, sizes[1]), operands[0]);
  MlirValue is_finite = compare(x, STRATA_OLT, sizes[0], INFINITY), divides = compare(x, STRATA_OGT, sizes[1], 0);
  return select(x, integer(x, "arith.andi", is_finite, divides), value, real(x, NAN));
}
