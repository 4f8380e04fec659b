// What kernels that share a launch must have in common where sizes vary. See share_varying.h.
#include "passes/affine/share_varying.h"

#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "dialects/symbols.h"

enum {
  MAX_VARIANTS = 3, // of a launch, the one for all sizes among them: each has the code of all its kernels
};

strata_status_t strata_find_least_sizes(const strata_compile_t *compile, const int64_t **out_values) {
  strata_symbols_t symbols;
  *out_values = NULL;
  if (!strata_module_is_symbolic(compile->module))
    return NULL;
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &symbols));
  int64_t *values = strata_arena_array(compile->arena, int64_t, symbols.list.count + 1);
  for (size_t i = 0; i < strata_symbols_given(&symbols); i++) {
    const strata_symbol_t *symbol = &symbols.list.data[i];
    values[i] = symbol->n_likely ? symbol->likely[0] : symbol->min;
    for (int j = 1; j < symbol->n_likely; j++)
      values[i] = strata_min(values[i], symbol->likely[j]);
  }
  if (!strata_symbols_evaluate(&symbols, values)) // no call has all of these
    for (size_t i = 0; i < symbols.list.count; i++)
      values[i] = symbols.list.data[i].min;
  *out_values = values;
  return NULL;
}

double strata_points_at(const strata_kernel_t *kernel, const int64_t *values) {
  double sum = 0;
  for (int i = 0; i < kernel->n_nests; i++) {
    strata_nest_t nest = kernel->nests[i];
    double points = 1;
    nest.likely = values ? values : nest.likely;
    for (int dim = 0; dim < strata_nest_n_dims(&nest); dim++)
      points *= (double)strata_nest_likely_extent(&nest, dim);
    sum += points;
  }
  return sum;
}

// True if threads of several warps wait for one another in a task.
static bool needs_barriers(const strata_gpu_device_t *device, const strata_schedule_t *schedule) {
  return schedule->group > device->lanes && (schedule->kind == STRATA_KERNEL_ROWS || schedule->n_tile > 1);
}

// Maps look whether a block's tile is a whole one, and wait for one another behind that: all of a block's threads,
// where some of a larger one's cannot.
static bool wants_whole_block(const strata_gpu_device_t *device, const strata_schedule_t *schedule) {
  return !strata_gpu_has_numbered_barriers(device) && schedule->kind == STRATA_KERNEL_MAP && schedule->group > 1;
}

// Why functions cannot be parts of one launch, whose blocks have as many threads as any of them: of several kinds those
// whose threads wait for one another have all of a block's.
static const char *why_not_together(const strata_gpu_device_t *device, size_t n, const MlirOperation *functions) {
  int64_t threads = 0;
  bool are_simple = true, are_equal = true, fit = true;
  for (size_t i = 0; i < n; i++) {
    strata_schedule_t schedule = strata_schedule_read(functions[i]);
    are_simple &= schedule.kind == STRATA_KERNEL_MAP || schedule.kind == STRATA_KERNEL_ROWS ||
                  schedule.kind == STRATA_KERNEL_SCALAR;
    are_equal &= schedule.kind == strata_schedule_read(functions[0]).kind;
    threads = strata_max(threads, schedule.threads);
  }
  for (size_t i = 0; i < n; i++) {
    strata_schedule_t schedule = strata_schedule_read(functions[i]);
    are_simple &= !needs_barriers(device, &schedule) || schedule.group == threads;
    fit &= !wants_whole_block(device, &schedule) || schedule.threads == threads;
  }
  if (!are_equal && !are_simple)
    return "their schedules differ";
  return fit ? NULL : "threads of a block wait for one another, and the other's has more";
}

const char *strata_why_not_varying(strata_arena_t *arena, const strata_gpu_device_t *device, size_t n,
                                   const MlirOperation *kernels) {
  strata_joint_variants_t joint;
  const char *reason = NULL;
  if (!strata_variants_join(arena, n, kernels, MAX_VARIANTS, &joint))
    return "together they have too many variants";
  for (int i = 0; i < joint.count && !reason; i++)
    reason = why_not_together(device, n, joint.of[i].functions);
  return reason;
}
