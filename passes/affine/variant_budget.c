// See variant_budget.h.
#include "passes/affine/variant_budget.h"

#include "passes/affine/explain.h"
#include "passes/affine/nest_graph.h"

#include <math.h>
#include <string.h>

//===-- Code -----------------------------------------------------------------------------------------------------===//

// Measured on what ptxas 13.0 makes for sm_90a, within a third.
#define BODY 4400        // waiting, copying, finding tiles
#define RESULT 80        // that is summed up in a register: set to zero, converted, stored
#define MASKED_SCORE 650 // of attention: with its part of the softmax, behind the last row or column or not
#define SCORE 130        // where it is known that there is no such
#define MULTIPLIED 200   // a result by instructions on registers, whose operands are loaded for it
#define ADDITION 8       // of what is done with a result
#define MASKED_LOAD 300  // of an operand that threads bring themselves, there or not
#define LOAD 80          // where that is known

double strata_variant_work(const strata_kernel_t *kernel) {
  double work = 0;
  for (int i = 0; i < kernel->n_nests; i++)
    if (kernel->nests[i].n_reduction == 0)
      work += strata_nest_work(&kernel->nests[i]).work;
  return work;
}

double strata_variant_code(const strata_schedule_t *schedule, double work, double loads, bool varies) {
  double results = (double)(schedule->tile[0] * schedule->tile[1]);
  double own = results / (double)(schedule->group > 1 ? schedule->group : schedule->threads);
  if (schedule->kind == STRATA_KERNEL_ATTENTION)
    return BODY + own * (varies ? MASKED_SCORE : SCORE);
  double of_result = RESULT + ADDITION * work;
  if (schedule->producers || !schedule->mma.length)
    return BODY + own * of_result;
  return BODY + own * (of_result + MULTIPLIED) + loads * (varies ? MASKED_LOAD : LOAD);
}

//===-- Offers ---------------------------------------------------------------------------------------------------===//

strata_scheduling_t *strata_scheduling_keep(const strata_scheduling_t *s) {
  strata_arena_t *arena = s->compile->arena;
  strata_scheduling_t *kept = strata_arena_new(arena, strata_scheduling_t);
  strata_called_kernel_t *called = strata_arena_new(arena, strata_called_kernel_t);
  strata_kernel_t *kernel = strata_arena_new(arena, strata_kernel_t);
  *called = *s->called;
  *kernel = *s->kernel;
  *kept = *s;
  kept->called = called;
  kept->kernel = kernel;
  kept->calls = NULL; // are read anew for every round
  return kept;
}

void strata_variant_budget_add(strata_compile_t *compile, strata_variant_budget_t *budget,
                               const strata_variant_offer_t *offer) {
  *strata_vector_push(compile->arena, &budget->offers) = *offer;
}

bool strata_variant_budget_has(const strata_variant_budget_t *budget, MlirOperation func) {
  for (size_t i = 0; i < budget->offers.count; i++)
    if (mlirOperationEqual(budget->offers.data[i].called.func, func))
      return true;
  return false;
}

//===-- Spending -------------------------------------------------------------------------------------------------===//

#define BESIDE 110e3     // bytes beside the code for likely sizes alone, at least: a library is not of that alone
#define LEAST_SHARE 1e-3 // of a call's time
#define CHEAPEST 1e-8    // price of a byte, of a call's time
enum { STEPS = 32, OF_DOUBLING = 4 }; // to a fortieth of a call for 10 KB

static double price_at(int step) { return CHEAPEST * exp2((double)step / OF_DOUBLING); }

static double seconds_of(const strata_variant_offer_t *offer) {
  return offer->seconds * (double)offer->called.calls.count;
}

// All plans at that price of a byte; their code.
static double plan_all(strata_variant_budget_t *budget, double seconds, double price) {
  double code = 0;
  for (size_t i = 0; i < budget->offers.count; i++) {
    strata_variant_offer_t *offer = &budget->offers.data[i];
    double share = fmax(seconds_of(offer) / seconds, LEAST_SHARE);
    code += offer->plan(offer->user, price / share);
  }
  return code;
}

strata_status_t strata_variant_budget_spend(strata_compile_t *compile, strata_variant_budget_t *budget) {
  double seconds = 0, alone = 0, price = 0;
  for (size_t i = 0; i < budget->offers.count; i++) {
    seconds += seconds_of(&budget->offers.data[i]);
    alone += budget->offers.data[i].alone;
  }
  if (budget->offers.count == 0)
    return NULL;
  double most = alone + fmax(alone, BESIDE), free_code = plan_all(budget, seconds, 0), code = free_code;
  int low = 0, high = STEPS; // the first price that is high enough is behind |low|, if any
  while (code > most && low < high) {
    int middle = (low + high) / 2;
    if (plan_all(budget, seconds, price_at(middle)) > most)
      low = middle + 1;
    else
      high = middle;
    if (low == high)
      code = plan_all(budget, seconds, price = price_at(high));
  }
  strata_explain(compile,
                 "variants: %.0f KB of code for likely sizes alone, %.0f if it cost nothing, %.0f at %.2g of a call's "
                 "time a KB, at most %.0f",
                 alone / 1e3, free_code / 1e3, code / 1e3, 1e3 * price, most / 1e3);
  for (size_t i = 0; i < budget->offers.count; i++)
    STRATA_TRY(budget->offers.data[i].take(budget->offers.data[i].user));
  return NULL;
}
