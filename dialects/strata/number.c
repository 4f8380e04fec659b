// Storage formats to host numbers and back; see number.h.
#include "dialects/strata/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

//===-- Small floats ---------------------------------------------------------------------------------------------===//

// A binary float of at most 16 bits. Numbers above |largest| overflow to |overflow|; |nan| is the quiet NaN we write.
// Where that is the pattern of -0 there is no such number.
typedef struct {
  int exponent_bits, mantissa_bits, bias;
  unsigned largest, overflow, nan;
} float_format_t;

static const float_format_t formats[STRATA_TYPE_COUNT] = {
    [STRATA_TYPE_F16] = {5, 10, 15, 0x7bff, 0x7c00, 0x7e00}, [STRATA_TYPE_BF16] = {8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0},
    [STRATA_TYPE_E4M3] = {4, 3, 7, 0x7e, 0x7f, 0x7f},        [STRATA_TYPE_E5M2] = {5, 2, 15, 0x7b, 0x7c, 0x7e},
    [STRATA_TYPE_E4M3FNUZ] = {4, 3, 8, 0x7f, 0x80, 0x80},    [STRATA_TYPE_E5M2FNUZ] = {5, 2, 16, 0x7f, 0x80, 0x80},
};

static unsigned sign_bit_of(const float_format_t *format) {
  return 1u << (format->exponent_bits + format->mantissa_bits);
}

static unsigned encode(const float_format_t *format, double value) {
  int mantissa = format->mantissa_bits, bias = format->bias, exponent;
  unsigned sign = signbit(value) ? sign_bit_of(format) : 0;
  if (isnan(value))
    return sign | format->nan;
  if (isinf(value))
    return sign | format->overflow;
  frexp(value, &exponent); // |value| is in [2^(exponent - 1), 2^exponent)
  int biased = value == 0 ? 0 : exponent - 1 + bias;
  if (biased < 1)
    biased = 1; // subnormals have the unit of the least normal binade
  double units = rint(ldexp(fabs(value), mantissa + bias - biased));
  // 2^mantissa units is the implicit one; rounding up to the next binade carries into the exponent by itself.
  double bits = units + ldexp(biased - 1, mantissa);
  if (bits == 0 && format->nan == sign_bit_of(format))
    return 0;
  return sign | (bits > format->largest ? format->overflow : (unsigned)bits);
}

static double decode(const float_format_t *format, unsigned bits) {
  int mantissa = format->mantissa_bits, bias = format->bias;
  unsigned sign_bit = sign_bit_of(format), magnitude = bits & (sign_bit - 1);
  int exponent = (int)(magnitude >> mantissa);
  double fraction = magnitude & ((1u << mantissa) - 1);
  double value;
  if (bits == format->nan)
    value = NAN;
  else if (magnitude > format->largest)
    value = magnitude == format->overflow && format->overflow != format->nan ? HUGE_VAL : NAN;
  else if (exponent == 0)
    value = ldexp(fraction, 1 - bias - mantissa);
  else
    value = ldexp(fraction + ldexp(1, mantissa), exponent - bias - mantissa);
  return copysign(value, bits & sign_bit ? -1 : 1);
}

double strata_type_largest(strata_type_t type) {
  return type == STRATA_TYPE_F64   ? DBL_MAX
         : type == STRATA_TYPE_F32 ? (double)FLT_MAX
                                   : decode(&formats[type], formats[type].largest);
}

// An element's bits. Weights lie in their file anywhere, at no multiple of their size.
static inline uint64_t load_bits(const void *data, int64_t index, size_t size) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + index * (int64_t)size, size);
  return bits;
}

//===-- Floats ---------------------------------------------------------------------------------------------------===//

double strata__load_f64(strata_type_t type, const void *data, int64_t index) {
  double number;
  float single;
  uint64_t bits;
  switch (type) {
  case STRATA_TYPE_F64:
    bits = load_bits(data, index, sizeof number);
    memcpy(&number, &bits, sizeof number);
    return number;
  case STRATA_TYPE_F32:
    bits = load_bits(data, index, sizeof single);
    memcpy(&single, &bits, sizeof single);
    return single;
  default:
    bits = strata_type_info[type].bits == 16 ? load_bits(data, index, 2) : load_bits(data, index, 1);
    return decode(&formats[type], (unsigned)bits);
  }
}

void strata__store_f64(strata_type_t type, void *data, int64_t index, double value) {
  if (type == STRATA_TYPE_F64)
    ((double *)data)[index] = value;
  else if (type == STRATA_TYPE_F32)
    ((float *)data)[index] = (float)value;
  else if (strata_type_info[type].bits == 16)
    ((uint16_t *)data)[index] = (uint16_t)encode(&formats[type], value);
  else
    ((uint8_t *)data)[index] = (uint8_t)encode(&formats[type], value);
}

//===-- Integers -------------------------------------------------------------------------------------------------===//

int64_t strata__load_i64(strata_type_t type, const void *data, int64_t index) {
  switch (strata_type_info[type].bits) {
  case 4: {
    int nibble = ((const uint8_t *)data)[index / 2] >> (index % 2 * 4) & 15;
    return nibble < 8 ? nibble : nibble - 16;
  }
  case 8:
    return type == STRATA_TYPE_I1 ? ((const uint8_t *)data)[index] != 0 : ((const int8_t *)data)[index];
  case 16:
    return (int16_t)load_bits(data, index, sizeof(int16_t));
  case 32:
    return (int32_t)load_bits(data, index, sizeof(int32_t));
  default:
    return (int64_t)load_bits(data, index, sizeof(int64_t));
  }
}

void strata__store_i64(strata_type_t type, void *data, int64_t index, int64_t value) {
  switch (strata_type_info[type].bits) {
  case 4: {
    uint8_t *byte = &((uint8_t *)data)[index / 2];
    int shift = (int)(index % 2 * 4);
    *byte = (uint8_t)((*byte & ~(15 << shift)) | (int)(value & 15) << shift);
    break;
  }
  case 8:
    ((uint8_t *)data)[index] = (uint8_t)(type == STRATA_TYPE_I1 ? value & 1 : value);
    break;
  case 16:
    ((uint16_t *)data)[index] = (uint16_t)value;
    break;
  case 32:
    ((uint32_t *)data)[index] = (uint32_t)value;
    break;
  default:
    ((int64_t *)data)[index] = value;
    break;
  }
}

void strata__store_number(strata_type_t type, void *data, int64_t index, double value) {
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT) {
    strata__store_f64(type, data, index, value);
    return;
  }
  if (type == STRATA_TYPE_I1) {
    strata__store_i64(type, data, index, value != 0);
    return;
  }
  double rounded = rint(value), limit = ldexp(1, strata_type_info[type].bits - 1);
  int64_t highest = INT64_MAX >> (64 - strata_type_info[type].bits);
  if (isnan(rounded))
    strata__store_i64(type, data, index, 0);
  else if (rounded >= limit)
    strata__store_i64(type, data, index, highest);
  else
    strata__store_i64(type, data, index, rounded < -limit ? -highest - 1 : (int64_t)rounded);
}
