// MLIR bytecode, whose reader trusts what it reads: damaged files make it crash, run on without end or write beside its
// memory.
#ifndef STRATA_DIALECTS_IMPORT_BYTECODE_H
#define STRATA_DIALECTS_IMPORT_BYTECODE_H

#include "dialects/compile.h"

bool strata_is_bytecode(const void *data, size_t size);

// The module in the file at |path|, of |size| bytes, as text, which MLIR's parser checks: a process of its own reads it
// and prints it. PARSE where that fails in any way.
STRATA_MUST_CHECK strata_status_t strata_bytecode_to_text(strata_compile_t *compile, const char *path, size_t size,
                                                          const char **out_text, size_t *out_size);

// Whether MLIR's parser and verifiers take the text in the file at |path|, of |size| bytes, without an error or a
// crash: those of dialects that are not ours have not been written for files that are damaged. PARSE where they do not.
STRATA_MUST_CHECK strata_status_t strata_try_to_read(strata_compile_t *compile, const char *path, size_t size);

#endif
