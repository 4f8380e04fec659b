// A kernel without reductions as the scheduler and the tile builder see it: the space its stored nests share and the
// dim that runs along vectors.
#ifndef STRATA_DIALECTS_AFFINE_MAP_KERNEL_H
#define STRATA_DIALECTS_AFFINE_MAP_KERNEL_H

#include "dialects/affine/kernel.h"

typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *space; // a root; all roots have its extents
  int vector_dim;             // of the space
  // A dim along which buffers are read contiguously that are not along vector_dim (a transposition); STRATA_MAP_NO_DIM
  // if there is none.
  int cross_dim;
} strata_map_kernel_t;

enum { STRATA_MAP_NO_DIM = -1 };

// UNSUPPORTED where nests have no vector form or reduce, or results are of different shapes.
STRATA_MUST_CHECK strata_status_t strata_map_kernel_read(const strata_kernel_t *kernel, strata_map_kernel_t *out);

#endif
