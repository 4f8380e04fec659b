// The choice of attention's tiles on multiply-adds. See candidates.h; docs/gpu-schedules.md has the keys.
//
// A warp of 32 threads has 16 or 32 rows, and all columns of both products' tiles, so that a row's statistics are found
// by its lanes; or, of few rows, a part of the columns. The more sums a thread has, the fewer reads from shared memory
// a multiply-add takes, by the rates of products staged by threads (schedule_tiled.c). But a processor has four
// schedulers, each of which wants the lanes of an instruction. Shared memory holds the tiles of queries, keys, values
// and weights.
#include "passes/affine/candidates.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>

enum {
  WARP = 32,
  LEAST_THREADS = 64,
  MAX_THREADS = 256,
  SCHEDULERS = 4, // of a processor
  LEAST_ROWS = 32,
  N_ROWS = 3, // 32 to 128
  LEAST_COLUMNS = STRATA_ATTENTION_FMA_COLUMNS,
  N_COLUMNS = 3, // the same
  LEAST_WARP_ROWS = 16,
  N_WARP_ROWS = 2,
  N_WARP_COLUMNS = 3, // 1 to 4 warps
  N_ALL = N_ROWS * N_COLUMNS * N_WARP_ROWS * N_WARP_COLUMNS,
  REGISTERS = 255,      // of a thread at most
  OTHER_REGISTERS = 40, // of a thread: addresses, counters
  MIN_SUMS = 16,        // of a thread in a product
  MAX_SUMS = 128,
};

static int64_t threads_of(const strata_attention_choice_t *c) { return c->warps[0] * c->warps[1] * WARP; }

// A thread's results of a product of |columns|.
static int64_t sums_of(const strata_attention_choice_t *c, int64_t columns) {
  return c->rows * columns / threads_of(c);
}

// The operands, and two statistics of each row that several warps combine.
static int64_t shared_bytes(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  enum { STATISTICS_BYTES = 2 * 4 };
  int64_t operands = c->rows * (p->head + c->columns) + c->columns * (p->head + p->value);
  return operands * strata_problem_bytes(p->attention.type) +
         (c->warps[1] > 1 ? c->rows * c->warps[1] * STATISTICS_BYTES : 0);
}

// Sums of both products, keys or values on their way, what is read for multiply-adds.
static int64_t registers_of(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  int64_t loaded =
      c->columns * strata_max(p->head, p->value) * strata_problem_bytes(p->attention.type) / 4 / threads_of(c);
  return sums_of(c, c->columns) + sums_of(c, p->value) + loaded + OTHER_REGISTERS;
}

static bool fits(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                 const strata_attention_choice_t *c) {
  int64_t threads = threads_of(c), least_columns = strata_min(c->columns, p->value);
  return threads >= LEAST_THREADS && threads <= MAX_THREADS && least_columns / c->warps[1] >= LEAST_COLUMNS &&
         registers_of(p, c) <= REGISTERS && shared_bytes(p, c) <= device->shared_bytes;
}

//===-- Time -----------------------------------------------------------------------------------------------------===//

// The part of the rate that products with so many sums a thread reach.
static double efficiency(const strata_attention_fma_costs_t *costs, int64_t sums) {
  double most = log2((double)MAX_SUMS / MIN_SUMS), own = log2((double)sums / MIN_SUMS);
  return costs->few_sums + (1 - costs->few_sums) * fmin(fmax(own, 0), most) / most;
}

static double product_cycles(const strata_attention_fma_costs_t *costs, const strata_attention_choice_t *c,
                             int64_t columns, int64_t steps) {
  return (double)(c->rows * columns * steps) / (costs->rate * efficiency(costs, sums_of(c, columns)));
}

// One block of columns of a tile.
static double block_cycles(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  const strata_attention_fma_costs_t *costs = &p->costs->attention_fma;
  const strata_attention_t *a = &p->attention;
  int64_t head = strata_round_up(strata_attention_static_extent(a, a->head), STRATA_ATTENTION_STEP);
  double scores = costs->operation * (double)a->score_operations + costs->function * (double)a->score_functions;
  scores += a->has_softmax ? costs->exponential : 0;
  return product_cycles(costs, c, c->columns, head) +
         product_cycles(costs, c, p->value, strata_min(c->columns, p->columns)) +
         (double)(c->rows * c->columns) * scores;
}

static int64_t residents(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                         const strata_attention_choice_t *c) {
  int64_t threads = threads_of(c), by_registers = device->registers / (registers_of(p, c) * threads);
  int64_t by_shared = device->shared_bytes_processor / (shared_bytes(p, c) + STRATA_GPU_SHARED_OF_BLOCK);
  return strata_max(strata_min(strata_min(by_registers, by_shared), device->threads_resident / threads), 1);
}

static void predict_time(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                         strata_attention_choice_t *c) {
  const strata_attention_fma_costs_t *costs = &p->costs->attention_fma;
  double blocks = strata_attention_blocks(p, c), rounds = (double)strata_ceil_div(c->tasks, device->n_processors);
  double at_once = fmin((double)residents(device, p, c), rounds);
  double busy = fmin(at_once * (double)threads_of(c) / (double)(SCHEDULERS * device->lanes), 1);
  double work = rounds * blocks * block_cycles(p, c) / costs->clock;
  double waiting =
      ceil(rounds / at_once) * blocks * (costs->latency + (c->warps[1] > 1 ? costs->combining : 0)) / costs->clock;
  double bytes =
      (double)(c->tasks * c->columns * (p->head + p->value) * strata_problem_bytes(p->attention.type)) * blocks;
  double cache = bytes / (costs->cache_memory * (double)device->bandwidth);
  double slowest = fmax(work, fmax(waiting, cache));
  c->bound = slowest == work ? "multiply-adds" : slowest == waiting ? "latency" : "cache";
  c->seconds = costs->launch_seconds + costs->slower * slowest + (work + waiting + cache - slowest) / 8;
  // Idle schedulers count here, which the times of other kernels leave out.
  c->cost = c->seconds + costs->slower * fmax(work / busy - slowest, 0);
}

//===-- The walk -------------------------------------------------------------------------------------------------===//

static bool next(const strata_work_t *w, strata_candidate_t *candidate) {
  (void)w;
  strata_attention_choice_t *c = &candidate->attention;
  size_t number = c->number, tile = number / (N_WARP_ROWS * N_WARP_COLUMNS);
  if (number == N_ALL)
    return false;
  *c = (strata_attention_choice_t){.rows = (int64_t)LEAST_ROWS << tile / N_COLUMNS,
                                   .columns = (int64_t)LEAST_COLUMNS << tile % N_COLUMNS,
                                   .number = number + 1};
  c->warps[0] = c->rows / ((int64_t)LEAST_WARP_ROWS << number % N_WARP_ROWS);
  c->warps[1] = (int64_t)1 << number / N_WARP_ROWS % N_WARP_COLUMNS;
  return true;
}

static bool predict(const strata_work_t *w, strata_candidate_t *candidate) {
  strata_attention_choice_t *c = &candidate->attention;
  c->tasks = strata_ceil_div(w->attention->rows, c->rows) * w->attention->batch;
  if (!fits(w->device, w->attention, c))
    return false;
  predict_time(w->device, w->attention, c);
  return true;
}

static strata_schedule_t write(const strata_work_t *w, const strata_candidate_t *candidate) {
  const strata_attention_choice_t *c = &candidate->attention;
  return (strata_schedule_t){.kind = STRATA_KERNEL_ATTENTION,
                             .threads = threads_of(c),
                             .group = threads_of(c),
                             .n_tile = 3,
                             .tile = {c->rows, c->columns, w->attention->head},
                             .warps = {c->warps[0], c->warps[1]},
                             .mma = strata_str("")};
}

static const char *explain(strata_arena_t *arena, const strata_work_t *w, const strata_candidate_t *candidate) {
  (void)w;
  const strata_attention_choice_t *c = &candidate->attention;
  return strata_arena_printf(arena, "multiply-adds %lldx%lld by %lldx%lld warps, %lld tasks", (long long)c->rows,
                             (long long)c->columns, (long long)c->warps[0], (long long)c->warps[1],
                             (long long)c->tasks);
}

const strata_ways_t strata_ways_attention_fma = {next, predict, write, strata_attention_admits, explain};
