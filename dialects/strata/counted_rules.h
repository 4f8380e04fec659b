// Inside strata_bound_counts: an operation some of whose sizes depend on data, and what rules for it are made of.
#ifndef STRATA_DIALECTS_STRATA_COUNTED_RULES_H
#define STRATA_DIALECTS_STRATA_COUNTED_RULES_H

#include "dialects/strata/counted.h"
#include "dialects/strata/record.h"

typedef struct {
  strata_builder_t b;
  strata_symbols_t *symbols;
  strata_counts_t counts; // whose values may be replaced
  MlirOperation op;
  strata__record_t was; // the op with the sizes that depend on data
} strata__bounding_t;

// The value of |dim| as an i64 of rank 0; no more than the bound unless |is_exact|.
MlirValue strata__count_value(strata__bounding_t *x, strata_dim_t dim, bool is_exact);
strata_dim_t strata__bound(strata__bounding_t *x, strata_dim_t dim);
strata_shape_t strata__bound_shape(strata__bounding_t *x, const strata_shape_t *shape);

// What stands for the op's first result, of the bounds' sizes. Null: the op itself with other operands.
MlirValue strata__bound_op(strata__bounding_t *x);

#endif
