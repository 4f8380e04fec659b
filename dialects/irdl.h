// Dialects defined by IRDL text.
#ifndef STRATA_DIALECTS_IRDL_H
#define STRATA_DIALECTS_IRDL_H

#include "runtime/base/status.h"

#include <mlir-c/IR.h>
#include <stdio.h>

// Loads the dialect called |name| that |write| prints. INTERNAL if MLIR does not take the text; OUT_OF_MEMORY.
STRATA_MUST_CHECK strata_status_t strata_irdl_load(MlirContext context, const char *name, void (*write)(FILE *out));

#endif
