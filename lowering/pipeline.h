// The whole compile: the phases of phases.def, in order. Nothing else decides the order.
#ifndef STRATA_LOWERING_PIPELINE_H
#define STRATA_LOWERING_PIPELINE_H

#include "passes/pass.h"

typedef enum {
#define PHASE(id, ...) STRATA_PHASE_##id,
#include "lowering/phases.def"
  STRATA_PHASE_COUNT
} strata_phase_t;

// Sets of targets, for the rows of phases.def.
enum {
  STRATA_ON_CPU = 1 << STRATA_TARGET_CPU,
  STRATA_ON_GPU = 1 << STRATA_TARGET_NVGPU | 1 << STRATA_TARGET_AMDGPU,
  STRATA_ON_ALL = STRATA_ON_CPU | STRATA_ON_GPU,
};

typedef struct {
  const char *name;
  unsigned targets;   // STRATA_ON_...
  const char *passes; // NULL: the driver's own step
  const char *summary;
} strata_phase_info_t;
extern const strata_phase_info_t strata_phase_info[STRATA_PHASE_COUNT];

// The passes of this folder.
#define PASS(name, function, summary) STRATA_MUST_CHECK strata_status_t function(strata_compile_t *compile);
#include "lowering/passes.def"
extern const strata_pass_table_t strata_lowerings;

// What the driver adds to the phases.
typedef strata_status_t (*strata_phase_hook_t)(strata_compile_t *compile, strata_phase_t phase, void *user);
typedef struct {
  strata_phase_hook_t run;    // does the phases that have no passes
  strata_phase_hook_t before; // (optional)
  strata_phase_hook_t after;  // (optional) the module keeps its contract here
  void *user;
  const strata_pass_table_t *target_passes; // those of targets/
} strata_pipeline_t;

// Takes a compile through its target's phases from |first|, of which an empty one begins with 0, up to and with |last|;
// INVALID_ARGUMENT if |last| is none of them.
STRATA_MUST_CHECK strata_status_t strata_compile_between(strata_compile_t *compile, strata_phase_t first,
                                                         strata_phase_t last, const strata_pipeline_t *pipeline);

#endif
