// How many variants (variants.h) the kernels of a module have together. Code costs the time to compile it and the size
// of the library, so it is spent where a call gains most: each kernel plans its variants for a price of code, which is
// the same for all kernels, and as high as it must be for the library to be no more than so many times as large as one
// for the likely sizes alone.
#ifndef STRATA_PASSES_AFFINE_VARIANT_BUDGET_H
#define STRATA_PASSES_AFFINE_VARIANT_BUDGET_H

#include "passes/affine/kinds.h"

// A kernel that may have variants. It is scheduled, and has none, until the budget is spent.
typedef struct {
  strata_called_kernel_t called;
  double seconds; // of one call at likely sizes
  double alone;   // bytes of code of the kernel for likely sizes alone
  // Plans what it has if the logarithm of what it takes is to fall by |price| for each byte of code; the bytes. Of what
  // it takes beside the best |share| counts (variant_plan.h).
  double (*plan)(void *user, double price, double share);
  // Gives the kernel the schedule and the variants of the last plan.
  strata_status_t (*take)(void *user);
  void *user;
} strata_variant_offer_t;

typedef struct strata_variant_budget {
  STRATA_VECTOR(strata_variant_offer_t) offers;
} strata_variant_budget_t;

// A copy of |s| that lasts as long as the compile.
strata_scheduling_t *strata_scheduling_keep(const strata_scheduling_t *s);

void strata_variant_budget_add(strata_compile_t *compile, strata_variant_budget_t *budget,
                               const strata_variant_offer_t *offer);
// True if the kernel waits for its schedule.
bool strata_variant_budget_has(const strata_variant_budget_t *budget, MlirOperation func);
// Gives all kernels theirs.
STRATA_MUST_CHECK strata_status_t strata_variant_budget_spend(strata_compile_t *compile,
                                                              strata_variant_budget_t *budget);

// Bytes of machine code, about, by |schedule| for sizes that vary, or are known: of a product, |work| being what is
// computed of one result, in additions, and |loads| those of a thread for a step; of attention, one block of whose
// columns |is_single| or not, and whose scores have an operand or not.
double strata_variant_code(const strata_code_costs_t *code, const strata_schedule_t *schedule, double work,
                           double loads, bool varies);
double strata_variant_attention_code(const strata_code_costs_t *code, const strata_schedule_t *schedule,
                                     bool has_operand, bool is_single, bool varies);
// Of all nests of the kernel but the contractions.
double strata_variant_work(const strata_kernel_t *kernel);

#endif
