// The table of this folder's passes, expanded from passes.def.
#include "targets/passes.h"

static const strata_pass_t rows[] = {
#define PASS(name, function, summary) {name, function, summary},
#include "targets/passes.def"
};

const strata_pass_table_t strata_target_passes = {rows, sizeof rows / sizeof rows[0]};
