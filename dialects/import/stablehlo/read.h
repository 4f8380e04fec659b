// The reader of StableHLO (stablehlo.c), called by that of .mlir files.
#ifndef STRATA_DIALECTS_IMPORT_STABLEHLO_READ_H
#define STRATA_DIALECTS_IMPORT_STABLEHLO_READ_H

#include "dialects/import/import.h"

// Imports |module|, of StableHLO in the generic form, which is changed on the way, into compile->module. Constants lie
// where the module has them. Errors: as those of strata_import.
STRATA_MUST_CHECK strata_status_t hlo_import(strata_compile_t *compile, MlirModule module, const char *path,
                                             const strata_import_options_t *options);

#endif
