// A library for several GPUs: what the graph level left goes down the other levels once more for each further device,
// and the programs are joined.
#include "lowering/pipeline.h"
#include "targets/library/emit.h"
#include "targets/passes.h"

#include <string.h>

// With the compile turned into one for the program's device.
static strata_status_t compile_program(strata_compile_t *compile, const strata_library_options_t *options,
                                       strata_program_build_t build, strata_program_t *out_program) {
  const strata_pipeline_t pipeline = {.target_passes = &strata_target_passes};
  STRATA_TRY(strata_compile_between(compile, STRATA_PHASE_AFFINE, STRATA_PHASE_LLVM, &pipeline));
  STRATA_TRY(strata_program_read(compile, options, out_program));
  STRATA_TRY(strata_program_apply_aliases(out_program));
  return build(out_program);
}

static strata_status_t add_device(strata_program_t *first, const char *device, strata_program_build_t build,
                                  strata_program_t **out_program) {
  strata_compile_t *compile = first->compile, kept = *compile;
  strata_compile_options_t options = *compile->options;
  options.device = device;
  compile->options = &options;
  compile->module = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(compile->graph)));
  compile->explain = NULL;
  *out_program = strata_arena_new(compile->arena, strata_program_t);
  strata_status_t status = compile_program(compile, first->options, build, *out_program);
  mlirModuleDestroy(compile->module);
  compile->module = kept.module;
  compile->options = kept.options;
  compile->explain = kept.explain;
  return strata_status_context(status, "--device=%s", device);
}

const strata_program_constant_t *strata_program_find_constant(const strata_program_t *program, const char *name) {
  for (size_t i = 0; i < program->constants.count; i++)
    if (strcmp(program->constants.data[i].tensor.name, name) == 0)
      return &program->constants.data[i];
  return NULL;
}

// What a caller may set on one device it may set on all.
static void add_public_constants(const strata_program_t *from, strata_program_t *to) {
  for (size_t i = 0; i < from->constants.count; i++) {
    strata_program_constant_t constant = from->constants.data[i];
    if (!strata_program_is_public(&constant) || strata_program_find_constant(to, constant.tensor.name))
      continue;
    constant.is_used_by_main = false;
    *strata_vector_push(to->compile->arena, &to->constants) = constant;
  }
}

strata_status_t strata_program_add_devices(strata_program_t *first, strata_program_build_t build) {
  const char *names = first->compile->options->more_devices;
  strata_program_t *last = first;
  while (names && *names) {
    size_t length = strcspn(names, ",");
    const char *name = strata_arena_printf(first->compile->arena, "%.*s", (int)length, names);
    STRATA_TRY(add_device(first, name, build, &last->next));
    last = last->next;
    names += length + (names[length] == ',');
  }
  for (strata_program_t *program = first->next; program; program = program->next)
    add_public_constants(program, first);
  for (strata_program_t *program = first->next; program; program = program->next)
    add_public_constants(first, program);
  return NULL;
}
