// The schedules of pipelined products: every candidate is what docs/gpu-schedules.md allows, and the model's times and
// choices are near what was measured on an H200.
#include "passes/affine/candidates.h"
#include "test/support/check.h"

#include <string.h>

static const strata_gpu_device_t *h200(void) {
  static const strata_gpu_device_t device = {.n_processors = 132,
                                             .lanes = 32,
                                             .max_cluster = 8,
                                             .threads_resident = 2048,
                                             .registers = 65536,
                                             .shared_bytes = 227 << 10,
                                             .shared_bytes_processor = 228 << 10,
                                             .bandwidth = 4300000000000};
  return &device;
}

static strata_mma_t instruction(int64_t bytes) {
  return (strata_mma_t){.name = "wgmma", .m = 64, .k = (int)(32 / bytes)};
}

// A product of operands of |bytes| an element that come in bulk where |is_read|.
static strata_problem_t product(const strata_mma_t *async, int64_t rows, int64_t columns, int64_t steps, bool is_read) {
  int64_t bytes = 32 / async->k, stored = bytes == 2 ? 2 : 4;
  strata_problem_t problem = {
      .rows = rows,
      .columns = columns,
      .steps = steps,
      .batch = 1,
      .costs = strata_gpu_device_find("sm_90a")->costs,
      .async = async,
      .operand_bytes = bytes,
      .loaded_bytes = bytes,
      .sum_bytes = 4,
      .stored_bytes = stored,
      .sides = {{.is_read = is_read, .has_own_steps = true, .begins_rows = true, .loaded_bytes = bytes},
                {.is_read = is_read, .has_own_steps = true, .begins_rows = true, .loaded_bytes = bytes}}};
  problem.sides[0].row_bytes = problem.sides[1].row_bytes = bytes * steps;
  problem.traffic = (double)(bytes * (rows + columns) * steps + stored * rows * columns);
  return problem;
}

// The best |n| of the model.
static int best_of(const strata_problem_t *problem, int n, strata_pipelined_choice_t *out) {
  strata_candidate_t best[4];
  n = strata_pipelined_choose(h200(), problem, STRATA_REACH_FITTED, n, best);
  for (int i = 0; i < n; i++)
    out[i] = best[i].pipelined;
  return n;
}

// All that can be carried out.
static strata_work_t all_of(const strata_problem_t *problem) {
  return (strata_work_t){.device = h200(), .product = problem, .wants_all = true, .reach = STRATA_REACH_ALL};
}

static void check_schedule(const strata_problem_t *problem, const strata_pipelined_choice_t *choice) {
  strata_schedule_t s = choice->schedule;
  int64_t groups = s.group / 128, teams = s.threads / s.group;
  int64_t rows = s.swap ? s.tile[1] : s.tile[0], columns = s.swap ? s.tile[0] : s.tile[1];
  int64_t own = columns;
  columns *= choice->parts; // of an instruction
  CHECK(s.kind == STRATA_KERNEL_CONTRACT);
  CHECK(groups >= 1 && groups <= 3 && s.group == groups * 128 && s.threads == teams * s.group && s.producers == 128);
  CHECK(teams == 1 || (teams == 2 && groups == 1 && choice->residents == 1));
  CHECK(s.warps[0] == 4 * groups && s.warps[1] == 1 && s.n_tile == 3);
  CHECK(rows % (64 * groups) == 0 && rows > 0);
  CHECK(columns % (problem->operand_bytes == 1 ? 16 : 8) == 0 && columns >= 8 && columns <= 256);
  CHECK(s.tile[2] * problem->operand_bytes == 128);
  CHECK(rows * columns / s.group <= (groups * teams == 2 && problem->sides[0].is_read ? 192 : groups == 3 ? 96 : 128));
  CHECK(s.slots >= 2 && s.slots <= 16);
  CHECK(s.slots * (rows + columns) * 128 + groups * teams * (16 << 10) + 1024 <= h200()->shared_bytes);
  int64_t cluster = choice->share[0] * choice->share[1], filled = h200()->n_processors * choice->filled / 100;
  int64_t steps = choice->tiles * ((problem->steps + s.tile[2] - 1) / s.tile[2]),
          share = (steps + s.blocks - 1) / s.blocks;
  if (choice->stream) // no block is idle
    CHECK(s.stream && s.blocks <= h200()->n_processors && (s.blocks - 1) * share < steps && cluster == 1 && !s.parts);
  else
    CHECK(s.blocks == choice->tiles || s.blocks == choice->residents * filled / cluster * cluster);
  CHECK(s.blocks % cluster == 0 && choice->tiles % cluster == 0);
  CHECK(s.every == 0 || (s.every == 2 && problem->sides[0].may_alternate && choice->tiles % (2 * cluster) == 0 &&
                         !s.swap && !s.parts && !s.stream && !s.stagger));
  CHECK(cluster == 1 ? !s.share[0] && !s.share[1] : s.share[0] * s.share[1] == cluster);
  CHECK((s.blocks <= choice->tiles || s.stream) && choice->seconds > 0);
  if (choice->parts == 1) {
    CHECK(s.parts == 0);
    return;
  }
  // Of a cluster: all at the same time, in bulk, and there is room for its sums where the slots are.
  CHECK(s.parts == choice->parts && s.parts <= h200()->max_cluster && s.blocks == choice->tiles);
  CHECK(cluster == 1 || s.share[s.swap ? 0 : 1] == 1);
  CHECK(s.parts * cluster <= h200()->max_cluster && s.blocks % (s.parts * cluster) == 0 &&
        s.blocks <= h200()->n_processors && own % 8 == 0 && problem->sides[0].is_read);
  CHECK(rows * columns * 4 <= s.slots * (rows + columns) * 128);
}

static void test_every_candidate_is_legal(void) {
  for (int64_t bytes = 1; bytes <= 4; bytes *= 2)
    for (int is_read = 0; is_read < 2; is_read++) {
      strata_mma_t async = instruction(bytes);
      strata_problem_t problem = product(&async, 1000, 333, 777, is_read);
      int count = 0;
      strata_work_t all = all_of(&problem);
      for (strata_candidate_t c = {0}; strata_candidate_next(&all, &strata_ways_pipelined, &c); count++)
        check_schedule(&problem, &c.pipelined);
      CHECK(count > 40);
    }
}

static strata_pipelined_choice_t choose(int64_t rows, int64_t columns, int64_t steps, bool is_read) {
  static strata_mma_t async;
  strata_pipelined_choice_t best[2] = {0};
  async = instruction(2);
  strata_problem_t problem = product(&async, rows, columns, steps, is_read);
  int n = best_of(&problem, 2, best);
  CHECK(n < 2 || best[0].seconds <= best[1].seconds);
  return best[0];
}

// What cuBLAS takes on an H200 for bf16, in microseconds; the tile that was the fastest of ours where it was tried.
static const struct {
  int64_t rows, columns, steps;
  double measured;
  int64_t tile[2]; // 0: any
} anchors[] = {
    {1024, 1024, 1024, 5.5, {0, 0}},         {2048, 2048, 2048, 23.7, {0, 0}},
    {4096, 4096, 4096, 193.9, {128, 256}},   {8192, 8192, 8192, 1603.3, {128, 256}},
    {4096, 768, 768, 10.3, {0, 0}},          {4096, 3072, 768, 31.2, {0, 0}},
    {4096, 768, 3072, 28.9, {128, 192}},     {16, 4096, 4096, 9.4, {0, 0}},
    {16, 14336, 4096, 31.4, {0, 0}},         {128, 4096, 4096, 13.1, {0, 0}},
    {128, 14336, 4096, 33.4, {0, 0}},        {2048, 4096, 4096, 99.6, {128, 256}},
    {2048, 14336, 4096, 350.2, {128, 256}},  {2048, 4096, 14336, 338.1, {128, 256}},
    {8192, 28672, 4096, 2785.3, {128, 256}},
};

static void test_times_are_near_measured_ones(void) {
  for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++) {
    strata_pipelined_choice_t best = choose(anchors[i].rows, anchors[i].columns, anchors[i].steps, true);
    double ratio = 1e6 * best.seconds / anchors[i].measured;
    CHECK(ratio > 0.85 && ratio < 1.25);
    CHECK(!anchors[i].tile[0] || (best.shape.rows == anchors[i].tile[0] && best.shape.columns == anchors[i].tile[1]));
  }
}

static void test_choices(void) {
  CHECK(choose(16, 4096, 4096, true).swap && choose(16, 4096, 4096, true).shape.columns <= 16);
  for (int64_t rows = 1; rows <= 8; rows++)
    CHECK(choose(rows, 4096, 4096, true).swap && choose(rows, 4096, 4096, true).shape.columns == 8);
  CHECK(choose(8, 4096, 4096, false).tiles == 0); // too few rows for producers that load
  CHECK(choose(64, 64, 64, false).tiles == 0);    // too little work
  CHECK(choose(1, 512, 2048, true).tiles == 0);
  CHECK(choose(4096, 4096, 4096, false).seconds > 1.2 * choose(4096, 4096, 4096, true).seconds);
}

// Memory is kept busy, and the next kernel's blocks find room beside this one's or on other processors.
static void test_streams(void) {
  for (int64_t rows = 1; rows <= 16; rows *= 2)
    for (int64_t columns = 4096; columns <= 16384; columns *= 2) {
      strata_pipelined_choice_t best = choose(rows, columns, 4096, true);
      int64_t slot = (best.shape.rows + best.shape.columns) * 128, block = best.slots * slot + (18 << 10);
      CHECK(best.slots * best.parts * columns * 128 >= 132 * (32 << 10));
      CHECK(2 * best.blocks <= 132 || (best.residents + 1) * block <= h200()->shared_bytes_processor);
      CHECK(!strcmp(best.bound, "memory"));
    }
}

// Rows that begin within sectors are slow: the blocks of a cluster share operands. What ours takes then on an H200.
// Those that begin within lines are not much better.
static void test_straddling_rows(void) {
  static const struct {
    int64_t rows, columns, steps;
    double measured;
  } cases[] = {{1000, 1000, 1000, 7.3}, {2552, 664, 1464, 10.9}, {3000, 3000, 3000, 76.6}};
  strata_mma_t async = instruction(2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_problem_t problem = product(&async, cases[i].rows, cases[i].columns, cases[i].steps, true);
    strata_pipelined_choice_t aligned, split, straddling;
    CHECK(best_of(&problem, 1, &aligned));
    problem.sides[0].splits_lines = problem.sides[1].splits_lines = true;
    CHECK(best_of(&problem, 1, &split));
    problem.sides[0].straddles = problem.sides[1].straddles = true;
    CHECK(best_of(&problem, 1, &straddling));
    double ratio = 1e6 * straddling.seconds / cases[i].measured;
    CHECK(ratio > 0.85 && ratio < 1.25 && straddling.seconds >= split.seconds && split.seconds > aligned.seconds);
    CHECK(aligned.share[0] * aligned.share[1] == 1 && straddling.share[0] * straddling.share[1] > 1);
  }
}

// Of rows that begin within sectors, tiles of every second one, if reductions have some steps and the right operand is
// no worse for it: its rows begin within sectors, too, or it lies across.
static void test_alternate_rows(void) {
  strata_mma_t async = instruction(2);
  strata_problem_t problem = product(&async, 1000, 1000, 1000, true);
  strata_pipelined_choice_t best, plain;
  for (int side = 0; side < 2; side++)
    problem.sides[side].splits_lines = problem.sides[side].straddles = true;
  CHECK(best_of(&problem, 1, &plain) && plain.every == 1);
  problem.sides[0].may_alternate = true;
  strata_work_t all = all_of(&problem);
  for (strata_candidate_t c = {0}; strata_candidate_next(&all, &strata_ways_pipelined, &c);)
    check_schedule(&problem, &c.pipelined);
  CHECK(best_of(&problem, 1, &best) && best.every == 2 && best.seconds < plain.seconds);
  CHECK(best.share[0] > 1 && best.share[1] == 1);
  problem.sides[1].straddles = false;
  CHECK(best_of(&problem, 1, &best) && best.every == 1);
  problem.sides[1].is_crossed = problem.sides[1].straddles = true;
  CHECK(best_of(&problem, 1, &best) && best.every == 2);
  problem.steps = 200;
  CHECK(best_of(&problem, 1, &best) && best.every == 1);
}

// A product as above, and where its operands' rows begin; the right one is contiguous along the columns where
// |is_crossed|.
static strata_problem_t product_of_rows(const strata_mma_t *async, int64_t rows, int64_t columns, int64_t steps,
                                        bool is_crossed) {
  strata_problem_t problem = product(async, rows, columns, steps, true);
  problem.sides[1].is_crossed = is_crossed;
  if (is_crossed)
    problem.sides[1].row_bytes = problem.operand_bytes * columns;
  for (int side = 0; side < 2; side++) {
    int64_t bytes = problem.sides[side].row_bytes;
    problem.sides[side].straddles = bytes % 32 && 32 % bytes;
    problem.sides[side].splits_lines = bytes % 128 && 128 % bytes;
  }
  return problem;
}

// What ours took on an H200: short reductions, rows shorter than a line of the cache, a small operand that all blocks
// read.
static void test_slow_rows(void) {
  static const struct {
    int64_t rows, columns, steps;
    bool is_crossed;
    double measured;
  } cases[] = {{6920, 7328, 168, false, 47.6}, {776, 2392, 1200, false, 12.3}, {136, 6024, 2344, true, 14.7},
               {4224, 24, 4232, true, 17.6},   {5808, 32, 2384, true, 11.7},   {4616, 72, 2280, false, 12.5}};
  strata_mma_t async = instruction(2);
  strata_pipelined_choice_t best;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_problem_t problem =
        product_of_rows(&async, cases[i].rows, cases[i].columns, cases[i].steps, cases[i].is_crossed);
    CHECK(best_of(&problem, 1, &best));
    double ratio = 1e6 * best.seconds / cases[i].measured;
    CHECK(ratio > 0.8 && ratio < 1.25 && (best.parts > 1 || best.share[0] * best.share[1] > 1));
  }
  // Three tiles of rows read an operand of 34 MB: clusters that share the other one took 26.0 us instead of 18.4.
  strata_problem_t streamed = product_of_rows(&async, 129, 4096, 4104, true);
  CHECK(best_of(&streamed, 1, &best) && best.share[0] * best.share[1] == 1);
}

static bool shares_both(const strata_pipelined_choice_t *choice) {
  return choice->parts > 1 && choice->share[0] * choice->share[1] > 1;
}

// Few rows that begin within sectors, and a long reduction, both operands across it: each block of a cluster fetches a
// piece of the rows' spans, and multiplies a part of the reduction. Whoever compares products is told of no such form.
static void test_shared_both(void) {
  static const struct {
    int64_t rows, columns, steps;
    double measured;
  } cases[] = {{152, 2880, 4816, 14.7}, {8, 2208, 5752, 11.9}, {208, 496, 5952, 9.5}, {1120, 8, 2224, 5.0}};
  strata_mma_t async = instruction(2);
  strata_candidate_t timed, fitted;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_problem_t problem = product_of_rows(&async, cases[i].rows, cases[i].columns, cases[i].steps, true);
    for (int side = 0; side < 2; side++) {
      int64_t bytes = problem.operand_bytes * (side ? problem.columns : problem.rows);
      problem.sides[side] = (strata_problem_side_t){.is_read = true,
                                                    .has_own_steps = true,
                                                    .begins_rows = true,
                                                    .is_crossed = true,
                                                    .loaded_bytes = problem.operand_bytes,
                                                    .row_bytes = bytes,
                                                    .straddles = bytes % 32 && 32 % bytes,
                                                    .splits_lines = bytes % 128 && 128 % bytes};
    }
    CHECK(strata_pipelined_choose(h200(), &problem, STRATA_REACH_TIMED, 1, &timed) && shares_both(&timed.pipelined));
    CHECK(strata_pipelined_choose(h200(), &problem, STRATA_REACH_FITTED, 1, &fitted) &&
          !shares_both(&fitted.pipelined));
    double ratio = 1e6 * timed.seconds / cases[i].measured;
    CHECK(ratio > 0.85 && ratio < 1.15 && timed.seconds < fitted.seconds);
    problem.sides[0].is_crossed = false; // 208x312x3232 nt took 6.3 us so, else 5.5
    CHECK(strata_pipelined_choose(h200(), &problem, STRATA_REACH_TIMED, 1, &timed) && !shares_both(&timed.pipelined));
  }
}

// Blocks that store rows which begin anywhere between their tiles share operands, and have no tiles that need more of
// the cache than it gives blocks at different steps. With one tile each they are as those of aligned rows.
static void test_unaligned_results(void) {
  const strata_mma_t async = instruction(2);
  const int64_t shapes[][3] = {{4095, 4097, 1025}, {3001, 5003, 777}, {5000, 3333, 1111}};
  strata_pipelined_choice_t best;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    strata_problem_t problem = product(&async, shapes[i][0], shapes[i][1], shapes[i][2], true);
    problem.sides[0].row_bytes = problem.sides[1].row_bytes = (2 * shapes[i][2] + 127) / 128 * 128; // staged
    CHECK(best_of(&problem, 1, &best));
    CHECK(best.share[0] * best.share[1] > 1 && best.shape.rows * best.shape.columns >= 128 * 128);
    problem.columns = (shapes[i][1] + 7) / 8 * 8;
    CHECK(best_of(&problem, 1, &best) && best.share[0] * best.share[1] == 1);
  }
  strata_problem_t few = product(&async, 1001, 1001, 4096, true);
  CHECK(best_of(&few, 1, &best) && best.tiles <= best.blocks);
  CHECK(best.share[0] * best.share[1] == 1);
}

// Few tiles and long reductions are shared by the blocks of clusters, but not where other products are in the launch.
static void test_shared_reductions(void) {
  strata_mma_t async = instruction(2);
  strata_problem_t problem = product(&async, 56, 376, 2496, true);
  strata_pipelined_choice_t shared, alone;
  CHECK(best_of(&problem, 1, &shared) && shared.parts >= 4);
  problem.shares_launch = true;
  CHECK(best_of(&problem, 1, &alone) && alone.parts == 1);
  CHECK(alone.seconds > 1.2 * shared.seconds);
}

static void test_parts(void) {
  strata_mma_t async = instruction(2);
  strata_problem_t whole = product(&async, 128, 512, 14336, true), part = strata_problem_part(&whole, 4);
  strata_pipelined_choice_t best[2];
  CHECK(part.batch == 4 && part.steps == 3584 && part.stored_bytes == 4);
  CHECK(part.traffic - whole.traffic == 128 * 512 * (4 * 4 - 2));
  CHECK(best_of(&whole, 1, &best[0]) && best_of(&part, 1, &best[1]));
  CHECK(best[1].seconds < 0.9 * best[0].seconds);
}

int main(void) {
  test_every_candidate_is_legal();
  test_times_are_near_measured_ones();
  test_choices();
  test_streams();
  test_straddling_rows();
  test_alternate_rows();
  test_slow_rows();
  test_shared_both();
  test_unaligned_results();
  test_shared_reductions();
  test_parts();
  return check_result();
}
