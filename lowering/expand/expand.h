// Functions of the math dialect, and conversions, as code in arith for scalars and vectors alike: the same operations
// lane by lane, so that a result does not depend on the vector it was computed in. Each is right for NaN, infinities,
// -0 and denormals; test/lowering/tile_to_cpu/math_test.c measures them against libm's f64 functions.
#ifndef STRATA_LOWERING_EXPAND_EXPAND_H
#define STRATA_LOWERING_EXPAND_EXPAND_H

#include "lowering/expand/arithmetic.h"

// The shape of the code: a scalar or a vector of floats, and integers of the same width.
typedef struct {
  const strata_arithmetic_t *m;
  MlirType real, bits;
  bool is_approximate; // f32, and the machine's approximations will do
  bool has_tanh;       // so will its tanh
  bool is_beside_one;  // the result is added to 1: an error of 2^-20 will do
  // The operand is a value less the greatest of its row: an error of so many times 2^-24 will do.
  bool is_below_greatest;
} strata_expander_t;

typedef MlirValue (*strata_expansion_t)(const strata_expander_t *x, const MlirValue *operands);

MlirValue strata_expand_exp(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_exp2(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_expm1(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_log(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_log1p(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_sin(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_cos(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_tanh(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_tanh_f64(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_erf(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_pow(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_rsqrt(const strata_expander_t *x, const MlirValue *operands);
MlirValue strata_expand_ipowi(const strata_expander_t *x, const MlirValue *operands);

// k (1 + erf(c a)) for positive numbers k and c, whose fifth power is a normal number.
MlirValue strata_expand_normal(const strata_expander_t *x, MlirValue a, double c, double k);

// The same for machines without libm, of f32 and f64: computed in f64 (math_alone.c).
MlirValue strata_alone_remainder(const strata_expander_t *x, const MlirValue *operands);
#define ALONE(name, n_operands) MlirValue strata_alone_##name(const strata_expander_t *x, const MlirValue *operands);
#define PERIODIC(name) ALONE(name, 1)
#include "lowering/expand/alone.def"
// Parts of them, in f64: a^b for a >= 0; a = 2^e m, sqrt(1/2) <= m < sqrt 2, of a positive finite number: e as a float;
// log a, which is |value| for those, for all a; a = out[1] * pi/2 + out[0], |user| being a (strata_rare_t).
MlirValue strata_expand_power_alone(const strata_expander_t *w, MlirValue a, MlirValue b);
MlirValue strata_expand_split(const strata_expander_t *w, MlirValue a, MlirValue *out_mantissa);
MlirValue strata_expand_log_cases(const strata_expander_t *w, MlirValue a, MlirValue value);
void strata_expand_reduce_large(const strata_expander_t *w, const void *user, MlirValue *out);

// |values|, |n| of them, replaced in the lanes of |condition| by what |rare| emits, in a branch that is taken where any
// lane needs it.
typedef void (*strata_rare_t)(const strata_expander_t *x, const void *user, MlirValue *out_values);
void strata_expand_rarely(const strata_expander_t *x, MlirValue condition, strata_rare_t rare, const void *user, int n,
                          MlirValue *values);

// Conversions between f32 and smaller floats in integer arithmetic, for processors without the instructions, or with
// ones that flush denormals. The expander's shape is f32's.
MlirValue strata_expand_extend(const strata_expander_t *x, MlirValue value);
MlirValue strata_expand_truncate(const strata_expander_t *x, MlirValue value, MlirType element);
// The same of scalars of 8 bits, for GPUs that have the instructions.
MlirValue strata_expand_extend_f8(const strata_expander_t *x, MlirValue value);
MlirValue strata_expand_truncate_f8(const strata_expander_t *x, MlirValue value, MlirType element);

#endif
