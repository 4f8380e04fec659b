// Device code out of level 5: a stand-in until code generation is there.
#include "targets/gpu/codegen.h"

strata_status_t strata_gpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                           const strata_gpu_device_t *device, strata_gpu_binary_t *out_binary) {
  (void)compile, (void)kernels, (void)out_binary;
  return strata_error(STRATA_UNSUPPORTED, "--device=%s: code generation", device->name);
}
