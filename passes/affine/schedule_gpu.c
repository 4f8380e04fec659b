// Schedules of all kernels for GPUs: see schedule_gpu.h. Those of maps, rows and scalar kernels are in
// schedule_map_gpu.c, schedule_rows_gpu.c and schedule_scalar_gpu.c. What decides there: accesses are 16 bytes a
// thread; the threads of the card are to be busy; what a group of threads keeps fits its registers.
#include "passes/affine/schedule_gpu.h"

#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/explain.h"
#include "passes/affine/parallel.h"
#include "passes/affine/quantised.h"
#include "passes/affine/schedule_file.h"
#include "passes/affine/tuned.h"
#include "passes/affine/variant_budget.h"

static strata_status_t schedule_once(strata_compile_t *compile, const strata_gpu_device_t *device,
                                     const strata_calls_t *calls, const strata_called_kernel_t *called,
                                     strata_schedule_file_t *file, strata_variant_budget_t *budget) {
  if (strata_schedule_read(called->func).threads)
    return NULL;
  STRATA_TRY(strata_schedule_kernel(compile, device, NULL, calls, called, budget));
  return strata_variant_budget_has(budget, called->func) ? NULL
                                                         : strata_schedule_file_apply(file, compile, device, called);
}

static strata_status_t spend_budget(strata_compile_t *compile, const strata_gpu_device_t *device,
                                    strata_schedule_file_t *file, strata_variant_budget_t *budget) {
  STRATA_TRY(strata_variant_budget_spend(compile, budget));
  for (size_t i = 0; i < budget->offers.count; i++)
    STRATA_TRY(strata_schedule_file_apply(file, compile, device, &budget->offers.data[i].called));
  return NULL;
}

// Kernels that are marked as replaced and that nobody calls any more.
static void drop_replaced(strata_compile_t *compile, const strata_calls_t *calls) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)), next;
  for (; !mlirOperationIsNull(op); op = next) {
    bool is_called = false;
    next = mlirOperationGetNextInBlock(op);
    if (!strata_attr_flag(op, STRATA_REPLACED))
      continue;
    for (size_t i = 0; i < calls->kernels.count; i++)
      is_called |= mlirOperationEqual(calls->kernels.data[i].func, op);
    if (is_called)
      mlirOperationRemoveAttributeByName(op, strata_str(STRATA_REPLACED));
    else
      mlirOperationDestroy(op);
  }
}

strata_status_t strata_schedule_gpu(strata_compile_t *compile) {
  const strata_gpu_device_t *device;
  strata_schedule_file_t file;
  strata_variant_budget_t budget = {{0}};
  STRATA_TRY(strata_gpu_device(compile, &device));
  if (device->card)
    strata_explain(compile, "device %s: judged as %s, whose figures are %s", device->name, device->card,
                   device->figures_from);
  strata_calls_t calls;
  STRATA_TRY(strata_schedule_file_read(compile, device, &file));
  STRATA_TRY(strata_calls_read(compile, &calls));
  STRATA_TRY(strata_parallel_find(compile, &calls));
  // Schedules may add kernels, which the next round finds.
  for (bool changed = true; changed;) {
    changed = false;
    STRATA_TRY(strata_calls_read(compile, &calls));
    for (size_t i = 0; i < calls.kernels.count; i++) {
      const strata_called_kernel_t *called = &calls.kernels.data[i], *leader;
      bool is_main;
      if (strata_schedule_read(called->func).threads)
        continue;
      changed = true;
      STRATA_TRY(strata_parallel_leader(compile, &calls, called, &leader, &is_main));
      STRATA_TRY(schedule_once(compile, device, &calls, leader, &file, &budget));
      STRATA_TRY(schedule_once(compile, device, &calls, called, &file, &budget));
    }
  }
  STRATA_TRY(strata_calls_read(compile, &calls));
  drop_replaced(compile, &calls);
  STRATA_TRY(strata_gpu_product_launches(compile, device, &calls, &budget));
  STRATA_TRY(spend_budget(compile, device, &file, &budget));
  STRATA_TRY(strata_parallel_settle(compile, &calls));
  STRATA_TRY(strata_calls_read(compile, &calls));
  STRATA_TRY(strata_tuned_apply(compile, device, &calls, &file));
  return strata_schedule_file_end(&file);
}
