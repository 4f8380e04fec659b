// See variant_budget.h.
#include "passes/affine/variant_budget.h"

#include "passes/affine/explain.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/thresholds.h"

#include "dialects/integers.h"

#include <math.h>
#include <string.h>

//===-- Code -----------------------------------------------------------------------------------------------------===//

double strata_variant_work(const strata_kernel_t *kernel) {
  double work = 0;
  for (int i = 0; i < kernel->n_nests; i++)
    if (kernel->nests[i].n_reduction == 0)
      work += strata_nest_work(&kernel->nests[i]).work;
  return work;
}

// Of the elements of a tile of |rows| x |columns| those of a thread.
static double of_thread(const strata_schedule_t *schedule, int64_t rows, int64_t columns) {
  return (double)(rows * columns) / (double)(schedule->group > 1 ? schedule->group : schedule->threads);
}

double strata_variant_code(const strata_code_costs_t *code, const strata_schedule_t *schedule, double work,
                           double loads, bool varies) {
  double own = of_thread(schedule, schedule->tile[0], schedule->tile[1]), operations = own * code->addition * work;
  double others = (double)strata_max(schedule->parts - 1, 0);
  if (!schedule->producers && schedule->mma.length)
    return code->loading_body + operations + loads * (varies ? code->masked_load : code->load);
  return code->body + operations + own * (code->result + code->exchanged * others);
}

double strata_variant_attention_code(const strata_code_costs_t *code, const strata_schedule_t *schedule,
                                     bool has_operand, bool is_single, bool varies) {
  const strata_attention_code_costs_t *own = is_single ? &code->single : &code->steps;
  double of_score = varies ? own->masked_score : own->score, of_load = varies ? own->masked_load : own->load;
  return code->body +
         of_thread(schedule, schedule->tile[0], schedule->tile[1]) * (of_score + (has_operand ? of_load : 0)) +
         of_thread(schedule, schedule->tile[0], schedule->tile[2]) * own->weighted;
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

static double price_at(int step) {
  return step ? strata_thresholds.cheapest * exp2((double)step / strata_thresholds.price_doubling) : 0;
}

static double seconds_of(const strata_variant_offer_t *offer) {
  return offer->seconds * (double)offer->called.calls.count;
}

typedef struct {
  strata_variant_budget_t *budget;
  double seconds, most; // of a call, and bytes
  double *code;         // of each offer's plan
  int *steps;           // whose price it is of
} spending_t;

// The other kernels of a call may be as fast as they can be where one is slow, which then costs its share of the call,
// or as slow, as tiles suit the same sizes: between the two.
static void plan_one(const spending_t *s, size_t i, int step) {
  strata_variant_offer_t *offer = &s->budget->offers.data[i];
  double share = fmax(seconds_of(offer) / s->seconds, strata_thresholds.least_share);
  s->code[i] = offer->plan(offer->user, price_at(step) / share, sqrt(share));
}

static double code_of_all(const spending_t *s) {
  double code = 0;
  for (size_t i = 0; i < s->budget->offers.count; i++)
    code += s->code[i];
  return code;
}

// All plans at the price of that step; their code.
static double plan_all(const spending_t *s, int step) {
  for (size_t i = 0; i < s->budget->offers.count; i++)
    plan_one(s, i, step);
  return code_of_all(s);
}

// The first step whose price is high enough, or the last.
static int find_step(const spending_t *s) {
  int low = 0, high = strata_thresholds.price_steps;
  while (low < high) {
    int middle = (low + high) / 2;
    if (plan_all(s, middle) > s->most)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Offers, those first that take the most of a call.
static size_t *by_share(strata_arena_t *arena, const strata_variant_budget_t *budget) {
  size_t *order = strata_arena_array(arena, size_t, budget->offers.count + 1);
  for (size_t i = 0, at; i < budget->offers.count; i++) {
    double seconds = seconds_of(&budget->offers.data[i]);
    for (at = i; at > 0 && seconds_of(&budget->offers.data[order[at - 1]]) < seconds; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

// At one price code is too much, at the next there may be much left: for plans of lower prices, step by step.
static void spend_rest(const spending_t *s, const size_t *order, int step) {
  size_t count = s->budget->offers.count;
  for (size_t i = 0; i < count; i++)
    s->steps[i] = step;
  for (int lower = step - 1; lower >= 0 && lower >= step - strata_thresholds.lower_prices; lower--)
    for (size_t i = 0; i < count; i++) {
      size_t at = order[i];
      plan_one(s, at, lower);
      if (code_of_all(s) <= s->most)
        s->steps[at] = lower;
      else
        plan_one(s, at, s->steps[at]);
    }
}

strata_status_t strata_variant_budget_spend(strata_compile_t *compile, strata_variant_budget_t *budget) {
  double alone = 0;
  size_t count = budget->offers.count;
  spending_t s = {budget, .code = strata_arena_array(compile->arena, double, count + 1),
                  .steps = strata_arena_array(compile->arena, int, count + 1)};
  for (size_t i = 0; i < count; i++) {
    s.seconds += seconds_of(&budget->offers.data[i]);
    alone += budget->offers.data[i].alone;
  }
  if (count == 0)
    return NULL;
  s.most = alone + fmax(strata_thresholds.beside_share * alone, strata_thresholds.beside_bytes);
  double free_code = plan_all(&s, 0);
  int step = free_code > s.most ? find_step(&s) : 0;
  if (step > 0) {
    plan_all(&s, step);
    spend_rest(&s, by_share(compile->arena, budget), step);
  }
  strata_explain(compile,
                 "variants: %.0f KB of code for likely sizes alone, %.0f if it cost nothing, %.0f at %.2g of a call's "
                 "time a KB, at most %.0f",
                 alone / 1e3, free_code / 1e3, code_of_all(&s) / 1e3, 1e3 * price_at(step), s.most / 1e3);
  for (size_t i = 0; i < count; i++)
    STRATA_TRY(budget->offers.data[i].take(budget->offers.data[i].user));
  return NULL;
}
