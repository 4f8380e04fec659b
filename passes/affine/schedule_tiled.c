// Products whose tiles are staged by the threads that multiply them: on matrix instructions of a warp, or on
// multiply-adds. See problem.h.
//
// The time of a kernel is modelled as that of its fullest processor: its tiles, each as long as its multiply-adds,
// divided by how much of the processor's rate tiles of that shape reach (small tiles read more from shared memory and
// the second-level cache for every multiply-add); but not less than its steps one after the other take, each as long as
// memory is away. Several warps that share a tile and split its steps make fewer of them. The least time wins.
#include "dialects/mlir_util.h"
#include "passes/affine/problem.h"

enum {
  WARP = 32,
  REGISTERS = 255,        // of a thread at most
  OTHER_REGISTERS = 40,   // of a thread: addresses, counters
  STEP_BYTES = 64,        // of a row of an operand in one step of matrix instructions
  STEP_BYTES_SMALL = 128, // where tiles are small: more loads under way
  FMA_STEPS = 8,
  MIN_FMA_STEPS = 4,
  FMA_RATE = 128,        // multiply-adds of a processor in a cycle; matrix instructions: half an instruction's
  STEP_LATENCY = 1000,   // cycles
  COMBINE_LATENCY = 300, // of the parts of a split
  BLOCK_BYTES = 1 << 10, // that the system takes of a block's shared memory
  STORE_RATE = 32,       // bytes, and two for each element
  SLOTS = 2,             // of each operand in shared memory
  N_SPLITS = 4,          // 1 to 8
  MAX_THREADS = 256,     // of a block with a split
};

// From the model's cycles to time, for comparing with pipelined products.
#define SLOWER 1.5
#define SLOWER_FMA 1.25
#define CLOCK 1.75e9
#define LAUNCH_SECONDS 2e-6

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

// Tiles to choose from. Efficiency is in percent of the rate of the best.
typedef strata_tiled_shape_t shape_t;

static const shape_t mma_shapes[] = {
    {128, 128, {2, 2}, 100}, {128, 128, {2, 4}, 95}, {128, 64, {2, 2}, 85}, {64, 128, {2, 2}, 85}, {64, 64, {2, 2}, 65},
    {128, 32, {4, 1}, 55},   {32, 128, {1, 4}, 55},  {64, 32, {2, 1}, 40},  {32, 64, {1, 2}, 40},  {32, 32, {1, 1}, 25},
};

// The more sums a thread has, the fewer reads from shared memory a multiply-add takes: 16 x 8 of them are six of 16
// bytes to 128, and two blocks of four warps still fit a processor.
static const shape_t fma_shapes[] = {
    {128, 128, {2, 2}, 100}, {128, 128, {4, 2}, 80}, {128, 64, {4, 2}, 72}, {64, 128, {2, 4}, 72},
    {64, 64, {2, 2}, 64},    {64, 32, {4, 1}, 44},   {32, 64, {2, 2}, 44},  {32, 32, {2, 1}, 40},
};

typedef strata_tiled_choice_t tile_t;

// Steps that one warp of a split takes at once.
static int64_t steps_of(const strata_problem_t *p, const shape_t *shape) {
  if (!p->mma) {
    int64_t steps = MIN_FMA_STEPS;
    while (steps < FMA_STEPS && steps < p->steps)
      steps *= 2;
    return steps;
  }
  int64_t bytes = shape->rows * shape->columns <= 64 * 64 ? STEP_BYTES_SMALL : STEP_BYTES;
  return p->steps * p->operand_bytes <= STEP_BYTES ? STEP_BYTES / p->operand_bytes : bytes / p->operand_bytes;
}

static tile_t tile_of(const strata_problem_t *p, const shape_t *shape, int64_t split) {
  int64_t steps = steps_of(p, shape);
  if (split > 1 && p->mma)
    steps = STEP_BYTES / p->operand_bytes;
  return (tile_t){.shape = shape,
                  .split = split,
                  .steps = steps * split,
                  .threads = shape->warps[0] * shape->warps[1] * split * WARP};
}

// The registers of a thread: sums, what is loaded ahead, fragments.
static int64_t registers_of(const strata_problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  int64_t rows = shape->rows / shape->warps[0], columns = shape->columns / shape->warps[1];
  int64_t sums = rows * columns / WARP * ceil_div(p->sum_bytes, 4);
  int64_t loaded = (shape->rows + shape->columns) * tile->steps * p->loaded_bytes / 4 / tile->threads;
  int64_t fragments = p->mma ? (rows + columns) / 4 : (rows / 4 + columns / 8) * ceil_div(p->sum_bytes, 4);
  return sums + loaded + fragments + OTHER_REGISTERS;
}

static int64_t shared_of(const strata_problem_t *p, const tile_t *tile, int64_t slots) {
  const shape_t *shape = tile->shape;
  int64_t sums = tile->split > 1 ? shape->rows * shape->columns * p->sum_bytes * tile->split : 0;
  return (shape->rows + shape->columns) * tile->steps * p->operand_bytes * slots + sums;
}

// Blocks that a processor runs at the same time.
static int64_t residents(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile,
                         int64_t slots) {
  int64_t by_registers = device->registers / (registers_of(p, tile) * tile->threads);
  int64_t by_shared = device->shared_bytes_processor / (shared_of(p, tile, slots) + BLOCK_BYTES);
  int64_t by_threads = device->threads_resident / tile->threads;
  int64_t all = by_registers < by_shared ? by_registers : by_shared;
  return greatest(1, all < by_threads ? all : by_threads);
}

static int64_t tiles_of(const strata_problem_t *p, const shape_t *shape) {
  return ceil_div(p->rows, shape->rows) * ceil_div(p->columns, shape->columns) * p->batch;
}

static int64_t time_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  int64_t rate = p->mma ? (int64_t)p->mma->m * p->mma->n * p->mma->k / 2 : FMA_RATE;
  int64_t tiles = tiles_of(p, shape);
  int64_t steps = ceil_div(p->steps, tile->steps);
  int64_t work = shape->rows * shape->columns * steps * tile->steps / rate * 100 / shape->efficiency;
  int64_t store = shape->rows * shape->columns * (p->stored_bytes + 2) / STORE_RATE;
  int64_t busy = ceil_div(tiles, device->n_processors) * (work + store);
  int64_t rounds = ceil_div(tiles, device->n_processors * residents(device, p, tile, SLOTS));
  int64_t waiting = rounds * (steps * STEP_LATENCY + (tile->split > 1 ? COMBINE_LATENCY : 0));
  return greatest(busy, waiting) + busy / 8; // equal waiting: the less work the better
}

static bool fits(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  bool is_split_useful = tile->split == 1 || (tile->threads <= MAX_THREADS && tile->steps < 2 * p->steps &&
                                              tiles_of(p, tile->shape) <= 2 * device->n_processors);
  return is_split_useful && registers_of(p, tile) <= REGISTERS && shared_of(p, tile, SLOTS) <= device->shared_bytes;
}

// Where operands may be copied as they are: as many slots as leave room for the blocks that a processor runs anyway.
static int64_t slots_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  static const int64_t choices[] = {8, 4, 3};
  bool is_as_loaded = p->loaded_bytes == p->operand_bytes && !(p->mma && p->operand_bytes == 4); // tf32 is rounded
  if (!device->has_async_copy || !is_as_loaded || !(p->sides[0].is_wide || p->sides[1].is_wide))
    return 0;
  int64_t most = ceil_div(tiles_of(p, tile->shape), device->n_processors);
  int64_t blocks = residents(device, p, tile, SLOTS);
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    if (shared_of(p, tile, choices[i]) <= device->shared_bytes &&
        residents(device, p, tile, choices[i]) >= (most < blocks ? most : blocks))
      return choices[i];
  return SLOTS;
}

static strata_schedule_t schedule_of(const strata_gpu_device_t *device, const strata_problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  return (strata_schedule_t){.kind = "contract",
                             .threads = tile->threads,
                             .group = tile->threads,
                             .n_tile = 3,
                             .tile = {shape->rows, shape->columns, tile->steps},
                             .warps = {shape->warps[0], shape->warps[1]},
                             .slots = slots_of(device, p, tile),
                             .mma = strata_str(p->mma ? p->mma->name : "")};
}

bool strata_tiled_next(const strata_gpu_device_t *device, const strata_problem_t *p, tile_t *tile) {
  const shape_t *shapes = p->mma ? mma_shapes : fma_shapes;
  size_t n_shapes = p->mma ? sizeof mma_shapes / sizeof *mma_shapes : sizeof fma_shapes / sizeof *fma_shapes;
  while (!p->is_pair && tile->number < n_shapes * N_SPLITS) {
    size_t number = tile->number;
    *tile = tile_of(p, &shapes[number / N_SPLITS], (int64_t)1 << number % N_SPLITS);
    tile->number = number + 1;
    tile->cycles = time_of(device, p, tile);
    double slower = p->mma ? SLOWER : SLOWER_FMA;
    double busy = slower * (double)tile->cycles / CLOCK, memory = slower * p->traffic / (double)device->bandwidth;
    tile->seconds = LAUNCH_SECONDS + (busy > memory ? busy : memory);
    tile->schedule = schedule_of(device, p, tile);
    if (fits(device, p, tile))
      return true;
  }
  return false;
}

bool strata_tiled_choose(const strata_gpu_device_t *device, const strata_problem_t *p, tile_t *out) {
  bool found = false;
  for (tile_t tile = {0}; strata_tiled_next(device, p, &tile);) {
    if (!found || tile.cycles < out->cycles)
      *out = tile;
    found = true;
  }
  return found;
}
