// Schedules that were measured (docs/tuning.md): taken from results where there are some, and proposed for measuring.
// Internal to affine-schedule.
#ifndef STRATA_PASSES_AFFINE_TUNED_H
#define STRATA_PASSES_AFFINE_TUNED_H

#include "passes/affine/schedule_file.h"
#include "passes/tuning/tuning.h"

enum { STRATA_MAX_PROPOSED = 8 }; // candidates of a kernel

// Gives every kernel that has candidates and a result the result's schedule, instead of the model's; what the user gave
// by |file| stays. All have their schedules, and launches that they share are settled; on a cpu, where |device| is
// NULL, no operand is in panels yet.
STRATA_MUST_CHECK strata_status_t strata_tuned_apply(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                     const strata_calls_t *calls, const strata_schedule_file_t *file);

// Adds the kernel's candidates to what the compile proposes: |key| names it, |model| is the schedule it has.
STRATA_MUST_CHECK strata_status_t strata_tuned_propose(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                       const strata_calls_t *calls,
                                                       const strata_called_kernel_t *called,
                                                       const strata_tuning_result_t *key);

#endif
