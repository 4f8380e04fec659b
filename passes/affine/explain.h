// What the compile tells a listener (--explain) about its decisions. Costs nothing where nobody listens.
#ifndef STRATA_PASSES_AFFINE_EXPLAIN_H
#define STRATA_PASSES_AFFINE_EXPLAIN_H

#include "dialects/compile.h"

// Tells the listener one line.
void strata_explain(const strata_compile_t *compile, const char *format, ...) STRATA_PRINTF(2, 3);

#endif
