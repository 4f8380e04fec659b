// The candidates of a product on a cpu: register tiles, operands that are packed or not, and how tasks are cut.
//
// The model's time is that of the register tiles (register_tile.h), and of the operands' reads (product_tasks.h), at a
// cycle of a third of a nanosecond: it is for their order.
#include "dialects/integers.h"
#include "passes/affine/candidates.h"
#include "passes/affine/product_tasks.h"

#include <inttypes.h>
#include <math.h>

enum {
  U = STRATA_SIDE_U,
  V = STRATA_SIDE_V,
  N_PANELS = 2, // the model's, or the other
  N_PACKED = 2,
  N_RUNS = 9,
};

typedef strata_cpu_choice_t choice_t;

static bool models_panels(const strata_cpu_product_t *p, const strata_schedule_t *schedule) {
  return p->may_have_panels &&
         (p->is_constant || strata_product_wants_panels(&p->contraction, schedule, p->tiling.machine.l2_bytes));
}

static bool has_panels(const strata_cpu_product_t *p, const strata_schedule_t *schedule) {
  return schedule->panels ? schedule->panels == 1 : models_panels(p, schedule);
}

// The tasks, as they are with panels where there are some.
static strata_product_tasks_t tasks_of(const strata_cpu_product_t *p, const strata_schedule_t *schedule) {
  strata_product_tasks_t tasks = strata_product_tasks(&p->contraction, schedule, p->tiling.machine.l2_bytes);
  if (has_panels(p, schedule)) {
    tasks.is_packed[V] = false;
    tasks.element_cost[V] = 1;
  }
  return tasks;
}

static bool packs_rows_anyway(const strata_cpu_product_t *p, const strata_schedule_t *schedule) {
  strata_schedule_t other = *schedule;
  other.packs_rows = false;
  return tasks_of(p, &other).is_packed[U];
}

//===-- Runs -----------------------------------------------------------------------------------------------------===//

// Number |number| of the ways to cut the tasks; 0: the model's.
static void cut(const strata_product_tasks_t *t, const int64_t *models, int number, int64_t *out) {
  const int64_t all = strata_max(1, t->extents[V] / t->tile[V]);
  const int64_t columns[N_RUNS] = {models[V], 2 * models[V], 4 * models[V], models[V] / 2, models[V] / 4, all,
                                   1,         models[V],     models[V]};
  int64_t rows = number == N_RUNS - 2 ? 2 * models[U] : number == N_RUNS - 1 ? 4 * models[U] : models[U];
  out[V] = strata_product_n_runs(t, V, columns[number]);
  bool is_same = out[V] == strata_product_n_runs(t, V, models[V]);
  out[U] = strata_product_n_runs(t, U, is_same ? rows : strata_ceil_div(t->pieces, out[V]));
}

// False where another number is the same.
static bool choose_runs(const strata_product_tasks_t *t, int number, int64_t *out, int64_t *out_effective) {
  int64_t models[2], before[2];
  strata_product_runs(t, &(strata_schedule_t){.runs = {0, 0}}, models);
  cut(t, models, number, out_effective);
  for (int i = 0; i < number; i++) {
    cut(t, models, i, before);
    if (before[U] == out_effective[U] && before[V] == out_effective[V])
      return false;
  }
  out[U] = number ? out_effective[U] : 0;
  out[V] = number ? out_effective[V] : 0;
  return true;
}

//===-- Time -----------------------------------------------------------------------------------------------------===//

// Half cycles for reads outside the register tiles' loops, packing among them.
static double reading(const strata_cpu_product_t *p, const strata_product_tasks_t *t, const strata_schedule_t *s,
                      const int64_t *runs) {
  enum { READ = 4, BY_KERNEL = 3 }; // half cycles of a vector; reads of an element that goes through a kernel's panels
  double bytes[2], vectors = 0;
  for (int side = U; side <= V; side++)
    bytes[side] = 4.0 * (double)t->extents[side] * (double)t->n_reduced;
  vectors += (double)runs[U] * bytes[V] * (double)t->element_cost[V];
  vectors += (double)runs[V] * bytes[U] * (double)t->element_cost[U];
  double run = bytes[V] / (double)runs[V], passes = ceil((double)t->extents[U] / (double)t->tile[U]) - (double)runs[U];
  if (run > (double)t->l2_bytes / 2 && passes > 0)
    vectors += passes * bytes[V];
  if (!p->is_constant && has_panels(p, s))
    vectors += BY_KERNEL * bytes[V];
  return READ * vectors / (double)p->tiling.machine.vector_bytes;
}

static bool predict(const strata_work_t *work, strata_candidate_t *candidate) {
  const strata_cpu_product_t *p = work->cpu_product;
  choice_t *c = &candidate->cpu;
  int64_t lanes = p->tiling.machine.vector_bytes / 4, runs[2];
  size_t n = c->number - 1;
  int way = (int)(n % N_RUNS);
  bool other_panels = n / N_RUNS % N_PANELS;
  c->packs_rows = n / N_RUNS / N_PANELS % N_PACKED;
  n /= N_RUNS * N_PANELS * N_PACKED;
  c->tile[U] = (int64_t)n % STRATA_REGISTER_TILE_ROWS + 1;
  int64_t width = ((int64_t)n / STRATA_REGISTER_TILE_ROWS + 1) * lanes;
  c->tile[V] = strata_min(width, p->tiling.v);
  c->panels = 0;
  bool is_tile = strata_register_tile_fits(&p->tiling, c->tile[U], width) && c->tile[U] <= p->tiling.u;
  bool is_odd = (other_panels && (p->is_constant || !p->may_have_panels)) || (p->varies && (way || c->packs_rows));
  if (!is_tile || is_odd || (!work->wants_all && !c->packs_rows && c->tile[U] > p->tiling.most_rows))
    return false;
  c->runs[U] = c->runs[V] = 0;
  strata_schedule_t schedule = strata_ways_cpu_product.write(work, candidate);
  c->panels = schedule.panels = !other_panels ? 0 : models_panels(p, &schedule) ? 2 : 1;
  strata_product_tasks_t tasks = tasks_of(p, &schedule);
  if (p->varies && (tasks.is_packed[U] != p->are_packed[U] || tasks.is_packed[V] != p->are_packed[V]))
    return false;
  if ((c->packs_rows && packs_rows_anyway(p, &schedule)) || !choose_runs(&tasks, way, c->runs, runs))
    return false;
  strata_tiling_t there = p->tiling;
  there.u = p->extents[U];
  there.v = p->extents[V];
  double products = (double)strata_register_tile_cost(&there, c->tile[U], width) * (double)p->tiling.steps;
  double reads = reading(p, &tasks, &schedule, runs);
  c->seconds = STRATA_CPU_HALF_CYCLE * (double)p->times * (products + reads);
  c->bound = products > reads ? "multiply-adds" : "reads";
  return true;
}

static bool next(const strata_work_t *work, strata_candidate_t *c) {
  (void)work;
  return ++c->number <= (size_t)STRATA_REGISTER_TILE_ROWS * STRATA_REGISTER_TILE_VECTORS * N_RUNS * N_PANELS * N_PACKED;
}

//===-- Schedules ------------------------------------------------------------------------------------------------===//

static strata_schedule_t write(const strata_work_t *work, const strata_candidate_t *candidate) {
  (void)work;
  const choice_t *c = &candidate->cpu;
  return (strata_schedule_t){
      .kind = STRATA_KERNEL_CONTRACT,
      .n_tile = 2,
      .tile = {c->tile[U], c->tile[V]},
      .panels = c->panels,
      .packs_rows = c->packs_rows,
      .runs = {c->runs[U], c->runs[V]},
  };
}

// Any number of runs, up to that of tiles.
static bool admits(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given) {
  strata_product_tasks_t tasks = tasks_of(work->cpu_product, given);
  bool is_models = !given->runs[U] && !given->runs[V];
  if (work->cpu_product->varies && !is_models)
    return false;
  for (int side = U; side <= V && !is_models; side++)
    if (given->runs[side] < 1 || given->runs[side] > strata_max(1, tasks.extents[side] / tasks.tile[side]))
      return false;
  return c->schedule.kind == given->kind && !given->slots && !given->blocks && !given->stagger;
}

static const char *explain(strata_arena_t *arena, const strata_work_t *work, const strata_candidate_t *candidate) {
  (void)work;
  const choice_t *c = &candidate->cpu;
  return strata_arena_printf(arena, "tile %" PRId64 " x %" PRId64 ", %" PRId64 " x %" PRId64 " runs", c->tile[U],
                             c->tile[V], c->runs[U], c->runs[V]);
}

const strata_ways_t strata_ways_cpu_product = {next, predict, write, admits, explain};
