// dtypes.def expanded, and the conversion of single elements. Small floats are decoded and encoded by one routine
// driven by their row's exponent and mantissa widths.
#include "runtime/base/dtype.h"

#include <math.h>
#include <string.h>

const strata_dtype_info_t strata_dtype_info[STRATA_DTYPE_COUNT] = {
#define DTYPE(id, value, name_, bits_, cls, exp, man, form_, c, npy, onnx)                                             \
  [STRATA_DTYPE_##id] = {.name = name_,                                                                                \
                         .bits = bits_,                                                                                \
                         .class_ = STRATA_DTYPE_CLASS_##cls,                                                           \
                         .exponent_bits = exp,                                                                         \
                         .mantissa_bits = man,                                                                         \
                         .form = STRATA_FLOAT_##form_,                                                                 \
                         .c_type = c,                                                                                  \
                         .npy_descr = npy,                                                                             \
                         .onnx_type = onnx},
#include "runtime/base/dtypes.def"
};

strata_dtype_t strata_dtype_from_onnx(int64_t onnx_type) {
  for (strata_dtype_t type = STRATA_DTYPE_NONE + 1; type < STRATA_DTYPE_COUNT; type++)
    if (strata_dtype_info[type].onnx_type == onnx_type)
      return type;
  return STRATA_DTYPE_NONE;
}

strata_dtype_t strata_dtype_from_npy(const char *descr, size_t length) {
  for (strata_dtype_t type = STRATA_DTYPE_NONE + 1; type < STRATA_DTYPE_COUNT; type++) {
    const char *known = strata_dtype_info[type].npy_descr;
    // The byte order mark means nothing for single bytes: '<i1' and '|i1' are one type.
    if (known && length == 3 && memcmp(known + 1, descr + 1, 2) == 0 &&
        (descr[0] == known[0] || (strata_dtype_info[type].bits == 8 && descr[0] != '>') || known[1] == 'V'))
      return type;
  }
  return STRATA_DTYPE_NONE;
}

bool strata_dtype_size(strata_dtype_t dtype, int64_t count, size_t *out_size) {
  size_t bits = (size_t)strata_dtype_info[dtype].bits;
  if (count < 0 || (bits && (uint64_t)count > (SIZE_MAX - 7) / bits))
    return false;
  *out_size = ((size_t)count * bits + 7) / 8;
  return true;
}

// The bits of element |index|, in the low end of the result.
static uint64_t load_bits(int bits, const void *data, size_t index) {
  const uint8_t *bytes = data;
  if (bits < 8)
    return bytes[index / 2] >> (index % 2 * 4) & 15;
  uint64_t value = 0;
  memcpy(&value, bytes + index * (size_t)bits / 8, (size_t)bits / 8);
  return value;
}

static void store_bits(int bits, void *data, size_t index, uint64_t value) {
  uint8_t *bytes = data;
  if (bits < 8) {
    unsigned shift = index % 2 * 4;
    bytes[index / 2] = (uint8_t)((bytes[index / 2] & ~(15u << shift)) | (value & 15) << shift);
    return;
  }
  memcpy(bytes + index * (size_t)bits / 8, &value, (size_t)bits / 8);
}

static int bias_of(const strata_dtype_info_t *info) {
  return (1 << (info->exponent_bits - 1)) - (info->form == STRATA_FLOAT_FNUZ ? 0 : 1);
}

// The first pattern above the greatest number: infinity, or NaN in a type without one.
static uint64_t out_of_range(const strata_dtype_info_t *info) {
  uint64_t all = UINT64_C(1) << (info->bits - 1);
  return info->form == STRATA_FLOAT_FNUZ ? all
         : info->form == STRATA_FLOAT_FN ? all - 1
                                         : all - (UINT64_C(1) << info->mantissa_bits);
}

static double decode_float(const strata_dtype_info_t *info, uint64_t bits) {
  uint64_t sign_bit = UINT64_C(1) << (info->bits - 1), magnitude = bits & (sign_bit - 1);
  uint64_t one = UINT64_C(1) << info->mantissa_bits, fraction = magnitude & (one - 1);
  int exponent = (int)(magnitude >> info->mantissa_bits), unit = -bias_of(info) - info->mantissa_bits;
  double sign = bits & sign_bit ? -1 : 1;
  if (info->form == STRATA_FLOAT_FNUZ && bits == sign_bit)
    return NAN;
  if (magnitude >= out_of_range(info))
    return info->form == STRATA_FLOAT_IEEE && fraction == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * ldexp((double)fraction, 1 + unit)
                       : sign * ldexp((double)(fraction | one), exponent + unit);
}

// Rounds to nearest even. What is too large becomes infinity, or NaN in a type without one.
static uint64_t encode_float(const strata_dtype_info_t *info, double value) {
  int man = info->mantissa_bits, bias = bias_of(info);
  bool is_unsigned_zero = info->form == STRATA_FLOAT_FNUZ;
  uint64_t sign = (uint64_t)(signbit(value) != 0) << (info->bits - 1), limit = out_of_range(info);
  uint64_t nan = info->form == STRATA_FLOAT_IEEE ? limit | UINT64_C(1) << man >> 1 : limit;
  if (isnan(value))
    return sign | nan;
  if (isinf(value))
    return sign | limit;
  int exponent = value == 0 ? 1 - bias : ilogb(value);
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  if (exponent > 1 << info->exponent_bits)
    return sign | limit;
  // With the implicit bit in place, a carry out of the mantissa moves into the exponent by itself.
  uint64_t scaled = (uint64_t)nearbyint(ldexp(fabs(value), man - exponent));
  uint64_t bits = ((uint64_t)(exponent + bias - 1) << man) + scaled;
  if (bits == 0 && is_unsigned_zero)
    return 0;
  return sign | (bits >= limit ? limit : bits);
}

double strata_dtype_load(strata_dtype_t dtype, const void *data, size_t index) {
  const strata_dtype_info_t *info = &strata_dtype_info[dtype];
  uint64_t bits = load_bits(info->bits, data, index);
  switch (info->class_) {
  case STRATA_DTYPE_CLASS_FLOAT:
    return decode_float(info, bits);
  case STRATA_DTYPE_CLASS_BOOLEAN:
    return bits != 0;
  case STRATA_DTYPE_CLASS_SIGNED:
    return (double)((int64_t)(bits << (64 - info->bits)) >> (64 - info->bits));
  case STRATA_DTYPE_CLASS_UNSIGNED:
    return (double)bits;
  case STRATA_DTYPE_CLASS_NONE:
    break;
  }
  return NAN;
}

static uint64_t encode_integer(int bits, bool is_signed, double value) {
  double limit = ldexp(1, bits - is_signed), lowest = is_signed ? -limit : 0;
  if (isnan(value))
    return 0;
  value = nearbyint(value);
  if (value >= limit)
    return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
  if (value < lowest)
    value = lowest;
  return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

void strata_dtype_store(strata_dtype_t dtype, void *data, size_t index, double value) {
  const strata_dtype_info_t *info = &strata_dtype_info[dtype];
  uint64_t bits = 0;
  switch (info->class_) {
  case STRATA_DTYPE_CLASS_FLOAT:
    bits = encode_float(info, value);
    break;
  case STRATA_DTYPE_CLASS_BOOLEAN:
    bits = value != 0;
    break;
  case STRATA_DTYPE_CLASS_SIGNED:
    bits = encode_integer(info->bits, true, value);
    break;
  case STRATA_DTYPE_CLASS_UNSIGNED:
    bits = encode_integer(info->bits, false, value);
    break;
  case STRATA_DTYPE_CLASS_NONE:
    break;
  }
  store_bits(info->bits, data, index, bits);
}
