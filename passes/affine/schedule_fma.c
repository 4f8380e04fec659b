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

static bool predict(const strata_work_t *w, strata_candidate_t *c) {
  const strata_gpu_device_t *device = w->device;
  const strata_problem_t *problem = w->product;
  strata_pipelined_choice_t *p = &c->pipelined;
  const strata_fma_costs_t *costs = &problem->costs->fma;
  strata_pipelined_set_tile(problem, p);
  p->step = STEP;
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
  return p->slots >= MIN_SLOTS && strata_pipelined_correct(w, p);
}

static bool next(const strata_work_t *w, strata_candidate_t *c) {
  const strata_gpu_tiles_t *tiles = &w->product->costs->tiles;
  size_t number = c->number;
  if (w->product->is_pair || number == (size_t)tiles->n_pipelined_fma)
    return false;
  c->pipelined = strata_pipelined_single(tiles->pipelined_fma[number], number + 1);
  return true;
}

static strata_schedule_t write(const strata_work_t *w, const strata_candidate_t *c) {
  strata_schedule_t schedule = strata_pipelined_write(w, c);
  schedule.warps[0] = c->pipelined.shape.rows / WARP_ROWS;
  schedule.warps[1] = c->pipelined.shape.columns / WARP_COLUMNS;
  return schedule;
}

const strata_ways_t strata_ways_fma = {next, predict, write, strata_pipelined_admits, strata_pipelined_explain};
