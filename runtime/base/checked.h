// Integer arithmetic that says where it has no result in 64 bits, alike in the compiler and in emitted libraries.
#ifndef STRATA_RUNTIME_BASE_CHECKED_H
#define STRATA_RUNTIME_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool strata_checked_add(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool strata_checked_mul(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }

// Quotients are rounded down, or up; the remainder has the divisor's sign.
static inline bool strata_checked_floordiv(int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return false;
  *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return true;
}

static inline bool strata_checked_ceildiv(int64_t a, int64_t b, int64_t *out) {
  if (!strata_checked_floordiv(a, b, out))
    return false;
  *out += a % b != 0;
  return true;
}

static inline bool strata_checked_mod(int64_t a, int64_t b, int64_t *out) {
  int64_t quotient;
  if (!strata_checked_floordiv(a, b, &quotient))
    return false;
  *out = a - b * quotient;
  return true;
}

#endif
