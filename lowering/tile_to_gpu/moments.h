// Sums of rows and of their squared differences from the mean, computed at once.
#ifndef STRATA_LOWERING_TILE_TO_GPU_MOMENTS_H
#define STRATA_LOWERING_TILE_TO_GPU_MOMENTS_H

#include "lowering/tile_to_gpu/distribute.h"

// Before layouts are chosen: rewrites what |func| makes of differences from means that will be computed so.
void strata_moments_prepare(strata_gpu_distribution_t *d, MlirOperation func);

// Defines the result of |op|, a reduction, if it is one of such a pair; else *out_is_done is false.
STRATA_MUST_CHECK strata_status_t strata_moments_reduce(strata_gpu_distribution_t *d, MlirOperation op,
                                                        bool *out_is_done);

// The ops of such a pair, and what is between them.
struct strata_gpu_moments {
  MlirOperation sum, scale, difference, square, squares;
  MlirValue mean, factor;             // of rows; a scalar
  STRATA_VECTOR(MlirOperation) apart; // products that products with the difference were taken apart to
  strata_registers_t result;          // of ->squares, when ->sum has been computed; without values before
  struct strata_gpu_moments *next;
};
// True if all that reads the values or their mean is the same if both are less by one number (moments_find.c). What is
// loaded may be loaded again (strata_rows_refresh).
bool strata_moments_may_move(const strata_gpu_moments_t *m);

#endif
