// The kinds of kernels around a product, told apart in one place: a loop of its own, roles and a ring, attention.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PRODUCTS_H
#define STRATA_LOWERING_TILE_TO_GPU_PRODUCTS_H

#include "lowering/tile_to_gpu/distribute.h"

// Of a kernel with producers: the whole forall and those behind it.
STRATA_MUST_CHECK strata_status_t strata_products_forall(strata_gpu_distribution_t *d, MlirOperation forall);

#endif
