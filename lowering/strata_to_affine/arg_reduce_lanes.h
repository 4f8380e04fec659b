// Positions of extreme elements in lines that blocks of a GPU walk (arg_reduce_lanes.c).
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_ARG_REDUCE_LANES_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_ARG_REDUCE_LANES_H

#include "lowering/strata_to_affine/lower.h"

// False, and nothing is built, of lines of another kind.
bool strata__arg_reduce_by_lanes(strata__lowering_t *l, MlirOperation op);

#endif
