// The pass tile-to-gpu: the kernels' block-level vectors become registers of threads. docs/gpu.md gives both sides.
#include "lowering/pipeline.h"

strata_status_t strata_pass_tile_to_gpu(strata_compile_t *compile) {
  (void)compile;
  return strata_error(STRATA_UNSUPPORTED, "tile-to-gpu");
}
