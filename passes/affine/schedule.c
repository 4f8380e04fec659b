// The pass affine-schedule: how each kernel is carried out. On the cpu (schedule_gpu.c is the same for GPUs):
//
//   func.func private @k0(%x: memref<128x768xf32>, %w: memref<768x768xf32>, %y: ...) { contraction }
// becomes
//   func.func private @k0(%x: ..., %w: memref<24x768x32xf32>, %y: ...)
//       attributes {strata.schedule = {kind = "contract", tile = array<i64: 14, 32>}}
//   func.func private @k0_pack(%w: memref<768x768xf32>, %p: memref<24x768x32xf32>) { one nest }   // called before @k0
//
// The kind follows from the nests (kinds.def). A contraction's register tile is the one with the fewest cycles by a
// model of the machine: multiply-adds, loads, latency and what a core that is shared issues. A vector side that is
// constant, or passed by often, is packed into panels of the tile's width by a kernel of its own, once all schedules
// are known (schedule_contract_cpu.c); split-prepare takes those of constants out of @main. A product without a dim for
// registers that only one operand has, a depthwise convolution, is rows.
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/kinds.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/affine/tuned.h"
#include "passes/pass.h"
#include "passes/target.h"

//===-- Kinds ----------------------------------------------------------------------------------------------------===//

strata_status_t strata_cpu_scalar(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  (void)s;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SCALAR};
  *out_taken = true;
  return NULL;
}

static bool is_vectorizable(const strata_kernel_t *kernel) {
  for (int i = 0; i < kernel->n_nests; i++)
    if (!strata_nest_is_vectorizable(&kernel->nests[i]))
      return false;
  return true;
}

strata_status_t strata_cpu_rows(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_ROWS};
  *out_taken = is_vectorizable(s->kernel);
  return *out_taken ? strata_cpu_row_variants(s, out) : NULL;
}

strata_status_t strata_cpu_map(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_MAP};
  *out_taken = is_vectorizable(s->kernel);
  for (int i = 0; i < s->kernel->n_nests; i++)
    *out_taken &= s->kernel->nests[i].n_reduction == 0;
  *out_taken |= s->kernel->n_nests == 1 &&
                (strata_nest_gathers_rows(&s->kernel->nests[0]) || strata_nest_loops_over_rows(&s->kernel->nests[0]));
  return NULL;
}

// Of kinds of the other target: a product of segments is a map on a cpu, decision trees are a thread a row on a GPU,
// and a sort by digits is a task a row on a cpu.
strata_status_t strata_no_kernel(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  (void)s;
  *out = (strata_schedule_t){0};
  *out_taken = false;
  return NULL;
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static const strata_choose_t kinds[][2] = {
#define KERNEL_KIND(id, name, gpu, cpu, work, cpu_work, build, meaning) {gpu, cpu},
#include "dialects/affine/kinds.def"
};

strata_status_t strata_schedule_kernel(strata_compile_t *compile, const strata_gpu_device_t *device,
                                       const strata_machine_t *machine, const strata_calls_t *calls,
                                       const strata_called_kernel_t *called, struct strata_variant_budget *budget) {
  strata_kernel_t kernel;
  strata_schedule_t schedule;
  bool is_taken = false;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  strata_scheduling_t s = {
      compile,
      device,
      machine,
      calls,
      called,
      &kernel,
      strata_symbols_used_around(compile->arena, mlirBlockGetFirstOperation(kernel.body)),
      budget,
  };
  for (int kind = STRATA_N_KERNEL_KINDS; kind-- > 0 && !is_taken;)
    STRATA_TRY(kinds[kind][device ? 0 : 1](&s, &schedule, &is_taken));
  strata_schedule_write(called->func, &schedule);
  return device && s.symbols.count ? strata_gpu_variants(&s, &schedule) : NULL;
}

strata_status_t strata_pass_affine_schedule(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile))
    return strata_schedule_gpu(compile);
  strata_machine_t machine;
  strata_calls_t calls;
  STRATA_TRY(strata_machine_of(compile, &machine));
  STRATA_TRY(strata_calls_read(compile, &calls));
  for (size_t i = 0; i < calls.kernels.count; i++)
    STRATA_TRY(strata_schedule_kernel(compile, NULL, &machine, &calls, &calls.kernels.data[i], NULL));
  const strata_schedule_file_t none = {.path = NULL};
  STRATA_TRY(strata_tuned_apply(compile, NULL, &calls, &none));
  return strata_cpu_pack_products(compile, &calls);
}
