// affine-predict: notes on every kernel of a GPU how many nanoseconds the models have a launch of it take, for profiles
// beside what it takes:
//
//   func.func private @k0(...) attributes {strata.bytes = 20480, strata.flops = 66048, strata.predicted = 5120}
//
// Of products and attention that is their schedule's time, of all other kernels that of their bytes and of a launch.
// Where sizes vary no number holds for all of them, and none is noted.
#include "dialects/each.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/pass.h"

#include <math.h>

static bool has_sizes(strata_arena_t *arena, MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  return strata_symbols_used_around(arena, mlirBlockGetFirstOperation(body)).count > 0;
}

static double seconds_of_bytes(const strata_gpu_device_t *device, MlirOperation func) {
  return device->costs->group.launch_seconds +
         (double)strata_attr_i64(func, "strata.bytes", 0) / (double)device->bandwidth;
}

// Of others there are candidates, but no times.
static bool is_modelled(strata_kernel_kind_t kind) {
  return kind == STRATA_KERNEL_CONTRACT || kind == STRATA_KERNEL_ATTENTION;
}

static strata_status_t predict(strata_compile_t *compile, const strata_gpu_device_t *device,
                               const strata_called_kernel_t *called, double *out_seconds) {
  strata_schedule_t schedule = strata_schedule_read(called->func);
  strata_work_t work;
  bool has_candidates = false;
  if (is_modelled(schedule.kind))
    STRATA_TRY(strata_work_read(compile, device, NULL, called, schedule.kind, &work, &has_candidates));
  const strata_ways_t *ways;
  strata_candidate_t same;
  for (int i = 0; has_candidates && (ways = strata_ways_of(&work, i)); i++)
    if (strata_candidate_of(&work, ways, &schedule, &same)) {
      *out_seconds = same.seconds;
      return NULL;
    }
  *out_seconds = seconds_of_bytes(device, called->func);
  return NULL;
}

typedef struct {
  const strata_gpu_device_t *device;
  strata_calls_t calls;
} predictor_t;

static strata_status_t note_prediction(strata_compile_t *compile, size_t i, void *user) {
  const predictor_t *p = user;
  const strata_called_kernel_t *called = &p->calls.kernels.data[i];
  double seconds;
  if (has_sizes(compile->arena, called->func))
    return NULL;
  STRATA_TRY(predict(compile, p->device, called, &seconds));
  strata_set_attr(called->func, "strata.predicted", strata_i64_attr(compile->context, llround(1e9 * seconds)));
  return NULL;
}

strata_status_t strata_pass_affine_predict(strata_compile_t *compile) {
  predictor_t p;
  if (!strata_target_is_gpu(compile))
    return NULL;
  STRATA_TRY(strata_gpu_device(compile, &p.device));
  STRATA_TRY(strata_calls_read(compile, &p.calls));
  return strata_compile_each(compile, p.calls.kernels.count, note_prediction, &p);
}
