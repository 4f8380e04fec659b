// Reductions over the threads of a group, for rules that combine several of them with one wait for other warps.
#ifndef STRATA_LOWERING_TILE_TO_GPU_REDUCE_H
#define STRATA_LOWERING_TILE_TO_GPU_REDUCE_H

#include "lowering/tile_to_gpu/distribute.h"

enum { STRATA_REDUCTIONS_AT_ONCE = 2 };

typedef struct {
  strata_gpu_distribution_t *d;
  MlirAttribute kind;
  const strata_registers_t *source;
  bool is_reduced[STRATA_VALUE_RANK];
  int to[STRATA_VALUE_RANK]; // the result's dim behind each dim of the source
  int chains;                // registers are combined one after the other to so many values; 0: as a tree
  bool contracts;            // of sums: each addition may take in the product that it adds
  strata_registers_t start;  // what the results are combined with at last; none: nothing, or it has been
  strata_registers_t result; // in the layout that follows from the source's, or in |wanted|
  const strata_layout_t *wanted;
} strata_reduction_t;

// What |op| does to |source|, which is of the type and layout of its operand; without a start.
strata_reduction_t strata_reduction_of(strata_gpu_distribution_t *d, MlirOperation op,
                                       const strata_registers_t *source);

// True if register |reg| of the source counts towards register |target| of the result.
bool strata_reduction_counts(const strata_reduction_t *r, int64_t reg, int64_t target);

// True if the lanes of several warps share the results out and each is to keep its own.
bool strata_reduction_is_dealt(const strata_reduction_t *r);

// Warps of one result of such a reduction.
int64_t strata_reduction_warps(const strata_reduction_t *r);

// Of the values that a thread has for each result, the one of the lane's own.
MlirValue strata_reduction_own(const strata_reduction_t *r, const MlirValue *values);

// Combines what each warp holds, of |n| such reductions of one layout: ->result.values[0] of each becomes the warp's
// part of the lane's own result.
void strata_reduce_in_warps(strata_reduction_t *r, int n);

// Has the warps of one result know one another's ->result.values[0], with one wait: out[i * warps + w] is that of
// reduction i and warp w.
STRATA_MUST_CHECK strata_status_t strata_reduction_exchange(strata_reduction_t *r, int n, MlirValue *out);

#endif
