// See order_rows.h.
#include "passes/affine/order_rows.h"

#include <stdlib.h>

// The operand that does not have the dim contiguous in the result, and which parallel dims it alone has; NULL if there
// is none.
static const strata_access_t *rows_of(const strata_nest_t *nest, const strata_access_t *store, uint32_t *out_dims) {
  strata_contraction_t c;
  if (!strata_nest_contraction(nest, &c))
    return NULL;
  for (int dim = 0; dim < nest->n_parallel; dim++) {
    int64_t stride;
    bool is_inner =
        !strata_size_is_one(nest->space.sizes[dim]) && strata_access_stride(nest, store, dim, &stride) && stride == 1;
    if (!is_inner || !((c.lhs_dims ^ c.rhs_dims) & 1u << dim))
      continue;
    bool is_left = c.rhs_dims & 1u << dim; // the rows' operand
    *out_dims = is_left ? c.lhs_dims & ~c.rhs_dims : c.rhs_dims & ~c.lhs_dims;
    return is_left ? c.lhs : c.rhs;
  }
  return NULL;
}

void strata_order_rows(const strata_nest_t *nest, const strata_access_t *store, int *order) {
  uint32_t dims = 0;
  const strata_access_t *rows = rows_of(nest, store, &dims);
  int places[STRATA_MAX_DIMS], n = 0;
  int64_t strides[STRATA_MAX_DIMS];
  for (int i = 0; rows && i < nest->n_parallel; i++)
    if (dims & 1u << order[i] && !strata_size_is_one(nest->space.sizes[order[i]])) {
      if (!strata_access_likely_stride(nest, rows, order[i], &strides[order[i]]))
        return;
      places[n++] = i;
    }
  for (int i = 1; i < n; i++)
    for (int at = i; at > 0 && llabs(strides[order[places[at - 1]]]) < llabs(strides[order[places[at]]]); at--) {
      int dim = order[places[at]];
      order[places[at]] = order[places[at - 1]];
      order[places[at - 1]] = dim;
    }
}
