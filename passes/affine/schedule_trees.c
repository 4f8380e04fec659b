// Decision trees (dialects/affine/trees.h): rows of a task, of which some go down a tree at once.
#include "dialects/affine/trees.h"
#include "dialects/integers.h"
#include "passes/affine/kinds.h"

// Fewer rows where there are few, so that all threads get some.
static int64_t window_of(const strata_trees_t *trees) {
  enum { ENOUGH_TASKS = 32 };
  int64_t rows;
  if (!strata_size_is_constant(trees->n_rows, &rows))
    return STRATA_TREES_WINDOW;
  rows = strata_times(rows, trees->groups) / ENOUGH_TASKS;
  return strata_min(STRATA_TREES_WINDOW, strata_round_up(strata_max(rows, 1), STRATA_TREES_LANES));
}

strata_status_t strata_cpu_trees(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_trees_t trees;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_TREES, .n_tile = 2};
  *out_taken = strata_trees_read(s->kernel, &trees);
  out->tile[0] = *out_taken ? window_of(&trees) : 0;
  out->tile[1] = STRATA_TREES_LANES;
  return NULL;
}
