// Reductions over the threads of a group, for rules that combine several of them with one wait for other warps.
#ifndef STRATA_LOWERING_TILE_TO_GPU_REDUCE_H
#define STRATA_LOWERING_TILE_TO_GPU_REDUCE_H

#include "lowering/tile_to_gpu/exchange.h"

#include <mlir-c/AffineExpr.h>

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

// Register |reg| of the source, neutral in threads where it hangs along a reduced dim.
MlirValue strata_reduction_counted(const strata_reduction_t *r, int64_t reg);

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

//===-- Parts of the rule, in their order ------------------------------------------------------------------------===//

// True if threads whose numbers differ in |bit| hold parts of the same results.
bool strata_reduction_is_over(const strata_reduction_t *r, int64_t bit);

// Of each thread (reduce_registers.c).
void strata_reduce_registers(strata_reduction_t *r);

// Of the lanes of a warp (reduce_warps.c): all, or the first |n| results of those that differ in |bit| or a lower one.
void strata_reduce_lanes(strata_reduction_t *r);
void strata_reduce_bits(strata_reduction_t *r, int64_t bit, int64_t n);

// A group's threads by the parts of their number: lanes that hold different results, warps.
typedef struct {
  int64_t kept_lanes, kept_warps, n_warps; // counts: lanes, and warps, of different results; warps combined
  strata_layout_t lane, kept_warp, warp;   // digits of the thread's number along dim 0
  int64_t reduced_lanes;                   // the bits of the number that tell lanes of one result apart
} strata_slots_t;
strata_slots_t strata_reduction_slots(const strata_reduction_t *r);
// The slots of one result are beside one another: warp w has the w-th from here.
MlirAffineExpr strata_slot_base(const strata_reduction_t *r, const strata_slots_t *slots);
// The first |n| results that a thread holds of each of |n_reductions| go to slots, the first one's from |base| on; then
// those of the other warps are in |x|, one a reduction. |writes|: i1, the threads that write them; null: all do.
STRATA_MUST_CHECK strata_status_t strata_reduction_meet(strata_reduction_t *r, int n_reductions,
                                                        const strata_slots_t *slots, MlirValue base, MlirValue writes,
                                                        int64_t n, strata_exchange_t *x);
STRATA_MUST_CHECK strata_status_t strata_reduce_warps(strata_reduction_t *r, const strata_slots_t *slots);

// True if lanes share several results out; lanes and warps then (reduce_dealt.c).
bool strata_reduction_deals(const strata_reduction_t *r, const strata_slots_t *slots);
STRATA_MUST_CHECK strata_status_t strata_reduce_dealt(strata_reduction_t *r, const strata_slots_t *slots);

// Of the blocks of a cluster, where a task is spread over them; |is_row|: where their tiles are a row together
// (reduce_blocks.c).
STRATA_MUST_CHECK strata_status_t strata_reduce_blocks(strata_reduction_t *r, bool is_row);

#endif
