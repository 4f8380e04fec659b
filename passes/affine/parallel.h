// Products that do not depend on one another: one launch carries out their tiles one product after the other, so that
// together they fill the card. Internal to affine-schedule.
//
//   call @k0(%x, %wq, %q)   call @k0(%x, %wk, %k)   call @k0(%x, %wv, %v)
// becomes
//   call @k0(...) {strata.launch = 0}   call @k0(...) {strata.launch = 0}   call @k0(...) {strata.launch = 0}
//
// Calls of one number follow one another; tile-join-launches makes one call of them.
#ifndef STRATA_PASSES_AFFINE_PARALLEL_H
#define STRATA_PASSES_AFFINE_PARALLEL_H

#include "passes/affine/calls.h"

// Moves calls of products that can share a launch behind one another and gives them their number: of one product, or of
// several that share an operand.
STRATA_MUST_CHECK strata_status_t strata_parallel_find(strata_compile_t *compile, const strata_calls_t *calls);

// Of the products that share a launch with |called| the largest, whose schedule is that of all; |called| if there are
// no others.
STRATA_MUST_CHECK strata_status_t strata_parallel_leader(strata_compile_t *compile, const strata_calls_t *calls,
                                                         const strata_called_kernel_t *called,
                                                         const strata_called_kernel_t **out_leader);
// The work of a launch of |called|, in calls of it.
STRATA_MUST_CHECK strata_status_t strata_parallel_count(strata_compile_t *compile, const strata_calls_t *calls,
                                                        const strata_called_kernel_t *called, double *out_count);
// Takes the number back from all calls of |called|.
void strata_parallel_leave(const strata_called_kernel_t *called);
// Takes the numbers back where schedules are none that a launch can be shared with, or not those of the leader; gives
// one to the kernels that stage both operands of a product.
STRATA_MUST_CHECK strata_status_t strata_parallel_settle(strata_compile_t *compile, const strata_calls_t *calls);

#endif
