// See candidates.h.
#include "passes/affine/candidates.h"

#include "passes/affine/candidate_cache.h"
#include "passes/affine/explain.h"

#include <string.h>

//===-- Kinds ----------------------------------------------------------------------------------------------------===//

static const strata_work_reader_t readers[][2] = {
#define KERNEL_KIND(id, name, gpu, cpu, work, cpu_work, build, meaning) {work, cpu_work},
#include "dialects/affine/kinds.def"
};

bool strata_kind_has_candidates(strata_kernel_kind_t kind, bool on_cpu) { return readers[kind][on_cpu] != NULL; }

strata_status_t strata_work_read(strata_compile_t *compile, const strata_gpu_device_t *device,
                                 const strata_calls_t *calls, const strata_called_kernel_t *called,
                                 strata_kernel_kind_t kind, strata_work_t *out, bool *out_has) {
  strata_kernel_t kernel;
  strata_machine_t machine;
  *out_has = false;
  *out = (strata_work_t){.device = device, .wants_all = true, .reach = STRATA_REACH_ALL};
  if (!strata_kind_has_candidates(kind, !device))
    return NULL;
  if (!device)
    STRATA_TRY(strata_machine_of(compile, &machine));
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  strata_scheduling_t s = {.compile = compile,
                           .device = device,
                           .machine = device ? NULL : &machine,
                           .calls = calls,
                           .called = called,
                           .kernel = &kernel};
  STRATA_TRY(readers[kind][!device](&s, out));
  *out_has = out->product || out->attention || out->cpu_product || out->cpu_attention || out->widths || out->forms;
  return NULL;
}

double strata_kernel_points(const strata_kernel_t *kernel) {
  double all = 0;
  for (int i = 0; i < kernel->n_nests; i++) {
    double points = 1;
    for (int dim = 0; dim < strata_nest_n_dims(&kernel->nests[i]); dim++)
      points *= (double)strata_nest_static_extent(&kernel->nests[i], dim);
    all += points;
  }
  return all;
}

const strata_ways_t *strata_ways_of(const strata_work_t *work, int number) {
  const strata_problem_t *product = work->product;
  if (number > 0)
    return number == 1 && product ? &strata_ways_tiled : NULL;
  if (work->forms)
    return &strata_ways_forms;
  if (!work->device)
    return work->widths        ? &strata_ways_widths
           : work->cpu_product ? &strata_ways_cpu_product
                               : &strata_ways_cpu_attention;
  if (work->attention)
    return work->attention->is_staged ? &strata_ways_attention_staged : &strata_ways_attention;
  return product->bulk_adds ? &strata_ways_fma : product->row_reductions ? &strata_ways_norm : &strata_ways_pipelined;
}

bool strata_cpu_admits(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given) {
  (void)work;
  return c->schedule.kind == given->kind && !given->slots && !given->blocks && !given->stagger && !given->runs[0];
}

//===-- The walk -------------------------------------------------------------------------------------------------===//

bool strata_candidate_next(const strata_work_t *work, const strata_ways_t *ways, strata_candidate_t *c) {
  while (ways->next(work, c))
    if (ways->predict(work, c)) {
      c->schedule = ways->write(work, c);
      return true;
    }
  return false;
}

static double cost_of(const strata_candidate_t *c) { return c->cost > 0 ? c->cost : c->seconds; }

static bool is_same_tile(const strata_candidate_t *a, const strata_candidate_t *b) {
  return !memcmp(a->schedule.tile, b->schedule.tile, sizeof a->schedule.tile);
}

// Keeps the best |capacity| of different tiles in order.
static int insert(strata_candidate_t *list, int count, int capacity, const strata_candidate_t *candidate) {
  for (int i = 0; i < count; i++)
    if (is_same_tile(&list[i], candidate)) {
      if (cost_of(&list[i]) <= cost_of(candidate))
        return count;
      memmove(&list[i], &list[i + 1], sizeof *list * (size_t)(--count - i));
      break;
    }
  int at = count;
  while (at > 0 && cost_of(&list[at - 1]) > cost_of(candidate))
    at--;
  if (at == capacity)
    return count;
  int n = count < capacity ? count + 1 : capacity;
  memmove(&list[at + 1], &list[at], sizeof *list * (size_t)(n - 1 - at));
  list[at] = *candidate;
  return n;
}

static int search(const strata_work_t *work, const strata_ways_t *ways, int n, strata_candidate_t *out) {
  int count = 0;
  for (strata_candidate_t candidate = {0}; strata_candidate_next(work, ways, &candidate);)
    count = insert(out, count, n, &candidate);
  strata_candidate_cache_add(work, ways, n, count, out);
  return count;
}

// Passes ask for the best one, and in the end for some more, which --explain tells about: one walk finds all.
int strata_candidates_best(const strata_work_t *work, const strata_ways_t *ways, int n, strata_candidate_t *out) {
  enum { AT_LEAST = 3 };
  strata_candidate_t list[AT_LEAST];
  int count = strata_candidate_cache_find(work, ways, n, out);
  if (count >= 0 || n >= AT_LEAST)
    return count >= 0 ? count : search(work, ways, n, out);
  count = search(work, ways, AT_LEAST, list);
  count = count < n ? count : n;
  memcpy(out, list, (size_t)count * sizeof *out);
  return count;
}

bool strata_candidate_of(const strata_work_t *work, const strata_ways_t *ways, const strata_schedule_t *schedule,
                         strata_candidate_t *out) {
  strata_work_t all = *work;
  all.wants_all = true;
  all.reach = STRATA_REACH_ALL;
  *out = (strata_candidate_t){0};
  while (strata_candidate_next(&all, ways, out))
    if (strata_schedule_is_same_tile(&out->schedule, schedule))
      return true;
  return false;
}

bool strata_candidates_admit(const strata_work_t *work, const strata_schedule_t *given) {
  const strata_ways_t *ways;
  for (int i = 0; (ways = strata_ways_of(work, i)); i++)
    for (strata_candidate_t c = {0}; strata_candidate_next(work, ways, &c);)
      if (strata_schedule_is_same_tile(&c.schedule, given) && ways->admits(work, &c, given))
        return true;
  return false;
}

void strata_candidates_explain(strata_compile_t *compile, const strata_work_t *work, const strata_ways_t *ways,
                               const char *title, int n, const strata_candidate_t *best, bool is_chosen) {
  for (int i = 0; i < n && compile->explain; i++)
    strata_explain(compile, "%s   %s: %.1f us (%s)%s", title, ways->explain(compile->arena, work, &best[i]),
                   1e6 * best[i].seconds, best[i].bound, is_chosen && i == 0 ? ", chosen" : "");
}

int strata_pipelined_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_reach_t reach,
                            int n, strata_candidate_t *out) {
  strata_work_t work = {.device = device, .product = problem, .reach = reach};
  return strata_candidates_best(&work, strata_ways_of(&work, 0), n, out);
}

bool strata_tiled_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_candidate_t *out) {
  strata_work_t work = {.device = device, .product = problem};
  return strata_candidates_best(&work, &strata_ways_tiled, 1, out) > 0;
}
