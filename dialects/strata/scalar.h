// What the elementwise primitives and the combiners mean on one element, on the host: the words of ops.def in C.
// Floats are doubles: of two f32 numbers, a sum, product, quotient or root in double rounds to the correctly rounded
// f32. Integers are sign-extended to 64 bits; the unsigned ops see the lowest |bits| only; storing wraps the result.
// Private to dialects/strata.
#ifndef STRATA_DIALECTS_STRATA_SCALAR_H
#define STRATA_DIALECTS_STRATA_SCALAR_H

#include "dialects/strata/strata.h"

// The functions of a row, NULL where the row has none: by the kind of the operand, how many there are, and whether the
// result is a truth value.
typedef struct {
  double (*float1)(double x);
  double (*float2)(double x, double y);
  bool (*test1)(double x);
  bool (*test2)(double x, double y);
  int64_t (*int1)(int64_t x);
  int64_t (*int2)(int64_t x, int64_t y, int bits);
} strata__scalar_t;

extern const strata__scalar_t strata__scalar[STRATA_OP_COUNT];

// The row a combiner applies to pairs.
const strata__scalar_t *strata__combiner_scalar(strata_combiner_t combiner);

// An integer of a float towards zero, saturating at what |bits| bits hold; NaN gives 0.
int64_t strata__float_to_int(double value, int bits, bool is_unsigned);

// The lowest |bits| of |x| as an unsigned number.
static inline uint64_t strata__unsigned(int64_t x, int bits) { return (uint64_t)x & (UINT64_MAX >> (64 - bits)); }

#endif
