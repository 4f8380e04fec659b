// Numbers that kernels are timed on.
#ifndef STRATA_TOOLS_RANDOM_NUMBERS_H
#define STRATA_TOOLS_RANDOM_NUMBERS_H

#include "runtime/base/dtype.h"

#include <stddef.h>

// Floats in [-1, 1), integers and booleans 0 or 1, the same for the same |seed|. They repeat, so that no two rows or
// columns are alike: making more would take longer than timing.
void strata_random_numbers(strata_dtype_t dtype, size_t seed, void *out, size_t size);

#endif
