// Scalar kernels on GPUs: a thread a point, or a group of threads where a nest has loops over lanes (scans, sorts).
#include "passes/affine/gpu_forms.h"

#include "dialects/integers.h"

static int64_t lanes_of(const strata_scheduling_t *s) {
  return s->kernel->n_nests == 1 ? strata_nest_lanes(&s->kernel->nests[0]) : 0;
}

static int64_t points_of(const strata_scheduling_t *s) {
  return s->kernel->n_nests == 1 ? strata_gpu_likely_points(s, &s->kernel->nests[0], STRATA_MAP_NO_DIM) : 1;
}

// A block a point, of loops over lanes, or a warp of a block of several.
static strata_schedule_t of_lanes(const strata_scheduling_t *s, int64_t group) {
  const strata_gpu_device_t *device = s->device;
  strata_schedule_t schedule = {.kind = STRATA_KERNEL_SCALAR, .threads = group, .group = group};
  if (group > device->lanes)
    return schedule;
  schedule.threads = STRATA_THREADS / 2;
  strata_gpu_shrink_blocks(device, points_of(s), &schedule);
  return schedule;
}

// An access of a thread is 16 bytes of numbers of 4.
strata_status_t strata_gpu_scalar(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  enum { NUMBER_BYTES = 4 };
  int64_t lanes = lanes_of(s);
  *out_taken = true;
  if (lanes) {
    int64_t threads = strata_power_of_two_from(lanes * NUMBER_BYTES / STRATA_ACCESS_BYTES);
    *out = of_lanes(s, strata_max(s->device->lanes, strata_min(STRATA_THREADS, threads)));
    return NULL;
  }
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SCALAR, .threads = STRATA_THREADS / 2, .group = 1};
  strata_gpu_shrink_blocks(s->device, points_of(s), out);
  return NULL;
}

// Other groups for lanes, of which each thread has one at least; else other blocks.
static strata_status_t add_forms(const strata_scheduling_t *s, strata_gpu_forms_t *forms) {
  int64_t lanes = lanes_of(s);
  const strata_schedule_t chosen = forms->of[0];
  for (int64_t group = s->device->lanes; lanes && group <= 2 * STRATA_THREADS && group / 2 < lanes; group *= 2) {
    strata_schedule_t schedule = of_lanes(s, group);
    if (group <= s->device->max_threads)
      strata_gpu_forms_add(forms, &schedule);
  }
  if (!lanes)
    strata_gpu_forms_add_blocks(s->device, forms, &chosen);
  return NULL;
}

strata_status_t strata_work_scalar_gpu(const strata_scheduling_t *s, strata_work_t *out) {
  return strata_gpu_read_forms(s, STRATA_KERNEL_SCALAR, strata_gpu_scalar, add_forms, out);
}
