// Pipelined products on multiply-adds: the choice of a block's tile. See problem.h.
//
// Two groups of warps, each thread with 16 x 8 sums, do nothing but multiply and read operands from shared memory: six
// reads of 16 bytes to 128 multiply-adds. What bounds them is the register file, which gives two banks' operands a
// cycle. Smaller tiles are left to products staged by the threads that multiply them (schedule_tiled.c).
#include "passes/affine/pipelined.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>

enum {
  GROUPS = 2,
  PRODUCERS = 128,
  WARP_ROWS = 64,
  WARP_COLUMNS = 64,
  STEP = 16,
  MIN_SLOTS = 2,
  MAX_SLOTS = 8,
};

// Adds the tiles of one of the launch's products: their number, and the cycles of all.
static bool add_tiles(const strata_problem_t *problem, strata_pipelined_choice_t *p, double *cycles) {
  const strata_fma_costs_t *costs = &problem->costs->fma;
  int64_t rows = p->shape.rows, columns = p->shape.columns;
  if (!strata_problem_boxes(problem, STRATA_SIDE_U, rows, STEP) ||
      !strata_problem_boxes(problem, STRATA_SIDE_V, columns, STEP))
    return false;
  int64_t tiles = strata_ceil_div(problem->rows, rows) * strata_ceil_div(problem->columns, columns) * problem->batch;
  double steps = (double)strata_round_up(problem->steps, STEP);
  *cycles += (double)tiles * (steps * (double)(rows * columns / (int64_t)costs->rate) * costs->slower + costs->tile);
  p->tiles += tiles;
  return true;
}

static bool predict(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_pipelined_choice_t *p) {
  const strata_fma_costs_t *costs = &problem->costs->fma;
  int64_t slot_bytes = (p->shape.rows + p->shape.columns) * STEP * problem->operand_bytes;
  double cycles = 0, memory = 0;
  for (const strata_problem_t *each = problem; each; each = each->next) {
    if (!each->bulk_adds || !add_tiles(each, p, &cycles))
      return false;
    memory += each->traffic / (double)device->bandwidth;
  }
  p->slots = strata_min((device->shared_bytes - STRATA_PIPELINED_BARRIER_BYTES) / slot_bytes, MAX_SLOTS);
  p->blocks = strata_min(p->tiles, device->n_processors);
  double busy = (double)strata_ceil_div(p->tiles, device->n_processors) * (cycles / (double)p->tiles) / costs->clock;
  p->seconds = costs->launch_seconds + fmax(busy, memory);
  p->bound = busy > memory ? "multiply-adds" : "memory";
  return p->slots >= MIN_SLOTS;
}

bool strata_fma_next(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_pipelined_choice_t *p) {
  const strata_gpu_tiles_t *tiles = &problem->costs->tiles;
  while (!problem->is_pair && p->number < (size_t)tiles->n_pipelined_fma) {
    size_t number = p->number;
    *p = strata_pipelined_single(tiles->pipelined_fma[number], number + 1);
    strata_pipelined_set_tile(problem, p);
    if (predict(device, problem, p))
      return true;
  }
  return false;
}

strata_schedule_t strata_fma_schedule(const strata_pipelined_choice_t *choice) {
  const strata_pipelined_shape_t *shape = &choice->shape;
  return (strata_schedule_t){.kind = "contract",
                             .threads = GROUPS * STRATA_PIPELINED_GROUP_THREADS,
                             .group = GROUPS * STRATA_PIPELINED_GROUP_THREADS,
                             .n_tile = 3,
                             .tile = {shape->rows, shape->columns, STEP},
                             .warps = {shape->rows / WARP_ROWS, shape->columns / WARP_COLUMNS},
                             .mma = strata_str(""),
                             .producers = PRODUCERS,
                             .slots = choice->slots,
                             .blocks = choice->blocks};
}
