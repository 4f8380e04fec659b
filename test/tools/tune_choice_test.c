// Which candidate is taken, by times with noise.
#include "tools/tune_choice.h"

#include "test/support/check.h"

#include <math.h>
#include <stdint.h>

static uint64_t state = 1;

// Between -1 and 1.
static double noise(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)state * 0x1p-63;
}

// |n| rounds of |alone| and |in_turn| seconds, each off by up to |share| of it; all of a round are off by |drift| of it
// as well.
static strata_tune_times_t both(double alone, double in_turn, int n, double share, const double *drift) {
  strata_tune_times_t t = {.is_right = true, .n_rounds = n};
  for (int i = 0; i < n; i++) {
    t.seconds[i] = alone * (1 + share * noise()) * (1 + drift[i]);
    t.in_turn[i] = in_turn * (1 + share * noise()) * (1 + drift[i]);
  }
  return t;
}

static strata_tune_times_t times(double seconds, int n, double share, const double *drift) {
  return both(seconds, seconds, n, share, drift);
}

// Of several sizes the mean of each round counts, and what is slower at one of them is none.
static void check_points(void) {
  enum { N = 9 };
  static strata_tune_points_t points;
  const double still[N] = {0}, faster[] = {8, 9, 10.05}, slower[] = {6, 6, 10.2};
  for (int i = 0; i < 3; i++) {
    points[i][0] = times(10, N, 0, still);
    points[i][1] = times(faster[i], N, 0, still);
    points[i][2] = times(slower[i], N, 0, still);
  }
  const strata_tune_points_t *all = (const strata_tune_points_t *)&points;
  strata_tune_times_t mean = strata_tune_mean(all, 2, 1);
  CHECK(mean.n_rounds == N && mean.is_right && fabs(mean.seconds[3] - sqrt(8 * 9)) < 1e-12);
  CHECK(strata_tune_mean(all, 1, 1).in_turn[0] == 8);
  CHECK(!strata_tune_loses(all, 3, 0) && !strata_tune_loses(all, 3, 1) && strata_tune_loses(all, 3, 2));
  CHECK(!strata_tune_loses(all, 2, 2));
  points[1][1].n_rounds = 3; // given up there
  points[1][1].is_right = false;
  mean = strata_tune_mean(all, 3, 1);
  CHECK(mean.n_rounds == 3 && !mean.is_right);
}

// Kernels that take as long as |of| says, by a clock that is off by up to |lasting| of a candidate's time for as long
// as it is not asked anew, as where what it reads lies elsewhere, and by |share| of it in each round.
typedef struct {
  const double *of;
  double lasting, share;
  int n_asked;
} noisy_t;

static strata_tune_times_t read_clock(const noisy_t *clock, int which) {
  const double still[STRATA_TUNE_ROUNDS] = {0};
  return times(clock->of[which] * (1 + clock->lasting * noise()), STRATA_TUNE_ROUNDS, clock->share, still);
}

static strata_status_t ask_again(void *context, int which, strata_tune_times_t *out_times) {
  noisy_t *clock = context;
  out_times[0] = read_clock(clock, 0);
  out_times[1] = read_clock(clock, which);
  clock->n_asked++;
  return NULL;
}

// How often of |n| times a candidate other than the first is chosen by a clock, at once and by fresh times.
static void count_choices(noisy_t *clock, int n, int *out_at_once, int *out_settled) {
  enum { CANDIDATES = 8 };
  *out_at_once = *out_settled = 0;
  for (int i = 0; i < n; i++) {
    strata_tune_times_t all[CANDIDATES];
    int choice;
    double ratio;
    for (int c = 0; c < CANDIDATES; c++)
      all[c] = read_clock(clock, c);
    *out_at_once += strata_tune_choose(all, CANDIDATES) != 0;
    CHECK(!strata_tune_settle(all, CANDIDATES, ask_again, clock, &choice, &ratio));
    CHECK(choice == 0 ? ratio == 1 : ratio < 0.985);
    *out_settled += choice != 0;
  }
}

// Who is as fast is taken for faster less than half as often, though one of seven looks so nearly every second time
// (the numbers drawn are the same each run: 136 and 47 of 300); who is faster is found.
static void check_settling(void) {
  const double alike[] = {10, 10, 10, 10, 10, 10, 10, 10}, better[] = {10, 10, 10, 9, 10, 10, 10, 10};
  noisy_t clock = {alike, 0.02, 0.005, 0};
  int at_once, settled;
  count_choices(&clock, 300, &at_once, &settled);
  CHECK(at_once > 100 && 2 * settled < at_once && clock.n_asked >= at_once);
  clock.of = better;
  count_choices(&clock, 300, &at_once, &settled);
  CHECK(settled > 290);
  clock = (noisy_t){alike, 0, 0.005, 0};
  count_choices(&clock, 100, &at_once, &settled);
  CHECK(at_once == 0 && settled == 0 && clock.n_asked == 0); // nothing to ask about
}

int main(void) {
  check_points();
  check_settling();
  enum { N = STRATA_TUNE_ROUNDS };
  double still[N] = {0}, drift[N];
  for (int i = 0; i < N; i++)
    drift[i] = 0.01 * i;
  strata_tune_times_t c[4] = {times(10, N, 0, still), times(9.9, N, 0, still), times(9.5, N, 0, still),
                              times(9.47, N, 0, still)};
  CHECK(strata_tune_choose(c, 1) == 0);
  CHECK(strata_tune_choose(c, 2) == 0); // a hundredth is not worth it
  CHECK(strata_tune_choose(c, 3) == 2);
  CHECK(strata_tune_choose(c, 4) == 2); // nor is what is alike
  CHECK(fabs(strata_tune_ratio(c, 2) - 0.95) < 1e-9 && strata_tune_ratio(c, 0) == 1);
  c[2].is_right = false;
  CHECK(strata_tune_choose(c, 4) == 3);
  c[3].n_rounds = 3; // given up
  CHECK(strata_tune_choose(c, 4) == 0);

  // What is faster alone and slower in turn, or the other way round, is not taken; what is as fast in one of them is.
  strata_tune_times_t two[2] = {both(10, 6, N, 0, still), both(8, 6.2, N, 0, still)};
  CHECK(strata_tune_choose(two, 2) == 0);
  two[1] = both(10.2, 4, N, 0, still);
  CHECK(strata_tune_choose(two, 2) == 0);
  two[1] = both(10, 5, N, 0, still);
  CHECK(strata_tune_choose(two, 2) == 1 && fabs(strata_tune_ratio(two, 1) - sqrt(5. / 6)) < 1e-9);

  // Of short calls a hundredth is less than the clock tells.
  two[0] = times(3e-6, N, 0, still), two[1] = times(2.85e-6, N, 0, still);
  CHECK(strata_tune_choose(two, 2) == 0);
  two[1] = times(2.75e-6, N, 0, still);
  CHECK(strata_tune_choose(two, 2) == 1);

  // A clock that sinks over the rounds does not matter, what differs from one to the other does.
  int n_wrong = 0, n_found = 0;
  for (int i = 0; i < 200; i++) {
    strata_tune_times_t same[4] = {times(10, N, 0.1, drift), times(10, N, 0.1, drift), times(10, N, 0.1, drift),
                                   times(10, N, 0.1, drift)};
    n_wrong += strata_tune_choose(same, 4) != 0;
    strata_tune_times_t other[2] = {times(10, N, 0.02, drift), times(9.6, N, 0.02, drift)};
    n_found += strata_tune_choose(other, 2) == 1;
  }
  CHECK(n_wrong < 10 && n_found > 190);

  strata_tune_times_t slow[3] = {times(10, 5, 0, still), times(12, 5, 0, still), times(14, 5, 0, still)};
  CHECK(!strata_tune_is_slow(slow, 3, 0) && !strata_tune_is_slow(slow, 3, 1) && strata_tune_is_slow(slow, 3, 2));
  slow[0] = times(14, 9, 0, still), slow[1] = times(12, 9, 0, still), slow[2] = times(10, 9, 0, still);
  CHECK(!strata_tune_is_slow(slow, 3, 0) && strata_tune_is_slow(slow, 3, 1));
  slow[1].n_rounds = 2;
  CHECK(!strata_tune_is_slow(slow, 3, 1));
  CHECK(isinf(strata_tune_median(NULL, 0)));
  CHECK(strata_tune_median((double[]){3, 1, 2}, 3) == 2 && strata_tune_median((double[]){4, 1, 2, 3}, 4) == 2.5);
  return check_result();
}
