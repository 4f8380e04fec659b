// Elements of small tensors that are floats no fraction says, as quotients of sizes: what ONNX says of f32 and f64,
// each operation rounded, computed from the sizes of a call (runtime/base/real.h). Those that may be negative, that
// depend on data or are of another type are not known. Private to dialects/strata.
#ifndef STRATA_DIALECTS_STRATA_REAL_ELEMENTS_H
#define STRATA_DIALECTS_STRATA_REAL_ELEMENTS_H

#include "dialects/strata/symbols.h"

// The divisor of such an element: its dim is the number's bits.
enum { STRATA__REAL = 0 };

typedef struct {
  strata_arena_t *arena;
  MlirContext context;
  strata_symbols_t *symbols;
} strata__reals_t;

static inline bool strata__is_real(strata_dim_value_t e) { return e.divisor == STRATA__REAL; }

// All return a null dim where nothing is known. Operands are known, fractions or such elements.
strata_dim_value_t strata__real_number(const strata__reals_t *r, double value);
strata_dim_value_t strata__as_real(const strata__reals_t *r, strata_type_t type, strata_dim_value_t e);
// ADD, SUB, MUL, DIV, MIN and MAX.
strata_dim_value_t strata__real_binary(const strata__reals_t *r, strata_op_id_t op, strata_type_t type,
                                       strata_dim_value_t a, strata_dim_value_t b);
// FLOOR, CEIL, TRUNC, ROUND_EVEN, ABS and CONVERT of a float of a type to |to|.
strata_dim_value_t strata__real_unary(const strata__reals_t *r, strata_op_id_t op, strata_type_t to,
                                      strata_dim_value_t e);

#endif
