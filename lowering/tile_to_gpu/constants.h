// Constants: buffers that no kernel of a call writes, whatever calls came before. They are uploaded, prepared and set
// by the host, which waits for that. So a launch that begins early may read them while others still run (docs/gpu.md,
// `strata.programmatic`).
#ifndef STRATA_LOWERING_TILE_TO_GPU_CONSTANTS_H
#define STRATA_LOWERING_TILE_TO_GPU_CONSTANTS_H

#include "dialects/pointer_map.h"
#include "lowering/tile_to_gpu/distribute.h"

// Arguments of kernels. Valid while the kernels asked about are as they were.
struct strata_gpu_constants {
  strata_pointer_map_t arguments; // 1: a constant in all calls; -1: not in all
};

strata_gpu_constants_t strata_gpu_constants_read(strata_compile_t *compile);
bool strata_gpu_is_constant(const strata_gpu_constants_t *constants, MlirValue argument);

#endif
