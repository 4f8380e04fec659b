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

// Moves calls of a product that can share a launch behind one another and gives them their number.
STRATA_MUST_CHECK strata_status_t strata_parallel_find(strata_compile_t *compile, const strata_calls_t *calls);
// Calls of |called| that share a launch, the most there are; 1: none do.
int64_t strata_parallel_count(const strata_called_kernel_t *called);
// Takes the numbers back where the schedule is none that launches can be shared with.
void strata_parallel_settle(strata_compile_t *compile, const strata_calls_t *calls);

#endif
