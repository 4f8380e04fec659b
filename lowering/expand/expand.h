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

// The same for machines without libm, of f32 and f64: computed in f64 (math_alone.c).
#define ALONE(name, n_operands) MlirValue strata_alone_##name(const strata_expander_t *x, const MlirValue *operands);
#define PERIODIC(name) ALONE(name, 1)
#include "lowering/expand/alone.def"
// a^b of f64 for a > 0.
MlirValue strata_expand_power_alone(const strata_expander_t *w, MlirValue a, MlirValue b);

// Conversions between f32 and smaller floats in integer arithmetic, for processors without the instructions, or with
// ones that flush denormals. The expander's shape is f32's.
MlirValue strata_expand_extend(const strata_expander_t *x, MlirValue value);
MlirValue strata_expand_truncate(const strata_expander_t *x, MlirValue value, MlirType element);

#endif
