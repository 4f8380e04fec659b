// See gpu_forms.h.
#include "passes/affine/gpu_forms.h"

#include "dialects/integers.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"

#include <string.h>

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

int64_t strata_gpu_likely(const strata_scheduling_t *s, strata_size_t size) {
  return strata_max(1, strata_size_likely(&s->symbols, size));
}

int64_t strata_gpu_likely_points(const strata_scheduling_t *s, const strata_nest_t *nest, int but) {
  int64_t points = 1;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    points = strata_times(points, dim == but ? 1 : strata_gpu_likely(s, nest->space.sizes[dim]));
  return points;
}

int64_t strata_gpu_dividing(int64_t width, strata_size_t size) {
  while (!strata_size_divides(width, size))
    width /= 2;
  return width;
}

// Of the type in which most bytes come and go.
int64_t strata_gpu_access_width(const strata_scheduling_t *s) {
  const strata_kernel_t *kernel = s->kernel;
  double bytes[STRATA_MAX_DIMS] = {0};
  int64_t best = 1;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      int64_t width = strata_element_bytes(strata_problem_element(access->buffer));
      if (!mlirValueIsABlockArgument(access->buffer) || width > STRATA_ACCESS_BYTES)
        continue;
      bytes[width] += strata_memref_likely_bytes(&s->symbols, mlirValueGetType(access->buffer));
      best = bytes[width] > bytes[best] ? width : best;
    }
  return STRATA_ACCESS_BYTES / best;
}

void strata_gpu_shrink_blocks(const strata_gpu_device_t *device, int64_t n_tasks, strata_schedule_t *schedule) {
  while (schedule->threads > STRATA_MIN_THREADS &&
         strata_ceil_div(n_tasks, schedule->threads / schedule->group) < device->n_processors)
    schedule->threads /= 2;
}

double strata_gpu_seconds_of_bytes(const strata_scheduling_t *s) {
  double bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(s->kernel->body); i++)
    bytes += strata_memref_likely_bytes(&s->symbols, mlirValueGetType(mlirBlockGetArgument(s->kernel->body, i)));
  return s->device->costs->group.launch_seconds + bytes / (double)s->device->bandwidth;
}

//===-- Forms ----------------------------------------------------------------------------------------------------===//

void strata_gpu_forms_add(strata_gpu_forms_t *forms, const strata_schedule_t *schedule) {
  for (int i = 0; i < forms->count; i++)
    if (strata_schedule_is_same_tile(&forms->of[i], schedule) && forms->of[i].slots == schedule->slots &&
        forms->of[i].blocks == schedule->blocks)
      return;
  if (forms->count < STRATA_MAX_FORMS)
    forms->of[forms->count++] = *schedule;
}

void strata_gpu_forms_add_blocks(const strata_gpu_device_t *device, strata_gpu_forms_t *forms,
                                 const strata_schedule_t *schedule) {
  for (int64_t threads = STRATA_MIN_THREADS; threads <= 2 * STRATA_THREADS; threads *= 2) {
    strata_schedule_t own = *schedule;
    own.threads = threads;
    if (threads >= device->lanes && threads <= device->max_threads && schedule->group <= threads)
      strata_gpu_forms_add(forms, &own);
  }
}

bool strata_gpu_is_taken(strata_status_t status) {
  bool is_taken = !status;
  strata_status_free(status);
  return is_taken;
}

strata_status_t strata_gpu_read_forms(const strata_scheduling_t *s, strata_kernel_kind_t kind, strata_choose_t choose,
                                      strata_gpu_add_forms_t add, strata_work_t *out) {
  strata_gpu_forms_t *forms = strata_arena_new(s->compile->arena, strata_gpu_forms_t);
  strata_schedule_t chosen;
  bool is_taken;
  if (strata_kernel_varies(s->kernel))
    return NULL;
  STRATA_TRY(choose(s, &chosen, &is_taken));
  if (!is_taken)
    return NULL;
  *forms = (strata_gpu_forms_t){
      .kind = kind, .points = strata_kernel_points(s->kernel), .seconds = strata_gpu_seconds_of_bytes(s)};
  strata_gpu_forms_add(forms, &chosen);
  STRATA_TRY(add(s, forms));
  out->forms = forms->count > 1 ? forms : NULL;
  return NULL;
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

static bool next(const strata_work_t *work, strata_candidate_t *c) { return ++c->number <= (size_t)work->forms->count; }

static bool predict(const strata_work_t *work, strata_candidate_t *c) {
  c->seconds = work->forms->seconds;
  c->bound = "bytes";
  return true;
}

static strata_schedule_t write(const strata_work_t *work, const strata_candidate_t *c) {
  return work->forms->of[c->number - 1];
}

static bool admits(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given) {
  (void)work;
  return c->schedule.slots == given->slots && c->schedule.blocks == given->blocks && !given->stagger && !given->runs[0];
}

static const char *explain(strata_arena_t *arena, const strata_work_t *work, const strata_candidate_t *c) {
  (void)work;
  return strata_arena_printf(arena, "groups of %lld of blocks of %lld", (long long)c->schedule.group,
                             (long long)c->schedule.threads);
}

const strata_ways_t strata_ways_forms = {next, predict, write, admits, explain};
