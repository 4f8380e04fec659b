// The functions that hold nests before grouping: @main, the bodies of loops, and the segments that loops cut either
// into (segments.c).
#ifndef STRATA_PASSES_AFFINE_NEST_FUNCTIONS_H
#define STRATA_PASSES_AFFINE_NEST_FUNCTIONS_H

#include "dialects/compile.h"

// Calls |visit| for each. It may add private functions to the module.
STRATA_MUST_CHECK strata_status_t strata_for_each_nest_function(strata_compile_t *compile,
                                                                strata_status_t (*visit)(strata_compile_t *compile,
                                                                                         MlirOperation func));

#endif
