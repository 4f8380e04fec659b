// What is found outside the compiler to link with: LLVM's tools, and the system's libraries.
#ifndef STRATA_TARGETS_LLVM_TOOLS_H
#define STRATA_TARGETS_LLVM_TOOLS_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

// The path of LLD for ELF files. TOOL where there is none.
STRATA_MUST_CHECK strata_status_t strata_find_linker(strata_arena_t *arena, const char **out_path);

// The path of a system library, as this program itself uses it; NULL where there is none.
const char *strata_find_system_library(strata_arena_t *arena, const char *name);

#endif
