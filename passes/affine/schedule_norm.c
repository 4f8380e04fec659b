// Products whose results' rows are reduced in the same kernel: the choice of tiles. See candidates.h for what is
// chosen.
//
// A row is that of a tile, or of the tiles of a cluster's blocks. Where the instruction's rows are the result's columns
// tiles may have any number of rows that is a multiple of 8: few clusters run at the same time, and so all do.
#include "passes/affine/pipelined.h"

#include "dialects/integers.h"

enum {
  LEAST_ROWS = 16, // of swapped tiles
  MOST_ROWS = 192,
  STEP_ROWS = 8,
  COLUMN_STEP = 32, // of a group
  MOST_COLUMNS = 256,
  N_SWAPPED = (MOST_ROWS - LEAST_ROWS) / STEP_ROWS + 1,
  N_PLAIN = MOST_COLUMNS / COLUMN_STEP,
};

// Tiles as the instruction sees them: |groups| of warps with |rows| in all; two with the same rows share columns.
static const struct { int64_t groups, rows; } sides[] = {{2, 64}, {2, 128}, {2, 256}, {2, 384}, {2, 512}, {1, 64}};

enum {
  N_SIDES = sizeof sides / sizeof *sides,
  N_CANDIDATES = N_SIDES * (N_SWAPPED + N_PLAIN),
  SPAN = 128, // bytes of a crossed operand
  MIN_SLOTS = 3,
};

enum { MOST_BLOCKS = STRATA_COSTS_MAX_CLUSTER, MOST_SUMS = 152 };

double strata_norm_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_norm_costs_t *costs = &problem->costs->norm;
  if (!p->row)
    return 0;
  double elements = (double)(p->shape.rows * p->shape.columns / p->shape.groups / STRATA_GROUP_THREADS);
  double crossed = p->swap ? costs->crossed * (double)p->shape.columns : 0;
  return problem->row_reductions * ((p->row > 1 ? costs->exchange : 0) + crossed + costs->combine * elements);
}

// False where there is none of this number.
static bool candidate_of(const strata_norm_costs_t *costs, size_t number, strata_pipelined_choice_t *out) {
  size_t side = number % N_SIDES, i = number / N_SIDES;
  int64_t groups = sides[side].groups, rows = sides[side].rows;
  bool swap = i >= N_PLAIN, is_across = rows < STRATA_GROUP_ROWS * groups;
  int64_t columns = swap ? LEAST_ROWS + (int64_t)(i - N_PLAIN) * STEP_ROWS : (int64_t)(i + 1) * COLUMN_STEP;
  strata_pipelined_shape_t shape = {1, groups, rows, is_across ? groups * columns : columns, (int64_t)costs->rate, 1};
  *out = strata_pipelined_single(shape, number + 1);
  out->swap = swap;
  return swap ? !is_across : rows <= STRATA_GROUP_ROWS * groups;
}

// Groups beside one another each begin at a span of a crossed operand.
static bool fits(const strata_gpu_device_t *device, const strata_problem_t *problem,
                 const strata_pipelined_choice_t *p) {
  int64_t own = p->shape.columns / p->shape.groups, sums = p->shape.rows * own / STRATA_GROUP_THREADS;
  bool is_across = p->shape.rows < STRATA_GROUP_ROWS * p->shape.groups;
  bool is_cut = problem->sides[STRATA_SIDE_V].is_crossed && own * problem->operand_bytes % SPAN != 0;
  bool is_bulk = problem->sides[STRATA_SIDE_U].is_read && problem->sides[STRATA_SIDE_V].is_read;
  return is_bulk && !(is_across && is_cut) && sums <= MOST_SUMS && p->row <= MOST_BLOCKS &&
         p->row <= device->max_cluster;
}

static bool next(const strata_work_t *w, strata_candidate_t *c) {
  bool is_tried = c->number > 0 || strata_pipelined_is_tried(w);
  while (is_tried && c->number < N_CANDIDATES)
    if (candidate_of(&w->product->costs->norm, c->number, &c->pipelined))
      return true;
  return false;
}

static bool predict(const strata_work_t *w, strata_candidate_t *c) {
  const strata_problem_t *problem = w->product;
  strata_pipelined_choice_t *p = &c->pipelined;
  p->row = strata_ceil_div(problem->columns, p->swap ? p->shape.rows : p->shape.columns);
  if (!fits(w->device, problem, p))
    return false;
  p->filled = (int64_t)problem->costs->norm.filled[p->row];
  return strata_pipelined_predict(w, c) && p->slots >= MIN_SLOTS;
}

const strata_ways_t strata_ways_norm = {next, predict, strata_pipelined_write, strata_pipelined_admits,
                                        strata_pipelined_explain};
