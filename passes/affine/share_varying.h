// Kernels that share launches (share_launches.c), where sizes vary.
#ifndef STRATA_PASSES_AFFINE_SHARE_VARYING_H
#define STRATA_PASSES_AFFINE_SHARE_VARYING_H

#include "devices/gpu/device.h"
#include "dialects/affine/kernel.h"
#include "dialects/compile.h"

// Values of the symbols, the least that is likely of each, in the arena; NULL where no sizes vary.
STRATA_MUST_CHECK strata_status_t strata_find_least_sizes(const strata_compile_t *compile, const int64_t **out_values);

// Points of the kernel's nests, at likely sizes or, unless NULL, at those that |values| are.
double strata_points_at(const strata_kernel_t *kernel, const int64_t *values);

// Why |n| different kernels share no launch, which for each of the sizes has one function of each; NULL: they may.
const char *strata_why_not_varying(strata_arena_t *arena, const strata_gpu_device_t *device, size_t n,
                                   const MlirOperation *kernels);

#endif
