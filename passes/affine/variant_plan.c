// See variant_plan.h. Ways are added one by one, each the one that helps most, and then exchanged for others as long as
// that helps.
#include "passes/affine/variant_plan.h"
#include "passes/affine/thresholds.h"

#include <math.h>

typedef struct {
  const strata_plan_costs_t *costs;
  double *powers; // of each size those of all ways: of what it takes beside the best, by its weight
  double *others; // of each size the least of those that are kept
  double *dearer; // of ways: by what their code makes a power
} search_t;

static double cost_of(const strata_plan_costs_t *c, int size, int way) {
  return c->costs[(size_t)size * (size_t)c->n_ways + (size_t)way];
}

static double power_of(const search_t *s, int size, int way) {
  return s->powers[(size_t)size * (size_t)s->costs->n_ways + (size_t)way];
}

static double best_of(const strata_plan_costs_t *c, int size) {
  double best = INFINITY;
  for (int way = 0; way < c->n_ways; way++)
    best = fmin(best, cost_of(c, size, way));
  return best;
}

static void fill_powers(search_t *s) {
  const strata_plan_costs_t *c = s->costs;
  double sum = 0;
  for (int size = 0; size < c->n_sizes; size++)
    sum += c->weights[size];
  for (int size = 0; size < c->n_sizes; size++) {
    double best = best_of(c, size), power = c->is_likely[size]
                                                ? strata_thresholds.worst_power * strata_thresholds.likely_power
                                                : strata_thresholds.worst_power;
    for (int way = 0; way < c->n_ways; way++)
      s->powers[(size_t)size * (size_t)c->n_ways + (size_t)way] =
          c->weights[size] / sum *
          pow(1 + c->share * (fmin(cost_of(c, size, way) / best, strata_thresholds.most_ratio) - 1), power);
  }
}

// Beyond the limits, too, the least code is the cheapest.
static void price_code(search_t *s) {
  const strata_plan_costs_t *c = s->costs;
  double least = INFINITY, of_byte = strata_thresholds.worst_power * c->share * c->code_price;
  for (int way = 0; way < c->n_ways; way++) {
    s->dearer[way] = 1;
    if (c->code && c->takes_all[way])
      least = fmin(least, c->code[way]);
  }
  for (int way = 0; way < c->n_ways && isfinite(least); way++)
    s->dearer[way] = exp(fmin(of_byte * fmin(least, c->code[way]), strata_thresholds.dearest) +
                         fmin(of_byte * fmax(c->code[way] - least, 0), strata_thresholds.dearest));
}

// The way that helps the kept ones most, among those that take all sizes if |is_first|; what they take together. The
// sums of all ways are made side by side: no power is a NaN, and C's fmin() would be a call for each.
static int best_beside(const search_t *s, bool is_first, double *out_sum) {
  const strata_plan_costs_t *c = s->costs;
  double sums[STRATA_PLAN_SIZES] = {0};
  int best = -1;
  for (int size = 0; size < c->n_sizes; size++) {
    const double *powers = s->powers + (size_t)size * (size_t)c->n_ways, others = s->others[size];
    for (int way = 0; way < c->n_ways; way++)
      sums[way] += others < powers[way] ? others : powers[way];
  }
  for (int way = 0; way < c->n_ways; way++) {
    double sum = sums[way] * s->dearer[way];
    if ((!is_first || c->takes_all[way]) && (best < 0 || sum < *out_sum)) {
      best = way;
      *out_sum = sum;
    }
  }
  return best;
}

// Keeps all but number |apart|.
static void keep(const search_t *s, const strata_variant_plan_t *plan, int apart) {
  for (int size = 0; size < s->costs->n_sizes; size++) {
    s->others[size] = INFINITY;
    for (int i = 0; i < plan->count; i++)
      if (i != apart)
        s->others[size] = fmin(s->others[size], power_of(s, size, plan->ways[i]));
  }
}

// What all take beside the best, the price of their code included.
static double taken_by(const search_t *s, const strata_variant_plan_t *plan) {
  double sum = 0, dearer = 1;
  keep(s, plan, -1);
  for (int size = 0; size < s->costs->n_sizes; size++)
    sum += s->others[size];
  for (int i = 0; i < plan->count; i++)
    dearer *= s->dearer[plan->ways[i]];
  return pow(sum * dearer, 1.0 / strata_thresholds.worst_power) * (1 + s->costs->share * s->costs->price * plan->count);
}

// One more way; false if there is none.
static bool add(const search_t *s, strata_variant_plan_t *plan) {
  double sum = INFINITY, before = INFINITY;
  keep(s, plan, -1);
  int way = best_beside(s, plan->count == 0, &sum);
  if (way < 0)
    return false;
  plan->ways[plan->count++] = way;
  for (int turn = 0; turn < strata_thresholds.exchange_turns; turn++) {
    double taken = taken_by(s, plan);
    if (taken >= before)
      break;
    before = taken;
    for (int i = 0; i < plan->count; i++) {
      keep(s, plan, i);
      plan->ways[i] = best_beside(s, i == 0, &sum);
    }
  }
  return true;
}

//===-- Who has which size ---------------------------------------------------------------------------------------===//

// From the first size to the last: the least sum of logarithms and changes.
static void assign(const strata_plan_costs_t *c, double of_change, strata_variant_plan_t *plan) {
  double sums[STRATA_PLAN_SIZES][STRATA_PLAN_WAYS];
  int before[STRATA_PLAN_SIZES][STRATA_PLAN_WAYS], last = 0;
  for (int size = 0; size < c->n_sizes; size++)
    for (int to = 0; to < plan->count; to++) {
      double least = 0;
      before[size][to] = to;
      for (int from = 0; size > 0 && from < plan->count; from++) {
        double sum = sums[size - 1][from] + (from == to ? 0 : of_change);
        if (from == 0 || sum < least || (sum == least && from == to)) {
          least = sum;
          before[size][to] = from;
        }
      }
      sums[size][to] = least + c->weights[size] * log(cost_of(c, size, plan->ways[to]));
    }
  for (int way = 1; way < plan->count; way++)
    if (sums[c->n_sizes - 1][way] < sums[c->n_sizes - 1][last])
      last = way;
  for (int size = c->n_sizes - 1; size >= 0; last = before[size--][last])
    plan->at[size] = last;
}

static int ranges_of(const strata_plan_costs_t *c, const strata_variant_plan_t *plan, int way) {
  int count = 0;
  for (int size = 0; size < c->n_sizes; size++)
    count += plan->at[size] == way && (size == 0 || plan->at[size - 1] != way);
  return count;
}

static void assign_few(const strata_plan_costs_t *c, strata_variant_plan_t *plan) {
  int most = strata_thresholds.way_ranges + 1;
  for (double of_change = strata_thresholds.change_gain; most > strata_thresholds.way_ranges; of_change *= 2) {
    assign(c, of_change, plan);
    most = 0;
    for (int way = 0, own; way < plan->count; way++)
      most = (own = ranges_of(c, plan, way)) > most ? own : most;
  }
}

// The first is the one that takes all sizes and has the last of them: the others are then known to have no larger ones.
static void put_first(const strata_plan_costs_t *c, strata_variant_plan_t *plan) {
  int first = plan->at[c->n_sizes - 1], way;
  if (!c->takes_all[plan->ways[first]])
    first = 0;
  way = plan->ways[0];
  plan->ways[0] = plan->ways[first];
  plan->ways[first] = way;
  for (int size = 0; size < c->n_sizes; size++)
    plan->at[size] = plan->at[size] == first ? 0 : plan->at[size] == 0 ? first : plan->at[size];
}

// What |plan| grows to, and the best on the way; from a first way, as exchanges alone end at what is best nearby. Where
// code has a price it is not grown on behind ways that do not pay.
static void grow(const search_t *s, strata_variant_plan_t plan, strata_variant_plan_t *best, double *least) {
  double own = INFINITY;
  for (int idle = 0; plan.count < STRATA_PLAN_WAYS && idle < strata_thresholds.growth_patience;) {
    double taken = add(s, &plan) ? taken_by(s, &plan) : INFINITY;
    if (!isfinite(taken))
      break;
    idle = taken < own || s->costs->code_price <= 0 ? 0 : idle + 1;
    own = fmin(own, taken);
    if (taken < *least) {
      *least = taken;
      *best = plan;
    }
  }
}

// From each of the first ways that are best alone. Prices are tried one after the other: of those few plans do.
static void grow_from_best(const search_t *s, strata_variant_plan_t *best, double *least) {
  enum { STARTS = STRATA_PLAN_SIZES };
  const int most = s->costs->code_price > 0 ? strata_thresholds.priced_starts : STARTS;
  int starts[STARTS], count = 0;
  double sums[STARTS];
  for (int way = 0; way < s->costs->n_ways; way++) {
    double sum = 0;
    for (int size = 0; size < s->costs->n_sizes; size++)
      sum += power_of(s, size, way);
    sum *= s->dearer[way];
    if (!s->costs->takes_all[way] || (count == most && sum >= sums[most - 1]))
      continue;
    int at = count < most ? count++ : most - 1;
    for (; at > 0 && sums[at - 1] > sum; at--) {
      sums[at] = sums[at - 1];
      starts[at] = starts[at - 1];
    }
    sums[at] = sum;
    starts[at] = way;
  }
  for (int i = 0; i < count; i++)
    grow(s, (strata_variant_plan_t){.count = 1, .ways = {starts[i]}}, best, least);
}

strata_variant_plan_t strata_variant_plan(strata_arena_t *arena, const strata_plan_costs_t *costs) {
  strata_variant_plan_t best = {0};
  size_t n_costs = (size_t)costs->n_sizes * (size_t)costs->n_ways;
  search_t s = {.costs = costs,
                .powers = strata_arena_array(arena, double, n_costs + 1),
                .others = strata_arena_array(arena, double, (size_t)costs->n_sizes + 1),
                .dearer = strata_arena_array(arena, double, (size_t)costs->n_ways + 1)};
  double least = INFINITY;
  fill_powers(&s);
  price_code(&s);
  grow(&s, best, &best, &least);
  grow_from_best(&s, &best, &least);
  if (best.count == 0)
    return best;
  assign_few(costs, &best);
  put_first(costs, &best);
  return best;
}
