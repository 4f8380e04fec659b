// The reader of modules of StableHLO, TOSA and linalg on tensors (module.c), called by that of .mlir files.
#ifndef STRATA_DIALECTS_IMPORT_TIR_READ_H
#define STRATA_DIALECTS_IMPORT_TIR_READ_H

#include "dialects/import/import.h"
#include "dialects/import/mapped_file.h"

// Imports |module|, read from |file|, which is changed on the way, into compile->module. Constants lie where the module
// or the file has them. Errors: as those of strata_import.
STRATA_MUST_CHECK strata_status_t tir_import(strata_compile_t *compile, MlirModule module, const char *path,
                                             const strata_mapped_file_t *file, const strata_import_options_t *options);

#endif
