// Contractions on GPUs: the tile of a block, its warps and its matrix instruction. See schedule_gpu.h.
//
// The time of a kernel is modelled as that of its fullest processor: its tiles, each as long as its multiply-adds,
// divided by how much of the processor's rate tiles of that shape reach (small tiles read more from shared memory and
// the second-level cache for every multiply-add); but not less than its steps one after the other take, each as long as
// memory is away. Several warps that share a tile and split its steps make fewer of them. The least time wins.
//
// A constant operand that is not contiguous along any of its tiled dims (a convolution's weights as frameworks store
// them) is packed by a kernel of its own, which split-prepare then takes out of @main.
#include "dialects/mlir_util.h"
#include "passes/affine/pack.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/mma.h"

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
  SLOTS = 2,             // of each operand in shared memory
  MAX_SPLIT = 8,
  MAX_THREADS = 256, // of a block with a split
  MIN_SIDE = 8,      // rows and columns below which rows of the result are computed one by one
};

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

//===-- What is multiplied ---------------------------------------------------------------------------------------===//

typedef struct {
  int64_t rows, columns, steps, batch;
  const strata_mma_t *mma;
  int64_t operand_bytes; // of an element in shared memory
  int64_t loaded_bytes;  // of an element of the wider operand in memory
  int64_t sum_bytes;
} problem_t;

static int64_t bytes_of(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type) / 8;
  return mlirTypeIsAInteger(type) ? (mlirIntegerTypeGetWidth(type) + 7) / 8 : 8;
}

// The instruction for the operands' type. Operands of f32 are multiplied as they are unless tf32 was asked for.
static const strata_mma_t *choose_mma(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  MlirType types[2], sum = strata_contraction_sum_type(c);
  for (int side = 0; side < 2; side++)
    types[side] = mlirValueGetType(strata_contraction_narrow(c, side));
  bool is_f32 = mlirTypeIsAF32(types[0]);
  if (q->compile->options->disable_tensor_core || !mlirTypeEqual(types[0], types[1]) ||
      (is_f32 && q->compile->options->precision != STRATA_PRECISION_TF32))
    return NULL;
  return strata_mma_find(q->device, types[0], sum);
}

static problem_t read_problem(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  problem_t p = {.rows = 1, .columns = 1, .batch = 1, .steps = c->n_reduced, .mma = choose_mma(q)};
  uint32_t u = c->sides[STRATA_SIDE_U].dims, v = c->sides[STRATA_SIDE_V].dims;
  for (int dim = 0; dim < c->nest->n_parallel; dim++) {
    uint32_t bit = 1u << dim;
    *(((u ^ v) & bit) == 0 ? &p.batch : u & bit ? &p.rows : &p.columns) *= c->nest->extents[dim];
  }
  p.sum_bytes = bytes_of(strata_contraction_sum_type(c));
  for (int side = 0; side < 2; side++) {
    MlirValue factor = p.mma ? strata_contraction_narrow(c, side) : c->sides[side].factor;
    p.operand_bytes = greatest(p.operand_bytes, bytes_of(mlirValueGetType(factor)));
    MlirType memory = mlirShapedTypeGetElementType(mlirValueGetType(c->sides[side].access->buffer));
    p.loaded_bytes = greatest(p.loaded_bytes, bytes_of(memory));
  }
  return p;
}

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

// Tiles to choose from. Efficiency is in percent of the rate of the best.
typedef struct {
  int64_t rows, columns, warps[2], efficiency;
} shape_t;

static const shape_t mma_shapes[] = {
    {128, 128, {2, 2}, 100}, {128, 128, {2, 4}, 95}, {128, 64, {2, 2}, 85}, {64, 128, {2, 2}, 85}, {64, 64, {2, 2}, 65},
    {128, 32, {4, 1}, 55},   {32, 128, {1, 4}, 55},  {64, 32, {2, 1}, 40},  {32, 64, {1, 2}, 40},  {32, 32, {1, 1}, 25},
};

static const shape_t fma_shapes[] = {
    {128, 128, {4, 2}, 100}, {128, 64, {4, 2}, 90}, {64, 128, {2, 4}, 90}, {64, 64, {2, 2}, 80},
    {64, 32, {4, 1}, 55},    {32, 64, {2, 2}, 55},  {32, 32, {2, 1}, 50},
};

typedef struct {
  const shape_t *shape;
  int64_t split, steps, threads;
} tile_t;

// Steps that one warp of a split takes at once.
static int64_t steps_of(const problem_t *p, const shape_t *shape) {
  if (!p->mma) {
    int64_t steps = MIN_FMA_STEPS;
    while (steps < FMA_STEPS && steps < p->steps)
      steps *= 2;
    return steps;
  }
  int64_t bytes = shape->rows * shape->columns <= 64 * 64 ? STEP_BYTES_SMALL : STEP_BYTES;
  return p->steps * p->operand_bytes <= STEP_BYTES ? STEP_BYTES / p->operand_bytes : bytes / p->operand_bytes;
}

static tile_t tile_of(const problem_t *p, const shape_t *shape, int64_t split) {
  int64_t steps = steps_of(p, shape);
  if (split > 1 && p->mma)
    steps = STEP_BYTES / p->operand_bytes;
  return (tile_t){shape, split, steps * split, shape->warps[0] * shape->warps[1] * split * WARP};
}

// The registers of a thread: sums, what is loaded ahead, fragments.
static int64_t registers_of(const problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  int64_t rows = shape->rows / shape->warps[0], columns = shape->columns / shape->warps[1];
  int64_t sums = rows * columns / WARP * ceil_div(p->sum_bytes, 4);
  int64_t loaded = (shape->rows + shape->columns) * tile->steps * p->loaded_bytes / 4 / tile->threads;
  int64_t fragments = p->mma ? (rows + columns) / 4 : (rows / 4 + columns / 8) * ceil_div(p->sum_bytes, 4);
  return sums + loaded + fragments + OTHER_REGISTERS;
}

static int64_t shared_of(const problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  int64_t sums = tile->split > 1 ? shape->rows * shape->columns * p->sum_bytes * tile->split : 0;
  return (shape->rows + shape->columns) * tile->steps * p->operand_bytes * SLOTS + sums;
}

// Blocks that a processor runs at the same time.
static int64_t residents(const strata_gpu_device_t *device, const problem_t *p, const tile_t *tile) {
  int64_t by_registers = device->registers / (registers_of(p, tile) * tile->threads);
  int64_t by_shared = device->shared_bytes_processor / shared_of(p, tile);
  int64_t by_threads = device->threads_resident / tile->threads;
  int64_t all = by_registers < by_shared ? by_registers : by_shared;
  return greatest(1, all < by_threads ? all : by_threads);
}

static int64_t tiles_of(const problem_t *p, const shape_t *shape) {
  return ceil_div(p->rows, shape->rows) * ceil_div(p->columns, shape->columns) * p->batch;
}

static int64_t time_of(const strata_gpu_device_t *device, const problem_t *p, const tile_t *tile) {
  const shape_t *shape = tile->shape;
  int64_t rate = p->mma ? (int64_t)p->mma->m * p->mma->n * p->mma->k / 2 : FMA_RATE;
  int64_t tiles = tiles_of(p, shape);
  int64_t steps = ceil_div(p->steps, tile->steps);
  int64_t work = shape->rows * shape->columns * steps * tile->steps / rate * 100 / shape->efficiency;
  int64_t busy = ceil_div(tiles, device->n_processors) * work;
  int64_t rounds = ceil_div(tiles, device->n_processors * residents(device, p, tile));
  int64_t waiting = rounds * (steps * STEP_LATENCY + (tile->split > 1 ? COMBINE_LATENCY : 0));
  return greatest(busy, waiting) + busy / 8; // equal waiting: the less work the better
}

static bool fits(const strata_gpu_device_t *device, const problem_t *p, const tile_t *tile) {
  bool is_split_useful = tile->split == 1 || (tile->threads <= MAX_THREADS && tile->steps < 2 * p->steps &&
                                              tiles_of(p, tile->shape) <= 2 * device->n_processors);
  return is_split_useful && registers_of(p, tile) <= REGISTERS && shared_of(p, tile) <= device->shared_bytes;
}

static bool choose_tile(const strata_gpu_device_t *device, const problem_t *p, tile_t *out_tile) {
  const shape_t *shapes = p->mma ? mma_shapes : fma_shapes;
  size_t n_shapes = p->mma ? sizeof mma_shapes / sizeof *mma_shapes : sizeof fma_shapes / sizeof *fma_shapes;
  bool found = false;
  for (size_t i = 0; i < n_shapes; i++)
    for (int64_t split = 1; split <= MAX_SPLIT; split *= 2) {
      tile_t tile = tile_of(p, &shapes[i], split);
      if (!fits(device, p, &tile) || (found && time_of(device, p, &tile) >= time_of(device, p, out_tile)))
        continue;
      *out_tile = tile;
      found = true;
    }
  return found;
}

//===-- Packing --------------------------------------------------------------------------------------------------===//

enum { VECTOR = 8 }; // elements that should lie beside one another

// True if loads along some dim that only the side has, or that is reduced, are of neighbours.
static bool is_contiguous(const strata_contraction_kernel_t *c, int side) {
  uint32_t other = c->sides[1 - side].dims;
  for (int dim = 0; dim < c->nest->n_parallel + c->nest->n_reduction; dim++) {
    bool is_tiled = dim >= c->nest->n_parallel || !(other & 1u << dim);
    int64_t stride;
    if (is_tiled && c->nest->extents[dim] % VECTOR == 0 &&
        strata_access_stride(c->nest, c->sides[side].access, dim, &stride) && stride == 1)
      return true;
  }
  return false;
}

static strata_status_t pack_constants(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  for (int side = 0; side < 2; side++) {
    int dim = c->sides[side].tile_dim;
    if (dim == STRATA_NO_DIM || !strata_contraction_is_plain(c, side) || is_contiguous(c, side) ||
        !strata_pack_is_constant(q->calls, q->called, c, side))
      continue;
    return strata_pack_side(q->compile, q->called, c, side, ceil_div(c->nest->extents[dim], VECTOR) * VECTOR);
  }
  return NULL;
}

strata_status_t strata_schedule_contract_gpu(const strata_gpu_contraction_t *contraction,
                                             strata_schedule_t *out_schedule, bool *out_taken) {
  problem_t problem = read_problem(contraction);
  tile_t tile;
  *out_taken =
      problem.rows >= MIN_SIDE && problem.columns >= MIN_SIDE && choose_tile(contraction->device, &problem, &tile);
  if (!*out_taken)
    return NULL;
  const shape_t *shape = tile.shape;
  *out_schedule = (strata_schedule_t){.kind = "contract",
                                      .threads = tile.threads,
                                      .group = tile.threads,
                                      .n_tile = 3,
                                      .tile = {shape->rows, shape->columns, tile.steps},
                                      .warps = {shape->warps[0], shape->warps[1]}};
  if (problem.mma)
    out_schedule->mma = strata_str(problem.mma->name);
  return pack_constants(contraction);
}
