// The memory plan where sizes vary: which buffer lies above which is decided once, at many sizes; an offset is then the
// largest of the ends of the buffers below.
#ifndef STRATA_PASSES_AFFINE_MEMORY_VARYING_H
#define STRATA_PASSES_AFFINE_MEMORY_VARYING_H

#include "dialects/symbols.h"
#include "passes/affine/launch_list.h"

typedef struct {
  MlirAffineExpr *offsets; // of the list's buffers
  MlirAffineExpr pool_size;
  int64_t live, sum; // where sizes vary: at likely ones
} strata_memory_plan_t;

// Offsets are expressions of the symbols and of new, derived ones, which are added to the table.
strata_memory_plan_t strata_plan_varying(strata_compile_t *compile, strata_symbols_t *symbols,
                                         const strata_launch_list_t *list);

#endif
