// Which candidate of a kernel is taken, by times that have noise. Nothing else is looked at, and equal times give equal
// choices.
#ifndef STRATA_TOOLS_TUNE_CHOICE_H
#define STRATA_TOOLS_TUNE_CHOICE_H

#include "passes/tuning/results.h"

#include <stdbool.h>

enum { STRATA_TUNE_CANDIDATES = 16, STRATA_TUNE_ROUNDS = 31 };

// Times of one candidate, seconds; those of round i were taken beside one another.
typedef struct {
  bool is_right;                      // it computes what the first does
  int n_rounds;                       // from the first on; few where it was given up as slow
  double seconds[STRATA_TUNE_ROUNDS]; // of a call alone, behind other work
  double in_turn[STRATA_TUNE_ROUNDS]; // of each of several calls, one behind the other
} strata_tune_times_t;

// Those of a kernel's candidates at all sizes that it is timed at.
typedef strata_tune_times_t strata_tune_points_t[STRATA_TUNING_POINTS][STRATA_TUNE_CANDIDATES];

// Of each round the geometric mean of all points.
strata_tune_times_t strata_tune_mean(const strata_tune_points_t *points, int n_points, int which);
// True if the candidate is slower than the first at some of several points, though it be faster in the mean.
bool strata_tune_loses(const strata_tune_points_t *points, int n_points, int which);

// The median of the first |n|.
double strata_tune_median(const double *values, int n);

// The model's choice, 0, unless another is faster by more than a hundredth and a half, and by more than 0.2 us, beyond
// noise, and as much by their shortest times, and slower neither alone nor in turn; of several that differ by less than
// half a hundredth the first. How fast: by the geometric mean of both times.
int strata_tune_choose(const strata_tune_times_t *candidates, int n);

// Takes fresh times of candidate |which|, out_times[1], and of the first beside it.
typedef strata_status_t (*strata_tune_again_t)(void *context, int which, strata_tune_times_t *out_times);

// The choice that fresh times confirm: who is the best of several is so by luck, too, and the more there are the more
// by it. One that they do not confirm is no longer |is_right|, and the next is asked about; after three the first
// stays. *out_ratio: the fresh times over the first's.
STRATA_MUST_CHECK strata_status_t strata_tune_settle(strata_tune_times_t *candidates, int n, strata_tune_again_t again,
                                                     void *context, int *out_choice, double *out_ratio);

// The time of candidate |which| over the first's, by both: the median of the rounds' ratios, which noise that lasts has
// no part in.
double strata_tune_ratio(const strata_tune_times_t *candidates, int which);

// True if the candidate is so slow after the rounds so far that no more are worth their time.
bool strata_tune_is_slow(const strata_tune_times_t *candidates, int n, int which);

#endif
