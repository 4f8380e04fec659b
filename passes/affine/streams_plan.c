// See streams_plan.h. The shortest way through the list from its begin, where a step is a launch or a region.
#include "passes/affine/streams_plan.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  uint64_t launches; // bit i: launch |base| + i
  int64_t first;
  double seconds;
} chain_t;

// The launches from some one on up to |end|.
typedef struct {
  int64_t base, end; // |base|: of the bits
  int n_chains;
  chain_t chains[STRATA_STREAMS_MAX_REGION];
  double busy;   // seconds that all of the card is
  double serial; // seconds, one behind the other
  int n_launches;
} region_t;

typedef struct {
  const strata_stream_launch_t *launches;
  const strata_stream_limits_t *limits;
  int64_t n;
  uint64_t *behind; // by launch: bit i: the one i + 1 behind it depends on it
} planner_t;

// Adds the launch in front of the region: it and all chains with one that depends on it are one chain.
static void add_front(const planner_t *planner, region_t *region, int64_t at) {
  const strata_stream_launch_t *launch = &planner->launches[at];
  int64_t bit = at - region->base;
  uint64_t readers = bit + 1 < STRATA_STREAMS_MAX_REGION ? planner->behind[at] << (bit + 1) : 0;
  chain_t chain = {.launches = UINT64_C(1) << bit, .first = at, .seconds = launch->seconds};
  int n = 0;
  for (int i = 0; i < region->n_chains; i++) {
    const chain_t *other = &region->chains[i];
    if (!(other->launches & readers)) {
      region->chains[n++] = *other;
      continue;
    }
    chain.launches |= other->launches;
    chain.seconds += other->seconds;
  }
  region->chains[n] = chain;
  region->n_chains = n + 1;
  region->busy += launch->seconds * launch->share;
  region->serial += launch->seconds + planner->limits->launch_seconds;
  region->n_launches++;
}

static int by_length(const void *a, const void *b) {
  const chain_t *x = a, *y = b;
  if (x->seconds != y->seconds)
    return x->seconds > y->seconds ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

// The longest chains first, each on the stream that is free first; |places|: of all launches, or NULL. Returns the time
// that the region takes, infinite if it is none.
static double deal(const planner_t *planner, const region_t *region, strata_stream_place_t *places) {
  chain_t chains[STRATA_STREAMS_MAX_REGION];
  double load[STRATA_STREAMS_MAX_REGION] = {0}, longest = 0;
  int n_streams = 1;
  for (int i = 0; i < region->n_chains; i++)
    chains[i] = region->chains[i];
  qsort(chains, (size_t)region->n_chains, sizeof *chains, by_length);
  for (int i = 0; i < region->n_chains; i++) {
    int stream = 0;
    for (int j = 1; j <= planner->limits->n_side && j <= i; j++)
      stream = load[j] < load[stream] ? j : stream;
    load[stream] += chains[i].seconds;
    longest = load[stream] > longest ? load[stream] : longest;
    n_streams = stream >= n_streams ? stream + 1 : n_streams;
    for (int bit = 0; places && bit < STRATA_STREAMS_MAX_REGION; bit++)
      if (chains[i].launches & UINT64_C(1) << bit)
        places[region->base + bit].stream = stream;
  }
  const strata_stream_limits_t *limits = planner->limits;
  double seconds = (longest > region->busy ? longest : region->busy) + limits->launch_seconds * region->n_launches +
                   limits->fork_seconds + limits->side_seconds * (n_streams - 1);
  return n_streams == 1 || seconds > limits->margin * region->serial ? INFINITY : seconds;
}

static region_t empty_region(int64_t end) { return (region_t){.base = end - STRATA_STREAMS_MAX_REGION, .end = end}; }

// The best last step of the way to |end|, given the best ways to all before it.
static double find_step(const planner_t *planner, const double *best, int64_t end, int64_t *out_from) {
  region_t region = empty_region(end);
  double seconds = best[end - 1] + planner->launches[end - 1].seconds + planner->limits->launch_seconds;
  *out_from = end - 1;
  for (int64_t at = end - 1; at >= 0 && end - at <= planner->limits->most && !planner->launches[at].is_alone; at--) {
    add_front(planner, &region, at);
    double own = best[at] + deal(planner, &region, NULL);
    if (own < seconds) {
      seconds = own;
      *out_from = at;
    }
  }
  return seconds;
}

static void place_region(const planner_t *planner, int64_t from, int64_t end, strata_stream_place_t *places) {
  region_t region = empty_region(end);
  for (int64_t at = end - 1; at >= from; at--) {
    add_front(planner, &region, at);
    places[at].region = 0;
  }
  deal(planner, &region, places);
}

// Numbers from the front on: what belongs to the regions is known from behind.
static int64_t number_regions(strata_arena_t *arena, const int64_t *from, int64_t n, strata_stream_place_t *places) {
  bool *begins = strata_arena_array(arena, bool, n + 1);
  int64_t n_regions = 0;
  for (int64_t end = n; end > 0; end = from[end])
    begins[from[end]] = true;
  for (int64_t i = 0; i < n; i++) {
    if (places[i].region < 0)
      continue;
    n_regions += begins[i];
    places[i].region = n_regions - 1;
  }
  return n_regions;
}

static uint64_t *find_behind(strata_arena_t *arena, const strata_stream_launch_t *launches, int64_t n) {
  uint64_t *behind = strata_arena_array(arena, uint64_t, n + 1);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < STRATA_STREAMS_MAX_REGION && j < i; j++)
      if (launches[i].before & UINT64_C(1) << j)
        behind[i - j - 1] |= UINT64_C(1) << j;
  return behind;
}

strata_stream_plan_t strata_plan_streams(strata_arena_t *arena, const strata_stream_launch_t *launches, int64_t n,
                                         const strata_stream_limits_t *limits) {
  planner_t planner = {launches, limits, n, find_behind(arena, launches, n)};
  double *best = strata_arena_array(arena, double, n + 1);
  int64_t *from = strata_arena_array(arena, int64_t, n + 1);
  strata_stream_plan_t plan = {.places = strata_arena_array(arena, strata_stream_place_t, n + 1)};
  for (int64_t end = 1; end <= n; end++) {
    plan.before += launches[end - 1].seconds + limits->launch_seconds;
    plan.places[end - 1].region = -1;
    best[end] = find_step(&planner, best, end, &from[end]);
  }
  for (int64_t end = n; end > 0; end = from[end])
    if (end - from[end] > 1)
      place_region(&planner, from[end], end, plan.places);
  plan.seconds = best[n];
  plan.n_regions = number_regions(arena, from, n, plan.places);
  return plan;
}
