// The preparation of a GPU's library, at compile time and without a GPU: the copy of @prepare that affine-copy-prepare
// kept goes down the cpu's levels and runs here.
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "targets/library/emit.h"
#include "targets/passes.h"

static const char pipeline[] = "affine-schedule,affine-to-tile,tile-to-cpu,kernels-to-llvm";

// What @main uses of the results, which must survive the preparation.
static void mark_results(const strata_program_t *program, strata_program_t *host) {
  for (size_t i = 0; i < host->constants.count; i++) {
    const strata_program_constant_t *constant =
        strata_program_find_constant(program, host->constants.data[i].tensor.name);
    host->constants.data[i].is_used_by_main = constant && constant->is_used_by_main;
  }
}

static strata_status_t take_results(strata_program_t *program, const strata_program_t *host) {
  for (size_t i = 0; i < program->constants.count; i++) {
    strata_program_constant_t *constant = &program->constants.data[i];
    if (constant->data || !constant->is_used_by_main)
      continue;
    const strata_program_constant_t *computed = strata_program_find_constant(host, constant->tensor.name);
    if (!computed || !computed->data || computed->tensor.size != constant->tensor.size)
      return strata_error(STRATA_INTERNAL, "library: the preparation computes no %s of %lld bytes",
                          constant->tensor.name, (long long)constant->tensor.size);
    constant->data = computed->data;
  }
  return NULL;
}

// With the compile turned into one of the preparation for the cpu.
static strata_status_t run(strata_program_t *program, const strata_cpu_device_t *device) {
  strata_compile_t *compile = program->compile;
  const strata_pass_table_t *tables[] = {&strata_passes, &strata_lowerings, &strata_target_passes};
  STRATA_TRY(strata_pipeline_run(compile, pipeline, sizeof tables / sizeof tables[0], tables));
  strata_program_t host;
  strata_cpu_objects_t objects = {0};
  MlirModule kernels = strata_kernels_find(compile);
  STRATA_TRY(strata_program_read_preparation(compile, program->options, &host));
  mark_results(program, &host);
  STRATA_TRY(strata_cpu_compile_kernels(compile, kernels, device, &objects));
  STRATA_TRY(strata_program_prepare(&host, kernels, device, &objects));
  return take_results(program, &host);
}

strata_status_t strata_program_prepare_on_host(strata_program_t *program, const strata_cpu_device_t *device) {
  strata_compile_t *compile = program->compile, gpu = *compile;
  if (program->prepare.count == 0)
    return NULL;
  if (mlirModuleIsNull(compile->preparation))
    return strata_error(STRATA_INTERNAL, "library: @prepare has no copy for the host; affine-copy-prepare makes it");
  strata_compile_options_t options = *compile->options;
  options.target = STRATA_TARGET_CPU;
  options.tuning = NULL;
  options.device = device->name;
  compile->options = &options;
  compile->module = gpu.preparation;
  compile->explain = NULL;
  strata_status_t status = run(program, device);
  compile->preparation = compile->module;
  compile->module = gpu.module;
  compile->options = gpu.options;
  compile->explain = gpu.explain;
  return strata_status_context(status, "preparing the constants on the host");
}
