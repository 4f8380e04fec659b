// Shorthands of the files that write out functions: short names, for them alone.
#ifndef STRATA_LOWERING_EXPAND_NOTATION_H
#define STRATA_LOWERING_EXPAND_NOTATION_H

#include "lowering/expand/expand.h"
#include "lowering/expand/ops.h"

typedef const strata_expander_t expander_t;

static inline MlirValue real(expander_t *x, double value) { return strata_emit_real(x->m->e, x->real, value); }
static inline MlirValue bits(expander_t *x, int64_t value) { return strata_emit_integer(x->m->e, x->bits, value); }
static inline MlirValue add(expander_t *x, MlirValue a, MlirValue b) {
  return strata_emit_binary(x->m->e, "arith.addf", a, b);
}
static inline MlirValue sub(expander_t *x, MlirValue a, MlirValue b) {
  return strata_emit_binary(x->m->e, "arith.subf", a, b);
}
static inline MlirValue mul(expander_t *x, MlirValue a, MlirValue b) {
  return strata_emit_binary(x->m->e, "arith.mulf", a, b);
}
static inline MlirValue multiply_add(expander_t *x, MlirValue a, MlirValue b, MlirValue c) {
  return strata_emit_multiply_add(x->m, a, b, c);
}
static inline MlirValue integer(expander_t *x, const char *op, MlirValue a, MlirValue b) {
  return strata_emit_binary(x->m->e, op, a, b);
}
static inline MlirValue compare(expander_t *x, strata_cmpf_t predicate, MlirValue a, double b) {
  return strata_emit_cmpf(x->m->e, predicate, a, real(x, b));
}
static inline MlirValue select(expander_t *x, MlirValue condition, MlirValue a, MlirValue b) {
  return strata_emit_select(x->m->e, condition, a, b);
}
static inline MlirValue magnitude(expander_t *x, MlirValue a) { return strata_emit_unary(x->m->e, "math.absf", a); }
static inline MlirValue with_sign(expander_t *x, MlirValue a, MlirValue sign) {
  return strata_emit_binary(x->m->e, "math.copysign", a, sign);
}
static inline MlirValue to_bits(expander_t *x, MlirValue a) {
  return strata_emit_cast(x->m->e, "arith.bitcast", a, x->bits);
}
static inline MlirValue to_real(expander_t *x, MlirValue a) {
  return strata_emit_cast(x->m->e, "arith.bitcast", a, x->real);
}

// min(a, bound) and max(a, bound) that pass NaN on.
static inline MlirValue at_most(expander_t *x, MlirValue a, double bound) {
  return select(x, compare(x, STRATA_OGT, a, bound), real(x, bound), a);
}
static inline MlirValue at_least(expander_t *x, MlirValue a, double bound) {
  return select(x, compare(x, STRATA_OLT, a, bound), real(x, bound), a);
}

#define POLYNOMIAL(x, name, a) polynomial(x, sizeof name / sizeof name[0], name, a)

// Horner's rule.
static inline MlirValue polynomial(expander_t *x, size_t count, const double *coefficients, MlirValue a) {
  MlirValue sum = real(x, coefficients[count - 1]);
  for (size_t i = count - 1; i-- > 0;)
    sum = multiply_add(x, sum, a, real(x, coefficients[i]));
  return sum;
}

#endif
