// What compilers expect of their own runtime library, for emulated kernels: conversions of 16-bit floats. They are
// passed in the low half of a vector register, a bf16 like an f16.
#include "test/support/driver/driver.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" // compilers know the symbols

// To the nearest bf16, ties to even.
EXPORT _Float16 __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bool is_nan = value != value;
  uint16_t high = (uint16_t)(is_nan ? bits >> 16 | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  _Float16 result;
  memcpy(&result, &high, sizeof result);
  return result;
}

// As an f32 rounded to odd, so that nothing is rounded twice.
static float odd_single(double value) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  if (value == value && (double)single != value && !(bits & 1))
    bits += ((double)single < value) == (value > 0) ? 1 : UINT32_MAX;
  memcpy(&single, &bits, sizeof single);
  return single;
}

EXPORT _Float16 __truncdfbf2(double value) { return __truncsfbf2(odd_single(value)); }
EXPORT _Float16 __truncdfhf2(double value) { return (_Float16)odd_single(value); }
