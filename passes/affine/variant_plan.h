// Which of many ways to have as a kernel's schedule and its variants (variants.h), by a table of what each costs at
// each of many sizes: few of them, so that no size is much slower than it could be.
#ifndef STRATA_PASSES_AFFINE_VARIANT_PLAN_H
#define STRATA_PASSES_AFFINE_VARIANT_PLAN_H

#include "passes/affine/variants.h"

enum { STRATA_PLAN_SIZES = 96, STRATA_PLAN_WAYS = 10 }; // at most: code has a price

// Sizes are in order. A cost is infinite where a way cannot be carried out; at each size one of those that take all
// can.
typedef struct {
  int n_sizes, n_ways;
  const double *costs;   // of each size those of all ways
  const double *weights; // of sizes
  const bool *is_likely; // of sizes: what they take beside the best counts twice
  const bool *takes_all; // of ways: at any size, be it none of these
  const double *code;    // of ways: bytes; NULL: as good as none
  double share;          // of what a size takes beside the best that counts, 1 being all
  double price;          // how much faster all must become for one way more, 0.01 being a hundredth
  double code_price;     // the same for each byte of code
} strata_plan_costs_t;

typedef struct {
  int count;
  int ways[STRATA_PLAN_WAYS]; // the first takes all; none: there is no such way
  int at[STRATA_PLAN_SIZES];  // which of |ways| each size has
} strata_variant_plan_t;

// The least mean of high powers of what a size takes beside the best way for it, and so the least that the worst sizes
// take. Neighbouring sizes have one way where another is no more than little faster.
strata_variant_plan_t strata_variant_plan(strata_arena_t *arena, const strata_plan_costs_t *costs);

#endif
