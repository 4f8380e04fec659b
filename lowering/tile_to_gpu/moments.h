// Sums of rows and of their squared differences from the mean, computed at once.
#ifndef STRATA_LOWERING_TILE_TO_GPU_MOMENTS_H
#define STRATA_LOWERING_TILE_TO_GPU_MOMENTS_H

#include "lowering/tile_to_gpu/distribute.h"

// Before layouts are chosen: rewrites what |func| makes of differences from means that will be computed so.
void strata_moments_prepare(strata_gpu_distribution_t *d, MlirOperation func);

// Defines the result of |op|, a reduction, if it is one of such a pair; else *out_is_done is false.
STRATA_MUST_CHECK strata_status_t strata_moments_reduce(strata_gpu_distribution_t *d, MlirOperation op,
                                                        bool *out_is_done);

#endif
