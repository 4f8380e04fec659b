// Angles of any size reduced by pi/2, as Payne and Hanek do: of 2/pi only the bits that matter to the product modulo 4
// are multiplied, in integers.
//
// |a| = M 2^E with an integer M of 53 bits. Bits of 2/pi whose product with |a| is a multiple of 4 are dropped; the
// next 192, times M, modulo 2^192, are the quadrant (2 bits) and its fraction.
#include "lowering/expand/notation.h"

#include <math.h>

// 2/pi behind the point, after a word of zeros: angles below 2^54 begin before the point.
static const uint64_t two_over_pi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                       0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
enum { N_WORDS = sizeof two_over_pi / sizeof two_over_pi[0], WINDOW = 3 };
static const double half_pi_high = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;

static MlirValue word(expander_t *w, uint64_t value) { return bits(w, (int64_t)value); }
static MlirValue shift_left(expander_t *w, MlirValue a, int n) { return integer(w, "arith.shli", a, bits(w, n)); }
static MlirValue shift_right(expander_t *w, MlirValue a, int n) { return integer(w, "arith.shrui", a, bits(w, n)); }

// The upper half of a product of 128 bits.
static MlirValue multiply_high(expander_t *w, MlirValue a, MlirValue b) {
  MlirType types[] = {w->bits, w->bits};
  return mlirOperationGetResult(
      strata_emit_op(w->m->e, "arith.mului_extended", 2, (MlirValue[]){a, b}, 2, types, 0, NULL), 1);
}

// 192 bits of the table from bit |position| on.
static void take_window(expander_t *w, MlirValue position, MlirValue *out_words) {
  MlirValue index = shift_right(w, position, 6), shift = integer(w, "arith.andi", position, bits(w, 63));
  MlirValue rest = integer(w, "arith.subi", bits(w, 63), shift), words[WINDOW + 1];
  for (int i = 0; i <= WINDOW; i++)
    words[i] = word(w, two_over_pi[i]);
  for (int first = 1; first + WINDOW < N_WORDS; first++) {
    MlirValue is_first = strata_emit_cmpi(w->m->e, STRATA_EQ, index, bits(w, first));
    for (int i = 0; i <= WINDOW; i++)
      words[i] = select(w, is_first, word(w, two_over_pi[first + i]), words[i]);
  }
  for (int i = 0; i < WINDOW; i++) {
    MlirValue low = integer(w, "arith.shrui", shift_right(w, words[i + 1], 1), rest);
    out_words[i] = integer(w, "arith.ori", integer(w, "arith.shli", words[i], shift), low);
  }
}

// mantissa * words modulo 2^192.
static void multiply(expander_t *w, MlirValue mantissa, const MlirValue *words, MlirValue *out) {
  strata_emitter_t *e = w->m->e;
  MlirValue carried = multiply_high(w, mantissa, words[2]);
  out[2] = integer(w, "arith.muli", mantissa, words[2]);
  out[1] = integer(w, "arith.addi", integer(w, "arith.muli", mantissa, words[1]), carried);
  MlirValue carry = strata_emit_cast(e, "arith.extui", strata_emit_cmpi(e, STRATA_ULT, out[1], carried), w->bits);
  out[0] = integer(w, "arith.addi", integer(w, "arith.muli", mantissa, words[0]), multiply_high(w, mantissa, words[1]));
  out[0] = integer(w, "arith.addi", out[0], carry);
}

// (high 2^64 + low) 2^-128 quarter turns as an angle; high is below 2^63.
static MlirValue to_angle(expander_t *w, MlirValue high, MlirValue low) {
  strata_emitter_t *e = w->m->e;
  MlirValue tail = integer(w, "arith.andi", high, bits(w, 2047)), head = integer(w, "arith.subi", high, tail);
  MlirValue first = mul(w, strata_emit_cast(e, "arith.sitofp", head, w->real), real(w, 0x1p-64));
  MlirValue second = mul(w, strata_emit_cast(e, "arith.uitofp", low, w->real), real(w, 0x1p-128));
  second = multiply_add(w, strata_emit_cast(e, "arith.sitofp", tail, w->real), real(w, 0x1p-64), second);
  MlirValue product = mul(w, first, real(w, half_pi_high));
  MlirValue lost = multiply_add(w, first, real(w, half_pi_high), strata_emit_unary(e, "arith.negf", product));
  lost = multiply_add(w, first, real(w, half_pi_low), lost);
  return add(w, product, multiply_add(w, second, real(w, half_pi_high), lost));
}

void strata_expand_reduce_large(expander_t *w, const void *user, MlirValue *out) {
  MlirValue a = *(const MlirValue *)user, all = to_bits(w, a), size = to_bits(w, magnitude(w, a));
  MlirValue sign = integer(w, "arith.xori", all, size), words[WINDOW], product[WINDOW];
  MlirValue mantissa = integer(w, "arith.andi", size, bits(w, ((int64_t)1 << 52) - 1));
  mantissa = integer(w, "arith.ori", mantissa, bits(w, (int64_t)1 << 52));
  take_window(w, integer(w, "arith.subi", shift_right(w, size, 52), bits(w, 1023 + 52 + 2 - 64)), words);
  multiply(w, mantissa, words, product);
  MlirValue high = integer(w, "arith.ori", shift_left(w, product[0], 2), shift_right(w, product[1], 62));
  MlirValue low = integer(w, "arith.ori", shift_left(w, product[1], 2), shift_right(w, product[2], 62));
  // A fraction of a half or more is a negative one of the next quadrant.
  MlirValue mask = integer(w, "arith.shrsi", high, bits(w, 63));
  MlirValue quadrant = integer(w, "arith.subi", shift_right(w, product[0], 62), mask);
  MlirValue angle = to_angle(w, integer(w, "arith.xori", high, mask), integer(w, "arith.xori", low, mask));
  sign = integer(w, "arith.xori", sign, shift_left(w, mask, 63));
  angle = to_real(w, integer(w, "arith.xori", to_bits(w, angle), sign));
  out[0] = select(w, compare(w, STRATA_OLT, magnitude(w, a), INFINITY), angle, real(w, NAN));
  MlirValue opposite = integer(w, "arith.subi", bits(w, 0), quadrant);
  out[1] = select(w, compare(w, STRATA_OLT, a, 0), opposite, quadrant);
}
