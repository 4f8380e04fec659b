// Which ways a kernel has as its schedule and variants, by tables of costs.
#include "passes/affine/variant_plan.h"
#include "test/support/check.h"

#include <math.h>

enum { SIZES = 12, WAYS = 3 };

// Way 0 is best at three sizes, way 1 at the next three, and so on; way 2, of few sizes, is the best of the first
// three.
static void fill(double *costs, double gain) {
  for (int size = 0; size < SIZES; size++) {
    costs[size * WAYS] = size / 3 % 2 == 0 ? 1 : 1 + gain;
    costs[size * WAYS + 1] = size / 3 % 2 == 0 ? 1 + gain : 1;
    costs[size * WAYS + 2] = size < 3 ? 0.5 : INFINITY;
  }
}

static strata_variant_plan_t plan_of(const double *costs, const bool *is_likely) {
  static double weights[SIZES];
  static const bool takes_all[WAYS] = {true, true, false};
  for (int i = 0; i < SIZES; i++)
    weights[i] = 1;
  strata_arena_t *arena = strata_arena_create();
  strata_variant_plan_t plan = strata_variant_plan(arena, &(strata_plan_costs_t){.n_sizes = SIZES,
                                                                                 .n_ways = WAYS,
                                                                                 .costs = costs,
                                                                                 .weights = weights,
                                                                                 .is_likely = is_likely,
                                                                                 .takes_all = takes_all,
                                                                                 .share = 1,
                                                                                 .price = 0.01});
  strata_arena_destroy(arena);
  return plan;
}

static void test_ranges(void) {
  double costs[SIZES * WAYS];
  bool is_likely[SIZES] = {false};
  fill(costs, 0.5);
  strata_variant_plan_t plan = plan_of(costs, is_likely);
  CHECK(plan.count == 3 && plan.ways[0] != 2);
  for (int size = 0; size < SIZES; size++)
    CHECK(plan.ways[plan.at[size]] == (size < 3 ? 2 : size / 3 % 2));
  CHECK(plan.at[SIZES - 1] == 0); // the last sizes are the first way's
}

// What is little faster is no way of its own, and no range.
static void test_little(void) {
  double costs[SIZES * WAYS];
  bool is_likely[SIZES] = {false};
  fill(costs, 0.005);
  strata_variant_plan_t plan = plan_of(costs, is_likely);
  CHECK(plan.count == 2);
  for (int size = 3; size < SIZES; size++)
    CHECK(plan.at[size] == 0);
}

// Where no way takes all sizes there is none.
static void test_none(void) {
  double costs[SIZES * WAYS];
  bool is_likely[SIZES] = {false};
  fill(costs, 0.5);
  strata_arena_t *arena = strata_arena_create();
  bool takes_all[WAYS] = {false};
  double weights[SIZES];
  for (int i = 0; i < SIZES; i++)
    weights[i] = 1;
  strata_plan_costs_t table = {SIZES, WAYS, costs, weights, is_likely, takes_all, NULL, 1, 0.01, 0};
  CHECK(strata_variant_plan(arena, &table).count == 0);
  strata_arena_destroy(arena);
}

// What gains little for its code is none either: the gain is a third, the code as much at that price, or a hundredth.
static void test_code(void) {
  double costs[SIZES * WAYS], weights[SIZES];
  const double code[WAYS] = {100, 100, 100};
  const bool is_likely[SIZES] = {false}, takes_all[WAYS] = {true, true, true};
  fill(costs, 0.3);
  for (int i = 0; i < SIZES; i++) {
    weights[i] = 1;
    costs[i * WAYS + 2] = INFINITY;
  }
  strata_arena_t *arena = strata_arena_create();
  strata_plan_costs_t table = {SIZES, WAYS, costs, weights, is_likely, takes_all, code, 1, 0.01, 0.01};
  CHECK(strata_variant_plan(arena, &table).count == 1);
  table.code_price = 1e-4;
  CHECK(strata_variant_plan(arena, &table).count == 2);
  strata_arena_destroy(arena);
}

// Of one way alone, as code is dear: an eighth slower at all sizes but one, or much slower at that one. The worst size
// counts where all that is taken is the kernel's, the mean where it is little of that.
static void test_share(void) {
  double costs[SIZES * WAYS], weights[SIZES];
  const double code[WAYS] = {100, 100, 100};
  const bool is_likely[SIZES] = {false}, takes_all[WAYS] = {true, true, true};
  for (int i = 0; i < SIZES; i++) {
    weights[i] = 1;
    costs[i * WAYS] = 1.125;
    costs[i * WAYS + 1] = i == 5 ? 1.8 : 1;
    costs[i * WAYS + 2] = INFINITY;
  }
  strata_arena_t *arena = strata_arena_create();
  strata_plan_costs_t table = {SIZES, WAYS, costs, weights, is_likely, takes_all, code, 1, 0.01, 0.01};
  strata_variant_plan_t plan = strata_variant_plan(arena, &table);
  CHECK(plan.count == 1 && plan.ways[0] == 0);
  table.share = 0.01;
  plan = strata_variant_plan(arena, &table);
  CHECK(plan.count == 1 && plan.ways[0] == 1);
  strata_arena_destroy(arena);
}

int main(void) {
  test_code();
  test_share();
  test_ranges();
  test_little();
  test_none();
  return check_result();
}
