// Attention of few rows over many columns: tiles that leave processors idle are cut into parts of their columns, a task
// each, and a kernel behind puts the parts together (split_attention.c). See candidates.h.
#include "passes/affine/candidates.h"

#include "dialects/integers.h"

enum {
  FEW_ROWS = 64,   // of more the second product takes as long as keys and values
  MOST_PARTS = 64, // of which the kernel behind has code for each
  FLOAT_BYTES = 4,
};

bool strata_attention_split(const strata_gpu_device_t *device, const strata_attention_problem_t *p, int way,
                            strata_attention_choice_t *c) {
  int64_t tiles = strata_ceil_div(p->rows, c->rows) * p->batch, blocks = strata_ceil_div(p->long_columns, c->columns);
  int64_t wanted = strata_min(way * device->n_processors / tiles, strata_min(blocks, MOST_PARTS));
  int64_t fewer = strata_min((way - 1) * device->n_processors / tiles, strata_min(blocks, MOST_PARTS));
  c->parts = strata_max(wanted, 1);
  c->tasks = tiles * c->parts;
  return way == 0 || (wanted > strata_max(fewer, 1) && p->rows < FEW_ROWS && !p->has_variants &&
                      strata_attention_may_split(&p->attention, c->rows, c->columns, wanted));
}

int64_t strata_attention_splits(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  return c->parts > 1 || p->attention.joint ? c->parts : 0;
}

double strata_attention_sum_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                                    const strata_attention_choice_t *c) {
  double elements = (double)(c->parts * p->batch * p->rows * (p->value + 2));
  if (!strata_attention_splits(p, c))
    return 0;
  const strata_attention_costs_t *costs = &device->costs->attention;
  return costs->sum_seconds + (double)c->parts * costs->part_seconds +
         2 * elements * FLOAT_BYTES / (double)device->bandwidth;
}
