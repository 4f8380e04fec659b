// The candidates of attention on a cpu: rows of a tile, and the widths of its scores' and of its results'.
#include "dialects/integers.h"
#include "passes/affine/candidates.h"
#include "passes/affine/register_tile.h"

#include <inttypes.h>

enum { ROWS, COLUMNS, VALUES };

static bool next(const strata_work_t *work, strata_candidate_t *c) {
  (void)work;
  enum { WIDTHS = STRATA_REGISTER_TILE_VECTORS };
  return ++c->number <= (size_t)STRATA_REGISTER_TILE_ROWS * WIDTHS * WIDTHS;
}

// Half cycles of all steps; negative: registers hold no such tile.
static double product(const strata_tiling_t *t, int64_t rows, int64_t vectors, int64_t *out_width) {
  int64_t width = vectors * (t->machine.vector_bytes / 4);
  *out_width = strata_min(width, t->v);
  return strata_register_tile_fits(t, rows, width)
             ? (double)strata_register_tile_cost(t, rows, width) * (double)t->steps
             : -1;
}

static bool predict(const strata_work_t *work, strata_candidate_t *candidate) {
  const strata_cpu_attention_t *a = work->cpu_attention;
  strata_cpu_choice_t *c = &candidate->cpu;
  int64_t n = (int64_t)c->number - 1;
  int64_t columns = n % STRATA_REGISTER_TILE_VECTORS + 1;
  int64_t values = n / STRATA_REGISTER_TILE_VECTORS % STRATA_REGISTER_TILE_VECTORS + 1;
  c->tile[ROWS] = n / STRATA_REGISTER_TILE_VECTORS / STRATA_REGISTER_TILE_VECTORS + 1;
  double scores = product(&a->scores, c->tile[ROWS], columns, &c->tile[COLUMNS]);
  double results = product(&a->results, c->tile[ROWS], values, &c->tile[VALUES]);
  if (c->tile[ROWS] > a->scores.most_rows || scores < 0 || results < 0)
    return false;
  c->seconds = STRATA_CPU_HALF_CYCLE * (double)a->times * (scores + results);
  c->bound = "multiply-adds";
  return true;
}

static strata_schedule_t write(const strata_work_t *work, const strata_candidate_t *candidate) {
  (void)work;
  const int64_t *tile = candidate->cpu.tile;
  return (strata_schedule_t){.kind = STRATA_KERNEL_ATTENTION,
                             .n_tile = STRATA_ATTENTION_CPU_TILE,
                             .tile = {tile[ROWS], tile[COLUMNS], tile[VALUES]}};
}

static const char *explain(strata_arena_t *arena, const strata_work_t *work, const strata_candidate_t *candidate) {
  (void)work;
  const int64_t *tile = candidate->cpu.tile;
  return strata_arena_printf(arena, "%" PRId64 " rows, %" PRId64 " columns, %" PRId64 " values", tile[ROWS],
                             tile[COLUMNS], tile[VALUES]);
}

const strata_ways_t strata_ways_cpu_attention = {next, predict, write, strata_cpu_admits, explain};
