// Floats that sizes are computed with, alike in the compiler and in emitted libraries: what is not negative, as its
// bits in f64, which as integers are in the order of the numbers. What is an f32 is rounded to one after each
// operation.
#ifndef STRATA_RUNTIME_BASE_REAL_H
#define STRATA_RUNTIME_BASE_REAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum {
  STRATA_REAL_OF, // of an integer
  STRATA_REAL_ADD,
  STRATA_REAL_SUB,
  STRATA_REAL_MUL,
  STRATA_REAL_DIV,
  STRATA_REAL_SINGLE, // the nearest f32
  STRATA_REAL_FLOOR,  // an integer, as those below
  STRATA_REAL_CEIL,
  STRATA_REAL_RINT, // the nearest one, the even one of two
} strata_real_op_t;

static inline double strata_real_value(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// False if it is negative or no number.
static inline bool strata_real_bits(double value, int64_t *out) {
  value = value == 0 ? 0 : value; // without a sign
  memcpy(out, &value, sizeof value);
  return value >= 0 && value < HUGE_VAL;
}

static inline bool strata_real_to_integer(strata_real_op_t op, double value, int64_t *out) {
  if (!(value < 0x1p63))
    return false;
  int64_t whole = (int64_t)value;
  double rest = value - (double)whole;
  bool is_up = op == STRATA_REAL_CEIL ? rest > 0 : op == STRATA_REAL_RINT && (rest > 0.5 || (rest == 0.5 && whole % 2));
  *out = whole + is_up;
  return true;
}

// One operation, of which those of one operand have no use for |b|; false if it has no result, or a negative one.
static inline bool strata_real_compute(strata_real_op_t op, int64_t a, int64_t b, int64_t *out) {
  double x = strata_real_value(a), y = strata_real_value(b);
  switch (op) {
  case STRATA_REAL_OF:
    return strata_real_bits((double)a, out);
  case STRATA_REAL_ADD:
    return strata_real_bits(x + y, out);
  case STRATA_REAL_SUB:
    return strata_real_bits(x - y, out);
  case STRATA_REAL_MUL:
    return strata_real_bits(x * y, out);
  case STRATA_REAL_DIV:
    return y > 0 && strata_real_bits(x / y, out);
  case STRATA_REAL_SINGLE:
    return strata_real_bits((double)(float)x, out);
  case STRATA_REAL_FLOOR:
  case STRATA_REAL_CEIL:
  case STRATA_REAL_RINT:
    return strata_real_to_integer(op, x, out);
  }
  return false;
}

#endif
