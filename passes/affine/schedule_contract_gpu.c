// Contractions on GPUs: the tile of a block, its warps and its matrix instruction. See schedule_gpu.h.
//
// The time of a kernel is modelled as that of its fullest processor: its tiles, each as long as its multiply-adds,
// divided by how much of the processor's rate tiles of that shape reach (small tiles read more from shared memory and
// the second-level cache for every multiply-add). The least time wins.
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
  MIN_SIDE = 8, // rows and columns below which rows of the result are computed one by one
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
} tile_t;

static const tile_t mma_tiles[] = {
    {128, 128, {2, 2}, 100}, {128, 128, {2, 4}, 95}, {128, 64, {2, 2}, 85}, {64, 128, {2, 2}, 85}, {64, 64, {2, 2}, 65},
    {128, 32, {4, 1}, 55},   {32, 128, {1, 4}, 55},  {64, 32, {2, 1}, 40},  {32, 64, {1, 2}, 40},  {32, 32, {1, 1}, 25},
};

static const tile_t fma_tiles[] = {
    {128, 128, {4, 2}, 100}, {128, 64, {4, 2}, 90}, {64, 128, {2, 4}, 90}, {64, 64, {2, 2}, 80},
    {64, 32, {4, 1}, 55},    {32, 64, {2, 2}, 55},  {32, 32, {2, 1}, 50},
};

static int64_t steps_of(const problem_t *p, const tile_t *tile) {
  if (!p->mma) {
    int64_t steps = MIN_FMA_STEPS;
    while (steps < FMA_STEPS && steps < p->steps)
      steps *= 2;
    return steps;
  }
  int64_t bytes = tile->rows * tile->columns <= 64 * 64 ? STEP_BYTES_SMALL : STEP_BYTES;
  return p->steps * p->operand_bytes <= STEP_BYTES ? STEP_BYTES / p->operand_bytes : bytes / p->operand_bytes;
}

// The registers of a thread: sums, what is loaded ahead, fragments.
static int64_t registers_of(const problem_t *p, const tile_t *tile) {
  int64_t threads = tile->warps[0] * tile->warps[1] * WARP, steps = steps_of(p, tile);
  int64_t rows = tile->rows / tile->warps[0], columns = tile->columns / tile->warps[1];
  int64_t sums = rows * columns / WARP * ceil_div(p->sum_bytes, 4);
  int64_t loaded = (tile->rows + tile->columns) * steps * p->loaded_bytes / 4 / threads;
  int64_t fragments = p->mma ? (rows + columns) / 4 : (rows / 4 + columns / 8) * ceil_div(p->sum_bytes, 4);
  return sums + loaded + fragments + OTHER_REGISTERS;
}

static int64_t time_of(const strata_gpu_device_t *device, const problem_t *p, const tile_t *tile) {
  int64_t tiles = ceil_div(p->rows, tile->rows) * ceil_div(p->columns, tile->columns) * p->batch;
  return ceil_div(tiles, device->n_processors) * tile->rows * tile->columns * 100 / tile->efficiency;
}

static bool fits(const strata_gpu_device_t *device, const problem_t *p, const tile_t *tile) {
  enum { SLOTS = 2 };
  int64_t shared = (tile->rows + tile->columns) * steps_of(p, tile) * p->operand_bytes * SLOTS;
  return registers_of(p, tile) <= REGISTERS && shared <= device->shared_bytes;
}

static const tile_t *choose_tile(const strata_gpu_device_t *device, const problem_t *p) {
  const tile_t *tiles = p->mma ? mma_tiles : fma_tiles, *best = NULL;
  size_t n_tiles = p->mma ? sizeof mma_tiles / sizeof *mma_tiles : sizeof fma_tiles / sizeof *fma_tiles;
  for (size_t i = 0; i < n_tiles; i++)
    if (fits(device, p, &tiles[i]) && (!best || time_of(device, p, &tiles[i]) < time_of(device, p, best)))
      best = &tiles[i];
  return best;
}

//===-- Packing --------------------------------------------------------------------------------------------------===//

enum { VECTOR = 8 }; // elements that should lie beside one another

// True if loads along some dim that only the side has, or that is reduced, are of neighbours.
static bool is_contiguous(const strata_contraction_kernel_t *c, int side) {
  uint32_t other = c->sides[1 - side].dims;
  for (int dim = 0; dim < c->nest->n_parallel + c->nest->n_reduction; dim++) {
    bool is_tiled = dim >= c->nest->n_parallel || !(other & 1u << dim);
    int64_t stride;
    if (is_tiled && c->nest->extents[dim] >= VECTOR &&
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
  const tile_t *tile = choose_tile(contraction->device, &problem);
  *out_taken = tile && problem.rows >= MIN_SIDE && problem.columns >= MIN_SIDE;
  if (!*out_taken)
    return NULL;
  int64_t threads = tile->warps[0] * tile->warps[1] * WARP;
  *out_schedule = (strata_schedule_t){.kind = "contract",
                                      .threads = threads,
                                      .group = threads,
                                      .n_tile = 3,
                                      .tile = {tile->rows, tile->columns, steps_of(&problem, tile)},
                                      .warps = {tile->warps[0], tile->warps[1]}};
  if (problem.mma)
    out_schedule->mma = strata_str(problem.mma->name);
  return pack_constants(contraction);
}
