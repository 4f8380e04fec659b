// What the compile tells a listener (--explain) about its decisions. Costs nothing where nobody listens.
#ifndef STRATA_PASSES_AFFINE_EXPLAIN_H
#define STRATA_PASSES_AFFINE_EXPLAIN_H

#include "dialects/compile.h"

// Tells the listener one line.
void strata_explain(const strata_compile_t *compile, const char *format, ...) STRATA_PRINTF(2, 3);
// Tells why |func|, of the kind |what|, shares no launch with |first|.
void strata_explain_apart(const strata_compile_t *compile, const char *what, MlirOperation func, MlirOperation first,
                          const char *reason);

#endif
