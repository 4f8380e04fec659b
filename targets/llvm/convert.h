// Upstream's conversions of kernels to the LLVM dialect, by several threads.
#ifndef STRATA_TARGETS_LLVM_CONVERT_H
#define STRATA_TARGETS_LLVM_CONVERT_H

#include "dialects/compile.h"

// Runs |passes|, which convert functions in any module on their own, over the kernels of |kernels|, whose order stays.
STRATA_MUST_CHECK strata_status_t strata_llvm_convert(strata_compile_t *compile, MlirModule kernels,
                                                      const char *passes);

// True of a function or variable without a body of its own.
bool strata_llvm_is_declaration(MlirOperation op);
// Moves all of |from| behind what |to| has; what is declared in both is so once then.
void strata_llvm_move_all(MlirBlock from, MlirBlock to);

#endif
