// The choice of attention's tiles where the threads that multiply stage the operands: on matrix instructions of a warp,
// or on multiply-adds. See candidates.h; docs/gpu-schedules.md has the keys.
//
// A warp has 16 (on multiply-adds) or more rows, and all columns of both products' tiles, so that a row's statistics
// are found by its lanes; or, of few rows, a part of the columns. On multiply-adds, the more sums a thread has, the
// fewer reads from shared memory one takes, by the rates of products staged by threads (schedule_tiled.c). Matrix
// instructions take a part of their rate, or as long as their fragments of keys and values are read from shared memory;
// those of queries stay in registers where they are few, and so do weights of warps that have whole rows. But a
// processor has four schedulers, each of which wants the lanes of an instruction. Shared memory holds the tiles of keys
// and values, and those of queries and weights that have to pass through it.
#include "passes/affine/candidates.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>

enum {
  FMA_WARP = 32, // threads of a warp on multiply-adds
  LEAST_THREADS = 64,
  MAX_THREADS = 256,
  SCHEDULERS = 4, // of a processor
  LEAST_ROWS = 32,
  N_ROWS = 3, // 32 to 128
  LEAST_COLUMNS = STRATA_ATTENTION_STAGED_SIDE,
  N_COLUMNS = 3, // the same
  LEAST_WARP_ROWS = 16,
  MMA_WARP_ROWS = 32, // the least of a warp on matrix instructions
  MMA_WARP_COLUMNS = 32,
  N_WARP_ROWS = 3,
  N_WARP_COLUMNS = 3, // 1 to 4 warps
  N_ALL = N_ROWS * N_COLUMNS * N_WARP_ROWS * N_WARP_COLUMNS,
  REGISTERS = 255,      // of a thread at most
  OTHER_REGISTERS = 40, // of a thread: addresses, counters
  MIN_SUMS = 16,        // of a thread in a product
  MAX_SUMS = 128,
  WORD = 4,       // bytes of a register
  LOAD_WORDS = 4, // registers of what a thread loads at once
};

const strata_mma_t *strata_attention_mma(const strata_gpu_device_t *device, MlirType type) {
  return strata_mma_find(device, type, type, mlirF32TypeGet(mlirTypeGetContext(type)), false);
}

static int64_t lanes_of(const strata_attention_problem_t *p) { return p->mma ? p->mma->layout->lanes : FMA_WARP; }

static int64_t threads_of(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  return c->warps[0] * c->warps[1] * lanes_of(p);
}

static int64_t bytes_of(const strata_attention_problem_t *p) { return strata_element_bytes(p->attention.type); }

// A thread's results of a product of |columns|.
static int64_t sums_of(const strata_attention_problem_t *p, const strata_attention_choice_t *c, int64_t columns) {
  return c->rows * columns / threads_of(p, c);
}

// Registers of the left operand's fragments, by matrix instructions, of all |steps| of a warp's rows.
static int64_t left_registers(const strata_attention_problem_t *p, const strata_attention_choice_t *c, int64_t steps) {
  return strata_mma_left_registers(p->mma, c->rows / c->warps[0], steps, bytes_of(p));
}

static bool holds_queries(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  return left_registers(p, c, p->head) <= STRATA_MMA_HELD;
}

// The operands, and two statistics of each row that several warps combine.
static int64_t shared_bytes(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  enum { STATISTICS_BYTES = 2 * 4 };
  bool has_queries = !p->mma || !holds_queries(p, c), has_weights = !p->mma || c->warps[1] > 1;
  int64_t operands =
      c->rows * ((has_queries ? p->head : 0) + (has_weights ? c->columns : 0)) + c->columns * (p->head + p->value);
  return operands * bytes_of(p) + (c->warps[1] > 1 ? c->rows * c->warps[1] * STATISTICS_BYTES : 0);
}

// Of what comes from memory of |columns|.
static int64_t loaded_registers(const strata_attention_problem_t *p, const strata_attention_choice_t *c,
                                int64_t columns) {
  return c->columns * columns * bytes_of(p) / WORD / threads_of(p, c);
}

// Where the last tile hangs over, what a thread loads at once comes under a condition of its own, and takes a register
// more.
static int64_t guard_registers(const strata_attention_problem_t *p, const strata_attention_choice_t *c,
                               int64_t columns) {
  const strata_attention_t *a = &p->attention;
  bool hangs_over = !strata_size_divides(c->columns, a->sizes[a->column]);
  return hangs_over ? loaded_registers(p, c, columns) / LOAD_WORDS : 0;
}

// Of a product by matrix instructions: its left operand, where that is held, all of it, and the right one's fragments
// of some columns and a chunk of steps; else the fragments of a chunk. And those that follow.
static int64_t product_registers(const strata_attention_problem_t *p, const strata_attention_choice_t *c,
                                 int64_t columns, int64_t steps, bool is_held) {
  const strata_mma_t *mma = p->mma;
  int64_t together = strata_mma_together(mma, bytes_of(p));
  int64_t n_tiles = (is_held ? MMA_WARP_COLUMNS : columns / c->warps[1]) / mma->n;
  int64_t right = n_tiles * strata_mma_elements(mma, 1) * together * bytes_of(p) / WORD;
  return (is_held ? left_registers(p, c, steps) : 2 * left_registers(p, c, mma->k * together)) + 2 * right;
}

// Results are there all the time. On matrix instructions: what comes, while there are no scores; values, while scores
// are summed up; weights, while values are.
static int64_t mma_registers(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  bool is_held = holds_queries(p, c);
  int64_t queries = is_held ? left_registers(p, c, p->head) : 0;
  int64_t both = p->head + p->value;
  int64_t coming = queries + loaded_registers(p, c, both) + guard_registers(p, c, both);
  int64_t scores = sums_of(p, c, c->columns) + loaded_registers(p, c, p->value) +
                   product_registers(p, c, c->columns, p->head, is_held);
  int64_t weighted = queries + product_registers(p, c, p->value, c->columns, c->warps[1] == 1);
  return strata_max(coming, strata_max(scores, weighted));
}

// Sums of both products, keys or values on their way, what is read for multiply-adds.
static int64_t registers_of(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  int64_t others =
      p->mma ? mma_registers(p, c) : sums_of(p, c, c->columns) + loaded_registers(p, c, strata_max(p->head, p->value));
  return sums_of(p, c, p->value) + others + OTHER_REGISTERS;
}

static bool fits(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                 const strata_attention_choice_t *c) {
  int64_t threads = threads_of(p, c), least_columns = strata_min(c->columns, p->value);
  int64_t least_rows = p->mma ? MMA_WARP_ROWS : LEAST_WARP_ROWS;
  return threads >= LEAST_THREADS && threads <= MAX_THREADS && c->warps[0] > 0 && c->rows / c->warps[0] >= least_rows &&
         least_columns / c->warps[1] >= LEAST_COLUMNS && registers_of(p, c) <= REGISTERS &&
         shared_bytes(p, c) <= device->shared_bytes;
}

//===-- Time -----------------------------------------------------------------------------------------------------===//

// The part of the rate that products with so many sums a thread reach.
static double efficiency(const strata_attention_staged_costs_t *costs, int64_t sums) {
  double most = log2((double)MAX_SUMS / MIN_SUMS), own = log2((double)sums / MIN_SUMS);
  return costs->few_sums + (1 - costs->few_sums) * fmin(fmax(own, 0), most) / most;
}

// On matrix instructions; every row of warps reads the right operand's fragments.
static double matrix_cycles(const strata_attention_problem_t *p, const strata_attention_choice_t *c, int64_t columns,
                            int64_t steps) {
  const strata_attention_staged_costs_t *costs = &p->costs->attention_staged;
  const strata_mma_t *mma = p->mma;
  double rate = (double)(mma->m * mma->n * mma->k) / mma->cycles;
  double instructions = (double)(c->rows * columns * strata_round_up(steps, mma->k)) / (rate * costs->matrix_share);
  return fmax(instructions, (double)(c->warps[0] * columns * steps * bytes_of(p)) / costs->wavefront);
}

static double product_cycles(const strata_attention_problem_t *p, const strata_attention_choice_t *c, int64_t columns,
                             int64_t steps) {
  const strata_attention_staged_costs_t *costs = &p->costs->attention_staged;
  if (p->mma)
    return matrix_cycles(p, c, columns, steps);
  return (double)(c->rows * columns * steps) / (costs->rate * efficiency(costs, sums_of(p, c, columns)));
}

// One block of columns of a tile.
static double block_cycles(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  const strata_attention_staged_costs_t *costs = &p->costs->attention_staged;
  const strata_attention_t *a = &p->attention;
  int64_t head = strata_round_up(strata_attention_static_extent(a, a->head), STRATA_ATTENTION_STEP);
  double scores = costs->operation * (double)a->score_operations + costs->function * (double)a->score_functions;
  scores += a->has_softmax ? costs->exponential : 0;
  return product_cycles(p, c, c->columns, head) + product_cycles(p, c, p->value, strata_min(c->columns, p->columns)) +
         (double)(c->rows * c->columns) * scores;
}

static int64_t residents(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                         const strata_attention_choice_t *c) {
  int64_t threads = threads_of(p, c), by_registers = device->registers / (registers_of(p, c) * threads);
  int64_t by_shared = device->shared_bytes_processor / (shared_bytes(p, c) + STRATA_GPU_SHARED_OF_BLOCK);
  return strata_max(strata_min(strata_min(by_registers, by_shared), device->threads_resident / threads), 1);
}

static void predict_time(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                         strata_attention_choice_t *c) {
  const strata_attention_staged_costs_t *costs = &p->costs->attention_staged;
  double blocks = strata_attention_blocks(p, c), rounds = (double)strata_ceil_div(c->tasks, device->n_processors);
  double at_once = fmin((double)residents(device, p, c), rounds);
  double busy = fmin(at_once * (double)threads_of(p, c) / (double)(SCHEDULERS * device->lanes), 1);
  double work = rounds * blocks * block_cycles(p, c) / costs->clock;
  double waiting =
      ceil(rounds / at_once) * blocks * (costs->latency + (c->warps[1] > 1 ? costs->combining : 0)) / costs->clock;
  double bytes = (double)(c->tasks * c->columns * (p->head + p->value) * bytes_of(p)) * blocks;
  double cache = bytes / (costs->cache_memory * (double)device->bandwidth);
  double slowest = fmax(work, fmax(waiting, cache));
  c->bound = slowest == work ? "instructions" : slowest == waiting ? "latency" : "cache";
  c->seconds = costs->launch_seconds + costs->slower * slowest + (work + waiting + cache - slowest) / 8 +
               strata_attention_sum_seconds(device, p, c);
  // Idle schedulers count here, which the times of other kernels leave out.
  c->cost = c->seconds + costs->slower * fmax(work / busy - slowest, 0);
}

//===-- The walk -------------------------------------------------------------------------------------------------===//

static bool next(const strata_work_t *w, strata_candidate_t *candidate) {
  (void)w;
  strata_attention_choice_t *c = &candidate->attention;
  size_t number = c->number, tile = number % N_ALL / (N_WARP_ROWS * N_WARP_COLUMNS);
  if (number == N_ALL * STRATA_ATTENTION_SPLITS)
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
  if (!strata_attention_split(w->device, w->attention, (int)((c->number - 1) / N_ALL), c))
    return false;
  if (!fits(w->device, w->attention, c))
    return false;
  predict_time(w->device, w->attention, c);
  return true;
}

static strata_schedule_t write(const strata_work_t *w, const strata_candidate_t *candidate) {
  const strata_attention_choice_t *c = &candidate->attention;
  return (strata_schedule_t){.kind = STRATA_KERNEL_ATTENTION,
                             .threads = threads_of(w->attention, c),
                             .group = threads_of(w->attention, c),
                             .n_tile = 3,
                             .tile = {c->rows, c->columns, w->attention->head},
                             .warps = {c->warps[0], c->warps[1]},
                             .splits = strata_attention_splits(w->attention, c),
                             .mma = strata_str(w->attention->mma ? w->attention->mma->name : "")};
}

static const char *explain(strata_arena_t *arena, const strata_work_t *w, const strata_candidate_t *candidate) {
  const strata_mma_t *mma = w->attention->mma;
  const strata_attention_choice_t *c = &candidate->attention;
  const char *parts = c->parts > 1 ? strata_arena_printf(arena, " of %lld parts", (long long)c->parts) : "";
  return strata_arena_printf(arena, "%s %lldx%lld by %lldx%lld warps, %lld tasks%s", mma ? mma->name : "multiply-adds",
                             (long long)c->rows, (long long)c->columns, (long long)c->warps[0], (long long)c->warps[1],
                             (long long)c->tasks, parts);
}

const strata_ways_t strata_ways_attention_staged = {next, predict, write, strata_attention_admits, explain};
