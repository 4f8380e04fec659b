// Products whose tiles are staged by the threads that multiply them: on matrix instructions of a warp, or on
// multiply-adds. See problem.h.
//
// The time of a kernel is modelled as that of its fullest processor: its tiles, each as long as its multiply-adds,
// divided by how much of the processor's rate tiles of that shape reach (small tiles read more from shared memory and
// the second-level cache for every multiply-add); but not less than its steps one after the other take, each as long as
// memory is away. Several warps that share a tile and split its steps make fewer of them. The least time wins.
//
// Where both operands of matrix instructions are copied, fragments are read ahead (contract_loop.c), and the model is,
// in cycles, for the 32 bytes of a row of each operand that one instruction takes,
//
//   instructions  rows * columns * 16 / ahead_rate, or less by the device's rate
//   shared memory (rows * (warps along columns + 1) + columns * (warps along rows + 1)) / 4
//   cache         32 * (rows + columns) / cache_rate, or of cache_memory times memory's bandwidth
//
// the slowest of which counts, and a step's barrier. It is within about a tenth of what large products take; small
// ones, which are compared with pipelined products, take ahead_slower times as long. The figures are the device's
// (devices/gpu/costs.h).
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/candidates.h"

#include <math.h>

enum {
  WARP = 32,
  REGISTERS = 255,      // of a thread at most
  OTHER_REGISTERS = 40, // of a thread: addresses, counters
  COPY_BYTES = 16,
  REGISTERS_OF_PLACE = 8, // of what is copied at once
  STEP_BYTES = 64,        // of a row of an operand in one step of matrix instructions, or twice as many
  FMA_STEPS = 8,
  MIN_FMA_STEPS = 4,
  SLOTS = 2,     // of each operand in shared memory
  N_SPLITS = 4,  // 1 to 8
  N_STEPS = 2,   // lengths of a step
  MAX_WARPS = 8, // of a block with a split
};

// Of fragments that are read ahead.
enum {
  CHUNK_BYTES = 32, // of a row, that an instruction takes
  CHUNK_STEPS = 16, // the same in elements of 16 bits
};

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

typedef strata_tiled_shape_t shape_t;

typedef strata_tiled_choice_t tile_t;

// Operands of columns, and sums, of a tile.
static int64_t pair_of(const strata_problem_t *p) { return p->is_pair ? 2 : 1; }

// Pairs, and reductions of rows, are for devices whose threads stage both operands: fragments that are read ahead are
// of one product, whose tiles are none as long as rows. Rows are reduced where a matrix instruction leaves its sums.
static bool carries(const strata_gpu_device_t *device, const strata_problem_t *p) {
  return strata_gpu_stages_by_threads(device) ? p->mma || !p->row_reductions : !p->is_pair && !p->row_reductions;
}

// Threads of a warp that has a tile of its own.
static int64_t lanes_of(const strata_problem_t *p) { return p->mma ? p->mma->layout->lanes : WARP; }

// Steps that one warp of a split takes at once. Small tiles have more loads under way in steps twice as long; of tiles
// as long as rows steps half as long leave shared memory for more columns.
static int64_t steps_of(const strata_problem_t *p, const shape_t *shape, int64_t split, bool is_other) {
  if (!p->mma) {
    int64_t steps = MIN_FMA_STEPS;
    while (steps < FMA_STEPS && steps < p->steps)
      steps *= 2;
    return steps;
  }
  int64_t steps = STEP_BYTES / p->operand_bytes;
  if (p->row_reductions && is_other)
    return steps / 2;
  if (split > 1 || p->steps <= steps)
    return steps;
  bool is_small = shape->rows * shape->columns <= 64 * 64;
  return steps * (is_small != is_other ? 2 : 1);
}

typedef struct {
  const shape_t *data;
  size_t count;
} shapes_t;

static shapes_t shapes_of(const strata_problem_t *p) {
  const strata_gpu_tiles_t *all = &p->costs->tiles;
  if (!p->mma)
    return (shapes_t){all->fma, (size_t)all->n_fma};
  return (shapes_t){all->mma, (size_t)(p->row_reductions ? all->n_mma_rows : all->n_mma)};
}

// Number |number| of all there are for |mma|.
static tile_t tile_of(const strata_problem_t *p, const strata_mma_t *mma, const shape_t *shapes, size_t number) {
  const shape_t *shape = &shapes[number / N_SPLITS / N_STEPS];
  int64_t split = (int64_t)1 << number % N_SPLITS;
  int64_t steps = steps_of(p, shape, split, number / N_SPLITS % N_STEPS);
  return (tile_t){.shape = shape,
                  .mma = mma,
                  .split = split,
                  .steps = steps * split,
                  .threads = shape->warps[0] * shape->warps[1] * split * lanes_of(p)};
}

// True if what is loaded of |side| goes to shared memory as it is.
static bool is_copied(const strata_gpu_device_t *device, const strata_problem_t *p, int side) {
  bool is_as_loaded = p->sides[side].loaded_bytes == p->operand_bytes && !(p->mma && strata_mma_rounds(p->mma));
  return device->copies == STRATA_GPU_COPIES_THREADS && is_as_loaded && p->sides[side].is_wide;
}

// True if fragments are read ahead.
static bool reads_ahead(const strata_gpu_device_t *device, const strata_problem_t *p) {
  return p->mma && is_copied(device, p, 0) && is_copied(device, p, 1);
}

// True if the next step's are while one is multiplied, whoever stages operands (contract_ahead.c).
static bool holds_next_fragments(const strata_gpu_device_t *device, const strata_problem_t *p) {
  return reads_ahead(device, p) || (p->mma && strata_gpu_stages_by_threads(device) && !p->is_pair);
}

// Of the fragments of a warp's rows and columns that are read at once.
static int64_t fragment_registers(const strata_problem_t *p, const strata_mma_t *mma, int64_t rows, int64_t columns) {
  int64_t elements = rows / mma->m * strata_mma_elements(mma, 0) + columns / mma->n * strata_mma_elements(mma, 1);
  return elements * strata_mma_together(mma, p->operand_bytes) * p->operand_bytes / 4;
}

// Of a thread that copies a window's pixels, 16 bytes at a time: where each lies, and whether it is inside.
static int64_t window_registers(const strata_problem_t *p, const tile_t *tile) {
  int64_t bytes = 0;
  for (int side = 0; side < 2; side++)
    if (p->mma && p->sides[side].has_window)
      bytes += (side == STRATA_SIDE_U ? tile->shape->rows : tile->shape->columns) * tile->steps * p->operand_bytes;
  return bytes / COPY_BYTES / tile->threads * REGISTERS_OF_PLACE;
}

// The registers of a thread: sums, what is loaded ahead, fragments, twice where the next ones are read ahead.
static int64_t registers_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  int64_t rows = shape->rows / shape->warps[0], columns = shape->columns / shape->warps[1];
  int64_t sums = pair_of(p) * rows * columns / lanes_of(p) * strata_ceil_div(p->sum_bytes, 4);
  bool are_copied[2] = {p->mma && is_copied(device, p, 0), p->mma && is_copied(device, p, 1)};
  int64_t along = (are_copied[0] ? 0 : shape->rows) + (are_copied[1] ? 0 : pair_of(p) * shape->columns);
  int64_t loaded = along * tile->steps * p->loaded_bytes / 4 / tile->threads;
  int64_t fragments = p->mma ? fragment_registers(p, tile->mma, rows, columns) *
                                   (holds_next_fragments(device, p) && loaded <= STRATA_GPU_LOADED_AHEAD ? 2 : 1)
                             : (rows / 4 + columns / 8) * strata_ceil_div(p->sum_bytes, 4);
  return sums + loaded + fragments + window_registers(p, tile) + OTHER_REGISTERS;
}

// Scales of a step's blocks.
static int64_t scale_bytes(const strata_problem_t *p, const tile_t *tile) {
  int64_t n = (p->sides[STRATA_SIDE_U].is_scaled ? tile->shape->rows : 0) +
              (p->sides[STRATA_SIDE_V].is_scaled ? pair_of(p) * tile->shape->columns : 0);
  return p->mma ? n * tile->steps / STRATA_SCALED_BLOCK : 0;
}

static int64_t shared_of(const strata_problem_t *p, const tile_t *tile, int64_t slots) {
  const shape_t *shape = tile->shape;
  int64_t sums = tile->split > 1 ? pair_of(p) * shape->rows * shape->columns * p->sum_bytes * tile->split : 0;
  int64_t operands = (shape->rows + pair_of(p) * shape->columns) * tile->steps * p->operand_bytes;
  return (operands + scale_bytes(p, tile)) * slots + sums;
}

// Blocks that a processor runs at the same time.
static int64_t residents(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile,
                         int64_t slots) {
  int64_t by_registers = device->registers / (registers_of(device, p, tile) * tile->threads);
  int64_t by_shared = device->shared_bytes_processor / (shared_of(p, tile, slots) + strata_gpu_shared_of_block(device));
  int64_t by_threads = device->threads_resident / tile->threads;
  int64_t all = strata_min(by_registers, by_shared);
  return strata_max(1, strata_min(all, by_threads));
}

static int64_t tiles_of(const strata_problem_t *p, const shape_t *shape) {
  return strata_ceil_div(p->rows, shape->rows) * strata_ceil_div(p->columns, shape->columns) * p->batch;
}

// Other lengths of a step, and tiles for which a block has a processor to itself, are for fragments read ahead.
static bool is_useful(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  bool is_other = (tile->number - 1) / N_SPLITS % N_STEPS;
  if (tile->mma && tile->steps / tile->split < tile->mma->k)
    return false;
  bool is_large = tile->shape->rows * tile->shape->columns > 128 * 128;
  if (tile->split > 1)
    return !is_other && tile->threads <= MAX_WARPS * lanes_of(p) && tile->steps < 2 * p->steps &&
           tiles_of(p, tile->shape) <= 2 * device->n_processors;
  if (reads_ahead(device, p))
    return tile->slots > SLOTS;
  return holds_next_fragments(device, p) || (!is_other && !is_large);
}

static bool fits(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  bool is_row = !p->row_reductions || tile->shape->columns >= p->columns;
  int64_t registers = registers_of(device, p, tile);
  return is_row && is_useful(device, p, tile) && registers <= REGISTERS &&
         registers * tile->threads <= device->registers && shared_of(p, tile, SLOTS) <= device->shared_bytes;
}

// Where operands may be copied as they are: as many slots as leave room for the blocks that a processor runs anyway, of
// which two hide one another's barriers where fragments are read ahead.
static int64_t slots_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  static const int64_t choices[] = {8, 4, 3};
  if (!is_copied(device, p, 0) && !is_copied(device, p, 1))
    return 0;
  int64_t most = strata_ceil_div(tiles_of(p, tile->shape), device->n_processors);
  int64_t blocks = residents(device, p, tile, SLOTS);
  if (reads_ahead(device, p) && blocks > 2)
    blocks = 2;
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    if (shared_of(p, tile, choices[i]) <= device->shared_bytes &&
        residents(device, p, tile, choices[i]) >= strata_min(most, blocks))
      return choices[i];
  return SLOTS;
}

static strata_schedule_t write(const strata_work_t *w, const strata_candidate_t *c) {
  const tile_t *tile = &c->tiled;
  const shape_t *shape = tile->shape;
  (void)w;
  return (strata_schedule_t){.kind = STRATA_KERNEL_CONTRACT,
                             .threads = tile->threads,
                             .group = tile->threads,
                             .n_tile = 3,
                             .tile = {shape->rows, shape->columns, tile->steps},
                             .warps = {shape->warps[0], shape->warps[1]},
                             .slots = tile->slots,
                             .mma = strata_str(tile->mma ? tile->mma->name : "")};
}

//===-- Times ----------------------------------------------------------------------------------------------------===//

// What a tile takes of its processor, and until it is done: in cycles.
typedef struct {
  double work, wait;
} cycles_t;

// Multiply-adds a cycle. What tiles reach of it is that of the first instruction on the operands' types; a larger one
// stands for several, and spares the others' issue.
static double rate_of(const strata_problem_t *p, const strata_mma_t *mma) {
  const strata_tiled_costs_t *costs = &p->costs->tiled;
  if (!mma)
    return costs->fma_rate;
  int64_t own = (int64_t)mma->m * mma->n * mma->k, first = (int64_t)p->mma->m * p->mma->n * p->mma->k;
  double spared = (double)own / (double)first - 1;
  return (double)own / (mma->cycles - spared * costs->mma_issue);
}

// Of reductions over rows: of each thread's elements, and between the warps that have parts of a row.
static int64_t row_cycles(const strata_problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  double elements = (double)(shape->rows * shape->columns / (shape->warps[0] * shape->warps[1] * lanes_of(p)));
  double warps = shape->warps[1] > 1 ? p->costs->tiled.combine_latency : 0;
  return (int64_t)(p->row_reductions * (p->costs->norm.combine * elements + warps));
}

static cycles_t cycles_of(const strata_problem_t *p, const tile_t *tile) {
  const strata_tiled_costs_t *costs = &p->costs->tiled;
  const shape_t *shape = tile->shape;
  int64_t steps = strata_ceil_div(p->steps, tile->steps);
  int64_t results = pair_of(p) * shape->rows * shape->columns;
  int64_t products = (int64_t)ceil((double)(results * steps * tile->steps) / rate_of(p, tile->mma));
  int64_t work = products * 100 / shape->efficiency + row_cycles(p, tile);
  int64_t store = shape->rows * shape->columns * (p->stored_bytes + 2) / (int64_t)costs->store_rate;
  int64_t combine = tile->split > 1 ? (int64_t)costs->combine_latency : 0; // of the parts of a split
  int64_t waiting = steps * (int64_t)costs->step_latency + combine;
  return (cycles_t){(double)(work + store), (double)waiting};
}

static int64_t time_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  int64_t tiles = tiles_of(p, tile->shape);
  cycles_t each = cycles_of(p, tile);
  int64_t busy = strata_ceil_div(tiles, device->n_processors) * (int64_t)each.work;
  int64_t rounds = strata_ceil_div(tiles, device->n_processors * residents(device, p, tile, SLOTS));
  return strata_max(busy, rounds * (int64_t)each.wait) + busy / 8; // equal waiting: the less work the better
}

// Of a processor's memories and instructions, for a chunk of a tile, where |n_tiles| in all are under way.
static double chunk_cycles(const strata_gpu_device_t *device, const shape_t *shape, int64_t n_tiles) {
  const strata_tiled_costs_t *costs = &device->costs->tiled;
  double rows = (double)shape->rows, columns = (double)shape->columns, processors = (double)device->n_processors;
  double rate = (double)device->products / 2 / processors / costs->ahead_clock;
  double instructions = rows * columns * CHUNK_STEPS / fmin(rate, costs->ahead_rate);
  double touched = rows * (double)(shape->warps[1] + 1) + columns * (double)(shape->warps[0] + 1);
  double shared = touched * CHUNK_BYTES / costs->wavefront;
  double cache_rate =
      costs->cache_memory * (double)device->bandwidth / fmin(processors, (double)n_tiles) / costs->clock;
  double cache = (rows + columns) * CHUNK_BYTES / fmin(cache_rate, costs->cache_rate);
  return fmax(instructions, fmax(shared, cache));
}

// Of one warp, whoever else is there.
static double warp_cycles(const strata_tiled_costs_t *costs, const shape_t *shape) {
  enum { SUMS = 128 }; // of an instruction
  int64_t instructions = shape->rows / shape->warps[0] * (shape->columns / shape->warps[1]) / SUMS;
  return (double)instructions * costs->warp_instruction + costs->fragment;
}

static double store_cycles(const strata_problem_t *p, const tile_t *tile) {
  const strata_tiled_costs_t *costs = &p->costs->tiled;
  double results = (double)(tile->shape->rows * tile->shape->columns);
  double combine = 2 * results * (double)(p->sum_bytes * tile->split) / costs->wavefront + costs->combine_latency;
  return results * (double)(p->stored_bytes + 2) / costs->store_rate + (tile->split > 1 ? combine : 0);
}

static cycles_t ahead_cycles_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  const strata_tiled_costs_t *costs = &device->costs->tiled;
  int64_t tiles = tiles_of(p, tile->shape), slots = tile->slots;
  double steps = (double)strata_ceil_div(p->steps, tile->steps);
  double chunks = (double)(tile->steps * p->operand_bytes) / CHUNK_BYTES;
  double work = steps * (chunks * chunk_cycles(device, tile->shape, tiles) + costs->step) + store_cycles(p, tile);
  double own = chunks / (double)tile->split * warp_cycles(costs, tile->shape);
  return (cycles_t){work, steps * fmax(costs->copy_latency / (double)slots, own)};
}

static double ahead_time_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  int64_t tiles = tiles_of(p, tile->shape), slots = tile->slots;
  cycles_t each = ahead_cycles_of(device, p, tile);
  double busy = (double)strata_ceil_div(tiles, device->n_processors) * each.work;
  double rounds = (double)strata_ceil_div(tiles, device->n_processors * residents(device, p, tile, slots));
  return fmax(busy, rounds * each.wait) + busy / 64; // equal waiting: the less work the better
}

// How many times as long as the model says, where that is not about fragments read ahead.
static double slower_of(const strata_problem_t *p) {
  const strata_tiled_costs_t *costs = &p->costs->tiled;
  bool is_shifted = p->sides[0].is_shifted || p->sides[1].is_shifted;
  double aligned = p->operand_bytes == 4 ? costs->slower_wide : costs->slower;
  return p->mma ? is_shifted ? costs->slower_shifted : aligned : costs->slower_fma;
}

static double memory_seconds(const strata_gpu_device_t *device, const strata_problem_t *p) {
  const strata_tiled_costs_t *costs = &device->costs->tiled;
  double memory = p->traffic / (double)device->bandwidth;
  if (!reads_ahead(device, p))
    return memory;
  return memory * (strata_problem_has_slow_rows(p) ? costs->slow_memory : costs->ahead_memory);
}

// Seconds of |tile|, whose slots are known; what counts is cycles.
static void set_time(const strata_gpu_device_t *device, const strata_problem_t *p, tile_t *tile) {
  const strata_tiled_costs_t *costs = &device->costs->tiled;
  double memory = memory_seconds(device, p);
  if (reads_ahead(device, p)) {
    double cycles = ahead_time_of(device, p, tile);
    tile->cost = floor(cycles);
    tile->seconds = costs->ahead_launch_seconds + costs->ahead_slower * fmax(cycles / costs->clock, memory);
    return;
  }
  tile->cost = (double)time_of(device, p, tile);
  tile->seconds = costs->launch_seconds + slower_of(p) * fmax(tile->cost / costs->clock, memory);
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

static bool next(const strata_work_t *w, strata_candidate_t *c) {
  const strata_problem_t *p = w->product;
  const shapes_t shapes = shapes_of(p);
  const strata_mma_t *mma = p->mma;
  size_t n_tiles = shapes.count * N_STEPS * N_SPLITS, number = c->number;
  for (; number >= n_tiles && mma; number -= n_tiles)
    mma = strata_mma_next(w->device, mma);
  if (!carries(w->device, p) || number >= n_tiles || (p->mma && !mma))
    return false;
  tile_t tile = tile_of(p, mma, shapes.data, number);
  tile.number = c->number + 1;
  c->tiled = tile;
  return true;
}

static bool predict(const strata_work_t *w, strata_candidate_t *c) {
  c->tiled.slots = slots_of(w->device, w->product, &c->tiled);
  c->bound = "staged by threads";
  set_time(w->device, w->product, &c->tiled);
  return fits(w->device, w->product, &c->tiled);
}

static bool admits(const strata_work_t *w, const strata_candidate_t *c, const strata_schedule_t *given) {
  (void)w;
  return given->slots != 1 && given->slots <= c->tiled.slots && !given->blocks;
}

static const char *explain(strata_arena_t *arena, const strata_work_t *w, const strata_candidate_t *c) {
  const strata_mma_t *mma = c->tiled.mma;
  const int64_t *tile = c->schedule.tile;
  return strata_arena_printf(arena, "%s%s%s %lldx%lldx%lld, %lld threads", mma ? w->device->mma : "multiply-adds",
                             mma ? " " : "", mma ? mma->name : "", (long long)tile[0], (long long)tile[1],
                             (long long)tile[2], (long long)c->tiled.threads);
}

const strata_ways_t strata_ways_tiled = {next, predict, write, admits, explain};

//===-- Shared launches ------------------------------------------------------------------------------------------===//

static strata_tiled_load_t load_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  const strata_tiled_costs_t *costs = &device->costs->tiled;
  bool is_ahead = reads_ahead(device, p);
  int64_t slots = is_ahead ? tile->slots : SLOTS, tiles = tiles_of(p, tile->shape);
  double seconds = (is_ahead ? costs->ahead_slower : slower_of(p)) / costs->clock;
  cycles_t each = is_ahead ? ahead_cycles_of(device, p, tile) : cycles_of(p, tile);
  return (strata_tiled_load_t){.tiles = (double)tiles,
                               .threads = tile->threads,
                               .resident_threads = residents(device, p, tile, slots) * tile->threads,
                               .shared_bytes = shared_of(p, tile, strata_max(tile->slots, SLOTS)),
                               .sum_bytes = tile->shape->rows * tile->shape->columns * p->sum_bytes,
                               .work = seconds * each.work,
                               .wait = seconds * each.wait,
                               .memory = seconds * costs->clock * memory_seconds(device, p),
                               .launch = is_ahead ? costs->ahead_launch_seconds : costs->launch_seconds};
}

bool strata_tiled_load(const strata_gpu_device_t *device, const strata_problem_t *p, const strata_schedule_t *schedule,
                       strata_tiled_load_t *out) {
  strata_candidate_t tile;
  strata_work_t work = {.device = device, .product = p};
  bool is_one = strata_candidate_of(&work, &strata_ways_tiled, schedule, &tile);
  if (is_one)
    *out = load_of(device, p, &tile.tiled);
  return is_one;
}

// Rounds of all loads in the order in which they begin, one after the other or as the tiles of one fill the last round
// of those before: the last tile of a load begins, at the latest, when all before it would end if they were shared out
// evenly.
typedef struct {
  double apart, evenly, seconds;
} rounds_t;

static void add_rounds(rounds_t *r, double tiles, double at_once, double seconds) {
  r->apart += ceil(tiles / at_once) * seconds;
  r->evenly += tiles / at_once * seconds;
  r->seconds = fmax(r->seconds, fmin(r->apart, r->evenly + seconds));
}

// Of a block of |threads|. What the epilogue may exchange counts where there are several tiles: one alone has as much
// as in a launch of its own.
static int64_t shared_in(const strata_tiled_load_t *load, int64_t threads) {
  int64_t groups = threads / load->threads;
  return groups * (load->shared_bytes + (groups > 1 ? load->sum_bytes : 0));
}

double strata_tiled_together(const strata_gpu_device_t *device, const strata_tiled_load_t *loads, int n) {
  double processors = (double)device->n_processors, launch = 0, memory = 0;
  int64_t threads = 0, resident = device->threads_resident, shared = 0;
  rounds_t work = {0}, wait = {0};
  for (int i = 0; i < n; i++)
    threads = strata_max(threads, loads[i].threads);
  for (int i = 0; i < n; i++) { // blocks are the largest's, and have its registers
    resident = strata_min(resident, loads[i].resident_threads);
    shared = strata_max(shared, shared_in(&loads[i], threads));
  }
  resident = strata_max(resident, threads);
  for (int i = 0; i < n; i++) {
    launch = fmax(launch, loads[i].launch);
    memory += loads[i].memory;
    add_rounds(&work, loads[i].tiles, processors, loads[i].work);
    add_rounds(&wait, loads[i].tiles, processors * (double)(resident / loads[i].threads), loads[i].wait);
  }
  if (n > 1 && shared > device->shared_bytes)
    return INFINITY;
  return launch + fmax(memory, fmax(work.seconds, wait.seconds));
}

double strata_tiled_suited(const strata_gpu_device_t *device, const strata_problem_t *problem, double alone,
                           strata_tiled_load_t *loads, int n, int at, strata_schedule_t *out_schedule) {
  const strata_work_t work = {.device = device, .product = problem};
  double least = INFINITY;
  strata_tiled_load_t best = loads[at];
  for (strata_candidate_t c = {0}; strata_candidate_next(&work, &strata_ways_tiled, &c);) {
    loads[at] = load_of(device, problem, &c.tiled);
    double seconds = strata_tiled_together(device, loads, n) + alone * c.seconds;
    if (seconds >= least)
      continue;
    least = seconds;
    best = loads[at];
    *out_schedule = c.schedule;
  }
  loads[at] = best;
  return least;
}
