// Numbers as AMD's instructions see them: types of operands, formats narrower than f32, and what has no name in C.
#ifndef STRATA_TEST_SUPPORT_DRIVER_AMDGPU_NUMBERS_H
#define STRATA_TEST_SUPPORT_DRIVER_AMDGPU_NUMBERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS float as_f32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
ALWAYS uint32_t bits_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
ALWAYS double as_f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
ALWAYS uint64_t bits_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
ALWAYS float as_f16(uint16_t bits) {
  _Float16 value;
  memcpy(&value, &bits, sizeof value);
  return (float)value;
}
ALWAYS uint16_t half_of(float value) {
  _Float16 half = (_Float16)value;
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}
ALWAYS uint16_t half_toward_zero(float value) {
  uint16_t bits = half_of(value);
  if (fabsf(as_f16(bits)) > fabsf(value)) // infinity too: 65504 then
    bits--;
  return bits;
}
ALWAYS float as_bf16(uint16_t bits) { return as_f32((uint32_t)bits << 16); }
ALWAYS uint16_t bf16_of(float value) {
  uint32_t bits = bits_f32(value);
  if (value != value)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
// A sum whose last bit is set where it is not exact: rounding it to fewer bits is then as good as from the exact sum.
ALWAYS double odd_sum(double a, double b) {
  double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  uint64_t bits = bits_f64(sum);
  if (error == 0 || !isfinite(sum) || (bits & 1))
    return sum;
  return as_f64((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
// Of a double that odd_sum made: not by way of f32, which would round twice.
ALWAYS uint16_t half_of_sum(double a, double b) {
  _Float16 half = (_Float16)odd_sum(a, b);
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}
ALWAYS uint16_t fma_f16(float a, float b, float c) { return half_of_sum((double)a * (double)b, (double)c); }
ALWAYS float half_at(uint32_t pair, unsigned which) { return as_f16((uint16_t)(pair >> 16 * which)); }

// Eight bits: |mantissa| of them after the exponent. The variants without infinities and negative zero (fnuz) have one
// more in the bias, and 0x80 as their NaN.
ALWAYS float as_f8(uint8_t bits, unsigned mantissa, bool is_fnuz) {
  int width = 7 - (int)mantissa, bias = (1 << (width - 1)) - 1 + is_fnuz;
  unsigned exponent = (bits & 127u) >> mantissa, fraction = bits & ((1u << mantissa) - 1);
  float sign = bits & 128 ? -1 : 1;
  if (is_fnuz ? bits == 0x80 : mantissa == 3 ? (bits & 127) == 127 : exponent == 31 && fraction)
    return NAN;
  if (!is_fnuz && mantissa == 2 && exponent == 31)
    return sign * INFINITY;
  if (exponent == 0)
    return sign * ldexpf((float)fraction, 1 - bias - (int)mantissa);
  return sign * ldexpf((float)(fraction | 1u << mantissa), (int)exponent - bias - (int)mantissa);
}

// To the nearest, or the even one of two, of which there are as many to a power of two as the fraction has values; what
// is beyond the largest is infinite, or NaN where nothing is.
ALWAYS uint8_t f8_of(float value, unsigned mantissa, bool is_fnuz) {
  int width = 7 - (int)mantissa, bias = (1 << (width - 1)) - 1 + is_fnuz;
  unsigned infinity = is_fnuz ? 0x80 : mantissa == 3 ? 0x7F : 0x7C, nan = is_fnuz ? 0x80 : mantissa == 3 ? 0x7F : 0x7E;
  unsigned sign = bits_f32(value) >> 31 << 7;
  if (value != value || isinf(value))
    return (uint8_t)(sign | (value != value ? nan : infinity));
  int exponent = value == 0 ? 1 - bias : MAX(ilogbf(value), 1 - bias);
  float steps = rintf(ldexpf(fabsf(value), (int)mantissa - exponent));
  int code = (int)((unsigned)(exponent + bias) << mantissa) + (int)steps - (1 << mantissa);
  if (code == 0)
    return is_fnuz ? 0 : (uint8_t)sign;
  return (uint8_t)(sign | (code >= (int)infinity ? infinity : (unsigned)code));
}

ALWAYS float min_f32(float a, float b) {
  return a != a ? b : b != b ? a : a < b || (a == b && bits_f32(a) >> 31) ? a : b;
}
ALWAYS float max_f32(float a, float b) {
  return a != a ? b : b != b ? a : a > b || (a == b && !(bits_f32(a) >> 31)) ? a : b;
}
ALWAYS float minimum_f32(float a, float b) { return a != a ? a : b != b ? b : min_f32(a, b); }
ALWAYS float maximum_f32(float a, float b) { return a != a ? a : b != b ? b : max_f32(a, b); }
ALWAYS double min_f64(double a, double b) {
  return a != a ? b : b != b ? a : a < b || (a == b && bits_f64(a) >> 63) ? a : b;
}
ALWAYS double max_f64(double a, double b) {
  return a != a ? b : b != b ? a : a > b || (a == b && !(bits_f64(a) >> 63)) ? a : b;
}
ALWAYS double minimum_f64(double a, double b) { return a != a ? a : b != b ? b : min_f64(a, b); }
ALWAYS double maximum_f64(double a, double b) { return a != a ? a : b != b ? b : max_f64(a, b); }
ALWAYS float med3_f32(float a, float b, float c) {
  if (a != a || b != b || c != c)
    return min_f32(min_f32(a, b), c);
  return max_f32(min_f32(a, b), min_f32(max_f32(a, b), c));
}

// Subnormal numbers are zeros to the approximations.
ALWAYS float flush(float a) { return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a; }
// The approximations of f64 have some 14 bits more than half of the mantissa's.
ALWAYS double coarse(double a) { return isfinite(a) ? as_f64(bits_f64(a) & ~UINT64_C(0xFFFFFF)) : a; }

ALWAYS int32_t to_i32(double a) {
  return a != a ? 0 : a >= 2147483647.0 ? INT32_MAX : a <= -2147483648.0 ? INT32_MIN : (int32_t)a;
}
ALWAYS uint32_t to_u32(double a) { return !(a > 0) ? 0 : a >= 4294967295.0 ? UINT32_MAX : (uint32_t)a; }
ALWAYS int32_t exponent_or_0(double a) {
  int exponent = 0;
  if (isfinite(a))
    frexp(a, &exponent);
  return exponent;
}

ALWAYS uint32_t reverse_bits(uint32_t a) {
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
  return __builtin_bswap32(a);
}
ALWAYS int64_t low24(int32_t a) { return (int32_t)((uint32_t)a << 8) >> 8; }
ALWAYS uint32_t extract_signed(uint32_t a, unsigned from, unsigned width) {
  if (!width)
    return 0;
  uint32_t sign = UINT32_C(1) << (width - 1), value = a >> from & ((sign << 1) - 1);
  return (value ^ sign) - sign;
}
// Each bit of |table| is the result where a's, b's and c's bits make its number.
ALWAYS uint32_t bitop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 8; i++)
    result |= table >> i & 1 ? (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c) : 0;
  return result;
}
ALWAYS uint32_t permute_bytes(uint64_t bytes, uint32_t selectors) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint32_t which = selectors >> 8 * i & 255, byte = 0xFF;
    if (which < 8)
      byte = bytes >> 8 * which & 255;
    else if (which < 12)
      byte = bytes >> (16 * (which - 8) + 15) & 1 ? 0xFF : 0;
    else if (which == 12)
      byte = 0;
    result |= byte << 8 * i;
  }
  return result;
}
ALWAYS uint32_t dot4(uint32_t a, uint32_t b, bool a_is_signed, bool b_is_signed) {
  int32_t sum = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint8_t x = (uint8_t)(a >> 8 * i), y = (uint8_t)(b >> 8 * i);
    sum += (a_is_signed ? (int8_t)x : x) * (b_is_signed ? (int8_t)y : y);
  }
  return (uint32_t)sum;
}

//===-- Pairs ----------------------------------------------------------------------------------------------------===//

ALWAYS uint16_t add_f16(uint16_t a, uint16_t b) { return half_of(as_f16(a) + as_f16(b)); }
ALWAYS uint16_t mul_f16(uint16_t a, uint16_t b) { return half_of(as_f16(a) * as_f16(b)); }
ALWAYS uint16_t min_f16(uint16_t a, uint16_t b) { return half_of(min_f32(as_f16(a), as_f16(b))); }
ALWAYS uint16_t max_f16(uint16_t a, uint16_t b) { return half_of(max_f32(as_f16(a), as_f16(b))); }
ALWAYS uint16_t minimum3_f16(uint16_t a, uint16_t b, uint16_t c) {
  return half_of(minimum_f32(minimum_f32(as_f16(a), as_f16(b)), as_f16(c)));
}
ALWAYS uint16_t maximum3_f16(uint16_t a, uint16_t b, uint16_t c) {
  return half_of(maximum_f32(maximum_f32(as_f16(a), as_f16(b)), as_f16(c)));
}
ALWAYS uint16_t fma_half(uint16_t a, uint16_t b, uint16_t c) { return fma_f16(as_f16(a), as_f16(b), as_f16(c)); }
ALWAYS uint16_t add_u16(uint16_t a, uint16_t b) { return (uint16_t)(a + b); }
ALWAYS uint16_t sub_u16(uint16_t a, uint16_t b) { return (uint16_t)(a - b); }
ALWAYS uint16_t mul_u16(uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b); }
ALWAYS uint16_t mad_u16(uint16_t a, uint16_t b, uint16_t c) { return (uint16_t)((uint32_t)a * b + c); }
ALWAYS uint16_t shl_u16(uint16_t a, uint16_t b) { return (uint16_t)(b << (a & 15)); }
ALWAYS uint16_t shr_u16(uint16_t a, uint16_t b) { return (uint16_t)(b >> (a & 15)); }
ALWAYS uint16_t sar_i16(uint16_t a, uint16_t b) { return (uint16_t)((int16_t)b >> (a & 15)); }
ALWAYS uint16_t min_u16(uint16_t a, uint16_t b) { return MIN(a, b); }
ALWAYS uint16_t max_u16(uint16_t a, uint16_t b) { return MAX(a, b); }
ALWAYS uint16_t min_i16(uint16_t a, uint16_t b) { return (uint16_t)MIN((int16_t)a, (int16_t)b); }
ALWAYS uint16_t max_i16(uint16_t a, uint16_t b) { return (uint16_t)MAX((int16_t)a, (int16_t)b); }
#define both2(f, a, b)                                                                                                 \
  (f((uint16_t)(a), (uint16_t)(b)) | (uint32_t)f((uint16_t)((a) >> 16), (uint16_t)((b) >> 16)) << 16)
#define both3(f, a, b, c)                                                                                              \
  (f((uint16_t)(a), (uint16_t)(b), (uint16_t)(c)) |                                                                    \
   (uint32_t)f((uint16_t)((a) >> 16), (uint16_t)((b) >> 16), (uint16_t)((c) >> 16)) << 16)

ALWAYS uint64_t pair_of(float low, float high) { return bits_f32(low) | (uint64_t)bits_f32(high) << 32; }
ALWAYS float low_of(uint64_t pair) { return as_f32((uint32_t)pair); }
ALWAYS float high_of(uint64_t pair) { return as_f32((uint32_t)(pair >> 32)); }
ALWAYS uint64_t both_f32(uint64_t a, uint64_t b, uint64_t c) {
  return pair_of(fmaf(low_of(a), low_of(b), low_of(c)), fmaf(high_of(a), high_of(b), high_of(c)));
}
ALWAYS uint64_t product_f32(uint64_t a, uint64_t b) { return pair_of(low_of(a) * low_of(b), high_of(a) * high_of(b)); }

//===-- Classes and divisions ------------------------------------------------------------------------------------===//

ALWAYS uint32_t class_of(double a, bool is_small) {
  bool is_negative = signbit(a);
  if (a != a)
    return 3; // both kinds: which it is shows in no result
  if (isinf(a))
    return is_negative ? 1 << 2 : 1 << 9;
  if (a == 0)
    return is_negative ? 1 << 5 : 1 << 6;
  if (is_small)
    return is_negative ? 1 << 4 : 1 << 7;
  return is_negative ? 1 << 3 : 1 << 8;
}

// Of a division's quotient |q|: what the steps to it do not give. One that is no number here is too large.
#define DIV_FIXUP(type, name, absolute)                                                                                \
  ALWAYS type name(type q, type d, type n) {                                                                           \
    type sign = (signbit(d) != 0) != (signbit(n) != 0) ? -1 : 1;                                                       \
    if (n != n || d != d)                                                                                              \
      return n + d;                                                                                                    \
    if ((n == 0 && d == 0) || (isinf(n) && isinf(d)))                                                                  \
      return (type)NAN;                                                                                                \
    if (d == 0 || isinf(n))                                                                                            \
      return sign * (type)INFINITY;                                                                                    \
    if (isinf(d) || n == 0)                                                                                            \
      return sign * 0;                                                                                                 \
    return q != q ? sign * (type)INFINITY : sign * absolute(q);                                                        \
  }
DIV_FIXUP(float, div_fixup_f32, fabsf)
DIV_FIXUP(double, div_fixup_f64, fabs)
#undef DIV_FIXUP

// Scales numerator or denominator of a division (|s| is one of them) where the steps could leave the range.
#define DIV_SCALE(type, name, bits, far, least, small, power)                                                          \
  ALWAYS type name(type s, type d, type n, uint32_t *out_is_scaled) {                                                  \
    int of_n = exponent_or_0((double)n), of_d = exponent_or_0((double)d);                                              \
    bool is_d = bits(s) == bits(d), is_n = bits(s) == bits(n);                                                         \
    type inverse = 1 / d, quotient = n / d;                                                                            \
    bool inverse_is_small = inverse != 0 && (type)fabs((double)inverse) < least;                                       \
    bool quotient_is_small = (type)fabs((double)quotient) < least;                                                     \
    *out_is_scaled = 0;                                                                                                \
    if (n == 0 || d == 0)                                                                                              \
      return (type)NAN;                                                                                                \
    if (!isfinite(n) || !isfinite(d))                                                                                  \
      return s;                                                                                                        \
    if (of_n - of_d >= far) {                                                                                          \
      *out_is_scaled = 1;                                                                                              \
      return is_d ? s * power : s;                                                                                     \
    }                                                                                                                  \
    if ((type)fabs((double)d) < least)                                                                                 \
      return s * power;                                                                                                \
    if (inverse_is_small && quotient_is_small) {                                                                       \
      *out_is_scaled = 1;                                                                                              \
      return is_d ? s / power : s;                                                                                     \
    }                                                                                                                  \
    if (inverse_is_small)                                                                                              \
      return s / power;                                                                                                \
    if (quotient_is_small) {                                                                                           \
      *out_is_scaled = 1;                                                                                              \
      return is_n ? s * power : s;                                                                                     \
    }                                                                                                                  \
    return of_n <= small ? s * power : s;                                                                              \
  }
DIV_SCALE(float, div_scale_f32, bits_f32, 96, 0x1p-126f, -103, 0x1p64f)
DIV_SCALE(double, div_scale_f64, bits_f64, 768, 0x1p-1022, -969, 0x1p128)
#undef DIV_SCALE

// The last step of a scaled division: the quotient's size tells which of the two was scaled. It is rounded once.
ALWAYS float div_fmas_f32(float a, float b, float c, bool is_scaled) {
  double sum = odd_sum((double)a * (double)b, (double)c);
  return !is_scaled ? fmaf(a, b, c) : (float)(fabsf(c) >= 2 ? sum * 0x1p64 : sum * 0x1p-64);
}
ALWAYS double div_fmas_f64(double a, double b, double c, bool is_scaled) {
  __float128 sum = (__float128)a * b + c;
  return !is_scaled ? fma(a, b, c) : (double)(fabs(c) >= 2 ? sum * 0x1p128 : sum * 0x1p-128);
}

#endif
