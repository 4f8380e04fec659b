// How lists of launches are cut into regions: against what the ways to cut short random lists take, and by rule.
#include "passes/affine/streams_plan.h"
#include "test/support/check.h"

#include <math.h>
#include <string.h>

static const strata_stream_limits_t limits = {
    .n_side = 3, .most = 64, .fork_seconds = 2, .side_seconds = 1, .margin = 1};

static uint64_t state = 88172645463325252u;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state % n);
}

enum { N = 9 };

// Whether |later| depends on |earlier|, by any way.
static bool follows(const strata_stream_launch_t *launches, int64_t earlier, int64_t later) {
  for (int64_t i = later - 1; i >= earlier; i--)
    if (launches[later].before & UINT64_C(1) << (later - i - 1) && (i == earlier || follows(launches, earlier, i)))
      return true;
  return false;
}

// What a plan must keep to: what depends on another is on its stream or behind its region, which is contiguous, begins
// on stream 0 and has no more launches and streams than there may be.
static void check_plan(const strata_stream_launch_t *launches, int64_t n, const strata_stream_limits_t *by,
                       const strata_stream_plan_t *plan) {
  int64_t last = -1;
  for (int64_t i = 0; i < n; i++) {
    strata_stream_place_t place = plan->places[i];
    CHECK(place.stream >= 0 && place.stream <= by->n_side && (place.region >= 0 || place.stream == 0));
    CHECK(place.region < 0 || (!launches[i].is_alone && (place.region == last || place.region == last + 1)));
    last = place.region >= 0 ? place.region : last;
    int n_in_region = 0;
    for (int64_t j = 0; j < n; j++)
      n_in_region += place.region >= 0 && plan->places[j].region == place.region;
    CHECK(n_in_region <= by->most && n_in_region != 1);
    for (int64_t j = 0; j < i && place.region >= 0; j++)
      if (plan->places[j].region == place.region && follows(launches, j, i))
        CHECK(plan->places[j].stream == place.stream);
    CHECK(i == 0 || place.region < 0 || plan->places[i - 1].region <= place.region);
  }
  CHECK(last + 1 == plan->n_regions && plan->seconds <= plan->before + 1e-9);
}

// The time of the plan, added up from its places.
static double time_of(const strata_stream_launch_t *launches, int64_t n, const strata_stream_limits_t *by,
                      const strata_stream_plan_t *plan) {
  double seconds = 0;
  for (int64_t i = 0, end; i < n; i = end) {
    double load[64] = {0}, busy = 0, longest = 0;
    int n_streams = 1;
    for (end = i;
         end < n && (end == i || (plan->places[i].region >= 0 && plan->places[end].region == plan->places[i].region));
         end++) {
      int stream = plan->places[end].stream;
      load[stream] += launches[end].seconds;
      longest = fmax(longest, load[stream]);
      busy += launches[end].seconds * launches[end].share;
      n_streams = stream >= n_streams ? stream + 1 : n_streams;
    }
    seconds += plan->places[i].region < 0 ? launches[i].seconds
                                          : fmax(longest, busy) + by->fork_seconds + by->side_seconds * (n_streams - 1);
  }
  return seconds;
}

static void test_random(strata_arena_t *arena) {
  int n_regions = 0;
  for (int trial = 0; trial < 2000; trial++) {
    strata_stream_launch_t launches[N] = {0};
    strata_stream_limits_t by = limits;
    by.n_side = 1 + (int)below(4);
    by.most = 2 + (int)below(N);
    for (int i = 0; i < N; i++) {
      launches[i].seconds = 1 + below(12);
      launches[i].share = below(4) / 8.0;
      launches[i].is_alone = below(12) == 0;
      for (int j = 0; j < i; j++)
        launches[i].before |= (uint64_t)(below(4) == 0) << j;
    }
    strata_stream_plan_t plan = strata_plan_streams(arena, launches, N, &by);
    check_plan(launches, N, &by, &plan);
    CHECK(fabs(time_of(launches, N, &by, &plan) - plan.seconds) < 1e-9);
    n_regions += plan.n_regions > 0;
  }
  CHECK(n_regions > 500);
}

// Independent launches: what is worth their events, and what is not.
static void test_worth(strata_arena_t *arena) {
  strata_stream_launch_t two[] = {{.seconds = 10}, {.seconds = 10}};
  strata_stream_plan_t plan = strata_plan_streams(arena, two, 2, &limits);
  CHECK(plan.n_regions == 1 && plan.seconds == 13 && plan.before == 20);
  CHECK(plan.places[0].stream == 0 && plan.places[1].stream == 1);
  two[0].seconds = 3; // 10 + 3 of events
  CHECK(strata_plan_streams(arena, two, 2, &limits).n_regions == 0);
  two[0].seconds = 10;
  two[0].share = two[1].share = 0.9; // 18 seconds' work
  CHECK(strata_plan_streams(arena, two, 2, &limits).n_regions == 0);
  two[0].share = two[1].share = 0;
  two[1].before = 1;
  CHECK(strata_plan_streams(arena, two, 2, &limits).n_regions == 0);
  two[1].before = 0;
  strata_stream_limits_t strict = limits;
  strict.margin = 0.6;
  CHECK(strata_plan_streams(arena, two, 2, &strict).n_regions == 0);
}

// A list longer than a region may be: chains of a hundred launches each in turn.
static void test_long(strata_arena_t *arena) {
  enum { LONG = 200 };
  static strata_stream_launch_t launches[LONG];
  for (int i = 0; i < LONG; i++)
    launches[i] = (strata_stream_launch_t){.seconds = 5, .before = i > 1 ? 2 : 0};
  strata_stream_plan_t plan = strata_plan_streams(arena, launches, LONG, &limits);
  check_plan(launches, LONG, &limits, &plan);
  CHECK(plan.n_regions == 4 && plan.seconds == LONG / 2 * 5 + 4 * 3);
}

int main(void) {
  strata_arena_t *arena = strata_arena_create();
  test_random(arena);
  test_worth(arena);
  test_long(arena);
  strata_arena_destroy(arena);
  return check_result();
}
