// Variants of a kernel (dialects/affine/variants.h) for schedulers: which are worth having, and making one.
//
// A scheduler gives the kernel the schedule that takes all sizes and, where it has others that are better at some, asks
// which of them to have where; for each answer it makes a variant. All variants have the kernel's arguments as they are
// then: what is to be packed or staged is packed and staged before.
#ifndef STRATA_PASSES_AFFINE_VARIANTS_H
#define STRATA_PASSES_AFFINE_VARIANTS_H

#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "passes/affine/kinds.h"

enum {
  STRATA_VARIANT_CANDIDATES = 16,
  STRATA_CHOSEN_VARIANTS = 3, // at most, of candidates
};

// Candidates for the values of one expression. Candidate 0 takes all sizes; any other those from |min| to |max|. A cost
// is what a call takes where the expression is |size|, in any unit. |price|: how much faster all sizes must become on
// average for the candidate's code, 0.01 being a hundredth.
typedef struct {
  int count;
  struct {
    int64_t min, max;
    double price;
  } of[STRATA_VARIANT_CANDIDATES];
  double (*cost)(void *user, int candidate, int64_t size);
  void *user;
} strata_variant_candidates_t;

// A candidate for the sizes from |min| to |max|.
typedef struct {
  int candidate;
  int64_t min, max;
} strata_variant_choice_t;

// Those to have of |size|, by the costs at likely sizes of the call, which count most, and in between; in the order of
// sizes. Their number, at most STRATA_CHOSEN_VARIANTS.
int strata_variants_choose(const strata_scheduling_t *s, strata_size_t size,
                           const strata_variant_candidates_t *candidates, strata_variant_choice_t *out);

// What |size| is likely to be: its values at the likely sizes of its symbols, in order.
enum { STRATA_LIKELY_VALUES = 32 };
int strata_likely_values(const strata_scheduling_t *s, strata_size_t size, int64_t *out);

// A variant of the kernel as it is now, with this schedule, where all |ranges| hold. In its body, and so to a scheduler
// that is asked for it (strata_kernel_read of *out_variant), sizes are known to be so.
STRATA_MUST_CHECK strata_status_t strata_variant_create(const strata_scheduling_t *s, int n_ranges,
                                                        const strata_size_range_t *ranges,
                                                        const strata_schedule_t *schedule, MlirOperation *out_variant);
// The same for one expression and a choice.
STRATA_MUST_CHECK strata_status_t strata_variant_create_for(const strata_scheduling_t *s, strata_size_t size,
                                                            const strata_variant_choice_t *choice,
                                                            const strata_schedule_t *schedule);
// The same for a choice of each of |n| expressions, but for |n_but| other ranges of the first.
STRATA_MUST_CHECK strata_status_t strata_variant_create_but(const strata_scheduling_t *s, int n,
                                                            const strata_size_t *sizes,
                                                            const strata_variant_choice_t *choices, int n_but,
                                                            const strata_variant_choice_t *but,
                                                            const strata_schedule_t *schedule);

#endif
