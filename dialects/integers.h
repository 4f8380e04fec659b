// Arithmetic of sizes: of positive numbers, unless said otherwise.
#ifndef STRATA_DIALECTS_INTEGERS_H
#define STRATA_DIALECTS_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

// Of any numbers.
static inline int64_t strata_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t strata_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t strata_clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

// Of any numbers, such as a model may hold; a result that is no int64 is the end of int64 on its side.
static inline int64_t strata_plus(int64_t a, int64_t b) {
  int64_t sum;
  return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t strata_minus(int64_t a, int64_t b) {
  int64_t difference;
  return !__builtin_sub_overflow(a, b, &difference) ? difference : b > 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t strata_times(int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

// Of any numbers: from the least to the greatest.
typedef struct {
  int64_t min, max;
} strata_range_t;
static inline strata_range_t strata_range_times(strata_range_t a, strata_range_t b) {
  int64_t w = strata_times(a.min, b.min), x = strata_times(a.min, b.max), y = strata_times(a.max, b.min),
          z = strata_times(a.max, b.max);
  return (strata_range_t){strata_min(strata_min(w, x), strata_min(y, z)),
                          strata_max(strata_max(w, x), strata_max(y, z))};
}

// How often |b|, which is positive, is in |a|.
static inline int64_t strata_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
// How many times |b| it takes to have |a|; what those are together.
static inline int64_t strata_ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t strata_round_up(int64_t a, int64_t b) { return strata_ceil_div(a, b) * b; }

// Of any numbers; not negative.
static inline int64_t strata_gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

// The smallest power of two that is not below |n|.
static inline int64_t strata_power_of_two_from(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

// The largest power of two that divides |n| and is not above |most|.
static inline int64_t strata_power_of_two_in(int64_t n, int64_t most) {
  int64_t power = 1;
  while (2 * power <= most && n % (2 * power) == 0)
    power *= 2;
  return power;
}

static inline bool strata_is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// Of two ints, as qsort asks.
static inline int strata_compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

#endif
