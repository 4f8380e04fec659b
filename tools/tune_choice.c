// See tune_choice.h.
#include "tools/tune_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORTHWHILE 0.015
// Events tick every half a microsecond: medians of short calls differ by so much though the calls are alike.
#define WORTHWHILE_SECONDS 2e-7
#define ALIKE 0.005
#define LOSS 0.01 // at one of several sizes

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

double strata_tune_median(const double *values, int n) {
  double sorted[STRATA_TUNE_ROUNDS];
  if (n <= 0)
    return INFINITY;
  memcpy(sorted, values, sizeof *sorted * (size_t)n);
  qsort(sorted, (size_t)n, sizeof *sorted, compare);
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

// The geometric mean of both times.
static double mean_of(const strata_tune_times_t *c, int round) { return sqrt(c->seconds[round] * c->in_turn[round]); }

// See strata_tune_ratio; *out_error is how far it may be off.
static double ratio_of(const strata_tune_times_t *first, const strata_tune_times_t *c, double *out_error) {
  double ratios[STRATA_TUNE_ROUNDS], distances[STRATA_TUNE_ROUNDS];
  for (int i = 0; i < c->n_rounds; i++)
    ratios[i] = mean_of(c, i) / mean_of(first, i);
  double median = strata_tune_median(ratios, c->n_rounds);
  for (int i = 0; i < c->n_rounds; i++)
    distances[i] = fabs(ratios[i] - median);
  // Of normal noise the deviation is 1.48 times this, that of a median 1.25 times the mean's; twice that is beyond it.
  *out_error = 2 * 1.25 * 1.48 * strata_tune_median(distances, c->n_rounds) / sqrt(c->n_rounds);
  return median;
}

static double least(const strata_tune_times_t *c, int n) {
  double seconds = INFINITY;
  for (int i = 0; i < n; i++)
    seconds = fmin(seconds, mean_of(c, i));
  return seconds;
}

// What one of the two times gains may not be lost in the other.
static bool is_slower(const double *seconds, const double *first, int n) {
  double ratios[STRATA_TUNE_ROUNDS];
  for (int i = 0; i < n; i++)
    ratios[i] = seconds[i] / first[i];
  return strata_tune_median(ratios, n) > 1 + ALIKE;
}

strata_tune_times_t strata_tune_mean(const strata_tune_points_t *points, int n_points, int which) {
  strata_tune_times_t mean = (*points)[0][which];
  for (int i = 1; i < n_points; i++) {
    const strata_tune_times_t *c = &(*points)[i][which];
    mean.is_right &= c->is_right;
    mean.n_rounds = c->n_rounds < mean.n_rounds ? c->n_rounds : mean.n_rounds;
  }
  for (int round = 0; round < mean.n_rounds; round++) {
    double alone = 0, in_turn = 0;
    for (int i = 0; i < n_points; i++) {
      alone += log((*points)[i][which].seconds[round]);
      in_turn += log((*points)[i][which].in_turn[round]);
    }
    mean.seconds[round] = n_points > 1 ? exp(alone / n_points) : mean.seconds[round];
    mean.in_turn[round] = n_points > 1 ? exp(in_turn / n_points) : mean.in_turn[round];
  }
  return mean;
}

bool strata_tune_loses(const strata_tune_points_t *points, int n_points, int which) {
  for (int i = 0; i < n_points && n_points > 1; i++)
    if (strata_tune_ratio((*points)[i], which) > 1 + LOSS)
      return true;
  return false;
}

double strata_tune_ratio(const strata_tune_times_t *candidates, int which) {
  double unused;
  return ratio_of(&candidates[0], &candidates[which], &unused);
}

int strata_tune_choose(const strata_tune_times_t *candidates, int n) {
  double ratios[STRATA_TUNE_CANDIDATES], best = 1 - WORTHWHILE;
  for (int i = 1; i < n; i++) {
    double error;
    ratios[i] = INFINITY;
    if (!candidates[i].is_right || candidates[i].n_rounds < candidates[0].n_rounds || candidates[i].n_rounds == 0)
      continue;
    if (is_slower(candidates[i].seconds, candidates[0].seconds, candidates[i].n_rounds) ||
        is_slower(candidates[i].in_turn, candidates[0].in_turn, candidates[i].n_rounds))
      continue;
    double ratio = ratio_of(&candidates[0], &candidates[i], &error);
    double shortest = least(&candidates[0], candidates[0].n_rounds),
           most = 1 - fmax(WORTHWHILE, WORTHWHILE_SECONDS / shortest);
    if (ratio + error < most && least(&candidates[i], candidates[i].n_rounds) < most * shortest)
      ratios[i] = ratio;
    best = fmin(best, ratios[i]);
  }
  for (int i = 1; i < n; i++)
    if (ratios[i] <= best * (1 + ALIKE))
      return i;
  return 0;
}

strata_status_t strata_tune_settle(strata_tune_times_t *candidates, int n, strata_tune_again_t again, void *context,
                                   int *out_choice, double *out_ratio) {
  enum { TRIES = 3 };
  for (int i = 0; i < TRIES; i++) {
    strata_tune_times_t fresh[2] = {{0}};
    int choice = strata_tune_choose(candidates, n);
    if (choice == 0)
      break;
    STRATA_TRY(again(context, choice, fresh));
    if (strata_tune_choose(fresh, 2) == 1) {
      *out_choice = choice;
      *out_ratio = strata_tune_ratio(fresh, 1);
      return NULL;
    }
    candidates[choice].is_right = false;
  }
  *out_choice = 0;
  *out_ratio = 1;
  return NULL;
}

bool strata_tune_is_slow(const strata_tune_times_t *candidates, int n, int which) {
  const strata_tune_times_t *c = &candidates[which];
  double best = INFINITY, slower = c->n_rounds >= 7 ? 1.1 : 1.3;
  if (which == 0 || c->n_rounds < 3)
    return false;
  for (int i = 0; i < n; i++)
    if (candidates[i].is_right && candidates[i].n_rounds >= c->n_rounds)
      best = fmin(best, least(&candidates[i], c->n_rounds));
  return least(c, c->n_rounds) > slower * best;
}
