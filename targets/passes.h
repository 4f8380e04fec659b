// The passes that only one target has.
#ifndef STRATA_TARGETS_PASSES_H
#define STRATA_TARGETS_PASSES_H

#include "passes/pass.h"

#define PASS(name, function, summary) STRATA_MUST_CHECK strata_status_t function(strata_compile_t *compile);
#include "targets/passes.def"

extern const strata_pass_table_t strata_target_passes;

#endif
