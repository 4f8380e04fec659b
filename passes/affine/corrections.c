// Facts of products and of candidates for them, and what they say of the models; see devices/gpu/corrections.h.
#include "dialects/integers.h"
#include "passes/affine/pipelined.h"

#include <math.h>

typedef struct {
  const strata_gpu_device_t *device;
  const strata_problem_t *problem;
  const strata_pipelined_choice_t *choice;
} question_t;

//===-- Of products ----------------------------------------------------------------------------------------------===//

static int greater_side(const strata_problem_t *p) { return p->rows > p->columns ? STRATA_SIDE_U : STRATA_SIDE_V; }

static double elements_of(const strata_problem_t *p, int side) {
  return (double)strata_problem_extent(p, side) * (double)(p->steps * p->batch);
}

static double lesser(const question_t *q) {
  return (double)strata_problem_extent(q->problem, 1 - greater_side(q->problem));
}

static double greater(const question_t *q) {
  return (double)strata_problem_extent(q->problem, greater_side(q->problem));
}

static double steps(const question_t *q) { return (double)q->problem->steps; }

static double batch(const question_t *q) { return (double)q->problem->batch; }

static double results(const question_t *q) {
  return (double)q->problem->rows * (double)q->problem->columns * (double)q->problem->batch;
}

static double work(const question_t *q) {
  const strata_problem_t *p = q->problem;
  return (double)p->rows * (double)p->columns * (double)p->steps * (double)p->batch;
}

static double traffic(const question_t *q) { return q->problem->traffic; }

static double bulk(const question_t *q) { return q->problem->sides[0].is_read && q->problem->sides[1].is_read; }

static double crossed(const question_t *q) { return q->problem->sides[greater_side(q->problem)].is_crossed; }

static double both_crossed(const question_t *q) {
  return q->problem->sides[STRATA_SIDE_U].is_crossed && q->problem->sides[STRATA_SIDE_V].is_crossed;
}

static double along(const question_t *q) { return q->problem->sides[greater_side(q->problem)].is_along; }

static double lesser_along(const question_t *q) { return q->problem->sides[1 - greater_side(q->problem)].is_along; }

static double of_cache(const question_t *q) {
  int side = greater_side(q->problem);
  double bytes = elements_of(q->problem, side) * (double)q->problem->sides[side].loaded_bytes;
  return bytes / (double)q->device->l2_bytes;
}

static double window(const question_t *q) { return strata_problem_has_window(q->problem); }

static double slow_rows(const question_t *q) { return strata_problem_has_slow_rows(q->problem); }

//===-- Of candidates --------------------------------------------------------------------------------------------===//

static double parts(const question_t *q) { return (double)q->choice->parts; }

// A block's, of those that share them.
static double part_steps(const question_t *q) {
  return (double)strata_pipelined_steps_of_tile(q->problem, q->choice) / (double)q->choice->parts;
}

static double cluster(const question_t *q) { return (double)strata_pipelined_cluster(q->choice); }

static double shared_rows(const question_t *q) { return (double)q->choice->share[STRATA_SIDE_U]; }

static double shared_columns(const question_t *q) { return (double)q->choice->share[STRATA_SIDE_V]; }

static double row_blocks(const question_t *q) { return (double)q->choice->row; }

static double every(const question_t *q) { return (double)q->choice->every; }

static double stream(const question_t *q) { return q->choice->stream; }

static double tile_steps(const question_t *q) { return (double)strata_pipelined_steps_of_tile(q->problem, q->choice); }

static double share_steps(const question_t *q) {
  return fmin(tile_steps(q), (double)strata_pipelined_share(q->device, q->problem, q->choice));
}

static double tile_blocks(const question_t *q) {
  return tile_steps(q) / (double)strata_pipelined_share(q->device, q->problem, q->choice);
}

static double rounds(const question_t *q) { return (double)q->choice->tiles / (double)q->choice->blocks; }

static double fill(const question_t *q) { return (double)q->choice->tiles / (double)q->device->n_processors; }

static double left_read(const question_t *q) { return strata_pipelined_reads_left(q->problem, q->choice); }

static double memory(const question_t *q) {
  const strata_problem_t *p = q->problem;
  double bytes = elements_of(p, greater_side(p)) * (double)p->operand_bytes;
  return bytes / (double)q->device->bandwidth / q->choice->seconds;
}

static double readers(const question_t *q) {
  int side = 1 - greater_side(q->problem);
  return (double)strata_ceil_div(strata_problem_extent(q->problem, side),
                                 strata_pipelined_slot_rows(q->choice, side) * q->choice->share[side]);
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static double (*const facts[STRATA_N_FACTS])(const question_t *) = {
    [STRATA_FACT_LESSER] = lesser,
    [STRATA_FACT_GREATER] = greater,
    [STRATA_FACT_STEPS] = steps,
    [STRATA_FACT_BATCH] = batch,
    [STRATA_FACT_RESULTS] = results,
    [STRATA_FACT_WORK] = work,
    [STRATA_FACT_TRAFFIC] = traffic,
    [STRATA_FACT_BULK] = bulk,
    [STRATA_FACT_CROSSED] = crossed,
    [STRATA_FACT_BOTH_CROSSED] = both_crossed,
    [STRATA_FACT_ALONG] = along,
    [STRATA_FACT_LESSER_ALONG] = lesser_along,
    [STRATA_FACT_OF_CACHE] = of_cache,
    [STRATA_FACT_WINDOW] = window,
    [STRATA_FACT_SLOW_ROWS] = slow_rows,
    [STRATA_FACT_PARTS] = parts,
    [STRATA_FACT_PART_STEPS] = part_steps,
    [STRATA_FACT_CLUSTER] = cluster,
    [STRATA_FACT_SHARED_ROWS] = shared_rows,
    [STRATA_FACT_SHARED_COLUMNS] = shared_columns,
    [STRATA_FACT_ROW_BLOCKS] = row_blocks,
    [STRATA_FACT_EVERY] = every,
    [STRATA_FACT_STREAM] = stream,
    [STRATA_FACT_TILE_STEPS] = tile_steps,
    [STRATA_FACT_SHARE_STEPS] = share_steps,
    [STRATA_FACT_TILE_BLOCKS] = tile_blocks,
    [STRATA_FACT_ROUNDS] = rounds,
    [STRATA_FACT_FILL] = fill,
    [STRATA_FACT_LEFT_READ] = left_read,
    [STRATA_FACT_MEMORY] = memory,
    [STRATA_FACT_READERS] = readers,
};

static bool is_so(const question_t *q, const strata_limit_t *limit) {
  double value = facts[limit->fact](q);
  switch (limit->relation) {
  case STRATA_IS_BELOW:
    return value < limit->value;
  case STRATA_IS_UP_TO:
    return value <= limit->value;
  case STRATA_IS_FROM:
    return value >= limit->value;
  case STRATA_IS_ABOVE:
    return value > limit->value;
  }
  return false;
}

static bool is_of_class(const question_t *q, const strata_correction_t *row) {
  for (int i = 0; i < row->n; i++)
    if (!is_so(q, &row->limits[i]))
      return false;
  return true;
}

double strata_problem_correction(const strata_gpu_device_t *device, const strata_problem_t *problem,
                                 const strata_pipelined_choice_t *choice, strata_corrects_t corrects) {
  const strata_corrections_t *all = &problem->costs->corrections;
  const question_t question = {device, problem, choice};
  double factor = 1;
  for (int i = 0; i < all->n; i++)
    if (all->rows[i].corrects == corrects && is_of_class(&question, &all->rows[i]))
      factor *= all->factors[i];
  return factor;
}

const char *strata_problem_obstacle(const strata_gpu_device_t *device, const strata_problem_t *problem,
                                    const strata_pipelined_choice_t *choice, strata_corrects_t corrects) {
  const strata_corrections_t *all = &problem->costs->corrections;
  const question_t question = {device, problem, choice};
  for (int i = 0; i < all->n; i++)
    if (all->rows[i].corrects == corrects && isinf(all->factors[i]) && is_of_class(&question, &all->rows[i]))
      return all->rows[i].name;
  return NULL;
}
