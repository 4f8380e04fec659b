// Attention whose sizes vary: one schedule for all of them. Every candidate is timed at several points of the sizes;
// the one that is never much slower than the best there is chosen. See candidates.h.
#include "passes/affine/candidates.h"
#include "passes/affine/size_points.h"

#include <math.h>

typedef struct {
  int n;
  strata_attention_problem_t problems[STRATA_SIZE_POINTS]; // from few to many
  double best[STRATA_SIZE_POINTS];                         // cost of the best candidate there
} points_t;

static double cost_of(const strata_candidate_t *c) { return c->cost > 0 ? c->cost : c->seconds; }

// Goes on to the next candidate that may be chosen where there is most to do, and can be carried out everywhere;
// |costs| has what it takes at each point.
static bool next_everywhere(const strata_work_t *work, const points_t *points, const strata_ways_t *ways,
                            strata_candidate_t *c, double *costs) {
  strata_work_t last = *work;
  last.attention = &points->problems[points->n - 1];
  while (strata_candidate_next(&last, ways, c)) {
    bool is_possible = true;
    for (int i = 0; i < points->n && is_possible; i++) {
      strata_work_t at = {.device = work->device, .attention = &points->problems[i], .wants_all = true};
      strata_candidate_t there = *c;
      is_possible = ways->predict(&at, &there);
      costs[i] = cost_of(&there);
    }
    if (is_possible)
      return true;
  }
  return false;
}

static strata_status_t read_points(strata_compile_t *compile, const strata_attention_problem_t *problem,
                                   points_t *out) {
  strata_size_points_t sizes;
  STRATA_TRY(strata_size_points(compile, problem->attention.symbols.likely, &sizes));
  out->n = sizes.count;
  for (int i = 0; i < sizes.count; i++) {
    out->problems[i] = strata_attention_problem_at(problem, sizes.values[i]);
    out->best[i] = INFINITY;
  }
  return NULL;
}

strata_status_t strata_attention_choose_varying(strata_compile_t *compile, const strata_work_t *work,
                                                const strata_ways_t *ways, strata_candidate_t *out, bool *out_found) {
  points_t *points = strata_arena_new(compile->arena, points_t);
  double costs[STRATA_SIZE_POINTS], least_worst = INFINITY, least_sum = INFINITY;
  *out_found = false;
  STRATA_TRY(read_points(compile, work->attention, points));
  for (strata_candidate_t c = {0}; next_everywhere(work, points, ways, &c, costs);)
    for (int i = 0; i < points->n; i++)
      points->best[i] = fmin(points->best[i], costs[i]);
  for (strata_candidate_t c = {0}; next_everywhere(work, points, ways, &c, costs);) {
    double worst = 0, sum = 0;
    for (int i = 0; i < points->n; i++) {
      worst = fmax(worst, costs[i] / points->best[i]);
      sum += costs[i] / points->best[i];
    }
    if (worst > least_worst || (worst == least_worst && sum >= least_sum))
      continue;
    least_worst = worst;
    least_sum = sum;
    *out = c;
    *out_found = true;
  }
  return NULL;
}
