// Candidates of all kinds: the walk keeps the best in one order, and what is written as a schedule is read back.
#include "passes/affine/candidates.h"
#include "test/support/check.h"

static const strata_gpu_device_t *device(void) { return strata_gpu_device_find("sm_90a"); }

//===-- The walk -------------------------------------------------------------------------------------------------===//

// Those of a kind of its own: what each takes, by which it is compared, its tile; 0 seconds: not possible.
static const struct {
  double seconds, cost;
  int64_t tile;
} made_up[] = {{5, 0, 1}, {3, 0, 2}, {0, 0, 3}, {3, 0, 4}, {4, 0, 2}, {2, 0, 1}, {1, 6, 5}, {2, 0, 6}, {2, 0, 1}};

enum { N_MADE_UP = sizeof made_up / sizeof *made_up };

static bool next(const strata_work_t *w, strata_candidate_t *c) {
  (void)w;
  size_t number = c->number;
  *c = (strata_candidate_t){.number = number + 1};
  return number < N_MADE_UP;
}

static bool predict(const strata_work_t *w, strata_candidate_t *c) {
  (void)w;
  c->seconds = made_up[c->number - 1].seconds;
  c->cost = made_up[c->number - 1].cost;
  return c->seconds > 0;
}

static strata_schedule_t write(const strata_work_t *w, const strata_candidate_t *c) {
  (void)w;
  return (strata_schedule_t){.n_tile = 1, .tile = {made_up[c->number - 1].tile}};
}

static void test_order(void) {
  const strata_ways_t ways = {.next = next, .predict = predict, .write = write};
  strata_work_t work = {.device = device()};
  strata_candidate_t best[N_MADE_UP];
  // Equal ones as they come, of a tile the best, the first of equal ones; a cost counts in place of seconds.
  static const size_t order[] = {6, 8, 2, 4, 7};
  CHECK(strata_candidates_best(&work, &ways, N_MADE_UP, best) == 5);
  for (int i = 0; i < 5; i++)
    CHECK(best[i].number == order[i]);
  CHECK(strata_candidates_best(&work, &ways, 2, best) == 2 && best[0].number == 6 && best[1].number == 8);
  strata_schedule_t of_tile = {.n_tile = 1, .tile = {2}};
  CHECK(strata_candidate_of(&work, &ways, &of_tile, best) && best[0].number == 2);
  of_tile.tile[0] = 3; // not possible
  CHECK(!strata_candidate_of(&work, &ways, &of_tile, best));
}

//===-- Schedules ------------------------------------------------------------------------------------------------===//

static strata_problem_t product(const strata_mma_t *async, int64_t rows, int64_t columns, int64_t steps) {
  int64_t bytes = async ? 2 : 4;
  strata_problem_t problem = {.rows = rows,
                              .columns = columns,
                              .steps = steps,
                              .batch = 1,
                              .costs = device()->costs,
                              .async = async,
                              .bulk_adds = !async,
                              .operand_bytes = bytes,
                              .loaded_bytes = bytes,
                              .sum_bytes = 4,
                              .stored_bytes = bytes};
  for (int side = 0; side < 2; side++)
    problem.sides[side] = (strata_problem_side_t){.is_read = true,
                                                  .is_crossed = !async,
                                                  .has_own_steps = true,
                                                  .begins_rows = true,
                                                  .loaded_bytes = bytes,
                                                  .row_bytes = bytes * (async  ? steps
                                                                        : side ? columns
                                                                               : rows)};
  for (int i = 0; i < STRATA_N_AXES; i++)
    problem.axes[i] = (strata_problem_axis_t){1,
                                              {i == STRATA_AXIS_ROW      ? rows
                                               : i == STRATA_AXIS_COLUMN ? columns
                                                                         : steps}};
  problem.traffic = (double)(bytes * (rows * columns + (rows + columns) * steps));
  return problem;
}

// Every candidate is admitted as it was written, and not with a key that none has; returns how many there are.
static int check_written(const strata_problem_t *problem) {
  strata_work_t work = {.device = device(), .product = problem, .wants_all = true};
  const strata_ways_t *ways;
  int count = 0;
  for (int i = 0; (ways = strata_ways_of(&work, i)); i++)
    for (strata_candidate_t c = {0}; strata_candidate_next(&work, ways, &c); count++) {
      strata_schedule_t s = c.schedule;
      CHECK(c.seconds > 0 && c.bound && strata_candidates_admit(&work, &s));
      s.slots += 100;
      CHECK(!strata_candidates_admit(&work, &s));
      s = c.schedule;
      s.tile[0]++;
      CHECK(!strata_candidates_admit(&work, &s));
    }
  return count;
}

static void test_written_ones_are_read(void) {
  static const strata_mma_t async = {.name = "wgmma", .m = 64, .k = 16};
  strata_problem_t plain = product(&async, 1000, 336, 776), pair = plain, norm = plain;
  strata_problem_t adds = product(NULL, 4096, 4096, 512);
  pair.is_pair = true;
  norm.row_reductions = 2;
  CHECK(check_written(&plain) > 40);
  CHECK(check_written(&pair) > 5);
  CHECK(check_written(&norm) > 5);
  CHECK(check_written(&adds) > 5);
}

// What the model may choose is among what can be carried out, and takes as long there.
static void test_choices_are_possible(void) {
  static const strata_mma_t async = {.name = "wgmma", .m = 64, .k = 16};
  strata_problem_t plain = product(&async, 1000, 336, 776);
  strata_work_t work = {.device = device(), .product = &plain};
  strata_candidate_t best[8], found;
  int n = strata_candidates_best(&work, &strata_ways_pipelined, 8, best);
  CHECK(n == 8);
  for (int i = 0; i < n; i++) {
    CHECK(i == 0 || best[i - 1].seconds <= best[i].seconds);
    CHECK(strata_candidate_of(&work, &strata_ways_pipelined, &best[i].schedule, &found));
  }
}

int main(void) {
  test_order();
  test_written_ones_are_read();
  test_choices_are_possible();
  return check_result();
}
