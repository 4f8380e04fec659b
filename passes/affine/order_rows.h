// The order in which a contraction walks its rows.
#ifndef STRATA_PASSES_AFFINE_ORDER_ROWS_H
#define STRATA_PASSES_AFFINE_ORDER_ROWS_H

#include "dialects/affine/kernel.h"

// Puts the rows' dims, those that only the operand has which lacks the dim contiguous in |store|, at their places among
// |order|, the nest's parallel dims, in the order in which that operand has them: neighbours there are fetched
// together, and what is stored is contiguous along columns anyway.
void strata_order_rows(const strata_nest_t *nest, const strata_access_t *store, int *order);

#endif
