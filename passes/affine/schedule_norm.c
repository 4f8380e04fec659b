// Products whose results' rows are reduced in the same kernel: the choice of tiles. See norm.h, and problem.h for what
// is chosen.
//
// A row is that of a tile, or of the tiles of a cluster's blocks. Where the instruction's rows are the result's columns
// tiles may have any number of rows that is a multiple of 8: few clusters run at the same time, and so all do.
#include "passes/affine/norm.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/affine/pipelined.h"

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
  double elements = (double)(p->shape.rows * p->shape.columns / p->shape.groups / STRATA_PIPELINED_GROUP_THREADS);
  double crossed = p->swap ? costs->crossed * (double)p->shape.columns : 0;
  return problem->row_reductions * ((p->row > 1 ? costs->exchange : 0) + crossed + costs->combine * elements);
}

// False where there is none of this number.
static bool candidate_of(const strata_norm_costs_t *costs, size_t number, strata_pipelined_choice_t *out) {
  size_t side = number % N_SIDES, i = number / N_SIDES;
  int64_t groups = sides[side].groups, rows = sides[side].rows;
  bool swap = i >= N_PLAIN, is_across = rows < STRATA_PIPELINED_GROUP_ROWS * groups;
  int64_t columns = swap ? LEAST_ROWS + (int64_t)(i - N_PLAIN) * STEP_ROWS : (int64_t)(i + 1) * COLUMN_STEP;
  strata_pipelined_shape_t shape = {1, groups, rows, is_across ? groups * columns : columns, (int64_t)costs->rate};
  *out = strata_pipelined_single(shape, number + 1);
  out->swap = swap;
  return swap ? !is_across : rows <= STRATA_PIPELINED_GROUP_ROWS * groups;
}

// Groups beside one another each begin at a span of a crossed operand.
static bool fits(const strata_gpu_device_t *device, const strata_problem_t *problem,
                 const strata_pipelined_choice_t *p) {
  int64_t own = p->shape.columns / p->shape.groups, sums = p->shape.rows * own / STRATA_PIPELINED_GROUP_THREADS;
  bool is_across = p->shape.rows < STRATA_PIPELINED_GROUP_ROWS * p->shape.groups;
  bool is_cut = problem->sides[STRATA_SIDE_V].is_crossed && own * problem->operand_bytes % SPAN != 0;
  bool is_bulk = problem->sides[STRATA_SIDE_U].is_read && problem->sides[STRATA_SIDE_V].is_read;
  return is_bulk && !(is_across && is_cut) && sums <= MOST_SUMS && p->row <= MOST_BLOCKS &&
         p->row <= device->max_cluster;
}

bool strata_norm_next(const strata_gpu_device_t *device, const strata_problem_t *problem,
                      strata_pipelined_choice_t *p) {
  while (p->number < N_CANDIDATES) {
    bool exists = candidate_of(&problem->costs->norm, p->number, p);
    p->row = strata_ceil_div(problem->columns, p->swap ? p->shape.rows : p->shape.columns);
    if (!exists || !fits(device, problem, p))
      continue;
    p->filled = (int64_t)problem->costs->norm.filled[p->row];
    if (strata_pipelined_predict(device, problem, p) && p->slots >= MIN_SLOTS)
      return true;
  }
  return false;
}

strata_status_t strata_schedule_norm(const strata_gpu_contraction_t *q, const strata_problem_t *problem,
                                     strata_schedule_t *out, bool *out_taken) {
  strata_pipelined_choice_t choice;
  *out_taken = strata_pipelined_choose(q->device, problem, 1, &choice) > 0;
  if (!*out_taken)
    return NULL;
  *out = strata_pipelined_schedule(problem, &choice);
  MlirStringRef name = strata_attr_str(q->called->func, "sym_name");
  strata_explain(q->compile,
                 "product %.*s with %d reductions of rows: %lld x %lld x %lld: %lldx%lldx%lld, %lld slots, %lld tiles "
                 "in clusters of %lld%s: %.1f us (%s)",
                 (int)name.length, name.data, problem->row_reductions, (long long)problem->rows,
                 (long long)problem->columns, (long long)problem->steps, (long long)out->tile[0],
                 (long long)out->tile[1], (long long)out->tile[2], (long long)out->slots, (long long)choice.tiles,
                 (long long)choice.row, choice.swap ? ", swapped" : "", 1e6 * choice.seconds, choice.bound);
  return NULL;
}
