// builtin.module @kernels: the kernels of a compile from level 4 on, apart from the functions that launch them.
#ifndef STRATA_LOWERING_KERNELS_H
#define STRATA_LOWERING_KERNELS_H

#include "dialects/compile.h"

// The null module where there is none.
MlirModule strata_kernels_find(const strata_compile_t *compile);
// The same, made if need be.
MlirModule strata_kernels_create(strata_compile_t *compile);

#endif
