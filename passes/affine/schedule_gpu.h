// Schedules for GPUs: docs/gpu-schedules.md gives the keys. Internal to affine-schedule.
#ifndef STRATA_PASSES_AFFINE_SCHEDULE_GPU_H
#define STRATA_PASSES_AFFINE_SCHEDULE_GPU_H

#include "dialects/affine/contraction.h"
#include "dialects/affine/schedule.h"
#include "passes/affine/calls.h"
#include "passes/affine/kinds.h"
#include "passes/target.h"

enum { STRATA_SECTOR = 32, STRATA_LINE = 128 }; // bytes, of the second-level cache

// Gives every kernel that @main calls its schedule for the compile's GPU.
STRATA_MUST_CHECK strata_status_t strata_schedule_gpu(strata_compile_t *compile);

// Elements of a row whose length varies that a group of threads holds: fewer than of one that is known, as some may not
// be there.
int64_t strata_gpu_held_elements(const strata_gpu_device_t *device, int64_t group);
// Elements of a row of known length that the threads of a block hold in registers.
int64_t strata_gpu_row_elements(const strata_gpu_device_t *device);

// How many rows are few: groups of |group| threads, one a row, leave the card without work. What such rows are better
// given, where the kernel has a schedule for more of them.
int64_t strata_gpu_few_rows(const strata_gpu_device_t *device, int64_t group);
STRATA_MUST_CHECK strata_status_t strata_gpu_choose_few_rows(const strata_scheduling_t *s, strata_schedule_t *out,
                                                             bool *out_taken);

// What a contraction's schedule may look at and change (kinds.h).
typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  const strata_calls_t *calls;
  const strata_called_kernel_t *called;
  const strata_contraction_kernel_t *contraction;
} strata_gpu_contraction_t;

#endif
