// Parts of a compile side by side: kernels, each of which is a function of its own.
#ifndef STRATA_DIALECTS_EACH_H
#define STRATA_DIALECTS_EACH_H

#include "dialects/compile.h"

// Part |i|. Of the module it changes only what is inside its own function, and it adds and removes nothing at the
// module's level. |compile| is a copy for this thread: its arena lives as long as the compile's own.
typedef strata_status_t (*strata_part_t)(strata_compile_t *compile, size_t i, void *user);

// Does |n| parts by as many threads as the compile may use: all of them, and the first one's error is returned. MLIR
// makes types, attributes and names for several threads at a time; dialects that parts need are loaded before.
STRATA_MUST_CHECK strata_status_t strata_compile_each(strata_compile_t *compile, size_t n, strata_part_t part,
                                                      void *user);

#endif
