// strata-decompose: composite ops become the primitives of their row in composites.def.
//
//   %y = "strata.relu"(%x)   ->   %y = "strata.max"(%x, %zero)
#include "dialects/strata/strata.h"
#include "passes/pass.h"

strata_status_t strata_pass_decompose(strata_compile_t *compile) { return strata_decompose(compile); }
