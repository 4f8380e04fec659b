// Running combinations whose lines blocks of a GPU walk (scan_lanes.c).
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_SCAN_LANES_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_SCAN_LANES_H

#include "lowering/strata_to_affine/lower.h"

// False, and nothing is built, of lines of another kind.
bool strata__scan_by_lanes(strata__lowering_t *l, MlirOperation op);

#endif
