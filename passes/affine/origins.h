// Which nodes of the model a kernel carries out, for people to read.
//
// A nest's location is the name of the node it comes from. The call of a kernel in @main has those of its nests fused,
// so that kernels that are one function stay one: what differs is with their calls. No code depends on it; a
// library's description repeats it.
#ifndef STRATA_PASSES_AFFINE_ORIGINS_H
#define STRATA_PASSES_AFFINE_ORIGINS_H

#include "dialects/compile.h"

typedef struct {
  const char *kernel; // the function's symbol
  int n_calls;        // in functions of the host but @prepare
  const char *nodes;  // of the first call, and what of the others; "" where nobody knows
} strata_kernel_origins_t;

// The names one by one and whole, each once; and one of them in few letters, below |first|, which may be NULL.
const char *const *strata_origins_list(strata_arena_t *arena, MlirLocation location, size_t *out_count);
const char *strata_origin_short(strata_arena_t *arena, const char *first, const char *name);

// The kernels that are called, but for @prepare, in the order of their first calls.
const strata_kernel_origins_t *strata_kernel_origins(strata_arena_t *arena, MlirModule module, size_t *out_count);

#endif
