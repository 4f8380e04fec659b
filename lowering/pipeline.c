// The whole compile: runs the phases of phases.def and checks after each that the module keeps the level's contract.
#include "lowering/pipeline.h"

#include "lowering/contracts.h"

const strata_phase_info_t strata_phase_info[STRATA_PHASE_COUNT] = {
#define PHASE(id, name, targets, passes, summary) [STRATA_PHASE_##id] = {name, targets, passes, summary},
#include "lowering/phases.def"
};

static const strata_pass_t rows[] = {
#define PASS(name, function, summary) {name, function, summary},
#include "lowering/passes.def"
};
const strata_pass_table_t strata_lowerings = {rows, sizeof rows / sizeof rows[0]};

static strata_status_t run_phase(strata_compile_t *compile, strata_phase_t phase, const strata_pipeline_t *pipeline) {
  const strata_pass_table_t *tables[] = {&strata_passes, &strata_lowerings, pipeline->target_passes};
  const char *passes = strata_phase_info[phase].passes;
  STRATA_TRY(passes ? strata_pipeline_run(compile, passes, 3, tables) : pipeline->run(compile, phase, pipeline->user));
  return strata_contract_check(compile, phase);
}

static bool is_of_target(const strata_compile_t *compile, strata_phase_t phase) {
  return strata_phase_info[phase].targets >> compile->options->target & 1;
}

strata_status_t strata_compile_between(strata_compile_t *compile, strata_phase_t first, strata_phase_t last,
                                       const strata_pipeline_t *pipeline) {
  if (!is_of_target(compile, last))
    return strata_error(STRATA_INVALID_ARGUMENT, "phase '%s' is not one of this target's",
                        strata_phase_info[last].name);
  for (strata_phase_t phase = first; phase <= last; phase++) {
    if (!is_of_target(compile, phase))
      continue;
    if (pipeline->before)
      STRATA_TRY(pipeline->before(compile, phase, pipeline->user));
    STRATA_TRY(run_phase(compile, phase, pipeline));
    if (pipeline->after)
      STRATA_TRY(pipeline->after(compile, phase, pipeline->user));
  }
  return NULL;
}
