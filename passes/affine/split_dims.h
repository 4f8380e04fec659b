// Cutting the dims of nests with a reshape between them; see split_dims.c.
#ifndef STRATA_PASSES_AFFINE_SPLIT_DIMS_H
#define STRATA_PASSES_AFFINE_SPLIT_DIMS_H

#include "dialects/compile.h"

// The pass affine-split-dims for one function.
STRATA_MUST_CHECK strata_status_t strata_split_dims(strata_compile_t *compile, MlirOperation func);

#endif
