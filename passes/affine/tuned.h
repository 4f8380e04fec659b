// Schedules that were measured (docs/tuning.md): taken from results where there are some, and proposed for measuring.
// Internal to affine-schedule.
#ifndef STRATA_PASSES_AFFINE_TUNED_H
#define STRATA_PASSES_AFFINE_TUNED_H

#include "passes/affine/candidates.h"
#include "passes/affine/schedule_file.h"
#include "passes/tuning/tuning.h"

enum { STRATA_MAX_PROPOSED = 8 }; // candidates of a unit

// Gives every unit that has candidates and a result the result's schedule, instead of the model's; what the user gave
// by |file| stays. All kernels have their schedules, and launches that they share are settled; on a cpu, where |device|
// is NULL, no operand is in panels yet.
STRATA_MUST_CHECK strata_status_t strata_tuned_apply(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                     const strata_calls_t *calls, const strata_schedule_file_t *file);

//===-- Keys (tuned_key.c) ----------------------------------------------------------------------------------------===//

// The key of what |number| is a hash of; |device| is NULL on a cpu. It lives as long as the compile's results.
STRATA_MUST_CHECK strata_status_t strata_tuned_key(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                   const char *number, strata_tuning_result_t *out);

//===-- Units (tuned_units.c) ------------------------------------------------------------------------------------===//

// What a tuned compile is about.
typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device; // NULL: a cpu
  const strata_calls_t *calls;
  const strata_schedule_file_t *file; // of schedules that the user gave
} strata_tuned_t;

// What has one schedule, which is measured: a kernel, or the products of a launch; where sizes vary their functions for
// all of them, or one variant of each.
typedef struct {
  const char *name;   // of the function, or of the first
  const char *number; // a hash of all that the time depends on, but for the device
  const char *why;    // it has no result; NULL: it may have one
  int n_members;      // functions whose schedule it is
  const strata_called_kernel_t *members[STRATA_MAX_TOGETHER]; // a variant has the calls of its kernel
  MlirOperation kernels[STRATA_MAX_TOGETHER];                 // what is called: a variant's, else the member's function
  strata_operations_t calls;                                  // that are timed: one, or those of a launch
  int n_points;                                               // sizes at which it is timed; 0: none vary
  int n_likely;                          // the first of them, which count; at the others it is no slower
  int64_t *points[STRATA_TUNING_POINTS]; // values of all symbols
  int n_works;                           // one, or one a point
  strata_work_t works[STRATA_TUNING_POINTS];
} strata_tuned_unit_t;

typedef STRATA_VECTOR(strata_tuned_unit_t *) strata_tuned_units_t;

// All that kernels of candidates are part of, in the order of their first calls.
STRATA_MUST_CHECK strata_status_t strata_tuned_units(const strata_tuned_t *tuned, strata_tuned_units_t *out_units);

// The function whose schedule is that of all of it.
static inline MlirOperation strata_tuned_func(const strata_tuned_unit_t *unit) { return unit->members[0]->func; }

// The products of a unit that is a launch, where the symbols have |values|; NULL: at likely sizes, or there are none
// that vary. *out is NULL where one is no product that can share a launch.
STRATA_MUST_CHECK strata_status_t strata_tuned_products(const strata_tuned_t *tuned, const strata_tuned_unit_t *unit,
                                                        const int64_t *values, const strata_problem_t **out);

// Finds the sizes at which a unit of sizes that vary is timed, and |work|, which is that at likely sizes, at each
// (tuned_points.c).
STRATA_MUST_CHECK strata_status_t strata_tuned_points(const strata_tuned_t *tuned, strata_tuned_unit_t *unit,
                                                      const strata_symbols_t *symbols, const strata_work_t *work);

//===-- Candidates (tuned_choose.c) ------------------------------------------------------------------------------===//

// The model's choice, which the unit has, and the best others; how many.
int strata_tuned_choose(const strata_tuned_unit_t *unit, strata_candidate_t *out);
// An error if the unit cannot be carried out by |given|, instead of |chosen| by the model: files may say anything.
STRATA_MUST_CHECK strata_status_t strata_tuned_check(const strata_tuned_t *tuned, const strata_tuned_unit_t *unit,
                                                     const strata_schedule_t *chosen, const strata_schedule_t *given);

//===-- Modules (tuned_module.c) ---------------------------------------------------------------------------------===//

enum { STRATA_TUNED_ARGUMENTS = 256 };

// The arguments of a @main that calls a unit once: what calls read in common is there once, the constant is none.
typedef struct {
  int n;
  bool are_written[STRATA_TUNED_ARGUMENTS];
  MlirValue values[STRATA_TUNED_ARGUMENTS]; // operands of the calls
  MlirValue inside[STRATA_TUNED_ARGUMENTS]; // the functions' arguments that they are
  int constant;                             // that is packed before any call; -1: none
  int *slots[STRATA_MAX_TOGETHER];          // of each call the numbers of its operands
} strata_tuned_arguments_t;

// *out_is_one is false if the unit reads what it writes, so that a second call computes something else, or has too many
// arguments.
STRATA_MUST_CHECK strata_status_t strata_tuned_arguments(const strata_tuned_t *tuned, const strata_tuned_unit_t *unit,
                                                         strata_tuned_arguments_t *out, bool *out_is_one);
// The place among the library's inputs.
int32_t strata_tuned_input(const strata_tuned_arguments_t *arguments, int number);
// The module of one candidate, behind all of the phase affine; |data|: the file of the constant.
STRATA_MUST_CHECK strata_status_t strata_tuned_module(const strata_tuned_t *tuned, const strata_tuned_unit_t *unit,
                                                      const strata_tuned_arguments_t *arguments, const char *data,
                                                      const strata_schedule_t *schedule, const char **out_text);

//===-- Proposals (tuned_propose.c) ------------------------------------------------------------------------------===//

// Adds the unit's candidates to what the compile proposes: |key| names it.
STRATA_MUST_CHECK strata_status_t strata_tuned_propose(const strata_tuned_t *tuned, const strata_tuned_unit_t *unit,
                                                       const strata_tuning_result_t *key);

#endif
