// Corrections of the models: classes of products and candidates, and what their factors do to choices.
#include "passes/affine/candidates.h"
#include "test/support/check.h"

#include <math.h>
#include <string.h>

static const strata_gpu_device_t *device(void) { return strata_gpu_device_find("sm_90a"); }

static const strata_mma_t wgmma = {.name = "wgmma", .m = 64, .k = 16};

// Of 16-bit operands in bulk along the reduction.
static strata_problem_t product(int64_t rows, int64_t columns, int64_t steps) {
  strata_problem_side_t side = {.is_read = true,
                                .is_along = true,
                                .has_own_steps = true,
                                .begins_rows = true,
                                .loaded_bytes = 2,
                                .row_bytes = 2 * steps};
  return (strata_problem_t){.rows = rows,
                            .columns = columns,
                            .steps = steps,
                            .batch = 1,
                            .costs = device()->costs,
                            .async = &wgmma,
                            .operand_bytes = 2,
                            .loaded_bytes = 2,
                            .sum_bytes = 4,
                            .stored_bytes = 2,
                            .traffic = 2.0 * (double)((rows + columns) * steps + rows * columns),
                            .sides = {side, side}};
}

static bool is_taken(const strata_problem_t *problem, strata_corrects_t corrects) {
  return isfinite(strata_problem_correction(device(), problem, NULL, corrects));
}

static void test_products(void) {
  static const struct {
    int64_t rows, columns, steps;
    bool is_read, is_pipelined, has_tiles;
  } cases[] = {
      {4096, 4096, 4096, true, true, true}, {4096, 4096, 4096, false, true, true},
      {4096, 15, 4096, false, false, true},                                  // few columns through registers
      {128, 128, 255, false, false, true},                                   // small, through registers
      {128, 128, 256, false, true, true},   {16, 64, 15, true, false, true}, // very small
      {16, 64, 16, true, true, true},       {8, 24, 1584, true, true, true}, // long
      {24, 8, 1584, true, true, true},      {24, 7, 1584, true, false, false},
      {24, 8, 1016, true, false, true},     {64, 15, 512, true, false, true}, // few columns, small
      {8192, 15, 512, true, true, true},    {1, 4096, 4096, true, true, false},
      {4096, 7, 256, true, true, false},    {4096, 7, 4096, true, true, true}, // of 64 MB and more, not in the cache
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_problem_t problem = product(cases[i].rows, cases[i].columns, cases[i].steps);
    problem.sides[0].is_read = problem.sides[1].is_read = cases[i].is_read;
    CHECK(is_taken(&problem, STRATA_CORRECTS_PIPELINED) == cases[i].is_pipelined);
    CHECK(is_taken(&problem, STRATA_CORRECTS_TILED) == cases[i].has_tiles);
  }
  strata_problem_t across = product(4096, 4, 256);
  CHECK(!is_taken(&across, STRATA_CORRECTS_TILED));
  across.sides[1].is_along = false;
  CHECK(is_taken(&across, STRATA_CORRECTS_TILED));
}

static void test_uneven_parts(void) {
  strata_problem_t few = product(63, 1 << 20, 4096), small = product(64, 511, 4096), large = product(64, 512, 4096);
  CHECK(is_taken(&few, STRATA_CORRECTS_UNEVEN) && is_taken(&small, STRATA_CORRECTS_UNEVEN));
  CHECK(!is_taken(&large, STRATA_CORRECTS_UNEVEN));
}

static strata_pipelined_choice_t candidate(void) {
  return (strata_pipelined_choice_t){.shape = {1, 2, 128, 128, 95},
                                     .pair = 1,
                                     .parts = 1,
                                     .every = 1,
                                     .share = {1, 1},
                                     .rows = 128,
                                     .columns = 128,
                                     .tile = {128, 128},
                                     .step = 64,
                                     .residents = 1,
                                     .filled = 100,
                                     .tiles = 100,
                                     .blocks = 100,
                                     .row = 2,
                                     .seconds = 1e-5};
}

static double of(const strata_problem_t *problem, const strata_pipelined_choice_t *choice, strata_corrects_t corrects) {
  return strata_problem_correction(device(), problem, choice, corrects);
}

static void test_candidates(void) {
  strata_problem_t problem = product(1280, 1280, 4096);
  strata_pipelined_choice_t choice = candidate();
  CHECK(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE) == 1);
  choice.share[0] = 2; // of blocks that are in step
  CHECK(isinf(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE)));
  problem.sides[0].splits_lines = problem.sides[1].splits_lines = true;
  CHECK(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE) == 1);
  choice = candidate();
  choice.parts = 4;
  CHECK(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE) == 1);
  choice.parts = 8; // of slow rows
  CHECK(isinf(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE)));
  problem.traffic = 3e6;
  CHECK(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE) == 1);
  choice = candidate();
  choice.every = 2; // of blocks that share nothing
  CHECK(isinf(of(&problem, &choice, STRATA_CORRECTS_CANDIDATE)));
}

static void test_norms(void) {
  strata_problem_t problem = product(4096, 768, 768);
  strata_pipelined_choice_t choice = candidate();
  choice.tiles = choice.blocks = 128;
  CHECK(of(&problem, &choice, STRATA_CORRECTS_NORM) == 1);
  choice.tiles = 133; // a second round
  CHECK(isinf(of(&problem, &choice, STRATA_CORRECTS_NORM)));
  choice.tiles = 118; // nine tenths of the card are 118.8
  CHECK(isinf(of(&problem, &choice, STRATA_CORRECTS_NORM)));
  choice.tiles = 128;
  choice.row = 4;
  CHECK(isinf(of(&problem, &choice, STRATA_CORRECTS_NORM)));
}

// A finite factor makes a way slower, and what is chosen another one.
static void test_factors(void) {
  static const strata_correction_t row = {.name = "two blocks' parts",
                                          .corrects = STRATA_CORRECTS_CANDIDATE,
                                          .n = 1,
                                          .limits = {{STRATA_FACT_PARTS, STRATA_IS_ABOVE, 1}}};
  static strata_gpu_costs_t costs;
  strata_problem_t problem = product(56, 376, 2496);
  strata_candidate_t as_it_was, as_long, longer;
  costs = *device()->costs;
  costs.corrections = (strata_corrections_t){.rows = &row, .n = 1, .factors = {1}};
  problem.costs = &costs;
  CHECK(strata_pipelined_choose(device(), &problem, STRATA_REACH_FITTED, 1, &as_it_was) &&
        as_it_was.pipelined.parts > 1);
  costs.corrections.factors[0] = 1.01;
  CHECK(strata_pipelined_choose(device(), &problem, STRATA_REACH_FITTED, 1, &as_long) &&
        as_long.pipelined.parts == as_it_was.pipelined.parts);
  CHECK(fabs(as_long.seconds / as_it_was.seconds - 1.01) < 1e-9);
  costs.corrections.factors[0] = 10;
  CHECK(strata_pipelined_choose(device(), &problem, STRATA_REACH_FITTED, 1, &longer) && longer.pipelined.parts == 1);
  CHECK(longer.seconds > as_long.seconds && longer.seconds < 10 * as_it_was.seconds);
}

int main(void) {
  test_products();
  test_uneven_parts();
  test_candidates();
  test_norms();
  test_factors();
  return check_result();
}
