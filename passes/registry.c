// The table of this folder's passes, expanded from passes.def.
#include "passes/pass.h"

static const strata_pass_t rows[] = {
#define PASS(name, function, summary) {name, function, summary},
#include "passes/passes.def"
};

const strata_pass_table_t strata_passes = {rows, sizeof rows / sizeof rows[0]};
