// The contract of level 2 (docs/architecture.md) as a check.
#ifndef STRATA_DIALECTS_AFFINE_VERIFY_H
#define STRATA_DIALECTS_AFFINE_VERIFY_H

#include "dialects/compile.h"

// INTERNAL, naming the function, the nest and the op, if the module is not what level 2 may be: functions over static
// row-major memrefs that hold nests, allocations, globals and calls; nests of the one form that readers rely on; and
// accesses that stay inside their buffers.
STRATA_MUST_CHECK strata_status_t strata_affine_verify(strata_compile_t *compile);

#endif
